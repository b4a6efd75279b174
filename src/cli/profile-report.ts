/** What `heddle profile` prints when the program has ended. */
import { readFileSync } from "node:fs";
import { demangle } from "../base/demangle.ts";
import { bug, HeddleError } from "../base/diagnostics.ts";
import { sourceLines } from "../library/source-lines-node.ts";
import { parseBaseline, type ComparableProfile } from "../profile/compare/baseline.ts";
import { compareProfiles, type ProfileComparison } from "../profile/compare/compare-profiles.ts";
import { compareWithNcu } from "../profile/compare/compare-ncu.ts";
import { parseNcuCsv, type NcuLaunch } from "../profile/compare/ncu-csv.ts";
import { ncuText } from "../profile/compare/ncu-text.ts";
import { comparisonText } from "../profile/compare/comparison-text.ts";
import type { ProfileReport } from "../profile/profile-report.ts";
import { profilePage } from "../profile/profile-page.ts";
import { profileText } from "../profile/profile-text.ts";
import { measuredText } from "../profile/timeline/measured-text.ts";
import { operationTable } from "../profile/timeline/operation-table.ts";
import { scopeOf, type Timeline } from "../profile/timeline/timeline.ts";
import { chromeTrace } from "../profile/timeline/chrome-trace.ts";
import type { ProgramExit } from "../session/events.ts";
import type { RunOptions } from "./options/run-options.ts";
import { useColor } from "./terminal.ts";
import { writeOutput } from "./write-output.ts";

/** The parts of a program's end that a profile has. */
type Profiled = Pick<ProgramExit, "profiled" | "measured" | "timeline">;

/** Prints the summary, with `lines` the annotated source, and writes the files that `-o` names. */
export function reportProfile(
  { profiled: report, measured, timeline }: Profiled,
  { json, lines, outputs, baseline, ncu }: RunOptions,
  title: string,
): void {
  const [readable, linesOf] = [demangle, sourceLines];
  if (json === null && report !== null)
    process.stderr.write(profileText(report, { readable, color: useColor(process.stderr), lines, linesOf }));
  if (json === null && report !== null && baseline !== null) {
    const comparison = compareWith(baseline, report);
    process.stderr.write(`\n${comparisonText(comparison, { baseline, color: useColor(process.stderr) })}`);
  }
  if (json === null && report !== null && ncu !== null) {
    const beside = compareWithNcu(named(report.launches), readNcu(ncu));
    process.stderr.write(`\n${ncuText(beside, { file: ncu, color: useColor(process.stderr) })}`);
  }
  if (json === null && measured !== null) {
    process.stderr.write(measuredText(measured, { readable, color: useColor(process.stderr) }));
    if (timeline !== null && timeline.ranges.length > 0)
      process.stderr.write(`\n${operationTable(timeline, { by: "scope" }, readable)}`);
  }
  for (const { format, file } of outputs) {
    if (format === "page" && report !== null) {
      writeOutput(file, profilePage(report, { title, readable, linesOf }), "-o");
      process.stderr.write(`heddle: ${file} has the profile as a page\n`);
    }
    if (format === "trace" && timeline !== null) {
      const trace = chromeTrace(timeline, { readable, report, program: title });
      writeOutput(file, `${JSON.stringify(trace)}\n`, "-o");
      process.stderr.write(`heddle: ${file} has the trace: open it in https://ui.perfetto.dev or chrome://tracing\n`);
    }
  }
}

/** `heddle profile --json`: the launches, each kernel with its readable name, too. */
export function profileJson(
  { profiled, measured, timeline }: Profiled,
  { baseline, ncu }: Pick<RunOptions, "baseline" | "ncu">,
): object {
  if (measured !== null) {
    const { kernels, ...rest } = measured;
    return { ...rest, kernels: kernels.map((kernel) => ({ ...kernel, name: demangle(kernel.kernel) })) };
  }
  const { gpu, launches, notRecorded } = profiled ?? bug("a profile without counters");
  const scopes = scopesOf(timeline);
  return {
    gpu,
    launches: launches.map((launch, index) => ({
      ...launch,
      name: demangle(launch.kernel),
      scope: scopes.get(index) ?? [],
      lines: launch.lines.map(withText),
    })),
    notRecorded,
    ...(profiled === null || baseline === null ? {} : { comparison: { baseline, ...compareWith(baseline, profiled) } }),
    ...(ncu === null ? {} : { ncu: { file: ncu, ...compareWithNcu(named(launches), readNcu(ncu)) } }),
  };
}

/** By the place of a launch: the names of the ranges that it was made in. */
function scopesOf(timeline: Timeline | null): Map<number, string[]> {
  return new Map(
    (timeline?.operations ?? []).flatMap(({ launch, range }) =>
      timeline === null || launch === null || launch.index === null ? [] : [[launch.index, scopeOf(timeline, range)]],
    ),
  );
}

/** @throws HeddleError "file-not-found", "bad-arguments" for what is no profile */
export function readBaseline(file: string): ComparableProfile {
  return parseBaseline(readText(file, "--baseline"), file);
}

/** @throws HeddleError "file-not-found", "bad-arguments" for what has no counters of ncu */
export function readNcu(file: string): NcuLaunch[] {
  return parseNcuCsv(readText(file, "--ncu"), file);
}

function readText(file: string, option: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new HeddleError("file-not-found", `${file} (${option}) cannot be read: ${(error as Error).message}`);
  }
}

function named<L extends { readonly kernel: string }>(launches: readonly L[]): (L & { readonly name: string })[] {
  return launches.map((launch) => ({ ...launch, name: demangle(launch.kernel) }));
}

function compareWith(file: string, { gpu, launches }: ProfileReport): ProfileComparison {
  return compareProfiles(readBaseline(file), {
    gpu,
    launches: named(launches).map((launch) => ({ ...launch, lines: launch.lines.map(withText) })),
  });
}

function withText<L extends { readonly file: string; readonly line: number }>(line: L): L & { text: string | null } {
  return { ...line, text: sourceLines(line.file)?.[line.line - 1]?.trim() ?? null };
}
