/**
 * Constants as WebAssembly constants. Constant expressions are folded here: addresses are known when code is emitted.
 */
import { bug, unsupported } from "../../base/diagnostics.ts";
import type { ConstExpr, IrConstant, IrType } from "../../ir/model/ir.ts";
import { sizeOf, structOffsets } from "../../ir/model/layout.ts";
import type { FunctionBuilder } from "../../wasm/function-builder.ts";
import type { Addresses } from "./environment.ts";
import { bitWidth, leavesOf, wasmTypeOf } from "./value-types.ts";

/** A constant scalar: its bits, and whether the block's shared window base must be added. */
export interface ConstantBits {
  readonly bits: bigint;
  readonly sharedRelative: boolean;
}

const plain = (bits: bigint): ConstantBits => ({ bits, sharedRelative: false });

/** The bits of leaf `component` of a constant. Offsets of block-shared globals come from `sharedOffset`. */
export function constantBits(
  constant: IrConstant,
  addresses: Addresses,
  sharedOffset: (name: string) => number,
  component = 0,
): ConstantBits {
  switch (constant.kind) {
    case "const-int":
      return plain(constant.value);
    case "const-float":
      return plain(constant.bits);
    case "const-null":
    case "const-undef":
    case "const-zero":
      return plain(0n);
    case "function":
      return plain(BigInt(addresses.functionAddress(constant.name)));
    case "global": {
      const address = addresses.global(constant.name);
      return address === null
        ? { bits: BigInt(sharedOffset(constant.name)), sharedRelative: true }
        : plain(BigInt(address));
    }
    case "const-bytes":
      return plain(BigInt(constant.bytes[component] ?? bug("leaf outside a byte array")));
    case "const-aggregate": {
      let left = component;
      for (const element of constant.elements) {
        const count = leavesOf(element.type).length;
        if (left < count) return constantBits(element, addresses, sharedOffset, left);
        left -= count;
      }
      return bug("leaf outside an aggregate");
    }
    case "const-expr":
      return fold(constant, addresses, sharedOffset);
  }
}

type ConstOperation<Op extends ConstExpr["instruction"]["op"]> = Extract<ConstExpr["instruction"], { op: Op }>;
type Evaluate = (operand: IrConstant) => ConstantBits;

/** The value of a constant expression. */
function fold(constant: ConstExpr, addresses: Addresses, sharedOffset: (name: string) => number): ConstantBits {
  const i = constant.instruction;
  const evaluate: Evaluate = (operand) => constantBits(operand, addresses, sharedOffset);
  switch (i.op) {
    case "gep":
      return foldGep(i, constant.type, evaluate);
    case "cast":
      return foldCast(i, constant.type, evaluate);
    case "binary":
      return foldBinary(i, constant.type, evaluate);
  }
}

function foldGep(i: ConstOperation<"gep">, to: IrType, evaluate: Evaluate): ConstantBits {
  const base = evaluate(i.base);
  let offset = 0;
  let type: IrType = i.sourceType;
  i.indices.forEach((index, n) => {
    const bits = evaluate(index).bits;
    const value = Number(index.type.kind === "int" ? BigInt.asIntN(index.type.bits, bits) : bits);
    if (n === 0) {
      offset += value * sizeOf(type);
      return;
    }
    if (type.kind === "struct") {
      offset += structOffsets(type)[value] ?? bug("struct index");
      type = type.elements[value] as IrType;
    } else if (type.kind === "array" || type.kind === "vector") {
      type = type.element;
      offset += value * sizeOf(type);
    } else bug("constant gep into a scalar");
  });
  return { bits: BigInt.asUintN(bitWidth(to), base.bits + BigInt(offset)), sharedRelative: base.sharedRelative };
}

function foldCast(i: ConstOperation<"cast">, to: IrType, evaluate: Evaluate): ConstantBits {
  const operand = evaluate(i.operand);
  switch (i.operator) {
    case "bitcast":
    case "addrspacecast":
      return operand;
    case "inttoptr":
      return { bits: BigInt.asUintN(bitWidth(to), operand.bits), sharedRelative: operand.sharedRelative };
    case "ptrtoint":
    case "trunc":
    case "zext": {
      const width = bitWidth(to);
      if (operand.sharedRelative && width !== 32 && width !== bitWidth(i.operand.type))
        throw unsupported("a constant shared address in an integer of another width");
      return { bits: BigInt.asUintN(width, operand.bits), sharedRelative: operand.sharedRelative };
    }
    case "sext":
      return plain(BigInt.asUintN(bitWidth(to), BigInt.asIntN(bitWidth(i.operand.type), operand.bits)));
    default:
      throw unsupported(`the constant expression ${i.operator}`);
  }
}

function foldBinary(i: ConstOperation<"binary">, type: IrType, evaluate: Evaluate): ConstantBits {
  const lhs = evaluate(i.lhs);
  const rhs = evaluate(i.rhs);
  const width = bitWidth(type);
  if (i.operator === "add" && !(lhs.sharedRelative && rhs.sharedRelative)) {
    return {
      bits: BigInt.asUintN(width, lhs.bits + rhs.bits),
      sharedRelative: lhs.sharedRelative || rhs.sharedRelative,
    };
  }
  if (i.operator === "sub" && (!rhs.sharedRelative || lhs.sharedRelative)) {
    return {
      bits: BigInt.asUintN(width, lhs.bits - rhs.bits),
      sharedRelative: lhs.sharedRelative && !rhs.sharedRelative,
    };
  }
  if (lhs.sharedRelative || rhs.sharedRelative)
    throw unsupported(`the constant expression ${i.operator} of a shared address`);
  const a = lhs.bits;
  const b = rhs.bits;
  switch (i.operator) {
    case "mul":
      return plain(BigInt.asUintN(width, a * b));
    case "and":
      return plain(a & b);
    case "or":
      return plain(a | b);
    case "xor":
      return plain(a ^ b);
    case "shl":
      return plain(BigInt.asUintN(width, a << b));
    case "lshr":
      return plain(a >> b);
    case "ashr":
      return plain(BigInt.asUintN(width, BigInt.asIntN(width, a) >> b));
    default:
      throw unsupported(`the constant expression ${i.operator}`);
  }
}

/** Pushes bits as a constant of an IR scalar type. */
export function emitBits(code: FunctionBuilder, type: IrType, bits: bigint): void {
  switch (wasmTypeOf(type)) {
    case "i32":
      code.i32Const(Number(BigInt.asIntN(32, bits)));
      break;
    case "i64":
      code.i64Const(bits);
      break;
    case "f32":
      code.f32ConstBits(Number(bits));
      break;
    case "f64":
      code.f64ConstBits(bits);
      break;
  }
}
