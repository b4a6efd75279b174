/** What the driver's encoders get. */
import { expect, test } from "vitest";
import type { TensorMapDescription } from "../../machine/tensor-map.ts";
import { addressOf } from "./foreign-library.ts";
import { encodeTensorMap } from "./tensor-maps.ts";

test("no parameter is a null pointer, of one dimension either, which has no strides", () => {
  const description: TensorMapDescription = {
    type: 2,
    address: 4096,
    extents: [64],
    strides: [],
    box: [16],
    im2col: null,
    steps: [1],
    interleave: 0,
    swizzle: 0,
    promotion: 0,
    fill: 0,
  };
  const addresses: number[] = [];
  encodeTensorMap(description, (_, ...values) => {
    for (const value of values) if (typeof value !== "number") addresses.push(addressOf(value));
  });
  // The map, extents, strides, the box, steps.
  expect(addresses).toHaveLength(5);
  expect(addresses).not.toContain(0);
});
