/**
 * Messages from a worker to the coordinator: device printf, faults and errors. They pass through a mailbox, a ring of
 * bytes in shared memory with one writer and one reader. A message (JSON, after its length) may be longer than the
 * ring: it passes in pieces.
 */
import { CONTROL, WORKER, controlWords, workerWord } from "./control-words.ts";

export const MAILBOX_BYTES: number = 64 * 1024;

/** What a worker reports at the end of a launch. */
export interface WorkerMessage {
  /** Device printf: the block's linear index and its text, in order. */
  readonly output: readonly (readonly [block: number, text: string])[];
  /** A DeviceFault, as JSON. */
  readonly fault: unknown;
  /** Any other failure: a bug of Heddle, or no more memory. */
  readonly error: {
    readonly name: string;
    readonly message: string;
    readonly stack: string;
    readonly code: string | null;
    readonly notes: readonly string[];
  } | null;
}

const LENGTH_BYTES = 4;

/** Writes one message, waiting for room. To be called by worker `worker` only. */
export function sendMessage(memory: WebAssembly.Memory, worker: number, message: WorkerMessage): void {
  const text = new TextEncoder().encode(JSON.stringify(message));
  const bytes = new Uint8Array(LENGTH_BYTES + text.byteLength);
  new DataView(bytes.buffer).setUint32(0, text.byteLength, true);
  bytes.set(text, LENGTH_BYTES);
  const words = controlWords(memory);
  const ring = ringOf(memory, words, worker);
  for (let sent = 0; sent < bytes.byteLength;) {
    const read = Atomics.load(words, workerWord(worker, WORKER.mailboxRead));
    const written = Atomics.load(words, workerWord(worker, WORKER.mailboxWritten));
    const room = MAILBOX_BYTES - ((written - read) | 0);
    if (room === 0) {
      // The coordinator reads only after it has run its own blocks.
      Atomics.wait(words, workerWord(worker, WORKER.mailboxRead), read, 1000);
      continue;
    }
    const at = written & (MAILBOX_BYTES - 1);
    const count = Math.min(room, bytes.byteLength - sent, MAILBOX_BYTES - at);
    ring.set(bytes.subarray(sent, sent + count), at);
    sent += count;
    Atomics.store(words, workerWord(worker, WORKER.mailboxWritten), (written + count) | 0);
    Atomics.add(words, CONTROL.signal, 1);
    Atomics.notify(words, CONTROL.signal);
  }
}

/** The coordinator's end of one worker's mailbox. */
export class MailboxReader {
  readonly #memory: WebAssembly.Memory;
  readonly #worker: number;
  #pending: Uint8Array = new Uint8Array(0);

  constructor(memory: WebAssembly.Memory, worker: number) {
    this.#memory = memory;
    this.#worker = worker;
  }

  /** The messages that are complete. Never waits. */
  poll(): WorkerMessage[] {
    const words = controlWords(this.#memory);
    const read = Atomics.load(words, workerWord(this.#worker, WORKER.mailboxRead));
    const written = Atomics.load(words, workerWord(this.#worker, WORKER.mailboxWritten));
    const count = (written - read) | 0;
    if (count === 0) return [];
    const ring = ringOf(this.#memory, words, this.#worker);
    const bytes = new Uint8Array(this.#pending.byteLength + count);
    bytes.set(this.#pending);
    const at = read & (MAILBOX_BYTES - 1);
    const first = Math.min(count, MAILBOX_BYTES - at);
    bytes.set(ring.subarray(at, at + first), this.#pending.byteLength);
    bytes.set(ring.subarray(0, count - first), this.#pending.byteLength + first);
    Atomics.store(words, workerWord(this.#worker, WORKER.mailboxRead), written);
    Atomics.notify(words, workerWord(this.#worker, WORKER.mailboxRead));

    const messages: WorkerMessage[] = [];
    let start = 0;
    while (bytes.byteLength - start >= LENGTH_BYTES) {
      const length = new DataView(bytes.buffer).getUint32(start, true);
      if (bytes.byteLength - start - LENGTH_BYTES < length) break;
      const text = new TextDecoder().decode(bytes.subarray(start + LENGTH_BYTES, start + LENGTH_BYTES + length));
      messages.push(JSON.parse(text) as WorkerMessage);
      start += LENGTH_BYTES + length;
    }
    this.#pending = bytes.slice(start);
    return messages;
  }
}

function ringOf(memory: WebAssembly.Memory, words: Int32Array, worker: number): Uint8Array {
  return new Uint8Array(memory.buffer, Atomics.load(words, workerWord(worker, WORKER.mailboxAddress)), MAILBOX_BYTES);
}
