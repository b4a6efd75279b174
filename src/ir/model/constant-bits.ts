/**
 * What a constant's bits are once every global and function has an address (LangRef, "Constants" and "Constant
 * Expressions").
 */
import { bug, unsupported } from "../../base/diagnostics.ts";
import type { IrConstant, IrFunction, IrGlobal, IrType } from "./ir.ts";
import { sizeOf, storeSize, structOffsets } from "./layout.ts";
import { formatType, scalarBits } from "./types.ts";

/** The address of a global (not in address space 3) or a function. */
export type AddressResolver = (symbol: IrGlobal | IrFunction) => number;

/** A scalar constant as an unsigned integer of its type's width. Undef and poison are 0. */
export function constantBits(constant: IrConstant, addressOf: AddressResolver): bigint {
  switch (constant.kind) {
    case "const-int":
      return constant.value;
    case "const-float":
      return constant.bits;
    case "const-null":
    case "const-undef":
    case "const-zero":
      return 0n;
    case "global":
    case "function":
      return BigInt(addressOf(constant));
    case "const-expr":
      return expressionBits(constant.instruction, constant.type, addressOf);
    case "const-aggregate":
    case "const-bytes":
      return bug(`an aggregate constant of type ${formatType(constant.type)} where a scalar is expected`);
  }
}

type Expression = (IrConstant & { kind: "const-expr" })["instruction"];

function expressionBits(expression: Expression, type: IrType, addressOf: AddressResolver): bigint {
  const bits = scalarBits(type);
  switch (expression.op) {
    case "gep": {
      const base = constantBits(expression.base, addressOf);
      return BigInt.asUintN(bits, base + constantGepOffset(expression.sourceType, expression.indices, addressOf));
    }
    case "cast": {
      const value = constantBits(expression.operand, addressOf);
      switch (expression.operator) {
        case "ptrtoint":
        case "inttoptr":
        case "trunc":
        case "zext":
        case "bitcast":
        case "addrspacecast":
          return BigInt.asUintN(bits, value);
        case "sext":
          return BigInt.asUintN(bits, BigInt.asIntN(scalarBits(expression.operand.type), value));
        default:
          throw unsupported(`the constant expression ${expression.operator}`);
      }
    }
    case "binary": {
      const a = constantBits(expression.lhs, addressOf);
      const b = constantBits(expression.rhs, addressOf);
      return BigInt.asUintN(bits, constantBinary(expression.operator, a, b, bits));
    }
  }
}

function constantBinary(operator: string, a: bigint, b: bigint, bits: number): bigint {
  switch (operator) {
    case "add":
      return a + b;
    case "sub":
      return a - b;
    case "mul":
      return a * b;
    case "and":
      return a & b;
    case "or":
      return a | b;
    case "xor":
      return a ^ b;
    case "shl":
      return b >= BigInt(bits) ? 0n : a << b;
    case "lshr":
      return b >= BigInt(bits) ? 0n : a >> b;
    case "ashr":
      return BigInt.asIntN(bits, a) >> (b >= BigInt(bits) ? BigInt(bits - 1) : b);
    default:
      throw unsupported(`the constant expression ${operator}`);
  }
}

/** The byte offset that constant indices add to a pointer; may be negative. */
export function constantGepOffset(
  sourceType: IrType,
  indices: readonly IrConstant[],
  addressOf: AddressResolver,
): bigint {
  let offset = 0n;
  let current = sourceType;
  indices.forEach((index, position) => {
    const value = BigInt.asIntN(scalarBits(index.type), constantBits(index, addressOf));
    if (position === 0) {
      offset += value * BigInt(sizeOf(current));
    } else if (current.kind === "struct") {
      offset += BigInt(structOffsets(current)[Number(value)] ?? bug("gep index outside its struct"));
      current = current.elements[Number(value)] as IrType;
    } else if (current.kind === "array" || current.kind === "vector") {
      current = current.element;
      offset += value * BigInt(sizeOf(current));
    } else bug(`gep into ${formatType(current)}`);
  });
  return offset;
}

/** Writes an initialiser at `offset` of `bytes`. The bytes of undef and of padding are 0. */
export function writeConstant(
  bytes: Uint8Array,
  offset: number,
  constant: IrConstant,
  addressOf: AddressResolver,
): void {
  bytes.fill(0, offset, offset + sizeOf(constant.type));
  forEachScalar(constant, offset, (scalar, at) => {
    if (scalar.kind === "const-bytes") {
      bytes.set(scalar.bytes, at);
      return;
    }
    let bits = constantBits(scalar, addressOf);
    const size = storeSize(scalar.type);
    for (let i = 0; i < size; i++) {
      bytes[at + i] = Number(bits & 0xffn);
      bits >>= 8n;
    }
  });
}

/**
 * Visits the scalars and strings of bytes that an initialiser at `offset` consists of, with their offsets, zeros left
 * out.
 */
export function forEachScalar(
  constant: IrConstant,
  offset: number,
  visit: (scalar: IrConstant, offset: number) => void,
): void {
  const { type } = constant;
  switch (constant.kind) {
    case "const-zero":
    case "const-undef":
    case "const-null":
      return;
    case "const-aggregate": {
      if (type.kind === "struct") {
        const offsets = structOffsets(type);
        constant.elements.forEach((element, i) => forEachScalar(element, offset + (offsets[i] as number), visit));
        return;
      }
      if (type.kind !== "array" && type.kind !== "vector") bug(`aggregate constant of type ${formatType(type)}`);
      const stride = type.kind === "vector" ? storeSize(type.element) : sizeOf(type.element);
      if (type.kind === "vector" && scalarBits(type.element) % 8 !== 0)
        throw unsupported(`an initialiser of type ${formatType(type)}`);
      constant.elements.forEach((element, i) => forEachScalar(element, offset + i * stride, visit));
      return;
    }
    default:
      return visit(constant, offset);
  }
}
