// How results of rounds are read and judged, with lines as programs print them.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { casesOf } from "../compat/cudnn-samples.mjs";
import { distances } from "./differential/compare.mjs";
import { formatted, putRow, rowOf } from "./kernel-rows.mjs";
import { judgePrinted } from "./printed.mjs";
import captures, { differences, outcomesOf } from "./rounds/captures.mjs";
import { costs } from "./rounds/hand-over.mjs";
import { bandwidths } from "./rounds/nccl.mjs";
import rf, { firstDifference, modesOf } from "./rounds/rf.mjs";

const FIGURES = readFileSync(new URL("../../docs/lab/kernels-h200.json", import.meta.url), "utf8");

test("the figures of kernels are written as they are read", () => {
  expect(formatted(JSON.parse(FIGURES))).toBe(FIGURES);
});

const timing = (ms) => [{ cache: "cold", ms: { median: ms }, limitMs: 0.5, limitedBy: "operations" }];
const RECORD = {
  ladder: "attention-forward",
  summary: "attention",
  shape: { batch: 4, heads: 16, length: 4096, causal: 1 },
  work: { bytes: 1e6, operations: 7e11 },
  versions: [
    { version: "1-naive", verdict: "ok", timings: timing(5), configuration: null },
    { version: "2-fused", verdict: "ok", timings: timing(1), configuration: { KEYS: 128 } },
    { version: "3-wrong", verdict: "wrong", timings: timing(0.1), configuration: null },
  ],
  rivals: [
    { rival: "cuDNN", verdict: "ok", timings: timing(1.4) },
    { rival: "absent", verdict: "absent", timings: [] },
  ],
};

test("a bench's record becomes the row of its shape, and keeps the row's words", () => {
  const row = rowOf(RECORD);
  expect(row).toMatchObject({
    title: "attention-forward, causal",
    version: "2-fused",
    speed: "700 TFLOP/s",
    share: 50,
    rival: { name: "cuDNN", speed: "500 TFLOP/s" },
    note: "KEYS=128. 1000 µs; cuDNN 1400.",
  });
  const figures = JSON.parse(FIGURES);
  const count = figures.kernels.length;
  putRow(figures, { ...row, run: 99 });
  expect(figures.kernels.length).toBe(count);
  expect(figures.kernels.find(({ title }) => title === "attention-forward, causal")).toMatchObject({
    shape: "batch 4, 16 heads, length 4096, head size 128",
    speed: "700 TFLOP/s",
    run: 99,
  });
  putRow(figures, { ...rowOf({ ...RECORD, ladder: "attention-new" }), run: 99 });
  expect(figures.kernels.length).toBe(count + 1);
});

test("costs of calls are the lower quartile of the turns", () => {
  const files = { "native-1.txt": "axpy 9 2.9\n", "native-2.txt": "axpy 3.5 3\n", "native-3.txt": "axpy 3.0 3\n" };
  const step = { file: (name) => files[name] ?? null };
  expect(costs(step, "native")).toEqual(new Map([["axpy", 3]]));
  expect(costs(step, "heddle")).toEqual(new Map());
});

test("a case whose function a library does not have counts apart", () => {
  const cases = ["bsrxmv 0", "Xgebsr2csr 0", "bsrxmv 1", "bsrxmv 2"];
  const [theirs, ours] = [
    ["0 1 2", "absent", "10:1", "0 1"],
    ["0 1 2", "0 3", "10:2", "0 2"],
  ];
  expect(distances("blocks", cases, theirs, ours)).toMatchObject({
    absent: 1,
    different: 2, // another call refused; another number
    operations: { bsrxmv: { cases: 3, computed: 2, statuses: 2, near: 1 } },
  });
});

test("bandwidths of our program and of nccl-tests", () => {
  const ours = "ranks 2, version 22803\n     1048576 bytes      19.50 us    53.77 GB/s bus, 0 wrong\n";
  const tests =
    "     1048576        262144     float     sum      -1    15.60   67.22   67.22      0    15.5  67.6  67.6  0\n";
  expect(bandwidths(ours + tests)).toEqual([
    { bytes: 1048576, microseconds: 19.5, bus: 53.77, wrong: 0 },
    { bytes: 1048576, microseconds: 15.6, bus: 67.22, wrong: 0 },
  ]);
});

test("errors of singular values have the bound of their method", () => {
  const near = (operation, error) => {
    const { operations } = distances("solver", [`${operation} 0 4 4`], [`0 0 ${error} 2.5`], ["0 0 1 2.5"]);
    return operations[operation].near;
  };
  expect([near("gesvdj", 23), near("gesvdj", 36), near("gesvd", 9), near("gesvd", 23)]).toEqual([1, 0, 1, 0]);
});

test("modes of cusolverRf are compared call by call", () => {
  const text = "single format 0\ncusolverRfCreate 0\nx 1 2.5\nL values 1 0.5\nright L 1 0\nend\nexit 139 of 1 0 1\n";
  const lines = modesOf(text).get("single format 0");
  expect(lines).toEqual([
    ["cusolverRfCreate", [0]],
    ["x", [1, 2.5]],
    ["L values", [1, 0.5]],
  ]);
  expect(firstDifference(lines, lines)).toBeNull();
  expect(firstDifference([["cusolverRfCreate", [3]]], lines)).toBe("cusolverRfCreate: 3; Heddle's 0");
});

