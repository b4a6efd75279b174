/**
 * Puts the blocks of a kernel in an order in which one warp can run them with masks.
 *
 * Partial linearisation (Moll and Hack, PLDI 2018), decided per transition: uniform branches stay branches; a divergent
 * branch gives each side its lanes as "pending" and goes on with the first pending block in linear order.
 * `pendingAt(b)` is the set of targets that may hold lanes while b runs; it is what says whether a barrier in b has all
 * lanes, whether a phi must be blended, and whether a block must be guarded by "are there lanes for it".
 *
 * The result is a graph over nodes with ordinary branches only (reducible, see structure.ts):
 *   block    runs one block under its mask
 *   guard    goes to a target if lanes are pending there, else on to the next pending one
 *   enter    dispatches a resumed warp towards the place where it was suspended
 *   resume   reloads what was live at a suspension
 *   lanes    enters a loop, or runs it lane by lane where few lanes come to it (scalarized-loops.ts)
 *   end      all lanes have left the kernel
 */
import type { IrBlock, IrInstruction } from "../../../ir/model/ir.ts";
import { bug } from "../../../base/diagnostics.ts";
import type { WarpAnalysis } from "../../../analysis/divergence.ts";
import { dominates } from "../../../analysis/flow-graph.ts";

/** A place where lanes can wait: block b, or (count + l) the next iteration of loop l. */
export type Target = number;
export type NodeId = number;

