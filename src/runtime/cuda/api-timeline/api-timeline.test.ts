/** What the calls of a program leave in a timeline: on a device without a queue, and on one with a queue. */
import { expect, test } from "vitest";
import type { Timeline } from "../../../profile/timeline/timeline.ts";
import { scopeOf } from "../../../profile/timeline/timeline.ts";
import { TimelineRecorder } from "../../../profile/timeline/timeline-recorder.ts";
import type { Device } from "../../../device/device.ts";
import { workTracer, type WorkTracer } from "../work/work-tracer.ts";
import { openApi, type ApiProgram } from "../api-functions/api.test-helper.ts";
import { ApiTimeline } from "./api-timeline.ts";
import { SimulatedQueue } from "./queue.test-helper.ts";

const [HOST_TO_DEVICE, DEVICE_TO_HOST, INFER] = [1, 2, 4];
const HOST = 4096;
const TEXT = 2048;
const ATTRIBUTES = 3072;

const text = ({ memory }: ApiProgram, words: string): number => {
  memory.setCString(TEXT, words, 100);
  return TEXT;
};

const wide = ({ memory }: ApiProgram, words: string): number => {
  [...words, "\0"].forEach((letter, i) => memory.setU32(TEXT + 4 * i, letter.codePointAt(0) as number));
  return TEXT;
};

/** nvtxEventAttributes_t with a registered message, a category, a colour and a double. */
function attributes({ memory, call }: ApiProgram): number {
  const handle = call("nvtxDomainRegisterStringA", 0, text({ memory } as ApiProgram, "registered"));
  memory.setU32(ATTRIBUTES + 4, 9);
  memory.setU32(ATTRIBUTES + 8, 1);
  memory.setU32(ATTRIBUTES + 12, 0xff00_00ff);
  memory.setU32(ATTRIBUTES + 16, 3);
  memory.view.setFloat64(ATTRIBUTES + 24, 2.5, true);
  memory.setU32(ATTRIBUTES + 32, 3);
  memory.setU32(ATTRIBUTES + 36, handle);
  return ATTRIBUTES;
}

/** The program of these tests. @param tick called between its steps */
function run(api: ApiProgram, tick: () => void): void {
  const { call, memory } = api;
  const ok = (name: string, ...values: number[]): void => expect(call(name, ...values), name).toBe(0);
  ok("cudaMalloc", 1024, 256);
  const device = memory.u32(1024);
  ok("cudaStreamCreate", 1028);
  const stream = memory.u32(1028);
  call("nvtxNameCudaStreamA", stream, text(api, "mine"));
  call("nvtxNameOsThreadA", 1, text(api, "worker"));
  tick();
  expect(call("nvtxRangePushA", text(api, "outer"))).toBe(0);
  ok("cudaMemcpy", device, HOST, 256, HOST_TO_DEVICE);
  tick();
  expect(call("nvtxRangePushW", wide(api, "größer"))).toBe(1);
  ok("cudaMemsetAsync", device, 0, 128, stream);
  ok("cudaMemcpyAsync", HOST, device, 64, DEVICE_TO_HOST, stream);
  tick();
  expect([call("nvtxRangePop"), call("nvtxRangePop"), call("nvtxRangePop")]).toEqual([1, 0, -2]);
  // What is refused, and what moves nothing, is no work.
  expect(call("cudaMemcpy", device, HOST, 1 << 20, HOST_TO_DEVICE)).not.toBe(0);
  ok("cudaMemcpyAsync", device, HOST, 0, INFER, stream);
  call("nvtxNameCategoryA", 9, text(api, "kind"));
  const domain = call("nvtxDomainCreateA", text(api, "io"));
  const at = attributes(api);
  expect(call("nvtxDomainRangePushEx", domain, at)).toBe(0);
  const id = call("nvtxRangeStartEx", at) as unknown as bigint;
  ok("cudaMemcpyAsync", device, HOST, 32, INFER, 0);
  call("nvtxDomainMarkEx", domain, at);
  call("nvtxRangeEnd", id);
  expect(call("nvtxDomainRangePop", domain)).toBe(0);
  ok("cudaDeviceSynchronize");
  tick();
}

