/**
 * Streams, events and graphs of a device, for launches made by `kernel.configure`. On an emulated device, where all
 * work runs in one order, they keep their meaning: an event has its time, a graph repeats what was put into it.
 */
import { HeddleError } from "../base/diagnostics.ts";
import type { EventId, GraphId, StreamId } from "../device/device.ts";
import type { Gpu } from "./gpu.ts";
import { record } from "./recording.ts";

/** @internal A launch that nobody awaits. */
export interface GpuWork {
  /** The stream that it is on. */
  readonly stream: StreamId;
  readonly params: Uint8Array;
  run(): Promise<void>;
}

/** Options of `gpu.stream()`. */
export interface StreamOptions {
  /** Work on this stream does not wait for work on the default stream; default false. */
  readonly nonBlocking?: boolean;
  /** Lower is more urgent; default 0. */
  readonly priority?: number;
}

/** A queue of launches: those of one stream run in order. Made by `gpu.stream()`. Closes itself with `using`. */
export class GpuStream {
  readonly gpu: Gpu;
  /** The number that `LaunchOptions.stream` takes. */
  readonly id: StreamId;
  #closed = false;

  /** @internal */
  constructor(gpu: Gpu, options: StreamOptions) {
    this.gpu = gpu;
    this.id = gpu.raw.queue?.createStream(options) ?? gpu.watched?.createStream(options) ?? 0;
  }

  /** Work that is put on the stream from now on waits for the event. */
  waitFor(event: GpuEvent): void {
    if (event.id === null) return;
    this.gpu.raw.queue?.waitFor(event.id, this.id);
    this.gpu.watched?.wait(this.id, event.id);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.id !== 0) this.gpu.raw.queue?.destroyStream(this.id);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** A point in a stream's work. Made by `gpu.event()`. */
export class GpuEvent {
  readonly gpu: Gpu;
  /** null on a device without a queue, unless the device is checked. */
  readonly id: EventId | null;
  #reached: Promise<number> | null = null;

  /** @internal */
  constructor(gpu: Gpu) {
    this.gpu = gpu;
    this.id = gpu.raw.queue?.createEvent() ?? gpu.watched?.createEvent() ?? null;
  }

  /** Marks the point that the stream's work has reached so far. */
  record(stream: GpuStream | null = null): void {
    const {
      watched,
      raw: { queue },
    } = this.gpu;
    if (queue !== null && this.id !== null) queue.record(this.id, stream?.id ?? 0);
    if (watched !== null && this.id !== null) watched.record(this.id, stream?.id ?? 0);
    if (queue !== null) this.#reached = Promise.resolve(0);
    // Operations of tensors have ended when they return.
    else if (this.gpu.isDrained) this.#reached = Promise.resolve(performance.now());
    else this.#reached = this.gpu.drained().then(() => performance.now());
  }

  /**
   * Milliseconds from `start` to this event, once the work before both has ended.
   * @throws HeddleError "bad-arguments" if one was not recorded; an error of earlier work.
   */
  async since(start: GpuEvent): Promise<number> {
    if (this.#reached === null || start.#reached === null)
      throw new HeddleError("bad-arguments", "an event was not recorded");
    await this.gpu.synchronize();
    const { queue } = this.gpu.raw;
    if (queue !== null && this.id !== null && start.id !== null) return queue.elapsedMs(start.id, this.id);
    return (await this.#reached) - (await start.#reached);
  }

  close(): void {
    if (this.id !== null) this.gpu.raw.queue?.destroyEvent(this.id);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Recorded launches that are launched again together. Made by `gpu.graph()`. */
export class GpuGraph {
  readonly gpu: Gpu;
  readonly #id: GraphId | null;
  readonly #steps: readonly GpuWork[];

  /** @internal */
  constructor(gpu: Gpu, id: GraphId | null, steps: readonly GpuWork[]) {
    this.gpu = gpu;
    this.#id = id;
    this.#steps = steps;
  }

  /** Puts all launches of the graph on a stream. */
  launch(stream: GpuStream | null = null): void {
    const { raw } = this.gpu;
    const [id, streamId] = [this.#id, stream?.id ?? 0];
    if (id !== null) record(raw, { graphOn: streamId }, () => raw.queue?.launchGraph(id, streamId));
    for (const step of this.#steps) this.gpu.submit({ ...step, stream: stream?.id ?? 0 });
  }

  close(): void {
    if (this.#id !== null) this.gpu.raw.queue?.destroyGraph(this.#id);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
