/**
 * Puts the blocks of a kernel in an order in which one warp can run them with masks.
 *
 * Partial linearisation (Moll and Hack, PLDI 2018), decided per transition: uniform branches stay branches; a divergent
 * branch gives each side its lanes as "pending" and goes on with the first pending block in linear order.
 * `pendingAt(b)` is the set of targets that may hold lanes while b runs (pending-targets.ts). From it follow whether a
 * barrier in b has all lanes, whether a phi must be blended, and whether a guard must ask if a block has lanes.
 *
 * The result is a graph over nodes with ordinary branches only (reducible, see structured-control-flow.ts):
 *   block    runs one block under its mask
 *   guard    goes to a target if lanes are pending there, else on to the next pending one
 *   enter    dispatches a resumed warp towards the place where it was suspended
 *   resume   reloads what was live at a suspension
 *   lanes    enters a loop, or runs it lane by lane where few lanes come to it (scalarized-loops.ts)
 *   end      all lanes have left the kernel
 */
import type { IrBlock, IrInstruction } from "../../../ir/model/ir.ts";
import { bug } from "../../../base/diagnostics.ts";
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import { dominates } from "../../../analysis/loops/flow-graph.ts";
import { PendingTargets, type Target } from "./pending-targets.ts";

export type NodeId = number;

export type ScheduleNode =
  | { readonly kind: "block"; readonly block: number; readonly outcomes: Outcome[] }
  | { readonly kind: "guard"; readonly target: Target; readonly then: NodeId; else: NodeId }
  | {
      readonly kind: "enter";
      readonly loop: number;
      readonly straight: NodeId;
      resumes: { readonly index: number; readonly node: NodeId }[];
    }
  | { readonly kind: "resume"; readonly index: number; next: NodeId }
  | {
      readonly kind: "lanes";
      readonly loop: number;
      readonly exits: readonly ScheduledEdge[];
      readonly vector: NodeId;
      scalar: NodeId;
    }
  | { readonly kind: "end" };

/** How a block is left. */
export interface Outcome {
  /**
   * The edges along which lanes go (one for a uniform branch, all for a divergent one). Lanes that end the kernel
   * follow no edge.
   */
  readonly edges: readonly ScheduledEdge[];
  /** Where the warp goes on; null when the block ends in a suspension. */
  readonly next: NodeId | null;
  /** The suspension that the block ends in, or 0. */
  readonly suspend: number;
}

export interface ScheduledEdge {
  readonly from: number;
  readonly to: number;
  /** Lanes may already wait at the target: phis must be blended, masks joined. */
  readonly blend: boolean;
  /** The target keeps its mask in a variable of its own that this edge must set. */
  readonly setsMask: boolean;
}

/** Where a block's mask is kept: with another block's, in its own variable, or it is the mask of all lanes at entry. */
export interface MaskPlan {
  /** The block whose mask variable this block shares (itself when it has its own). Block 0 is the entry mask. */
  readonly owner: readonly number[];
}

export interface Schedule {
  readonly nodes: readonly ScheduleNode[];
  readonly entry: NodeId;
  readonly masks: MaskPlan;
  pendingAt(block: number): ReadonlySet<Target>;
  /** Blocks that end in a suspension, by resume index (from 1). */
  readonly resumes: readonly { readonly index: number; readonly block: number; readonly continuation: number }[];
  /** The block just returns and nothing else: lanes that go there are simply gone. */
  isTrivialExit(block: number): boolean;
}

/**
 * `suspendsAfter(block)`: the block ends in a barrier at which a warp of several must wait. `byLanes`: the loops that
 * have a scalar version, too.
 */
export function buildSchedule(
  analysis: WarpAnalysis,
  suspendsAfter: (block: IrBlock) => boolean,
  byLanes: ReadonlySet<number> = new Set(),
): Schedule {
  const pending = new PendingTargets(analysis, byLanes);
  return new ScheduleBuilder(analysis, pending, suspendsAfter, byLanes).build();
}

type BlockNode = Extract<ScheduleNode, { kind: "block" }>;
type EnterNode = Extract<ScheduleNode, { kind: "enter" }>;
type Resume = Schedule["resumes"][number];

