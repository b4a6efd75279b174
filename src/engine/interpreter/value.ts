/**
 * How the interpreter holds values, and their bytes.
 *
 *   int of at most 32 bits, ptr   number, unsigned (a pointer beyond 2^53, which is none, is rounded)
 *   wider int                     bigint, unsigned
 *   half, bfloat, float, double   number that the format can hold
 *   vector, array, struct         array of the elements; never changed once made
 *
 * A NaN is a NaN: its sign and payload may change on the way through a float value (the hardware's do in its own ways).
 */
import { bfloatToNumber, numberToBfloat } from "../../base/bfloat.ts";
import { bug } from "../../base/diagnostics.ts";
import { float32FromBits, float32ToBits, float64FromBits, float64ToBits } from "../../base/float-bits.ts";
import { halfToNumber, numberToHalf, roundToHalf } from "../../base/half.ts";
import { roundToBfloat } from "../../base/bfloat.ts";
import type { FloatFormat, IrType, StructType } from "../../ir/model/ir.ts";
import { sizeOf, storeSize, structOffsets } from "../../ir/model/layout.ts";
import { formatType, scalarBits } from "../../ir/model/types.ts";

export type Value = number | bigint | readonly Value[];

export const NO_VALUE: Value = 0;

/** The unsigned number below 2^bits that `value` is modulo 2^bits, for bits ≤ 32. */
export function wrap(value: number, bits: number): number {
  return bits === 32 ? value >>> 0 : (value & ((1 << bits) - 1)) >>> 0;
}

/** The signed reading of an unsigned number of `bits` ≤ 32 bits. */
export function signed(value: number, bits: number): number {
  return (value << (32 - bits)) >> (32 - bits);
}

/** Whether values of this type are bigints. */
export function isWide(type: IrType): boolean {
  return type.kind === "int" && type.bits > 32;
}

/** An integer or pointer value of `type` from a bigint of any sign. */
export function intFromBigint(value: bigint, bits: number): number | bigint {
  const wrapped = BigInt.asUintN(bits, value);
  return bits > 32 ? wrapped : Number(wrapped);
}

/** Rounds a double to the nearest value of a format. */
export function roundTo(format: FloatFormat): (value: number) => number {
  switch (format) {
    case "half":
      return roundToHalf;
    case "bfloat":
      return roundToBfloat;
    case "float":
      return Math.fround;
    case "double":
      return (value) => value;
  }
}

/** Zero of any type: also what undef and poison are. */
export function zeroOf(type: IrType): Value {
  switch (type.kind) {
    case "int":
      return type.bits > 32 ? 0n : 0;
    case "float":
    case "ptr":
      return 0;
    case "vector":
    case "array":
      return Array.from({ length: type.length }, () => zeroOf(type.element));
    case "struct":
      return type.elements.map(zeroOf);
    case "void":
    case "opaque":
      return NO_VALUE;
    case "function":
      return bug("a value of function type");
  }
}

// ---------------------------------------------------------------- bit patterns
// The interpreter is the reference, so it does not share ir/model/float-literals.ts with the passes and the emitters.

export function floatToBits(format: FloatFormat, value: number): bigint {
  switch (format) {
    case "half":
      return BigInt(numberToHalf(value));
    case "bfloat":
      return BigInt(numberToBfloat(value));
    case "float":
      return BigInt(float32ToBits(value));
    case "double":
      return float64ToBits(value);
  }
}

export function floatFromBits(format: FloatFormat, bits: bigint): number {
  switch (format) {
    case "half":
      return halfToNumber(Number(bits));
    case "bfloat":
      return bfloatToNumber(Number(bits));
    case "float":
      return float32FromBits(Number(bits));
    case "double":
      return float64FromBits(bits);
  }
}

/** The bits of a scalar or vector, element 0 lowest (LangRef, bitcast on a little-endian target). */
export function toBits(type: IrType, value: Value): bigint {
  switch (type.kind) {
    case "int":
    case "ptr":
      return BigInt(value as number | bigint);
    case "float":
      return floatToBits(type.format, value as number);
    case "vector": {
      const width = BigInt(scalarBits(type.element));
      let bits = 0n;
      for (let i = type.length - 1; i >= 0; i--)
        bits = (bits << width) | toBits(type.element, (value as Value[])[i] as Value);
      return bits;
    }
    default:
      return bug(`the bits of ${formatType(type)}`);
  }
}

export function fromBits(type: IrType, bits: bigint): Value {
  switch (type.kind) {
    case "int":
      return intFromBigint(bits, type.bits);
    case "ptr":
      return Number(BigInt.asUintN(type.bits, bits));
    case "float":
      return floatFromBits(type.format, bits);
    case "vector": {
      const width = scalarBits(type.element);
      return Array.from({ length: type.length }, (_, i) =>
        fromBits(type.element, BigInt.asUintN(width, bits >> BigInt(i * width))),
      );
    }
    default:
      return bug(`${formatType(type)} from bits`);
  }
}

