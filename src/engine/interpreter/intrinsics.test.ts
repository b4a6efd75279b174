/**
 * Every row of the table of intrinsics means something here, at the signatures it may have; and some results by hand.
 */
import { expect, test } from "vitest";
import { float32FromBits } from "../../base/float-bits.ts";
import {
  BF16,
  F16,
  F32,
  F64,
  functionType,
  I1,
  I16,
  I32,
  I64,
  I8,
  PTR,
  vectorType,
  structType,
} from "../../ir/model/types.ts";
import type { FunctionType, IrType } from "../../ir/model/ir.ts";
import { intrinsicOf, requireIntrinsic } from "../../ir/intrinsics/lookup.ts";
import { supportedIntrinsics } from "../../ir/intrinsics/table.ts";
import { llvmFunction } from "./llvm-functions.ts";
import { nvvmFunction } from "./nvvm-functions.ts";
import { threadValue } from "./thread-registers.ts";
import type { Value } from "./value.ts";

const V2 = (t: IrType): IrType => vectorType(t, 2);

/** Signatures to try: a row must have a meaning at one of them at least. */
const SIGNATURES: readonly FunctionType[] = [
  ...[F32, F64, F16, BF16, I32, I64, I16, I8, V2(F16), V2(BF16), V2(F32)].flatMap((t) =>
    [1, 2, 3].map((n) =>
      functionType(
        t,
        Array.from({ length: n }, () => t),
      ),
    ),
  ),
  functionType(F32, [F32, I32]),
  functionType(I1, [F32, I32]),
  functionType(I32, [I32, I1]),
  functionType(structType([I32, I1]), [I32, I32]),
  functionType(I32, [F32]),
  functionType(F32, [vectorType(F32, 4)]),
  functionType(I32, [vectorType(I32, 4)]),
  functionType(F32, [F32, vectorType(F32, 4)]),
  functionType(PTR, [PTR, I32]),
  functionType(I32, [PTR, I1, I1, I1]),
  functionType(I1, [I32]),
  functionType(PTR, [PTR]),
  functionType(F64, [I32, I32]),
  functionType(V2(F16), [F32, F32]),
  functionType(V2(BF16), [F32, F32]),
  functionType(I32, [I32, I32, I1, I32]),
  functionType(I8, [I32, I32]),
];

test("every pure and thread intrinsic of the table has a meaning", () => {
  const missing: string[] = [];
  for (const { name, kind } of supportedIntrinsics()) {
    const facts = requireIntrinsic(name, null);
    if (kind === "thread") expect(() => threadValue(facts), name).not.toThrow();
    if (kind !== "pure") continue;
    const meaning = SIGNATURES.some((type) => (facts.isNvvm ? nvvmFunction : llvmFunction)(facts, type) !== null);
    if (!meaning) missing.push(name);
  }
  expect(missing).toEqual([]);
});

test("where the table says the types of an integer function, it takes and gives these", () => {
  const types: Readonly<Record<string, IrType>> = { i32: I32, i64: I64 };
  const valueOf = (type: IrType): Value => (type === I64 ? 3n : 3);
  let checked = 0;
  for (const { name, kind, signature } of supportedIntrinsics()) {
    const [, result = "", params = ""] = /^(i32|i64) \(([^)]*)\)$/.exec(signature) ?? [];
    const args = params.split(", ").map((param) => types[param.split(" ")[0] ?? ""]);
    const returned = types[result];
    if (kind !== "pure" || returned === undefined || !args.every((type) => type !== undefined)) continue;
    checked++;
    const value = pure(name, functionType(returned, args), ...args.map(valueOf));
    expect(typeof value, name).toBe(returned === I64 ? "bigint" : "number");
  }
  expect(checked).toBeGreaterThan(10);
});

