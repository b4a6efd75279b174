import type { Library } from "./names.mjs";

export interface Called {
  readonly missing: readonly string[];
  readonly statuses: Readonly<Record<string, number | null>>;
}
export function callAll(library: Library): Called;
export function summary(called: Called): {
  readonly count: number;
  readonly usual: number | null;
  readonly others: Readonly<Record<string, number | null>>;
  readonly missing: readonly string[];
};
