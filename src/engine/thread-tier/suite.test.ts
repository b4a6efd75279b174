import { describe, expect, test } from "vitest";
import { enableWasmFeatures } from "../emit/v8-flags-node.ts";
import { readExecutorSuite } from "../suite-files-node.ts";
import { createThreadExecutor } from "./thread-executor.ts";

enableWasmFeatures();
const suite = readExecutorSuite();

describe("the thread tier", () => {
  const opened = suite.open();
  const executor = createThreadExecutor();
  test.each(suite.cases.map((c) => [c.name, c] as const))("%s", (_name, c) => {
    expect(suite.check(executor, opened, c)).toBeNull();
  });
});
