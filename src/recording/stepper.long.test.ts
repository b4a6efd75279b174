/** The stepper runs warps in lockstep, with loops of its own: what kernels compute is what the interpreter computes. */
import { expect, test } from "vitest";
import { runCase } from "../engine/fuzz/run-case.ts";
import { Harness } from "../engine/harness.ts";
import { createInterpreter } from "../engine/interpreter/interpreter.ts";
import { readExecutorSuite } from "../engine/suite-files-node.ts";
import { stepperExecutor } from "./recorder-executor.test-helper.ts";

const suite = readExecutorSuite();
/** Its blocks wait for one another, and a recording has one. */
const NEEDS_THE_GRID = "grid_sync";
/** Half a minute of waiting in loops: in stepper.exhaustive.test.ts. */
const SLOW = "spin_lock";

test.each(suite.cases.filter(({ name }) => name !== NEEDS_THE_GRID && name !== SLOW).map((c) => [c.name, c] as const))(
  "the suite's %s",
  (_, c) => {
    expect(suite.check(stepperExecutor(), suite.open(), c)).toBeNull();
  },
);

test("random programs", () => {
  const harness = new Harness();
  const executors = [createInterpreter({ maxSteps: 400_000 }), stepperExecutor()];
  let same = 0;
  for (let seed = 100; seed < 130; seed++) {
    const outcome = runCase(seed, executors, harness);
    if (outcome.kind === "same") same++;
    expect(outcome.kind === "different" ? `seed ${seed}: ${outcome.report}` : "").toBe("");
  }
  expect(same).toBeGreaterThan(20);
});
