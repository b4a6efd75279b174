#!/usr/bin/env node
// The first hint of each version of our ladders, beside the cure that the next version brings.
//
//   node scripts/profile/ladder-hints.mjs [LADDER…]     [--gpu h200] [--json FILE]
//
// Versions run in their default configuration at the ladder's shape for the emulated device. Which hints name the cure
// of the next version is written below, by what the comment on top of that version says.
import { readdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Workspace } from "../../dist/bench/workspace.js";
import { loadLadder } from "../../dist/kernel-library/ladder-files-node.js";
import { includedFiles } from "../../dist/kernel-library/included-files-node.js";
import { defaultConfiguration, spaceOf } from "../../dist/kernel-library/search-space.js";
import { nodeEnvironment } from "../../dist/library/environment-node.js";
import { Gpu } from "../../dist/library/gpu.js";
import { createHeddle } from "../../dist/library/heddle.js";
import { ProfileRecorder } from "../../dist/profile/profile-report.js";
import { CURES } from "./ladder-cures.mjs";

const ROOT = new URL("../../kernels/", import.meta.url);
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { gpu: { type: "string", default: "h200" }, json: { type: "string" } },
});
const environment = nodeEnvironment();
const heddle = createHeddle(environment);
const names =
  positionals.length > 0
    ? positionals
    : readdirSync(ROOT, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && entry.name !== "common")
        .map(({ name }) => name);

/** The launches of a version, profiled. */
async function profiled(loaded, version, shape) {
  const recorder = new ProfileRecorder();
  const raw = await environment.openDevice({ gpu: options.gpu }, recorder.observer);
  const gpu = new Gpu(raw, () => {}, null);
  try {
    const workspace = new Workspace(gpu, loaded.ladder, shape, [1]);
    const configuration = defaultConfiguration(spaceOf(version.declaration, shape), version.name);
    const kernels = new Set(version.declaration.launch(shape, configuration).map(({ kernel }) => kernel));
    const program = await heddle.load(version.path, {
      device: gpu,
      defines: Object.entries(configuration).map(([name, value]) => `${name}=${value}`),
    });
    workspace.fit(configuration);
    workspace.begin(0);
    for (const { kernel, args, ...config } of version.declaration.launch(shape, configuration)) {
      const values = workspace.resolve(args, (name) => {
        throw new Error(`no array ${name}`);
      });
      await (await program.kernel(kernel)).launch(config, ...values);
    }
    const { launches } = recorder.report(raw.properties);
    return launches.filter(({ kernel }) => [...kernels].some((name) => kernel.includes(name)));
  } finally {
    gpu.close();
  }
}

function verdictOf(first, next, cures) {
  if (next === null) return first === undefined || first.gain < 1.2 ? "silent" : "speaks";
  if (cures === null) return "no hint can name it";
  return cures.includes(first?.kind) ? "names it" : "does not";
}

const rows = [];
for (const name of names) {
  const loaded = await loadLadder(new URL(`${name}/${name}.ladder.ts`, ROOT).pathname, (v) => includedFiles(v, []));
  const shape = loaded.ladder.shapes.time.emulated[0] ?? loaded.ladder.shapes.check[0];
  for (const [index, version] of loaded.versions.entries()) {
    const next = loaded.versions[index + 1]?.name ?? null;
    const cures = CURES[name]?.[version.name] ?? null;
    try {
      const launches = await profiled(loaded, version, shape);
      // Of several kernels the one that executes most speaks for the version.
      const executed = ({ metrics }) => metrics["smsp__inst_executed.sum"] ?? 0;
      const largest = launches.toSorted((a, b) => executed(b) - executed(a))[0];
      // The shapes for the emulated device are small: grids are small because of them.
      const first = largest?.hints.find(({ kind }) => kind !== "small-grid" && kind !== "tail");
      const verdict = verdictOf(first, next, cures);
      rows.push({
        ladder: name,
        version: version.name,
        next,
        cures,
        first: first?.kind ?? null,
        gain: first?.gain,
        verdict,
      });
      console.log(
        `${`${name} ${version.name}`.padEnd(42)} ${verdict.padEnd(20)} ${first?.kind ?? "no hint"} ` +
          `${first === undefined ? "" : `×${first.gain.toFixed(2)}`}  ${first?.what ?? ""}`,
      );
    } catch (error) {
      rows.push({ ladder: name, version: version.name, next, cures, first: null, verdict: `failed: ${error.message}` });
      console.log(`${name} ${version.name}: ${error.message}`);
    }
  }
}
const steps = rows.filter(({ next, cures }) => next !== null && cures !== null);
const all = rows.filter(({ next }) => next !== null);
const right = steps.filter(({ verdict }) => verdict === "names it").length;
const winners = rows.filter(({ next }) => next === null);
console.log(
  `${right} of ${all.length} steps are named (${steps.length} are of a kind that a hint can name); ` +
    `${winners.filter(({ verdict }) => verdict === "silent").length} of ${winners.length} last versions are silent`,
);
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(rows, null, 1)}\n`);
