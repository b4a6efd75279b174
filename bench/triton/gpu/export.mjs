// Compiles the launches of cases.mjs for a GPU, on a machine without one. `--help` says how.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import { openDevice } from "../../../dist/index.js";
import { float, loadTriton, tensorDescriptor } from "../../../dist/triton.js";
import { CASES } from "./cases.mjs";

const HELP = `node bench/triton/gpu/export.mjs FOLDER [--only REGEX] [--ptxas PATH] [--gpu h200]

Writes PTX, and what NVIDIA's assembler makes of it (cubin, registers, spills), of each launch of bench/triton/gpu into
FOLDER, with cases.json for run.py, which times them on a GPU beside the real Triton.`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", default: "" },
    ptxas: { type: "string", default: "ptxas" },
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

/** What compiles like the argument: an array of one element, since sizes of arrays are not known to kernels. */
function stand(value) {
  if (typeof value === "number") return Number.isInteger(value) ? value : float(value);
  const array = device.array(1, TYPES[value.tensor]);
  return value.block === undefined ? array : tensorDescriptor(array, { shape: value.shape, blockShape: value.block });
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
