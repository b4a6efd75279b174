#!/usr/bin/env node
// The first hint of each version of our ladders, beside the cure that the next version brings.
//
//   node scripts/profile/ladder-hints.mjs [LADDER…]     [--gpu h200] [--json FILE]
//
// Versions run in their default configuration, at the ladder's shape for a GPU, made smaller until it can be counted.
// Which hints name the cure of the next version stands in ladder-cures.mjs, by what the comment on top of that version
// says.
import { readdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { profileShape, profileVersion } from "../../dist/bench/profile-version.js";
import { loadLadder } from "../../dist/kernel-library/ladder-files-node.js";
import { includedFiles } from "../../dist/kernel-library/included-files-node.js";
import { defaultConfiguration, spaceOf } from "../../dist/kernel-library/search-space.js";
import { nodeEnvironment } from "../../dist/library/environment-node.js";
import { Gpu } from "../../dist/library/gpu.js";
import { createHeddle } from "../../dist/library/heddle.js";
import { CURES, FASTEST } from "./ladder-cures.mjs";

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
  const configuration = defaultConfiguration(spaceOf(version.declaration, shape), version.name);
  const { launches } = await profileVersion(version, configuration, {
    ladder: loaded.ladder,
    shape,
    load: (path, own) => heddle.load(path, own),
    open: async (observer) => new Gpu(await environment.openDevice({ gpu: options.gpu }, observer), () => {}, null),
  });
  return launches;
}

function verdictOf(first, next, cures) {
  if (next === null) return first === undefined || first.gain < 1.2 ? "silent" : "speaks";
  if (cures === null) return "no hint can name it";
  return cures.includes(first?.kind) ? "names it" : "does not";
}

const rows = [];
for (const name of names) {
  const loaded = await loadLadder(new URL(`${name}/${name}.ladder.ts`, ROOT).pathname, (v) => includedFiles(v, []));
  const shape = profileShape(loaded.ladder, loaded.ladder.shapes.time.cuda[0], "cuda");
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
const winners = rows.filter(({ ladder, version, next }) =>
  FASTEST[ladder] === undefined ? next === null : version === FASTEST[ladder],
);
const isSilent = ({ first, gain }) => first === null || gain < 1.2;
console.log(
  `${right} of ${all.length} steps are named (${steps.length} are of a kind that a hint can name); ` +
    `${winners.filter(isSilent).length} of the ${winners.length} fastest versions are silent`,
);
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(rows, null, 1)}\n`);
