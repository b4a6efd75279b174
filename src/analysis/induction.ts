/**
 * Induction variables: header phis that grow by the same step in every turn of their loop, and the exits that bound
 * them.
 *
 * Needs one latch per loop and a preheader (pass-loop-simplify).
 */
import { INVERSE_PREDICATES, SWAPPED_PREDICATES } from "../ir/model/int-predicates.ts";
import type { IntPredicate, IrInstruction, IrValue, PhiInstruction } from "../ir/model/ir.ts";
import { dominates, type FlowGraph, type FlowLoop } from "./flow-graph.ts";

export interface Induction {
  readonly loop: FlowLoop;
  readonly phi: PhiInstruction;
  /** The value in the first turn. */
  readonly init: IrValue;
  /** The value of the next turn: phi + step, or phi − step. */
  readonly next: IrInstruction;
  readonly step: IrValue;
  readonly sign: 1 | -1;
}

/** Every turn but the last passes this test: `tested stays bound` holds, or the lanes have left. */
export interface ExitTest {
  readonly block: number;
  readonly tested: "phi" | "next";
  readonly stays: IntPredicate;
  readonly bound: IrValue;
}

/** The value is the same in every turn of the loop. */
export function isInvariant(flow: FlowGraph, loop: FlowLoop, value: IrValue): boolean {
  return value.kind !== "instruction" || !loop.blocks.has(flow.indexOf.get(value.block)!);
}

/** Null where the phi is none: no header's, or it does not grow by an invariant step. 32-bit integers only. */
export function inductionOf(flow: FlowGraph, phi: PhiInstruction): Induction | null {
  if (phi.type.kind !== "int" || phi.type.bits !== 32 || phi.incoming.length !== 2) return null;
  const header = flow.indexOf.get(phi.block)!;
  const loop = flow.loops.find((l) => l.header === header);
  if (loop === undefined) return null;
  const latch = flow.blocks[loop.latch]!;
  const next = phi.incoming.find((x) => x.block === latch)?.value;
  const init = phi.incoming.find((x) => x.block !== latch)?.value;
  if (init === undefined || next?.kind !== "instruction" || next.op !== "binary") return null;
  if (next.operator === "add") {
    const step = next.lhs === phi ? next.rhs : next.rhs === phi ? next.lhs : null;
    return step !== null && isInvariant(flow, loop, step) ? { loop, phi, init, next, step, sign: 1 } : null;
  }
  if (next.operator === "sub" && next.lhs === phi && isInvariant(flow, loop, next.rhs))
    return { loop, phi, init, next, step: next.rhs, sign: -1 };
  return null;
}

/** The tests that every turn of the loop passes before the next one begins. Their bounds need not be invariant. */
export function exitTestsOf(flow: FlowGraph, { loop, phi, next }: Induction): ExitTest[] {
  const tests: ExitTest[] = [];
  for (const { from } of loop.exits) {
    const block = flow.blocks[from]!;
    const branch = block.instructions[block.instructions.length - 1]!;
    if (branch.op !== "condbr" || branch.condition.kind !== "instruction" || branch.condition.op !== "icmp") continue;
    const staysOnThen = loop.blocks.has(flow.indexOf.get(branch.then)!);
    if (staysOnThen === loop.blocks.has(flow.indexOf.get(branch.else)!) || !dominates(flow.idom, from, loop.latch))
      continue;
    const { lhs, rhs, predicate } = branch.condition;
    const stays = staysOnThen ? predicate : INVERSE_PREDICATES[predicate];
    for (const [value, name] of [
      [phi, "phi"],
      [next, "next"],
    ] as const) {
      if (lhs === value) tests.push({ block: from, tested: name, stays, bound: rhs });
      else if (rhs === value) tests.push({ block: from, tested: name, stays: SWAPPED_PREDICATES[stays], bound: lhs });
    }
  }
  return tests;
}
