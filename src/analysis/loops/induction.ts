/**
 * Induction variables: header phis that grow by the same step in every iteration of their loop, and the exit tests that
 * bound them.
 *
 * There is no fixpoint: a phi is an induction variable by its form, phi + step or phi − step along the back edge.
 * Source: Aho, Lam, Sethi, Ullman, "Compilers", 9.1 (basic induction variables). Loops have one latch and a preheader
 * (pass-loop-simplify).
 *
 * Used by: value-ranges.ts and loop-checks.ts of the warp tier, on flow graphs; pass-unroll-counted.ts of PTX, on the
 * loops of ir/graph; lane-stride.ts and disjoint-elements.ts of racecheck ask for single steps (`stepOf`).
 */
import { INVERSE_PREDICATES, SWAPPED_PREDICATES } from "../../ir/model/int-predicates.ts";
import type { IntPredicate, IrBlock, IrInstruction, IrValue, PhiInstruction } from "../../ir/model/ir.ts";
import { dominates, type FlowGraph, type FlowLoop } from "./flow-graph.ts";

export interface Step {
  readonly step: IrValue;
  readonly sign: 1 | -1;
}

/** A loop as blocks: of a flow graph, or of ir/graph/loops.ts. */
export interface LoopBlocks {
  readonly latch: IrBlock;
  contains(block: IrBlock): boolean;
}

export interface InductionVariable extends Step {
  readonly phi: PhiInstruction;
  /** The value in the first iteration. */
  readonly init: IrValue;
  /** The value of the next iteration: phi + step, or phi − step. */
  readonly next: IrInstruction;
}

export interface Induction extends InductionVariable {
  readonly loop: FlowLoop;
}

/** A comparison of an induction variable: `tested stays bound` holds, or the threads have left. */
export interface BoundTest {
  readonly tested: "phi" | "next";
  readonly stays: IntPredicate;
  readonly bound: IrValue;
}

/** Every iteration but the last passes this test. */
export interface ExitTest extends BoundTest {
  readonly block: number;
}

/** `next` is phi + step or phi − step, in integers. */
export function stepOf(next: IrValue, phi: IrValue): Step | null {
  if (next.kind !== "instruction" || next.op !== "binary") return null;
  if (next.operator === "add") {
    if (next.lhs === phi) return { step: next.rhs, sign: 1 };
    return next.rhs === phi ? { step: next.lhs, sign: 1 } : null;
  }
  return next.operator === "sub" && next.lhs === phi ? { step: next.rhs, sign: -1 } : null;
}

/** Null where a phi of the header does not grow by an invariant step. @param widths of the integers that count */
export function inductionIn(
  loop: LoopBlocks,
  phi: PhiInstruction,
  widths: readonly number[] = [32],
): InductionVariable | null {
  if (phi.type.kind !== "int" || !widths.includes(phi.type.bits) || phi.incoming.length !== 2) return null;
  const next = phi.incoming.find(({ block }) => block === loop.latch)?.value;
  const init = phi.incoming.find(({ block }) => block !== loop.latch)?.value;
  const step = next === undefined ? null : stepOf(next, phi);
  if (init === undefined || step === null) return null;
  if (step.step.kind === "instruction" && loop.contains(step.step.block)) return null;
  return { phi, init, next: next as IrInstruction, ...step };
}

/** The value is the same in every iteration of the loop. */
export function isInvariant(flow: FlowGraph, loop: FlowLoop, value: IrValue): boolean {
  return value.kind !== "instruction" || !loop.blocks.has(flow.indexOf.get(value.block)!);
}

/** Null where the phi is none: no header's, or it does not grow by an invariant step. */
export function inductionOf(flow: FlowGraph, phi: PhiInstruction): Induction | null {
  const header = flow.indexOf.get(phi.block)!;
  const loop = flow.loops.find((l) => l.header === header);
  if (loop === undefined) return null;
  const variable = inductionIn(
    { latch: flow.blocks[loop.latch]!, contains: (block) => loop.blocks.has(flow.indexOf.get(block)!) },
    phi,
  );
  return variable && { loop, ...variable };
}

/** What a block's branch compares of the variable, if threads stay in the loop on one side only. */
export function boundTestsOf(
  branch: IrInstruction | undefined,
  { phi, next }: InductionVariable,
  staysIn: (target: IrBlock) => boolean,
): BoundTest[] {
  if (branch?.op !== "condbr" || branch.condition.kind !== "instruction" || branch.condition.op !== "icmp") return [];
  const staysOnThen = staysIn(branch.then);
  if (staysOnThen === staysIn(branch.else)) return [];
  const { lhs, rhs, predicate } = branch.condition;
  const stays = staysOnThen ? predicate : INVERSE_PREDICATES[predicate];
  const tests: BoundTest[] = [];
  for (const [value, tested] of [
    [phi, "phi"],
    [next, "next"],
  ] as const) {
    if (lhs === value) tests.push({ tested, stays, bound: rhs });
    else if (rhs === value) tests.push({ tested, stays: SWAPPED_PREDICATES[stays], bound: lhs });
  }
  return tests;
}

/** The tests that every iteration passes before the next one begins. Their bounds need not be invariant. */
export function exitTestsOf(flow: FlowGraph, induction: Induction): ExitTest[] {
  const { loop } = induction;
  const staysIn = (target: IrBlock): boolean => loop.blocks.has(flow.indexOf.get(target)!);
  return loop.exits
    .filter(({ from }) => dominates(flow.idom, from, loop.latch))
    .flatMap(({ from }) =>
      boundTestsOf(flow.blocks[from]!.instructions.at(-1), induction, staysIn).map((test) => ({
        block: from,
        ...test,
      })),
    );
}
