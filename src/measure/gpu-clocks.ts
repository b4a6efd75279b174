/** What a GPU's clocks were, and whether they were lowered while something was measured. */
import { formatMs } from "./format-times.ts";

/** A GPU's state at a moment, as nvidia-smi reports it. */
export interface GpuClocks {
  readonly smMHz: number;
  readonly memoryMHz: number;
  readonly temperatureC: number;
  /** The reasons at this moment, as the driver's bits; null: none. */
  readonly throttled: string | null;
  /**
   * How long the clocks have been lowered since the driver was loaded, milliseconds by reason; not there with drivers
   * that do not count.
   */
  readonly loweredMs?: Readonly<Record<string, number>>;
}

/** Less is within the driver's counting. */
const LEAST_LOWERED_MS = 1;

/**
 * Why the GPU's clocks were lowered during a bench, and for how long, or as the driver's bits before or after it; null
 * where they were not.
 */
export function throttledBy({
  clocks: { before, after },
}: {
  readonly clocks: { readonly before: GpuClocks | null; readonly after: GpuClocks | null };
}): string | null {
  if (before?.loweredMs === undefined || after?.loweredMs === undefined)
    return before?.throttled ?? after?.throttled ?? null;
  const lowered = Object.entries(after.loweredMs)
    .map(([reason, ms]) => [reason, ms - (before.loweredMs?.[reason] ?? 0)] as const)
    .filter(([, ms]) => ms >= LEAST_LOWERED_MS);
  return lowered.length === 0 ? null : lowered.map(([reason, ms]) => `${reason} for ${formatMs(ms)}`).join(", ");
}
