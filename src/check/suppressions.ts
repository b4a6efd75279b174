/**
 * Known findings that are not to be reported again: a file of lines
 *
 *     CHECKER KIND [in FUNCTION] [at FILE[:LINE]]   # why
 *
 * `*` stands for any text; FILE also matches as the end of a longer path, at a slash. Lines that begin with `#` are
 * comments.
 */
import { HeddleError } from "../base/diagnostics.ts";
import type { SourceLocation } from "../base/diagnostics.ts";
import type { Finding } from "./finding.ts";

export interface Suppression {
  /** The entry as it stands in the file, without what is behind `#`. */
  readonly text: string;
  /** What stands behind `#`; null: nothing. */
  readonly why: string | null;
  /** Of the file; counts from 1. */
  readonly line: number;
  readonly checker: RegExp;
  readonly kind: RegExp;
  readonly function: RegExp | null;
  readonly file: RegExp | null;
  readonly fileLine: number | null;
}

/** Throws HeddleError bad-arguments. @param path what the file is called in messages. */
export function parseSuppressions(text: string, path: string): Suppression[] {
  const entries: Suppression[] = [];
  for (const [index, whole] of text.split(/\r?\n/).entries()) {
    const [, entry = "", , why] = /^(.*?)(\s#\s*(.*)|#.*)?$/.exec(whole) as RegExpExecArray;
    if (entry.trim() === "") continue;
    const match = /^([\w*-]+)\s+([\w*-]+)(?:\s+in\s+(.+?))?(?:\s+at\s+(.+?)(?::(\d+))?)?$/.exec(entry.trim());
    if (match === null) {
      throw new HeddleError("bad-arguments", `"${entry.trim()}" suppresses nothing`, {
        location: { file: path, line: index + 1, column: 1 },
        notes: [
          "an entry is: CHECKER KIND [in FUNCTION] [at FILE[:LINE]]   # why",
          "for example: memcheck out-of-bounds in shift* at kernels/*.cu:12   # the caller pads the row",
        ],
      });
    }
    const [, checker, kind, fn, file, line] = match as unknown as [
      string,
      string,
      string,
      string | undefined,
      string | undefined,
      string | undefined,
    ];
    entries.push({
      text: entry.trim(),
      why: why === undefined || why === "" ? null : why,
      line: index + 1,
      checker: glob(checker),
      kind: glob(kind),
      function: fn === undefined ? null : glob(fn),
      file: file === undefined ? null : new RegExp(`(^|/)${pattern(file.replace(/^\.\//, ""))}$`),
      fileLine: line === undefined ? null : Number(line),
    });
  }
  return entries;
}

/** What can be suppressed: a finding, or a leak. */
export type Suppressible = Pick<Finding, "checker" | "kind" | "function" | "location">;

/**
 * @returns the entry that takes the finding out; null: none. @param readable a mangled name as a programmer reads it.
 */
export function suppressionOf(
  finding: Suppressible,
  entries: readonly Suppression[],
  readable: (name: string) => string,
): Suppression | null {
  return (
    entries.find(
      (entry) => entry.checker.test(finding.checker) && entry.kind.test(finding.kind) && fits(entry, finding, readable),
    ) ?? null
  );
}

/** The finding's place, or any that its code was inlined into. */
function fits(entry: Suppression, finding: Suppressible, readable: (name: string) => string): boolean {
  if (entry.function === null && entry.file === null) return true;
  const places: (SourceLocation | null)[] = [finding.location];
  for (let outer = finding.location?.inlinedAt; outer !== undefined; outer = outer.inlinedAt) places.push(outer);
  return places.some((place, depth) => {
    const name = place?.functionName ?? (depth === 0 ? finding.function : null);
    if (
      entry.function !== null &&
      (name === null || !namesOf(readable(name)).some((text) => entry.function?.test(text)))
    )
      return false;
    if (entry.file === null) return true;
    return place !== null && entry.file.test(place.file) && (entry.fileLine === null || entry.fileLine === place.line);
  });
}

/** `ns::k<int>(int*)` is also found as `ns::k<int>`, `ns::k` and `k`. */
function namesOf(name: string): string[] {
  const bare = name.replace(/[<(].*$/s, "");
  return [name, name.replace(/\(.*$/s, ""), bare, bare.split("::").at(-1) as string];
}

function pattern(text: string): string {
  return text
    .split("*")
    .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"))
    .join(".*");
}

function glob(text: string): RegExp {
  return new RegExp(`^${pattern(text)}$`);
}
