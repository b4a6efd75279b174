/** Graphs of tensor operations: what they launch is recorded once, and launched as one from then on. */
import { HeddleError } from "../../base/diagnostics.ts";
import { checkOptions } from "../../base/options.ts";
import type { NumericArray } from "../../base/dtypes.ts";
import type { DeviceQueue, EventId, GraphId, StreamId } from "../../device/device.ts";
import { memoryOf, MemoryPool } from "../device-memory.ts";
import { elementBytes } from "../dtypes.ts";
import { noteIndices, prepareIndices } from "../kernels/index-errors.ts";
import { launchUpload } from "../kernels/fused/upload.ts";
import type { Branches, TensorDevice } from "../kernels/tensor-device.ts";
import { record, unrecorded } from "../../library/recording.ts";
import { settleAll } from "../storage.ts";
import type { Tensor } from "../tensor.ts";

export interface TensorGraphOptions {
  /** How often `body` runs before it is recorded; default 1. */
  readonly warmUps?: number;
}

/** Recorded operations. Tensors that they made keep their memory: each launch computes them anew. */
export class TensorGraph<T> {
  /** What `body` returned: tensors in it have values after the first launch. */
  readonly result: T;
  readonly #launch: () => void;
  readonly #close: () => void;
  #isClosed = false;

  /** @internal Use `torch.graph`. */
  constructor(result: T, launch: () => void, close: () => void) {
    this.result = result;
    this.#launch = launch;
    this.#close = close;
  }

  launch(): void {
    if (this.#isClosed) throw new HeddleError("bad-arguments", "the graph was closed");
    this.#launch();
  }

  /** Gives back the graph and its memory. */
  close(): void {
    if (!this.#isClosed) this.#close();
    this.#isClosed = true;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Parts of a graph that run beside what is recorded behind them, up to the graph's end. */
class GraphBranches implements Branches {
  readonly #device: TensorDevice;
  readonly #queue: DeviceQueue;
  readonly #streams: StreamId[] = [];
  readonly #events: EventId[] = [];
  /** Where each branch ends. */
  readonly #ends: EventId[] = [];
  isInside = false;

  constructor(device: TensorDevice, queue: DeviceQueue) {
    this.#device = device;
    this.#queue = queue;
  }

  run(work: () => void): void {
    const { stream } = this.#device;
    const queue = this.#queue;
    const own = queue.createStream();
    this.#streams.push(own);
    queue.waitFor(this.#reached(stream), own);
    this.#device.stream = own;
    this.isInside = true;
    try {
      // Memory that the branch gives back is in use until the graph's end.
      memoryOf(this.#device.raw).keeping(work);
    } finally {
      this.isInside = false;
      this.#device.stream = stream;
    }
    this.#ends.push(this.#reached(own));
  }

  #reached(stream: StreamId): EventId {
    const event = this.#queue.createEvent({ timed: false });
    this.#events.push(event);
    this.#queue.record(event, stream);
    return event;
  }

  /** The end of the graph waits for all branches. */
  join(): void {
    for (const end of this.#ends) this.#queue.waitFor(end, this.#device.stream);
    this.#ends.length = 0;
  }

  close(): void {
    for (const event of this.#events) this.#queue.destroyEvent(event);
    for (const stream of this.#streams) this.#queue.destroyStream(stream);
  }
}

/** Puts `work` beside what follows in a graph that is recorded; without one, it is done as usual. */
export function beside(device: TensorDevice, work: () => void): void {
  const { branches } = device;
  if (branches === null || branches.isInside) work();
  else branches.run(work);
}

export function recordGraph<T>(device: TensorDevice, body: () => T, options: TensorGraphOptions): TensorGraph<T> {
  checkOptions<TensorGraphOptions>(
    "graph",
    options,
    { warmUps: true },
    { example: "torch.graph(step, { warmUps: 2 })" },
  );
  const { warmUps = 1 } = options;
  for (let i = 0; i < warmUps; i++) body();
  settleAll(device.raw);
  const { raw } = device;
  const { queue } = raw;
  const memory = memoryOf(raw);
  const pool = new MemoryPool();
  const close = (): void => memory.closePool(pool);
  let result: T | undefined;
  const work = (): void =>
    memory.inPool(pool, () => {
      result = body();
      // What nobody has looked at so far is a part of the graph, too.
      settleAll(raw);
    });
  const isNoting = prepareIndices(device);
  const noting = (launch: () => void): (() => void) =>
    isNoting()
      ? () => {
          noteIndices(device);
          launch();
        }
      : launch;
  try {
    if (queue === null) {
      const launch = device.recordLaunches(work);
      return new TensorGraph(result as T, noting(launch), close);
    }
    // The default stream cannot be recorded. This one waits for it, and it for this one.
    const stream = queue.createStream();
    const before = device.stream;
    let graph: GraphId;
    device.stream = stream;
    const branches = new GraphBranches(device, queue);
    device.branches = branches;
    try {
      queue.beginCapture(stream);
      try {
        unrecorded(work);
      } catch (error) {
        branches.join();
        queue.destroyGraph(queue.endCapture(stream));
        throw error;
      }
      branches.join();
      graph = queue.endCapture(stream);
    } finally {
      device.branches = null;
      device.stream = before;
      queue.destroyStream(stream);
      branches.close();
    }
    return new TensorGraph(
      result as T,
      noting(() => record(raw, { graphOn: device.stream }, () => queue.launchGraph(graph, device.stream))),
      () => {
        queue.destroyGraph(graph);
        close();
      },
    );
  } catch (error) {
    close();
    throw error;
  }
}

export function uploadTo(device: TensorDevice, target: Tensor, values: NumericArray): void {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const { raw, stream } = device;
  if (target.place !== raw || !target.isContiguous || target.length * elementBytes(target.dtype) !== bytes.length)
    throw new HeddleError(
      "bad-arguments",
      "upload copies into a tensor of the device without gaps that has as many bytes: " +
        `${bytes.length} bytes are given for ${target.dtype} [${target.shape.join(", ")}]`,
    );
  const { pointer } = target;
  const { queue } = raw;
  // Beside other work a copy engine takes none of its processors, and nothing waits for it but the end of the graph.
  const isBeside = device.branches?.isInside === true;
  const source = bytes.length % 16 === 0 && !isBeside ? (queue?.pinnedAddress?.(bytes) ?? null) : null;
  if (source !== null) launchUpload(device, source, pointer, bytes.length);
  else {
    const copied = { copied: "host to device", bytes: bytes.length, on: stream } as const;
    if (queue !== null) record(raw, copied, () => queue.write(pointer, bytes, stream));
    else device.launchHost(() => record(raw, copied, () => raw.write(pointer, bytes)));
  }
  target.storage.version++;
}