// ---------------------------------------------------------------- memory

/** Reads a value of one type at an address that has been checked. */
export type Loader = (view: DataView, address: number) => Value;
/** Writes a value of one type at an address that has been checked. */
export type Storer = (view: DataView, address: number, value: Value) => void;

export function loaderOf(type: IrType): Loader {
  switch (type.kind) {
    case "ptr":
      return type.bits === 64 ? (view, a) => Number(view.getBigUint64(a, true)) : (view, a) => view.getUint32(a, true);
    case "float":
      switch (type.format) {
        case "half":
          return (view, a) => halfToNumber(view.getUint16(a, true));
        case "bfloat":
          return (view, a) => bfloatToNumber(view.getUint16(a, true));
        case "float":
          return (view, a) => view.getFloat32(a, true);
        case "double":
          return (view, a) => view.getFloat64(a, true);
      }
    // eslint-disable-next-line no-fallthrough -- every format has returned
    case "int": {
      const bits = type.bits;
      if (bits === 8) return (view, a) => view.getUint8(a);
      if (bits < 8) return (view, a) => wrap(view.getUint8(a), bits);
      if (bits === 16) return (view, a) => view.getUint16(a, true);
      if (bits === 32) return (view, a) => view.getUint32(a, true);
      if (bits === 64) return (view, a) => view.getBigUint64(a, true);
      return (view, a) => intFromBigint(loadBytes(view, a, storeSize(type)), bits);
    }
    case "vector": {
      if (scalarBits(type.element) % 8 !== 0) return (view, a) => fromBits(type, loadBytes(view, a, storeSize(type)));
      const element = loaderOf(type.element);
      const stride = storeSize(type.element);
      return (view, a) => Array.from({ length: type.length }, (_, i) => element(view, a + i * stride));
    }
    case "array": {
      const element = loaderOf(type.element);
      const stride = sizeOf(type.element);
      return (view, a) => Array.from({ length: type.length }, (_, i) => element(view, a + i * stride));
    }
    case "struct": {
      const parts = structParts(type, loaderOf);
      return (view, a) => parts.map(([load, offset]) => load(view, a + offset));
    }
    default:
      return bug(`a load of ${formatType(type)}`);
  }
}

export function storerOf(type: IrType): Storer {
  switch (type.kind) {
    case "ptr":
      return type.bits === 64
        ? (view, a, value) => view.setBigUint64(a, BigInt(value as number), true)
        : (view, a, value) => view.setUint32(a, value as number, true);
    case "float":
      switch (type.format) {
        case "half":
          return (view, a, value) => view.setUint16(a, numberToHalf(value as number), true);
        case "bfloat":
          return (view, a, value) => view.setUint16(a, numberToBfloat(value as number), true);
        case "float":
          return (view, a, value) => view.setFloat32(a, value as number, true);
        case "double":
          return (view, a, value) => view.setFloat64(a, value as number, true);
      }
    // eslint-disable-next-line no-fallthrough -- every format has returned
    case "int": {
      const bits = type.bits;
      if (bits <= 8) return (view, a, value) => view.setUint8(a, value as number);
      if (bits === 16) return (view, a, value) => view.setUint16(a, value as number, true);
      if (bits === 32) return (view, a, value) => view.setUint32(a, value as number, true);
      if (bits === 64) return (view, a, value) => view.setBigUint64(a, value as bigint, true);
      return (view, a, value) => storeBytes(view, a, storeSize(type), BigInt(value as number | bigint));
    }
    case "vector": {
      if (scalarBits(type.element) % 8 !== 0)
        return (view, a, value) => storeBytes(view, a, storeSize(type), toBits(type, value));
      const element = storerOf(type.element);
      const stride = storeSize(type.element);
      return (view, a, value) => (value as Value[]).forEach((v, i) => element(view, a + i * stride, v));
    }
    case "array": {
      const element = storerOf(type.element);
      const stride = sizeOf(type.element);
      return (view, a, value) => (value as Value[]).forEach((v, i) => element(view, a + i * stride, v));
    }
    case "struct": {
      const parts = structParts(type, storerOf);
      return (view, a, value) =>
        parts.forEach(([store, offset], i) => store(view, a + offset, (value as Value[])[i] as Value));
    }
    default:
      return bug(`a store of ${formatType(type)}`);
  }
}

function structParts<T>(type: StructType, make: (element: IrType) => T): [T, number][] {
  const offsets = structOffsets(type);
  return type.elements.map((element, i) => [make(element), offsets[i] as number]);
}

function loadBytes(view: DataView, address: number, size: number): bigint {
  let bits = 0n;
  for (let i = size - 1; i >= 0; i--) bits = (bits << 8n) | BigInt(view.getUint8(address + i));
  return bits;
}

function storeBytes(view: DataView, address: number, size: number, bits: bigint): void {
  for (let i = 0; i < size; i++, bits >>= 8n) view.setUint8(address + i, Number(bits & 0xffn));
}
