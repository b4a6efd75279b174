/** What the driver's encoders get. */
import { expect, test } from "vitest";
import { TENSOR_MAP_ALIGN, TENSOR_MAP_BYTES, type TensorMapDescription } from "../../machine/tensor-map.ts";
import { bytesAt } from "./foreign-library.ts";
import { encodeTensorMap } from "./tensor-maps.ts";

const ROW: TensorMapDescription = {
  type: 2,
  address: 4096,
  extents: [64],
  strides: [],
  box: [16],
  im2col: null,
  steps: [1],
  interleave: 0,
  swizzle: 3,
  promotion: 2,
  fill: 1,
};
const words = (address: number, count: number): number[] => [
  ...new Int32Array(bytesAt(address, 4 * count).slice().buffer),
];
const longWords = (address: number, count: number): bigint[] => [
  ...new BigInt64Array(bytesAt(address, 8 * count).slice().buffer),
];

test("no parameter is a null pointer, of one dimension either, which has no strides", () => {
  const map = encodeTensorMap(ROW, (name, map, type, rank, address, extents, strides, box, steps, ...options) => {
    expect([name, type, rank, address]).toEqual(["cuTensorMapEncodeTiled", 2, 1, 4096]);
    expect((map as number) % TENSOR_MAP_ALIGN).toBe(0);
    expect(strides).toBeGreaterThan(0);
    expect(longWords(extents as number, 1)).toEqual([64n]);
    expect([words(box as number, 1), words(steps as number, 1)]).toEqual([[16], [1]]);
    expect(options).toEqual([0, 3, 2, 1]);
    bytesAt(map as number, TENSOR_MAP_BYTES).fill(7);
  });
  expect(map).toEqual(new Uint8Array(TENSOR_MAP_BYTES).fill(7));
});

test("lists do not run into one another, and a map stays when the next is made", () => {
  const first = encodeTensorMap(ROW, (_, map) => bytesAt(map as number, 1).fill(1));
  const extents = [1, 2 ** 33, 3, 4, 5];
  const image: TensorMapDescription = {
    ...ROW,
    extents,
    strides: [16, 32, 48, 2 ** 34],
    box: [],
    im2col: { lower: [-1, -2, -3], upper: [4, 5, -6], channels: 8, pixels: 9 },
    steps: [1, 2, 3, 4, 5],
  };
  encodeTensorMap(image, (name, map, _type, rank, _address, ...[sizes, strides, lower, upper, ...rest]) => {
    expect([name, rank]).toEqual(["cuTensorMapEncodeIm2col", 5]);
    expect(longWords(sizes as number, 5)).toEqual(extents.map(BigInt));
    expect(longWords(strides as number, 4)).toEqual([16n, 32n, 48n, 2n ** 34n]);
    expect([words(lower as number, 3), words(upper as number, 3)]).toEqual([
      [-1, -2, -3],
      [4, 5, -6],
    ]);
    const [channels, pixels, steps] = rest;
    expect([channels, pixels, words(steps as number, 5)]).toEqual([8, 9, [1, 2, 3, 4, 5]]);
    bytesAt(map as number, 1).fill(2);
  });
  expect(first[0]).toBe(1);
});
