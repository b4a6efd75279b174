/** Synccheck's code in a function: stamps at barriers, votes at operations of lanes, a count at grid barriers. */
import { CHECK_NAMES } from "../check-names.ts";
import type { FunctionContext, FunctionVisitor } from "../../instrument/instrumenter.ts";
import { constI32, newInstruction } from "../../ir/model/build.ts";
import type { AtomicRmwInstruction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { I32 } from "../../ir/model/types.ts";
import { toolAddress } from "../../instrument/instrumentation-runtime.ts";
import type { Uniformity } from "../../analysis/divergence/block-uniformity.ts";
import { beginStamps, lookAround, stamp, type BarrierPlan } from "./barriers.ts";
import { LaneChecks } from "./lanes.ts";
import { blockBarrierOf, isGridSync, type BarrierForm, type SyncDetail, type SyncSite } from "./sites.ts";

/**
 * Words about the launch: threads of the grid, whether it is cooperative, arrivals at grid barriers, whether one was
 * reported.
 */
export const GRID_VARIABLE = "grid_barrier";
export const GRID_WORDS = { threads: 0, cooperative: 1, arrivals: 2, reported: 3 } as const;
export const GRID_BYTES = 64;

/** What the checks of a module share. */
export interface ModuleSync {
  readonly uniformity: Uniformity;
  readonly barriers: BarrierPlan;
  /** Sites of barriers by index. */
  readonly barrierSites: Map<number, SyncSite>;
}

export class SyncVisitor implements FunctionVisitor {
  readonly #context: FunctionContext;
  readonly #module: ModuleSync;
  #hasBegun = false;

  constructor(context: FunctionContext, module: ModuleSync) {
    this.#context = context;
    this.#module = module;
  }

  visit(i: IrInstruction): void {
    const { function: fn, edits } = this.#context;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      if (fn.isKernel && this.#module.barriers.isStamped(fn)) beginStamps(edits.atEntry());
    }
    if (isGridSync(i)) this.#gridSync(i);
    else if (this.#module.barriers.isStamped(fn) && this.#module.barriers.isWhole(i))
      this.#barrier(i, blockBarrierOf(i) as BarrierForm);
  }

  end(): void {
    new LaneChecks(this.#context, this.#module.uniformity, (at, detail) => this.#site(at, detail)).add();
  }

  #site(at: IrInstruction, detail: SyncDetail): SyncSite {
    return this.#context.site(at, detail);
  }

  #barrier(i: IrInstruction, { operation }: BarrierForm): void {
    const { edits } = this.#context;
    const site = this.#site(i, { sync: "barrier", operation, siblings: this.#module.barrierSites });
    this.#module.barrierSites.set(site.index, site);
    stamp(edits.before(i), site.index);
    if (this.#module.barriers.isCompared(i)) lookAround(edits.after(i), this.#context, site);
  }

  /** All threads of the grid come; a thread that goes on finds that as many have come. The launch is cooperative. */
  #gridSync(i: IrInstruction): void {
    const { module, edits } = this.#context;
    const word = (index: number): IrValue => toolAddress(CHECK_NAMES.variable(module, GRID_VARIABLE), 4 * index);
    const before = edits.before(i);
    const add = (pointer: IrValue): IrValue =>
      before.append(
        newInstruction<AtomicRmwInstruction>(before, {
          op: "atomicrmw",
          type: I32,
          name: before.name(),
          operator: "add",
          pointer,
          value: constI32(1),
          volatile: false,
          ordering: "monotonic",
          scope: null,
        }),
      );
    const threads = before.load(I32, word(GRID_WORDS.threads), 4);
    this.#context.checkAt(
      i,
      this.#site(i, { sync: "not-cooperative", operation: "grid.sync()" }),
      before.icmp("eq", before.load(I32, word(GRID_WORDS.cooperative), 4), 0),
      [],
      i,
    );
    const round = before.binary("udiv", add(word(GRID_WORDS.arrivals)), threads);
    const after = edits.after(i);
    const arrived = after.sub(after.load(I32, word(GRID_WORDS.arrivals), 4), after.mul(round, threads));
    const next = i.block.instructions[i.block.instructions.indexOf(i) + 1] as IrInstruction;
    const isFirst = after.icmp("eq", after.load(I32, word(GRID_WORDS.reported), 4), 0);
    const bad = after.and(isFirst, after.icmp("ult", arrived, threads));
    // One thread of the launch reports: what comes after is a consequence.
    after.store(
      after.select(bad, constI32(1), after.load(I32, word(GRID_WORDS.reported), 4)),
      word(GRID_WORDS.reported),
      4,
    );
    this.#context.checkAt(next, this.#site(i, { sync: "grid", operation: "grid.sync()" }), bad, [arrived, threads]);
  }
}
