import { expect, test } from "vitest";
import { HeddleError } from "../../base/diagnostics.ts";
import type { DeviceObserver } from "../../machine/observer.ts";
import { DeviceMemory } from "./memory.ts";

const MIB = 1024 * 1024;

function observed(): { readonly memory: DeviceMemory; readonly seen: string[] } {
  const seen: string[] = [];
  const observer = {
    name: "test",
    allocated: ({ bytes }) => void seen.push(`+${bytes / MIB}`),
    freed: ({ bytes }) => void seen.push(`-${bytes / MIB}`),
  } as Partial<DeviceObserver> as DeviceObserver;
  return { memory: new DeviceMemory(1, observer), seen };
}

test("addresses are memory from open to close, and tools hear of just these parts", () => {
  const { memory, seen } = observed();
  const { addressSpace: space, freeBytes: free } = memory;
  const all = { start: space.reserve(8 * MIB, 0), bytes: 8 * MIB };
  const part = (from: number, bytes: number): { start: number; bytes: number } => ({
    start: all.start + from * MIB,
    bytes: bytes * MIB,
  });
  expect(memory.find(all.start)).toBeNull();
  space.open(part(2, 2), all);
  space.open(part(4, 2), all);
  // A copy may reach over both.
  expect(memory.find(part(5, 1).start)).toMatchObject(part(2, 4));
  expect(memory.find(part(1, 1).start)).toBeNull();
  expect(memory.find(part(6, 1).start)).toBeNull();
  space.close(part(2, 2), all);
  expect(memory.find(part(4, 1).start)).toMatchObject(part(4, 2));
  space.close(part(4, 2), all);
  expect(memory.nearest(all.start)).toBeNull();
  space.release(all);
  expect(seen).toEqual(["+2", "+2", "-2", "-2"]);
  expect(memory.freeBytes).toBe(free);
});

test("neighbouring reservations stay apart", () => {
  const { memory } = observed();
  const { addressSpace: space } = memory;
  const [one, other] = [0, 1].map(() => ({ start: space.reserve(2 * MIB, 0), bytes: 2 * MIB })) as [
    { start: number; bytes: number },
    { start: number; bytes: number },
  ];
  expect(other.start).toBe(one.start + one.bytes);
  space.open(one, one);
  space.open(other, other);
  expect(memory.find(one.start)).toMatchObject(one);
  space.close(one, one);
  space.release(one);
  expect(memory.find(other.start)).toMatchObject(other);
});

test("what is not reserved cannot be opened, and more than there is cannot be reserved", () => {
  const { memory } = observed();
  const start = memory.allocate(4 * MIB).start;
  expect(() => memory.addressSpace.open({ start, bytes: MIB }, { start, bytes: MIB })).toThrow("reserved");
  expect(() => memory.addressSpace.reserve(2 ** 40, 0)).toThrow(HeddleError);
});
