/** Operations of IR that become PTX, each with the types of its operands and of its result (LangRef; NVVM IR). */

export interface EmittedOperation {
  readonly name: string;
  readonly operands: readonly string[];
  readonly result: string;
  /** A line of IR that makes %r of %a, %b and %c. */
  readonly ir: string;
  /** What becomes PTX instead, where `ir` is what it means. */
  readonly emitted?: string;
  /** Operands for which LLVM defines no result, or none that the interpreter has. */
  readonly without?: (values: readonly bigint[]) => boolean;
}

const INTS = ["i1", "i8", "i16", "i32", "i64"];
const FLOATS = ["half", "bfloat", "float", "double"];
export const bitsOf = (type: string): number =>
  ({ half: 16, bfloat: 16, float: 32, double: 64, ptr: 32 })[type] ?? Number(type.slice(1));
const suffixOf = (type: string): string => ({ half: "f16", bfloat: "bf16", float: "f32", double: "f64" })[type] ?? type;
const NAMES = ["%a", "%b", "%c"];
const valuesOf = (types: readonly string[]): string => types.map((type, i) => `${type} ${NAMES[i]}`).join(", ");

const instruction = (
  text: string,
  type: string,
  count: number,
  result = type,
  without?: EmittedOperation["without"],
): EmittedOperation => ({
  name: `${text} ${type}`,
  operands: Array.from({ length: count }, () => type),
  result,
  ir: `%r = ${text} ${type} ${NAMES.slice(0, count).join(", ")}`,
  ...(without === undefined ? {} : { without }),
});

const cast = (operator: string, from: string, to: string): EmittedOperation => ({
  name: `${operator} ${from} to ${to}`,
  operands: [from],
  result: to,
  ir: `%r = ${operator} ${from} %a to ${to}`,
});

/** `more`: constant arguments at the end. */
const call = (name: string, operands: readonly string[], result: string, more = ""): EmittedOperation => ({
  name: `${name}${more}`,
  operands,
  result,
  ir: `%r = call ${result} @${name}(${valuesOf(operands)}${more})`,
});

const ofZero = (values: readonly bigint[]): boolean => values[1] === 0n;
const overflows =
  (bits: number) =>
  ([a, b]: readonly bigint[]): boolean =>
    b === 0n || (a === 1n << BigInt(bits - 1) && b === (1n << BigInt(bits)) - 1n);
const shiftsOut =
  (bits: number) =>
  ([, b]: readonly bigint[]): boolean =>
    (b as bigint) >= BigInt(bits);

/** The interpreter keeps no payload and no sign of a NaN. */
const hasNan =
  (type: string, at: number) =>
  (values: readonly bigint[]): boolean => {
    const infinity = { half: 0x7c00n, bfloat: 0x7f80n, float: 0x7f800000n, double: 0x7ffn << 52n }[type] ?? ~0n;
    return BigInt.asUintN(bitsOf(type) - 1, values[at] as bigint) > infinity && infinity >= 0n;
  };

const ARITHMETIC = INTS.flatMap((type) => {
  const bits = bitsOf(type);
  return [
    ...["add", "sub", "mul", "and", "or", "xor"].map((op) => instruction(op, type, 2)),
    ...["udiv", "urem"].map((op) => instruction(op, type, 2, type, ofZero)),
    ...["sdiv", "srem"].map((op) => instruction(op, type, 2, type, overflows(bits))),
    ...["shl", "lshr", "ashr"].map((op) => instruction(op, type, 2, type, shiftsOut(bits))),
    ...["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"].map((predicate) =>
      instruction(`icmp ${predicate}`, type, 2, "i1"),
    ),
  ];
});

const FLOAT_PREDICATES = "oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true false".split(" ");
const OF_FLOATS = FLOATS.flatMap((type) => [
  ...["fadd", "fsub", "fmul", "fdiv"].map((op) => instruction(op, type, 2)),
  instruction("fneg", type, 1),
  ...FLOAT_PREDICATES.map((predicate) => instruction(`fcmp ${predicate}`, type, 2, "i1")),
]);

