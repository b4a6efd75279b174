/** What was compiled of a Triton kernel for arguments of some types and constants. */
import type { LoweredKernel } from "../frontend/triton/lower/lower-kernel.ts";
import type { Kernel } from "./kernel.ts";
import type { SpecialisedArgument } from "./triton-arguments.ts";

export interface Compiled {
  readonly kernel: Kernel;
  readonly threads: number;
  readonly sharedBytes: number;
  readonly unload: () => void;
}

/** A kernel that was compiled for some arguments. */
export interface ReadyKernel {
  readonly kernel: Kernel;
  readonly sharedBytes: number;
  /** The IR that it was made from, made again, for its own device or for a GPU. */
  readonly lowered: (isForGpu?: boolean) => LoweredKernel;
  /** Runs it on the calling thread, or puts it on the default stream of a device that has a queue. */
  readonly launch: (grid: readonly number[]) => void;
}

/** Equal for launches that run the same code. */
export function launchKey(specialised: ReadonlyMap<string, SpecialisedArgument>, numWarps: number): string {
  return [`warps ${numWarps}`, ...[...specialised].map(([name, { key }]) => `${name} ${key}`)].join("\n");
}
