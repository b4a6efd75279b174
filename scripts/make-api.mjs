// Writes docs/api.md from the types of the package's entry points: their declarations in dist, with the comments above
// them. `--check` only reports whether the page is up to date.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { wrap, writeOrCheck } from "./docs-pages.mjs";

const root = join(import.meta.dirname, "..");
const { exports: entries } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** One line an entry: what it is for. The order is the page's. */
const ENTRIES = {
  ".": "Compile and launch kernels from Node.js.",
  "./check": "Run kernels under the checkers, in tests.",
  "./profile": "Profile kernels: counters by source line, and hints.",
  "./triton": "Load and launch kernels of a Triton file.",
  "./tensor": "Tensors with PyTorch's operations and gradients, networks, and PyTorch extensions.",
  "./ladder": "Declare a ladder: a kernel in several versions, to be checked and timed.",
  "./browser": "Run a whole program in a browser, check it, or bench a ladder.",
  "./browser/library": "Compile and launch kernels in a browser.",
  "./browser/tensor": "The same tensors in a browser.",
};

const missing = Object.keys(entries).filter((name) => entries[name].types !== undefined && !(name in ENTRIES));
if (missing.length > 0) throw new Error(`scripts/make-api.mjs has no line about ${missing.join(", ")}`);

const WIDTH = 118;
const files = new Map();

/** A file of declarations: its text, and its statements. */
function load(path) {
  if (!files.has(path)) {
    const text = readFileSync(path, "utf8");
    files.set(path, { path, text, body: parseAst(text, { lang: "dts" }).body });
  }
  return files.get(path);
}

const follow = (file, specifier) => resolve(dirname(file.path), specifier.replace(/\.ts$/, ".d.ts"));

/** The comment that ends where a node begins, as lines without its stars; null where there is none. */
function commentBefore(text, start) {
  const found = /\/\*\*((?:[^*]|\*(?!\/))*)\*\/\s*$/.exec(text.slice(0, start));
  return found === null ? null : commentText(found[1]);
}

function commentText(inner) {
  const lines = inner.split("\n").map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
  return lines.join("\n").trim();
}

/** What a statement declares, with the names that it exports. */
function declarationsOf(file, statement) {
  const node = statement.declaration ?? statement;
  if (node.type === "VariableDeclaration")
    return node.declarations.map((one) => ({ name: one.id.name, node: one, start: statement.start, file }));
  return node.id == null ? [] : [{ name: node.id.name, node, start: statement.start, file }];
}

/** All declarations of a name in a file or in the files that it passes on; several for overloads. */
function find(file, name) {
  const here = file.body.flatMap((statement) => declarationsOf(file, statement)).filter((one) => one.name === name);
  if (here.length > 0) return here;
  for (const statement of file.body) {
    if (passesAllOn(statement)) {
      const found = find(load(follow(file, statement.source.value)), name);
      if (found.length > 0) return found;
    }
    const isPassedOn = statement.type === "ExportNamedDeclaration" || statement.type === "ImportDeclaration";
    if (!isPassedOn || statement.source == null || !statement.source.value.startsWith(".")) continue;
    for (const specifier of statement.specifiers) {
      const local = specifier.exported ?? specifier.local;
      if (local.name !== name) continue;
      const original = statement.type === "ImportDeclaration" ? specifier.imported : specifier.local;
      return find(load(follow(file, statement.source.value)), original.name);
    }
  }
  return [];
}

/** `export * from`, without a name for all of it. */
const passesAllOn = ({ type, exported }) => type === "ExportAllDeclaration" && exported === null;

/** The names that an entry exports, in the order of its text. */
function exportedNames(file) {
  const names = file.body.flatMap((statement) => {
    if (passesAllOn(statement)) return exportedNames(load(follow(file, statement.source.value)));
    if (statement.type !== "ExportNamedDeclaration") return [];
    return statement.declaration == null
      ? statement.specifiers.map(({ exported }) => exported.name)
      : declarationsOf(file, statement).map(({ name }) => name);
  });
  return [...new Set(names)];
}

/** Markdown's own signs in prose, outside of `code`. */
const plain = (text) =>
  text
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith("`")
        ? part
        : part.replaceAll(/[<*|]|(?<!\w)_+|_+(?!\w)/g, (sign) => sign.replaceAll(/./g, "\\$&")),
    )
    .join("");

