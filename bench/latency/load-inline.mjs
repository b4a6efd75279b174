// Times `loadInline` of the lecture's snippet, in a process of its own: from the call to the first result with an empty
// cache, with a full one, and a call. `node bench/latency/load-inline.mjs [--device cuda] [--times 3]`
// Each row has wall-clock time and the processor time of all threads: on a busy machine the first says little.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    device: { type: "string", default: "emulated" },
    times: { type: "string", default: "3" },
    inner: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(`node bench/latency/load-inline.mjs [--device emulated|cuda] [--times 3]
Times loadInline of the lecture's snippet with an empty cache, then unchanged, then a call. Needs npm run build.`);
  process.exit();
}

const CUDA_SOURCES = readFileSync(new URL("square-matrix.cu", import.meta.url), "utf8");

/** Seconds of wall clock and of processor since `start`. */
function since({ wall, processor }) {
  const { user, system } = process.cpuUsage(processor);
  return { wall: (performance.now() - wall) / 1e3, processor: (user + system) / 1e6 };
}
const now = () => ({ wall: performance.now(), processor: process.cpuUsage() });

async function measure() {
  const { loadInline, openTensors } = await import("../../dist/lib/tensor.js");
  const torch = await openTensors({ device: values.device });
  const matrix = torch.tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  matrix.add(matrix).toArray(); // the device is open and has run something
  const started = now();
  const extension = await loadInline({
    name: "square_matrix_extension",
    cppSources: "torch::Tensor square_matrix(torch::Tensor matrix);",
    cudaSources: CUDA_SOURCES,
    functions: ["square_matrix"],
    device: torch.device,
  });
  const loaded = since(started);
  const result = extension.square_matrix(matrix).toArray().join(" ");
  const first = since(started);
  if (result !== "1 4 9 16 25 36") throw new Error(`a wrong result: ${result}`);
  const CALLS = 1000;
  const thousand = () => {
    const called = now();
    for (let i = 0; i < CALLS; i++) extension.square_matrix(matrix);
    return (since(called).wall / CALLS) * 1e6;
  };
  thousand();
  const call = thousand();
  // V8 compiles what runs often beside the first thousands of calls.
  for (let i = 0; i < 20; i++) thousand();
  const later = Array.from({ length: 5 }, thousand).sort((a, b) => a - b)[2];
  process.stdout.write(JSON.stringify({ loaded, first, call, later }), () => process.exit());
}

function main() {
  const seconds = ({ wall, processor }) => `${wall.toFixed(2)} s (processor ${processor.toFixed(2)})`;
  for (let i = 0; i < Number(values.times); i++) {
    const cache = mkdtempSync(join(tmpdir(), "heddle-inline-"));
    try {
      for (const what of ["cold     ", "unchanged"]) {
        const { stdout, stderr, status } = spawnSync(
          process.execPath,
          [import.meta.filename, "--inner", "--device", values.device],
          { env: { ...process.env, HEDDLE_CACHE_DIR: cache }, encoding: "utf8" },
        );
        if (status !== 0) throw new Error(stderr);
        const { loaded, first, call, later } = JSON.parse(stdout);
        console.log(
          `${what}  loaded ${seconds(loaded)}, first result ${seconds(first)}, ` +
            `a call ${call.toFixed(1)} µs after 1000 calls, ${later.toFixed(1)} µs after 22,000`,
        );
      }
    } finally {
      rmSync(cache, { recursive: true });
    }
  }
}

if (values.inner) await measure();
else main();
