/**
 * Calls that a thread does without stopping: the device runtime, NVVM's memory intrinsics. Special registers are in
 * thread-information.ts.
 */
import { PRINT_FUNCTIONS, WIDE_PRINTF } from "../../ir/intrinsics/print-functions.ts";
import type { AsyncCopyFacts, AtomicFacts } from "../../ir/intrinsics/facts.ts";
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";
import type { AtomicRmwInstruction, CallInstruction, CmpxchgInstruction, LoadInstruction } from "../../ir/model/ir.ts";
import type { ScalarContext } from "../emit/environment.ts";
import { emitAtomicRmw, emitCmpxchg, emitLoad, emitRangeTest } from "../emit/memory.ts";
import { emitIntegerConstant } from "../emit/integers.ts";
import { getSize } from "../emit/intrinsics-memory.ts";
import type { FunctionBuilder } from "../../wasm/function-builder.ts";
import { ARGUMENTS_OUTSIDE_MEMORY } from "../packed-arguments.ts";
import type { FunctionContext } from "./function-context.ts";
import { CONTEXT, STATUS } from "./layout.ts";

/** The device runtime and memory intrinsics of NVVM. False when `name` is none of them. */
export function emitInlineCall(
  compiler: FunctionContext,
  scalar: ScalarContext,
  call: CallInstruction,
  name: string,
): boolean {
  const { code } = compiler;
  const push = (...indices: number[]): void => {
    for (const index of indices) compiler.get(call.args[index] ?? call);
  };
  const facts = intrinsicOf(name);
  switch (facts?.operation) {
    case "vprintf":
    case WIDE_PRINTF:
      emitPrint(compiler, call, push, facts.operation);
      return true;
    case "malloc":
      getSize(scalar, call.args[0] ?? call);
      code.call(compiler.program.host.malloc);
      compiler.set(call);
      return true;
    case "free":
      push(0);
      code.call(compiler.program.host.free);
      return true;
    case "__heddle_run_child_grids":
      code.localGet(compiler.context).call(compiler.program.host.runChildGrids).i32Eqz().if();
      compiler.fault("trap", call);
      code.end().i32Const(1);
      compiler.set(call);
      return true;
    case "__assertfail":
    case "__assert_fail":
      code.localGet(compiler.context);
      push(0, 1, 2, 3);
      code.call(compiler.program.host.assertFailed);
      compiler.fault("assert", call);
      code.unreachable();
      return true;
    case "trap":
    case "ubsantrap":
      compiler.fault("trap", call);
      code.unreachable();
      return true;
    case "exit":
      code.i32Const(STATUS.exited).return();
      return true;
    case "stacksave":
      code.localGet(compiler.context).i32Load(CONTEXT.localTop);
      if (compiler.program.addressType === "i64") code.i64ExtendI32U();
      compiler.set(call);
      return true;
    case "stackrestore":
      code.localGet(compiler.context);
      push(0);
      if (compiler.program.addressType === "i64") code.i32WrapI64();
      code.i32Store(CONTEXT.localTop);
      return true;
    default:
  }
  if (facts === null) return false;
  if (facts.kind === "ignored") return true;
  if (facts.productGroup === "commit") {
    code.localGet(compiler.context);
    code.localGet(compiler.context).i32Load(CONTEXT.productGroups).i32Const(1).i32Add();
    code.i32Store(CONTEXT.productGroups);
    return true;
  }
  if (facts.isReadOnlyLoad) emitReadOnlyLoad(compiler, scalar, call);
  else if (facts.atomic !== null) emitNvvmAtomic(compiler, scalar, call, facts.atomic);
  else if (facts.asyncCopy !== null) emitAsyncCopy(compiler, scalar, call, facts.asyncCopy);
  else return false;
  return true;
}

