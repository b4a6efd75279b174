/** memcpy, memmove, memset, checked (LangRef "Standard C/C++ Library Intrinsics"). */
import { arg, type Emit } from "./intrinsic.ts";
import { emitRangeTest } from "./memory.ts";
import { bitWidth } from "./value-types.ts";

/** memcpy, memmove: destination, source, bytes. */
export const copyMemory: Emit = (c, call) => {
  const { f } = c;
  const [to, from, bytes] = [f.local("i32"), f.local("i32"), f.local("i32")];
  c.get(arg(call, 0));
  f.localSet(to);
  c.get(arg(call, 1));
  f.localSet(from);
  c.get(arg(call, 2));
  if (bitWidth(arg(call, 2).type) === 64) f.i32WrapI64();
  f.localSet(bytes);
  for (const address of [from, to]) {
    emitRangeTest(c, address, bytes);
    f.if();
    c.fault("address", call, address, bytes);
    f.end();
  }
  f.localGet(bytes).if();
  f.localGet(to).localGet(from).localGet(bytes).memoryCopy();
  c.noteChange?.();
  f.end();
  f.free(to, from, bytes);
};

export const fillMemory: Emit = (c, call) => {
  const { f } = c;
  const [to, bytes] = [f.local("i32"), f.local("i32")];
  c.get(arg(call, 0));
  f.localSet(to);
  c.get(arg(call, 2));
  if (bitWidth(arg(call, 2).type) === 64) f.i32WrapI64();
  f.localSet(bytes);
  emitRangeTest(c, to, bytes);
  f.if();
  c.fault("address", call, to, bytes);
  f.end();
  f.localGet(bytes).if();
  f.localGet(to);
  c.get(arg(call, 1));
  f.localGet(bytes).memoryFill();
  c.noteChange?.();
  f.end();
  f.free(to, bytes);
};
