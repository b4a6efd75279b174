/** What captures refuse, by mode and thread: the API's functions over a program without code. */
import { expect, test } from "vitest";
import { CudaErrorCode } from "../errors.ts";
import { CopyKind } from "../work/copy.ts";
import { openApi, type ApiProgram } from "./api.test-helper.ts";

const [OUT, MORE, DATA] = [64, 128, 4096] as const;
const [GLOBAL, THREAD_LOCAL, RELAXED] = [0, 1, 2] as const;
const NON_BLOCKING = 1;
const [LEGACY, PER_THREAD] = [1, 2] as const;

interface Capturing extends ApiProgram {
  readonly stream: number;
  /** What ends the capture returns. */
  end(): number;
}
function capturing(mode: number, flags: number = NON_BLOCKING, devices = 1): Capturing {
  const api = openApi(null, undefined, { devices });
  const { call, u32 } = api;
  expect(call("cudaStreamCreateWithFlags", OUT, flags)).toBe(0);
  const stream = u32(OUT);
  expect(call("cudaStreamBeginCapture", stream, mode)).toBe(0);
  return { ...api, stream, end: () => call("cudaStreamEndCapture", stream, OUT) };
}

test.each([
  ["in the global mode, of this thread", GLOBAL, 0, GLOBAL, true],
  ["in the global mode, of another thread", GLOBAL, 1, GLOBAL, true],
  ["in the global mode, of another thread that only minds its own", GLOBAL, 1, THREAD_LOCAL, false],
  ["in the global mode, of another thread that minds none", GLOBAL, 1, RELAXED, false],
  ["in the global mode, of this thread that minds none", GLOBAL, 0, RELAXED, false],
  ["in the mode of a thread, of this thread", THREAD_LOCAL, 0, GLOBAL, true],
  ["in the mode of a thread, of another thread", THREAD_LOCAL, 1, GLOBAL, false],
  ["in the relaxed mode, of this thread", RELAXED, 0, GLOBAL, false],
])("an allocation during a capture %s", (_what, mode, thread, own, isRefused) => {
  const { cuda, call, u32, memory, end } = capturing(mode);
  cuda.actAs(thread);
  memory.setU32(MORE, own);
  expect(call("cudaThreadExchangeStreamCaptureMode", MORE)).toBe(0);
  expect(u32(MORE)).toBe(GLOBAL);
  expect(call("cudaMalloc", OUT, 64)).toBe(isRefused ? CudaErrorCode.streamCaptureUnsupported : 0);
  expect(call("cudaFree", 0)).toBe(0);
  cuda.actAs(0);
  expect(end()).toBe(isRefused ? CudaErrorCode.streamCaptureInvalidated : 0);
  expect(call("cudaMalloc", OUT, 64)).toBe(0);
});

test("a capture ends in its thread, but for the relaxed mode; there is no fourth mode", () => {
  const local = capturing(THREAD_LOCAL);
  local.cuda.actAs(1);
  expect(local.end()).toBe(CudaErrorCode.streamCaptureWrongThread);
  local.cuda.actAs(0);
  expect(local.end()).toBe(0);
  const relaxed = capturing(RELAXED);
  relaxed.cuda.actAs(1);
  expect(relaxed.end()).toBe(0);
  relaxed.memory.setU32(MORE, 3);
  expect(relaxed.call("cudaThreadExchangeStreamCaptureMode", MORE)).toBe(CudaErrorCode.invalidValue);
  expect(relaxed.call("cudaStreamBeginCapture", relaxed.stream, 3)).toBe(CudaErrorCode.invalidValue);
});

const legacyCalls: readonly (readonly [name: string, values: readonly number[]])[] = [
  ["cudaMemcpy", [DATA, DATA + 64, 4, CopyKind.hostToHost]],
  ["cudaMemcpyAsync", [DATA, DATA + 64, 4, CopyKind.hostToHost, 0]],
  ["cudaStreamSynchronize", [0]],
  ["cudaStreamQuery", [LEGACY]],
];
test.each(legacyCalls)("%s on the default stream while a blocking stream is captured", (name, values) => {
  const { call, end } = capturing(RELAXED, 0);
  // To ask makes nothing invalid.
  expect(call("cudaStreamIsCapturing", 0, MORE)).toBe(CudaErrorCode.streamCaptureImplicit);
  expect(call(name, ...values)).toBe(CudaErrorCode.streamCaptureImplicit);
  expect(end()).toBe(CudaErrorCode.streamCaptureInvalidated);
  expect(call(name, ...values)).toBe(0);
});

