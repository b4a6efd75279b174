/** The sweep of one version: each configuration that the search asks for is checked and timed. */
import { firstConfigurations, spaceOf } from "../kernel-library/search-space.ts";
import { generator } from "../kernel-library/distributions.ts";
import { shapeText, type Configuration, type Shape } from "../kernel-library/ladder.ts";
import type { LadderVersion } from "../kernel-library/loaded-ladder.ts";
import type { Trial } from "./results.ts";
import { EXHAUSTIVE_LIMIT, search } from "./search.ts";

/** The results of earlier sweeps. */
export interface SweepMemory {
  get(key: SweepKey): readonly Trial[] | null;
  put(key: SweepKey, trials: readonly Trial[]): void;
}
export interface SweepKey {
  readonly source: string;
  readonly space: string;
  readonly launch: string;
  readonly shape: string;
}

export interface SweepOptions {
  readonly shape: Shape;
  readonly memory: SweepMemory | null;
  readonly seed: number;
  readonly trial: (configuration: Configuration) => Promise<Trial>;
  /** The part that is done, from 0 to 1. */
  readonly report: (done: number) => void;
}

/** @param trials receives every trial, also those before one that throws. */
export async function sweep(version: LadderVersion, trials: Trial[], options: SweepOptions): Promise<void> {
  const { shape, memory, seed, trial, report } = options;
  const space = spaceOf(version.declaration, shape);
  const key = sweepKeyOf(version, shape);
  const earlier = memory?.get(key) ?? null;
  if (earlier !== null) {
    trials.push(...earlier);
    return;
  }
  const count = firstConfigurations(space, EXHAUSTIVE_LIMIT).length;
  await search(
    space,
    async (configuration) => {
      const done = await trial(configuration);
      trials.push(done);
      report(trials.length / count);
      return done.medianMs;
    },
    generator(seed),
  );
  memory?.put(key, trials);
}

/**
 * What a sweep's outcome depends on. Of a space: its values, and which of them are allowed, as far as the first
 * configurations and the text of `allow` say.
 */
export function sweepKeyOf({ hash, declaration }: LadderVersion, shape: Shape): SweepKey {
  const space = spaceOf(declaration, shape);
  const first = firstConfigurations(space, EXHAUSTIVE_LIMIT + 1);
  return {
    source: hash,
    space: JSON.stringify([space.names, space.values, first, String(declaration.allow)]),
    launch: String(declaration.launch),
    shape: shapeText(shape),
  };
}
