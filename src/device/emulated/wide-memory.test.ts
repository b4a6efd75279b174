/** A device with more than 4 GiB of memory. What is not touched takes none. */
import { afterEach, describe, expect, test } from "vitest";
import { HeddleError } from "../../base/diagnostics.ts";
import { enableWasmFeatures } from "../../engine/emit/v8-flags-node.ts";
import type { EngineChoice } from "./engines.ts";
import type { EmulatedDevice } from "./emulated-device.ts";
import { openNodeDevice, type NodeDeviceOptions } from "./open-device-node.ts";

enableWasmFeatures();
const GIB = 2 ** 30;
const hasLargeMemories = Number(process.versions.node.split(".")[0]) >= 24;

const IR = `target triple = "nvptx64-nvidia-cuda"
@count = addrspace(1) global i32 0
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @fill(ptr %out, i64 %first, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %o = mul i32 %b, 64
  %i = add i32 %o, %t
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %end
body:
  %w = zext i32 %i to i64
  %at = add i64 %first, %w
  %p = getelementptr i32, ptr %out, i64 %at
  %v = mul i32 %i, 3
  store i32 %v, ptr %p, align 4
  %old = atomicrmw add ptr addrspace(1) @count, i32 1 monotonic, align 4
  br label %end
end:
  ret void
}`;

const opened: EmulatedDevice[] = [];
afterEach(() => opened.splice(0).forEach((device) => device.close()));

function open(options: NodeDeviceOptions): EmulatedDevice {
  const device = openNodeDevice({ workers: 1, ...options });
  opened.push(device);
  return device;
}

function fill(device: EmulatedDevice, out: number, first: number, n: number): string | null {
  const module = device.loadModule({ ir: IR, name: "fill.ll", options: { fmad: true } });
  const params = new DataView(new ArrayBuffer(20));
  params.setBigUint64(0, BigInt(out), true);
  params.setBigInt64(8, BigInt(first), true);
  params.setInt32(16, n, true);
  const config = { grid: { x: Math.ceil(n / 64), y: 1, z: 1 }, block: { x: 64, y: 1, z: 1 }, sharedBytes: 0 };
  const { fault } = device.launchBlocking(module.kernel("fill"), config, new Uint8Array(params.buffer));
  const counted = new Int32Array(1);
  device.read(module.symbol("count")?.pointer ?? 0, new Uint8Array(counted.buffer));
  expect(counted[0]).toBe(fault === null ? n : 0);
  module.unload();
  return fault?.message ?? null;
}

function numbers(device: EmulatedDevice, at: number, count: number): number[] {
  const words = new Int32Array(count);
  device.read(at, new Uint8Array(words.buffer));
  return [...words];
}

test.skipIf(hasLargeMemories)("an engine without large memories says so", () => {
  expect(() => open({ memoryBytes: 6 * GIB })).toThrow(/more than 4 GiB of device memory in this JavaScript engine/);
});

describe.skipIf(!hasLargeMemories)("where the engine has large memories", () => {
  test.each<[EngineChoice, number]>([
    ["auto", 1],
    ["auto", 3],
    ["thread", 1],
    ["interpreter", 1],
  ])("kernels write below and above 4 GiB: %s, %d threads", (engine, workers) => {
    const device = open({ memoryBytes: 7 * GIB, engine, workers });
    expect(device.memoryInfo()).toEqual({ totalBytes: 7 * GIB, freeBytes: 7 * GIB });
    expect(device.irPointerBits).toBe(64);
    const n = 1000;
    const expected = Array.from({ length: n }, (_, i) => 3 * i);
    const low = device.allocate(4 * n);
    expect(fill(device, low, 0, n)).toBeNull();
    expect(numbers(device, low, n)).toEqual(expected);
    const large = device.allocate(5 * GIB);
    expect(fill(device, large, 1.125 * GIB, n)).toBeNull();
    expect(numbers(device, large + 4.5 * GIB, n)).toEqual(expected);
    const high = device.allocate(4 * n);
    expect(high).toBeGreaterThan(2 ** 32);
    expect(fill(device, high, 0, n)).toBeNull();
    expect(numbers(device, high, n)).toEqual(expected);
    // Below 4 GiB again, with pointers of 32 bits: what they reach is known.
    expect(fill(device, low, 0, n)).toBeNull();
    device.copy(high, low, 8);
    device.fill(high + 8, 7, 4, 2);
    expect(numbers(device, high, 5)).toEqual([0, 3, 7, 7, 12]);
    expect(fill(device, high, GIB, n)).toMatch(/outside the memory in use|bytes at 0x/);
  });

  test("what is too much, and tools, are refused by name", () => {
    expect(() => open({ memoryBytes: 20 * GIB })).toThrow(/20\.\d GiB of memory/);
    const device = open({ memoryBytes: 5 * GIB });
    const summary = (run: () => unknown): string => {
      try {
        run();
      } catch (error) {
        return error instanceof HeddleError ? error.summary : String(error);
      }
      return "";
    };
    expect(summary(() => device.allocate(6 * GIB))).toMatch(/out of device memory: 6442450944 bytes asked for/);
    const narrow = { ir: 'target triple = "nvptx-nvidia-cuda"', name: "narrow.ll", options: { fmad: true } };
    expect(summary(() => device.loadModule(narrow))).toMatch(/32-bit pointers/);
  });
});