test.each(legacyCalls)(
  "%s on the default stream of another device, or beside streams that do not block",
  (name, values) => {
    for (const [flags, device] of [
      [NON_BLOCKING, 0],
      [0, 1],
    ] as const) {
      const { call, end } = capturing(GLOBAL, flags, 2);
      expect(call("cudaSetDevice", device)).toBe(0);
      expect(call(name, ...values)).toBe(0);
      expect(call("cudaStreamIsCapturing", 0, MORE)).toBe(0);
      expect(end()).toBe(0);
    }
  },
);

test("a capture is on the devices of its streams, whichever is current", () => {
  const { call, u32 } = openApi(null, undefined, { devices: 2 });
  const create = (name: string, flags: number): number => {
    expect(call(name, OUT, flags)).toBe(0);
    return u32(OUT);
  };
  const here = create("cudaStreamCreateWithFlags", 0);
  expect(call("cudaSetDevice", 1)).toBe(0);
  const there = create("cudaStreamCreateWithFlags", 0);
  const event = create("cudaEventCreateWithFlags", 0);
  const back = create("cudaEventCreateWithFlags", 0);
  const expectOn = (device: number, isFree: boolean): void => {
    for (const [name, refusal] of [
      ["cudaDeviceSynchronize", CudaErrorCode.streamCaptureUnsupported],
      ["cudaStreamSynchronize", CudaErrorCode.streamCaptureImplicit],
    ] as const) {
      expect(call("cudaSetDevice", device)).toBe(0);
      expect(call(name, 0)).toBe(isFree ? 0 : refusal);
    }
  };
  // The current device is not the stream's.
  expect(call("cudaStreamBeginCapture", here, RELAXED)).toBe(0);
  expectOn(1, true);
  expect(call("cudaEventRecord", event, here)).toBe(0);
  expect(call("cudaStreamWaitEvent", there, event, 0)).toBe(0);
  expect(call("cudaEventRecord", back, there)).toBe(0);
  expect(call("cudaStreamWaitEvent", here, back, 0)).toBe(0);
  expectOn(1, false);
  expectOn(0, false);
  expect(call("cudaStreamEndCapture", here, OUT)).toBe(CudaErrorCode.streamCaptureInvalidated);
  expectOn(1, true);
  expectOn(0, true);
});

test("a capture whose streams of a device do not block leaves its default stream alone", () => {
  const { call, u32, stream, end } = capturing(RELAXED, 0, 2);
  expect(call("cudaSetDevice", 1)).toBe(0);
  expect(call("cudaStreamCreateWithFlags", OUT, NON_BLOCKING)).toBe(0);
  const there = u32(OUT);
  expect(call("cudaEventCreate", OUT)).toBe(0);
  const event = u32(OUT);
  expect(call("cudaEventRecord", event, stream)).toBe(0);
  expect(call("cudaStreamWaitEvent", there, event, 0)).toBe(0);
  expect(call("cudaStreamSynchronize", 0)).toBe(0);
  expect(end()).toBe(0);
});

test("stream 0 of a program for streams per thread is its thread's own: captures neither mind it nor share it", () => {
  const { cuda, call, u32, end } = capturing(GLOBAL, 0);
  call("__heddle_default_stream_per_thread");
  for (const [name, values] of legacyCalls) if (values[0] !== LEGACY) expect(call(name, ...values)).toBe(0);
  expect(end()).toBe(0);
  const isCapturing = (stream: number): number => {
    expect(call("cudaStreamIsCapturing", stream, MORE)).toBe(0);
    return u32(MORE);
  };
  expect(call("cudaStreamBeginCapture", 0, GLOBAL)).toBe(0);
  expect([isCapturing(0), isCapturing(PER_THREAD)]).toEqual([1, 1]);
  cuda.actAs(1);
  expect(isCapturing(0)).toBe(0);
  expect(call("cudaMemcpyAsync", DATA, DATA + 64, 4, CopyKind.hostToHost, 0)).toBe(0);
  cuda.actAs(0);
  expect(call("cudaMemcpyAsync", DATA, DATA + 64, 4, CopyKind.hostToHost, LEGACY)).toBe(
    CudaErrorCode.streamCaptureImplicit,
  );
  expect(call("cudaStreamEndCapture", PER_THREAD, OUT)).toBe(CudaErrorCode.streamCaptureInvalidated);
  expect(call("cudaStreamBeginCapture", PER_THREAD, GLOBAL)).toBe(0);
  expect(call("cudaMemcpy", DATA, DATA + 64, 4, CopyKind.hostToHost)).toBe(CudaErrorCode.streamCaptureUnsupported);
  expect(call("cudaStreamEndCapture", 0, OUT)).toBe(CudaErrorCode.streamCaptureInvalidated);
});

