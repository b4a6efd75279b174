export const SUITE_N: number;
export interface SuiteLaunch {
  /** flawed, repaired or good; of a pair also what is launched before: flawed_bias. */
  readonly kernel: string;
  readonly grid: [number, number?, number?];
  readonly block: [number, number?, number?];
  /** The kind of the first hint; null: there is none. */
  readonly hint: string | null;
  /** What the hinted line contains; "": the hint is about the launch. */
  readonly at: string;
}
export function suiteLaunches(source: string): SuiteLaunch[];
export function pairOptions(source: string): { readonly n: number; readonly caches: boolean };
export function suiteInput(n?: number): Float32Array;
