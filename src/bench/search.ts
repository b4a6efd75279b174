/**
 * Which configurations of a sweep are tried: all of a small space; of a large one as many as the budget allows, by
 * iterated local search (H. Lourenço, O. Martin, T. Stützle, "Iterated Local Search", 2003; among the best for GPU
 * kernels in R. Schoonhoven, B. van Werkhoven, K. J. Batenburg, "Benchmarking optimization algorithms for auto-tuning
 * GPU kernels", IEEE Transactions on Evolutionary Computation, 2022): go to the first neighbour that is better until
 * there is none, then change some parameters at random and begin again from the best.
 */
import type { Generator } from "../kernel-library/distributions.ts";
import type { Configuration } from "../kernel-library/ladder.ts";
import { type Space, firstConfigurations, keyOf } from "../kernel-library/search-space.ts";

/** Up to so many, all are tried. */
export const EXHAUSTIVE_LIMIT = 64;

/** A configuration's time, or null where it cannot be used. */
export type Trial = (configuration: Configuration) => Promise<number | null>;

/** Tries configurations, each at most once, until all were tried or the budget is spent. */
export async function search(
  space: Space,
  trial: Trial,
  random: Generator,
  budget: number = EXHAUSTIVE_LIMIT,
): Promise<void> {
  const all = firstConfigurations(space, budget + 1);
  if (all.length <= budget) {
    for (const configuration of all) await trial(configuration);
    return;
  }
  await iteratedLocalSearch(space, all[0] as Configuration, trial, random, budget);
}

async function iteratedLocalSearch(
  space: Space,
  start: Configuration,
  trial: Trial,
  random: Generator,
  budget: number,
): Promise<void> {
  const known = new Map<string, number>();
  const evaluate = async (configuration: Configuration): Promise<number> => {
    const key = keyOf(configuration);
    let time = known.get(key);
    if (time === undefined) known.set(key, (time = (await trial(configuration)) ?? Infinity));
    return time;
  };
  let best = start;
  let bestTime = await evaluate(start);
  let current = best;
  let currentTime = bestTime;
  // A perturbation may come back to what is known: the rounds end also where nothing new is found.
  for (let idle = 0; known.size < budget && idle < 100; idle++) {
    const before = known.size;
    for (let improved = true; improved && known.size < budget;) {
      improved = false;
      for (const neighbour of shuffled(neighbours(space, current), random)) {
        if (known.size >= budget) break;
        const time = await evaluate(neighbour);
        if (time >= currentTime) continue;
        [current, currentTime, improved] = [neighbour, time, true];
        break;
      }
    }
    if (currentTime < bestTime) [best, bestTime] = [current, currentTime];
    current = perturbed(space, best, random);
    if (known.size < budget) currentTime = await evaluate(current);
    if (known.size > before) idle = 0;
  }
}

/** The allowed configurations that differ in one parameter. */
export function neighbours({ names, values, allow }: Space, configuration: Configuration): Configuration[] {
  return names
    .flatMap((name, i) =>
      (values[i] as readonly number[])
        .filter((value) => value !== configuration[name])
        .map((value) => ({ ...configuration, [name]: value })),
    )
    .filter(allow);
}

/** Two or more parameters changed at random, or the configuration itself where constraints allow nothing else. */
function perturbed(space: Space, configuration: Configuration, random: Generator): Configuration {
  for (let attempt = 0; attempt < 100; attempt++) {
    const changed: Record<string, number> = { ...configuration };
    const count = 2 + Math.floor(random() * Math.max(1, space.names.length - 1));
    for (let n = 0; n < count; n++) {
      const i = Math.floor(random() * space.names.length);
      const values = space.values[i] as readonly number[];
      changed[space.names[i] as string] = values[Math.floor(random() * values.length)] as number;
    }
    if (space.allow(changed)) return changed;
  }
  return configuration;
}

function shuffled<T>(list: T[], random: Generator): T[] {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j] as T, list[i] as T];
  }
  return list;
}
