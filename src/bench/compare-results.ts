/** Results of the same work, before and after. */
import { shapeText } from "../kernel-library/ladder.ts";
import { mainTiming, type LadderResult, type ResultRecord, type Surroundings, type VersionResult } from "./results.ts";

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
  let verdict: Change["verdict"] = "same";
  if (slower) verdict = "slower";
  else if (faster) verdict = "faster";
  return {
    version: version.version,
    beforeMs: a.ms.median,
    afterMs: b.ms.median,
    verdict,
  };
}
