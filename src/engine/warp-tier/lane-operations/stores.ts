/**
 * Stores of all lanes at once: vector stores behind one check, else lane by lane.
 *
 * A value that only the store needs may be computed slice by slice, alternating with the store's slices.
 */
import { bug } from "../../../base/diagnostics.ts";
import type { IrValue, StoreInstruction } from "../../../ir/model/ir.ts";
import type { FunctionBuilder } from "../../../wasm/function-builder.ts";
import { bytesOf, partsOf, type Element } from "./element.ts";
import { SLICES, ZERO_OFFSETS } from "../../../analysis/lane-addresses/lane-shape.ts";
import {
  type Access,
  type MemoryContext,
  accessOf,
  pushTestOrFlag,
  pushHelperArguments,
  pushIsFull,
  andFullMask,
  pushLaneTest,
} from "./memory-access.ts";
import type { SliceLoader } from "./slice-loads.ts";
import { sliceAddresses, type Range, type SliceAddresses } from "./slice-addresses.ts";

/** What computes a stored value, when nothing else needs it: see DeferredVectorOps. */
export interface DeferredStoreValue {
  readonly loads: readonly { readonly pointer: IrValue; readonly loader: SliceLoader }[];
  /** Emits it slice by slice; `afterSlice` stores a slice once its value is in locals. At most once before `flush`. */
  emit(afterSlice: (slice: number) => void): void;
  /** Emits all of it. */
  flush(): void;
}

/**
 * Emits a store of or through varying values.
 *
 * @param deferred what computes the value. Loads, arithmetic and stores then alternate by slices, where the loads read
 * other memory than the store writes, or each lane loads where it stores. Eight loads in a row and then eight stores
 * would leave the processor's memory pipeline half idle.
 */
export function emitVectorStore(
  context: MemoryContext,
  i: StoreInstruction,
  deferred: DeferredStoreValue | null = null,
): void {
  const store = new VectorStore(context, i);
  const loads = deferred === null ? null : store.loadsToCompare(deferred);
  if (deferred === null || loads === null) {
    deferred?.flush();
    store.emit();
  } else store.emitBySlices(deferred, loads);
}

class VectorStore {
  readonly #context: MemoryContext;
  readonly #i: StoreInstruction;
  readonly #access: Access;
  /** Null where nothing is known of the addresses, or the access is no vector access. */
  readonly #addresses: SliceAddresses | null;
  readonly #isPlain: boolean;
  readonly #parts: 1 | 2;

  constructor(context: MemoryContext, i: StoreInstruction) {
    this.#context = context;
    this.#i = i;
    const access = accessOf(i);
    this.#access = access;
    this.#isPlain = access.align >= access.bytes && access.element !== "i1";
    this.#addresses = this.#isPlain ? sliceAddresses(context, access) : null;
    this.#parts = partsOf(access.element);
  }

