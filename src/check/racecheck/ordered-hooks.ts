/**
 * Calls of libdevice/race-order.cu in a function with happens-before tracking (ordered-kernels.ts): where threads are
 * ordered, and where two accesses look like a race.
 */
import { CHECK_NAMES } from "../check-names.ts";
import { TILES } from "../../machine/observer.ts";
import { constI32 } from "../../ir/model/build.ts";
import type { Emitter } from "../../ir/model/emitter.ts";
import type {
  CallInstruction,
  IrFunction,
  IrGlobal,
  IrInstruction,
  IrModule,
  IrType,
  IrValue,
} from "../../ir/model/ir.ts";
import { I32, VOID, ptrType } from "../../ir/model/types.ts";
import type { IrEdits } from "../../instrument/ir-edits.ts";
import { blockBarrierOf } from "../synccheck/sites.ts";
import { isAtomic, isPrivate, raceAccessesOf } from "./race-accesses.ts";
import { BLOCK_STATE_BYTES, BLOCK_STATE_VARIABLE } from "./race-state.ts";
import { isFence, isRelaxedArrival, synchronizationOf } from "./synchronization.ts";

const PREFIX = `${CHECK_NAMES.prefix}ordered_`;
const NAMES = [
  "enter",
  "barrier",
  "grid",
  "cluster_arrive",
  "cluster_wait",
  "warp",
  "fence",
  "atomic",
  "arrive",
  "leave",
  "mbarrier_init",
  "mbarrier_arrive",
  "mbarrier_test",
  "mbarrier_complete",
  "races",
] as const;
type HookName = (typeof NAMES)[number];

export const ORDERED_HOOKS: readonly string[] = NAMES.map((name) => PREFIX + name);

const FENCE = { acquires: 1, releases: 2 } as const;
const ATOMIC = { reads: 1, writes: 2, acquires: 4, releases: 8, noFence: 32 } as const;
const BLOCK_SCOPE = 16;
/** What a thread waits at: lanes of its warp, a numbered barrier. */
const LANES = 0;
const NAMED = 1;

const GENERIC = ptrType(0);

/** The state of the block, in its shared memory. */
function blockState(module: IrModule): IrGlobal {
  return CHECK_NAMES.shared(module, BLOCK_STATE_VARIABLE, BLOCK_STATE_BYTES);
}

export class OrderedHooks {
  readonly #edits: IrEdits;
  readonly #function: IrFunction;

  constructor(edits: IrEdits) {
    this.#edits = edits;
    this.#function = edits.function;
    if (!this.#function.isKernel) return;
    this.#call(edits.behindAllocas(), "enter");
  }

  /** A word of the block's state. */
  word(e: Emitter, index: number): IrValue {
    return e.load(I32, e.offset(blockState(e.module), 4 * index), 4);
  }

  /** A word of the state of a thread; `thread`: its number. */
  threadWord(e: Emitter, thread: IrValue, first: number, words: number, index: number): IrValue {
    return e.load(
      I32,
      e.offset(e.offset(blockState(e.module), e.mul(thread, constI32(4 * words))), 4 * (first + index)),
      4,
    );
  }

  /** Which of two entries (0: none) the thread is not ordered behind: ORDER_ANSWER. */
  races(e: Emitter, write: IrValue, read: IrValue): IrValue {
    return this.#call(e, "races", [write, read], I32);
  }

  visit(i: IrInstruction): void {
    const kind = synchronizationOf(i);
    if (kind === "block" || kind === "grid" || kind === "warp")
      return void this.#call(this.#edits.after(i), kind === "block" ? "barrier" : kind);
    if (kind === "cluster") return void this.#call(this.#edits.after(i), "cluster_wait");
    if (kind === "cluster-arrival")
      return void this.#call(this.#edits.before(i), "cluster_arrive", [constI32(isRelaxedArrival(i) ? 1 : 0)]);
    if (kind === "lanes")
      return this.#arriveAndLeave(i, LANES, (i as CallInstruction).args[0] as IrValue, constI32(0), false);
    if (kind === "part") {
      if (i.op === "fence" || isFence(i)) return this.#fence(i);
      if (i.op === "call") return this.#partial(i);
    }
    this.#atomic(i);
  }

  #partial(i: CallInstruction): void {
    const name = i.callee.kind === "function" ? i.callee.name : "";
    const mbarrier = /^__heddle_mbarrier_(init|arrive|test|complete)/.exec(name)?.[1];
    if (mbarrier === "complete") {
      const e = this.#edits.before(i);
      return void this.#call(e, "mbarrier_complete", [this.#generic(e, i.args[0] as IrValue)]);
    }
    if (mbarrier !== undefined) return this.#mbarrier(i, mbarrier as "init" | "arrive" | "test");
    const barrier = blockBarrierOf(i);
    if (barrier !== null)
      this.#arriveAndLeave(i, NAMED, barrier.id ?? constI32(0), barrier.count ?? constI32(0), barrier.arrives);
  }

