/** Standard streams of a program whose output becomes events. */
import type { HostStreams } from "../runtime/host/host-files.ts";
import type { Emit } from "./events.ts";

export class EventStreams implements HostStreams {
  readonly #read: (buffer: Uint8Array) => number;
  readonly #emit: Emit;

  /** @param read fills a buffer from the standard input; 0 is its end. */
  constructor(read: (buffer: Uint8Array) => number, emit: Emit) {
    this.#read = read;
    this.#emit = emit;
  }

  readStdin(buffer: Uint8Array): number {
    return this.#read(buffer);
  }

  write(stream: "stdout" | "stderr", bytes: Uint8Array): void {
    // A copy: the bytes lie in the program's memory.
    this.#emit({ kind: "output", stream, bytes: bytes.slice() });
  }

  flush(): void {
    // Nothing is buffered.
  }
}

/** Reads a text as a standard input. */
export function textInput(text: string): (buffer: Uint8Array) => number {
  let rest: Uint8Array = new TextEncoder().encode(text);
  return (buffer) => {
    const part = rest.subarray(0, buffer.length);
    buffer.set(part);
    rest = rest.subarray(part.length);
    return part.length;
  };
}