test("a device and its events while one of its streams is captured", () => {
  const { call, u32, stream, end } = capturing(RELAXED);
  expect(call("cudaEventCreate", OUT)).toBe(0);
  const event = u32(OUT);
  expect(call("cudaEventQuery", event)).toBe(0);
  expect(call("cudaEventRecord", event, stream)).toBe(0);
  expect(call("cudaEventQuery", event)).toBe(CudaErrorCode.capturedEvent);
  expect(call("cudaEventRecord", event, stream)).toBe(CudaErrorCode.streamCaptureInvalidated);
  expect(call("cudaStreamQuery", stream)).toBe(CudaErrorCode.streamCaptureInvalidated);
  expect(end()).toBe(CudaErrorCode.streamCaptureInvalidated);
  expect(call("cudaStreamBeginCapture", stream, RELAXED)).toBe(0);
  expect(call("cudaDeviceSynchronize")).toBe(CudaErrorCode.streamCaptureUnsupported);
  expect(end()).toBe(CudaErrorCode.streamCaptureInvalidated);
  expect(call("cudaStreamBeginCapture", stream, GLOBAL)).toBe(0);
  expect(call("cudaEventSynchronize", event)).toBe(CudaErrorCode.streamCaptureUnsupported);
  expect(end()).toBe(CudaErrorCode.streamCaptureInvalidated);
});

test("a stream that is destroyed while it is captured hinders no other calls", () => {
  const { call, stream } = capturing(GLOBAL);
  expect(call("cudaStreamDestroy", stream)).toBe(0);
  expect(call("cudaMalloc", OUT, 64)).toBe(0);
});

test("libraries ask whether a stream still exists, without an error", () => {
  const { call, u32 } = openApi();
  expect(call("cudaStreamCreate", OUT)).toBe(0);
  const stream = u32(OUT);
  const isStream = (): number[] => [stream, 0, 1, 2].map((handle) => call("__heddle_is_stream", handle));
  expect(isStream()).toEqual([1, 1, 1, 1]);
  expect(call("cudaStreamDestroy", stream)).toBe(0);
  expect(isStream()).toEqual([0, 1, 1, 1]);
  expect(call("cudaPeekAtLastError")).toBe(0);
});

test("a graph's memory for calls of libraries: one piece for each stream and owner, freed with the graph", () => {
  const { call, u32, cuda, stream, end } = capturing(GLOBAL);
  const { device } = cuda.current;
  expect(call("__heddle_graph_memory", OUT, 1000, 0, 1)).toBe(0);
  expect(u32(OUT)).toBe(0);
  const places = [
    [1000, 1],
    [500, 1],
    [1000, 2],
    [2000, 1],
  ].map(([bytes, key]) => {
    expect(call("__heddle_graph_memory", OUT, bytes as number, stream, key as number)).toBe(0);
    return u32(OUT);
  });
  expect(places[1]).toBe(places[0]);
  expect(new Set(places).size).toBe(3);
  expect(end()).toBe(0);
  const graph = u32(OUT);
  expect(call("cudaGraphInstantiate", MORE, graph, 0)).toBe(0);
  const exec = u32(MORE);
  for (let i = 0; i < 2; i++) expect(call("cudaGraphLaunch", exec, stream)).toBe(0);
  expect(call("cudaGraphDestroy", graph)).toBe(0);
  expect(device.findAllocation(places[0] as number)).not.toBeNull();
  expect(call("cudaGraphExecDestroy", exec)).toBe(0);
  for (const place of places) expect(device.findAllocation(place)).toBeNull();
});

test("a graph's memory for calls of libraries stays while the thread's own stream is captured", () => {
  const { call, u32, cuda } = openApi();
  expect(call("cudaStreamBeginCapture", PER_THREAD, GLOBAL)).toBe(0);
  expect(call("__heddle_graph_memory", OUT, 1000, PER_THREAD, 1)).toBe(0);
  const place = u32(OUT);
  expect(call("cudaGraphCreate", OUT, 0)).toBe(0);
  expect(call("cudaGraphDestroy", u32(OUT))).toBe(0);
  expect(cuda.current.device.findAllocation(place)).not.toBeNull();
  expect(call("cudaStreamEndCapture", PER_THREAD, OUT)).toBe(0);
  expect(call("cudaGraphDestroy", u32(OUT))).toBe(0);
  expect(cuda.current.device.findAllocation(place)).toBeNull();
});
