/**
 * What the code knows of the present moment when it looks at an entry (race-state.ts): where in time the block, the
 * warp and the thread are. Loaded once in a block of the code, and again after each synchronisation.
 */
import type { FunctionContext } from "../../instrument/instrumenter.ts";
import { threadPlace, toolAddress } from "../../instrument/instrumentation-runtime.ts";
import type { Emitter } from "../../ir/model/emitter.ts";
import type { IrBlock, IrValue } from "../../ir/model/ir.ts";
import { I32 } from "../../ir/model/types.ts";
import { CHECK_NAMES } from "../check-names.ts";
import type { OrderedHooks } from "./ordered-hooks.ts";
import type { ModuleTraits } from "./race-module.ts";
import { BLOCK_STATE, ENTRY, STATE, STATE_VARIABLE } from "./race-state.ts";

export interface EpochState {
  /** First entry of this round: since the block's last barrier. */
  readonly round: IrValue;
  /** First entry of this block of threads; with happens-before tracking, the block's number. */
  readonly block: IrValue;
  /** First entry of this launch. */
  readonly launch: IrValue;
  /** First entry of this block's cluster; null: there is no happens-before tracking. */
  readonly cluster: IrValue | null;
  /** First entry after the warp's last __syncwarp, or of the round. */
  readonly warpRound: IrValue;
  /** The entry that this thread makes now, without flags. */
  readonly own: IrValue;
}

/** Loads the epoch state in one function. */
export class EpochLoader {
  readonly #context: FunctionContext;
  readonly #traits: ModuleTraits;
  /** null: the function has no happens-before tracking. */
  readonly #hooks: OrderedHooks | null;
  #thread: IrValue | null = null;
  #loaded: { readonly block: IrBlock; readonly epoch: EpochState } | null = null;

  constructor(context: FunctionContext, traits: ModuleTraits, hooks: OrderedHooks | null) {
    this.#context = context;
    this.#traits = traits;
    this.#hooks = hooks;
  }

  /** Threads have synchronised: what was loaded is out of date. */
  forget(): void {
    this.#loaded = null;
  }

  /** The state at a point of `block`, where `e` adds code. */
  at(block: IrBlock, e: Emitter): EpochState {
    if (this.#loaded?.block === block) return this.#loaded.epoch;
    const state = CHECK_NAMES.variable(this.#context.module, STATE_VARIABLE);
    const word = (index: number): IrValue => e.load(I32, toolAddress(state, 4 * index), 4);
    const thread = (this.#thread ??= threadPlace(this.#context.edits.atEntry()));
    const epoch =
      this.#hooks === null
        ? this.#ofDevice(e, thread, word)
        : this.#ofBlock(this.#hooks, e, thread, word(STATE.launch));
    this.#loaded = { block, epoch };
    return epoch;
  }

  /** Blocks run one after the other, and share one state. */
  #ofDevice(e: Emitter, thread: IrValue, word: (index: number) => IrValue): EpochState {
    const round = word(STATE.round);
    let warpRound = round;
    if (this.#traits.warpSyncs) {
      const state = CHECK_NAMES.variable(this.#context.module, STATE_VARIABLE);
      const synced = e.load(I32, e.offset(toolAddress(state, 4 * STATE.warpRound), e.shl(e.lshr(thread, 5), 2)), 4);
      warpRound = later(e, synced, round);
    }
    return {
      round,
      block: word(STATE.block),
      launch: word(STATE.launch),
      cluster: null,
      warpRound,
      own: e.or(warpRound, e.shl(thread, ENTRY.threadShift)),
    };
  }

  /** With happens-before tracking blocks may take turns, and each has its own state. */
  #ofBlock(hooks: OrderedHooks, e: Emitter, thread: IrValue, launch: IrValue): EpochState {
    const round = hooks.word(e, BLOCK_STATE.round);
    const warpRound = this.#traits.warpSyncs
      ? later(e, hooks.threadWord(e, e.lshr(thread, 5), BLOCK_STATE.warpRound, 1, 0), round)
      : round;
    const interval = later(
      e,
      hooks.threadWord(e, thread, BLOCK_STATE.threads, BLOCK_STATE.threadWords, BLOCK_STATE.threadInterval),
      warpRound,
    );
    return {
      round,
      block: hooks.word(e, BLOCK_STATE.index),
      launch,
      cluster: hooks.word(e, BLOCK_STATE.start),
      warpRound,
      own: e.or(interval, e.shl(thread, ENTRY.threadShift)),
    };
  }
}

function later(e: Emitter, a: IrValue, b: IrValue): IrValue {
  return e.select(e.icmp("ugt", a, b), a, b);
}
