/**
 * CUDA kernels through PTX: our writer makes PTX of them, this front end reads it, and the emulated device runs it and
 * the direct way. The results agree bit for bit, on the compiled engines and on the interpreter.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assertValid } from "../../ir/verify.ts";
import { openNodeDevice } from "../../device/emulated/open-device-node.ts";
import type { Device, GpuModule } from "../../device/device.ts";
import type { TextProgram } from "../../program/device-program.ts";
import { openCompiler } from "../../session/compiler-node.ts";
import { ptxText } from "../../session/ptx-text.ts";
import { readPtx } from "./read-ptx.ts";

const SOURCE = new URL("./round-trip.test-data.cu", import.meta.url);
const KERNELS = [...readFileSync(SOURCE, "utf8").matchAll(/^KERNEL\((\w+)\)/gm)].map(([, name]) => name as string);
const [N, THREADS] = [200, 64];
const SHARED = 4 * THREADS;

let program: TextProgram;
let ptx: string;
let narrow: string;

// PTX has pointers of 64 bits.
const isWide = process.env["HEDDLE_MODEL"] === "lp64";

beforeAll(async () => {
  if (!isWide) return;
  const { compiler, deviceLibrary } = await openCompiler();
  const source = { path: "round-trip.cu", text: readFileSync(SOURCE, "utf8") };
  ({ program } = await compiler.compileDevice(source, { model: "lp64" }, null));
  narrow = await deviceLibrary();
  ptx = ptxText(program, await deviceLibrary("lp64"), { arch: "sm_80", model: "lp64" });
}, 120_000);

const words = Int32Array.from({ length: N }, (_, i) => Math.imul(i * 2654435761 + 12345, 0x9e3779b1) >> (i % 3));

function run(device: Device, module: GpuModule, name: string): Int32Array {
  const [input, output] = [device.allocate(4 * N), device.allocate(4 * N)];
  device.write(input, new Uint8Array(words.buffer));
  device.fill(output, 0, 4, N);
  const params = new Uint8Array(20);
  const view = new DataView(params.buffer);
  view.setUint32(0, input, true);
  view.setUint32(8, output, true);
  view.setInt32(16, N, true);
  const outcome = device.launchBlocking(
    module.kernel(name),
    { grid: { x: 4, y: 1, z: 1 }, block: { x: THREADS, y: 1, z: 1 }, sharedBytes: SHARED },
    params,
  );
  expect(outcome.fault).toBeNull();
  const result = new Int32Array(N);
  device.read(output, new Uint8Array(result.buffer));
  device.free(input);
  device.free(output);
  return result;
}

describe.skipIf(!isWide).each(["auto", "interpreter"] as const)("engine %s", (engine) => {
  let device: Device;
  let direct: GpuModule;
  let through: GpuModule;
  beforeAll(() => {
    device = openNodeDevice({ engine, workers: 1, library: narrow });
    direct = device.loadModule(program);
    const read = readPtx(ptx, "round-trip.ptx");
    assertValid(read.ir, "reading PTX");
    through = device.loadModule(read);
  });
  afterAll(() => device.close());

  test.each(KERNELS)("%s", (name) => {
    const expected = run(device, direct, name);
    expect(expected.some((value) => value !== 0)).toBe(true);
    expect(run(device, through, name)).toEqual(expected);
  });

  test("variables have their names", () => {
    expect(through.symbol("counter")?.bytes).toBe(4);
  });
});
