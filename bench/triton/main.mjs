// Times Triton kernels beside CUDA kernels for the same work, on the emulated device or a GPU. `--help` says how.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { load, openDevice } from "../../dist/index.js";
import { loadTritonFile } from "../../dist/triton.js";

const HELP = `node bench/triton/main.mjs [OPTIONS]

Prints milliseconds of each side, the least of N samples (7), and CUDA's time divided by Triton's: above 1,
Triton is the faster. Samples of both sides take turns. Results are compared first.

  --samples N            default 7
  --only REGEX           cases whose name matches
  --device DEVICE        emulated (default) or cuda
  --cpu                  processor time instead of elapsed time, for a machine that does other things: every
                         side has one thread
  --interpreter PYTHON   a Python with triton and torch: the same kernels run in Triton's own interpreter, too,
                         the least of two launches each (minutes), and its time divided by ours is printed
  --json`;

const { values: options } = parseArgs({
  options: {
    samples: { type: "string", default: "7" },
    only: { type: "string", default: "" },
    cpu: { type: "boolean", default: false },
    interpreter: { type: "string", default: "" },
    device: { type: "string", default: "emulated" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(HELP);
  process.exit(0);
}

const device = await openDevice({ device: options.device, reuse: false, ...(options.cpu && { workers: 1 }) });
const cuda = await load(join(import.meta.dirname, "kernels.cu"), { device });
const triton = await loadTritonFile(join(import.meta.dirname, "kernels.py"), { device });

const random = (length) => device.array(Float32Array.from({ length }, () => Math.random() * 2 - 1));
const empty = (length) => device.array(length, "float32");

function rowKernel(name, rows, n, inputs) {
  const args = [random(rows * n), ...Array.from({ length: inputs }, () => random(n))];
  return {
    name: `${name} ${rows} × ${n}`,
    size: rows * n,
    cuda: (out) => [name, { grid: rows, block: 128 }, ...args, out, n],
    triton: (out) => [name, { grid: rows }, ...args, out, n, { BLOCK: 2 ** Math.ceil(Math.log2(n)) }],
  };
}

const n = 2 ** 20;
const [x, y] = [random(n), random(n)];
const heads = 4;
const [length, width] = [512, 64];
const [q, k, v] = [random(heads * length * width), random(heads * length * width), random(heads * length * width)];
const side = 512;
const [a, b] = [random(side * side), random(side * side)];
const CASES = [
  {
    name: "add 2^20",
    size: n,
    cuda: (out) => ["add", { grid: n / 256, block: 256 }, x, y, out, n],
    triton: (out) => ["add", { grid: n / 1024 }, x, y, out, n, { BLOCK: 1024 }],
  },
  rowKernel("softmax", 4096, 1024, 0),
  rowKernel("layer_norm", 4096, 1024, 2),
  ...[
    [64, 64, 32, 8],
    [32, 32, 32, 1],
  ].map(([M, N, K, numWarps]) => ({
    name: `matmul 512³ in ${M}×${N}×${K}`,
    size: side * side,
    cuda: (out) => ["matmul", { grid: [side / 64, side / 64], block: 256 }, a, b, out, side, side, side],
    triton: (out) => ["matmul", { grid: [side / M, side / N], numWarps }, a, b, out, side, side, side, { M, N, K }],
  })),
  ...[
    [64, 64, 8],
    [16, 32, 1],
  ].map(([ROWS, KEYS, numWarps]) => ({
    name: `attention 1×4×512×64 in ${ROWS}×${KEYS}`,
    size: heads * length * width,
    cuda: (out) => ["attention", { grid: [length / 32, heads], block: 128 }, q, k, v, out, length, 0.125],
    triton: (out) => [
      "attention",
      { grid: [length / ROWS, heads], numWarps },
      q,
      k,
      v,
      out,
      length,
      0.125,
      { ROWS, KEYS, D: width },
    ],
  })),
].filter(({ name }) => new RegExp(options.only).test(name));

/** Seconds of each case in Triton's interpreter; [] where none is asked for. */
function interpreted() {
  if (options.interpreter === "") return [];
  const cases = CASES.map(({ size, triton: tritonArgs }) => {
    const [kernel, { grid }, ...args] = tritonArgs({ length: size });
    const constants = args.pop();
    const values = args.map((value) => (typeof value === "object" ? { floats: value.length } : value));
    return { kernel, grid: [grid].flat(), args: values, constants };
  });
  const script = join(import.meta.dirname, "interpreter.py");
  const kernels = join(import.meta.dirname, "kernels.py");
  const args = [script, kernels, JSON.stringify(cases), options.cpu ? "cpu" : "elapsed"];
  const env = { ...process.env, ...(options.cpu && { OPENBLAS_NUM_THREADS: "1", OMP_NUM_THREADS: "1" }) };
  const { status, stdout, stderr } = spawnSync(options.interpreter, args, { encoding: "utf8", env });
  if (status !== 0) throw new Error(stderr);
  const { versions, seconds } = JSON.parse(stdout);
  console.error(`interpreter: triton ${versions[0]}, torch ${versions[1]}`);
  return seconds;
}

async function launchOf(program, [name, config, ...args]) {
  const kernel = await program.kernel(name);
  return async () => {
    const before = process.cpuUsage();
    const { elapsedMs } = await kernel.launch(config, ...args);
    if (!options.cpu) return elapsedMs;
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}

const results = [];
for (const { name, size, cuda: cudaArgs, triton: tritonArgs } of CASES) {
  const outputs = [empty(size), empty(size)];
  const sides = [await launchOf(cuda, cudaArgs(outputs[0])), await launchOf(triton, tritonArgs(outputs[1]))];
  const best = [Infinity, Infinity];
  for (let sample = 0; sample < Number(options.samples) + 2; sample++)
    for (const [i, launch] of sides.entries()) {
      const ms = await launch();
      if (sample >= 2) best[i] = Math.min(best[i], ms);
    }
  const [expected, actual] = await Promise.all(outputs.map((output) => output.read()));
  const wrong = actual.findIndex(
    (value, i) => !(Math.abs(value - expected[i]) <= 1e-4 * Math.max(1, Math.abs(expected[i]))),
  );
  if (wrong >= 0) throw new Error(`${name}: element ${wrong} is ${actual[wrong]}, CUDA has ${expected[wrong]}`);
  results.push({ name, cudaMs: best[0], tritonMs: best[1], ratio: best[0] / best[1] });
}
device.close();
for (const [i, seconds] of interpreted().entries()) {
  results[i].interpreterMs = 1000 * seconds;
  results[i].times = results[i].interpreterMs / results[i].tritonMs;
}
if (options.json) console.log(JSON.stringify(results, null, 1));
else
  for (const { name, cudaMs, tritonMs, ratio, interpreterMs, times } of results)
    console.log(
      `${name.padEnd(32)} CUDA ${cudaMs.toFixed(3)} ms   Triton ${tritonMs.toFixed(3)} ms   ${ratio.toFixed(2)}` +
        (times === undefined ? "" : `   interpreter ${interpreterMs.toFixed(0)} ms   ${times.toFixed(0)} ×`),
    );
