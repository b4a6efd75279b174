/** How a step reads its operands: from a slot of the frame, or as a constant made once. */
import { bug, unsupported } from "../../base/diagnostics.ts";
import type {
  IrConstant,
  IrFunction,
  IrGlobal,
  IrType,
  IrValue,
  IrInstruction,
  PointerBits,
} from "../../ir/model/ir.ts";
import { sizeOf, structOffsets } from "../../ir/model/layout.ts";
import { scalarBits } from "../../ir/model/types.ts";
import { constantElement } from "../../ir/model/build.ts";
import { constantBits } from "../../ir/model/constant-bits.ts";
import { forEachSymbol } from "../../ir/model/constant-symbols.ts";
import type { Grid } from "./grid.ts";
import { binaryOperation, castOperation } from "./scalar-operations.ts";
import type { Frame, Thread } from "./thread.ts";
import { fromBits, zeroOf, type Value } from "./value.ts";

export type Operand = (thread: Thread, frame: Frame) => Value;

const SHARED_SPACE = 3;

/** Reads `value`; `slots` numbers the parameters and instructions of the function. */
export function operandOf(value: IrValue, slots: ReadonlyMap<IrValue, number>, grid: Grid): Operand {
  switch (value.kind) {
    case "param":
    case "instruction": {
      const slot = slots.get(value) ?? bug(`the value %${value.name} belongs to another function`);
      return (_, frame) => frame.values[slot] as Value;
    }
    case "metadata":
      return () => 0;
    case "inline-asm":
      throw unsupported(`inline PTX "${value.template}"`);
    default:
      return constantOperand(value, grid);
  }
}

function constantOperand(constant: IrConstant, grid: Grid): Operand {
  // The address of a __shared__ variable is another one in every block: such constants are computed by each thread.
  if (namesShared(constant)) return sharedOperand(constant, grid);
  const value = constantValue(constant, (symbol) => addressOf(symbol, grid));
  return () => value;
}

function namesShared(constant: IrConstant): boolean {
  let found = false;
  forEachSymbol(
    constant,
    (symbol) => (found ||= symbol.kind === "global" && symbol.type.addressSpace === SHARED_SPACE),
  );
  return found;
}

function addressOf(symbol: IrGlobal | IrFunction, grid: Grid): number {
  const { globalAddresses, functionAddresses } = grid.program;
  return (
    (symbol.kind === "global" ? globalAddresses : functionAddresses).get(symbol.name) ??
    bug(`${symbol.name} has no address`)
  );
}

/** The value of a constant outside shared memory. */
export function constantValue(constant: IrConstant, resolve: (symbol: IrGlobal | IrFunction) => number): Value {
  const { type } = constant;
  switch (type.kind) {
    case "int":
    case "float":
    case "ptr":
      return fromBits(type, constantBits(constant, resolve));
    case "vector":
    case "array":
    case "struct": {
      if (constant.kind === "const-expr") {
        if (constant.instruction.op === "cast")
          return fromBits(type, constantBits(constant.instruction.operand, resolve));
        throw unsupported("a constant expression of vector type");
      }
      const length = type.kind === "struct" ? type.elements.length : type.length;
      return Array.from({ length }, (_, i) =>
        constantValue(constantElement(constant, i) ?? bug("constant without its element"), resolve),
      );
    }
    default:
      return zeroOf(type);
  }
}

function sharedOperand(constant: IrConstant, grid: Grid): Operand {
  const part = (operand: IrConstant): Operand => constantOperand(operand, grid);
  switch (constant.kind) {
    case "global": {
      const offset =
        grid.kernel.sharedOffsets.get(constant.name) ?? bug(`the __shared__ variable ${constant.name} has no place`);
      return (thread) => thread.block.sharedBase + offset;
    }
    case "const-aggregate": {
      const elements = constant.elements.map(part);
      return (thread, frame) => elements.map((element) => element(thread, frame));
    }
    case "const-expr": {
      const e = constant.instruction;
      if (e.op === "gep")
        return gepOperand(
          e.sourceType,
          part(e.base),
          e.indices.map((index) => ({ type: index.type, constant: constantIndex(index), operand: part(index) })),
          scalarBits(constant.type) as PointerBits,
        );
      if (e.op === "cast") {
        const cast = castOperation(e.operator, e.operand.type, constant.type);
        const operand = part(e.operand);
        return (thread, frame) => cast(operand(thread, frame));
      }
      const operation = binaryOperation(e.operator, constant.type);
      const [lhs, rhs] = [part(e.lhs), part(e.rhs)];
      return (thread, frame) => operation(lhs(thread, frame), rhs(thread, frame));
    }
    default:
      return bug(`the constant ${constant.kind} names a __shared__ variable`);
  }
}

// ---------------------------------------------------------------- addresses

export interface GepIndex {
  readonly type: IrType;
  /** Known at once: needed for struct fields. */
  readonly constant: number | null;
  readonly operand: Operand;
}

export function constantIndex(value: IrValue): number | null {
  if (value.kind === "const-int") return Number(BigInt.asIntN(value.type.bits, value.value));
  return value.kind === "const-zero" || value.kind === "const-undef" || value.kind === "const-null" ? 0 : null;
}

/** The address that indices lead to (LangRef, "getelementptr"), modulo 2^bits. */
export function gepOperand(
  sourceType: IrType,
  base: Operand,
  indices: readonly GepIndex[],
  pointerBits: PointerBits,
): Operand {
  let fixed = 0;
  const scaled: { operand: Operand; bits: number; scale: number }[] = [];
  let current = sourceType;
  indices.forEach((index, position) => {
    if (position > 0 && current.kind === "struct") {
      const field = index.constant ?? bug("a struct field must be a constant");
      fixed += structOffsets(current)[field] ?? bug("no such field");
      current = current.elements[field] as IrType;
      return;
    }
    if (position > 0)
      current = current.kind === "array" || current.kind === "vector" ? current.element : bug("gep into a scalar");
    const scale = sizeOf(current);
    if (index.constant !== null) fixed += index.constant * scale;
    else scaled.push({ operand: index.operand, bits: scalarBits(index.type), scale });
  });
  if (pointerBits === 64)
    return (thread, frame) => {
      let address = (base(thread, frame) as number) + fixed;
      for (const { operand, bits, scale } of scaled)
        address += Number(BigInt.asIntN(bits, BigInt(operand(thread, frame) as number | bigint))) * scale;
      return address >= 0 ? address : Number(BigInt.asUintN(64, BigInt(address)));
    };
  return (thread, frame) => {
    let address = (base(thread, frame) as number) + fixed;
    for (const { operand, bits, scale } of scaled) {
      const index = operand(thread, frame);
      address += Math.imul(signedIndex(index, bits), scale);
    }
    return address >>> 0;
  };
}

/** What the parts of the lowering need to know of the function. */
export interface Lowering {
  readonly grid: Grid;
  operand(value: IrValue): Operand;
  /** Where an instruction's result goes; -1 for none. */
  slot(instruction: IrInstruction): number;
}

/** The low 32 bits of an index, signed. */
function signedIndex(index: Value, bits: number): number {
  if (typeof index === "bigint") return Number(BigInt.asIntN(32, index));
  return bits < 32 ? ((index as number) << (32 - bits)) >> (32 - bits) : (index as number) | 0;
}
