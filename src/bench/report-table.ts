/** Results as text for a terminal. */
import {
  fastest,
  mainTiming,
  type LadderResult,
  type ResultRecord,
  type RivalResult,
  type Surroundings,
  type VersionResult,
} from "./results.ts";
import { shapeText } from "../kernel-library/ladder.ts";
import { formatMs, percent } from "../measure/format-times.ts";
import { throttledBy } from "../measure/gpu-clocks.ts";
import type { Comparison } from "./comparison.ts";
import { compareResults, isComparable, type Change } from "./compare-results.ts";
import { keyOf } from "../kernel-library/search-space.ts";

/** Marks text, or does not (NO_COLOR). */
export type Paint = (text: string, colour: "red" | "green" | "dim" | "bold") => string;

export const plain: Paint = (text) => text;

const COLOURS = { red: "31", green: "32", dim: "2", bold: "1" } as const;
export const coloured: Paint = (text, colour) => `\u001b[${COLOURS[colour]}m${text}\u001b[0m`;

/** What is achieved, in the unit of what limits. */
export function rateOf({ work }: LadderResult, { timings: [timing] }: Pick<VersionResult, "timings">): string {
  if (timing === undefined) return "";
  const perSecond = (amount: number): string => (amount / timing.ms.median / 1e6).toPrecision(4);
  if (timing.limitedBy === "bytes") return `${perSecond(work.bytes)} GB/s`;
  return work.operations / timing.ms.median >= 1e9
    ? `${perSecond(work.operations / 1000)} TFLOP/s`
    : `${perSecond(work.operations)} GFLOP/s`;
}

export function formatLadder(result: LadderResult, paint: Paint): string {
  const { ladder, summary, shape, versions, rivals } = result;
  const all = [...versions, ...rivals];
  const cold = all.some(({ timings }) => timings.some(({ cache }) => cache === "cold"));
  const lines = [
    `${paint(ladder, "bold")}: ${summary}`,
    paint(
      `${shapeText(shape)}; every version is right at ${result.checkedShapes} shapes before it is timed; inputs of timed launches: --seed ${result.seed}`,
      "dim",
    ),
  ];
  const header = [
    "version",
    "configuration",
    cold ? "cold median" : "median",
    "spread",
    ...(cold ? ["hot median"] : []),
    "rate",
    "of the limit",
    "× before",
    "error / allowed",
  ];
  const row = (
    name: string,
    configuration: string,
    { verdict, timings, comparison }: VersionResult | RivalResult,
    gain: string,
  ): string[] => {
    const [timing, hot] = [timings[0], timings.find(({ cache }) => cache === "hot")];
    if (verdict !== "ok" || timing === undefined) return [name, verdict === "ok" ? "right" : verdict];
    return [
      name,
      configuration,
      formatMs(timing.ms.median),
      `± ${percent(timing.ms.spread)}`,
      ...(cold ? [hot === undefined ? "" : formatMs(hot.ms.median)] : []),
      rateOf(result, { timings }),
      percent(timing.limitMs / timing.ms.median),
      gain,
      errorText(comparison),
    ];
  };
  const gains = gainsOf(versions);
  const rows = versions.map((version, i) =>
    row(version.version, keyOf(version.configuration ?? {}), version, gains[i] ?? ""),
  );
  rows.push(...rivals.map((rival) => row(rival.rival, rival.description ?? "", rival, "")));
  const table = align([header, ...rows]);
  lines.push(
    paint(table[0] as string, "dim"),
    ...table
      .slice(1)
      .map((line, i) => (all[i]?.verdict === "ok" ? line : paint(line, all[i]?.verdict === "absent" ? "dim" : "red"))),
  );
  const first = all.map(mainTiming).find((timing) => timing !== null);
  if (first !== undefined && first !== null) {
    lines.push(
      paint(
        `the limit: ${formatMs(first.limitMs)} for ${first.limitedBy === "bytes" ? `${result.work.bytes} bytes at the speed of a copy` : `${result.work.operations} operations at the speed of ${(result.work.unit ?? "fp32") === "fp32" ? "multiply-adds" : "mma.sync or of multiply-adds"}`} measured in this run; the physical floor: ${formatMs(first.floorMs)}`,
        "dim",
      ),
    );
  }
  const [best, rival] = [fastest(versions), fastest(rivals)];
  if (best !== null && rival !== null)
    lines.push(
      `${best.result.version} has ${percent(rival.medianMs / best.medianMs)} of the speed of ${rival.result.rival}, the fastest rival`,
    );
  for (const { version, verdict, problem } of versions)
    if (problem !== null) lines.push(paint(`${version} is ${verdict}: ${problem.split("\n").join("\n  ")}`, "red"));
  for (const { rival: name, verdict, problem } of rivals)
    if (problem !== null)
      lines.push(
        paint(`${name} is ${verdict}: ${problem.split("\n").join("\n  ")}`, verdict === "absent" ? "dim" : "red"),
      );
  const { before, after } = result.clocks;
  if (after !== null) {
    const throttled = throttledBy(result);
    lines.push(
      paint(
        `clocks: SM ${before?.smMHz ?? "?"} → ${after.smMHz} MHz, memory ${after.memoryMHz} MHz, ${after.temperatureC} °C${throttled === null ? "" : `; THROTTLED (${throttled})`}`,
        throttled === null ? "dim" : "red",
      ),
    );
  }
  return `${lines.join("\n")}\n`;
}

