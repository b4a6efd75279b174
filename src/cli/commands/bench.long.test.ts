/** `heddle bench` and `heddle new` as a user meets them. Needs dist/ (npm test builds it first). */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const main = new URL("../../../dist/bin/main.js", import.meta.url).pathname;
let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "heddle-bench-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

const environment = { ...process.env, NO_COLOR: "1", HEDDLE_WORKERS: "1" };
const heddle = (...args: string[]) =>
  spawnSync(process.execPath, [main, ...args], { encoding: "utf8", cwd: directory, env: environment });

test("a new ladder runs: table, JSON, page, history and baseline", () => {
  expect(heddle("new", "ladder", "scale-it")).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("heddle bench kernels/scale-it"),
  });
  expect(heddle("new", "ladder", "scale-it")).toMatchObject({
    status: 64,
    stderr: expect.stringContaining("is there already"),
  });
  const run = (...more: string[]) => heddle("bench", "--shape", "n=5000", ...more);
  const first = run("-o", "report.html", "--json=results.json", "--only", "coarsened");
  expect(first).toMatchObject({ status: 0, stderr: "" });
  expect(first.stdout).toMatch(
    /scale-it: y = a x\nn=5000.*\nversion +configuration +median[^\n]*\n2-coarsened +BLOCK=\d+ PER_THREAD=\d [^\n]*\n/,
  );
  const [record] = JSON.parse(readFileSync(join(directory, "results.json"), "utf8")) as {
    versions: { trials: unknown[]; verdict: string }[];
  }[];
  expect(record?.versions[0]).toMatchObject({
    verdict: "ok",
    idea: expect.stringMatching(/^PER_THREAD elements a thread/),
  });
  expect(record?.versions[0]?.trials).toHaveLength(9);
  expect(readFileSync(join(directory, "report.html"), "utf8")).toMatch(/<svg[\s\S]*9 configurations/);
  // An impossible earlier time makes every later one slower.
  const file = join(directory, ".heddle/bench.jsonl");
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(/"(median|low|high|min)":[\d.e-]+/g, '"$1":1e-9'));
  const again = run("--no-sweep", "--baseline", "--json");
  expect(again).toMatchObject({ status: 72, stderr: expect.stringMatching(/2-coarsened .* slower: \d+/) });
  expect(JSON.parse(again.stdout)).toHaveLength(1);
  expect(heddle("bench", "--history")).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/scale-it n=5000[^\n]*\n(.*coarsened.*\n){2}$/),
  });
});

test("--profile counts what each version makes a GPU do, and keeps none of it in the file of results", () => {
  heddle("new", "ladder", "counted", "profiled");
  const run = (...more: string[]) =>
    heddle("bench", "--profile", "--no-sweep", "--shape", "n=65536", "--results", "counted.jsonl", ...more, "profiled");
  const { status, stdout } = run("--json=counted.json", "-o", "counted.html");
  const [about, , naive] = stdout.slice(stdout.indexOf("what a GPU does")).split("\n");
  expect({ status, about, naive }).toEqual({
    status: 0,
    about: expect.stringContaining("(counted at n=65536, by the rules of an NVIDIA A100-SXM4-40GB;"),
    naive: expect.stringMatching(/^1-naive .* 4\.0 .* 32\.0 +100 %$/),
  });
  const [record] = JSON.parse(readFileSync(join(directory, "counted.json"), "utf8")) as {
    versions: { profile: { shape: object; launches: { metrics: Record<string, number> }[] } }[];
  }[];
  expect(record?.versions.map(({ profile }) => [profile.shape, profile.launches.length])).toEqual([
    [{ n: 65536 }, 1],
    [{ n: 65536 }, 1],
  ]);
  expect(record?.versions[0]?.profile.launches[0]?.metrics).toMatchObject({
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 8192,
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum": 65536,
  });
  expect(readFileSync(join(directory, "counted.jsonl"), "utf8")).not.toContain("l1tex__");
  const page = readFileSync(join(directory, "counted.html"), "utf8");
  expect(page).toMatch(/<a href="#(ladder-1-2-kernel-1)">2-coarsened<\/a>[\s\S]*<section id="\1">[\s\S]*gridDim\.x/);
});

test("the registers of a warpgroup's product are no local memory", () => {
  const { status, stdout } = heddle("bench", "--check", "--profile", "--only", "6-wgmma", "kernels/matmul-bf16");
  expect(status).toBe(0);
  expect(stdout).toMatch(/^6-wgmma +/m);
  expect(stdout).not.toContain("local memory");
});

test("a size may be 0 where one of the ladder's own is", () => {
  heddle("new", "ladder", "flagged", "flagged");
  const file = join(directory, "flagged/flagged/flagged.ladder.ts");
  writeFileSync(file, readFileSync(file, "utf8").replace(/\{ n: ([^}]+?) \}/g, "{ n: $1, causal: 0 }"));
  expect(heddle("bench", "--no-sweep", "--shape", "n=500,causal=0", "flagged")).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("n=500 causal=0"),
  });
  expect(heddle("bench", "--shape", "n=0", "flagged")).toMatchObject({
    status: 64,
    stderr: expect.stringMatching(/flagged needs "n" of at least 1\n {2}its own sizes: n=1 causal=0; /),
  });
});