const SELECTIONS = [...INTS, ...FLOATS].map((type) => ({
  name: `select ${type}`,
  operands: [type, type, "i1"],
  result: type,
  ir: `%r = select i1 %c, ${type} %a, ${type} %b`,
}));

const pairs = (types: readonly string[], fits: (from: number, to: number) => boolean): [string, string][] =>
  types.flatMap((from) =>
    types.filter((to) => fits(bitsOf(from), bitsOf(to))).map((to): [string, string] => [from, to]),
  );
const CASTS = [
  ...pairs(INTS, (from, to) => from > to).map(([from, to]) => cast("trunc", from, to)),
  ...pairs(INTS, (from, to) => from < to).flatMap(([from, to]) => [cast("zext", from, to), cast("sext", from, to)]),
  ...pairs(FLOATS, (from, to) => from > to).map(([from, to]) => cast("fptrunc", from, to)),
  ...pairs(FLOATS, (from, to) => from < to).map(([from, to]) => cast("fpext", from, to)),
  ...FLOATS.flatMap((float) =>
    INTS.flatMap((int) => [
      cast("sitofp", int, float),
      cast("uitofp", int, float),
      // Below 32 bits only what is in range has a result that is defined; the engine tests those.
      ...(bitsOf(int) >= 32 ? [cast("fptosi", float, int), cast("fptoui", float, int)] : []),
    ]),
  ),
  ...pairs([...INTS, ...FLOATS], (from, to) => from === to)
    .filter(([from, to]) => from !== to)
    .map(([from, to]) => ({ ...cast("bitcast", from, to), without: hasNan(from, 0) })),
];

const UNARY = "fabs floor ceil trunc rint nearbyint roundeven round canonicalize".split(" ");
const LLVM = [
  ...FLOATS.flatMap((type) => {
    const s = suffixOf(type);
    return [
      ...UNARY.map((name) => call(`llvm.${name}.${s}`, [type], type)),
      ...["minnum", "maxnum", "minimum", "maximum"].map((name) => call(`llvm.${name}.${s}`, [type, type], type)),
      { ...call(`llvm.copysign.${s}`, [type, type], type), without: hasNan(type, 1) },
      call(`llvm.sqrt.${s}`, [type], type),
      call(`llvm.fma.${s}`, [type, type, type], type),
      // A class alone, and all that are not negative.
      ...[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 0x3c0].map((mask) =>
        call(`llvm.is.fpclass.${s}`, [type], "i1", `, i32 ${mask}`),
      ),
      ...["i32", "i64"].flatMap((int) => [
        call(`llvm.fptosi.sat.${int}.${s}`, [type], int),
        call(`llvm.fptoui.sat.${int}.${s}`, [type], int),
      ]),
    ];
  }),
  ...["i32", "i64"].flatMap((type) => [
    ...["smin", "smax", "umin", "umax", "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat"].map((name) =>
      call(`llvm.${name}.${type}`, [type, type], type),
    ),
    ...["scmp", "ucmp"].map((name) => call(`llvm.${name}.i32.${type}`, [type, type], "i32")),
    ...["scmp", "ucmp"].map((name) => call(`llvm.${name}.i8.${type}`, [type, type], "i8")),
    ...["ctpop", "bitreverse", "bswap"].map((name) => call(`llvm.${name}.${type}`, [type], type)),
    ...["ctlz", "cttz", "abs"].map((name) => call(`llvm.${name}.${type}`, [type], type, ", i1 false")),
    ...["fshl", "fshr"].map((name) => call(`llvm.${name}.${type}`, [type, type, type], type)),
  ]),
];

