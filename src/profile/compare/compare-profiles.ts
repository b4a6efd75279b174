/** Two profiles of one program: what got better, and what got worse, by kernel and line. Plain data. */
import type { ComparableLaunch, ComparableLine, ComparableProfile } from "./baseline.ts";
import { metricChanges, type MetricChange } from "./metric-change.ts";

export interface LineComparison {
  readonly file: string;
  /** Its number in each profile; null: the line was not executed there, or did not exist. */
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string | null;
  readonly metrics: readonly MetricChange[];
}

/** Launches of a kernel whose counters changed in the same way. */
export interface KernelComparison {
  readonly name: string;
  /** The first of them, in each profile: its number in the program. */
  readonly ordinal: { readonly before: number; readonly after: number };
  readonly launches: number;
  /** By the model's time where both have one and it differs by 1 % or more, else by the counters. */
  readonly verdict: "better" | "worse" | "mixed" | "same";
  readonly predictedMicroseconds: { readonly before: number; readonly after: number } | null;
  /** The largest relative change first. */
  readonly metrics: readonly MetricChange[];
  readonly lines: readonly LineComparison[];
}

export interface ProfileComparison {
  readonly gpu: { readonly before: string; readonly after: string };
  readonly kernels: readonly KernelComparison[];
  /** Kernels with launches that the other profile has no counterpart for. */
  readonly onlyBefore: readonly { readonly name: string; readonly launches: number }[];
  readonly onlyAfter: readonly { readonly name: string; readonly launches: number }[];
}

const NOTABLE_TIME = 0.01;

/** The n-th launch of a kernel is compared with the n-th launch of the kernel of that name. */
export function compareProfiles(before: ComparableProfile, after: ComparableProfile): ProfileComparison {
  const [old, now] = [byName(before.launches), byName(after.launches)];
  const kernels = new Map<string, KernelComparison>();
  for (const [name, launches] of now)
    for (const [index, launch] of launches.entries()) {
      const other = old.get(name)?.[index];
      if (other === undefined) continue;
      const compared = compareLaunch(other, launch);
      const { ordinal: _, ...rest } = compared;
      const key = JSON.stringify(rest);
      const known = kernels.get(key);
      kernels.set(key, known === undefined ? compared : { ...known, launches: known.launches + 1 });
    }
  return {
    gpu: { before: before.gpu.name, after: after.gpu.name },
    kernels: [...kernels.values()],
    onlyBefore: surplus(old, now),
    onlyAfter: surplus(now, old),
  };
}

function byName(launches: readonly ComparableLaunch[]): Map<string, ComparableLaunch[]> {
  const names = new Map<string, ComparableLaunch[]>();
  for (const launch of launches) {
    const known = names.get(launch.name);
    if (known === undefined) names.set(launch.name, [launch]);
    else known.push(launch);
  }
  return names;
}

function surplus(
  own: ReadonlyMap<string, readonly ComparableLaunch[]>,
  other: ReadonlyMap<string, readonly ComparableLaunch[]>,
): { name: string; launches: number }[] {
  return [...own].flatMap(([name, all]) => {
    const launches = all.length - (other.get(name)?.length ?? 0);
    return launches > 0 ? [{ name, launches }] : [];
  });
}

function compareLaunch(before: ComparableLaunch, after: ComparableLaunch): KernelComparison {
  const metrics = metricChanges(before.metrics, after.metrics);
  const predictedMicroseconds =
    before.predicted === undefined || after.predicted === undefined
      ? null
      : { before: before.predicted.microseconds, after: after.predicted.microseconds };
  return {
    name: after.name,
    ordinal: { before: before.ordinal, after: after.ordinal },
    launches: 1,
    verdict: kernelVerdict(metrics, predictedMicroseconds),
    predictedMicroseconds,
    metrics,
    lines: compareLines(before.lines, after.lines),
  };
}

function kernelVerdict(
  metrics: readonly MetricChange[],
  time: KernelComparison["predictedMicroseconds"],
): KernelComparison["verdict"] {
  if (time !== null && Math.abs(time.after - time.before) >= NOTABLE_TIME * time.before)
    return time.after < time.before ? "better" : "worse";
  const isBetter = metrics.some(({ verdict }) => verdict === "better");
  const isWorse = metrics.some(({ verdict }) => verdict === "worse");
  if (isBetter && isWorse) return "mixed";
  if (isBetter) return "better";
  return isWorse ? "worse" : "same";
}

/**
 * Lines with the same text, in their order, are the same line, wherever they have moved to. The rest goes by numbers:
 * an edited line, or one whose text nobody knows.
 */
function compareLines(before: readonly ComparableLine[], after: readonly ComparableLine[]): LineComparison[] {
  const pairs = new Map<ComparableLine, ComparableLine>();
  const pair = (keyOf: (line: ComparableLine) => string | null): void => {
    const free = new Map<string, ComparableLine[]>();
    const taken = new Set(pairs.values());
    for (const line of before) {
      const key = taken.has(line) ? null : keyOf(line);
      if (key !== null) free.set(key, [...(free.get(key) ?? []), line]);
    }
    for (const line of after) {
      const key = pairs.has(line) ? null : keyOf(line);
      const other = key === null ? undefined : free.get(key)?.shift();
      if (other !== undefined) pairs.set(line, other);
    }
  };
  pair(({ file, text }) => (text === undefined || text === null || text === "" ? null : `${file}\n${text}`));
  pair(({ file, line }) => `${file}:${line}`);
  const paired = new Set(pairs.values());
  const changed = (old: ComparableLine | null, now: ComparableLine | null): LineComparison[] => {
    const metrics = metricChanges(old?.metrics ?? {}, now?.metrics ?? {});
    const { file, text = null } = (now ?? old) as ComparableLine;
    return metrics.length === 0 ? [] : [{ file, before: old?.line ?? null, after: now?.line ?? null, text, metrics }];
  };
  return [
    ...after.flatMap((line) => changed(pairs.get(line) ?? null, line)),
    ...before.filter((line) => !paired.has(line)).flatMap((line) => changed(line, null)),
  ];
}
