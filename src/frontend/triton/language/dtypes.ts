/**
 * Triton's scalar types, by the names that its messages use, and how types combine (semantic.py of Triton 3.6:
 * computation_type, integer_promote).
 */
import { BF16, F16, F32, F64, PTR, intType } from "../../../ir/model/types.ts";
import type { ElementType } from "../blocks/model.ts";

export interface Dtype {
  readonly name: string;
  /** A condition (int1) counts as an integer, as in Triton. */
  readonly kind: "int" | "uint" | "float" | "float8" | "pointer" | "void";
  readonly bits: number;
  /** What a pointer points to. */
  readonly pointee: Dtype | null;
  /** In block IR. */
  readonly element: ElementType;
  /** Of a pointer: `tl.const`, whose memory is only read. */
  readonly isConst?: boolean;
}

function scalar(name: string, kind: Dtype["kind"], bits: number, element: ElementType): Dtype {
  return { name, kind, bits, pointee: null, element };
}

export const INT1: Dtype = scalar("int1", "int", 1, intType(1));
export const INT8: Dtype = scalar("int8", "int", 8, intType(8));
export const INT16: Dtype = scalar("int16", "int", 16, intType(16));
export const INT32: Dtype = scalar("int32", "int", 32, intType(32));
export const INT64: Dtype = scalar("int64", "int", 64, intType(64));
export const UINT8: Dtype = scalar("uint8", "uint", 8, intType(8));
export const UINT16: Dtype = scalar("uint16", "uint", 16, intType(16));
export const UINT32: Dtype = scalar("uint32", "uint", 32, intType(32));
export const UINT64: Dtype = scalar("uint64", "uint", 64, intType(64));
export const FP16: Dtype = scalar("fp16", "float", 16, F16);
export const BFLOAT16: Dtype = scalar("bf16", "float", 16, BF16);
export const FP32: Dtype = scalar("fp32", "float", 32, F32);
export const FP64: Dtype = scalar("fp64", "float", 64, F64);

/** Floats of 8 bits are stored and converted; their elements in block IR are their bits. */
export const FP8E5: Dtype = scalar("fp8e5", "float8", 8, intType(8));
export const FP8E4NV: Dtype = scalar("fp8e4nv", "float8", 8, intType(8));
export const FP8E4B15: Dtype = scalar("fp8e4b15", "float8", 8, intType(8));

/** As attributes of `triton.language` (and of torch, where the name is the same). */
export const DTYPE_NAMES: Readonly<Record<string, Dtype>> = {
  int1: INT1,
  int8: INT8,
  int16: INT16,
  int32: INT32,
  int64: INT64,
  uint8: UINT8,
  uint16: UINT16,
  uint32: UINT32,
  uint64: UINT64,
  float16: FP16,
  bfloat16: BFLOAT16,
  float32: FP32,
  float64: FP64,
  float8e5: FP8E5,
  float8e4nv: FP8E4NV,
  float8e4b15: FP8E4B15,
};

/** Types of other vendors' GPUs, for which Triton has no code on NVIDIA's: by names, what its message calls them. */
const FOREIGN_TYPES: Readonly<Record<string, string>> = { float8e4b8: "fp8e4b8", float8e5b16: "fp8e5b16" };

/** Triton's message for a type of another vendor's GPU; null for every other name. */
export function foreignType(name: string): string | null {
  if (!Object.hasOwn(FOREIGN_TYPES, name)) return null;
  const supported = "The supported fp8 dtypes are ('fp8e4b15', 'fp8e4nv', 'fp8e5')";
  return `type ${FOREIGN_TYPES[name]} not supported in this architecture. ${supported}`;
}

/** Names in signatures and annotations: `i32`, `*fp16`. */
export const TYPE_WORDS: Readonly<Record<string, Dtype>> = {
  i1: INT1,
  i8: INT8,
  i16: INT16,
  i32: INT32,
  i64: INT64,
  u8: UINT8,
  u16: UINT16,
  u32: UINT32,
  u64: UINT64,
  fp16: FP16,
  bf16: BFLOAT16,
  fp32: FP32,
  fp64: FP64,
};

const pointers = new Map<Dtype, Dtype>();
const constPointers = new Map<Dtype, Dtype>();

/** A pointer to memory that the kernel only reads. */
export function constPointerTo(pointee: Dtype): Dtype {
  let known = constPointers.get(pointee);
  if (known === undefined) {
    known = { ...pointerTo(pointee), name: `const pointer<${pointee.name}>`, isConst: true };
    constPointers.set(pointee, known);
  }
  return known;
}

export function pointerTo(pointee: Dtype): Dtype {
  let known = pointers.get(pointee);
  if (known === undefined) {
    known = { name: `pointer<${pointee.name}>`, kind: "pointer", bits: 64, pointee, element: PTR };
    pointers.set(pointee, known);
  }
  return known;
}

/** As in a signature: `*fp32`, `i32`. */
export function typeWord(dtype: Dtype): string {
  if (dtype.pointee !== null) return `*${dtype.isConst === true ? "k" : ""}${typeWord(dtype.pointee)}`;
  return dtype.kind.startsWith("float") ? dtype.name : dtype.name.replace("uint", "u").replace("int", "i");
}

/** In memory; a condition takes a byte. */
export function bytesOf(dtype: Dtype): number {
  return Math.max(1, dtype.bits / 8);
}

export function isInteger({ kind }: Dtype): boolean {
  return kind === "int" || kind === "uint";
}

export function isFloat({ kind }: Dtype): boolean {
  return kind === "float";
}

export function promoteIntegers(a: Dtype, b: Dtype): Dtype {
  if (a.kind === b.kind) return a.bits >= b.bits ? a : b;
  const [unsigned, signed] = a.kind === "uint" ? [a, b] : [b, a];
  return unsigned.bits >= signed.bits ? unsigned : signed;
}

/** 0 condition, 1 integer, 2 float. */
function rank(dtype: Dtype): number {
  if (isFloat(dtype)) return 2;
  return dtype === INT1 ? 0 : 1;
}

/** @param isDivision of `/` and `%`, which compute 16-bit floats in 32 bits. */
export function computationType(
  a: { readonly dtype: Dtype; readonly isLiteral: boolean },
  b: { readonly dtype: Dtype; readonly isLiteral: boolean },
  isDivision: boolean,
): Dtype {
  if (a.isLiteral !== b.isLiteral) {
    const [literal, block] = a.isLiteral ? [a.dtype, b.dtype] : [b.dtype, a.dtype];
    if (rank(literal) <= rank(block)) return isDivision && isFloat(block) && block.bits === 16 ? FP32 : block;
  }
  const types = [a.dtype, b.dtype];
  if (types.includes(FP64)) return FP64;
  if (types.includes(FP32)) return FP32;
  if (types.includes(FP16)) return isDivision ? FP32 : FP16;
  if (types.includes(BFLOAT16)) return isDivision || a.dtype !== b.dtype ? FP32 : BFLOAT16;
  return promoteIntegers(a.dtype, b.dtype);
}

/** The values of an integer type. */
export function integerRange(dtype: Dtype): { readonly low: bigint; readonly high: bigint } {
  const bits = BigInt(dtype.bits);
  if (dtype.kind === "uint" || dtype === INT1) return { low: 0n, high: (1n << bits) - 1n };
  return { low: -(1n << (bits - 1n)), high: (1n << (bits - 1n)) - 1n };
}
