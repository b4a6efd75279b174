/** Memory by handles on a GPU: what the driver is asked for, and what copies may reach. */
import { expect, test } from "vitest";
import { FakeMappedDriver } from "./fake-mapped-driver.test-helper.ts";
import { FlatMemory } from "./flat-memory.ts";
import { GpuAddressSpace } from "./gpu-address-space.ts";

const PAGE = 2 * 1024 * 1024;

function open(): {
  driver: FakeMappedDriver;
  memory: FlatMemory;
  space: GpuAddressSpace;
  state: { hasFault: boolean };
} {
  const driver = new FakeMappedDriver();
  const memory = new FlatMemory(driver.context());
  const state = { hasFault: false };
  const space = new GpuAddressSpace(driver.context(), memory, {
    enter: () => {
      if (state.hasFault) throw new Error("device-fault");
    },
    hasFault: () => state.hasFault,
  });
  return { driver, memory, space, state };
}

test("parts of a reservation are one block where they touch, and none where they are closed", () => {
  const { driver, memory, space } = open();
  const start = space.reserve(4 * PAGE, 0);
  const all = { start, bytes: 4 * PAGE };
  const part = (i: number): typeof all => ({ start: start + i * PAGE, bytes: PAGE });
  const known = (): number[][] =>
    [...memory.blocks()].map((block) => [(block.start - start) / PAGE, block.bytes / PAGE]);
  expect(known()).toEqual([]);
  for (const i of [0, 2, 1]) space.open(part(i), all, false);
  expect([driver.mapped.size, driver.physical.size]).toEqual([3, 3]);
  expect(known()).toEqual([[0, 3]]);
  expect(memory.find(start + PAGE + 5)).toMatchObject({ start, purpose: "mapped" });
  space.close(part(1));
  expect(known()).toEqual([
    [0, 1],
    [2, 1],
  ]);
  expect([driver.mapped.size, driver.physical.size]).toEqual([2, 2]);
  space.close(part(0));
  space.close(part(2));
  space.release(all);
  expect([driver.mapped.size, driver.physical.size, driver.reserved.size, known().length]).toEqual([0, 0, 0, 0]);
});

test("neighbours of another reservation stay apart", () => {
  const { memory, space } = open();
  const places = [space.reserve(PAGE, 0), space.reserve(PAGE, 0)];
  for (const start of places) space.open({ start, bytes: PAGE }, { start, bytes: PAGE }, false);
  const starts = [...memory.blocks()].map(({ start }) => start);
  expect(starts.toSorted((a, b) => a - b)).toEqual(places.toSorted((a, b) => a - b));
});

test("a reset gives everything back", () => {
  const { driver, space } = open();
  const start = space.reserve(2 * PAGE, 4 * PAGE);
  expect(start % (4 * PAGE)).toBe(0);
  space.open({ start, bytes: PAGE }, { start, bytes: 2 * PAGE }, true);
  space.reset();
  expect([driver.mapped.size, driver.physical.size, driver.reserved.size]).toEqual([0, 0, 0]);
});

test("what the driver refuses leaves nothing behind", () => {
  const { driver, memory, space } = open();
  const start = space.reserve(PAGE, 0);
  driver.canMap = false;
  expect(() => space.open({ start, bytes: PAGE }, { start, bytes: PAGE }, false)).toThrow("cuMemCreate: 801");
  expect([driver.mapped.size, [...memory.blocks()].length]).toEqual([0, 0]);
});

test("a program can forget its memory after a fault, and a reset gives it back", () => {
  const { driver, memory, space, state } = open();
  const all = { start: space.reserve(PAGE, 0), bytes: PAGE };
  space.open(all, all, false);
  state.hasFault = true;
  space.close(all);
  space.release(all);
  expect([...memory.blocks()]).toEqual([]);
  expect([driver.mapped.size, driver.reserved.size]).toEqual([1, 1]);
  space.reset();
  expect([driver.mapped.size, driver.physical.size, driver.reserved.size]).toEqual([0, 0, 0]);
});
