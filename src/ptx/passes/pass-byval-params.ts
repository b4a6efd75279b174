/**
 * Structs passed by value become the function's own copy where more is done with them than reading at known places.
 *
 * Needs: a valid function. Afterwards: a `byval` parameter of a kernel is only loaded from, through geps, so that
 * ld.param can do it; a `byval` parameter of any other function is only copied from (the caller passes a pointer to
 * what is the caller's).
 */
import { NameSource } from "../../ir/model/build.ts";
import type {
  CallInstruction,
  InlineAsm,
  IrFunction,
  IrInstruction,
  IrModule,
  IrParam,
  IrValue,
} from "../../ir/model/ir.ts";
import { usesOf, type UseMap } from "../../ir/model/uses.ts";
import { removeDeadInstructions } from "../../ir/passes/pass-cleanup.ts";
import { copyParam } from "../../ir/passes/pass-copy-written-params.ts";
import { globalAddressOperands } from "../emit/native-inline-ptx.ts";
import { hasConstantIndices } from "../../ir/model/gep.ts";

export function copyByvalParams(fn: IrFunction, module: IrModule): void {
  const params = fn.params.filter((param) => param.byval !== null);
  if (params.length === 0 || fn.blocks.length === 0) return;
  if (fn.isKernel) passTensorMaps(fn);
  const uses = usesOf(fn);
  const names = new NameSource(fn);
  for (const param of params) {
    if (fn.isKernel && isOnlyRead(param, uses)) continue;
    copyParam(fn, module, param, names);
  }
}

/**
 * Inline PTX that takes the address of a parameter as one of global memory, as a tensor map's, gets the parameter
 * itself: a copy of the thread's own would be in local memory, where the copy engine reads nothing.
 */
function passTensorMaps(fn: IrFunction): void {
  let isPassed = false;
  for (const block of fn.blocks)
    for (const i of block.instructions) {
      if (i.op !== "call" || i.callee.kind !== "inline-asm") continue;
      for (const j of globalArguments(i.callee)) {
        const param = i.args[j] && paramBehind(i.args[j] as IrValue);
        if (!param) continue;
        i.args[j] = param;
        isPassed = true;
      }
    }
  // The casts in between.
  if (isPassed) removeDeadInstructions(fn);
}

/** The arguments that the statement takes as addresses of global memory: outputs come before them in its text. */
function globalArguments({ constraints, template }: InlineAsm): Set<number> {
  const outputs = constraints.split(",").filter((constraint) => constraint.startsWith("=")).length;
  return new Set([...globalAddressOperands(template)].map((operand) => operand - outputs));
}

function paramBehind(value: IrValue): IrParam | null {
  if (value.kind === "param") return value.byval === null ? null : value;
  return value.kind === "instruction" && value.op === "cast" ? paramBehind(value.operand) : null;
}

/** Loads at constant distances, and inline PTX that asks for the address. */
function isOnlyRead(value: IrParam | IrInstruction, uses: UseMap): boolean {
  return (uses.get(value) ?? []).every((user) => {
    if (user.op === "load") return !user.volatile && user.ordering === null;
    if (user.op === "call" && user.callee.kind === "inline-asm")
      return value.kind === "param" && isPassedTo(user, value);
    return (
      user.op === "gep" &&
      user.base === value &&
      user.type.kind === "ptr" &&
      hasConstantIndices(user) &&
      isOnlyRead(user, uses)
    );
  });
}

/** Whether the statement takes the parameter as an address of global memory, and as nothing else. */
function isPassedTo(call: CallInstruction, param: IrParam): boolean {
  const globals = globalArguments(call.callee as InlineAsm);
  return call.args.every((arg, j) => arg !== param || globals.has(j));
}
