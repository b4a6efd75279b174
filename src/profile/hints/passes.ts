/** Loops that go through the same data, one after the other. */
import { SECTOR_BYTES } from "../../machine/warp-counts.ts";
import type { LaunchProfile, LoopAccesses } from "../launch-profile.ts";
import type { Metrics } from "../line-profile.ts";

/** Loops load about as much of an array if they load it whole. */
const ALIKE = 0.5;
/** Of what the kernel reads at all, an array that is worth a word has as much. */
const LEAST_SHARE = 0.3;

/** An array that several loops go through. */
export interface Passes {
  readonly array: string;
  /** The loops that have the array at hand, in the order of the source; the first may have written it. */
  readonly loops: readonly LoopAccesses[];
  /** Sectors, requests, and what they would be side by side, of the loads of all loops but the first. */
  readonly again: { readonly sectors: number; readonly requests: number; readonly ideal: number };
}

export function passesOf({ loops }: Pick<LaunchProfile, "loops">, metrics: Metrics): Passes[] {
  const different = (metrics["dram__bytes_read.sum"] ?? 0) / SECTOR_BYTES;
  const byArray = new Map<string, LoopAccesses[]>();
  for (const loop of loops)
    if (loop.array !== null && loop.isLoop) byArray.set(loop.array, [...(byArray.get(loop.array) ?? []), loop]);
  return [...byArray].flatMap(([array, own]) => {
    const most = Math.max(...own.map(({ ideal }) => ideal));
    // Whoever loads the same sectors again and again in one loop has another flaw.
    const isOnce = most <= WHOLE * (different + (metrics["dram__bytes_write.sum"] ?? 0) / SECTOR_BYTES);
    const passes = own
      .filter(({ ideal, stored }) => Math.max(ideal, stored) >= ALIKE * most)
      .sort((a, b) => a.line - b.line);
    const [first, ...later] = passes;
    const again = later.filter(({ ideal }) => ideal > 0);
    if (first === undefined || again.length === 0 || !isOnce || most < LEAST_SHARE * different) return [];
    const sum = (of: "sectors" | "requests" | "ideal"): number => again.reduce((all, loop) => all + loop[of], 0);
    return [
      {
        array,
        loops: [first, ...again],
        again: { sectors: sum("sectors"), requests: sum("requests"), ideal: sum("ideal") },
      },
    ];
  });
}

/** An array that is loaded once has no more sectors than the kernel touches, but for rows that begin anywhere. */
const WHOLE = 1.3;
