// The commands of the guides: every "$ npx heddle …" that stands in a console block with its output is run, and the
// output on the page must be what the command prints. Times, rates and seeds may differ.
//
//   node scripts/docs-commands.mjs           rewrite the outputs that differ
//   node scripts/docs-commands.mjs --check   only say which differ
//   node scripts/docs-commands.mjs --times docs/profiling.md
//                                            rewrite also those of the page of which only times differ
//
// A line "…" on a page stands for any number of lines. What a command says of a file that is not there is never written
// onto a page. A command without output on the page is not run, and neither is a block behind the comment
// "<!-- not run: REASON -->".
import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Profiles on the pages are the same on machines with and without a toolkit.
process.env.HEDDLE_PTXAS = "none";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const MAIN = join(ROOT, "dist", "bin", "main.js");

const GUIDES = [
  "README",
  "start",
  "run",
  "checking",
  "profiling",
  "ladders",
  "gpu",
  "typescript",
  "triton",
  "tensors",
  "tensor-compile",
  "training",
  "extensions",
  "browser",
  "errors",
  "ilp32",
];

/** Paths of the pages whose snippets and commands are tested, below the repository's root. */
export const PAGES = ["README.md", ...GUIDES.map((name) => `docs/${name}.md`)].filter((page) =>
  existsSync(join(ROOT, page)),
);

export const pageText = (page) => readFileSync(join(ROOT, page), "utf8");

/** The arguments of Node.js for a command of a page; null for a command that is not Heddle's. */
function nodeArguments(command) {
  const heddle = /^npx heddle (.*)$/.exec(command);
  if (heddle === null) return null;
  const args = heddle[1].match(/'[^']*'|[^ ]+/g).map((word) => word.replace(/^'(.*)'$/, "$1"));
  // A test leaves nothing in the history of measurements.
  return [MAIN, ...args, ...(args[0] === "bench" && !args.includes("--no-keep") ? ["--no-keep"] : [])];
}

/** @returns the commands of a page that have an output: { page, command, args, printed }. */
export function commandsOf(page) {
  const found = [];
  for (const [, note, block] of pageText(page).matchAll(/(<!-- not run.*-->\n+)?```console\n([\s\S]*?)```/g)) {
    if (note !== undefined) continue;
    for (const [, command, printed] of block.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)) {
      const args = nodeArguments(command.replace(/ +#.*/, ""));
      if (printed !== "" && args !== null) found.push({ page, command, args, printed });
    }
  }
  return found;
}

/** Runs a command in the repository's root. @returns stdout and stderr in the order of a terminal. */
export function outputOf({ args, color = false }) {
  const folder = mkdtempSync(join(tmpdir(), "heddle-docs-"));
  const file = join(folder, "output");
  const output = openSync(file, "w");
  const env = { ...process.env, [color ? "FORCE_COLOR" : "NO_COLOR"]: "1" };
  for (const name of [
    color ? "NO_COLOR" : "FORCE_COLOR",
    "HEDDLE_DEVICE",
    "HEDDLE_GPU",
    "HEDDLE_ENGINE",
    "HEDDLE_OPTIONS",
    "GITHUB_ACTIONS",
  ])
    delete env[name];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ["ignore", output, output] });
    child.on("error", reject);
    child.on("close", () => {
      closeSync(output);
      const text = readFileSync(file, "utf8");
      rmSync(folder, { recursive: true, force: true });
      resolve(text.trimEnd() + "\n");
    });
  });
}

/** An output without what differs between two runs and two machines: times, rates, seeds, the processor, the commit. */
export function withoutTimes(text) {
  return text
    .replaceAll(/ on \d+ cores? of .*?:/g, " on this machine:")
    .replaceAll(/; commit .*/g, "")
    .replaceAll(/0x[0-9a-f]{5,}/g, "0xN")
    .replaceAll(/--seed \d+/g, "--seed N")
    .replaceAll(/no GPU can be used here: .*?\)?$/gm, "no GPU can be used here")
    .replaceAll(/\d[\d.]*(e-?\d+)? (ns|µs|ms|s|[kMGT]?B\/s|%)(?![\w/])/g, "N")
    .replaceAll(/\d+\.\d+(e-?\d+)?/g, "N")
    .replaceAll(/(?<==)\d+/g, "N")
    .replaceAll(/ +N\b/g, " N")
    .replaceAll(/[ \t]+/g, " ")
    .trim();
}

/** True if the output on a page is that of a run. */
export function isSameOutput(onPage, run) {
  const parts = withoutTimes(onPage).split(/^ ?…$/m);
  let rest = withoutTimes(run);
  for (const [index, part] of parts.entries()) {
    const at = rest.indexOf(part.trim());
    if (at < 0 || (index === 0 && at > 0)) return false;
    rest = rest.slice(at + part.trim().length);
  }
  return parts.at(-1).trim() === "" || rest.trim() === "";
}

/** The commit of a measurement means nothing on a page. */
const forPage = (output) => output.replaceAll(/; commit .*/g, "");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const onlyCheck = process.argv.includes("--check");
  const times = process.argv.indexOf("--times");
  const withTimes = times < 0 ? null : process.argv[times + 1];
  for (const page of PAGES) {
    let text = pageText(page);
    for (const entry of commandsOf(page)) {
      const run = await outputOf(entry);
      const isSame = isSameOutput(entry.printed, run);
      if (isSame && (withTimes !== page || /^…$/m.test(entry.printed))) continue;
      const byHand = onlyCheck || /^…$/m.test(entry.printed) || /cannot be read: ENOENT/.test(run);
      console.log(`${page}: ${entry.command}: ${byHand ? `another output:\n${run}` : "rewritten"}`);
      if (byHand) process.exitCode = 1;
      else
        text = text.replace(
          `$ ${entry.command}\n${entry.printed}`,
          () => `$ ${entry.command}\n${forPage(run)}${/\n*$/.exec(entry.printed)[0].slice(1)}`,
        );
    }
    if (text !== pageText(page)) writeFileSync(join(ROOT, page), text);
  }
}
