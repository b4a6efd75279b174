/**
 * Functions of elements (map). Reductions and scans: in a thread, between the lanes of a warp by shuffles, between
 * warps by shared memory.
 */
import { bug } from "../../../base/diagnostics.ts";
import { constI32 } from "../../../ir/model/build.ts";
import type { IrValue } from "../../../ir/model/ir.ts";
import type { BlockValue, MapOp, ReduceOp, Region, ScanOp } from "../blocks/model.ts";
import { scanLayout } from "./assign-layouts.ts";
import {
  LANE_BITS,
  keptRegister,
  linearOffset,
  registerCount,
  sliceLayout,
  threadBits,
  type IndexBit,
  type Layout,
} from "./layout.ts";
import { shuffleFrom, shuffleXor } from "./exchange.ts";
import type { Lowering, Registers } from "./lowering.ts";

/** The code of a region, on scalars. */
function apply(l: Lowering, region: Region, args: readonly IrValue[]): readonly IrValue[] {
  const scalar = l.layouts.blocked([]);
  let results: IrValue[] = [];
  l.inScope(null, () => {
    for (const [i, param] of region.params.entries()) l.define(param, scalar, [args[i] as IrValue]);
    l.region(region);
    results = region.yields.map((value) => l.scalar(value));
  });
  return results;
}

/** The code that combines: one value of each operand from two places. */
function combine(l: Lowering, region: Region, a: readonly IrValue[], b: readonly IrValue[]): readonly IrValue[] {
  return apply(l, region, [...a, ...b]);
}

/** Each thread calls the function for its own elements: branches in it part the threads of a warp. */
export function lowerMap(l: Lowering, op: MapOp): void {
  const { pack } = op;
  const layout = l.layouts.preferred(op.results[0] as BlockValue);
  const inputs = op.operands.map((value) => l.get(value, layout));
  const outputs: IrValue[][] = op.results.map(() => []);
  const count = registerCount(layout);
  for (let start = 0; start < count; start += pack) {
    // A thread with fewer elements than a call takes repeats its last.
    const group = Array.from({ length: pack }, (_, i) => Math.min(start + i, count - 1));
    const args = inputs.flatMap((values) => group.map((r) => values[r] as IrValue));
    for (const [i, value] of apply(l, op.body, args).entries())
      if (start + (i % pack) < count) outputs[Math.floor(i / pack)]?.push(value);
  }
  for (const [i, value] of op.results.entries()) l.define(value, layout, outputs[i] as IrValue[]);
}

/** By register: the values of all operands. */
type Rows = readonly (readonly IrValue[])[];

function rowsOf(operands: readonly Registers[]): Rows {
  return (operands[0] as Registers).map((_, r) => operands.map((registers) => registers[r] as IrValue));
}

export function lowerReduce(l: Lowering, op: ReduceOp): void {
  const { axis } = op;
  const layout = l.layouts.preferred(op.operands[0] as BlockValue);
  const { layout: result, kept } = sliceLayout(layout, axis);
  // Inside of a thread, by halves: sums of long rows lose little.
  const own: (readonly IrValue[])[][] = Array.from({ length: registerCount(result) }, () => []);
  for (const [r, row] of rowsOf(op.operands.map((value) => l.get(value, layout))).entries())
    own[keptRegister(r, kept)]?.push(row);
  let rows: Rows = own.map((list) => halve(l, op.combine, list));
  for (const [lane, bit] of layout.lanes.entries()) {
    if (bit?.dim !== axis) continue;
    rows = rows.map((row) =>
      combine(
        l,
        op.combine,
        row,
        row.map((value) => shuffleXor(l, value, 1 << lane)),
      ),
    );
  }
  const warpBits = layout.warps.flatMap((bit, i) => (bit?.dim === axis ? [i] : []));
  if (warpBits.length > 0) rows = acrossWarps(l, op, rows, result, warpBits);
  // The emulated device computes what follows once for all lanes where it knows that they have the same value.
  else if (l.layouts.axes === null && !result.lanes.some(Boolean) && layout.lanes.some(Boolean))
    rows = rows.map((row) => row.map((value) => shuffleFrom(l, value, constI32(0))));
  for (const [i, value] of op.results.entries())
    l.define(
      value,
      result,
      rows.map((row) => row[i] as IrValue),
    );
}

function halve(l: Lowering, region: Region, rows: Rows): readonly IrValue[] {
  let list = rows;
  while (list.length > 1) {
    const half = list.length / 2;
    const upper = list;
    list = list.slice(0, half).map((row, i) => combine(l, region, row, upper[i + half] as readonly IrValue[]));
  }
  return list[0] ?? bug("a reduction of nothing");
}

