/**
 * Loads and stores of varying values.
 *
 * A fast path where the addresses are known to be contiguous or equal within slices (vector loads and stores behind one check),
 * lane accesses in line where nothing is known and all lanes are active; otherwise a helper, out of line, goes through the active lanes. All
 * lanes load before anything else happens, and store in one step: the lockstep that real warps show when they are converged.
 */
import type { IrInstruction, IrValue, LoadInstruction, StoreInstruction } from "../../ir/ir.ts";
import { USER_BASE } from "../../machine/memory-map.ts";
import type { FunctionBuilder, Local } from "../../wasm/function-builder.ts";
import type { AccessLimits } from "../emit/environment.ts";
import { bytesOf, elementOf, isWide, type Element } from "./element.ts";
import type { MemoryHelpers } from "./memory-helpers.ts";
import { COMPACT_BYTES, reloadFromSlot } from "./scratch.ts";
import { LANES, SLICES, strideOf } from "./shapes.ts";
import { replaceLane, type Values } from "./values.ts";

export interface MemoryContext {
  readonly f: FunctionBuilder;
  readonly values: Values;
  readonly limits: AccessLimits;
  /** Index of the global that holds the scratch region's address. */
  readonly scratch: number;
  readonly helpers: MemoryHelpers;
  /** Pushes the mask of active lanes. */
  pushMask(): void;
  /** All lanes are active whenever this block runs. */
  readonly isFull: boolean;
  siteOf(i: IrInstruction): number;
}

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

/** Emits a load with a varying address; sets the instruction's locals. */
export function emitVectorLoad(c: MemoryContext, i: LoadInstruction): void {
  const { f, values } = c;
  const access = accessOf(i);
  const home = values.homeOf(i);
  if (home.kind !== "vector") throw new Error("BUG: load with a varying address has a vector result");
  const locals = home.locals;
  const slow = (addresses: SliceAddresses | null = null): void => {
    pushHelperArguments(c, i, access, addresses);
    f.call(c.helpers.gather(access.bytes, access.align, addresses?.offsets ?? "vectors"));
    reloadFromSlot(f, locals, c.scratch, 1);
    if (access.element === "i1") for (const l of locals) f.localGet(l).i32x4Const(0, 0, 0, 0).i32x4Ne().localSet(l);
  };
  if (access.align < access.bytes || access.element === "i1") { slow(); return; }
  const addresses = sliceAddresses(c, access, false);
  if (addresses === null) {
    pushLaneTest(c, access);
    f.if();
    for (let s = 0; s < SLICES; s++) gatherSlice(c, access, locals, s, (lane) => values.pushLane(access.pointer, lane), 0);
    f.else();
    slow();
    f.end();
    return;
  }
  const joins = addresses.base !== null;
  if (joins) {
    // Elements that cannot be loaded as they lie are brought together first; then there is one way for all.
    f.i32Eqz().if();
    pushHelperArguments(c, i, access, addresses);
    f.call(c.helpers.compact(access.bytes, access.align, addresses.offsets!)).localSet(addresses.base!);
    f.end();
  } else f.if();
  const loaded = new Map<number, number>();
  for (let s = 0; s < SLICES; s++) {
    const stride = addresses.strides[s];
    const twin = joins && stride !== null && stride !== undefined ? loaded.get(addresses.offset(4 * s) * 16 + stride) : undefined;
    if (twin !== undefined) {
      const parts = isWide(access.element) ? 2 : 1;
      for (let p = 0; p < parts; p++) f.localGet(locals[twin * parts + p]!).localSet(locals[s * parts + p]!);
      continue;
    }
    if (joins && stride !== null && stride !== undefined) loaded.set(addresses.offset(4 * s) * 16 + stride, s);
    if (stride === access.bytes) contiguousSlice(c, access, locals, s, addresses);
    else if (stride === 0) {
      addresses.push(s * 4);
      const offset = addresses.offset(s * 4);
      if (isWide(access.element)) f.v128Load64Splat(offset).localTee(locals[2 * s]!).localSet(locals[2 * s + 1]!);
      else {
        if (access.bytes === 4) f.v128Load32Splat(offset);
        else if (access.bytes === 2) f.i32Load16U(offset).i32x4Splat();
        else f.i32Load8U(offset).i32x4Splat();
        f.localSet(locals[s]!);
      }
    } else gatherSlice(c, access, locals, s, (lane) => addresses.push(lane), (lane) => addresses.offset(lane));
  }
  if (!joins) {
    f.else();
    slow(addresses);
    f.end();
  }
  addresses.dispose();
}

