/** The round "smoke" on its whole way: what travels runs without Heddle's compiler and without node_modules. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const here = import.meta.dirname;

test("a program is prepared, run by the shell, and taken in", () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-smoke-"));
  try {
    const run = (command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      spawnSync(command, args, { encoding: "utf8", env: { ...process.env, ...env } });
    const prepared = run(process.execPath, [join(here, "prepare.mjs"), "smoke", "--to", folder, "--level", "0"]);
    expect(prepared).toMatchObject({ status: 0, stdout: expect.stringContaining(".gpu-smoke") });
    const ran = run("bash", [join(folder, ".gpu-smoke/run.sh")], {
      HEDDLE_ROUNDS: join(folder, "work"),
      HEDDLE_ROUNDS_TREE: resolve(here, "../.."),
      HEDDLE_ROUNDS_DEVICE: "emulated",
      OUT: join(folder, "out"),
      CUDA_VISIBLE_DEVICES: "",
    });
    expect(ran.stdout).toMatch(/^ok +heddle .*4 blocks of 256 threads added 1000 elements, 0 wrong$/m);
    expect(ran.stdout).toMatch(/^ok +devices /m);
    const taken = run(process.execPath, [join(here, "take.mjs"), "smoke", join(folder, "out"), "--to", folder]);
    expect(taken.stdout).toContain("smoke heddle: right");
    expect(taken.stdout).toContain("docs/lab/gpu-rounds.json is not written: the results are of no GPU");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