/** How much faster each version is than the one before that was timed. */
export function gainsOf(versions: readonly VersionResult[]): string[] {
  let previous: number | null = null;
  return versions.map((version) => {
    const own = version.verdict === "ok" ? (mainTiming(version)?.ms.median ?? null) : null;
    const gain = previous === null || own === null ? "" : (previous / own).toFixed(2);
    previous = own ?? previous;
    return gain;
  });
}

export function errorText({ absoluteError, usedTolerance }: Comparison): string {
  return absoluteError === 0 ? "exact" : `${absoluteError.toExponential(1)}, ${percent(usedTolerance)}`;
}

export function formatSurroundings({ device, machine, commit, dirty }: Surroundings): string {
  const place =
    device.kind === "cuda"
      ? `${device.name}, driver ${device.driver ?? "unknown"}`
      : `emulated ${device.name} on ${machine.cores} cores of ${machine.cpu}: times are this machine's and tell nothing about a GPU`;
  return `${place}${commit === null ? "" : `; commit ${commit.slice(0, 10)}${dirty ? " with changes" : ""}`}`;
}

export function formatChanges(
  ladder: string,
  baseline: ResultRecord,
  changes: readonly Change[],
  paint: Paint,
): string {
  const since = `${baseline.surroundings.time.slice(0, 16)} ${baseline.surroundings.commit?.slice(0, 10) ?? ""}`;
  const rows = changes.map(({ version, beforeMs, afterMs, verdict }) => [
    version,
    formatMs(beforeMs),
    "→",
    formatMs(afterMs),
    verdict === "same" ? "within the spread" : `${verdict}: ${percent(Math.abs(afterMs / beforeMs - 1))}`,
  ]);
  return (
    [
      `${ladder} since ${since}`,
      ...align(rows).map((line, i) =>
        paint(line, changes[i]?.verdict === "slower" ? "red" : changes[i]?.verdict === "faster" ? "green" : "dim"),
      ),
    ].join("\n") + "\n"
  );
}

/** All results of each ladder, shape and device, oldest first; what has changed beyond the spread is marked. */
export function formatHistory(records: readonly ResultRecord[], paint: Paint): string {
  const groups: ResultRecord[][] = [];
  for (const record of records) {
    const group = groups.find(([first]) => first !== undefined && isComparable(first, record));
    if (group === undefined) groups.push([record]);
    else group.push(record);
  }
  return (
    groups
      .map((group) => {
        const first = group[0] as ResultRecord;
        const rows = group.map((record, i) => {
          const best = fastest(record.versions);
          const before = group[i - 1];
          const changes =
            before === undefined
              ? []
              : [
                  ...surroundingsChanges(before, record),
                  ...compareResults(before, record)
                    .filter(({ verdict }) => verdict !== "same")
                    .map(
                      ({ version, verdict, beforeMs, afterMs }) =>
                        `${version} ${verdict} by ${percent(Math.abs(afterMs / beforeMs - 1))}`,
                    ),
                ];
          if (throttledBy(record) !== null) changes.push("THROTTLED");
          const { time, commit, dirty } = record.surroundings;
          return [
            time.slice(0, 16),
            `${commit?.slice(0, 10) ?? "-"}${dirty ? "*" : ""}`,
            ...(best === null
              ? ["-", "", ""]
              : [
                  best.result.version,
                  formatMs(best.medianMs),
                  `± ${percent(mainTiming(best.result)?.ms.spread ?? 0)}`,
                ]),
            changes.join("; "),
          ];
        });
        return [
          `${paint(first.ladder, "bold")} ${shapeText(first.shape)}; ${first.surroundings.device.kind} ${first.surroundings.device.name} on ${first.surroundings.machine.host}`,
          ...align(rows),
        ].join("\n");
      })
      .join("\n\n") + "\n"
  );
}

/** What else is not as it was, and may be why. */
function surroundingsChanges({ surroundings: before }: ResultRecord, { surroundings: after }: ResultRecord): string[] {
  const pairs = [
    ["driver", before.device.driver, after.device.driver],
    ["heddle", before.heddle, after.heddle],
    ["engine", before.device.engine, after.device.engine],
  ] as const;
  return pairs.filter(([, a, b]) => a !== b).map(([what, a, b]) => `${what} ${a ?? "-"} → ${b ?? "-"}`);
}

/** Columns: the first two to the left, the others to the right. */
function align(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => void (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  return rows.map((row) =>
    row
      .map((cell, i) => (i < 2 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number)))
      .join("  ")
      .trimEnd(),
  );
}
