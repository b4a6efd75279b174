import fc from "../../base/properties.test-helper.ts";
import { describe, expect, it } from "vitest";
import { createInterpreter } from "../../engine/interpreter/interpreter.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import { EmulatedDevice } from "./emulated-device.ts";
import type { EmulatedModule } from "./emulated-module.ts";
import { InlineRunner } from "./grid-runner.ts";
import { DeviceMemory } from "./memory.ts";
import { createProgramPipeline } from "../../program/program-pipeline.ts";

/**
 * Kernels over arrays of 4 ints, one thread each, that read and write in all the ways that the analysis tells apart.
 */
const PROGRAM: DeviceProgram = {
  name: "reuse.ll",
  options: { fmad: true },
  ir: `
    target triple = "nvptx-nvidia-cuda"
    @global = addrspace(1) externally_initialized global i32 3, align 4
    @constant = addrspace(4) externally_initialized constant i32 5, align 4
    %struct.pair = type { ptr, ptr }
    declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
    define internal ptr @element(ptr %p) noinline {
      %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      %e = getelementptr i32, ptr %p, i32 %t
      ret ptr %e
    }
    define ptx_kernel void @copy(ptr %out, ptr %in) {
      %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      %i = getelementptr i32, ptr %in, i32 %t
      %v = load i32, ptr %i
      %o = getelementptr i32, ptr %out, i32 %t
      store i32 %v, ptr %o
      ret void
    }
    define ptx_kernel void @addConstant(ptr %out, ptr %in) {
      %i = call ptr @element(ptr %in)
      %v = load i32, ptr %i
      %c = load i32, ptr addrspace(4) @constant
      %s = add i32 %v, %c
      %o = call ptr @element(ptr %out)
      store i32 %s, ptr %o
      ret void
    }
    define ptx_kernel void @toGlobal(ptr %in, ptr %unused) {
      %v = load i32, ptr %in
      store i32 %v, ptr addrspace(1) @global
      ret void
    }
    define ptx_kernel void @fromGlobal(ptr %out, ptr %unused) {
      %v = load i32, ptr addrspace(1) @global
      %o = call ptr @element(ptr %out)
      store i32 %v, ptr %o
      ret void
    }
    define ptx_kernel void @increment(ptr %x, ptr %unused) {
      %e = call ptr @element(ptr %x)
      %v = load i32, ptr %e
      %n = add i32 %v, 1
      store i32 %n, ptr %e
      ret void
    }
    define ptx_kernel void @half(ptr %out, ptr %in) {
      %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      %c = icmp ult i32 %t, 2
      br i1 %c, label %then, label %done
    then:
      %o = getelementptr i32, ptr %out, i32 %t
      %i = getelementptr i32, ptr %in, i32 %t
      %v = load i32, ptr %i
      store i32 %v, ptr %o
      br label %done
    done:
      ret void
    }
    define ptx_kernel void @choose(ptr %a, ptr %b) {
      %v = load i32, ptr %b
      %c = icmp sgt i32 %v, 50
      %o = select i1 %c, ptr %a, ptr %b
      %e = call ptr @element(ptr %o)
      store i32 9, ptr %e
      ret void
    }
    define ptx_kernel void @block(ptr %out, ptr %in) {
      call void @llvm.memcpy.p0.p0.i32(ptr %out, ptr %in, i32 16, i1 false)
      ret void
    }
    define ptx_kernel void @viaStruct(ptr byval(%struct.pair) align 4 %p) {
      %to = load ptr, ptr %p
      %f = getelementptr %struct.pair, ptr %p, i32 0, i32 1
      %from = load ptr, ptr %f
      %v = load i32, ptr %from
      %n = add i32 %v, 100
      store i32 %n, ptr %to
      ret void
    }
    define ptx_kernel void @viaInteger(ptr %out, ptr %in) {
      %a = ptrtoint ptr %out to i32
      %b = add i32 %a, 4
      %p = inttoptr i32 %b to ptr
      %v = load i32, ptr %in
      store i32 %v, ptr %p
      ret void
    }
    define ptx_kernel void @storePointer(ptr %slot, ptr %target) {
      store ptr %target, ptr %slot
      ret void
    }
    define ptx_kernel void @followPointer(ptr %slot, ptr %in) {
      %p = load ptr, ptr %slot
      %n = ptrtoint ptr %p to i32
      %c = icmp ugt i32 %n, 200000000
      br i1 %c, label %then, label %done
    then:
      %v = load i32, ptr %in
      store i32 %v, ptr %p
      br label %done
    done:
      ret void
    }
    define ptx_kernel void @atomic(ptr %x, ptr %in) {
      %v = load i32, ptr %in
      %old = atomicrmw add ptr %x, i32 %v monotonic
      ret void
    }`,
};
const KERNELS = [
  "copy",
  "addConstant",
  "toGlobal",
  "fromGlobal",
  "increment",
  "half",
  "choose",
  "block",
  "viaStruct",
  "viaInteger",
  "atomic",
  "copy",
  "half",
  "addConstant",
] as const;

const ARRAYS = 4;
const BYTES = 16;

class Subject {
  readonly device: EmulatedDevice;
  readonly module: EmulatedModule;
  readonly arrays: number[];
  reused = 0;
  launches = 0;