const MODES = ["rn", "rz", "rm", "rp"];
const NVVM_INTS = { i: "i32", ui: "i32", ll: "i64", ull: "i64" };
const NVVM = [
  ...MODES.flatMap((mode) => [
    ...(
      [
        ["f", "float"],
        ["ftz.f", "float"],
        ["d", "double"],
      ] as const
    ).flatMap(([suffix, type]) => [
      ...["add", "mul", "div"].map((word) => call(`llvm.nvvm.${word}.${mode}.${suffix}`, [type, type], type)),
      ...["rcp", "sqrt"].map((word) => call(`llvm.nvvm.${word}.${mode}.${suffix}`, [type], type)),
      call(`llvm.nvvm.fma.${mode}.${suffix}`, [type, type, type], type),
    ]),
    ...Object.entries(NVVM_INTS).flatMap(([word, int]) => [
      call(`llvm.nvvm.${word}2f.${mode}`, [int], "float"),
      call(`llvm.nvvm.${word}2d.${mode}`, [int], "double"),
      call(`llvm.nvvm.f2${word}.${mode}`, ["float"], int),
      call(`llvm.nvvm.f2${word}.${mode}.ftz`, ["float"], int),
      call(`llvm.nvvm.d2${word}.${mode}`, ["double"], int),
    ]),
    call(`llvm.nvvm.d2f.${mode}`, ["double"], "float"),
    call(`llvm.nvvm.d2f.${mode}.ftz`, ["double"], "float"),
  ]),
  ...["", ".ftz"].flatMap((ftz) => [
    ...["fmin", "fmax"].flatMap((word) => [
      call(`llvm.nvvm.${word}${ftz}.f`, ["float", "float"], "float"),
      call(`llvm.nvvm.${word}${ftz}.nan.f`, ["float", "float"], "float"),
    ]),
    ...["ceil", "floor", "round", "trunc", "saturate"].map((word) =>
      call(`llvm.nvvm.${word}${ftz}.f`, ["float"], "float"),
    ),
  ]),
  ...["ceil", "floor", "round", "trunc", "saturate"].map((word) => call(`llvm.nvvm.${word}.d`, ["double"], "double")),
  ...["fmin", "fmax"].map((word) => call(`llvm.nvvm.${word}.d`, ["double", "double"], "double")),
  ...Object.entries(NVVM_INTS).map(([word, int]) => call(`llvm.nvvm.mulhi.${word}`, [int, int], int)),
  ...["i", "ui"].flatMap((word) => [
    call(`llvm.nvvm.mul24.${word}`, ["i32", "i32"], "i32"),
    call(`llvm.nvvm.sad.${word}`, ["i32", "i32", "i32"], "i32"),
  ]),
  call("llvm.nvvm.mulhi.s", ["i16", "i16"], "i16"),
  call("llvm.nvvm.mulhi.us", ["i16", "i16"], "i16"),
  call("llvm.nvvm.prmt", ["i32", "i32", "i32"], "i32"),
  ...["s.s", "s.u", "u.s", "u.u"].flatMap((types) => [
    call(`llvm.nvvm.idp4a.${types}`, ["i32", "i32", "i32"], "i32"),
    ...["true", "false"].map((isHigh) => ({
      name: `llvm.nvvm.idp2a.${types} ${isHigh}`,
      operands: ["i32", "i32", "i32"],
      result: "i32",
      ir: `%r = call i32 @llvm.nvvm.idp2a.${types}(i32 %a, i32 %b, i1 ${isHigh}, i32 %c)`,
    })),
  ]),
  call("llvm.nvvm.fshl.clamp.i32", ["i32", "i32", "i32"], "i32"),
  call("llvm.nvvm.fshr.clamp.i32", ["i32", "i32", "i32"], "i32"),
  call("llvm.nvvm.lohi.i2d", ["i32", "i32"], "double"),
  call("llvm.nvvm.d2i.lo", ["double"], "i32"),
  call("llvm.nvvm.d2i.hi", ["double"], "i32"),
  call("llvm.nvvm.f2h.rn", ["float"], "i16"),
  { ...call("llvm.nvvm.bitcast.f2i", ["float"], "i32"), without: hasNan("float", 0) },
  { ...call("llvm.nvvm.bitcast.d2ll", ["double"], "i64"), without: hasNan("double", 0) },
  call("llvm.nvvm.bitcast.i2f", ["i32"], "float"),
  call("llvm.nvvm.bitcast.ll2d", ["i64"], "double"),
  ...["f4e", "b4e"].map((mode) => call(`llvm.nvvm.prmt.${mode}`, ["i32", "i32", "i32"], "i32")),
  ...["rc8", "ecl", "ecr", "rc16"].map((mode) => call(`llvm.nvvm.prmt.${mode}`, ["i32", "i32"], "i32")),
  ...["wrap", "clamp"].flatMap((mode) =>
    ["sext.inreg", "zext.inreg", "bmsk"].map((word) => call(`llvm.nvvm.${word}.${mode}`, ["i32", "i32"], "i32")),
  ),
  ...["popc", "clz"].flatMap((word) => [
    call(`llvm.nvvm.${word}.i`, ["i32"], "i32"),
    call(`llvm.nvvm.${word}.ll`, ["i64"], "i32"),
  ]),
  call("llvm.nvvm.brev32", ["i32"], "i32"),
  call("llvm.nvvm.brev64", ["i64"], "i64"),
  call("llvm.nvvm.abs.i", ["i32"], "i32"),
  call("llvm.nvvm.abs.ll", ["i64"], "i64"),
  call("llvm.nvvm.rotate.b32", ["i32", "i32"], "i32"),
  // A position above 31 has no bit.
  {
    ...call("llvm.nvvm.fns", ["i32", "i32", "i32"], "i32"),
    without: (values: readonly bigint[]) => (values[1] as bigint) > 31n,
  },
];