test("a wrong version is told, and the others are timed", () => {
  heddle("new", "ladder", "wrong", "other");
  const folder = join(directory, "other/wrong");
  writeFileSync(
    join(folder, "1-naive.cu"),
    readFileSync(join(folder, "1-naive.cu"), "utf8").replace("i < n", "i < n - 1"),
  );
  const { status, stdout } = heddle("bench", "--check", "other");
  expect({ status, stdout }).toMatchObject({
    status: 72,
    stdout: expect.stringMatching(
      /1-naive is wrong: at n=1 with BLOCK=256: 1 of 1 elements are wrong; first y\[0\] = NaN, expected/,
    ),
  });
  expect(stdout).toMatch(/2-coarsened +right/);
  writeFileSync(join(folder, "1-naive.cu"), "__global__ void wrong() {}");
  expect(heddle("bench", "other")).toMatchObject({
    status: 64,
    stderr: expect.stringContaining("does not say what it changes"),
  });
});

test("blocks that wait for one another are launched together where the ladder says so", () => {
  const folder = join(directory, "together/sum");
  mkdirSync(folder, { recursive: true });
  const source = `// One launch: blocks add up their parts, wait for one another, and the first one adds up those.
#include <cooperative_groups.h>
__global__ void sum(const int *x, int *parts, int *y, int n) {
  int part = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) part += x[i];
  for (int offset = 16; offset > 0; offset /= 2) part += __shfl_xor_sync(0xffffffff, part, offset);
  if (threadIdx.x == 0) parts[blockIdx.x] = part;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  for (int b = 1; b < gridDim.x; b++) part += parts[b];
  *y = part;
}
`;
  for (const version of ["1-alone", "2-together"]) writeFileSync(join(folder, `${version}.cu`), source);
  writeFileSync(
    join(folder, "sum.ladder.ts"),
    `import { defineLadder, integers, type Ladder, type LaunchStep } from "heddle/ladder";
const step = (n: number): LaunchStep => ({ kernel: "sum", grid: 4, block: 32, args: ["x", "parts", "y", n] });
const ladder: Ladder = defineLadder({
  summary: "the sum of n integers",
  inputs: { x: { dtype: "int32", length: ({ n }) => n, values: integers(-9, 9), seed: 1 } },
  outputs: { y: { dtype: "int32", length: () => 1, tolerance: { absolute: 0, relative: 0, reason: "integers" } } },
  scratch: { parts: { dtype: "int32", length: () => 4 } },
  reference: ({ x }) => ({ y: Float64Array.of(x.reduce((sum, value) => sum + value, 0)) }),
  work: ({ n }) => ({ bytes: 4 * n, operations: n }),
  shapes: { check: [{ n: 1 }, { n: 1000 }], time: { emulated: [{ n: 4096 }], cuda: [] } },
  versions: {
    "1-alone": { launch: ({ n }) => [step(n)] },
    "2-together": { launch: ({ n }) => [{ ...step(n), cooperative: true }] },
  },
});
export default ladder;
`,
  );
  const { status, stdout } = heddle("bench", "--check", "together");
  expect({ status, stdout }).toMatchObject({ status: 72, stdout: expect.stringMatching(/2-together +right/) });
  expect(stdout).toMatch(/1-alone failed: [\s\S]*wait for the grid barrier at [^\n]*1-alone\.cu:8/);
});

