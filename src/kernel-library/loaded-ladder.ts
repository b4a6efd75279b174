/** A ladder with its versions, as it was found on disk or handed over. */
import type { Ladder, VersionDeclaration } from "./ladder.ts";

/** A version of a ladder, as it lies on disk. */
export interface LadderVersion {
  readonly name: string;
  readonly path: string;
  readonly idea: string;
  /** SHA-256 of the source and what it includes. */
  readonly hash: string;
  readonly declaration: VersionDeclaration<Record<string, number>>;
}

export interface LoadedLadder {
  readonly name: string;
  readonly ladder: Ladder;
  readonly versions: readonly LadderVersion[];
}