/** Emits a store of or through varying values. */
export function emitVectorStore(c: MemoryContext, i: StoreInstruction): void {
  const { f, values } = c;
  const access = accessOf(i);
  const slow = (addresses: SliceAddresses | null = null): void => {
    pushHelperArguments(c, i, access, addresses);
    for (let s = 0; s < SLICES; s++) for (let p = 0; p < (isWide(access.element) ? 2 : 1); p++) values.pushVector(i.value, s, p);
    f.call(c.helpers.scatter(access.bytes, access.align, addresses?.offsets ?? "vectors"));
  };
  if (access.align < access.bytes || access.element === "i1") { slow(); return; }
  const addresses = sliceAddresses(c, access, true);
  if (addresses === null) {
    pushLaneTest(c, access);
    f.if();
    for (let lane = 0; lane < LANES; lane++) {
      values.pushLane(access.pointer, lane);
      values.pushLane(i.value, lane);
      storeScalar(f, access.element, 0);
    }
    f.else();
    slow();
    f.end();
    return;
  }
  f.if();
  for (let s = 0; s < SLICES; s++) {
    if (addresses.strides[s] === access.bytes && access.bytes >= 4) {
      for (let p = 0; p < (isWide(access.element) ? 2 : 1); p++) {
        addresses.push(s * 4);
        values.pushVector(i.value, s, p);
        f.v128Store(addresses.offset(s * 4) + p * 16, access.bytes);
      }
    } else {
      for (let lane = 4 * s; lane < 4 * s + 4; lane++) {
        addresses.push(lane);
        values.pushLane(i.value, lane);
        storeScalar(f, access.element, addresses.offset(lane));
      }
    }
  }
  f.else();
  slow(addresses);
  f.end();
  addresses.dispose();
}

/** What every helper takes first: (mask, site, base) or (mask, site, eight vectors of addresses). */
function pushHelperArguments(c: MemoryContext, i: LoadInstruction | StoreInstruction, access: Access, addresses: SliceAddresses | null): void {
  c.pushMask();
  c.f.i32Const(c.siteOf(i));
  if (addresses !== null && addresses.offsets !== null) addresses.push(0);
  else for (let s = 0; s < SLICES; s++) c.values.pushVector(access.pointer, s);
}

function storeScalar(f: FunctionBuilder, element: Element, offset: number): void {
  if (element === "i64") f.i64Store(offset);
  else if (element === "f64") f.f64Store(offset);
  else if (element === "f32") f.f32Store(offset);
  else if (bytesOf(element) === 4) f.i32Store(offset);
  else if (bytesOf(element) === 2) f.i32Store16(offset);
  else f.i32Store8(offset);
}

/** Four accesses of known contiguity: one vector load, narrow elements widened. */
function contiguousSlice(c: MemoryContext, access: Access, locals: readonly Local[], s: number, addresses: SliceAddresses): void {
  const { f } = c;
  const offset = addresses.offset(s * 4);
  if (isWide(access.element)) {
    for (let p = 0; p < 2; p++) {
      addresses.push(s * 4);
      f.v128Load(offset + 16 * p, 8).localSet(locals[2 * s + p]!);
    }
    return;
  }
  addresses.push(s * 4);
  if (access.bytes === 4) f.v128Load(offset, 4);
  else if (access.bytes === 2) f.v128Load16x4U(offset, 2);
  else f.v128Load32Zero(offset, 1).i16x8ExtendLowI8x16U().i32x4ExtendLowI16x8U();
  f.localSet(locals[s]!);
}

function gatherSlice(
  c: MemoryContext, access: Access, locals: readonly Local[], s: number, push: (lane: number) => void, offset: number | ((lane: number) => number),
): void {
  const { f } = c;
  const { element } = access;
  const at = (lane: number): number => (typeof offset === "number" ? offset : offset(lane));
  const perPart = isWide(element) ? 2 : 4;
  for (let p = 0; p < 4 / perPart; p++) {
    const local = locals[s * (4 / perPart) + p]!;
    for (let l = 0; l < perPart; l++) {
      const lane = 4 * s + p * perPart + l;
      if (access.bytes >= 4) {
        push(lane);
        if (l === 0) {
          if (access.bytes === 8) f.v128Load64Zero(at(lane));
          else f.v128Load32Zero(at(lane));
        } else {
          f.localGet(local);
          if (access.bytes === 8) f.v128Load64Lane(l, at(lane));
          else f.v128Load32Lane(l, at(lane));
        }
      } else {
        if (l > 0) f.localGet(local);
        push(lane);
        if (access.bytes === 2) f.i32Load16U(at(lane));
        else f.i32Load8U(at(lane));
        if (l === 0) f.i32x4Splat();
        else replaceLane(f, element, l);
      }
      f.localSet(local);
    }
  }
}

/** Where the lanes of each slice access memory, when that follows from one base (pattern) or one base a slice (stride). */
interface SliceAddresses {
  /** Step between the lanes of a slice, or null. */
  readonly strides: readonly (number | null)[];
  /** The local with the one base, when all lanes are within COMPACT_BYTES of it. */
  readonly base: Local | null;
  /** Every lane's distance from the one base that push pushes, or null when there is more than one. */
  readonly offsets: readonly number[] | null;
  /** Pushes an address to which `offset(lane)` is added as the access's immediate. */
  push(lane: number): void;
  offset(lane: number): number;
  dispose(): void;
}