  constructor(reuse: boolean) {
    const memory = new DeviceMemory(1);
    this.device = new EmulatedDevice({
      memory,
      runner: new InlineRunner(createInterpreter(), memory),
      prepare: createProgramPipeline(null),
      observer: null,
      reuse,
    });
    this.module = this.device.loadModule(PROGRAM);
    this.arrays = Array.from({ length: ARRAYS }, () => this.device.allocate(BYTES));
    for (const array of this.arrays) this.device.fill(array, 0, 4, 4);
  }

  launch(name: string, a: number, b: number, threads = 4): void {
    const params = new Uint8Array(new Uint32Array([this.arrays[a] as number, this.arrays[b] as number]).buffer);
    const outcome = this.device.launchBlocking(
      this.module.kernel(name),
      { grid: { x: 1, y: 1, z: 1 }, block: { x: threads, y: 1, z: 1 }, sharedBytes: 0 },
      params,
    );
    expect(outcome.fault).toBeNull();
    this.launches++;
    if (outcome.reused) this.reused++;
  }

  do(step: Step): void {
    const { device, arrays } = this;
    const at = (i: number): number => arrays[i] as number;
    switch (step.op) {
      case "launch":
        for (let i = 0; i < step.times; i++) this.launch(step.kernel, step.a, step.b, step.threads);
        return;
      case "write":
        device.write(at(step.a) + 4 * step.index, new Uint8Array(Int32Array.of(step.value).buffer));
        return;
      case "fill":
        device.fill(at(step.a), step.value, 4, 4);
        return;
      case "copyMemory":
        device.copy(at(step.a), at(step.b), BYTES);
        return;
      case "renew":
        device.free(at(step.a));
        arrays[step.a] = device.allocate(BYTES);
        device.fill(at(step.a), step.value, 4, 4);
        return;
      case "symbol":
        device.write(this.module.symbol(step.name)?.pointer ?? 0, new Uint8Array(Int32Array.of(step.value).buffer));
        return;
    }
  }

  state(): number[] {
    const words: number[] = [];
    const addresses = [...this.arrays, this.module.symbol("global")?.pointer ?? 0];
    addresses.forEach((address, i) => {
      const bytes = new Uint8Array(i < ARRAYS ? BYTES : 4);
      this.device.read(address, bytes);
      words.push(...new Int32Array(bytes.buffer));
    });
    return words;
  }
}

type Step =
  | { op: "launch"; kernel: string; a: number; b: number; threads: number; times: number }
  | { op: "write"; a: number; index: number; value: number }
  | { op: "fill"; a: number; value: number }
  | { op: "copyMemory"; a: number; b: number }
  | { op: "renew"; a: number; value: number }
  | { op: "symbol"; name: string; value: number };

const array = fc.nat(ARRAYS - 1);
const value = fc.nat(99);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant("launch" as const),
      kernel: fc.constantFrom(...KERNELS),
      a: array,
      b: array,
      threads: fc.constantFrom(4, 4, 4, 2),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("write" as const), a: array, index: fc.nat(3), value }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("fill" as const), a: array, value }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("copyMemory" as const), a: array, b: array }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("renew" as const), a: array, value }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant("symbol" as const), name: fc.constantFrom("global", "constant"), value }),
  },
);

describe("launch reuse", () => {
  it("never changes what memory holds", () => {
    let reused = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
        const [on, off] = [new Subject(true), new Subject(false)];
        for (const s of steps) {
          on.do(s);
          off.do(s);
          expect(on.state()).toEqual(off.state());
        }
        reused += on.reused;
        expect(off.reused).toBe(0);
      }),
      { numRuns: 100 },
    );
    expect(reused, "the test must meet launches that are reused").toBeGreaterThan(100);
  });

  it("holds where pointers travel through memory", () => {
    const [on, off] = [new Subject(true), new Subject(false)];
    for (const subject of [on, off]) {
      subject.launch("storePointer", 0, 1);
      for (let i = 0; i < 3; i++) {
        subject.device.fill(subject.arrays[2] as number, i, 4, 4);
        subject.launch("followPointer", 0, 2);
        subject.launch("copy", 3, 1);
        subject.launch("followPointer", 0, 2);
        subject.launch("copy", 3, 1);
      }
    }
    expect(on.state()).toEqual(off.state());
  });

  it("runs a benchmark's repeated launches once", () => {
    const subject = new Subject(true);
    for (let i = 0; i < 1000; i++) subject.launch("copy", 0, 1);
    expect(subject.reused).toBe(999);
    for (let i = 0; i < 10; i++) subject.launch("increment", 0, 1);
    expect(subject.reused).toBe(999);
  });

  it("is not confused by a kernel whose result another allocation's writes leave alone", () => {
    const subject = new Subject(true);
    for (let i = 0; i < 10; i++) {
      subject.device.fill(subject.arrays[3] as number, i, 4, 4); // such as flushing the cache
      subject.launch("copy", 0, 1);
    }
    expect(subject.reused).toBe(9);
  });

  it("says why a kernel is not reused", () => {
    const { device, module } = new Subject(true);
    expect(device.reuseObstacle(module.kernel("copy"))).toBeNull();
    expect(device.reuseObstacle(module.kernel("viaInteger"))).toMatch(/made from integers/);
  });
});
