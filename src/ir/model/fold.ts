/**
 * What an instruction on constants is, and which instructions are one of their own operands (LangRef, "Instruction
 * Reference").
 *
 * Integers only, and reinterpretations of floats: float arithmetic is left to the engine, whose rounding and flushing
 * modes are its own. Anything that would be undefined or poison (division by zero, shifts too far) is left alone.
 */
import { constBool, constFloatBits, constInt, constantElement, isConstant, signedValue } from "./build.ts";
import type {
  BinaryOperator,
  CastInstruction,
  CastOperator,
  ConstInt,
  IntPredicate,
  IrConstant,
  IrInstruction,
  IrType,
  IrValue,
} from "./ir.ts";
import { sameType, scalarBits } from "./types.ts";

/** The value that the instruction always has, or null where that is not known. */
export function simplify(i: IrInstruction): IrValue | null {
  switch (i.op) {
    case "binary":
      return foldBinary(i.operator, i.lhs, i.rhs);
    case "icmp":
      return foldIcmp(i.predicate, i.lhs, i.rhs);
    case "cast":
      return foldCast(i.operator, i.operand, i.type) ?? (i.operator === "inttoptr" ? pointerBehind(i) : null);
    case "select":
      return foldSelect(i.condition, i.then, i.else);
    case "freeze":
      return isConstant(i.operand) && i.operand.kind !== "const-undef" && i.operand.kind !== "const-expr"
        ? i.operand
        : null;
    case "phi":
      return foldPhi(i);
    case "gep":
      return i.indices.every((index) => index.kind === "const-int" && index.value === 0n) &&
        i.type.kind === "ptr" &&
        i.base.type.kind === "ptr"
        ? i.base
        : null;
    case "extractvalue":
      return foldExtractValue(i.aggregate, i.indices);
    case "extractelement":
      return i.index.kind === "const-int" && isConstant(i.vector)
        ? constantElement(i.vector, Number(i.index.value))
        : null;
    default:
      return null;
  }
}

export function foldBinary(operator: BinaryOperator, lhs: IrValue, rhs: IrValue): IrValue | null {
  if (lhs.kind === "const-int" && rhs.kind === "const-int") return foldInts(operator, lhs, rhs);
  const { type } = lhs;
  if (type.kind !== "int") return null;
  if (rhs.kind === "const-int") {
    const { value } = rhs;
    const allOnes = value === (1n << BigInt(type.bits)) - 1n;
    switch (operator) {
      case "add":
      case "sub":
      case "or":
      case "xor":
      case "shl":
      case "lshr":
      case "ashr":
        if (value === 0n) return lhs;
        return operator === "or" && allOnes ? rhs : null;
      case "and":
        if (value === 0n) return rhs;
        return allOnes ? lhs : null;
      case "mul":
        if (value === 0n) return rhs;
        return value === 1n ? lhs : null;
      case "udiv":
        return value === 1n ? lhs : null;
      case "sdiv":
        return value === 1n && type.bits > 1 ? lhs : null;
      default:
        return null;
    }
  }
  if (lhs.kind === "const-int") {
    if (operator === "add" || operator === "or" || operator === "xor" || operator === "and" || operator === "mul")
      return foldBinary(operator, rhs, lhs);
    if (lhs.value === 0n && (operator === "shl" || operator === "lshr" || operator === "ashr")) return lhs;
  }
  if (lhs === rhs && lhs.kind !== "const-undef") {
    if (operator === "and" || operator === "or") return lhs;
    if (operator === "xor" || operator === "sub") return constInt(type, 0n);
  }
  return null;
}

function foldInts(operator: BinaryOperator, lhs: ConstInt, rhs: ConstInt): ConstInt | null {
  const { type } = lhs;
  const a = lhs.value;
  const b = rhs.value;
  const bits = BigInt(type.bits);
  switch (operator) {
    case "add":
      return constInt(type, a + b);
    case "sub":
      return constInt(type, a - b);
    case "mul":
      return constInt(type, a * b);
    case "and":
      return constInt(type, a & b);
    case "or":
      return constInt(type, a | b);
    case "xor":
      return constInt(type, a ^ b);
    case "shl":
      return b < bits ? constInt(type, a << b) : null;
    case "lshr":
      return b < bits ? constInt(type, a >> b) : null;
    case "ashr":
      return b < bits ? constInt(type, signedValue(lhs) >> b) : null;
    case "udiv":
      return b === 0n ? null : constInt(type, a / b);
    case "urem":
      return b === 0n ? null : constInt(type, a % b);
    case "sdiv":
      return b === 0n || signedValue(rhs) === -1n ? null : constInt(type, signedValue(lhs) / signedValue(rhs));
    case "srem":
      return b === 0n || signedValue(rhs) === -1n ? null : constInt(type, signedValue(lhs) % signedValue(rhs));
    default:
      return null;
  }
}

