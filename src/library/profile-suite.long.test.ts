/**
 * Hints about kernels with one flaw each, about the same kernels without it, and about good ones (src/profile/suite):
 * the flaw is the first hint, at its line, and the others get none. docs/profiling-accuracy.md has the figures.
 */
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { SUITE_N, suiteInput, suiteLaunches, type SuiteLaunch } from "../../scripts/profile/suite-launches.mjs";
import { load } from "../index.ts";
import { profile, type Hint } from "../profile.ts";

const suite = new URL("../profile/suite/", import.meta.url);
const input = suiteInput();

async function hintsOf(file: string, { kernel, grid, block }: SuiteLaunch): Promise<readonly Hint[]> {
  const { launches } = await profile(async (device) => {
    const program = await load(new URL(file, suite).pathname, { device });
    const out = device.array(SUITE_N * SUITE_N + 8, "float32");
    const entry = await program.kernel(kernel);
    await entry.launch({ grid, block }, out, device.array(input), SUITE_N);
  });
  expect(launches).toHaveLength(1);
  return launches[0]?.hints ?? [];
}

const launches = readdirSync(suite).flatMap((file) =>
  suiteLaunches(readFileSync(new URL(file, suite), "utf8")).map((launch) => [file, launch.kernel, launch] as const),
);

test("as many kernels as the docs say, each flaw with its twin", () => {
  const kernels = (name: string): number => launches.filter(([, kernel]) => kernel === name).length;
  expect(kernels("flawed")).toBeGreaterThanOrEqual(30);
  expect(kernels("repaired")).toBe(kernels("flawed"));
  expect(kernels("good")).toBeGreaterThanOrEqual(15);
});

describe("hints", () => {
  test.each(launches)("%s, %s", async (file, _, launch) => {
    const [first] = await hintsOf(file, launch);
    expect(first?.kind ?? null, first?.what).toBe(launch.hint);
    if (first === undefined) return;
    expect(first.gain).toBeGreaterThanOrEqual(1);
    expect(first.link).toBe(`docs/hints.md#${first.kind}`);
    const line = readFileSync(new URL(file, suite), "utf8").split("\n")[(first.place?.line ?? 0) - 1];
    expect(launch.at === "" ? first.place === null : line?.includes(launch.at), `line ${first.place?.line}`).toBe(true);
  });
});
