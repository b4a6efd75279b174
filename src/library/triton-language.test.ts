/** Parts of triton.language, each beside what it is to compute. */
import { expect, it } from "vitest";
import { loadTriton, tensorDescriptor, typed, type TritonArgument, type TritonOptions } from "../triton.ts";

const HEAD = "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n";

/** Runs a kernel `k(…, out)` with the arguments and an output of float32. */
async function run(
  body: string,
  size: number,
  args: readonly (Float32Array | Int32Array | Uint8Array | number)[] = [],
  options: TritonOptions & { readonly before?: string; readonly numWarps?: number } = {},
): Promise<number[]> {
  const { before = "", numWarps = 4, ...others } = options;
  const names = args.map((_, i) => "abcdef"[i]).join(", ");
  const lines = body.trim().split("\n").join("\n    ");
  const source = `${HEAD}${before}\n@triton.jit\ndef k(${names}${names === "" ? "" : ", "}out):\n    ${lines}\n`;
  const program = await loadTriton(source, others);
  const { device } = program;
  const values = args.map((arg): TritonArgument => (typeof arg === "number" ? arg : device.array(arg)));
  const out = device.array(new Float32Array(size));
  await program.kernel("k").launch({ grid: 1, numWarps }, ...values, out);
  return Array.from(await out.read());
}

const floats = (length: number, f: (i: number) => number): Float32Array =>
  Float32Array.from({ length }, (_, i) => f(i));

it("makes a block of one element of a scalar that is indexed", async () => {
  const body = `
at = tl.arange(0, 8)
one = (tl.sum(at, 0) > 3)[:, None]
tl.store(out + at, tl.where((at < 5) & one, at + 0.5, -1.0))`;
  expect(await run(body, 8)).toEqual([0.5, 1.5, 2.5, 3.5, 4.5, -1, -1, -1]);
});

it("keeps small types where max and min also return indices, but for bf16", async () => {
  const body = `
at = tl.arange(0, 8)
x = tl.load(a + at)
best, where = tl.max(x.to(tl.float16), 0, return_indices=True)
tl.static_assert(best.dtype == tl.float16)
least, there = tl.min(x.to(tl.int8), 0, return_indices=True)
tl.static_assert(least.dtype == tl.int8)
wide, _ = tl.max(x.to(tl.bfloat16), 0, return_indices=True)
tl.static_assert(wide.dtype == tl.float32)
tl.store(out, best)
tl.store(out + 1, where)
tl.store(out + 2, least)
tl.store(out + 3, there)
tl.store(out + 4, wide)`;
  expect(await run(body, 5, [Float32Array.of(1, -7, 3, 9.5, 2, 9.5, -7, 0)])).toEqual([9.5, 3, -7, 1, 9.5]);
});

it("runs inline PTX, an element at a time and packed", async () => {
  const source = `
x = tl.load(a + tl.arange(0, 64))
y = tl.inline_asm_elementwise("add.f32 $0, $1, $2;", "=f,f,f", [x, x * 2], dtype=tl.float32, is_pure=True, pack=1)
tl.store(out + tl.arange(0, 64), y)
b = tl.inline_asm_elementwise("xor.b32 $0, $1, 0x01010101;", "=r,r", [tl.arange(0, 64).to(tl.int8)], dtype=tl.int8,
                              is_pure=True, pack=4)
tl.store(out + 64 + tl.arange(0, 64), b.to(tl.float32))
p, q = tl.inline_asm_elementwise("{ mov.b32 $0, $2; neg.s32 $1, $2; }", "=r,=r,r", [tl.arange(0, 64)],
                                 dtype=(tl.int32, tl.int32), is_pure=True, pack=1)
tl.store(out + 128 + tl.arange(0, 64), (p * 100 + q).to(tl.float32))`;
  const x = floats(64, (i) => i / 2);
  expect(await run(source, 192, [x])).toEqual([
    ...Array.from(x, (value) => value * 3),
    ...Array.from(x, (_, i) => i ^ 1),
    ...Array.from(x, (_, i) => i * 99),
  ]);
});

