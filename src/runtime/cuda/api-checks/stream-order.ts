/**
 * Which work the host knows to be done: streams, events and waits as CUDA orders them (programming guide, "Streams",
 * "Events", "Default Stream"; runtime API reference, "API synchronization behavior"), even where the device here works
 * at the call.
 */
import { unsigned } from "../../../base/unsigned.ts";
import { bug } from "../../../base/diagnostics.ts";
import { DEFAULT_STREAM, LEGACY_STREAM, STREAM_NON_BLOCKING } from "../work/stream-model.ts";
import type { StreamState } from "../work/stream-model.ts";

/** For each stream the number of the last piece of its work that is known to come before. */
type Clock = Map<number, number>;

/** As far as order goes. */
export type OrderedStream = Pick<StreamState, "handle" | "flags">;

/** Above all handles of streams: 32-bit numbers. */
const FIRST_BRANCH = 2 ** 33;

/** Whether a handle is one of StreamOrder.branch, of a step of a graph. */
export function isBranch(handle: number): boolean {
  return handle >= FIRST_BRANCH;
}

/** Copies that the host waits for: on the default stream. */
const BLOCKING_COPY = /^(?:cudaMemcpy(?!.*Async)|cublas[SG]et(?:Vector|Matrix)$)/;
/** The host waits for all work of the device. */
const WAITS_FOR_ALL: ReadonlySet<string> = new Set([
  "cudaDeviceSynchronize",
  "cudaThreadSynchronize",
  "cudaDeviceReset",
  "cudaThreadExit",
  "cudaFree",
  "cudaFreeHost",
  "cudaHostUnregister",
  "cudaFreeArray",
]);

export class StreamOrder {
  #work = 0;
  /** What the next piece of work on a stream comes after. */
  readonly #streams = new Map<number, Clock>();
  readonly #events = new Map<number, Clock>();
  /** What the host has waited for. */
  readonly #done: Clock = new Map();
  /** Streams that the legacy default stream waits for, and that wait for it. */
  readonly #blocking = new Set<number>();
  /** Handles of steps of graphs. */
  readonly #branches = new WeakMap<object, number>();
  #branchCount = 0;

  /** @returns the number of a new piece of work. */
  submit(stream: OrderedStream): number {
    this.#enter(stream).set(keyOf(stream.handle), ++this.#work);
    return this.#work;
  }

  /**
   * A step of a graph that is launched on `stream`. Launches of one graph wait for one another.
   * @param key the step. @param before steps that it waits for. @returns the handle under which its work is submitted,
   * on a stream that waits for nothing else
   */
  branch(key: object, before: readonly object[], stream: OrderedStream): number {
    let handle = this.#branches.get(key);
    if (handle === undefined) this.#branches.set(key, (handle = FIRST_BRANCH + this.#branchCount++));
    const clock = this.#clock(handle);
    merge(clock, this.#enter(stream));
    for (const other of before)
      merge(clock, this.#clock(this.#branches.get(other) ?? bug("a step waits for one that comes later")));
    return handle;
  }

  /** The stream waits for these steps. */
  join(keys: readonly object[], stream: OrderedStream): void {
    const clock = this.#enter(stream);
    for (const key of keys)
      merge(clock, this.#clock(this.#branches.get(key) ?? bug("a graph ends with a step that it has not begun")));
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
    this.#events.set(unsigned(event), clock);
  }

  /** The stream waits for the event. */
  wait(stream: number, event: number): void {
    const recorded = this.#events.get(unsigned(event));
    if (recorded !== undefined) merge(this.#clock(keyOf(stream)), recorded);
  }

  hostWaitsForEvent(event: number): void {
    const recorded = this.#events.get(unsigned(event));
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
  isBehind(last: OrderedStream, stream: number, work: number): boolean {
    return this.isDone(stream, work) || (this.#clock(keyOf(last.handle)).get(keyOf(stream)) ?? 0) >= work;
  }

  /** The same question about now, to be asked later: work that is put on the stream in between does not count. */
  behind(last: OrderedStream): (stream: number, work: number) => boolean {
    const clock = new Map(this.#clock(keyOf(last.handle)));
    return (stream, work) => this.isDone(stream, work) || (clock.get(keyOf(stream)) ?? 0) >= work;
  }

  isDone(stream: number, work: number): boolean {
    return (this.#done.get(keyOf(stream)) ?? 0) >= work;
  }

  /** What the next piece of work on a stream comes after. */
  #enter({ handle: given, flags }: OrderedStream): Clock {
    const handle = keyOf(given);
    const clock = this.#clock(handle);
    if (handle === DEFAULT_STREAM) for (const other of this.#blocking) merge(clock, this.#clock(other));
    else if ((flags & STREAM_NON_BLOCKING) === 0) {
      this.#blocking.add(handle);
      merge(clock, this.#clock(DEFAULT_STREAM));
    }
    return clock;
  }

  #clock(handle: number): Clock {
    let clock = this.#streams.get(handle);
    if (clock === undefined) this.#streams.set(handle, (clock = new Map()));
    return clock;
  }
}

function keyOf(stream: number): number {
  if (isBranch(stream)) return stream;
  return stream === LEGACY_STREAM ? DEFAULT_STREAM : unsigned(stream);
}

function merge(into: Clock, from: Clock): void {
  for (const [stream, work] of from) if ((into.get(stream) ?? 0) < work) into.set(stream, work);
}
