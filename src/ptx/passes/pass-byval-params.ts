/**
 * Structs passed by value become the function's own copy where more is done with them than reading at known places.
 *
 * Needs: a valid function. Afterwards: a `byval` parameter of a kernel is only loaded from: through geps, so that
 * ld.param can do it, and, with pointers of 64 bits, through selects and phis, whose operands are generic addresses; a
 * `byval` parameter of any other function is only copied from (the caller passes a pointer to what is the caller's).
 */
import { constI64, NameSource, newByteOffset } from "../../ir/model/build.ts";
import type {
  CallInstruction,
  GepInstruction,
  InlineAsm,
  IrFunction,
  IrInstruction,
  IrModule,
  IrParam,
  IrValue,
  LoadInstruction,
} from "../../ir/model/ir.ts";
import { pointerBitsOf } from "../../ir/model/layout.ts";
import { usesOf, type UseMap } from "../../ir/model/uses.ts";
import { removeDeadInstructions } from "../../ir/passes/pass-cleanup.ts";
import { copyParam } from "../../ir/passes/pass-copy-written-params.ts";
import { globalAddressOperands } from "../emit/native-inline-ptx.ts";
import { hasConstantIndices, splitConstantOffset } from "../../ir/model/gep.ts";

export function copyByvalParams(fn: IrFunction, module: IrModule): void {
  const params = fn.params.filter((param) => param.byval !== null);
  if (params.length === 0 || fn.blocks.length === 0) return;
  const names = new NameSource(fn);
  const places = fn.isKernel ? passTensorMaps(fn, names) : [];
  const uses = usesOf(fn);
  const canMerge = pointerBitsOf(module) === 64;
  for (const param of params) {
    if (fn.isKernel && isOnlyRead(param, uses, canMerge)) continue;
    copyParam(fn, module, param, names);
    for (const { gep, param: own } of places) if (own === param) gep.base = param;
  }
}

/**
 * Inline PTX that takes an address in a parameter as one of global memory, as a tensor map's, gets the place in the
 * parameter itself: a copy of the thread's own would be in local memory, where the copy engine reads nothing.
 */
function passTensorMaps(fn: IrFunction, names: NameSource): PlaceInParam[] {
  const places: PlaceInParam[] = [];
  for (const block of fn.blocks)
    for (const i of block.instructions.slice()) {
      if (i.op !== "call" || i.callee.kind !== "inline-asm") continue;
      for (const j of globalArguments(i.callee)) {
        const found = i.args[j] && placeInParam(i.args[j] as IrValue);
        if (!found) continue;
        const { param, offset } = found;
        const at = { block, location: i.location };
        const gep = newByteOffset(at, names.fresh(`${param.name}.map`), param, constI64(offset));
        block.instructions.splice(block.instructions.indexOf(i), 0, gep);
        i.args[j] = gep;
        places.push({ gep, param });
      }
    }
  // What led there.
  if (places.length > 0) removeDeadInstructions(fn);
  return places;
}

interface PlaceInParam {
  readonly gep: GepInstruction;
  readonly param: IrParam;
}

/** The arguments that the statement takes as addresses of global memory: outputs come before them in its text. */
function globalArguments({ constraints, template }: InlineAsm): Set<number> {
  const outputs = constraints.split(",").filter((constraint) => constraint.startsWith("=")).length;
  return new Set([...globalAddressOperands(template)].map((operand) => operand - outputs));
}

/** Where in a parameter an address lies, if both are known. */
function placeInParam(value: IrValue): { readonly param: IrParam; readonly offset: number } | null {
  if (value.kind === "instruction" && value.op === "cast") return placeInParam(value.operand);
  const { base, offset } = splitConstantOffset(value);
  return base.kind === "param" && base.byval !== null ? { param: base, offset } : null;
}

/** Loads at constant distances, inline PTX that asks for the address, and loads of this or of something else. */
function isOnlyRead(value: IrParam | IrInstruction, uses: UseMap, canMerge: boolean): boolean {
  return (uses.get(value) ?? []).every((user) => {
    if (user.op === "load") return isPlain(user);
    if (user.op === "call" && user.callee.kind === "inline-asm") return isPassedTo(user, value);
    if (user.op === "select" || user.op === "phi") return canMerge && isOnlyLoadedFrom(user, uses, new Set());
    return (
      user.op === "gep" &&
      user.base === value &&
      user.type.kind === "ptr" &&
      hasConstantIndices(user) &&
      isOnlyRead(user, uses, canMerge)
    );
  });
}

/** Of a pointer that may lead to the parameter. */
function isOnlyLoadedFrom(pointer: IrInstruction, uses: UseMap, seen: Set<IrInstruction>): boolean {
  if (seen.has(pointer)) return true;
  seen.add(pointer);
  return (uses.get(pointer) ?? []).every((user) => {
    if (user.op === "load") return isPlain(user);
    const isDerived = user.op === "gep" ? user.base === pointer : user.op === "select" || user.op === "phi";
    return isDerived && user.type.kind === "ptr" && isOnlyLoadedFrom(user, uses, seen);
  });
}

function isPlain(load: LoadInstruction): boolean {
  return !load.volatile && load.ordering === null;
}

/** Whether the statement takes the place in a parameter as an address of global memory, and as nothing else. */
function isPassedTo(call: CallInstruction, place: IrValue): boolean {
  const globals = globalArguments(call.callee as InlineAsm);
  return call.args.every((arg, j) => arg !== place || globals.has(j));
}
