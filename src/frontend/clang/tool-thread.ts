/**
 * Tools of the Clang package on a thread beside the compiler's: what both ends say to one another.
 *
 * A tool may start before all its files are there. It waits, inside its own call of `open` or `read`, until the file
 * that it asks for is delivered. So a pass can be loaded and have its precompiled headers in memory before the source
 * is saved, and the linker its libraries before the object is there.
 */
import { bug } from "../../base/diagnostics.ts";
import type { Clang, ClangParts, ToolResult } from "./clang.ts";
import { CompilerExit } from "./compiler-wasi.ts";
import { memorySourceReader } from "./memory-source-reader.ts";
import type { SourceReader } from "../../store/source-reader.ts";

/** The platform's thread, seen from the one that started it. */
export interface ToolPort {
  post(message: ToolMessage): void;
  /** @param end receives the reason why the thread has ended. */
  listen(answer: (message: ToolAnswer) => void, end: (why: Error) => void): void;
  /** Whether the thread keeps the process alive. */
  hold(held: boolean): void;
}

/** A file that comes later, and must have `size` bytes, if that is not null. */
export interface LaterFile {
  readonly path: string;
  readonly size: number | null;
}

export interface ToolOrder {
  readonly args: readonly string[];
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly later: readonly LaterFile[];
  /** The user's files that the tool may read: those of the file system, or these. */
  readonly reads: "nothing" | "file system" | NonNullable<SourceReader["ownFiles"]>;
  /** The file that the tool writes. */
  readonly output: string;
}

export type ToolMessage =
  | { readonly kind: "load"; readonly parts: ClangParts }
  | { readonly kind: "run"; readonly order: ToolOrder; readonly mailboxes: readonly SharedArrayBuffer[] };

/** A tool's result in a form that can be sent, or what the tool threw. */
export type ToolAnswer =
  | {
      readonly kind: "result";
      readonly exitCode: number;
      readonly stderr: string;
      readonly dependencies: ToolResult["dependencies"];
      readonly output: Uint8Array | null;
    }
  | { readonly kind: "failed"; readonly error: unknown };

/** i32 state, then the contents. */
const CONTENTS = 4;
const [WAITING, DELIVERED, ABANDONED] = [0, 1, 2];
/** Bytes of a file whose size was not known. Only address space until it is used. */
const LARGEST_FILE = 1 << 28;

function settle(mailbox: SharedArrayBuffer, state: number): void {
  const word = new Int32Array(mailbox, 0, 1);
  if (Atomics.compareExchange(word, 0, WAITING as number, state) === WAITING) Atomics.notify(word, 0);
}

/** A run on a tool thread. */
export class ToolRun {
  /** Rejects when the tool crashes, or its thread. */
  readonly result: Promise<ToolResult>;
  readonly #later: ReadonlyMap<string, SharedArrayBuffer>;
  readonly #delivered: () => void;
  #abandoned = false;

  constructor(later: ReadonlyMap<string, SharedArrayBuffer>, result: Promise<ToolResult>, delivered: () => void) {
    this.#later = later;
    this.result = result;
    this.#delivered = delivered;
    // A run that was abandoned has no reader for its result.
    result.catch(() => {});
  }

  deliver(path: string, bytes: Uint8Array): void {
    const mailbox = this.#later.get(path) ?? bug(`${path} was not to come later`);
    if (mailbox.growable) mailbox.grow(CONTENTS + bytes.length);
    new Uint8Array(mailbox, CONTENTS).set(bytes);
    settle(mailbox, DELIVERED as number);
    this.#delivered();
  }

  get abandoned(): boolean {
    return this.#abandoned;
  }

  /** Ends the run when it asks for a file that has not come. */
  abandon(): void {
    this.#abandoned = true;
    for (const mailbox of this.#later.values()) settle(mailbox, ABANDONED as number);
  }
}

/** The compiler's end. One run at a time. */
export class ToolThread {
  readonly #port: ToolPort;
  readonly #running: () => () => void;
  #answer: ((answer: ToolAnswer) => void) | null = null;
  #dead: Error | null = null;
  #last: ToolRun | null = null;

  /** @param running see ClangResources. */
  constructor(port: ToolPort, running: () => () => void) {
    this.#port = port;
    this.#running = running;
    const take = (answer: ToolAnswer): void => {
      const listener = this.#answer;
      this.#answer = null;
      listener?.(answer);
    };
    port.listen(take, (why) => {
      this.#dead = why;
      take({ kind: "failed", error: why });
    });
    port.hold(false);
  }

  load(parts: ClangParts): void {
    this.#port.post({ kind: "load", parts });
  }

  /** Null while the thread is busy with something else, or when it is no more. */
  async start(order: ToolOrder): Promise<ToolRun | null> {
    if (this.#answer !== null && this.#last?.abandoned) await this.#last.result.catch(() => {});
    if (this.#answer !== null || this.#dead !== null) return null;
    const mailboxes = order.later.map(({ size }) =>
      size === null
        ? new SharedArrayBuffer(CONTENTS, { maxByteLength: LARGEST_FILE })
        : new SharedArrayBuffer(CONTENTS + size),
    );
    let ended: (() => void) | null = null;
    // While it waits for a file, it neither computes nor keeps the process alive.
    const begin = (): void => {
      if (this.#answer === null || ended !== null) return;
      ended = this.#running();
      this.#port.hold(true);
    };
    const result = new Promise<ToolResult>((resolve, reject) => {
      this.#answer = (answer) => {
        ended?.();
        this.#port.hold(false);
        if (answer.kind === "failed")
          reject(answer.error instanceof Error ? answer.error : new Error(String(answer.error)));
        else
          resolve({
            ...answer,
            stdout: new Uint8Array(0),
            output: (path) => (path === order.output ? answer.output : null),
          });
      };
    });
    if (order.later.length === 0) begin();
    this.#last = new ToolRun(
      new Map(order.later.map(({ path }, i) => [path, mailboxes[i] as SharedArrayBuffer])),
      result,
      begin,
    );
    this.#port.post({ kind: "run", order, mailboxes });
    return this.#last;
  }
}

/** The thread's end: carries out one order. @param reader of the file system; null: there is none. */
export function carryOut(
  clang: Clang,
  order: ToolOrder,
  mailboxes: readonly SharedArrayBuffer[],
  reader: SourceReader | null,
): ToolAnswer {
  const later = order.later.map(({ path, size }, i) => ({
    path,
    size,
    contents: () => receive(mailboxes[i] as SharedArrayBuffer),
  }));
  const { exitCode, stderr, dependencies, output } = clang.run(order.args, {
    files: order.files,
    later,
    reader: readerOf(order, reader),
  });
  return { kind: "result", exitCode, stderr, dependencies, output: output(order.output) };
}

function readerOf({ reads }: ToolOrder, fileSystem: SourceReader | null): SourceReader | null {
  if (reads === "nothing") return null;
  return reads === "file system" ? fileSystem : memorySourceReader(reads);
}

function receive(mailbox: SharedArrayBuffer): Uint8Array {
  const word = new Int32Array(mailbox, 0, 1);
  Atomics.wait(word, 0, WAITING as number);
  if (Atomics.load(word, 0) === ABANDONED) throw new CompilerExit(1);
  return new Uint8Array(mailbox, CONTENTS).slice();
}
