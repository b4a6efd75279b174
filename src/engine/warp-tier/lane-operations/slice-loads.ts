/** Loads of one slice (four lanes), and loads that are split into slices so that few vectors are live. */
import type { LoadInstruction } from "../../../ir/model/ir.ts";
import { isToolAddress } from "../../../machine/observer.ts";
import { splitPointer } from "../../emit/memory.ts";
import { isWide } from "./element.ts";
import { COMPACT_BYTES, roundUp16 } from "./lane-scratch.ts";
import { SLICES, ZERO_OFFSETS } from "../../../analysis/lane-addresses/lane-shape.ts";
import { replaceLane } from "./value-location.ts";
import { type MemoryContext, type Access, accessOf, isLoadInBounds } from "./memory-access.ts";
import { type Range, type SliceAddresses, rowsOf, type RowAddresses, rowAddresses } from "./slice-addresses.ts";

export interface SliceLoader {
  /**
   * Slices this far apart are equal: in a block 16 wide, both rows of a warp read the same elements of a matrix row.
   */
  readonly period: number;
  /** The bytes that all lanes load, if one range has them. */
  readonly range: Range | null;
  /** The same for all loads that share its base, and are tested with it. */
  readonly groupRange?: Range;
  /** Leaves slice s of a loaded value, part p of it for 64-bit elements. */
  push(s: number, p: number): void;
}

/**
 * Prepares a load whose lanes lie near each other at known distances from one base: emits the test of the addresses,
 * and returns the loader of its slices. As long as memory does not change, slices can be loaded one by one where they
 * are used, so that few vectors are live. Null, and nothing emitted, for any other load.
 *
 * @param takeRoom takes so many bytes that no deferred load has, and returns where they begin in the compact region.
 *   Called before anything is emitted.
 */
export function prepareSliceLoads(
  context: MemoryContext,
  i: LoadInstruction,
  takeRoom: (bytes: number) => number,
): SliceLoader | null {
  const { code } = context;
  const access = accessOf(i);
  if (access.align < access.bytes || access.element === "i1") return null;
  const rows = rowsOf(context, access);
  if (rows === null) return null;
  const room = roundUp16(Math.max(...rows.map(({ span }) => span)) + access.bytes);
  if (rows.length * room > COMPACT_BYTES) return null;
  // Inactive lanes are near an active one, and a tool's memory has room beyond its last address.
  const isProvenInBounds = isLoadInBounds(context, access) || (rows.length === 1 && isToolAddress(access.pointer));
  const region = isProvenInBounds ? 0 : takeRoom(rows.length * room);
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
    // Elements that cannot be loaded in place are copied together first, each row to its part of the region. Then one
    // path loads them all.
    addresses.pushRowTest(n);
    code.i32Eqz().hint("unlikely").if();
    code.localGet(context.mask);
    if (rows.length > 1) code.i32Const(row.lanes).i32And();
    code
      .i32Const(context.siteOf(i))
      .localGet(addresses.bases[n]!)
      .i32Const(region + n * room);
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

/**
 * Loads one slice (part p of it): a vector where its lanes are neighbours or the same, else lane by lane. Leaves a
 * v128.
 */
export function pushSlice(
  context: MemoryContext,
  access: Access,
  addresses: Pick<SliceAddresses, "strides" | "push" | "offset">,
  s: number,
  p: number,
): void {
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

export function pushGather(
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