it("reads and writes through tensor descriptors, with zeros outside", async () => {
  const source = `
d = tl.make_tensor_descriptor(a, shape=[5, 6], strides=[6, 1], block_shape=[4, 8])
e = tl.make_tensor_descriptor(out, [8, 8], [8, 1], [4, 8])
e.store([0, 0], d.load([0, 0]))
e.store([4, 0], tl.load_tensor_descriptor(d, [4, 0]) * 2)`;
  const expected = Array.from({ length: 64 }, (_, i) => {
    const [row, column] = [i >> 3, i & 7];
    if (row >= 5 || column >= 6) return 0;
    return (row * 6 + column + 1) * (row >= 4 ? 2 : 1);
  });
  expect(await run(source, 64, [floats(30, (i) => i + 1)])).toEqual(expected);
});

it("takes tensor descriptors and 8-bit floats from the host", async () => {
  const source = `${HEAD}@triton.jit\ndef k(d, p, out):
    tl.store(out + tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4)[None, :], d.load([2, 4]))
    tl.store(out + 32 + tl.arange(0, 256), tl.load(p + tl.arange(0, 256)).to(tl.float32))\n`;
  const program = await loadTriton(source);
  const { device } = program;
  const data = device.array(floats(16 * 16, (i) => i));
  const bytes = device.array(Uint8Array.from({ length: 256 }, (_, i) => i));
  const out = device.array(new Float32Array(32 + 256));
  const descriptor = tensorDescriptor(data, { shape: [16, 16], blockShape: [8, 4] });
  await program.kernel("k").launch({ grid: 1 }, descriptor, typed(bytes, "float8e4nv"), out);
  const result = Array.from(await out.read());
  expect(result.slice(0, 32)).toEqual(Array.from({ length: 32 }, (_, i) => (2 + (i >> 2)) * 16 + 4 + (i & 3)));
  expect(result.slice(32)).toEqual(Array.from({ length: 256 }, (_, i) => fromBits(i, 3, 7)));
});

it("refuses a tensor descriptor that is larger than its array", async () => {
  const { device } = await loadTriton(HEAD);
  const data = device.array(new Float32Array(100));
  for (const shape of [
    [10, 10],
    [5, 20],
    [7, 0],
  ])
    tensorDescriptor(data, { shape, blockShape: [8, 4] });
  tensorDescriptor(data, { shape: [2, 50], strides: [0, 1], blockShape: [2, 4] });
  expect(() => tensorDescriptor(data, { shape: [10, 11], blockShape: [8, 4] })).toThrow(
    "a tensor descriptor of shape [10, 11] and strides [11, 1] needs 110 elements, but its array has 100",
  );
  expect(() => tensorDescriptor(data, { shape: [10, 10], strides: [11, 1], blockShape: [8, 4] })).toThrow("needs 109");
});

/** The value of an 8-bit float: e4m3 without infinities, or e5m2. */
function fromBits(bits: number, fraction: number, bias: number): number {
  const sign = bits >= 128 ? -1 : 1;
  const exponent = (bits & 127) >> fraction;
  const part = (bits & ((1 << fraction) - 1)) / (1 << fraction);
  if (fraction === 3 && (bits & 127) === 127) return NaN;
  if (fraction === 2 && exponent === 31) return part === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? part * 2 ** (1 - bias) : (1 + part) * 2 ** (exponent - bias));
}

it.each([
  ["float8e4nv", 3, 7, 448],
  ["float8e5", 2, 15, 57344],
] as const)("rounds to %s as to the nearest, ties to even, saturated", async (type, fraction, bias, largest) => {
  const finite = Array.from({ length: 128 }, (_, i) => fromBits(i, fraction, bias)).filter(Number.isFinite);
  // Every value, every middle between two, and what lies just beside a middle.
  const x = finite.slice(0, 120).flatMap((value, i) => {
    const middle = (value + (finite[i + 1] ?? value)) / 2;
    return [value, middle, middle * (1 + 2 ** -20), middle * (1 - 2 ** -20)];
  });
  const inputs = floats(512, (i) => x[i] ?? [largest * 4, -largest * 4, -3.3, 0][i % 4] ?? 0);
  const source = `
x = tl.load(a + tl.arange(0, 512))
tl.store(out + tl.arange(0, 512), x.to(tl.${type}).to(tl.float32))`;
  const expected = Array.from(inputs, (value) => {
    const magnitude = Math.min(Math.abs(value), largest);
    let best = 0;
    for (const [code, candidate] of finite.entries()) {
      const [distance, known] = [Math.abs(candidate - magnitude), Math.abs((finite[best] as number) - magnitude)];
      if (distance < known || (distance === known && code % 2 === 0)) best = code;
    }
    return Math.sign(value) * (finite[best] as number);
  });
  expect((await run(source, 512, [inputs])).map((value) => value + 0)).toEqual(expected.map((value) => value + 0));
});

