/**
 * The addresses of an access whose lanes lie at known distances from one base, or from one base for each row or slice:
 * one test and immediates in place of 32 addresses.
 */
import type { IrValue } from "../../../ir/model/ir.ts";
import { USER_BASE } from "../../../machine/memory-map.ts";
import type { Local } from "../../../wasm/function-builder.ts";
import { SLICES, ZERO_OFFSETS, rowOfLane, lanesOfRow, strideOf } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { MemoryContext, Access } from "./memory-access.ts";

/** How far apart lanes may be for one test of all their addresses. */
const MAX_SPAN = 65536;

/** Bytes of memory from a base on. */
export interface Range {
  readonly base: Local;
  readonly distance: number;
  readonly bytes: number;
}

/** The addresses of each slice, computed from one base for each row, or one for each slice and a stride. */
export interface SliceAddresses {
  /** Step between the lanes of a slice, or null. */
  readonly strides: readonly (number | null)[];
  /** Every lane's distance from the one base that push pushes, or null when there is more than one. */
  readonly offsets: readonly number[] | null;
  /** The bytes that all lanes access, if one range has them. */
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

/** Null if nothing is known about the addresses. */
export function sliceAddresses(context: MemoryContext, access: Access): SliceAddresses | null {
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

/** Null if the lanes' distances are not known, or if one test cannot prove all addresses of a row legal. */
export function rowsOf(context: MemoryContext, access: Access): Row[] | null {
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

/** Step between the lanes of each slice, or null. */
export function stridesOf(offset: (lane: number) => number): (number | null)[] {
  return Array.from({ length: SLICES }, (_, s) => {
    const step = offset(4 * s + 1) - offset(4 * s);
    return offset(4 * s + 2) - offset(4 * s + 1) === step && offset(4 * s + 3) - offset(4 * s + 2) === step
      ? step
      : null;
  });
}

/** Pushes "a group of accesses, from the address in a local on, is legal": of its first and its last byte. */
export function pushSpanTest({ code, limits }: MemoryContext, base: Local, bytes: number, span: number): void {
  const power = Math.log2(bytes);
  code.localGet(base).i32Const(USER_BASE).i32Sub();
  if (power > 0) code.i32Const(power).i32Rotr();
  code.globalGet(limits.scaled[power]!).i32LeU();
  if (span === 0) return;
  code
    .localGet(base)
    .i32Const(span - USER_BASE)
    .i32Add();
  if (power > 0) code.i32Const(power).i32Rotr();
  code.globalGet(limits.scaled[power]!).i32LeU().i32And();
}

export interface RowAddresses extends SliceAddresses {
  readonly bases: readonly Local[];
  /** The condition for one row alone. */
  pushRowTest(row: number): void;
}

/** `near`: the pointer as a base and a distance, where no test needs the address itself. */
export function rowAddresses(
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
  /** With a distance all offsets are immediates; otherwise each row's base is its lowest address. */
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
      // Some lane would be misaligned: the slow path reports which.
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
    strides: stridesOf(offset),
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
