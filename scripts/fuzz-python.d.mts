export interface FuzzCounts {
  readonly compiled: number;
  readonly refused: number;
  /** Files that are refused as a whole. */
  readonly unreadable: number;
}
export interface FuzzFailure {
  readonly seed: number;
  readonly text: string;
  readonly message: string;
}
export const OWN_FILES: readonly string[];
export function fuzzPython(
  texts: readonly string[],
  cases: number,
  firstSeed?: number,
): { readonly counts: FuzzCounts; readonly failures: readonly FuzzFailure[] };
