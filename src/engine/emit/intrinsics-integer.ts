/**
 * Intrinsics on integers (LangRef "Bit Manipulation", "Saturation Arithmetic", "Arithmetic with Overflow"; NVVM's of
 * the same kind).
 */
import { permuteBytes, reverseBits as bitReversal, swapBytes as byteSwap } from "./bit-functions.ts";
import type { CallInstruction } from "../../ir/model/ir.ts";
import type { PlainMethod } from "../../wasm/function-builder.ts";
import type { ScalarContext } from "./environment.ts";
import { emitCrop, emitIntegerCompare, emitIntegerConstant, emitSignExtend, getSigned } from "./integers.ts";
import { arg, carrierOf, type Emit } from "./intrinsic.ts";
import { bitWidth } from "./value-types.ts";

export const bitCount: Emit = (context, call) => {
  context.get(arg(call, 0));
  context.code.op(`${carrierOf(call.args[0]!.type)}Popcnt`);
  if (carrierOf(call.args[0]!.type) === "i64" && carrierOf(call.type) === "i32") context.code.i32WrapI64();
};

export const leadingZeros: Emit = (context, call) => {
  const bits = bitWidth(arg(call, 0).type);
  const carrier = carrierOf(arg(call, 0).type);
  context.get(arg(call, 0));
  context.code.op(`${carrier}Clz`);
  const spare = (carrier === "i64" ? 64 : 32) - bits;
  if (spare > 0) {
    emitIntegerConstant(context.code, carrier, spare);
    context.code.op(`${carrier}Sub`);
  }
  if (carrier === "i64" && carrierOf(call.type) === "i32") context.code.i32WrapI64();
};

export const trailingZeros: Emit = (context, call) => {
  const bits = bitWidth(arg(call, 0).type);
  const carrier = carrierOf(arg(call, 0).type);
  context.get(arg(call, 0));
  if (bits < 32) context.code.i32Const(1 << bits).i32Or();
  context.code.op(`${carrier}Ctz`);
  if (carrier === "i64" && carrierOf(call.type) === "i32") context.code.i32WrapI64();
};

export const swapBytes: Emit = (context, call) => {
  context.get(arg(call, 0));
  context.code.call(byteSwap(context.env.support, carrierOf(call.type)));
  if (bitWidth(call.type) === 16) context.code.i32Const(16).i32ShrU();
};

export const reverseBits: Emit = (context, call) => {
  const bits = bitWidth(call.type);
  context.get(arg(call, 0));
  context.code.call(bitReversal(context.env.support, carrierOf(call.type)));
  if (bits < 32) context.code.i32Const(32 - bits).i32ShrU();
};

export const funnelShift =
  (left: boolean): Emit =>
  (context, call) => {
    const { code } = context;
    const bits = bitWidth(call.type);
    const [a, b, s] = [arg(call, 0), arg(call, 1), arg(call, 2)];
    if (bits === 64) {
      const amount = code.local("i64");
      context.get(s);
      code.localSet(amount);
      context.get(a);
      if (left) code.localGet(amount).i64Shl();
      else code.i64Const(1n).i64Shl().localGet(amount).i64Const(-1n).i64Xor().i64Shl();
      context.get(b);
      if (left) code.i64Const(1n).i64ShrU().localGet(amount).i64Const(-1n).i64Xor().i64ShrU();
      else code.localGet(amount).i64ShrU();
      code.i64Or();
      code.free(amount);
      return;
    }
    if (bits === 32 && a === b) {
      context.get(a);
      context.get(s);
      code.op(left ? "i32Rotl" : "i32Rotr");
      return;
    }
    // Both halves side by side in 64 bits.
    context.get(a);
    code.i64ExtendI32U().i64Const(BigInt(bits)).i64Shl();
    context.get(b);
    code.i64ExtendI32U().i64Or();
    context.get(s);
    if (bits < 32) code.i32Const(bits).i32RemU();
    else code.i32Const(31).i32And();
    code.i64ExtendI32U();
    if (left) code.i64Shl().i64Const(BigInt(bits)).i64ShrU();
    else code.i64ShrU();
    code.i32WrapI64();
    emitCrop(code, bits);
  };

export const integerAbsolute: Emit = (context, call) => {
  const { code } = context;
  const carrier = carrierOf(call.type);
  const value = code.local(carrier);
  emitIntegerConstant(code, carrier, 0);
  getSigned(context, arg(call, 0));
  code.localTee(value).op(`${carrier}Sub`).localGet(value).localGet(value);
  emitIntegerConstant(code, carrier, 0);
  code.op(`${carrier}LtS`).select();
  emitCrop(code, bitWidth(call.type));
  code.free(value);
};

export const integerMinMax =
  (predicate: "slt" | "sgt" | "ult" | "ugt"): Emit =>
  (context, call) => {
    context.get(arg(call, 0));
    context.get(arg(call, 1));
    emitIntegerCompare(context, predicate, arg(call, 0), arg(call, 1));
    context.code.select();
  };

