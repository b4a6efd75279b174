/** Element types of arrays, by the names that numerical libraries use, and what carries them in JavaScript. */
import { bfloatToNumber, numberToBfloat } from "./bfloat.ts";
import { HeddleError } from "./diagnostics.ts";
import { halfToNumber, numberToHalf } from "./half.ts";

export const DTYPES = [
  "float32",
  "float64",
  "float16",
  "bfloat16",
  "int8",
  "uint8",
  "int16",
  "uint16",
  "int32",
  "uint32",
  "int64",
  "uint64",
] as const;
export type Dtype = (typeof DTYPES)[number];

export type NumericArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array;

/** What reading an array gives: the 16-bit floats are widened, which is exact. */
export interface DtypeValues {
  float32: Float32Array;
  float64: Float64Array;
  float16: Float32Array;
  bfloat16: Float32Array;
  int8: Int8Array;
  uint8: Uint8Array;
  int16: Int16Array;
  uint16: Uint16Array;
  int32: Int32Array;
  uint32: Uint32Array;
  int64: BigInt64Array;
  uint64: BigUint64Array;
}

interface DtypeInfo {
  readonly bytes: number;
  /** How it lies in memory. */
  readonly storage: new (buffer: ArrayBuffer) => NumericArray;
  /** Names of the type in CUDA C++, as demanglers write them. */
  readonly cuda: readonly string[];
}

const INFO: Readonly<Record<Dtype, DtypeInfo>> = {
  float32: { bytes: 4, storage: Float32Array, cuda: ["float"] },
  float64: { bytes: 8, storage: Float64Array, cuda: ["double"] },
  float16: { bytes: 2, storage: Uint16Array, cuda: ["__half", "half", "_Float16", "__half_raw"] },
  bfloat16: { bytes: 2, storage: Uint16Array, cuda: ["__nv_bfloat16", "nv_bfloat16", "__bf16"] },
  int8: { bytes: 1, storage: Int8Array, cuda: ["signed char", "char", "bool"] },
  uint8: { bytes: 1, storage: Uint8Array, cuda: ["unsigned char", "char", "bool"] },
  int16: { bytes: 2, storage: Int16Array, cuda: ["short"] },
  uint16: { bytes: 2, storage: Uint16Array, cuda: ["unsigned short"] },
  int32: { bytes: 4, storage: Int32Array, cuda: ["int", "long"] },
  uint32: { bytes: 4, storage: Uint32Array, cuda: ["unsigned int", "unsigned long"] },
  int64: { bytes: 8, storage: BigInt64Array, cuda: ["long long"] },
  uint64: { bytes: 8, storage: BigUint64Array, cuda: ["unsigned long long"] },
};

export function dtypeBytes(dtype: Dtype): number {
  return INFO[dtype].bytes;
}

/** Whether `type` (float, unsigned int, …) is a CUDA C++ spelling of the dtype. */
export function isCudaSpelling(dtype: Dtype, type: string): boolean {
  return INFO[dtype].cuda.includes(type);
}

/** Whether any dtype is spelled so: what else there is (structs, void) fits any array. */
export function isCudaScalar(type: string): boolean {
  return DTYPES.some((dtype) => isCudaSpelling(dtype, type));
}

/** The dtype that a typed array carries. */
export function dtypeOf(values: NumericArray): Dtype {
  if (values instanceof Float32Array) return "float32";
  if (values instanceof Float64Array) return "float64";
  if (values instanceof Int8Array) return "int8";
  if (values instanceof Int16Array) return "int16";
  if (values instanceof Uint16Array) return "uint16";
  if (values instanceof Int32Array) return "int32";
  if (values instanceof Uint32Array) return "uint32";
  if (values instanceof BigInt64Array) return "int64";
  if (values instanceof BigUint64Array) return "uint64";
  return "uint8";
}

/** To the number that a typed array of the dtype holds. */
function elementConversion(dtype: Dtype): (value: number | bigint) => number | bigint {
  switch (dtype) {
    case "float16":
      return (value) => numberToHalf(Number(value));
    case "bfloat16":
      return (value) => numberToBfloat(Number(value));
    case "int64":
    case "uint64":
      return (value) => {
        if (typeof value === "number" && !Number.isInteger(value))
          throw new HeddleError("bad-arguments", `an array of ${dtype} has whole numbers, not ${value}`);
        return BigInt(value);
      };
    default:
      return Number;
  }
}

/**
 * The bytes of `values` as elements of `dtype`: numbers are converted; equal storage is taken as it is (float16 from
 * its bits).
 */
export function encodeValues(
  values: NumericArray | readonly number[] | readonly bigint[],
  dtype: Dtype,
): Uint8Array<ArrayBuffer> {
  const { bytes, storage } = INFO[dtype];
  const buffer = new ArrayBuffer(values.length * bytes);
  const target = new storage(buffer);
  if (ArrayBuffer.isView(values) && values.constructor === target.constructor) {
    new Uint8Array(buffer).set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    return new Uint8Array(buffer);
  }
  const convert = elementConversion(dtype);
  for (let i = 0; i < values.length; i++)
    (target as { [index: number]: number | bigint })[i] = convert(values[i] as number | bigint);
  return new Uint8Array(buffer);
}

/** As encodeValues, without a copy where the values lie in memory as the dtype has them. */
export function viewValues(values: NumericArray | readonly number[] | readonly bigint[], dtype: Dtype): Uint8Array {
  if (ArrayBuffer.isView(values) && values.constructor === INFO[dtype].storage)
    return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return encodeValues(values, dtype);
}

/** @param bytes are the result's afterwards, where they are all of their buffer. */
export function decodeValues<D extends Dtype>(bytes: Uint8Array<ArrayBuffer>, dtype: D): DtypeValues[D] {
  const stored = new INFO[dtype].storage(
    bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer,
  );
  if (dtype === "float16") return widened(stored as Uint16Array, (halves ??= tableOf(halfToNumber))) as DtypeValues[D];
  if (dtype === "bfloat16")
    return widened(stored as Uint16Array, (bfloats ??= tableOf(bfloatToNumber))) as DtypeValues[D];
  return stored as DtypeValues[D];
}

/**
 * The values of all bit patterns: a look-up takes a twentieth of a conversion's time. Made when they are first asked
 * for.
 */
let [halves, bfloats]: [Float32Array | null, Float32Array | null] = [null, null];
const tableOf = (toNumber: (bits: number) => number): Float32Array =>
  Float32Array.from({ length: 1 << 16 }, (_, bits) => toNumber(bits));

function widened(bits: Uint16Array, table: Float32Array): Float32Array {
  const values = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) values[i] = table[bits[i] as number] as number;
  return values;
}
