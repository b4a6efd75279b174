/** Products of blocks with scales, and rows of a matrix by descriptors, each beside what they are to compute. */
import { expect, it } from "vitest";
import { loadTriton, tensorDescriptor, typed } from "../triton.ts";

const HEAD = "import triton\nimport triton.language as tl\n\n";

const SOURCE = `${HEAD}@triton.jit
def product(a, sa, b, sb, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, FA: tl.constexpr, FB: tl.constexpr,
            HAS_A: tl.constexpr, HAS_B: tl.constexpr, PACK: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    KA: tl.constexpr = K // 2 if FA == "e2m1" and PACK else K
    MA: tl.constexpr = M // 2 if FA == "e2m1" and not PACK else M
    KB: tl.constexpr = K // 2 if FB == "e2m1" and PACK else K
    NB: tl.constexpr = N // 2 if FB == "e2m1" and not PACK else N
    x = tl.load(a + tl.arange(0, MA)[:, None] * KA + tl.arange(0, KA)[None, :])
    y = tl.load(b + tl.arange(0, KB)[:, None] * NB + tl.arange(0, NB)[None, :])
    group = tl.arange(0, K // 32)
    left = tl.load(sa + m[:, None] * (K // 32) + group[None, :]) if HAS_A else None
    right = tl.load(sb + n[:, None] * (K // 32) + group[None, :]) if HAS_B else None
    c = tl.dot_scaled(x, left, FA, y, right, FB, lhs_k_pack=PACK or FA != "e2m1", rhs_k_pack=PACK or FB != "e2m1")
    tl.store(out + m[:, None] * N + n[None, :], c)
`;

const E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6];
const valueOf = (format: string, bits: number): number => {
  if (format === "e2m1") return (bits & 8 ? -1 : 1) * (E2M1[bits & 7] as number);
  const [fraction, bias] = format === "e4m3" ? [3, 7] : [2, 15];
  const exponent = (bits & 127) >> fraction;
  const rest = (bits & ((1 << fraction) - 1)) / 2 ** fraction;
  const size = exponent === 0 ? rest * 2 ** (1 - bias) : (1 + rest) * 2 ** (exponent - bias);
  return (bits & 128 ? -1 : 1) * size;
};
const DTYPE: Readonly<Record<string, string>> = { e2m1: "uint8", e4m3: "float8e4nv", e5m2: "float8e5" };

function random(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 8;
}

/** A matrix of elements of a format, in bytes as kernels have it. */
function matrix(format: string, rows: number, columns: number, packsColumns: boolean, next: () => number) {
  const elements = Array.from({ length: rows * columns }, () => {
    if (format === "e2m1") return next() & 15;
    // Exponents around 1, so that sums of products are exact.
    const fraction = format === "e4m3" ? 3 : 2;
    const exponent = (format === "e4m3" ? 7 : 15) + (next() % 4) - 2;
    return ((next() & 1) << 7) | (exponent << fraction) | (next() & ((1 << fraction) - 1));
  });
  const at = (row: number, column: number): number => elements[row * columns + column] as number;
  if (format !== "e2m1") return { at, bytes: Uint8Array.from(elements) };
  const [height, width] = packsColumns ? [rows, columns / 2] : [rows / 2, columns];
  const bytes = Uint8Array.from({ length: height * width }, (_, i) => {
    const [row, column] = [Math.floor(i / width), i % width];
    const [low, high] = packsColumns
      ? [at(row, 2 * column), at(row, 2 * column + 1)]
      : [at(2 * row, column), at(2 * row + 1, column)];
    return low | (high << 4);
  });
  return { at, bytes };
}

