/**
 * Sizes that a C data model fixes. Host programs, their device code and the runtime agree on one: it decides the layout
 * of structures that they exchange, the compiler's targets, and the width of a pointer among a kernel's arguments.
 */
export interface DataModel {
  readonly name: "ilp32" | "lp64";
  /** Pointers, size_t and opaque handles such as cudaStream_t. */
  readonly pointerBytes: 4 | 8;
  readonly longBytes: 4 | 8;
}

/** Pointers, size_t and long of 4 bytes: wasm32 beside nvptx. */
export const ILP32: DataModel = { name: "ilp32", pointerBytes: 4, longBytes: 4 };

/** Pointers, size_t and long of 8 bytes, as every CUDA machine has them: wasm64 beside nvptx64. */
export const LP64: DataModel = { name: "lp64", pointerBytes: 8, longBytes: 8 };

export const DATA_MODELS: Readonly<Record<DataModel["name"], DataModel>> = { ilp32: ILP32, lp64: LP64 };

/** Of a size_t, as far as numbers are exact. */
export function largestSize({ pointerBytes }: DataModel): number {
  return pointerBytes === 4 ? 0xffff_ffff : Number.MAX_SAFE_INTEGER;
}

/**
 * The first bytes of a host program's memory. Nothing lies there, so that a write through a null pointer can be told
 * from others: WebAssembly lets a program write at address 0.
 */
export const NULL_PAGE_BYTES = 65_536;
