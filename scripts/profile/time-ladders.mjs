#!/usr/bin/env node
// Times of the versions of our ladders on a GPU, in the configuration that the hints are asked about: what
// ladder-times.mjs reads. Nothing is checked and nothing swept; `heddle bench` does that. So a ladder takes seconds.
//
//   node scripts/profile/time-ladders.mjs [--seconds N] [--to FILE] [LADDER…]
//
// Ladders whose times are not known come first; after N seconds no other ladder is begun.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { withLaunches } from "../../dist/bench/version-launches.js";
import { Workspace } from "../../dist/bench/workspace.js";
import { openFlatDevice } from "../../dist/device/cuda/open-device.js";
import { includedFiles } from "../../dist/kernel-library/included-files-node.js";
import { loadLadder } from "../../dist/kernel-library/ladder-files-node.js";
import { defaultConfiguration, spaceOf } from "../../dist/kernel-library/search-space.js";
import { nodeEnvironment } from "../../dist/library/environment-node.js";
import { Gpu } from "../../dist/library/gpu.js";
import { createHeddle } from "../../dist/library/heddle.js";
import { summarize } from "../../dist/measure/statistics.js";
import { openStopwatch } from "../../dist/measure/stopwatch.js";
import { ladderTimes } from "./ladder-times.mjs";

const KERNELS = new URL("../../kernels/", import.meta.url);
const WARM_UPS = 2;
const LEAST_SAMPLES = 5;
const MOST_SAMPLES = 25;
const MOST_MS = 250;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "3600" },
    to: { type: "string", default: new URL("../../docs/lab/ladder-times-h200.json", import.meta.url).pathname },
    // emulated: to try this script.
    device: { type: "string", default: "cuda" },
  },
});
const known = ladderTimes();
const environment = nodeEnvironment();
const heddle = createHeddle(environment);
// Without the device library, which needs Clang: NVRTC compiles the versions.
const device =
  options.device === "cuda"
    ? openFlatDevice(0, { store: null })
    : await environment.openDevice({ device: options.device });
const gpu = new Gpu(device, () => {}, null);
const stopwatch = await openStopwatch(gpu, (source, own) => heddle.compile(source, own));
const rows = existsSync(options.to) ? JSON.parse(readFileSync(options.to, "utf8")) : [];

const began = performance.now();
for (const name of positionals.length > 0 ? positionals : await ladders()) {
  if (performance.now() - began > 1000 * Number(options.seconds)) break;
  try {
    await timeLadder(name);
  } catch (error) {
    console.log(`${name}: ${error}`);
  }
  console.log(`${((performance.now() - began) / 1000).toFixed(0)} s`);
}
gpu.close();

/** Those first of which most versions have no time. */
async function ladders() {
  const unknown = [];
  for (const { name } of readdirSync(KERNELS, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    if (name === "common") continue;
    const { versions } = await open(name);
    const missing = versions.filter((version) => !known.has(`${name} ${version.name}`));
    unknown.push({ name, part: missing.length / versions.length });
  }
  return unknown.sort((a, b) => b.part - a.part).map(({ name }) => name);
}

function open(name) {
  return loadLadder(new URL(`${name}/${name}.ladder.ts`, KERNELS).pathname, (version) => includedFiles(version, []));
}

async function timeLadder(name) {
  const { ladder, versions } = await open(name);
  const shape = [...known].find(([key]) => key.startsWith(`${name} `))?.[1].shape ?? ladder.shapes.time.cuda[0];
  const workspace = new Workspace(gpu, ladder, shape, [1]);
  for (const version of versions) {
    // Parameters that came later have their first values.
    const configuration = {
      ...defaultConfiguration(spaceOf(version.declaration, shape), version.name),
      ...known.get(`${name} ${version.name}`)?.configuration,
    };
    try {
      const row = { ladder: name, version: version.name, shape, configuration, ...(await timed()) };
      const index = rows.findIndex((other) => other.ladder === name && other.version === version.name);
      rows.splice(index < 0 ? rows.length : index, index < 0 ? 0 : 1, row);
      console.log(`${name} ${version.name} ${row.microseconds} µs ± ${(100 * row.spread).toFixed(1)} %`);
    } catch (error) {
      console.log(`${name} ${version.name}: ${error}`);
    }
    writeFileSync(options.to, `[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`);

    async function timed() {
      const load = (path, own) => heddle.load(path, own);
      return withLaunches(version, configuration, { gpu, load, workspace }, async (launches) => {
        const times = [];
        const start = performance.now();
        for (let n = -WARM_UPS; n < MOST_SAMPLES; n++) {
          const ms = await stopwatch.time(() => {
            workspace.begin(0);
            stopwatch.flush();
          }, launches);
          if (n >= 0) times.push(ms);
          if (times.length >= LEAST_SAMPLES && performance.now() - start > MOST_MS) break;
        }
        const { median, spread } = summarize(times);
        return { microseconds: Number((1000 * median).toPrecision(4)), spread: Number(spread.toPrecision(2)) };
      });
    }
  }
  workspace.free();
}
