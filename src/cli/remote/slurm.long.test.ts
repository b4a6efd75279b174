/**
 * `heddle bench --on slurm` with a real Slurm, whose one node is this machine. Needs dist/ (npm run test:long builds it
 * first).
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { heldLadder, type HeldLadder } from "./held-ladder.test-helper.ts";
import { HAS_SLURM, startSlurm, type TestSlurm } from "./slurm.test-helper.ts";

const main = new URL("../../../dist/bin/main.js", import.meta.url).pathname;

describe.skipIf(!HAS_SLURM)("by Slurm", () => {
  let slurm: TestSlurm;
  let work: string;
  /** The second that a run of all measures. */
  let second: HeldLadder;
  beforeAll(async () => {
    slurm = await startSlurm();
    work = mkdtempSync(join(tmpdir(), "heddle slurm test-"));
    for (const name of ["one", "two", "three"])
      spawnSync(process.execPath, [main, "new", "ladder", name, "ladders"], { cwd: work });
    second = heldLadder(join(work, "ladders"), "three");
  });
  afterAll(async () => {
    await slurm?.close();
    rmSync(work, { recursive: true, force: true });
  });

  const env = (more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
    ...process.env,
    ...slurm.env,
    NO_COLOR: "1",
    HEDDLE_WORKERS: "1",
    HEDDLE_MODEL: "", // over there, what every machine has
    ...more,
  });
  const options = (file: string, ...more: readonly string[]): string[] => [
    "bench",
    "--device",
    "emulated",
    "--shape",
    "n=5000",
    "--no-sweep",
    "--results",
    file,
    ...more,
  ];
  const recorded = (file: string): { ladder: string; surroundings: { machine: { host: string } } }[] =>
    existsSync(join(work, file))
      ? readFileSync(join(work, file), "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
      : [];
  async function until(what: () => boolean): Promise<void> {
    for (let i = 0; i < 2400; i++) {
      if (what()) return;
      await after(50);
    }
    throw new Error("it does not come");
  }
  /** One that has ended may wait for somebody to ask how. */
  const isRunning = (pid: number): boolean =>
    existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  async function interrupted(
    file: string,
    signal: "SIGINT" | "SIGKILL",
  ): Promise<{ code: number | null; pid: number }> {
    second.hold();
    const child = spawn(process.execPath, [main, ...options(file, "--on", "slurm", "ladders")], {
      cwd: work,
      env: env(),
      stdio: "ignore",
    });
    const ended = new Promise<number | null>((done) => void child.on("close", done));
    await until(() => recorded(file).length >= 1);
    const runs = join(work, ".heddle/remote/runs");
    const { pid } = JSON.parse(readFileSync(join(runs, readdirSync(runs)[0] as string, "worker.json"), "utf8")) as {
      pid: number;
    };
    child.kill(signal);
    // The signal is there before the measuring goes on.
    await after(1000);
    second.release();
    return { code: await ended, pid };
  }

  test("options of srun are its words; results come back", () => {
    const run = spawnSync(
      process.execPath,
      [main, ...options("first.jsonl", "--on", "slurm:--partition=gpu --job-name='two words'", "ladders/one")],
      { encoding: "utf8", cwd: work, env: env() },
    );
    expect(run).toMatchObject({ status: 0, stderr: "" });
    expect(run.stdout).toMatch(new RegExp(`^on ${hostname()}: emulated [\\s\\S]*one: y = a x`));
    expect(recorded("first.jsonl")).toMatchObject([{ ladder: "one", surroundings: { machine: { host: hostname() } } }]);
    expect(slurm.jobs()).toBe(0);
  });

  test("what srun refuses, and no srun", () => {
    const bench = (on: string, more: Readonly<Record<string, string>> = {}) =>
      spawnSync(process.execPath, [main, ...options("none.jsonl", "--on", on, "ladders/one")], {
        encoding: "utf8",
        cwd: work,
        env: env(more),
      });
    expect(bench("slurm:--partition=none")).toMatchObject({
      status: 68,
      stderr: expect.stringMatching(
        /srun has ended with exit code 1 before the bench began\n[\s\S]*invalid partition/i,
      ),
    });
    // The tools of carrying are there; srun is not.
    const tools = mkdtempSync(join(tmpdir(), "heddle-tools-"));
    spawnSync("sh", [
      "-c",
      `for tool in sh mkdir cat chmod mv rm uname getconf wc tr git; do ln -s "$(command -v $tool)" ` +
        `${tools}/$tool; done`,
    ]);
    expect(bench("slurm", { PATH: tools })).toMatchObject({
      status: 68,
      stderr: expect.stringMatching(/there is no srun on this machine/),
    });
    rmSync(tools, { recursive: true });
    expect(bench("slurm:--x='y")).toMatchObject({ status: 64, stderr: expect.stringMatching(/a quote is not closed/) });
  });

  test("Ctrl-C ends the job", async () => {
    const { code, pid } = await interrupted("second.jsonl", "SIGINT");
    expect(code).toBe(130);
    await until(() => slurm.jobs() === 0);
    await until(() => !isRunning(pid));
    expect(readdirSync(join(work, ".heddle/remote/runs"))).toEqual([]);
  });

  test("a job does not outlive who has asked for it; the same command measures what is missing", async () => {
    const { pid } = await interrupted("third.jsonl", "SIGKILL");
    await until(() => slurm.jobs() === 0 && !isRunning(pid));
    const [first] = recorded("third.jsonl");
    const again = spawnSync(process.execPath, [main, ...options("third.jsonl", "--on", "slurm", "ladders")], {
      encoding: "utf8",
      cwd: work,
      env: env(),
    });
    expect(again).toMatchObject({ status: 0, stderr: "" });
    expect(recorded("third.jsonl").map(({ ladder }) => ladder)).toEqual(["one", "three", "two"]);
    expect(recorded("third.jsonl")[0]).toEqual(first);
  });
});
