/** Waits for a stream or an event by polling, so that the wait can end after a timeout. */
import { DriverStatus } from "./driver.ts";
import type { ForeignFunction } from "./foreign-library.ts";

/** `pollUntilDone` gave up. This value is no CUresult. */
export const TIMED_OUT = -1;

/** The thread spins for this long, because waking up takes longer than most kernels run. After that it sleeps. */
const SPIN_MS = 2;
const LONGEST_SLEEP_MS = 1;

const sleepWord = new Int32Array(new SharedArrayBuffer(4));

/** @param query cuStreamQuery or cuEventQuery. @returns its last status, or TIMED_OUT. */
export function pollUntilDone(query: ForeignFunction, handle: number, timeoutMs: number | null): number {
  let status = query(handle);
  if (status !== DriverStatus.notReady) return status;
  const started = performance.now();
  for (let iteration = 1; ; iteration++) {
    status = query(handle);
    if (status !== DriverStatus.notReady) return status;
    if (iteration % 16 !== 0) continue;
    const elapsed = performance.now() - started;
    if (timeoutMs !== null && elapsed > timeoutMs) return TIMED_OUT;
    if (elapsed > SPIN_MS) sleep(Math.min(LONGEST_SLEEP_MS, elapsed / 50));
  }
}

function sleep(milliseconds: number): void {
  Atomics.wait(sleepWord, 0, 0, milliseconds);
}
