/** What a launch copies of the memory that host and device both have: the allocations that it may touch, no others. */
import { describe, expect, test } from "vitest";
import type { RegionAccess } from "../../../analysis/pointers/access-summary.ts";
import type { GpuKernel } from "../../../device/device.ts";
import type { DeviceState } from "../device-state.ts";
import { openApi } from "../api-functions/api.test-helper.ts";
import { MirroredMemory, type MirrorSurroundings } from "./mirrored-memory.ts";

const OUT = 64;
const READ = { read: true, write: false };
const WRITE = { read: false, write: true };

/** Three managed allocations, an allocation of the device's, and a kernel of two pointers and a struct. */
function open(): {
  uses(regions: readonly RegionAccess[] | null, a: number, b?: number, inStruct?: number): string[];
  places: { one: number; two: number; three: number; device: number };
} {
  const { cuda, call, u32 } = openApi();
  const allocate = (name: string, ...more: number[]): number => {
    expect(call(name, OUT, 4096, ...more)).toBe(0);
    return u32(OUT);
  };
  const places = {
    one: allocate("cudaMallocManaged", 1),
    two: allocate("cudaMallocManaged", 1),
    three: allocate("cudaMallocManaged", 1),
    device: allocate("cudaMalloc"),
  };
  const names = new Map(Object.entries(places).map(([name, place]) => [place, name]));
  return {
    places,
    uses(regions, a, b = 0, inStruct = 0) {
      const params = new Uint8Array(Uint32Array.of(a, b, 7, inStruct).buffer);
      const pointer = { size: 4, align: 4, kind: "pointer" } as const;
      const kernel = {
        params: [
          { name: "a", offset: 0, ...pointer },
          { name: "b", offset: 4, ...pointer },
          { name: "s", offset: 8, size: 8, align: 4, kind: "struct" },
        ],
        regions,
      } as unknown as GpuKernel;
      return cuda.mirrored
        .usedBy(cuda.current, kernel, params)
        .map(({ allocation, isWritten }) => `${isWritten ? "writes" : "reads"} ${names.get(allocation.hostAddress)}`);
    },
  };
}

const param = (index: number, access: typeof READ, offset = 0): RegionAccess => ({
  root: { kind: "param", index, offset },
  ...access,
});

describe("a launch uses", () => {
  const all = ["writes one", "writes two", "writes three"];

  test("nothing, if it comes to device memory and null alone", () => {
    const { uses, places } = open();
    expect(uses([param(0, WRITE)], places.device + 16)).toEqual([]);
    expect(uses([param(0, WRITE), param(1, READ)], places.device)).toEqual([]);
    expect(uses([], places.one)).toEqual([]);
  });

  test("what its pointers point into, and writes what it writes", () => {
    const { uses, places } = open();
    expect(uses([param(0, READ), param(1, WRITE)], places.two, places.device)).toEqual(["reads two"]);
    expect(uses([param(0, READ), param(1, WRITE)], places.one, places.three + 4095)).toEqual([
      "reads one",
      "writes three",
    ]);
    expect(uses([param(0, READ), param(1, WRITE)], places.one, places.one + 64)).toEqual(["writes one"]);
    expect(uses([param(0, WRITE), param(1, READ)], places.one, places.one + 64)).toEqual(["writes one"]);
    expect(uses([param(2, WRITE, 4)], places.one, places.two, places.three)).toEqual(["writes three"]);
  });

  test("variables, if it comes to one", () => {
    const { uses, places } = open();
    expect(uses([{ root: { kind: "global", name: "x" }, ...WRITE }], places.one)).toEqual([]);
  });

  test("nothing, and asks nothing of the kernel, if there is no such memory", () => {
    const { cuda } = openApi();
    const kernel = {
      get regions(): never {
        throw new Error("the kernel was asked");
      },
    } as unknown as GpuKernel;
    expect(cuda.mirrored.usedBy(cuda.current, kernel, new Uint8Array(4))).toEqual([]);
  });

  test("all, if it follows pointers in memory, or a pointer to nothing that is known", () => {
    const { uses, places } = open();
    expect(uses(null, places.one)).toEqual(all);
    expect(uses([param(0, READ)], 16)).toEqual(all);
    expect(uses([param(0, READ), param(1, READ)], places.one, 0xffff_f000)).toEqual(all);
    expect(uses([param(5, READ)], places.one)).toEqual(all);
    expect(uses([param(2, READ, 8)], places.one)).toEqual(all);
  });
});

test("pinned memory is shared by the device that has the addresses for it, whichever is current", () => {
  const released: number[] = [];
  const sharedHostMemory = {
    place: (_bytes: number, minAddress: number) => minAddress,
    share: () => true,
    release: (pointer: number) => void released.push(pointer),
  };
  const without = { fault: null, device: {} } as unknown as DeviceState;
  const broken = { fault: { code: 700 }, device: { sharedHostMemory } } as unknown as DeviceState;
  const sharing = { fault: null, device: { sharedHostMemory } } as unknown as DeviceState;
  const surroundings = {
    memory: { size: 4096, growTo: () => true, slice: () => new Uint8Array(8) },
    current: without,
    devices: [broken, without, sharing],
    host: { free: () => {}, gap: () => null },
  } as unknown as MirrorSurroundings;
  const mirrored = new MirroredMemory(surroundings);
  const allocation = mirrored.allocate(8, "pinned", 0);
  expect(allocation).toMatchObject({ hostAddress: 4096, deviceAddress: 4096, owner: sharing, isShared: true });
  expect(mirrored.isMapped).toBe(false);
  expect(mirrored.release(4096)).toBe(true);
  expect(released).toEqual([4096]);
});
