/** A rival of a ladder's versions: what checks and times it needs to know. */
import type { Subject } from "./subject.ts";

export interface OpenRival extends Subject {
  /** Who it is: library or compiler, with version. */
  readonly description: string;
  close(): void | Promise<void>;
}

/** It is not on this machine. */
export interface Absent {
  readonly absent: string;
}
