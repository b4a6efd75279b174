/** Recordings of a device with a queue: times come from events around the work, and graphs are one piece. */
import { expect, test } from "vitest";
import type { Device, GpuKernel } from "../device/device.ts";
import { SimulatedQueue } from "../runtime/cuda/api-timeline/queue.test-helper.ts";
import { LibraryRecording, record, recordLaunch, replaceRecording, unrecorded } from "./recording.ts";

const config = { grid: { x: 2, y: 1, z: 1 }, block: { x: 32, y: 1, z: 1 }, sharedBytes: 0 };
const kernel = { name: "k", staticSharedBytes: 16, localBytesPerThread: 0, registers: 40 } as GpuKernel;

test("launches, copies and graphs of a GPU, by stream", async () => {
  const simulated = new SimulatedQueue();
  const { queue } = simulated;
  const device = {
    kind: "cuda",
    queue,
    fault: null,
    properties: { name: "a GPU" },
    synchronize: () => Promise.resolve(queue.waitBlocking()),
  } as unknown as Device;
  const outcome = { fault: null, output: "", reused: false, elapsedMs: 99 };
  const launch = (): Promise<typeof outcome> => {
    simulated.work(0, 2);
    return Promise.resolve(outcome);
  };
  const recording = new LibraryRecording();
  expect(replaceRecording(recording)).toBe(null);
  expect(await recordLaunch(device, kernel, { ...config, stream: 7 }, launch)).toBe(outcome);
  record(device, { kernel, config: { ...config, stream: 7 } }, () => simulated.work(7, 3));
  record(device, { copied: "host to device", bytes: 4 }, () => simulated.work(0, 1));
  unrecorded(() => record(device, { kernel, config }, () => undefined));
  record(device, { graphOn: 7 }, () => simulated.work(7, 4));
  expect(replaceRecording(null)).toBe(recording);
  record(device, { filled: 4 }, () => simulated.work(0, 100));
  const timeline = await recording.finish();
  expect(timeline).toMatchObject({ timeSource: "gpu-events", devices: [{ ordinal: 0, name: "a GPU" }], untimed: 0 });
  expect(timeline.streams.map(({ stream, name }) => [stream, name])).toEqual([
    [0, "default stream"],
    [7, "stream 1"],
  ]);
  const found = timeline.operations.map(({ kind, name, stream, durationMs, bytes }) =>
    JSON.stringify([kind, name, stream, durationMs, bytes]),
  );
  expect(new Set(found)).toEqual(
    new Set([
      '["kernel","k",0,2,null]',
      '["kernel","k",7,3,null]',
      '["copy","copy, host to device",0,1,4]',
      '["graph","graph",7,4,null]',
    ]),
  );
  expect(timeline.operations.find(({ kind }) => kind === "kernel")?.launch).toMatchObject({
    registersPerThread: 40,
    staticSharedBytes: 16,
  });
});
