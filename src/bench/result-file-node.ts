/** The file of results: a line of JSON each, only ever added to. */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { HeddleError } from "../base/diagnostics.ts";
import {
  mainTiming,
  shapeText,
  type LadderResult,
  type ResultRecord,
  type Surroundings,
  type VersionResult,
} from "./results.ts";

/** Below the working directory. */
export const RESULT_FILE = ".heddle/bench.jsonl";

export function appendResult(file: string, record: ResultRecord): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

/** All results, oldest first; none where there is no file. @throws HeddleError "io-error" for a line that is none. */
export function readResults(file: string): ResultRecord[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return text.split("\n").flatMap((line, i) => {
    if (line === "") return [];
    try {
      // Lines of before there were rivals have none.
      const record = JSON.parse(line) as Omit<ResultRecord, "rivals"> & Partial<ResultRecord>;
      return [{ ...record, rivals: record.rivals ?? [] }];
    } catch {
      throw new HeddleError("io-error", `${file}:${i + 1} is no result`, {
        notes: ["a line of the file was changed or cut off; remove it"],
      });
    }
  });
}

/** Whether two results are of the same work on the same device. */
export function isComparable(
  a: Pick<ResultRecord, "ladder" | "shape" | "surroundings">,
  b: Pick<ResultRecord, "ladder" | "shape" | "surroundings">,
): boolean {
  const place = ({ machine, device }: Surroundings): string => JSON.stringify([machine.host, device.kind, device.name]);
  return (
    a.ladder === b.ladder &&
    shapeText(a.shape) === shapeText(b.shape) &&
    place(a.surroundings) === place(b.surroundings)
  );
}

export interface Change {
  readonly version: string;
  readonly beforeMs: number;
  readonly afterMs: number;
  /**
   * Beyond what both spreads explain: the intervals of the medians are apart, and the medians further than both spreads
   * together.
   */
  readonly verdict: "faster" | "slower" | "same";
}

/** Each version that both have, compared. */
export function compareResults(before: LadderResult, after: LadderResult): Change[] {
  return after.versions.flatMap((version) => {
    const old = before.versions.find((candidate) => candidate.version === version.version);
    const change = old === undefined ? null : compareVersions(old, version);
    return change === null ? [] : [change];
  });
}

function compareVersions(old: VersionResult, version: VersionResult): Change | null {
  const [a, b] = [mainTiming(old), mainTiming(version)];
  if (a === null || b === null || a.cache !== b.cache) return null;
  const spread = (a.ms.spread + b.ms.spread) * a.ms.median;
  const slower = b.ms.low > a.ms.high && b.ms.median - a.ms.median > spread;
  const faster = b.ms.high < a.ms.low && a.ms.median - b.ms.median > spread;
  return {
    version: version.version,
    beforeMs: a.ms.median,
    afterMs: b.ms.median,
    verdict: slower ? "slower" : faster ? "faster" : "same",
  };
}
