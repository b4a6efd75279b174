/**
 * A worker of the pool: sleeps on a word of shared memory, runs blocks of launches, never returns to its event loop.
 */
import type { BlockRunners } from "./block-worker.ts";
import { BlockWorker, leaveGate } from "./block-worker.ts";
import { CONTROL, GATE_OPEN, WORKER, WORKER_STATES, controlWords, workerWord } from "./control-words.ts";
import { unpackCode, unpackLaunch } from "./launch-record.ts";
import { sendMessage } from "./worker-messages.ts";
import { spinWhile } from "./spin.ts";

/** Given to the worker at birth. */
export interface PoolWorkerData {
  readonly memory: WebAssembly.Memory;
  readonly index: number;
  /** Threads among which blocks are shared out. */
  readonly threads: number;
}

/** Returns when the pool is closed. */
export function runPoolWorker({ memory, index, threads }: PoolWorkerData, runners: BlockRunners): void {
  const words = controlWords(memory);
  const thread = new BlockWorker(memory, runners, workerWord(index, WORKER.loop));
  const setState = (state: (typeof WORKER_STATES)[number]): void => {
    Atomics.store(words, workerWord(index, WORKER.state), WORKER_STATES.indexOf(state));
  };
  const signal = (): void => {
    Atomics.add(words, CONTROL.signal, 1);
    Atomics.notify(words, CONTROL.signal);
  };
  setState("ready");
  signal();
  /** The next launch may come at once, and no other thread needs this processor. */
  let spins = false;
  for (let seen = -1; ;) {
    const generation = Atomics.load(words, CONTROL.generation);
    if (Atomics.load(words, CONTROL.close) !== 0) return;
    if (generation === seen) {
      if (!(spins && spinWhile(words, CONTROL.generation, seen))) Atomics.wait(words, CONTROL.generation, seen);
      spins = false;
      continue;
    }
    seen = generation;
    const mayEnter = (): boolean => index < Atomics.load(words, CONTROL.workerLimit);
    if (!mayEnter() || !enterGate(words)) continue;
    // This may be the next launch already, with another limit; from here on it stays.
    if (!mayEnter()) {
      Atomics.sub(words, CONTROL.gate, 1);
      signal();
      continue;
    }
    setState("running");
    const address = Atomics.load(words, CONTROL.launchAddress);
    const record = unpackLaunch(new Uint8Array(memory.buffer, address, Atomics.load(words, CONTROL.launchBytes)));
    const code = () => unpackCode(record.backend, new Uint8Array(memory.buffer, record.codeAddress, record.codeBytes));
    // Where all threads are workers, the coordinator sleeps, and needs a processor when they have ended.
    spins = Atomics.load(words, CONTROL.workerLimit) < threads;
    const message = thread.run(() => thread.runner(record.kernelId, code), record.launch, threads);
    if (message.output.length > 0 || message.fault !== null || message.error !== null)
      sendMessage(memory, index, message);
    setState("ready");
    leaveGate(words);
    signal();
  }
}

/** Marks a worker that died of an exception as dead; its launch ends with an error instead of waiting for it. */
export function reportDeath(memory: WebAssembly.Memory, index: number): void {
  const words = controlWords(memory);
  Atomics.store(words, workerWord(index, WORKER.state), WORKER_STATES.indexOf("dead"));
  Atomics.add(words, CONTROL.signal, 1);
  Atomics.notify(words, CONTROL.signal);
}

function enterGate(words: Int32Array): boolean {
  for (;;) {
    const gate = Atomics.load(words, CONTROL.gate);
    if ((gate & GATE_OPEN) === 0) return false;
    if (Atomics.compareExchange(words, CONTROL.gate, gate, gate + 1) === gate) return true;
  }
}
