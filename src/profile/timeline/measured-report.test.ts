/** Times of a GPU's kernels: medians, spread, and what the driver says of registers. */
import { expect, test } from "vitest";
import { gpuProperties } from "../../device/emulated/gpus.ts";
import { measuredReport } from "./measured-report.ts";
import { measuredText } from "./measured-text.ts";
import { TimelineRecorder } from "./timeline-recorder.ts";
import type { TimelineOperation } from "./timeline.ts";

const launch = (blocks: number): TimelineOperation["launch"] => ({
  grid: { x: blocks, y: 1, z: 1 },
  block: { x: 256, y: 1, z: 1 },
  dynamicSharedBytes: 0,
  staticSharedBytes: 1024,
  localBytesPerThread: 16,
  registersPerThread: 128,
  index: null,
});

test("launches of one kernel and shape together, and copies by direction", () => {
  const recorder = new TimelineRecorder(() => 0);
  const common = { device: 0, stream: 0, startMs: 0, range: null, bytes: null, call: null };
  for (const durationMs of [0.004, 0.001, 0.002, 0.003, 0.01])
    recorder.operation({ ...common, kind: "kernel", name: "_Z1ki", durationMs, launch: launch(264) });
  recorder.operation({ ...common, kind: "kernel", name: "_Z1ki", durationMs: 0.03, launch: launch(132) });
  for (const bytes of [1000, 1e6])
    recorder.operation({
      ...common,
      kind: "copy",
      name: "copy, host to device",
      durationMs: 0.025,
      bytes,
      launch: null,
    });
  recorder.operation({ ...common, kind: "host function", name: "host function", durationMs: 99, launch: null });
  recorder.lost();
  const report = measuredReport(recorder.timeline("gpu-events", []), gpuProperties("h200"));
  expect(report.kernels.map(({ count, medianMs, minMs, maxMs }) => [count, medianMs, minMs, maxMs])).toEqual([
    [1, 0.03, 0.03, 0.03],
    [5, 0.003, 0.001, 0.01],
  ]);
  const [single, several] = report.kernels;
  expect(several?.middleHalfMs).toBeCloseTo(0.002, 12);
  expect(several?.share).toBeCloseTo(0.2, 12);
  // 128 registers a thread: 65536 / (128 · 256) = 2 blocks of the 8 that the warps would allow.
  expect(several?.facts).toMatchObject({
    registersFrom: "driver",
    registersPerThread: 128,
    waves: 1,
    occupancy: { blocks: 2, limit: "registers", part: 0.25 },
  });
  expect(single?.facts.waves).toBe(0.5);
  expect(report.transfers).toMatchObject([{ name: "copy, host to device", count: 2, bytes: 1_001_000 }]);
  expect(report.transfers[0]?.totalMs).toBeCloseTo(0.05, 12);
  const text = measuredText(report, { readable: () => "k(int)", color: false });
  expect(text).toMatch(/6 kernel launches, measured by events on an NVIDIA H200/);
  expect(text).toMatch(/k\(int\) {2}grid 264, block 256, 5 launches\n {2}time +3\.00 µs in the median, from 1\.00 µs/);
  expect(text).toMatch(/128 registers a thread, 1024 bytes of shared memory a block, 16 bytes of local memory/);
  expect(text).toMatch(/copy, host to device {2}2 times, 1\.001 MB, 50\.0 µs, 20\.02 GB\/s/);
  expect(text).toMatch(/1 operation before a fault without a time/);
  expect(text).toMatch(/without --device cuda counts/);
});
