// Replays recorded launches, one a line of input: {"folder", "mode", "exact"}; writes a line of JSON for each.
import { readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Gpu } from "../../../dist/library/gpu.js";
import { nodeEnvironment } from "../../../dist/library/environment-node.js";
import { ScriptFunction } from "../../../dist/python/script-function.js";
import { tritonArgument } from "../../../dist/python/triton-values.js";
import { compareLaunch, compareWithExact } from "./compare.mjs";
import { exactPointers, exactRun } from "./exact.mjs";

const decodeNumbers = (value) => {
  if (Array.isArray(value)) return value.map(decodeNumbers);
  if (value === null) return undefined;
  if (typeof value !== "object") return value;
  if ("$n" in value) return BigInt(value.$n);
  if ("$f" in value) return Number(value.$f.replace("inf", "Infinity"));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, decodeNumbers(item)]));
};

/** Lists name functions by their place in the table. */
function withFunctions(value, functions) {
  if (!Array.isArray(value)) return value;
  if (value[0] === "function") return ["function", functions[value[1]], value[2]];
  return value.map((item) => withFunctions(item, functions));
}

function withMemory(value, regions) {
  if (!Array.isArray(value)) return value;
  if (value[0] === "memory") return ["memory", regions[value[1]], ...value.slice(2)];
  return value.map((item) => withMemory(item, regions));
}

export function readLaunch(folder) {
  const launch = JSON.parse(readFileSync(join(folder, "launch.json"), "utf8"));
  const memory = readFileSync(join(folder, "memory.bin"));
  const part = (range) => (range === null ? null : new Uint8Array(memory.subarray(range[0], range[0] + range[1])));
  const regions = launch.regions.map(({ before, after, again }) => {
    const old = part(before);
    return { before: old, after: part(after) ?? old, again: part(again), isChanged: after !== null };
  });
  return { launch, regions };
}

const devices = new Map();

async function deviceFor(mode) {
  let gpu = devices.get(mode);
  if (gpu === undefined || gpu.closed || gpu.raw.fault !== null) {
    gpu?.close();
    const device = await nodeEnvironment().openDevice({
      device: mode === "cuda" ? "cuda" : "emulated",
      ...(mode === "cuda" ? {} : { gpu: "h100", workers: 1, timeoutMs: 60_000 }),
      reuse: false,
    });
    gpu = new Gpu(device, () => {}, null, mode !== "emulated");
    devices.set(mode, gpu);
  }
  return gpu;
}

function prepare(gpu, launch, arrays) {
  const functions = launch.functions.map(() => new ScriptFunction(gpu, launch.environment ?? {}));
  for (const [i, { file, text, values }] of launch.functions.entries()) {
    const described = values.map(([name, value]) => [name, withFunctions(decodeNumbers(value), functions)]);
    functions[i].define({ file, text, values: described });
  }
  const keywords = {};
  for (const [name, value] of launch.arguments) {
    const list = withFunctions(withMemory(decodeNumbers(value), arrays), functions);
    keywords[name] = tritonArgument(gpu, list);
  }
  const { num_warps: numWarps = 4, num_stages: numStages } = launch.options;
  const options = { numWarps, ...(numStages == null ? {} : { numStages }) };
  const kernel = functions[launch.function].kernel(launch.name);
  return { kernel, keywords, options, unspecialised: new Set(launch.unspecialised) };
}

/** Around each array: kernels of tests may read and write beyond an end, and nobody notices on a GPU. */
const SLACK = 65536;

function allocate(gpu, regions) {
  const arrays = regions.map(({ before }) => {
    const bytes = new Uint8Array(before.length + 2 * SLACK);
    bytes.set(before, SLACK);
    return gpu.array(bytes);
  });
  return {
    arrays,
    views: arrays.map(({ pointer }) => ({ pointer: pointer + SLACK })),
    free: () => {
      for (const array of arrays) if (!array.freed) array.free();
    },
  };
}

