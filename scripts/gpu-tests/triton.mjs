// Triton kernels on the emulated device and on a GPU: the same memory and the same output of device_print.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openDevice } from "../../dist/index.js";
import { loadTriton } from "../../dist/triton.js";

const filename = join(import.meta.dirname, "triton-kernels.py");
const floats = (length, f) => Float32Array.from({ length }, (_, i) => f(i));
const noise = (i) => (((i * 2654435761) >>> 8) % 4096) / 1024 - 2;

/** Arrays come back; numbers and constants do not. */
const CASES = [
  { name: "device_print", kernel: "printing", grid: 2, args: [floats(8, (i) => i / 2), { N: 8 }] },
  { name: "map_elementwise", kernel: "mapping", grid: 4, args: [new Float32Array(3072), { N: 256 }] },
  {
    name: "float8e4b15, rounding towards zero",
    kernel: "small_floats",
    args: [Uint8Array.from({ length: 256 }, (_, i) => i), floats(256, noise), new Float32Array(1024), { N: 256 }],
  },
  ...[2, 3, 4].flatMap((stages) =>
    [
      [37, 1000, 1024],
      [9, 8192, 8192],
    ].map(([count, columns, N]) => ({
      name: `rows of ${columns}, ${stages} stages`,
      kernel: "rows",
      grid: 3,
      args: [
        new Float32Array(count * columns),
        floats(count * columns, noise),
        floats(count * columns, (i) => noise(i + 7)),
        count,
        columns,
        { N, STAGES: stages },
      ],
    })),
  ),
  { name: "a chain of rows", kernel: "chained", args: [floats(40 * 1024, noise), 40, 1024, { N: 1024 }] },
  { name: "sorting", kernel: "merging", args: [floats(256, noise), new Float32Array(512), { N: 256 }] },
];

async function results(kind) {
  let output = "";
  const device = await openDevice({ device: kind, onPrint: (text) => (output += text) });
  const { kernels } = await loadTriton(readFileSync(filename, "utf8"), { filename, device });
  const found = [];
  for (const { kernel, grid = 1, args } of CASES) {
    output = "";
    try {
      const given = args.map((value) => (ArrayBuffer.isView(value) ? device.array(value) : value));
      await kernels[kernel].launch({ grid }, ...given);
      const arrays = await Promise.all(
        given.filter((_, i) => ArrayBuffer.isView(args[i])).map((array) => array.read()),
      );
      await device.synchronize();
      found.push({ arrays, lines: output.split("\n").toSorted() });
    } catch (error) {
      found.push({ error: [error.message, ...(error.notes ?? [])].join(" ").slice(0, 300) });
    }
  }
  device.close();
  return found;
}

function difference(ours, theirs) {
  const error = ours.error ?? theirs.error;
  if (error !== undefined) return error;
  for (const [i, array] of ours.arrays.entries()) {
    const wrong = array.findIndex(
      (value, at) => !Object.is(value, theirs.arrays[i][at]) && value !== theirs.arrays[i][at],
    );
    if (wrong >= 0) return `array ${i}, element ${wrong}: ${theirs.arrays[i][wrong]} on the GPU, ${array[wrong]} here`;
  }
  const line = ours.lines.findIndex((text, i) => text !== theirs.lines[i]);
  if (line >= 0 || ours.lines.length !== theirs.lines.length)
    return `output: ${JSON.stringify(theirs.lines[line])} on the GPU, ${JSON.stringify(ours.lines[line])} here`;
  return null;
}

export async function run({ verbose }) {
  const [ours, theirs] = [await results("emulated"), await results(process.env["HEDDLE_TEST_DEVICE"] ?? "cuda")];
  let [passed, failed] = [0, 0];
  for (const [i, { name }] of CASES.entries()) {
    const problem = difference(ours[i], theirs[i]);
    if (problem === null) passed++;
    else failed++;
    if (problem !== null || verbose) console.log(`  ${name}: ${problem ?? "agrees"}`);
  }
  console.log(`triton: ${passed} passed, ${failed} failed`);
  return { passed, failed };
}
