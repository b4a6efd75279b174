/**
 * Loads and stores of varying values.
 *
 * A fast path where the addresses are known to be contiguous or equal within slices (vector loads and stores behind one
 * check), lane accesses in line where nothing is known and all lanes are active; otherwise a helper, out of line, goes
 * through the active lanes. All lanes load before anything else happens, and store in one step: the lockstep that real
 * warps show when they are converged.
 */
import type { IrInstruction, IrValue, LoadInstruction, StoreInstruction } from "../../../ir/model/ir.ts";
import { USER_BASE } from "../../../machine/memory-map.ts";
import { isToolAddress } from "../../../machine/observer.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { AccessLimits, ScalarContext } from "../../emit/environment.ts";
import { accessBytes, emitAccessTest, emitRawLoad, requiredAlign, splitPointer } from "../../emit/memory.ts";
import { bytesOf, elementOf, isWide, type Element } from "./element.ts";
import type { MemoryHelpers } from "./memory-helpers.ts";
import { pushMaskVector } from "../codegen/mask-locals.ts";
import { COMPACT_BYTES, reloadFromSlot } from "./lane-scratch.ts";
import { SLICES, ZERO_OFFSETS, rowOfLane, lanesOfRow, strideOf } from "../../../analysis/lane-shape.ts";
import { replaceLane, type Values } from "./value-location.ts";

export interface MemoryContext {
  readonly code: FunctionBuilder;
  readonly values: Values;
  readonly limits: AccessLimits;
  /** Index of the global that holds the scratch region's address. */
  readonly scratch: number;
  readonly helpers: MemoryHelpers;
  /** The mask of active lanes. */
  readonly mask: Local;
  /** All lanes are active whenever this block runs. */
  readonly isFull: boolean;
  siteOf(i: IrInstruction): number;
  /** A local that is 1 where all addresses of the access were found good ahead of it, or null. */
  flagOf(i: IrInstruction): Local | null;
  /** The addresses of all 32 lanes, or only those of the active ones, are known to be legal and aligned: no test. */
  isProvenInBounds(
    access: { readonly pointer: IrValue; readonly bytes: number; readonly align: number },
    lanes: "active" | "all",
  ): boolean;
  scalar(): ScalarContext;
}

/** From so many active lanes on, all are loaded side by side. */
const MANY_LANES = 8;
/** How far apart lanes may be for one test of all their addresses. */
const MAX_SPAN = 65536;

interface Access {
  readonly element: Element;
  readonly bytes: 1 | 2 | 4 | 8;
  readonly align: number;
  readonly pointer: IrValue;
}

function accessOf(i: LoadInstruction | StoreInstruction): Access {
  const element = elementOf(i.op === "load" ? i.type : i.value.type);
  const bytes = bytesOf(element);
  return { element, bytes, align: Math.min(Math.max(i.align, 1), 16), pointer: i.pointer };
}

export interface SliceLoader {
  /**
   * Slices that are so many apart are the same: in a block 16 wide, both rows of a warp read the same elements of a
   * matrix's row.
   */
  readonly period: number;
  /** What all lanes load, if it lies together. */
  readonly range: Range | null;
  /** Leaves slice s of a loaded value, part p of it for 64-bit elements. */
  push(s: number, p: number): void;
}

/**
 * A load whose lanes lie at known distances from one base, not far apart: emits the test of the addresses and returns
 * what loads a slice, for as long as memory stays as it is; so slices can be loaded one by one where they are used, and
 * few vectors are live. Null for any other load, of which nothing has been emitted. `region`: one of COMPACT_REGIONS
 * that no pending load has.
 */
