// What oxlint and oxfmt do not check (`npm run style`): no line above 120 columns, no file above 400 lines that is not
// a table. Ternaries inside ternaries and functions above 80 lines are in .oxlintrc.json.
import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";

const COLUMNS = 120;
const LINES = 400;
/** Longer files, each with what it is a table of. */
const TABLES = {
  "src/ir/model/ir.ts": "the types of the IR model",
  "src/wasm/opcodes.ts": "WebAssembly's instructions",
  "scripts/gpu-tests/differential-cases.mjs": "kernels, one a case",
  "src/kernel-library/heddle-kernels.ts": "the ladders, written by a script",
};
/** What other tools write, what is quoted as it is, and test programs, whose findings name their lines. */
const IGNORED = new RegExp(
  [
    /^docs\/(?:lab|images)\//,
    /^docs\/(?:reports|support|api|cli)\.md$/,
    /\.(?:json|ll|svg|txt)$/,
    /^src\/.*\.cu$/,
    /sobol-numbers\.h$/,
  ]
    .map(({ source }) => source)
    .join("|"),
);
const CODE = /\.(?:ts|tsx|mts|mjs|cu|cuh|h|hpp|cpp|inl|inc|py|sh)$/;

const root = resolve(import.meta.dirname, "..");
const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");
const problems = [];
let checked = 0;
for (const file of files) {
  if (IGNORED.test(file) || !(CODE.test(file) || file.endsWith(".md"))) continue;
  checked++;
  const lines = readFileSync(resolve(root, file), "utf8").split("\n");
  checkColumns(file, lines);
  if (/\.(?:ts|tsx|mjs)$/.test(file) && lines.length - 1 > LINES && !(file in TABLES))
    problems.push(`${file}: ${lines.length - 1} lines; split it by concept, or name it in scripts/check-style.mjs`);
}

/** Rows of tables, links and quoted output of commands may be longer in pages. */
function checkColumns(file, lines) {
  let isQuoted = false;
  for (const [i, line] of lines.entries()) {
    if (file.endsWith(".md")) {
      if (line.startsWith("```")) isQuoted = !isQuoted;
      if (isQuoted || line.startsWith("|") || /\]\(\S{60,}\)/.test(line)) continue;
    }
    const columns = [...line].length;
    if (columns > COLUMNS) problems.push(`${file}:${i + 1}: ${columns} columns`);
  }
}

if (checked === 0) problems.push("no files found: the check looks in the wrong place");
for (const problem of problems) console.error(problem);
console.log(`${checked} files, ${problems.length} violations of style`);
process.exit(problems.length > 0 ? 1 : 0);
