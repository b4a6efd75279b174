// Measures the time a person waits, and the memory that takes. `npm run bench:latency -- --help`
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, tmpdir, type } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { wrap } from "../../scripts/docs-pages.mjs";
import { findEngines } from "../engine/engines.mjs";
import { asMarkdown, asText, replaceBetween } from "../engine/report.mjs";
import { summary } from "../engine/statistics.mjs";
import { askRunner, peakMemory, startWatch, waitUntilSaid } from "./processes.mjs";

const HELP = `npm run bench:latency -- [OPTIONS]

Measures how long a person waits, from outside: from the start of a process, or from saving a file, to the
words that a program of a hundred lines prints when its first kernel has ended. It also measures the memory
of a process that compiles, and of a launch.

  --samples N       how often each is measured (default 9)
  --node PATH       measure with this Node.js, too; may be given more than once. Targets are for the newest
  --llmc DIR        a copy of github.com/karpathy/llm.c: the largest of its files is compiled, too
  --markdown        write the table into docs/performance.md
  --help            this
`;

const DOCUMENT = resolve(import.meta.dirname, "../../docs/performance.md");
const PROGRAM = readFileSync(join(import.meta.dirname, "program.cu"), "utf8");
const LAUNCH_MB = 512;
/** Nobody edits a file faster than this after having seen what it prints. */
const THINKING_MS = 1500;