export function prepareSliceLoads(context: MemoryContext, i: LoadInstruction, region: number): SliceLoader | null {
  const { code } = context;
  const access = accessOf(i);
  if (access.align < access.bytes || access.element === "i1") return null;
  const rows = rowsOf(context, access);
  const room = COMPACT_BYTES / (rows?.length ?? 1);
  if (rows === null || rows.some(({ span }) => span + access.bytes > room)) return null;
  // Lanes without part are not far from one that has, and a tool's memory reaches beyond what it accesses.
  const isProvenInBounds = isLoadInBounds(context, access) || (rows.length === 1 && isToolAddress(access.pointer));
  const addresses = rowAddresses(
    context,
    access,
    rows,
    () => context.values.blockLocal("i32"),
    isProvenInBounds ? splitPointer(i.pointer, i) : undefined,
  );
  addresses.setBases();
  const loader: SliceLoader = {
    period: periodOf(addresses),
    range: addresses.range,
    push: (s, p) => pushSlice(context, access, addresses, s, p),
  };
  if (isProvenInBounds) return loader;
  const flag = context.flagOf(i);
  if (flag !== null) code.localGet(flag).i32Eqz().hint("unlikely").if();
  rows.forEach((row, n) => {
    // Elements that cannot be loaded as they lie are brought together first, each row in its part of the room; then
    // there is one way for all.
    addresses.pushRowTest(n);
    code.i32Eqz().hint("unlikely").if();
    code.localGet(context.mask);
    if (rows.length > 1) code.i32Const(row.lanes).i32And();
    code
      .i32Const(context.siteOf(i))
      .localGet(addresses.bases[n]!)
      .i32Const(region * COMPACT_BYTES + n * room);
    code.call(context.helpers.compact(access.bytes, access.align, row.offsets));
    code.localSet(addresses.bases[n]!);
    code.end();
  });
  if (flag !== null) code.end();
  return loader;
}

/** The least number of slices after which addresses repeat. */
function periodOf({ bases, offset }: RowAddresses): number {
  if (bases.length > 1) return SLICES;
  for (let period = 1; period < SLICES; period *= 2) {
    if (ZERO_OFFSETS.every((_, lane) => offset(lane) === offset(lane % (4 * period)))) return period;
  }
  return SLICES;
}

/** A load of one value for each row of lanes. The address of a row without active lanes may be illegal. */
export function emitRowUniformLoad(context: MemoryContext, i: LoadInstruction): void {
  const { code, values } = context;
  const location = values.locationOf(i);
  if (location.kind !== "rowUniform") throw new Error("BUG: the result of a row-uniform load is kept otherwise");
  const bytes = accessBytes(i.type);
  const align = requiredAlign(i, bytes);
  const isInBounds = context.isProvenInBounds({ pointer: i.pointer, bytes, align }, "all");
  const flag = context.flagOf(i);
  if (isInBounds && !i.volatile) {
    const { base, distance } = splitPointer(i.pointer, i);
    location.locals.forEach((local, g) => {
      emitRawLoad(
        code,
        i.type,
        false,
        Math.min(align, bytes),
        distance + values.pushBaseNear(base, g, location.locals.length, distance),
      );
      code.localSet(local);
    });
    return;
  }
  const address = code.local("i32");
  location.locals.forEach((local, g) => {
    values.pushBase(i.pointer, g, location.locals.length);
    code.localSet(address);
    if (!isInBounds) {
      if (flag !== null) code.localGet(flag).i32Eqz().hint("unlikely").if();
      emitAccessTest(context.scalar(), address, bytes, align);
      code.hint("unlikely").if();
      code.localGet(context.mask);
      code
        .i32Const(lanesOfRow(g, location.locals.length))
        .i32And()
        .localGet(address)
        .i32Const(context.siteOf(i))
        .call(context.helpers.illegalUnlessIdle)
        .localSet(address);
      code.end();
      if (flag !== null) code.end();
    }
    code.localGet(address);
    emitRawLoad(code, i.type, i.volatile && align >= bytes, Math.min(align, bytes));
    code.localSet(local);
  });
  code.free(address);
}

