/** What a program prints, as the page shows it. */
import { OutputDecoder, type OutputPiece } from "./model/activity.ts";

/** Output is shown once a frame: a program may print thousands of lines a second. */
export class OutputBatch {
  readonly #decoder = new OutputDecoder();
  readonly #show: (pieces: readonly OutputPiece[]) => void;
  #pieces: OutputPiece[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(show: (pieces: readonly OutputPiece[]) => void) {
    this.#show = show;
  }

  add(stream: "stdout" | "stderr", bytes: Uint8Array): void {
    this.#pieces.push(this.#decoder.decode(stream, bytes));
    this.#timer ??= setTimeout(() => this.flush(), FRAME_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pieces.length > 0) this.#show(this.#pieces.splice(0));
  }
}

const FRAME_MS = 16;
