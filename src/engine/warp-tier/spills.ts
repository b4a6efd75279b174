/** What a warp that waits at a barrier keeps in its context, and how it gets it back.  */
import { unsupported } from "../../base/diagnostics.ts";
import type { CallInstruction, IrInstruction } from "../../ir/ir.ts";
import type { FunctionBuilder, Local } from "../../wasm/function-builder.ts";
import type { WarpAnalysis } from "./analyze.ts";
import { barrierOf } from "./eligibility.ts";
import { elementOf, partsOf } from "./element.ts";
import { liveAtStart } from "./liveness.ts";
import type { MaskLocals } from "./mask-locals.ts";
import type { ModuleContext } from "./module-context.ts";
import type { Schedule } from "./schedule.ts";
import { SLICES } from "./shapes.ts";
import type { Home, Values } from "./values.ts";

interface SpillPlan {
  bytes: number;
  /** By resume index. */
  readonly values: Map<number, { readonly instruction: IrInstruction; readonly offset: number }[]>;
  readonly masks: { readonly block: number; readonly offset: number }[];
  readonly results: Map<number, CallInstruction>;
}

export class Spills {
  private readonly f: FunctionBuilder;
  private readonly m: ModuleContext;
  private readonly values: Values;
  private readonly masks: MaskLocals;
  private readonly plan: SpillPlan;
  private readonly context: Local;

  /** `context`: holds the context's address. */
  constructor(m: ModuleContext, f: FunctionBuilder, values: Values, analysis: WarpAnalysis, schedule: Schedule, masks: MaskLocals, context: Local) {
    this.m = m;
    this.f = f;
    this.context = context;
    this.values = values;
    this.masks = masks;
    this.plan = planSpills(analysis, schedule);
  }

  /** Bytes of a warp's context: word 0 is its resume index, spilled values follow. */
  get bytes(): number {
    return (this.plan.bytes + 15) & ~15;
  }

  emitSpill(index: number): void {
    const { f, plan } = this;
    for (const { block, offset } of plan.masks) {
      f.localGet(this.context).localGet(this.masks.of(block)).i32Store(offset);
      if (this.masks.isConsumed(block)) f.localGet(this.context).localGet(this.masks.pending(block)).i32Store(offset + 4);
    }
    for (const { instruction, offset } of plan.values.get(index)!) {
      const home = this.values.homeOf(instruction);
      if (home.kind === "vector") home.locals.forEach((l, n) => f.localGet(this.context).localGet(l).v128Store(offset + 16 * n));
      else for (const [n, local] of scalarLocals(home).entries()) {
        f.localGet(this.context).localGet(local);
        f.memoryOp(`${f.localType(local)}Store` as "i32Store", offset + 8 * n);
      }
    }
  }

  emitReload(index: number): void {
    const { f, plan } = this;
    for (const { block, offset } of plan.masks) {
      f.localGet(this.context).i32Load(offset).localSet(this.masks.of(block));
      if (this.masks.isConsumed(block)) f.localGet(this.context).i32Load(offset + 4).localSet(this.masks.pending(block));
    }
    for (const { instruction, offset } of plan.values.get(index)!) {
      const home = this.values.homeOf(instruction);
      if (home.kind === "vector") home.locals.forEach((l, n) => f.localGet(this.context).v128Load(offset + 16 * n).localSet(l));
      else for (const [n, local] of scalarLocals(home).entries()) f.localGet(this.context).memoryOp(`${f.localType(local)}Load` as "i32Load", offset + 8 * n).localSet(local);
    }
    const result = plan.results.get(index);
    const barrier = result && barrierOf(result);
    if (result && barrier && barrier.reduction !== "none") {
      this.m.pushBarrierResult(f, barrier.reduction);
      this.values.setScalar(result);
    }
  }
}

function scalarLocals(home: Exclude<Home, { kind: "vector" }>): readonly Local[] {
  return home.kind === "groups" ? home.locals : [home.local];
}

function planSpills(analysis: WarpAnalysis, schedule: Schedule): SpillPlan {
  const live = liveAtStart(analysis.flow);
  const plan: SpillPlan = { bytes: 16, values: new Map(), masks: [], results: new Map() };
  const place = new Map<IrInstruction, number>();
  if (schedule.resumes.length === 0) return plan;
  const owners = new Set(schedule.masks.owner);
  for (const owner of owners) if (owner !== 0) { plan.masks.push({ block: owner, offset: plan.bytes }); plan.bytes += 8; }
  plan.bytes = (plan.bytes + 15) & ~15;
  for (const r of schedule.resumes) {
    const block = analysis.flow.blocks[r.block]!;
    const barrier = block.instructions[block.instructions.length - 2];
    const needed = new Set(live[r.continuation]);
    for (const i of analysis.flow.blocks[r.continuation]!.instructions) if (i.op === "phi") needed.add(i);
    if (barrier?.op === "call") {
      needed.delete(barrier);
      plan.results.set(r.index, barrier);
    }
    const list: { instruction: IrInstruction; offset: number }[] = [];
    for (const i of needed) {
      if (i.type.kind === "struct") throw unsupported("a compound value that lives across a barrier in the warp tier", i.location ?? undefined);
      let offset = place.get(i);
      if (offset === undefined) {
        offset = plan.bytes;
        place.set(i, offset);
        const shape = analysis.shapeOf(i);
        plan.bytes += shape.kind === "varying" ? 16 * SLICES * partsOf(elementOf(i.type)) : shape.kind === "groups" ? 8 * shape.groups : 16;
      }
      list.push({ instruction: i, offset });
    }
    plan.values.set(r.index, list);
  }
  return plan;
}