/** The old value is %r; the new one is in memory behind it. */
const atomic = (operator: string, type: string): EmittedOperation => ({
  name: `atomicrmw ${operator} ${type}`,
  operands: [type, type],
  result: type,
  ir: `store ${type} %a, ptr %cell, align 8\n  %r = atomicrmw ${operator} ptr %cell, ${type} %b monotonic`,
});
const WORDS = "xchg add sub and or xor nand max min umax umin uinc_wrap udec_wrap usub_cond usub_sat".split(" ");
const ATOMICS = [
  ...["i8", "i16", "i32", "i64"].flatMap((type) => WORDS.map((operator) => atomic(operator, type))),
  ...FLOATS.flatMap((type) => ["fadd", "fsub", "fmin", "fmax"].map((operator) => atomic(operator, type))),
  ...["float", "double"].map((type) => atomic("xchg", type)),
  ...["i8", "i16", "i32", "i64"].flatMap((type) =>
    [0, 1].map((part) => ({
      name: `cmpxchg ${type}, ${part === 0 ? "the old value" : "whether it was exchanged"}`,
      operands: [type, type, type],
      result: part === 0 ? type : "i1",
      ir:
        `store ${type} %a, ptr %cell, align 8\n  ` +
        `%x = cmpxchg ptr %cell, ${type} %b, ${type} %c monotonic monotonic\n  ` +
        `%r = extractvalue { ${type}, i1 } %x, ${part}`,
    })),
  ),
];

