// Writes docs/modules.md: the modules, optimisers, schedules and datasets of heddle/tensor with what their constructors
// take, from the declarations of dist, and what of PyTorch's there is not. `--check` only reports.
import { dirname, join } from "node:path";
import { commentBefore, exportedNames, find, follow, load } from "./declarations.mjs";
import { codeNames, wrap, writeOrCheck } from "./docs-pages.mjs";
import { TORCH_CLASSES, functionOf } from "./torch-classes.mjs";

const types = join(import.meta.dirname, "..", "dist", "tensor");
const at = (path) => load(join(types, `${path}.d.ts`));
const isType = ({ node }) => /^TS(Interface|TypeAlias)/.test(node.type);

/** Where a name in a type is declared; `L.Options`: in the file that `L` is all of. */
function declarationOf(file, typeName) {
  if (typeName.type !== "TSQualifiedName") return find(file, typeName.name)[0];
  const all = file.body.find(
    (statement) =>
      statement.type === "ImportDeclaration" &&
      statement.specifiers.some(({ local }) => local.name === typeName.left.name),
  );
  return find(load(follow(file, all.source.value)), typeName.right.name)[0];
}

/** The names of options, those of base interfaces first; null for a type that says no names. */
function optionNames(file, type) {
  if (type.type === "TSTypeLiteral") return type.members.map(({ key }) => key.name);
  if (type.type === "TSIntersectionType") {
    const parts = type.types.map((part) => optionNames(file, part));
    return parts.includes(null) ? null : parts.flat();
  }
  if (type.type !== "TSTypeReference") return null;
  if (type.typeName.name === "Partial") return optionNames(file, type.typeArguments.params[0]);
  const found = declarationOf(file, type.typeName);
  if (found === undefined) return null;
  if (found.node.type === "TSTypeAliasDeclaration") return optionNames(found.file, found.node.typeAnnotation);
  if (found.node.type !== "TSInterfaceDeclaration") return null;
  const inherited = (found.node.extends ?? []).flatMap(({ expression, typeArguments }) =>
    optionNames(found.file, { type: "TSTypeReference", typeName: expression, typeArguments }),
  );
  return [...inherited, ...found.node.body.body.map(({ key }) => key.name)];
}

/** `options?: LinearOptions` as `{ bias }`, other parameters by their names. All modules take a device and a type. */
function parameterText(file, parameter) {
  if (parameter.type === "RestElement") return `...${parameter.argument.name}`;
  const isOptions = parameter.type === "ObjectPattern" || parameter.name === "options";
  const names = isOptions ? optionNames(file, parameter.typeAnnotation.typeAnnotation) : null;
  if (names === null) return `${parameter.name}${parameter.optional ? "?" : ""}`;
  const isModule = dirname(file.path) === join(types, "nn");
  const own = names.filter((name) => !isModule || (name !== "device" && name !== "dtype"));
  return own.length === 0 ? null : `{ ${own.join(", ")} }`;
}

/** The parameters of a function or of a class's constructor, which may be that of the class that it extends. */
function parametersOf({ file, node }) {
  if (node.type !== "ClassDeclaration") return { file, params: node.params };
  const own = node.body.body.find(({ kind }) => kind === "constructor");
  if (own !== undefined) return { file, params: own.value.params };
  const base = node.superClass === null ? undefined : find(file, node.superClass.name)[0];
  return base === undefined ? { file, params: [] } : parametersOf(base);
}

/** What an entry takes, and the text of its comment, without its examples. */
function entry(name, declaration) {
  const { file, params } = parametersOf(declaration);
  const taken = params.map((one) => parameterText(file, one)).filter((one) => one !== null);
  const [comment] = (commentBefore(declaration.file.text, declaration.start) ?? "").split(/(?:^|\n)(?:@| {4})| @/);
  return { names: [name], parameters: `(${taken.join(", ")})`, text: comment.trim() };
}

/** A line an entry. Entries that need no words and take the same stand on one. */
function list(path, isWanted = () => true) {
  const file = at(path);
  const found = exportedNames(file)
    .map((name) => [name, find(file, name)[0]])
    .filter(([name, declared]) => declared !== undefined && !isType(declared) && isWanted(name))
    .map(([name, declared]) => entry(name, declared));
  const lines = [];
  for (const one of found) {
    const last = lines.at(-1);
    if (last?.text === "" && one.text === "" && last.parameters === one.parameters) last.names.push(...one.names);
    else lines.push(one);
  }
  return lines
    .map(({ names, parameters, text }) => {
      const all = names.map((name, i) => `\`${name}${i === names.length - 1 ? parameters : ""}\``).join(", ");
      return wrap(`- ${all}${text === "" ? "" : `: ${text}`}`, "  ", "");
    })
    .join("\n");
}

