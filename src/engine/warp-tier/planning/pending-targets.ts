/**
 * At which blocks lanes may wait while a block runs: what linearisation must guard, blend and keep apart.
 *
 * Lattice: sets of targets, joined by union; a fixpoint over the transitions between blocks. Source: partial
 * linearisation (Moll and Hack, PLDI 2018). Used by: block-order.ts.
 */
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";

/** A place where lanes can wait: block b, or (count + l) the next iteration of loop l. */
export type Target = number;

export class PendingTargets {
  readonly #analysis: WarpAnalysis;
  readonly #count: number;
  readonly #order: readonly number[];
  /** By target. */
  readonly #pending: readonly Set<Target>[];
  readonly #visited = new Set<Target>([0]);
  readonly isTrivialExit: readonly boolean[];
  #changed = true;

  constructor(analysis: WarpAnalysis, byLanes: ReadonlySet<number>) {
    const { blocks, loops } = analysis.flow;
    this.#analysis = analysis;
    this.#count = blocks.length;
    this.#order = targetOrder(analysis);
    this.#pending = Array.from({ length: blocks.length + loops.length }, () => new Set<Target>());
    this.isTrivialExit = blocks.map((b) => b.instructions.length === 1 && b.instructions[0]!.op === "ret");
    while (this.#changed) {
      this.#changed = false;
      for (let b = 0; b < blocks.length; b++) if (this.isVisited(b)) this.#leave(b);
      for (const loop of byLanes) {
        if (!this.isVisited(loops[loop]!.header)) continue;
        const set = this.after(loop);
        this.#goOn(this.firstOf(set), set);
      }
      for (let t = 0; t < this.#pending.length; t++) if (this.isVisited(t)) this.#pass(t);
    }
  }

  at(target: Target): ReadonlySet<Target> {
    return this.#pending[target]!;
  }

  isVisited(target: Target): boolean {
    return this.#visited.has(target);
  }

  /** Blocks at which lanes wait at some time. */
  everPending(): ReadonlySet<number> {
    const blocks = new Set<number>();
    for (const set of this.#pending) for (const t of set) blocks.add(this.blockOf(t));
    return blocks;
  }

  firstOf(targets: Iterable<Target>): Target | null {
    let best: Target | null = null;
    for (const t of targets) if (best === null || this.#order[t]! < this.#order[best]!) best = t;
    return best;
  }

  /** The target that an edge means: a back edge waits for the loop's next iteration. Null: nobody waits there. */
  targetOf(from: number, to: number): Target | null {
    if (this.isTrivialExit[to] || isDeadEnd(this.#analysis, from, to)) return null;
    const loop = this.#analysis.flow.loops.find((l) => l.header === to && l.latch === from);
    return loop ? this.#count + loop.id : to;
  }

  blockOf(target: Target): number {
    return target < this.#count ? target : this.#analysis.flow.loops[target - this.#count]!.header;
  }

  /** The sets of successors that lanes leave a block to together. */
  departures(block: number): (readonly number[])[] {
    const successors = this.#analysis.flow.successors[block]!;
    if (this.#analysis.divergentBranch[block]) return [successors];
    return successors.length === 0 ? [[]] : successors.map((s) => [s]);
  }

  /** Where lanes may be when those that came to a loop have left it. */
  after(loop: number): ReadonlySet<Target> {
    const { header, exits } = this.#analysis.flow.loops[loop]!;
    const set = new Set(this.#pending[header]!);
    set.delete(this.#count + loop);
    for (const { from, to } of exits) {
      const t = this.targetOf(from, to);
      if (t !== null) set.add(t);
    }
    return set;
  }

  #leave(block: number): void {
    for (const targets of this.departures(block)) {
      const set = new Set(this.#pending[block]!);
      for (const s of targets) {
        const t = this.targetOf(block, s);
        if (t !== null) set.add(t);
      }
      this.#goOn(this.firstOf(set), set);
    }
  }

  /** A next iteration begins at its header; and where nobody waits at a target, the warp goes on past it. */
  #pass(target: Target): void {
    if (target >= this.#count) {
      const header = this.blockOf(target);
      this.#visit(header);
      for (const p of this.#pending[target]!) this.#add(header, p);
    }
    this.#goOn(this.firstOf(this.#pending[target]!), this.#pending[target]!);
  }

  #goOn(target: Target | null, pending: ReadonlySet<Target>): void {
    if (target === null) return;
    this.#visit(target);
    for (const p of pending) if (p !== target) this.#add(target, p);
  }

  #visit(target: Target): void {
    if (this.#visited.has(target)) return;
    this.#visited.add(target);
    this.#changed = true;
  }

  #add(target: Target, waiting: Target): void {
    if (this.#pending[target]!.has(waiting)) return;
    this.#pending[target]!.add(waiting);
    this.#changed = true;
  }
}

/**
 * The edge is what remains of a switch that parts lanes, and Clang has proved that no thread takes it. Those that do
 * are reported at once: else they would count as waiting, behind the loop around the switch, while the others go on.
 */
export function isDeadEnd({ flow, divergentBranch }: WarpAnalysis, from: number, to: number): boolean {
  const last = flow.blocks[from]!.instructions.at(-1);
  const target = flow.blocks[to]!;
  if (!divergentBranch[from] || last?.op !== "switch" || last.defaultTarget !== target) return false;
  return target.instructions[0]!.op === "unreachable" && last.cases.every((c) => c.target !== target);
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
