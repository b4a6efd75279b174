/**
 * Work that the host puts on streams, as checkers hear of it: the runtime knows what orders it
 * (runtime/cuda/api-checks/stream-order.ts).
 */
import type { Place } from "../base/source-places.ts";
import type { ObservedLaunch } from "../machine/observer.ts";

/** Says which work a launch is, where nothing else does (Checks.beginWork). */
export interface LaunchedWork {
  /** The work that a launch is; null: that is not known. Called once for each. */
  of(launch: ObservedLaunch): StreamWork | null;
  /** The host has waited for all work. */
  hostWaited(): void;
}

/** A kernel, a copy or a fill that is about to be done. */
export interface StreamWork {
  readonly kind: "kernel" | "transfer";
  /** The stream's handle, and the work's place among all work. */
  readonly stream: number;
  readonly number: number;
  /** A step of a graph: only the graph's edges order it with other steps. */
  readonly isStep: boolean;
  /** "the kernel scale", "the asynchronous copy". */
  readonly what: string;
  /** Where the host program is. */
  readonly place: Place;
  /** Whether this work comes after that one, by the streams' order, events and waits. */
  isBehind(stream: number, number: number): boolean;
  /** Whether the host has waited for that work: all that it submits from now on comes after. */
  isDone(stream: number, number: number): boolean;
}
