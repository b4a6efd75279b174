/** A fill that repeats the last one of its allocation is skipped, and only then. */
import { expect, test } from "vitest";
import { openEmulatedDevice } from "./open-device.ts";

test("fills are repeated exactly when something was written between", () => {
  const { device } = openEmulatedDevice({ engine: "interpreter", library: null, spawn: null });
  const at = device.allocate(64);
  const bytes = (): number[] => {
    const out = new Uint8Array(16);
    device.read(at, out);
    return [...out];
  };
  device.fill(at, 7, 1, 16);
  device.write(at + 3, Uint8Array.of(1));
  device.fill(at, 7, 1, 16);
  expect(bytes()).toEqual(new Array(16).fill(7));
  device.fill(at, 9, 1, 16);
  device.fill(at, 7, 1, 8);
  expect(bytes()).toEqual([...new Array<number>(8).fill(7), ...new Array<number>(8).fill(9)]);
  device.fill(at, 7, 1, 8);
  expect(bytes().slice(8)).toEqual(new Array(8).fill(9));
  device.close();
});

test("fills of any alignment and length write their bytes, and no others", () => {
  const { device } = openEmulatedDevice({ engine: "interpreter", library: null, spawn: null });
  const at = device.allocate(64);
  const bytes = new Uint8Array(64);
  for (const elementBytes of [1, 2, 4] as const)
    for (let first = 0; first < 9; first++)
      for (let count = 0; count < 9; count++) {
        device.fill(at, 0xee, 1, 64);
        device.fill(at + first, 0x04030201, elementBytes, count);
        device.read(at, bytes);
        const end = first + elementBytes * count;
        const expected = Array.from({ length: 64 }, (_, i) =>
          i < first || i >= end ? 0xee : 1 + ((i - first) % elementBytes),
        );
        expect([...bytes]).toEqual(expected);
      }
  device.close();
});
