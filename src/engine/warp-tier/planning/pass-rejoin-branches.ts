/**
 * Brings lanes together that a branch has parted, where both sides go on by the same condition.
 *
 *   if (lane == 0) a();          if (lane == 0) { a(); if (full) goto whole; else goto part; }
 *   if (full) whole();     ←     if (full) goto whole; else goto part;
 *   else part();
 *
 * Clang makes the second of the first (jump threading). In this tier lanes of the one side would wait at `whole` while
 * the others go on, although all of them go there. The pass makes the first of the second again.
 *
 * Needs: the analysis of the function. Afterwards: where it changed the function, blocks and phis are new, and the
 * analysis is of the former one. The result of the function is the same for blocks of any shape.
 */
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import { dominates, type FlowGraph } from "../../../analysis/loops/flow-graph.ts";
import { redirectEdge } from "../../../ir/graph/cfg.ts";
import { NameSource, constUndef, newBlock, newCondBr, newPhi } from "../../../ir/model/build.ts";
import type { CondBrInstruction, IrBlock, IrFunction, IrValue, PhiInstruction } from "../../../ir/model/ir.ts";
import { SharedExpressions } from "./shared-expressions.ts";

/** Branches on one condition, none of which is behind another, and the blocks to which all of them lead. */
interface Meeting {
  readonly condition: IrValue;
  readonly then: Target;
  readonly else: Target;
}

interface Target {
  readonly block: number;
  /** The blocks in front of it. */
  readonly from: readonly number[];
  /** Those of the branches by which threads come. */
  readonly branches: ReadonlySet<number>;
}

/** True if the function has changed: at one place, as dominators may be others now. */
export function rejoinBranches(fn: IrFunction, analysis: WarpAnalysis): boolean {
  for (const [parting] of analysis.flow.blocks.entries()) {
    if (!analysis.divergentBranch[parting]) continue;
    const expressions = new SharedExpressions(analysis.flow, parting);
    const meeting = findMeeting(analysis, parting, expressions);
    if (meeting === null) continue;
    rejoin(fn, analysis, meeting, expressions);
    return true;
  }
  return false;
}

function branchOf(block: IrBlock): CondBrInstruction | null {
  const last = block.instructions.at(-1);
  return last?.op === "condbr" && last.then !== last.else ? last : null;
}

function findMeeting(analysis: WarpAnalysis, parting: number, expressions: SharedExpressions): Meeting | null {
  const { flow } = analysis;
  const groups = new Map<string, number[]>();
  for (const [b, block] of flow.blocks.entries()) {
    if (b === parting || flow.loopOf[b] !== flow.loopOf[parting] || !dominates(flow.idom, parting, b)) continue;
    const condition = branchOf(block)?.condition;
    if (condition === undefined || analysis.shapeOf(condition).kind !== "uniform") continue;
    const key = expressions.keyOf(condition);
    if (key === null) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [b]);
    else group.push(b);
  }
  for (const group of groups.values()) {
    const branches = group.filter((b) => !group.some((other) => other !== b && dominates(flow.idom, other, b)));
    const meeting = branches.length < 2 ? null : meetingOf(analysis, parting, branches);
    if (meeting !== null) return meeting;
  }
  return null;
}

/** What the condition is in a block, and which of the branches a thread has taken. */
interface Known {
  readonly way: "then" | "else";
  readonly branches: ReadonlySet<number>;
}

