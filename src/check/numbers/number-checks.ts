/**
 * The code of the checker numbers: tests beside operations whose result may be no number of the type.
 *
 * The compiler moves operations in front of a condition. So if the only use of a result is a select that may take it,
 * only the threads that take it are tested. Arithmetic that wraps is reported where it matters: at an access whose
 * address it goes into, or where a product is widened too late.
 */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type { FunctionContext, FunctionVisitor, SiteOf } from "../../instrument/instrumenter.ts";
import { constBool, constFloat, constInt } from "../../ir/model/build.ts";
import type { Emitter } from "../../ir/model/emitter.ts";
import type {
  BinaryInstruction,
  CallInstruction,
  CastInstruction,
  FloatType,
  IntType,
  IrInstruction,
  IrType,
  IrValue,
} from "../../ir/model/ir.ts";
import { I1, I32, I64, intType, isInt, scalarBits, structType } from "../../ir/model/types.ts";
import { usesOf, type UseMap } from "../../ir/model/uses.ts";
import { accessesOf } from "../../instrument/accesses.ts";

export type NumberCheckKind = "not-finite" | "division" | "overflow" | "conversion" | "shift";

/** What a site says: the operation, and how to read the words of an example (operands, then the result). */
export interface NumberDetail {
  readonly check: NumberCheckKind;
  readonly operation: string;
  readonly formats: readonly WordFormat[];
}

export type NumberSite = SiteOf<NumberDetail>;
export type WordFormat = FloatType["format"] | "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64";

/** Selects and arithmetic looked through for whether a result is taken. */
const DEPTH = 4;

export class NumberVisitor implements FunctionVisitor {
  readonly #context: FunctionContext;
  readonly #uses: UseMap;
  /** Arithmetic that is checked for overflow: its site and condition. */
  readonly #overflows = new Map<
    BinaryInstruction,
    {
      readonly site: NumberSite;
      readonly bad: IrValue;
      readonly words: readonly IrValue[];
      readonly toldIn: Set<unknown>;
    }
  >();

  constructor(context: FunctionContext) {
    this.#context = context;
    this.#uses = usesOf(context.function);
  }

