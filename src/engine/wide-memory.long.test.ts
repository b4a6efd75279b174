/**
 * Both memory models give the same: random kernels with pointers of 32 bits in a memory of 4 GiB and in a wide one, and
 * with pointers of 64 bits in a wide memory. Where the JavaScript engine can, the arrays of the last lie above 4 GiB.
 */
import { describe, expect, test } from "vitest";
import { enableWasmFeatures } from "./emit/v8-flags-node.ts";
import { generateProgram } from "./fuzz/generate.ts";
import { caseOf, compareRuns } from "./fuzz/run-case.ts";
import { Harness } from "./harness.ts";
import { createInterpreter } from "./interpreter/interpreter.ts";
import { readExecutorSuite } from "./suite-files-node.ts";
import { createThreadExecutor } from "./thread-tier/thread-executor.ts";
import { createWarpExecutor } from "./warp-tier/warp-executor.ts";

enableWasmFeatures();
const [narrow, wide, far] = [new Harness(), new Harness(undefined, 0, "wide"), new Harness(undefined, 0, "far")];
const interpreter = createInterpreter({ maxSteps: 400_000 });
const memory = { wideMemory: true } as const;

test("random kernels, interpreted and compiled", () => {
  const kinds = { same: 0, "too-long": 0, different: 0 };
  const seeds = Number(process.env["HEDDLE_FUZZ_CASES"] ?? 6);
  for (let seed = 1; seed <= seeds; seed++) {
    const outcome = compareRuns(caseOf(generateProgram(seed)), [
      { executor: interpreter, harness: narrow, pointerBits: 32 },
      { executor: interpreter, harness: far, pointerBits: 64 },
      { executor: createThreadExecutor(memory), harness: far, pointerBits: 64 },
      { executor: createThreadExecutor(memory), harness: wide, pointerBits: 32 },
      { executor: createWarpExecutor(memory), harness: wide, pointerBits: 32 },
    ]);
    kinds[outcome.kind]++;
    expect(outcome.kind === "different" ? `seed ${seed}: ${outcome.report}` : "").toBe("");
  }
  expect(kinds.same).toBeGreaterThan(seeds / 2);
});

const suite = readExecutorSuite();
describe.each([createThreadExecutor(memory), createInterpreter()])("an H200's results, by $name", (executor) => {
  const opened = suite.openFar();
  const cases = suite.cases.filter(({ name }) => name !== "virtual_calls");
  test.each(cases.map((c) => [c.name, c] as const))("%s", (_name, c) => {
    expect(suite.check(executor, opened, c)).toBeNull();
  });
});