it("converts to float8e4b15 and back as Triton's PTX does", async () => {
  const source = `
b = tl.load(a + tl.arange(0, 256)).to(tl.float8e4b15, bitcast=True)
tl.store(out + tl.arange(0, 256), b.to(tl.float32))
x = tl.load(b_ + tl.arange(0, 512)).to(tl.float8e4b15)
tl.store(out + 256 + tl.arange(0, 512), x.to(tl.float32))
h = tl.load(b_ + tl.arange(0, 512)).to(tl.float16, fp_downcast_rounding="rtz")
tl.store(out + 768 + tl.arange(0, 512), h.to(tl.float32))`.replaceAll("b_", "b");
  const inputs = floats(512, (i) => ((i - 256) / 128) * (i % 5 === 0 ? 2 ** -9 : 1) * (1 + (i % 7) * 2 ** -12));
  const result = await run(source.replace("b = tl", "v = tl").replace("b.to(tl.float32)", "v.to(tl.float32)"), 1280, [
    Uint8Array.from({ length: 256 }, (_, i) => i),
    inputs,
  ]);
  const value = (bits: number): number => {
    const [exponent, part] = [(bits & 127) >> 3, (bits & 7) / 8];
    return (bits >= 128 ? -1 : 1) * (exponent === 0 ? part * 2 ** -14 : (1 + part) * 2 ** (exponent - 15));
  };
  expect(result.slice(0, 256)).toEqual(Array.from({ length: 256 }, (_, i) => value(i)));
  // First towards zero to a half, then to the nearest; ties away from zero; at most 1.75.
  const half = (x: number): number => {
    const step = 2 ** (Math.max(-14, Math.floor(Math.log2(Math.abs(x) || 1e-30))) - 10);
    return Math.trunc(x / step) * step;
  };
  const candidates = Array.from({ length: 127 }, (_, i) => value(i));
  const nearest = Array.from(inputs, (x) => {
    const magnitude = Math.min(Math.abs(half(x)), 1.75);
    const best = candidates.reduce((a, b) => (Math.abs(b - magnitude) <= Math.abs(a - magnitude) ? b : a));
    return Math.sign(x) * best + 0;
  });
  expect(result.slice(256, 768).map((x) => x + 0)).toEqual(nearest);
  expect(result.slice(768).map((x) => x + 0)).toEqual(Array.from(inputs, (x) => half(x) + 0));
});

it("maps functions of single elements, whose branches part the threads", async () => {
  const before = `@triton.jit
def collatz(x):
    steps = 0
    while x > 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps += 1
    return steps

@triton.jit
def divided(x0, x1, y0, y1):
    if y0 == 0:
        a = x0
    else:
        a = x0 // y0
    return a, x1 - y1, y0 > x0, y1 > x1
`;
  const source = `
n = tl.arange(0, 256)
tl.store(out + n, tl.map_elementwise(collatz, n).to(tl.float32))
q, greater = tl.map_elementwise(divided, n, n % 4, pack=2)
tl.store(out + 256 + n, greater.to(tl.float32))
tl.store(out + 512, tl.map_elementwise(collatz, 27).to(tl.float32))`;
  const collatz = (x: number): number => (x > 1 ? 1 + collatz(x % 2 === 0 ? x / 2 : 3 * x + 1) : 0);
  const result = await run(source, 513, [], { before });
  expect(result.slice(0, 256)).toEqual(Array.from({ length: 256 }, (_, i) => collatz(i)));
  expect(result.slice(256, 512)).toEqual(Array.from({ length: 256 }, (_, i) => Number(i % 4 > i)));
  expect(result[512]).toBe(111);
});

