/** The kinds of work that the profiler counts. */
import type { CostClass } from "../ir/intrinsics/facts.ts";

/**
 * What a thread executes. Comparisons, selections and logic are integer work (alu), as on the hardware; control:
 * branches, calls and returns.
 */
export type WorkClass =
  | Exclude<CostClass, "none" | "fp64" | "fp16">
  | "fp64-add"
  | "fp64-mul"
  | "fp64-fma"
  | "fp64-other"
  | "fp16-add"
  | "fp16-mul"
  | "fp16-fma"
  | "fp16-other"
  | "control";
