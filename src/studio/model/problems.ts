/** What is wrong with a program, for underlines and a list: from the compiler, checkers, profiler, and faults. */
import { demangle } from "../../base/demangle.ts";
import type { SourceLocation } from "../../base/diagnostics.ts";
import type { Dim3 } from "../../base/dim3.ts";
import type { Finding } from "../../check/finding.ts";
import type { RaceDetails } from "../../check/racecheck/race-report.ts";
import type { StreamRaceDetails } from "../../check/racecheck/stream-races.ts";
import type { Hint } from "../../profile/hints/hint.ts";

export interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1; 0: the whole line. */
  readonly column: number;
}

export interface Problem {
  readonly severity: "error" | "warning" | "hint";
  /** Who says it: "compiler", "racecheck", "profiler". */
  readonly source: string;
  /** null: no place in the code. */
  readonly place: Place | null;
  readonly title: string;
  /** Everything else, line by line. */
  readonly details: readonly string[];
  /** Other places that take part: the other access of a race. */
  readonly related: readonly { readonly text: string; readonly place: Place }[];
  /** What race-time.ts can show on a time line. */
  readonly race?: Race;
}

/** The source of its problems. */
export const COMPILER = "compiler";

/** As the editor names it. */
export function fileName(path: string): string {
  return path.replace(/^(?:\.\/|\/work\/)+/, "");
}

function placeOf(location: SourceLocation | null | undefined): Place | null {
  if (location === null || location === undefined || location.line < 1) return null;
  return { file: fileName(location.file), line: location.line, column: location.column };
}

const HEADER = /^(\S.*?):(\d+):(\d+): (fatal error|error|warning|note): (.*)$/;
/** The source line that Clang repeats, and the caret below it: the editor shows both. */
const QUOTE = /^\s*(?:\d+\s*)?\|/;

/** Of Clang's report. */
export function compilerProblems(report: string): Problem[] {
  const problems: { -readonly [K in keyof Problem]: Problem[K] }[] = [];
  // oxlint-disable-next-line no-control-regex
  for (const line of report.replaceAll(/\u001b\[[\d;]*m/g, "").split("\n")) {
    const header = HEADER.exec(line);
    const last = problems.at(-1);
    if (header === null) {
      if (last !== undefined && line.trim() !== "" && !QUOTE.test(line) && !/^\d+ (?:error|warning)/.test(line))
        last.details = [...last.details, line];
      continue;
    }
    const [, file = "", row, column, severity, title = ""] = header;
    const place = { file: fileName(file), line: Number(row), column: Number(column) };
    if (severity === "note" && last !== undefined) last.related = [...last.related, { text: title, place }];
    else
      problems.push({
        severity: severity === "warning" ? "warning" : "error",
        source: COMPILER,
        place,
        title,
        details: [],
        related: [],
      });
  }
  return uniqueProblems(problems);
}

/** The host and the device pass say the same of a line. */
function uniqueProblems(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ title, place }) => {
    const key = JSON.stringify([title, place]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** What a kind of fault is, for those who meet it for the first time. */
const EXPLANATIONS: Readonly<Partial<Record<string, string>>> = {
  racecheck:
    "A race: two threads access the same place in memory, at least one writes, and nothing says who comes first. " +
    "The result depends on chance.",
  memcheck: "A thread accesses memory that is not its program's: a GPU may fail there, or read and write other data.",
  synccheck: "Threads wait for others that never come: what follows may hang, or be wrong.",
  asynccheck: "A copy or a product goes on while the threads do something else: here nobody has waited for it.",
  initcheck: "A thread reads memory that nothing has been written to: the value is left to chance.",
};

export function findingProblem(finding: Finding): Problem {
  const { checker, level, title, message, notes, help, example, count, launch, location } = finding;
  const who = example === null ? [] : [`by ${threadText(example)}${count > 1 ? `, and ${count - 1} more` : ""}`];
  const explanation = EXPLANATIONS[checker];
  const race = raceOf(finding);
  const where = launch === null ? [] : [`in launch ${launch.ordinal} of ${demangle(launch.kernel)}`];
  return {
    severity: level ?? "error",
    source: checker,
    place: placeOf(location),
    title: `${title}: ${message}`,
    details: [
      ...(explanation === undefined ? [] : [explanation]),
      ...who,
      ...notes.map(({ text }) => text),
      ...where,
      `To fix it: ${help}`,
    ],
    related: notes.flatMap(({ text, location: place }) => {
      const found = placeOf(place);
      return found === null ? [] : [{ text, place: found }];
    }),
    ...(race === null ? {} : { race }),
  };
}

function threadText({ block, thread }: NonNullable<Finding["example"]>): string {
  return `thread (${thread.x}, ${thread.y}, ${thread.z}) of block (${block.x}, ${block.y}, ${block.z})`;
}

/** Who races, and where to find the launch. */
export interface Race {
  /** Counts the program's launches from 1. */
  readonly launch: number;
  readonly parties: readonly [RaceParty, RaceParty];
}

export interface RaceParty {
  readonly block: Dim3;
  readonly thread: Dim3;
  readonly place: Place;
}

/** null: no race, or not all is known of the two accesses. */
export function raceOf({ checker, example, location, launch, details }: Finding): Race | null {
  const { other = null } = details as Partial<RaceDetails | StreamRaceDetails>;
  // Of a race between launches, a text: the other launch, and not its threads.
  if (checker !== "racecheck" || launch === null || other === null || typeof other === "string") return null;
  const first = partyOf(other.block, other.thread, other.location);
  const second = partyOf(example?.block ?? null, example?.thread ?? null, location);
  if (first === null || second === null) return null;
  return { launch: launch.ordinal, parties: [first, second] };
}

function partyOf(block: Dim3 | null, thread: Dim3 | null, location: SourceLocation | null): RaceParty | null {
  if (block === null || thread === null || location === null) return null;
  return { block, thread, place: { file: fileName(location.file), line: location.line, column: location.column } };
}

export function hintProblem({ place, what, cure }: Hint): Problem {
  return {
    severity: "hint",
    source: "profiler",
    place: place === null ? null : { file: fileName(place.file), line: place.line, column: 0 },
    title: what,
    details: [`To make it faster: ${cure}`],
    related: [],
  };
}

const FAULT = /^heddle: (kernel .* failed: .*)\n((?: {2}.*\n?)*)/gm;
const AT = /^at (.+?):(\d+)(?::(\d+))?(?:,|$)/;

/** Kernels' faults, from what a program writes to stderr (src/runtime/cuda/fault-report.ts). */
export function faultProblems(stderr: string): Problem[] {
  return [...stderr.matchAll(FAULT)].map(([, title = "", text = ""]) => {
    const details = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
    const at = details.map((line) => AT.exec(line)).find((match) => match !== null);
    return {
      severity: "error",
      source: "kernel",
      place:
        at === undefined || at === null
          ? null
          : { file: fileName(at[1] ?? ""), line: Number(at[2]), column: Number(at[3] ?? 0) },
      title,
      details: details.filter((line) => !AT.test(line)),
      related: details.flatMap((line) => {
        const found = / at (\S+?):(\d+):(\d+)$/.exec(line);
        if (found === null || AT.test(line)) return [];
        const [whole, file = "", row, column] = found;
        const place = { file: fileName(file), line: Number(row), column: Number(column) };
        return [{ text: line.slice(0, -whole.length), place }];
      }),
    } satisfies Problem;
  });
}
