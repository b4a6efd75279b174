/** Results as text for a terminal. */
import { counted } from "../base/counted.ts";
import {
  fastest,
  mainTiming,
  type LadderResult,
  type RivalResult,
  type Surroundings,
  type VersionResult,
} from "./results.ts";
import { shapeText } from "../kernel-library/ladder.ts";
import { formatMs, percent } from "../measure/format-times.ts";
import { throttledBy } from "../measure/gpu-clocks.ts";
import type { Comparison } from "./comparison.ts";
import { keyOf } from "../kernel-library/search-space.ts";
import { align } from "./align.ts";
import { profileLines } from "./profile-lines.ts";

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
  const { ladder, summary, shape, versions, rivals, checkedShapes, seed } = result;
  const lines = [
    `${paint(ladder, "bold")}: ${summary}`,
    paint(
      isTimed(result)
        ? `${shapeText(shape)}; a version is timed after it was right at ${counted(checkedShapes, "shape")}; ` +
            `inputs of timed launches: --seed ${seed}`
        : `checked at ${counted(checkedShapes, "shape")}, not timed`,
      "dim",
    ),
    ...tableLines(result, paint),
    ...limitLines(result, paint),
  ];
  const [best, rival] = [fastest(versions), fastest(rivals)];
  if (best !== null && rival !== null) {
    const part = percent(rival.medianMs / best.medianMs);
    lines.push(`${best.result.version} has ${part} of the speed of ${rival.result.rival}, the fastest rival`);
  }
  const named = [
    ...versions.map((version) => ({ name: version.version, ...version })),
    ...rivals.map((other) => ({ name: other.rival, ...other })),
  ];
  for (const { name, verdict, problem } of named)
    if (problem !== null)
      lines.push(
        paint(
          `${name} ${verdict === "failed" ? "failed" : `is ${verdict}`}: ${problem.split("\n").join("\n  ")}`,
          verdictColour(verdict),
        ),
      );
  const profile = profileLines(result, paint);
  return `${[...lines, ...clockLines(result, paint), ...(profile.length > 0 ? ["", ...profile] : [])].join("\n")}\n`;
}

function verdictColour(verdict: string): "dim" | "red" {
  return verdict === "absent" ? "dim" : "red";
}

function isTimed({ versions, rivals }: LadderResult): boolean {
  return [...versions, ...rivals].some(({ timings }) => timings.length > 0);
}

/** A line for each version and rival. */
function tableLines(result: LadderResult, paint: Paint): string[] {
  const { versions, rivals } = result;
  const all = [...versions, ...rivals];
  if (!isTimed(result)) {
    const names = [...versions.map(({ version }) => version), ...rivals.map(({ rival }) => rival)];
    return align(names.map((name, i) => [name, verdictText(all[i]?.verdict ?? "ok")])).map((line, i) =>
      paintedLine(line, all[i]?.verdict ?? "ok", paint),
    );
  }
  const isCold = all.some(({ timings }) => timings.some(({ cache }) => cache === "cold"));
  const header = [
    "version",
    "configuration",
    isCold ? "cold median" : "median",
    "spread",
    ...(isCold ? ["hot median"] : []),
    "rate",
    "of the limit",
    "× before",
    "error / allowed",
  ];
  const gains = gainsOf(versions);
  const rows = [
    ...versions.map((version, i) => {
      const begin = [version.version, keyOf(version.configuration ?? {})] as const;
      return tableRow(result, begin, version, { gain: gains[i] ?? "", isCold });
    }),
    ...rivals.map((rival) => tableRow(result, [rival.rival, rival.description ?? ""], rival, { gain: "", isCold })),
  ];
  const [head = "", ...lines] = align([header, ...rows]);
  return [paint(head, "dim"), ...lines.map((line, i) => paintedLine(line, all[i]?.verdict ?? "ok", paint))];
}

const verdictText = (verdict: string): string => (verdict === "ok" ? "right" : verdict);

function paintedLine(line: string, verdict: string, paint: Paint): string {
  return verdict === "ok" ? line : paint(line, verdictColour(verdict));
}

function tableRow(
  result: LadderResult,
  [name, configuration]: readonly [string, string],
  { verdict, timings, comparison }: VersionResult | RivalResult,
  { gain, isCold }: { readonly gain: string; readonly isCold: boolean },
): string[] {
  const [timing] = timings;
  if (verdict !== "ok" || timing === undefined) return [name, verdictText(verdict)];
  const hot = timings.find(({ cache }) => cache === "hot");
  return [
    name,
    configuration,
    formatMs(timing.ms.median),
    `± ${percent(timing.ms.spread)}`,
    ...(isCold ? [hot === undefined ? "" : formatMs(hot.ms.median)] : []),
    rateOf(result, { timings }),
    percent(timing.limitMs / timing.ms.median),
    gain,
    errorText(comparison),
  ];
}

/** What limits, and the time that no launch can be below. */
function limitLines({ versions, rivals, work }: LadderResult, paint: Paint): string[] {
  const first = [...versions, ...rivals].map(mainTiming).find((timing) => timing !== null) ?? null;
  if (first === null) return [];
  const operations = (work.unit ?? "fp32") === "fp32" ? "multiply-adds" : "matrix instructions or of multiply-adds";
  const what =
    first.limitedBy === "bytes"
      ? `${work.bytes} bytes at the speed of a copy`
      : `${work.operations} operations at the speed of ${operations}`;
  return [
    paint(
      `the limit: ${formatMs(first.limitMs)} for ${what} measured in this run; ` +
        `the physical floor: ${formatMs(first.floorMs)}`,
      "dim",
    ),
  ];
}

/** The clocks of the GPU, and whether they were lowered. */
function clockLines(result: LadderResult, paint: Paint): string[] {
  const clocks = clocksText(result);
  if (clocks === null) return [];
  const throttled = throttledBy(result);
  return [
    throttled === null
      ? paint(`clocks: ${clocks}`, "dim")
      : paint(`clocks: ${clocks}; THROTTLED (${throttled})`, "red"),
  ];
}

/** null: they are not known. */
export function clocksText({ clocks: { before, after } }: Pick<LadderResult, "clocks">): string | null {
  if (after === null) return null;
  return `SM ${before?.smMHz ?? "?"} → ${after.smMHz} MHz, memory ${after.memoryMHz} MHz, ${after.temperatureC} °C`;
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
      : `emulated ${device.name} on ${machine.cores} cores of ${machine.cpu}: ` +
        "times are this machine's and tell nothing about a GPU";
  return commit === null ? place : `${place}; commit ${commit.slice(0, 10)}${dirty ? " with changes" : ""}`;
}
