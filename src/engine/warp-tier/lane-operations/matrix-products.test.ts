/**
 * Every matrix product of the warp tier against the device library's, by the interpreter: the same bits, whole warps
 * and parts of one.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Gpu, GpuProgram } from "../../../index.ts";
import { compile, openDevice } from "../../../index.ts";

interface Product {
  readonly name: string;
  readonly modifier?: string;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly sum: "f" | "r" | "d";
}

const INTEGERS = ["s8.s8", "u8.u8", "s8.u8", "u8.s8"];
const PRODUCTS: readonly Product[] = [
  ...["f16", "bf16"].flatMap((t): Product[] => [
    { name: `m16n8k16.row.col.f32.${t}.${t}.f32`, a: 4, b: 2, c: 4, sum: "f" },
    { name: `m16n8k8.row.col.f32.${t}.${t}.f32`, a: 2, b: 1, c: 4, sum: "f" },
  ]),
  { name: "m16n8k16.row.col.f16.f16.f16.f16", a: 4, b: 2, c: 2, sum: "r" },
  { name: "m16n8k8.row.col.f16.f16.f16.f16", a: 2, b: 1, c: 2, sum: "r" },
  { name: "m16n8k8.row.col.f32.tf32.tf32.f32", a: 4, b: 2, c: 4, sum: "f" },
  { name: "m16n8k4.row.col.f32.tf32.tf32.f32", a: 2, b: 1, c: 4, sum: "f" },
  ...INTEGERS.flatMap((t) =>
    ["", ".satfinite"].flatMap((s): Product[] => [
      { name: `m16n8k32.row.col${s}.s32.${t}.s32`, a: 4, b: 2, c: 4, sum: "r" },
      { name: `m16n8k16.row.col${s}.s32.${t}.s32`, a: 2, b: 1, c: 4, sum: "r" },
    ]),
  ),
  { name: "m8n8k4.row.col.f64.f64.f64.f64", a: 1, b: 1, c: 2, sum: "d" },
  ...["row.col", "row.row", "col.col", "col.row"].flatMap((orders): Product[] => [
    { name: `m8n8k4.${orders}.f32.f16.f16.f32`, a: 2, b: 2, c: 8, sum: "f" },
    { name: `m8n8k4.${orders}.f16.f16.f16.f16`, a: 2, b: 2, c: 4, sum: "r" },
  ]),
];

/** A lane's operands lie one after another in x; every third thread leaves first where `part` is set. */
function kernel(product: Product, n: number): string {
  const { name, a, b, c, sum } = product;
  const type = sum === "d" ? "double" : "unsigned";
  const letter = sum === "d" ? "d" : "r";
  const list = (first: number, count: number): string =>
    `{${Array.from({ length: count }, (_, i) => `%${first + i}`).join(",")}}`;
  const words = a + b + c;
  const load = (i: number): string =>
    i >= a + b && sum === "f" ? `__uint_as_float(x[${words} * t + ${i}])` : `x[${words} * t + ${i}]`;
  const wordOf = (i: number): string => (sum === "f" ? `__float_as_uint(d${i})` : `d${i}`);
  return `__global__ void product${n}(const ${type} *x, ${type} *y, int part) {
    const int t = threadIdx.x;
    if (part && t % 3 == 1) return;
    ${sum === "f" ? "float" : type} ${Array.from({ length: c }, (_, i) => `d${i}`).join(", ")};
    asm volatile("mma.sync.aligned.${name} ${list(0, c)}, ${list(c, a)}, ${list(c + a, b)}, ${list(c + a + b, c)};"
      : ${Array.from({ length: c }, (_, i) => `"=${sum}"(d${i})`).join(", ")}
      : ${Array.from({ length: words }, (_, i) => `"${i < a + b ? letter : sum}"(${load(i)})`).join(", ")});
    ${Array.from({ length: c }, (_, i) => `y[${c} * t + ${i}] = ${wordOf(i)};`).join(" ")}
  }`;
}

/**
 * Bits of all kinds: infinities, NaN and subnormal numbers of every format are among them, and integers whose sums
 * overflow.
 */
function operands(words: number, wide: boolean): Uint32Array | Float64Array {
  let s = 2463534242;
  const next = (): number => {
    s ^= s << 13;
    s ^= s >>> 17;
    s ^= s << 5;
    return s >>> 0;
  };
  if (wide) return Float64Array.from({ length: words }, () => (next() - 2 ** 31) * 2 ** ((next() % 40) - 40));
  return Uint32Array.from({ length: words }, (_, i) => (i % 7 === 0 ? next() : (next() & 0xbfffbfff) | 0x20002000));
}

/** NaNs of one kind: which of their bits an engine keeps is left open. */
function comparable(values: Uint32Array | Float64Array, product: Product): number[] {
  if (product.sum === "f") return [...values].map((bits) => ((bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : bits));
  return [...values];
}

describe("matrix products", () => {
  const source = PRODUCTS.map(kernel).join("\n");
  const engines: { device: Gpu; program: GpuProgram }[] = [];
  beforeAll(async () => {
    for (const engine of ["warp", "interpreter"] as const) {
      const device = await openDevice({ engine, workers: 1 });
      engines.push({ device, program: await compile(source, { device, path: "products.cu" }) });
    }
  });
  afterAll(async () => {
    for (const { device } of engines) await device.close();
  });

  test.each(PRODUCTS.map((product, n) => ({ ...product, n })))("$name", async ({ n, ...product }) => {
    const words = product.a + product.b + product.c;
    const wide = product.sum === "d";
    for (const [threads, part] of [
      [32, 0],
      [32, 1],
      [76, 0],
    ] as const) {
      const results = [];
      for (const { device, program } of engines) {
        const run = await program.kernel(`product${n}`);
        const x = device.array(operands(words * threads, wide));
        const y = device.array(wide ? new Float64Array(product.c * threads) : new Uint32Array(product.c * threads));
        await run.launch({ grid: 1, block: threads }, x, y, part);
        results.push(comparable((await y.read()) as Uint32Array | Float64Array, product));
      }
      expect(results[0], `${threads} threads, part ${part}`).toEqual(results[1]);
    }
  });
});