test("overloaded names are found under their base", () => {
  expect(intrinsicOf("llvm.fma.v2f16")?.name).toBe("llvm.fma");
  expect(intrinsicOf("llvm.memcpy.p0.p1.i32")?.name).toBe("llvm.memcpy");
  expect(intrinsicOf("llvm.nvvm.shfl.sync.bfly.f32")?.name).toBe("llvm.nvvm.shfl.sync.bfly.f32");
  expect(intrinsicOf("llvm.nvvm.match.any.sync.i64")?.name).toBe("llvm.nvvm.match.any.sync.i64");
  expect(intrinsicOf("llvm.lifetime.start.p0")?.kind).toBe("ignored");
  expect(intrinsicOf("my_function")).toBeNull();
});

function pure(name: string, type: FunctionType, ...args: Value[]): Value {
  const facts = requireIntrinsic(name, null);
  const f = (facts.isNvvm ? nvvmFunction : llvmFunction)(facts, type);
  if (f === null) throw new Error(`no meaning for ${name}`);
  return f(args);
}

test("without clusters, each block is one of its own", () => {
  const cluster = { extents: { x: 1, y: 1, z: 1 } };
  const block = { index: { x: 3, y: 2, z: 1 }, rank: 0, cluster, grid: { launch: { grid: { x: 7, y: 5, z: 4 } } } };
  const read = (register: string): Value => {
    const facts = requireIntrinsic(`llvm.nvvm.read.ptx.sreg.${register}`, null);
    return threadValue(facts)({ block } as unknown as Parameters<ReturnType<typeof threadValue>>[0], []);
  };
  expect(["x", "y", "z"].map((axis) => read(`cluster.ctaid.${axis}`))).toEqual([0, 0, 0]);
  expect(["x", "y", "z"].map((axis) => read(`cluster.nctaid.${axis}`))).toEqual([1, 1, 1]);
  expect([read("cluster.ctarank"), read("cluster.nctarank")]).toEqual([0, 1]);
  expect(["x", "y", "z"].map((axis) => read(`clusterid.${axis}`))).toEqual([3, 2, 1]);
  expect(["x", "y", "z"].map((axis) => read(`nclusterid.${axis}`))).toEqual([7, 5, 4]);
});

test("integers by hand", () => {
  const i32 = (n: number): FunctionType =>
    functionType(
      I32,
      Array.from({ length: n }, () => I32),
    );
  expect(pure("llvm.ctlz.i32", i32(2), 0, 0)).toBe(32);
  expect(pure("llvm.cttz.i64", functionType(I64, [I64, I1]), 1n << 40n, 0)).toBe(40n);
  expect(pure("llvm.bswap.i32", i32(1), 0x11223344)).toBe(0x44332211);
  expect(pure("llvm.bitreverse.i8", functionType(I8, [I8]), 1)).toBe(128);
  expect(pure("llvm.fshl.i32", i32(3), 0x80000001, 0xf0000000, 36)).toBe(0x1f);
  expect(pure("llvm.fshr.i32", i32(3), 0x80000001, 0xf0000000, 36)).toBe(0x1f000000);
  expect(pure("llvm.sadd.sat.i8", functionType(I8, [I8, I8]), 100, 100)).toBe(127);
  expect(pure("llvm.ssub.sat.i8", functionType(I8, [I8, I8]), 0x80, 1)).toBe(0x80);
  expect(pure("llvm.sshl.sat.i8", functionType(I8, [I8, I8]), 0x81, 8)).toBe(0x80);
  expect(pure("llvm.smul.with.overflow.i32", functionType(structType([I32, I1]), [I32, I32]), 0x10000, 0x8000)).toEqual(
    [0x80000000, 1],
  );
  expect(pure("llvm.abs.i32", i32(2), 0x80000000, 0)).toBe(0x80000000);
  expect(pure("llvm.nvvm.prmt", i32(3), 0x33221100, 0x77665544, 0x7531)).toBe(0x77553311);
  expect(pure("llvm.nvvm.prmt", i32(3), 0x33221180, 0, 0x8888)).toBe(0xffffffff);
  expect(pure("llvm.nvvm.mulhi.i", i32(2), 0xffffffff, 2)).toBe(0xffffffff);
  expect(pure("llvm.nvvm.mulhi.ull", functionType(I64, [I64, I64]), (1n << 64n) - 1n, 2n)).toBe(1n);
  expect(pure("llvm.nvvm.idp4a.s.s", i32(3), 0xff01ff01, 0x02020202, 10)).toBe(10);
  expect(pure("llvm.nvvm.idp4a.u.u", i32(3), 0xff01ff01, 0x02020202, 10)).toBe(10 + 1024);
  expect(pure("llvm.nvvm.rotate.b32", i32(2), 0x80000001, 1)).toBe(3);
  expect(pure("llvm.nvvm.fns", i32(3), 0b10110, 0, 2)).toBe(2);
});

