import fc from "../../base/properties.test-helper.ts";
import { describe, expect, it } from "vitest";
import { HeddleError } from "../../base/diagnostics.ts";
import { TAIL_SLACK_BYTES, USER_BASE } from "../../machine/memory-map.ts";
import { Arena, type ArenaBlock } from "../common/arena.ts";
import { DeviceMemory } from "./memory.ts";
import { openEmulatedDevice } from "./open-device.ts";
import { SCRATCH_BASE, regionsFor } from "./memory-regions.ts";
import type { DeviceObserver, ObservedMemory } from "../../machine/observer.ts";
import { ScratchSpace } from "./scratch.ts";

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant("take" as const),
      bytes: fc.nat(5000),
      align: fc.constantFrom(1, 16, 256, 1024, 4096),
      min: fc.nat(80_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("release" as const), pick: fc.nat() }) },
);

describe("arena", () => {
  it("agrees with a list of blocks under random use", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const [base, end, granule] = [4096, 4096 + 65536, 256];
        const arena = new Arena(base, end, granule);
        const live: ArenaBlock[] = [];
        const size = (b: ArenaBlock) => Math.ceil(Math.max(b.bytes, 1) / granule) * granule;
        const isFree = (from: number, bytes: number) =>
          from >= base &&
          from + bytes <= end &&
          live.every((b) => from + bytes <= b.start || b.start + size(b) <= from);
        for (const s of steps) {
          if (s.op === "take") {
            // The lowest place by brute force: candidates are the ends of blocks, the base and the minimum, aligned up.
            const align = Math.max(s.align, granule);
            const need = Math.ceil(Math.max(s.bytes, 1) / granule) * granule;
            const candidates = [base, ...live.map((b) => b.start + size(b))]
              .map((c) => Math.ceil(Math.max(c, s.min) / align) * align)
              .filter((c) => isFree(c, need));
            const start = arena.place(s.bytes, s.align, s.min);
            expect(start).toBe(candidates.length === 0 ? null : Math.min(...candidates));
            if (start === null) continue;
            const block = { start, bytes: s.bytes };
            arena.take(block);
            live.push(block);
          } else if (live.length > 0) {
            const [block] = live.splice(s.pick % live.length, 1) as [ArenaBlock];
            expect(arena.release(block.start)).toBe(block);
            expect(arena.release(block.start)).toBeNull();
          }
          expect(arena.freeBytes).toBe(end - base - live.reduce((sum, b) => sum + size(b), 0));
          expect(arena.top).toBe(Math.max(base, ...live.map((b) => b.start + size(b))));
          for (const address of [base, base + 5000, base + 30_000, end - 1]) {
            expect(arena.find(address)).toBe(
              live.find((b) => b.start <= address && address < b.start + b.bytes) ?? null,
            );
            const distance = (b: ArenaBlock) => Math.max(0, b.start - address, address - (b.start + b.bytes - 1));
            const nearest = arena.nearest(address);
            if (nearest === null) expect(live).toHaveLength(0);
            else if (nearest.bytes > 0)
              expect(distance(nearest)).toBe(Math.min(...live.map((b) => Math.max(0, distance(b)))));
          }
        }
        for (const block of live) arena.release(block.start);
        expect(arena.largestFree).toBe(end - base);
      }),
      { numRuns: 200 },
    );
  });

  it("stays fast with a hundred thousand blocks", () => {
    const arena = new Arena(0, 2 ** 32, 256);
    const before = process.cpuUsage();
    const starts: number[] = [];
    for (let i = 0; i < 100_000; i++) {
      const start = arena.place(1000 + (i % 7) * 300, 256, 0) as number;
      arena.take({ start, bytes: 1000 + (i % 7) * 300 });
      starts.push(start);
    }
    for (let i = 0; i < starts.length; i += 2) arena.release(starts[i] as number);
    for (let i = 1; i < starts.length; i += 2) arena.release(starts[i] as number);
    expect(arena.largestFree).toBe(2 ** 32);
    // The process's own time: what else the machine does shall not matter.
    expect(process.cpuUsage(before).user).toBeLessThan(10e6);
  });
});

