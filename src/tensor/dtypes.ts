/** Element types of tensors: what they are in memory, what carries them here, and which type two of them give. */
import { numberToBfloat, bfloatToNumber } from "../base/bfloat.ts";
import { DTYPES, dtypeBytes, type Dtype } from "../base/dtypes.ts";
import { roundToFormat } from "../base/float-rounding.ts";
import { halfToNumber } from "../base/half.ts";

export type TensorDtype = Dtype | "bool" | "float8_e4m3fn" | "float8_e5m2";
export const TENSOR_DTYPES: readonly TensorDtype[] = [...DTYPES, "bool", "float8_e4m3fn", "float8_e5m2"];

/** Elements while something is computed of them: whole numbers are exact up to 2^53. */
export type Values = Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer>;

export function elementBytes(dtype: TensorDtype): number {
  return dtype === "bool" || dtype.startsWith("float8") ? 1 : dtypeBytes(dtype as Dtype);
}

export function isFloating(dtype: TensorDtype): boolean {
  return dtype.includes("float");
}

/** Of two types, the one of the higher kind decides: condition, whole number, float. */
export function kindOf(dtype: TensorDtype): number {
  if (dtype === "bool") return 0;
  return isFloating(dtype) ? 2 : 1;
}

const isSigned = (dtype: TensorDtype): boolean => !dtype.startsWith("uint");

/** The type of an operation on elements of these types, as PyTorch has it. */
export function promote(a: TensorDtype, b: TensorDtype): TensorDtype {
  if (a === b) return a;
  const [low, high] = kindOf(a) <= kindOf(b) ? [a, b] : [b, a];
  if (kindOf(low) < kindOf(high)) return high;
  const [small, large] = elementBytes(a) <= elementBytes(b) ? [a, b] : [b, a];
  if (kindOf(a) === 2) return elementBytes(small) === elementBytes(large) ? "float32" : large;
  if (isSigned(small) === isSigned(large)) return large;
  if (isSigned(large) && elementBytes(large) > elementBytes(small)) return large;
  return ({ 1: "int16", 2: "int32" } as Record<number, TensorDtype>)[elementBytes(large)] ?? "int64";
}

export function newValues(dtype: TensorDtype, length: number): Values {
  switch (dtype) {
    case "float64":
    case "int64":
    case "uint64":
    case "uint32":
      return new Float64Array(length);
    default:
      return isFloating(dtype) ? new Float32Array(length) : new Int32Array(length);
  }
}

type Small = "float16" | "bfloat16" | "float8_e4m3fn" | "float8_e5m2";
const isSmall = (dtype: TensorDtype): dtype is Small =>
  dtype === "float16" || dtype === "bfloat16" || dtype.startsWith("float8");

/** e4m3fn has no infinity: its largest exponent goes on up to 448, and 0x7f is NaN. */
function e4m3ToNumber(bits: number): number {
  const sign = bits & 0x80 ? -1 : 1;
  const exponent = (bits >>> 3) & 15;
  const fraction = bits & 7;
  if ((bits & 0x7f) === 0x7f) return NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -9 : (8 + fraction) * 2 ** (exponent - 10));
}

function numberToE4m3(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x80 : 0;
  const magnitude = Math.abs(value);
  // Above the tie between 448 and the 480 that would follow.
  if (!(magnitude <= 464)) return sign | 0x7f;
  if (magnitude >= 256) return sign | Math.min(0x7e, 0x78 + roundEven(magnitude / 32 - 8));
  return roundToFormat(value, 4, 3, 0x7f);
}

function roundEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}

const TO_NUMBER: Readonly<Record<Small, (bits: number) => number>> = {
  float16: halfToNumber,
  bfloat16: bfloatToNumber,
  float8_e4m3fn: e4m3ToNumber,
  float8_e5m2: (bits) => halfToNumber(bits << 8),
};
const tables = new Map<Small, Float32Array>();

/** The values of all bit patterns: a look-up takes a twentieth of a conversion's time. */
function tableOf(dtype: Small): Float32Array {
  let table = tables.get(dtype);
  if (table === undefined) {
    table = Float32Array.from({ length: 2 ** (8 * elementBytes(dtype)) }, (_, bits) => TO_NUMBER[dtype](bits));
    tables.set(dtype, table);
  }
  return table;
}

