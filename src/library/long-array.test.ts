import { describe, expect, it } from "vitest";
import { TEST_MODEL } from "../base/test-model.test-helper.ts";
import type { Device } from "../device/device.ts";
import { compile, openDevice } from "../index.ts";
import type { KernelParam } from "../machine/launch.ts";
import { Gpu } from "./gpu.ts";
import { packArguments } from "./kernel-arguments.ts";

/** Those that have all that they need here. */
const MODELS = TEST_MODEL.name === "lp64" ? (["ilp32", "lp64"] as const) : (["ilp32"] as const);

describe("arrays of long, unsigned long and size_t", () => {
  /** A device with a megabyte of memory at address 0. */
  function fakeDevice(irPointerBits: 32 | 64): Device {
    const memory = new Uint8Array(1 << 20);
    let next = 256;
    return {
      irPointerBits,
      queue: null,
      allocate: (bytes: number) => (next += 256 * Math.ceil(bytes / 256)) - 256 * Math.ceil(bytes / 256),
      write: (at: number, bytes: Uint8Array) => memory.set(bytes, at),
      read: (at: number, target: Uint8Array) => target.set(memory.subarray(at, at + target.length)),
      fill: (at: number, value: number, _bytes: number, count: number) =>
        new Int32Array(memory.buffer, at, count).fill(value),
      synchronize: async () => ({ fault: null, output: "" }),
    } as unknown as Device;
  }

  it.each([32, 64] as const)("take and give the same values where pointers have %i bits", async (irPointerBits) => {
    const gpu = new Gpu(fakeDevice(irPointerBits), () => {});
    const array = gpu.array([-1n, 2n, 3n], "long");
    expect(array.byteLength).toBe((3 * irPointerBits) / 8);
    expect(await array.read()).toEqual(new BigInt64Array([-1n, 2n, 3n]));
    await array.write(new BigInt64Array([7n]), 1);
    const part = array.subarray(1);
    expect(await part.read()).toEqual(new BigInt64Array([7n, 3n]));
    await part.fill(-5);
    const target = new BigInt64Array(3);
    await array.readInto(target);
    expect(target).toEqual(new BigInt64Array([-1n, -5n, -5n]));
    const sizes = gpu.array(2, "size_t");
    await sizes.write([0, 4_294_967_295]);
    expect(await sizes.read()).toEqual(new BigUint64Array([0n, 4_294_967_295n]));
    expect(() => gpu.array([-1], "unsigned long")).toThrow(/^element 0 is -1: unsigned long is from 0 to/);
    expect(() => gpu.array([0.5], "long")).toThrow("an array of long has whole numbers, not 0.5");
    await expect(array.readInto(new Int32Array(3))).rejects.toThrow("an array of long is read into 64-bit integers");
    const param = { kind: "pointer", name: "x", offset: 0, size: irPointerBits / 8 } as KernelParam;
    const types = [["long*"], [irPointerBits === 32 ? "unsigned int*" : "unsigned long*"]];
    for (const [i, argument] of [array, sizes].entries()) {
      const signature = { kernel: "k", params: [param], paramBytes: param.size, types: types[i] as string[] };
      expect(packArguments(signature, [argument], gpu.raw)).toHaveLength(param.size);
    }
  });

  it.each(MODELS)("a kernel takes them under %s, whatever the width", async (model) => {
    using device = await openDevice({ device: "emulated", workers: 1, model });
    const program = await compile(
      `__global__ void add(long* x, unsigned long* y, size_t* z) {
        x[threadIdx.x] += y[threadIdx.x]; z[threadIdx.x] = sizeof *z * 0 + threadIdx.x;
      }`,
      { device },
    );
    const [x, y, z] = [device.array([-5, 6], "long"), device.array([1, 2], "unsigned long"), device.array(2, "size_t")];
    await (await program.kernel("add")).launch({ grid: 1, block: 2 }, x, y, z);
    expect([await x.read(), await z.read()]).toEqual([new BigInt64Array([-4n, 8n]), new BigUint64Array([0n, 1n])]);
  });

  it.runIf(TEST_MODEL.name === "lp64")("sums, sizes and pointers have 64 bits by default, as on a GPU", async () => {
    using device = await openDevice({ device: "emulated", workers: 1, model: "lp64" });
    const program = await compile(
      `struct Row { float* values; long count; };
      __global__ void sum(Row row, long by, long* total, size_t* sizes) {
        for (long i = 0; i < row.count; i++) *total += by + (long)row.values[i];
        sizes[0] = sizeof(long); sizes[1] = sizeof(size_t); sizes[2] = sizeof(Row);
      }`,
      { device },
    );
    const [values, total] = [device.array(new Float32Array([1, 2, 3])), device.array([0n], "long")];
    const [sizes, row] = [device.array(3, "size_t"), new BigUint64Array([BigInt(values.pointer), 3n])];
    const sum = await program.kernel("sum");
    await sum.launch({ grid: 1, block: 1 }, new Uint8Array(row.buffer), 2n ** 40n, total, sizes);
    expect(await total.read()).toEqual(new BigInt64Array([3n * 2n ** 40n + 6n]));
    expect(await sizes.read()).toEqual(new BigUint64Array([8n, 8n, 16n]));
    const wrong = device.array(1, "int32");
    await expect(sum.launch({ grid: 1, block: 1 }, new Uint8Array(16), 0, wrong, sizes)).rejects.toThrow(
      "must be an array of int64, not of int32: long has 64 bits here",
    );
  });

  it("a value that the emulated device's long cannot hold is refused", async () => {
    const emulated = new Gpu(fakeDevice(32), () => {});
    expect(() => emulated.array([1n, 2n ** 40n], "long")).toThrow(
      /^element 1 is 1099511627776: long is from -2147483648 to 2147483647 on this device/,
    );
    await expect(emulated.array(1, "size_t").fill(-1)).rejects.toThrow(/^the value is -1: size_t is from 0 to/);
    expect(new Gpu(fakeDevice(64), () => {}).array([2n ** 40n], "long").length).toBe(1);
  });
});
