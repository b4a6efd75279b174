import type { Dim3 } from "../base/dim3.ts";
import type { RecordingLimits } from "./recording.ts";

/** Which block is recorded, and how much of it. Plain data. */
export interface RecordingChoice {
  /** A part of the kernel's name; null: any kernel. */
  readonly kernel: string | null;
  /** Of the launches of such kernels, counted from 1. */
  readonly launch: number;
  readonly block: Dim3;
  readonly limits: Partial<RecordingLimits>;
}

export const FIRST_BLOCK: RecordingChoice = { kernel: null, launch: 1, block: { x: 0, y: 0, z: 0 }, limits: {} };
