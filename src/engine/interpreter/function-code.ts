/**
 * Functions made ready to run: one step per instruction, in the order of the blocks, each a closure that reads its
 * operands, computes, and leaves the result in the instruction's slot of the frame. What an operation means stands in
 * scalar-operations.ts, memory.ts, calls.ts …; here is only how instructions are put together from it.
 */
import { bug } from "../../base/diagnostics.ts";
import type { IrBlock, IrFunction, IrInstruction, IrType, IrValue, PointerBits } from "../../ir/model/ir.ts";
import { sizeOf } from "../../ir/model/layout.ts";
import { pointerBitsOf } from "../../ir/model/layout.ts";
import { ptrType, scalarBits, scalarOf } from "../../ir/model/types.ts";
import { isTerminator } from "../../ir/model/operands.ts";
import { atomicOperation } from "./atomics.ts";
import { callStep } from "./calls.ts";
import type { Grid } from "./grid.ts";
import { checkedLoad, checkedStore, Fault } from "./memory.ts";
import { constantIndex, gepOperand, operandOf, type Operand } from "./operands.ts";
import { castOperation, binaryOperation, floatComparison, intComparison } from "./scalar-operations.ts";
import { atBackEdge } from "./deadlock-proof.ts";
import { allocateLocal, type Frame, type Thread } from "./thread.ts";
import { fromBits, intFromBigint, toBits, zeroOf, type Value } from "./value.ts";
import type { Step, FunctionCode } from "./thread.ts";
import type { Lowering } from "./operands.ts";

export function lowerFunction(fn: IrFunction, grid: Grid): FunctionCode {
  const slots = new Map<IrValue, number>();
  for (const param of fn.params) slots.set(param, slots.size);
  for (const block of fn.blocks)
    for (const instruction of block.instructions)
      if (instruction.type.kind !== "void") slots.set(instruction, slots.size);

  const starts = new Map<IrBlock, number>();
  const instructions: IrInstruction[] = [];
  for (const block of fn.blocks) {
    starts.set(block, instructions.length);
    instructions.push(...block.instructions.filter((instruction) => instruction.op !== "phi"));
  }
  const lowering: Lowering = {
    grid,
    operand: (value) => operandOf(value, slots, grid),
    slot: (instruction) => slots.get(instruction) ?? -1,
  };
  const steps = instructions.map((instruction, pc) =>
    isTerminator(instruction) ? controlStep(instruction, pc, starts, lowering) : plainStep(instruction, lowering),
  );
  return { function: fn, steps, instructions, slotCount: slots.size, slots };
}

function plainStep(instruction: IrInstruction, lowering: Lowering): Step {
  if (instruction.op === "call") return callStep(instruction, lowering);
  const compute = valueOf(instruction, lowering);
  const slot = lowering.slot(instruction);
  if (slot < 0) return (thread, frame) => void compute(thread, frame);
  return (thread, frame) => {
    frame.values[slot] = compute(thread, frame);
  };
}

// ---------------------------------------------------------------- control

type Jump = (thread: Thread, frame: Frame) => void;

/** Leaves `source` for `target`: all phis of the target take their values at once. */
function jump(
  source: IrBlock,
  target: IrBlock,
  pc: number,
  starts: ReadonlyMap<IrBlock, number>,
  lowering: Lowering,
): Jump {
  const start = starts.get(target) ?? bug(`no block ${target.name}`);
  const moves: { slot: number; operand: Operand }[] = [];
  for (const phi of target.instructions) {
    if (phi.op !== "phi") break;
    const incoming =
      phi.incoming.find((entry) => entry.block === source) ?? bug(`%${phi.name} has no value for ${source.name}`);
    moves.push({ slot: lowering.slot(phi), operand: lowering.operand(incoming.value) });
  }
  const isBackEdge = start <= pc;
  return (thread, frame) => {
    const values = moves.map((move) => move.operand(thread, frame));
    moves.forEach((move, i) => (frame.values[move.slot] = values[i] as Value));
    frame.pc = start;
    if (isBackEdge) atBackEdge(thread, frame);
  };
}