/** A comment as Markdown: indented lines are code, tags begin a paragraph. */
function markdown(comment, indent = "") {
  const parts = [];
  let code = null;
  let paragraph = [];
  const endParagraph = () => {
    if (paragraph.length > 0) parts.push(wrap(plain(paragraph.join(" ")), indent));
    paragraph = [];
  };
  const endCode = () => {
    if (code !== null) parts.push(["```ts", ...code, "```"].map((line) => (indent + line).trimEnd()).join("\n"));
    code = null;
  };
  const tags = comment
    .replaceAll(/@throws\s+HeddleError/g, "\n\nThrows `HeddleError`")
    .replaceAll(/@throws\s+/g, "\n\nThrows ")
    .replaceAll(/@param\s+([\w.]+)\s+/g, "\n\n`$1`: ")
    .replaceAll(/@returns\s+/g, "\n\nReturns ");
  for (const line of tags.split("\n")) {
    const isCode = /^ {4}/.test(line) && paragraph.length === 0;
    if (isCode || (code !== null && line === "")) {
      if (isCode && code === null) code = [];
      code.push(line.slice(4));
      continue;
    }
    while (code !== null && code.at(-1) === "") code.pop();
    endCode();
    if (line.trim() === "") endParagraph();
    else paragraph.push(line.trim());
  }
  while (code !== null && code.at(-1) === "") code.pop();
  endCode();
  endParagraph();
  return parts.join("\n\n");
}

/** Text of the declaration without comments and `export declare`. */
const source = (file, start, end) =>
  file.text
    .slice(start, end)
    .replaceAll(/\/\*\*(?:[^*]|\*(?!\/))*\*\/\s*/g, "")
    .replace(/^export /, "")
    .replace(/^declare /, "")
    .trim();

const fenced = (code, indent = "") => ["```ts", ...code.split("\n"), "```"].map((line) => indent + line).join("\n");