/** The program that nobody has compiled yet. */
let edits = Math.floor(Date.now() / 1000) % 1e6;
const edited = () => PROGRAM.replace(/#define SCALE .*/, `#define SCALE ${++edits}`);

async function main(options) {
  const engines = findEngines({ nodes: options.node.map((path) => resolve(path)), against: null, engine: "auto" });
  const date = new Date().toISOString().slice(0, 10);
  const versions = engines.map(({ description }) => description).join(", ");
  const circumstances = wrap(
    `Measured on ${date} on ${cpus()[0].model.trim()}, ${cpus().length} cores, ${type()} ${release()}; ${versions}. ` +
      `Medians of ${options.samples} runs, in brackets the quartiles. Load of the machine before the start: ` +
      `${loadavg()[1].toFixed(1)} processes (5 minutes).`,
  );
  console.log(`${circumstances}\n`);
  const columns = [];
  for (const { path } of engines) columns.push(await measure(path, options));
  const rows = columns[0].map(({ what, unit, target }, i) => {
    const [primary, ...others] = columns.map((column) => column[i].figures);
    return [
      what,
      target === null ? "" : `${target} ${unit}`,
      cell(primary, unit),
      verdict(primary, target),
      ...others.map((figures) => cell(figures, unit)),
    ];
  });
  const table = [["what", "at most", engines[0].label, "met", ...engines.slice(1).map(({ label }) => label)], ...rows];
  console.log(asText(table));
  if (options.markdown)
    writeFileSync(
      DOCUMENT,
      replaceBetween(readFileSync(DOCUMENT, "utf8"), "bench:latency", `${circumstances}\n\n${asMarkdown(table)}`),
    );
}

function verdict(figures, target) {
  if (target === null || figures === null) return "";
  return figures.median <= target ? "yes" : "NO";
}

/** The measurements with one Node.js, in the order of the table. */
async function measure(node, { samples, llmc }) {
  // As `npm ci` does with the Node.js that runs it.
  execFileSync(node, [join(import.meta.dirname, "../../scripts/prebuild.mjs")], { stdio: "inherit" });
  const folder = mkdtempSync(join(tmpdir(), "heddle-latency-"));
  const repeat = async (sample) => {
    const figures = [];
    for (let i = 0; i < samples; i++) figures.push(await sample(i));
    console.log(figures.map((figure) => Math.round(figure)).join(" "));
    return summary(figures);
  };
  const source = join(folder, "program.cu");
  const run = (cache) => ({ node, args: ["run", "program.cu"], folder, cache: join(folder, cache) });
  try {
    writeFileSync(source, edited());
    await waitUntilSaid(run("cache"), /launched/); // compiled, and the files read from disk
    const again = await repeat(() => waitUntilSaid(run("cache"), /launched/));
    const first = await repeat((i) => waitUntilSaid(run(`empty-${i}`), /launched/));
    const memory = await repeat((i) => peakMemory(run(`empty-again-${i}`)));
    const watching = await startWatch({
      node,
      args: ["run", "--watch", "program.cu"],
      folder,
      cache: join(folder, "watch"),
    });
    const saved = await repeat(async () => {
      await setTimeout(THINKING_MS);
      return watching.save(source, edited(), `launched`);
    });
    watching.end();
    const library = await askRunner({
      node,
      cache: join(folder, "library"),
      order: { kind: "library", program: PROGRAM, samples },
    });
    const launch = await askRunner({
      node,
      cache: join(folder, "library"),
      order: { kind: "launch", megabytes: LAUNCH_MB },
    });
    const largest =
      llmc === undefined
        ? null
        : await largestFile({ node, cache: join(folder, "llmc"), llmc, samples: Math.min(samples, 3) });
    return rowsOf({ again, first, saved, library, largest, memory, launch });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The table's rows: what was measured, its target, its figures. */
function rowsOf({ again, first, saved, library, largest, memory, launch }) {
  return [
    {
      what: "an unchanged program, started again: process start to first launch",
      unit: "ms",
      target: 250,
      figures: again,
    },
    {
      what: "a changed 100-line file, first process after the installation",
      unit: "ms",
      target: 3000,
      figures: first,
    },
    {
      what: "the same, in `heddle run --watch`: from saving to first launch",
      unit: "ms",
      target: 300,
      figures: saved,
    },
    {
      what: "the same, through the library: `compile`, `kernel` and first launch",
      unit: "ms",
      target: 300,
      figures: summary(library.milliseconds),
    },
    {
      what:
        largest === null
          ? "the largest llm.c file, warm"
          : `the slowest llm.c file (\`${largest.name}\`, ${largest.lines} lines), compiled in a process that stays`,
      unit: "ms",
      target: 3000,
      figures: largest === null ? null : summary(largest.milliseconds),
    },
    {
      what: "memory of a process that compiles the 100-line file, and runs it",
      unit: "MB",
      target: 700,
      figures: memory,
    },
    {
      what: `memory of ${LAUNCH_MB} MB of data and a launch on it`,
      unit: "MB",
      target: Math.round(LAUNCH_MB * 1.1 + 50),
      figures: summary([launch.megabytes]),
    },
  ];
}

/** Every program of llm.c once in a process that stays; the slowest several times. */
async function largestFile({ node, cache, llmc, samples }) {
  const folder = resolve(llmc, "dev/cuda");
  const files = [...readdirSync(folder).map((name) => join(folder, name)), resolve(llmc, "train_gpt2_fp32.cu")].filter(
    (path) => path.endsWith(".cu"),
  );
  const { slowest, milliseconds } = await askRunner({
    node,
    cache,
    order: { kind: "files", files, includePaths: [folder, resolve(llmc)], samples },
  });
  return {
    name: slowest.slice(resolve(llmc).length + 1),
    lines: readFileSync(slowest, "utf8").split("\n").length - 1,
    milliseconds,
  };
}

function cell(figures, unit) {
  if (figures === null) return "not measured";
  const range = figures.samples > 1 ? ` (${Math.round(figures.q1)} to ${Math.round(figures.q3)})` : "";
  return `${Math.round(figures.median)} ${unit}${range}`;
}

const { values } = parseArgs({
  options: {
    samples: { type: "string", default: "9" },
    node: { type: "string", multiple: true, default: [] },
    llmc: { type: "string" },
    markdown: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const samples = Number(values.samples);
if (values.help) console.log(HELP);
else if (!Number.isInteger(samples) || samples < 1) {
  console.error(`bench:latency: --samples must be a whole number of at least 1, not "${values.samples}"`);
  process.exitCode = 64;
} else await main({ ...values, samples });
