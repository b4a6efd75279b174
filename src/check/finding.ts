/** What a checker has found: one entry for each place in the code and kind of fault, however many threads it happened to. */
import type { SourceLocation } from "../base/diagnostics.ts";
import type { Dim3 } from "../base/dim3.ts";
import type { AccessKind } from "./memcheck.ts";
import type { ObjectName } from "./pointer-bounds.ts";

export type FindingKind = "out-of-bounds" | "use-after-free" | "null-pointer" | "not-device-memory" | "unallocated" | "misaligned";

/** Headers that come with Heddle lie here. */
const OWN_HEADERS = "/heddle/";

/** The place in the user's own files: code from our headers counts as where it was inlined. */
export function userLocation(location: SourceLocation | null): SourceLocation | null {
  let at = location;
  while (at !== null && at.file.startsWith(OWN_HEADERS) && at.inlinedAt !== undefined) at = at.inlinedAt;
  return at;
}

export interface Extent { readonly start: number; readonly bytes: number }

export interface Finding {
  readonly checker: "memcheck";
  readonly kind: FindingKind;
  readonly access: AccessKind;
  /** Bytes of the access. */
  readonly bytes: number;
  readonly location: SourceLocation | null;
  /** The function that the access is in, mangled. */
  readonly function: string;
  /** What the pointer was made from. */
  readonly object: ObjectName;
  /** Threads that did it, over all launches. */
  count: number;
  readonly example: {
    readonly address: number;
    readonly block: Dim3;
    readonly thread: Dim3;
    /** The object that the pointer belongs to; null: none. */
    readonly owner: Extent | null;
    /** The other allocation that the access lands in; null: none. */
    readonly landsIn: Extent | null;
  };
  readonly launch: { readonly kernel: string; readonly grid: Dim3; readonly block: Dim3; readonly sharedBytes: number; /** Counts from 1. */ readonly ordinal: number };
}
