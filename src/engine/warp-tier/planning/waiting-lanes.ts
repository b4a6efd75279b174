/**
 * Lanes that wait elsewhere in a warp while the others wait for what other warps do: `if (threadIdx.x == 0)` waits for
 * buffers and fills them. This tier lets the first go on only when the others come to them. On a GPU they may go on at
 * once, so a kernel is for this tier if they could do nothing that anybody sees before they need the others.
 */
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import { dominates } from "../../../analysis/loops/flow-graph.ts";
import { calledIntrinsic, calleeName } from "../../../ir/model/called-intrinsic.ts";
import type { CallInstruction, IrInstruction, IrValue } from "../../../ir/model/ir.ts";
import { operandsOf } from "../../../ir/model/operands.ts";
import type { Schedule } from "./block-order.ts";
import { matrixShapeOf } from "./matrix-shapes.ts";
import { isMissingProducts } from "./pass-suspend-at-products.ts";
import { clusterBarrierOf, isSuspend, suspendsWarp } from "./suspensions.ts";
import { warpgroupShapeOf } from "./warpgroup-products.ts";

/** A branch that sent the waiting lanes to its other side: its condition's text, and what it is for them. */
interface KnownCondition {
  readonly text: string;
  readonly holds: boolean;
}

/** The lanes that wait elsewhere while `block` suspends do nothing before all lanes of the warp are together. */
export function waitInnocently(analysis: WarpAnalysis, schedule: Schedule, block: number): boolean {
  const { flow } = analysis;
  const known = conditionOfOthers(analysis, schedule, block);
  const start = [...schedule.pendingAt(block)].map((t) =>
    t < flow.blocks.length ? t : flow.loops[t - flow.blocks.length]!.header,
  );
  const seen = new Set(start);
  const open = [...seen];
  for (let b = open.pop(); b !== undefined; b = open.pop()) {
    const what = firstEffect(flow.blocks[b]!.instructions);
    if (what === "effect") return false;
    if (what === "together") continue;
    for (const s of successorsGiven(analysis, b, known)) {
      if (seen.has(s)) continue;
      seen.add(s);
      open.push(s);
    }
  }
  return true;
}

/** What comes first: something that other threads may see, or a place where all lanes of the warp meet. */
function firstEffect(instructions: readonly IrInstruction[]): "effect" | "together" | null {
  let hasArrived = false;
  for (const i of instructions) {
    if (i.op === "atomicrmw" || i.op === "cmpxchg" || i.op === "va_arg") return "effect";
    if (i.op === "store" && !isLocal(i.pointer)) return "effect";
    if (i.op !== "call" || isSuspend(i)) continue;
    const atCluster = clusterBarrierOf(i);
    if (atCluster !== null) {
      // It opens when all threads have arrived, the lanes that wait elsewhere among them. A wait may be for a phase
      // that is over; behind an arrival it is not.
      if (atCluster === "wait" && hasArrived) return "together";
      hasArrived ||= atCluster === "arrive";
      continue;
    }
    if (suspendsWarp(i) || isMeetingOfAll(i)) return "together";
    const facts = calledIntrinsic(i);
    if (facts?.productGroup === "commit") return "together";
    if (facts?.isFence === true || isMissingProducts(i)) continue;
    if (facts === null || !["pure", "thread", "ignored"].includes(facts.kind)) return "effect";
  }
  return null;
}

/** A collective of all 32 lanes, or a product of matrices: `.aligned`, so that all lanes of the warp come to it. */
function isMeetingOfAll(call: CallInstruction): boolean {
  const name = calleeName(call);
  if (name !== null && (matrixShapeOf(name) !== null || warpgroupShapeOf(name) !== null)) return true;
  const facts = calledIntrinsic(call);
  if (facts === null || facts.kind !== "collective" || facts.count !== null) return false;
  const mask = call.args[facts.reduction === null ? 0 : 1];
  return facts.operation !== "activemask" && mask?.kind === "const-int" && BigInt.asUintN(32, mask.value) === ALL_LANES;
}

const ALL_LANES = 0xffffffffn;

function isLocal(pointer: IrValue): boolean {
  let base = pointer;
  while (base.kind === "instruction" && base.op === "gep") base = base.base;
  return base.kind === "instruction" && base.op === "alloca";
}

function successorsGiven({ flow }: WarpAnalysis, b: number, known: KnownCondition | null): readonly number[] {
  const last = flow.blocks[b]!.instructions.at(-1);
  if (last?.op !== "condbr" || known === null || textOf(last.condition) !== known.text) return flow.successors[b]!;
  return [flow.indexOf.get(known.holds ? last.then : last.else)!];
}

/**
 * The only branch that can have parted the warp's lanes, if its condition never changes for a thread. Null where there
 * is none, or where lanes may have parted at several places.
 */
function conditionOfOthers(analysis: WarpAnalysis, schedule: Schedule, block: number): KnownCondition | null {
  const { flow, divergentBranch, divergentLoop } = analysis;
  // The nearest: where all lanes are together there, those that earlier branches have parted have met again.
  let at = flow.idom[block]!;
  while (at >= 0 && !divergentBranch[at]) at = flow.idom[at]!;
  const last = flow.blocks[at]?.instructions.at(-1);
  if (last?.op !== "condbr" || schedule.pendingAt(at).size > 0) return null;
  const side = [last.then, last.else].find((target) => {
    const s = flow.indexOf.get(target)!;
    return flow.predecessors[s]!.length === 1 && dominates(flow.idom, s, block);
  });
  if (side === undefined) return null;
  const region = flow.indexOf.get(side)!;
  const partsAgain = flow.blocks.some((_, b) => divergentBranch[b] && dominates(flow.idom, region, b));
  const text = textOf(last.condition);
  if (partsAgain || text === null || flow.loops.some((l) => divergentLoop[l.id] && l.blocks.has(block))) return null;
  return { text, holds: side !== last.then };
}

/** A value that a thread computes of what never changes for it, as text; null for others. */
function textOf(value: IrValue, depth = 0): string | null {
  if (value.kind === "const-int") return `${value.type.bits}:${value.value}`;
  if (value.kind === "param") return `p${value.index}`;
  if (value.kind !== "instruction" || depth > 8) return null;
  let head: string | null = null;
  if (value.op === "binary") head = value.operator;
  if (value.op === "icmp") head = value.predicate;
  if (value.op === "cast") head = `${value.operator} ${value.type.kind === "int" ? value.type.bits : value.type.kind}`;
  if (value.op === "select") head = "select";
  if (value.op === "call") head = nameOfConstant(value);
  if (head === null) return null;
  const operands = operandsOf(value)
    .filter(({ kind }) => kind !== "function")
    .map((operand) => textOf(operand, depth + 1));
  return operands.includes(null) ? null : `(${head} ${operands.join(" ")})`;
}

/**
 * Registers that never change for a thread, and functions of their arguments alone. A shuffle among all lanes is one,
 * too, where its arguments never change: `__shfl_sync(~0, threadIdx.x / 32, 0)` is the number of the warp.
 */
function nameOfConstant(call: CallInstruction): string | null {
  const facts = calledIntrinsic(call);
  if (facts === null) return null;
  if (facts.shuffle?.hasMask === true && isMeetingOfAll(call)) return facts.name + facts.overload;
  const isFixed = facts.kind === "pure" || ["tid", "ntid", "laneid", "warpid"].includes(facts.register?.register ?? "");
  return isFixed ? facts.name + facts.overload : null;
}
