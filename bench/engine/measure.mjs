// Measuring contestants against each other: checked, warmed up, then in turns, so that what disturbs the machine
// disturbs all.
import { median, summary } from "./statistics.mjs";

/**
 * Compiled code is replaced by better code while it runs: warm when so many batches in a row were no better than
 * before.
 */
const CALM_BATCHES = 4;
const BATCH_MS = 60;
const WARM_MS = { least: 500, most: 8000 };
/** A round runs a contestant for about so long. */
const ROUND_MS = 30;
/** What takes longer is not run once beforehand, to bring back data that others have driven out of the cache. */
const LONG_MS = 150;

/**
 * @param entries { contestant, case_, expected } each
 * @returns for each entry the summary of its times in milliseconds. Throws when a result is wrong: before it is timed,
 * and once more
 *   afterwards, since by then other code may run.
 */
export async function measureInTurns(entries, samples) {
  for (const entry of entries) {
    await requireRight(entry);
    entry.ms = await warmUp(entry.contestant);
    entry.times = [];
  }
  for (let round = 0; round < samples; round++) {
    for (const entry of entries) {
      entry.times.push(await sample(entry));
    }
  }
  for (const entry of entries) await requireRight(entry);
  return entries.map(({ times }) => summary(times));
}

/**
 * The mean of a round's runs. Not their median: short runs would be rid of every interruption by other programs, and
 * long ones of none.
 */
async function sample({ contestant, ms }) {
  if (ms < LONG_MS) await contestant.run(1);
  const runs = await contestant.run(Math.max(1, Math.min(100, Math.round(ROUND_MS / ms))));
  return runs.reduce((sum, run) => sum + run, 0) / runs.length;
}

async function requireRight({ contestant, case_, expected, label }) {
  const mistake = await contestant.mistake(case_, expected);
  if (mistake !== null) throw new WrongResult(`${label}: ${mistake}`);
}

/** Nothing wrong is timed. */
export class WrongResult extends Error {}

/** Returns milliseconds of a run, at last. */
async function warmUp(contestant) {
  const start = performance.now();
  let best = Infinity;
  let count = 1;
  for (let calm = 0; ;) {
    const ms = median(await contestant.run(count));
    calm = ms < 0.97 * best ? 0 : calm + 1;
    best = Math.min(best, ms);
    count = Math.max(1, Math.min(200, Math.floor(BATCH_MS / best)));
    const elapsed = performance.now() - start;
    if ((calm >= CALM_BATCHES && elapsed > WARM_MS.least) || elapsed > WARM_MS.most) return best;
  }
}