it.each([
  ["e2m1", "e2m1", true, true, true],
  ["e2m1", "e4m3", true, true, false],
  ["e4m3", "e5m2", true, false, true],
  ["e5m2", "e2m1", false, true, true],
  ["e2m1", "e2m1", false, false, false],
])("multiplies %s by %s (scales: %s, %s; packed along K: %s)", async (fa, fb, hasA, hasB, isPackedAlongK) => {
  const [m, n, k] = [16, 32, 64];
  const next = random(7);
  const a = matrix(fa, m, k, isPackedAlongK, next);
  const b = matrix(fb, k, n, !isPackedAlongK, next);
  const scales = (rows: number): Uint8Array => Uint8Array.from({ length: rows * 2 }, () => 124 + (next() % 6));
  const [sa, sb] = [scales(m), scales(n)];
  const program = await loadTriton(SOURCE);
  const { device } = program;
  const out = device.array(new Float32Array(m * n));
  const bytes = (data: Uint8Array, format: string) => typed(device.array(data), DTYPE[format] as string);
  const constants = { M: m, N: n, K: k, FA: fa, FB: fb, HAS_A: hasA, HAS_B: hasB, PACK: isPackedAlongK };
  const args = [bytes(a.bytes, fa), device.array(sa), bytes(b.bytes, fb), device.array(sb), out] as const;
  await program.kernel("product").launch({ grid: 1 }, ...args, constants);
  const factor = (has: boolean, of: Uint8Array, row: number, i: number): number =>
    has ? 2 ** ((of[row * 2 + (i >> 5)] as number) - 127) : 1;
  const expected = Array.from({ length: m * n }, (_, at) => {
    const [row, column] = [Math.floor(at / n), at % n];
    let sum = 0;
    for (let i = 0; i < k; i++)
      sum +=
        valueOf(fa, a.at(row, i)) *
        factor(hasA, sa, row, i) *
        (valueOf(fb, b.at(i, column)) * factor(hasB, sb, column, i));
    return sum;
  });
  expect(Array.from(await out.read())).toEqual(expected);
});

it("makes NaN of the scale 255, and refuses formats and shapes that do not fit", async () => {
  const source = `${HEAD}@triton.jit
def k(a, s, out, FORMAT: tl.constexpr, GROUPS: tl.constexpr):
    m = tl.arange(0, 16)
    x = tl.load(a + m[:, None] * 64 + tl.arange(0, 64)[None, :])
    scale = tl.load(s + m[:, None] * GROUPS + tl.arange(0, GROUPS)[None, :])
    c = tl.dot_scaled(x, scale, FORMAT, tl.full((64, 16), 1.0, tl.bfloat16), None, "bf16")
    tl.store(out + m[:, None] * 16 + m[None, :], c)
`;
  const program = await loadTriton(source);
  const { device } = program;
  const ones = typed(device.array(new Uint8Array(16 * 64).fill(0x38)), "float8e4nv");
  const scales = device.array(Uint8Array.from({ length: 64 }, (_, i) => (i === 0 ? 255 : 127)));
  const out = device.array(new Float32Array(256));
  const launch = (FORMAT: string, GROUPS: number) =>
    program.kernel("k").launch({ grid: 1 }, ones, scales, out, { FORMAT, GROUPS });
  await launch("e4m3", 2);
  const result = Array.from(await out.read());
  expect(result.slice(0, 16)).toEqual(Array.from({ length: 16 }, () => NaN));
  expect(result.slice(16)).toEqual(Array.from({ length: 240 }, () => 64));
  await expect(launch("e3m2", 2)).rejects.toThrow("NYI: lhs_format e3m2");
  await expect(launch("e4m3", 4)).rejects.toThrow("lhs_scale must be a tensor of shape [16, 2]");
});