describe("device memory", () => {
  it("backs what it hands out, and a vector beyond it", () => {
    const memory = new DeviceMemory(1);
    const block = memory.allocate(100 * 1024 * 1024);
    expect(block.start % 256).toBe(0);
    expect(memory.top).toBe(block.start + block.bytes);
    expect(memory.bytes.byteLength).toBeGreaterThanOrEqual(memory.top + TAIL_SLACK_BYTES);
    memory.bytes[memory.top - 1] = 7;
  });

  it("reuses freed memory", () => {
    const memory = new DeviceMemory(1);
    const first = memory.allocate(1 << 20).start;
    memory.free(first);
    expect(memory.allocate(1 << 20).start).toBe(first);
  });

  it("places managed memory above a minimum", () => {
    const memory = new DeviceMemory(1);
    expect(memory.allocate(64, { minAddress: 0x2000_0000 }).start).toBeGreaterThanOrEqual(0x2000_0000);
  });

  it("says how much was asked for and how much is free", () => {
    const memory = new DeviceMemory(1);
    expect(() => memory.allocate(8e9)).toThrow(new RegExp(`8000000000 bytes asked for, ${memory.capacityBytes} free`));
    expect(() => memory.allocate(64, { align: 48 })).toThrow(HeddleError);
    expect(() => memory.allocate(-1)).toThrow(HeddleError);
  });

  it("hands out no more than it is given, and all of that again", () => {
    const memory = new DeviceMemory(1, null, false, null, 1 << 20);
    expect([memory.capacityBytes, memory.freeBytes]).toEqual([1 << 20, 1 << 20]);
    const block = memory.allocate(1 << 19, { minAddress: 0x2000_0000 });
    expect(memory.freeBytes).toBe(1 << 19);
    expect(() => memory.allocate((1 << 19) + 1)).toThrow(
      "524289 bytes asked for, 524288 free\n  the device was given 1048576 bytes for programs",
    );
    memory.free(block.start);
    expect(memory.allocate(1 << 20).bytes).toBe(1 << 20);
    expect(memory.freeBytes).toBe(0);
  });

  it("hands out the whole of 4 GiB", () => {
    const memory = new DeviceMemory(2);
    const block = memory.allocate(memory.capacityBytes);
    expect(memory.bytes.byteLength).toBe(2 ** 32);
    expect(memory.freeBytes).toBe(0);
    memory.free(block.start);
    expect(memory.freeBytes).toBe(memory.capacityBytes);
  });

  it("gives every thread scratch memory of its own, below the heap", () => {
    const memory = new DeviceMemory(2);
    const [one, two] = [new ScratchSpace(memory.wasm), new ScratchSpace(memory.wasm)];
    const taken: [number, number][] = [];
    for (let i = 0; i < 50; i++) {
      for (const scratch of [one, two]) {
        for (const kind of ["user", "engine"] as const) {
          const bytes = 1 + ((i * 7919) % 300_000);
          const start = scratch.allocate(bytes, 1024, kind);
          expect(start % 1024).toBe(0);
          expect(
            kind === "user"
              ? start >= USER_BASE && start + bytes <= regionsFor(2, null).heap
              : start >= SCRATCH_BASE && start + bytes <= USER_BASE,
          ).toBe(true);
          for (const [from, to] of taken) expect(start + bytes <= from || to <= start).toBe(true);
          taken.push([start, start + bytes]);
        }
      }
    }
    const before = one.allocate(5, 8, "user");
    one.free(before);
    expect(one.allocate(5, 8, "user")).toBe(before);
    expect(() => one.allocate(300 * 1024 * 1024, 8, "user")).toThrow(/do not fit/);
    // Contexts overflow to where windows are.
    expect(one.allocate(100 * 1024 * 1024, 8, "engine")).toBeGreaterThanOrEqual(USER_BASE);
    expect(memory.top).toBe(regionsFor(2, null).heap);
    expect([...memory.allocations()]).toHaveLength(0);
  });

  it("versions change for the allocations a write touches, and for no other", () => {
    const memory = new DeviceMemory(1);
    const [a, b, c] = [memory.allocate(300), memory.allocate(512), memory.allocate(10)];
    const versions = () => [a, b, c].map((block) => memory.version(block));
    const before = versions();
    memory.touch(a.start + 299, 300);
    const after = versions();
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
    expect(after[2]).toBe(before[2]);
    expect(new Set(after).size).toBe(3);
    memory.touchAll();
    expect(versions().every((v, i) => v !== after[i])).toBe(true);
  });
});

