/** What the versions of a ladder make a GPU do, as text for a terminal. */
import { shapeText } from "../kernel-library/ladder.ts";
import { gainText } from "../profile/hints/hint.ts";
import { align } from "./align.ts";
import {
  notProfiled,
  PROFILE_COLUMNS,
  profileCells,
  profileConditions,
  summarizeProfiles,
  type ProfileSummary,
} from "./profile-summary.ts";
import type { Paint } from "./report-table.ts";
import type { LadderResult } from "./results.ts";

/** So many hints of a version are shown. */
const MOST_HINTS = 2;

/** Empty where nothing was profiled. */
export function profileLines(result: LadderResult, paint: Paint): string[] {
  const { versions } = result;
  const failed = notProfiled(versions).map(({ version, why }) => paint(`${version} is not profiled: ${why}`, "dim"));
  const about = profileConditions(result);
  if (about === null) return failed;
  const summaries = summarizeProfiles(result);
  // Words stand left: the version, and what limits it.
  const rows = summaries.map((summary) => [summary.version, ...leftFirst(profileCells(summary))]);
  const [head = "", ...lines] = align([["version", ...leftFirst([...PROFILE_COLUMNS])], ...rows]);
  const hints = summaries.flatMap((summary) => hintLines(summary, paint));
  return [
    paint(
      `what a GPU does (counted at ${shapeText(about.shape)}, by the rules of an ${about.gpu.name}; ` +
        "times are those of a model):",
      "dim",
    ),
    paint(head, "dim"),
    ...lines,
    ...hints,
    ...failed,
  ];
}

/** The limiter before the time. */
const leftFirst = ([time = "", limiter = "", ...rest]: readonly string[]): string[] => [limiter, time, ...rest];

function hintLines({ version, hints }: ProfileSummary, paint: Paint): string[] {
  if (hints.length === 0) return [`${paint(version, "bold")}: nothing stands out`];
  return hints.slice(0, MOST_HINTS).flatMap((hint) => {
    const { place, what, cure } = hint;
    // The file's name says the version, but for headers that several have.
    const file = place === null ? "" : `${place.file.replace(/^.*[/\\]/, "")}:${place.line}`;
    const where = file.startsWith(`${version}.`) ? file : `${version}: ${file}`.replace(/: $/, "");
    return [`${paint(where, "bold")}: ${what}`, `  ${cure}${gainText(hint)}`];
  });
}
