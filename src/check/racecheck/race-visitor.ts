/**
 * Racecheck's code beside each access: looks at the entries of the words that it touches (race-state.ts), tells whether
 * anybody else has accessed them with nothing in between, and makes entries of its own.
 *
 * An entry is *of this round* when it was made after the block's last barrier. It is ordered before this access when it
 * is older than the launch, when the same block made it before a barrier, when the same thread made it, or the same
 * warp before a __syncwarp. Shadow accesses come after the access that they belong to: the engine's own test of the
 * address then holds for them, too.
 */
import { CHECK_NAMES } from "../check-names.ts";
import type { Confirm, FunctionContext, FunctionVisitor, SiteOf } from "../../instrument/instrumenter.ts";
import { constBool, constI32 } from "../../ir/model/build.ts";
import type { Emitter } from "../../ir/model/emitter.ts";
import type { IrBlock, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { SHARED_SPACE, storeSize } from "../../ir/model/layout.ts";
import { I32, VOID } from "../../ir/model/types.ts";
import type { ObservedMemory } from "../../machine/observer.ts";
import { mallocBytes, objectName, type ObjectName } from "../../instrument/pointer-bounds.ts";
import { originsOf } from "../../analysis/pointer-origins.ts";
import { MEMORY_VARIABLE, threadPlace, toolAddress } from "../../instrument/instrumentation-runtime.ts";
import type { FlowPlace, ModuleFlows } from "./access-order.ts";
import type { ConflictTable, ConflictSet } from "./conflicts.ts";
import { changesMemory, isAtomic, launchConstant, raceAccessesOf, type RaceAccess } from "./race-accesses.ts";
import { OrderedHooks } from "./ordered-hooks.ts";
import {
  BLOCK_STATE,
  ENTRY,
  ORDER_ANSWER,
  OWNERS_VARIABLE,
  PLANES,
  RACE_WORDS,
  SITES,
  STATE,
  STATE_VARIABLE,
} from "./race-state.ts";
import { synchronizationOf, type Synchronization } from "./synchronization.ts";
import type { ModuleTraits, RaceModule } from "./race-module.ts";

export interface RaceDetail extends FlowPlace {
  readonly kind: RaceAccess["kind"];
  readonly scope: RaceAccess["scope"];
  readonly volatile: boolean;
  /** Of what it reads or writes, where a report can give that. */
  readonly valueType: "int" | "float" | null;
  readonly bytes: number;
  readonly shared: boolean;
  /** The pointer may be into shared or local memory, which blocks use one after the other: told at run time. */
  readonly mayBeWindow: boolean;
  readonly pointer: IrValue;
  /** What every thread writes there, the same in all of the launch; null: not known to be. */
  readonly constant: IrValue | null;
  readonly object: ObjectName;
  readonly at: IrInstruction;
  readonly rivals: ConflictSet;
  /** In a function that is accounted for closely (ordered-kernels.ts). */
  readonly isOrdered: boolean;
}

export type RaceSite = SiteOf<RaceDetail>;

/** What the state says, loaded once in a block of the code and after each synchronisation. */
interface EpochState {
  /** First entry of this round. */
  readonly round: IrValue;
  /** First entry of this block of threads; where blocks take turns, the block's number. */
  readonly block: IrValue;
  /** First entry of this launch. */
  readonly launch: IrValue;
  /** First entry after the warp's last __syncwarp, or of the round. */
  readonly warpRound: IrValue;
  /** This thread's entries of now, without flags. */
  readonly own: IrValue;
}

interface Word {
  readonly pointers: readonly [write: IrValue, read: IrValue, sites: IrValue];
  readonly address: IrValue;
  /** Bytes of it: 4 bits. */ readonly bytes: IrValue;
}

/** What the entries of a word say. */
interface Suspicion {
  readonly bad: IrValue;
  /** Another lane of the warp writes it by the same instruction: bad where the two write different values. */
  readonly shares: IrValue;
  /** `bad` because of the last write, of the last read. */
  readonly byWrite: IrValue;
  readonly byRead: IrValue;
  readonly words: readonly IrValue[];
  readonly together: { readonly together: IrValue; readonly pointer: IrValue; readonly value: IrValue } | null;
}

export class RaceVisitor implements FunctionVisitor {
  readonly #context: FunctionContext;
  readonly #traits: ModuleTraits;
  readonly #flows: ModuleFlows;
  readonly #firstPlane: number;
  readonly #windows: ObservedMemory["windows"];
  readonly #number: (site: RaceSite) => number;
  #thread: IrValue | null = null;
  #now: { at: IrBlock; now: EpochState } | null = null;
  readonly #conflicts: ConflictTable;
  /** null: barriers of whole blocks and warps are all that orders threads, and blocks come one after the other. */
  readonly #ordered: OrderedHooks | null;
  /** Of the entries of the word that is being looked at: their blocks. */
  #owners = new Map<IrValue, IrValue>();
  #order = 0;

  /** @param isOrdered see ordered-kernels.ts. @param number gives a site its number. */
  constructor(
    context: FunctionContext,
    conflicts: ConflictTable,
    { traits, flows }: Pick<RaceModule, "traits" | "flows">,
    isOrdered: boolean,
    firstPlane: number,
    windows: ObservedMemory["windows"],
    number: (site: RaceSite) => number,
  ) {
    this.#context = context;
    this.#conflicts = conflicts;
    this.#traits = traits;
    this.#flows = flows;
    this.#firstPlane = firstPlane;
    this.#windows = windows;
    this.#number = number;
    this.#ordered = isOrdered && !conflicts.isEmpty ? new OrderedHooks(context.edits) : null;
    if (isOrdered || conflicts.isEmpty || !context.function.isKernel) return;
    hook(context.edits.behindAllocas(), "enter");
  }

  visit(i: IrInstruction): void {
    this.#order++;
    const synchronization = synchronizationOf(i);
    if (synchronization !== null) this.#now = null;
    this.#ordered?.visit(i);
    const called =
      synchronization === null || this.#ordered !== null || this.#conflicts.isEmpty
        ? undefined
        : HOOK_BEHIND[synchronization];
    if (called !== undefined) hook(this.#context.edits.after(i), called);
    const allocated = mallocBytes(i);
    if (allocated !== null) {
      const e = this.#context.edits.after(i);
      hook(e, "fresh", [i, e.zextOrTrunc(allocated, I32)]);
    }
    for (const [index, access] of raceAccessesOf(i).entries()) {
      const rivals = this.#conflicts.of(i, index);
      if (rivals !== null) this.#access(i, access, rivals);
    }
  }

  #access(i: IrInstruction, access: RaceAccess, rivals: ConflictSet): void {
    const roots = originsOf(access.pointer);
    const object = roots.size === 1 ? objectName([...roots][0] as IrValue) : ({ kind: "pointer" } as const);
    const shared =
      (access.pointer.type.kind === "ptr" && access.pointer.type.addressSpace === SHARED_SPACE) ||
      object.kind === "shared" ||
      object.kind === "dynamic-shared";
    const detail: RaceDetail = {
      kind: access.kind,
      scope: access.scope,
      volatile: access.volatile,
      valueType: valueTypeOf(access.value),
      bytes: access.bytes,
      shared,
      mayBeWindow: !shared && ![...roots].every(isOfGrid),
      pointer: access.pointer,
      constant: launchConstant(access),
      object,
      flow: this.#flows.of(this.#context.function),
      order: this.#order,
      at: i,
      rivals,
      isOrdered: this.#ordered !== null,
    };
    const site = this.#context.site<RaceDetail>(i, detail) as RaceSite;
    const number = this.#number(site);
    const e = this.#context.edits.after(i);
    const now = this.#nowAt(i.block, e);
    const address = e.cast("ptrtoint", access.pointer, I32);
    let bad: IrValue = constBool(false);
    let shares: IrValue = constBool(false);
    let words: readonly IrValue[] = [];
    for (const word of this.#words(e, address, access)) {
      const one = this.#word(e, access, detail, number, now, word);
      if (this.#ordered !== null) {
        this.#askOrder(this.#ordered, i, site, one, this.#valueOf(e, access.value));
        continue;
      }
      words =
        words.length === 0
          ? one.words
          : words.map((value, index) => e.select(e.or(one.bad, one.shares), one.words[index] as IrValue, value));
      bad = e.or(bad, one.bad);
      shares = e.or(shares, one.shares);
      // What several lanes read in one instruction: none has seen the others' entries.
      if (one.together !== null) {
        const { pointer, value, together } = one.together;
        this.#context.rarely(together, (cold) => cold.store(value, pointer, 4));
      }
    }
    if (this.#ordered !== null) return;
    const told = [...words, this.#valueOf(e, access.value)];
    const confirm: Confirm = (cold) => ({
      bad: cold.or(bad, cold.and(shares, leavesAnother(cold, address, access))),
      words: told,
    });
    this.#context.checkAt(i, site, e.or(bad, shares), told, "after", shares.kind === "const-int" ? undefined : confirm);
  }

  /** What looks like a race may be ordered otherwise. */
  #askOrder(
    hooks: OrderedHooks,
    at: IrInstruction,
    site: RaceSite,
    { bad, words, byWrite, byRead }: Suspicion,
    value: IrValue,
  ): void {
    this.#context.checkAt(at, site, bad, [], "after", (cold, suspected) => {
      const entry = (index: number, counts: IrValue): IrValue =>
        cold.select(cold.and(suspected, counts), words[index] as IrValue, constI32(0));
      const [write, read] = [entry(RACE_WORDS.write, byWrite), entry(RACE_WORDS.read, byRead)];
      const answer = hooks.races(cold, write, read);
      const that = (bit: number, of: IrValue): IrValue =>
        cold.select(cold.icmp("ne", cold.and(answer, constI32(bit)), 0), of, constI32(0));
      const told = [...words, value];
      told[RACE_WORDS.write] = that(ORDER_ANSWER.writeRaces, write);
      told[RACE_WORDS.read] = that(ORDER_ANSWER.readRaces, read);
      told[RACE_WORDS.answer] = answer;
      return { bad: cold.icmp("ne", answer, 0), words: told };
    });
  }

  /** The words that an access touches. */
  #words(e: Emitter, address: IrValue, { bytes, align }: RaceAccess): Word[] {
    const word = (at: IrValue, touched: IrValue): Word => ({
      pointers: [PLANES.write, PLANES.read, PLANES.sites].map((plane) =>
        CHECK_NAMES.shadowPointer(e, this.#firstPlane + plane, at),
      ) as unknown as Word["pointers"],
      address: at,
      bytes: touched,
    });
    if (bytes % 4 === 0 && align >= 4)
      return Array.from({ length: bytes / 4 }, (_, index) => word(e.add(address, constI32(4 * index)), constI32(15)));
    const first = e.and(address, constI32(-4));
    const offset = e.and(address, constI32(3));
    const inFirst = e.and(e.shl(constI32(bytes < 4 ? (1 << bytes) - 1 : 15), offset), constI32(15));
    const words = [word(first, inFirst)];
    // Aligned to its own size it lies in one word; else it may reach a word further than its size says. What it does
    // not reach is the first word once more.
    const most = bytes <= align ? 1 : Math.ceil((bytes + 3) / 4);
    for (let index = 1; index < most; index++) {
      const left = e.sub(e.add(offset, constI32(bytes)), constI32(4 * index));
      const reaches = e.icmp("sgt", left, 0);
      const touched = e.select(e.icmp("sge", left, 4), constI32(15), e.sub(e.shl(constI32(1), left), constI32(1)));
      words.push(
        word(e.select(reaches, e.add(first, constI32(4 * index)), first), e.select(reaches, touched, inFirst)),
      );
    }
    return words;
  }

  #word(
    e: Emitter,
    { kind, scope }: RaceAccess,
    { shared, mayBeWindow, constant, rivals }: RaceDetail,
    number: number,
    now: EpochState,
    word: Word,
  ): Suspicion {
    this.#owners = new Map();
    const { atomics, bytewise } = rivals.group;
    const [writePointer, readPointer, sitesPointer] = word.pointers;
    const changes = changesMemory(kind);
    const write =
      rivals.block.write || rivals.grid.write || kind === "atomic" ? e.load(I32, writePointer, 4) : constI32(0);
    const read = rivals.block.read || rivals.grid.read || !changes ? e.load(I32, readPointer, 4) : constI32(0);
    const sites = rivals.group.sites ? e.load(I32, sitesPointer, 4) : constI32(0);
    const atomic = isAtomic(kind);
    const overlaps = (shift: number): IrValue =>
      bytewise ? e.icmp("ne", e.and(e.lshr(sites, shift), word.bytes), 0) : constBool(true);
    const writeOverlaps = overlaps(SITES.bytesShift);
    const readOverlaps = overlaps(SITES.bytesShift + SITES.readShift);

    const { start, end } = this.#windows;
    const outside = mayBeWindow
      ? e.icmp("uge", e.sub(word.address, constI32(start)), constI32(end - start))
      : constBool(true);
    const elsewhere = (entry: IrValue, several: number): IrValue =>
      e.and(this.#otherBlocks(e, entry, now, shared, several), outside);

    // Against the last write.
    const writeInRound = rivals.block.write ? this.#othersInRound(e, write, now) : constBool(false);
    const writeElsewhere = !rivals.grid.write
      ? constBool(false)
      : elsewhere(write, atomics ? ENTRY.atomic | ENTRY.blocks : 0);
    let bad: IrValue;
    const sameWarp = (entry: IrValue): IrValue =>
      rivals.inStep && this.#ordered === null
        ? e.icmp("eq", e.and(e.xor(entry, now.own), constI32(ENTRY.warp | ENTRY.warps)), 0)
        : constBool(false);
    if (atomic) {
      const plainHere = e.or(e.icmp("eq", e.and(write, constI32(ENTRY.atomic | ENTRY.blocks)), 0), sameWarp(write));
      const plainElsewhere =
        scope === "block" ? constBool(true) : e.icmp("eq", e.and(write, constI32(ENTRY.atomic)), 0);
      bad = e.or(e.and(writeInRound, plainHere), e.and(writeElsewhere, plainElsewhere));
    } else bad = e.or(writeInRound, writeElsewhere);
    // Threads that write the same value by the same statement, as a flag is set: in any order they leave the same.
    if (constant !== null && number !== 0) bad = e.and(bad, e.icmp("ne", e.and(sites, constI32(SITES.last)), number));
    bad = e.and(bad, writeOverlaps);
    const byWrite = bad;
    let shares: IrValue = constBool(false);
    let byRead: IrValue = constBool(false);

    if (changes && (rivals.block.read || rivals.grid.read)) {
      // Against the last read.
      const readInRound = rivals.block.read ? this.#othersInRound(e, read, now) : constBool(false);
      const readElsewhere = rivals.grid.read ? elsewhere(read, ENTRY.blocks) : constBool(false);
      const either = e.or(readInRound, readElsewhere);
      const counts =
        kind === "atomic" && atomics
          ? e.and(either, e.or(e.icmp("eq", e.and(read, constI32(ENTRY.atomic)), 0), sameWarp(read)))
          : either;
      byRead = e.and(counts, readOverlaps);
      bad = e.or(bad, byRead);
    }

    // The own entry.
    // Threads of a kernel that is accounted for closely come one after the other: each still finds its own entry.
    const sharesWord = rivals.shares && this.#ordered === null;
    const place = changes ? writePointer : readPointer;
    const shift = changes ? 0 : SITES.readShift;
    const old = changes ? write : read;
    let own = now.own;
    let bytes = word.bytes;
    let named: IrValue = constI32(number);
    let stored: IrValue = now.own;
    let together: { together: IrValue; pointer: IrValue; value: IrValue } | null = null;
    if (kind === "write") {
      // What the thread has written of the word just before counts as well.
      if (bytewise)
        bytes = e.or(
          bytes,
          e.select(e.icmp("eq", old, own), e.and(e.lshr(sites, SITES.bytesShift + shift), constI32(15)), constI32(0)),
        );
      e.store(own, place, 4);
      if (constant === null && sharesWord) {
        stored = e.load(I32, place, 4);
        // Another lane of the warp has written the word by the same instruction.
        shares = e.icmp("ne", stored, own);
        if (bytewise) shares = this.#sharesBytes(e, shares, word, sitesPointer, sites, number, shift);
      }
    } else if (kind === "read" && !rivals.block.write && this.#ordered === null) {
      // Only other blocks race with it, and to them one thread of the block is as good as another.
      own = e.or(own, e.select(elsewhere(old, ENTRY.blocks), constI32(ENTRY.blocks), constI32(0)));
      e.store(own, place, 4);
      stored = own;
    } else {
      // An entry of another thread in this round stays and is marked, so that the several are known.
      const inRound = this.#inRound(e, old, now);
      const ofOther = this.#othersInRound(e, old, now);
      const sameWarp = e.icmp("eq", e.and(e.xor(old, own), constI32(ENTRY.warp)), 0);
      const keeps = bytewise ? e.and(ofOther, changes ? writeOverlaps : readOverlaps) : ofOther;
      let flags: IrValue = constI32(0);
      if (atomic) {
        // Behind a __syncwarp it stands against other warps only, which is not told apart.
        const ownPlain = e.and(
          this.#ordered === null
            ? e.icmp("uge", old, now.warpRound)
            : e.and(inRound, e.icmp("uge", old, now.warpRound)),
          e.icmp("eq", e.and(old, constI32(ENTRY.atomic | ENTRY.blocks)), 0),
        );
        // What this block did to the word without atomics stands against other blocks' atomics.
        const blockPlain = shared
          ? constBool(false)
          : e.and(e.and(this.#ofThisBlock(e, old, now), e.icmp("eq", e.and(old, constI32(ENTRY.atomic)), 0)), outside);
        const ofOthers =
          scope === "block"
            ? constI32(ENTRY.blocks)
            : e.select(blockPlain, constI32(ENTRY.blocks), constI32(ENTRY.atomic));
        // It is the plain access that races with others' atomic operations.
        if (kind === "atomic" && scope !== "block")
          named = e.select(e.or(ownPlain, blockPlain), e.and(e.lshr(sites, shift), constI32(SITES.last)), named);
        flags =
          kind === "atomic"
            ? e.select(ownPlain, constI32(0), ofOthers)
            : e.select(
                e.and(inRound, e.icmp("eq", e.and(old, constI32(ENTRY.atomic)), 0)),
                constI32(0),
                constI32(ENTRY.atomic),
              );
      }
      if (!shared) {
        const severalBlocks = e.and(
          elsewhere(old, kind === "atomic" ? ENTRY.atomic | ENTRY.blocks : ENTRY.blocks),
          changes ? writeOverlaps : readOverlaps,
        );
        flags = e.or(
          flags,
          e.select(
            severalBlocks,
            constI32(kind === "atomic" && scope !== "block" ? ENTRY.blocks | ENTRY.atomic : ENTRY.blocks),
            constI32(0),
          ),
        );
      }
      const sameThread = e.and(inRound, e.icmp("eq", e.and(e.xor(old, own), constI32(ENTRY.thread)), 0));
      const keptFlags = this.#traits.warpSyncs
        ? e.and(
            old,
            e.select(e.icmp("uge", old, now.warpRound), constI32(ENTRY.lanes | ENTRY.warps), constI32(ENTRY.warps)),
          )
        : e.and(old, constI32(ENTRY.lanes | ENTRY.warps));
      const fresh = e.or(e.or(own, flags), e.select(sameThread, keptFlags, constI32(0)));
      const marked = e.or(old, e.select(sameWarp, constI32(ENTRY.lanes), constI32(ENTRY.warps)));
      own = e.select(keeps, atomic ? marked : e.and(marked, constI32(~ENTRY.atomic)), fresh);
      named = e.select(keeps, e.and(e.lshr(sites, shift), constI32(SITES.last)), named);
      if (bytewise) {
        const oldBytes = e.and(e.lshr(sites, SITES.bytesShift + shift), constI32(15));
        bytes = e.select(keeps, e.and(oldBytes, bytes), e.select(sameThread, e.or(oldBytes, bytes), bytes));
      }
      e.store(own, place, 4);
      if (sharesWord) {
        stored = e.load(I32, place, 4);
        const threads = e.and(e.xor(stored, own), constI32(ENTRY.thread));
        together = { together: e.icmp("ne", threads, 0), pointer: place, value: e.or(stored, constI32(ENTRY.lanes)) };
      }
    }
    const words = [
      word.address,
      write,
      read,
      sites,
      bytewise ? e.or(now.own, word.bytes) : now.own,
      now.round,
      now.block,
      stored,
    ];
    if (!rivals.group.sites) return { bad, shares, byWrite, byRead, words, together };
    const half = e.or(named, bytewise ? e.shl(bytes, SITES.bytesShift) : constI32(15 << SITES.bytesShift));
    const others = e.and(sites, constI32(~(SITES.half << shift)));
    e.store(e.or(others, e.shl(half, shift)), sitesPointer, 4);
    if (together !== null && bytewise) {
      // Lanes that share a word and no byte of it are strangers to each other.
      const last = e.load(I32, sitesPointer, 4);
      together = {
        ...together,
        together: e.and(together.together, e.icmp("ne", e.and(e.lshr(last, SITES.bytesShift + shift), word.bytes), 0)),
      };
    }
    return { bad, shares, byWrite, byRead, words, together };
  }

  /** Of the lanes that share a word: do they share bytes? Each looks whether the masks of all overlap its own. */
  #sharesBytes(
    e: Emitter,
    shares: IrValue,
    word: Word,
    sitesPointer: IrValue,
    sites: IrValue,
    number: number,
    shift: number,
  ): IrValue {
    const half = e.or(constI32(number), e.shl(word.bytes, SITES.bytesShift));
    e.store(e.or(e.and(sites, constI32(~(SITES.half << shift))), e.shl(half, shift)), sitesPointer, 4);
    const last = e.load(I32, sitesPointer, 4);
    return e.and(shares, e.icmp("ne", e.and(e.lshr(last, SITES.bytesShift), word.bytes), 0));
  }

  #inRound(e: Emitter, entry: IrValue, now: EpochState): IrValue {
    const later = e.icmp("uge", entry, now.round);
    return this.#ordered === null ? later : e.and(later, e.icmp("eq", this.#ownerOf(e, entry), now.block));
  }

  /** Made in this launch by a thread of this block. */
  #ofThisBlock(e: Emitter, entry: IrValue, now: EpochState): IrValue {
    return this.#ordered === null
      ? e.icmp("uge", entry, now.block)
      : e.and(e.icmp("uge", entry, now.launch), e.icmp("eq", this.#ownerOf(e, entry), now.block));
  }

  /** The block that an entry is of. */
  #ownerOf(e: Emitter, entry: IrValue): IrValue {
    let owner = this.#owners.get(entry);
    if (owner === undefined) {
      const owners = CHECK_NAMES.variable(this.#context.module, OWNERS_VARIABLE);
      this.#owners.set(entry, (owner = e.load(I32, e.offset(owners, e.shl(e.lshr(entry, ENTRY.intervalShift), 2)), 4)));
    }
    return owner;
  }

  /** Made in this round by another thread, with no __syncwarp in between. */
  #othersInRound(e: Emitter, entry: IrValue, now: EpochState): IrValue {
    const differs = e.icmp("ne", e.and(e.xor(entry, now.own), constI32(ENTRY.thread | ENTRY.lanes | ENTRY.warps)), 0);
    const others = e.and(this.#inRound(e, entry, now), differs);
    if (!this.#traits.warpSyncs) return others;
    const otherWarp = e.icmp("ne", e.and(e.xor(entry, now.own), constI32(ENTRY.warp | ENTRY.warps)), 0);
    return e.and(others, e.or(otherWarp, e.icmp("uge", entry, now.warpRound)));
  }

  /** Made in this launch by another block. `several`: the flags of entries that several blocks made. */
  #otherBlocks(e: Emitter, entry: IrValue, now: EpochState, shared: boolean, several: number): IrValue {
    if (shared) return constBool(false);
    const other =
      this.#ordered === null
        ? e.icmp("ult", e.sub(entry, now.launch), e.sub(now.block, now.launch))
        : e.and(e.icmp("uge", entry, now.launch), e.icmp("ne", this.#ownerOf(e, entry), now.block));
    if (several === 0) return other;
    const many = e.icmp("eq", e.and(entry, constI32(several)), several);
    return e.or(other, e.and(many, e.icmp("uge", entry, now.launch)));
  }

  #nowAt(block: IrBlock, e: Emitter): EpochState {
    if (this.#now?.at === block) return this.#now.now;
    const state = CHECK_NAMES.variable(this.#context.module, STATE_VARIABLE);
    const word = (index: number): IrValue => e.load(I32, toolAddress(state, 4 * index), 4);
    const thread = (this.#thread ??= threadPlace(this.#context.edits.atEntry()));
    if (this.#ordered !== null) return this.#orderedNow(this.#ordered, block, e, thread, word(STATE.launch));
    const round = word(STATE.round);
    let warpRound = round;
    if (this.#traits.warpSyncs) {
      const synced = e.load(I32, e.offset(toolAddress(state, 4 * STATE.warpRound), e.shl(e.lshr(thread, 5), 2)), 4);
      warpRound = e.select(e.icmp("ugt", synced, round), synced, round);
    }
    const now: EpochState = {
      round,
      block: word(STATE.block),
      launch: word(STATE.launch),
      warpRound,
      own: e.or(warpRound, e.shl(thread, ENTRY.threadShift)),
    };
    this.#now = { at: block, now };
    return now;
  }

  #orderedNow(hooks: OrderedHooks, at: IrBlock, e: Emitter, thread: IrValue, launch: IrValue): EpochState {
    const later = (a: IrValue, b: IrValue): IrValue => e.select(e.icmp("ugt", a, b), a, b);
    const round = hooks.word(e, BLOCK_STATE.round);
    const warpRound = this.#traits.warpSyncs
      ? later(hooks.threadWord(e, e.lshr(thread, 5), BLOCK_STATE.warpRound, 1, 0), round)
      : round;
    const interval = later(
      hooks.threadWord(e, thread, BLOCK_STATE.threads, BLOCK_STATE.threadWords, BLOCK_STATE.threadInterval),
      warpRound,
    );
    const now: EpochState = {
      round,
      block: hooks.word(e, BLOCK_STATE.index),
      launch,
      warpRound,
      own: e.or(interval, e.shl(thread, ENTRY.threadShift)),
    };
    this.#now = { at, now };
    return now;
  }

  #valueOf(e: Emitter, value: IrValue | null): IrValue {
    const type = valueTypeOf(value);
    if (value === null || type === null) return constI32(0);
    return type === "float" ? e.cast("bitcast", value, I32) : e.zextOrTrunc(value, I32);
  }
}

/**
 * Of lanes that write one place by one instruction the last one's value is left: i1, whether that is not what this lane
 * has written.
 */
function leavesAnother(e: Emitter, address: IrValue, { value, align }: RaceAccess): IrValue {
  if (value === null || (value.type.kind !== "int" && value.type.kind !== "float") || storeSize(value.type) > 8)
    return constBool(true);
  const bits = { kind: "int", bits: 8 * storeSize(value.type) } as const;
  const own = value.type.kind === "float" ? e.cast("bitcast", value, bits) : e.zextOrTrunc(value, bits);
  return e.icmp("ne", e.load(bits, e.offset(CHECK_NAMES.variable(e.module, MEMORY_VARIABLE), address), align), own);
}

function valueTypeOf(value: IrValue | null): RaceDetail["valueType"] {
  if (value?.type.kind === "int" && value.type.bits <= 32) return "int";
  return value?.type.kind === "float" && value.type.format === "float" ? "float" : null;
}

/** Whether an object lies where all blocks of a launch see the same: variables, and what the host passes. */
function isOfGrid(root: IrValue): boolean {
  return root.kind === "global" || (root.kind === "param" && root.function.isKernel && root.byval === null);
}

/** The hooks in the device library. */
export const HOOKS: readonly string[] = ["enter", "barrier", "warp", "fresh"].map(
  (name) => `${CHECK_NAMES.prefix}race_${name}`,
);

const HOOK_BEHIND: Readonly<Partial<Record<Synchronization, string>>> = { block: "barrier", warp: "warp" };

function hook(e: Emitter, name: string, args: readonly IrValue[] = []): void {
  e.intrinsic(`${CHECK_NAMES.prefix}race_${name}`, VOID, [...args]);
}
