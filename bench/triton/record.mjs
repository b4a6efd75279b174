// Runs bench/triton/main.mjs in several versions of Node.js, and keeps what it measures. `--help` says how.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { markdownTable } from "../../scripts/docs-pages.mjs";

const HELP = `node bench/triton/record.mjs --interpreter PYTHON [--node NODE ...] [OPTIONS]

Measures on the emulated device with all cores, and writes docs/lab/triton-emulated.json and the table of
docs/triton-results.md. The machine should have nothing else to do.

  --interpreter PYTHON   a Python with triton and torch: the same kernels run in Triton's interpreter, too
  --node NODE            a Node.js to measure in; can be given several times; default: this one
  --samples N            default 21
  --only REGEX           cases whose name matches; prints them, and writes nothing
  --table                measures nothing: writes the table anew`;

const { values: options } = parseArgs({
  options: {
    interpreter: { type: "string" },
    node: { type: "string", multiple: true, default: [process.execPath] },
    samples: { type: "string", default: "21" },
    only: { type: "string" },
    table: { type: "boolean" },
    help: { type: "boolean" },
  },
});
const root = join(import.meta.dirname, "../..");
const FILE = join(root, "docs/lab/triton-emulated.json");
const PAGE = join(root, "docs/triton-results.md");
const BEGIN = "<!-- from docs/lab/triton-emulated.json, by bench/triton/record.mjs -->\n";
const END = "<!-- end of the emulated device -->";

function run(command, args, more = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8", ...more });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? stderr}`);
  return { stdout, stderr };
}

function measure(node) {
  const version = run(node, ["--version"]).stdout.trim().slice(1);
  const cache = mkdtempSync(join(tmpdir(), "heddle-bench-"));
  const args = [join(import.meta.dirname, "main.mjs"), "--json", "--samples", options.samples];
  if (options.interpreter) args.push("--interpreter", options.interpreter);
  if (options.only) args.push("--only", options.only);
  const loadBefore = loadavg()[0];
  const { stdout, stderr } = run(node, args, { env: { ...process.env, HEDDLE_CACHE_DIR: cache } });
  rmSync(cache, { recursive: true });
  return { node: version, interpreter: stderr.trim(), loadBefore, cases: JSON.parse(stdout) };
}

function tableOf({ runs }) {
  const majors = runs.map(({ node }) => node.split(".")[0]).join(", ");
  const cell = (name, format) => runs.map(({ cases }) => format(cases.find((one) => one.name === name))).join(", ");
  const ms = (value) => (value < 1 ? value.toFixed(2) : value.toFixed(1));
  const rows = runs[0].cases.map(({ name }) => [
    name,
    cell(name, ({ cudaMs }) => ms(cudaMs)),
    cell(name, ({ tritonMs }) => ms(tritonMs)),
    cell(name, ({ ratio }) => ratio.toFixed(2)),
    cell(name, ({ times }) => (times === undefined ? "" : times.toFixed(0))),
  ]);
  const heads = ["CUDA, ms", "Triton, ms", "CUDA / Triton", "interpreter / Triton"];
  return `
Node.js ${majors}; ${runs[0].samples} samples, ${runs[0].cores} cores, ${runs[0].date}.

${markdownTable(["kernel", ...heads], rows)}

`;
}

function main() {
  if (options.help || (!options.interpreter && !options.table && !options.only)) return console.log(HELP);
  if (!options.table) {
    const facts = {
      date: new Date().toISOString().slice(0, 10),
      machine: cpus()[0].model,
      cores: cpus().length,
      samples: Number(options.samples),
    };
    const runs = options.node.map((node) => ({ ...facts, ...measure(node) }));
    if (options.only) return console.log(JSON.stringify(runs, null, 1));
    const about = `node bench/triton/record.mjs: elapsed time on all cores, the least of ${options.samples} launches`;
    writeFileSync(FILE, `${JSON.stringify({ about, runs }, null, 1)}\n`);
  }
  const page = readFileSync(PAGE, "utf8");
  const [begin, end] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  writeFileSync(PAGE, page.slice(0, begin) + tableOf(JSON.parse(readFileSync(FILE, "utf8"))) + page.slice(end));
}

main();
