// Writes docs/reports.md: each kind of report, from the program in src/check/suite/page that causes it, by running it.
// A program there is a section: its first line is the title, its name CHECKER-NUMBER-TOPIC.cu. `--check` only says
// whether the file is up to date.
import { execFile } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "..");
const folder = join(root, "src", "check", "suite", "page");
const target = join(root, "docs", "reports.md");
const run = promisify(execFile);
const FOUND = 72;

const ORDER = ["memcheck", "racecheck", "synccheck", "initcheck", "numbers", "api"];
/** Not among those that run by themselves. */
const OPT_IN = new Set(["numbers"]);

/** @returns what `heddle check` says of the program. */
async function reportOf(file, checker) {
  const args = [
    "check",
    "--workers",
    "1",
    "--annotations",
    "none",
    ...(OPT_IN.has(checker) ? ["--tool", checker] : []),
    file,
  ];
  const env = { ...process.env, NO_COLOR: "1", HEDDLE_GPU: "a100", HEDDLE_WORKERS: "1" };
  const { code, stderr } = await run(process.execPath, [join(root, "dist", "bin", "main.js"), ...args], {
    cwd: folder,
    env,
  }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    (error) => error,
  );
  if (code !== FOUND && !(code === 0 && /never freed/.test(stderr)) && code !== 1)
    throw new Error(`${file}: exit code ${code}\n${stderr}`);
  // Addresses are not the point, and move with the memory map.
  return stderr.replaceAll(/(?<!mask |\()0x[0-9a-f]{5,8}\b/g, "0x…").trimEnd();
}

const rank = (name) => ORDER.indexOf(name.split("-")[0]);
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".cu"))
  .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, "en", { numeric: true }));
const sections = [];
const pending = [...files.entries()];
async function work() {
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const [index, file] = next;
    const checker = file.split("-")[0];
    if (rank(file) < 0) throw new Error(`${file}: its name does not begin with a checker`);
    const [title, ...code] = readFileSync(join(folder, file), "utf8").trimEnd().split("\n");
    // Line numbers of the report are those of the file: the title's line stays.
    const text = `### ${title.replace(/^\/\/ ?/, "").replace(/\.$/, "")}\n\n\`\`\`cuda\n${[title, ...code].join("\n")}\n\`\`\`\n\n\`\`\`console\n$ npx heddle check ${OPT_IN.has(checker) ? `--tool ${checker} ` : ""}${file}\n${await reportOf(file, checker)}\n\`\`\`\n`;
    sections[index] =
      (files.findIndex((other) => other.startsWith(`${checker}-`)) === index ? `## ${checker}\n\n` : "") + text;
  }
}
await Promise.all([work(), work()]);

const page = `# What \`heddle check\` says

Each kind of report, with a small program that causes it. Made by running the programs of \`src/check/suite/page\` (\`npm run docs\`); addresses are
left out. What the checkers look for, and how they are used: [checking.md](checking.md).

${sections.join("\n")}`;

if (process.argv.includes("--check")) {
  if (readFileSync(target, "utf8") !== page) {
    console.error("docs/reports.md is not what heddle check says: run npm run docs");
    process.exit(1);
  }
} else {
  writeFileSync(target, page);
  console.log(`docs/reports.md: ${files.length} programs`);
}
