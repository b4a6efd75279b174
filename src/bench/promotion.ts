/** What `heddle bench --promote` takes from a result. */
import type { Winner } from "../kernel-library/winners.ts";
import { fastest, type ResultRecord } from "./results.ts";

/**
 * The winner of a result; null where no version was right and timed.
 * @param canBeCalled whether kernels as functions can use the version: they do not take Triton's
 */
export function winnerOf(
  { surroundings, shape, versions }: ResultRecord,
  canBeCalled: (version: string) => boolean = () => true,
): Winner | null {
  const best = fastest(versions.filter(({ version }) => canBeCalled(version)));
  if (best === null) return null;
  const { kind, name } = surroundings.device;
  const { version, configuration, source } = best.result;
  return {
    device: { kind, name },
    shape,
    version,
    configuration: configuration ?? {},
    medianMs: best.medianMs,
    source,
    time: surroundings.time,
  };
}
