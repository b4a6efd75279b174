/** The best times of a ladder's versions that this browser has seen. Plain data, which a browser keeps. */
import type { SourceText } from "./workspace.ts";
import type { RaceTable } from "./race.ts";

export interface Leader {
  readonly ladder: string;
  readonly shape: string;
  readonly gpu: string;
  readonly version: string;
  readonly configuration: string;
  readonly ms: number;
  /** ISO 8601. */
  readonly when: string;
  /** What was timed. */
  readonly file: SourceText;
}

/** Of a ladder at a shape. */
const MOST = 10;

/** @param files those that raced */
export function withRace(
  leaders: readonly Leader[],
  table: RaceTable,
  { files, gpu, when }: { readonly files: readonly SourceText[]; readonly gpu: string; readonly when: string },
): Leader[] {
  const { ladder, shape } = table;
  const isHere = (leader: Leader): boolean => leader.ladder === ladder && leader.shape === shape && leader.gpu === gpu;
  const fresh = table.rows.flatMap(({ version, configuration, medianMs }): Leader[] => {
    const file = files.find(({ path }) => path.replace(/\.(?:cu|py)$/, "") === version);
    if (file === undefined || medianMs === null) return [];
    return [{ ladder, shape, gpu, version, configuration, ms: medianMs, when, file }];
  });
  const all = [...leaders.filter(isHere), ...fresh].sort((a, b) => a.ms - b.ms);
  // The same text is there once, with its best time.
  const best = all.filter(({ file }, i) => all.findIndex((other) => other.file.text === file.text) === i);
  return [...leaders.filter((leader) => !isHere(leader)), ...best.slice(0, MOST)];
}

export function leadersOf(leaders: readonly Leader[], ladder: string, gpu: string): Leader[] {
  return leaders.filter((leader) => leader.ladder === ladder && leader.gpu === gpu);
}

/** From what a browser has kept, which may be anything. */
export function leadersFrom(data: unknown): Leader[] {
  if (!Array.isArray(data)) return [];
  return data.filter((one): one is Leader => {
    if (typeof one !== "object" || one === null) return false;
    const { ladder, shape, gpu, version, configuration, ms, when, file } = one as Record<string, unknown>;
    const texts = [ladder, shape, gpu, version, configuration, when];
    const { path, text } = (file ?? {}) as Record<string, unknown>;
    return [...texts, path, text].every((value) => typeof value === "string") && typeof ms === "number";
  });
}
