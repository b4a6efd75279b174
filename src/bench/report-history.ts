/** Results over time, as text for a terminal. */
import { shapeText } from "../kernel-library/ladder.ts";
import { formatMs, percent } from "../measure/format-times.ts";
import { throttledBy } from "../measure/gpu-clocks.ts";
import { compareResults, isComparable, type Change } from "./compare-results.ts";
import { align } from "./align.ts";
import type { Paint } from "./report-table.ts";
import { fastest, mainTiming, type ResultRecord } from "./results.ts";

const CHANGE_COLOURS = { slower: "red", faster: "green", same: "dim" } as const;

export function formatChanges(
  ladder: string,
  baseline: ResultRecord,
  changes: readonly Change[],
  paint: Paint,
): string {
  const { time, commit } = baseline.surroundings;
  const rows = changes.map(({ version, beforeMs, afterMs, verdict }) => [
    version,
    formatMs(beforeMs),
    "→",
    formatMs(afterMs),
    verdict === "same" ? "within the spread" : `${verdict}: ${percent(Math.abs(afterMs / beforeMs - 1))}`,
  ]);
  const lines = align(rows).map((line, i) => paint(line, CHANGE_COLOURS[changes[i]?.verdict ?? "same"]));
  return `${[`${ladder} since ${time.slice(0, 16)} ${commit?.slice(0, 10) ?? ""}`, ...lines].join("\n")}\n`;
}

/** All results of each ladder, shape and device, oldest first; what has changed beyond the spread is marked. */
export function formatHistory(records: readonly ResultRecord[], paint: Paint): string {
  const groups: ResultRecord[][] = [];
  for (const record of records) {
    const group = groups.find(([first]) => first !== undefined && isComparable(first, record));
    if (group === undefined) groups.push([record]);
    else group.push(record);
  }
  return `${groups.map((group) => groupText(group, paint)).join("\n\n")}\n`;
}

function groupText(group: readonly ResultRecord[], paint: Paint): string {
  const { ladder, shape, surroundings } = group[0] as ResultRecord;
  const { device, machine } = surroundings;
  return [
    `${paint(ladder, "bold")} ${shapeText(shape)}; ${device.kind} ${device.name} on ${machine.host}`,
    ...align(group.map((record, i) => historyRow(record, group[i - 1]))),
  ].join("\n");
}

function historyRow(record: ResultRecord, before: ResultRecord | undefined): string[] {
  const { time, commit, dirty } = record.surroundings;
  const best = fastest(record.versions);
  const times =
    best === null
      ? ["-", "", ""]
      : [best.result.version, formatMs(best.medianMs), `± ${percent(mainTiming(best.result)?.ms.spread ?? 0)}`];
  return [
    time.slice(0, 16),
    `${commit?.slice(0, 10) ?? "-"}${dirty ? "*" : ""}`,
    ...times,
    changesText(record, before),
  ];
}

function changesText(record: ResultRecord, before: ResultRecord | undefined): string {
  const changes: string[] = [];
  if (before !== undefined) {
    changes.push(...surroundingsChanges(before, record));
    for (const { version, verdict, beforeMs, afterMs } of compareResults(before, record))
      if (verdict !== "same") changes.push(`${version} ${verdict} by ${percent(Math.abs(afterMs / beforeMs - 1))}`);
  }
  if (throttledBy(record) !== null) changes.push("THROTTLED");
  return changes.join("; ");
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