  #arriveAndLeave(i: IrInstruction, kind: number, name: IrValue, count: IrValue, arrivesOnly: boolean): void {
    this.#call(this.#edits.before(i), "arrive", [constI32(kind), name, count]);
    if (!arrivesOnly) this.#call(this.#edits.after(i), "leave", [constI32(kind), name]);
  }

  #mbarrier(i: CallInstruction, operation: "init" | "arrive" | "test"): void {
    const e = this.#edits.after(i);
    const barrier = this.#generic(e, i.args[0] as IrValue);
    const highBit = (value: IrValue): IrValue => e.zextOrTrunc(e.lshr(value, 63), I32);
    if (operation === "init") this.#call(e, "mbarrier_init", [barrier]);
    else if (operation === "arrive") this.#call(e, "mbarrier_arrive", [barrier, highBit(i)]);
    else {
      const phase = i.args[1] as IrValue;
      this.#call(e, "mbarrier_test", [
        barrier,
        phase.type.kind === "int" && phase.type.bits === 64 ? highBit(phase) : e.and(phase, constI32(1)),
        i,
      ]);
    }
  }

  #fence(i: IrInstruction): void {
    const ordering = i.op === "fence" ? i.ordering : "seq_cst";
    const flags = (ordering === "release" ? 0 : FENCE.acquires) | (ordering === "acquire" ? 0 : FENCE.releases);
    const narrow =
      i.op === "fence"
        ? i.scope === "block"
        : i.op === "call" && i.callee.kind === "function" && i.callee.name.endsWith(".cta");
    this.#call(this.#edits.after(i), "fence", [constI32(flags | (narrow ? BLOCK_SCOPE : 0))]);
  }

  #atomic(i: IrInstruction): void {
    if ((i.op !== "load" && i.op !== "store" && i.op !== "atomicrmw" && i.op !== "cmpxchg") || isPrivate(i.pointer))
      return;
    const [access] = raceAccessesOf(i);
    if (access === undefined || !isAtomic(access.kind)) return;
    const acquires = i.op !== "store" && orders(i.ordering, "acquire") ? ATOMIC.acquires : 0;
    const releases = i.op !== "load" && orders(i.ordering, "release") ? ATOMIC.releases : 0;
    // The barriers of a program on tiles are not the user's: what a relaxed operation reads, they do not acquire.
    const isOfTiles = this.#function.attributes.has(TILES) && i.op !== "load" && i.op !== "store";
    const scope = (access.scope === "block" ? BLOCK_SCOPE : 0) | (isOfTiles ? ATOMIC.noFence : 0);
    const e = this.#edits.after(i);
    const pointer = this.#generic(e, i.pointer);
    if (i.op !== "cmpxchg") {
      const does = (i.op === "store" ? 0 : ATOMIC.reads) | (i.op === "load" ? 0 : ATOMIC.writes);
      this.#call(e, "atomic", [pointer, constI32(does | acquires | releases | scope)]);
      return;
    }
    const failed = ATOMIC.reads | scope | (orders(i.failureOrdering, "acquire") ? ATOMIC.acquires : 0);
    const succeeded = ATOMIC.reads | ATOMIC.writes | acquires | releases | scope;
    const exchanged = e.extractValue(i, [1], { kind: "int", bits: 1 });
    this.#call(e, "atomic", [pointer, e.select(exchanged, constI32(succeeded), constI32(failed))]);
  }

  #generic(e: Emitter, pointer: IrValue): IrValue {
    return pointer.type.kind === "ptr" && pointer.type.addressSpace !== 0
      ? e.cast("addrspacecast", pointer, GENERIC)
      : pointer;
  }

  #call(e: Emitter, name: HookName, args: readonly IrValue[] = [], result: IrType = VOID): IrValue {
    return e.intrinsic(PREFIX + name, result, [this.#generic(e, blockState(e.module)), ...args]);
  }
}

/** Whether an operation of that ordering acquires, or releases. */
export function orders(ordering: string | null, what: "acquire" | "release"): boolean {
  return ordering === what || ordering === "acq_rel" || ordering === "seq_cst";
}
