/** What is claimed of neighbouring elements, against the values that the interpreter of block IR computes. */
import { expect, test } from "vitest";
import { Random } from "../../../engine/fuzz/random.ts";
import { interpretProgram } from "../blocks/interpreter.ts";
import type { BlockKernel, BlockValue } from "../blocks/model.ts";
import { compileKernel, type ArgumentSpecialisation } from "../compile-kernel.ts";
import { openModule } from "../evaluate/module.ts";
import { FP16, FP32, INT32, pointerTo, type Dtype } from "../language/dtypes.ts";
import { intValue, type FunctionValue } from "../language/values.ts";
import { SourceText } from "../syntax/source-text.ts";
import { AxisTable } from "./axis-info.ts";
import { generateKernel } from "./generate-kernel.test-helper.ts";

const HEAD = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n";

function compiled(
  source: string,
  values: Readonly<Record<string, readonly [Dtype, number]>>,
  constants: Readonly<Record<string, number>>,
): BlockKernel {
  const module = openModule(new SourceText("axes.py", source));
  const args = new Map<string, ArgumentSpecialisation>();
  for (const [name, [dtype, divisibility]] of Object.entries(values))
    args.set(name, { kind: "value", dtype, divisibility });
  for (const [name, value] of Object.entries(constants)) args.set(name, { kind: "constant", value: intValue(value) });
  return compileKernel(module, module.functions.get("k") as FunctionValue, args, 4);
}

const described = ({ op, type }: BlockValue): string => `${op?.op ?? "a parameter"} of ${type.shape.join(" x ")}`;

/** What does not hold. */
function wrongClaims(kernel: BlockKernel, args: readonly bigint[], memory: DataView, program = 0): string[] {
  const table = new AxisTable(kernel);
  const wrong = new Set<string>();
  const check = (value: BlockValue, elements: readonly (bigint | number)[]): void => {
    const { element, shape } = value.type;
    if (element.kind === "float") return;
    const unit = BigInt(element.kind === "ptr" ? (table.pointeeBytes(value) ?? 1) : 1);
    const bits = element.kind === "int" ? element.bits : 64;
    const at = (i: number): bigint => BigInt.asUintN(bits, BigInt(elements[i] as bigint));
    for (const [d, { contiguity, constancy, divisibility }] of table.of(value).entries()) {
      const stride = shape.slice(d + 1).reduce((a, b) => a * b, 1);
      const size = shape[d] ?? 1;
      for (let i = 0; i < elements.length; i++) {
        const index = Math.floor(i / stride) % size;
        const [run, same] = [i - (index % contiguity) * stride, i - (index % constancy) * stride];
        const distance = unit * BigInt(index % contiguity);
        if (at(i) !== BigInt.asUintN(bits, at(run) + distance))
          wrong.add(`contiguity ${contiguity}: ${described(value)}`);
        if (at(i) !== at(same)) wrong.add(`constancy ${constancy}: ${described(value)}`);
        if (at(run) % BigInt(divisibility) !== 0n) wrong.add(`divisibility ${divisibility}: ${described(value)}`);
      }
    }
  };
  interpretProgram(
    kernel,
    args,
    memory,
    { id: [program, 0, 0], count: [4, 1, 1] },
    {
      after: (op, read) => op.results.forEach((value) => check(value, read(value))),
      entered: (_op, region, read) => region.params.forEach((value) => check(value, read(value))),
    },
  );
  return [...wrong];
}

/** Of the pointer that the first load or store of the kernel has, in its order. */
function firstAccess(kernel: BlockKernel): { pointer: BlockValue; mask: BlockValue | null } {
  const found: { pointer: BlockValue; mask: BlockValue | null }[] = [];
  const visit = (ops: BlockKernel["body"]["ops"]): void => {
    for (const op of ops) {
      if (op.op === "load" || op.op === "store") found.push(op);
      if (op.op === "for") visit(op.body.ops);
    }
  };
  visit(kernel.body.ops);
  return found[0] as { pointer: BlockValue; mask: BlockValue | null };
}

