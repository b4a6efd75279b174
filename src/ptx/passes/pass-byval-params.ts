/**
 * Structs passed by value become the function's own copy where more is done with them than reading at known places.
 *
 * Needs: a valid function. Afterwards: a `byval` parameter of a kernel is only loaded from, through geps, so that
 * ld.param can do it; a `byval` parameter of any other function is only copied from (the caller passes a pointer to
 * what is the caller's).
 */
import { NameSource, constBool, constI32, newCall, newInstruction } from "../../ir/model/build.ts";
import { declareMemcpy } from "../../ir/model/build-module.ts";
import type { AllocaInstruction, IrBlock, IrFunction, IrInstruction, IrModule, IrParam } from "../../ir/model/ir.ts";
import { alignOf, sizeOf } from "../../ir/model/layout.ts";
import { pointerOf } from "../../ir/model/types.ts";
import { replaceAllUses, usesOf, type UseMap } from "../../ir/model/uses.ts";
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

function copyParam(fn: IrFunction, module: IrModule, param: IrParam, names: NameSource): void {
  const type = param.byval as NonNullable<IrParam["byval"]>;
  const entry = fn.blocks[0] as IrBlock;
  const place = { block: entry, location: null };
  const align = Math.max(alignOf(type), param.align ?? 1);
  const copy = newInstruction<AllocaInstruction>(place, {
    op: "alloca",
    type: pointerOf(fn),
    name: names.fresh(`${param.name}.copy`),
    allocatedType: type,
    count: null,
    align,
  });
  replaceAllUses(fn, param, copy);
  const memcpy = declareMemcpy(module);
  const call = newCall(place, "", memcpy, [copy, param, constI32(sizeOf(type)), constBool(false)]);
  call.argAlign = [align, align, null, null];
  const allocas = entry.instructions.findIndex((i) => i.op !== "alloca");
  entry.instructions.splice(allocas < 0 ? 0 : allocas, 0, copy, call);
}
