/** A request that is being worked on. */
import type { Emit, SessionEvent } from "./events.ts";

/**
 * The events of a request, and its result.
 *
 *     const run = session.start(request);
 *     for await (const event of run) if (event.kind === "finding") show(event.finding);
 *     const end = await run.result;
 */
export class SessionRun<T> implements AsyncIterable<SessionEvent> {
  /**
   * Resolves when everything is done. Rejects with a HeddleError for what cannot be compiled or run; with Interrupted
   * for a bench that was stopped.
   */
  readonly result: Promise<T>;
  readonly #stopping = new AbortController();
  readonly #waiting: SessionEvent[] = [];
  #wake: () => void = () => undefined;
  #isEnded = false;

  /** @internal Use `Session.start`. */
  constructor(work: (emit: Emit, signal: AbortSignal) => Promise<T>, listener?: Emit) {
    const emit: Emit =
      listener ??
      ((event) => {
        this.#waiting.push(event);
        this.#wake();
      });
    this.result = work(emit, this.#stopping.signal).finally(() => {
      this.#isEnded = true;
      this.#wake();
    });
    // An error is thrown where the result is awaited, or by the iterator.
    this.result.catch(() => undefined);
  }

  /** Stops the program where it is, or the bench at its next launch. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Yields the events until the result is there. @throws what `result` rejects with. */
  async *[Symbol.asyncIterator](): AsyncGenerator<SessionEvent, void, undefined> {
    for (;;) {
      yield* this.#waiting.splice(0);
      if (this.#waiting.length > 0) continue;
      if (this.#isEnded) break;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    await this.result;
  }
}
