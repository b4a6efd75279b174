/** The stepper and its replay. Every kernel of the executors' suite, and random ones: stepper.long.test.ts. */
import { expect, test } from "vitest";
import { runWith } from "../engine/thread-tier/compared-runs.test-helper.ts";
import { readExecutorSuite } from "../engine/suite-files-node.ts";
import { describeStep, stepperExecutor } from "./recorder-executor.test-helper.ts";
import type { BlockRecording } from "./recording.ts";
import { Replay } from "./replay.ts";

const suite = readExecutorSuite();
const CASES = ["named_barriers", "divergent_shuffle", "atomic_64", "tiled_matmul", "cas_loop"];

test.each(suite.cases.filter(({ name }) => CASES.includes(name)).map((c) => [c.name, c] as const))(
  "what the suite's %s computes",
  (_, c) => {
    expect(suite.check(stepperExecutor(), suite.open(), c)).toBeNull();
  },
);

/** Every step looks the same on the way to the end and on the way back. Returns how many steps there are. */
function compareBothWays(recording: BlockRecording): number {
  const replay = new Replay(structuredClone(recording));
  const forwards = Array.from({ length: recording.stepCount }, (_, step) => describeStep(replay, step));
  const other = new Replay(recording);
  for (let step = recording.stepCount - 1; step >= 0; step--) expect(describeStep(other, step)).toBe(forwards[step]);
  return recording.stepCount;
}

test.each(["warp_reduction", "barrier_in_divergent_warps"])(
  "backwards and forwards, every step of %s is the same",
  (name) => {
    const c = suite.cases.find((one) => one.name === name) as (typeof suite.cases)[number];
    let compared = 0;
    const executor = stepperExecutor((recording) => {
      if (compared === 0) compared = compareBothWays(recording);
    });
    expect(suite.check(executor, suite.open(), c)).toBeNull();
    expect(compared).toBeGreaterThan(0);
  },
);

test("warps that wait for products of their warpgroup go on when all have committed them", () => {
  const ir = `
declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()
declare void @llvm.nvvm.wgmma.wait_group.sync.aligned(i32)
define ptx_kernel void @k(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i32 0)
  %at = getelementptr i32, ptr %out, i32 %t
  store i32 %t, ptr %at
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i32 0)
  ret void
}`;
  let compared = 0;
  const executor = stepperExecutor((recording) => (compared = compareBothWays(recording)));
  const out = Array.from({ length: 128 }, (_, t) => t);
  expect(runWith(executor, ir, { grid: 1, block: 128 }, 128)).toEqual({ fault: null, output: "", out });
  expect(compared).toBeGreaterThan(8);
});
