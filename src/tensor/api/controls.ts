/** What `openTensors()` returns beside operations: choices, recomputation, a record of memory. */
import { memoryOf } from "../device-memory.ts";
import { settings } from "../kernels/settings.ts";
import { MemoryHistory, type MemoryEvent } from "../memory-history.ts";
import { backends, type Backends } from "./backends.ts";
import { checkpoint } from "./checkpoint.ts";
import { Tensors } from "./tensors.ts";
import { time, type Timing, type TimingOptions } from "./timing.ts";

export interface Controls {
  /** Choices as in PyTorch's torch.backends. */
  readonly backends: Backends;
  /** Computes again in `backward` instead of keeping: see `checkpoint`. */
  readonly checkpoint: typeof checkpoint;
  /** From now on every allocation and its end are recorded, with the operation. `false` ends it. */
  recordMemoryHistory(enabled?: boolean): void;
  /** What was recorded since `recordMemoryHistory`, in order; `memoryTrace` of it is a file for a trace viewer. */
  memoryTimeline(): readonly MemoryEvent[];
  /**
   * The same results in each run: sums whose order the hardware would decide are made in another way, on the host where
   * there is no kernel for it.
   */
  useDeterministicAlgorithms(enabled: boolean): void;
  areDeterministicAlgorithmsEnabled(): boolean;
  /**
   * How long `work` takes on the device, by events around each of its runs. Tensors that it makes are given back.
   *
   *     const { medianMs } = await torch.time(() => x.matmul(y), { warmups: 10, runs: 100 });
   *
   * On an emulated device it is the time of the emulation. @throws HeddleError "bad-arguments"
   */
  time(work: () => unknown, options?: TimingOptions): Promise<Timing>;
}

declare module "./tensors.ts" {
  interface Tensors extends Controls {}
}

const controls: Controls = {
  backends,
  checkpoint,
  recordMemoryHistory(this: Tensors, enabled = true) {
    memoryOf(this.device.raw).history = enabled ? new MemoryHistory() : null;
  },
  memoryTimeline(this: Tensors) {
    return memoryOf(this.device.raw).history?.events ?? [];
  },
  useDeterministicAlgorithms(enabled) {
    settings.isDeterministic = enabled;
  },
  areDeterministicAlgorithmsEnabled() {
    return settings.isDeterministic;
  },
  time(this: Tensors, work, options = {}) {
    return time(this, work, options);
  },
};

for (const [name, value] of Object.entries(controls))
  Object.defineProperty(Tensors.prototype, name, { value, configurable: true });