function controlStep(
  instruction: IrInstruction,
  pc: number,
  starts: ReadonlyMap<IrBlock, number>,
  lowering: Lowering,
): Step {
  const to = (target: IrBlock): Jump => jump(instruction.block, target, pc, starts, lowering);
  switch (instruction.op) {
    case "br":
      return to(instruction.target);
    case "condbr": {
      const condition = lowering.operand(instruction.condition);
      const [then, otherwise] = [to(instruction.then), to(instruction.else)];
      return (thread, frame) => (condition(thread, frame) === 1 ? then : otherwise)(thread, frame);
    }
    case "switch": {
      const value = lowering.operand(instruction.value);
      const bits =
        instruction.value.type.kind === "int" ? instruction.value.type.bits : bug("switch over a non-integer");
      const cases = new Map(
        instruction.cases.map((entry) => [intFromBigint(entry.value.value, bits) as Value, to(entry.target)]),
      );
      const otherwise = to(instruction.defaultTarget);
      return (thread, frame) => (cases.get(value(thread, frame)) ?? otherwise)(thread, frame);
    }
    case "ret": {
      const result = instruction.value === null ? null : lowering.operand(instruction.value);
      return (thread, frame) => {
        const value = result === null ? null : result(thread, frame);
        thread.stackPointer = frame.stackPointer;
        const { caller } = frame;
        if (caller === null) {
          thread.state = "done";
          return;
        }
        if (value !== null && frame.resultSlot >= 0) caller.values[frame.resultSlot] = value;
        thread.frame = caller;
      };
    }
    case "unreachable":
      return () => {
        throw new Fault(
          "illegal-instruction",
          "the compiler proved this place unreachable (undefined behaviour led here)",
        );
      };
    default:
      return bug(`${instruction.op} is no terminator`);
  }
}

// ---------------------------------------------------------------- values

/** The same operation on each element where the operands are vectors. */
function lift2(type: IrType, make: (scalar: IrType) => (a: Value, b: Value) => Value): (a: Value, b: Value) => Value {
  if (type.kind !== "vector") return make(type);
  const f = make(type.element);
  return (a, b) => (a as Value[]).map((x, i) => f(x, (b as Value[])[i] as Value));
}

/** The result of an instruction as a closure. */
// oxlint-disable-next-line max-lines-per-function -- one case an instruction
function valueOf(i: IrInstruction, lowering: Lowering): Operand {
  const { memory } = lowering.grid;
  switch (i.op) {
    case "binary": {
      const f = lift2(i.type, (type) => binaryOperation(i.operator, type));
      const [lhs, rhs] = [lowering.operand(i.lhs), lowering.operand(i.rhs)];
      return (t, fr) => f(lhs(t, fr), rhs(t, fr));
    }
    case "icmp": {
      const f = lift2(i.lhs.type, (type) => intComparison(i.predicate, type));
      const [lhs, rhs] = [lowering.operand(i.lhs), lowering.operand(i.rhs)];
      return (t, fr) => f(lhs(t, fr), rhs(t, fr));
    }
    case "fcmp": {
      const f = lift2(i.lhs.type, () => floatComparison(i.predicate) as (a: Value, b: Value) => Value);
      const [lhs, rhs] = [lowering.operand(i.lhs), lowering.operand(i.rhs)];
      return (t, fr) => f(lhs(t, fr), rhs(t, fr));
    }
    case "fneg": {
      const operand = lowering.operand(i.operand);
      if (i.type.kind !== "vector") return (t, fr) => -(operand(t, fr) as number);
      return (t, fr) => (operand(t, fr) as number[]).map((x) => -x);
    }
    case "cast": {
      const operand = lowering.operand(i.operand);
      const [from, to] = [i.operand.type, i.type];
      if (i.operator === "bitcast")
        return from.kind === "ptr" && to.kind === "ptr"
          ? operand
          : (t, fr) => fromBits(to, toBits(from, operand(t, fr)));
      if (from.kind !== "vector" || to.kind !== "vector") {
        const f = castOperation(i.operator, from, to);
        return (t, fr) => f(operand(t, fr));
      }
      const f = castOperation(i.operator, from.element, to.element);
      return (t, fr) => (operand(t, fr) as Value[]).map(f);
    }
    case "select": {
      const [condition, then, otherwise] = [
        lowering.operand(i.condition),
        lowering.operand(i.then),
        lowering.operand(i.else),
      ];
      if (i.condition.type.kind !== "vector")
        return (t, fr) => (condition(t, fr) === 1 ? then(t, fr) : otherwise(t, fr));
      return (t, fr) => {
        const [a, b] = [then(t, fr) as Value[], otherwise(t, fr) as Value[]];
        return (condition(t, fr) as Value[]).map((c, k) => (c === 1 ? a[k] : b[k]) as Value);
      };
    }
    case "freeze":
      return lowering.operand(i.operand);
    case "gep":
      return gepValue(i, lowering);
    case "alloca": {
      const count = i.count === null ? null : lowering.operand(i.count);
      const size = sizeOf(i.allocatedType);
      return (t, fr) => allocateLocal(t, size * (count === null ? 1 : Number(count(t, fr))), i.align);
    }
    case "load": {
      const load = checkedLoad(i.type, i.align);
      const pointer = lowering.operand(i.pointer);
      return (t, fr) => load(memory, pointer(t, fr) as number);
    }
    case "store": {
      const store = checkedStore(i.value.type, i.align);
      const [value, pointer] = [lowering.operand(i.value), lowering.operand(i.pointer)];
      return (t, fr) => {
        store(memory, pointer(t, fr) as number, value(t, fr));
        return 0;
      };
    }
    case "atomicrmw": {
      const [load, store] = [checkedLoad(i.type, 0, "atomic"), checkedStore(i.type, 0, "atomic")];
      const operation = atomicOperation(i.operator, i.type);
      const [pointer, operand] = [lowering.operand(i.pointer), lowering.operand(i.value)];
      return (t, fr) => {
        const address = pointer(t, fr) as number;
        const old = load(memory, address);
        store(memory, address, operation(old, operand(t, fr)));
        return old;
      };
    }
    case "cmpxchg": {
      const type = i.expected.type;
      const [load, store] = [checkedLoad(type, 0, "atomic"), checkedStore(type, 0, "atomic")];
      const [pointer, expected, desired] = [
        lowering.operand(i.pointer),
        lowering.operand(i.expected),
        lowering.operand(i.desired),
      ];
      return (t, fr) => {
        const address = pointer(t, fr) as number;
        const old = load(memory, address);
        const same = old === expected(t, fr);
        if (same) store(memory, address, desired(t, fr));
        return [old, Number(same)];
      };
    }
    case "fence":
      return () => 0;
    case "va_arg": {
      // A va_list is a pointer to the next argument, each aligned to its own size (4 or 8).
      const list = lowering.operand(i.list);
      const pointer = ptrType(0, pointerBitsOf(lowering.grid.program.module));
      const [loadPointer, storePointer] = [checkedLoad(pointer, 0), checkedStore(pointer, 0)];
      const load = checkedLoad(i.type, 0);
      const size = sizeOf(i.type);
      return (t, fr) => {
        const cursor = list(t, fr) as number;
        const align = size >= 8 ? 8 : 4;
        const address = Math.ceil((loadPointer(memory, cursor) as number) / align) * align;
        storePointer(memory, cursor, address + Math.max(4, size));
        return load(memory, address);
      };
    }
    case "extractvalue": {
      const aggregate = lowering.operand(i.aggregate);
      return (t, fr) => i.indices.reduce((value, index) => (value as Value[])[index] as Value, aggregate(t, fr));
    }
    case "insertvalue": {
      const [aggregate, element] = [lowering.operand(i.aggregate), lowering.operand(i.element)];
      const insert = (value: Value, depth: number, leaf: Value): Value =>
        depth === i.indices.length
          ? leaf
          : replaced(value, i.indices[depth] as number, (old) => insert(old, depth + 1, leaf));
      return (t, fr) => insert(aggregate(t, fr), 0, element(t, fr));
    }
    case "extractelement": {
      const [vector, index] = [lowering.operand(i.vector), lowering.operand(i.index)];
      const zero = zeroOf(i.type);
      return (t, fr) => (vector(t, fr) as Value[])[Number(index(t, fr))] ?? zero;
    }
    case "insertelement": {
      const [vector, element, index] = [
        lowering.operand(i.vector),
        lowering.operand(i.element),
        lowering.operand(i.index),
      ];
      return (t, fr) => replaced(vector(t, fr), Number(index(t, fr)), () => element(t, fr));
    }
    case "shufflevector": {
      const [lhs, rhs] = [lowering.operand(i.lhs), lowering.operand(i.rhs)];
      const zero = i.type.kind === "vector" ? zeroOf(i.type.element) : bug("shufflevector without a vector");
      return (t, fr) => {
        const both = [...(lhs(t, fr) as Value[]), ...(rhs(t, fr) as Value[])];
        return i.mask.map((index) => (index < 0 ? zero : (both[index] as Value)));
      };
    }
    default:
      return bug(`no value for ${i.op}`);
  }
}

