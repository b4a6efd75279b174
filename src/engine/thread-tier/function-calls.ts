/** Calls through the frame, and waits: the two places where a thread may stop in the middle of a block. */
import { bug, unsupported } from "../../base/diagnostics.ts";
import type { CallInstruction, IrType, IrValue } from "../../ir/model/ir.ts";
import { sizeOf } from "../../ir/model/layout.ts";
import { emitIntegerConstant } from "../emit/integers.ts";
import { emitRangeTest } from "../emit/memory.ts";
import { leavesOf, wasmTypeOf } from "../emit/value-types.ts";
import type { FunctionContext } from "./function-context.ts";
import { byvalType } from "./function-plan.ts";
import { CONTEXT, FRAME, STATUS } from "./layout.ts";
import { waitShapeOf } from "./operations.ts";
import type { Segment } from "./segments.ts";

/** Fills the callee's frame, which lies behind ours. */
export function prepareCall(compiler: FunctionContext, call: CallInstruction): void {
  const { code, plan } = compiler;
  const copies = plan.byvalCopies.get(call);
  const callee = plan.frameBytes;
  code
    .localGet(compiler.frame)
    .i32Const(0)
    .i32Store(callee + FRAME.pc);
  // The callee checks that its frame fits; its arguments must not be written past the stack's end before.
  let leaf = 0;
  const last = leavesOf({ kind: "struct", name: null, packed: false, elements: call.args.map((a) => a.type) }).length;
  code
    .localGet(compiler.frame)
    .i32Const(callee + FRAME.values + 8 * last)
    .i32Add()
    .localGet(compiler.context)
    .i32Load(CONTEXT.stackEnd)
    .i32GtU()
    .if();
  compiler.fault("stack-overflow", call);
  code.end();
  call.args.forEach((arg, index) => {
    const copy = copies?.get(index);
    if (copy !== undefined) {
      const type = compiler.program.addressType;
      const source = code.local(type);
      const bytes = code.local(type);
      compiler.get(arg);
      code.localSet(source);
      emitIntegerConstant(code, type, sizeOf(byvalType(call, index) as IrType)).localSet(bytes);
      emitRangeTest(compiler.scalar, source, bytes);
      code.if();
      compiler.fault("address", call, source, bytes);
      code.end();
      code.localGet(compiler.localBase).i32Const(copy).i32Add().localGet(source).localGet(bytes).memoryCopy();
      code.localGet(compiler.frame).localGet(compiler.localBase).i32Const(copy).i32Add();
      if (type === "i64") code.i64ExtendI32U();
      code.memoryOp(`${type}Store`, callee + FRAME.values + 8 * leaf);
      code.free(source, bytes);
      leaf++;
      return;
    }
    leavesOf(arg.type).forEach((type, n) => {
      code.localGet(compiler.frame);
      compiler.get(arg, n);
      code.memoryOp(`${wasmTypeOf(type) as "i32"}Store`, callee + FRAME.values + 8 * leaf);
      leaf++;
    });
  });
}

/**
 * Runs the callee (again, where it had stopped) and takes its result. Without a segment to be resumed at, it does not
 * stop, and only fails.
 */
export function emitCall(compiler: FunctionContext, call: CallInstruction, segment: Segment | null): void {
  const { code, plan } = compiler;
  const status = code.local("i32");
  if (call.callee.kind !== "function") {
    // A number that is no function is called as number 0, which faults.
    const type = compiler.program.addressType;
    compiler.get(call.callee);
    emitIntegerConstant(code, type, compiler.program.tableSize).op(`${type}GeU`).if();
    compiler.fault("illegal-instruction", call);
    code.end();
    // for ProgramCompiler.noFunction
    code.localGet(compiler.context).i32Const(compiler.program.site(call)).i32Store(CONTEXT.faultSite);
  }
  code.localGet(compiler.frame).i32Const(plan.frameBytes).i32Add().localGet(compiler.context);
  if (call.callee.kind === "function") {
    if (call.functionType.isVarArg)
      throw unsupported(`a call of ${call.callee.name}, which takes variable arguments`, call.location ?? undefined);
    code.call(compiler.program.functions.get(call.callee) ?? bug(`no code for ${call.callee.name}`));
  } else {
    compiler.get(call.callee);
    if (compiler.program.addressType === "i64") code.i32WrapI64();
    code.callIndirect(["i32", "i32"], ["i32"], compiler.program.table);
  }
  code.localTee(status).if();
  if (segment === null) code.localGet(status).return();
  else compiler.stopAt(segment, () => code.localGet(status));
  code.end();
  code.free(status);
  leavesOf(call.type).forEach((leaf, n) => {
    code.localGet(compiler.frame).memoryOp(`${wasmTypeOf(leaf) as "i32"}Load`, plan.frameBytes + FRAME.values + 8 * n);
    compiler.set(call, n);
  });
}

/** Says in the context what the thread waits for, and stops. */
export function emitWait(compiler: FunctionContext, call: CallInstruction, next: Segment): void {
  const { code } = compiler;
  const { name } = call.callee as { name: string };
  const shape = waitShapeOf(name) ?? bug(`no wait at ${name}`);
  if (shape.operation.kind === "yield") {
    compiler.yieldAt(next, call);
    return;
  }
  const store = (field: number, push: () => void): void => {
    code.localGet(compiler.context);
    push();
    code.i32Store(field);
  };
  const argument = (index: number): IrValue => call.args[index] ?? bug(`argument ${index} of ${name}`);
  store(CONTEXT.waitOperation, () => code.i32Const(compiler.program.operation(shape.operation as never)));
  store(CONTEXT.waitSite, () => code.i32Const(compiler.program.waitSite(call)));
  store(CONTEXT.waitMask, () => (shape.mask < 0 ? void code.i32Const(0) : compiler.get(argument(shape.mask))));
  store(CONTEXT.waitThreads, () => {
    if (shape.operation.kind === "products") {
      code.localGet(compiler.context).i32Load(CONTEXT.productGroups);
      compiler.get(argument(0));
      code.i32Sub();
    } else if (shape.threads < 0) code.i32Const(-1);
    else compiler.get(argument(shape.threads));
  });
  if (shape.value >= 0) {
    const value = argument(shape.value);
    const type = wasmTypeOf(value.type);
    if (type === "i64") {
      code.localGet(compiler.context);
      compiler.get(value);
      code.i64Store(CONTEXT.operand0, 4);
    } else {
      store(CONTEXT.operand0, () => {
        compiler.get(value);
        if (type === "f32") code.i32ReinterpretF32();
      });
      if (shape.operation.kind === "collective" && shape.operation.operation.startsWith("match"))
        store(CONTEXT.operand1, () => code.i32Const(0));
    }
  }
  if (shape.lane >= 0) store(CONTEXT.operand2, () => compiler.get(argument(shape.lane)));
  if (shape.control >= 0) store(CONTEXT.operand3, () => compiler.get(argument(shape.control)));
  compiler.stopAt(next, () => code.i32Const(STATUS.waiting));
}

export function emitWaitResult(compiler: FunctionContext, call: CallInstruction): void {
  const { code } = compiler;
  leavesOf(call.type).forEach((leaf, n) => {
    code.localGet(compiler.context).i32Load(n === 0 ? CONTEXT.resultLow : CONTEXT.resultHigh);
    if (wasmTypeOf(leaf) === "f32") code.f32ReinterpretI32();
    compiler.set(call, n);
  });
}
