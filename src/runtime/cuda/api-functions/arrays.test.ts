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

test("a box goes to the slices of an array of three dimensions and comes back", () => {
  const api = openApi();
  format(api, 8, 0, 0, 0, 1);
  const [width, height, depth] = [5, 3, 2];
  [width, height, depth].forEach((n, i) => api.memory.setU32(EXTENT + 4 * i, n));
  expect(api.call("cudaMalloc3DArray", OUT, FORMAT, EXTENT, 0)).toBe(0);
  const array = api.u32(OUT);
  const there = { x: 0, y: 0, z: 0 };
  const copy = (from: number, to: number, host: number, kind: number, pos = there, extent = [5, 3, 2]): number => {
    const [PARAMS, pitch] = [700, extent[0] as number];
    const linear = [host, pitch, pitch, extent[1] as number];
    const position = [pos.x, pos.y, pos.z];
    // srcArray, srcPos, srcPtr, dstArray, dstPos, dstPtr, extent, kind
    const ends = from === 0 ? [0, 0, 0, 0, ...linear, to, ...position, 0, 0, 0, 0] : [];
    const words = from === 0 ? ends : [from, ...position, 0, 0, 0, 0, 0, 0, 0, 0, ...linear];
    [...words, ...extent, kind].forEach((word, i) => api.memory.setU32(PARAMS + 4 * i, word));
    return api.call("cudaMemcpy3D", PARAMS);
  };
  api.memory.slice(HOST, 30).set(Uint8Array.from({ length: 30 }, (_, i) => i + 1));
  expect(copy(0, array, HOST, CopyKind.hostToDevice)).toBe(0);
  expect(copy(array, 0, 2048, CopyKind.deviceToHost)).toBe(0);
  expect(Array.from(api.memory.slice(2048, 30))).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  // Two texels of two rows of the second slice.
  expect(copy(array, 0, 2100, CopyKind.deviceToHost, { x: 3, y: 1, z: 1 }, [2, 2, 1])).toBe(0);
  expect(Array.from(api.memory.slice(2100, 4))).toEqual([24, 25, 29, 30]);
});

test("a texture of linear memory says where its texels are and what they are", () => {
  const api = openApi();
  expect(api.call("cudaMalloc", OUT, 256)).toBe(0);
  const memory = api.u32(OUT);
  const [RESOURCE, TEXTURE] = [700, 800];
  // resType, devPtr, desc, sizeInBytes
  [2, memory, 32, 32, 0, 0, 2, 96].forEach((word, i) => api.memory.setU32(RESOURCE + 4 * i, word));
  expect(api.call("cudaCreateTextureObject", OUT, RESOURCE, TEXTURE, 0)).toBe(0);
  const descriptor = new Uint8Array(88);
  api.cuda.current.device.read(api.u32(OUT), descriptor);
  const view = new DataView(descriptor.buffer);
  const word = (i: number): number => view.getUint32(4 * i, true);
  // pointer, width, height, depth, pitch, slice pitch, bytes and channels of a texel, bits of a channel, kind
  expect(Array.from({ length: 10 }, (_, i) => word(i))).toEqual([memory, 12, 0, 0, 96, 96, 8, 2, 32, 2]);
  expect([word(20), word(21)]).toEqual([0, 1]);
});