/** Emits a load with a varying address; sets the instruction's locals. */
export function emitVectorLoad(context: MemoryContext, i: LoadInstruction): void {
  const { code, values } = context;
  const access = accessOf(i);
  const location = values.locationOf(i);
  if (location.kind !== "vector") throw new Error("BUG: load with a varying address has a vector result");
  const locals = location.locals;
  const parts = isWide(access.element) ? 2 : 1;
  const slow = (addresses: SliceAddresses | null = null): void => {
    pushHelperArguments(context, i, access, addresses);
    code.call(context.helpers.gather(access.bytes, access.align, addresses?.offsets ?? "vectors"));
    reloadFromSlot(code, locals, context.scratch, 1);
    if (access.element === "i1") for (const l of locals) code.localGet(l).i32x4Const(0, 0, 0, 0).i32x4Ne().localSet(l);
  };
  if (access.align < access.bytes || access.element === "i1") {
    slow();
    return;
  }
  const addresses = sliceAddresses(context, access);
  addresses?.setBases();
  const isInBounds = isLoadInBounds(context, access);
  if (!isInBounds && addresses === null && !context.isFull) {
    emitMaskedGather(context, i, access, locals, slow);
    return;
  }
  if (!isInBounds) {
    pushTestOrFlag(context, i, () => {
      if (addresses !== null) addresses.pushTest();
      else pushLaneTest(context, access, (s) => values.pushVector(access.pointer, s));
    });
    code.hint("likely").if();
  }
  for (let s = 0; s < SLICES; s++) {
    for (let p = 0; p < parts; p++) {
      if (addresses === null)
        pushGather(
          context,
          access,
          s,
          p,
          (lane) => values.pushLane(access.pointer, lane),
          () => 0,
        );
      else pushSlice(context, access, addresses, s, p);
      code.localSet(locals[s * parts + p]!);
    }
  }
  if (!isInBounds) {
    code.else();
    slow(addresses);
    code.end();
  }
  addresses?.dispose();
}

/**
 * A load of which nothing is known while some lanes may be masked off, and hold any address. With many lanes at work
 * the others read at a harmless place, and no lane needs a test of its own; with few, going through them one by one is
 * quicker.
 */
function emitMaskedGather(
  context: MemoryContext,
  i: LoadInstruction,
  access: Access,
  locals: readonly Local[],
  slow: () => void,
): void {
  const { code, values } = context;
  const parts = isWide(access.element) ? 2 : 1;
  const addresses = Array.from({ length: SLICES }, () => code.local("v128"));
  addresses.forEach((local, s) => {
    values.pushVector(access.pointer, s);
    code.localSet(local);
  });
  pushTestOrFlag(context, i, () => {
    code.localGet(context.mask).i32Popcnt().i32Const(MANY_LANES).i32GeU().if("i32");
    addresses.forEach((local, s) => {
      code.localGet(local);
      values.pushIntegers(USER_BASE);
      pushMaskVector(values, context.mask, s);
      values.selectByMask();
      code.localSet(local);
    });
    pushLaneTest(context, access, (s) => code.localGet(addresses[s]!));
    code.else().i32Const(0).end();
  });
  code.if();
  for (let s = 0; s < SLICES; s++) {
    for (let p = 0; p < parts; p++) {
      pushGather(
        context,
        access,
        s,
        p,
        (lane) => code.localGet(addresses[s]!).i32x4ExtractLane(lane & 3),
        () => 0,
      );
      code.localSet(locals[s * parts + p]!);
    }
  }
  code.else();
  slow();
  code.end();
  code.free(...addresses);
}

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

