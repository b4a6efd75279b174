// Writes docs/reports.md: each kind of report, from the program in src/check/suite/page that causes it, by running it.
// A program there is a section: its first line is the title, its name CHECKER-NUMBER-TOPIC.cu. `--check` only reports
// whether the page is up to date.
import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { writeOrCheck } from "./docs-pages.mjs";

const root = join(import.meta.dirname, "..");
const folder = join(root, "src", "check", "suite", "page");
const run = promisify(execFile);
const FOUND = 72;
/** The program died of its mistake. */
const DIED = 134;

/** The page's order, and what each checker looks for. */
const CHECKERS = {
  memcheck: "accesses outside of the memory that a pointer belongs to",
  racecheck: "accesses of two threads that nothing orders",
  synccheck: "barriers and warp operations that a part of the threads does not reach",
  initcheck: "memory that is read before it is written",
  numbers: "NaN, infinity, overflow (only with `--tool numbers`)",
  api: "calls of the CUDA API, and what the host does",
};
/** Not among those that run by themselves. */
const OPT_IN = new Set(["numbers"]);

const options = (checker) => (OPT_IN.has(checker) ? ["--tool", checker] : []);

/** @returns what `heddle check` reports about the program. */
async function reportOf(file, checker) {
  const args = ["check", "--workers", "1", "--annotations", "none", ...options(checker), file];
  // Bits are lost in programs of 32 bits only; the other reports are the same in both models.
  const env = { ...process.env, NO_COLOR: "1", HEDDLE_GPU: "a100", HEDDLE_WORKERS: "1", HEDDLE_MODEL: "ilp32" };
  const { code, stderr } = await run(process.execPath, [join(root, "dist", "bin", "main.js"), ...args], {
    cwd: folder,
    env,
  }).then(
    (ended) => ({ code: 0, stderr: ended.stderr }),
    (error) => error,
  );
  if (code !== FOUND && code !== DIED && !(code === 0 && /never freed/.test(stderr)) && code !== 1)
    throw new Error(`${file}: exit code ${code}\n${stderr}`);
  // Addresses are not the point, and move with the memory map.
  return stderr.replaceAll(/(?<!mask |\()0x[0-9a-f]{5,8}\b/g, "0x…").trimEnd();
}

const checkerOf = (file) => file.split("-")[0];
const rank = (file) => Object.keys(CHECKERS).indexOf(checkerOf(file));
const anchor = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-");

const programs = readdirSync(folder)
  .filter((name) => name.endsWith(".cu"))
  .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, "en", { numeric: true }))
  .map((file) => {
    if (rank(file) < 0) throw new Error(`${file}: its name does not begin with a checker`);
    const code = readFileSync(join(folder, file), "utf8").trimEnd();
    const title = code
      .split("\n")[0]
      .replace(/^\/\/ ?/, "")
      .replace(/\.$/, "");
    return { file, checker: checkerOf(file), title, code };
  });

async function section({ file, checker, title, code }) {
  const command = ["npx heddle check", ...options(checker), file].join(" ");
  // Line numbers of the report are those of the file: the title's line stays.
  return (
    `### ${title}\n\n\`\`\`cuda\n${code}\n\`\`\`\n\n\`\`\`console\n$ ${command}\n` +
    `${await reportOf(file, checker)}\n\`\`\``
  );
}

const sections = [];
const pending = [...programs.entries()];
async function work() {
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const [index, program] = next;
    sections[index] = await section(program);
  }
}
await Promise.all([work(), work()]);

/** Everything about one checker. */
function chapter([checker, what]) {
  const indices = [...programs.keys()].filter((index) => programs[index].checker === checker);
  const list = indices.map((index) => `- [${programs[index].title}](#${anchor(programs[index].title)})`);
  return [`## ${checker}`, `Finds ${what}.`, list.join("\n"), ...indices.map((index) => sections[index])].join("\n\n");
}

const page = `# Reports of \`heddle check\`

On this page you look up a report of \`heddle check\`, with a small program that causes it.

${Object.entries(CHECKERS)
  .map(([checker, what]) => `- [${checker}](#${checker}): ${what}`)
  .join("\n")}

How the checkers are used: [checking.md](checking.md). What each of them finds: [checkers.md](checkers.md). This page is
made by \`npm run docs\`, which runs the programs of \`src/check/suite/page\`. Addresses are replaced by \`0x…\`.

${Object.entries(CHECKERS).map(chapter).join("\n\n")}
`;

writeOrCheck({ "docs/reports.md": page });
