/** Findings about calls of libraries that their status calls wrong, whether or not the program looks at it. */
import type { FindingDraft } from "../../../check/finding.ts";
import { libraryOfSymbol } from "../../../libraries/libraries.ts";

/** What a status of this name says, and what cures it. The first that fits. */
const MEANINGS: readonly (readonly [name: RegExp, kind: string, title: string, help: string])[] = [
  [
    /NOT_INITIALIZED|INVALID_PLAN|INVALID_PROGRAM/,
    "library-handle",
    "a library's handle that does not exist",
    "create the handle or plan before it is used, check that that succeeded, and destroy it after its last use",
  ],
  [
    /WORKSPACE|INSUFFICIENT/,
    "library-workspace",
    "a library's work memory is too small",
    "ask the library how much it needs for these arguments, and give that much",
  ],
  [
    /RemoteError/,
    "library-rank",
    "a rank waits for one that does not come",
    "let all ranks of a communicator make the same calls, in one order, and none end before",
  ],
  [
    /./,
    "library-argument",
    "a wrong argument for a library",
    "compare sizes, leading dimensions, types, descriptors and handles with what the library's documentation asks for",
  ],
];

/** @returns null: the status is a result, such as a matrix that is singular */
export function libraryMisuse(name: string, status: number): FindingDraft | null {
  const library = libraryOfSymbol(name);
  const statusName = library?.wrongCalls[status];
  if (library === null || statusName === undefined) return null;
  const [, kind, title, help] = MEANINGS.find(([pattern]) => pattern.test(statusName)) as (typeof MEANINGS)[number];
  return {
    kind,
    title,
    message: `${name} returns ${statusName}`,
    notes: [{ text: `the call of ${library.title} does nothing` }],
    help,
    details: { call: name, status: statusName },
  };
}

/** A call of a library that waits for the device, or does something else that a stream refuses while it is captured. */
export function libraryInCapture(name: string, refused: string): FindingDraft {
  return {
    kind: "library-capture",
    title: "a library's call inside of a capture",
    message: `${name} calls ${refused}, and the capture of the stream refuses that`,
    notes: [{ text: "the capture is invalid from here on" }],
    help: "make this call before the capture begins, or ask for its result in device memory",
    details: { call: name, refused },
  };
}