/** Makes the nodes. Their order is the order in which they are asked for. */
class ScheduleBuilder {
  readonly #analysis: WarpAnalysis;
  readonly #pending: PendingTargets;
  readonly #byLanes: ReadonlySet<number>;
  readonly #masks: MaskPlan;
  readonly #nodes: ScheduleNode[] = [];
  readonly #end: NodeId;
  readonly #blockNodes: readonly NodeId[];
  readonly #resumes: readonly Resume[];
  /** By loop, where it holds a suspension: the node in front of the header, which every path into the loop passes. */
  readonly #enterNodes = new Map<number, NodeId>();
  readonly #lanesNodes = new Map<number, NodeId>();
  readonly #guards = new Map<Target, NodeId>();

  constructor(
    analysis: WarpAnalysis,
    pending: PendingTargets,
    suspendsAfter: (block: IrBlock) => boolean,
    byLanes: ReadonlySet<number>,
  ) {
    const { flow } = analysis;
    this.#analysis = analysis;
    this.#pending = pending;
    this.#byLanes = byLanes;
    this.#masks = planMasks(analysis, pending.everPending(), pending.isTrivialExit);
    this.#end = this.#add({ kind: "end" });
    this.#blockNodes = flow.blocks.map((_, b) => this.#add({ kind: "block", block: b, outcomes: [] }));
    this.#resumes = flow.blocks
      .flatMap((block, b) => (pending.isVisited(b) && suspendsAfter(block) ? [b] : []))
      .map((block, n) => ({ index: n + 1, block, continuation: flow.successors[block]![0]! }));
    for (const { id, header, blocks } of flow.loops) {
      if (!this.#resumes.some((r) => blocks.has(r.continuation))) continue;
      const straight = this.#blockNodes[header]!;
      this.#enterNodes.set(id, this.#add({ kind: "enter", loop: id, straight, resumes: [] }));
    }
  }

  build(): Schedule {
    const pending = this.#pending;
    for (let b = 0; b < this.#blockNodes.length; b++) if (pending.isVisited(b)) this.#leave(b);
    const straight = this.#runNode(0);
    return {
      nodes: this.#nodes,
      entry: this.#resumes.length === 0 ? straight : this.#dispatch(straight),
      masks: this.#masks,
      pendingAt: (b) => pending.at(b),
      resumes: this.#resumes,
      isTrivialExit: (b) => pending.isTrivialExit[b]!,
    };
  }

  #add(node: ScheduleNode): NodeId {
    return this.#nodes.push(node) - 1;
  }

  #blockNode(block: number): BlockNode {
    return this.#nodes[this.#blockNodes[block]!] as BlockNode;
  }

  #runNode(block: number): NodeId {
    const loop = this.#analysis.flow.loops.find((l) => l.header === block);
    return (loop && this.#enterNodes.get(loop.id)) ?? this.#blockNodes[block]!;
  }

