/**
 * Which values are the same in every lane of a warp, or differ by known offsets, and where the lanes of a warp part.
 *
 * Needs: legalised scalar IR, one latch per loop, loop-closed SSA. Holds afterwards: every instruction has a lane
 * shape, every block says whether its branch is divergent and whether its phis join lanes that came by different paths.
 *
 * Optimistic fixpoint from "uniform" downwards over the lattice of lane-shape.ts; lane-shape-transfer.ts evaluates
 * instructions, control-divergence.ts finds the joins (Rosemann, Moll, Hack, POPL 2021).
 *
 * Used by: the warp tier, all of whose code follows from it. The other two of the family answer less and need less:
 * block-uniformity.ts (same in a whole block or not, over calls, on IR as programs have it) and lane-stride.ts
 * (distance between neighbouring threads, on demand, where the block's shape is not known). All three take what
 * intrinsics return from one table (ir/intrinsics).
 */
import { alignOfConstant } from "../../base/align.ts";
import type { Dim3 } from "../../base/dim3.ts";
import type { IrBlock, IrInstruction, IrValue, PhiInstruction } from "../../ir/model/ir.ts";
import { isReachedApart, joinsOf } from "./control-divergence.ts";
import { SingleLanes } from "./single-lanes.ts";
import type { FlowGraph } from "../loops/flow-graph.ts";
import { shapeOfCall, shapeOfOperation } from "../lane-addresses/lane-shape-transfer.ts";
import {
  LANES,
  UNIFORM,
  VARYING,
  laneGeometry,
  meet,
  offsetShape,
  sameShape,
  strideOf,
  uniform,
  type LaneGeometry,
  type LaneShape,
} from "../lane-addresses/lane-shape.ts";

export interface WarpAnalysis {
  readonly flow: FlowGraph;
  readonly geometry: LaneGeometry;
  shapeOf(value: IrValue): LaneShape;
  /** The branch at the end of the block may send lanes to different successors. */
  readonly divergentBranch: readonly boolean[];
  /** Phis of the block may join lanes that came by different paths. */
  readonly divergentJoin: readonly boolean[];
  /** Lanes may leave the loop at different iterations. */
  readonly divergentLoop: readonly boolean[];
}

export function analyzeWarp(flow: FlowGraph, block: Dim3, localBytesPerThread: number): WarpAnalysis {
  return new Divergence(flow, block, localBytesPerThread);
}

class Divergence implements WarpAnalysis {
  readonly flow: FlowGraph;
  readonly geometry: LaneGeometry;
  readonly divergentBranch: boolean[];
  readonly divergentJoin: boolean[];
  readonly divergentLoop: boolean[];
  readonly #shapes = new Map<IrInstruction, LaneShape>();
  /** Each lane has local memory of its own, one behind the other. */
  readonly #localAddress: LaneShape;
  readonly #singleLanes: SingleLanes;

