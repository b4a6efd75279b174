/** memcpy, memmove, memset, checked (LangRef "Standard C/C++ Library Intrinsics"). */
import { arg, type Emit } from "./intrinsic.ts";
import { emitRangeTest } from "./memory.ts";
import { bitWidth } from "./value-types.ts";

/** memcpy, memmove: destination, source, bytes. */
export const copyMemory: Emit = (context, call) => {
  const { code } = context;
  const [to, from, bytes] = [code.local("i32"), code.local("i32"), code.local("i32")];
  context.get(arg(call, 0));
  code.localSet(to);
  context.get(arg(call, 1));
  code.localSet(from);
  context.get(arg(call, 2));
  if (bitWidth(arg(call, 2).type) === 64) code.i32WrapI64();
  code.localSet(bytes);
  for (const address of [from, to]) {
    emitRangeTest(context, address, bytes);
    code.if();
    context.fault("address", call, address, bytes);
    code.end();
  }
  code.localGet(bytes).if();
  code.localGet(to).localGet(from).localGet(bytes).memoryCopy();
  context.noteChange?.();
  code.end();
  code.free(to, from, bytes);
};

export const fillMemory: Emit = (context, call) => {
  const { code } = context;
  const [to, bytes] = [code.local("i32"), code.local("i32")];
  context.get(arg(call, 0));
  code.localSet(to);
  context.get(arg(call, 2));
  if (bitWidth(arg(call, 2).type) === 64) code.i32WrapI64();
  code.localSet(bytes);
  emitRangeTest(context, to, bytes);
  code.if();
  context.fault("address", call, to, bytes);
  code.end();
  code.localGet(bytes).if();
  code.localGet(to);
  context.get(arg(call, 1));
  code.localGet(bytes).memoryFill();
  context.noteChange?.();
  code.end();
  code.free(to, bytes);
};