test("what is promoted is what openKernels takes, for the shapes that are near", () => {
  heddle("new", "ladder", "chosen", "promoted");
  expect(heddle("bench", "--promote", "--check", "promoted")).toMatchObject({
    status: 64,
    stderr: expect.stringContaining("--promote"),
  });
  const results = join(directory, "promoted.jsonl");
  expect(heddle("bench", "--promote", "--results", results, "--shape", "n=5000", "promoted")).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      /chosen n=5000 on emulated NVIDIA [^:\n]+: \d-\w+ BLOCK=\d+( PER_THREAD=\d)? is promoted\n$/,
    ),
  });
  const file = join(directory, "promoted/chosen/promoted.json");
  const first = readFileSync(file, "utf8");
  const {
    winners: [winner],
  } = JSON.parse(first) as {
    winners: { version: string; configuration: Record<string, number>; shape: { n: number } }[];
  };
  expect(winner).toMatchObject({ shape: { n: 5000 }, device: { kind: "emulated" } });
  // From what was kept, it is the same file.
  rmSync(file);
  expect(heddle("bench", "--history", "--promote", "--results", results, "promoted")).toMatchObject({
    status: 0,
    stderr: expect.stringContaining("is promoted"),
  });
  expect(readFileSync(file, "utf8")).toBe(first);
  // Another one for small shapes: the version that did not win, and a configuration that is no default.
  const small = { ...winner, shape: { n: 10 }, version: "1-naive", configuration: { BLOCK: 512 } };
  writeFileSync(file, JSON.stringify({ format: 1, winners: [winner, small] }));
  const use = join(directory, "use.mjs");
  writeFileSync(
    use,
    `import { openDevice, openKernels } from ${JSON.stringify(new URL("../../../dist/index.js", import.meta.url).href)};
    const device = await openDevice({ device: "emulated", workers: 1 });
    const kernels = openKernels(device, { folder: "promoted" });
    const x = device.array(Float32Array.from({ length: 5000 }, (_, i) => i));
    const y = await kernels.chosen(x);
    const into = device.array(12, "float32");
    await kernels.run("chosen", { n: 12 }, { x, y: into });
    const said = [];
    for (const call of [
      () => kernels.run("other", { n: 1 }, { x }),
      () => kernels.run("chosen", { n: 5001 }, { x }),
      () => kernels.run("chosen", { m: 1 }, { x }),
      () => kernels.run("chosen", { n: 1 }, {}),
      () => kernels.run("chosen", { n: 1 }, { x, z: x }),
    ]) await call().catch((error) => said.push(error.message));
    console.log(JSON.stringify({
      names: kernels.names, last: [...await y.read(4998)], all: [...await into.read()],
      near: await kernels.choice("chosen", { n: 9000 }), small: await kernels.choice("chosen", { n: 12 }), said,
    }));
    await kernels.close();
    device.close();`,
  );
  const { stdout, stderr } = spawnSync(process.execPath, [use], { encoding: "utf8", cwd: directory, env: environment });
  expect(stderr).toBe("");
  const got = JSON.parse(stdout) as { said: string[] };
  expect(got).toMatchObject({
    names: ["chosen"],
    last: [4998 * 2.5, 4999 * 2.5],
    all: Array.from({ length: 12 }, (_, i) => 2.5 * i),
    near: { version: winner?.version, configuration: winner?.configuration, winner: { shape: { n: 5000 } } },
    small: { version: "1-naive", configuration: { BLOCK: 512 }, winner: { shape: { n: 10 } } },
  });
  expect(got.said).toEqual([
    expect.stringContaining("no ladder other"),
    expect.stringMatching(/needs 5001 elements of float32 for "x", not 5000/),
    expect.stringMatching(/by the names n$/),
    expect.stringMatching(/needs an array "x"/),
    expect.stringMatching(/no array "z"/),
  ]);
  // A kernel that is another one now was not measured.
  const source = join(directory, "promoted/chosen", `${winner?.version}.cu`);
  writeFileSync(source, `${readFileSync(source, "utf8")}\n`);
  expect(heddle("bench", "--history", "--promote", "--results", results, "promoted").stderr).toMatch(
    /has changed since it was measured/,
  );
});

test.each([
  [["bench", "nowhere"], 66, /no file or folder nowhere/],
  [["bench", "--frobnicate"], 64, /--frobnicate/],
  [["bench", "-o", "report.pdf"], 64, /does not end in .html/],
  [["bench", "--history", "--results", "none.jsonl"], 66, /no results/],
  [["new", "kernel", "x"], 64, /heddle new ladder NAME/],
])("heddle %s ends with %i", (args, status, stderr) => {
  expect(heddle(...args)).toMatchObject({ status, stderr: expect.stringMatching(stderr) });
});

test("Ctrl-C ends it with 130", async () => {
  heddle("new", "ladder", "long", "third");
  const child = spawn(process.execPath, [main, "bench", "--json", "--sweep-again", "third"], {
    cwd: directory,
    env: environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  child.stderr.on("data", (data: Buffer) => {
    // The first line comes when the device is open.
    if (text === "") child.kill("SIGINT");
    text += data.toString();
  });
  expect(await new Promise((done) => child.on("close", done))).toBe(130);
  expect(text).toContain("interrupted");
});

test("Ctrl-C does not wait for a launch that takes minutes", async () => {
  heddle("new", "ladder", "endless", "fourth");
  const [first = ""] = readdirSync(join(directory, "fourth/endless")).filter((name) => name.startsWith("1-"));
  const source = readFileSync(join(directory, "fourth/endless", first), "utf8");
  // A launch of the emulated device blocks the thread that makes it.
  const body = /__global__[^{]*\{/;
  expect(source).toMatch(body);
  const loop = "\n  for (volatile long long i = 0; i < 1000000000000; i = i + 1) ;\n";
  writeFileSync(
    join(directory, "fourth/endless", first),
    source.replace(body, (begin) => begin + loop),
  );
  const child = spawn(process.execPath, [main, "bench", "--only", "1-", "fourth"], {
    cwd: directory,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  let interrupted = 0;
  child.stdout.once("data", () =>
    setTimeout(() => {
      interrupted = Date.now();
      child.kill("SIGINT");
    }, 1500),
  );
  child.stderr.on("data", (data: Buffer) => (text += data.toString()));
  // On a machine with other work the launch may not end in time, and then the signal ends the process: 130 in a shell.
  const status = await new Promise((done) =>
    child.on("close", (code, signal) => done(signal === "SIGINT" ? 130 : code)),
  );
  expect(status).toBe(130);
  // The launch would take for ever. Seconds pass on a machine with other work.
  expect(Date.now() - interrupted).toBeLessThan(20_000);
  expect(text).toContain("interrupted");
});
