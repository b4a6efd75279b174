export const SUITE_N: number;
export interface SuiteLaunch {
  readonly kernel: "flawed" | "repaired" | "good";
  readonly grid: [number, number?, number?];
  readonly block: [number, number?, number?];
  /** The kind of the first hint; null: there is none. */
  readonly hint: string | null;
  /** What the hinted line contains; "": the hint is about the launch. */
  readonly at: string;
}
export function suiteLaunches(source: string): SuiteLaunch[];
export function suiteInput(): Float32Array;
