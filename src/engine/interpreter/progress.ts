/**
 * Fairness and the proof of standstill.
 *
 * A thread that has run its quantum gives way at its next backward branch, so that a thread that spins cannot starve
 * the one it waits for. Around that moment its loop is watched: when it comes back to the same backward branch of the
 * same activation with the same values and no memory has changed, it will do so for ever unless another thread changes
 * memory. A launch in which every thread waits or spins in this sense is deadlocked; this is a proof, not a guess by
 * time. (Loops that read the clock or count their turns do not repeat, and are left to the timeout.)
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

/** nanosleep: gives way at once; a loop around it is recognised from one turn to the next. */
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

/** Whether the thread can do nothing until another one changes memory. */
export function isSpinning(thread: Thread): boolean {
  return thread.spinningSince === thread.block.grid.memory.version;
}
