/** The cases of the device contract (device.contract.ts): a title, and what every Device must do on a fresh bench. */
import type { ExpectStatic } from "vitest";
import { HeddleError } from "../base/diagnostics.ts";
import { dim3 } from "../base/dim3.ts";
import type { GpuModule } from "./device.ts";
import { parseModule } from "../ir/text/parse.ts";
import { printModule } from "../ir/text/print.ts";
import { type ContractBench, moduleIr, ramp } from "./contract-bench.ts";

/** The framework's `expect` is a parameter: on a GPU machine without Vitest it is another one. */
export type ContractCase = (bench: ContractBench, expect: ExpectStatic) => void | Promise<void>;

export const CONTRACT_CASES: readonly (readonly [title: string, body: ContractCase])[] = [
  [
    "properties are plausible",
    ({ device }, expect) => {
      expect(device.properties.warpSize).toBe(32);
      expect(device.properties.maxThreadsPerBlock).toBe(1024);
      expect(device.properties.name).not.toBe("");
    },
  ],

  [
    "allocations are aligned, found, and given back",
    ({ device }, expect) => {
      const before = device.memoryInfo().freeBytes;
      const pointer = device.allocate(1000);
      expect(pointer % 256).toBe(0);
      expect(device.memoryInfo().freeBytes).toBeLessThan(before);
      expect(device.findAllocation(pointer)).toEqual({ pointer, bytes: 1000 });
      expect(device.findAllocation(pointer + 999)).toEqual({ pointer, bytes: 1000 });
      expect(device.findAllocation(pointer + 1000)).toBeNull();
      expect(device.nearestAllocation(pointer + 1010)).toEqual({ pointer, bytes: 1000 });
      device.free(pointer);
      expect(device.findAllocation(pointer)).toBeNull();
      expect(device.memoryInfo().freeBytes).toBe(before);
    },
  ],

  [
    "honours alignment",
    ({ device }, expect) => {
      for (const align of [256, 1024, 65536]) expect(device.allocate(10, { align }) % align).toBe(0);
    },
  ],

  [
    "refuses what it cannot give",
    ({ device }, expect) => {
      const { totalBytes } = device.memoryInfo();
      expect(() => device.allocate(totalBytes + 1)).toThrow(expect.objectContaining({ code: "out-of-memory" }));
      expect(() => device.free(12345)).toThrow(HeddleError);
      const pointer = device.allocate(16);
      device.free(pointer);
      expect(() => device.free(pointer)).toThrow(HeddleError);
    },
  ],

  [
    "copies in, out and across",
    ({ device }, expect) => {
      const [a, b] = [device.allocate(64), device.allocate(64)];
      device.write(a, Uint8Array.from(ramp(64)));
      device.copy(b + 8, a, 32);
      const out = new Uint8Array(32);
      device.read(b + 8, out);
      expect([...out]).toEqual(ramp(32));
      device.copy(a + 4, a, 32); // overlapping
      device.read(a + 4, out);
      expect([...out]).toEqual(ramp(32));
    },
  ],

  [
    "fills with elements of 1, 2 and 4 bytes",
    ({ device }, expect) => {
      const pointer = device.allocate(64);
      const out = new Uint8Array(13);
      for (const [size, bytes] of [
        [1, [4]],
        [2, [4, 3]],
        [4, [4, 3, 2, 129]],
      ] as const) {
        device.fill(pointer, 0, 1, 64);
        device.fill(pointer, 0x81020304, size, 3);
        device.read(pointer, out);
        expect([...out]).toEqual(ramp(13).map((i) => (i < 3 * size ? bytes[i % size] : 0)));
      }
      device.fill(pointer, 1, 4, 0);
    },
  ],

  [
    "copies outside of an allocation are refused",
    ({ device }, expect) => {
      const pointer = device.allocate(64);
      expect(() => device.write(pointer + 60, new Uint8Array(5))).toThrow(HeddleError);
      expect(() => device.read(16, new Uint8Array(5))).toThrow(HeddleError);
      expect(() => device.copy(pointer, pointer + 32, 64)).toThrow(HeddleError);
      expect(() => device.fill(pointer - 4, 0, 4, 2)).toThrow(HeddleError);
    },
  ],

  [
    "runs a kernel",
    (bench, expect) => {
      const [a, b, out] = [bench.floats(ramp(1000)), bench.floats(ramp(1000, 5)), bench.device.allocate(4000)];
      const outcome = bench.launch("add", 4, 256, [out, a, b, 1000]);
      expect(outcome).toMatchObject({ fault: null, output: "", reused: false });
      expect(outcome.elapsedMs).toBeGreaterThanOrEqual(0);
      expect(bench.readFloats(out, 1000)).toEqual(ramp(1000).map((i) => 2 * i + 5));
    },
  ],

  [
    "describes kernels",
    ({ module }, expect) => {
      expect(module.kernelNames()).toContain("add");
      const kernel = module.kernel("add");
      expect(kernel.params.map(({ kind }) => kind)).toEqual(["pointer", "pointer", "pointer", "i32"]);
      expect(module.kernel("scalars").params.map(({ kind }) => kind)).toEqual([
        "pointer",
        "i8",
        "i16",
        "i32",
        "i64",
        "f32",
        "f64",
        "struct",
      ]);
      expect(module.kernel("reverse").staticSharedBytes).toBeGreaterThanOrEqual(4);
      expect(kernel.maxThreadsPerBlock).toBe(1024);
      expect(() => module.kernel("ad")).toThrow(expect.objectContaining({ code: "unknown-kernel" }));
    },
  ],

  [
    "passes parameters of every kind",
    (bench, expect) => {
      const [out, where] = [bench.device.allocate(64), bench.floats([0])];
      const kernel = bench.module.kernel("scalars");
      const pointerBytes = kernel.params[0]?.size === 8 ? 8 : 4;
      const pair = new Uint8Array(kernel.params[7]?.size ?? 0);
      new DataView(pair.buffer).setInt32(0, -4, true);
      if (pointerBytes === 8) new DataView(pair.buffer).setBigUint64(8, BigInt(where), true);
      else new DataView(pair.buffer).setUint32(4, where, true);
      expect(bench.launch("scalars", 1, 1, [out, -1, -2, -3, -(2n ** 40n), 0.5, Math.PI, pair]).fault).toBeNull();
      const values = new Float64Array(7);
      bench.device.read(out, new Uint8Array(values.buffer));
      expect([...values]).toEqual([-1, -2, -3, -(2 ** 40), 0.5, Math.PI, -4]);
      expect(bench.readFloats(where, 1)).toEqual([7]);
    },
  ],

  [
    "shared memory, static and dynamic, and barriers",
    (bench, expect) => {
      const pointer = bench.device.allocate(4 * 96);
      bench.device.write(pointer, new Uint8Array(Int32Array.from(ramp(96)).buffer));
      expect(bench.launch("reverse", 1, 96, [pointer], 4 * 96).fault).toBeNull();
      expect(bench.readInts(pointer, 96)).toEqual(ramp(96).map((i) => 195 - i));
    },
  ],

  [
    "more shared memory than a GPU gives unasked, which is 48 KiB of both kinds together",
    (bench, expect) => {
      const pointer = bench.device.allocate(4 * 96);
      for (const dynamic of [48 * 1024, 47 * 1024, 60 * 1024]) {
        bench.device.write(pointer, new Uint8Array(Int32Array.from(ramp(96)).buffer));
        expect(bench.launch("reverse", 1, 96, [pointer], dynamic).fault).toBeNull();
        expect(bench.readInts(pointer, 96)).toEqual(ramp(96).map((i) => 195 - i));
      }
    },
  ],

  [
    "grids and blocks of three dimensions",
    (bench, expect) => {
      const out = bench.device.allocate(4 * 24 * 30);
      expect(bench.launch("shape", [2, 3, 4], [5, 3, 2], [out]).fault).toBeNull();
      expect(bench.readInts(out, 24 * 30)).toEqual(ramp(24 * 30).map((i) => Math.floor(i / 30) * 10000 + (i % 30)));
    },
  ],

  [
    "symbols can be read and written, and keep what kernels write",
    (bench, expect) => {
      const factor = bench.module.symbol("factor");
      const counter = bench.module.symbol("counter");
      expect(factor).toMatchObject({ name: "factor", bytes: 4 });
      expect(bench.module.symbol("nothing")).toBeNull();
      const out = bench.device.allocate(16);
      bench.launch("useConstant", 1, 4, [out]);
      expect(bench.readFloats(out, 4)).toEqual([0, 3, 6, 9]);
      bench.device.write(factor?.pointer ?? 0, new Uint8Array(Float32Array.of(0.5).buffer));
      bench.launch("useConstant", 1, 4, [out]);
      expect(bench.readFloats(out, 4)).toEqual([0, 0.5, 1, 1.5]);
      bench.launch("count", 3, 32);
      expect(bench.readInts(counter?.pointer ?? 0, 1)).toEqual([5 + 96]);
    },
  ],

  [
    "modules loaded twice have variables of their own",
    (bench, expect) => {
      const first = bench.load();
      const firstCounter = first.symbol("counter")?.pointer ?? 0;
      bench.launch("count", 1, 1);
      const second = bench.load();
      const secondCounter = second.symbol("counter")?.pointer ?? 0;
      expect(secondCounter).not.toBe(firstCounter);
      bench.launch("count", 1, 2);
      expect([bench.readInts(firstCounter, 1), bench.readInts(secondCounter, 1)]).toEqual([[6], [7]]);
      first.unload();
      expect(bench.device.findAllocation(firstCounter)).toBeNull();
      bench.launch("count", 1, 1);
      expect(bench.readInts(secondCounter, 1)).toEqual([8]);
    },
  ],

  [
    "a program may come as a module of IR, with pointers of the device's width",
    (bench, expect) => {
      const { device } = bench;
      const source = parseModule(moduleIr(device.irPointerBits), "module.ll");
      const before = printModule(source);
      const module = device.loadModule({ ir: source, name: "module.ll", options: { fmad: true } });
      const [x, y] = [bench.floats(ramp(70)), device.allocate(4 * 70)];
      const kernel = module.kernel("scale");
      const config = { grid: dim3(3), block: dim3(32), sharedBytes: 0 };
      const { fault } = device.launchBlocking(kernel, config, bench.params(kernel, [x, y, 70]));
      expect(fault).toBeNull();
      expect(bench.readFloats(y, 70)).toEqual(ramp(70).map((i) => i * 2 + 3));
      const seen = module.symbol("seen");
      expect(seen).toMatchObject({ name: "seen", bytes: 4 });
      expect(bench.readInts(seen?.pointer ?? 0, 1)).toEqual([70]);
      expect(printModule(source), "the module that was handed over").toBe(before);
      const other = parseModule(moduleIr(device.irPointerBits === 32 ? 64 : 32), "other.ll");
      const load = (): GpuModule => device.loadModule({ ir: other, name: "other.ll", options: { fmad: true } });
      if (device.irPointerBits === 64 || device.kind === "cuda")
        expect(load).toThrow(/-bit pointers on a device that takes IR with/);
      else {
        const narrowed = load().kernel("scale");
        expect(narrowed.params.map(({ size }) => size)).toEqual([8, 8, 4]);
        device.fill(y, 0, 4, 70);
        const outcome = device.launchBlocking(narrowed, config, bench.params(narrowed, [x, y, 70]));
        expect(outcome.fault).toBeNull();
        expect(bench.readFloats(y, 70)).toEqual(ramp(70).map((i) => i * 2 + 3));
      }
    },
  ],

  [
    "device printf comes back with the launch",
    (bench, expect) => {
      const { output } = bench.launch("hello", 3, 1);
      expect(
        output
          .split("\n")
          .filter((line) => line !== "")
          .sort(),
      ).toEqual(ramp(3).map((i) => `hello from block ${i}`));
      expect(bench.launch("hello", 3, 1).output).not.toBe("");
    },
  ],

  [
    "asynchronous launches take effect in the order of their calls",
    async (bench, expect) => {
      const x = bench.floats([1, 2]);
      const launches = ramp(4).map(() => bench.launchLater("scale", 1, 32, [x, 2]));
      await bench.device.synchronize();
      expect((await Promise.all(launches)).every(({ fault, reused }) => fault === null && !reused)).toBe(true);
      expect(bench.readFloats(x, 2)).toEqual([81, 162]);
    },
  ],

  [
    "repeating a launch always gives what running it gives",
    (bench, expect) => {
      const [a, b, c] = [bench.floats([1, 1]), bench.floats([0, 0]), bench.floats([0, 0])];
      const copyAB = () => bench.launch("copyOut", 1, 32, [b, a, 2]);
      copyAB();
      copyAB();
      expect(bench.readFloats(b, 2)).toEqual([1, 1]);
      bench.device.write(b, new Uint8Array(8)); // output overwritten by the host
      copyAB();
      expect(bench.readFloats(b, 2)).toEqual([1, 1]);
      bench.device.fill(b, 0, 4, 2); // … by a fill
      copyAB();
      expect(bench.readFloats(b, 2)).toEqual([1, 1]);
      bench.device.copy(b, c, 8); // … by a copy
      copyAB();
      expect(bench.readFloats(b, 2)).toEqual([1, 1]);
      bench.launch("scale", 1, 32, [b, 2]); // … by a launch
      copyAB();
      expect(bench.readFloats(b, 2)).toEqual([1, 1]);
      bench.launch("scale", 1, 32, [a, 2]); // input changed by a launch
      copyAB();
      expect(bench.readFloats(b, 2)).toEqual([3, 3]);
      bench.device.write(a, new Uint8Array(Float32Array.of(4, 5).buffer)); // … by the host
      copyAB();
      expect(bench.readFloats(b, 2)).toEqual([4, 5]);
      bench.device.free(b); // another allocation in the same place
      const d = bench.floats([0, 0]);
      bench.launch("copyOut", 1, 32, [d, a, 2]);
      expect(bench.readFloats(d, 2)).toEqual([4, 5]);
      bench.launch("copyOut", 1, 1, [d, c, 2]); // another shape, other parameters
      expect(bench.readFloats(d, 2)).toEqual([0, 5]);
    },
  ],

  [
    "an illegal address is a fault, poisons the device, and reset clears it",
    (bench, expect) => {
      const outcome = bench.launch("wild", 1, 32, [0]);
      expect(outcome.fault).toMatchObject({ kind: "illegal-address", kernel: "wild" });
      expect(bench.device.fault).toEqual(outcome.fault);
      expect(() => bench.launch("hello", 1, 1)).toThrow(expect.objectContaining({ code: "device-fault" }));
      bench.device.reset();
      expect(bench.device.fault).toBeNull();
      bench.load();
      expect(bench.launch("hello", 1, 1).fault).toBeNull();
    },
  ],

  [
    "a trap is a fault of its own",
    (bench, expect) => {
      expect(bench.launch("stop", 1, 1).fault).toMatchObject({ kind: "trap", kernel: "stop" });
    },
  ],

  [
    "reset frees everything",
    ({ device, module }, expect) => {
      const symbol = module.symbol("counter")?.pointer ?? 0;
      const pointer = device.allocate(100);
      device.reset();
      expect(device.findAllocation(pointer)).toBeNull();
      expect(device.findAllocation(symbol)).toBeNull();
    },
  ],

  [
    "kernels of an unloaded module cannot be launched",
    (bench, expect) => {
      const kernel = bench.module.kernel("hello");
      bench.module.unload();
      expect(() =>
        bench.device.launchBlocking(kernel, { grid: dim3(1), block: dim3(1), sharedBytes: 0 }, new Uint8Array(0)),
      ).toThrow(HeddleError);
    },
  ],
];
