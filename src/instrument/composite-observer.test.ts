/** Several tools on one device: each does its work as if it were alone. */
import { describe, expect, test } from "vitest";
import type { Dim3 } from "../base/dim3.ts";
import { createCheckers } from "../check/checkers.ts";
import { Checks } from "../check/checks.ts";
import { openFlatDevice, openWindowDevices } from "../device/cuda/open-device.ts";
import { openEmulatedDevice } from "../device/emulated/open-device.ts";
import { I32 } from "../ir/model/types.ts";
import { constI32 } from "../ir/model/build.ts";
import type { IrFunction, IrModule } from "../ir/model/ir.ts";
import type { DeviceFault } from "../machine/faults.ts";
import type { DeviceObserver, LaunchRun, ObservedLaunch, ObservedMemory } from "../machine/observer.ts";
import type { DeviceProgram } from "../program/device-program.ts";
import { accessesOf } from "./accesses.ts";
import { CompositeObserver } from "./composite-observer.ts";
import { InstrumentedDevice } from "./instrumented-device.ts";
import type { FunctionContext, FunctionVisitor, Instrumenter } from "./instrumenter.ts";
import { countUp } from "./instrumentation-runtime.ts";
import { ToolNamespace } from "./tool-namespace.ts";

const THREADS = 64;
/** Reads the element behind its own: the last thread reads past the end. */
const SHIFT: DeviceProgram = {
  name: "shift.cu",
  options: { fmad: true },
  ir: `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @shift(ptr %y, ptr %x) !dbg !4 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !DILocation(line: 3, column: 5, scope: !4)
  %next = add i32 %t, 1, !dbg !DILocation(line: 3, column: 7, scope: !4)
  %p = getelementptr i32, ptr %x, i32 %next, !dbg !DILocation(line: 4, column: 10, scope: !4)
  %v = load i32, ptr %p, align 4, !dbg !DILocation(line: 4, column: 10, scope: !4)
  %q = getelementptr i32, ptr %y, i32 %t, !dbg !DILocation(line: 5, column: 3, scope: !4)
  store i32 %v, ptr %q, align 4, !dbg !DILocation(line: 5, column: 8, scope: !4)
  ret void, !dbg !DILocation(line: 6, column: 1, scope: !4)
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
!0 = !DIFile(filename: "shift.cu", directory: "/src")
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !0)
!2 = !DISubroutineType(types: !3)
!3 = !{}
!4 = distinct !DISubprogram(name: "shift", scope: !0, file: !0, line: 1, type: !2, unit: !1)
`,
};

interface Timed {
  readonly launch: ObservedLaunch;
  readonly fault: DeviceFault | null;
  readonly run: LaunchRun;
}

/** A tool that needs launch events only. */
function launchTimer(timed: Timed[]): DeviceObserver {
  return {
    name: "launch timer",
    needs: "launches",
    launched: (launch, fault, run) => void timed.push({ launch, fault, run }),
  };
}

/** Counts the accesses of each launch, and in a shadow plane those of each byte of memory. */
class AccessCounter implements DeviceObserver, Instrumenter {
  readonly name = "access counter";
  readonly needs = "code";
  readonly shadowPlanes = 1;
  readonly serial = true;
  readonly prefix: string;
  readonly counts: number[] = [];
  readonly #names: ToolNamespace;
  #device: InstrumentedDevice | null = null;
  #counter = 0;

  constructor(name = "accesses") {
    this.#names = new ToolNamespace(name);
    this.prefix = this.#names.prefix;
  }

  attach(memory: ObservedMemory): void {
    this.#device = new InstrumentedDevice(this.#names, memory, this.shadowPlanes);
    this.#counter = this.#device.variable("count", 4);
  }

  instrument(module: IrModule, own: ReadonlySet<IrFunction>): void {
    this.#device?.instrument(module, own, [this]);
  }

  visitor({ edits, module, names }: FunctionContext): FunctionVisitor {
    return {
      visit: (i) => {
        for (const { pointer } of accessesOf(i)) {
          const e = edits.after(i);
          countUp(e, names.variable(module, "count"), constI32(1));
          countUp(e, names.shadowPointer(e, 0, e.cast("ptrtoint", pointer, I32)), constI32(1));
        }
      },
    };
  }

  addressOf(variable: string): number | null {
    return this.#device?.addressOf(variable) ?? null;
  }