  /**
   * The ranges of deferred loads that may overlap with what is stored. Null where slices cannot alternate: a range is
   * not known, or the store needs single lanes.
   */
  loadsToCompare(deferred: DeferredStoreValue): readonly Range[] | null {
    const range = this.#addresses?.range ?? null;
    const hasVectorsOnly = ZERO_OFFSETS.every((_, lane) => this.#isVector(lane >> 2));
    if (this.#i.volatile || range === null || !hasVectorsOnly) return null;
    return rangesToCompare(this.#i, range, deferred);
  }

  emit(): void {
    if (!this.#isPlain) {
      this.#emitSlowPath();
      return;
    }
    this.#addresses?.setBases();
    this.#emitAll();
    this.#addresses?.dispose();
  }

  /** Stores each slice as soon as its value is computed, if no load reads what is stored; else all of it afterwards. */
  emitBySlices(deferred: DeferredStoreValue, loads: readonly Range[]): void {
    const { code } = this.#context;
    const addresses = this.#addresses ?? bug("a store by slices without known addresses");
    addresses.setBases();
    let isConditional = this.#pushCondition();
    for (const load of loads) {
      pushAreApart(code, load, addresses.range ?? bug("a store by slices without its range"));
      if (isConditional) code.i32And();
      isConditional = true;
    }
    if (isConditional) code.hint("likely").if();
    deferred.emit((slice) => this.#storeSlice(slice));
    if (isConditional) {
      code.else();
      deferred.flush();
      this.#emitAll();
      code.end();
    }
    addresses.dispose();
  }

  #isVector(slice: number): boolean {
    const { bytes } = this.#access;
    return this.#addresses !== null && this.#addresses.strides[slice] === bytes && bytes >= 4;
  }

  /** Pushes whether all lanes can store at once. False, and nothing pushed, if that is certain. */
  #pushCondition(): boolean {
    const context = this.#context;
    if (context.isProvenInBounds(this.#access, "active")) {
      if (context.isFull) return false;
      pushIsFull(context);
      return true;
    }
    pushTestOrFlag(context, this.#i, () => {
      const { pointer } = this.#access;
      if (this.#addresses === null) pushLaneTest(context, this.#access, (s) => context.values.pushVector(pointer, s));
      else this.#addresses.pushTest();
    });
    andFullMask(context);
    return true;
  }

  #emitAll(): void {
    const { code } = this.#context;
    const hasSlowPath = this.#pushCondition();
    if (hasSlowPath) code.hint("likely").if();
    for (let s = 0; s < SLICES; s++) this.#storeSlice(s);
    if (!hasSlowPath) return;
    code.else();
    this.#emitSlowPath();
    code.end();
  }

  #storeSlice(s: number): void {
    const { code, values } = this.#context;
    const { pointer, bytes, element } = this.#access;
    const addresses = this.#addresses;
    const { value } = this.#i;
    if (addresses !== null && this.#isVector(s)) {
      for (let p = 0; p < this.#parts; p++) {
        addresses.push(s * 4);
        values.pushVector(value, s, p);
        code.v128Store(addresses.offset(s * 4) + p * 16, bytes);
      }
      return;
    }
    for (let lane = 4 * s; lane < 4 * s + 4; lane++) {
      if (addresses === null) values.pushLane(pointer, lane);
      else addresses.push(lane);
      values.pushLane(value, lane);
      storeScalar(code, element, addresses?.offset(lane) ?? 0);
    }
  }

  /** Out of line: the active lanes one after the other, with exact checks. */
  #emitSlowPath(): void {
    const { code, values, helpers } = this.#context;
    const { bytes, align } = this.#access;
    pushHelperArguments(this.#context, this.#i, this.#access, this.#addresses);
    for (let s = 0; s < SLICES; s++) for (let p = 0; p < this.#parts; p++) values.pushVector(this.#i.value, s, p);
    code.call(helpers.scatter(bytes, align, this.#addresses?.offsets ?? "vectors"));
  }
}

/**
 * The ranges of the deferred loads that may overlap with what is stored; null if one is not known. A load of the stored
 * addresses is none of them: each lane loads where it stores.
 */
function rangesToCompare(store: StoreInstruction, stored: Range, { loads }: DeferredStoreValue): Range[] | null {
  const others = loads.filter(
    ({ pointer, loader }) => pointer !== store.pointer || loader.range?.bytes !== stored.bytes,
  );
  const ranges = others.flatMap(({ loader }) => loader.range ?? []);
  return ranges.length === others.length ? ranges : null;
}

/** Pushes "no byte is in both". */
export function pushAreApart(code: FunctionBuilder, a: Range, b: Range): void {
  code
    .localGet(a.base)
    .localGet(b.base)
    .i32Sub()
    .i32Const(a.distance - b.distance + a.bytes - 1)
    .i32Add();
  code.i32Const(a.bytes + b.bytes - 2).i32GtU();
}

function storeScalar(code: FunctionBuilder, element: Element, offset: number): void {
  if (element === "i64") code.i64Store(offset);
  else if (element === "f64") code.f64Store(offset);
  else if (element === "f32") code.f32Store(offset);
  else if (bytesOf(element) === 4) code.i32Store(offset);
  else if (bytesOf(element) === 2) code.i32Store16(offset);
  else code.i32Store8(offset);
}
