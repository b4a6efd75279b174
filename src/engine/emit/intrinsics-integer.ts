/**
 * Intrinsics on integers (LangRef "Bit Manipulation", "Saturation Arithmetic", "Arithmetic with Overflow"; NVVM's of
 * the same kind).
 */
import type { CallInstruction } from "../../ir/model/ir.ts";
import type { PlainMethod } from "../../wasm/function-builder.ts";
import type { ScalarContext } from "./environment.ts";
import { emitCrop, emitIntegerCompare, emitIntegerConstant, emitSignExtend, getSigned } from "./integers.ts";
import { arg, carrierOf, type Emit } from "./intrinsic.ts";
import { bitWidth } from "./value-types.ts";

export const bitCount: Emit = (c, call) => {
  c.get(arg(call, 0));
  c.f.op(`${carrierOf(call.args[0]!.type)}Popcnt`);
  if (carrierOf(call.args[0]!.type) === "i64" && carrierOf(call.type) === "i32") c.f.i32WrapI64();
};

export const leadingZeros: Emit = (c, call) => {
  const bits = bitWidth(arg(call, 0).type);
  const carrier = carrierOf(arg(call, 0).type);
  c.get(arg(call, 0));
  c.f.op(`${carrier}Clz`);
  const spare = (carrier === "i64" ? 64 : 32) - bits;
  if (spare > 0) {
    emitIntegerConstant(c.f, carrier, spare);
    c.f.op(`${carrier}Sub`);
  }
  if (carrier === "i64" && carrierOf(call.type) === "i32") c.f.i32WrapI64();
};

export const trailingZeros: Emit = (c, call) => {
  const bits = bitWidth(arg(call, 0).type);
  const carrier = carrierOf(arg(call, 0).type);
  c.get(arg(call, 0));
  if (bits < 32) c.f.i32Const(1 << bits).i32Or();
  c.f.op(`${carrier}Ctz`);
  if (carrier === "i64" && carrierOf(call.type) === "i32") c.f.i32WrapI64();
};

export const swapBytes: Emit = (c, call) => {
  c.get(arg(call, 0));
  c.f.call(c.env.support.swapBytes(carrierOf(call.type)));
  if (bitWidth(call.type) === 16) c.f.i32Const(16).i32ShrU();
};

export const reverseBits: Emit = (c, call) => {
  const bits = bitWidth(call.type);
  c.get(arg(call, 0));
  c.f.call(c.env.support.reverseBits(carrierOf(call.type)));
  if (bits < 32) c.f.i32Const(32 - bits).i32ShrU();
};

export const funnelShift =
  (left: boolean): Emit =>
  (c, call) => {
    const { f } = c;
    const bits = bitWidth(call.type);
    const [a, b, s] = [arg(call, 0), arg(call, 1), arg(call, 2)];
    if (bits === 64) {
      const amount = f.local("i64");
      c.get(s);
      f.localSet(amount);
      c.get(a);
      if (left) f.localGet(amount).i64Shl();
      else f.i64Const(1n).i64Shl().localGet(amount).i64Const(-1n).i64Xor().i64Shl();
      c.get(b);
      if (left) f.i64Const(1n).i64ShrU().localGet(amount).i64Const(-1n).i64Xor().i64ShrU();
      else f.localGet(amount).i64ShrU();
      f.i64Or();
      f.free(amount);
      return;
    }
    if (bits === 32 && a === b) {
      c.get(a);
      c.get(s);
      f.op(left ? "i32Rotl" : "i32Rotr");
      return;
    }
    // Both halves side by side in 64 bits.
    c.get(a);
    f.i64ExtendI32U().i64Const(BigInt(bits)).i64Shl();
    c.get(b);
    f.i64ExtendI32U().i64Or();
    c.get(s);
    if (bits < 32) f.i32Const(bits).i32RemU();
    else f.i32Const(31).i32And();
    f.i64ExtendI32U();
    if (left) f.i64Shl().i64Const(BigInt(bits)).i64ShrU();
    else f.i64ShrU();
    f.i32WrapI64();
    emitCrop(f, bits);
  };

export const integerAbsolute: Emit = (c, call) => {
  const { f } = c;
  const carrier = carrierOf(call.type);
  const value = f.local(carrier);
  emitIntegerConstant(f, carrier, 0);
  getSigned(c, arg(call, 0));
  f.localTee(value).op(`${carrier}Sub`).localGet(value).localGet(value);
  emitIntegerConstant(f, carrier, 0);
  f.op(`${carrier}LtS`).select();
  emitCrop(f, bitWidth(call.type));
  f.free(value);
};

export const integerMinMax =
  (predicate: "slt" | "sgt" | "ult" | "ugt"): Emit =>
  (c, call) => {
    c.get(arg(call, 0));
    c.get(arg(call, 1));
    emitIntegerCompare(c, predicate, arg(call, 0), arg(call, 1));
    c.f.select();
  };

