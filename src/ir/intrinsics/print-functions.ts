/** The functions that device printf becomes: the sizes in their arguments' buffer are those of a data model. */

/** Of 64-bit programs (passes/pass-narrow-pointers.ts). */
export const WIDE_PRINTF = "__heddle_vprintf_lp64";

/** Bytes of long, size_t and pointers. */
export type LongBytes = 4 | 8;

export const PRINT_FUNCTIONS: ReadonlyMap<string, LongBytes> = new Map([
  ["vprintf", 4],
  [WIDE_PRINTF, 8],
]);

export function isPrint(name: string | null): boolean {
  return name !== null && PRINT_FUNCTIONS.has(name);
}
