/**
 * A thread beside the tests of a process. Nothing interrupts WebAssembly or JavaScript that runs without an end, and no
 * timer of the thread that runs it fires: so this one ends the process, and says in which file and test it hung.
 */
import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";

/** See setup.ts. */
const { words, text, limits } = workerData;
const BEATS = 0;
const TEXT_BYTES = 1;
const LOOK_MS = 250;
/** What waits takes less of a processor than this. */
const IDLE_SHARE = 0.02;

const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

function end(why) {
  const where = new TextDecoder().decode(text.slice(0, Atomics.load(words, TEXT_BYTES)));
  writeSync(2, `\n*** ${where} hangs: ${why}. The watchdog ends its process.\n\n`);
  process.kill(process.pid, "SIGKILL");
}

let seen = -1;
let [cpu, wall] = [0, 0];
for (;;) {
  const beats = Atomics.load(words, BEATS);
  if (beats !== seen) {
    seen = beats;
    [cpu, wall] = [cpuSeconds(), performance.now() / 1000];
  }
  const [usedCpu, usedWall] = [cpuSeconds() - cpu, performance.now() / 1000 - wall];
  if (usedCpu > limits.cpuSeconds) end(`it computed for ${Math.round(usedCpu)} s without a pause`);
  // A busy machine may give the process little, but not nothing.
  const isIdle = usedCpu < IDLE_SHARE * usedWall;
  if (isIdle && usedWall > limits.wallSeconds) end(`it was blocked for ${Math.round(usedWall)} s`);
  Atomics.wait(words, 2, 0, LOOK_MS);
}
