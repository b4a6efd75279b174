/**
 * Stores of all lanes at once: vector stores behind one check, else lane by lane.
 *
 * A value that only the store needs may be computed slice by slice, alternating with the store's slices.
 */
import type { IrValue, StoreInstruction } from "../../../ir/model/ir.ts";
import type { FunctionBuilder } from "../../../wasm/function-builder.ts";
import { bytesOf, isWide, type Element } from "./element.ts";
import { SLICES, ZERO_OFFSETS } from "../../../analysis/lane-shape.ts";
import {
  type MemoryContext,
  accessOf,
  pushTestOrFlag,
  pushHelperArguments,
  pushIsFull,
  andFullMask,
  pushLaneTest,
} from "./memory-access.ts";
import type { SliceLoader } from "./slice-loads.ts";
import { type Range, sliceAddresses } from "./slice-addresses.ts";

/** What computes a stored value, when nothing else needs it: see DeferredVectorOps. */
export interface DeferredStoreValue {
  readonly loads: readonly { readonly pointer: IrValue; readonly loader: SliceLoader }[];
  /**
   * Emits it slice by slice, and what is to be done with each slice when its value is in the value's locals. To be
   * called at most once before `flush`.
   */
  emit(afterSlice: (slice: number) => void): void;
  /** Emits all of it. */
  flush(): void;
}

/**
 * Emits a store of or through varying values.
 *
 * @param deferred what computes the value, pending: loads, arithmetic and stores alternate by slices where the memory that
 * is loaded is not that which is stored, or
 *   each lane loads where it stores. Eight loads in a row, and then eight stores, leave a processor's memory pipeline half idle.
 */
export function emitVectorStore(
  context: MemoryContext,
  i: StoreInstruction,
  deferred: DeferredStoreValue | null = null,
): void {
  const { code, values } = context;
  const access = accessOf(i);
  const isPlain = access.align >= access.bytes && access.element !== "i1";
  const addresses = isPlain ? sliceAddresses(context, access) : null;
  const isByVectors = (s: number): boolean =>
    addresses !== null && addresses.strides[s] === access.bytes && access.bytes >= 4;
  const parts = isWide(access.element) ? 2 : 1;
  const slow = (): void => {
    pushHelperArguments(context, i, access, addresses);
    for (let s = 0; s < SLICES; s++) for (let p = 0; p < parts; p++) values.pushVector(i.value, s, p);
    code.call(context.helpers.scatter(access.bytes, access.align, addresses?.offsets ?? "vectors"));
  };
  const storeSlice = (s: number): void => {
    if (addresses !== null && isByVectors(s)) {
      for (let p = 0; p < parts; p++) {
        addresses.push(s * 4);
        values.pushVector(i.value, s, p);
        code.v128Store(addresses.offset(s * 4) + p * 16, access.bytes);
      }
      return;
    }
    for (let lane = 4 * s; lane < 4 * s + 4; lane++) {
      if (addresses === null) values.pushLane(access.pointer, lane);
      else addresses.push(lane);
      values.pushLane(i.value, lane);
      storeScalar(code, access.element, addresses?.offset(lane) ?? 0);
    }
  };
  const ranges =
    deferred === null ||
    i.volatile ||
    addresses?.range == null ||
    !ZERO_OFFSETS.every((_, lane) => isByVectors(lane >> 2))
      ? null
      : rangesToCompare(i, addresses.range, deferred);
  if (ranges === null) deferred?.flush();
  if (!isPlain) {
    slow();
    return;
  }
  addresses?.setBases();
  const isInBounds = context.isProvenInBounds(access, "active");
  /** Whether all lanes can store at once; isInBounds, if it returns false, and then nothing was pushed. */
  const pushCondition = (): boolean => {
    if (isInBounds) {
      if (context.isFull) return false;
      pushIsFull(context);
      return true;
    }
    pushTestOrFlag(context, i, () => {
      if (addresses === null) pushLaneTest(context, access, (s) => values.pushVector(access.pointer, s));
      else addresses.pushTest();
    });
    andFullMask(context);
    return true;
  };
  const storeAll = (): void => {
    const hasSlowPath = pushCondition();
    if (hasSlowPath) code.hint("likely").if();
    for (let s = 0; s < SLICES; s++) storeSlice(s);
    if (!hasSlowPath) return;
    code.else();
    slow();
    code.end();
  };
  if (ranges === null || deferred === null || addresses?.range == null) storeAll();
  else {
    const isConditional = pushCondition();
    for (const [n, range] of ranges.entries()) {
      pushAreApart(code, range, addresses.range);
      if (n > 0 || isConditional) code.i32And();
    }
    if (isConditional || ranges.length > 0) code.hint("likely").if();
    deferred.emit(storeSlice);
    if (isConditional || ranges.length > 0) {
      code.else();
      deferred.flush();
      storeAll();
      code.end();
    }
  }
  addresses?.dispose();
}

/**
 * The ranges of the pending loads that may overlap with what is stored; null: not known. Lanes may load where they
 * store themselves.
 */
function rangesToCompare(store: StoreInstruction, stored: Range, { loads }: DeferredStoreValue): Range[] | null {
  const others = loads.filter(
    ({ pointer, loader }) => pointer !== store.pointer || loader.range?.bytes !== stored.bytes,
  );
  const ranges = others.flatMap(({ loader }) => loader.range ?? []);
  return ranges.length === others.length ? ranges : null;
}

/** Pushes "no byte is in both". */
function pushAreApart(code: FunctionBuilder, a: Range, b: Range): void {
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
