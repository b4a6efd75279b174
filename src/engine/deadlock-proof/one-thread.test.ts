/** When the states of spinning tasks are compared: after 16 quiet rounds, and later where they differed. */
import { expect, test } from "vitest";
import type { Task } from "../schedule/task.ts";
import { DeadlockProof } from "./one-thread.ts";

const task = (...bytes: number[]): Task => ({ state: () => Uint8Array.from(bytes) }) as unknown as Task;

/** Rounds without a change until states are compared. */
function quietRounds(proof: DeadlockProof, memoryVersion: number): number {
  let rounds = 0;
  for (; !proof.isComparisonDue; rounds++) expect(proof.noteRound(false, memoryVersion)).toBe(false);
  return rounds;
}

test("states are compared after 16 rounds in which tasks only spin, and again after the next", () => {
  const proof = new DeadlockProof(7);
  expect(proof.isQuiet).toBe(false);
  expect(quietRounds(proof, 7)).toBe(16);
  expect(proof.isQuiet).toBe(true);
  expect(proof.compare([task(1), task(2)])).toBe("unknown");
  expect(quietRounds(proof, 7)).toBe(1);
  expect(proof.compare([task(1), task(2)])).toBe("repeated");
});

test("where states differ, twice as many rounds pass before the next comparison", () => {
  const proof = new DeadlockProof(0);
  expect(quietRounds(proof, 0)).toBe(16);
  expect(proof.compare([task(1)])).toBe("unknown");
  expect(quietRounds(proof, 0)).toBe(1);
  expect(proof.compare([task(2)])).toBe("moved");
  expect(quietRounds(proof, 0)).toBe(17);
  expect(proof.compare([task(2)])).toBe("unknown");
});

test("progress and changed memory begin the count anew, a released task and a new block as well", () => {
  const proof = new DeadlockProof(0);
  for (let i = 0; i < 15; i++) proof.noteRound(false, 0);
  expect(proof.noteRound(true, 0)).toBe(true);
  expect(proof.isQuiet).toBe(false);
  for (let i = 0; i < 15; i++) proof.noteRound(false, 0);
  expect(proof.noteRound(false, 1)).toBe(true);
  expect(quietRounds(proof, 1)).toBe(16);
  proof.noteRelease();
  expect(quietRounds(proof, 1)).toBe(16);
  expect(proof.compare([task(1)])).toBe("unknown");
  proof.noteNewBlock();
  expect(quietRounds(proof, 1)).toBe(17);
  expect(proof.compare([task(1)])).toBe("unknown");
});
