/**
 * The device mathematics library on the emulated device: every function must give the very bits that it gave on the
 * host, where its accuracy is measured (scripts/measure-libdevice.mjs; arguments and checksum are the same as there).
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Gpu, GpuProgram } from "../../index.ts";
import { compile, openDevice } from "../../index.ts";

interface Bound {
  readonly args: number;
  readonly ulp: number;
}
const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../libdevice/${name}`, import.meta.url), "utf8"));
const bounds = read("error-bounds.json") as Readonly<Record<"float" | "double", Readonly<Record<string, Bound>>>>;
const checksums = read("checksums.json") as Readonly<Record<string, number>>;
const COUNT = 1024;

function seed32(i: number): number {
  i = Math.imul(i ^ (i >>> 16), 0x45d9f3b);
  i = Math.imul(i ^ (i >>> 16), 0x45d9f3b);
  return (i ^ (i >>> 16)) >>> 0;
}
const scratch = new DataView(new ArrayBuffer(8));
function floatArgument(i: number): number {
  const bits = seed32(i + 1);
  scratch.setUint32(0, bits);
  return i % 4 === 0 ? scratch.getFloat32(0) : Math.fround(Math.fround(bits | 0) * 2 ** -27);
}
function doubleArgument(i: number): number {
  scratch.setUint32(0, seed32(i + 1));
  scratch.setUint32(4, seed32(i + 7777));
  return i % 4 === 0 ? scratch.getFloat64(0) : Number(scratch.getBigInt64(0) >> 11n) * 2 ** -48;
}
function checksum(words: Uint32Array, isFloat: boolean): number {
  let hash = 2166136261;
  const add = (word: number): void => {
    hash = Math.imul(hash ^ word, 16777619);
  };
  for (let i = 0; i < words.length; i += isFloat ? 1 : 2) {
    const low = words[i] as number,
      high = isFloat ? low : (words[i + 1] as number);
    const isNaNPattern = isFloat
      ? (low & 0x7fffffff) > 0x7f800000
      : (high & 0x7fffffff) > 0x7ff00000 || ((high & 0x7fffffff) === 0x7ff00000 && low !== 0);
    if (isFloat) add(isNaNPattern ? 0x7fffffff : low);
    else {
      add(isNaNPattern ? 0xffffffff : low);
      add(isNaNPattern ? 0x7fffffff : high);
    }
  }
  return hash >>> 0;
}

const kernels = (["float", "double"] as const).flatMap((type) =>
  Object.entries(bounds[type]).map(([name, { args }]) => {
    const list = ["x", "y", "z"]
      .slice(0, args)
      .map((letter) => `${letter}[i]`)
      .join(", ");
    return `extern "C" __global__ void check_${name}(const ${type}* x, const ${type}* y, const ${type}* z, ${type}* r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  r[i] = ${name}(${list});
}`;
  }),
);

describe.each(["auto", "thread", "interpreter"] as const)("libdevice on the engine %s", (engine) => {
  let device: Gpu;
  let program: GpuProgram;
  beforeAll(async () => {
    device = await openDevice({ engine, workers: 1 });
    program = await compile(kernels.join("\n"), { device, path: "functions.cu" });
  });
  afterAll(() => device.close());

  it.each(["float", "double"] as const)("computes the functions of %s as on the host, to the bit", async (type) => {
    const argument = type === "float" ? floatArgument : doubleArgument;
    const fill = (offset: number): Float32Array | Float64Array => {
      const all = type === "float" ? new Float32Array(COUNT) : new Float64Array(COUNT);
      return all.map((_, i) => argument(i + offset));
    };
    const inputs = [0, 5000, 10000].map((offset) => device.array(fill(offset)));
    const result = device.array(COUNT, type === "float" ? "float32" : "float64");
    const wrong: string[] = [];
    for (const name of Object.keys(bounds[type])) {
      await (await program.kernel(`check_${name}`)).launch({ grid: COUNT / 128, block: 128 }, ...inputs, result);
      const values = await result.read();
      if (
        checksum(new Uint32Array(values.buffer, values.byteOffset, values.byteLength / 4), type === "float") !==
        checksums[name]
      )
        wrong.push(name);
    }
    expect(wrong).toEqual([]);
  });
});

/** Forms for GPUs of functions that are odd: of 0 they are 0 with its sign (C standard, F.10). */
const ODD = {
  float: ["sinf", "tanf", "sinhf", "tanhf"],
  double: ["sin", "tan", "sinh", "tanh", "asin", "asinh", "atan", "atanh", "erf", "expm1", "log1p"],
};

it("forms for a GPU keep the sign of zero", async () => {
  using device = await openDevice({ engine: "interpreter", workers: 1 });
  for (const [type, names] of Object.entries(ODD)) {
    const forms = names.map((name) => `__heddle_gpu_${name}`);
    const declared = forms.map((form) => `extern "C" __device__ ${type} ${form}(${type});`).join("\n");
    const calls = forms.map((form) => `*out++ = ${form}(x); *out++ = ${form}(-x);`).join("\n");
    const source = `${declared}\n__global__ void zeros(${type} x, ${type}* out) { ${calls} }`;
    const program = await compile(source, { device, path: "zeros.cu" });
    const out = device.array(2 * names.length, type === "float" ? "float32" : "float64");
    await (await program.kernel("zeros")).launch({ grid: 1, block: 1 }, 0, out);
    const values = await out.read();
    const wrong = names.filter(
      (_, i) => !Object.is(Number(values[2 * i]), 0) || !Object.is(Number(values[2 * i + 1]), -0),
    );
    expect(wrong).toEqual([]);
  }
});