it("gathers and scatters rows of a matrix by a descriptor", async () => {
  const source = `${HEAD}@triton.jit
def k(d, e, rows):
    at = tl.load(rows + tl.arange(0, 8))
    e.scatter(d.gather(at, 4) * 2, at + 1, 0)
`;
  const program = await loadTriton(source);
  const { device } = program;
  const data = device.array(Float32Array.from({ length: 10 * 16 }, (_, i) => i + 1));
  const out = device.array(new Float32Array(10 * 8));
  const rows = [3, 0, 9, 12, 5, -1, 7, 1];
  const from = tensorDescriptor(data, { shape: [10, 16], blockShape: [1, 8] });
  const to = tensorDescriptor(out, { shape: [10, 8], blockShape: [1, 8] });
  await program.kernel("k").launch({ grid: 1 }, from, to, device.array(Int32Array.from(rows)));
  const expected = Array.from({ length: 80 }, () => 0);
  for (const row of rows)
    for (let i = 0; i < 8; i++)
      if (row + 1 >= 0 && row + 1 < 10) expected[(row + 1) * 8 + i] = row < 0 ? 0 : (row * 16 + 4 + i + 1) * 2;
  expect(Array.from(await out.read())).toEqual(expected);
});

it("names integer types by their width", async () => {
  const source = `${HEAD}@triton.jit
def k(x, out):
    kind: tl.constexpr = tl.core.get_int_dtype(bitwidth=x.dtype.element_ty.primitive_bitwidth, signed=True)
    tl.store(out + tl.arange(0, 4), tl.load(x + tl.arange(0, 4)).to(kind, bitcast=True))
`;
  const program = await loadTriton(source);
  const { device } = program;
  const out = device.array(new Int32Array(4));
  await program.kernel("k").launch({ grid: 1 }, device.array(new Float32Array([1, -1, 0.5, 0])), out);
  expect(Array.from(await out.read())).toEqual([0x3f800000, -1082130432, 0x3f000000, 0]);
});

it("takes tuples of arrays and numbers as arguments, and helpers marked as constexpr", async () => {
  const source = `${HEAD}@tl.constexpr
def wide(kind):
    return tl.float32 if kind.is_fp16() else kind

@triton.jit
def k(parts, scale, out):
    kind: tl.constexpr = wide(parts[0].type.element_ty)
    total = tl.zeros([4], dtype=kind)
    for part in tl.static_range(2):
        total += tl.load(parts[part] + tl.arange(0, 4)) * scale[part]
    rest: tl.constexpr = tl.program_id(0) + 1
    tl.store(out + tl.arange(0, 4), total * rest)
`;
  const program = await loadTriton(source);
  const { device } = program;
  const [x, y] = [device.array(new Float32Array([1, 2, 3, 4])), device.array(new Float32Array([10, 20, 30, 40]))];
  const out = device.array(new Float32Array(4));
  await program.kernel("k").launch({ grid: 1 }, [x, y], [2, 3], out);
  expect(Array.from(await out.read())).toEqual([32, 64, 96, 128]);
});

it("multiplies fp32 as TRITON_F32_DEFAULT says where the call says nothing", async () => {
  const source = `${HEAD}@triton.jit
def k(x, out, PRECISION: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    unit = (tl.arange(0, 16)[:, None] == tl.arange(0, 16)[None, :]).to(tl.float32)
    tl.store(out + at, tl.dot(tl.load(x + at), unit, input_precision=PRECISION))
`;
  const values = Float32Array.from({ length: 256 }, (_, i) => 1 + i / 65536);
  const results = async (environment: Record<string, string>, precision: string | null): Promise<number[]> => {
    const program = await loadTriton(source, { environment });
    const out = program.device.array(new Float32Array(256));
    await program.kernel("k").launch({ grid: 1 }, program.device.array(values), out, { PRECISION: precision });
    return Array.from(await out.read());
  };
  const cut = Array.from(values, (value) => Math.floor(value * 1024) / 1024);
  expect(await results({}, null)).toEqual(cut);
  expect(await results({ TRITON_F32_DEFAULT: "ieee" }, null)).toEqual(Array.from(values));
  expect(await results({ TRITON_F32_DEFAULT: "ieee" }, "tf32")).toEqual(cut);
});