test("floats by hand", () => {
  const f32 = (n: number): FunctionType =>
    functionType(
      F32,
      Array.from({ length: n }, () => F32),
    );
  expect(pure("llvm.minnum.f32", f32(2), NaN, 3)).toBe(3);
  expect(pure("llvm.minimum.f32", f32(2), NaN, 3)).toBeNaN();
  expect(Object.is(pure("llvm.minnum.f32", f32(2), 0, -0), -0)).toBe(true);
  const scale = functionType(F32, [F32, I32]);
  expect([3, -2].map((n) => pure("llvm.ldexp.f32.i32", scale, 1.5, n >>> 0))).toEqual([12, 0.375]);
  expect([3, -2].map((n) => pure("llvm.powi.f32.i32", scale, 2, n >>> 0))).toEqual([8, 0.25]);
  const power = functionType(F64, [F64, F64]);
  expect([1, -1, 2, -1].map((x, i) => pure("llvm.pow.f64", power, x, [NaN, Infinity, 3, 3][i] as number))).toEqual([
    1, 1, 8, -1,
  ]);
  expect(pure("llvm.round.f32", f32(1), 0.49999997)).toBe(0);
  expect(pure("llvm.round.f32", f32(1), -2.5)).toBe(-3);
  expect(pure("llvm.rint.f32", f32(1), 2.5)).toBe(2);
  expect(pure("llvm.nvvm.add.rz.f", f32(2), 1, 2 ** -30)).toBe(1);
  expect(pure("llvm.nvvm.add.rp.f", f32(2), 1, 2 ** -30)).toBe(1 + 2 ** -23);
  expect(pure("llvm.nvvm.mul.rm.f", f32(2), 3.4e38, 2)).toBe(float32FromBits(0x7f7fffff));
  expect(Object.is(pure("llvm.nvvm.add.rm.f", f32(2), 1, -1), -0)).toBe(true);
  expect(pure("llvm.nvvm.div.rz.f", f32(2), 1, 3)).toBe(float32FromBits(0x3eaaaaaa));
  expect(pure("llvm.nvvm.sqrt.rp.f", f32(1), 2)).toBe(float32FromBits(0x3fb504f4));
  expect(pure("llvm.nvvm.saturate.f", f32(1), NaN)).toBe(0);
  expect(pure("llvm.nvvm.f2i.rn", functionType(I32, [F32]), 2.5)).toBe(2);
  expect(pure("llvm.nvvm.f2i.rz", functionType(I32, [F32]), NaN)).toBe(0);
  expect(pure("llvm.nvvm.f2ui.rz", functionType(I32, [F32]), 5e9)).toBe(0xffffffff);
  expect(pure("llvm.nvvm.i2f.rz", functionType(F32, [I32]), 0x7fffffff)).toBe(2147483520);
  expect(pure("llvm.nvvm.ex2.approx.ftz.f", f32(1), -130)).toBe(0);
  expect(pure("llvm.nvvm.ff2bf16x2.rn", functionType(V2(BF16), [F32, F32]), 1, 2)).toEqual([2, 1]);
  expect(pure("llvm.nvvm.fmax.xorsign.abs.f", f32(2), -3, 2)).toBe(-3);
});
