/** Inputs are the same on the device and for the reference, in every type. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeValues, DTYPES, type Dtype } from "../base/dtypes.ts";
import { nodeEnvironment } from "../library/environment-node.ts";
import type { DeviceArray } from "../library/device-array.ts";
import type { Gpu } from "../library/gpu.ts";
import { createHeddle } from "../library/heddle.ts";
import { integers, uniform } from "../kernel-library/distributions.ts";
import { defineLadder, type Ladder } from "../kernel-library/ladder.ts";
import { drawn, Workspace } from "./workspace.ts";

let gpu: Gpu;
beforeAll(async () => {
  gpu = await createHeddle(nodeEnvironment()).openDevice({ device: "emulated", workers: 1, reuse: false });
});
afterAll(() => gpu.close());

test.each(DTYPES)("%s", async (dtype: Dtype) => {
  let seen: readonly number[] = [];
  const ladder: Ladder = defineLadder({
    summary: "nothing",
    inputs: {
      x: {
        dtype,
        length: ({ n }: { n: number }) => n,
        values: dtype.includes("float") ? uniform(-3, 3) : integers(0, 100),
        seed: 4,
      },
    },
    outputs: { y: { dtype: "float32", length: () => 1, tolerance: { absolute: 0, relative: 0, reason: "none" } } },
    reference: ({ x }) => {
      seen = [...x];
      return { y: Float64Array.of(0) };
    },
    work: () => ({ bytes: 1, operations: 1 }),
    shapes: { check: [{ n: 37 }], time: { emulated: [], cuda: [] } },
    versions: { "1-none": { launch: () => [] } },
  });
  const workspace = new Workspace(gpu, ladder, { n: 37 }, [0, 11]);
  const sets: (readonly number[])[] = [];
  for (const set of [1, 0]) {
    workspace.begin(set);
    const [array] = workspace.resolve(["x"], () => {
      throw new Error("no x");
    }) as [DeviceArray];
    const onDevice = Array.from((await array.read()) as ArrayLike<number | bigint>, Number);
    // It is asked for once, after the inputs have been in place for a while.
    await workspace.compare(set, true);
    expect(seen).toEqual(onDevice);
    expect(new Set(onDevice).size).toBeGreaterThan(10);
    sets.push(onDevice);
  }
  expect(sets[0]).not.toEqual(sets[1]);
  workspace.free();
});

test.each(DTYPES)("values of a large array of %s repeat after so many", (dtype: Dtype) => {
  let draws = 0;
  const values = decodeValues(
    drawn(50, dtype, () => draws++, 7),
    dtype,
  );
  expect(draws).toBe(7);
  expect(Array.from(values as ArrayLike<number | bigint>, Number)).toEqual(Array.from({ length: 50 }, (_, i) => i % 7));
});