/** Addition and subtraction that saturate. Widths up to 32 in 64 bits; 64 by the carry. */
export const saturating =
  (operation: "add" | "sub", signed: boolean): Emit =>
  (c, call) => {
    const { f } = c;
    const bits = bitWidth(call.type);
    const push = (index: number): void => (signed ? getSigned(c, arg(call, index)) : c.get(arg(call, index)));
    const op: PlainMethod = operation === "add" ? "i64Add" : "i64Sub";
    if (bits <= 32) {
      const value = f.local("i64");
      for (const index of [0, 1]) {
        push(index);
        f.op(signed ? "i64ExtendI32S" : "i64ExtendI32U");
      }
      f.op(op);
      const high = signed ? (1n << BigInt(bits - 1)) - 1n : (1n << BigInt(bits)) - 1n;
      const low = signed ? -(1n << BigInt(bits - 1)) : 0n;
      f.localTee(value).i64Const(high).localGet(value).i64Const(high).i64LtS().select();
      f.localTee(value).i64Const(low).localGet(value).i64Const(low).i64GtS().select().i32WrapI64();
      emitCrop(f, bits);
      f.free(value);
      return;
    }
    const a = f.local("i64");
    const b = f.local("i64");
    const r = f.local("i64");
    push(0);
    f.localSet(a);
    push(1);
    f.localSet(b);
    if (signed) {
      f.localGet(a)
        .i64Const(63n)
        .i64ShrS()
        .i64Const((1n << 63n) - 1n)
        .i64Xor(); // where it saturates
      f.localGet(a).localGet(b).op(op).localTee(r);
      emitSignedOverflow64(c, operation, a, b, r);
      f.select();
    } else {
      f.i64Const(operation === "add" ? -1n : 0n)
        .localGet(a)
        .localGet(b)
        .op(op)
        .localTee(r);
      if (operation === "add") f.localGet(r).localGet(a).i64LtU();
      else f.localGet(a).localGet(b).i64LtU();
      f.select();
    }
    f.free(a, b, r);
  };

export const multiplyHigh =
  (signed: boolean): Emit =>
  (c, call) => {
    const { f } = c;
    if (bitWidth(call.type) === 64) {
      c.get(arg(call, 0));
      c.get(arg(call, 1));
      f.call(c.env.support.multiplyHigh64(signed));
      return;
    }
    const bits = bitWidth(call.type);
    for (const index of [0, 1]) {
      if (signed) getSigned(c, arg(call, index));
      else c.get(arg(call, index));
      f.op(signed ? "i64ExtendI32S" : "i64ExtendI32U");
    }
    f.i64Mul().i64Const(BigInt(bits)).i64ShrU().i32WrapI64();
    emitCrop(f, bits);
  };

/** The low 32 bits of the product of the low 24. */
export const multiply24 =
  (signed: boolean): Emit =>
  (c, call) => {
    for (const index of [0, 1]) {
      c.get(arg(call, index));
      if (signed) emitSignExtend(c.f.i32Const(0xff_ffff).i32And(), 24);
      else c.f.i32Const(0xff_ffff).i32And();
    }
    c.f.i32Mul();
  };

/** |a - b| + c */
export const sumOfDifferences =
  (signed: boolean): Emit =>
  (c, call) => {
    const { f } = c;
    const pair = (first: number, second: number): void => {
      c.get(arg(call, first));
      c.get(arg(call, second));
      f.i32Sub();
    };
    pair(0, 1);
    pair(1, 0);
    emitIntegerCompare(c, signed ? "sgt" : "ugt", arg(call, 0), arg(call, 1));
    f.select();
    c.get(arg(call, 2));
    f.i32Add();
  };

export const permute: Emit = (c, call) => {
  for (const index of [0, 1, 2]) c.get(arg(call, index));
  c.f.call(c.env.support.permuteBytes());
};

/** Pushes 1 when r = a ± b overflowed as signed 64-bit numbers. */
function emitSignedOverflow64(c: ScalarContext, operation: "add" | "sub", a: number, b: number, r: number): void {
  c.f.localGet(a).localGet(r).i64Xor();
  if (operation === "add") c.f.localGet(b).localGet(r).i64Xor();
  else c.f.localGet(a).localGet(b).i64Xor();
  c.f.i64And().i64Const(0n).i64LtS();
}

/** { result, overflowed }; sets both components itself. */
export function emitWithOverflow(
  c: ScalarContext,
  call: CallInstruction,
  operation: "add" | "sub" | "mul",
  signed: boolean,
): void {
  const { f } = c;
  const type = arg(call, 0).type;
  const bits = bitWidth(type);
  const push = (index: number): void => (signed ? getSigned(c, arg(call, index)) : c.get(arg(call, index)));
  const method = { add: "Add", sub: "Sub", mul: "Mul" }[operation];
  if (bits <= 32) {
    const value = f.local("i64");
    const low = f.local("i32");
    for (const index of [0, 1]) {
      push(index);
      f.op(signed ? "i64ExtendI32S" : "i64ExtendI32U");
    }
    f.op(`i64${method}` as PlainMethod)
      .localTee(value)
      .i32WrapI64();
    emitCrop(f, bits);
    f.localTee(low);
    c.set(call, 0);
    f.localGet(low);
    if (signed) {
      emitSignExtend(f, bits);
      f.i64ExtendI32S();
    } else f.i64ExtendI32U();
    f.localGet(value).i64Ne();
    c.set(call, 1);
    f.free(value, low);
    return;
  }
  const [a, b, r] = [f.local("i64"), f.local("i64"), f.local("i64")];
  push(0);
  f.localSet(a);
  push(1);
  f.localSet(b);
  f.localGet(a)
    .localGet(b)
    .op(`i64${method}` as PlainMethod)
    .localTee(r);
  c.set(call, 0);
  if (operation === "mul") {
    f.localGet(a).localGet(b).call(c.env.support.multiplyHigh64(signed));
    if (signed) f.localGet(r).i64Const(63n).i64ShrS();
    else f.i64Const(0n);
    f.i64Ne();
  } else if (signed) emitSignedOverflow64(c, operation, a, b, r);
  else if (operation === "add") f.localGet(r).localGet(a).i64LtU();
  else f.localGet(a).localGet(b).i64LtU();
  c.set(call, 1);
  f.free(a, b, r);
}
