/** Places in a program's source, as reports name them. */
import type { SourceLocation } from "./diagnostics.ts";

/** A place in the host program, taken when something happens there and looked up only if a report asks. */
export type Place = () => SourceLocation | null;

/** Headers and kernels that come with Heddle lie here. */
const OWN_SOURCES = "/heddle/";

/** Whether a place is in code that comes with Heddle. */
export function isInOwnSources(location: SourceLocation | null): boolean {
  return location !== null && location.file.startsWith(OWN_SOURCES);
}

/** The place in the user's own files: code from Heddle's headers counts as where it was inlined. */
export function userLocation(location: SourceLocation | null): SourceLocation | null {
  let at = location;
  while (at !== null && isInOwnSources(at) && at.inlinedAt !== undefined) at = at.inlinedAt;
  return at;
}