const work = (timeline: Timeline): unknown[] =>
  timeline.operations.map(({ kind, name, stream, bytes, range }) => [
    kind,
    name,
    timeline.streams.find((one) => one.stream === stream)?.name,
    bytes,
    scopeOf(timeline, range).join("/"),
  ]);

const EXPECTED = [
  ["copy", "copy, host to device", "default stream", 256, "outer"],
  ["fill", "fill", "mine", 128, "outer/größer"],
  ["copy", "copy, device to host", "mine", 64, "outer/größer"],
  ["copy", "copy, host to device", "default stream", 32, "registered"],
];

test("a device without a queue: work is done within its call", () => {
  let now = 0;
  const own = new ApiTimeline(() => null, new TimelineRecorder(() => (now += 0.25)));
  run(openApi(own), () => undefined);
  const timeline = own.timeline();
  expect(work(timeline)).toEqual(EXPECTED);
  expect(timeline).toMatchObject({ timeSource: "emulation", thread: "worker", untimed: 0, notRecorded: 0 });
  for (const { call: id, startMs, durationMs } of timeline.operations) {
    const call = timeline.calls.find((one) => one.id === id);
    expect(call?.startMs).toBeLessThan(startMs);
    expect((call?.startMs ?? 0) + (call?.durationMs ?? 0)).toBeGreaterThan(startMs + durationMs);
  }
  const details = { name: "registered", color: 0xff00_00ff, payload: "2.5" };
  expect(timeline.ranges).toMatchObject([
    { name: "outer", domain: null, parent: null, isOpen: false, kind: "nested" },
    { name: "größer", parent: 0 },
    { ...details, domain: "io", category: "9", kind: "nested" },
    { ...details, domain: null, category: "kind", kind: "free", isOpen: false },
  ]);
  expect(timeline.marks).toMatchObject([{ ...details, domain: "io" }]);
  expect(timeline.calls.find(({ error }) => error !== 0)?.name).toBe("cudaMemcpy");
});

test("a device with a queue: the same work, with the times of the device", () => {
  const simulated = new SimulatedQueue();
  const own = new ApiTimeline(() => null, new TimelineRecorder(() => simulated.now));
  // Each step takes two milliseconds on the device, and one passes on the host between two steps.
  run(
    openApi(own, (device) => simulated.on(device, 2)),
    () => void simulated.now++,
  );
  const timeline = own.timeline();
  expect(timeline).toMatchObject({ timeSource: "gpu-events", untimed: 0 });
  expect(new Set(work(timeline).map((row) => JSON.stringify(row)))).toEqual(
    new Set(EXPECTED.map((row) => JSON.stringify(row))),
  );
  for (const { durationMs } of timeline.operations) expect(durationMs).toBe(2);
  const mine = timeline.operations.filter(({ stream }) => stream !== 0);
  expect((mine[1]?.startMs ?? 0) - (mine[0]?.startMs ?? 0)).toBe(2);
});

test("a device that is reset forgets its events", () => {
  const simulated = new SimulatedQueue();
  const own = new ApiTimeline(() => null, new TimelineRecorder(() => simulated.now));
  const api = openApi(own, (device) => simulated.on(device, 1));
  for (let round = 0; round < 2; round++) {
    expect(api.call("cudaMalloc", 1024, 64)).toBe(0);
    expect(api.call("cudaMemcpy", api.memory.u32(1024), HOST, 64, HOST_TO_DEVICE)).toBe(0);
    expect(api.call("cudaDeviceReset")).toBe(0);
    simulated.now += 5;
  }
  expect(own.timeline().operations.map(({ startMs, durationMs }) => [startMs, durationMs])).toEqual([
    [0, 1],
    [6, 1],
  ]);
});

