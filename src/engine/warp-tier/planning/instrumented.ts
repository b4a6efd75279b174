/** Functions of the device library into which a tool has put code: only their body says all there is to do. */
import { calledIntrinsic } from "../../../ir/model/called-intrinsic.ts";
import { forEachSymbol } from "../../../ir/model/constant-symbols.ts";
import type { IrFunction } from "../../../ir/model/ir.ts";
import { forEachOperand } from "../../../ir/model/operands.ts";
import { TOOL_PREFIX } from "../../../machine/observer.ts";

export function isInstrumented(fn: IrFunction): boolean {
  let found = false;
  for (const { instructions } of fn.blocks) {
    for (const i of instructions) {
      if ((calledIntrinsic(i)?.count ?? null) !== null) found = true;
      forEachOperand(i, (value) =>
        forEachSymbol(value, ({ name }) => {
          if (name.startsWith(TOOL_PREFIX)) found = true;
        }),
      );
    }
  }
  return found;
}