function emitPrint(
  compiler: FunctionContext,
  call: CallInstruction,
  push: (...indices: number[]) => void,
  name: string,
): void {
  const { code } = compiler;
  const { addressType } = compiler.program;
  const [args, written] = [code.local(addressType), code.local("i32")] as const;
  code.localGet(compiler.context);
  push(0, 1);
  code.localTee(args).i32Const(addressType === "i64" ? 8 : (PRINT_FUNCTIONS.get(name) ?? 4));
  code.call(compiler.program.host.print).localTee(written);
  compiler.set(call);
  code.localGet(written).i32Const(ARGUMENTS_OUTSIDE_MEMORY).i32Eq().if();
  compiler.fault("address", call, args, { constant: 4 });
  code.end();
  code.free(args, written);
}

function emitReadOnlyLoad(compiler: FunctionContext, scalar: ScalarContext, call: CallInstruction): void {
  const align = call.args[1]?.kind === "const-int" ? Number(call.args[1].value) : 1;
  const load: LoadInstruction = {
    kind: "instruction",
    op: "load",
    type: call.type,
    name: "",
    location: call.location,
    block: call.block,
    pointer: call.args[0] ?? call,
    align,
    volatile: false,
    ordering: null,
    scope: null,
    cache: null,
    invariant: true,
  };
  emitLoad(scalar, load);
  compiler.set(call);
}

function emitNvvmAtomic(
  compiler: FunctionContext,
  scalar: ScalarContext,
  call: CallInstruction,
  { operator }: AtomicFacts,
): void {
  const base = {
    kind: "instruction",
    name: "",
    location: call.location,
    block: call.block,
    pointer: call.args[0] ?? call,
    volatile: false,
    ordering: "monotonic",
    scope: null,
  } as const;
  if (operator === "cas") {
    const exchange: CmpxchgInstruction = {
      ...base,
      op: "cmpxchg",
      type: call.type,
      failureOrdering: "monotonic",
      expected: call.args[1] ?? call,
      desired: call.args[2] ?? call,
    };
    emitCmpxchg(
      {
        ...scalar,
        set: (_, component) => {
          if (component === 0) compiler.set(call);
          else compiler.code.drop();
        },
        noteChange: scalar.noteChange,
      },
      exchange,
    );
    return;
  }
  const update: AtomicRmwInstruction = {
    ...base,
    op: "atomicrmw",
    type: call.type,
    operator,
    value: call.args[1] ?? call,
  };
  emitAtomicRmw(scalar, update);
  compiler.set(call);
}

/** cp.async: the copy is made at once; with a source size the rest is zeros (PTX ISA 9.7.8.22.3). */
function emitAsyncCopy(
  compiler: FunctionContext,
  scalar: ScalarContext,
  call: CallInstruction,
  { bytes: size, isPartial }: AsyncCopyFacts,
): void {
  const { code } = compiler;
  const { type } = scalar.env.limits;
  const [to, from, bytes, whole] = [code.local(type), code.local(type), code.local(type), code.local(type)];
  const number = (value: number): FunctionBuilder => emitIntegerConstant(code, type, value);
  compiler.get(call.args[0] ?? call);
  code.localSet(to);
  compiler.get(call.args[1] ?? call);
  code.localSet(from);
  number(size).localSet(whole);
  if (!isPartial) number(size);
  else {
    getSize(scalar, call.args[2] ?? call);
    code.localTee(bytes);
    number(size).localGet(bytes);
    number(size).op(`${type}LtU`).select();
  }
  code.localSet(bytes);
  for (const [address, count] of [
    [from, bytes],
    [to, whole],
  ] as const) {
    emitRangeTest(scalar, address, count);
    code.localGet(address);
    number(size - 1).op(`${type}And`);
    number(0).op(`${type}Ne`).localGet(count);
    number(0).op(`${type}Ne`).i32And().i32Or().if();
    compiler.fault("address", call, address, count);
    code.end();
  }
  code.localGet(to).i32Const(0).localGet(whole).memoryFill();
  code.localGet(to).localGet(from).localGet(bytes).memoryCopy();
  code.free(to, from, bytes, whole);
}
