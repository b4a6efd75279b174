/**
 * Out-of-line functions that count the sectors and the wavefronts of one access (machine/warp-counts.ts has the
 * definitions), for lanes whose distances are not known when compiling.
 */
import { BANKS, BANK_BYTES, PAIRS, SECTOR_BYTES, lanesFrom, lanesTogether } from "../../../machine/warp-counts.ts";
import { SAMPLE_AT } from "../../../machine/lane-sample.ts";
import { LANES, SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../../wasm/module-builder.ts";
import { buildArriveAtBarrier, buildBeginBlock } from "./barrier-helpers.ts";
import { buildNoteLines } from "./line-helper.ts";
import { buildMarkLanes } from "./sector-marks.ts";
import { COUNT_SLOT, SLOT_BYTES, forEachLane, pushLaneAddress, shuffleToBefore } from "./lane-scratch.ts";

/** Where the words of each bank are listed: behind one slot for the lanes' addresses and one for counts by bank. */
const LANE_VALUES = COUNT_SLOT * SLOT_BYTES;
const BANK_COUNTS = LANE_VALUES + SLOT_BYTES;
const BANK_WORDS = BANK_COUNTS + SLOT_BYTES;
/** Bytes of a bank's list: up to four words of each of 32 lanes never meet in one bank at a time. */
const LIST_BYTES = LANES * BANK_BYTES;
/** What a word adds to the result of `wavefronts`. */
export const WORD = 65536;
/** Slots that these functions use. */
export const COUNT_SLOTS: number = 2 + (BANKS * LIST_BYTES) / SLOT_BYTES;

const VECTORS = new Array<"v128">(SLICES).fill("v128");

export class CountHelpers {
  readonly #made = new Map<string, FunctionBuilder>();
  readonly #module: ModuleBuilder;
  readonly #scratch: number;
  readonly #block: number;

  /** @param globals indices: the scratch region's address, the number of the block that runs. */
  constructor(module: ModuleBuilder, { scratch, block }: { readonly scratch: number; readonly block: number }) {
    this.#module = module;
    this.#scratch = scratch;
    this.#block = block;
  }

  /** (mask, eight vectors of addresses) → different sectors among the active lanes. */
  get sectors(): FunctionBuilder {
    return this.#make("count_sectors", (code) => {
      code.localGet(0);
      for (let s = 0; s < SLICES; s++)
        code
          .localGet(1 + s)
          .i32Const(Math.log2(SECTOR_BYTES))
          .i32x4ShrU();
      code.call(this.distinct);
    });
  }

  /**
   * (mask, eight vectors) → different values among the active lanes. Values that never fall from lane to lane, as most
   * addresses, are compared with their neighbours; others are gone through one by one.
   */
  get distinct(): FunctionBuilder {
    return this.#make("count_distinct", (code) => {
      code.localGet(0).i32Const(-1).i32Eq().if();
      this.#distinctAscending(code);
      code.end();
      this.#distinctOneByOne(code);
    });
  }

  /**
   * Returns the count if the values of all 32 lanes never fall, or those of the first half do not and the second half
   * has the same: blocks of 16 threads in a row, which share a column.
   */
  #distinctAscending(code: FunctionBuilder): void {
    const before = code.local("v128");
    const falls = code.local("v128");
    const changes = code.local("i32");
    const firstHalf = { falls: code.local("v128"), changes: code.local("i32") };
    code.i32Const(0).localSet(changes).i32x4Const(0, 0, 0, 0).localSet(falls);
    for (let s = 0; s < SLICES; s++) {
      if (s === SLICES / 2)
        code.localGet(falls).localSet(firstHalf.falls).localGet(changes).localSet(firstHalf.changes);
      code.localGet(1 + Math.max(s - 1, 0)).localGet(1 + s);
      shuffleToBefore(code, s);
      code.localSet(before);
      code
        .localGet(before)
        .localGet(1 + s)
        .i32x4GtU()
        .localGet(falls)
        .v128Or()
        .localSet(falls);
      code
        .localGet(before)
        .localGet(1 + s)
        .i32x4Ne()
        .i32x4Bitmask()
        .i32Popcnt();
      code.localGet(changes).i32Add().localSet(changes);
    }
    code.localGet(falls).v128AnyTrue().i32Eqz().if();
    code.localGet(changes).i32Const(1).i32Add().return();
    code.end();
    code.localGet(firstHalf.falls);
    for (let s = 0; s < SLICES / 2; s++)
      code
        .localGet(1 + s)
        .localGet(1 + s + SLICES / 2)
        .v128Xor()
        .v128Or();
    code.v128AnyTrue().i32Eqz().if();
    code.localGet(firstHalf.changes).i32Const(1).i32Add().return();
    code.end();
    code.free(before, falls, changes, firstHalf.falls, firstHalf.changes);
  }

  #distinctOneByOne(code: FunctionBuilder): void {
    const left = code.local("i32");
    const lane = code.local("i32");
    const count = code.local("i32");
    const value = code.local("v128");
    this.#storeLanes(code, 1);
    code.i32Const(0).localSet(count).localGet(0).localSet(left);
    const done = code.block();
    const again = code.loop();
    code.localGet(left).i32Eqz().brIf(done);
    code.localGet(left).i32Ctz().localSet(lane);
    pushLaneAddress(code, this.#scratch, lane, "i32");
    code.i32Load(LANE_VALUES).i32x4Splat().localSet(value);
    for (let s = 0; s < SLICES; s++) {
      code
        .localGet(1 + s)
        .localGet(value)
        .i32x4Eq()
        .i32x4Bitmask();
      if (s > 0)
        code
          .i32Const(4 * s)
          .i32Shl()
          .i32Or();
    }
    code.i32Const(-1).i32Xor().localGet(left).i32And().localSet(left);
    code.localGet(count).i32Const(1).i32Add().localSet(count).br(again);
    code.end(again);
    code.end(done);
    code.localGet(count);
    code.free(left, lane, count, value);
  }

  /**
   * (mask, eight vectors of addresses) → wavefronts of shared memory for accesses of so many bytes, and 65536 times the
   * different words of four bytes, each group of lanes that are served together for itself.
   */
  wavefronts(bytes: number, isLoad: boolean): FunctionBuilder {
    const together = lanesTogether(bytes);
    const mayPair = isLoad && together < LANES;
    return this.#make(`count_wavefronts_${bytes}${mayPair ? "_load" : ""}`, (code) => {
      const all = code.local("i32");
      const most = code.local("i32");
      const groups = [code.local("i32"), code.local("i32")] as const;
      const differ = mayPair ? PAIRS.map((pair) => this.#pushUnlikePairs(code, pair)) : [];
      this.#storeLanes(code, 1);
      code.i32Const(0).localSet(all);
      for (let first = 0; first < LANES; first += groups.length * together) {
        groups.forEach((group, n) => {
          const from = first + n * together;
          code
            .localGet(0)
            .i32Const(from < LANES ? lanesFrom(from, together) : 0)
            .i32And()
            .localSet(group);
        });
        if (mayPair) this.#joinPairs(code, differ, lanesFrom(first, 2 * together), groups);
        const isWhole = together === LANES;
        for (const group of isWhole ? groups.slice(0, 1) : groups) {
          code.localGet(group).if();
          for (let at = 0; at < BANKS; at += 16)
            code
              .globalGet(this.#scratch)
              .i32x4Const(0, 0, 0, 0)
              .v128Store(BANK_COUNTS + at);
          code.i32Const(0).localSet(most);
          forEachLane(code, group, (lane) => {
            for (let word = 0; word < Math.max(1, bytes / BANK_BYTES); word++)
              this.#askBank(code, lane, word, { most, all });
          });
          code.localGet(all).localGet(most).i32Add().localSet(all);
          code.end();
        }
      }
      code.localGet(all);
      code.free(...differ);
    });
  }

  /** @returns a mask of the active lanes whose partner n ^ pair is active and has another address */
  #pushUnlikePairs(code: FunctionBuilder, pair: 1 | 2): Local {
    const differ = code.local("i32");
    const lower = pair === 1 ? 0x55555555 : 0x33333333;
    for (let s = 0; s < SLICES; s++) {
      const bytesOf = (lane: number): number[] => [0, 1, 2, 3].map((byte) => 4 * (lane ^ pair) + byte);
      code.localGet(1 + s).localGet(1 + s);
      code.localGet(1 + s).i8x16Shuffle([0, 1, 2, 3].flatMap(bytesOf));
      code.i32x4Ne().i32x4Bitmask();
      if (s > 0)
        code
          .i32Const(4 * s)
          .i32Shl()
          .i32Or();
    }
    code.localGet(0).i32And();
    // The lanes whose partner is active.
    code.localGet(0).i32Const(pair).i32ShrU().i32Const(lower).i32And();
    code.localGet(0).i32Const(lower).i32And().i32Const(pair).i32Shl().i32Or();
    code.i32And().localSet(differ);
    return differ;
  }

  /** Where the lanes of one kind of pairs have the same addresses, both groups become one. */
  #joinPairs(
    code: FunctionBuilder,
    differ: readonly Local[],
    lanes: number,
    [low, high]: readonly [Local, Local],
  ): void {
    differ.forEach((mask, n) => {
      code.localGet(mask).i32Const(lanes).i32And().i32Eqz();
      if (n > 0) code.i32Or();
    });
    code.if();
    code.localGet(low).localGet(high).i32Or().localSet(low).i32Const(0).localSet(high);
    code.end();
  }

  /**
   * Enters word `index` of a lane's address into its bank's list. `most`: the longest list so far; `all`: what the
   * function returns.
   */
  #askBank(code: FunctionBuilder, lane: Local, index: number, { most, all }: { most: Local; all: Local }): void {
    const word = code.local("i32");
    const list = code.local("i32");
    const count = code.local("i32");
    const counter = code.local("i32");
    const at = code.local("i32");
    pushLaneAddress(code, this.#scratch, lane, "i32");
    code.i32Load(LANE_VALUES).i32Const(Math.log2(BANK_BYTES)).i32ShrU();
    if (index > 0) code.i32Const(index).i32Add();
    code
      .localTee(word)
      .i32Const(BANKS - 1)
      .i32And()
      .globalGet(this.#scratch)
      .i32Add()
      .localTee(counter);
    code.i32Load8U(BANK_COUNTS).localSet(count);
    code
      .localGet(word)
      .i32Const(BANKS - 1)
      .i32And()
      .i32Const(LIST_BYTES)
      .i32Mul();
    code.globalGet(this.#scratch).i32Add().localSet(list);
    code.i32Const(0).localSet(at);
    const known = code.block();
    const isNew = code.block();
    const again = code.loop();
    code.localGet(at).localGet(count).i32Eq().brIf(isNew);
    code.localGet(list).localGet(at).i32Const(2).i32Shl().i32Add().i32Load(BANK_WORDS);
    code.localGet(word).i32Eq().brIf(known);
    code.localGet(at).i32Const(1).i32Add().localSet(at).br(again);
    code.end(again);
    code.end(isNew);
    code.localGet(list).localGet(count).i32Const(2).i32Shl().i32Add().localGet(word).i32Store(BANK_WORDS);
    code.localGet(count).i32Const(1).i32Add().localSet(count);
    code.localGet(counter).localGet(count).i32Store8(BANK_COUNTS);
    code.localGet(count).localGet(most).localGet(count).localGet(most).i32GtU().select().localSet(most);
    code.localGet(all).i32Const(WORD).i32Add().localSet(all);
    code.end(known);
    code.free(word, list, count, counter, at);
  }

  /** Lays eight vectors out by lane. `first`: the local of the first. */
  #storeLanes(code: FunctionBuilder, first: Local): void {
    for (let s = 0; s < SLICES; s++)
      code
        .globalGet(this.#scratch)
        .localGet(first + s)
        .v128Store(LANE_VALUES + 16 * s);
  }

  /**
   * (mask, eight vectors, first, bytes) → the active lanes whose address lies in the window of so many bytes from
   * `first` on.
   */
  get inWindow(): FunctionBuilder {
    let code = this.#made.get("lanes_in_window");
    if (code === undefined) {
      code = this.#module.function("lanes_in_window", ["i32", ...VECTORS, "i32", "i32"], ["i32"]);
      this.#made.set("lanes_in_window", code);
      const [first, bytes] = [1 + SLICES, 2 + SLICES];
      for (let s = 0; s < SLICES; s++) {
        code
          .localGet(1 + s)
          .localGet(first)
          .i32x4Splat()
          .i32x4Sub();
        code.localGet(bytes).i32x4Splat().i32x4LtU().i32x4Bitmask();
        if (s > 0)
          code
            .i32Const(4 * s)
            .i32Shl()
            .i32Or();
      }
      code.localGet(0).i32And();
    }
    return code;
  }

  /**
   * (mask, eight vectors of addresses, record, transactions, base) keeps the request as the sample of the record
   * (machine/lane-sample.ts). Addresses count from `base` on.
   */
  get keepSample(): FunctionBuilder {
    let code = this.#made.get("keep_sample");
    if (code === undefined) {
      code = this.#module.function("keep_sample", ["i32", ...VECTORS, "i32", "i32", "i32"], []);
      this.#made.set("keep_sample", code);
      const [record, transactions, base] = [1 + SLICES, 2 + SLICES, 3 + SLICES];
      code.localGet(record).localGet(transactions).i32Store(SAMPLE_AT.transactions);
      code.localGet(record).localGet(0).i32Store(SAMPLE_AT.lanes);
      code.localGet(record).globalGet(this.#block).i32Store(SAMPLE_AT.block);
      for (let s = 0; s < SLICES; s++) {
        code.localGet(record);
        code
          .localGet(1 + s)
          .localGet(base)
          .i32x4Splat()
          .i32x4Sub();
        code.v128Store(SAMPLE_AT.addresses + 16 * s);
      }
    }
    return code;
  }

  /** Writes the records of the lines that a warp touches. */
  get noteLines(): FunctionBuilder {
    const globals = { scratch: this.#scratch, block: this.#block };
    return this.#once("note_lines", () => buildNoteLines(this.#module, globals));
  }

  get beginBlock(): FunctionBuilder {
    return this.#once("begin_block", () => buildBeginBlock(this.#module));
  }

  get arriveAtBarrier(): FunctionBuilder {
    return this.#once("arrive_at_barrier", () => buildArriveAtBarrier(this.#module));
  }

  /** Marks the sectors that lanes touch one by one. */
  markLanes(operation: number): FunctionBuilder {
    const name = `mark_lanes_${operation}`;
    return this.#once(name, () => buildMarkLanes(this.#module, name, operation, this.#scratch));
  }

  #once(name: string, build: () => FunctionBuilder): FunctionBuilder {
    let code = this.#made.get(name);
    if (code === undefined) this.#made.set(name, (code = build()));
    return code;
  }

  #make(name: string, build: (code: FunctionBuilder) => void): FunctionBuilder {
    let code = this.#made.get(name);
    if (code === undefined) {
      code = this.#module.function(name, ["i32", ...VECTORS], ["i32"]);
      this.#made.set(name, code);
      build(code);
    }
    return code;
  }
}
