import { expect, test } from "vitest";
import type { LoopAccesses } from "../launch-profile.ts";
import { passesOf } from "./passes.ts";

function loop(line: number, loads: Partial<LoopAccesses>): LoopAccesses {
  const none = { requests: 0, asynchronous: 0, inSteps: 0, sectors: 0, ideal: 0, stored: 0 };
  return { file: "a.cu", line, isLoop: true, array: "param x", ...none, ...loads };
}

test("loops that go through the same array, as they come", () => {
  const metrics = { "dram__bytes_read.sum": 32 * 1000, "dram__bytes_write.sum": 0 };
  const whole = { requests: 250, sectors: 1000, ideal: 1000 };
  const linesOf = (loops: readonly LoopAccesses[]): number[][] =>
    passesOf({ loops }, metrics).map((passes) => passes.loops.map(({ line }) => line));
  expect(linesOf([loop(3, whole), loop(1, whole), loop(2, { ...whole, array: "param y" })])).toEqual([[1, 3]]);
  // What follows a whole pass, such as the rest of an unrolled loop, is no pass; neither is what is in no loop.
  expect(linesOf([loop(1, whole), loop(2, { requests: 5, sectors: 20, ideal: 20 })])).toEqual([]);
  expect(linesOf([loop(1, whole), loop(2, { ...whole, isLoop: false })])).toEqual([]);
  // The first loop may have written what the second one reads.
  expect(linesOf([loop(1, { stored: 1000 }), loop(2, whole)])).toEqual([[1, 2]]);
  // A loop that loads all of it again and again has another flaw.
  expect(linesOf([loop(1, { ...whole, ideal: 9000 }), loop(2, { ...whole, ideal: 9000 })])).toEqual([]);
});