/** Every warp writes its part; every thread combines the parts of all. */
function acrossWarps(l: Lowering, op: ReduceOp, rows: Rows, result: Layout, warpBits: readonly number[]): Rows {
  const { e } = l;
  const parts = 2 ** warpBits.length;
  const size = result.shape.reduce((a, b) => a * b, 1);
  const bytes = op.operands.map(({ type }) => l.bytesOf(type.element));
  // The largest elements first: then all are aligned.
  const order = bytes.map((_, i) => i).sort((a, b) => (bytes[b] as number) - (bytes[a] as number));
  const offsets: number[] = [];
  let total = 0;
  for (const i of order) {
    offsets[i] = total;
    total += parts * size * (bytes[i] as number);
  }
  const base = l.beginExchange(total);
  const position = l.threadLinear(result);
  const places: (number | null)[] = threadBits(result).map(() => null);
  for (const [i, bit] of warpBits.entries()) places[LANE_BITS + bit] = i;
  const part = e.mul(l.gatherBits(places), constI32(size));
  const at = (i: number, index: IrValue, r: number): IrValue =>
    e.offset(
      l.element(e.offset(base, constI32(offsets[i] as number)), index, bytes[i] as number),
      constI32(linearOffset(result, r) * (bytes[i] as number)),
    );
  // One thread of those with the same elements in the same warp.
  const mask = threadBits(result).reduce(
    (bits, bit, i) => (bit === null && !warpBits.includes(i - LANE_BITS) ? bits | (1 << i) : bits),
    0,
  );
  const writer = mask === 0 ? null : e.icmp("eq", e.and(l.threadId, constI32(mask)), 0);
  const own = e.add(part, position);
  l.where(writer, () => {
    for (const [r, row] of rows.entries())
      for (const [i, value] of row.entries()) e.store(l.toMemory(value), at(i, own, r), bytes[i] as number);
  });
  l.endWriting();
  return rows.map((row, r) => {
    const read = Array.from({ length: parts }, (_, p) =>
      row.map((value, i) => {
        const pointer = at(i, e.add(position, constI32(p * size)), r);
        return l.fromMemory(e.load(l.memoryType(value.type), pointer, bytes[i] as number), value.type);
      }),
    );
    return halve(l, op.combine, read);
  });
}

/**
 * Scans by Sklansky's network ("Conditional-Sum Addition Logic", 1960): in step s every element with bit s takes
 * in the last element of the half before it.
 */
export function lowerScan(l: Lowering, op: ScanOp): void {
  const { axis } = op;
  const layout = scanLayout(l.layouts.preferred(op.operands[0] as BlockValue), axis);
  let rows = rowsOf(op.operands.map((value) => l.get(value, layout)));
  const bits = Math.log2(layout.shape[axis] as number);
  for (let s = 0; s < bits; s++) rows = scanStep(l, op, layout, rows, s);
  for (const [i, value] of op.results.entries())
    l.define(
      value,
      layout,
      rows.map((row) => row[i] as IrValue),
    );
}

function scanStep(l: Lowering, op: ScanOp, layout: Layout, rows: Rows, step: number): Rows {
  const { e } = l;
  const { axis, reverse } = op;
  const isBit = (bit: IndexBit | null, wanted: (own: number) => boolean): boolean =>
    bit !== null && bit.dim === axis && wanted(bit.bit);
  const maskOf = (list: readonly (IndexBit | null)[], wanted: (own: number) => boolean): number =>
    list.reduce((mask, bit, i) => (isBit(bit, wanted) ? mask | (1 << i) : mask), 0);
  const lowerRegisters = maskOf(layout.registers, (own) => own < step);
  const stepRegister = maskOf(layout.registers, (own) => own === step);
  const lowerLanes = maskOf(layout.lanes, (own) => own < step);
  const stepLane = maskOf(layout.lanes, (own) => own === step);
  // Forwards, the element before has bit `step` cleared and all lower bits set; backwards the other way about.
  const set = (value: number, mask: number): number => (reverse ? value & ~mask : value | mask);
  const clear = (value: number, mask: number): number => (reverse ? value | mask : value & ~mask);
  const lane = e.and(l.threadId, constI32(31));
  const setLane = (value: IrValue, mask: number): IrValue =>
    reverse ? e.and(value, constI32(~mask)) : e.or(value, constI32(mask));
  const clearLane = (value: IrValue, mask: number): IrValue =>
    reverse ? e.or(value, constI32(mask)) : e.and(value, constI32(~mask));
  const source = clearLane(setLane(lane, lowerLanes), stepLane);
  return rows.map((row, r) => {
    if (stepRegister !== 0 && ((r & stepRegister) !== 0) === reverse) return row;
    const from = rows[clear(set(r, lowerRegisters), stepRegister)] ?? bug("a register of a scan");
    const moved = (lowerLanes | stepLane) === 0 ? from : from.map((value) => shuffleFrom(l, value, source));
    const combined = combine(l, op.combine, moved, row);
    if (stepLane === 0) return combined;
    const takesPart = e.icmp(reverse ? "eq" : "ne", e.and(lane, constI32(stepLane)), 0);
    return combined.map((value, i) => e.select(takesPart, value, row[i] as IrValue));
  });
}
