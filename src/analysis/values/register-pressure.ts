/**
 * How many 32-bit values of a thread are live at once: what the registers of a GPU must hold at least.
 *
 * Question: the maximum over all places of a function of the live values, in registers. Values of one bit are
 * predicates; pointers and 64-bit values take two registers. Used by: the profiler's estimate of occupancy.
 */
import { buildFlowGraph } from "../loops/flow-graph.ts";
import type { IrFunction, IrInstruction, IrType, IrValue } from "../../ir/model/ir.ts";
import { operandsOf } from "../../ir/model/operands.ts";
import { liveAtStart } from "./liveness.ts";

/** null: the control flow is irreducible. */
export function mostLiveRegisters(fn: IrFunction): number | null {
  const flow = buildFlowGraph(fn);
  if (flow === null) return null;
  const atStart = liveAtStart(flow);
  let most = 0;
  flow.blocks.forEach((block, b) => {
    const live = new Set<IrInstruction>();
    for (const next of flow.successors[b] ?? []) {
      for (const value of atStart[next] ?? []) live.add(value);
      for (const i of flow.blocks[next]?.instructions ?? []) {
        if (i.op !== "phi") break;
        for (const { value, block: from } of i.incoming)
          if (from === block && value.kind === "instruction") live.add(value);
      }
    }
    let registers = sum(live);
    most = Math.max(most, registers);
    for (const i of block.instructions.toReversed()) {
      if (live.delete(i)) registers -= registersOf(i.type);
      if (i.op === "phi") continue;
      for (const operand of operandsOf(i)) {
        if (!isHeld(operand) || live.has(operand)) continue;
        live.add(operand);
        registers += registersOf(operand.type);
      }
      most = Math.max(most, registers);
    }
  });
  return most;
}

/** Constants, parameters and addresses of variables are operands of instructions. */
function isHeld(value: IrValue): value is IrInstruction {
  return value.kind === "instruction";
}

function sum(values: Iterable<IrInstruction>): number {
  let registers = 0;
  for (const { type } of values) registers += registersOf(type);
  return registers;
}

function registersOf(type: IrType): number {
  switch (type.kind) {
    case "int":
      return type.bits === 1 ? 0 : Math.ceil(type.bits / 32);
    case "float":
      return type.format === "double" ? 2 : 1;
    case "ptr":
      return type.addressSpace === 3 || type.addressSpace === 5 ? 1 : 2;
    case "vector":
      return Math.max(1, Math.ceil((type.length * bitsOf(type.element)) / 32));
    case "struct":
      return type.elements.reduce((all, element) => all + registersOf(element), 0);
    default:
      return 0;
  }
}

const FLOAT_BITS = { half: 16, bfloat: 16, float: 32, double: 64 } as const;

function bitsOf(type: IrType): number {
  if (type.kind === "int") return type.bits;
  if (type.kind === "float") return FLOAT_BITS[type.format];
  return 64;
}
