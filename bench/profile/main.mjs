#!/usr/bin/env node
// What counting costs: the kernels of the engine bench, as they are and under the profiler in turns, on one thread.
// `npm run bench:profile`.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as heddle from "../../dist/index.js";
import { profile } from "../../dist/profile.js";
import { prepareCases } from "../engine/case-runner.mjs";
import { writePlan } from "../engine/plan.mjs";
import { makeCase, ROWS } from "../engine/rows.mjs";
import { geometricMean, median } from "../engine/statistics.mjs";
import { typedValues } from "../engine/typed-values.mjs";

const HELP = `npm run bench:profile -- [options]

Runs each kernel of the engine bench as it is and under the profiler, alternating, and prints how many times longer a
profiled launch takes.

  --only NAME,…   rows of the engine bench
  --caches        with the model of the caches
  --samples N     rounds in which both take turns (7)
  --help          this text`;

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    caches: { type: "boolean", default: false },
    samples: { type: "string", default: "7" },
    help: { type: "boolean" },
  },
});
if (options.help) {
  console.log(HELP);
  process.exit(0);
}
const samples = Number(options.samples);
const only = options.only?.split(",") ?? null;
const unknown = (only ?? []).filter((name) => !ROWS.some((row) => row.name === name));
if (!(samples >= 1) || unknown.length > 0) {
  console.error(
    unknown.length > 0
      ? `there is no row ${unknown.join(", ")}; known: ${ROWS.map(({ name }) => name).join(", ")}`
      : `--samples takes a number from 1 on, not "${options.samples}"`,
  );
  process.exit(2);
}

/** A library whose devices are profiled: what `prepareCases` takes. */
const profiled = {
  load: heddle.load,
  openDevice: (deviceOptions) =>
    new Promise((resolve, reject) => {
      profile(
        (device) =>
          new Promise((done) => {
            const whole = new Proxy(device, {
              get: (target, key) => {
                if (key === "close") return () => done();
                const value = target[key];
                return typeof value === "function" ? value.bind(target) : value;
              },
            });
            resolve(whole);
          }),
        { ...deviceOptions, caches: options.caches },
      ).catch(reject);
    }),
};

const TARGET = options.caches ? 10 : 4;
console.log(`${"kernel".padEnd(16)}${"as it is, ms".padStart(14)}${"profiled".padStart(14)}`);
const ratios = [];
for (const row of ROWS) {
  if (only !== null && !only.includes(row.name)) continue;
  const folder = mkdtempSync(join(tmpdir(), "heddle-bench-profile-"));
  writePlan(folder, makeCase(row));
  const { buffers, launches } = JSON.parse(readFileSync(join(folder, "plan.json"), "utf8"));
  const values = buffers.map(({ name, file, type, restored }) => ({
    name,
    restored,
    values: typedValues(type, readFileSync(file)),
  }));
  rmSync(folder, { recursive: true });
  const task = {
    source: fileURLToPath(new URL(`../engine/kernels/${row.kernel.cuda}`, import.meta.url)),
    cases: [{ launches, buffers: values }],
    engine: "auto",
    workers: 1,
  };
  const contestants = [];
  for (const library of [heddle, profiled])
    contestants.push({ prepared: await prepareCases(library, task), times: [], walls: [] });
  // The first two rounds let V8 optimise.
  for (let round = -2; round < samples; round++) {
    for (const { prepared, times, walls } of contestants) {
      const started = performance.now();
      const elapsed = await prepared.cases[0].run();
      if (round < 0) continue;
      walls.push(performance.now() - started);
      times.push(elapsed);
    }
  }
  // What is done after a launch counts, too: adding up, and the model of the caches.
  const base = median(contestants[0].times);
  const [wall, countedWall] = contestants.map(({ walls }) => median(walls));
  const counted = base + countedWall - wall;
  ratios.push(counted / base);
  console.log(
    `${row.name.padEnd(16)}${base.toFixed(2).padStart(14)}${`${(counted / base).toFixed(2)} ×`.padStart(14)}`,
  );
  for (const { prepared } of contestants) prepared.close();
}
console.log(`${"geometric mean".padEnd(30)}${`${geometricMean(ratios).toFixed(2)} ×`.padStart(14)}`);
console.log(`${"at most".padEnd(30)}${`${TARGET} ×`.padStart(14)}`);
