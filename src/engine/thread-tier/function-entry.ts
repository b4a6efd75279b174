/** The beginning of a compiled function: room on the stack, parameters, or what is needed to go on after a stop. */
import { bug, unsupported } from "../../base/diagnostics.ts";
import type { IrInstruction, IrType } from "../../ir/model/ir.ts";
import { sizeOf } from "../../ir/model/layout.ts";
import type { Local } from "../../wasm/function-builder.ts";
import { accessBytes } from "../emit/memory.ts";
import { leavesOf, wasmTypeOf } from "../emit/value-types.ts";
import type { FunctionContext } from "./function-context.ts";
import type { FunctionPlan } from "./function-plan.ts";
import { BLOCK_RECORD, CONTEXT, FRAME, YIELD_TURNS } from "./layout.ts";

export function emitPrologue(compiler: FunctionContext): void {
  const { code, plan } = compiler;
  code.localGet(compiler.frame).i32Load(FRAME.pc).localSet(compiler.pc);
  code.localGet(compiler.context).i32Load(CONTEXT.block).i32Load(BLOCK_RECORD.sharedBase).localSet(compiler.sharedBase);
  if (plan.yielding.size + plan.yieldingTargets.size > 0) code.i32Const(YIELD_TURNS).localSet(compiler.fuel);
  code.localGet(compiler.pc).i32Eqz().if();
  const first = plan.segmented.segments[0]?.block.instructions[0] ?? bug("empty function");
  const place: IrInstruction =
    plan.fn.location === null || first.location !== null ? first : { ...first, location: plan.fn.location };
  code
    .localGet(compiler.frame)
    .i32Const(plan.frameBytes)
    .i32Add()
    .localGet(compiler.context)
    .i32Load(CONTEXT.stackEnd)
    .i32GtU()
    .if();
  compiler.fault("stack-overflow", place);
  code.end();
  if (compiler.usesLocalStack) {
    const top = code.local("i32");
    code.localGet(compiler.context).i32Load(CONTEXT.localTop).localSet(compiler.localBase);
    code.localGet(compiler.frame).localGet(compiler.localBase).i32Store(FRAME.localBase);
    code
      .localGet(compiler.localBase)
      .i32Const(plan.localBytes)
      .i32Add()
      .localTee(top)
      .localGet(compiler.context)
      .i32Load(CONTEXT.localEnd)
      .i32GtU()
      .if();
    compiler.fault("stack-overflow", place);
    code.end();
    code.localGet(compiler.context).localGet(top).i32Store(CONTEXT.localTop);
    code.free(top);
  }
  if (plan.isKernel) {
    for (const [index, offset] of plan.paramCopies) {
      code.localGet(compiler.localBase).i32Const(offset).i32Add();
      code
        .globalGet(compiler.program.launchGlobals.paramBase)
        .i32Const(compiler.program.kernel.params[index]?.offset ?? 0)
        .i32Add();
      code.i32Const(sizeOf(plan.fn.params[index]?.byval as IrType)).memoryCopy();
    }
  } else {
    let leaf = 0;
    for (const param of plan.fn.params)
      for (const local of compiler.localsOf(param)) {
        compiler.loadSlot(local, FRAME.values + 8 * leaf);
        leaf++;
      }
  }
  if (compiler.usesLocalStack)
    code.else().localGet(compiler.frame).i32Load(FRAME.localBase).localSet(compiler.localBase);
  code.end();
  // Kernel parameters are read again on resumption: they take no slots.
  if (plan.isKernel) for (const param of plan.fn.params) loadKernelParam(compiler, param);
}

function loadKernelParam(compiler: FunctionContext, param: FunctionPlan["fn"]["params"][number]): void {
  const { code } = compiler;
  const layout = compiler.program.kernel.params[param.index] ?? bug(`no layout for parameter ${param.index}`);
  if (param.byval !== null) {
    const copy = compiler.plan.paramCopies.get(param.index);
    if (copy !== undefined) code.localGet(compiler.localBase).i32Const(copy).i32Add();
    else code.globalGet(compiler.program.launchGlobals.paramBase).i32Const(layout.offset).i32Add();
    if (compiler.program.addressType === "i64") code.i64ExtendI32U();
    code.localSet(compiler.localsOf(param)[0] as Local);
    return;
  }
  const leaves = leavesOf(param.type);
  const [leaf] = leaves;
  if (leaf === undefined || leaves.length > 1)
    throw unsupported(`a kernel parameter of type ${param.type.kind} passed as a value`);
  const local = compiler.localsOf(param)[0] as Local;
  code.globalGet(compiler.program.launchGlobals.paramBase);
  const bytes = accessBytes(leaf);
  const type = wasmTypeOf(leaf);
  if (type === "i32") {
    if (bytes === 1) code.i32Load8U(layout.offset);
    else if (bytes === 2) code.i32Load16U(layout.offset);
    else code.i32Load(layout.offset);
    if (leaf.kind === "int" && leaf.bits === 1) code.i32Const(1).i32And();
  } else if (type === "i64") code.i64Load(layout.offset);
  else if (type === "f32") code.f32Load(layout.offset);
  else code.f64Load(layout.offset);
  code.localSet(local);
}
