#!/usr/bin/env node
// The first hint of each version of our ladders, beside the cure that the next version brings and what it gained on an
// H200.
//
//   node scripts/profile/ladder-hints.mjs [LADDER…]      prints a line for each version
//   node scripts/profile/ladder-hints.mjs --save         also writes docs/lab/ladder-hints.json and the page's table
//   … --keep FOLDER    keeps what was counted there, and counts only what is not there yet
//
// Versions are counted in the configuration that was timed, at a shape that can be counted, and the counters are those
// of the shape that was timed: full-size.mjs. A version of several launches has the hints of all of them: what a kind
// of hint saves in each launch is added up. Which hints name the cure of the next version stands in ladder-cures.mjs.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { profileVersion } from "../../dist/bench/profile-version.js";
import { gpuProperties } from "../../dist/device/emulated/gpus.js";
import { loadLadder } from "../../dist/kernel-library/ladder-files-node.js";
import { includedFiles } from "../../dist/kernel-library/included-files-node.js";
import { defaultConfiguration, spaceOf } from "../../dist/kernel-library/search-space.js";
import { nodeEnvironment } from "../../dist/library/environment-node.js";
import { Gpu } from "../../dist/library/gpu.js";
import { createHeddle } from "../../dist/library/heddle.js";
import { hintedTime, hintsFor } from "../../dist/profile/hints/hints.js";
import { atFullSize, countableShape } from "./full-size.mjs";
import { CURES, FASTEST, LESS, MORE } from "./ladder-cures.mjs";
import { textOf, writeTable } from "./ladder-table.mjs";
import { ladderTimes } from "./ladder-times.mjs";

const KERNELS = new URL("../../kernels/", import.meta.url);
const RESULT = new URL("../../docs/lab/ladder-hints.json", import.meta.url);
/** From a launch to its first instruction, and from its last to its end. */
const LAUNCH_MICROSECONDS = 2;
/** A step that gains less is none that a hint is asked for. */
const LEAST_STEP = 1.1;
/** A hint that promises less is not shown with a gain. */
const LEAST_GAIN = 1.05;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    gpu: { type: "string", default: "h200" },
    keep: { type: "string" },
    save: { type: "boolean" },
  },
});
await main();

async function main() {
  const gpu = gpuProperties(options.gpu);
  const times = ladderTimes();
  const environment = nodeEnvironment();
  const heddle = createHeddle(environment);
  const open = async (observer) =>
    new Gpu(await environment.openDevice({ gpu: options.gpu }, observer), () => {}, null);
  if (options.keep !== undefined) mkdirSync(options.keep, { recursive: true });
  const rows = [];
  for (const name of positionals.length > 0 ? positionals : allLadders()) {
    const loaded = await loadLadder(new URL(`${name}/${name}.ladder.ts`, KERNELS).pathname, (v) =>
      includedFiles(v, []),
    );
    for (const [index, version] of loaded.versions.entries()) {
      const counted = await countedVersion(loaded, version, { times, heddle, open, environment });
      const next = loaded.versions[index + 1]?.name ?? null;
      rows.push({ ladder: name, version: version.name, next, ...adviceOf(counted, loaded.ladder, gpu) });
      Object.assign(rows.at(-1), verdictOf(rows.at(-1), times));
      console.log(textOf(rows.at(-1)));
    }
  }
  if (!options.save) return;
  writeFileSync(RESULT, `[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`);
  writeTable(rows);
}

function allLadders() {
  return readdirSync(KERNELS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "common")
    .map(({ name }) => name);
}

/** The launches of a version, counted at a smaller shape; the shapes, and the grids at the full one. */
async function countedVersion({ name, ladder }, version, { times, heddle, open, environment }) {
  const file = options.keep === undefined ? null : join(options.keep, `${name}--${version.name}.json`);
  if (file !== null && existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  const timed = [...times].find(([key]) => key.startsWith(`${name} `))?.[1];
  const fullShape = timed?.shape ?? ladder.shapes.time.cuda[0];
  const known = times.get(`${name} ${version.name}`);
  // Parameters that came later have their first values.
  const configuration = {
    ...defaultConfiguration(spaceOf(version.declaration, fullShape), version.name),
    ...known?.configuration,
  };
  const full = version.declaration.launch(fullShape, configuration).map(({ grid }) => ({ grid }));
  const shape = countableShape(ladder, version, fullShape, configuration);
  const { launches } = await profileVersion(version, configuration, {
    ladder,
    shape,
    load: (path, own) => heddle.load(path, own),
    open,
    // As NVIDIA's assembler gives them, where this machine has it.
    registers: await environment.registers(),
  });
  const counted = { shape, fullShape, full, launches };
  if (file !== null) writeFileSync(file, JSON.stringify(counted));
  return counted;
}

/** The hints of a version, each with what the version would gain, and the time that the model gives it. */
function adviceOf({ shape, fullShape, full, launches }, ladder, gpu) {
  const all = atFullSize(launches, { ladder, shape, fullShape, full, gpu }).map((launch) => ({
    microseconds: hintedTime(launch, gpu),
    hints: hintsFor(launch, gpu),
  }));
  const total = all.reduce((sum, { microseconds }) => sum + microseconds + LAUNCH_MICROSECONDS, 0);
  const kinds = new Map();
  for (const { microseconds, hints } of all) {
    // The first of a kind is the one that promises most; others of that kind are parts of it.
    for (const hint of hints.filter((one, n) => hints.findIndex(({ kind }) => kind === one.kind) === n)) {
      const known = kinds.get(hint.kind) ?? {
        kind: hint.kind,
        line: hint.place?.line ?? null,
        what: hint.what,
        saved: 0,
      };
      known.saved += microseconds * (1 - 1 / hint.gain);
      kinds.set(hint.kind, known);
    }
  }
  const hints = [...kinds.values()]
    .sort((a, b) => b.saved - a.saved)
    .map(({ saved, ...hint }) => ({ ...hint, gain: Number((total / (total - saved)).toPrecision(3)) }));
  return { model: Number(total.toPrecision(3)), hints };
}

/** What the next version brings besides the cure, or does not bring of it. */
function besides(step) {
  if (step in MORE) return { more: MORE[step] };
  return step in LESS ? { less: LESS[step] } : {};
}

function verdictOf({ ladder, version, next, hints }, times) {
  const [now, then] = [version, next].map((name) => times.get(`${ladder} ${name}`)?.microseconds ?? null);
  const measured = now === null || then === null ? null : Number((now / then).toPrecision(3));
  const cures = CURES[ladder]?.[version] ?? null;
  const isFastest = FASTEST[ladder] === undefined ? next === null : version === FASTEST[ladder];
  const row = { microseconds: now, measured, isFastest };
  if (next === null) return { ...row, verdict: "last" };
  if (measured !== null && measured < LEAST_STEP) return { ...row, verdict: "no gain" };
  if (!Array.isArray(cures)) return { ...row, verdict: "no kind", reason: cures };
  if (cures.includes(hints[0]?.kind) && hints[0].gain >= LEAST_GAIN)
    return { ...row, verdict: "first", cures, ...besides(`${ladder} ${version}`) };
  return { ...row, verdict: hints.some(({ kind }) => cures.includes(kind)) ? "later" : "missed", cures };
}