it("keeps inline PTX that is not pure, and takes it without operands", async () => {
  const source = `
tl.inline_asm_elementwise("membar.gl; mov.u32 $0, 1;", "=r", [], dtype=tl.int32, is_pure=False, pack=1)
lane = tl.inline_asm_elementwise("mov.u32 $0, 5;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)
tl.store(out + tl.arange(0, 2), (tl.arange(0, 2) + lane).to(tl.float32))`;
  expect(await run(source, 2)).toEqual([5, 6]);
});

it("merges bitonic sequences", async () => {
  const source = `
x = tl.load(a + tl.arange(0, 64))
tl.store(out + tl.arange(0, 64), tl.bitonic_merge(x))
tl.store(out + 64 + tl.arange(0, 64), tl.bitonic_merge(x, descending=True))`;
  const x = floats(64, (i) => (i < 40 ? i * 3 : 200 - i * 2));
  const sorted = Array.from(x).sort((a, b) => a - b);
  expect(await run(source, 128, [x])).toEqual([...sorted, ...sorted.toReversed()]);
});

it("multiplies batches, and counts, sorts and squeezes", async () => {
  const source = `
i = tl.arange(0, 4)[:, None, None] * 256 + tl.arange(0, 16)[None, :, None] * 16 + tl.arange(0, 16)[None, None, :]
x = tl.load(a + i)
tl.store(out + i, tl.dot(x, x, input_precision="ieee"))
n = tl.arange(0, 64)
tl.store(out + 1024 + tl.arange(0, 8), tl.histogram(n * n % 8, 8).to(tl.float32))
tl.store(out + 1032 + tl.arange(0, 4), tl.topk(tl.load(a + n), 4))
tl.store(out + 1040 + tl.arange(0, 4), tl.squeeze(tl.unsqueeze(tl.arange(0, 4), 0), 0).to(tl.float32))`;
  const x = floats(1024, (i) => ((i * 29) % 31) - 15);
  const products = Array.from({ length: 1024 }, (_, at) => {
    const [batch, row, column] = [at >> 8, (at >> 4) & 15, at & 15];
    let sum = 0;
    for (let k = 0; k < 16; k++) sum += (x[batch * 256 + row * 16 + k] ?? 0) * (x[batch * 256 + k * 16 + column] ?? 0);
    return sum;
  });
  const counts = [0, 1, 2, 3, 4, 5, 6, 7].map(
    (bin) => Array.from({ length: 64 }, (_, i) => (i * i) % 8).filter((value) => value === bin).length,
  );
  const best = Array.from(x.slice(0, 64)).toSorted((a, b) => b - a);
  const result = await run(source, 1044, [x]);
  expect(result.slice(0, 1024)).toEqual(products);
  expect(result.slice(1024, 1036)).toEqual([...counts, ...best.slice(0, 4)]);
  expect(result.slice(1040)).toEqual([0, 1, 2, 3]);
});

it("evaluates the module level: environment, versions, functions of constants, overrides", async () => {
  const before = `
import os, torch, operator
from functools import lru_cache
from packaging import version
@lru_cache
def newer(than):
    try:
        import no_such_module
        return False
    except ImportError:
        return version.parse(triton.__version__) >= version.parse(than)
FAST = os.environ.get("FAST", "0") == "1"
IS_HOPPER = torch.cuda.get_device_capability()[0] == 9
if newer("3.0.0") and not FAST:
    @triton.jit
    def scale(x): return x * 2
else:
    @triton.jit
    def scale(x): return x * 3
@triton.constexpr_function
def half(n): return n // 2
LIST = [triton.next_power_of_2(n) for n in (3, 5) if n > 3]
`;
  const body = `
tl.store(out, scale(1.0))
tl.store(out + 1, half(7))
if IS_HOPPER:
    tl.store(out + 2, 1)
tl.store(out + 3, LIST[0])
tl.store(out + 4, torch.finfo(torch.float16).max)`;
  expect(await run(body, 5, [], { before })).toEqual([2, 3, 1, 8, 65504]);
  expect(await run(body, 5, [], { before, environment: { FAST: "1" } })).toEqual([3, 3, 1, 8, 65504]);
  expect(await run(body, 5, [], { before, globals: { IS_HOPPER: "1 > 2" } })).toEqual([2, 3, 0, 8, 65504]);
});

