/** A race of a ladder's versions, as a table. */
import { mainTiming, type ResultRecord, type VersionResult } from "../../bench/results.ts";
import { shapeText } from "../../kernel-library/ladder.ts";
import { timeText } from "../../report/numbers.ts";

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
}

export interface RaceTable {
  readonly title: string;
  readonly summary: string;
  readonly rows: readonly RaceRow[];
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
      };
    }),
  };
}

function speedText(times: number): string {
  return times < 1.005 ? "fastest" : `${times < 10 ? times.toFixed(2) : times.toFixed(0)} × the fastest's time`;
}

function medianOf(version: VersionResult): number | null {
  return mainTiming(version)?.ms.median ?? null;
}
