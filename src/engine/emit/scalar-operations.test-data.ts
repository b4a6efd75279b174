/** The scalar operations that scalar.test.ts compares, with bodies in IR: one for each operation and type. */

export const BYTES: Record<string, number> = {
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

export interface Operation {
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
    `%p = call { ${type}, i1 } @llvm.${name}.with.overflow.${type}(${type} %a, ${type} %b)\n` +
    `%v = extractvalue { ${type}, i1 } %p, 0\n%o = extractvalue { ${type}, i1 } %p, 1\n` +
    `%x = zext i1 %o to ${type}\n%y = mul ${type} %x, 85\n%r = xor ${type} %v, %y`,
});
const pairs = (
  from: readonly string[],
  to: readonly string[],
  accept: (f: string, t: string) => boolean,
): [string, string][] => from.flatMap((f) => to.filter((t) => accept(f, t)).map((t): [string, string] => [f, t]));
const bits = (t: string): number => Number(t.slice(1));

export const OPERATIONS: Operation[] = [
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
