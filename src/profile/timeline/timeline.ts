/**
 * What a program did over time: work of its devices, calls that the host waited in, and the ranges that the program
 * names itself. Plain data. Times are milliseconds since the recording began.
 */
import type { Dim3 } from "../../base/dim3.ts";

/** Where the times of the devices' work come from. */
export type TimeSource =
  /** The emulated device: they say nothing of a GPU. */
  | "emulation"
  /** Events of the GPU, in front of the work and behind it. */
  | "gpu-events";

/** "graph": launches that were recorded, and run as one. */
export type OperationKind = "kernel" | "copy" | "fill" | "graph" | "host function";

/** What a launch asked for, and what its kernel takes. */
export interface TimelineLaunch {
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly dynamicSharedBytes: number;
  readonly staticSharedBytes: number;
  readonly localBytesPerThread: number;
  /** Of a thread, from the driver; null on an emulated device. */
  readonly registersPerThread: number | null;
  /** Its place in the launches of the profile; null where it has none. */
  readonly index: number | null;
}

/** Work that was put on a stream of a device. */
export interface TimelineOperation {
  readonly kind: OperationKind;
  /** Of a kernel its mangled name; else what it is: "copy, host to device". */
  readonly name: string;
  readonly device: number;
  /** The program's handle. */
  readonly stream: number;
  readonly startMs: number;
  readonly durationMs: number;
  /** The innermost range that was open when the program asked for the work: its place in `ranges`. */
  readonly range: number | null;
  /** Moved or filled; null for other work. */
  readonly bytes: number | null;
  /** null: no kernel, or one that a library of the GPU's launches. */
  readonly launch: TimelineLaunch | null;
  /** The call that asked for it: its `id`; null where none did. */
  readonly call: number | null;
}

/** A call of the CUDA API. */
export interface TimelineCall {
  readonly id: number;
  readonly name: string;
  readonly startMs: number;
  readonly durationMs: number;
  /** The cudaError_t that it returned. */
  readonly error: number;
}

/** What a program says of a range or a mark besides its name. */
export interface Annotation {
  readonly name: string;
  /** null: the default domain. */
  readonly domain: string | null;
  readonly category: string | null;
  /** 0xAARRGGBB */
  readonly color: number | null;
  readonly payload: string | null;
}

export interface TimelineRange extends Annotation {
  /** "nested": pushed and popped. "free": started and ended, in any order. */
  readonly kind: "nested" | "free";
  /** The nested range of any domain that was open when it began: its place in `ranges`. */
  readonly parent: number | null;
  readonly startMs: number;
  readonly durationMs: number;
  /** The program did not end it. */
  readonly isOpen: boolean;
}

export interface TimelineMark extends Annotation {
  readonly atMs: number;
}

export interface TimelineStream {
  readonly device: number;
  readonly stream: number;
  readonly name: string;
}

export interface TimelineDevice {
  readonly ordinal: number;
  readonly name: string;
}

export interface Timeline {
  readonly timeSource: TimeSource;
  readonly devices: readonly TimelineDevice[];
  /** Those that had work, in the order of their first work. */
  readonly streams: readonly TimelineStream[];
  /** The name that the program gave its thread, or null. */
  readonly thread: string | null;
  readonly operations: readonly TimelineOperation[];
  readonly calls: readonly TimelineCall[];
  /** In the order of their beginnings. */
  readonly ranges: readonly TimelineRange[];
  readonly marks: readonly TimelineMark[];
  readonly durationMs: number;
  /** Operations, calls, ranges and marks that came after `MOST_EVENTS` of their kind. */
  readonly notRecorded: number;
  /** Work whose time is unknown, since the device stopped after a fault. It is not among the operations. */
  readonly untimed: number;
}

/** The category of ranges that are calls of operations of tensors: their payload has the shapes. */
export const TENSOR_OPERATION = "tensor operation";

/** The names of the ranges that enclose `range`, itself last, without operations of tensors. */
export function scopeOf({ ranges }: Pick<Timeline, "ranges">, range: number | null): string[] {
  const names: string[] = [];
  for (let at = range; at !== null; at = (ranges[at] as TimelineRange).parent) {
    const { name, category } = ranges[at] as TimelineRange;
    if (category !== TENSOR_OPERATION) names.unshift(name);
  }
  return names;
}

/** The operation of tensors that `range` is, or lies in; null: none. */
export function tensorOperationOf(
  { ranges }: Pick<Timeline, "ranges">,
  range: number | null,
): { readonly name: string; readonly shapes: string } | null {
  for (let at = range; at !== null; at = (ranges[at] as TimelineRange).parent) {
    const { name, category, payload } = ranges[at] as TimelineRange;
    if (category === TENSOR_OPERATION) return { name, shapes: payload ?? "" };
  }
  return null;
}
