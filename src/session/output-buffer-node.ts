/**
 * Standard output and error of a program that runs in a worker thread, buffered in shared memory so that nothing is
 * lost.
 *
 * The worker appends, and writes when the stream changes, the buffer is full or it flushes; the main thread looks now
 * and then and writes what has been lying there, also after it has stopped the worker. A lock word keeps the two apart.
 * The order between the streams stays: the buffer only ever holds text of one of them.
 */
import { writeSync } from "node:fs";
import { HeddleError } from "../base/diagnostics.ts";
import type { HostStreams } from "../runtime/host/host-files.ts";

const LOCK = 0;
const LENGTH = 1;
/** 1 or 2: the stream whose text lies in the buffer. */
const DESCRIPTOR = 2;
/** 1 when writing failed because nobody reads any more. */
const BROKEN = 3;
const HEADER_BYTES = 16;
const CAPACITY = 64 * 1024;
/** Text that has been lying for so long is written at the next append, whatever the buffer's state. */
const STALE_MS = 20;

export function createOutputMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEADER_BYTES + CAPACITY);
}

/** Writes all bytes; waits when a pipe is full. Returns false when the reader has gone. */
export function writeFully(descriptor: number, bytes: Uint8Array): boolean {
  for (let done = 0; done < bytes.length;) {
    try {
      done += writeSync(descriptor, bytes, done, bytes.length - done);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "EPIPE") return false;
      if (code !== "EAGAIN" && code !== "EINTR") throw cannotWrite(descriptor, error as Error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
  return true;
}

function cannotWrite(descriptor: number, cause: Error): HeddleError {
  const name = descriptor === 2 ? "stderr" : "stdout";
  return new HeddleError("io-error", `${name} cannot be written: ${cause.message}`, { cause });
}

export class OutputBuffer {
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  #lastWriteMs = 0;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory, 0, HEADER_BYTES / 4);
    this.#bytes = new Uint8Array(memory, HEADER_BYTES);
  }

  /** The reader of our output has gone. */
  get broken(): boolean {
    return Atomics.load(this.#words, BROKEN) !== 0;
  }

  write(descriptor: 1 | 2, bytes: Uint8Array): void {
    this.#locked(() => {
      const words = this.#words;
      if (
        words[LENGTH] !== 0 &&
        (words[DESCRIPTOR] !== descriptor || (words[LENGTH] as number) + bytes.length > CAPACITY)
      )
        this.#drain();
      if (bytes.length > CAPACITY) {
        this.#put(descriptor, bytes);
        return;
      }
      this.#bytes.set(bytes, words[LENGTH] as number);
      words[LENGTH] = (words[LENGTH] as number) + bytes.length;
      words[DESCRIPTOR] = descriptor;
      if (descriptor === 2 || performance.now() - this.#lastWriteMs > STALE_MS) this.#drain();
    });
  }

  flush(): void {
    if (this.#words[LENGTH] !== 0) this.#locked(() => this.#drain());
  }

  /** For the main thread once the worker is dead: it may have died holding the lock. */
  rescue(): void {
    Atomics.store(this.#words, LOCK, 0);
    this.flush();
  }

  /** For the main thread while the worker lives: writes what lies there if the worker is not at it. */
  tryFlush(): void {
    if (this.#words[LENGTH] === 0 || Atomics.compareExchange(this.#words, LOCK, 0, 1) !== 0) return;
    try {
      this.#drain();
    } finally {
      this.#unlock();
    }
  }

  #drain(): void {
    const length = this.#words[LENGTH] as number;
    if (length === 0) return;
    this.#words[LENGTH] = 0;
    this.#put(this.#words[DESCRIPTOR] as 1 | 2, this.#bytes.subarray(0, length));
  }

  #put(descriptor: 1 | 2, bytes: Uint8Array): void {
    this.#lastWriteMs = performance.now();
    if (!writeFully(descriptor, bytes)) Atomics.store(this.#words, BROKEN, 1);
  }

  #locked(work: () => void): void {
    while (Atomics.compareExchange(this.#words, LOCK, 0, 1) !== 0) Atomics.wait(this.#words, LOCK, 1, 5);
    try {
      work();
    } finally {
      this.#unlock();
    }
  }

  #unlock(): void {
    Atomics.store(this.#words, LOCK, 0);
    Atomics.notify(this.#words, LOCK);
  }
}

/** Thrown in the worker when nobody reads the output: the program ends as by SIGPIPE. */
export class BrokenPipe extends Error {}

export class BufferedStreams implements HostStreams {
  readonly #output: OutputBuffer;
  readonly #readStdin: (buffer: Uint8Array) => number;
  constructor(output: OutputBuffer, readStdin: (buffer: Uint8Array) => number) {
    this.#output = output;
    this.#readStdin = readStdin;
  }
  readStdin(buffer: Uint8Array): number {
    return this.#readStdin(buffer);
  }
  write(stream: "stdout" | "stderr", bytes: Uint8Array): void {
    this.#output.write(stream === "stdout" ? 1 : 2, bytes);
    if (this.#output.broken) throw new BrokenPipe("the output is closed");
  }
  flush(): void {
    this.#output.flush();
  }
}
