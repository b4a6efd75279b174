/**
 * Pure instructions on varying values, and loads that can be loaded slice by slice. They are deferred until something
 * needs their results, and then emitted slice by slice, depth first, so that few vectors are live. An operation that
 * one other deferred operation uses is emitted in its user's place.
 */
import { bug } from "../../../base/diagnostics.ts";
import type { IrBlock, IrInstruction, LoadInstruction, StoreInstruction } from "../../../ir/model/ir.ts";
import { operandsOf } from "../../../ir/model/operands.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import { elementOf, partsOf } from "./element.ts";
import { COMPACT_ROOM, type GroupRoom } from "./lane-scratch.ts";
import type { MemoryContext } from "./memory-access.ts";
import { StoreGroup } from "./store-groups.ts";
import { SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { Uses } from "../planning/value-uses.ts";
import { type Values } from "./value-location.ts";
import type { DeferredStoreValue } from "./stores.ts";
import type { SliceLoader } from "./slice-loads.ts";
import { VectorInstructions, pushesOnce, type VectorInstructionContext } from "./vector-instructions.ts";

/** The depth of a tree of operations without locals. The chains of different slices overlap only where trees end. */
const MAX_INLINE_DEPTH = 4;
/** With more deferred operations than this, a scalar load does not look through them. */
const MAX_OPS_SCANNED = 64;
/** Slices computed side by side where each is stored at once. The processor overlaps them with earlier ones anyway. */
const SLICES_BETWEEN_STORES = 2;
/** Up to so many operations are emitted twice where a store needs them: for its fast path and its slow path. */
const MAX_OPS_EMITTED_TWICE = 48;
/** Vectors that may be live at once: x86-64 has sixteen vector registers, and operands need some of them. */
const LIVE_VECTORS = 12;

export class DeferredVectorOps {
  readonly emitter: VectorInstructions;
  readonly #code: FunctionBuilder;
  readonly #values: Values;
  readonly #uses: Uses;
  #pending: IrInstruction[] = [];
  #depths = new Map<IrInstruction, number>();
  /** Index in the block of the last instruction that uses a value. */
  #lastUse = new Map<IrInstruction, number>();
  /** The loaders of deferred loads. Memory does not change while they are deferred. */
  #loaders = new Map<IrInstruction, SliceLoader>();
  /** Stores that wait with them. */
  #stores: StoreGroup | null = null;
  readonly #storeRoom: GroupRoom;
  /** Bytes of the compact region that deferred loads have taken. */
  #room = 0;
  #block: IrBlock | null = null;
  /** Loaded slices that other slices use again. */
  readonly #repeated = new Map<string, Local>();

  constructor(context: VectorInstructionContext, uses: Uses) {
    this.#storeRoom = context.kernelModule.groupRoom;
    this.#code = context.code;
    this.#values = context.values;
    this.#uses = uses;
    this.emitter = new VectorInstructions(context, (i, s, p) => this.#pushLoaded(i, s, p));
    context.values.emitInline = (i, s, p) => this.emitter.push(i, s, p);
  }

  beginBlock(block: IrBlock): void {
    this.drop();
    this.#block = block;
    this.#lastUse = new Map();
    block.instructions.forEach((user, at) => {
      for (const o of operandsOf(user)) if (o.kind === "instruction") this.#lastUse.set(o, at);
    });
    this.#depths = new Map();
    this.#values.inline.clear();
  }

  defer(i: IrInstruction): void {
    this.#pending.push(i);
  }

  /** Takes bytes of the compact region for a load that will be deferred, and returns where they begin. */
  takeRoom(bytes: number): number {
    if (this.#room + bytes > COMPACT_ROOM) this.flush();
    const begin = this.#room;
    this.#room += bytes;
    return begin;
  }

  /** What waits must be done before memory is read or changed otherwise. */
  flushStores(): void {
    if (this.#stores !== null) this.flush();
  }

  /** Lets a store wait until the deferred operations are emitted; false where it cannot, or nothing is gained. */
  deferStore(context: MemoryContext, store: StoreInstruction): boolean {
    const { value } = store;
    if (this.#stores === null && (value.kind !== "instruction" || !this.#pending.includes(value))) return false;
    const loads = [...this.#loaders].map(([load, loader]) => ({ load: load as LoadInstruction, loader }));
    const group = this.#stores ?? new StoreGroup(context, this.#block!, loads, this.#storeRoom);
    if (!group.add(context, store)) return false;
    this.#stores = group;
    this.#pending.push(store);
    return true;
  }

  deferLoad(i: IrInstruction, loader: SliceLoader): void {
    this.#loaders.set(i, loader);
    this.#pending.push(i);
  }

  /**
   * Emits the deferred operations if instruction `at` and those after it need at most one of their values. Called
   * before a scalar is loaded: otherwise the scalars of many steps of a sum would all be loaded first.
   */
  flushIfSettled(at: number): void {
    this.flushStores();
    if (this.#pending.length === 0 || this.#pending.length > MAX_OPS_SCANNED) return;
    let needed = 0;
    for (const i of this.#pending) if (this.#uses.crossesBlocks.has(i) || (this.#lastUse.get(i) ?? -1) >= at) needed++;
    if (needed <= 1) this.flush();
  }

  /** Emits the deferred operations. Afterwards all their results are in locals. */
  flush(): void {
    if (this.#pending.length === 0) return;
    this.#stores?.begin();
    this.#emitSlices(SLICES, () => {});
    this.#stores?.end();
    this.drop();
  }

  /** Forgets the deferred operations: they are emitted, or nothing needs them. */
  drop(): void {
    this.#pending = [];
    this.#loaders.clear();
    this.#stores = null;
    this.#room = 0;
  }

  /**
   * The deferred operations as part of a store, which is instruction `at`. Null if anything but the store needs their
   * results, or if nothing is gained.
   */
  valueOfStore(store: StoreInstruction, at: number): DeferredStoreValue | null {
    const { value } = store;
    if (this.#stores !== null) return null;
    if (value.kind !== "instruction" || this.#pending.length > MAX_OPS_EMITTED_TWICE || !this.#pending.includes(value))
      return null;
    if (this.#pending.some((i) => this.#uses.crossesBlocks.has(i) || (this.#lastUse.get(i) ?? -1) > at)) return null;
    return {
      loads: [...this.#loaders].map(([load, loader]) => ({ pointer: (load as LoadInstruction).pointer, loader })),
      emit: (afterSlice) => this.#emitSlices(SLICES_BETWEEN_STORES, afterSlice),
      flush: () => this.flush(),
    };
  }

  /** Emits all slices of the deferred operations, at most so many side by side. */
  #emitSlices(most: number, afterSlice: (slice: number) => void): void {
    const { inline } = this.#values;
    this.#chooseInline();
    const emitted = this.#emissionOrder();
    for (const i of emitted) if (i.op !== "store") this.#values.locationOf(i);
    const together = Math.min(most, this.#slicesTogether(emitted));
    const order = this.#sliceOrder();
    for (let first = 0; first < SLICES; first += together) {
      for (const i of emitted) {
        const parts = partsOfResult(i);
        for (const s of order.slice(first, first + together)) {
          if (i.op === "store") this.#stores!.storeSlice(i, s);
          for (let p = 0; p < parts; p++) {
            this.emitter.push(i, s, p);
            this.#values.setVector(i, s, p);
          }
        }
      }
      order.slice(first, first + together).forEach(afterSlice);
    }
    inline.clear();
    this.#code.free(...this.#repeated.values());
    this.#repeated.clear();
  }

  /**
   * The operations that are not in their user's place. Where stores are among them, a load stands before its first
   * user.
   */
  #emissionOrder(): readonly IrInstruction[] {
    const { inline } = this.#values;
    const own = this.#pending.filter((i) => !inline.has(i));
    const stores = this.#stores;
    if (stores === null) return own;
    const waiting = new Set(own.filter((i) => i.op === "load" && stores.mayMove(i)));
    const order: IrInstruction[] = [];
    const addLoadsOf = (user: IrInstruction): void => {
      for (const o of operandsOf(user)) {
        if (o.kind !== "instruction") continue;
        if (inline.has(o)) addLoadsOf(o);
        else if (waiting.delete(o)) order.push(o);
      }
    };
    for (const i of own.filter((i) => !waiting.has(i))) {
      addLoadsOf(i);
      order.push(i);
    }
    return [...order, ...waiting];
  }

  /** Chooses the operations whose code stands in their only user's place. */
  #chooseInline(): void {
    const members = new Set(this.#pending);
    const { inline } = this.#values;
    inline.clear();
    for (const i of this.#pending) {
      let depth = 1;
      for (const o of operandsOf(i))
        if (o.kind === "instruction" && inline.has(o)) depth = Math.max(depth, 1 + (this.#depths.get(o) ?? 0));
      this.#depths.set(i, depth);
      const user = this.#uses.onlyUser.get(i);
      if (
        user &&
        members.has(user) &&
        !this.#uses.crossesBlocks.has(i) &&
        depth < MAX_INLINE_DEPTH &&
        (user.op === "store" || pushesOnce(user, this.#values, this.emitter.helpers.options.relaxedFma)) &&
        (i.op !== "load" || this.#stores?.mayMove(i) !== false)
      )
        inline.add(i);
    }
  }

  /** Slices that load the same bytes follow each other, so that one load serves them. */
  #sliceOrder(): readonly number[] {
    const period = Math.min(SLICES, ...[...this.#loaders.values()].map((loader) => loader.period));
    const slices = Array.from({ length: SLICES }, (_, s) => s);
    return slices.sort((a, b) => (a % period) - (b % period) || a - b);
  }

  #pushLoaded(i: IrInstruction, s: number, p: number): void {
    const code = this.#code;
    const repeated = this.#repeated;
    const loader = this.#loaders.get(i) ?? bug("a load without its loader");
    if (loader.period === SLICES) {
      loader.push(s, p);
      return;
    }
    const key = `${this.#pending.indexOf(i)}.${s % loader.period}.${p}`;
    const known = repeated.get(key);
    if (known !== undefined) {
      code.localGet(known);
      return;
    }
    const local = code.local("v128");
    repeated.set(key, local);
    loader.push(s, p);
    code.localTee(local);
  }

  /**
   * How many slices are emitted side by side: many hide the latency of dependent operations, few keep values in
   * registers.
   */
  #slicesTogether(emitted: readonly IrInstruction[]): number {
    const lastUse = new Map<IrInstruction, number>();
    const note = (user: IrInstruction, at: number): void => {
      for (const o of operandsOf(user)) {
        if (o.kind !== "instruction") continue;
        if (this.#values.inline.has(o)) note(o, at);
        else lastUse.set(o, at);
      }
    };
    emitted.forEach((i, at) => note(i, at));
    const ends = new Map<number, number>();
    for (const i of emitted) {
      const end = lastUse.get(i);
      if (end !== undefined) ends.set(end, (ends.get(end) ?? 0) + partsOfResult(i));
    }
    let live = 0;
    const peaks = emitted.map((i, at) => {
      // A slice's operands make room for its result.
      live += partsOfResult(i) - (ends.get(at) ?? 0);
      const peak = live;
      if (!lastUse.has(i) && !this.#uses.crossesBlocks.has(i)) live -= partsOfResult(i);
      return peak;
    });
    return slicesWith(Math.max(...peaks));
  }
}

/** Vectors of a slice of its result. */
function partsOfResult(i: IrInstruction): number {
  return i.op === "store" ? 0 : partsOf(elementOf(i.type));
}

/** Slices that run side by side, where each has so many vectors live at once. */
export function slicesWith(vectors: number): number {
  let slices = SLICES;
  while (slices > 1 && slices * vectors > LIVE_VECTORS) slices /= 2;
  return slices;
}
