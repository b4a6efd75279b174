/**
 * Every ladder that is here passes its own checks, through the built command line. Needs dist/ (npm test builds it
 * first).
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readWinners } from "../src/kernel-library/winner-file-node.ts";

/** Ladders that no GPU has timed yet. A winner that appears takes its ladder out of this list. */
const NOT_TIMED_ON_A_GPU: string[] = [];

const root = new URL("../", import.meta.url).pathname;

test("every version of every ladder is right at every shape for checks", () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "dist/bin/main.js"), "bench", "--check", "--json", "kernels"],
    { encoding: "utf8", cwd: root, env: { ...process.env, NO_COLOR: "1" }, maxBuffer: 1 << 26 },
  );
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const ladders = JSON.parse(stdout) as { ladder: string; versions: { version: string; verdict: string }[] }[];
  expect(ladders.length).toBeGreaterThanOrEqual(5);
  for (const { ladder, versions } of ladders) {
    expect(versions.length, `steps of ${ladder}`).toBeGreaterThanOrEqual(3);
    const winners = readWinners(join(root, "kernels", ladder));
    // One for each device and shape.
    const kinds = [...new Set(winners.map(({ device }) => device.kind))].sort();
    expect(kinds, `winners of ${ladder}`).toEqual(
      NOT_TIMED_ON_A_GPU.includes(ladder) ? ["emulated"] : ["cuda", "emulated"],
    );
    for (const { version } of winners) expect(versions.map(({ version: name }) => name)).toContain(version);
  }
});

test("each as a function, with no more sizes than it needs, is right", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts/call-ladders.mjs")], {
    encoding: "utf8",
    cwd: root,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const called = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { name: string; compared: number; wrong: string | null });
  expect(called.map(({ name }) => name)).toEqual(
    readdirSync(join(root, "kernels")).filter((name) => existsSync(join(root, "kernels", name, `${name}.ladder.ts`))),
  );
  for (const { name, compared, wrong } of called)
    expect({ name, compared: compared > 0, wrong }).toEqual({ name, compared: true, wrong: null });
});
