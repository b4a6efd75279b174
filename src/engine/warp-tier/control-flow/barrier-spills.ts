/**
 * Barriers between warps: a warp that must wait stores its live values and masks into its context, and reloads them
 * when it resumes.
 */
import { bug, unsupported } from "../../../base/diagnostics.ts";
import type { CallInstruction, IrInstruction } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import { barrierOf } from "../planning/suspensions.ts";
import { pushBarrierResult } from "./barrier-reductions.ts";
import { elementOf, partsOf } from "../lane-operations/element.ts";
import { liveAtStart } from "../../../analysis/values/liveness.ts";
import type { MaskLocals } from "./mask-locals.ts";
import type { ModuleContext } from "./module-context.ts";
import type { Schedule } from "../planning/block-order.ts";
import type { MemoryValues } from "../planning/memory-values.ts";
import { blocksBehindBarriers, reachableFrom } from "../planning/spilled-values.ts";
import { SLICES, type LaneShape } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { ValueLocation, Values } from "../lane-operations/value-location.ts";

interface SpilledValue {
  readonly instruction: IrInstruction;
  readonly offset: number;
  /** An earlier barrier has put it there. */
  readonly isThere: boolean;
  /** Nothing behind the barrier needs its locals. */
  readonly staysThere: boolean;
}

interface SpillPlan {
  bytes: number;
  /** By resume index. */
  readonly values: Map<number, SpilledValue[]>;
  /** By block: vectors that are read from the context, and their places. */
  readonly reads: Map<number, Map<IrInstruction, number>>;
  readonly masks: Map<number, { readonly block: number; readonly offset: number; readonly isPendingKept: boolean }[]>;
  readonly results: Map<number, CallInstruction>;
}

export class Spills {
  readonly #code: FunctionBuilder;
  readonly #kernelModule: ModuleContext;
  readonly #values: Values;
  readonly #masks: MaskLocals;
  readonly #plan: SpillPlan;
  readonly #context: Local;

  /** `context`: holds the context's address. */
  constructor(
    kernelModule: ModuleContext,
    code: FunctionBuilder,
    values: Values,
    analysis: WarpAnalysis,
    schedule: Schedule,
    masks: MaskLocals,
    context: Local,
    memory: MemoryValues,
  ) {
    this.#kernelModule = kernelModule;
    this.#code = code;
    this.#context = context;
    this.#values = values;
    this.#masks = masks;
    this.#plan = planSpills(analysis, schedule, memory);
  }

