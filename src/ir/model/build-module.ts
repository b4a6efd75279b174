/** Makes functions, parameters, declarations and modules. */
import type { FunctionType, IrFunction, IrModule, IrParam, IrType, PointerBits } from "./ir.ts";
import { I1, I32, VOID, functionType, ptrType } from "./types.ts";
import { pointerBitsOf } from "./layout.ts";
import { NO_ATTRIBUTES } from "./build.ts";

/** A function without blocks: a declaration, until blocks are added. Not yet in the module. */
export function newFunction(
  name: string,
  type: FunctionType,
  paramNames: readonly string[] = [],
  pointerBits: PointerBits = 32,
): IrFunction {
  const fn: IrFunction = {
    kind: "function",
    name,
    type: ptrType(0, pointerBits),
    functionType: type,
    params: [],
    blocks: [],
    isKernel: false,
    linkage: "external",
    attributes: NO_ATTRIBUTES,
    location: null,
  };
  fn.params = type.params.map((paramType, index) => newParam(fn, paramNames[index] ?? `${index}`, index, paramType));
  return fn;
}

export function newParam(fn: IrFunction, name: string, index: number, type: IrType): IrParam {
  return { kind: "param", name, index, type, byval: null, align: null, attributes: NO_ATTRIBUTES, function: fn };
}

/** The declaration of `name` in the module, made where it is missing. */
export function declareFunction(module: IrModule, name: string, result: IrType, params: readonly IrType[]): IrFunction {
  const known = module.functions.get(name);
  if (known) return known;
  const fn = newFunction(name, functionType(result, params), [], pointerBitsOf(module));
  module.functions.set(name, fn);
  return fn;
}

/** The intrinsic that copies bytes between generic pointers: `(destination, source, i32 bytes, i1 volatile)`. */
export function declareMemcpy(module: IrModule): IrFunction {
  const pointer = ptrType(0, pointerBitsOf(module));
  return declareFunction(module, "llvm.memcpy.p0.p0.i32", VOID, [pointer, pointer, I32, I1]);
}

export function newModule(sourceFile: string): IrModule {
  return {
    kind: "module",
    sourceFile,
    triple: "nvptx-nvidia-cuda",
    dataLayout: "e-p:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64",
    structTypes: new Map(),
    globals: new Map(),
    functions: new Map(),
    aliases: new Map(),
  };
}
