/** A hint: a place where a kernel makes the GPU do more than it must, with the cure. */
import type { DeviceProperties } from "../../device/device.ts";
import type { LaunchFacts } from "../launch-facts.ts";
import type { LaunchProfile } from "../launch-profile.ts";
import type { AccessProfile, LineProfile, Metrics } from "../line-profile.ts";
import type { GainModel } from "./gain.ts";

export type HintKind =
  | "uncoalesced"
  | "vector-load"
  | "redundant-loads"
  | "repeated-passes"
  | "separate-kernels"
  | "copy-waits"
  | "cache-misses"
  | "divisions"
  | "local-memory"
  | "bank-conflicts"
  | "constant-addresses"
  | "register-tile"
  | "atomics"
  | "divergence"
  | "double-precision"
  | "tensor-cores"
  | "loads-under-way"
  | "needless-barrier"
  | "small-grid"
  | "tail"
  | "small-blocks"
  | "occupancy";

export interface Hint {
  readonly kind: HintKind;
  /** null: it is about the whole launch. */
  readonly place: { readonly file: string; readonly line: number } | null;
  /** What happens, with figures. */
  readonly what: string;
  /** What to do. */
  readonly cure: string;
  /** The part of the kernel's work of this kind that is not needed, from 0 to 1. */
  readonly waste: number;
  /** How many times faster the kernel may become, by the model of time (docs/profiling.md). */
  readonly gain: number;
  /** Where the docs explain it. */
  readonly link: string;
}

/** Less waste than this is not worth a line. */
export const LEAST_WASTE = 0.1;
/** A warp's requests may need up to this much more than the ideal without a hint. */
export const TOLERATED = 1.25;
/** What comes from the model alone must promise as much. */
export const LEAST_GAIN = 1.2;

/**
 * Waste that the model does not see in the time is told where it is large: the model may be wrong, a counter is not.
 */
const LARGE_WASTE = 0.55;
const LEAST_SEEN = 1.05;

export function isWorthALine({ waste, gain }: Pick<Hint, "waste" | "gain">): boolean {
  return gain >= LEAST_SEEN || waste >= LARGE_WASTE;
}

/** What hints are made from. */
export interface HintInput {
  readonly launch: LaunchProfile & { readonly facts: LaunchFacts };
  readonly metrics: Metrics;
  readonly gpu: DeviceProperties;
  readonly model: GainModel;
}

export type Finding = Omit<Hint, "link">;

/** An access with the line that it stands in. */
export interface PlacedAccess {
  readonly line: LineProfile;
  readonly access: AccessProfile;
}

export function accessesIn(
  { lines }: Pick<LaunchProfile, "lines">,
  accept: (access: AccessProfile) => boolean,
): PlacedAccess[] {
  return lines.flatMap((line) => line.accesses.filter(accept).map((access) => ({ line, access })));
}

export function placeOf({ file, line }: LineProfile): { readonly file: string; readonly line: number } {
  return { file, line };
}

/** " (about 2.4 × faster, by the model)", or "" where the model promises nothing. */
export function gainText({ gain }: Pick<Hint, "gain">): string {
  return gain < LEAST_SEEN ? "" : ` (about ${gain.toFixed(gain < 10 ? 1 : 0)} × faster, by the model)`;
}

export const VERBS: Readonly<Record<AccessProfile["operation"], string>> = {
  load: "loads",
  store: "stores",
  atomic: "atomics",
  reduction: "reductions",
  copy: "asynchronous copies",
};

export function threadMetric(operation: string): string {
  return `smsp__sass_thread_inst_executed_op_${operation}_pred_on.sum`;
}

export function threadsOf(metrics: Metrics, operations: readonly string[]): number {
  return operations.reduce((sum, operation) => sum + (metrics[threadMetric(operation)] ?? 0), 0);
}

export function ratio(a: number, b: number): string {
  const value = a / Math.max(1, b);
  return value.toFixed(value < 10 ? 1 : 0);
}

export function percent(part: number): string {
  return `${Math.round(100 * part)} %`;
}
