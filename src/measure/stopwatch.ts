/**
 * Times launches.
 *
 * On a GPU it records events on the default stream, around launches that are queued while the GPU is still busy: first
 * with the preparation, then with a kernel that only waits for as long as the launches take to reach the GPU. (A
 * library's call may take longer than the copies of small inputs.) The processor's time is not counted.
 *
 * On an emulated device it reads this process's clock around launches on the calling thread. The clock is taken when
 * this module loads, so a ladder that replaces `performance` does not change it.
 */
import { fillArray, type CompileFor, type TimedDevice } from "./timed-device.ts";

const now = performance.now.bind(performance);

/**
 * cold: neither the data nor lines that have yet to be written to memory are in the GPU's L2 cache. hot: the cache is
 * as the copies of the inputs left it.
 */
export type CacheState = "cold" | "hot";

export interface Stopwatch {
  /** The states that the device can distinguish. The first is the one that reports show. */
  readonly caches: readonly CacheState[];
  /** Milliseconds that the launches take after `before`. @throws HeddleError "device-fault". */
  time(before: () => void, launches: readonly (() => void)[]): Promise<number>;
  /** Makes the cache cold, after what is queued. Does nothing where `caches` has one state. */
  readonly flush: () => void;
}

/**
 * The cache is flushed by reads. A flush by writes would leave lines that go to memory while the timed launch reads: 50
 * MB of them are a tenth of what a kernel of 500 MB takes.
 */
const SOURCE = `
__global__ void wait(long long cycles) { long long start = clock64(); while (clock64() - start < cycles) ; }
__global__ void readAll(const uint4 *from, unsigned count, unsigned *to) {
  unsigned seen = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    uint4 v = from[i];
    seen |= v.x | v.y | v.z | v.w;
  }
  // Never so: the memory holds zeros.
  if (seen != 0) *to = seen;
}`;
/** A flush reads so many times the size of the cache: GPUs do not document which lines stay longest. */
const FLUSH_CACHES = 4;
const LEAST_FLUSH_BYTES = 1 << 25;

/** How many bytes a flush reads, so that none of the data stays in the cache. */
export const flushBytes = ({ properties }: Pick<TimedDevice, "properties">): number =>
  Math.max(FLUSH_CACHES * properties.l2CacheBytes, LEAST_FLUSH_BYTES);

/** Before it is known how long queueing takes: library calls load code when they are called first. */
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 20;
const SHORTEST_WAIT_MS = 0.02;

/** What a GPU needs kernels for. */
interface StopwatchKernels {
  /** Keeps it busy for so many milliseconds. */
  readonly hold: (ms: number) => void;
  readonly flush: () => void;
}
const NONE: StopwatchKernels = { hold: () => undefined, flush: () => undefined };

export async function openStopwatch<D extends TimedDevice>(device: D, compile: CompileFor<D>): Promise<Stopwatch> {
  if (device.raw.queue === null) return stopwatch(device);
  const program = await compile(SOURCE, { device, path: "stopwatch.cu" });
  const wait = (await program.kernel("wait")).configure({ grid: 1, block: 1 });
  const count = Math.floor(flushBytes(device) / 16);
  const zeros = device.array(4 * count, "uint32");
  fillArray(device, zeros, 0, 4);
  const flush = (await program.kernel("readAll")).prepare(
    { grid: device.properties.multiProcessorCount * 8, block: 256 },
    [zeros, count, zeros],
  );
  return stopwatch(device, { hold: (ms) => wait(BigInt(Math.ceil(ms * device.properties.clockRateKHz))), flush });
}

/** @param kernels of a device with a queue. */
export function stopwatch(device: TimedDevice, { hold, flush }: StopwatchKernels = NONE): Stopwatch {
  const { queue } = device.raw;
  if (queue === null) {
    return {
      caches: ["hot"],
      flush,
      time: async (before, launches) => {
        before();
        const start = now();
        for (const launch of launches) launch();
        return now() - start;
      },
    };
  }
  const [start, end] = [queue.createEvent(), queue.createEvent()];
  let waitMs = FIRST_WAIT_MS;
  return {
    caches: ["cold", "hot"],
    flush,
    time: async (before, launches) => {
      before();
      hold(waitMs);
      queue.record(start, 0);
      const queued = now();
      for (const launch of launches) launch();
      // Half as long again: the time of queueing varies.
      waitMs = Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, 1.5 * (now() - queued)));
      queue.record(end, 0);
      await device.synchronize();
      return queue.elapsedMs(start, end);
    },
  };
}
