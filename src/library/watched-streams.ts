/**
 * The order of what a program puts on a checked device's streams, which runs in one order there; racecheck is informed
 * of it (check/stream-work.ts).
 */
import type { Place } from "../base/source-places.ts";
import type { LaunchedWork, StreamWork } from "../check/stream-work.ts";
import type { ObservedLaunch } from "../machine/observer.ts";
import { StreamOrder, type OrderedStream } from "../runtime/cuda/api-checks/stream-order.ts";
import { STREAM_NON_BLOCKING } from "../runtime/cuda/work/stream-model.ts";
import { demangle } from "../base/demangle.ts";

/** The default stream has handle 0, the next ones are those of CUDA that have a meaning. */
const FIRST_STREAM = 16;

interface Submitted extends Pick<StreamWork, "stream" | "number" | "place" | "isBehind"> {
  readonly params: Uint8Array;
}

export class WatchedStreams implements LaunchedWork {
  readonly #order = new StreamOrder();
  readonly #here: () => Place;
  readonly #streams = new Map<number, OrderedStream>([[0, { handle: 0, flags: 0 }]]);
  /** What has been submitted and has not begun, in order. */
  readonly #submitted: Submitted[] = [];
  #events = 0;

  /** @param here the line of the caller's code that is being carried out. */
  constructor(here: () => Place) {
    this.#here = here;
  }

  /** @returns its handle. */
  createStream({ nonBlocking = false }: { readonly nonBlocking?: boolean }): number {
    const handle = FIRST_STREAM + this.#streams.size;
    this.#streams.set(handle, { handle, flags: nonBlocking ? STREAM_NON_BLOCKING : 0 });
    return handle;
  }

  createEvent(): number {
    return ++this.#events;
  }

  record(event: number, stream: number): void {
    this.#order.record(event, stream);
  }

  wait(stream: number, event: number): void {
    this.#order.wait(stream, event);
  }

  /** A launch is put on a stream. @param params its parameters, by which it is known again. */
  submit(params: Uint8Array, stream: number): void {
    const ordered = this.#streams.get(stream) ?? { handle: stream, flags: 0 };
    const number = this.#order.submit(ordered);
    this.#submitted.push({
      params: params.slice(),
      stream,
      number,
      place: this.#here(),
      isBehind: this.#order.behind(ordered),
    });
  }

  of({ arguments: params, kernel }: ObservedLaunch): StreamWork | null {
    // What was refused in between has not begun, and never will.
    const index = this.#submitted.findIndex((submitted) => submitted.params.every((byte, at) => byte === params[at]));
    const [found] = index < 0 ? [] : this.#submitted.splice(0, index + 1).slice(-1);
    return found === undefined
      ? null
      : {
          kind: "kernel",
          isStep: false,
          what: `the kernel ${demangle(kernel)}`,
          isDone: (stream, number) => this.#order.isDone(stream, number),
          ...found,
        };
  }

  hostWaited(): void {
    this.#order.hostWaitsForAll();
  }
}