it("halves of a transposed block, whose elements one warp has in its registers", async () => {
  const body = `
at = tl.arange(0, 4)[:, None, None] * 64 + tl.arange(0, 8)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :]
even, odd = tl.split(tl.reshape(tl.trans(tl.load(a + at), 1, 2, 0), (8, 8, 2, 2)))
half = tl.arange(0, 2)[:, None, None] * 64 + tl.arange(0, 8)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :]
tl.store(out + half, tl.trans(even, 2, 0, 1))
tl.store(out + 128 + half, tl.trans(odd, 2, 0, 1))`;
  const x = floats(256, (i) => i);
  const part = (i: number): number[] => Array.from(x.subarray(64 * i, 64 * i + 64));
  const expected = [0, 2, 1, 3].flatMap(part);
  for (const numWarps of [1, 2, 4]) expect(await run(body, 256, [x], { numWarps })).toEqual(expected);
});

it("what Triton's own tests ask of shapes, conditions and types", async () => {
  const body = `
x = tl.load(a + tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :])
tl.static_assert(x.shape == [4, 4])
tl.static_assert(x[None, None:].shape == [1, 4, 4])
tl.static_assert(isinstance(x, tl.tensor) and not isinstance(x.dtype, tl.pointer_type) and hasattr(x, "dtype"))
tl.static_assert(not isinstance(x, tl.tensor_descriptor))
tl.store(out + tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :], tl.flip(x, 0))
one = tl.load(a + 5 + tl.arange(0, 1))
if one > 4:
    tl.store(out + 16, one.item() + 1)
tl.store((out + 17)[None, None, :], tl.sum(x, axis=None, keep_dims=True))`;
  const x = floats(16, (i) => i);
  const rows = [3, 2, 1, 0].flatMap((row) => [0, 1, 2, 3].map((column) => 4 * row + column));
  expect(await run(body, 18, [x])).toEqual([...rows, 6, 120]);
});

it("dot with three products of tf32 is as exact as fp32 is", async () => {
  const body = `
i = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
tl.store(out + i, tl.dot(tl.load(a + i), tl.load(b + i), input_precision=PRECISION))`;
  const [x, y] = [floats(256, (i) => Math.sin(i)), floats(256, (i) => Math.cos(3 * i))];
  const exact = Array.from({ length: 256 }, (_, at) => {
    const [row, column] = [at >> 4, at & 15];
    return Array.from({ length: 16 }, (_unused, k) => (x[16 * row + k] ?? 0) * (y[16 * k + column] ?? 0)).reduce(
      (sum, product) => sum + product,
    );
  });
  const error = async (precision: string): Promise<number> => {
    const found = await run(body.replace("PRECISION", JSON.stringify(precision)), 256, [x, y]);
    return Math.max(...found.map((value, i) => Math.abs(value - (exact[i] ?? 0))));
  };
  expect(await error("tf32")).toBeGreaterThan(1e-4);
  expect(await error("tf32x3")).toBeLessThan(3e-6);
});

it("refuses 16-bit atomics that GPUs lack, division of mixed signs", async () => {
  const refused = async (body: string): Promise<string> => {
    const error = await run(body, 16, [new Int32Array(16)]).catch((reason: unknown) => reason);
    return (error as Error).message.split("\n")[0] ?? "";
  };
  expect(await refused("tl.atomic_max(out.to(tl.pointer_type(tl.float16)), 1.0)")).toBe(
    "atomic_max does not support fp16",
  );
  expect(await refused("tl.atomic_add(a.to(tl.pointer_type(tl.int16)), 1)")).toBe("atomic_add does not support int16");
  expect(await refused("x = tl.load(a)\ntl.store(out, x / x.to(tl.uint32))")).toContain("different signedness");
  expect(await refused("tl.make_tensor_descriptor(out, [4, 4], [4, 1], [4, 2])")).toContain("at least 16 bytes");
});