export function foldIcmp(predicate: IntPredicate, lhs: IrValue, rhs: IrValue): IrValue | null {
  if (lhs.kind === "const-null" && rhs.kind === "const-null") return constBool(isReflexive(predicate));
  if (lhs.kind === "const-int" && rhs.kind === "const-int") return constBool(compareInts(predicate, lhs, rhs));
  // undef and poison may differ from themselves; a result of an instruction does not, once frozen or not undef: leave
  // those alone.
  return null;
}

function isReflexive(predicate: IntPredicate): boolean {
  return predicate === "eq" || (predicate.endsWith("e") && predicate !== "ne");
}

function compareInts(predicate: IntPredicate, lhs: ConstInt, rhs: ConstInt): boolean {
  const a = predicate.startsWith("s") ? signedValue(lhs) : lhs.value;
  const b = predicate.startsWith("s") ? signedValue(rhs) : rhs.value;
  switch (predicate) {
    case "eq":
      return a === b;
    case "ne":
      return a !== b;
    case "ugt":
    case "sgt":
      return a > b;
    case "uge":
    case "sge":
      return a >= b;
    case "ult":
    case "slt":
      return a < b;
    case "ule":
    case "sle":
      return a <= b;
  }
}

export function foldCast(operator: CastOperator, operand: IrValue, type: IrType): IrConstant | null {
  if (type.kind === "int" && operand.kind === "const-int") {
    if (operator === "trunc" || operator === "zext") return constInt(type, operand.value);
    if (operator === "sext") return constInt(type, signedValue(operand));
    return operator === "bitcast" ? operand : null;
  }
  if (operator === "bitcast") {
    if (type.kind === "float" && operand.kind === "const-int") return constFloatBits(type, operand.value);
    if (type.kind === "int" && operand.kind === "const-float") return constInt(type, operand.bits);
    if (type.kind === "float" && operand.kind === "const-float" && scalarBits(type) === scalarBits(operand.type))
      return constFloatBits(type, operand.bits);
  }
  if (operand.kind === "const-null") {
    if (operator === "ptrtoint" && type.kind === "int") return constInt(type, 0n);
    if (operator === "addrspacecast" && type.kind === "ptr") return { kind: "const-null", type };
  }
  if (operator === "inttoptr" && operand.kind === "const-int" && operand.value === 0n && type.kind === "ptr")
    return { kind: "const-null", type };
  return null;
}

/** The pointer whose address an integer is, where no bit of it was lost on the way; null for other integers. */
function pointerBehind({ operand, type }: CastInstruction): IrValue | null {
  let value = operand;
  while (value.kind === "instruction" && value.op === "cast") {
    const from = value.operand;
    if (value.operator === "ptrtoint")
      return sameType(from.type, type) && scalarBits(value.type) >= scalarBits(type) ? from : null;
    if (value.operator !== "trunc" && value.operator !== "zext") return null;
    if (scalarBits(value.type) < scalarBits(type) || scalarBits(from.type) < scalarBits(type)) return null;
    value = from;
  }
  return null;
}

function foldSelect(condition: IrValue, then: IrValue, otherwise: IrValue): IrValue | null {
  if (condition.kind === "const-int") return condition.value === 1n ? then : otherwise;
  return sameConstant(then, otherwise) ? then : null;
}

/** The one value that all edges bring, the phi's own aside. */
function foldPhi(phi: Extract<IrInstruction, { op: "phi" }>): IrValue | null {
  let only: IrValue | null = null;
  for (const { value } of phi.incoming) {
    if (value === phi || (only !== null && sameConstant(value, only))) continue;
    if (only !== null) return null;
    only = value;
  }
  return only;
}

/** One value, or two equal constants. */
export function sameConstant(a: IrValue, b: IrValue): boolean {
  if (a === b) return true;
  if (a.kind === "const-int" && b.kind === "const-int") return a.value === b.value && a.type.bits === b.type.bits;
  if (a.kind === "const-float" && b.kind === "const-float") return a.bits === b.bits && a.type.format === b.type.format;
  return a.kind === "const-null" && b.kind === "const-null" && a.type.addressSpace === b.type.addressSpace;
}

function foldExtractValue(aggregate: IrValue, indices: readonly number[]): IrValue | null {
  let current: IrValue = aggregate;
  let path = indices;
  for (;;) {
    if (path.length === 0) return current;
    if (isConstant(current)) {
      const element: IrConstant | null = constantElement(current, path[0] as number);
      if (element === null) return null;
      current = element;
      path = path.slice(1);
      continue;
    }
    if (current.kind !== "instruction" || current.op !== "insertvalue") return null;
    const inserted = current.indices;
    const common = inserted.findIndex((index, n) => index !== path[n]);
    if (common >= 0 && common < path.length) current = current.aggregate; // another element
    else if (common < 0) {
      path = path.slice(inserted.length);
      current = current.element;
    } else return null; // part of what is asked for was inserted later
  }
}
