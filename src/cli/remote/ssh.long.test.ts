/**
 * `heddle bench --on ssh://…` over a real ssh connection to this machine, whose other end has POSIX's tools and nothing
 * else in its PATH. Needs dist/ (npm run test:long builds it first).
 */
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { heldLadder, type HeldLadder } from "./held-ladder.test-helper.ts";
import { SSHD, startSshd, type TestSshd } from "./sshd.test-helper.ts";

const main = new URL("../../../dist/bin/main.js", import.meta.url).pathname;

interface Record_ {
  readonly ladder: string;
  readonly surroundings: {
    readonly time: string;
    readonly commit: string | null;
    readonly machine: { readonly host: string };
  };
  readonly versions: readonly { readonly verdict: string }[];
}

describe.skipIf(SSHD === null)("over ssh", () => {
  let sshd: TestSshd;
  /** Here. */
  let work: string;
  /** There; with a space. */
  let there: string;
  let on: string;
  let results = 0;
  /** The second that a run of all measures. */
  let second: HeldLadder;

  beforeAll(async () => {
    sshd = await startSshd();
    there = join(sshd.folder, "far away");
    work = mkdtempSync(join(tmpdir(), "heddle-ssh-test-"));
    on = `ssh://${sshd.user}@127.0.0.1:${sshd.port}${there.replaceAll(" ", "%20")}`;
    for (const name of ["one", "two", "three"])
      spawnSync(process.execPath, [main, "new", "ladder", name, "ladders"], { cwd: work });
    second = heldLadder(join(work, "ladders"), "three");
    spawnSync(
      "sh",
      ["-c", "git init -q . && git add -A && git -c user.name=t -c user.email=t@example.com commit -qm t"],
      { cwd: work },
    );
  });
  afterAll(async () => {
    await sshd?.close();
    rmSync(work, { recursive: true, force: true });
  });
  let file = "";
  beforeEach(() => void (file = `results-${results++}.jsonl`));

  const environment = (more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
    ...process.env,
    ...sshd.env,
    NO_COLOR: "1",
    HEDDLE_WORKERS: "1",
    ...more,
  });
  const options = (place: string, ...more: readonly string[]): string[] => [
    "bench",
    "--on",
    place,
    "--device",
    "emulated",
    "--shape",
    "n=5000",
    "--no-sweep",
    "--results",
    file,
    ...more,
  ];
  const bench = (place: string, more: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
    spawnSync(process.execPath, [main, ...options(place, ...more)], {
      encoding: "utf8",
      cwd: work,
      env: environment(env),
    });
  const recorded = (): Record_[] =>
    existsSync(join(work, file))
      ? readFileSync(join(work, file), "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as Record_)
      : [];
  const running = (): string[] => (existsSync(join(there, "runs")) ? readdirSync(join(there, "runs")) : []);
  /** Started, and not waited for. */
  function start(...more: readonly string[]): {
    readonly child: ReturnType<typeof spawn>;
    readonly ended: Promise<number | null>;
    stdout(): string;
    stderr(): string;
  } {
    const child = spawn(process.execPath, [main, ...options(on, ...more)], {
      cwd: work,
      env: environment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const)
      child[stream]?.setEncoding("utf8").on("data", (text: string) => void (said[stream] += text));
    return {
      child,
      ended: new Promise((done) => void child.on("close", done)),
      stdout: () => said.stdout,
      stderr: () => said.stderr,
    };
  }
  async function until(what: () => boolean, seconds = 120): Promise<void> {
    for (let i = 0; i < seconds * 20; i++) {
      if (what()) return;
      await after(50);
    }
    throw new Error("it does not come");
  }
  const workerPid = (): number =>
    (JSON.parse(readFileSync(join(there, "runs", running()[0] as string, "worker.json"), "utf8")) as { pid: number })
      .pid;
  const isRunning = (pid: number): boolean =>
    existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

  test(
    "a machine without Node.js: what is needed is uploaded, results come back with its name; the second time " +
      "nothing is uploaded",
    () => {
      const first = bench(on, ["-o", "report.html", "--json=results.json", "ladders/one", "ladders/two"]);
      expect(first).toMatchObject({ status: 0, stderr: "" });
      expect(first.stdout).toMatch(new RegExp(`^on ${hostname()}: emulated .*commit [0-9a-f]{10}\\n`));
      expect(first.stdout).toMatch(/one: y = a x[\s\S]*two: y = a x/);
      expect(recorded()).toMatchObject(
        ["one", "two"].map((ladder) => ({
          ladder,
          surroundings: { commit: expect.stringMatching(/^[0-9a-f]{40}$/), machine: { host: hostname() } },
          versions: [{ verdict: "ok" }, { verdict: "ok" }],
        })),
      );
      expect(JSON.parse(readFileSync(join(work, "results.json"), "utf8"))).toEqual(recorded());
      expect(readFileSync(join(work, "report.html"), "utf8")).toMatch(/<svg/);
      expect(running()).toEqual([]);
      const packs = join(there, "packs");
      expect(readdirSync(packs)).toContainEqual(expect.stringMatching(/^node-/));
      const changed = (): string[] =>
        readdirSync(packs)
          .sort()
          .map((name) => `${name} ${statSync(join(packs, name)).ino}`);
      const before = changed();
      const second = bench(on, ["--baseline", "--promote", "ladders/one", "ladders/two"]);
      expect(second.stdout).toMatch(/one since \d{4}-/);
      expect(second.stdout).toMatch(/two n=5000 on emulated .* is promoted/);
      expect([0, 72]).toContain(second.status);
      expect(readFileSync(join(work, "ladders/two/promoted.json"), "utf8")).toContain('"n": 5000');
      expect(recorded()).toHaveLength(4);
      // Also not the winners that were written.
      expect(changed()).toEqual(before);
      writeFileSync(
        join(work, "ladders/two/1-naive.cu"),
        `${readFileSync(join(work, "ladders/two/1-naive.cu"), "utf8")}\n`,
      );
      expect(bench(on, ["--check", "--json", "ladders/one", "ladders/two"]).status).toBe(0);
      expect(changed().filter((name) => !before.includes(name))).toHaveLength(1);
    },
  );

  test("by IPv6, to a place below the home folder, on a machine that has gzip", async () => {
    const other = await startSshd([], ["gzip"]);
    const name = other.folder.slice(1).replaceAll("/", "_");
    const folder = join(homedir(), name);
    try {
      const run = spawnSync(
        process.execPath,
        [main, ...options(`ssh://[::1]:${other.port}/~/${name}`, "--check", "ladders/one")],
        { encoding: "utf8", cwd: work, env: { ...environment(), ...other.env } },
      );
      expect(run).toMatchObject({ status: 0, stderr: "" });
      expect(readdirSync(join(folder, "packs"))).toContainEqual(expect.stringMatching(/^node-/));
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await other.close();
    }
  });

  test("what is wrong there ends as it would here: 72 for a wrong version, 64 for a mistake, 69 without a GPU", () => {
    mkdirSync(join(work, "bad"), { recursive: true });
    spawnSync(process.execPath, [main, "new", "ladder", "wrong", "bad"], { cwd: work });
    const source = join(work, "bad/wrong/1-naive.cu");
    writeFileSync(source, readFileSync(source, "utf8").replace("i < n", "i < n - 1"));
    expect(bench(on, ["--check", "bad"])).toMatchObject({
      status: 72,
      stdout: expect.stringMatching(/1-naive is wrong: at n=1/),
    });
    expect(bench(on, ["--shape", "m=3", "ladders/one"])).toMatchObject({
      status: 64,
      stderr: expect.stringMatching(/^heddle: on 127\.0\.0\.1 port \d+: one has no size "m"\n {2}its sizes: n\n$/),
    });
    expect(bench(on, ["--device", "cuda", "ladders/one"])).toMatchObject({
      status: 69,
      stderr: expect.stringMatching(/^heddle: on 127\.0\.0\.1 port \d+: no GPU can be used here/),
    });
    expect(running()).toEqual([]);
  });

  test.each([
    [
      "a key that it does not know",
      { TEST_KEY: "stranger" },
      /cannot be reached: it does not let us in\n[\s\S]*Permission denied[\s\S]*ssh-copy-id/,
    ],
    [
      "a host that we do not know",
      { TEST_HOSTS: "none" },
      /its key is not known\n[\s\S]*Host key verification failed[\s\S]*compare it/,
    ],
    [
      "a host with another key than before",
      { TEST_HOSTS: "wrong_hosts" },
      /its key is not the one that is known\n[\s\S]*ssh-keygen -R "\[127\.0\.0\.1\]:\d+"/,
    ],
  ])("%s ends with 68", (_, env, stderr) => {
    expect(bench(on, ["ladders/one"], env)).toMatchObject({
      status: 68,
      stdout: "",
      stderr: expect.stringMatching(stderr),
    });
  });

  test("no sshd, no host, no ssh, no place, no room", async () => {
    expect(bench("ssh://127.0.0.1:1", ["ladders/one"])).toMatchObject({
      status: 68,
      stderr: expect.stringMatching(/nothing listens there[\s\S]*is 1 its port\?/),
    });
    expect(bench("ssh://nowhere.invalid", ["ladders/one"])).toMatchObject({
      status: 68,
      stderr: expect.stringMatching(/there is no host of this name/),
    });
    expect(bench(on, ["ladders/one"], { PATH: "/nowhere" })).toMatchObject({
      status: 68,
      stderr: expect.stringMatching(/there is no ssh on this machine/),
    });
    expect(bench(`ssh://127.0.0.1:${sshd.port}/proc/heddle`, ["ladders/one"])).toMatchObject({
      status: 74,
      stderr: expect.stringMatching(
        /has no folder \/proc\/heddle for us, and it cannot be made\n[\s\S]*ssh:\/\/host\/folder/,
      ),
    });
    // Files of 20 MB at most: neither Node.js nor the compiler can be stored.
    const narrow = await startSshd([`ForceCommand ulimit -f 40000; eval "$SSH_ORIGINAL_COMMAND"`]);
    try {
      const place = `ssh://127.0.0.1:${narrow.port}${narrow.folder}/small`;
      const env = { ...environment(), ...narrow.env };
      const full = spawnSync(process.execPath, [main, ...options(place, "ladders/one")], {
        encoding: "utf8",
        cwd: work,
        env,
      });
      expect(full).toMatchObject({
        status: 74,
        stderr: expect.stringMatching(/its compiler \(\d+\.\d MB\) cannot be stored on 127[\s\S]*is there room\?/),
      });
      expect(readdirSync(join(narrow.folder, "small/packs")).filter((name) => name.includes("part"))).toEqual([]);
    } finally {
      await narrow.close();
    }
  });

  test("a connection that is lost is taken up again: nothing is lost, nothing comes twice", async () => {
    second.hold();
    const run = start("ladders");
    await until(() => recorded().length >= 1);
    const pid = workerPid();
    for (const session of sshd.sessions()) process.kill(session, "SIGKILL");
    await until(() => run.stderr().includes("is lost; trying again in 1 s"));
    expect(isRunning(pid), "it goes on over there").toBe(true);
    second.release();
    expect(await run.ended).toBe(0);
    expect(recorded().map(({ ladder }) => ladder)).toEqual(["one", "three", "two"]);
    expect(run.stdout().match(/: y = a x/g)).toHaveLength(3);
    expect(running()).toEqual([]);
  });

  test("who is killed here, and starts again, gets what was measured meanwhile", async () => {
    second.hold();
    const run = start("--promote", "ladders");
    await until(() => recorded().length >= 1);
    const pid = workerPid();
    run.child.kill("SIGKILL");
    await run.ended;
    second.release();
    await until(() => !isRunning(pid));
    const before = readFileSync(join(work, file), "utf8");
    const again = bench(on, ["--promote", "ladders"]);
    expect(again).toMatchObject({ status: 0, stderr: "" });
    expect(again.stdout.match(/: y = a x/g)).toHaveLength(3);
    expect(readFileSync(join(work, file), "utf8").startsWith(before)).toBe(true);
    expect(recorded().map(({ ladder }) => ladder)).toEqual(["one", "three", "two"]);
    expect(running()).toEqual([]);
  });

  test("what cannot be recorded here ends it with a message; the machine keeps the result", () => {
    const promoted = join(work, "ladders/one/promoted.json");
    const before = existsSync(promoted) ? readFileSync(promoted) : null;
    writeFileSync(promoted, "{");
    const failed = bench(on, ["--promote", "ladders/one"]);
    expect(failed).toMatchObject({
      status: 74,
      stderr: expect.stringMatching(/^heddle: ladders\/one\/promoted\.json cannot be read\n {2}heddle bench --promote/),
    });
    rmSync(promoted);
    expect(bench(on, ["--promote", "ladders/one"])).toMatchObject({ status: 0, stderr: "" });
    if (before === null) rmSync(promoted);
    else writeFileSync(promoted, before);
  });

  test("a machine that goes down: it ends with 68, and later only what is missing is measured", async () => {
    second.hold();
    const run = start("ladders");
    await until(() => recorded().length >= 1);
    const pid = workerPid();
    await sshd.stop();
    process.kill(pid, "SIGKILL");
    second.release();
    expect(await run.ended).toBe(68);
    expect(run.stderr()).toMatch(
      /does not come back\n[\s\S]*1 finished results are recorded here[\s\S]*the same command/,
    );
    const [first] = recorded();
    await sshd.start();
    const again = bench(on, ["ladders"]);
    expect(again).toMatchObject({ status: 0, stderr: "" });
    expect(recorded().map(({ ladder }) => ladder)).toEqual(["one", "three", "two"]);
    // The very measurement of before the crash.
    expect(recorded()[0]).toEqual(first);
    expect(again.stdout).toContain(`--seed ${(first as unknown as { seed: number }).seed}\n`);
    // And a run that was finished is no memory: the next one measures.
    expect(bench(on, ["ladders/one"]).status).toBe(0);
    expect(recorded()[3]?.surroundings.time).not.toBe(first?.surroundings.time);
  });

  test("Ctrl-C stops it over there, too, and keeps what is finished", async () => {
    second.hold();
    const run = start("ladders");
    await until(() => recorded().length >= 1);
    const pid = workerPid();
    run.child.kill("SIGINT");
    // The signal is there before the measuring goes on.
    await after(1000);
    second.release();
    expect(await run.ended).toBe(130);
    expect(run.stderr()).toContain("interrupted; finished ladders are recorded");
    // It has said its last word, and ends.
    await until(() => !isRunning(pid), 10);
    expect(running()).toEqual([]);
    expect(recorded()).toHaveLength(1);
  });
});