async function replay(folder, mode) {
  const { launch, regions } = readLaunch(folder);
  const gpu = await deviceFor(mode);
  const { arrays, views, free } = allocate(gpu, regions);
  const times = {};
  let begin = performance.now();
  const lap = (name) => {
    times[name] = Math.round(performance.now() - begin);
    begin = performance.now();
  };
  let stage = "compile";
  try {
    const { kernel, keywords, options, unspecialised } = prepare(gpu, launch, views);
    const ready = kernel.compileBlocking(options, [keywords], unspecialised);
    lap("compile");
    stage = "run";
    ready.launch(launch.grid);
    await gpu.synchronize();
    lap("run");
    const results = [];
    for (const [i, array] of arrays.entries())
      results.push(new Uint8Array(await array.read()).subarray(SLACK, SLACK + regions[i].before.length));
    kernel.unloadNow();
    free();
    stage = "compare";
    const compared = compareLaunch(launch, regions, results);
    if (compared.status !== "differs") return { ...compared, times };
    const exact = exactOf(gpu, launch, regions);
    lap("exact");
    if (exact.failed !== undefined) return { ...compared, exact: exact.failed, times };
    const { status, ratio } = compareWithExact(launch, regions, results, exact.floats);
    return { ...compared, status, exact: { ratio }, times };
  } catch (error) {
    if (gpu.raw.fault === null) free();
    const text = String(error.message ?? error);
    return {
      status: { compile: "refused", run: "fault" }[stage] ?? "crash",
      reason: text.slice(0, 600),
      times,
    };
  }
}

const EXACT_SECONDS = Number(process.env.EXACT_SECONDS ?? 20);

/** The floats of 64 bits that the launch would leave, or why there are none. */
function exactOf(gpu, launch, regions) {
  try {
    const { kernel, keywords, options } = prepare(gpu, launch, exactPointers(regions));
    const { blocks, passed } = kernel.tiles({ grid: 1, ...options }, [keywords]);
    const args = blocks.params.map(({ value }, i) => {
      const given = passed[i];
      if (typeof given === "object") return given.pointer;
      return value.type.element.kind === "int" ? BigInt(given) : Number(given);
    });
    return { floats: exactRun(blocks, args, launch.grid, regions, EXACT_SECONDS) };
  } catch (error) {
    return { failed: String(error.message).slice(0, 200) };
  }
}

/** Whether it compiles, for the emulated device and for a GPU: nothing runs. */
async function compile(folder) {
  const { launch, regions } = readLaunch(folder);
  const gpu = await deviceFor("emulated");
  const arrays = regions.map(({ before }) => gpu.array(new Uint8Array(Math.max(1, before.length))));
  try {
    const { kernel, keywords, options, unspecialised } = prepare(gpu, launch, arrays);
    const ready = kernel.compileBlocking(options, [keywords], unspecialised);
    ready.lowered(true);
    kernel.unloadNow();
    return { status: "compiles" };
  } catch (error) {
    return {
      status: "refused",
      reason: String(error.code === undefined && error.name !== "HeddleError" ? error.stack : error.message).slice(
        0,
        600,
      ),
    };
  } finally {
    for (const array of arrays) array.free();
  }
}

async function main() {
  for await (const line of createInterface({ input: process.stdin })) {
    const { folder, mode } = JSON.parse(line);
    let result;
    try {
      result = mode === "compile" ? await compile(folder) : await replay(folder, mode);
    } catch (error) {
      result = { status: "crash", reason: String(error.stack ?? error).slice(0, 600) };
    }
    writeSync(1, `${JSON.stringify(result)}\n`);
    // What a fault on a GPU leaves behind lasts as long as the process.
    if (mode === "cuda" && result.status !== "right" && devices.get("cuda")?.raw.fault != null) process.exit(0);
  }
  for (const gpu of devices.values()) gpu.close();
  process.exit(0);
}

await main();