/** Copies from device 0 to device 1, on a stream of device 0. */
function copyToPeer(observer: ApiTimeline | null, trace: (api: ApiProgram) => void): readonly SimulatedQueue[] {
  const queues: SimulatedQueue[] = [];
  const on = (device: Device): Device => {
    const simulated = new SimulatedQueue();
    queues.push(simulated);
    // Streams and events are of one device.
    const [own, first, { createStream, record }] = [new Set([0]), 100 * queues.length, simulated.queue];
    simulated.queue.createStream = (options) => {
      const stream = first + createStream(options);
      own.add(stream);
      return stream;
    };
    simulated.queue.record = (event, stream) => {
      if (!own.has(stream)) throw new Error(`stream ${stream} is of another device`);
      record(event, stream);
    };
    return simulated.on(device, 1);
  };
  const api = openApi(observer, on, { devices: 2 });
  trace(api);
  const ok = (name: string, ...values: number[]): void => expect(api.call(name, ...values), name).toBe(0);
  ok("cudaMalloc", 1024, 64);
  ok("cudaStreamCreate", 1028);
  ok("cudaSetDevice", 1);
  // The devices of these tests have the same addresses: this one's lie behind those of the other.
  ok("cudaMalloc", 1032, 4096);
  ok("cudaMalloc", 1032, 64);
  ok("cudaSetDevice", 0);
  const [from, stream, to] = [1024, 1028, 1032].map((at) => api.memory.u32(at)) as [number, number, number];
  ok("cudaMemcpyPeerAsync", to, 1, from, 0, 64, stream);
  return queues;
}

test("events around a copy to a peer are those of its stream's device", () => {
  const own = new ApiTimeline(() => null, new TimelineRecorder(() => 0));
  const queues = copyToPeer(own, () => undefined);
  expect(queues.map(({ events }) => events > 1)).toEqual([true, false]);
  expect(own.timeline()).toMatchObject({ operations: [{ device: 1, bytes: 64 }], untimed: 0 });
  let traced: WorkTracer | null = null;
  copyToPeer(null, ({ cuda }) => (cuda.tracer = traced = workTracer(cuda)));
  expect((traced as WorkTracer | null)?.next()).toMatchObject({ state: { ordinal: 1 }, stream: { device: 0 } });
});

test("work after a graph that fails is of no graph", () => {
  const { cuda, call, memory } = openApi();
  const tracer = workTracer(cuda);
  cuda.tracer = tracer;
  const ok = (name: string, ...values: number[]): void => expect(call(name, ...values), name).toBe(0);
  ok("cudaMalloc", 1024, 64);
  ok("cudaMalloc", 1028, 64);
  ok("cudaStreamCreate", 1032);
  const [gone, kept, stream] = [1024, 1028, 1032].map((at) => memory.u32(at)) as [number, number, number];
  ok("cudaStreamBeginCapture", stream, 0);
  ok("cudaMemsetAsync", gone, 0, 64, stream);
  ok("cudaStreamEndCapture", stream, 1036);
  ok("cudaGraphInstantiate", 1040, memory.u32(1036), 0, 0, 0);
  ok("cudaGraphLaunch", memory.u32(1040), stream);
  expect(tracer.next()).toMatchObject({ graph: memory.u32(1040) });
  ok("cudaFree", gone);
  expect(call("cudaGraphLaunch", memory.u32(1040), stream)).not.toBe(0);
  ok("cudaMemset", kept, 0, 64);
  expect(tracer.next()).toMatchObject({ graph: 0, node: 0 });
});

test("a copy is the work of the device that it writes to, whichever is current", () => {
  const own = new ApiTimeline(() => null, new TimelineRecorder());
  const api = openApi(own, (device) => device, { devices: 2 });
  const ok = (name: string, ...values: number[]): void => expect(api.call(name, ...values), name).toBe(0);
  ok("cudaSetDevice", 1);
  ok("cudaMalloc", 1024, 64);
  ok("cudaSetDevice", 0);
  const other = api.memory.u32(1024);
  ok("cudaMemcpy", other, HOST, 64, HOST_TO_DEVICE);
  ok("cudaMemcpy", HOST, other, 64, DEVICE_TO_HOST);
  ok("cudaMemset", other, 0, 64);
  expect(own.timeline().operations.map(({ device }) => device)).toEqual([1, 1, 1]);
});
