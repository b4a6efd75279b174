/**
 * Conditions on one entry of a word (race-state.ts): who made it and when, as the thread sees it that accesses the word
 * now.
 */
import { constBool, constI32 } from "../../ir/model/build.ts";
import type { Emitter } from "../../ir/model/emitter.ts";
import type { IrValue } from "../../ir/model/ir.ts";
import { I32 } from "../../ir/model/types.ts";
import { CHECK_NAMES } from "../check-names.ts";
import type { EpochState } from "./epoch-state.ts";
import { ENTRY, OWNERS_VARIABLE } from "./race-state.ts";

/** The conditions at one word. Each adds code where the emitter stands. */
export class EntryOrder {
  readonly #e: Emitter;
  readonly #now: EpochState;
  readonly #tracksOrder: boolean;
  readonly #warpSyncs: boolean;
  /** By an entry: the number of the block that made it. */
  readonly #owners = new Map<IrValue, IrValue>();

  /**
   * @param tracksOrder the function has happens-before tracking: blocks may take turns, and only a table says which
   * block made an entry. @param warpSyncs the module has __syncwarp.
   */
  constructor(e: Emitter, now: EpochState, tracksOrder: boolean, warpSyncs: boolean) {
    this.#e = e;
    this.#now = now;
    this.#tracksOrder = tracksOrder;
    this.#warpSyncs = warpSyncs;
  }

  /** All these flags are set. */
  hasAll(entry: IrValue, flags: number): IrValue {
    return this.#e.icmp("eq", this.#e.and(entry, constI32(flags)), flags);
  }

  hasNone(entry: IrValue, flags: number): IrValue {
    return this.#e.icmp("eq", this.#e.and(entry, constI32(flags)), 0);
  }

  /** The entry agrees with the one that this thread makes now in these bits. */
  agrees(entry: IrValue, bits: number): IrValue {
    return this.#e.icmp("eq", this.#differing(entry, bits), 0);
  }

  /** Made by this block since its last barrier. */
  inRound(entry: IrValue): IrValue {
    const isLater = this.#e.icmp("uge", entry, this.#now.round);
    if (!this.#tracksOrder) return isLater;
    return this.#e.and(isLater, this.#e.icmp("eq", this.#ownerOf(entry), this.#now.block));
  }

  /** Made by this block in this launch. */
  ofThisBlock(entry: IrValue): IrValue {
    const e = this.#e;
    if (!this.#tracksOrder) return e.icmp("uge", entry, this.#now.block);
    return e.and(e.icmp("uge", entry, this.#now.launch), e.icmp("eq", this.#ownerOf(entry), this.#now.block));
  }

  /** Made in this round by another thread, with no __syncwarp in between. */
  othersInRound(entry: IrValue): IrValue {
    const e = this.#e;
    const differs = e.icmp("ne", this.#differing(entry, ENTRY.thread | ENTRY.lanes | ENTRY.warps), 0);
    const others = e.and(this.inRound(entry), differs);
    if (!this.#warpSyncs) return others;
    const otherWarp = e.icmp("ne", this.#differing(entry, ENTRY.warp | ENTRY.warps), 0);
    return e.and(others, e.or(otherWarp, e.icmp("uge", entry, this.#now.warpRound)));
  }

  /**
   * Made in this launch by another block. `several`: the flags of entries that several blocks made; 0: there are none.
   */
  otherBlocks(entry: IrValue, several: number): IrValue {
    const e = this.#e;
    const { launch, block } = this.#now;
    const other = this.#tracksOrder
      ? e.and(e.icmp("uge", entry, launch), e.icmp("ne", this.#ownerOf(entry), block))
      : e.icmp("ult", e.sub(entry, launch), e.sub(block, launch));
    if (several === 0) return other;
    const many = this.hasAll(entry, several);
    return e.or(other, e.and(many, e.icmp("uge", entry, launch)));
  }

  #differing(entry: IrValue, bits: number): IrValue {
    return this.#e.and(this.#e.xor(entry, this.#now.own), constI32(bits));
  }

  #ownerOf(entry: IrValue): IrValue {
    let owner = this.#owners.get(entry);
    if (owner === undefined) {
      const e = this.#e;
      const owners = CHECK_NAMES.variable(e.module, OWNERS_VARIABLE);
      owner = e.load(I32, e.offset(owners, e.shl(e.lshr(entry, ENTRY.intervalShift), 2)), 4);
      this.#owners.set(entry, owner);
    }
    return owner;
  }
}

/** Never: for conditions that the code needs no test for. */
export const NEVER: IrValue = constBool(false);
export const ALWAYS: IrValue = constBool(true);
