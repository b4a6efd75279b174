/** Calls through the frame, and waits: the two places where a thread may stop in the middle of a block. */
import { bug, unsupported } from "../../base/diagnostics.ts";
import type { CallInstruction, IrType, IrValue } from "../../ir/model/ir.ts";
import { sizeOf } from "../../ir/model/layout.ts";
import { emitRangeTest } from "../emit/memory.ts";
import { leavesOf, wasmTypeOf } from "../emit/value-types.ts";
import type { FunctionCompiler } from "./function-compiler.ts";
import { byvalType } from "./function-plan.ts";
import { CONTEXT, FRAME, STATUS } from "./layout.ts";
import { waitShapeOf } from "./operations.ts";
import type { Segment } from "./segments.ts";

/** Fills the callee's frame, which lies behind ours. */
export function prepareCall(c: FunctionCompiler, call: CallInstruction): void {
  const { f, plan } = c;
  const copies = plan.byvalCopies.get(call);
  const callee = plan.frameBytes;
  f.localGet(c.frame)
    .i32Const(0)
    .i32Store(callee + FRAME.pc);
  // The callee checks that its frame fits; its arguments must not be written past the stack's end before.
  let leaf = 0;
  const last = leavesOf({ kind: "struct", name: null, packed: false, elements: call.args.map((a) => a.type) }).length;
  f.localGet(c.frame)
    .i32Const(callee + FRAME.values + 8 * last)
    .i32Add()
    .localGet(c.context)
    .i32Load(CONTEXT.stackEnd)
    .i32GtU()
    .if();
  c.fault("stack-overflow", call);
  f.end();
  call.args.forEach((arg, index) => {
    const copy = copies?.get(index);
    if (copy !== undefined) {
      const source = f.local("i32");
      const bytes = f.local("i32");
      c.get(arg);
      f.localSet(source)
        .i32Const(sizeOf(byvalType(call, index) as IrType))
        .localSet(bytes);
      emitRangeTest(c.scalar, source, bytes);
      f.if();
      c.fault("address", call, source, bytes);
      f.end();
      f.localGet(c.localBase).i32Const(copy).i32Add().localGet(source).localGet(bytes).memoryCopy();
      f.localGet(c.frame)
        .localGet(c.localBase)
        .i32Const(copy)
        .i32Add()
        .i32Store(callee + FRAME.values + 8 * leaf);
      f.free(source, bytes);
      leaf++;
      return;
    }
    leavesOf(arg.type).forEach((type, n) => {
      f.localGet(c.frame);
      c.get(arg, n);
      f.memoryOp(`${wasmTypeOf(type) as "i32"}Store`, callee + FRAME.values + 8 * leaf);
      leaf++;
    });
  });
}

/**
 * Runs the callee (again, where it had stopped) and takes its result. Without a segment to be resumed at, it does not
 * stop, and only fails.
 */
export function emitCall(c: FunctionCompiler, call: CallInstruction, segment: Segment | null): void {
  const { f, plan } = c;
  const status = f.local("i32");
  if (call.callee.kind !== "function") {
    // A number that is no function is called as number 0, which faults.
    c.get(call.callee);
    f.i32Const(c.p.tableSize).i32GeU().if();
    c.fault("illegal-instruction", call);
    f.end();
    f.localGet(c.context).i32Const(c.p.site(call)).i32Store(CONTEXT.faultSite); // for ProgramCompiler.noFunction
  }
  f.localGet(c.frame).i32Const(plan.frameBytes).i32Add().localGet(c.context);
  if (call.callee.kind === "function") {
    if (call.functionType.isVarArg)
      throw unsupported(`a call of ${call.callee.name}, which takes variable arguments`, call.location ?? undefined);
    f.call(c.p.functions.get(call.callee) ?? bug(`no code for ${call.callee.name}`));
  } else {
    c.get(call.callee);
    f.callIndirect(["i32", "i32"], ["i32"], c.p.table);
  }
  f.localTee(status).if();
  if (segment === null) f.localGet(status).return();
  else c.stopAt(segment, () => f.localGet(status));
  f.end();
  f.free(status);
  leavesOf(call.type).forEach((leaf, n) => {
    f.localGet(c.frame).memoryOp(`${wasmTypeOf(leaf) as "i32"}Load`, plan.frameBytes + FRAME.values + 8 * n);
    c.set(call, n);
  });
}

/** Says in the context what the thread waits for, and stops. */
export function emitWait(c: FunctionCompiler, call: CallInstruction, next: Segment): void {
  const { f } = c;
  const { name } = call.callee as { name: string };
  const shape = waitShapeOf(name) ?? bug(`no wait at ${name}`);
  if (shape.operation.kind === "yield") {
    c.yieldAt(next, call);
    return;
  }
  const store = (field: number, push: () => void): void => {
    f.localGet(c.context);
    push();
    f.i32Store(field);
  };
  const argument = (index: number): IrValue => call.args[index] ?? bug(`argument ${index} of ${name}`);
  store(CONTEXT.waitOperation, () => f.i32Const(c.p.operation(shape.operation as never)));
  store(CONTEXT.waitSite, () => f.i32Const(c.p.waitSite(call)));
  store(CONTEXT.waitMask, () => (shape.mask < 0 ? void f.i32Const(0) : c.get(argument(shape.mask))));
  store(CONTEXT.waitThreads, () => (shape.threads < 0 ? void f.i32Const(-1) : c.get(argument(shape.threads))));
  if (shape.value >= 0) {
    const value = argument(shape.value);
    const type = wasmTypeOf(value.type);
    if (type === "i64") {
      f.localGet(c.context);
      c.get(value);
      f.i64Store(CONTEXT.operand0, 4);
    } else {
      store(CONTEXT.operand0, () => {
        c.get(value);
        if (type === "f32") f.i32ReinterpretF32();
      });
      if (shape.operation.kind === "collective" && shape.operation.operation.startsWith("match"))
        store(CONTEXT.operand1, () => f.i32Const(0));
    }
  }
  if (shape.lane >= 0) store(CONTEXT.operand2, () => c.get(argument(shape.lane)));
  if (shape.control >= 0) store(CONTEXT.operand3, () => c.get(argument(shape.control)));
  c.stopAt(next, () => f.i32Const(STATUS.waiting));
}

export function emitWaitResult(c: FunctionCompiler, call: CallInstruction): void {
  const { f } = c;
  leavesOf(call.type).forEach((leaf, n) => {
    f.localGet(c.context).i32Load(n === 0 ? CONTEXT.resultLow : CONTEXT.resultHigh);
    if (wasmTypeOf(leaf) === "f32") f.f32ReinterpretI32();
    c.set(call, n);
  });
}