  visit(i: IrInstruction): void {
    if (i.op === "binary") this.#binary(i);
    else if (i.op === "cast") this.#cast(i);
    else if (i.op === "call" && isFloat(i.type) && isMathematics(i))
      this.#float(
        i,
        i.args.filter(({ type }) => isFloat(type)),
        mathematicsName(i),
      );
    for (const { pointer } of accessesOf(i)) this.#address(i, pointer, new Set());
  }

  #binary(i: BinaryInstruction): void {
    const symbol = SYMBOLS[i.operator];
    if (isFloat(i.type)) return this.#float(i, [i.lhs, i.rhs], symbol ?? i.operator);
    if (!isInt(i.type) || i.type.bits > 64 || symbol === undefined) return;
    const e = this.#context.edits.before(i);
    const { bits } = i.type;
    const sign = i.operator === "udiv" || i.operator === "urem" || i.operator === "lshr" ? "u" : "i";
    const format: WordFormat = `${sign}${wordBits(bits)}`;
    if (["sdiv", "udiv", "srem", "urem"].includes(i.operator)) {
      this.#check(i, { check: "division", operation: symbol, formats: [format, format] }, e.icmp("eq", i.rhs, 0), [
        i.lhs,
        i.rhs,
      ]);
    } else if (["shl", "lshr", "ashr"].includes(i.operator)) {
      this.#check(
        i,
        { check: "shift", operation: symbol, formats: [format, `u${wordBits(bits)}`] },
        e.icmp("uge", i.rhs, bits),
        [i.lhs, i.rhs],
      );
    }
    if (i.operator === "mul" && i.lhs.kind !== "const-int" && i.rhs.kind !== "const-int" && this.#isWidened(i))
      this.#tellOverflow(i, i);
  }

  #cast(i: CastInstruction): void {
    if (i.operator === "fptrunc" && isFloat(i.type)) return this.#float(i, [i.operand], "conversion");
    if ((i.operator !== "fptosi" && i.operator !== "fptoui") || !isInt(i.type) || !isFloat(i.operand.type)) return;
    const e = this.#context.edits.before(i);
    const type = i.operand.type as FloatType;
    const { bits } = i.type;
    const isSigned = i.operator === "fptosi";
    // Between the numbers next to the bounds, both left out; where those are no numbers of the format, its own
    // infinities come before.
    const low = isSigned ? -(2 ** (bits - 1)) : 0;
    const bound = isSigned ? 2 ** (bits - 1) : 2 ** bits;
    const above = e.fcmp("ult", i.operand, constFloat(type, bound), null);
    // The fraction is cut off: -0.5 is 0, and -2147483648.5 fits where the format has it.
    const hasHalf = type.format === "double" && bits <= 32;
    const below =
      isSigned && !hasHalf
        ? e.fcmp("uge", i.operand, constFloat(type, low), null)
        : e.fcmp("ugt", i.operand, constFloat(type, low - 1), null);
    const isNumber = e.fcmp("ord", i.operand, i.operand, null);
    const bad = e.xor(e.and(e.and(above, below), isNumber), constBool(true));
    this.#check(
      i,
      { check: "conversion", operation: `${isSigned ? "int" : "unsigned"} of ${bits} bits`, formats: [type.format] },
      bad,
      [i.operand],
    );
  }

  /** The result is no finite number, and all operands are. */
  #float(i: IrInstruction, operands: readonly IrValue[], operation: string): void {
    const e = this.#context.edits.after(i);
    const type = i.type as FloatType;
    const infinity = (of: IrType): IrValue => constFloat(of as FloatType, Infinity);
    const size = (value: IrValue): IrValue =>
      e.intrinsic(`llvm.fabs.${SUFFIXES[(value.type as FloatType).format]}`, value.type, [value]);
    let bad = e.fcmp("uge", size(i), infinity(type), null);
    for (const operand of new Set(operands)) {
      if (operand.kind !== "const-float") bad = e.and(bad, e.fcmp("olt", size(operand), infinity(operand.type), null));
    }
    const formats = [...operands, i].map((value) => (value.type as FloatType).format);
    this.#check(i, { check: "not-finite", operation, formats }, bad, [...operands, i], e);
  }

  /** `bad`, where the result is taken. Words of 64 bits are two. */
  #check(
    i: IrInstruction,
    detail: NumberDetail,
    bad: IrValue,
    values: readonly IrValue[],
    at: Emitter = this.#context.edits.before(i),
  ): void {
    if (bad.kind === "const-int" && bad.value === 0n) return;
    const after = this.#context.edits.after(i);
    const taken = this.#taken(i, after, DEPTH);
    if (taken !== null && taken.at !== i) {
      this.#context.checkAt(
        taken.at,
        this.#context.site(i, detail),
        this.#context.edits.after(taken.at).and(bad, taken.condition),
        wordsOf(at, values),
        "after",
      );
    } else this.#context.checkAt(i, this.#context.site(i, detail), bad, wordsOf(at, values), "after");
  }

  /**
   * The one select of the block that may take the result, and when it does; null: the result is used in another way,
   * too.
   */
  #taken(
    i: IrInstruction,
    e: Emitter,
    depth: number,
  ): { readonly at: IrInstruction; readonly condition: IrValue } | null {
    const users = this.#uses.get(i) ?? [];
    const [user] = users;
    if (users.length !== 1 || user === undefined || user.block !== i.block || depth === 0) return null;
    if (user.op === "select" && user.condition !== i && user.condition.type === I1) {
      const after = this.#context.edits.after(user);
      return { at: user, condition: user.then === i ? user.condition : after.xor(user.condition, constBool(true)) };
    }
    return user.op === "binary" ||
      user.op === "cast" ||
      user.op === "fneg" ||
      user.op === "freeze" ||
      (user.op === "call" && isMathematics(user))
      ? this.#taken(user, e, depth - 1)
      : null;
  }

  // ---------------------------------------------------------------- arithmetic that wraps

  #isWidened(i: IrInstruction): boolean {
    return (this.#uses.get(i) ?? []).some(
      (user) =>
        user.op === "cast" &&
        (user.operator === "sext" || user.operator === "zext") &&
        isInt(user.type) &&
        user.type.bits <= 64,
    );
  }

  /** Arithmetic that goes into an address, tested where the access is. */
  #address(access: IrInstruction, value: IrValue, seen: Set<IrValue>): void {
    if (value.kind !== "instruction" || seen.has(value) || seen.size > 64) return;
    seen.add(value);
    switch (value.op) {
      case "gep":
        this.#address(access, value.base, seen);
        for (const index of value.indices) this.#address(access, index, seen);
        return;
      case "cast":
        return this.#address(access, value.operand, seen);
      case "phi":
        // A loop's step: executed where it stands.
        for (const { value: next } of value.incoming) {
          if (
            next.kind === "instruction" &&
            next.op === "binary" &&
            next.nsw &&
            (next.lhs === value || next.rhs === value)
          )
            this.#tellOverflow(next, next);
        }
        return;
      case "binary":
        // Clang writes a sum whose operands share no bits as "or".
        if (!["add", "sub", "mul", "shl", "or"].includes(value.operator) || !isInt(value.type) || value.type.bits > 64)
          return;
        if (value.nsw || value.operator === "mul") this.#tellOverflow(value, access);
        this.#address(access, value.lhs, seen);
        this.#address(access, value.rhs, seen);
        return;
      default:
    }
  }

  #tellOverflow(i: BinaryInstruction, at: IrInstruction): void {
    let known = this.#overflows.get(i);
    if (known === undefined) {
      const e = this.#context.edits.after(i);
      const format: WordFormat = `i${wordBits(scalarBits(i.type))}`;
      const site = this.#context.site(i, {
        check: "overflow",
        operation: SYMBOLS[i.operator] ?? i.operator,
        formats: [format, format, format],
      } as NumberDetail);
      known = { site, bad: overflows(e, i), words: wordsOf(e, [i.lhs, i.rhs, i]), toldIn: new Set() };
      this.#overflows.set(i, known);
    }
    if (known.toldIn.has(at.block)) return;
    known.toldIn.add(at.block);
    this.#context.checkAt(at, known.site, known.bad, known.words, at === i ? "after" : "with");
  }
}

