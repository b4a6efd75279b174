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
import { enableWasmFeatures } from "./v8-flags-node.ts";

enableWasmFeatures();

const BYTES: Record<string, number> = {
  i1: 1,
  i8: 1,
  i16: 2,
  i32: 4,
  i64: 8,
  half: 2,
  bfloat: 2,
  float: 4,
  double: 8,
  ptr: 4,
};
const FLOATS = ["half", "bfloat", "float", "double"];
const INTS = ["i8", "i16", "i32", "i64"];
const N = 256;

interface Operation {
  readonly name: string;
  readonly params: readonly string[];
  readonly result: string;
  readonly body: string;
  readonly declare?: string;
}

const binary = (operators: readonly string[], types: readonly string[]): Operation[] =>
  operators.flatMap((op) =>
    types.map((t) => ({ name: `${op} ${t}`, params: [t, t], result: t, body: `%r = ${op} ${t} %a, %b` })),
  );
const compare = (op: string, predicates: readonly string[], types: readonly string[]): Operation[] =>
  predicates.flatMap((p) =>
    types.map((t) => ({
      name: `${op} ${p} ${t}`,
      params: [t, t],
      result: "i8",
      body: `%c = ${op} ${p} ${t} %a, %b\n%r = zext i1 %c to i8`,
    })),
  );
const cast = (op: string, pairs: readonly (readonly [string, string])[]): Operation[] =>
  pairs.map(([from, to]) => ({
    name: `${op} ${from} ${to}`,
    params: [from],
    result: to,
    body: `%r = ${op} ${from} %a to ${to}`,
  }));
const intrinsic = (name: string, params: readonly string[], result: string, tail = ""): Operation => ({
  name,
  params,
  result,
  declare: `declare ${result} @${name}(${[...params, ...(tail === "" ? [] : ["i1"])].join(", ")})`,
  body: `%r = call ${result} @${name}(${params.map((p, i) => `${p} %${"abc"[i]}`).join(", ")}${tail})`,
});
const suffix: Record<string, string> = { half: "f16", bfloat: "bf16", float: "f32", double: "f64" };
const over = (names: readonly string[], types: readonly string[], arity: number, tail = ""): Operation[] =>
  names.flatMap((n) =>
    types.map((t) =>
      intrinsic(
        `llvm.${n}.${suffix[t] ?? t}`,
        Array.from({ length: arity }, () => t),
        t,
        tail,
      ),
    ),
  );
const withOverflow = (name: string, type: string): Operation => ({
  name: `${name} ${type}`,
  params: [type, type],
  result: type,
  declare: `declare { ${type}, i1 } @llvm.${name}.with.overflow.${type}(${type}, ${type})`,
  body:
    `%p = call { ${type}, i1 } @llvm.${name}.with.overflow.${type}(${type} %a, ${type} %b)\n%v = extractvalue { ${type}, i1 } %p, 0\n%o = extractvalue { ${type}, i1 } %p, 1\n` +
    `%x = zext i1 %o to ${type}\n%y = mul ${type} %x, 85\n%r = xor ${type} %v, %y`,
});
const pairs = (
  from: readonly string[],
  to: readonly string[],
  accept: (f: string, t: string) => boolean,
): [string, string][] => from.flatMap((f) => to.filter((t) => accept(f, t)).map((t): [string, string] => [f, t]));
const bits = (t: string): number => Number(t.slice(1));

