/**
 * Frequent instructions, for all lanes of a warp in one loop. They mean what the interpreter's steps mean; those call
 * several closures for each lane, which takes most of the time of a recording. Instructions without a loop here are
 * left to the interpreter.
 */
import type { IrInstruction, IrType, IrValue } from "../ir/model/ir.ts";
import { constantIndex, operandOf } from "../engine/interpreter/operands.ts";
import {
  binaryOperation,
  castOperation,
  floatComparison,
  intComparison,
} from "../engine/interpreter/scalar-operations.ts";
import type { Block, FunctionCode, Thread } from "../engine/interpreter/thread.ts";
import { sizeOf } from "../ir/model/layout.ts";
import type { RecordedMemory } from "./recorded-memory.ts";

/** Executes an instruction for the first `count` lanes. Only loops that may fault set the lanes' places. */
export type LaneLoop = (group: readonly Thread[], count: number, pc: number) => void;

/** A slot of the frame, or (slot -1) a value that is the same in every lane. */
interface Operand {
  readonly slot: number;
  readonly constant: number;
}

export class LaneLoops {
  readonly #block: Block;
  readonly #memory: RecordedMemory;
  readonly #known = new Map<FunctionCode, readonly (LaneLoop | null)[]>();

  constructor(block: Block) {
    this.#block = block;
    this.#memory = block.grid.memory as RecordedMemory;
  }