/** Public members of an interface or a class: signature and comment. */
function members(file, node) {
  const found = [];
  for (const member of node.body.body) {
    const comment = commentBefore(file.text, member.start);
    const isHidden =
      member.accessibility === "private" || member.key?.type === "PrivateIdentifier" || /@internal/.test(comment ?? "");
    if (isHidden || member.kind === "constructor") continue;
    const signature = source(file, member.start, member.end)
      .replace(/;$/, "")
      .replace(/^readonly /, "");
    // An overload without a comment of its own belongs to the one before it.
    const last = found.at(-1);
    // A call signature has no name.
    const name = /^(?:get )?[^(<:?]+/.exec(signature)?.[0] ?? "";
    if (comment === null && last?.name === name && signature.includes("(")) last.signatures.push(signature);
    else found.push({ name, signatures: [signature], comment });
  }
  return found;
}

function memberList(file, node) {
  const all = members(file, node);
  // The type of Heddle's own kernels: thirty functions whose types repeat themselves.
  if (node.id.name === "HeddleKernels")
    return [KERNELS, all.map((member) => kernelLine(node, member)).join("\n")].join("\n\n");
  return all
    .map(({ name, signatures, comment }) => {
      const isShort = signatures.length === 1 && !signatures[0].includes("\n") && signatures[0].length < WIDTH - 6;
      const code = () => fenced(signatures.map((one) => outdent(breakParameters(one))).join("\n"), "  ");
      const head = isShort ? `- \`${signatures[0]}\`` : `- \`${name}\`\n\n${code()}\n`;
      if (comment === null) return head;
      const text = markdown(comment, "  ");
      if (!isShort) return `${head}\n${text}`;
      const fits = !text.includes("\n") && head.length + text.length < WIDTH;
      return `${head}:${fits ? ` ${text.trim()}` : `\n${text}`}`;
    })
    .join("\n");
}

const KERNELS = wrap(
  "Heddle's own kernels. Arrays come first. Names in braces are sizes, and outputs to be written into. Sizes may be " +
    "left out where the arrays' lengths determine them; otherwise TypeScript reports which size is missing.",
);

/** A kernel as `name(array, array, { size, size? })`, and what it computes. */
function kernelLine(node, { name, comment }) {
  const { params } = node.body.body.find(({ key }) => key.name === name);
  const arrays = params.filter((param) => param.name !== "named").map((param) => param.name);
  const named = params.find((param) => param.name === "named");
  const type = named.typeAnnotation.typeAnnotation;
  const choices = type.type === "TSUnionType" ? type.types : [type];
  const optional = new Map();
  for (const choice of choices)
    for (const property of choice.members)
      optional.set(property.key.name, (optional.get(property.key.name) ?? false) || property.optional);
  const sizes = [...optional].map(([size, isOptional]) => (isOptional ? `${size}?` : size));
  const braces = sizes.length === 0 ? [] : [`{ ${sizes.join(", ")} }`];
  return `- \`${name}(${[...arrays, ...braces].join(", ")})\`:\n${markdown(comment, "  ")}`;
}

/** A function's parameters on lines of their own where they do not fit into one. */
function breakParameters(signature) {
  if (signature.split("\n")[0].length <= WIDTH - 4) return signature;
  const open = signature.indexOf("(");
  const parts = [];
  let depth = 0;
  let begin = open + 1;
  let at = open;
  for (; at < signature.length; at++) {
    if ("([{<".includes(signature[at])) depth++;
    else if (")]}".includes(signature[at]) || (signature[at] === ">" && signature[at - 1] !== "=")) depth--;
    if (depth === 0) break;
    if (depth === 1 && signature[at] === ",") {
      parts.push(signature.slice(begin, at).trim());
      begin = at + 1;
    }
  }
  parts.push(signature.slice(begin, at).trim());
  return `${signature.slice(0, open + 1)}\n${parts.map((part) => `  ${part},`).join("\n")}\n${signature.slice(at)}`;
}

/** A member's lines, but for the first, stand four columns too far to the right. */
const outdent = (code) => code.replaceAll(/^ {4}/gm, "");

/** `Heddle["compile"]`: the member of the interface that a constant is. */
function memberNamed({ file, node }) {
  const type = node.id?.typeAnnotation?.typeAnnotation;
  if (type?.type !== "TSIndexedAccessType") return null;
  const key = type.indexType.literal.value;
  const [owner] = find(file, type.objectType.typeName.name);
  return { key, owner, member: members(owner.file, owner.node).find(({ name }) => name === key) };
}

/** Interfaces that one extends and that no entry exports, also as `Partial<Base>`: a reader finds them nowhere else. */
const hiddenBases = (file, node) =>
  (node.extends ?? [])
    .map((base) => base.typeArguments?.params[0]?.typeName?.name ?? base.expression.name)
    .flatMap((name) => find(file, name).slice(0, 1))
    .filter((base) => base.node.type === "TSInterfaceDeclaration" && !isExported(base));

const isExported = (declaration) =>
  Object.keys(ENTRIES).some((entry) => {
    const file = load(join(root, entries[entry].types));
    return exportedNames(file).some((name) => find(file, name)[0]?.node === declaration.node);
  });

/** A long list of base interfaces takes a line for each. */
const breakExtends = (head) => head.replace(" extends ", "\n  extends ").replace(", Partial<", ",\n  Partial<");

const rangeOf = ({ start, node }) => [start, node.end];

/** A declaration as a section. */
function section(name, declarations) {
  const [first] = declarations;
  const { file, node, start } = first;
  const heading = `### ${name}`;
  const named = node.type === "VariableDeclarator" ? memberNamed(first) : null;
  if (named !== null) {
    const signature = outdent(named.member.signatures.map((one) => `function ${one}`).join("\n"));
    return [heading, fenced(signature), markdown(named.member.comment ?? "")].join("\n\n").trimEnd();
  }
  const comment = declarations.map((one) => commentBefore(file.text, one.start)).find((text) => text !== null);
  const text = comment == null ? [] : [markdown(comment)];
  if (node.type === "TSInterfaceDeclaration" || node.type === "ClassDeclaration") {
    const head = source(file, start, node.body.start);
    const inherited = hiddenBases(file, node).map((base) => memberList(base.file, base.node));
    const list = [memberList(file, node), ...inherited].join("\n");
    return [heading, head.length < WIDTH ? `\`${head}\`` : fenced(breakExtends(head)), ...text, list]
      .filter((part) => part !== "")
      .join("\n\n");
  }
  const code = declarations.map((one) => source(one.file, one.start, one.node.end)).join("\n");
  // `(typeof DTYPES)[number]`: the values themselves.
  const list = /^type (\w+) = \(typeof (\w+)\)\[number\];$/.exec(code);
  if (list !== null) {
    const values = [...source(file, ...rangeOf(find(file, list[2])[0])).matchAll(/"[^"]*"/g)].map(([value]) => value);
    return [heading, fenced(`type ${name} =\n  | ${values.join("\n  | ")};`), ...text].join("\n\n");
  }
  // `const check: Check`, and "See Check.": what stands there.
  const seen = /^See (\w+)\.$/.exec(comment ?? "");
  if (seen !== null) return section(name, find(file, seen[1])).replace(`type ${seen[1]} = `, `const ${name}: `);
  return [heading, fenced(breakUnion(code)), ...text].join("\n\n");
}

/** A long union takes a line for each of its members. */
function breakUnion(code) {
  if (code.length <= WIDTH || code.includes("\n")) return code;
  if (code.includes(" extends ")) return code.replaceAll(/ : (?=\w+ extends)/g, "\n  : ");
  return code.includes("(") ? breakParameters(code) : code.replaceAll(/ \| /g, "\n  | ");
}

/** Names of types in a declaration. */
const typeNames = ({ file, node, start }) => new Set(source(file, start, node.end).match(/\b[A-Z]\w+\b/g) ?? []);

const sections = [];
const shown = new Set();
for (const [entry, what] of Object.entries(ENTRIES)) {
  const file = load(join(root, entries[entry].types));
  const intro = /^\/\*\*((?:[^*]|\*(?!\/))*)\*\//.exec(file.text);
  const importName = `heddle${entry.slice(1)}`;
  const parts = [`## ${importName}`, what];
  // Functions come first.
  const isType = (name) => Number(/^TS(Interface|TypeAlias)|^Class/.test(find(file, name)[0].node.type));
  const names = exportedNames(file).sort((a, b) => isType(a) - isType(b));
  const fresh = names.filter((name) => !shown.has(name));
  const again = names.filter((name) => shown.has(name));
  if (intro === null || entry.startsWith("./browser"))
    parts.push(fenced(`import { ${fresh[0] ?? names[0]} } from "${importName}";`));
  else parts.push(markdown(commentText(intro[1]).replaceAll(/^See .*$/gm, "")));
  if (again.length > 0)
    parts.push(wrap(`Also exported, as above: ${again.map((name) => `\`${name}\``).join(", ")}.`, ""));
  parts.push(wrap(fresh.map((name) => `[${name}](#@${name})`).join(" · ")));
  for (const name of fresh) {
    const declarations = find(file, name);
    shown.add(name);
    parts.push(section(name, declarations));
  }
  sections.push(parts.join("\n\n"));
}

/** Aliases that the declarations above name and that no entry exports: their values are needed to read this page. */
const aliases = new Map();
for (const [entry] of Object.entries(ENTRIES)) {
  const file = load(join(root, entries[entry].types));
  const pending = exportedNames(file).flatMap((name) => find(file, name));
  for (const named of [...pending].map((one) => (one.node.type === "VariableDeclarator" ? memberNamed(one) : null)))
    if (named !== null) pending.push(named.owner);
  for (const declaration of pending) {
    for (const name of typeNames(declaration)) {
      if (shown.has(name) || aliases.has(name)) continue;
      const [found] = find(declaration.file, name);
      if (found?.node.type === "TSTypeAliasDeclaration") aliases.set(name, found);
    }
  }
}
const others = [...aliases].sort(([a], [b]) => a.localeCompare(b, "en")).map(([name, found]) => section(name, [found]));

const contents = Object.entries(ENTRIES).map(([entry, what]) => {
  const name = `heddle${entry.slice(1)}`;
  return `- [${name}](#${name.replaceAll("/", "")}): ${what}`;
});

const guides = ["typescript.md", "ladders.md", "checking.md", "gpu.md", "browser.md"].filter((name) =>
  existsSync(join(root, "docs", name)),
);

const page = `# The API

On this page you look up every function, class and type that a program can import from Heddle.

${contents.join("\n")}

${wrap(`Examples stand in the guides: ${guides.map((name) => `[${name}](${name})`).join(", ")}.`, "")}

This page is made from the comments in the code by \`npm run docs\`. A name that ends with \`?\` may be left out.

${sections.join("\n\n")}

## Other types

Types that the declarations above name. No entry exports them.

${others.join("\n\n")}
`;

/** Replaces `#@Name` by the anchor of the heading `### Name`, which has a number if an earlier heading is the same. */
function withAnchors(text) {
  const anchors = new Map();
  const taken = new Map();
  for (const [, marks, heading] of text.matchAll(/^(#{1,3}) (.+)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-");
    const count = taken.get(slug) ?? 0;
    taken.set(slug, count + 1);
    if (marks === "###") anchors.set(heading, count === 0 ? slug : `${slug}-${count}`);
  }
  return text.replaceAll(/\(#@(\w+)\)/g, (_, name) => `(#${anchors.get(name)})`);
}

writeOrCheck({ "docs/api.md": withAnchors(page) });
