/**
 * Threads of a host program (hostlib/threads.cpp): each is a worker with an instance of its own over the program's
 * shared memory. One has the turn. All calls of a worker go to the owner, which has the devices, the files and the
 * streams; it answers them while it waits for its turn.
 */
import { leaveByTrap } from "../wasi/wasi.ts";
import type { WasmFunction } from "../wasi/wasi-model.ts";
import { CALL, OWNER, ThreadWords, WORD } from "./thread-words.ts";

/** What a worker needs to begin. */
export interface HostThreadData {
  readonly wasm: Uint8Array;
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly words: SharedArrayBuffer;
  readonly thread: number;
  readonly stack: number;
  /** The thread's own variables. */
  readonly locals: number;
  /** The argument of __heddle_thread_main. */
  readonly argument: number;
}

/** Starts a worker that calls `runHostThread` with the data. */
export type HostThreadSpawner = (data: HostThreadData) => { terminate(): void };

/** What the owner knows of its program. */
export interface ThreadOwner {
  readonly wasm: Uint8Array;
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** The memory may have grown on another thread. */
  refresh(): void;
  /** Calls that follow are made by this thread. */
  actAs(thread: number): void;
}

interface Ended {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

export class HostThreads {
  readonly #spawn: HostThreadSpawner | null;
  #made: ThreadWords | null = null;
  readonly #workers: { terminate(): void }[] = [];
  #owner: ThreadOwner | null = null;
  #calls: readonly WasmFunction[] = [];
  #failure: unknown = null;

  constructor(spawn: HostThreadSpawner | null) {
    this.#spawn = spawn;
  }

  /** Made for the first thread: pages that are not isolated have no memory to share. */
  get #words(): ThreadWords {
    return (this.#made ??= new ThreadWords());
  }

  /** @param calls the program's imports, in their order */
  open(owner: ThreadOwner, calls: readonly WasmFunction[]): void {
    this.#owner = owner;
    this.#calls = calls;
    if (this.#spawn !== null) Atomics.store(this.#words.words, WORD.turn, OWNER);
  }

  readonly imports: ReadonlyMap<string, WasmFunction> = new Map<string, WasmFunction>([
    [
      "__heddle_thread_start",
      (thread: number, stack: number, locals: number, argument: number) => this.#start(thread, stack, locals, argument),
    ],
    ["__heddle_thread_switch", (from: number, to: number) => this.#switch(from, to)],
  ] as [string, WasmFunction][]);

  /** Why the program ended, if another thread ended it: an error as if it had been thrown on the owner's thread. */
  get failure(): unknown {
    return this.#failure;
  }

  close(): void {
    for (const worker of this.#workers) worker.terminate();
  }

  #start(thread: number, stack: number, locals: number, argument: number): number {
    const owner = this.#owner;
    if (this.#spawn === null || owner === null) return 0;
    const { wasm, module, memory } = owner;
    this.#workers.push(
      this.#spawn({ wasm, module, memory, words: this.#words.buffer, thread, stack, locals, argument }),
    );
    return 1;
  }

  /** The owner's own switch; workers have another one (host-thread.ts). */
  #switch(_from: number, to: number): void {
    const { words } = this.#words;
    const owner = this.#owner as ThreadOwner;
    this.#words.handOver(to);
    this.#words.waitUntil(OWNER, () => {
      while (Atomics.load(words, WORD.call) === CALL.asked) this.#answer(owner);
      return (
        this.#failure !== null || Atomics.load(words, WORD.trapBytes) > 0 || Atomics.load(words, WORD.turn) === OWNER
      );
    });
    owner.refresh();
    owner.actAs(OWNER);
    if (Atomics.load(words, WORD.trapBytes) > 0) this.#failure = this.#trap();
    // Not thrown itself: the destructors of the owner's frames would run.
    if (this.#failure !== null) leaveByTrap();
  }

  /** Makes a worker's call. What it throws, if the program is left or ends, is thrown on the owner's thread. */
  #answer(owner: ThreadOwner): void {
    const { words } = this.#words;
    const thread = Atomics.load(words, WORD.turn);
    const count = Atomics.load(words, WORD.valueCount);
    const values = Array.from({ length: count }, (_, index) => this.#words.get(index));
    owner.refresh();
    owner.actAs(thread);
    let outcome: number = CALL.answered;
    try {
      const call = this.#calls[Atomics.load(words, WORD.importIndex)] as WasmFunction;
      this.#words.put(0, call(...(values as never[])));
    } catch (error) {
      this.#failure = error;
      outcome = CALL.left;
    }
    Atomics.store(words, WORD.call, outcome);
    this.#words.wake(thread);
  }

  /** A trap of another thread, as if it were the owner's. */
  #trap(): Error {
    const bytes = this.#words.text.slice(0, Atomics.load(this.#words.words, WORD.trapBytes));
    const { name, message, stack } = JSON.parse(new TextDecoder().decode(bytes)) as Ended;
    const error = name === "RangeError" ? new RangeError(message) : new WebAssembly.RuntimeError(message);
    error.stack = stack;
    return error;
  }
}