  #setsMask(block: number): boolean {
    return this.#masks.owner[block] === block;
  }

  /**
   * The node for a target that is entered from outside: for a loop with a scalar version, the choice of the version.
   */
  #nodeInto(target: Target): NodeId {
    const loop = this.#analysis.flow.loops.find((l) => l.header === target);
    if (loop === undefined || !this.#byLanes.has(loop.id)) return this.#runNode(this.#pending.blockOf(target));
    const known = this.#lanesNodes.get(loop.id);
    if (known !== undefined) return known;
    const exits = loop.exits.map(({ from, to }): ScheduledEdge => {
      const setsMask = this.#pending.targetOf(from, to) !== null && this.#setsMask(to);
      return { from, to, blend: true, setsMask };
    });
    const node: Extract<ScheduleNode, { kind: "lanes" }> = {
      kind: "lanes",
      loop: loop.id,
      exits,
      vector: this.#runNode(loop.header),
      scalar: this.#end,
    };
    const id = this.#add(node);
    this.#lanesNodes.set(loop.id, id);
    node.scalar = this.#goTo(this.#pending.firstOf(this.#pending.after(loop.id)), false);
    return id;
  }

  /**
   * @param sure lanes do wait there; otherwise a guard asks, unless the target shares the mask of a block that has run.
   */
  #goTo(target: Target | null, sure: boolean): NodeId {
    if (target === null) return this.#end;
    const isCertain = target < this.#blockNodes.length && !this.#setsMask(target);
    if (sure || isCertain) return this.#nodeInto(target);
    const known = this.#guards.get(target);
    if (known !== undefined) return known;
    const node: Extract<ScheduleNode, { kind: "guard" }> = {
      kind: "guard",
      target,
      then: this.#nodeInto(target),
      else: this.#end,
    };
    const id = this.#add(node);
    this.#guards.set(target, id);
    node.else = this.#goTo(this.#pending.firstOf(this.#pending.at(target)), false);
    return id;
  }

  /** The outcomes of a block. */
  #leave(block: number): void {
    const pending = this.#pending;
    const suspend = this.#resumes.find((r) => r.block === block)?.index ?? 0;
    for (const targets of pending.departures(block)) {
      const set = new Set(pending.at(block));
      const edges: ScheduledEdge[] = [];
      for (const to of targets) {
        const target = pending.targetOf(block, to);
        if (target === null) continue;
        edges.push({ from: block, to, blend: pending.at(block).has(target), setsMask: this.#setsMask(to) });
        set.add(target);
      }
      const first = pending.firstOf(set);
      const only = targets.length === 1 ? pending.targetOf(block, targets[0]!) : null;
      const allLead = targets.every((to) => pending.targetOf(block, to) !== null);
      const sure = first !== null && (first === only || (set.size === 1 && allLead));
      this.#blockNode(block).outcomes.push({ edges, next: this.#goTo(first, sure), suspend });
    }
  }

  /** The path of a resumed warp: the enter nodes of the loops around it, outermost first, then resume, continuation. */
  #dispatch(straight: NodeId): NodeId {
    const { flow } = this.#analysis;
    const root: EnterNode = { kind: "enter", loop: -1, straight, resumes: [] };
    const entry = this.#add(root);
    for (const { index, block, continuation } of this.#resumes) {
      const next = this.#blockNode(block).outcomes[0]!.next ?? bug("nothing follows a suspension");
      const resume = this.#add({ kind: "resume", index, next });
      const loops: number[] = [];
      for (let l = flow.loopOf[continuation]!; l >= 0; l = flow.loops[l]!.parent) loops.unshift(l);
      // A continuation that is the header of its loop is entered through the loop's own enter node from outside.
      const inner = loops.map((l) => this.#enterNodes.get(l)!);
      const through = [root, ...inner.map((id) => this.#nodes[id] as EnterNode)];
      through.forEach((from, n) => from.resumes.push({ index, node: inner[n] ?? resume }));
    }
    return entry;
  }
}

/**
 * Blocks that always run with the same lanes share a mask variable: b shares a's when a dominates b, b post-dominates a
 * and both lie in the same divergent loop (control equivalence), or when a uniform branch of a is the only way to b and
 * lanes never wait there.
 */
function planMasks(
  analysis: WarpAnalysis,
  isEverPending: ReadonlySet<number>,
  trivialExit: readonly boolean[],
): MaskPlan {
  const { flow } = analysis;
  const divergentLoopOf = (b: number): number => {
    let l = flow.loopOf[b]!;
    while (l >= 0 && !analysis.divergentLoop[l]) l = flow.loops[l]!.parent;
    return l;
  };
  const postDominates = (b: number, a: number): boolean => dominates(flow.ipdom, b, a);
  const owner = flow.blocks.map((_, b) => b);
  for (let b = 1; b < owner.length; b++) {
    if (trivialExit[b]) {
      owner[b] = 0;
      continue;
    }
    let share = -1;
    for (let a = flow.idom[b]!; a >= 0; a = flow.idom[a]!) {
      if (divergentLoopOf(a) === divergentLoopOf(b) && postDominates(b, a)) {
        share = a;
        break;
      }
    }
    if (share < 0 && flow.predecessors[b]!.length === 1 && !isEverPending.has(b)) {
      const a = flow.predecessors[b]![0]!;
      if (!analysis.divergentBranch[a] && divergentLoopOf(a) === divergentLoopOf(b)) share = a;
    }
    if (share >= 0) owner[b] = owner[share]!;
  }
  return { owner };
}

export function terminatorOf(block: IrBlock): IrInstruction {
  return block.instructions[block.instructions.length - 1]!;
}