/** Functions of the device library that are PTX instructions: they mean what NVVM's intrinsics do. */
const LIBRARY_MODES = { rn: "rn", rz: "rz", rd: "rm", ru: "rp" };
const LIBRARY_INTS = { int: "i", uint: "ui", ll: "ll", ull: "ull" };
const library = (name: string, operation: EmittedOperation): EmittedOperation => ({
  ...operation,
  name,
  emitted: `%r = call ${operation.result} @${name}(${valuesOf(operation.operands)})`,
});
const LIBRARY = Object.entries(LIBRARY_MODES).flatMap(([word, mode]) => [
  ...Object.entries(LIBRARY_INTS).flatMap(([name, short]) => {
    const int = NVVM_INTS[short as keyof typeof NVVM_INTS];
    return [
      library(`__nv_float2${name}_${word}`, call(`llvm.nvvm.f2${short}.${mode}`, ["float"], int)),
      library(`__nv_double2${name}_${word}`, call(`llvm.nvvm.d2${short}.${mode}`, ["double"], int)),
      library(`__nv_${name}2float_${word}`, call(`llvm.nvvm.${short}2f.${mode}`, [int], "float")),
      library(`__nv_${name}2double_${word}`, call(`llvm.nvvm.${short}2d.${mode}`, [int], "double")),
    ];
  }),
  library(`__nv_double2float_${word}`, call(`llvm.nvvm.d2f.${mode}`, ["double"], "float")),
  ...(
    [
      ["f", "f", "float"],
      ["d", "d", "double"],
    ] as const
  ).flatMap(([prefix, suffix, type]) => [
    ...["add", "mul", "div"].map((op) =>
      library(`__nv_${prefix}${op}_${word}`, call(`llvm.nvvm.${op}.${mode}.${suffix}`, [type, type], type)),
    ),
    ...["rcp", "sqrt"].map((op) =>
      library(`__nv_${prefix}${op}_${word}`, call(`llvm.nvvm.${op}.${mode}.${suffix}`, [type], type)),
    ),
    library(`__nv_${prefix}sub_${word}`, {
      name: "",
      operands: [type, type],
      result: type,
      ir: `%m = fneg ${type} %b\n  %r = call ${type} @llvm.nvvm.add.${mode}.${suffix}(${type} %a, ${type} %m)`,
    }),
    library(
      `__nv_fma${prefix === "f" ? "f" : ""}_${word}`,
      call(`llvm.nvvm.fma.${mode}.${suffix}`, [type, type, type], type),
    ),
  ]),
]);

const TWO = ["i32", "i32"];
const [THREE, WIDE] = [
  [...TWO, "i32"],
  ["i64", "i64"],
];
const LIBRARY_INTEGERS = [
  library("__nv_mulhi", call("llvm.nvvm.mulhi.i", TWO, "i32")),
  library("__nv_umulhi", call("llvm.nvvm.mulhi.ui", TWO, "i32")),
  library("__nv_mul64hi", call("llvm.nvvm.mulhi.ll", WIDE, "i64")),
  library("__nv_umul64hi", call("llvm.nvvm.mulhi.ull", WIDE, "i64")),
  library("__nv_mul24", call("llvm.nvvm.mul24.i", TWO, "i32")),
  library("__nv_umul24", call("llvm.nvvm.mul24.ui", TWO, "i32")),
  library("__nv_sad", call("llvm.nvvm.sad.i", THREE, "i32")),
  library("__nv_usad", call("llvm.nvvm.sad.ui", THREE, "i32")),
  library("__nv_byte_perm", {
    ...call("llvm.nvvm.prmt", THREE, "i32"),
    ir: "%s = and i32 %c, 30583\n  %r = call i32 @llvm.nvvm.prmt(i32 %a, i32 %b, i32 %s)",
  }),
  library("__nv_clz", call("llvm.ctlz.i32", ["i32"], "i32", ", i1 false")),
  library("__nv_popc", call("llvm.ctpop.i32", ["i32"], "i32")),
  library("__nv_brev", call("llvm.bitreverse.i32", ["i32"], "i32")),
  library("__nv_brevll", call("llvm.bitreverse.i64", ["i64"], "i64")),
  library("__nv_abs", call("llvm.abs.i32", ["i32"], "i32", ", i1 false")),
  library("__nv_min", call("llvm.smin.i32", TWO, "i32")),
  library("__nv_max", call("llvm.smax.i32", TWO, "i32")),
  library("__nv_umin", call("llvm.umin.i32", TWO, "i32")),
  library("__nv_umax", call("llvm.umax.i32", TWO, "i32")),
  library("__nv_saturatef", call("llvm.nvvm.saturate.f", ["float"], "float")),
  library("__nv_fminf", call("llvm.minnum.f32", ["float", "float"], "float")),
  library("__nv_fmaxf", call("llvm.maxnum.f32", ["float", "float"], "float")),
  library("__nv_fmaf", call("llvm.fma.f32", ["float", "float", "float"], "float")),
  library("__nv_fma", call("llvm.fma.f64", ["double", "double", "double"], "double")),
];