const STORAGE = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
  bfloat16: Uint16Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
  float8_e4m3fn: Uint8Array,
  float8_e5m2: Uint8Array,
} as const;

/** The elements of these bytes; `bytes` begins at a multiple of the element's size in its buffer. */
export function decode(bytes: Uint8Array<ArrayBuffer>, dtype: TensorDtype): Values {
  const length = bytes.byteLength / elementBytes(dtype);
  const stored = new STORAGE[dtype](bytes.buffer, bytes.byteOffset, length);
  if (stored instanceof Float32Array || stored instanceof Float64Array || stored instanceof Int32Array) return stored;
  const values = newValues(dtype, length);
  if (isSmall(dtype)) {
    const table = tableOf(dtype);
    for (let i = 0; i < length; i++) values[i] = table[(stored as Uint16Array)[i] as number] as number;
  } else if (stored instanceof BigInt64Array || stored instanceof BigUint64Array) {
    for (let i = 0; i < length; i++) values[i] = Number(stored[i]);
  } else values.set(stored as Uint8Array);
  return values;
}

const floatBox = new Float32Array(1);
const bitsBox = new Uint32Array(floatBox.buffer);

/** As numberToHalf, for what is a float already. */
function floatToHalf(value: number): number {
  floatBox[0] = value;
  const bits = bitsBox[0] as number;
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x47800000) return magnitude > 0x7f800000 ? 0x7fff : sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // A subnormal half: adding 0.5 makes the float's own rounding the right one.
    floatBox[0] = Math.abs(value) + 0.5;
    return sign | ((bitsBox[0] as number) - 0x3f000000);
  }
  const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1) - 0x38000000;
  return sign | (rounded >>> 13);
}

/** As floatToHalf, for many. */
function toHalves(values: Float32Array, to: Uint16Array): void {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < words.length; i++) {
    const bits = words[i] as number;
    const magnitude = bits & 0x7fffffff;
    // The common case: a normal half. A carry of the rounding may still make it infinite, as it should.
    if (magnitude >= 0x38800000 && magnitude < 0x47800000)
      to[i] = ((bits >>> 16) & 0x8000) | ((magnitude + 0xfff + ((magnitude >>> 13) & 1) - 0x38000000) >>> 13);
    else to[i] = floatToHalf(values[i] as number);
  }
}

const FROM_NUMBER: Readonly<Record<Small, (value: number) => number>> = {
  float16: floatToHalf,
  bfloat16: numberToBfloat,
  float8_e4m3fn: numberToE4m3,
  float8_e5m2: (value) => roundToFormat(value, 5, 2, 0x7f),
};

/** The elements as they lie in memory. Floats round to the nearest; whole numbers wrap, and fractions are cut off. */
export function encode(values: Values, dtype: TensorDtype): Uint8Array<ArrayBuffer> {
  const { length } = values;
  const type = STORAGE[dtype];
  if (values.constructor === type) return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const stored = new type(length);
  if (dtype === "float16" && values instanceof Float32Array) toHalves(values, stored as Uint16Array);
  else if (isSmall(dtype)) {
    const convert = FROM_NUMBER[dtype];
    for (let i = 0; i < length; i++) stored[i] = convert(Math.fround(values[i] as number));
  } else if (stored instanceof BigInt64Array || stored instanceof BigUint64Array) {
    for (let i = 0; i < length; i++) stored[i] = toBigint(values[i] as number);
  } else if (dtype === "bool") {
    for (let i = 0; i < length; i++) stored[i] = values[i] === 0 ? 0 : 1;
  } else (stored as Float64Array).set(values);
  return new Uint8Array(stored.buffer);
}

const INT64_MIN = -(2n ** 63n);

/** As x86 and PyTorch convert: what does not fit is the least number. */
function toBigint(value: number): bigint {
  return Math.abs(value) < 2 ** 64 ? BigInt(Math.trunc(value)) : INT64_MIN;
}

/** The value as an element of the type has it. */
export function roundTo(value: number, dtype: TensorDtype): number {
  const values = newValues(dtype, 1);
  values[0] = value;
  return decode(encode(values, dtype), dtype)[0] as number;
}
