/** Files that `heddle profile -o FILE` writes: the end of a file's name says what it becomes. */
import { HeddleError } from "../../base/diagnostics.ts";

/** "page": HTML for people. "trace": events over time, for Perfetto and chrome://tracing. */
export type ProfileFormat = "page" | "trace";

export interface ProfileOutput {
  readonly format: ProfileFormat;
  readonly file: string;
}

const FORMATS: Readonly<Record<string, { readonly format: ProfileFormat; readonly meaning: string }>> = {
  ".html": { format: "page", meaning: "the profile as a page" },
  ".json": { format: "trace", meaning: "a trace for Perfetto and chrome://tracing" },
};

/** @throws HeddleError "bad-arguments" for a name with another ending */
export function profileOutput(file: string): ProfileOutput {
  const ending = Object.keys(FORMATS).find((end) => file.endsWith(end) && file !== end);
  if (ending !== undefined) return { format: (FORMATS[ending] as (typeof FORMATS)[string]).format, file };
  throw new HeddleError("bad-arguments", `-o ${file}: the name of a profile's output ends in ${list()}`, {
    notes: [
      ...Object.entries(FORMATS).map(([end, { meaning }]) => `-o FILE${end} writes ${meaning}`),
      "--json=FILE writes the counters as JSON",
    ],
  });
}

function list(): string {
  return Object.keys(FORMATS).join(" or ");
}