/**
 * The exact result does not fit: as a signed number; for a product that may be unsigned, neither as a signed nor as an
 * unsigned one.
 */
function overflows(
  e: Emitter,
  { operator, lhs, rhs, nsw, type }: BinaryInstruction & IrInstruction,
  result?: IrValue,
): IrValue {
  const int = type as IntType;
  const value = result ?? e.binary(operator, lhs, rhs);
  const zero = constInt(int, 0);
  switch (operator) {
    case "add":
      return e.icmp("slt", e.and(e.xor(lhs, value), e.xor(rhs, value)), zero);
    case "sub":
      return e.icmp("slt", e.and(e.xor(lhs, rhs), e.xor(lhs, value)), zero);
    case "shl":
      return e.icmp("ne", e.binary("ashr", value, rhs), lhs);
    default:
      break;
  }
  const wraps = (kind: "s" | "u"): IrValue => {
    if (int.bits === 32) {
      const extend = kind === "s" ? "sext" : "zext";
      return e.icmp("ne", e.mul(e.cast(extend, lhs, I64), e.cast(extend, rhs, I64)), e.cast(extend, value, I64));
    }
    const pair = e.intrinsic(`llvm.${kind}mul.with.overflow.i${int.bits}`, structType([int, I1]), [lhs, rhs]);
    return e.extractValue(pair, [1], I1);
  };
  return nsw ? wraps("s") : e.and(wraps("s"), wraps("u"));
}

const SYMBOLS: Readonly<Partial<Record<BinaryInstruction["operator"], string>>> = {
  add: "+",
  sub: "-",
  mul: "*",
  udiv: "/",
  sdiv: "/",
  urem: "%",
  srem: "%",
  shl: "<<",
  lshr: ">>",
  ashr: ">>",
  fadd: "+",
  fsub: "-",
  fmul: "*",
  fdiv: "/",
  frem: "fmod",
};
const SUFFIXES: Readonly<Record<FloatType["format"], string>> = {
  half: "f16",
  bfloat: "bf16",
  float: "f32",
  double: "f64",
};

function isFloat(type: IrType): boolean {
  return type.kind === "float";
}

/** A function whose result is a number made of its arguments: of the device library, LLVM's or NVVM's. */
function isMathematics(call: CallInstruction): boolean {
  const { callee } = call;
  if (callee.kind !== "function" || !call.args.some(({ type }) => isFloat(type))) return false;
  return callee.name.startsWith("__nv_") || MATHEMATICS.has(calledIntrinsic(call)?.operation ?? "");
}

const MATHEMATICS: ReadonlySet<string> = new Set(
  "add mul div rcp fma fmuladd sqrt rsqrt exp exp2 exp10 log log2 log10 sin cos tan pow powi ldexp".split(" "),
);

function mathematicsName(call: CallInstruction): string {
  const { callee } = call;
  if (callee.kind !== "function") return "";
  return calledIntrinsic(call)?.words[0] ?? callee.name.replace(/^__nv_(?:fast_)?/, "").replace(/\..*$/, "");
}

function wordBits(bits: number): 8 | 16 | 32 | 64 {
  if (bits <= 8) return 8;
  if (bits <= 16) return 16;
  return bits <= 32 ? 32 : 64;
}

/** Values as words of a record. */
function wordsOf(e: Emitter, values: readonly IrValue[]): IrValue[] {
  return values.flatMap((value) => {
    const bits = scalarBits(value.type);
    const raw = isFloat(value.type) ? e.cast("bitcast", value, intType(bits)) : value;
    if (bits <= 32) return [isFloat(value.type) ? e.zextOrTrunc(raw, I32) : e.sextOrTrunc(raw, I32)];
    const wide = e.sextOrTrunc(raw, I64);
    return [e.cast("trunc", wide, I32), e.cast("trunc", e.lshr(wide, 32), I32)];
  });
}

/** How many words a format takes. */
export function wordsIn(format: WordFormat): 1 | 2 {
  return format === "double" || format === "i64" || format === "u64" ? 2 : 1;
}
