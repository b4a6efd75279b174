/** The worker threads of a pool: started when they are needed, discarded when one has died. */
import type { CodeStore } from "./code-store.ts";
import { CONTROL, WORKER, WORKER_STATES, controlWords, workerWord } from "./control-words.ts";
import { MAILBOX_BYTES, MailboxReader } from "./worker-messages.ts";
import type { WorkerPoolOptions } from "./worker-pool-options.ts";

interface PoolWorker {
  readonly mailbox: MailboxReader;
  readonly mailboxAddress: number;
  readonly thread: { terminate(): void };
}

export class PoolThreads {
  readonly workers: PoolWorker[] = [];
  /** Why workers have died. */
  deaths: string[] = [];
  readonly #options: WorkerPoolOptions;
  readonly #code: CodeStore;

  constructor(options: WorkerPoolOptions, code: CodeStore) {
    this.#options = options;
    this.#code = code;
  }

  /** Starts threads until there are `count`. @param threads that may run blocks, the coordinator included */
  spawnUpTo(count: number, threads: number): void {
    const { spawn } = this.#options;
    const words = controlWords(this.#options.memory.wasm);
    while (spawn !== null && this.workers.length < count) {
      const index = this.workers.length;
      const mailboxAddress = this.#code.allocate(new Uint8Array(MAILBOX_BYTES));
      Atomics.store(words, workerWord(index, WORKER.state), WORKER_STATES.indexOf("starting"));
      Atomics.store(words, workerWord(index, WORKER.mailboxAddress), mailboxAddress);
      Atomics.store(words, workerWord(index, WORKER.mailboxRead), 0);
      Atomics.store(words, workerWord(index, WORKER.mailboxWritten), 0);
      let thread: { terminate(): void } | null = null;
      thread = spawn({ memory: this.#options.memory.wasm, index, threads }, (reason) => {
        if (thread !== null && this.workers[index]?.thread !== thread) return; // it was discarded
        this.deaths.push(reason);
        Atomics.add(words, CONTROL.signal, 1);
        Atomics.notify(words, CONTROL.signal);
      });
      this.workers.push({ mailbox: new MailboxReader(this.#options.memory.wasm, index), mailboxAddress, thread });
    }
  }

  /** A worker died: what it was doing is lost, and so is this launch. */
  abandon(): never {
    const reasons = this.deaths;
    this.discard();
    throw new Error(`BUG: a worker thread of the device died: ${reasons.join("; ")}`);
  }

  discard(): void {
    const words = controlWords(this.#options.memory.wasm);
    const workers = this.workers.splice(0);
    for (const worker of workers) {
      worker.thread.terminate();
      this.#options.memory.freeEngine(worker.mailboxAddress);
    }
    this.deaths = [];
    Atomics.store(words, CONTROL.gate, 0);
    Atomics.add(words, CONTROL.generation, 1);
    Atomics.notify(words, CONTROL.generation);
  }
}
