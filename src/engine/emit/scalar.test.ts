/**
 * Every scalar operation, compiled against interpreted: one kernel for each operation and type, many operands, edge
 * cases first. Results are compared as bits, but for NaNs, whose bits nobody promises.
 */
import fc from "../../base/properties.test-helper.ts";
import { describe, expect, test } from "vitest";
import { Harness } from "../harness.ts";
import { createInterpreter } from "../interpreter/interpreter.ts";
import { createThreadExecutor } from "../thread-tier/thread-executor.ts";
import { hostFeatures } from "./features.ts";
import { BYTES, type Operation, OPERATIONS } from "./scalar-operations.test-data.ts";
import { enableWasmFeatures } from "./v8-flags-node.ts";

enableWasmFeatures();

const N = 256;

/** Bit patterns that matter, then random ones. */
function operands(type: string, seed: number): bigint[] {
  const width = BigInt(BYTES[type]! * 8);
  const all = (1n << width) - 1n;
  const top = 1n << (width - 1n);
  const edges = [0n, 1n, 2n, 3n, all, all - 1n, top, top - 1n, top + 1n, 7n, 31n, 32n, 33n, 63n, 64n, 100n].map(
    (v) => v & all,
  );
  const floats: Record<string, readonly bigint[]> = {
    half: [0x3c00n, 0xbc00n, 0x7c00n, 0xfc00n, 0x7e00n, 0x7bffn, 0x0400n, 0x03ffn, 0x3800n, 0x4100n, 0xc100n, 0x5bffn],
    bfloat: [
      0x3f80n,
      0xbf80n,
      0x7f80n,
      0xff80n,
      0x7fc0n,
      0x7f7fn,
      0x0080n,
      0x007fn,
      0x3f00n,
      0x4020n,
      0xc020n,
      0x4b7fn,
    ],
    float: [
      0x3f800000n,
      0xbf800000n,
      0x7f800000n,
      0xff800000n,
      0x7fc00000n,
      0x7f7fffffn,
      0x00800000n,
      0x007fffffn,
      0x3f000000n,
      0x40200000n,
      0xc0200000n,
      0x4f000000n,
      0xcf000000n,
      0x4f7fffffn,
      0x4b7fffffn,
      0x477ff000n,
      0x33000000n,
      0x33000001n,
      0x3f7fffffn,
    ],
    double: [
      0x3ff0000000000000n,
      0xbff0000000000000n,
      0x7ff0000000000000n,
      0xfff0000000000000n,
      0x7ff8000000000000n,
      0x7fefffffffffffffn,
      0x0010000000000000n,
      0x000fffffffffffffn,
      0x3fe0000000000000n,
      0x4004000000000000n,
      0xc1e0000000000000n,
      0x41dfffffffe00000n,
      0x43e0000000000000n,
      0x40effe0000000000n,
      0x3e70000000000001n,
      0x36a0000000000001n,
      0x3fefffffffffffffn,
    ],
  };
  const list = [...(floats[type] ?? []), ...edges];
  const random = fc.sample(fc.bigInt({ min: 0n, max: all }), { numRuns: N, seed });
  const small = fc.sample(fc.bigInt({ min: -300n, max: 300n }), { numRuns: N, seed: seed + 1 }).map((v) => v & all);
  return Array.from({ length: N }, (_, i) => {
    const pick = list[(i * 7 + seed * 5 + (i >> 3)) % list.length]!;
    if (i % 4 === 3) return random[i]!;
    return i % 4 === 2 && floats[type] === undefined ? small[i]! : pick;
  });
}

function kernel(operation: Operation, index: number): string {
  const address = (p: string, type: string): string =>
    `%o${p} = mul i32 %t, ${BYTES[type]}\n%p${p} = getelementptr i8, ptr %${p.toUpperCase()}, i32 %o${p}`;
  const load = (n: string, type: string): string =>
    `${address(n, type)}\n%${n} = load ${type}, ptr %p${n}, align ${BYTES[type]}`;
  return `
define ptx_kernel void @k${index}(${["A", "B", "C"].map((n) => `ptr %${n}`).join(", ")}, ptr %R) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ${operation.params.map((type, i) => load("abc"[i]!, type)).join("\n")}
  ${address("r", operation.result)}
  ${operation.body}
  store ${operation.result} %r, ptr %pr, align ${BYTES[operation.result]}
  ret void
}`;
}

function isNan(type: string, value: bigint): boolean {
  const limits: Record<string, readonly [bigint, bigint]> = {
    half: [0x7fffn, 0x7c00n],
    bfloat: [0x7fffn, 0x7f80n],
    float: [0x7fffffffn, 0x7f800000n],
    double: [(1n << 63n) - 1n, 0x7ff0000000000000n],
  };
  const limit = limits[type];
  return limit !== undefined && (value & limit[0]) > limit[1];
}

const declarations = [
  ...new Set(["declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()", ...OPERATIONS.flatMap((o) => o.declare ?? [])]),
].join("\n");

describe.each([
  ["with fused multiply-add", hostFeatures()],
  ["without", { fusedMultiplyAdd: false, relaxedSimd: false }],
] as const)("compiled against interpreted, %s", (_, features) => {
  const harness = new Harness(1 << 20);
  const program = harness.load(`${declarations}\n${OPERATIONS.map(kernel).join("\n")}`);
  const compiled = createThreadExecutor({ features });
  const interpreted = createInterpreter();
  const inputs = [0, 1, 2].map(() => harness.allocate(N * 8, 256));
  const results = [0, 1].map(() => harness.allocate(N * 8, 256));
  test.each(OPERATIONS.map((o, i) => [o.name, i] as const))("%s", (_name, index) => {
    const operation = OPERATIONS[index]!;
    const view = new DataView(harness.memory.buffer);
    const put = (at: number, bytes: number, value: bigint): void => {
      for (let i = 0; i < bytes; i++) view.setUint8(at + i, Number((value >> BigInt(8 * i)) & 0xffn));
    };
    const take = (at: number, bytes: number): bigint => {
      let v = 0n;
      for (let i = bytes - 1; i >= 0; i--) v = (v << 8n) | BigInt(view.getUint8(at + i));
      return v;
    };
    const values = operation.params.map((type, p) => operands(type, p + 1));
    values.forEach((list, p) =>
      list.forEach((value, i) =>
        put(inputs[p]! + i * BYTES[operation.params[p]!]!, BYTES[operation.params[p]!]!, value),
      ),
    );
    for (const [n, executor] of [interpreted, compiled].entries()) {
      expect(
        harness.run(executor, program, `k${index}`, { grid: 1, block: N }, [...inputs, results[n]!]).fault,
      ).toBeNull();
    }
    const bytes = BYTES[operation.result]!;
    const wrong: string[] = [];
    for (let i = 0; i < N; i++) {
      const [want, got] = [take(results[0]! + i * bytes, bytes), take(results[1]! + i * bytes, bytes)];
      // A NaN's sign is nobody's.
      if (operation.name.includes("copysign") && isNan(operation.result, values[1]![i]!)) continue;
      if (want === got || (isNan(operation.result, want) && isNan(operation.result, got))) continue;
      wrong.push(
        `(${values.map((list) => `0x${list[i]!.toString(16)}`).join(", ")}) gives 0x${got.toString(16)}, ` +
          `interpreted 0x${want.toString(16)}`,
      );
    }
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});
