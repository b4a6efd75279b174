// Runs random kernels under every executor and compares what they leave in memory. `--help` says how.
import { readdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { checkedExecutor, checkedHarness } from "./fuzz-checked.mjs";

const HELP = `npm run build && node scripts/fuzz.mjs [options]

Runs random kernels on several engines and compares the memory that they leave. If engines differ, the
kernel is made smaller and printed. A seed always makes the same kernel: case 17 of "--seed 1000" is
"--seed 1017 --cases 1".

  node scripts/fuzz.mjs --cases 300 --seed 4711         a few minutes, before a change of the engine
  node scripts/fuzz.mjs --cases 50000 --jobs 8          over night
  node scripts/fuzz.mjs --seed 4711 --cases 1 --keep    store the difference as the next case of
                                                        src/engine/fuzz/cases

Options
  --cases N             random kernels (1000)
  --seed N              the seed of the first one (1)
  --jobs N              threads (1)
  --executors A,B,…     the engines to compare; the first is the reference (interpreter,thread,warp).
                        There are interpreter, reverse (the interpreter with another order of
                        threads), thread, warp, and checked-thread and checked-warp, which run
                        kernels as heddle check instruments them
  --shrink-seconds N    time to make a difference smaller (30)
  --max-failures N      stop after so many differences (10)
  --keep                write differences to src/engine/fuzz/cases

HEDDLE_DIST=FOLDER tests another build. The exit code is 1 if anything differs. "not run" at the end
counts kernels that an engine declines.
`;

const root = resolve(import.meta.dirname, "..");
const dist = (path) => import(pathToFileURL(resolve(process.env.HEDDLE_DIST ?? `${root}/dist`, path)).href);
/** More steps than this, and a case says nothing. */
const MAX_STEPS = 400_000;

async function makeExecutors(names) {
  const makers = {
    interpreter: async () =>
      (await dist("engine/interpreter/interpreter.js")).createInterpreter({ maxSteps: MAX_STEPS }),
    reverse: async () =>
      (await dist("engine/interpreter/interpreter.js")).createInterpreter({
        order: "reverse",
        quantum: 7,
        residentBlocks: 3,
      }),
    thread: async () => (await dist("engine/thread-tier/thread-executor.js")).createThreadExecutor(),
    warp: async () => (await dist("engine/warp-tier/warp-executor.js")).createWarpExecutor(),
    "checked-thread": async () => checkedExecutor(await makers.thread(), dist),
    "checked-warp": async () => checkedExecutor(await makers.warp(), dist),
  };
  return Promise.all(
    names.map((name) =>
      (
        makers[name] ??
        (() => {
          throw new Error(`no executor "${name}": ${Object.keys(makers).join(", ")}`);
        })
      )(),
    ),
  );
}

// -------------------------------------------------------------- a worker: seeds first, first + stride, …

async function work({ names, first, stride, end, shrinkSeconds }) {
  const { Harness } = await dist("engine/harness.js");
  const { compareExecutors, caseOf, formatCase } = await dist("engine/fuzz/run-case.js");
  const { generateProgram } = await dist("engine/fuzz/generate.js");
  const { shrink } = await dist("engine/fuzz/shrink.js");
  const executors = await makeExecutors(names);
  const newHarness = () => (names.some((name) => name.startsWith("checked")) ? checkedHarness(Harness) : new Harness());
  let harness = newHarness();
  for (let seed = first; seed < end; seed += stride) {
    const program = generateProgram(seed);
    let outcome = compareExecutors(caseOf(program), executors, harness);
    if (outcome.kind === "different") {
      // An executor that stopped half way may have left things behind.
      harness = newHarness();
      const fails = (candidate) => {
        try {
          const result = compareExecutors(caseOf(candidate), executors, harness);
          if (result.kind === "different") harness = newHarness();
          return result.kind === "different" && !result.report.startsWith(`${executors[0].name}:`);
        } catch {
          return false; // the smaller program makes no sense: a variable out of scope
        }
      };
      const small = shrink(program, fails, Date.now() + shrinkSeconds * 1000);
      const final = compareExecutors(caseOf(small), executors, harness);
      harness = newHarness();
      outcome = {
        kind: "different",
        report: outcome.report,
        text: formatCase(caseOf(small), `seed ${seed}: ${final.report ?? outcome.report}`),
      };
    }
    parentPort.postMessage({ seed, outcome });
  }
}

// -------------------------------------------------------------- the main thread

async function main() {
  const { values } = parseArgs({
    options: {
      cases: { type: "string", default: "1000" },
      seed: { type: "string", default: "1" },
      jobs: { type: "string", default: "1" },
      executors: { type: "string", default: "interpreter,thread,warp" },
      "shrink-seconds": { type: "string", default: "30" },
      keep: { type: "boolean", default: false },
      "max-failures": { type: "string", default: "10" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const names = values.executors.split(",");
  compileOnce(names);
  const [cases, seed, jobs, maxFailures] = [values.cases, values.seed, values.jobs, values["max-failures"]].map(Number);
  const counts = { same: 0, "too-long": 0, different: 0 };
  const refused = new Map();
  let done = 0;
  const start = Date.now();
  const line = () =>
    `${done}/${cases} cases, ${counts.same} same, ${counts.different} different, ${counts["too-long"]} too long, ` +
    `${((Date.now() - start) / 1000).toFixed(0)} s`;
  let shown = 0;
  const workers = [];
  const onMessage = ({ seed: at, outcome }) => {
    done++;
    counts[outcome.kind]++;
    for (const reason of outcome.refused ?? []) refused.set(reason, (refused.get(reason) ?? 0) + 1);
    if (outcome.kind === "different") {
      console.log(`\nseed ${at}: ${outcome.report}\n${outcome.text}`);
      if (values.keep) keep(outcome.text);
      if (counts.different >= maxFailures) for (const worker of workers) void worker.terminate();
    }
    if (Date.now() - shown > 5000) {
      shown = Date.now();
      console.log(line());
    }
  };
  await Promise.all(
    Array.from(
      { length: jobs },
      (_, i) =>
        new Promise((ended, failed) => {
          const data = {
            names,
            first: seed + i,
            stride: jobs,
            end: seed + cases,
            shrinkSeconds: Number(values["shrink-seconds"]),
          };
          workers.push(
            new Worker(new URL(import.meta.url), { workerData: data })
              .on("message", onMessage)
              .on("error", failed)
              .on("exit", ended),
          );
        }),
    ),
  );
  console.log(line());
  for (const [reason, count] of refused) console.log(`not run ${count} times: ${reason}`);
  if (counts.different > 0) process.exitCode = 1;
}

/** The next number in the folder of regression cases. */
function keep(text) {
  const folder = `${root}/src/engine/fuzz/cases`;
  const numbers = readdirSync(folder)
    .map((name) => Number(name.slice(0, 4)))
    .filter((n) => n > 0);
  const path = `${folder}/${String(Math.max(0, ...numbers) + 1).padStart(4, "0")}.ll`;
  writeFileSync(path, text);
  console.log(`kept as ${path}`);
}

/**
 * Of a checked kernel's one function, of up to a megabyte, V8's optimizing compiler makes gigabytes that stay with the
 * process; a kernel here runs once.
 */
function compileOnce(names) {
  if (names.some((name) => name.startsWith("checked"))) setFlagsFromString("--liftoff-only");
}

if (isMainThread) await main();
else await work(workerData);
