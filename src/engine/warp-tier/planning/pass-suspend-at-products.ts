/**
 * wgmma.wait_group: the warp is suspended until all warps of its warpgroup have committed the groups that it waits for
 * (the meaning: interpreter/product-groups.ts). In place of the call comes a loop: a test, and a suspension behind one
 * that found groups missing.
 */
import { declareFunction } from "../../../ir/model/build-module.ts";
import { constI64, newBlock, newBr, newCall, newCondBr, newIcmp } from "../../../ir/model/build.ts";
import { renameIncoming, successors } from "../../../ir/graph/cfg.ts";
import { calledIntrinsic, calleeName } from "../../../ir/model/called-intrinsic.ts";
import type { CallInstruction, IrBlock, IrFunction, IrInstruction, IrModule } from "../../../ir/model/ir.ts";
import { I32, I64 } from "../../../ir/model/types.ts";
import { declareSuspend } from "./suspensions.ts";

/** Not 0: some warp of the warpgroup has not come so far. Its argument: how many of the last groups may be missing. */
const MISSING = "llvm.nvvm.heddle.products.missing";

export function isMissingProducts(i: IrInstruction | undefined): i is CallInstruction {
  return i?.op === "call" && calleeName(i) === MISSING;
}

export function suspendAtProducts(fn: IrFunction, module: IrModule): void {
  for (let b = 0; b < fn.blocks.length; b++) {
    const block = fn.blocks[b]!;
    const at = block.instructions.findIndex((i) => calledIntrinsic(i)?.productGroup === "wait");
    if (at < 0) continue;
    const call = block.instructions[at] as CallInstruction;
    const test = newBlock(fn, `${block.name}.products${b}`);
    const wait = newBlock(fn, `${block.name}.wait${b}`);
    const behind = newBlock(fn, `${block.name}.made${b}`);
    const rest = block.instructions.splice(at + 1);
    block.instructions.pop();
    for (const i of rest) i.block = behind;
    behind.instructions.push(...rest);
    for (const s of new Set(successors(behind))) renameIncoming(s, block, behind);
    const place = (where: IrBlock): { block: IrBlock; location: CallInstruction["location"] } => ({
      block: where,
      location: call.location,
    });
    block.instructions.push(newBr(place(block), test));
    const callee = declareFunction(module, MISSING, I64, [I32]);
    const missing = newCall(place(test), `${test.name}.missing`, callee, [...call.args]);
    const areMade = newIcmp(place(test), `${test.name}.all`, "eq", missing, constI64(0));
    test.instructions.push(missing, areMade, newCondBr(place(test), areMade, behind, wait));
    wait.instructions.push(newCall(place(wait), "", declareSuspend(module), [missing]), newBr(place(wait), test));
    fn.blocks.splice(b + 1, 0, test, wait, behind);
  }
}
