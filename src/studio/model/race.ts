/** A race of a ladder's versions, as a table. */
import { mainTiming, type ResultRecord, type VersionResult } from "../../bench/results.ts";
import type { Trial } from "../../bench/results.ts";
import { shapeText, type Configuration } from "../../kernel-library/ladder.ts";
import { timeText } from "../../report/numbers.ts";
import { compilerProblems, type Problem } from "./problems.ts";

export interface RaceRow {
  readonly version: string;
  readonly idea: string;
  readonly isRight: boolean;
  /** Why it is not right; else null. */
  readonly problem: string | null;
  readonly time: string;
  /** Of the fastest version's speed, from 0 to 1; 0: not timed. */
  readonly speed: number;
  readonly speedText: string;
  readonly medianMs: number | null;
  /** The parameters that it was timed with; empty: it has none. */
  readonly configuration: string;
  /** Times by parameter, of a sweep; null: nothing was tried. */
  readonly heatMap: HeatMap | null;
}

/** Each cell is the best time with these two parameters; of one parameter there is one row. */
export interface HeatMap {
  readonly columnName: string;
  readonly columns: readonly number[];
  /** "" of one parameter. */
  readonly rowName: string;
  readonly rows: readonly { readonly label: string; readonly cells: readonly HeatCell[] }[];
}

export interface HeatCell {
  readonly text: string;
  /** Of the best time's speed, from 0 to 1; null: not tried, or it cannot be used. */
  readonly speed: number | null;
  readonly title: string;
}

export interface RaceTable {
  readonly title: string;
  readonly summary: string;
  readonly rows: readonly RaceRow[];
  readonly ladder: string;
  readonly shape: string;
}

export interface RaceState {
  /** From 0 to 1; null: it does not run. */
  readonly part: number | null;
  readonly what: string;
  readonly tables: readonly RaceTable[];
}

export const NO_RACE: RaceState = { part: null, what: "", tables: [] };

export function raceTable({ ladder, summary, shape, versions }: ResultRecord): RaceTable {
  const times = versions.flatMap((version) => (version.verdict === "ok" ? [medianOf(version)] : []));
  const best = Math.min(...times.filter((ms) => ms !== null));
  return {
    title: `${ladder}, ${shapeText(shape)}`,
    ladder,
    shape: shapeText(shape),
    summary,
    rows: versions.map((version) => {
      const { version: name, idea, verdict, problem } = version;
      const ms = medianOf(version);
      const isTimed = ms !== null && verdict === "ok";
      return {
        version: name,
        idea,
        isRight: verdict === "ok",
        problem,
        time: isTimed ? timeText(ms * 1000) : "",
        speed: isTimed ? best / ms : 0,
        speedText: isTimed ? speedText(ms / best) : verdict,
        medianMs: isTimed ? ms : null,
        configuration: configurationText(version.configuration ?? {}),
        heatMap: heatMapOf(version.trials),
      };
    }),
  };
}

/** What the compiler says of versions that did not compile. */
export function raceProblems({ ladder, versions }: ResultRecord): Problem[] {
  return versions.flatMap(({ problem, verdict }) => {
    if (problem === null || verdict !== "failed") return [];
    return compilerProblems(problem.replaceAll(`${ladder}/`, ""));
  });
}

function speedText(times: number): string {
  return times < 1.005 ? "fastest" : `${times < 10 ? times.toFixed(2) : times.toFixed(0)} × the fastest's time`;
}

function medianOf(version: VersionResult): number | null {
  return mainTiming(version)?.ms.median ?? null;
}

function configurationText(configuration: Configuration): string {
  return Object.entries(configuration)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}

/** Of the two parameters that have most values; null: there is nothing to compare. */
export function heatMapOf(trials: readonly Trial[]): HeatMap | null {
  const values = new Map<string, Set<number>>();
  for (const { configuration } of trials)
    for (const [name, value] of Object.entries(configuration)) {
      const known = values.get(name) ?? new Set();
      values.set(name, known.add(Number(value)));
    }
  const names = [...values].filter(([, all]) => all.size > 1).sort((a, b) => b[1].size - a[1].size);
  const [column, row] = names;
  if (column === undefined) return null;
  const sorted = (all: ReadonlySet<number>): number[] => [...all].sort((a, b) => a - b);
  const columns = sorted(column[1]);
  const best = Math.min(...trials.flatMap(({ medianMs }) => (medianMs === null ? [] : [medianMs])));
  const cell = (at: Readonly<Record<string, number>>): HeatCell => {
    const own = trials.filter(({ configuration }) =>
      Object.entries(at).every(([name, value]) => Number(configuration[name]) === value),
    );
    const timed = own.flatMap((trial) => (trial.medianMs === null ? [] : [{ ...trial, ms: trial.medianMs }]));
    const [fastest] = timed.sort((a, b) => a.ms - b.ms);
    if (fastest === undefined)
      return { text: own.length === 0 ? "" : "–", speed: null, title: own[0]?.problem ?? "not tried" };
    const text = timeText(fastest.ms * 1000);
    return { text, speed: best / fastest.ms, title: `${configurationText(fastest.configuration)}: ${text}` };
  };
  const rowOf = (label: string, at: Readonly<Record<string, number>>): HeatMap["rows"][number] => ({
    label,
    cells: columns.map((value) => cell({ ...at, [column[0]]: value })),
  });
  return {
    columnName: column[0],
    columns,
    rowName: row?.[0] ?? "",
    rows:
      row === undefined ? [rowOf("", {})] : sorted(row[1]).map((value) => rowOf(String(value), { [row[0]]: value })),
  };
}
