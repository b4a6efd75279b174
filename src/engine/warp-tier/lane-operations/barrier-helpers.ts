/** Out-of-line functions for the clocks of warps (machine/barrier-skew.ts). */
import { BARRIER_COUNTERS, CLOCKS_AT } from "../../../machine/barrier-skew.ts";
import { COUNTER_BYTES } from "../../../machine/warp-counts.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../../wasm/module-builder.ts";

/** A clock is a word. */
export const CLOCK_SHIFT = 2;
const EVERY_WARP = -1;

/** (record of clocks, warp): a warp that begins twice is another block's. */
export function buildBeginBlock(module: ModuleBuilder): FunctionBuilder {
  const code = module.function("begin_block", ["i32", "i32"], []);
  const [clocks, warp] = [0, 1];
  const bit = code.local("i32");
  const begun = code.local("i32");
  code.i32Const(1).localGet(warp).i32Shl().localSet(bit);
  code.localGet(clocks).i32Load(CLOCKS_AT.begun).localTee(begun).i32Eqz();
  code.localGet(begun).localGet(bit).i32And().i32Or().if();
  code.i32Const(0).localSet(begun);
  // Whoever arrives first is at another barrier than the last one.
  code.localGet(clocks).i32Const(EVERY_WARP).i32Store(CLOCKS_AT.arrived);
  code.end();
  code.localGet(clocks).localGet(begun).localGet(bit).i32Or().i32Store(CLOCKS_AT.begun);
  clockOf(code, clocks, warp);
  code.i32Const(0).i32Store(CLOCKS_AT.clocks);
  return code;
}

/** (record of clocks, record of the barrier, warp) */
export function buildArriveAtBarrier(module: ModuleBuilder): FunctionBuilder {
  const code = module.function("arrive_at_barrier", ["i32", "i32", "i32"], []);
  const [clocks, record, warp] = [0, 1, 2];
  const [bit, clock, least, most, skew, arrived] = Array.from({ length: 6 }, () => code.local("i32")) as [
    Local,
    Local,
    Local,
    Local,
    Local,
    Local,
  ];
  code.i32Const(1).localGet(warp).i32Shl().localSet(bit);
  clockOf(code, clocks, warp);
  code.i32Load(CLOCKS_AT.clocks).localSet(clock);
  clockOf(code, clocks, warp);
  code.i32Const(0).i32Store(CLOCKS_AT.clocks);
  code.localGet(clocks).i32Load(CLOCKS_AT.arrived).localTee(arrived).localGet(bit).i32And().if();
  add(code, record, BARRIER_COUNTERS.times, () => code.i32Const(1));
  code.i32Const(0).localSet(arrived).localGet(clock).localTee(least).localSet(most);
  code.else();
  code.localGet(clocks).i32Load(CLOCKS_AT.least).localSet(least);
  code.localGet(clocks).i32Load(CLOCKS_AT.most).localSet(most);
  code.end();
  code.localGet(most).localGet(least).i32Sub().localSet(skew);
  for (const [bound, isBeyond] of [
    [least, "i32LtU"],
    [most, "i32GtU"],
  ] as const)
    code.localGet(clock).localGet(bound).localGet(clock).localGet(bound)[isBeyond]().select().localSet(bound);
  add(code, record, BARRIER_COUNTERS.skew, () => code.localGet(most).localGet(least).i32Sub().localGet(skew).i32Sub());
  code.localGet(most).localGet(least).i32Sub().localSet(skew);
  code.localGet(clocks).localGet(arrived).localGet(bit).i32Or().i32Store(CLOCKS_AT.arrived);
  code.localGet(clocks).localGet(least).i32Store(CLOCKS_AT.least);
  code.localGet(clocks).localGet(most).i32Store(CLOCKS_AT.most);
  const worst = BARRIER_COUNTERS.worst * COUNTER_BYTES;
  // Of less than 2^32: the upper word stays 0.
  code.localGet(skew).localGet(record).i32Load(worst).i32GtU().if();
  code.localGet(record).localGet(skew).i32Store(worst);
  code.end();
  return code;
}

/** Pushes the address to which CLOCKS_AT.clocks is added. */
function clockOf(code: FunctionBuilder, clocks: Local, warp: Local): void {
  code.localGet(clocks).localGet(warp).i32Const(CLOCK_SHIFT).i32Shl().i32Add();
}

function add(code: FunctionBuilder, record: Local, counter: number, push: () => void): void {
  const offset = counter * COUNTER_BYTES;
  code.localGet(record).localGet(record).i64Load(offset);
  push();
  code.i64ExtendI32U().i64Add().i64Store(offset);
}
