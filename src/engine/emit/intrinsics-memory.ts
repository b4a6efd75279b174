/** memcpy, memmove, memset, checked (LangRef "Standard C/C++ Library Intrinsics"). */
import type { IrValue } from "../../ir/model/ir.ts";
import type { Local } from "../../wasm/function-builder.ts";
import type { ScalarContext } from "./environment.ts";
import { emitIntegerConstant } from "./integers.ts";
import { arg, type Emit } from "./intrinsic.ts";
import { emitRangeTest } from "./memory.ts";
import { bitWidth } from "./value-types.ts";

/** memcpy, memmove: destination, source, bytes. */
export const copyMemory: Emit = (context, call) => {
  const { code } = context;
  const { type } = context.env.limits;
  const [to, from, bytes] = [code.local(type), code.local(type), code.local(type)];
  context.get(arg(call, 0));
  code.localSet(to);
  context.get(arg(call, 1));
  code.localSet(from);
  getSize(context, arg(call, 2));
  code.localSet(bytes);
  for (const address of [from, to]) {
    emitRangeTest(context, address, bytes);
    code.if();
    context.fault("address", call, address, bytes);
    code.end();
  }
  pushIsNotZero(context, bytes);
  code.if();
  code.localGet(to).localGet(from).localGet(bytes).memoryCopy();
  context.noteChange?.();
  code.end();
  code.free(to, from, bytes);
};

export const fillMemory: Emit = (context, call) => {
  const { code } = context;
  const { type } = context.env.limits;
  const [to, bytes] = [code.local(type), code.local(type)];
  context.get(arg(call, 0));
  code.localSet(to);
  getSize(context, arg(call, 2));
  code.localSet(bytes);
  emitRangeTest(context, to, bytes);
  code.if();
  context.fault("address", call, to, bytes);
  code.end();
  pushIsNotZero(context, bytes);
  code.if();
  code.localGet(to);
  context.get(arg(call, 1));
  code.localGet(bytes).memoryFill();
  context.noteChange?.();
  code.end();
  code.free(to, bytes);
};

/** Pushes a number of bytes in the width of addresses. */
export function getSize(context: ScalarContext, size: IrValue): void {
  const isLong = bitWidth(size.type) === 64;
  context.get(size);
  if (context.env.limits.type === "i64") {
    if (!isLong) context.code.i64ExtendI32U();
  } else if (isLong) context.code.i32WrapI64();
}

function pushIsNotZero(context: ScalarContext, bytes: Local): void {
  emitIntegerConstant(context.code.localGet(bytes), context.env.limits.type, 0).op(`${context.env.limits.type}Ne`);
}
