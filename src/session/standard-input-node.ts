/**
 * Standard input of a program that runs in a worker thread. The main thread reads it, when the program asks, and hands
 * the bytes over in shared memory: a thread that blocks in a read of its own could not be stopped, and the process
 * could not end before the next line came.
 */
const STATE = 0;
const LENGTH = 1;
const HEADER_BYTES = 8;
const CAPACITY = 64 * 1024;

const WANTED = 1;
const FILLED = 2;

export function createInputMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEADER_BYTES + CAPACITY);
}

/** The program's side. */
export class InputReader {
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #ask: () => void;
  #position = 0;
  #ended = false;

  /** @param ask asks the main thread for input. */
  constructor(memory: SharedArrayBuffer, ask: () => void) {
    this.#words = new Int32Array(memory, 0, HEADER_BYTES / 4);
    this.#bytes = new Uint8Array(memory, HEADER_BYTES);
    this.#ask = ask;
  }

  /** Blocks until there is input; 0 is the end. */
  read(buffer: Uint8Array): number {
    if (buffer.length === 0) return 0;
    if (this.#position === this.#words[LENGTH] && !this.#ended) {
      Atomics.store(this.#words, STATE, WANTED);
      this.#ask();
      while (Atomics.load(this.#words, STATE) === WANTED) Atomics.wait(this.#words, STATE, WANTED);
      this.#position = 0;
      this.#ended = this.#words[LENGTH] === 0;
    }
    const count = Math.min(buffer.length, (this.#words[LENGTH] as number) - this.#position);
    buffer.set(this.#bytes.subarray(this.#position, this.#position + count));
    this.#position += count;
    return count;
  }
}

/** The main thread's side: one for the process. Nothing is read before a program asks. */
class StandardInput {
  #waiting: SharedArrayBuffer | null = null;
  #rest: Uint8Array = new Uint8Array(0);
  #listening = false;
  #ended = false;

  /** Fills `memory` as soon as there is input. */
  request(memory: SharedArrayBuffer): void {
    this.#waiting = memory;
    if (!this.#listening) {
      this.#listening = true;
      const end = (): void => {
        this.#ended = true;
        this.#deliver();
      };
      // What cannot be read (a directory, a terminal that has gone) has no input.
      process.stdin
        .on("readable", () => this.#deliver())
        .on("end", end)
        .on("error", end);
    }
    this.#deliver();
  }

  /** The program has gone: what comes from now on is the next one's. */
  cancel(memory: SharedArrayBuffer): void {
    if (this.#waiting === memory) this.#waiting = null;
  }

  #deliver(): void {
    if (this.#waiting === null) return;
    if (this.#rest.length === 0) this.#rest = (process.stdin.read() as Uint8Array | null) ?? this.#rest;
    if (this.#rest.length === 0 && !this.#ended) return;
    const words = new Int32Array(this.#waiting, 0, HEADER_BYTES / 4);
    const part = this.#rest.subarray(0, CAPACITY);
    this.#rest = this.#rest.subarray(part.length);
    new Uint8Array(this.#waiting, HEADER_BYTES).set(part);
    this.#waiting = null;
    words[LENGTH] = part.length;
    Atomics.store(words, STATE, FILLED);
    Atomics.notify(words, STATE);
  }
}

export const standardInput: StandardInput = new StandardInput();
