/** The stepper and its replay. Every kernel of the executors' suite, and random ones: stepper.long.test.ts. */
import { expect, test } from "vitest";
import { readExecutorSuite } from "../engine/suite-files-node.ts";
import { describeStep, stepperExecutor } from "./recorder-executor.test-helper.ts";
import { Replay } from "./replay.ts";

const suite = readExecutorSuite();
const CASES = ["named_barriers", "divergent_shuffle", "atomic_64", "tiled_matmul", "cas_loop"];

test.each(suite.cases.filter(({ name }) => CASES.includes(name)).map((c) => [c.name, c] as const))(
  "what the suite's %s computes",
  (_, c) => {
    expect(suite.check(stepperExecutor(), suite.open(), c)).toBeNull();
  },
);

test.each(["warp_reduction", "barrier_in_divergent_warps"])(
  "backwards and forwards, every step of %s is the same",
  (name) => {
    const c = suite.cases.find((one) => one.name === name) as (typeof suite.cases)[number];
    let compared = 0;
    const executor = stepperExecutor((recording) => {
      if (compared > 0) return;
      const replay = new Replay(structuredClone(recording));
      const forwards = Array.from({ length: recording.stepCount }, (_, step) => describeStep(replay, step));
      const other = new Replay(recording);
      for (let step = recording.stepCount - 1; step >= 0; step--)
        expect(describeStep(other, step)).toBe(forwards[step]);
      compared = recording.stepCount;
    });
    expect(suite.check(executor, suite.open(), c)).toBeNull();
    expect(compared).toBeGreaterThan(0);
  },
);