/** Null: the branches do not lead to the same two blocks. */
function meetingOf({ flow }: WarpAnalysis, parting: number, branches: readonly number[]): Meeting | null {
  const known = new Map<number, Known | null>();
  const onEdge = (from: number, to: number): Known | null => {
    if (!branches.includes(from)) return known.get(from) ?? null;
    const way = flow.indexOf.get(branchOf(flow.blocks[from]!)!.then) === to ? "then" : "else";
    return { way, branches: new Set([from]) };
  };
  for (const [b] of flow.blocks.entries()) {
    if (b === parting || !dominates(flow.idom, parting, b)) continue;
    // An iteration of an inner loop changes nothing.
    known.set(b, common(flow.predecessors[b]!.filter((from) => from < b).map((from) => onEdge(from, b))));
  }
  const targetOf = (way: Known["way"]): Target | null => {
    const meets = [...known.keys()].filter((b) => {
      const there = known.get(b);
      const isFirst = flow.predecessors[b]!.length > 1 && flow.predecessors[b]!.every((from) => from < b);
      return isFirst && there?.way === way && there.branches.size > 1 && isAround(flow, flow.loopOf[b]!, parting);
    });
    // The last one to which threads come by several branches: on the way some may do more than others.
    const last = meets.filter((b) => !meets.some((other) => other !== b && dominates(flow.idom, other, b))).at(-1);
    if (last === undefined) return null;
    return { block: last, from: flow.predecessors[last]!, branches: known.get(last)!.branches };
  };
  const [then, otherwise] = [targetOf("then"), targetOf("else")];
  if (then === null || otherwise === null || !isSame(then.branches, otherwise.branches)) return null;
  // The new block has the ways to both targets: what one of them uses without a phi must be known on all of them.
  const ways = [...then.from, ...otherwise.from];
  if ([then, otherwise].some(({ block }) => !ways.every((from) => dominates(flow.idom, flow.idom[block]!, from))))
    return null;
  // One of them may be behind the loop.
  if ([then, otherwise].every(({ block }) => flow.loopOf[block] !== flow.loopOf[parting])) return null;
  return { condition: branchOf(flow.blocks[branches[0]!]!)!.condition, then, else: otherwise };
}

function isSame(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  return a.size === b.size && [...a].every((branch) => b.has(branch));
}

/** The loop is the block's innermost one, or one around that; -1: no loop. */
function isAround(flow: FlowGraph, loop: number, block: number): boolean {
  for (let l = flow.loopOf[block]!; ; l = flow.loops[l]!.parent) {
    if (l === loop) return true;
    if (l < 0) return false;
  }
}

function common(edges: readonly (Known | null)[]): Known | null {
  const [first] = edges;
  if (first === undefined || edges.some((edge) => edge?.way !== first?.way)) return null;
  return first && { way: first.way, branches: new Set(edges.flatMap((edge) => [...edge!.branches])) };
}

/** All edges to the two targets go to a new block, which asks the condition. */
function rejoin(fn: IrFunction, { flow }: WarpAnalysis, meeting: Meeting, expressions: SharedExpressions): void {
  const names = new NameSource(fn);
  const joined = newBlock(fn, names.fresh("rejoined"));
  const before = [...new Set([...meeting.then.from, ...meeting.else.from])].map((b) => flow.blocks[b]!);
  const phis: PhiInstruction[] = [];
  for (const { block, from } of [meeting.then, meeting.else]) {
    const target = flow.blocks[block]!;
    const own = new Set(from.map((b) => flow.blocks[b]!));
    for (const phi of target.instructions) {
      if (phi.op !== "phi") break;
      const value = expressions.same(phi.incoming.map((incoming) => incoming.value));
      if (value !== null) {
        phi.incoming = [{ value: expressions.copyOf(value, joined, names), block: joined }];
        continue;
      }
      const moved = newPhi({ block: joined, location: phi.location }, names.fresh(phi.name), phi.type);
      moved.incoming = before.map((b) => ({
        // Lanes that come from elsewhere do not go there.
        value: own.has(b) ? phi.incoming.find((x) => x.block === b)!.value : constUndef(phi.type),
        block: b,
      }));
      phis.push(moved);
      phi.incoming = [{ value: moved, block: joined }];
    }
  }
  const [then, otherwise] = [flow.blocks[meeting.then.block]!, flow.blocks[meeting.else.block]!];
  for (const block of before) for (const target of [then, otherwise]) redirectEdge(block, target, joined);
  const condition = expressions.copyOf(meeting.condition, joined, names);
  joined.instructions.unshift(...phis);
  joined.instructions.push(newCondBr({ block: joined, location: null }, condition, then, otherwise));
  fn.blocks.push(joined);
}