describe("shadow memory", () => {
  it("gives each byte of windows and heap one byte in each plane, apart from all else", () => {
    for (const planes of [0, 1, 3, 9]) {
      const { shadows, windows, heap, end, planeBytes } = regionsFor(2, planes);
      expect(windows).toBeGreaterThanOrEqual(shadows + planes * planeBytes);
      expect(end - windows).toBe(planeBytes);
      expect(heap).toBeLessThan(end);
    }
  });

  it("is the program's where the tool can do without it and nothing else is left", () => {
    let asked = 0;
    const observer = {
      shadowPlanes: 2,
      libraryFunctions: [],
      leastShadowPlanes: 0,
      attach() {},
      allocated() {},
      freed() {},
      yieldShadow: () => (++asked === 2 ? 0 : null),
    };
    const { shadows, windows, heap, end } = regionsFor(1, 2);
    const memory = new DeviceMemory(1, observer as unknown as DeviceObserver);
    expect(memory.capacityBytes).toBe(windows - shadows + end - heap);
    const first = memory.allocate(256);
    const bytes = end - heap;
    expect(() => memory.allocate(bytes)).toThrow(/more hold the notes of/);
    expect(memory.shadowPlanes).toBe(2);
    const { start } = memory.allocate(bytes);
    expect([asked, memory.shadowPlanes]).toEqual([2, 0]);
    expect(start).toBeGreaterThanOrEqual(shadows);
    expect(start + bytes).toBeLessThanOrEqual(windows);
    // Blocks' windows stay legal for kernels when all that is left lies below them.
    memory.free(first.start);
    expect(memory.top).toBeGreaterThanOrEqual(heap);
    expect(memory.freeBytes).toBe(memory.capacityBytes - bytes);
    // More than there is in one piece.
    expect(() => memory.allocate(2 ** 32 - 65536)).toThrow(/out of device memory/);
    expect(memory.free(start)?.bytes).toBe(bytes);
    expect(memory.freeBytes).toBe(memory.capacityBytes);
  });

  it("goes to the program in parts: planes that the tool keeps lie elsewhere, with what they hold", () => {
    let observed: ObservedMemory | null = null;
    const kept: number[] = [1, 0];
    let moves = 0;
    const observer = {
      shadowPlanes: 4,
      libraryFunctions: [],
      leastShadowPlanes: 0,
      attach: (memory: ObservedMemory) => void (observed = memory),
      allocated() {},
      freed() {},
      yieldShadow: (_: number, fits: (planes: number) => boolean) => {
        const planes = kept.find(fits);
        return planes ?? null;
      },
      shadowMoved: () => void moves++,
    };
    const memory = new DeviceMemory(1, observer as unknown as DeviceObserver);
    const shadow = (address: number, plane: number): number =>
      (address + (observed as unknown as ObservedMemory).shadow(plane)) >>> 0;
    const MIB = 1024 * 1024;
    const first = memory.allocate(64 * MIB);
    const places = [first.start, first.start + 12345, first.start + 64 * MIB - 1];
    // Each plane holds something of its own, the first one also of windows.
    for (let plane = 0; plane < 4; plane++)
      places.forEach((at, i) => (memory.bytes[shadow(at, plane)] = 16 * plane + i + 1));
    const { windows } = regionsFor(1, 4);
    memory.bytes[shadow(windows + 5, 0)] = 99;
    const second = memory.allocate(420 * MIB);
    expect([memory.shadowPlanes, moves]).toEqual([1, 1]);
    expect(places.map((at) => memory.bytes[shadow(at, 0)])).toEqual([1, 2, 3]);
    expect(memory.bytes[shadow(windows + 5, 0)]).toBe(0);
    // The new memory has shadows, apart from it, that are zero.
    const own = memory.bytes.subarray(shadow(second.start, 0), shadow(second.start + second.bytes - 1, 0) + 1);
    expect(own.length).toBe(second.bytes);
    for (let at = 0; at < own.length; at += 997) if (own[at] !== 0) expect(at).toBe(-1);
    expect(shadow(first.start + first.bytes, 0)).toBeLessThanOrEqual(
      (observed as unknown as ObservedMemory).shadowed.start,
    );
    expect(second.start).toBeGreaterThanOrEqual((observed as unknown as ObservedMemory).shadowed.start);
    const third = memory.allocate(1200 * MIB);
    expect([memory.shadowPlanes, moves]).toEqual([0, 2]);
    const blocks = [first, second, third].sort((a, b) => a.start - b.start);
    for (let i = 1; i < 3; i++)
      expect(blocks[i]?.start).toBeGreaterThanOrEqual((blocks[i - 1]?.start ?? 0) + (blocks[i - 1]?.bytes ?? 0));
  });

  it("is where the observer is told, zeroed, and legal for kernels", () => {
    const shadows: number[] = [];
    const observer = {
      shadowPlanes: 2,
      libraryFunctions: [],
      attach: (observed: ObservedMemory) => shadows.push(observed.shadow(0), observed.shadow(1)),
      allocated() {},
      freed() {},
    };
    const memory = new DeviceMemory(1, observer as unknown as DeviceObserver);
    const { start } = memory.allocate(4);
    const [first, second] = shadows.map((delta) => (start + delta) >>> 0) as [number, number];
    expect(first).toBeGreaterThanOrEqual(USER_BASE);
    expect(second - first).toBe(regionsFor(1, 2).planeBytes);
    expect(second).toBeLessThan(regionsFor(1, 2).windows);
    expect([memory.bytes[first], memory.bytes[second]]).toEqual([0, 0]);
    expect(memory.top).toBeGreaterThan(second);
  });
});

it("JavaScript does not count a device's memory among what it holds, with one thread either: it would collect", () => {
  const before = process.memoryUsage().external;
  const { device } = openEmulatedDevice({ workers: 1, library: null, spawn: null });
  device.allocate(200 * 1024 * 1024);
  expect(process.memoryUsage().external - before).toBeLessThan(100 * 1024 * 1024);
  device.close();
});
