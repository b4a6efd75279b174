/**
 * What the threads of a host program share beside its memory: whose turn it is, and one call at a time that a worker
 * asks the owner for. The owner is the thread that runs `main` and has the devices; it waits while another has the
 * turn.
 */

/** Indices of 32-bit words. */
export const WORD = {
  /** The thread that runs. */
  turn: 0,
  /** A CALL. */
  call: 1,
  /** Which import, and with how many values. */
  importIndex: 2,
  valueCount: 3,
  /** The kind of the result: see KIND. */
  resultKind: 4,
  /** Bytes of the text that tells how a thread ended; 0: no thread has trapped. */
  trapBytes: 5,
  /** The wake word of thread i is wake + i. */
  wake: 16,
} as const;

export const CALL = { none: 0, asked: 1, answered: 2, left: 3 } as const;
export const KIND = { nothing: 0, number: 1, bigint: 2 } as const;

/** pthread_create refuses more (hostlib/threads.cpp); ids of threads that have ended are not used again. */
export const MOST_THREADS = 4096;
const MOST_VALUES = 32;
const TEXT_BYTES = 16384;

export const OWNER = 1;

export class ThreadWords {
  readonly buffer: SharedArrayBuffer;
  readonly words: Int32Array;
  readonly kinds: Uint8Array;
  readonly numbers: Float64Array;
  readonly bigints: BigInt64Array;
  readonly text: Uint8Array;

  constructor(buffer?: SharedArrayBuffer) {
    const wordBytes = 4 * (WORD.wake + MOST_THREADS);
    this.buffer = buffer ?? new SharedArrayBuffer(wordBytes + MOST_VALUES + 8 * MOST_VALUES + TEXT_BYTES);
    this.words = new Int32Array(this.buffer, 0, WORD.wake + MOST_THREADS);
    this.kinds = new Uint8Array(this.buffer, wordBytes, MOST_VALUES);
    this.numbers = new Float64Array(this.buffer, wordBytes + MOST_VALUES, MOST_VALUES);
    this.bigints = new BigInt64Array(this.buffer, wordBytes + MOST_VALUES, MOST_VALUES);
    this.text = new Uint8Array(this.buffer, wordBytes + MOST_VALUES + 8 * MOST_VALUES, TEXT_BYTES);
  }

  wake(thread: number): void {
    const word = WORD.wake + (thread % MOST_THREADS);
    Atomics.add(this.words, word, 1);
    Atomics.notify(this.words, word);
  }

  /** Blocks until `isOver`, which is asked again whenever the thread is woken. */
  waitUntil(thread: number, isOver: () => boolean): void {
    const word = WORD.wake + (thread % MOST_THREADS);
    for (;;) {
      const seen = Atomics.load(this.words, word);
      if (isOver()) return;
      Atomics.wait(this.words, word, seen);
    }
  }

  /** Gives the turn to another thread. */
  handOver(to: number): void {
    Atomics.store(this.words, WORD.turn, to);
    this.wake(to);
  }

  put(index: number, value: unknown): void {
    if (typeof value === "bigint") {
      this.kinds[index] = KIND.bigint;
      this.bigints[index] = BigInt.asIntN(64, value);
    } else {
      this.kinds[index] = value === undefined ? KIND.nothing : KIND.number;
      this.numbers[index] = Number(value);
    }
  }

  get(index: number): number | bigint | undefined {
    const kind = this.kinds[index];
    if (kind === KIND.nothing) return undefined;
    return kind === KIND.bigint ? (this.bigints[index] as bigint) : (this.numbers[index] as number);
  }
}
