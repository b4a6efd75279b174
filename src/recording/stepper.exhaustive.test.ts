/** The case of stepper.long.test.ts that takes half a minute: threads that wait for one another in loops. */
import { expect, test } from "vitest";
import { readExecutorSuite } from "../engine/suite-files-node.ts";
import { stepperExecutor } from "./recorder-executor.test-helper.ts";

test("the suite's spin_lock", () => {
  const suite = readExecutorSuite();
  const cases = suite.cases.filter(({ name }) => name === "spin_lock");
  expect(cases).toHaveLength(1);
  for (const c of cases) expect(suite.check(stepperExecutor(), suite.open(), c)).toBeNull();
});
