/** What a launch is, for every engine and device. */
import type { Dim3 } from "../base/dim3.ts";
import type { DeviceFault } from "./faults.ts";

export interface LaunchConfig {
  readonly grid: Dim3;
  readonly block: Dim3;
  /** Dynamic shared memory per block, in bytes (the third argument of <<<>>>). */
  readonly sharedBytes: number;
  /** All blocks must be resident at once; grid-wide synchronisation is allowed. */
  readonly cooperative?: boolean;
  /** A launch that takes longer fails. Milliseconds; default: the limit of the device. */
  readonly timeoutMs?: number;
  /** Blocks of a thread block cluster; not on emulated devices. */
  readonly cluster?: Dim3;
  /**
   * The kernel itself waits for the launches before it (PTX: griddepcontrol.wait), so that in a graph it may begin
   * while they end.
   */
  readonly waitsItself?: boolean;
}

/** One kernel parameter's place in the parameter buffer (the layout of the device ABI, natural alignment). */
export interface KernelParam {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  readonly align: number;
  /** "struct" is a byval aggregate. */
  readonly kind: "i8" | "i16" | "i32" | "i64" | "f16" | "bf16" | "f32" | "f64" | "pointer" | "struct";
}

export interface LaunchOutcome {
  /** null: the launch completed. */
  readonly fault: DeviceFault | null;
  /** Device printf output in the order it was made (blocks may interleave). */
  readonly output: string;
  /** true: the result was already there (see launch reuse), nothing ran. */
  readonly reused: boolean;
  readonly elapsedMs: number;
  /** What the grid has launched itself, in the order in which it ran; absent: nothing. */
  readonly children?: readonly ChildLaunch[];
}

/** A launch by a kernel. */
export interface ChildLaunch {
  readonly kernel: string;
  readonly config: LaunchConfig;
  readonly outcome: LaunchOutcome;
}
