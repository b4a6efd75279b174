/** What a queue asks of the device that it belongs to. */
import type { DeviceFault } from "../../machine/faults.ts";
import type { DeviceObserver } from "../../machine/observer.ts";
import type { StreamId } from "../device.ts";
import type { GpuContext } from "./context.ts";
import type { CudaKernel } from "./cuda-kernel.ts";

export interface QueueSurroundings {
  readonly context: GpuContext;
  /** A launch that takes longer counts as a fault. null: no limit. */
  readonly timeoutMs: number | null;
  /** The queue waits for every launch, so that a fault is attributed to its launch. */
  readonly trace: boolean;
  /** Prepares what the kernel needs on the device: heap, printf buffer. */
  readonly beforeLaunch: (kernel: CudaKernel) => void;
  /**
   * A tool that receives launch events. The queue then waits for each launch and times it. Launches of graphs are not
   * reported.
   */
  readonly observer: DeviceObserver | null;
  /** The driver's address of a range of program memory. Throws if the range is not inside one allocation. */
  readonly range: (pointer: number, bytes: number, verb: string) => number;
  /** Called after an operation that writes to this range of program memory has been put on the stream. */
  readonly written: (pointer: number, bytes: number, stream: StreamId) => void;
  readonly drainPrintf: () => string;
  readonly onFault: (fault: DeviceFault) => void;
}
