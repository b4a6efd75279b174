/** What was compiled of a Triton kernel for arguments of some types and constants. */
import type { LoweredKernel } from "../frontend/triton/lower/lower-kernel.ts";
import type { ProgramRecording } from "../frontend/triton/record-program.ts";
import type { Kernel } from "./kernel.ts";
import type { SpecialisedArgument } from "./triton-arguments.ts";
import type { RecordOptions } from "./triton-recording.ts";

export interface Compiled {
  readonly kernel: Kernel;
  readonly threads: number;
  readonly sharedBytes: number;
  readonly unload: () => void;
}

/** A kernel that was compiled for some arguments. */
export interface ReadyKernel {
  readonly name: string;
  readonly kernel: Kernel;
  readonly sharedBytes: number;
  /** The IR that it was made from, made again, for its own device or for a GPU. */
  readonly lowered: (isForGpu?: boolean) => LoweredKernel;
  /**
   * Runs it on the calling thread, or puts it on the default stream of a device that has a queue.
   * @param limit a launch that takes longer fails
   */
  readonly launch: (grid: readonly number[], limit?: { readonly timeoutMs?: number }) => void;
  /** One program of such a launch, step by step. The device's arrays stay as they are; an emulated device. */
  readonly record: (grid: readonly number[], options: RecordOptions) => ProgramRecording;
}

/** What a launch says of the code, beside its arguments. */
export interface CodeOptions {
  readonly numWarps: number;
  readonly numStages: number;
}

/** Equal for launches that run the same code: only a GPU's has stages. */
export function launchKey(
  specialised: ReadonlyMap<string, SpecialisedArgument>,
  { numWarps, numStages }: CodeOptions,
  isForGpu: boolean,
): string {
  const options = `warps ${numWarps}${isForGpu ? ` stages ${numStages}` : ""}`;
  return [options, ...[...specialised].map(([name, { key }]) => `${name} ${key}`)].join("\n");
}

/** What a launch passes to the compiled kernel. */
export function passedOf(
  specialised: ReadonlyMap<string, SpecialisedArgument>,
): SpecialisedArgument["passed"][number][] {
  return [...specialised.values()].flatMap(({ passed }) => [...passed]);
}