/** Addition and subtraction that saturate. Widths up to 32 in 64 bits; 64 by the carry. */
export const saturating =
  (operation: "add" | "sub", signed: boolean): Emit =>
  (context, call) => {
    const { code } = context;
    const bits = bitWidth(call.type);
    const push = (index: number): void =>
      signed ? getSigned(context, arg(call, index)) : context.get(arg(call, index));
    const op: PlainMethod = operation === "add" ? "i64Add" : "i64Sub";
    if (bits <= 32) {
      const value = code.local("i64");
      for (const index of [0, 1]) {
        push(index);
        code.op(signed ? "i64ExtendI32S" : "i64ExtendI32U");
      }
      code.op(op);
      const high = signed ? (1n << BigInt(bits - 1)) - 1n : (1n << BigInt(bits)) - 1n;
      const low = signed ? -(1n << BigInt(bits - 1)) : 0n;
      code.localTee(value).i64Const(high).localGet(value).i64Const(high).i64LtS().select();
      code.localTee(value).i64Const(low).localGet(value).i64Const(low).i64GtS().select().i32WrapI64();
      emitCrop(code, bits);
      code.free(value);
      return;
    }
    const a = code.local("i64");
    const b = code.local("i64");
    const r = code.local("i64");
    push(0);
    code.localSet(a);
    push(1);
    code.localSet(b);
    if (signed) {
      code
        .localGet(a)
        .i64Const(63n)
        .i64ShrS()
        .i64Const((1n << 63n) - 1n)
        .i64Xor(); // where it saturates
      code.localGet(a).localGet(b).op(op).localTee(r);
      emitSignedOverflow64(context, operation, a, b, r);
      code.select();
    } else {
      code
        .i64Const(operation === "add" ? -1n : 0n)
        .localGet(a)
        .localGet(b)
        .op(op)
        .localTee(r);
      if (operation === "add") code.localGet(r).localGet(a).i64LtU();
      else code.localGet(a).localGet(b).i64LtU();
      code.select();
    }
    code.free(a, b, r);
  };

export const multiplyHigh =
  (signed: boolean): Emit =>
  (context, call) => {
    const { code } = context;
    if (bitWidth(call.type) === 64) {
      context.get(arg(call, 0));
      context.get(arg(call, 1));
      code.call(context.env.support.multiplyHigh64(signed));
      return;
    }
    const bits = bitWidth(call.type);
    for (const index of [0, 1]) {
      if (signed) getSigned(context, arg(call, index));
      else context.get(arg(call, index));
      code.op(signed ? "i64ExtendI32S" : "i64ExtendI32U");
    }
    code.i64Mul().i64Const(BigInt(bits)).i64ShrU().i32WrapI64();
    emitCrop(code, bits);
  };

/** The low 32 bits of the product of the low 24. */
export const multiply24 =
  (signed: boolean): Emit =>
  (context, call) => {
    for (const index of [0, 1]) {
      context.get(arg(call, index));
      if (signed) emitSignExtend(context.code.i32Const(0xff_ffff).i32And(), 24);
      else context.code.i32Const(0xff_ffff).i32And();
    }
    context.code.i32Mul();
  };

/** |a - b| + c */
export const sumOfDifferences =
  (signed: boolean): Emit =>
  (context, call) => {
    const { code } = context;
    const pair = (first: number, second: number): void => {
      context.get(arg(call, first));
      context.get(arg(call, second));
      code.i32Sub();
    };
    pair(0, 1);
    pair(1, 0);
    emitIntegerCompare(context, signed ? "sgt" : "ugt", arg(call, 0), arg(call, 1));
    code.select();
    context.get(arg(call, 2));
    code.i32Add();
  };

export const permute: Emit = (context, call) => {
  for (const index of [0, 1, 2]) context.get(arg(call, index));
  context.code.call(permuteBytes(context.env.support));
};

/** Pushes 1 when r = a ± b overflowed as signed 64-bit numbers. */
function emitSignedOverflow64(context: ScalarContext, operation: "add" | "sub", a: number, b: number, r: number): void {
  context.code.localGet(a).localGet(r).i64Xor();
  if (operation === "add") context.code.localGet(b).localGet(r).i64Xor();
  else context.code.localGet(a).localGet(b).i64Xor();
  context.code.i64And().i64Const(0n).i64LtS();
}

/** { result, overflowed }; sets both components itself. */
export function emitWithOverflow(
  context: ScalarContext,
  call: CallInstruction,
  operation: "add" | "sub" | "mul",
  signed: boolean,
): void {
  const { code } = context;
  const type = arg(call, 0).type;
  const bits = bitWidth(type);
  const push = (index: number): void => (signed ? getSigned(context, arg(call, index)) : context.get(arg(call, index)));
  const method = { add: "Add", sub: "Sub", mul: "Mul" }[operation];
  if (bits <= 32) {
    const value = code.local("i64");
    const low = code.local("i32");
    for (const index of [0, 1]) {
      push(index);
      code.op(signed ? "i64ExtendI32S" : "i64ExtendI32U");
    }
    code
      .op(`i64${method}` as PlainMethod)
      .localTee(value)
      .i32WrapI64();
    emitCrop(code, bits);
    code.localTee(low);
    context.set(call, 0);
    code.localGet(low);
    if (signed) {
      emitSignExtend(code, bits);
      code.i64ExtendI32S();
    } else code.i64ExtendI32U();
    code.localGet(value).i64Ne();
    context.set(call, 1);
    code.free(value, low);
    return;
  }
  const [a, b, r] = [code.local("i64"), code.local("i64"), code.local("i64")];
  push(0);
  code.localSet(a);
  push(1);
  code.localSet(b);
  code
    .localGet(a)
    .localGet(b)
    .op(`i64${method}` as PlainMethod)
    .localTee(r);
  context.set(call, 0);
  if (operation === "mul") {
    code.localGet(a).localGet(b).call(context.env.support.multiplyHigh64(signed));
    if (signed) code.localGet(r).i64Const(63n).i64ShrS();
    else code.i64Const(0n);
    code.i64Ne();
  } else if (signed) emitSignedOverflow64(context, operation, a, b, r);
  else if (operation === "add") code.localGet(r).localGet(a).i64LtU();
  else code.localGet(a).localGet(b).i64LtU();
  context.set(call, 1);
  code.free(a, b, r);
}
