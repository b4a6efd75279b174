/**
 * The order in which a thread reaches two places of a function, with nothing in between that orders threads: what the
 * program means to do first.
 */
import { callsOf } from "../../ir/graph/call-graph.ts";
import { successors } from "../../ir/graph/cfg.ts";
import type { IrFunction, IrInstruction } from "../../ir/model/ir.ts";
import { synchronizationOf } from "./synchronization.ts";

interface FlowBlock {
  readonly first: number;
  readonly last: number;
  readonly barriers: readonly Barrier[];
  readonly next: readonly number[];
}
interface Barrier {
  readonly order: number;
  readonly among: Among;
}
type Among = "warp" | "block" | "grid";

const WIDTH: Readonly<Record<Among, number>> = { warp: 0, block: 1, grid: 2 };

/** A call of one of the program's functions; null: through a pointer, of any of them. */
interface FlowCall {
  readonly order: number;
  readonly callee: IrFunction | null;
}

/** A place in a function. */
export interface FlowPlace {
  readonly flow: FunctionFlow;
  readonly order: number;
}

/** Instructions are numbered from 1, blocks in their order. */
export class FunctionFlow {
  readonly function: IrFunction;
  readonly calls: readonly FlowCall[];
  readonly flows: ModuleFlows;
  readonly #blocks: readonly FlowBlock[];

  constructor(fn: IrFunction, flows: ModuleFlows, own: ReadonlySet<IrFunction>) {
    let order = 0;
    const calls = new Map<IrInstruction, IrFunction | null>();
    for (const call of callsOf(fn)) {
      if (call.callee.kind !== "function" ? call.callee.kind !== "inline-asm" : own.has(call.callee))
        calls.set(call, call.callee.kind === "function" ? call.callee : null);
    }
    const placed: FlowCall[] = [];
    this.function = fn;
    this.flows = flows;
    this.calls = placed;
    const indices = new Map(fn.blocks.map((block, index) => [block, index]));
    this.#blocks = fn.blocks.map((block) => {
      const first = order + 1;
      const barriers: Barrier[] = [];
      for (const i of block.instructions) {
        order++;
        const callee = calls.get(i);
        if (callee !== undefined) placed.push({ order, callee });
        const kind = synchronizationOf(i);
        if (kind === "grid" || kind === "cluster") barriers.push({ order, among: "grid" });
        if (kind === "block" || kind === "part") barriers.push({ order, among: "block" });
        if (kind === "warp" || kind === "lanes") barriers.push({ order, among: "warp" });
      }
      return { first, last: order, barriers, next: successors(block).map((target) => indices.get(target) as number) };
    });
  }

  /**
   * Whether a thread can get from one instruction to another (the same: around a loop) with no barrier in between that
   * keeps the two apart. @param among lanes of a warp, warps of a block, blocks.
   */
  reaches(from: number, to: number, among: Among): boolean {
    const start = this.#blocks.findIndex(({ first, last }) => from >= first && from <= last);
    const seen = new Set<number>();
    const work: [block: number, after: number][] = [[start, from]];
    for (let at = work.pop(); at !== undefined; at = work.pop()) {
      const [index, after] = at;
      const block = this.#blocks[index] as FlowBlock;
      const barrier =
        block.barriers.find((barrier) => barrier.order > after && WIDTH[barrier.among] >= WIDTH[among])?.order ??
        Infinity;
      if (to > after && to <= block.last && to < barrier) return true;
      if (barrier !== Infinity) continue;
      for (const next of block.next) {
        if (seen.has(next)) continue;
        seen.add(next);
        work.push([next, (this.#blocks[next] as FlowBlock).first - 1]);
      }
    }
    return false;
  }
}

/** The flows of a module's functions, as they were before anything was added to them. */
export class ModuleFlows {
  readonly #own: ReadonlySet<IrFunction>;
  readonly #flows = new Map<IrFunction, FunctionFlow>();

  constructor(own: ReadonlySet<IrFunction>) {
    this.#own = own;
  }

  of(fn: IrFunction): FunctionFlow {
    let flow = this.#flows.get(fn);
    if (flow === undefined) this.#flows.set(fn, (flow = new FunctionFlow(fn, this, this.#own)));
    return flow;
  }

  /**
   * Two places of different functions as places of one function, which calls the one, the other or both. null: there is
   * none, or it comes to both by the same calls. @param kernel that both are reached from.
   */
  inOne(
    a: FlowPlace,
    b: FlowPlace,
    kernel: IrFunction,
  ): { readonly flow: FunctionFlow; readonly a: readonly number[]; readonly b: readonly number[] } | null {
    const common = [
      a.flow,
      b.flow,
      ...[...this.#flows.values()].filter(({ function: fn }) => !fn.isKernel),
      ...(this.#own.has(kernel) ? [this.of(kernel)] : []),
    ];
    for (const flow of common) {
      const [left, right] = [this.#placesIn(flow, a), this.#placesIn(flow, b)];
      if (left.length > 0 && right.length > 0 && left.join() !== right.join()) return { flow, a: left, b: right };
    }
    return null;
  }

  /** The place itself, or the calls by which `flow` gets there. */
  #placesIn(flow: FunctionFlow, { flow: own, order }: FlowPlace): number[] {
    if (flow === own) return [order];
    return flow.calls
      .filter(({ callee }) => (callee === null ? !own.function.isKernel : this.#reaches(callee, own.function)))
      .map((call) => call.order);
  }

  #reaches(from: IrFunction, to: IrFunction): boolean {
    const seen = new Set([from]);
    for (const fn of seen) {
      if (fn === to) return true;
      for (const { callee } of this.of(fn).calls) {
        if (callee === null) return true;
        seen.add(callee);
      }
    }
    return false;
  }
}
