import { expect, test } from "vitest";
import { Harness } from "../harness.ts";
import { createInterpreter } from "../interpreter/interpreter.ts";
import { generateProgram } from "./generate.ts";
import { emitProgram } from "./emit.ts";
import { runCase } from "./run-case.ts";

const MAX_STEPS = 400_000;

test("the same seed makes the same program", () => {
  expect(emitProgram(generateProgram(7))).toBe(emitProgram(generateProgram(7)));
  expect(emitProgram(generateProgram(7))).not.toBe(emitProgram(generateProgram(8)));
});

test("every schedule gives the same result: threads forward and backward, long turns and short", () => {
  const harness = new Harness();
  const executors = [
    createInterpreter({ maxSteps: MAX_STEPS }),
    createInterpreter({ order: "reverse", quantum: 7, residentBlocks: 3 }),
  ];
  const kinds = { same: 0, "too-long": 0, different: 0 };
  for (let seed = 1; seed <= 30; seed++) {
    const outcome = runCase(seed, executors, harness);
    kinds[outcome.kind]++;
    expect(outcome.kind === "different" ? `seed ${seed}: ${outcome.report}` : "").toBe("");
  }
  expect(kinds.same).toBeGreaterThan(20);
});
