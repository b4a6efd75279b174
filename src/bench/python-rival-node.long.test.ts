/**
 * The adapter for rivals in Python, with a stand-in for PyTorch (test-torch/torch.py): requests and replies, what
 * functions may take and return, what is refused, and every way in which the other process can go astray. With PyTorch
 * itself it runs on a machine with a GPU (`heddle bench --device cuda`). Needs python3, as Debian's CI image and every
 * developer's machine here have.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { nodeEnvironment } from "../library/environment-node.ts";
import { createHeddle } from "../library/heddle.ts";
import { benchLadder } from "./bench-ladder.ts";
import { benchOptions } from "./bench-options.test-helper.ts";
import { uniform } from "../kernel-library/distributions.ts";
import { defineLadder, type Ladder, type PythonRival } from "../kernel-library/ladder.ts";
import { Interrupted } from "../measure/sampling.ts";
import { Python } from "./python-process-node.ts";
import { openPythonRival } from "./python-rival-node.ts";
import type { RivalResult } from "./results.ts";
import { openRival } from "./rivals-node.ts";
import { openBench } from "./open-bench.ts";
import type { Bench } from "./subject.ts";

const heddle = createHeddle(nodeEnvironment());
const folder = mkdtempSync(join(tmpdir(), "heddle-python-"));
const standIn = new URL("test-torch", import.meta.url).pathname;
const log = join(folder, "log");
let bench: Bench;

beforeAll(async () => {
  const gpu = await heddle.openDevice({ device: "emulated", workers: 1, reuse: false });
  bench = await openBench(gpu, heddle, availableParallelism());
  writeFileSync(join(folder, "helper.py"), "FACTOR = 3\n");
  writeFileSync(
    join(folder, "rivals.py"),
    `
import os, signal, sys, time
import torch
from helper import FACTOR

def right(x, n):
    print("this goes to standard error")
    assert n == len(x.values)
    return torch.tensor([FACTOR * value for value in x.values]), torch.tensor([sum(x.values)])

def named(x):
    return {"sum": torch.tensor([sum(x.values)]), "y": torch.tensor([FACTOR * value for value in x.values])}

def into(x, y, sum):
    for i, value in enumerate(x.values): y.values[i] = FACTOR * value
    total = 0
    for value in x.values: total += value
    sum.values[0] = total

def half_into(x, y, sum):
    into(x, y, sum)
    y.values[len(y.values) // 2:] = y.values[:(len(y.values) + 1) // 2]

def nothing(x, y, sum): pass
def old(x, kept={}):
    n = len(x.values)
    if n not in kept: kept[n] = right(x, n)
    return tuple(torch.tensor(tensor.values) for tensor in kept[n])
def kept_memory(x, kept={}):
    n = len(x.values)
    if n not in kept: kept[n] = right(x, n)
    return kept[n]
def right_when_small(x, n): return right(x, n) if n < 100 else (torch.tensor([0.0] * n), torch.tensor([0.0]))
def one(x): return torch.tensor(x.values)
def short(x): return torch.tensor([1.0, 1.0]), torch.tensor([1.0])
def a_view(x, n):
    y, total = right(x, n)
    y.contiguous_ = False
    return y, total
def the_input(x): return x, torch.tensor([1.0])
class Lazy(torch.Tensor):
    def view(self, how): return right(self.x, len(self.x.values))[0].view(how)
def lazy(x, n):
    y, total = right(x, n)
    y = Lazy([0.0] * n, torch.float32)
    y.x = x
    return y, total
def a_number(x): return 3
def patches_timers(x, n):
    time.perf_counter = lambda: 0
    time.time = lambda: 0
    time.sleep(0.002)
    return right(x, n)
def parameters(x, z): return x
def raises(x): return undefined_name
def exits(x): os._exit(3)
def killed(x):
    print("last words", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)
def hangs(x): time.sleep(1000)
`,
  );
  writeFileSync(join(folder, "needs_more.py"), "import a_module_that_nobody_has\n");
  writeFileSync(join(folder, "broken.py"), "def right(x:\n");
});
afterEach(() => void vi.unstubAllEnvs());
afterAll(() => {
  bench.gpu.close();
  rmSync(folder, { recursive: true });
});

const near = { absolute: 1e-3, relative: 1e-6, reason: "sums of a hundred floats below 2" };
const LADDER: Ladder = defineLadder({
  summary: "y = 3 x, and the sum of x",
  inputs: { x: { dtype: "float32", length: ({ n }) => n, values: uniform(1, 2), seed: 1 } },
  outputs: {
    y: { dtype: "float32", length: ({ n }) => n, tolerance: near },
    sum: { dtype: "float32", length: () => 1, tolerance: near },
  },
  reference: ({ x }) => ({
    y: x.map((value) => 3 * value),
    sum: Float64Array.of(x.reduce((sum, value) => sum + value, 0)),
  }),
  work: ({ n }) => ({ bytes: 8 * n, operations: n }),
  shapes: { check: [{ n: 1 }, { n: 33 }], time: { emulated: [{ n: 500 }], cuda: [] } },
  versions: { "1-v": { launch: ({ n }) => [{ kernel: "op", grid: 1, block: 1, args: ["x", "y", "sum", n] }] } },
});
const KERNEL =
  "__global__ void op(const float *x, float *y, float *sum, int n) { float s = 0; for (int i = 0; i < n; i++) { " +
  "y[i] = 3 * x[i]; s += x[i]; } *sum = s; }";

interface Around {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly device?: "cpu" | "cuda";
  readonly path?: string;
}

async function results(
  rivals: Readonly<Record<string, PythonRival>>,
  { signal = new AbortController().signal, timeoutMs = 60_000, device = "cpu", path = standIn }: Around = {},
): Promise<readonly RivalResult[]> {
  vi.stubEnv("PYTHONPATH", path);
  vi.stubEnv("STAND_IN_LOG", log);
  const python = new Python(signal, timeoutMs);
  try {
    const ladder = { ...LADDER, rivals };
    const result = await benchLadder(
      {
        name: "op",
        ladder,
        versions: [
          {
            name: "1-v",
            path: "1-v",
            idea: "",
            hash: "",
            declaration: ladder.versions["1-v"] as Ladder["versions"][string],
          },
        ],
      },
      { n: 500 },
      benchOptions(
        {
          open: async () => bench,
          load: (_, options) => heddle.compile(KERNEL, options),
          openRival: (declaration) =>
            openPythonRival(declaration as PythonRival, { python, folder, device, flushBytes: 64 }),
          signal,
        },
        6,
      ),
    );
    expect(result.versions).toMatchObject([{ verdict: "ok" }]);
    return result.rivals;
  } finally {
    python.close();
  }
}
const rival = (name: string, more: Partial<PythonRival> = {}): PythonRival => ({
  python: "rivals.py",
  function: name,
  ...more,
});

test("what a function returns, and what it writes, is checked and timed", async () => {
  const found = await results({ tuple: rival("right"), dict: rival("named"), written: rival("into") });
  for (const result of found)
    expect(result).toMatchObject({
      verdict: "ok",
      problem: null,
      description: "PyTorch 0.0-stand-in",
      timings: [{ ms: { samples: 6 } }],
      comparison: { wrong: 0 },
    });
  expect(found).toHaveLength(3);
});

test("torch.compile: for checks as it comes, for the timed shape anew", async () => {
  rmSync(log, { force: true });
  expect(await results({ compiled: rival("right", { compile: true }) })).toMatchObject([
    { verdict: "ok", description: "PyTorch 0.0-stand-in, torch.compile" },
  ]);
  expect(readFileSync(log, "utf8").trim().split("\n")).toEqual([
    "None 1 1",
    "None 2 33",
    ...Array.from({ length: 7 }, (_, i) => `False ${i + 1} 500`),
  ]);
});

const BAD: readonly [name: string, verdict: string, problem: RegExp][] = [
  ["nothing", "wrong", /at n=1: 2 of 2 elements are wrong; first y\[0\] = NaN/],
  ["half_into", "wrong", /at n=33/],
  ["old", "wrong", /in a timed launch: \d+ of \d+/],
  ["kept_memory", "wrong", /in a timed launch: 501 of \d+ elements are wrong; first y\[0\] = NaN/],
  ["right_when_small", "wrong", /in a timed launch: \d+ of \d+/],
  ["one", "failed", /neither returns sum nor has it as a parameter/],
  ["short", "failed", /y has 2 elements of .*, and should have 1 /],
  ["a_view", "failed", /y is not contiguous: a view of other memory is no result/],
  ["the_input", "failed", /y is the memory of another array/],
  ["lazy", "failed", /y is a Lazy, not a plain tensor/],
  ["a_number", "failed", /returned a int: it returns a tensor/],
  ["parameters", "failed", /a parameter z, which is neither an array nor a size of the ladder: x, y, sum, n/],
  ["raises", "failed", /rivals\.py:\d+: NameError: name 'undefined_name'/],
  ["missing", "failed", /rivals\.py has no function missing/],
  ["exits", "failed", /Python has ended with exit code 3/],
  ["killed", "failed", /Python has ended with SIGSEGV\nlast words/],
];

test("each way to go astray is told, and the next rival goes on", async () => {
  // After each of them an honest one, in the same process or in a new one.
  const found = await results(
    Object.fromEntries(
      BAD.flatMap(([name]) => [
        [name, rival(name)],
        [`after ${name}`, rival("into")],
      ]),
    ),
  );
  expect(found).toMatchObject(
    BAD.flatMap(([name, verdict, problem]) => [
      { rival: name, verdict, problem: expect.stringMatching(problem) },
      { rival: `after ${name}`, verdict: "ok", problem: null },
    ]),
  );
});

test("timers are those of before a rival was loaded", async () => {
  const [patched] = await results({ patched: rival("patches_timers") });
  expect(patched).toMatchObject({ verdict: "ok" });
  expect(patched?.timings[0]?.ms.min).toBeGreaterThan(2);
});

test("a file that does not compile is told with its line; one that needs what is not there is absent", async () => {
  expect(
    await results({
      broken: rival("right", { python: "broken.py" }),
      more: rival("right", { python: "needs_more.py" }),
      none: rival("right", { python: "none.py" }),
    }),
  ).toMatchObject([
    { verdict: "failed", problem: expect.stringMatching(/SyntaxError/) },
    {
      verdict: "absent",
      problem: expect.stringMatching(/needs_more\.py needs a_module_that_nobody_has, which .*python.* has not/),
    },
    { verdict: "failed", problem: expect.stringMatching(/none\.py/) },
  ]);
});

test("without Python, PyTorch or a GPU it is absent, which is no fault", async () => {
  expect(await results({ a: rival("right") }, { path: folder })).toMatchObject([
    { verdict: "absent", problem: expect.stringMatching(/has no PyTorch/) },
  ]);
  expect(await results({ a: rival("right") }, { device: "cuda" })).toMatchObject([
    { verdict: "absent", problem: expect.stringMatching(/sees no GPU/) },
  ]);
  vi.stubEnv("HEDDLE_PYTHON", "/nowhere/python");
  expect(await results({ a: rival("right") })).toMatchObject([
    { verdict: "absent", problem: "HEDDLE_PYTHON is /nowhere/python, which is not there" },
  ]);
});

test("who hangs is ended, and so is who is interrupted", async () => {
  expect(await results({ bad: rival("hangs"), good: rival("right") }, { timeoutMs: 4000 })).toMatchObject([
    { verdict: "failed", problem: "Python has not answered for 4 s" },
    { verdict: "ok" },
  ]);
  const controller = new AbortController();
  const running = results({ bad: rival("hangs") }, { signal: controller.signal });
  void after(500).then(() => controller.abort());
  await expect(running).rejects.toThrow(Interrupted);
  const left = (): string =>
    spawnSync("pgrep", ["-P", String(process.pid), "-f", "rival_adapter"], { encoding: "utf8" }).stdout;
  for (let turn = 0; turn < 20 && left() !== ""; turn++) await after(100);
  expect(left()).toBe("");
});

test("beside an emulated device there is none", async () => {
  expect(
    await openRival(rival("right"), {
      bench,
      folder,
      python: new Python(new AbortController().signal),
      openBlas: (gpu) => heddle.openBlas(gpu),
    }),
  ).toBeNull();
});
