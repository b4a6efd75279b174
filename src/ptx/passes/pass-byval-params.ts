/**
 * Structs passed by value become the function's own copy where more is done with them than reading at known places.
 *
 * Needs: a valid function. Afterwards: a `byval` parameter of a kernel is only loaded from, through geps, so that
 * ld.param can do it; a `byval` parameter of any other function is only copied from (the caller passes a pointer to
 * what is the caller's).
 */
import { NameSource } from "../../ir/model/build.ts";
import type { IrFunction, IrInstruction, IrModule, IrParam } from "../../ir/model/ir.ts";
import { usesOf, type UseMap } from "../../ir/model/uses.ts";
import { copyParam } from "../../ir/passes/pass-copy-written-params.ts";
import { hasConstantIndices } from "../../ir/model/gep.ts";

export function copyByvalParams(fn: IrFunction, module: IrModule): void {
  const params = fn.params.filter((param) => param.byval !== null);
  if (params.length === 0 || fn.blocks.length === 0) return;
  const uses = usesOf(fn);
  const names = new NameSource(fn);
  for (const param of params) {
    if (fn.isKernel && isOnlyRead(param, uses)) continue;
    copyParam(fn, module, param, names);
  }
}

/** Loads at constant distances alone. */
function isOnlyRead(value: IrParam | IrInstruction, uses: UseMap): boolean {
  return (uses.get(value) ?? []).every((user) => {
    if (user.op === "load") return !user.volatile && user.ordering === null;
    return (
      user.op === "gep" &&
      user.base === value &&
      user.type.kind === "ptr" &&
      hasConstantIndices(user) &&
      isOnlyRead(user, uses)
    );
  });
}
