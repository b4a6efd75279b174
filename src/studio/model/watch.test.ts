/** What the view of a recording shows, without a browser. */
import { expect, test } from "vitest";
import { readExecutorSuite } from "../../engine/suite-files-node.ts";
import type { BlockRecording } from "../../recording/recording.ts";
import { stepperExecutor } from "../../recording/recorder-executor.test-helper.ts";
import { accessRows, bitCount, laneStates, lanesLabel, moved, openWatched, timeLine, warpRows } from "./watch.ts";

const suite = readExecutorSuite();

function recordingOf(name: string): BlockRecording {
  let first: BlockRecording | null = null;
  const c = suite.cases.find((one) => one.name === name) as (typeof suite.cases)[number];
  suite.check(
    stepperExecutor((recording) => (first ??= recording)),
    suite.open(),
    c,
  );
  return first as unknown as BlockRecording;
}

test("a block with barriers: lanes, warps, time, ways through it", () => {
  const opened = openWatched(recordingOf("barrier_in_divergent_warps"));
  expect(opened.stepCount).toBeGreaterThan(opened.warpCount);
  const states = laneStates(opened);
  expect(states.filter((state) => state === "active")).toHaveLength(bitCount(opened.view.mask));
  expect(lanesLabel(states)).toContain("active");
  expect(warpRows(opened)).toHaveLength(opened.warpCount);
  const { rows, at } = timeLine(opened);
  expect(rows).toHaveLength(opened.warpCount);
  expect(rows.flat().some(({ isBarrier }) => isBarrier)).toBe(true);
  expect(at).toBe(0);
  const last = moved(opened, { kind: "to", step: opened.stepCount - 1 });
  expect(last.view.step).toBe(opened.stepCount - 1);
  const back = moved(last, { kind: "to", step: opened.view.step });
  expect(back.view).toEqual(opened.view);
});

test("an access has its cost beside the ideal, and a picture", () => {
  const opened = openWatched(recordingOf("tiled_matmul"));
  for (let step = 0; step < opened.stepCount; step++) {
    const rows = accessRows(moved(opened, { kind: "to", step }));
    if (rows.length === 0) continue;
    expect(rows[0]?.text).toMatch(/^(global|shared) (load|store) of \d+ bytes? by \d+ lanes?: \d+ \w+, ideally \d+$/);
    expect(rows[0]?.picture.text).toContain("<svg");
    return;
  }
  expect.unreachable("no step accesses memory");
});