  constructor(flow: FlowGraph, block: Dim3, localBytesPerThread: number) {
    this.flow = flow;
    this.geometry = laneGeometry(block);
    this.#localAddress = offsetShape(
      Array.from({ length: LANES }, (_, lane) => lane * localBytesPerThread),
      1,
    );
    this.#singleLanes = new SingleLanes(flow, this.#known);
    this.divergentBranch = flow.blocks.map(() => false);
    this.divergentJoin = flow.blocks.map(() => false);
    this.divergentLoop = flow.loops.map(() => false);
    for (let changed = true; changed;) {
      changed = false;
      flow.blocks.forEach((irBlock, b) => {
        for (const i of irBlock.instructions) if (this.#update(i, b)) changed = true;
      });
      if (this.#spreadFromBranches()) changed = true;
      if (this.#spreadFromLoops()) changed = true;
      if (!changed && this.#settleUndefined()) changed = true;
    }
  }

  /**
   * Phis in a circle whose only value from outside is undef: the passes above wait for one another's shapes for ever.
   * Undef may be the same in all lanes. True if there is such a phi.
   */
  #settleUndefined(): boolean {
    for (const { instructions } of this.flow.blocks) {
      for (const i of instructions) {
        if (i.op !== "phi") break;
        if (this.#shapes.has(i) || i.incoming.every(({ value }) => value.kind !== "const-undef")) continue;
        this.#shapes.set(i, UNIFORM);
        return true;
      }
    }
    return false;
  }

  shapeOf(value: IrValue): LaneShape {
    return this.#known(value) ?? VARYING;
  }

  /** Undefined: not reached yet. */
  readonly #known = (value: IrValue): LaneShape | undefined => {
    if (value.kind === "instruction") return this.#shapes.get(value);
    if (value.kind === "const-int")
      return uniform(value.type.bits <= 32 ? alignOfConstant(Number(BigInt.asIntN(32, value.value))) : 1);
    return UNIFORM;
  };

  /** True if the instruction has another shape than before. */
  #update(i: IrInstruction, block: number): boolean {
    const now = this.#evaluate(i, block);
    if (now === undefined) return false;
    const before = this.#shapes.get(i);
    // Monotone: a shape never rises again, so that the iteration ends.
    const next = before === undefined || sameShape(before, now) ? now : lower(before, now);
    if (before !== undefined && sameShape(before, next)) return false;
    this.#shapes.set(i, next);
    return true;
  }

  #evaluate(i: IrInstruction, block: number): LaneShape | undefined {
    switch (i.op) {
      case "phi":
        return this.#shapeOfPhi(i, block);
      case "alloca":
        return this.#localAddress;
      case "atomicrmw":
      case "cmpxchg":
        return this.#singleLanes.runsAlone(block) ? UNIFORM : VARYING;
      case "call":
        return shapeOfCall(i, this.#known, this.geometry);
      default:
        return shapeOfOperation(i, this.#known);
    }
  }

  #shapeOfPhi(phi: PhiInstruction, block: number): LaneShape | undefined {
    let result: LaneShape | undefined;
    for (const { value } of phi.incoming) {
      const shape = value.kind === "const-undef" ? undefined : this.#known(value);
      if (shape === undefined) continue; // optimistic: not reached yet, or undef, which agrees with everything
      result = result === undefined ? shape : meet(result, shape);
    }
    if (result === undefined) return phi.incoming.every((x) => x.value.kind === "const-undef") ? UNIFORM : undefined;
    return this.divergentJoin[block] && this.#differsAtJoin(phi, block) ? VARYING : result;
  }

  /**
   * Lanes that came by different paths have different incoming values, and the values of a loop that they left at
   * different iterations are those of different iterations.
   */
  #differsAtJoin({ incoming }: PhiInstruction, block: number): boolean {
    if (incoming.some((x) => x.value !== incoming[0]!.value)) return true;
    const { flow } = this;
    return flow.loops.some(
      ({ id, blocks }) =>
        this.divergentLoop[id] &&
        !blocks.has(block) &&
        incoming.some(({ value }) => value.kind === "instruction" && blocks.has(flow.indexOf.get(value.block)!)),
    );
  }

  /** Branches on values that differ, and the joins that they cause. True if there is a new one. */
  #spreadFromBranches(): boolean {
    const { flow } = this;
    let changed = false;
    flow.blocks.forEach((irBlock, b) => {
      const selector = selectorOf(irBlock);
      if (this.divergentBranch[b] || selector === null || flow.successors[b]!.length < 2) return;
      const shape = this.#known(selector);
      if (shape === undefined || shape.kind === "uniform") return;
      this.divergentBranch[b] = true;
      changed = true;
      this.#markJoins(flow.successors[b]!);
    });
    return changed;
  }

  /** Loops that some lanes leave while others stay. True if there is a new one. */
  #spreadFromLoops(): boolean {
    const { flow } = this;
    let changed = false;
    for (const { id, exits } of flow.loops) {
      if (this.divergentLoop[id]) continue;
      // An exit from a block whose branch is divergent, or that only some lanes reach.
      const isLeftApart = exits.some(
        ({ from }) => this.divergentBranch[from] || isReachedApart(flow, this.divergentBranch, id, from),
      );
      if (!isLeftApart) continue;
      this.divergentLoop[id] = true;
      changed = true;
      const targets = [...new Set(exits.map(({ to }) => to))];
      // Loop-closing phis: lanes bring values of different iterations.
      for (const target of targets) this.divergentJoin[target] = true;
      this.#markJoins(targets);
    }
    return changed;
  }

  #markJoins(starts: readonly number[]): void {
    for (const join of joinsOf(this.flow, starts)) this.divergentJoin[join] = true;
  }
}

function selectorOf(block: IrBlock): IrValue | null {
  const terminator = block.instructions.at(-1);
  if (terminator?.op === "condbr") return terminator.condition;
  return terminator?.op === "switch" ? terminator.value : null;
}

function lower(before: LaneShape, now: LaneShape): LaneShape {
  if (before.kind === "varying" && now.kind !== "varying")
    return before.stride !== null && before.stride === strideOf(now) ? before : VARYING;
  return meet(before, now);
}
