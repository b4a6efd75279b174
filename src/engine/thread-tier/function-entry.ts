/** The beginning of a compiled function: room on the stack, parameters, or what is needed to go on after a stop. */
import { bug, unsupported } from "../../base/diagnostics.ts";
import type { IrInstruction, IrType } from "../../ir/model/ir.ts";
import { sizeOf } from "../../ir/model/layout.ts";
import type { Local } from "../../wasm/function-builder.ts";
import { accessBytes } from "../emit/memory.ts";
import { leavesOf, wasmTypeOf } from "../emit/value-types.ts";
import type { FunctionCompiler } from "./function-compiler.ts";
import type { FunctionPlan } from "./function-plan.ts";
import { BLOCK_RECORD, CONTEXT, FRAME, YIELD_TURNS } from "./layout.ts";

export function emitPrologue(c: FunctionCompiler): void {
  const { f, plan } = c;
  f.localGet(c.frame).i32Load(FRAME.pc).localSet(c.pc);
  f.localGet(c.context).i32Load(CONTEXT.block).i32Load(BLOCK_RECORD.sharedBase).localSet(c.sharedBase);
  if (plan.yielding.size + plan.yieldingTargets.size > 0) f.i32Const(YIELD_TURNS).localSet(c.fuel);
  f.localGet(c.pc).i32Eqz().if();
  const first = plan.segmented.segments[0]?.block.instructions[0] ?? bug("empty function");
  const place: IrInstruction =
    plan.fn.location === null || first.location !== null ? first : { ...first, location: plan.fn.location };
  f.localGet(c.frame).i32Const(plan.frameBytes).i32Add().localGet(c.context).i32Load(CONTEXT.stackEnd).i32GtU().if();
  c.fault("stack-overflow", place);
  f.end();
  if (c.usesLocalStack) {
    const top = f.local("i32");
    f.localGet(c.context).i32Load(CONTEXT.localTop).localSet(c.localBase);
    f.localGet(c.frame).localGet(c.localBase).i32Store(FRAME.localBase);
    f.localGet(c.localBase)
      .i32Const(plan.localBytes)
      .i32Add()
      .localTee(top)
      .localGet(c.context)
      .i32Load(CONTEXT.localEnd)
      .i32GtU()
      .if();
    c.fault("stack-overflow", place);
    f.end();
    f.localGet(c.context).localGet(top).i32Store(CONTEXT.localTop);
    f.free(top);
  }
  if (plan.isKernel) {
    for (const [index, offset] of plan.paramCopies) {
      f.localGet(c.localBase).i32Const(offset).i32Add();
      f.globalGet(c.p.launchGlobals.paramBase)
        .i32Const(c.p.kernel.params[index]?.offset ?? 0)
        .i32Add();
      f.i32Const(sizeOf(plan.fn.params[index]?.byval as IrType)).memoryCopy();
    }
  } else {
    let leaf = 0;
    for (const param of plan.fn.params)
      for (const local of c.localsOf(param)) {
        c.loadSlot(local, FRAME.values + 8 * leaf);
        leaf++;
      }
  }
  if (c.usesLocalStack) f.else().localGet(c.frame).i32Load(FRAME.localBase).localSet(c.localBase);
  f.end();
  // Kernel parameters are read again on resumption: they take no slots.
  if (plan.isKernel) for (const param of plan.fn.params) loadKernelParam(c, param);
}

function loadKernelParam(c: FunctionCompiler, param: FunctionPlan["fn"]["params"][number]): void {
  const { f } = c;
  const layout = c.p.kernel.params[param.index] ?? bug(`no layout for parameter ${param.index}`);
  if (param.byval !== null) {
    const copy = c.plan.paramCopies.get(param.index);
    if (copy !== undefined) f.localGet(c.localBase).i32Const(copy).i32Add();
    else f.globalGet(c.p.launchGlobals.paramBase).i32Const(layout.offset).i32Add();
    f.localSet(c.localsOf(param)[0] as Local);
    return;
  }
  const leaves = leavesOf(param.type);
  const [leaf] = leaves;
  if (leaf === undefined || leaves.length > 1)
    throw unsupported(`a kernel parameter of type ${param.type.kind} passed as a value`);
  const local = c.localsOf(param)[0] as Local;
  f.globalGet(c.p.launchGlobals.paramBase);
  const bytes = accessBytes(leaf);
  const type = wasmTypeOf(leaf);
  if (type === "i32") {
    if (bytes === 1) f.i32Load8U(layout.offset);
    else if (bytes === 2) f.i32Load16U(layout.offset);
    else f.i32Load(layout.offset);
    if (leaf.kind === "int" && leaf.bits === 1) f.i32Const(1).i32And();
  } else if (type === "i64") f.i64Load(layout.offset);
  else if (type === "f32") f.f32Load(layout.offset);
  else f.f64Load(layout.offset);
  f.localSet(local);
}
