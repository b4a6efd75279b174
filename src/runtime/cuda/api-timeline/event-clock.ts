/** Times the work on a GPU's streams by events in front of it and behind it, without waiting for it. */
import { isFaultError } from "../../../base/diagnostics.ts";
import type { DeviceQueue, EventId, StreamId } from "../../../device/device.ts";

interface Pending {
  readonly start: EventId;
  readonly end: EventId;
  /** @param times null: the device has stopped, and nobody knows. */
  readonly report: (times: { readonly startMs: number; readonly durationMs: number } | null) => void;
}

/** The driver counts the time between two events in single precision. */
const LONGEST_SPAN_MS = 1000;
/** So many are looked at together. */
const BATCH = 256;

export class EventClock {
  readonly #queue: DeviceQueue;
  readonly #now: () => number;
  /** An event that has been reached, and when. */
  #base: { readonly event: EventId; readonly atMs: number } | null = null;
  readonly #free: EventId[] = [];
  #pending: Pending[] = [];

  /** @param now milliseconds on the clock that the reports follow */
  constructor(queue: DeviceQueue, now: () => number) {
    this.#queue = queue;
    this.#now = now;
  }

  /** In front of work. @returns what `end` takes. */
  begin(stream: StreamId): EventId {
    this.#base ??= this.#firstBase();
    return this.#record(stream);
  }

  /** Behind the work. `report` is called later. */
  end(start: EventId, stream: StreamId, report: Pending["report"]): void {
    this.#pending.push({ start, end: this.#record(stream), report });
    if (this.#pending.length % BATCH === 0) this.settle();
  }

  /** No more work will be timed: what has not ended stays unknown. @param isBroken the device has stopped */
  finish(isBroken: boolean): void {
    try {
      if (!isBroken) this.settle();
    } catch (error) {
      // The device reports a fault only now: the times are lost, and the fault is reported where it belongs.
      if (!isFaultError(error)) throw error;
    }
    for (const { report } of this.#pending) report(null);
    this.#pending = [];
  }

  /** The device is about to be reset, which destroys all events. */
  reset(isBroken: boolean): void {
    this.finish(isBroken);
    this.#base = null;
    this.#free.length = 0;
  }

  /** Reports what has ended, up to the first that has not. */
  settle(): void {
    let done = 0;
    for (const { start, end, report } of this.#pending) {
      if (this.#base === null || !this.#queue.isEventDone(end)) break;
      done++;
      const { event: base, atMs } = this.#base;
      const sinceBaseMs = this.#queue.elapsedMs(base, start);
      const durationMs = this.#queue.elapsedMs(start, end);
      report({ startMs: atMs + sinceBaseMs, durationMs });
      this.#free.push(start);
      if (sinceBaseMs + durationMs > LONGEST_SPAN_MS) {
        this.#base = { event: end, atMs: atMs + sinceBaseMs + durationMs };
        this.#free.push(base);
      } else this.#free.push(end);
    }
    this.#pending = this.#pending.slice(done);
  }

  #record(stream: StreamId): EventId {
    const event = this.#free.pop() ?? this.#queue.createEvent();
    this.#queue.record(event, stream);
    return event;
  }

  #firstBase(): { readonly event: EventId; readonly atMs: number } {
    const event = this.#record(0);
    while (!this.#queue.isEventDone(event)); // some microseconds: nothing was put on a stream before
    return { event, atMs: this.#now() };
  }
}
