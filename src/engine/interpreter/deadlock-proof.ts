/**
 * Fairness, and the deadlock proof.
 *
 * A thread that has run its quantum yields at its next backward branch, so that a spinning thread cannot starve the one
 * it waits for. From then on the proof watches its loop. If the thread comes back to the same backward branch of the
 * same activation with the same values, and no memory has changed, it repeats itself for ever unless another thread
 * changes memory. A launch in which every thread waits or repeats itself is deadlocked. This is a proof, not a guess by
 * time. Loops that read the clock or count their iterations do not repeat, and are left to the timeout.
 */
import type { Frame, Thread } from "./thread.ts";

export function atBackEdge(thread: Thread, frame: Frame): void {
  const { quantum, memory } = thread.block.grid;
  if (thread.steps <= quantum) return;
  if (!thread.observing) {
    thread.observing = true;
    thread.snapshot = { frame, pc: frame.pc, values: [...frame.values], version: memory.version };
    return;
  }
  if (repeats(thread, frame)) {
    thread.spinningSince = memory.version;
    thread.state = "yielded";
  } else if (thread.steps > 2 * quantum) {
    thread.state = "yielded";
  }
}

/** nanosleep: yields at once. A loop around it is compared from one iteration to the next. */
export function giveWay(thread: Thread, frame: Frame): void {
  const { memory } = thread.block.grid;
  if (repeats(thread, frame)) thread.spinningSince = memory.version;
  else thread.snapshot = { frame, pc: frame.pc, values: [...frame.values], version: memory.version };
  thread.observing = true;
  thread.state = "yielded";
}

function repeats(thread: Thread, frame: Frame): boolean {
  const { snapshot } = thread;
  if (
    snapshot === null ||
    snapshot.frame !== frame ||
    snapshot.pc !== frame.pc ||
    snapshot.version !== thread.block.grid.memory.version
  )
    return false;
  return snapshot.values.every(
    (value, i) => Object.is(value, frame.values[i]) || sameAggregate(value, frame.values[i]),
  );
}

function sameAggregate(a: unknown, b: unknown): boolean {
  return (
    Array.isArray(a) &&
    Array.isArray(b) &&
    a.length === b.length &&
    a.every((value, i) => Object.is(value, b[i]) || sameAggregate(value, b[i]))
  );
}

/** True if the thread can do nothing until another one changes memory. */
export function isSpinning(thread: Thread): boolean {
  return thread.spinningSince === thread.block.grid.memory.version;
}
