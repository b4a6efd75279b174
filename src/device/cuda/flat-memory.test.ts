import { expect, test } from "vitest";
import { FakeMappedDriver } from "./fake-mapped-driver.test-helper.ts";
import { FlatMemory } from "./flat-memory.ts";
import { AddressWindow, WindowMemory } from "./window-memory.ts";

const MB = 1024 * 1024;

test("small blocks share memory, large ones have their own, and all of it comes back", () => {
  const driver = new FakeMappedDriver();
  const memory = new FlatMemory(driver.context());
  const small = Array.from({ length: 100 }, (_, i) => memory.allocate(1000 + i, {}, "user"));
  expect(driver.mapped.size).toBe(1);
  expect(new Set(small.map(({ start }) => start)).size).toBe(100);
  const large = memory.allocate(5 * MB, { align: 4096 }, "user");
  expect(driver.mapped.size).toBe(2);
  expect(memory.find(large.start + 5 * MB - 1)).toBe(memory.at(large.start));
  expect(memory.find((small[3]?.start ?? 0) + 10)?.start).toBe(small[3]?.start);
  memory.free(large.start);
  expect(driver.mapped.size).toBe(1);
  for (const { start } of small) expect(memory.free(start)?.start).toBe(start);
  // An empty slab stays for the next block.
  expect(driver.mapped.size).toBe(1);
  expect(memory.allocate(100, {}, "user").start).toBe(small[0]?.start);
  memory.close();
  expect([driver.mapped.size, driver.physical.size, driver.reserved.size]).toEqual([0, 0, 0]);
});

test("a driver that cannot map memory gives it plainly", () => {
  const driver = new FakeMappedDriver();
  driver.canMap = false;
  const memory = new FlatMemory(driver.context());
  const blocks = [memory.allocate(100, {}, "user"), memory.allocate(9 * MB, { align: 1024 }, "user")];
  expect(driver.plain.size).toBe(2);
  expect((blocks[1]?.start ?? 1) % 1024).toBe(0);
  expect(memory.mappedAt(blocks[0]?.start ?? 0)).toBeNull();
  for (const { start } of blocks) memory.free(start);
  expect(driver.plain.size).toBe(0);
});

test("a window shows memory of a flat device at 32-bit pointers until it is freed", () => {
  const driver = new FakeMappedDriver();
  const context = driver.context();
  const flat = new FlatMemory(context);
  const window = new WindowMemory(context, new AddressWindow(driver.context().driver), 0, 1, true);
  flat.onUnmapping((mapped) => window.views?.forget(mapped));
  const pointerOf = (address: number, call: number): number => {
    const mapped = flat.mappedAt(address);
    if (mapped === null || window.views === null) throw new Error("not mapped");
    return window.views.pointer(mapped, address, call);
  };
  const [a, b] = [flat.allocate(1000, {}, "user"), flat.allocate(1000, {}, "user")];
  const large = flat.allocate(600 * MB, {}, "user");
  const pointers = [a, b, large].map(({ start }) => pointerOf(start, 1));
  // Two in one slab: one view, and their distance stays.
  expect((pointers[1] ?? 0) - (pointers[0] ?? 0)).toBe(b.start - a.start);
  expect(pointers.every((pointer) => pointer > 0 && pointer < 2 ** 32)).toBe(true);
  expect(window.find((pointers[2] ?? 0) + 600 * MB - 1)).not.toBeNull();
  expect(pointerOf(large.start + 64, 2)).toBe((pointers[2] ?? 0) + 64);
  // The window's own memory lies elsewhere.
  const own = window.allocate(100 * MB, {}, "user");
  expect(own.start + 100 * MB).toBeLessThanOrEqual(pointers[0] ?? 0);
  const views = driver.mapped.size;
  flat.free(large.start);
  expect(driver.mapped.size).toBe(views - 2);
});

test("views that no running call uses make room for others", () => {
  const driver = new FakeMappedDriver();
  const context = driver.context();
  const flat = new FlatMemory(context);
  const window = new WindowMemory(context, new AddressWindow(driver.context().driver), 0, 1, true);
  const blocks = Array.from({ length: 4 }, () => flat.allocate(900 * MB, {}, "user"));
  const show = (i: number, call: number): number => {
    const address = blocks[i]?.start ?? 0;
    return window.views?.pointer(flat.mappedAt(address) as never, address, call) ?? 0;
  };
  const places = [show(0, 1), show(1, 1), show(2, 1)];
  expect(() => show(3, 1)).toThrow(/bytes of tensors at a time/);
  show(1, 2);
  expect(show(3, 2)).toBe(places[0]);
  expect(show(1, 2)).toBe(places[1]);
});

test("memory of a host program has addresses that the program has, too, and comes back", () => {
  const driver = new FakeMappedDriver();
  const memory = new FlatMemory(driver.context(), { part: 0, parts: 1 });
  const high = memory.allocate(5 * MB, {}, "user");
  const low = [100, 3 * MB].map((bytes) => memory.allocate(bytes, { minAddress: 1800 * MB }, "user"));
  expect(low.map(({ start }) => start >= 1800 * MB && start < 4096 * MB)).toEqual([true, true]);
  expect(high.start).toBeGreaterThan(4096 * MB);
  expect(memory.find((low[1]?.start ?? 0) + 3 * MB - 1)?.start).toBe(low[1]?.start);
  expect(memory.free(low[0]?.start ?? 0)?.bytes).toBe(100);
  // What is free is given out again; memory stays behind it.
  expect(memory.allocate(50, { minAddress: 1 }, "user").start).toBe(1536 * MB);
  expect(() => memory.allocate(MB, { minAddress: 4095.5 * MB }, "user")).toThrow(/out of device memory/);
  memory.close();
  expect([driver.mapped.size, driver.physical.size, driver.reserved.size]).toEqual([0, 0, 0]);
});

test("devices of one program have parts of these addresses", () => {
  const driver = new FakeMappedDriver();
  const memories = [0, 1].map((part) => new FlatMemory(driver.context(), { part, parts: 2 }));
  const starts = memories.map((memory) => memory.allocate(MB, { minAddress: 1 }, "user").start);
  expect(new Set(starts).size).toBe(2);
  // Only the first has the addresses of pinned memory, which all of them use.
  expect(memories[1]?.shared()).toBeNull();
  for (const memory of memories) memory.close();
  expect(driver.reserved.size).toBe(0);
});
