/**
 * Sizes and alignments of types in device memory: the data layouts of nvptx and nvptx64,
 * `e-p:32:32-i64:64-i128:128-i256:256-v16:16-v32:32` and the same without `p:32:32` (LangRef, "Data Layout"). They
 * differ in the width of pointers alone, which is part of a pointer's type.
 *
 * All numbers are bytes. Little endian. Host (wasm32) and device agree on every type a CUDA program can share.
 */
import { bug } from "../../base/diagnostics.ts";
import { formatType, scalarBits } from "./types.ts";
import type { IrGlobal, IrModule, IrType, PointerBits, StructType } from "./ir.ts";
import { alignUp } from "../../base/align.ts";

/** The width of a module's pointers. */
export function pointerBitsOf({ dataLayout, triple }: Pick<IrModule, "dataLayout" | "triple">): PointerBits {
  if (dataLayout !== "") return /(?:^|-)p(?:0)?:32:/.test(dataLayout) ? 32 : 64;
  return triple.startsWith("nvptx64") ? 64 : 32;
}

/** Bytes from one element of an array of this type to the next: the store size rounded up to the alignment. */
export function sizeOf(type: IrType): number {
  switch (type.kind) {
    case "array":
      return type.length * sizeOf(type.element);
    case "struct":
      return structLayout(type).size;
    default:
      return alignUp(storeSize(type), alignOf(type));
  }
}

/** Bytes that a store of this type writes (an i33 five, a <3 x float> twelve). */
export function storeSize(type: IrType): number {
  switch (type.kind) {
    case "int":
      return Math.ceil(type.bits / 8);
    case "float":
      return scalarBits(type) / 8;
    case "ptr":
      return type.bits / 8;
    case "vector":
      return Math.ceil((type.length * bitSize(type.element)) / 8);
    case "array":
    case "struct":
      return sizeOf(type);
    case "void":
    case "function":
    case "opaque":
      return bug(`the type ${formatType(type)} has no size`);
  }
}

/** The ABI alignment, in bytes. */
export function alignOf(type: IrType): number {
  switch (type.kind) {
    case "int":
      return intAlign(type.bits);
    case "float":
      return scalarBits(type) / 8;
    case "ptr":
      return type.bits / 8;
    case "vector":
      return powerOfTwoCeil(storeSize(type));
    case "array":
      return alignOf(type.element);
    case "struct":
      return structLayout(type).align;
    case "void":
    case "function":
    case "opaque":
      return bug(`the type ${formatType(type)} has no alignment`);
  }
}

/** Byte offset of each element of a struct. */
export function structOffsets(type: StructType): readonly number[] {
  return structLayout(type).offsets;
}

/** Whether a value of this type can live in memory. */
export function isSized(type: IrType): boolean {
  switch (type.kind) {
    case "int":
    case "float":
    case "ptr":
      return true;
    case "vector":
    case "array":
      return isSized(type.element);
    case "struct":
      return type.elements.every(isSized);
    case "void":
    case "function":
    case "opaque":
      return false;
  }
}

/** The address space of `__shared__` variables. */
export const SHARED_SPACE = 3;

/** Where dynamic shared memory begins is a multiple of this, whatever is declared of it. */
export const DYNAMIC_SHARED_ALIGN = 16;

/** `extern __shared__ T x[]`: declared here, sized by the launch. */
export function isDynamicShared(global: IrGlobal): boolean {
  return (
    global.type.addressSpace === SHARED_SPACE &&
    global.initializer === null &&
    (global.linkage === "external" || sizeOf(global.valueType) === 0)
  );
}

interface StructLayout {
  readonly size: number;
  readonly align: number;
  readonly offsets: readonly number[];
}

const structLayouts = new WeakMap<StructType, StructLayout>();

function structLayout(type: StructType): StructLayout {
  const known = structLayouts.get(type);
  if (known) return known;
  const offsets: number[] = [];
  let offset = 0;
  let align = 1;
  for (const element of type.elements) {
    const elementAlign = type.packed ? 1 : alignOf(element);
    offset = alignUp(offset, elementAlign);
    offsets.push(offset);
    offset += sizeOf(element);
    align = Math.max(align, elementAlign);
  }
  const layout = { size: alignUp(offset, align), align, offsets };
  structLayouts.set(type, layout);
  return layout;
}

/** An integer without an entry of its own takes the next larger one's alignment; beyond i256, that of i256. */
function intAlign(bits: number): number {
  return bits > 256 ? 32 : Math.max(1, powerOfTwoCeil(bits) / 8);
}

function powerOfTwoCeil(value: number): number {
  let power = 1;
  while (power < value) power *= 2;
  return power;
}

function bitSize(type: IrType): number {
  return type.kind === "int" ? type.bits : storeSize(type) * 8;
}