export type ScheduleNode =
  | { readonly kind: "block"; readonly block: number; outcomes: Outcome[] }
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
  const { flow } = analysis;
  const count = flow.blocks.length;
  const trivialExit = flow.blocks.map((b) => b.instructions.length === 1 && b.instructions[0]!.op === "ret");
  const order = targetOrder(analysis);
  const firstOf = (pending: Iterable<Target>): Target | null => {
    let best: Target | null = null;
    for (const t of pending) if (best === null || order[t]! < order[best]!) best = t;
    return best;
  };
  /** The target that an edge means: a back edge waits for the loop's next iteration. */
  const targetOf = (from: number, to: number): Target | null => {
    if (trivialExit[to]) return null;
    const loop = flow.loops.find((l) => l.header === to && l.latch === from);
    return loop ? count + loop.id : to;
  };
  const blockOf = (t: Target): number => (t < count ? t : flow.loops[t - count]!.header);
  /** Where lanes may be when those that came to a loop have left it. */
  const pendingAfter = (loop: number): ReadonlySet<Target> => {
    const { header, exits } = flow.loops[loop]!;
    const set = new Set(pending[header]!);
    set.delete(count + loop);
    for (const { from, to } of exits) {
      const t = targetOf(from, to);
      if (t !== null) set.add(t);
    }
    return set;
  };

  // ---- pending sets, to a fixpoint over the transitions
  const pending = Array.from({ length: count + flow.loops.length }, () => new Set<Target>());
  const visited = new Set<Target>([0]);
  const leaves = (b: number): (readonly number[])[] =>
    analysis.divergentBranch[b]
      ? [flow.successors[b]!]
      : flow.successors[b]!.length === 0
        ? [[]]
        : flow.successors[b]!.map((s) => [s]);
  for (let changed = true; changed;) {
    changed = false;
    const flowInto = (t: Target | null, set: ReadonlySet<Target>): void => {
      if (t === null) return;
      if (!visited.has(t)) {
        visited.add(t);
        changed = true;
      }
      for (const p of set)
        if (p !== t && !pending[t]!.has(p)) {
          pending[t]!.add(p);
          changed = true;
        }
    };
    for (let b = 0; b < count; b++) {
      if (!visited.has(b)) continue;
      for (const targets of leaves(b)) {
        const set = new Set(pending[b]!);
        for (const s of targets) {
          const t = targetOf(b, s);
          if (t !== null) set.add(t);
        }
        flowInto(firstOf(set), set);
      }
    }
    for (const loop of byLanes) {
      if (!visited.has(flow.loops[loop]!.header)) continue;
      const set = pendingAfter(loop);
      flowInto(firstOf(set), set);
    }
    for (let t = 0; t < count + flow.loops.length; t++) {
      if (!visited.has(t)) continue;
      if (t >= count) {
        const header = blockOf(t);
        if (!visited.has(header)) {
          visited.add(header);
          changed = true;
        }
        for (const p of pending[t]!)
          if (!pending[header]!.has(p)) {
            pending[header]!.add(p);
            changed = true;
          }
      }
      flowInto(firstOf(pending[t]!), pending[t]!); // the way past, when nobody waits there
    }
  }
  const isEverPending = new Set<number>();
  for (const set of pending) for (const t of set) isEverPending.add(blockOf(t));

  const masks = planMasks(analysis, isEverPending, trivialExit);

  // ---- nodes
  const nodes: ScheduleNode[] = [];
  const add = (n: ScheduleNode): NodeId => nodes.push(n) - 1;
  const end = add({ kind: "end" });
  const blockNodes = flow.blocks.map((_, b) => add({ kind: "block", block: b, outcomes: [] }));
  const resumes: { index: number; block: number; continuation: number }[] = [];
  flow.blocks.forEach((block, b) => {
    if (visited.has(b) && suspendsAfter(block))
      resumes.push({ index: resumes.length + 1, block: b, continuation: flow.successors[b]![0]! });
  });
  // Loops that hold a suspension get an "enter" node in front of the header, which every way in passes.
  const enterNode = new Map<number, NodeId>();
  for (const l of flow.loops) {
    if (resumes.some((r) => l.blocks.has(r.continuation)))
      enterNode.set(l.id, add({ kind: "enter", loop: l.id, straight: blockNodes[l.header]!, resumes: [] }));
  }
  const runNode = (b: number): NodeId => {
    const loop = flow.loops.find((l) => l.header === b);
    return (loop && enterNode.get(loop.id)) ?? blockNodes[b]!;
  };
  /** The way into a block from outside; into a loop that has a scalar version, past the choice between the two. */
  const lanesNode = new Map<number, NodeId>();
  const wayInto = (t: Target): NodeId => {
    const loop = flow.loops.find((l) => l.header === t);
    if (loop === undefined || !byLanes.has(loop.id)) return runNode(blockOf(t));
    const known = lanesNode.get(loop.id);
    if (known !== undefined) return known;
    const exits = loop.exits.map(({ from, to }): ScheduledEdge => ({
      from,
      to,
      blend: true,
      setsMask: targetOf(from, to) !== null && masks.owner[to] === to,
    }));
    const node: ScheduleNode = { kind: "lanes", loop: loop.id, exits, vector: runNode(loop.header), scalar: end };
    const id = add(node);
    lanesNode.set(loop.id, id);
    (node as { scalar: NodeId }).scalar = goTo(firstOf(pendingAfter(loop.id)), false);
    return id;
  };
  const guards = new Map<Target, NodeId>();
  const certain = (t: Target): boolean => t < count && masks.owner[t] !== t;
  const goTo = (t: Target | null, sure: boolean): NodeId => {
    if (t === null) return end;
    if (sure || certain(t)) return wayInto(t);
    const known = guards.get(t);
    if (known !== undefined) return known;
    const node: ScheduleNode = { kind: "guard", target: t, then: wayInto(t), else: end };
    const id = add(node);
    guards.set(t, id);
    (node as { else: NodeId }).else = goTo(firstOf(pending[t]!), false);
    return id;
  };
  for (let b = 0; b < count; b++) {
    if (!visited.has(b)) continue;
    const node = nodes[blockNodes[b]!] as ScheduleNode & { kind: "block" };
    const resume = resumes.find((r) => r.block === b);
    for (const targets of leaves(b)) {
      const set = new Set(pending[b]!);
      const edges: ScheduledEdge[] = [];
      for (const s of targets) {
        const t = targetOf(b, s);
        if (t === null) continue;
        edges.push({ from: b, to: s, blend: pending[b]!.has(t), setsMask: masks.owner[s] === s });
        set.add(t);
      }
      const first = firstOf(set);
      const only = targets.length === 1 ? targetOf(b, targets[0]!) : null;
      const sure =
        first !== null && (first === only || (set.size === 1 && targets.every((s) => targetOf(b, s) !== null)));
      node.outcomes.push({ edges, next: goTo(first, sure), suspend: resume?.index ?? 0 });
    }
  }
  // ---- the way of a resumed warp: entry → enter nodes of the loops around it, outermost first → resume → continuation
  let entry = runNode(0);
  if (resumes.length > 0) {
    const root: ScheduleNode & { kind: "enter" } = { kind: "enter", loop: -1, straight: entry, resumes: [] };
    entry = add(root);
    for (const r of resumes) {
      const outcome = (nodes[blockNodes[r.block]!] as ScheduleNode & { kind: "block" }).outcomes[0]!;
      const resumeNode = add({
        kind: "resume",
        index: r.index,
        next: outcome.next ?? bug("suspension without a way on"),
      });
      const chain: number[] = [];
      for (let l = flow.loopOf[r.continuation]!; l >= 0; l = flow.loops[l]!.parent) chain.unshift(l);
      // A continuation that is the header of its loop is entered through the loop's own enter node from outside.
      const through = [root, ...chain.map((l) => nodes[enterNode.get(l)!] as ScheduleNode & { kind: "enter" })];
      through.forEach((from, i) =>
        from.resumes.push({ index: r.index, node: i + 1 < through.length ? enterNode.get(chain[i]!)! : resumeNode }),
      );
    }
  }
  return { nodes, entry, masks, pendingAt: (b) => pending[b]!, resumes, isTrivialExit: (b) => trivialExit[b]! };
}

/** Linear order of targets: blocks by number; a loop's next iteration after all its blocks, inner loops first. */
function targetOrder(analysis: WarpAnalysis): number[] {
  const { flow } = analysis;
  const depth = (l: number): number => (l < 0 ? 0 : 1 + depth(flow.loops[l]!.parent));
  const order = flow.blocks.map((_, b) => b);
  // inner loops (greater depth) first where several end with the same block
  flow.loops.forEach((l, i) => (order[flow.blocks.length + i] = l.last + 0.5 - depth(l.id) * 1e-6));
  return order;
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
