/** A queue without a GPU: streams take simulated time, and events know when they are reached. */
import { HeddleError } from "../../../base/diagnostics.ts";
import type { Device, DeviceQueue, EventId, StreamId } from "../../../device/device.ts";

export class SimulatedQueue {
  /** Milliseconds on the host's clock. */
  now = 0;
  isBroken = false;
  readonly #streams = new Map<StreamId, number>();
  readonly #reached = new Map<EventId, number>();
  #last = 0;

  /** Copies and fills are done at once, by this device, and take so long in simulated time. */
  #device: Device | null = null;
  #stepMs = 0;

  /** The device with this queue. */
  on(device: Device, stepMs: number): Device {
    this.#device = device;
    this.#stepMs = stepMs;
    const { queue } = this;
    return new Proxy(device, {
      set: (target, name, value) => Reflect.set(target, name, value, target),
      get: (target, name) => {
        if (name === "queue") return queue;
        if (name === "kind") return "cuda";
        const value = Reflect.get(target, name, target) as unknown;
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  }

  /** Work that takes so long. */
  work(stream: StreamId, durationMs: number): void {
    this.#streams.set(stream, Math.max(this.now, this.#streams.get(stream) ?? 0) + durationMs);
  }

  get events(): number {
    return this.#last;
  }

  readonly queue: DeviceQueue = {
    dropCapture: () => undefined,
    beginCalls: () => undefined,
    endCalls: () => ({ graph: null, isValid: true }),
    releaseCalls: () => undefined,
    createStream: () => ++this.#last,
    destroyStream: () => undefined,
    write: (to: number, bytes: Uint8Array, stream: StreamId) => {
      this.#device?.write(to, bytes);
      this.work(stream, this.#stepMs);
    },
    read: (from: number, bytes: Uint8Array, stream: StreamId) => {
      this.#device?.read(from, bytes);
      this.work(stream, this.#stepMs);
    },
    fill: (to: number, value: number, elementBytes: 1 | 2 | 4, count: number, stream: StreamId) => {
      this.#device?.fill(to, value, elementBytes, count);
      this.work(stream, this.#stepMs);
    },
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
