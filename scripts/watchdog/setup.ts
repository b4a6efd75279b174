/**
 * Watches the tests of a process (a setup file of Vitest, see vitest.config.ts): one that blocks the event loop for too
 * long is named, and its process is ended (thread.mjs). Time limits of tests do not help there: their timers never
 * fire.
 *
 * HEDDLE_TEST_HANG_SECONDS sets the limit: of processor time, so that a busy machine ends no test that goes on; and
 * three times as much of time that passes, for what waits and computes next to nothing.
 */
import { Worker } from "node:worker_threads";
import { afterAll, beforeEach, expect } from "vitest";

const DEFAULT_SECONDS = 300;
const WALL_PER_CPU = 3;
const BEAT_MS = 200;
const TEXT_BYTES = 2048;

interface Watch {
  /** Beats, bytes of the text, and a word that nobody changes. */
  readonly words: Int32Array;
  readonly text: Uint8Array;
}

const KEY: unique symbol = Symbol.for("heddle.watchdog");
const holder = globalThis as { [KEY]?: Watch };

/** One thread for a process, whatever number of files it runs. */
function watch(): Watch {
  const seconds = Number(process.env["HEDDLE_TEST_HANG_SECONDS"] ?? DEFAULT_SECONDS);
  const shared: Watch = {
    words: new Int32Array(new SharedArrayBuffer(12)),
    text: new Uint8Array(new SharedArrayBuffer(TEXT_BYTES)),
  };
  new Worker(new URL("./thread.mjs", import.meta.url), {
    workerData: { ...shared, limits: { cpuSeconds: seconds, wallSeconds: WALL_PER_CPU * seconds } },
    execArgv: [],
    env: {},
    name: "watchdog of the tests",
  }).unref();
  setInterval(() => Atomics.add(shared.words, 0, 1), BEAT_MS).unref();
  return shared;
}

const { words, text } = (holder[KEY] ??= watch());

function note(where: string): void {
  const { written } = new TextEncoder().encodeInto(where, new Uint8Array(TEXT_BYTES));
  text.set(new TextEncoder().encode(where).subarray(0, written));
  Atomics.store(words, 1, written);
  Atomics.add(words, 0, 1);
}

const file = expect.getState().testPath ?? "a test file";
note(`${file}, while it is loaded,`);
beforeEach(({ task }) => {
  const names: string[] = [task.name];
  for (let suite = task.suite; suite?.name; suite = suite.suite) names.unshift(suite.name);
  note([file, ...names].join(" > "));
});
afterAll(() => note(`${file}, at its end,`));
