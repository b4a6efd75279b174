/** A queue without a GPU: streams take simulated time, and events know when they are reached. */
import { HeddleError } from "../../../base/diagnostics.ts";
import type { DeviceQueue, EventId, StreamId } from "../../../device/device.ts";

export class SimulatedQueue {
  /** Milliseconds on the host's clock. */
  now = 0;
  isBroken = false;
  readonly #streams = new Map<StreamId, number>();
  readonly #reached = new Map<EventId, number>();
  #last = 0;

  /** Work that takes so long. */
  work(stream: StreamId, durationMs: number): void {
    this.#streams.set(stream, Math.max(this.now, this.#streams.get(stream) ?? 0) + durationMs);
  }

  get events(): number {
    return this.#last;
  }

  readonly queue: DeviceQueue = {
    createEvent: () => ++this.#last,
    record: (event: EventId, stream: StreamId) => {
      this.#reached.set(event, Math.max(this.now, this.#streams.get(stream) ?? 0));
    },
    isEventDone: (event: EventId) => {
      if (this.isBroken) throw new HeddleError("device-fault", "the device has stopped");
      return (this.#reached.get(event) ?? Infinity) <= this.now;
    },
    elapsedMs: (start: EventId, end: EventId) => {
      if (!this.#reached.has(start) || !this.#reached.has(end)) throw new Error("an event that was not recorded");
      // As the driver: in single precision.
      return Math.fround((this.#reached.get(end) as number) - (this.#reached.get(start) as number));
    },
    waitForStreamBlocking: (stream: StreamId) => {
      this.now = Math.max(this.now, this.#streams.get(stream) ?? 0);
      return { fault: null, output: "" };
    },
    waitBlocking: () => {
      this.now = Math.max(this.now, ...this.#streams.values());
      return { fault: null, output: "" };
    },
  } as Partial<DeviceQueue> as DeviceQueue;
}
