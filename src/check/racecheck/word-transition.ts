/**
 * The code for one access of one word: it looks at the word's entries, says which of them the access races with, and
 * leaves the entry of this access. Rows and columns of the table at the head of race-state.ts, as far as the access and
 * what it can race with need them.
 */
import { constI32 } from "../../ir/model/build.ts";
import type { Emitter } from "../../ir/model/emitter.ts";
import type { IrValue } from "../../ir/model/ir.ts";
import { I32 } from "../../ir/model/types.ts";
import type { ObservedMemory } from "../../machine/observer.ts";
import { ALWAYS, EntryOrder, NEVER } from "./entry-order.ts";
import type { EpochState } from "./epoch-state.ts";
import { changesMemory, isAtomic } from "./race-accesses.ts";
import type { RaceDetail } from "./race-site.ts";
import { ENTRY, SITES } from "./race-state.ts";
import type { ShadowWord } from "./shadow-words.ts";

const ALL_BYTES = 15;
const ZERO = constI32(0);

/** What the entries of a word say. */
export interface Suspicion {
  readonly bad: IrValue;
  /** Another lane of the warp writes the word by the same instruction: bad where the two write different values. */
  readonly shares: IrValue;
  /** `bad` because of the last write, because of the last read. */
  readonly byWrite: IrValue;
  readonly byRead: IrValue;
  /** RACE_WORDS, without the value. */
  readonly words: readonly IrValue[];
  readonly together: Together | null;
}

/**
 * Several lanes have accessed the word by one instruction, and none has seen the others' entries: whether it is so, and
 * the entry that then takes the last one's place.
 */
interface Together {
  readonly isSo: IrValue;
  readonly pointer: IrValue;
  readonly value: IrValue;
}

/** The entry that an access leaves, and the half of the sites' word beside it. */
interface NewEntry {
  /** What another lane may have put in its place by the same instruction. */
  readonly stored: IrValue;
  readonly shares: IrValue;
  readonly together: Together | null;
  /** The site that the entry names, and the bytes of the word that it is about. */
  readonly named: IrValue;
  readonly bytes: IrValue;
}

export interface WordAccess {
  readonly detail: Omit<RaceDetail, "flow" | "order">;
  /** The site's number; 0: entries do not name it. */
  readonly number: number;
  readonly word: ShadowWord;
  readonly now: EpochState;
  readonly windows: ObservedMemory["windows"];
  /** The module has __syncwarp. */
  readonly warpSyncs: boolean;
}

/** Adds the code. */
export function accessWord(e: Emitter, access: WordAccess): Suspicion {
  return new WordTransition(e, access).run();
}

class WordTransition {
  readonly #e: Emitter;
  readonly #access: WordAccess;
  readonly #order: EntryOrder;
  readonly #write: IrValue;
  readonly #read: IrValue;
  readonly #sites: IrValue;
  /** The access touches bytes that the last write is about, the last read is. */
  readonly #writeOverlaps: IrValue;
  readonly #readOverlaps: IrValue;
  /** The address is in memory that blocks share. */
  readonly #isOfGrid: IrValue;

  constructor(e: Emitter, access: WordAccess) {
    this.#e = e;
    this.#access = access;
    const { detail, word, windows, warpSyncs } = access;
    this.#isOfGrid =
      detail.mayBeWindow || detail.distributed
        ? e.icmp("uge", e.sub(word.address, constI32(windows.start)), constI32(windows.end - windows.start))
        : ALWAYS;
    this.#order = new EntryOrder(e, this.#present(), detail.isOrdered, warpSyncs);
    const { block, grid, group } = detail.conflicts;
    const needsWrite = block.write || grid.write || detail.kind === "atomic";
    this.#write = needsWrite ? e.load(I32, word.writePointer, 4) : ZERO;
    const needsRead = block.read || grid.read || !changesMemory(detail.kind);
    this.#read = needsRead ? e.load(I32, word.readPointer, 4) : ZERO;
    this.#sites = group.sites ? e.load(I32, word.sitesPointer, 4) : ZERO;
    this.#writeOverlaps = this.#overlaps(SITES.bytesShift);
    this.#readOverlaps = this.#overlaps(SITES.bytesShift + SITES.readShift);
  }

  /** In memory that blocks use one after the other, only entries since the cluster's start count. */
  #present(): EpochState {
    const { detail, now } = this.#access;
    if (!detail.distributed || now.cluster === null) return now;
    if (detail.shared) return { ...now, launch: now.cluster };
    return { ...now, launch: this.#e.select(this.#isOfGrid, now.launch, now.cluster) };
  }