test("a batch that ends NVIDIA's process is compared up to there", () => {
  const lines = ["batch format 0 diagonal 1 count 2", "cusolverRfCreate 0", "cusolverRfBatchSetupHost 0"];
  const step = (text) => ({ machine: {}, file: () => text });
  const judged = (theirs) => {
    const ours = step(`${lines.join("\n")}\ncusolverRfBatchAnalyze 0\nend\nexit 0 of 0 1 2\n`);
    const steps = new Map([
      ["nvidia", step(theirs)],
      ["handed-over", ours],
      ["emulated", ours],
    ]);
    return rf.take({ steps, save() {} }).wrong;
  };
  const ended = "Segmentation fault\nexit 139 of 0 1 2\n";
  expect(judged(`${lines.join("\n")}\n${ended}`)).toEqual([]);
  expect(judged(`${lines.join("\n").replace("Host 0", "Host 3")}\n${ended}`)).toHaveLength(1);
  expect(judged(`${lines.slice(0, 2).join("\n")}\n${ended}`)).toHaveLength(1);
});

test("lines of a program on a GPU are compared with the emulated device's", () => {
  const step = (out, status = 0) => ({ out, err: "", status });
  const steps = new Map([
    ["tiles.gpu", step("0 load 1\n1 load 2\n2 cases, 0 wrong\n")],
    ["tiles.nvcc", step("NO GPU", 77)],
    ["tiles.emulated", step("0 load 1\n1 load 3\n2 cases, 0 wrong\n")],
  ]);
  expect(judgePrinted(steps, "tiles", /^2 cases, 0 wrong$/)).toEqual({
    counts: { gpu: { lines: 3, same: 2 } },
    wrong: ["tiles.gpu, line 2: 1 load 2; emulated: 1 load 3"],
  });
});

test("cases of Catch2's report, of a program that ended in one", () => {
  const report = `<TestCase name="a &amp; b" filename="/x/samples/cpp/misc/one.cpp" line="3">
    <Expression success="true"><Original>1</Original></Expression><OverallResult success="true"/></TestCase>
    <TestCase name="skips" filename="/x/samples/cpp/misc/one.cpp"><Skip>needs
    Blackwell</Skip><OverallResult success="true" skips="1"/></TestCase>
    <TestCase name="fails" filename="/x/samples/cpp/norm/two.cpp">
    <Expression success="false"><Original>x == 0</Original></Expression><OverallResult success="false"/></TestCase>
    <TestCase name="ends" filename="/x/samples/cpp/norm/two.cpp">`;
  expect(casesOf(report, 139)).toEqual({
    "misc/one.cpp": { "a & b": { status: "passed" }, skips: { status: "skipped", said: "needs Blackwell" } },
    "norm/two.cpp": {
      fails: { status: "failed", said: "x == 0" },
      ends: { status: "failed", said: "the program ended (139)" },
    },
  });
});

test("floats may be TF32 in Winograd's products of 5 x 5 alone", () => {
  const winograd = "fwd 0 0 1 1 8 8 1 5 5 2 1 1 1 1 7 0 1";
  const cases = [winograd, winograd.replace(" 5 5 ", " 3 3 "), winograd.replace(" 1 7 0 1", " 1 1 0 1"), winograd];
  const near = ["0 1 2 8", "0 1 2 8", "0 1 2 8", "0 nan 2 8"];
  const far = ["0 1.01 2 8", "0 1.01 2 8", "0 1.01 2 8", "0 nan 2 8.1"];
  const { operations, different } = distances("dnn", cases, near, far);
  expect(operations.fwd).toMatchObject({ cases: 4, statuses: 4, computed: 4, near: 1 });
  expect(different).toBe(3);
});

test("calls in captures are compared by call and mode, also behind one that ends the process", () => {
  const DONE = "CUFFT_SUCCESS, capture active, end cudaSuccess, nodes no";
  const nvcc = `cufft Create global: ${DONE}\ncufft Create global, blocking stream: ended with 139\nDONE\n`;
  const gpu = nvcc.replace("ended with 139", DONE);
  const all = { nvcc: outcomesOf(nvcc), gpu: outcomesOf(gpu), emulated: outcomesOf(`cufft Create global: ${DONE}\n`) };
  const call = "cufft Create global, blocking stream";
  expect([...all.nvcc.keys()]).toEqual(["cufft Create global", call]);
  expect(differences(all, [["cufft Create", ["gpu"], "a crash"]])).toEqual([
    {
      call,
      nvcc: "ended with 139",
      gpu: DONE,
      emulated: "no line",
      reasons: { gpu: "a crash", emulated: null },
    },
  ]);
  const step = (text, ends) => ({
    machine: {},
    file: (name) => {
      if (name === "cufft.txt") return text;
      return name === ends ? "nothing" : "DONE\n";
    },
  });
  const steps = new Map([
    ["nvcc", step(nvcc)],
    ["gpu", step(nvcc, "nccl.txt")],
    ["emulated", step(gpu)],
  ]);
  const { wrong } = captures.take({ steps, save() {} });
  expect(wrong).toEqual([
    "gpu: nccl did not come to its end",
    `emulated: ${call}: ${DONE}; nvcc's program: ended with 139`,
  ]);
});
