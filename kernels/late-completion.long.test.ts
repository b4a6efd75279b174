/**
 * The versions of ladders with Hopper's own instructions wait for what they use: they are right where asynchronous
 * copies are made as late as PTX allows, too (asynccheck).
 */
import { expect, test } from "vitest";
import { withLaunches } from "../src/bench/version-launches.ts";
import { Workspace } from "../src/bench/workspace.ts";
import { check } from "../src/check.ts";
import { load } from "../src/index.ts";
import { loadLadder } from "../src/kernel-library/ladder-files-node.ts";

/** At one of the ladder's shapes for checks: what more than one tile, and an edge of one, show. */
const VERSIONS: readonly (readonly [string, string, number])[] = [
  ["matmul-bf16", "6-wgmma", 2],
  ["matmul-bf16", "7-specialised", 2],
  ["matmul-bf16", "8-persistent", 2],
  ["matmul-bf16", "9-ping-pong", 2],
  ["matmul-bf16", "10-clusters", 2],
  ["matmul-fp8", "4-ping-pong", 1],
  ["grouped-matmul", "3-ping-pong", 0],
  ["linear", "4-ahead", 1],
  ["moe-layer", "3-gathered", 1],
  ["attention-forward", "6-turns", 2],
  ["selective-scan", "3-staged", 2],
  ["global-norm", "5-bulk", 3],
];

const ASYNCHECK = VERSIONS.map((row) => [...row, "asynccheck"] as const);
/** The library's products with the code of a tool: sums that no product keeps have no values before it. */
const INITCHECK = ["matmul-bf16", "7-specialised", 2, "initcheck"] as const;

test.each([...ASYNCHECK, INITCHECK])("%s/%s %i %s", async (ladderName, versionName, index, tool) => {
  const path = new URL(`${ladderName}/${ladderName}.ladder.ts`, import.meta.url).pathname;
  const { ladder, versions } = await loadLadder(path, (source) => [source]);
  const version = versions.find(({ name }) => name === versionName);
  const shape = ladder.shapes.check[index];
  if (version === undefined || shape === undefined) throw new Error(`${ladderName} has no ${versionName} or ${index}`);
  const configuration = Object.fromEntries(
    Object.entries(version.declaration.parameters ?? {}).map(([key, values]) => [key, values[0] as number]),
  );
  const { text } = await check(
    async (gpu) => {
      const workspace = new Workspace(gpu, ladder, shape, [0]);
      await withLaunches(version, configuration, { gpu, load, workspace }, async (launches) => {
        workspace.begin(0);
        for (const launch of launches) launch();
        await workspace.compare(0, true);
      });
      workspace.free();
    },
    { gpu: "h100", tools: [tool] },
  );
  expect(text).toBe("");
});