const OPERATIONS: Operation[] = [
  ...binary(["add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "sdiv", "urem", "srem"], INTS),
  ...binary(["fadd", "fsub", "fmul", "fdiv"], FLOATS),
  ...binary(["frem"], ["float", "double"]),
  ...compare("icmp", ["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"], INTS),
  ...compare(
    "fcmp",
    ["false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"],
    FLOATS,
  ),
  ...cast(
    "trunc",
    pairs(INTS, INTS, (f, t) => bits(f) > bits(t)),
  ),
  ...cast(
    "zext",
    pairs(INTS, INTS, (f, t) => bits(f) < bits(t)),
  ),
  ...cast(
    "sext",
    pairs(INTS, INTS, (f, t) => bits(f) < bits(t)),
  ),
  ...cast("fptrunc", [
    ["double", "float"],
    ["double", "half"],
    ["double", "bfloat"],
    ["float", "half"],
    ["float", "bfloat"],
  ]),
  ...cast("fpext", [
    ["half", "float"],
    ["bfloat", "float"],
    ["half", "double"],
    ["bfloat", "double"],
    ["float", "double"],
  ]),
  ...cast(
    "fptosi",
    pairs(FLOATS, INTS, () => true),
  ),
  ...cast(
    "fptoui",
    pairs(FLOATS, INTS, () => true),
  ),
  ...cast(
    "sitofp",
    pairs(INTS, FLOATS, () => true),
  ),
  ...cast(
    "uitofp",
    pairs(INTS, FLOATS, () => true),
  ),
  ...cast("bitcast", [
    ["i16", "half"],
    ["i32", "float"],
    ["float", "i32"],
    ["i64", "double"],
    ["double", "i64"],
  ]),
  ...FLOATS.map((t) => ({ name: `fneg ${t}`, params: [t], result: t, body: `%r = fneg ${t} %a` })),
  ...over(["fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven"], FLOATS, 1),
  ...over(["copysign", "minnum", "maxnum", "minimum", "maximum"], FLOATS, 2),
  ...over(["fma"], FLOATS, 3),
  ...over(["ctpop", "bitreverse"], INTS, 1),
  ...over(["bswap"], ["i16", "i32", "i64"], 1),
  ...over(["ctlz", "cttz", "abs"], INTS, 1, ", i1 0"),
  ...over(["smin", "smax", "umin", "umax", "uadd.sat", "sadd.sat", "usub.sat", "ssub.sat"], INTS, 2),
  ...over(["fshl", "fshr"], INTS, 3),
  ...["sadd", "uadd", "ssub", "usub", "smul", "umul"].flatMap((n) => INTS.map((t) => withOverflow(n, t))),
  ...["i", "ui"].flatMap((s) => [
    intrinsic(`llvm.nvvm.mulhi.${s}`, ["i32", "i32"], "i32"),
    intrinsic(`llvm.nvvm.mul24.${s}`, ["i32", "i32"], "i32"),
    intrinsic(`llvm.nvvm.sad.${s}`, ["i32", "i32", "i32"], "i32"),
  ]),
  ...["ll", "ull"].map((s) => intrinsic(`llvm.nvvm.mulhi.${s}`, ["i64", "i64"], "i64")),
  ...["s", "us"].map((s) => intrinsic(`llvm.nvvm.mulhi.${s}`, ["i16", "i16"], "i16")),
  intrinsic("llvm.nvvm.prmt", ["i32", "i32", "i32"], "i32"),
  ...["fmin.f", "fmax.f", "add.rn.f", "mul.rn.f", "div.rn.f", "add.rz.f", "mul.rp.f"].map((n) =>
    intrinsic(`llvm.nvvm.${n}`, ["float", "float"], "float"),
  ),
  ...[
    "rcp.rn.f",
    "sqrt.rn.f",
    "rcp.approx.ftz.f",
    "sqrt.approx.f",
    "rsqrt.approx.f",
    "ex2.approx.f",
    "lg2.approx.f",
    "sin.approx.f",
    "cos.approx.f",
    "saturate.f",
    "ceil.f",
    "floor.f",
    "round.f",
    "trunc.f",
    "sqrt.approx.ftz.f",
    "rsqrt.approx.ftz.f",
    "ex2.approx.ftz.f",
    "lg2.approx.ftz.f",
    "saturate.ftz.f",
    "rcp.rz.f",
    "rcp.rn.ftz.f",
  ].map((n) => intrinsic(`llvm.nvvm.${n}`, ["float"], "float")),
  ...[
    "add.rn.ftz.f",
    "mul.rn.ftz.f",
    "div.rn.ftz.f",
    "div.full",
    "div.full.ftz",
    "div.approx.f",
    "div.approx.ftz.f",
    "fmin.ftz.f",
    "fmax.ftz.f",
    "fmin.nan.f",
    "fmax.nan.f",
    "fmin.xorsign.abs.f",
  ].map((n) => intrinsic(`llvm.nvvm.${n}`, ["float", "float"], "float")),
  ...["rcp.rn.d", "sqrt.rn.d", "saturate.d", "round.d", "rsqrt.approx.d", "rcp.approx.ftz.d"].map((n) =>
    intrinsic(`llvm.nvvm.${n}`, ["double"], "double"),
  ),
  ...["fmin.d", "fmax.d", "add.rn.d", "mul.rn.d", "div.rn.d"].map((n) =>
    intrinsic(`llvm.nvvm.${n}`, ["double", "double"], "double"),
  ),
  ...["fma.rn.f", "fma.rn.ftz.f", "fma.rz.f"].map((n) =>
    intrinsic(`llvm.nvvm.${n}`, ["float", "float", "float"], "float"),
  ),
  intrinsic("llvm.nvvm.fma.rn.d", ["double", "double", "double"], "double"),
  ...["fma.rn.f16", "fma.rn.ftz.f16", "fma.rn.sat.f16", "fma.rn.relu.f16"].map((n) =>
    intrinsic(`llvm.nvvm.${n}`, ["half", "half", "half"], "half"),
  ),
  ...["fmin.f16", "fmax.f16", "fmin.nan.f16"].map((n) => intrinsic(`llvm.nvvm.${n}`, ["half", "half"], "half")),
  ...["rn", "rz", "rm", "rp"].flatMap((m) => [
    intrinsic(`llvm.nvvm.f2i.${m}`, ["float"], "i32"),
    intrinsic(`llvm.nvvm.f2ui.${m}`, ["float"], "i32"),
    intrinsic(`llvm.nvvm.f2ll.${m}`, ["float"], "i64"),
    intrinsic(`llvm.nvvm.f2ull.${m}`, ["float"], "i64"),
    intrinsic(`llvm.nvvm.d2i.${m}`, ["double"], "i32"),
    intrinsic(`llvm.nvvm.d2ui.${m}`, ["double"], "i32"),
    intrinsic(`llvm.nvvm.d2ll.${m}`, ["double"], "i64"),
    intrinsic(`llvm.nvvm.d2ull.${m}`, ["double"], "i64"),
    intrinsic(`llvm.nvvm.i2f.${m}`, ["i32"], "float"),
    intrinsic(`llvm.nvvm.ui2f.${m}`, ["i32"], "float"),
    intrinsic(`llvm.nvvm.ll2f.${m}`, ["i64"], "float"),
    intrinsic(`llvm.nvvm.ull2d.${m}`, ["i64"], "double"),
    intrinsic(`llvm.nvvm.d2f.${m}`, ["double"], "float"),
  ]),
  intrinsic("llvm.nvvm.f2i.rn.ftz", ["float"], "i32"),
  intrinsic("llvm.nvvm.f2h.rn", ["float"], "i16"),
  intrinsic("llvm.nvvm.d2i.lo", ["double"], "i32"),
  intrinsic("llvm.nvvm.d2i.hi", ["double"], "i32"),
  intrinsic("llvm.nvvm.lohi.i2d", ["i32", "i32"], "double"),
  intrinsic("llvm.nvvm.idp4a.s.u", ["i32", "i32", "i32"], "i32"),
  intrinsic("llvm.nvvm.fns", ["i32", "i32", "i32"], "i32"),
  ...[0x003, 0x204, 0x108, 0x090, 0x060, 0x1f8].flatMap((mask) =>
    FLOATS.map((t): Operation => ({
      name: `is.fpclass ${mask} ${t}`,
      params: [t],
      result: "i8",
      declare: `declare i1 @llvm.is.fpclass.${suffix[t]}(${t}, i32)`,
      body: `%c = call i1 @llvm.is.fpclass.${suffix[t]}(${t} %a, i32 ${mask})\n%r = zext i1 %c to i8`,
    })),
  ),
  ...INTS.map((t): Operation => ({
    name: `select ${t}`,
    params: [t, t],
    result: t,
    body: `%c = icmp ult ${t} %a, %b\n%r = select i1 %c, ${t} %b, ${t} %a`,
  })),
  ...["add", "sub", "xchg", "and", "or", "xor", "nand", "max", "min", "umax", "umin", "uinc_wrap", "udec_wrap"].flatMap(
    (op) =>
      ["i16", "i32", "i64"].map((t): Operation => ({
        name: `atomicrmw ${op} ${t}`,
        params: [t, t],
        result: t,
        body:
          `store ${t} %a, ptr %pr, align ${BYTES[t]}\n` +
          `%o = atomicrmw ${op} ptr %pr, ${t} %b monotonic\n` +
          `%n = load ${t}, ptr %pr, align ${BYTES[t]}\n%m = mul ${t} %o, 3\n%r = add ${t} %n, %m`,
      })),
  ),
  ...["fadd", "fsub", "fmax", "fmin"].flatMap((op) =>
    FLOATS.map((t): Operation => ({
      name: `atomicrmw ${op} ${t}`,
      params: [t, t],
      result: t,
      body:
        `store ${t} %a, ptr %pr, align ${BYTES[t]}\n` +
        `%o = atomicrmw ${op} ptr %pr, ${t} %b monotonic\n` +
        `%r = load ${t}, ptr %pr, align ${BYTES[t]}`,
    })),
  ),
];

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
  const names = ["a", "b", "c"].slice(0, operation.params.length);
  return `
define ptx_kernel void @k${index}(${["A", "B", "C"].map((n) => `ptr %${n}`).join(", ")}, ptr %R) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ${names.map((n, i) => `${address(n, operation.params[i]!)}\n` + `%${n} = load ${operation.params[i]}, ptr %p${n}, align ${BYTES[operation.params[i]!]}`).join("\n")}
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
      if (operation.name.includes("copysign") && isNan(operation.result, values[1]![i]!)) continue; // a NaN's sign is nobody's
      if (want === got || (isNan(operation.result, want) && isNan(operation.result, got))) continue;
      wrong.push(
        `(${values.map((list) => `0x${list[i]!.toString(16)}`).join(", ")}) gives 0x${got.toString(16)}, interpreted 0x${want.toString(16)}`,
      );
    }
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});