/**
 * Pushes the condition under which the fast path is right (all addresses legal and aligned; for stores also all lanes active),
 * and returns how to address; null when nothing is known of the addresses (nothing pushed).
 */
function sliceAddresses(c: MemoryContext, access: Access, isStore: boolean): SliceAddresses | null {
  const { f, values, limits } = c;
  const shape = values.context.shapeOf(access.pointer);
  const { bytes, align } = access;
  const k = Math.log2(bytes);
  const andFullMask = (): void => {
    if (isStore && !c.isFull) {
      c.pushMask();
      f.i32Const(-1).i32Eq().i32And();
    }
  };
  if (shape.kind === "pattern" || shape.kind === "uniform") {
    const offsets = shape.kind === "pattern" ? shape.offsets : new Array<number>(LANES).fill(0);
    const low = Math.min(...offsets);
    const span = Math.max(...offsets) - low;
    if (offsets.some((o) => (o - low) % bytes !== 0)) return null;
    if (span > 65536) return null;
    const base = f.local("i32");
    values.pushScalar(access.pointer);
    if (low !== 0) f.i32Const(low).i32Add();
    f.localTee(base).i32Const(USER_BASE).i32Sub();
    if (k > 0) f.i32Const(k).i32Rotr();
    f.globalGet(limits.scaled[k]!);
    if (span > 0) f.i32Const(span / bytes).i32Sub();
    f.i32LeU();
    if (align > bytes) {
      if (offsets.some((o) => (o - low) % align !== 0)) f.i32Const(0).i32And(); // some lane would be misaligned: let the slow path tell
      else f.localGet(base).i32Const(align - 1).i32And().i32Eqz().i32And();
    }
    andFullMask();
    const strides = Array.from({ length: SLICES }, (_, s) => {
      const step = offsets[4 * s + 1]! - offsets[4 * s]!;
      return offsets[4 * s + 2]! - offsets[4 * s + 1]! === step && offsets[4 * s + 3]! - offsets[4 * s + 2]! === step ? step : null;
    });
    return { strides, base: span + bytes <= COMPACT_BYTES ? base : null, offsets: offsets.map((o) => o - low), push: () => f.localGet(base), offset: (lane) => offsets[lane]! - low, dispose: () => f.free(base) };
  }
  const stride = strideOf(shape);
  if (stride === null || (stride !== 0 && stride !== bytes)) return null;
  if (align > bytes && stride !== 0) return null;
  const bases = Array.from({ length: SLICES }, () => f.local("i32"));
  const bad = f.local("i32");
  for (let s = 0; s < SLICES; s++) {
    values.pushLane(access.pointer, 4 * s);
    f.localTee(bases[s]!).i32Const(USER_BASE).i32Sub();
    if (k > 0) f.i32Const(k).i32Rotr();
    f.globalGet(limits.scaled[k]!);
    if (stride !== 0) f.i32Const(3).i32Sub();
    f.i32GtU();
    if (align > bytes) f.localGet(bases[s]!).i32Const(align - 1).i32And().i32Or();
    if (s > 0) f.localGet(bad).i32Or();
    f.localSet(bad);
  }
  f.localGet(bad).i32Eqz();
  andFullMask();
  f.free(bad);
  return {
    strides: new Array<number>(SLICES).fill(stride),
    base: null,
    offsets: null,
    push: (lane) => f.localGet(bases[lane >> 2]!),
    offset: (lane) => (lane & 3) * stride,
    dispose: () => f.free(...bases),
  };
}

/** Pushes "all lanes are active and all addresses legal". */
function pushLaneTest(c: MemoryContext, access: Access): void {
  const { f, values, limits } = c;
  const { bytes, align } = access;
  const k = Math.log2(Math.max(bytes, 1));
  const limit = f.local("v128");
  const address = f.local("v128");
  const bad = f.local("v128");
  f.globalGet(limits.scaled[k]!).i32x4Splat().localSet(limit);
  for (let s = 0; s < SLICES; s++) {
    values.pushVector(access.pointer, s);
    f.i32x4Const(USER_BASE, USER_BASE, USER_BASE, USER_BASE).i32x4Sub().localSet(address);
    if (k > 0) {
      f.localGet(address).i32Const(k).i32x4ShrU().localGet(address).i32Const(32 - k).i32x4Shl().v128Or();
    } else f.localGet(address);
    f.localGet(limit).i32x4GtU();
    if (align > bytes) f.localGet(address).i32x4Const(align - 1, align - 1, align - 1, align - 1).v128And().i32x4Const(0, 0, 0, 0).i32x4Ne().v128Or();
    if (s > 0) f.localGet(bad).v128Or();
    f.localSet(bad);
  }
  f.localGet(bad).v128AnyTrue().i32Eqz();
  if (!c.isFull) {
    c.pushMask();
    f.i32Const(-1).i32Eq().i32And();
  }
  f.free(limit, address, bad);
}