  launched(): void {
    const words = new Uint32Array(this.#device?.memory.bytes.buffer ?? new ArrayBuffer(4), this.#counter, 1);
    this.counts.push(words[0] as number);
    words[0] = 0;
  }

  /** How often the word at `address` was accessed, in all launches. */
  accessesAt(address: number): number {
    const { memory } = this.#device as InstrumentedDevice;
    return new DataView(memory.bytes.buffer).getUint32((address + memory.shadow(0)) >>> 0, true);
  }
}

interface Launched {
  readonly x: number;
  readonly y: number;
}

/** Launches the kernel on one block; each launch on memory of its own. */
function launchShift(observer: DeviceObserver, launches = 1): Launched[] {
  const { device } = openEmulatedDevice({ observer, library: null, spawn: null });
  const block: Dim3 = { x: THREADS, y: 1, z: 1 };
  try {
    const kernel = device.loadModule(SHIFT).kernel("shift");
    return Array.from({ length: launches }, () => {
      const [x, y] = [device.allocate(4 * THREADS), device.allocate(4 * THREADS)];
      device.write(x, new Uint8Array(4 * THREADS));
      const params = new Uint8Array(Uint32Array.of(y, x).buffer);
      device.launchBlocking(kernel, { grid: { x: 1, y: 1, z: 1 }, block, sharedBytes: 0 }, params);
      return { x, y };
    });
  } finally {
    device.close();
  }
}

const FINDING = {
  checker: "memcheck",
  kind: "out-of-bounds",
  message: "read of 4 bytes",
  location: { file: "/src/shift.cu", line: 4 },
  count: 1,
  example: { thread: { x: THREADS - 1, y: 0, z: 0 } },
  launch: { kernel: "shift", ordinal: 1 },
};

test("memcheck and a launch timer see one launch together", () => {
  const timed: Timed[] = [];
  const checks = new Checks(createCheckers(["memcheck"]));
  launchShift(new CompositeObserver([checks, launchTimer(timed)]));
  expect(checks.findings).toMatchObject([FINDING]);
  expect(timed).toMatchObject([
    {
      launch: { kernel: "shift", ordinal: 1, grid: { x: 1, y: 1, z: 1 }, block: { x: THREADS, y: 1, z: 1 } },
      fault: null,
      run: { engine: "warp", blocks: 1, threads: THREADS },
    },
  ]);
  expect(timed[0]?.run.elapsedMs).toBeGreaterThan(0);
});

test("a launch timer alone leaves the device's memory and its kernels as they are", () => {
  const timed: Timed[] = [];
  const [launched] = launchShift(launchTimer(timed));
  const { device } = openEmulatedDevice({ library: null, spawn: null });
  expect(launched?.x).toBe(device.allocate(4 * THREADS));
  device.close();
  expect(timed).toHaveLength(1);
});

describe("memcheck, initcheck and an access counter instrument one kernel", () => {
  const orders: readonly ["first" | "last"][] = [["first"], ["last"]];
  test.each(orders)("the counter %s", (order) => {
    const checks = new Checks(createCheckers(["memcheck", "initcheck"]));
    const counter = new AccessCounter();
    const launches = launchShift(new CompositeObserver(order === "first" ? [counter, checks] : [checks, counter]), 2);

    const alone = new AccessCounter();
    launchShift(alone, 2);
    expect(alone.counts).toEqual([2 * THREADS, 2 * THREADS]);
    expect(counter.counts).toEqual(alone.counts);
    const [{ x, y }] = launches as [Launched];
    // What the last thread reads past the end of x lies in y.
    expect([x, x + 4, y, y + 4].map((address) => counter.accessesAt(address))).toEqual([0, 1, 2, 1]);

    const checksAlone = new Checks(createCheckers(["memcheck", "initcheck"]));
    launchShift(checksAlone, 2);
    expect(checks.findings).toMatchObject([{ ...FINDING, count: 2 }, ...checksAlone.findings.slice(1).map(summary)]);
    expect(checks.findings.map(summary)).toEqual(checksAlone.findings.map(summary));
  });
});

function summary({ checker, kind, location, count }: Checks["findings"][number]): object {
  return { checker, kind, location, count };
}

test("two tools under one prefix are a fault of the program that makes them", () => {
  expect(() => new CompositeObserver([new AccessCounter(), new AccessCounter()])).toThrow(/one prefix/);
  expect(new CompositeObserver([new AccessCounter("one"), new AccessCounter("two")]).shadowPlanes).toBe(2);
});

test("a GPU refuses a tool that needs code, by its name, before it touches the driver", () => {
  const checks = new Checks(createCheckers(["memcheck"]));
  const both = new CompositeObserver([launchTimer([]), checks]);
  expect(() => openFlatDevice(0, { store: null, observer: checks })).toThrow(/^memcheck adds code to kernels/);
  expect(() => openWindowDevices(1, { store: null, library: "", observer: both })).toThrow(/^memcheck adds code/);
  expect(new CompositeObserver([launchTimer([])]).needs).toBe("launches");
});
