/** Groups of products of a warpgroup: how many a warp has committed stands in its context, where the others see it. */
import { calledIntrinsic } from "../../../ir/model/called-intrinsic.ts";
import type { CallInstruction } from "../../../ir/model/ir.ts";
import { WARPGROUP_WARPS } from "../../../machine/warpgroups.ts";
import { isMissingProducts } from "../planning/pass-suspend-at-products.ts";
import { CONTEXT_WORDS } from "./block-loops.ts";
import type { InstructionContext } from "./instruction-emitter.ts";

/** A commit, or the test of a wait. False for other calls. */
export function emitProductGroup(context: InstructionContext, i: CallInstruction, flush: () => void): boolean {
  const { code, kernelModule, registers, values } = context;
  if (calledIntrinsic(i)?.productGroup === "commit") {
    flush();
    // Without waits nobody asks.
    if (kernelModule.waits === null) return true;
    code.localGet(registers.context).localGet(registers.context).i32Load(CONTEXT_WORDS.products);
    code.i32Const(1).i32Add().i32Store(CONTEXT_WORDS.products);
    return true;
  }
  if (!isMissingProducts(i)) return false;
  flush();
  pushMissing(context, () => values.pushScalar(i.args[0]!));
  values.setScalar(i);
  return true;
}

/** Pushes an i64: not 0 if a warp of the warpgroup that has not ended has yet to commit the groups. */
function pushMissing({ code, kernelModule, registers, contextBytes }: InstructionContext, pushLeft: () => void): void {
  const { globals, warps } = kernelModule;
  const [wanted, other] = [code.local("i32"), code.local("i32")];
  code.localGet(registers.context).i32Load(CONTEXT_WORDS.products);
  pushLeft();
  code.i32Sub().localSet(wanted);
  code.i32Const(0);
  for (let n = 0; n < Math.min(WARPGROUP_WARPS, warps); n++) {
    // The last warpgroup of a block may have fewer warps: its last one is looked at again.
    code.localGet(registers.warp).i32Const(-WARPGROUP_WARPS).i32And().i32Const(n).i32Add().localTee(other);
    code
      .i32Const(warps - 1)
      .localGet(other)
      .i32Const(warps)
      .i32LtU()
      .select();
    code.i32Const(contextBytes).i32Mul().globalGet(globals.contexts).i32Add().localTee(other);
    code.i32Load().i32Const(0).i32GeS();
    code.localGet(other).i32Load(CONTEXT_WORDS.products).localGet(wanted).i32LtS().i32And().i32Or();
  }
  code.i64ExtendI32U();
  code.free(wanted, other);
}
