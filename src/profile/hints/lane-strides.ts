/** How far apart the lanes of a request are, in words. */
import { BANKS, BANK_BYTES, lanesOf } from "../../machine/warp-counts.ts";
import type { AccessSample } from "../line-profile.ts";

export interface LaneStride {
  /** Bytes from a lane to the next; null: they differ. */
  readonly bytes: number | null;
  /** Of the steps from lane to lane the part that are as long. */
  readonly regular: number;
}

/** The commonest step from one lane to the next. */
export function laneStride({ lanes, addresses }: AccessSample): LaneStride {
  const active = lanesOf(lanes);
  const steps = new Map<number, number>();
  for (let n = 1; n < active.length; n++) {
    const [lane, before] = [active[n] as number, active[n - 1] as number];
    if (lane !== before + 1) continue;
    const step = (addresses[lane] as number) - (addresses[before] as number);
    steps.set(step, (steps.get(step) ?? 0) + 1);
  }
  const [bytes, count] = [...steps].sort((a, b) => b[1] - a[1])[0] ?? [0, 0];
  const regular = count / Math.max(1, active.length - 1);
  return regular >= 0.45 ? { bytes, regular } : { bytes: null, regular };
}

/** The most words that one bank has for the lanes, and that bank. */
export function busiestBank({ lanes, addresses }: AccessSample): { readonly bank: number; readonly words: number } {
  const banks = new Map<number, Set<number>>();
  for (const lane of lanesOf(lanes)) {
    const word = Math.floor((addresses[lane] as number) / BANK_BYTES);
    const words = banks.get(word % BANKS) ?? new Set();
    banks.set(word % BANKS, words.add(word));
  }
  const [bank, words] = [...banks].sort((a, b) => b[1].size - a[1].size || a[0] - b[0])[0] ?? [0, new Set()];
  return { bank, words: words.size };
}

/** Whether all lanes of a request access one address. */
export function isOneAddress({ lanes, addresses }: AccessSample): boolean {
  const [first = 0, ...rest] = lanesOf(lanes);
  return rest.every((lane) => addresses[lane] === addresses[first]);
}
