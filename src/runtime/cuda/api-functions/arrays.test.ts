/** CUDA arrays: what they say of themselves, and copies into and out of a part of them. */
import { expect, test } from "vitest";
import { CudaErrorCode } from "../errors.ts";
import { CopyKind } from "../work/copy.ts";
import { openApi, type ApiProgram } from "./api.test-helper.ts";

const [OUT, FORMAT, EXTENT, HOST] = [64, 128, 192, 4096] as const;

function words(api: ApiProgram, at: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => api.u32(at + 4 * i));
}

/** A format: bits of x, y, z and w, and the kind of number. */
function format(api: ApiProgram, ...values: readonly number[]): void {
  values.forEach((value, i) => api.memory.setU32(FORMAT + 4 * i, value));
}

test("an array keeps its format, extent and flags", () => {
  const api = openApi();
  format(api, 16, 8, 4, 4, 1);
  expect(api.call("cudaMallocArray", OUT, FORMAT, 5, 3, 2)).toBe(0);
  const array = api.u32(OUT);
  expect(api.call("cudaGetChannelDesc", 256, array)).toBe(0);
  expect(words(api, 256, 5)).toEqual([16, 8, 4, 4, 1]);
  expect(api.call("cudaArrayGetInfo", 300, EXTENT, OUT, array)).toBe(0);
  expect(words(api, 300, 5)).toEqual([16, 8, 4, 4, 1]);
  expect([words(api, EXTENT, 3), api.u32(OUT)]).toEqual([[5, 3, 0], 2]);
  expect(api.call("cudaFreeArray", array)).toBe(0);
  expect(api.call("cudaGetChannelDesc", 256, array)).toBe(CudaErrorCode.invalidResourceHandle);
});

test("a format of no bits, and a width of nothing, are refused", () => {
  const api = openApi();
  format(api, 0, 0, 0, 0, 0);
  expect(api.call("cudaMallocArray", OUT, FORMAT, 5, 3, 0)).toBe(CudaErrorCode.invalidChannelDescriptor);
  format(api, 8, 0, 0, 0, 0);
  expect(api.call("cudaMallocArray", OUT, FORMAT, 0, 3, 0)).toBe(CudaErrorCode.invalidChannelDescriptor);
  expect(api.call("cudaMallocArray", OUT, FORMAT, 1, 0, 0)).toBe(0);
});

test("rows go to a place in the array and come back, with the pitch of each side", () => {
  const api = openApi();
  format(api, 8, 0, 0, 0, 1);
  expect(api.call("cudaMallocArray", OUT, FORMAT, 6, 4, 0)).toBe(0);
  const array = api.u32(OUT);
  const bytes = api.memory.slice(HOST, 64);
  bytes.set(Uint8Array.from({ length: 64 }, (_, i) => i + 1));
  const { hostToDevice, deviceToHost } = CopyKind;
  // The whole array is 7, and two rows of three at column 2 of row 1 are the program's.
  api.memory.slice(2000, 24).fill(7);
  expect(api.call("cudaMemcpy2DToArray", array, 0, 0, 2000, 6, 6, 4, hostToDevice)).toBe(0);
  expect(api.call("cudaMemcpy2DToArray", array, 2, 1, HOST, 10, 3, 2, hostToDevice)).toBe(0);
  expect(api.call("cudaMemcpy2DFromArray", 2048, 8, array, 0, 0, 6, 4, deviceToHost)).toBe(0);
  const rows = [0, 1, 2, 3].map((row) => Array.from(api.memory.slice(2048 + 8 * row, 6)));
  expect(rows).toEqual([
    [7, 7, 7, 7, 7, 7],
    [7, 7, 1, 2, 3, 7],
    [7, 7, 11, 12, 13, 7],
    [7, 7, 7, 7, 7, 7],
  ]);
  expect(api.call("cudaMemcpy2DFromArray", 3000, 3, array, 3, 1, 3, 2, deviceToHost)).toBe(0);
  expect(Array.from(api.memory.slice(3000, 6))).toEqual([2, 3, 7, 12, 13, 7]);
  // The array is on the device's side, whatever the kind says.
  expect(api.call("cudaMemcpy2DToArray", array, 0, 0, HOST, 6, 6, 1, deviceToHost)).toBe(
    CudaErrorCode.invalidMemcpyDirection,
  );
});