/** Inline PTX beside what it means, with operands in registers of their own class and of others. */
const asm = (template: string, constraints: string, operation: EmittedOperation): EmittedOperation => ({
  ...operation,
  name: `asm ${template} ${constraints}`,
  emitted: `%r = call ${operation.result} asm "${template}", "${constraints}"(${valuesOf(operation.operands)})`,
});
const STATEMENTS = [
  asm("add.s32 $0, $1, $2;", "=r,r,r", instruction("add", "i32", 2)),
  asm("sub.s64 $0, $1, $2;", "=l,l,l", instruction("sub", "i64", 2)),
  asm("mul.lo.s16 $0, $1, $2;", "=h,h,h", instruction("mul", "i16", 2)),
  asm("sub.s32 $0, $1, $2;", "=r,r,r", instruction("sub", "i16", 2)),
  asm("add.s32 $0, $1, $2;", "=r,r,r", instruction("add", "i8", 2)),
  asm("add.rn.f32 $0, $1, $2;", "=f,f,f", instruction("fadd", "float", 2)),
  asm("sub.rn.f64 $0, $1, $2;", "=d,d,d", instruction("fsub", "double", 2)),
  asm("sub.rn.f16 $0, $1, $2;", "=h,h,h", instruction("fsub", "half", 2)),
  asm("sub.s32 $0, $0, $2;", "=r,0,r", instruction("sub", "i32", 2)),
  asm("mov.b32 $0, $1;", "=r,r", { ...cast("bitcast", "float", "i32"), without: hasNan("float", 0) }),
  asm("mov.b32 $0, $1;", "=f,f", cast("bitcast", "i32", "float")),
  asm("mov.b64 $0, $1;", "=l,l", { ...cast("bitcast", "double", "i64"), without: hasNan("double", 0) }),
  asm("mov.b64 $0, $1;", "=l,l", cast("zext", "i32", "i64")),
  asm("mov.b32 $0, $1;", "=r,r", cast("trunc", "i64", "i32")),
  asm("mov.b32 $0, $1;", "=r,r", cast("zext", "i1", "i32")),
  asm("mov.b64 $0, $1;", "=l,l", cast("zext", "i1", "i64")),
  asm("mov.b32 $0, $1;", "=r,r", cast("zext", "i16", "i32")),
];

/** NVVM's atomic functions, on a cell that holds %a. */
const nvvmAtomic = (word: string, operator: string): EmittedOperation => ({
  ...atomic(operator, "i32"),
  name: `llvm.nvvm.atomic.${word}`,
  ir:
    "store i32 %a, ptr %cell, align 8\n  " +
    `%r = call i32 @llvm.nvvm.atomic.${word}.gen.i.cta.i32.p0(ptr %cell, i32 %b)`,
});
const NVVM_ATOMICS = [
  ...["add", "max", "min", "and", "or", "xor"].map((word) => nvvmAtomic(word, word)),
  nvvmAtomic("exch", "xchg"),
  nvvmAtomic("inc", "uinc_wrap"),
  nvvmAtomic("dec", "udec_wrap"),
  {
    name: "llvm.nvvm.atomic.cas",
    operands: ["i32", "i32", "i32"],
    result: "i32",
    ir:
      "store i32 %a, ptr %cell, align 8\n  " +
      "%r = call i32 @llvm.nvvm.atomic.cas.gen.i.cta.i32.p0(ptr %cell, i32 %b, i32 %c)",
  },
];

export const EMITTED: Readonly<Record<string, readonly EmittedOperation[]>> = {
  "integers and their comparisons": ARITHMETIC,
  "floats and their comparisons": OF_FLOATS,
  selections: SELECTIONS,
  conversions: CASTS,
  "LLVM's intrinsics": LLVM,
  "NVVM's intrinsics": NVVM,
  "atomic operations": [...ATOMICS, ...NVVM_ATOMICS],
  "functions of the device library": [...LIBRARY, ...LIBRARY_INTEGERS],
  "inline PTX": STATEMENTS,
};