  of(code: FunctionCode): readonly (LaneLoop | null)[] {
    let loops = this.#known.get(code);
    if (loops === undefined) {
      loops = code.instructions.map((instruction) => this.#loop(instruction, code));
      this.#known.set(code, loops);
    }
    return loops;
  }

  #loop(i: IrInstruction, code: FunctionCode): LaneLoop | null {
    const out = code.slots.get(i) ?? -1;
    const operand = (value: IrValue): Operand | null => this.#operand(value, code);
    switch (i.op) {
      case "binary":
        return isSmall(i.type) ? binaryLoop(i.operator, i.type, operand(i.lhs), operand(i.rhs), out) : null;
      case "icmp":
        if (!isSmall(i.lhs.type)) return null;
        return pairLoop(intComparison(i.predicate, i.lhs.type) as Pair, operand(i.lhs), operand(i.rhs), out);
      case "fcmp":
        if (i.lhs.type.kind !== "float") return null;
        return pairLoop(floatComparison(i.predicate), operand(i.lhs), operand(i.rhs), out);
      case "cast": {
        const [from, to] = [i.operand.type, i.type];
        if (i.operator === "bitcast" || !isSmall(from) || !isSmall(to)) return null;
        return singleLoop(castOperation(i.operator, from, to) as Single, operand(i.operand), out);
      }
      case "gep":
        return gepLoop(i, operand, out);
      case "load": {
        const address = operand(i.pointer);
        const size = accessSize(i.type);
        if (address === null || address.slot < 0 || size === null) return null;
        return loadLoop(this.#memory, i.type, isOwn(i.pointer) ? null : size, address.slot, out);
      }
      case "store": {
        const [address, value] = [operand(i.pointer), operand(i.value)];
        const size = accessSize(i.value.type);
        if (address === null || address.slot < 0 || value === null || size === null) return null;
        return storeLoop(this.#memory, i.value.type, isOwn(i.pointer) ? null : size, address.slot, value);
      }
      default:
        return null;
    }
  }

  /** null: not a number, or not known before the code runs. */
  #operand(value: IrValue, { slots }: FunctionCode): Operand | null {
    if (value.kind === "param" || value.kind === "instruction") {
      const slot = slots.get(value);
      return slot === undefined ? null : { slot, constant: 0 };
    }
    if (value.kind === "inline-asm" || value.kind === "metadata" || !isSmall(value.type)) return null;
    const first = this.#block.threads[0] as Thread;
    const constant = operandOf(value, slots, this.#block.grid)(first, first.frame);
    return typeof constant === "number" ? { slot: -1, constant } : null;
  }
}

/** A variable of the function: its address is legal, its bytes are the thread's own. */
function isOwn(pointer: IrValue): boolean {
  return pointer.kind === "instruction" && pointer.op === "alloca" && pointer.count === null;
}

/** Numbers in the interpreter: integers of up to 32 bits, pointers, float and double. */
function isSmall(type: IrType): boolean {
  if (type.kind === "int") return type.bits <= 32;
  return type.kind === "ptr" || (type.kind === "float" && (type.format === "float" || type.format === "double"));
}

function accessSize(type: IrType): number | null {
  if (type.kind === "ptr") return 4;
  if (type.kind === "float" && type.format === "float") return 4;
  if (type.kind === "float" && type.format === "double") return 8;
  return type.kind === "int" && (type.bits === 8 || type.bits === 16 || type.bits === 32) ? type.bits / 8 : null;
}

type Pair = (a: number, b: number) => number;
type Single = (a: number) => number;

function binaryLoop(
  operator: Extract<IrInstruction, { op: "binary" }>["operator"],
  type: IrType,
  lhs: Operand | null,
  rhs: Operand | null,
  out: number,
): LaneLoop | null {
  if (lhs === null || rhs === null) return null;
  const { slot: a, constant: x } = lhs;
  const { slot: b, constant: y } = rhs;
  if (operator === "add" && type.kind === "int" && type.bits === 32)
    return (group, count) => {
      for (let i = 0; i < count; i++) {
        const values = (group[i] as Thread).frame.values as number[];
        values[out] = ((a < 0 ? x : (values[a] as number)) + (b < 0 ? y : (values[b] as number))) >>> 0;
      }
    };
  if (type.kind === "float" && type.format === "float" && (operator === "fadd" || operator === "fmul")) {
    const isSum = operator === "fadd";
    return (group, count) => {
      for (let i = 0; i < count; i++) {
        const values = (group[i] as Thread).frame.values as number[];
        const left = a < 0 ? x : (values[a] as number);
        const right = b < 0 ? y : (values[b] as number);
        values[out] = Math.fround(isSum ? left + right : left * right);
      }
    };
  }
  return pairLoop(binaryOperation(operator, type) as Pair, lhs, rhs, out);
}

function pairLoop(f: Pair, lhs: Operand | null, rhs: Operand | null, out: number): LaneLoop | null {
  if (lhs === null || rhs === null) return null;
  const { slot: a, constant: x } = lhs;
  const { slot: b, constant: y } = rhs;
  return (group, count) => {
    for (let i = 0; i < count; i++) {
      const values = (group[i] as Thread).frame.values as number[];
      values[out] = f(a < 0 ? x : (values[a] as number), b < 0 ? y : (values[b] as number));
    }
  };
}

function singleLoop(f: Single, operand: Operand | null, out: number): LaneLoop | null {
  if (operand === null || operand.slot < 0) return null;
  const { slot } = operand;
  return (group, count) => {
    for (let i = 0; i < count; i++) {
      const values = (group[i] as Thread).frame.values as number[];
      values[out] = f(values[slot] as number);
    }
  };
}

/** Addresses with one index that is not a constant. */
function gepLoop(
  i: Extract<IrInstruction, { op: "gep" }>,
  operand: (value: IrValue) => Operand | null,
  out: number,
): LaneLoop | null {
  const base = operand(i.base);
  if (base === null || i.type.kind !== "ptr") return null;
  let type = i.sourceType;
  let fixed = 0;
  let index: { readonly slot: number; readonly scale: number } | null = null;
  for (const [position, value] of i.indices.entries()) {
    if (position > 0) {
      if (type.kind !== "array") return null;
      type = type.element;
    }
    const constant = constantIndex(value);
    if (constant !== null) fixed += constant * sizeOf(type);
    else {
      const slot = operand(value)?.slot ?? -1;
      if (slot < 0 || index !== null || value.type.kind !== "int" || value.type.bits !== 32) return null;
      index = { slot, scale: sizeOf(type) };
    }
  }
  const { slot: b, constant: start } = base;
  if (index === null)
    return (group, count) => {
      for (let k = 0; k < count; k++) {
        const values = (group[k] as Thread).frame.values as number[];
        values[out] = ((b < 0 ? start : (values[b] as number)) + fixed) >>> 0;
      }
    };
  const { slot, scale } = index;
  return (group, count) => {
    for (let k = 0; k < count; k++) {
      const values = (group[k] as Thread).frame.values as number[];
      const from = (b < 0 ? start : (values[b] as number)) + fixed;
      values[out] = (from + Math.imul(values[slot] as number, scale)) >>> 0;
    }
  };
}

/** @param size to check addresses with; null: they need no check */
function loadLoop(memory: RecordedMemory, type: IrType, size: number | null, pointer: number, out: number): LaneLoop {
  const { view } = memory;
  if (size === null) {
    if (type.kind === "float" && type.format === "float")
      return (group, count) => {
        for (let i = 0; i < count; i++) {
          const values = (group[i] as Thread).frame.values as number[];
          values[out] = view.getFloat32(values[pointer] as number, true);
        }
      };
    if (type.kind === "ptr" || (type.kind === "int" && type.bits === 32))
      return (group, count) => {
        for (let i = 0; i < count; i++) {
          const values = (group[i] as Thread).frame.values as number[];
          values[out] = view.getUint32(values[pointer] as number, true);
        }
      };
  }
  const read = reader(type, view);
  return (group, count, pc) => {
    for (let i = 0; i < count; i++) {
      const { frame } = group[i] as Thread;
      const values = frame.values as number[];
      const address = values[pointer] as number;
      if (size !== null) {
        frame.pc = pc + 1;
        memory.check(address, size, size, "load");
      }
      values[out] = read(address);
    }
  };
}

function reader(type: IrType, view: DataView): (address: number) => number {
  if (type.kind === "float")
    return type.format === "float" ? (a) => view.getFloat32(a, true) : (a) => view.getFloat64(a, true);
  if (type.kind === "int" && type.bits === 8) return (a) => view.getUint8(a);
  return type.kind === "int" && type.bits === 16 ? (a) => view.getUint16(a, true) : (a) => view.getUint32(a, true);
}

function storeLoop(
  memory: RecordedMemory,
  type: IrType,
  size: number | null,
  pointer: number,
  { slot, constant }: Operand,
): LaneLoop {
  const { view } = memory;
  if (size === null && (type.kind === "ptr" || (type.kind === "int" && type.bits === 32)))
    return (group, count) => {
      for (let i = 0; i < count; i++) {
        const values = (group[i] as Thread).frame.values as number[];
        const address = values[pointer] as number;
        memory.noteStore(address);
        view.setUint32(address, slot < 0 ? constant : (values[slot] as number), true);
      }
    };
  const write = writer(type, view);
  return (group, count, pc) => {
    for (let i = 0; i < count; i++) {
      const { frame } = group[i] as Thread;
      const values = frame.values as number[];
      const address = values[pointer] as number;
      if (size === null) memory.noteStore(address);
      else {
        frame.pc = pc + 1;
        memory.check(address, size, size, "store");
      }
      write(address, slot < 0 ? constant : (values[slot] as number));
    }
  };
}

function writer(type: IrType, view: DataView): (address: number, value: number) => void {
  if (type.kind === "float")
    return type.format === "float" ? (a, v) => view.setFloat32(a, v, true) : (a, v) => view.setFloat64(a, v, true);
  if (type.kind === "int" && type.bits === 8) return (a, v) => view.setUint8(a, v);
  return type.kind === "int" && type.bits === 16
    ? (a, v) => view.setUint16(a, v, true)
    : (a, v) => view.setUint32(a, v, true);
}
