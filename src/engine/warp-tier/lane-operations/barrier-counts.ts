/**
 * The code of `count.begin`, `count.clock` and `count.arrive` (machine/barrier-skew.ts). A thread runs one block at a
 * time, so the clocks of its warps lie in this thread's counters.
 */
import type { CountFacts } from "../../../ir/intrinsics/facts.ts";
import type { CallInstruction, ConstInt, IrValue } from "../../../ir/model/ir.ts";
import { CLOCKS_AT } from "../../../machine/barrier-skew.ts";
import { CLOCK_SHIFT } from "./barrier-helpers.ts";
import type { CountContext } from "./counting.ts";

export type BarrierCount = Extract<CountFacts["what"], "begin" | "clock" | "arrive">;

export function emitBarrierCount(context: CountContext, i: CallInstruction, what: BarrierCount): void {
  const { code, globals, mask, isFull, warp, helpers } = context;
  const pushRecord = (record: IrValue): void =>
    void code.globalGet(globals.counts).i32Const(context.recordOffset(record)).i32Add();
  if (what === "clock") {
    const clock = code.local("i32");
    code.globalGet(globals.counts).localGet(warp).i32Const(CLOCK_SHIFT).i32Shl().i32Add().localSet(clock);
    const offset = context.recordOffset(i.args[0] as IrValue) + CLOCKS_AT.clocks;
    code.localGet(clock).localGet(clock).i32Load(offset);
    code.i32Const(Number((i.args[2] as ConstInt).value));
    // A block that no lane runs is passed, not executed.
    if (!isFull) code.i32Const(0).localGet(mask).select();
    code.i32Add().i32Store(offset);
    code.free(clock);
    return;
  }
  if (!isFull) code.localGet(mask).if();
  pushRecord(i.args[what === "begin" ? 0 : 2] as IrValue);
  if (what === "arrive") pushRecord(i.args[0] as IrValue);
  code.localGet(warp).call(what === "begin" ? helpers.beginBlock : helpers.arriveAtBarrier);
  if (!isFull) code.end();
}