const GROUPS = {
  "Modules that hold others": "containers",
  "Linear layers, embeddings and shapes": "linear",
  Convolutions: "convolution",
  "Norms and dropout": "norms",
  "Activations and pooling": "activations",
  Attention: "attention",
  "Recurrent networks": "recurrent",
  Losses: "losses",
};

const modules = new Set(exportedNames(at("nn/index")));
const inGroups = Object.entries(GROUPS).map(
  ([title, path]) => `**${title}**\n\n${list(`nn/${path}`, (name) => modules.has(name))}`,
);
const listed = new Set(Object.values(GROUPS).flatMap((path) => exportedNames(at(`nn/${path}`))));
const others = [...modules].filter((name) => {
  const [found] = find(at("nn/index"), name);
  return (
    !listed.has(name) && found?.node.type === "ClassDeclaration" && !["Module", "Buffer", "Parameter"].includes(name)
  );
});
if (others.length > 0) throw new Error(`scripts/make-modules.mjs has no group for ${others.join(", ")}`);

/** What PyTorch has and Heddle has not. */
function missing() {
  const functions = exportedNames(at("api/functional"));
  const has = {
    nn: modules,
    optim: new Set(exportedNames(at("optim/index"))),
    lrScheduler: new Set(exportedNames(at("optim/lr-scheduler"))),
    data: new Set(exportedNames(at("data/index"))),
    init: new Set(exportedNames(at("nn/init"))),
  };
  const absent = (part) => TORCH_CLASSES[part].filter((name) => !has[part].has(name));
  const asFunction = absent("nn").filter((name) => functionOf(name, functions) !== undefined);
  const not = absent("nn").filter((name) => !asFunction.includes(name));
  const row = (what, names) => wrap(`- ${what}: ${codeNames(names)}`, "  ", "");
  return [
    row("modules", not),
    row("modules that are functions here, in `nn.functional`", asFunction),
    row("optimisers", absent("optim")),
    row("schedules", absent("lrScheduler")),
    row("data", absent("data")),
    row("`init`", absent("init")),
  ].join("\n");
}

const page = `<!-- Made by scripts/make-modules.mjs from the declarations in the code. -->

# Modules, optimisers and data

On this page you look up which modules, optimisers, schedules and datasets \`heddle/tensor\` has, and what their
constructors take. [training.md](training.md) shows how they are used.

Names and defaults are PyTorch's, in camelCase. Where PyTorch takes arguments by name, an object of options comes last:
\`new nn.Linear(4, 8, { bias: false })\`. Names in braces are options. They may be left out, but for
\`maxLr\`. Modules with parameters also take \`device\` and \`dtype\`.

## Modules: \`nn\`

A module of your own extends \`nn.Module\`. Its parameters are fields: \`new nn.Parameter(tensor)\`, or modules. A
\`new nn.Buffer(tensor)\` is saved with them, but not trained.

${inGroups.join("\n\n")}

**Functions of \`nn.utils\`**

${list("nn/clip")}

\`nn.functional\` has [functions without parameters](tensor-operations.md#functions-in-functional).

## Initial weights: \`nn.init\`

${list("nn/init")}

## Optimisers: \`optim\`

\`params\` are tensors, or groups: \`[{ params: head.parameters(), lr: 0.1 }, { params: rest }]\`.

${list("optim/sgd")}
${list("optim/adaptive")}
${list("optim/grad-scaler")}

## Schedules: \`optim.lrScheduler\`

${list("optim/schedules", (name) => name !== "LRScheduler")}
${list("optim/one-cycle")}
${list("optim/plateau")}

## Data: \`data\`

${list("data/dataset")}
${list("data/loader")}
${list("data/collate", (name) => name === "defaultCollate")}

In \`heddle/tensor\` itself, in Node.js:

${list("data/workers-node")}
${list("data/files-node")}

## What PyTorch has and Heddle has not

${missing()}
`;

writeOrCheck({ "docs/modules.md": page });
