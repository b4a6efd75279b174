/**
 * Waiting without sleeping, for what is expected any moment.
 *
 * Waking a thread takes a tenth of a millisecond: the notification, an idle processor that comes back, the way into the
 * thread. Who looks for as long as a wake costs before it sleeps has waited twice as long as the best choice at most,
 * whenever the change comes. Launches mostly follow one another at once.
 */
const SPIN_MS = 0.1;
/** Looks at the word between two looks at the clock. */
const LOOKS = 64;

const pause: () => void = (Atomics as { pause?: () => void }).pause ?? (() => {});

/** Whether the word was found to be other than `seen`. */
export function spinWhile(words: Int32Array, index: number, seen: number): boolean {
  const end = performance.now() + SPIN_MS;
  do {
    for (let i = 0; i < LOOKS; i++) {
      if (Atomics.load(words, index) !== seen) return true;
      pause();
    }
  } while (performance.now() < end);
  return false;
}

/** Whether this thread may sleep: the main thread of a page may not. */
let maySleep: boolean | null = null;

function canSleep(): boolean {
  if (maySleep !== null) return maySleep;
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0);
    return (maySleep = true);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return (maySleep = false);
  }
}

/** Sleeps while the word is `seen`, for so long at most. A thread that may not sleep looks again and again. */
export function waitWhile(words: Int32Array, index: number, seen: number, mostMs: number): void {
  if (canSleep()) Atomics.wait(words, index, seen, mostMs);
  else {
    const end = performance.now() + mostMs;
    while (!spinWhile(words, index, seen) && performance.now() < end);
  }
}
