// Measures how long a person waits for 64-bit programs, beside 32-bit ones in the same run. `--help` says how.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { wideLibrary } from "../../dist/cli/data-model.js";
import { asText } from "../engine/report.mjs";
import { summary } from "../engine/statistics.mjs";
import { startWatch, waitUntilSaid } from "./processes.mjs";

const HELP = `npm run build && node bench/latency/models.mjs [OPTIONS]

An unchanged program's start, a changed file, and a changed file in watch mode: until the words that a program
of a hundred lines prints after its first launch. The models take turns; the ratio is that of the medians.
Needs the library of 64-bit programs (heddle setup), and a quiet machine.

  --samples N       how often each is measured (default 9)
  --node PATH       with this Node.js (default: the one that runs this)
  --help            this
`;
const PROGRAM = readFileSync(join(import.meta.dirname, "program.cu"), "utf8");
const MODELS = ["ilp32", "lp64"];
/** Asked for by the issue on 64-bit programs. */
const MOST = 1.1;
const THINKING_MS = 1500;

let edits = Math.floor(Date.now() / 1000) % 1e6;
const edited = () => PROGRAM.replace(/#define SCALE .*/, `#define SCALE ${++edits}`);

/** A folder with a program, and a cache of its own, in which the library of 64-bit programs is. */
async function placeFor(model, folder) {
  const place = join(folder, model);
  const { path } = await wideLibrary();
  mkdirSync(join(place, "cache/lp64"), { recursive: true });
  symlinkSync(path, join(place, "cache/lp64", basename(path)));
  writeFileSync(join(place, "program.cu"), edited());
  return place;
}

async function main({ samples, node }) {
  const folder = mkdtempSync(join(tmpdir(), "heddle-models-"));
  const times = Object.fromEntries(["unchanged", "changed", "watch"].map((what) => [what, { ilp32: [], lp64: [] }]));
  const watching = {};
  try {
    const commands = {};
    for (const model of MODELS) {
      const place = await placeFor(model, folder);
      const command = (...options) => ({
        node,
        args: ["run", "--model", model, ...options, "program.cu"],
        folder: place,
        cache: join(place, "cache"),
      });
      commands[model] = { place, run: command(), watch: command("--watch") };
      await waitUntilSaid(commands[model].run, /launched/);
    }
    const inTurns = async (what, measure) => {
      // The first round fills caches, and does not count.
      for (let round = 0; round <= samples; round++)
        for (const model of MODELS) {
          const time = await measure(model);
          if (round > 0) times[what][model].push(time);
        }
      for (const model of MODELS) console.log(`${what}, ${model}: ${times[what][model].map(Math.round).join(" ")}`);
    };
    await inTurns("unchanged", (model) => waitUntilSaid(commands[model].run, /launched/));
    await inTurns("changed", (model) => {
      writeFileSync(join(commands[model].place, "program.cu"), edited());
      return waitUntilSaid(commands[model].run, /launched/);
    });
    for (const model of MODELS) watching[model] = await startWatch(commands[model].watch);
    await inTurns("watch", async (model) => {
      await setTimeout(THINKING_MS);
      return watching[model].save(join(commands[model].place, "program.cu"), edited(), "launched");
    });
  } finally {
    for (const watch of Object.values(watching)) watch.end();
    rmSync(folder, { recursive: true, force: true });
  }
  const cell = ({ median, q1, q3 }) => `${Math.round(median)} (${Math.round(q1)} to ${Math.round(q3)})`;
  const rows = Object.entries(times).map(([what, of]) => {
    const [narrow, wide] = MODELS.map((model) => summary(of[model]));
    const ratio = wide.median / narrow.median;
    return [what, cell(narrow), cell(wide), `${ratio.toFixed(2)} ×`, ratio <= MOST ? "yes" : "NO"];
  });
  console.log(asText([["ms", "ilp32", "lp64", "ratio", `at most ${MOST}`], ...rows]));
}

const { values } = parseArgs({
  options: {
    samples: { type: "string", default: "9" },
    node: { type: "string", default: process.execPath },
    help: { type: "boolean", default: false },
  },
});
const samples = Number(values.samples);
if (values.help) console.log(HELP);
else if (!Number.isInteger(samples) || samples < 1) {
  console.error(`--samples must be a whole number of at least 1, not "${values.samples}"`);
  process.exitCode = 64;
} else await main({ samples, node: values.node });
