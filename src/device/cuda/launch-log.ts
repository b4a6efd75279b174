/**
 * Which launches may have caused a fault. A GPU reports that something went wrong, but neither where nor in which
 * launch. All launches since the last complete wait are candidates. With tracing on, the queue waits for every launch,
 * so that the faulting one is known.
 */
import { formatDim3 } from "../../base/dim3.ts";
import type { DeviceFault, FaultKind } from "../../machine/faults.ts";
import type { LaunchConfig } from "../../machine/launch.ts";

/** CUresult of what breaks a context (CUDA Driver API, "Data types used by CUDA driver"). */
const FAULT_KINDS: Readonly<Record<number, readonly [FaultKind, string]>> = {
  700: ["illegal-address", "an illegal memory access was encountered"],
  702: ["timeout", "the launch timed out and was terminated"],
  710: ["assert", "an assertion failed"],
  714: ["stack-overflow", "the stack of a thread was exceeded"],
  715: ["illegal-instruction", "an illegal instruction was encountered"],
  716: ["misaligned-address", "a misaligned address was accessed"],
  717: ["illegal-address", "an instruction was given an address of the wrong kind of memory"],
  718: ["illegal-instruction", "a jump went outside of the code"],
  719: ["trap", "the kernel was ended by a trap, or failed in a way that the GPU does not report"],
};

/** The log holds the last launches only, this many. */
const CAPACITY = 256;

export function isFaultStatus(status: number): boolean {
  return FAULT_KINDS[status] !== undefined;
}

export class LaunchLog {
  readonly #kernels: ({ readonly name: string } | null)[] = Array.from({ length: CAPACITY }, () => null);
  readonly #configs: (LaunchConfig | null)[] = Array.from({ length: CAPACITY }, () => null);
  #count = 0;
  /** Launches before the first that is pending. */
  #settled = 0;

  /** Launches that were made so far. */
  get count(): number {
    return this.#count;
  }

  get pending(): number {
    return this.#count - this.#settled;
  }

  add(kernel: { readonly name: string }, config: LaunchConfig): void {
    const at = this.#count++ & (CAPACITY - 1);
    this.#kernels[at] = kernel;
    this.#configs[at] = config;
  }

  /** All launches so far have ended. */
  settle(): void {
    this.#settled = this.#count;
  }

  /** @param status a CUresult for which isFaultStatus holds. @param traced the queue waited for every launch. */
  fault(status: number, traced: boolean): DeviceFault {
    const [kind, message] = FAULT_KINDS[status] as readonly [FaultKind, string];
    return this.#describe(kind, message, traced);
  }

  timeout(milliseconds: number): DeviceFault {
    return this.#describe("timeout", `the kernel did not end within ${milliseconds} ms`, false);
  }

  #describe(kind: FaultKind, message: string, traced: boolean): DeviceFault {
    const first = Math.max(this.#settled, this.#count - CAPACITY);
    const launches: { kernel: { readonly name: string }; config: LaunchConfig; number: number }[] = [];
    for (let i = first; i < this.#count; i++)
      launches.push({
        kernel: this.#kernels[i & (CAPACITY - 1)] as { readonly name: string },
        config: this.#configs[i & (CAPACITY - 1)] as LaunchConfig,
        number: i + 1,
      });
    const last = launches.at(-1);
    const written = ({ kernel, config, number }: (typeof launches)[number]): string => {
      const { grid, block, sharedBytes } = config;
      const shared = sharedBytes > 0 ? `, ${sharedBytes}` : "";
      return `launch ${number}: ${kernel.name}<<<${formatDim3(grid)}, ${formatDim3(block)}${shared}>>>`;
    };
    const notes: string[] = [];
    if (launches.length === 1 || traced) {
      if (last !== undefined) notes.push(written(last));
    } else if (launches.length > 1) {
      const shown = launches.slice(-4).map(written);
      notes.push(
        `one of the ${this.#count - this.#settled} launches since the last complete wait; the latest are`,
        ...shown.map((line) => `  ${line}`),
        "HEDDLE_TRACE=1 waits for each launch, so that the report names the one that failed",
      );
    }
    notes.push(
      "the driver lets this process use the GPU no more; what is in the host's memory is as it was",
      "on the emulated device (without --device cuda) the report names thread, source line and address",
    );
    return { kind, kernel: last?.kernel.name ?? "", block: null, thread: null, location: null, message, notes };
  }
}
