/**
 * Tests of mbarriers (libdevice/ptx.cu), which threads repeat in loops: a test that finds the phase incomplete suspends
 * the warp, so that the warps that it waits for run.
 *
 * Needs: calls of the tests, not inlined. Afterwards: a load in place of each, and a suspension behind a failed one.
 */
import {
  constI32,
  constI64,
  newBinary,
  newBlock,
  newBr,
  newCall,
  newCast,
  newCondBr,
  newIcmp,
  newLoad,
} from "../../../ir/model/build.ts";
import { renameIncoming, successors } from "../../../ir/graph/cfg.ts";
import type { CallInstruction, IrFunction, IrInstruction, IrModule, IrValue } from "../../../ir/model/ir.ts";
import { I32, I64 } from "../../../ir/model/types.ts";
import { replaceUses } from "../../../ir/model/uses.ts";
import { isInstrumented } from "./instrumented.ts";
import { declareSuspend } from "./suspensions.ts";

const BY_PARITY = "__heddle_mbarrier_test_parity";
const BY_STATE = "__heddle_mbarrier_test";
const PHASE_BIT = 63;

/** The function says whether a phase of an mbarrier is over, and does nothing else. */
export function isBarrierTest(fn: IrFunction): boolean {
  return (fn.name === BY_PARITY || fn.name === BY_STATE) && fn.blocks.length > 0 && !isInstrumented(fn);
}

export function suspendAtTests(fn: IrFunction, module: IrModule): void {
  const results = new Map<IrValue, IrValue>();
  for (let b = 0; b < fn.blocks.length; b++) {
    const block = fn.blocks[b]!;
    const at = block.instructions.findIndex(
      (i) => i.op === "call" && i.callee.kind === "function" && isBarrierTest(i.callee),
    );
    if (at < 0) continue;
    const call = block.instructions[at] as CallInstruction;
    const behind = newBlock(fn, `${block.name}.tested${b}`);
    const wait = newBlock(fn, `${block.name}.wait${b}`);
    const rest = block.instructions.splice(at + 1);
    block.instructions.pop();
    for (const i of rest) i.block = behind;
    behind.instructions.push(...rest);
    for (const s of new Set(successors(behind))) renameIncoming(s, block, behind);
    const { state, isOver } = readPhase(call);
    const place = { block, location: call.location };
    const result = newCast(place, call.name, "zext", isOver, I32);
    block.instructions.push(result, newCondBr(place, isOver, behind, wait));
    results.set(call, result);
    const waiting = { block: wait, location: call.location };
    wait.instructions.push(newCall(waiting, "", declareSuspend(module), [state]), newBr(waiting, behind));
    fn.blocks.splice(b + 1, 0, wait, behind);
  }
  replaceUses(fn, results);
}

/** The state of the barrier, and whether the phase that the call names is over. */
function readPhase(call: CallInstruction): { readonly state: IrInstruction; readonly isOver: IrInstruction } {
  const [pointer, phase] = call.args as [IrValue, IrValue];
  const { block, location, name } = call;
  const place = { block, location };
  const add = <I extends IrInstruction>(i: I): I => {
    block.instructions.push(i);
    return i;
  };
  const state = newLoad(place, `${name}.state`, I64, pointer, 8);
  state.ordering = "acquire";
  add(state);
  const bit = (value: IrValue, which: string): IrInstruction =>
    add(newBinary(place, `${name}.${which}`, "lshr", value, constI64(PHASE_BIT)));
  if ((call.callee as IrFunction).name === BY_STATE) {
    const changed = add(newBinary(place, `${name}.changed`, "xor", state, phase));
    return { state, isOver: add(newIcmp(place, `${name}.over`, "ne", bit(changed, "phase"), constI64(0))) };
  }
  const current = add(newCast(place, `${name}.current`, "trunc", bit(state, "phase"), I32));
  const wanted = add(newBinary(place, `${name}.wanted`, "and", phase, constI32(1)));
  return { state, isOver: add(newIcmp(place, `${name}.over`, "ne", current, wanted)) };
}
