// Changes Python files with Triton kernels at random, and compiles them: each compiles, or is refused with a place in
// the source. `--help` says how.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { HeddleError } from "../dist/base/diagnostics.js";
import { Random } from "../dist/engine/fuzz/random.js";
import { compileKernel, defaultOf, kernelParameters } from "../dist/frontend/triton/compile-kernel.js";
import { verifyKernel } from "../dist/frontend/triton/blocks/verify.js";
import { openModule } from "../dist/frontend/triton/evaluate/module.js";
import { parseSource } from "../dist/frontend/triton/syntax/parse.js";
import { SourceText } from "../dist/frontend/triton/syntax/source-text.js";
import { ATTEMPTS, guessArguments } from "./compat/triton-arguments.mjs";

const HELP = `node scripts/fuzz-python.mjs [options] [FILE.py or FOLDER ...]

  --cases N   changed files (2000)
  --seed N    of the first one (1)
  --print     the changed text of each case that fails`;

/** The files of this repository. */
const FILES = ["bench/triton/kernels.py", "src/library/triton-kernels.py", "src/library/triton-faults.py"];
export const OWN_FILES = FILES.map((file) => join(import.meta.dirname, "..", file));

const ODD = ["(", ")", "[", "]", ":", ",", ".", "=", "None", "-1", "0", "0.5", "*", "**", "lambda", "while", "for"];
const MORE = ["\n", "\t", '"', "'''", "return", "if", "tl", "yield", "1 << 70", "1e400", "\\", "é", "\0", "@", "..."];

/** Changes a word or a sign, or leaves off the rest. */
function changeTokens(text, random) {
  const tokens = text.match(/\w+|\s+|[^\w\s]/g) ?? [];
  const at = random.below(tokens.length);
  const other = tokens[random.below(tokens.length)] ?? "";
  const forms = [
    () => tokens.toSpliced(at, 1),
    () => tokens.toSpliced(at, 1, other),
    () => tokens.toSpliced(at, 0, other),
    () => tokens.toSpliced(at, 1, random.pick([...ODD, ...MORE])),
    () => (random.oneIn(8) ? tokens.slice(0, at) : tokens.toSpliced(at, 1, other)),
  ];
  return random.pick(forms)().join("");
}

function changeLines(text, random) {
  const lines = text.split("\n");
  const at = random.below(lines.length);
  const forms = [
    () => lines.toSpliced(at, 1),
    () => lines.toSpliced(random.below(lines.length), 0, lines[at]),
    () => lines.toSpliced(at, 1, ` ${lines[at]}`),
    () => lines.toSpliced(at, 1, lines[at].slice(random.below(8))),
  ];
  return random.pick(forms)().join("\n");
}

function* nodesOf(node) {
  if (Array.isArray(node)) for (const item of node) yield* nodesOf(item);
  else if (node !== null && typeof node === "object") {
    if (typeof node.kind === "string" && node.span !== undefined) yield node;
    for (const [key, child] of Object.entries(node)) if (key !== "span") yield* nodesOf(child);
  }
}

/** Puts one piece of the syntax tree in the place of another. */
function changeTree(text, random) {
  const source = new SourceText("kernels.py", text);
  const starts = [0];
  for (const [i, letter] of [...text].entries()) if (letter === "\n") starts.push(i + 1);
  const offset = (line, column) => starts[line - 1] + column - 1;
  let nodes;
  try {
    nodes = [...nodesOf(parseSource(source))];
  } catch {
    return changeTokens(text, random);
  }
  if (nodes.length === 0) return text;
  const [to, from] = [random.pick(nodes), random.pick(nodes)];
  const piece = text.slice(offset(from.span.line, from.span.column), offset(from.span.endLine, from.span.endColumn));
  const [begin, end] = [offset(to.span.line, to.span.column), offset(to.span.endLine, to.span.endColumn)];
  return `${text.slice(0, begin)}${piece}${text.slice(end)}`;
}

function change(text, random) {
  const form = random.weighted([
    [4, changeTree],
    [4, changeTokens],
    [1, changeLines],
  ]);
  return form(text, random);
}

/** Compiles every kernel. @returns how many compiled, and how many were refused */
function compileAll(text) {
  const module = openModule(new SourceText("kernels.py", text));
  const counts = { compiled: 0, refused: 0 };
  for (const fn of module.functions.values()) {
    try {
      const functionNamed = (name) => {
        const value = fn.globals.get(name);
        return value?.kind === "function" && value.definition.kind === "function" ? value.definition : undefined;
      };
      const parameters = kernelParameters(module, fn);
      const args = guessArguments(fn.definition, parameters, functionNamed, ATTEMPTS[0], (name) =>
        defaultOf(module, fn, name),
      );
      const faults = verifyKernel(compileKernel(module, fn, args, 4));
      if (faults.length > 0) throw new Error(`block IR: ${faults[0]}`);
      counts.compiled++;
    } catch (error) {
      requirePlace(error, fn.name);
      counts.refused++;
    }
  }
  return counts;
}

/** What a user's mistake has to be: an error of ours that says where. */
function requirePlace(error, what) {
  const isOurs = error instanceof HeddleError && ["compile-error", "unsupported"].includes(error.code);
  if (!isOurs) throw new Error(`${what}: ${error.stack ?? error}`, { cause: error });
  if (error.location === undefined) throw new Error(`${what}: no place: ${error.message}`, { cause: error });
}

/** @returns counts, and the cases that ended otherwise */
export function fuzzPython(texts, cases, firstSeed = 1) {
  const counts = { compiled: 0, refused: 0, unreadable: 0 };
  const failures = [];
  for (let seed = firstSeed; seed < firstSeed + cases; seed++) {
    const random = new Random(seed);
    let text = random.pick(texts);
    for (let changes = 1 + random.below(3); changes > 0; changes--) text = change(text, random);
    try {
      const { compiled, refused } = compileAll(text);
      counts.compiled += compiled;
      counts.refused += refused;
    } catch (error) {
      try {
        requirePlace(error, "the file");
        counts.unreadable++;
      } catch {
        failures.push({ seed, text, message: String(error.message) });
      }
    }
  }
  return { counts, failures };
}

function filesOf(path) {
  if (path.endsWith(".py")) return [path];
  return readdirSync(path, { recursive: true })
    .filter((name) => name.endsWith(".py"))
    .map((name) => join(path, name));
}

function main() {
  const { values, positionals } = parseArgs({
    options: {
      cases: { type: "string", default: "2000" },
      seed: { type: "string", default: "1" },
      print: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  if (values.help) return console.log(HELP);
  const files = positionals.length === 0 ? OWN_FILES : positionals.flatMap(filesOf);
  const texts = files.map((file) => readFileSync(file, "utf8"));
  const { counts, failures } = fuzzPython(texts, Number(values.cases), Number(values.seed));
  for (const { seed, text, message } of failures)
    console.log(`seed ${seed}: ${message.slice(0, 700)}${values.print ? `\n${text}` : ""}`);
  console.log(`${JSON.stringify(counts)}, ${failures.length} crashes`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main();
