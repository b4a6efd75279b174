// Compiles the launches of cases.mjs for a GPU, on a machine without one. `--help` says how.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import { openDevice } from "../../../dist/index.js";
import { float, loadTriton, tensorDescriptor } from "../../../dist/triton.js";
import { CASES } from "./cases.mjs";

const HELP = `node bench/triton/gpu/export.mjs FOLDER [--only REGEX] [--ptxas PATH] [--nvcc PATH] [--gpu h200]

Writes PTX, and what NVIDIA's assembler makes of it (cubin, registers, spills), of each launch of bench/triton/gpu into
FOLDER, with cases.json for run.py, which times them on a GPU beside the real Triton. With --nvcc the winners of our
CUDA ladders are compiled, too.`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", default: "" },
    ptxas: { type: "string", default: "ptxas" },
    nvcc: { type: "string", default: "" },
    gpu: { type: "string", default: "h200" },
    help: { type: "boolean", default: false },
  },
});
if (options.help || positionals.length !== 1) {
  console.log(HELP);
  process.exit(options.help ? 0 : 2);
}
const folder = resolve(positionals[0]);
mkdirSync(folder, { recursive: true });
const device = await openDevice({ device: "emulated", gpu: options.gpu, workers: 1 });
const filename = join(import.meta.dirname, "kernels.py");
const { kernels } = await loadTriton(readFileSync(filename, "utf8"), { filename, device });
const TYPES = { fp16: "float16", fp32: "float32", i32: "int32" };

/** Arrays by type and length: a descriptor's array must have all of its elements. */
const arrays = new Map();

function arrayOf(dtype, length) {
  const key = `${dtype} ${length}`;
  if (!arrays.has(key)) arrays.set(key, device.array(length, dtype));
  return arrays.get(key);
}

/** What compiles like the argument: sizes of arrays are not known to kernels. */
function stand(value) {
  if (typeof value === "number") return Number.isInteger(value) ? value : float(value);
  const { tensor, shape, block } = value;
  if (block === undefined) return arrayOf(TYPES[tensor], 1);
  const array = arrayOf(
    TYPES[tensor],
    shape.reduce((product, size) => product * size, 1),
  );
  return tensorDescriptor(array, { shape, blockShape: block });
}

const run = promisify(execFile);
/** By PTX: what the assembler made of it. */
const assembled = new Map();
const cases = [];
for (const [i, given] of CASES.entries()) {
  if (!new RegExp(options.only).test(`${given.group} ${given.config}`)) continue;
  const file = `${i}-${given.kernel}`;
  const entry = { ...given, file };
  cases.push(entry);
  try {
    const { numWarps, numStages } = given;
    const args = [...Object.values(given.args).map(stand), given.constants];
    const started = performance.now();
    const compiled = await kernels[given.kernel].warmup({ numWarps, numStages }, ...args);
    entry.compileMs = Math.round(performance.now() - started);
    writeFileSync(join(folder, `${file}.ptx`), compiled.asm.ptx);
    writeFileSync(join(folder, `${file}.blocks`), compiled.asm.blocks);
    writeFileSync(join(folder, `${file}.ll`), compiled.asm.llir);
    entry.sharedBytes = kernels[given.kernel].lowered({ numWarps, numStages, grid: 1 }, args, true).lowered.sharedBytes;
    // The names of the parameters, in their order: constants have none.
    const head = compiled.asm.llir.split("\n").find((line) => line.startsWith("define"));
    entry.params = [...head.slice(0, head.lastIndexOf(")")).matchAll(/(\w+)[^,()]* %"?([\w.]+)"?/g)].map(
      ([, type, name]) => ({ type, name }),
    );
    const { ptx } = compiled.asm;
    if (!assembled.has(ptx)) {
      const cubin = join(folder, `${file}.cubin`);
      const args2 = ["-arch=sm_90", "-v", "-o", cubin, join(folder, `${file}.ptx`)];
      assembled.set(ptx, { file, ...(await run(options.ptxas, args2)) });
    }
    const { stderr, file: known } = assembled.get(ptx);
    entry.file = known;
    const number = (pattern) => Number(pattern.exec(stderr)?.[1] ?? 0);
    entry.registers = number(/Used (\d+) registers/);
    entry.spilledBytes = number(/(\d+) bytes spill stores/);
    console.log(
      `${given.group} ${given.config}: ${entry.registers} registers, ${entry.spilledBytes} bytes spilled, ` +
        `${entry.sharedBytes} bytes shared, ${entry.compileMs} ms`,
    );
  } catch (error) {
    entry.error = String(error.stderr ?? error.stack ?? error);
    console.log(`${given.group} ${given.config}: ${entry.error}`);
  }
}
device.close();
writeFileSync(join(folder, "cases.json"), JSON.stringify(cases, null, 1));

/** The versions of our ladders that are the fastest on an H200 (promoted.json), and their kernels. */
const LADDERS = [
  {
    file: "ladder-matmul.cubin",
    source: "matmul-bf16/5-overlapped.cu",
    define: { TILE_M: 128, TILE_N: 256, WARP_N: 64, DEPTH: 32, STAGES: 4, GROUP: 8 },
    kernels: { matmul: "matmul" },
  },
  {
    file: "ladder-attention.cubin",
    source: "attention-forward/4-flash.cu",
    define: { WARPS: 4, ROWS: 16, KEYS: 32 },
    kernels: { full: "attention<false>", causal: "attention<true>" },
  },
];

if (options.nvcc !== "") {
  const names = {};
  for (const { file, source, define, kernels: wanted } of LADDERS) {
    const path = join(import.meta.dirname, "../../../kernels", source);
    const text = join(folder, `${file}.cu`);
    const instances = Object.values(wanted).filter((name) => name.includes("<"));
    const uses = instances.map((name, i) => `auto use${i} = &${name};`).join("\n");
    writeFileSync(text, `#include "${path}"\n${uses}\n`);
    const defines = Object.entries(define).map(([name, value]) => `-D${name}=${value}`);
    const cubin = join(folder, file);
    await run(options.nvcc, ["-O3", "-std=c++17", "-arch=sm_90", "-cubin", ...defines, "-o", cubin, text]);
    const symbols = [...readFileSync(cubin, "latin1").matchAll(/\.text\.(_Z\w+)/g)].map(([, name]) => name);
    for (const [key, name] of Object.entries(wanted)) {
      const ending = name.includes("<") ? `ILb${name.includes("true") ? 1 : 0}E` : "";
      names[key] = symbols.find((symbol) => symbol.includes(`${name.split("<")[0]}${ending}`));
      if (names[key] === undefined) throw new Error(`${file} has no kernel ${name}: ${symbols.join(", ")}`);
    }
  }
  writeFileSync(join(folder, "ladders.json"), JSON.stringify(names));
}
