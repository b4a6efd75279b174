// What the library's users wait for, in a process of its own: node library-runner.mjs ORDER, an answer as JSON on
// stdout.
import { readFileSync, writeFileSync } from "node:fs";
import { highWater } from "./processes.mjs";

const dist = (path) => import(new URL(`../../dist/${path}`, import.meta.url));
const order = JSON.parse(process.argv[2]);

/** A kernel that is new each time, to its first launch. */
async function library({ program, samples }) {
  const { compile } = await dist("index.js");
  // Device code only: the library's user has no main().
  const source = program.slice(0, program.indexOf("int main()"));
  const milliseconds = [];
  for (let i = 0; i < samples + 3; i++) {
    const text = source.replace(/#define SCALE .*/, `#define SCALE ${process.pid}${i}`);
    const started = performance.now();
    const compiled = await compile(text);
    const kernel = await compiled.kernel("fill");
    const data = compiled.device.array(new Float32Array(4096));
    await kernel.launch({ grid: 16, block: 256 }, data, 4096, 0.5);
    if (i >= 3) milliseconds.push(performance.now() - started); // warm
  }
  return { milliseconds };
}

/** Memory of a launch that reads and writes all of its data. */
async function launch({ megabytes }) {
  const { compile } = await dist("index.js");
  const compiled = await compile(
    "__global__ void scale(float *x, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += " +
      "gridDim.x * blockDim.x) x[i] = 2 * x[i] + i; }",
  );
  const kernel = await compiled.kernel("scale");
  const small = compiled.device.array(1024, "float32");
  await kernel.launch({ grid: 4, block: 256 }, small, 1024);
  // Forget the compiler's peak (Linux, proc_pid_clear_refs(5)): what is left is what the process holds now.
  writeFileSync("/proc/self/clear_refs", "5");
  const before = highWater(process.pid);
  const count = megabytes * 250_000;
  const data = compiled.device.array(count, "float32");
  await kernel.launch({ grid: 4096, block: 256 }, data, count);
  return { megabytes: highWater(process.pid) - before };
}

/** Each file once, for the compiler to be warm; the slowest of a second round `samples` times. */
async function files({ files: paths, includePaths, samples }) {
  const [{ nodeClangResources, nodeSourceReader }, { createCompiler }, { openNodeStore }] = await Promise.all(
    ["frontend/clang/clang-loader-node.js", "frontend/clang/compile.js", "frontend/clang/prebuilt-node.js"].map(dist),
  );
  const compiler = await createCompiler({ resources: nodeClangResources(), store: openNodeStore() });
  let run = 0;
  const compileOnce = async (path) => {
    const text = `${readFileSync(path, "utf8")}\n// ${process.pid} ${run++}\n`;
    const started = performance.now();
    await compiler.compileProgram([{ path, text }], { includePaths }, nodeSourceReader);
    return performance.now() - started;
  };
  const compilable = [];
  for (const path of paths) {
    try {
      await compileOnce(path);
      compilable.push(path);
    } catch (error) {
      console.error(`not measured: ${error.message}`);
    }
  }
  let slowest = { path: "", ms: 0 };
  for (const path of compilable) {
    const ms = await compileOnce(path);
    if (ms > slowest.ms) slowest = { path, ms };
  }
  const milliseconds = [];
  for (let i = 0; i < samples; i++) milliseconds.push(await compileOnce(slowest.path));
  return { slowest: slowest.path, milliseconds };
}

process.stdout.write(JSON.stringify(await { library, launch, files }[order.kind](order)), () => process.exit());
