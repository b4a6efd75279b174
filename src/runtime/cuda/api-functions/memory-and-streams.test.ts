/** Pinned memory, pools, slices of arrays, graphs and captures: the API's functions over a program without code. */
import { expect, test } from "vitest";
import { CudaErrorCode } from "../errors.ts";
import { CopyKind } from "../work/copy.ts";
import { openApi } from "./api.test-helper.ts";

const [OUT, MORE, DATA] = [64, 128, 4096] as const;
const RELEASE_THRESHOLD = 4;

test("pinned memory: where it goes, of no bytes, with flags that there are not", () => {
  const { call, u32, memory } = openApi();
  expect(call("cudaHostAlloc", 0, 64, 0)).toBe(CudaErrorCode.invalidValue);
  expect(call("cudaHostAlloc", OUT, 64, 8)).toBe(CudaErrorCode.invalidValue);
  memory.setU32(OUT, 7);
  expect(call("cudaHostAlloc", OUT, 0, 0)).toBe(0);
  expect(u32(OUT)).toBe(0);
  const places = [0, 1, 4].map((flags) => {
    expect(call("cudaHostAlloc", OUT, 64, flags)).toBe(0);
    return u32(OUT);
  });
  expect(new Set(places).size).toBe(3);
  for (const place of places) {
    expect(place).toBeGreaterThan(0);
    expect(call("cudaHostGetFlags", MORE, place)).toBe(0);
    expect(call("cudaFreeHost", place)).toBe(0);
    expect(call("cudaHostGetFlags", MORE, place)).not.toBe(0);
  }
});

test("attributes of a pool have their defaults until they are set", () => {
  const { call, u32, memory } = openApi();
  expect(call("cudaDeviceGetDefaultMemPool", OUT, 0)).toBe(0);
  const pool = u32(OUT);
  const valueOf = (attribute: number): bigint => {
    memory.setU64(MORE, 0n);
    expect(call("cudaMemPoolGetAttribute", pool, attribute, MORE)).toBe(0);
    return memory.u64(MORE);
  };
  expect([1, 2, 3, RELEASE_THRESHOLD].map(valueOf)).toEqual([1n, 1n, 1n, 0n]);
  memory.setU64(MORE, 1n << 40n);
  expect(call("cudaMemPoolSetAttribute", pool, RELEASE_THRESHOLD, MORE)).toBe(0);
  expect(valueOf(RELEASE_THRESHOLD)).toBe(1n << 40n);
  memory.setU32(MORE, 0);
  expect(call("cudaMemPoolSetAttribute", pool, 2, MORE)).toBe(0);
  expect([1, 2, 3].map(valueOf)).toEqual([1n, 0n, 1n]);
});

test("nodes of a graph need a place for the result, and a list if there is a count", () => {
  const { call, u32 } = openApi();
  expect(call("cudaGraphCreate", OUT, 0)).toBe(0);
  const graph = u32(OUT);
  expect(call("cudaGraphAddEmptyNode", 0, graph, 0, 0)).toBe(CudaErrorCode.invalidValue);
  expect(call("cudaGraphAddEmptyNode", OUT, graph, 0, 1)).toBe(CudaErrorCode.invalidValue);
  expect(call("cudaGraphAddEmptyNode", OUT, graph, 0, 0)).toBe(0);
  const first = u32(OUT);
  expect(first).not.toBe(0);
  expect(call("cudaGraphAddEmptyNode", MORE, graph, OUT, 1)).toBe(0);
  expect(u32(MORE)).not.toBe(first);
});

test("the host does not wait for a stream that captures, and the event of a capture is none behind it", () => {
  const { call, u32 } = openApi();
  expect(call("cudaStreamCreate", OUT)).toBe(0);
  const stream = u32(OUT);
  expect(call("cudaEventCreate", OUT)).toBe(0);
  const event = u32(OUT);
  expect(call("cudaStreamSynchronize", stream)).toBe(0);
  expect(call("cudaStreamBeginCapture", stream, 0)).toBe(0);
  expect(call("cudaEventRecord", event, stream)).toBe(0);
  expect(call("cudaEventSynchronize", event)).toBe(CudaErrorCode.capturedEvent);
  expect(call("cudaStreamEndCapture", stream, OUT)).toBe(CudaErrorCode.streamCaptureInvalidated);
  expect(u32(OUT)).toBe(0);
  expect(call("cudaEventSynchronize", event)).toBe(0);
  expect(call("cudaStreamBeginCapture", stream, 0)).toBe(0);
  expect(call("cudaStreamSynchronize", stream)).toBe(CudaErrorCode.streamCaptureUnsupported);
  expect(call("cudaStreamEndCapture", stream, OUT)).toBe(CudaErrorCode.streamCaptureInvalidated);
  expect(call("cudaStreamSynchronize", stream)).toBe(0);
});

test("a failed call says why, once", () => {
  const { call, reports } = openApi();
  expect(call("cudaFree", 12345)).toBe(CudaErrorCode.invalidValue);
  expect(reports).toEqual([expect.stringMatching(/^cudaFree: .*is not an allocation/)]);
});

test("an allocation of device memory is filled and read at an offset", () => {
  const { call, u32, memory } = openApi();
  expect(call("cudaMalloc", OUT, 64)).toBe(0);
  const device = u32(OUT);
  expect(call("cudaMemset", device, 5, 64)).toBe(0);
  memory.slice(DATA, 8).fill(9);
  expect(call("cudaMemcpy", device + 8, DATA, 8, CopyKind.hostToDevice)).toBe(0);
  expect(call("cudaMemcpy", DATA + 64, device + 6, 12, CopyKind.deviceToHost)).toBe(0);
  expect(Array.from(memory.slice(DATA + 64, 12))).toEqual([5, 5, 9, 9, 9, 9, 9, 9, 9, 9, 5, 5]);
});

test("a copy whose kind is not what its pointers are is refused, and one whose kind says nothing is not", () => {
  const { call, u32 } = openApi();
  expect(call("cudaMalloc", OUT, 64)).toBe(0);
  const device = u32(OUT);
  const host = DATA;
  const { hostToHost, hostToDevice, deviceToHost, deviceToDevice, infer } = CopyKind;
  const kinds = [hostToHost, hostToDevice, deviceToHost, deviceToDevice, infer];
  const allowed = (to: number, from: number): number[] =>
    kinds.filter((kind) => call("cudaMemcpy", to, from, 16, kind) === 0);
  const bothWays = [
    allowed(host, host + 64),
    allowed(device, host),
    allowed(host, device),
    allowed(device, device + 32),
  ];
  // The driver overlooks some kinds, and Heddle notes them (api-checks).
  expect(bothWays.map((list) => list.filter((kind) => kind !== hostToHost))).toEqual([
    [infer],
    [hostToDevice, infer],
    [deviceToHost, infer],
    [hostToDevice, deviceToHost, deviceToDevice, infer],
  ]);
});
