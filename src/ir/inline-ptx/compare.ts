/** Comparison and selection (PTX ISA 8.5, 9.7.5 and 9.7.6). */
import { constFloat, constInt } from "../model/build.ts";
import type { FloatPredicate, FloatType, IntPredicate, IntType, IrType, IrValue } from "../model/ir.ts";
import type { PtxCall, PtxEmitter, PtxType } from "./emit.ts";
import { I1, I32, intType } from "../model/types.ts";
import { lastType } from "./handler.ts";

// ---------------------------------------------------------------- comparison and selection

const FLOAT_PREDICATES: Readonly<Record<string, FloatPredicate>> = {
  eq: "oeq",
  ne: "one",
  lt: "olt",
  le: "ole",
  gt: "ogt",
  ge: "oge",
  equ: "ueq",
  neu: "une",
  ltu: "ult",
  leu: "ule",
  gtu: "ugt",
  geu: "uge",
  num: "ord",
  nan: "uno",
};

const INT_PREDICATES: Readonly<Record<string, readonly [signed: IntPredicate, unsigned: IntPredicate]>> = {
  eq: ["eq", "eq"],
  ne: ["ne", "ne"],
  lt: ["slt", "ult"],
  le: ["sle", "ule"],
  gt: ["sgt", "ugt"],
  ge: ["sge", "uge"],
  lo: ["ult", "ult"],
  ls: ["ule", "ule"],
  hi: ["ugt", "ugt"],
  hs: ["uge", "uge"],
};

function compare(e: PtxEmitter, c: PtxCall, word: string, type: PtxType, a: IrValue, b: IrValue): IrValue {
  if (type.kind === "float") return e.fcmp(FLOAT_PREDICATES[word] ?? e.unsupported(c), a, b);
  const predicates = INT_PREDICATES[word] ?? e.unsupported(c);
  return e.icmp(predicates[type.kind === "signed" ? 0 : 1], a, b);
}

/** setp writes one predicate or p|q, the second for the comparison's opposite; set writes all ones or 1.0. */
export function setPredicate(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  const word = c.words[1] as string;
  const combine = c.words.find((w) => w === "and" || w === "or" || w === "xor") as "and" | "or" | "xor" | undefined;
  const result = (a: IrValue, b: IrValue): [IrValue, IrValue] => {
    const value = compare(e, c, word, type, a, b);
    if (combine === undefined) return [value, value];
    const third = e.read(c, 3, I1);
    const opposite = e.binary("xor", value, constInt(I1, 1));
    return [e.binary(combine, value, third), e.binary(combine, opposite, third)];
  };
  const destination = c.operands[0];
  if (!destination) return e.unsupported(c);
  if (type.lanes === 2) {
    const a = e.unpack(e.read(c, 1, I32), type.ir);
    const b = e.unpack(e.read(c, 2, I32), type.ir);
    const low = compare(e, c, word, type, a[0], b[0]);
    const high = compare(e, c, word, type, a[1], b[1]);
    if (combine !== undefined) return e.unsupported(c);
    if (c.words[0] === "set") {
      const to = c.types[0] ?? e.unsupported(c);
      const half = (flag: IrValue): IrValue =>
        to.kind === "float"
          ? e.select(flag, constFloat(to.ir as FloatType, 1), constFloat(to.ir as FloatType, 0))
          : e.coerce(flag, intType(16), true);
      return e.write(c, 0, e.pack(half(low), half(high)));
    }
    if (destination.kind !== "pair") return e.unsupported(c);
    e.writeOperand(c, destination.first, low);
    return e.writeOperand(c, destination.second, high);
  }
  const [value, second] = result(e.read(c, 1, type.ir), e.read(c, 2, type.ir));
  if (c.words[0] === "set") {
    const to = c.types[0] ?? e.unsupported(c);
    e.write(
      c,
      0,
      to.kind === "float"
        ? e.select(value, constFloat(to.ir as FloatType, 1), constFloat(to.ir as FloatType, 0))
        : e.coerce(value, to.ir, true),
    );
  } else if (destination.kind === "pair") {
    e.writeOperand(c, destination.first, value);
    e.writeOperand(c, destination.second, combine === undefined ? e.binary("xor", value, constInt(I1, 1)) : second);
  } else e.write(c, 0, value);
}

export function selectByPredicate(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  const ir: IrType = type.lanes === 2 ? I32 : type.ir;
  const a = e.read(c, 1, ir);
  const b = e.read(c, 2, ir);
  e.write(c, 0, e.select(e.read(c, 3, I1), a, b), type.kind === "signed");
}

/** slct: a where the third operand is not negative. */
export function selectBySign(e: PtxEmitter, c: PtxCall): void {
  const [type, by] = c.types;
  if (!type || !by) return e.unsupported(c);
  const third = e.read(c, 3, by.ir);
  const condition =
    by.kind === "float"
      ? e.fcmp("oge", third, constFloat(by.ir as FloatType, 0))
      : e.icmp("sge", third, constInt(by.ir as IntType, 0));
  e.write(c, 0, e.select(condition, e.read(c, 1, type.ir), e.read(c, 2, type.ir)));
}
