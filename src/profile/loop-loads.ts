/**
 * How many iterations of a loop load at the same time. Compilers put several iterations side by side, ours
 * (ptx/passes/pass-unroll-counted.ts) and the driver's assembler: most where the step is a constant.
 */
import type { FlowGraph, FlowLoop } from "../analysis/loops/flow-graph.ts";
import { calledIntrinsic } from "../ir/model/called-intrinsic.ts";
import type { BinaryInstruction, IrBlock, IrInstruction, IrValue } from "../ir/model/ir.ts";
import { isUnchanging } from "./block-chain.ts";
import type { CountedAccess } from "./counted-accesses.ts";
import { unrolledInPhases } from "./shape/unrolled-order.ts";

const CONSTANT_STEP = 16;
const OTHER_STEP = 4;
/** A step from kernel to kernel, such as gridDim.x * blockDim.x, of a counter that may wrap around: nvcc 13.0. */
const WRAPPING_STEP = 1;
/** The assembler does it without knowing how often the loop runs. */
const UNKNOWN_COUNT = 2;
/** Loops of more instructions stay as they are. */
const SMALL = 60;

/** @returns the iterations, for each loop of the function. */
export function iterationsTogether(
  flow: FlowGraph,
  accessesOf: (i: IrInstruction) => readonly CountedAccess[],
): ReadonlyMap<number, number> {
  return new Map(flow.loops.map((loop) => [loop.id, together(flow, loop, accessesOf)]));
}

function together(flow: FlowGraph, loop: FlowLoop, accessesOf: (i: IrInstruction) => readonly CountedAccess[]): number {
  if (flow.loops.some(({ parent }) => parent === loop.id)) return 1;
  const blocks = [...loop.blocks].map((n) => flow.blocks[n] as IrBlock);
  const instructions = blocks.flatMap((block) => block.instructions);
  // Loads stay behind stores that may be to the same place, and behind barriers.
  const loads = instructions.filter((i) => accessesOf(i).some(isLoad));
  const isOrdered = !loads.every(isUnchanging);
  if (instructions.length > SMALL || instructions.some((i) => isOrdering(i, accessesOf(i), isOrdered))) return 1;
  const inPhases = unrolledInPhases(flow.blocks[loop.header] as IrBlock);
  if (inPhases !== null) return inPhases;
  const end = (flow.blocks[loop.latch] as IrBlock).instructions.at(-1);
  if (end?.op !== "condbr" || end.condition.kind !== "instruction" || end.condition.op !== "icmp") return UNKNOWN_COUNT;
  const next = [end.condition.lhs, end.condition.rhs].map(nextOf).find((value) => value !== null);
  if (next === undefined || next === null) return UNKNOWN_COUNT;
  const [step, mayWrap] = [next.rhs, !next.nsw && !next.nuw];
  if (step.kind !== "const-int") return mayWrap ? WRAPPING_STEP : OTHER_STEP;
  return mayWrap && next.type.kind === "int" && next.type.bits > 32 ? OTHER_STEP : CONSTANT_STEP;
}

/** Branches around so few instructions become predicates: their loads are under way together. */
const PREDICATED = 16;
const MOST_TOGETHER = 16;

/** How many blocks under a condition load together, of those that lie in the same loop or in none. */
export function conditionalLoads(
  flow: FlowGraph,
  accessesOf: (i: IrInstruction) => readonly CountedAccess[],
): (block: number) => number {
  const isConditional = flow.blocks.map(({ instructions }, n) => {
    const [before, behind] = [flow.predecessors[n] ?? [], flow.successors[n] ?? []];
    const isAside =
      before.length === 1 && behind.length === 1 && (flow.successors[before[0] as number] ?? []).length > 1;
    const loads = instructions.filter((i) => accessesOf(i).some(isLoad));
    const stores = instructions.some((i) => isOrdering(i, accessesOf(i), !loads.every(isUnchanging)));
    return isAside && loads.length > 0 && !stores && instructions.length <= PREDICATED;
  });
  const inLoop = new Map<number, number>();
  isConditional.forEach((is, n) => {
    const loop = flow.loopOf[n] as number;
    if (is) inLoop.set(loop, (inLoop.get(loop) ?? 0) + 1);
  });
  return (n) => (isConditional[n] === true ? Math.min(MOST_TOGETHER, inLoop.get(flow.loopOf[n] as number) ?? 1) : 1);
}

/** Whether a loop or one around it has a barrier of the block: what it loads is for a step that all threads take. */
export function isInSteps(flow: FlowGraph, loop: number): boolean {
  const own = flow.loops.find(({ id }) => id === loop);
  if (own === undefined) return false;
  const hasBarrier = [...own.blocks].some((n) =>
    (flow.blocks[n] as IrBlock).instructions.some((i) => i.op === "call" && calledIntrinsic(i)?.barrier != null),
  );
  return hasBarrier || isInSteps(flow, own.parent);
}

/** What an induction variable is in the next iteration; null: the value is none. */
function nextOf(value: IrValue): BinaryInstruction | null {
  if (value.kind !== "instruction" || value.type.kind !== "int" || value.type.bits < 32) return null;
  if (value.op !== "binary" || value.operator !== "add") return null;
  return value.lhs.kind === "instruction" && value.lhs.op === "phi" ? value : null;
}

function isLoad({ operation, space }: CountedAccess): boolean {
  return operation === "load" && (space === "global" || space === "generic");
}

function isOrdering(i: IrInstruction, accesses: readonly CountedAccess[], storesOrder: boolean): boolean {
  if (i.op === "call" && calledIntrinsic(i)?.barrier != null) return true;
  return (
    storesOrder &&
    accesses.some(({ operation, space }) => operation !== "load" && (space === "global" || space === "generic"))
  );
}
