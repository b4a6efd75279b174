/** Preloaded programs: prepared once, and used only if the program loads just those. */
import { expect, test } from "vitest";
import { createInterpreter } from "../../engine/interpreter/interpreter.ts";
import { createProgramPipeline } from "../../program/program-pipeline.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import { EmulatedDevice } from "./emulated-device.ts";
import { InlineRunner } from "./grid-runner.ts";
import { DeviceMemory } from "./memory.ts";

const program = (value: number, fmad = true): DeviceProgram => ({
  name: "stores.cu",
  ir:
    `target triple = "nvptx-nvidia-cuda"\n@counter = global i32 ${value}\n` +
    `define ptx_kernel void @store(ptr %out) {\n  store i32 ${value}, ptr %out\n  ret void\n}`,
  options: { fmad },
});

function open(): { device: EmulatedDevice; prepared: () => number } {
  const memory = new DeviceMemory(1);
  const prepare = createProgramPipeline(null);
  let count = 0;
  const device = new EmulatedDevice({
    memory,
    runner: new InlineRunner(createInterpreter(), memory),
    observer: null,
    reuse: true,
    prepare: (programs) => {
      count++;
      return prepare(programs);
    },
  });
  return { device, prepared: () => count };
}

function stored(device: EmulatedDevice, from: DeviceProgram): number {
  const kernel = device.loadModule(from).kernel("store");
  const out = device.allocate(4);
  const one = { x: 1, y: 1, z: 1 };
  expect(
    device.launchBlocking(kernel, { grid: one, block: one, sharedBytes: 0 }, new Uint8Array(Uint32Array.of(out).buffer))
      .fault,
  ).toBeNull();
  const bytes = new Uint8Array(4);
  device.read(out, bytes);
  return new DataView(bytes.buffer).getUint32(0, true);
}

test("what was expected is not prepared again; loaded once more, it is, as each load has variables of its own", () => {
  const { device, prepared } = open();
  device.preload([program(7)]);
  expect(prepared()).toBe(1);
  expect(stored(device, program(7))).toBe(7);
  expect(prepared()).toBe(1);
  expect(stored(device, program(7))).toBe(7);
  expect(prepared()).toBe(2);
});

test("another program than the expected one is loaded as if nothing had been expected", () => {
  const { device, prepared } = open();
  device.preload([program(7)]);
  expect(stored(device, program(8))).toBe(8);
  expect(stored(device, program(7, false))).toBe(7);
  expect(prepared()).toBe(3);
});
