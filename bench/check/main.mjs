#!/usr/bin/env node
// What checkers cost: the kernels of the engine bench, unchecked and under checkers in turns, on one thread; times in
// kernels. `npm run bench:check`.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { check } from "../../dist/check.js";
import * as heddle from "../../dist/index.js";
import { prepareCases } from "../engine/case-runner.mjs";
import { writePlan } from "../engine/plan.mjs";
import { makeCase, ROWS } from "../engine/rows.mjs";
import { geometricMean, median } from "../engine/statistics.mjs";
import { typedValues } from "../engine/typed-values.mjs";

const SETS = [
  ["memcheck"],
  ["memcheck", "initcheck"],
  ["racecheck"],
  ["memcheck", "initcheck", "racecheck", "synccheck"],
];
const TARGETS = new Map([
  ["memcheck,initcheck", 3],
  ["memcheck,initcheck,racecheck,synccheck", 5.5],
]);

const HELP = `npm run bench:check -- [options]

Runs each kernel of the engine bench unchecked and under sets of checkers, alternating, and prints how many
times longer a checked launch takes.

  --only NAME,…   rows of the engine bench
  --samples N     rounds in which all contestants take turns (7)
  --help          this text`;

const { values: options } = parseArgs({
  options: { only: { type: "string" }, samples: { type: "string", default: "7" }, help: { type: "boolean" } },
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
      : `--samples wants a number from 1 on, not "${options.samples}"`,
  );
  process.exit(2);
}

const cell = (ratio) => `${ratio.toFixed(2)} ×`.padStart(22);

/**
 * A library whose devices are checked: what `prepareCases` takes. Findings are left alone: some kernels of the bench
 * race on purpose.
 */
function checkedLibrary(tools) {
  return {
    load: heddle.load,
    openDevice: (deviceOptions) =>
      new Promise((resolve, reject) => {
        check(
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
          { ...deviceOptions, tools },
        ).catch(reject);
      }),
  };
}

const columns = SETS.map((tools) => tools.join("+").replace("memcheck+initcheck+racecheck+synccheck", "all four"));
console.log(`${"kernel".padEnd(16)}${"unchecked ms".padStart(14)}${columns.map((name) => name.padStart(22)).join("")}`);
const ratios = SETS.map(() => []);
for (const row of ROWS) {
  if (only !== null && !only.includes(row.name)) continue;
  const folder = mkdtempSync(join(tmpdir(), "heddle-bench-check-"));
  writePlan(folder, makeCase(row));
  const { buffers, launches } = JSON.parse(readFileSync(join(folder, "plan.json"), "utf8"));
  const cases = [
    {
      launches,
      buffers: buffers.map(({ name, file, type, restored }) => ({
        name,
        restored,
        values: typedValues(type, readFileSync(file)),
      })),
    },
  ];
  rmSync(folder, { recursive: true });
  const task = {
    source: fileURLToPath(new URL(`../engine/kernels/${row.kernel.cuda}`, import.meta.url)),
    cases,
    engine: "auto",
    workers: 1,
  };
  const contestants = [];
  for (const library of [heddle, ...SETS.map(checkedLibrary)])
    contestants.push({ prepared: await prepareCases(library, task), times: [] });
  // The first two rounds let V8 optimise.
  for (let round = -2; round < samples; round++) {
    for (const { prepared, times } of contestants) {
      const elapsed = await prepared.cases[0].run();
      if (round >= 0) times.push(elapsed);
    }
  }
  const [base, ...checked] = contestants.map(({ times }) => median(times));
  for (const [index, time] of checked.entries()) ratios[index].push(time / base);
  const cells = checked.map((time) => cell(time / base)).join("");
  console.log(`${row.name.padEnd(16)}${base.toFixed(2).padStart(14)}${cells}`);
  for (const { prepared } of contestants) prepared.close();
}
const means = ratios.map(geometricMean);
console.log(`${"geometric mean".padEnd(30)}${means.map(cell).join("")}`);
const targets = SETS.map((tools) => TARGETS.get(tools.join()));
const limits = targets.map((target) => (target === undefined ? "" : `${target} ×`).padStart(22));
console.log(`${"at most".padEnd(30)}${limits.join("")}`);
process.exit(0);
