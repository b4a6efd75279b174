/**
 * The variables with lane masks: the lanes that run a block, and the lanes that wait for it. analysis/block-order.ts
 * decides which blocks share one.
 */
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import type { Schedule } from "../planning/block-order.ts";
import { LANES } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { Values } from "../lane-operations/value-location.ts";

export class MaskLocals {
  readonly #code: FunctionBuilder;
  readonly #schedule: Schedule;
  readonly #threads: number;
  readonly #masks = new Map<number, Local>();
  readonly #pendingMasks = new Map<number, Local>();
  readonly #consumed: ReadonlySet<number>;

  constructor(code: FunctionBuilder, analysis: WarpAnalysis, schedule: Schedule) {
    this.#code = code;
    this.#schedule = schedule;
    this.#threads = analysis.geometry.threads;
    this.#consumed = blocksWithPendingMask(analysis, schedule);
  }

  /** Sets the mask of the lanes that the warp (its number in local `warp`) has. */
  emitEntry(warp: Local): void {
    const code = this.#code;
    const threads = this.#threads;
    const mask = this.of(0);
    if (threads % LANES === 0) {
      code.i32Const(-1).localSet(mask);
      return;
    }
    // lanes below threads − 32·warp
    const left = code.local("i32");
    code.i32Const(threads).localGet(warp).i32Const(5).i32Shl().i32Sub().localSet(left);
    code.i32Const(-1).i32Const(1).localGet(left).i32Shl().i32Const(1).i32Sub();
    code.localGet(left).i32Const(LANES).i32GeS().select().localSet(mask);
    code.free(left);
  }

  /** The lanes that run the block. */
  of(block: number): Local {
    const owner = this.#schedule.masks.owner[block]!;
    let local = this.#masks.get(owner);
    if (local === undefined) this.#masks.set(owner, (local = this.#code.freshLocal("i32")));
    return local;
  }

  /** The lanes that wait for the block: its mask, or a variable of its own that running the block empties. */
  pending(block: number): Local {
    if (!this.isConsumed(block)) return this.of(block);
    let local = this.#pendingMasks.get(block);
    if (local === undefined) this.#pendingMasks.set(block, (local = this.#code.freshLocal("i32")));
    return local;
  }

  /** Clears all pending masks for the next warp. */
  emitClearPending(): void {
    for (const local of this.#pendingMasks.values()) this.#code.i32Const(0).localSet(local);
  }

  isConsumed(block: number): boolean {
    return this.#consumed.has(block);
  }

  /** All 32 lanes run the block, always. */
  isFull(block: number): boolean {
    return this.#schedule.masks.owner[block] === 0 && this.#threads % LANES === 0;
  }
}

/** The mask of four lanes as a v128 of 0 and −1. */
export function pushMaskVector(values: Values, mask: Local, slice: number): void {
  const bit = (l: number): number => 1 << (4 * slice + l);
  const { code } = values;
  code.localGet(mask).i32x4Splat();
  values.pushIntegers(bit(0), bit(1), bit(2), bit(3));
  code.v128And();
  values.pushIntegers(bit(0), bit(1), bit(2), bit(3));
  code.i32x4Eq();
}

/**
 * Blocks that collect arriving lanes until they run: guarded ones, and those at which lanes arrive at different times.
 */
function blocksWithPendingMask(analysis: WarpAnalysis, schedule: Schedule): Set<number> {
  const { flow } = analysis;
  const found = new Set<number>();
  for (const node of schedule.nodes) {
    if (node.kind === "guard")
      found.add(node.target < flow.blocks.length ? node.target : flow.loops[node.target - flow.blocks.length]!.header);
    if (node.kind === "block")
      for (const o of node.outcomes) for (const e of o.edges) if (e.setsMask && e.blend) found.add(e.to);
  }
  for (const b of found) if (schedule.masks.owner[b] !== b) found.delete(b);
  return found;
}
