/**
 * The contract suite: what the warp tier takes it must get right; what it leaves to the thread tier is named, with the
 * reason.
 */
import { expect, test } from "vitest";
import { HeddleError } from "../../base/diagnostics.ts";
import { readExecutorSuite } from "../suite-files-node.ts";
import { enableWasmFeatures } from "../emit/v8-flags-node.ts";
import { createWarpExecutor } from "./warp-executor.ts";

enableWasmFeatures();
const suite = readExecutorSuite();
const executor = createWarpExecutor();

/** Kernels that this tier cannot run, by the start of the reason that it gives. */
const LEFT_TO_THREADS: Readonly<Record<string, string>> = {
  recursion: "calls that cannot be inlined",
  function_pointers: "calls that cannot be inlined",
  virtual_calls: "calls that cannot be inlined",
  divergent_calls: "calls that cannot be inlined",
  partial_masks: "llvm.nvvm.",
  divergent_shuffle: "llvm.nvvm.shfl.sync",
  spin_lock: "a loop that may wait for other threads",
  block_chain: "a loop that may wait for other threads",
  grid_sync: "__heddle_grid_sync",
};

test.each(suite.cases.map((c) => [c.name, c] as const))("%s", (_, c) => {
  const opened = suite.open();
  let reason: string | null = null;
  let wrong: string | null = null;
  try {
    wrong = suite.check(executor, opened, c);
  } catch (error) {
    if (!(error instanceof HeddleError) || error.code !== "unsupported") throw error;
    reason = error.message;
  }
  expect(wrong).toBeNull();
  const known = LEFT_TO_THREADS[c.name];
  if (known === undefined) expect(reason).toBeNull();
  else expect(reason).toContain(`(${known}`);
});
