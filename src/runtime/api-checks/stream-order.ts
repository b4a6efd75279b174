/**
 * Which work the host knows to be done: streams, events and waits as CUDA orders them (programming guide, "Streams", "Events", "Default
 * Stream"; runtime API reference, "API synchronization behavior"), whatever the device here does at once.
 */
import { DEFAULT_STREAM, LEGACY_STREAM } from "../cuda-stream-model.ts";
import type { StreamState } from "../cuda-stream-model.ts";

/** For each stream the number of the last piece of its work that is known to come before. */
type Clock = Map<number, number>;

const NON_BLOCKING = 1;

/** Copies that the host waits for: on the default stream. */
const BLOCKING_COPY = /^cudaMemcpy(?!.*Async)/;
/** The host waits for all work of the device. */
const WAITS_FOR_ALL: ReadonlySet<string> = new Set(["cudaDeviceSynchronize", "cudaThreadSynchronize", "cudaDeviceReset", "cudaThreadExit", "cudaFree", "cudaFreeHost", "cudaHostUnregister", "cudaFreeArray"]);

export class StreamOrder {
  #work = 0;
  /** What the next piece of work on a stream comes after. */
  readonly #streams = new Map<number, Clock>();
  readonly #events = new Map<number, Clock>();
  /** What the host has waited for. */
  readonly #done: Clock = new Map();
  /** Streams that the legacy default stream waits for, and that wait for it. */
  readonly #blocking = new Set<number>();

  /** @returns the number of a new piece of work. */
  submit(stream: StreamState): number {
    const handle = keyOf(stream.handle);
    const clock = this.#clock(handle);
    if (handle === DEFAULT_STREAM) for (const other of this.#blocking) merge(clock, this.#clock(other));
    else if ((stream.flags & NON_BLOCKING) === 0) {
      this.#blocking.add(handle);
      merge(clock, this.#clock(DEFAULT_STREAM));
    }
    clock.set(handle, ++this.#work);
    return this.#work;
  }

  /** A call of the program's has succeeded. @returns whether it orders work. */
  follow(name: string, [first = 0, second = 0, third = 0]: readonly number[]): boolean {
    if (name === "cudaEventRecord" || name === "cudaEventRecordWithFlags") this.record(first, second);
    else if (name === "cudaStreamWaitEvent") this.wait(first, second);
    else if (name === "cudaEventSynchronize" || name === "cudaEventQuery") this.hostWaitsForEvent(first);
    else if (name === "cudaStreamSynchronize" || name === "cudaStreamQuery") this.hostWaitsForStream(first);
    else if (name === "cudaEventElapsedTime") this.hostWaitsForEvent(third);
    else if (BLOCKING_COPY.test(name)) this.hostWaitsForStream(0);
    else if (WAITS_FOR_ALL.has(name)) this.hostWaitsForAll();
    else return false;
    return true;
  }

  record(event: number, stream: number): void {
    const clock = new Map(this.#clock(keyOf(stream)));
    // An event on the default stream comes after all that blocks it.
    if (keyOf(stream) === DEFAULT_STREAM) for (const other of this.#blocking) merge(clock, this.#clock(other));
    this.#events.set(event >>> 0, clock);
  }

  /** The stream waits for the event. */
  wait(stream: number, event: number): void {
    const recorded = this.#events.get(event >>> 0);
    if (recorded !== undefined) merge(this.#clock(keyOf(stream)), recorded);
  }

  hostWaitsForEvent(event: number): void {
    const recorded = this.#events.get(event >>> 0);
    if (recorded !== undefined) merge(this.#done, recorded);
  }

  hostWaitsForStream(stream: number): void {
    const handle = keyOf(stream);
    merge(this.#done, this.#clock(handle));
    if (handle === DEFAULT_STREAM) for (const other of this.#blocking) merge(this.#done, this.#clock(other));
  }

  hostWaitsForAll(): void {
    for (const clock of this.#streams.values()) merge(this.#done, clock);
  }

  /** Whether what is submitted last on a stream comes after that piece of work. */
  isBehind(last: StreamState, stream: number, work: number): boolean {
    return this.isDone(stream, work) || (this.#clock(keyOf(last.handle)).get(keyOf(stream)) ?? 0) >= work;
  }

  isDone(stream: number, work: number): boolean {
    return (this.#done.get(keyOf(stream)) ?? 0) >= work;
  }

  #clock(handle: number): Clock {
    let clock = this.#streams.get(handle);
    if (clock === undefined) this.#streams.set(handle, (clock = new Map()));
    return clock;
  }
}

function keyOf(stream: number): number {
  return stream === LEGACY_STREAM ? DEFAULT_STREAM : stream >>> 0;
}

function merge(into: Clock, from: Clock): void {
  for (const [stream, work] of from) if ((into.get(stream) ?? 0) < work) into.set(stream, work);
}