  /** Bytes of a warp's context: its resume index, values that are always in memory, spilled ones. */
  get bytes(): number {
    return (this.#plan.bytes + 15) & ~15;
  }

  /** Says where the values of a block are read. */
  beginBlock(b: number): void {
    this.#values.inContext = this.#plan.reads.get(b) ?? new Map();
  }

  emitSpill(index: number): void {
    const code = this.#code;
    const plan = this.#plan;
    for (const { block, offset, isPendingKept } of plan.masks.get(index)!) {
      code.localGet(this.#context).localGet(this.#masks.of(block)).i32Store(offset);
      if (isPendingKept && this.#masks.isConsumed(block))
        code
          .localGet(this.#context)
          .localGet(this.#masks.pending(block))
          .i32Store(offset + 4);
    }
    for (const { instruction, offset, isThere } of plan.values.get(index)!) {
      if (isThere) continue;
      const location = this.#values.locationOf(instruction);
      if (location.kind === "vector")
        location.locals.forEach((l, n) =>
          code
            .localGet(this.#context)
            .localGet(l)
            .v128Store(offset + 16 * n),
        );
      else
        for (const [n, local] of scalarLocals(location).entries()) {
          code.localGet(this.#context).localGet(local);
          code.memoryOp(`${code.localType(local)}Store` as "i32Store", offset + 8 * n);
        }
    }
  }

  emitReload(index: number): void {
    const code = this.#code;
    const plan = this.#plan;
    for (const { block, offset, isPendingKept } of plan.masks.get(index)!) {
      code.localGet(this.#context).i32Load(offset).localSet(this.#masks.of(block));
      if (isPendingKept && this.#masks.isConsumed(block))
        code
          .localGet(this.#context)
          .i32Load(offset + 4)
          .localSet(this.#masks.pending(block));
    }
    for (const { instruction, offset, staysThere } of plan.values.get(index)!) {
      if (staysThere) continue;
      const location = this.#values.locationOf(instruction);
      if (location.kind === "vector")
        location.locals.forEach((l, n) =>
          code
            .localGet(this.#context)
            .v128Load(offset + 16 * n)
            .localSet(l),
        );
      else
        for (const [n, local] of scalarLocals(location).entries())
          code
            .localGet(this.#context)
            .memoryOp(`${code.localType(local)}Load` as "i32Load", offset + 8 * n)
            .localSet(local);
    }
    const result = plan.results.get(index);
    const barrier = result && barrierOf(result);
    if (result && barrier && barrier.reduction !== "none") {
      pushBarrierResult(code, this.#kernelModule.globals, barrier.reduction);
      this.#values.setScalar(result);
    }
  }
}

function scalarLocals(location: Exclude<ValueLocation, { kind: "vector" }>): readonly Local[] {
  if (location.kind === "memory") bug("a spill of what is in memory");
  return location.kind === "rowUniform" ? location.locals : [location.local];
}

/** By block: the masks that are needed at its start and after it, until they are set anew. */
function neededMasks(analysis: WarpAnalysis, schedule: Schedule): readonly ReadonlySet<number>[] {
  const { flow } = analysis;
  const { owner } = schedule.masks;
  const needed = flow.blocks.map((_, b) => new Set([owner[b]!]));
  for (let changed = true; changed;) {
    changed = false;
    for (let b = flow.blocks.length - 1; b >= 0; b--) {
      for (const s of flow.successors[b]!) {
        for (const mask of needed[s]!) {
          // The edge into a block that has a mask of its own sets it.
          if (mask === s || needed[b]!.has(mask)) continue;
          needed[b]!.add(mask);
          changed = true;
        }
      }
    }
  }
  return needed;
}

function bytesOfShape(shape: LaneShape, i: IrInstruction): number {
  if (shape.kind === "varying") return 16 * SLICES * partsOf(elementOf(i.type));
  return shape.kind === "rowUniform" ? 8 * shape.rows : 16;
}

function planSpills(analysis: WarpAnalysis, schedule: Schedule, memory: MemoryValues): SpillPlan {
  const live = liveAtStart(analysis.flow);
  const plan: SpillPlan = {
    bytes: memory.end,
    values: new Map(),
    masks: new Map(),
    results: new Map(),
    reads: new Map(),
  };
  const place = new Map<IrInstruction, number>();
  if (schedule.resumes.length === 0) return plan;
  const owners = [...new Set(schedule.masks.owner)].filter((owner) => owner !== 0);
  const maskPlace = new Map(owners.map((owner, n) => [owner, plan.bytes + 8 * n]));
  plan.bytes = (plan.bytes + 8 * owners.length + 15) & ~15;
  const needed = neededMasks(analysis, schedule);
  const reads = new ContextReads(analysis, schedule, plan.reads);
  for (const r of schedule.resumes) {
    // Where lanes may wait elsewhere meanwhile, every mask may be needed.
    const areSomeElsewhere = schedule.pendingAt(r.block).size > 0;
    const kept = areSomeElsewhere ? owners : owners.filter((owner) => needed[r.continuation]!.has(owner));
    plan.masks.set(
      r.index,
      kept.map((block) => ({ block, offset: maskPlace.get(block)!, isPendingKept: areSomeElsewhere })),
    );
    const block = analysis.flow.blocks[r.block]!;
    const barrier = block.instructions[block.instructions.length - 2];
    const values = new Set(live[r.continuation]);
    for (const i of analysis.flow.blocks[r.continuation]!.instructions) if (i.op === "phi") values.add(i);
    // What lanes that wait elsewhere have, and will go on with.
    for (const t of schedule.pendingAt(r.block)) {
      const b = t < live.length ? t : analysis.flow.loops[t - live.length]!.header;
      for (const i of live[b]!) values.add(i);
      for (const i of analysis.flow.blocks[b]!.instructions) if (i.op === "phi") values.add(i);
    }
    if (barrier?.op === "call") {
      values.delete(barrier);
      plan.results.set(r.index, barrier);
    }
    const list: SpilledValue[] = [];
    for (const i of values) {
      if (memory.offsets.has(i)) continue;
      if (i.type.kind === "struct")
        throw unsupported("a compound value that lives across a barrier in the warp tier", i.location ?? undefined);
      let offset = place.get(i);
      if (offset === undefined) {
        offset = plan.bytes;
        place.set(i, offset);
        const shape = analysis.shapeOf(i);
        plan.bytes += bytesOfShape(shape, i);
      }
      list.push({ instruction: i, offset, ...reads.of(i, offset, r) });
    }
    plan.values.set(r.index, list);
  }
  return plan;
}

/** Which vectors blocks read from the context. */
class ContextReads {
  readonly #analysis: WarpAnalysis;
  readonly #schedule: Schedule;
  readonly #reads: SpillPlan["reads"];
  readonly #suspends: ReadonlySet<number>;
  readonly #blocks = new Map<IrInstruction, ReturnType<typeof blocksBehindBarriers>>();

  constructor(analysis: WarpAnalysis, schedule: Schedule, reads: SpillPlan["reads"]) {
    this.#analysis = analysis;
    this.#schedule = schedule;
    this.#reads = reads;
    this.#suspends = new Set(schedule.resumes.map(({ block }) => block));
  }

  of(
    i: IrInstruction,
    offset: number,
    { block, continuation }: Schedule["resumes"][number],
  ): Pick<SpilledValue, "isThere" | "staysThere"> {
    const { flow } = this.#analysis;
    // Of some lanes, a value may be set again while others wait.
    const isOfAll = this.#schedule.masks.owner[flow.indexOf.get(i.block)!] === 0;
    if (!isOfAll || this.#analysis.shapeOf(i).kind !== "varying") return { isThere: false, staysThere: false };
    let blocks = this.#blocks.get(i);
    if (blocks === undefined) {
      this.#blocks.set(i, (blocks = blocksBehindBarriers(flow, i, this.#suspends)));
      for (const b of blocks.behind) {
        let places = this.#reads.get(b);
        if (places === undefined) this.#reads.set(b, (places = new Map()));
        places.set(i, offset);
      }
    }
    const { behind, before } = blocks;
    const staysThere = ![...reachableFrom(flow, continuation)].some((b) => before.has(b));
    return { isThere: behind.has(block), staysThere };
  }
}
