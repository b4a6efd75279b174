/** What a warp's code takes from outside: the kernel's parameters, constants, and addresses in shared memory. */
import { bug } from "../../../base/diagnostics.ts";
import type { IrConstant, IrParam, IrValue } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import { constantBits } from "../../emit/constants.ts";
import { elementOf, scalarTypeOf } from "../lane-operations/element.ts";
import type { ModuleContext } from "./module-context.ts";

/** Loads all parameters into locals, once for all warps. */
export function emitParameters(code: FunctionBuilder, kernelModule: ModuleContext): ReadonlyMap<IrParam, Local> {
  const { kernel, globals } = kernelModule;
  const locals = new Map<IrParam, Local>();
  for (const p of kernel.function.params) {
    const place = kernel.params[p.index] ?? bug(`parameter ${p.index} of ${kernel.name}`);
    if (p.byval !== null) {
      const local = code.freshLocal("i32");
      code.globalGet(globals.params);
      if (place.offset !== 0) code.i32Const(place.offset).i32Add();
      code.localSet(local);
      locals.set(p, local);
      continue;
    }
    const element = elementOf(p.type);
    const local = code.freshLocal(scalarTypeOf(element));
    code.globalGet(globals.params);
    if (element === "i64") code.i64Load(place.offset);
    else if (element === "f64") code.f64Load(place.offset);
    else if (element === "f32") code.f32Load(place.offset);
    else if (place.size === 1) code.i32Load8U(place.offset);
    else if (place.size === 2) code.i32Load16U(place.offset);
    else code.i32Load(place.offset);
    if (element === "i1") code.i32Const(1).i32And();
    code.localSet(local);
    locals.set(p, local);
  }
  return locals;
}

/** The bits of a constant that is no address in the block's shared window; null for any other value. */
export function constantOf(kernelModule: ModuleContext, value: IrValue): bigint | null {
  if (!isConstant(value)) return null;
  const { bits, sharedRelative } = bitsOf(kernelModule, value);
  return sharedRelative ? null : bits;
}

/** Pushes an address in the block's shared window. */
export function pushSharedAddress(code: FunctionBuilder, kernelModule: ModuleContext, value: IrValue): void {
  if (!isConstant(value)) bug(`address of a ${value.kind}`);
  const { bits } = bitsOf(kernelModule, value);
  code.globalGet(kernelModule.globals.shared);
  if (bits !== 0n) code.i32Const(Number(BigInt.asIntN(32, bits))).i32Add();
}

function isConstant(value: IrValue): value is IrConstant {
  return (
    value.kind !== "instruction" && value.kind !== "param" && value.kind !== "inline-asm" && value.kind !== "metadata"
  );
}

function bitsOf(kernelModule: ModuleContext, value: IrConstant): ReturnType<typeof constantBits> {
  return constantBits(
    value,
    kernelModule.env.addresses,
    (name) => kernelModule.kernel.sharedOffsets.get(name) ?? bug(`shared variable ${name} has no place`),
  );
}