/** A copy of an aggregate with one element changed; outside its length nothing changes (poison, which is anything). */
function replaced(aggregate: Value, index: number, change: (old: Value) => Value): Value {
  return (aggregate as Value[]).map((value, i) => (i === index ? change(value) : value));
}

function gepValue(i: IrInstruction & { op: "gep" }, lowering: Lowering): Operand {
  const index = (value: IrValue): { type: IrType; constant: number | null; operand: Operand } => ({
    type: value.type,
    constant: constantIndex(value),
    operand: lowering.operand(value),
  });
  const pointerBits = scalarBits(scalarOf(i.type)) as PointerBits;
  if (i.type.kind !== "vector")
    return gepOperand(i.sourceType, lowering.operand(i.base), i.indices.map(index), pointerBits);
  // A vector of addresses: the same computation for each element, scalars repeated.
  const pick = (value: IrValue, k: number): Operand => {
    const operand = lowering.operand(value);
    return value.type.kind === "vector" ? (t, fr) => (operand(t, fr) as Value[])[k] as Value : operand;
  };
  const scalar = (type: IrType): IrType => (type.kind === "vector" ? type.element : type);
  const elements = Array.from({ length: i.type.length }, (_, k) =>
    gepOperand(
      i.sourceType,
      pick(i.base, k),
      i.indices.map((value) => ({ type: scalar(value.type), constant: constantIndex(value), operand: pick(value, k) })),
      pointerBits,
    ),
  );
  return (t, fr) => elements.map((element) => element(t, fr));
}
