// A small round on its whole way: prepared, run by the shell without a GPU, run again, taken in.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writePack } from "./pack.mjs";
import { Preparation } from "./preparation.mjs";
import { addResults, takenSteps } from "./results.mjs";

const TREE = ["include", "hostlib", "libdevice", "libraries", "python", "kernels", "examples", "scripts", "bench"];
const ROUND = { name: "small", row: "steps that are right, wrong, too slow, and for a GPU" };
let folder;
const at = (...parts) => join(folder, ...parts);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-round-test-"));
  for (const name of TREE) mkdirSync(at("tree", name), { recursive: true });
  writeFileSync(at("tree", "package.json"), "{}");
  writePack(at(".gpu-base"), new Map([["package.json", at("tree", "package.json")]]), 0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function prepare(words = "right") {
  const p = new Preparation({ round: ROUND, folder, level: 0 });
  p.write("words.txt", `${words}\n`);
  p.step("right", 'cat "$FILES/words.txt"; echo found >"$RESULT/file.txt"', {
    seconds: 20,
    needs: "any",
    uses: ["words.txt"],
    expected: { "answer.txt": words },
  });
  p.step("wrong", "echo before; false", { seconds: 20, needs: "any", uses: [] });
  p.step("slow", "sleep 30", { seconds: 1, needs: "any", uses: [] });
  p.step("two", "echo two", { seconds: 20, needs: "gpus" });
  p.step("tried", `echo "it's tried"`, { seconds: 20, needs: "try", uses: [] });
  return p.finish();
}

function run(args = [], env = {}) {
  const own = { HEDDLE_ROUNDS: at("work"), HEDDLE_ROUNDS_TREE: at("tree"), OUT: at("out"), ...env };
  const { status, stdout, stderr } = spawnSync("bash", [at(".gpu-small/run.sh"), ...args], {
    encoding: "utf8",
    // No nvidia-smi: this machine may have a GPU.
    env: { ...process.env, PATH: `${at("bin")}:${process.env.PATH}`, ...own },
  });
  return { status, lines: stdout.trimEnd().split("\n"), stderr };
}

test("without a GPU a round says so, and writes nothing", () => {
  mkdirSync(at("bin"));
  writeFileSync(at("bin/nvidia-smi"), "#!/bin/sh\nexit 9\n", { mode: 0o755 });
  expect(prepare()).toMatchObject({ done: 0 });
  expect(run()).toEqual({
    status: 77,
    lines: [expect.stringContaining("!!! small: NO GPU on this machine")],
    stderr: "",
  });
  expect([existsSync(at("out")), existsSync(at("work"))]).toEqual([false, false]);
});

test("steps go on after a failure, end at their limits, and are kept at once", () => {
  const { status, lines } = run([], { HEDDLE_ROUNDS_DEVICE: "emulated" });
  expect(status).toBe(1);
  expect(lines.map((line) => line.replaceAll(/ +\d+ s\b/g, "").replaceAll(/ {2,}/g, " "))).toEqual([
    "== small on emulated: 0 GPUs, at most",
    "ok right right",
    "exit 1 wrong before",
    "TIME slow ",
    "NO GPU two it needs two GPUs: not run",
    "ok tried it's tried",
    expect.stringMatching(/^== small: 2 right, 2 not right, 0 had no time, 1 need a GPU/),
  ]);
  expect(existsSync(at("out/rounds.tar.gz.00"))).toBe(true);
});

test("what was right is not run again, and a step without time is left", () => {
  const { lines } = run(["8"], { HEDDLE_ROUNDS_DEVICE: "emulated" });
  expect(lines[1]).toMatch(/^done +right +0 s {2}was right before/);
  expect(lines.slice(2, 4).join()).toMatch(/^(exit 1|left) +wrong/);
});

test("results are taken in, and steps that were right stay out of the next preparation", () => {
  const kept = at(".gpu-results/small");
  expect(addResults("small", at("out"), kept)).toMatchObject({ device: "emulated", gpu: "" });
  const steps = takenSteps(kept);
  expect([...steps].map(([name, { status }]) => [name, status])).toEqual([
    ["right", 0],
    ["slow", 124],
    ["tried", 0],
    ["wrong", 1],
  ]);
  expect(steps.get("right").file("file.txt").toString()).toBe("found\n");
  expect(readFileSync(steps.get("right").expected("answer.txt"), "utf8")).toBe("right");
  expect(prepare()).toMatchObject({ done: 2 });
  // Another content is another step.
  expect(prepare("other words")).toMatchObject({ done: 1 });
  expect(() => addResults("rf", at("out"), kept)).toThrow("has no results of the round rf");
});