  run(): Suspicion {
    const e = this.#e;
    const { now, word, detail } = this.#access;
    const byWrite = this.#racesWithWrite();
    const byRead = this.#racesWithRead();
    const bad = byRead === NEVER ? byWrite : e.or(byWrite, byRead);
    const entry = this.#leaveEntry();
    const own = detail.conflicts.group.bytewise ? e.or(now.own, word.bytes) : now.own;
    const words = [word.address, this.#write, this.#read, this.#sites, own, now.round, now.block, entry.stored];
    const together = this.#leaveSites(entry);
    return { bad, shares: entry.shares, byWrite, byRead, words, together };
  }

  // ---------------------------------------------------------------- the races

  /** Whether the last write is not ordered before this access. */
  #racesWithWrite(): IrValue {
    const e = this.#e;
    const { detail, number } = this.#access;
    const { conflicts, kind, scope, constant } = detail;
    const write = this.#write;
    const inRound = conflicts.block.write ? this.#order.othersInRound(write) : NEVER;
    const severalAtomic = conflicts.group.atomics ? ENTRY.atomic | ENTRY.blocks : 0;
    const elsewhere = conflicts.grid.write ? this.#elsewhere(write, severalAtomic) : NEVER;
    let bad: IrValue;
    if (isAtomic(kind)) {
      // Atomic operations do not race with one another, as far as their scope goes.
      const isPlain = e.or(this.#order.hasNone(write, ENTRY.atomic | ENTRY.blocks), this.#isInStep(write));
      const isPlainToGrid = scope === "block" ? ALWAYS : this.#order.hasNone(write, ENTRY.atomic);
      bad = e.or(e.and(inRound, isPlain), e.and(elsewhere, isPlainToGrid));
    } else bad = e.or(inRound, elsewhere);
    // Threads that write the same value by the same statement, as a flag is set: in any order they leave the same.
    if (constant !== null && number !== 0)
      bad = e.and(bad, e.icmp("ne", e.and(this.#sites, constI32(SITES.last)), number));
    return e.and(bad, this.#writeOverlaps);
  }

  /** Whether the last read is not ordered before this access, which writes. */
  #racesWithRead(): IrValue {
    const e = this.#e;
    const { conflicts, kind } = this.#access.detail;
    if (!changesMemory(kind) || !(conflicts.block.read || conflicts.grid.read)) return NEVER;
    const read = this.#read;
    const inRound = conflicts.block.read ? this.#order.othersInRound(read) : NEVER;
    const elsewhere = conflicts.grid.read ? this.#elsewhere(read, ENTRY.blocks) : NEVER;
    const either = e.or(inRound, elsewhere);
    const counts =
      kind === "atomic" && conflicts.group.atomics
        ? e.and(either, e.or(this.#order.hasNone(read, ENTRY.atomic), this.#isInStep(read)))
        : either;
    return e.and(counts, this.#readOverlaps);
  }

  #overlaps(shift: number): IrValue {
    if (!this.#access.detail.conflicts.group.bytewise) return ALWAYS;
    return this.#e.icmp("ne", this.#e.and(this.#e.lshr(this.#sites, shift), this.#access.word.bytes), 0);
  }

  /**
   * Made in this launch by another block, in memory that blocks share. Where shared memory is distributed, that is
   * all memory.
   */
  #elsewhere(entry: IrValue, several: number): IrValue {
    if (this.#access.detail.distributed) return this.#order.otherBlocks(entry, several);
    const made = this.#access.detail.shared ? NEVER : this.#order.otherBlocks(entry, several);
    return this.#e.and(made, this.#isOfGrid);
  }

  /** Made by a lane of this warp, where volatile accesses of one warp race. */
  #isInStep(entry: IrValue): IrValue {
    const { conflicts, isOrdered } = this.#access.detail;
    return conflicts.inStep && !isOrdered ? this.#order.agrees(entry, ENTRY.warp | ENTRY.warps) : NEVER;
  }

  // ---------------------------------------------------------------- the new entry

  #leaveEntry(): NewEntry {
    const { kind, conflicts, isOrdered } = this.#access.detail;
    if (kind === "write") return this.#leaveWrite();
    if (kind === "read" && !conflicts.block.write && !isOrdered) return this.#leaveReadOfBlock();
    return this.#leaveOrMark();
  }

  /** Where this access has its entry, what stands there, and how far its half of the sites' word is shifted. */
  get #place(): { readonly pointer: IrValue; readonly old: IrValue; readonly shift: number } {
    const { word, detail } = this.#access;
    return changesMemory(detail.kind)
      ? { pointer: word.writePointer, old: this.#write, shift: 0 }
      : { pointer: word.readPointer, old: this.#read, shift: SITES.readShift };
  }

  /** Threads with happens-before tracking come one after the other: each still finds its own entry. */
  get #isShared(): boolean {
    const { conflicts, isOrdered } = this.#access.detail;
    return conflicts.shares && !isOrdered;
  }

  /** A plain write is the last one, whichever thread wrote before. */
  #leaveWrite(): NewEntry {
    const e = this.#e;
    const { detail, word, now, number } = this.#access;
    const { pointer, old, shift } = this.#place;
    const { bytewise } = detail.conflicts.group;
    let { bytes } = word;
    if (bytewise) {
      // What the thread has written of the word just before counts as well.
      const isOwn = e.icmp("eq", old, now.own);
      const written = e.and(e.lshr(this.#sites, SITES.bytesShift + shift), constI32(ALL_BYTES));
      bytes = e.or(bytes, e.select(isOwn, written, ZERO));
    }
    e.store(now.own, pointer, 4);
    const entry = { stored: now.own, shares: NEVER, together: null, named: constI32(number), bytes };
    if (detail.constant !== null || !this.#isShared) return entry;
    const stored = e.load(I32, pointer, 4);
    // Another lane of the warp has written the word by the same instruction.
    const differs = e.icmp("ne", stored, now.own);
    return { ...entry, stored, shares: bytewise ? this.#sharesBytes(differs) : differs };
  }

  /** Of the lanes that share a word: do they share bytes? Each looks whether the masks of all overlap its own. */
  #sharesBytes(shares: IrValue): IrValue {
    const e = this.#e;
    const { word, number } = this.#access;
    const { shift } = this.#place;
    const half = e.or(constI32(number), e.shl(word.bytes, SITES.bytesShift));
    const others = e.and(this.#sites, constI32(~(SITES.half << shift)));
    e.store(e.or(others, e.shl(half, shift)), word.sitesPointer, 4);
    const last = e.load(I32, word.sitesPointer, 4);
    return e.and(shares, e.icmp("ne", e.and(e.lshr(last, SITES.bytesShift), word.bytes), 0));
  }

  /** Only other blocks race with the read, and to them one thread of the block is as good as another. */
  #leaveReadOfBlock(): NewEntry {
    const e = this.#e;
    const { now, word, number } = this.#access;
    const { pointer, old } = this.#place;
    const several = e.select(this.#elsewhere(old, ENTRY.blocks), constI32(ENTRY.blocks), ZERO);
    const stored = e.or(now.own, several);
    e.store(stored, pointer, 4);
    return { stored, shares: NEVER, together: null, named: constI32(number), bytes: word.bytes };
  }

  /** An entry of another thread in this round stays and is marked, so that it stands for several threads. */
  #leaveOrMark(): NewEntry {
    const e = this.#e;
    const { detail, word, now, number } = this.#access;
    const { pointer, old, shift } = this.#place;
    const { bytewise } = detail.conflicts.group;
    const overlaps = changesMemory(detail.kind) ? this.#writeOverlaps : this.#readOverlaps;
    const inRound = this.#order.inRound(old);
    const ofOther = this.#order.othersInRound(old);
    const sameWarp = this.#order.agrees(old, ENTRY.warp);
    const keeps = bytewise ? e.and(ofOther, overlaps) : ofOther;
    const atomicity = this.#atomicity(old, inRound, shift);
    let { flags } = atomicity;
    if (!detail.shared || detail.distributed) flags = e.or(flags, this.#severalBlocks(old, overlaps));
    const sameThread = e.and(inRound, this.#order.agrees(old, ENTRY.thread));
    const keptFlags = this.#keptFlags(old);
    const fresh = e.or(e.or(now.own, flags), e.select(sameThread, keptFlags, ZERO));
    const marked = e.or(old, e.select(sameWarp, constI32(ENTRY.lanes), constI32(ENTRY.warps)));
    const kept = isAtomic(detail.kind) ? marked : e.and(marked, constI32(~ENTRY.atomic));
    const own = e.select(keeps, kept, fresh);
    const fromStart = atomicity.named ?? constI32(number);
    const named = e.select(keeps, e.and(e.lshr(this.#sites, shift), constI32(SITES.last)), fromStart);
    let { bytes } = word;
    if (bytewise) {
      const oldBytes = e.and(e.lshr(this.#sites, SITES.bytesShift + shift), constI32(ALL_BYTES));
      bytes = e.select(keeps, e.and(oldBytes, bytes), e.select(sameThread, e.or(oldBytes, bytes), bytes));
    }
    e.store(own, pointer, 4);
    const entry = { stored: now.own, shares: NEVER, together: null, named, bytes };
    if (!this.#isShared) return entry;
    const stored = e.load(I32, pointer, 4);
    const threads = e.and(e.xor(stored, own), constI32(ENTRY.thread));
    const isSo = e.icmp("ne", threads, 0);
    return { ...entry, stored, together: { isSo, pointer, value: e.or(stored, constI32(ENTRY.lanes)) } };
  }

  /**
   * The flags that say for whom an access is atomic, over what the word's last entry says.
   * @returns `named`: the site that the entry names, if another than this access's own may be to blame
   */
  #atomicity(old: IrValue, inRound: IrValue, shift: number): { flags: IrValue; named: IrValue | null } {
    const e = this.#e;
    const { kind, scope, shared, isOrdered } = this.#access.detail;
    const { now, number } = this.#access;
    if (!isAtomic(kind)) return { flags: ZERO, named: null };
    if (kind === "atomic-read") {
      const isPlainRound = e.and(inRound, this.#order.hasNone(old, ENTRY.atomic));
      return { flags: e.select(isPlainRound, ZERO, constI32(ENTRY.atomic)), named: null };
    }
    // What the thread itself did without atomics in this round stands against others' atomics. After a __syncwarp it
    // stands against other warps only, but the entry does not name the warps.
    const ownPlain = e.and(
      isOrdered ? e.and(inRound, e.icmp("uge", old, now.warpRound)) : e.icmp("uge", old, now.warpRound),
      this.#order.hasNone(old, ENTRY.atomic | ENTRY.blocks),
    );
    // What this block did to the word without atomics stands against other blocks' atomics.
    const blockPlain = shared
      ? NEVER
      : e.and(e.and(this.#order.ofThisBlock(old), this.#order.hasNone(old, ENTRY.atomic)), this.#isOfGrid);
    const ofOthers =
      scope === "block" ? constI32(ENTRY.blocks) : e.select(blockPlain, constI32(ENTRY.blocks), constI32(ENTRY.atomic));
    // It is the plain access that races with others' atomic operations.
    const named =
      scope === "block"
        ? null
        : e.select(
            e.or(ownPlain, blockPlain),
            e.and(e.lshr(this.#sites, shift), constI32(SITES.last)),
            constI32(number),
          );
    return { flags: e.select(ownPlain, ZERO, ofOthers), named };
  }

  /** The flags of an entry that stands for several blocks. */
  #severalBlocks(old: IrValue, overlaps: IrValue): IrValue {
    const e = this.#e;
    const { kind, scope } = this.#access.detail;
    const several = kind === "atomic" ? ENTRY.atomic | ENTRY.blocks : ENTRY.blocks;
    const isSo = e.and(this.#elsewhere(old, several), overlaps);
    const flags = kind === "atomic" && scope !== "block" ? ENTRY.blocks | ENTRY.atomic : ENTRY.blocks;
    return e.select(isSo, constI32(flags), ZERO);
  }

  /** Of the thread's own entry in this round: it may stand for several threads, also after this access. */
  #keptFlags(old: IrValue): IrValue {
    const e = this.#e;
    const all = constI32(ENTRY.lanes | ENTRY.warps);
    if (!this.#access.warpSyncs) return e.and(old, all);
    return e.and(old, e.select(e.icmp("uge", old, this.#access.now.warpRound), all, constI32(ENTRY.warps)));
  }

  // ---------------------------------------------------------------- the sites

  /** Writes the access's half of the sites' word. @returns what is left of `together` */
  #leaveSites({ named, bytes, together }: NewEntry): Together | null {
    const e = this.#e;
    const { detail, word } = this.#access;
    const { bytewise, sites } = detail.conflicts.group;
    if (!sites) return together;
    const { shift } = this.#place;
    const half = e.or(named, bytewise ? e.shl(bytes, SITES.bytesShift) : constI32(ALL_BYTES << SITES.bytesShift));
    const others = e.and(this.#sites, constI32(~(SITES.half << shift)));
    e.store(e.or(others, e.shl(half, shift)), word.sitesPointer, 4);
    if (together === null || !bytewise) return together;
    // Lanes that share a word and no byte of it have nothing to do with each other.
    const last = e.load(I32, word.sitesPointer, 4);
    const sharesBytes = e.icmp("ne", e.and(e.lshr(last, SITES.bytesShift + shift), word.bytes), 0);
    return { ...together, isSo: e.and(together.isSo, sharesBytes) };
  }
}