test("random kernels keep what is claimed", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const { source, m, n } = generateKernel(new Random(seed));
    const pointer = (dtype: Dtype): readonly [Dtype, number] => [pointerTo(dtype), 16];
    const values = { X: pointer(INT32), F: pointer(FP32), Y: pointer(FP32), count: [INT32, 1] as const };
    const kernel = compiled(source, values, { M: m, N: n });
    const memory = new DataView(new ArrayBuffer(1 << 20));
    expect(wrongClaims(kernel, [256n, 65536n, 131072n, BigInt(seed % 6)], memory), `seed ${seed}\n${source}`).toEqual(
      [],
    );
  }
});

const MATMUL = `${HEAD}def k(a, b, M, N, K, sa, sb, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    om = (pid * BM + tl.arange(0, BM)) % M
    on = (pid * BN + tl.arange(0, BN)) % N
    ok = tl.arange(0, BK)
    pa = a + om[:, None] * sa + ok[None, :]
    pb = b + ok[:, None] * sb + on[None, :]
    for i in range(0, tl.cdiv(K, BK)):
        x = tl.load(pa, mask=ok[None, :] < K - i * BK, other=0.0)
        y = tl.load(pb, mask=ok[:, None] < K - i * BK, other=0.0)
        tl.store(pb, y + tl.sum(x))
        pa += BK
        pb += BK * sb
`;

test.each([
  ["multiples of 16", [16, 16, 16, 16, 16], [64n, 48n, 32n, 32n, 48n], 8],
  ["a stride that is not", [16, 16, 16, 1, 1], [64n, 48n, 32n, 33n, 49n], 1],
  ["an inner size that is not", [16, 16, 1, 16, 16], [64n, 48n, 27n, 32n, 48n], 1],
] as const)("a product's tiles: %s", (_name, divisible, sizes, width) => {
  const pointer = [pointerTo(FP16), 16] as const;
  const names = ["M", "N", "K", "sa", "sb"].map((name, i) => [name, [INT32, divisible[i] as number]] as const);
  const values = { a: pointer, b: pointer, ...Object.fromEntries(names) };
  const kernel = compiled(MATMUL, values, { BM: 16, BN: 32, BK: 16 });
  const memory = new DataView(new ArrayBuffer(1 << 20));
  for (const program of [0, 3]) expect(wrongClaims(kernel, [4096n, 65536n, ...sizes], memory, program)).toEqual([]);
  const table = new AxisTable(kernel);
  const { pointer: first, mask } = firstAccess(kernel);
  expect(table.vectorElements(first, mask, 1, 2)).toBe(width);
});

test.each([
  ["a row that begins anywhere", "tl.load(a + n + i, mask=i < n)", 1],
  ["whole rows", "tl.load(a + n * 16 + i, mask=i < n * 32)", 4],
  ["rows backwards", "tl.load(a - i + 64)", 1],
  ["every other element", "tl.load(a + 2 * i)", 1],
  ["pairs", "tl.load(a + i // 2 * 2)", 1],
  ["a mask that ends anywhere", "tl.load(a + i, mask=i < n)", 1],
  ["a mask of rows", "tl.load(a + i, mask=(i < 64) & (n > 3))", 4],
  ["a bound that is reached", "tl.load(a + i, mask=i <= 64)", 1],
  ["a bound that is the lesser of two", "tl.load(a + i, mask=i < tl.minimum(n, 77))", 1],
  ["narrow indices", "tl.load(a + (i * 2).to(tl.int8).to(tl.int32))", 1],
])("accesses of floats: %s", (_name, load, width) => {
  const source = `${HEAD}def k(a, n, B: tl.constexpr):\n    i = tl.arange(0, B)\n    tl.store(a + i, ${load})\n`;
  const kernel = compiled(source, { a: [pointerTo(FP32), 16], n: [INT32, 1] }, { B: 128 });
  for (const n of [3n, 8n, 77n])
    expect(wrongClaims(kernel, [4096n, n], new DataView(new ArrayBuffer(1 << 16)))).toEqual([]);
  const { pointer, mask } = firstAccess(kernel);
  expect(new AxisTable(kernel).vectorElements(pointer, mask, 0, 4)).toBe(width);
});