/** Bytes of memory from a base on. */
interface Range {
  readonly base: Local;
  readonly distance: number;
  readonly bytes: number;
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

/** Pushes what `pushTest` pushes, or 1 where that is known already. */
function pushTestOrFlag(context: MemoryContext, i: IrInstruction, pushTest: () => void): void {
  const flag = context.flagOf(i);
  if (flag === null) {
    pushTest();
    return;
  }
  const { code } = context;
  code.localGet(flag).hint("likely").if("i32");
  code.i32Const(1);
  code.else();
  pushTest();
  code.end();
}

/** Vector loads read the lanes that are masked off, too. */
function isLoadInBounds(context: MemoryContext, access: Access): boolean {
  return context.isProvenInBounds(access, context.isFull ? "active" : "all");
}

/** What every helper takes first: (mask, site, base) or (mask, site, eight vectors of addresses). */
function pushHelperArguments(
  context: MemoryContext,
  i: LoadInstruction | StoreInstruction,
  access: Access,
  addresses: SliceAddresses | null,
): void {
  context.code.localGet(context.mask);
  context.code.i32Const(context.siteOf(i));
  if (addresses !== null && addresses.offsets !== null) addresses.push(0);
  else for (let s = 0; s < SLICES; s++) context.values.pushVector(access.pointer, s);
}

function storeScalar(code: FunctionBuilder, element: Element, offset: number): void {
  if (element === "i64") code.i64Store(offset);
  else if (element === "f64") code.f64Store(offset);
  else if (element === "f32") code.f32Store(offset);
  else if (bytesOf(element) === 4) code.i32Store(offset);
  else if (bytesOf(element) === 2) code.i32Store16(offset);
  else code.i32Store8(offset);
}

/**
 * Loads one slice (part p of it): a vector where its lanes are neighbours or the same, else lane by lane. Leaves a
 * v128.
 */
function pushSlice(context: MemoryContext, access: Access, addresses: SliceAddresses, s: number, p: number): void {
  const { code } = context;
  const stride = addresses.strides[s]!;
  const offset = addresses.offset(4 * s);
  if (stride !== access.bytes && stride !== 0) {
    pushGather(
      context,
      access,
      s,
      p,
      (lane) => addresses.push(lane),
      (lane) => addresses.offset(lane),
    );
    return;
  }
  addresses.push(4 * s);
  if (stride === 0) {
    if (access.bytes === 8) code.v128Load64Splat(offset);
    else if (access.bytes === 4) code.v128Load32Splat(offset);
    else if (access.bytes === 2) code.i32Load16U(offset).i32x4Splat();
    else code.i32Load8U(offset).i32x4Splat();
  } else if (access.bytes === 8) code.v128Load(offset + 16 * p, 8);
  else if (access.bytes === 4) code.v128Load(offset, 4);
  else if (access.bytes === 2) code.v128Load16x4U(offset, 2);
  else code.v128Load32Zero(offset, 1).i16x8ExtendLowI8x16U().i32x4ExtendLowI16x8U();
}

function pushGather(
  context: MemoryContext,
  access: Access,
  s: number,
  p: number,
  push: (lane: number) => void,
  offset: (lane: number) => number,
): void {
  const { code } = context;
  const lanes = isWide(access.element) ? 2 : 4;
  const t = code.local("v128");
  for (let l = 0; l < lanes; l++) {
    const lane = 4 * s + p * lanes + l;
    const at = offset(lane);
    if (access.bytes >= 4) {
      push(lane);
      if (l === 0) {
        if (access.bytes === 8) code.v128Load64Zero(at);
        else code.v128Load32Zero(at);
      } else {
        code.localGet(t);
        if (access.bytes === 8) code.v128Load64Lane(l, at);
        else code.v128Load32Lane(l, at);
      }
    } else {
      if (l > 0) code.localGet(t);
      push(lane);
      if (access.bytes === 2) code.i32Load16U(at);
      else code.i32Load8U(at);
      if (l === 0) code.i32x4Splat();
      else replaceLane(code, access.element, l);
    }
    if (l < lanes - 1) code.localSet(t);
  }
  code.free(t);
}

/**
 * Where the lanes of each slice access memory, when that follows from a base for each row, or from one for each slice
 * (stride).
 */
interface SliceAddresses {
  /** Step between the lanes of a slice, or null. */
  readonly strides: readonly (number | null)[];
  /** Every lane's distance from the one base that push pushes, or null when there is more than one. */
  readonly offsets: readonly number[] | null;
  /** What all lanes access, if it lies together. */
  readonly range: Range | null;
  /** To be emitted before anything else. */
  setBases(): void;
  /** Pushes "all addresses are legal and aligned". */
  pushTest(): void;
  /** Pushes an address to which `offset(lane)` is added as the access's immediate. */
  push(lane: number): void;
  offset(lane: number): number;
  dispose(): void;
}

/** Null when nothing is known of the addresses. */
function sliceAddresses(context: MemoryContext, access: Access): SliceAddresses | null {
  const { code, values, limits } = context;
  const shape = values.context.shapeOf(access.pointer);
  const { bytes, align } = access;
  const rows = rowsOf(context, access);
  if (rows !== null) return rowAddresses(context, access, rows, () => code.local("i32"));
  const stride = strideOf(shape);
  if (stride === null || (stride !== 0 && stride !== bytes)) return null;
  if (align > bytes && stride !== 0) return null;
  const k = Math.log2(bytes);
  const bases = Array.from({ length: SLICES }, () => code.local("i32"));
  return {
    strides: new Array<number>(SLICES).fill(stride),
    offsets: null,
    range: null,
    setBases: () => {
      for (let s = 0; s < SLICES; s++) {
        values.pushLane(access.pointer, 4 * s);
        code.localSet(bases[s]!);
      }
    },
    pushTest: () => {
      const bad = code.local("i32");
      for (let s = 0; s < SLICES; s++) {
        code.localGet(bases[s]!).i32Const(USER_BASE).i32Sub();
        if (k > 0) code.i32Const(k).i32Rotr();
        code.globalGet(limits.scaled[k]!);
        if (stride !== 0) code.i32Const(3).i32Sub();
        code.i32GtU();
        if (align > bytes)
          code
            .localGet(bases[s]!)
            .i32Const(align - 1)
            .i32And()
            .i32Or();
        if (s > 0) code.localGet(bad).i32Or();
        code.localSet(bad);
      }
      code.localGet(bad).i32Eqz();
      code.free(bad);
    },
    push: (lane) => code.localGet(bases[lane >> 2]!),
    offset: (lane) => (lane & 3) * stride,
    dispose: () => code.free(...bases),
  };
}

/** The lanes that have one base: all of a warp, or a row of it. */
interface Row {
  /** What is added to the base for the lowest address. */
  readonly low: number;
  /** From the lowest address to the highest. */
  readonly span: number;
  /** By lane of the warp, from the lowest address; 0 for lanes of other rows. */
  readonly offsets: readonly number[];
  /** The lanes' bits. */
  readonly lanes: number;
}

/**
 * Null where the lanes' distances are not known, or no single test can tell whether all addresses of a row are legal.
 */
function rowsOf(context: MemoryContext, access: Access): Row[] | null {
  const shape = context.values.context.shapeOf(access.pointer);
  if (shape.kind === "varying") return null;
  const count = shape.kind === "rowUniform" ? shape.rows : 1;
  const all = shape.kind === "uniform" ? ZERO_OFFSETS : shape.offsets;
  const rows = Array.from({ length: count }, (_, g): Row => {
    const own = all.filter((_, lane) => rowOfLane(lane, count) === g);
    const low = Math.min(...own);
    const offsets = all.map((o, lane) => (rowOfLane(lane, count) === g ? o - low : 0));
    return { low, span: Math.max(...own) - low, offsets, lanes: lanesOfRow(g, count) };
  });
  return rows.some(({ offsets, span }) => span > MAX_SPAN || offsets.some((o) => o % access.bytes !== 0)) ? null : rows;
}

interface RowAddresses extends SliceAddresses {
  readonly bases: readonly Local[];
  /** The condition for one row alone. */
  pushRowTest(row: number): void;
}

/** `near`: what the pointer is a distance from, where no test needs the address itself. */
function rowAddresses(
  context: MemoryContext,
  access: Access,
  rows: readonly Row[],
  takeLocal: () => Local,
  near: { readonly base: IrValue; readonly distance: number } = { base: access.pointer, distance: 0 },
): RowAddresses {
  const { code, values, limits } = context;
  const { base, distance } = rows.every(({ low }) => near.distance + low >= 0)
    ? near
    : { base: access.pointer, distance: 0 };
  const { bytes, align } = access;
  const k = Math.log2(bytes);
  const bases = rows.map(takeLocal);
  const rowOf = (lane: number): number => rowOfLane(lane, rows.length);
  /** Distances are immediates where there is one; else each row's base is its lowest address. */
  const lowOf = (n: number): number => (distance === 0 ? 0 : distance + rows[n]!.low);
  const offset = (lane: number): number => lowOf(rowOf(lane)) + rows[rowOf(lane)]!.offsets[lane]!;
  const pushRowTest = (n: number): void => {
    const { span, offsets } = rows[n]!;
    code.localGet(bases[n]!).i32Const(USER_BASE).i32Sub();
    if (k > 0) code.i32Const(k).i32Rotr();
    code.globalGet(limits.scaled[k]!);
    if (span > 0) code.i32Const(span / bytes).i32Sub();
    code.i32LeU();
    if (align > bytes) {
      // some lane would be misaligned: let the slow path tell
      if (offsets.some((o) => o % align !== 0)) code.i32Const(0).i32And();
      else
        code
          .localGet(bases[n]!)
          .i32Const(align - 1)
          .i32And()
          .i32Eqz()
          .i32And();
    }
  };
  return {
    bases,
    pushRowTest,
    strides: Array.from({ length: SLICES }, (_, s) => {
      const step = offset(4 * s + 1) - offset(4 * s);
      return offset(4 * s + 2) - offset(4 * s + 1) === step && offset(4 * s + 3) - offset(4 * s + 2) === step
        ? step
        : null;
    }),
    offsets: rows.length === 1 ? rows[0]!.offsets : null,
    range: rows.length === 1 ? { base: bases[0]!, distance: lowOf(0), bytes: rows[0]!.span + bytes } : null,
    setBases: () => {
      rows.forEach(({ low }, n) => {
        if (rows.length === 1) values.pushScalar(base);
        else values.pushBase(base, n, rows.length);
        if (low !== 0 && distance === 0) code.i32Const(low).i32Add();
        code.localSet(bases[n]!);
      });
    },
    pushTest: () => {
      rows.forEach((_, n) => {
        pushRowTest(n);
        if (n > 0) code.i32And();
      });
    },
    push: (lane) => code.localGet(bases[rowOf(lane)]!),
    offset,
    dispose: () => code.free(...bases),
  };
}

function pushIsFull(context: MemoryContext): void {
  context.code.localGet(context.mask);
  context.code.i32Const(-1).i32Eq();
}

function andFullMask(context: MemoryContext): void {
  if (context.isFull) return;
  pushIsFull(context);
  context.code.i32And();
}

/** Pushes "all addresses are legal and aligned". */
function pushLaneTest(context: MemoryContext, access: Access, pushAddresses: (slice: number) => void): void {
  const { code, limits, values } = context;
  const { bytes, align } = access;
  const k = Math.log2(Math.max(bytes, 1));
  const limit = code.local("v128");
  const address = code.local("v128");
  const bad = code.local("v128");
  code.globalGet(limits.scaled[k]!).i32x4Splat().localSet(limit);
  for (let s = 0; s < SLICES; s++) {
    pushAddresses(s);
    values.pushIntegers(USER_BASE);
    code.i32x4Sub().localSet(address);
    if (k > 0) {
      code
        .localGet(address)
        .i32Const(k)
        .i32x4ShrU()
        .localGet(address)
        .i32Const(32 - k)
        .i32x4Shl()
        .v128Or();
    } else code.localGet(address);
    code.localGet(limit).i32x4GtU();
    if (align > bytes) {
      code.localGet(address);
      values.pushIntegers(align - 1);
      code.v128And().i32x4Const(0, 0, 0, 0).i32x4Ne().v128Or();
    }
    if (s > 0) code.localGet(bad).v128Or();
    code.localSet(bad);
  }
  code.localGet(bad).v128AnyTrue().i32Eqz();
  code.free(limit, address, bad);
}
