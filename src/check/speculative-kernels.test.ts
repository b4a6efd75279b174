/**
 * Kernels as they are launched most of the time: what has no code there cannot go wrong there, and other launches run
 * the kernel that counts on nothing.
 */
import { CHECK_NAMES } from "./check-names.ts";
import { userLocation } from "../base/source-places.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { dim3 } from "../base/dim3.ts";
import { cachedDeviceLibrary } from "../frontend/clang/device-library.ts";
import type { Device, GpuModule } from "../device/device.ts";
import type { TextProgram } from "../program/device-program.ts";
import type { EmulatedModule } from "../device/emulated/emulated-module.ts";
import { openNodeDevice } from "../device/emulated/open-device-node.ts";
import { clangForTests } from "../frontend/clang/clang-resources.test-helper.ts";
import { createCompiler } from "../frontend/clang/compile.ts";
import { type Compiler } from "../frontend/clang/compiler.ts";
import { openNodeStore } from "../frontend/clang/prebuilt-node.ts";
import { sha256 } from "../store/sha256.ts";
import { callsOf } from "../ir/graph/call-graph.ts";
import type { IrFunction, IrModule } from "../ir/model/ir.ts";
import { parseModule } from "../ir/text/parse.ts";
import { createCheckers } from "./checkers.ts";
import { Checks } from "./checks.ts";
import { LaunchShape } from "../instrument/speculative-kernels.ts";
import { Conflicts } from "./racecheck/conflicts.ts";
import { raceAccessesOf } from "./racecheck/race-accesses.ts";
import { Uniformity } from "../analysis/divergence/block-uniformity.ts";

/** Behind a line: "free": its accesses cannot race in a likely launch; "races": they can, as far as the code tells. */
const SOURCE = `
extern "C" __global__ void in_place(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * x[i]; // free
}
extern "C" __global__ void grid_stride(float* x, const float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    x[i] += y[i] + y[i + 1]; // free
}
extern "C" __global__ void short_stride(float* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) x[i] += 1; // races
}
extern "C" __global__ void neighbour(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) x[i] = 2 * x[i + 1]; // races
}
extern "C" __global__ void shift(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) y[i] = x[i + 1]; // free
}
extern "C" __global__ void pairs(float2* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i].x = i; // free
  x[i].y = x[i].x; // free
}
extern "C" __global__ void overlapping(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) *(float2*)(x + 2 * (i / 2)) = make_float2(i, i); // races
}
extern "C" __global__ void tile(float* y, const float* x, int n) {
  __shared__ float t[16][17];
  for (int k = 0; k < n; k += 16) {
    t[threadIdx.y][threadIdx.x] = x[k + threadIdx.x]; // free
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 16; j++) sum += t[j][threadIdx.x]; // free
    __syncthreads();
    if (sum > 0) atomicAdd(y, sum); // free
  }
}
extern "C" __global__ void tile_without_barrier(float* y, const float* x, int n) {
  __shared__ float t[16][17];
  for (int k = 0; k < n; k += 16) {
    t[threadIdx.y][threadIdx.x] = x[k + threadIdx.x]; // races
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 16; j++) sum += t[j][threadIdx.x]; // races
    if (sum > 0) atomicAdd(y, sum);
  }
}
extern "C" __global__ void divergent_barrier(float* y, int n) {
  __shared__ float t[64];
  t[threadIdx.x] = n * threadIdx.x; // races
  if (y[threadIdx.x] < 32) __syncthreads();
  t[63 - threadIdx.x] = y[0]; // races
  __syncthreads();
  y[blockIdx.x * blockDim.x + threadIdx.x] = t[threadIdx.x];
}
extern "C" __global__ void through_pointers(float** x, int n) {
  x[threadIdx.x][0] = x[1][threadIdx.x]; // races
}
__device__ __noinline__ float total(const float* t) {
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < 64; j++) sum += t[j];
  return sum;
}
extern "C" __global__ void calls(float* y, const float* x) {
  __shared__ float t[64];
  __shared__ float own[64];
  own[threadIdx.x] = x[threadIdx.x]; // free
  t[threadIdx.x] = own[threadIdx.x]; // free
  y[blockIdx.x * blockDim.x + threadIdx.x] = total(t) + own[threadIdx.x]; // free
}
extern "C" __global__ void copy(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 3) y[i] = 1;
}
`;

let compiler: Compiler;
let program: TextProgram;
let library: string;
beforeAll(async () => {
  const store = openNodeStore();
  compiler = await createCompiler({ resources: clangForTests(), store });
  library = await cachedDeviceLibrary(compiler, store, sha256);
  program = (await compiler.compileDevice({ path: "likely.cu", text: SOURCE }, {}, null)).program;
});

const LINES = SOURCE.split("\n");
const MARKED = LINES.flatMap((text, index) =>
  /\/\/ (free|races)$/.test(text) ? [[index + 1, text.trim()] as const] : [],
);

describe("accesses that can race", () => {
  let module: IrModule;
  const racing = new Map<number, boolean[]>();
  beforeAll(() => {
    module = parseModule(program.ir, "likely.cu");
    const uniformity = new Uniformity(module);
    for (const fn of module.functions.values()) {
      if (!fn.isKernel || fn.name === "calls") continue;
      const conflicts = new Conflicts([fn], { uniformity, assume: () => {}, distributed: false });
      for (const i of fn.blocks.flatMap(({ instructions }) => instructions)) {
        for (const index of raceAccessesOf(i).keys()) {
          const line = userLocation(i.location)?.line ?? 0;
          racing.set(line, [...(racing.get(line) ?? []), conflicts.of(i, index) !== null]);
        }
      }
    }
  });

  it.each(MARKED.filter(([line]) => !/calls|own|total/.test(LINES[line - 1] as string)))(
    "line %i: %s",
    (line, text) => {
      const found = racing.get(line) ?? [];
      expect(found.length).toBeGreaterThan(0);
      if (text.endsWith("free")) expect(found).not.toContain(true);
      else expect(found).toContain(true);
    },
  );
});

it("limits of a launch's shape: the least of each axis", () => {
  const shape = new LaunchShape();
  shape.limit({ block: [16, Infinity, 1] });
  shape.limit({ block: [32, 4], grid: [Infinity, 1, 1] });
  const holds = (grid: [number, number], block: [number, number]): boolean => shape.holds(dim3(grid), dim3(block));
  expect([holds([7, 1], [16, 4]), holds([7, 2], [16, 4]), holds([7, 1], [17, 4]), holds([7, 1], [16, 5])]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

describe("launches", () => {
  let checks: Checks;
  let device: Device;
  let module: GpuModule;
  beforeAll(() => {
    checks = new Checks(createCheckers(["memcheck", "initcheck", "racecheck"]));
    device = openNodeDevice({ workers: 1, library, observer: checks });
    module = device.loadModule(program);
  });
  afterAll(() => device.close());

  /** What is found in a launch on these arrays. */
  function found(kernel: string, grid: [number, number], block: [number, number], ...args: number[]): string[] {
    const before = checks.findings.length;
    const { fault } = device.launchBlocking(
      module.kernel(kernel),
      { grid: dim3(grid), block: dim3(block), sharedBytes: 0 },
      new Uint8Array(Int32Array.from(args).buffer),
    );
    expect(fault).toBeNull();
    return checks.findings.slice(before).map(({ checker, kind, location }) => `${checker} ${kind} ${location?.line}`);
  }

  function array(count: number, defined = count): number {
    const pointer = device.allocate(4 * count);
    // Different numbers: lanes that write the same in one place by one statement do not race.
    device.write(pointer, new Uint8Array(Float32Array.from({ length: defined }, (_, i) => i + 1).buffer));
    return pointer;
  }

  const lineOf = (text: string): number => LINES.findIndex((line) => line.includes(text)) + 1;

  it("kernels of the tool are not the program's", () =>
    expect(module.kernelNames().filter((name) => name.startsWith("__"))).toEqual([]));

  it("where nothing can race racecheck adds nothing", () => {
    const { functions } = (module as EmulatedModule).program.module;
    const hooks = (kernel: string): string[] =>
      callsOf(functions.get(kernel) as IrFunction).flatMap(({ callee }) =>
        callee.kind === "function" && callee.name.startsWith(`${CHECK_NAMES.prefix}race_`)
          ? [callee.name.slice(CHECK_NAMES.prefix.length)]
          : [],
      );
    for (const kernel of ["in_place", "pairs", "tile", "shift"]) {
      expect(hooks(kernel)[0]).toBe("race_enter");
      expect(hooks(`${CHECK_NAMES.prefix}speculative_${kernel}`)).toEqual([]);
    }
    expect(hooks(`${CHECK_NAMES.prefix}speculative_tile_without_barrier`)).toEqual(["race_enter", "race_barrier"]);
  });

  it("nothing is found where threads keep to their elements", () => {
    expect(found("in_place", [4, 1], [64, 1], array(256), 256)).toEqual([]);
    expect(found("grid_stride", [2, 1], [64, 1], array(256), array(257), 256)).toEqual([]);
    expect(found("tile", [2, 1], [16, 16], array(1), array(64), 64)).toEqual([]);
    expect(found("calls", [2, 1], [64, 1], array(128), array(64))).toEqual([]);
  });

  it("two rows of threads have the same numbers", () => {
    const line = lineOf("x[i] = 2 * x[i];");
    expect(found("in_place", [4, 1], [64, 2], array(256), 256)).toEqual([`racecheck write-after-write ${line}`]);
    const other = lineOf("x[i].x = i;");
    expect(found("pairs", [4, 1], [64, 1], array(512), 256)).toEqual([]);
    expect(found("pairs", [4, 2], [64, 1], array(512), 256)[0]).toEqual(`racecheck write-after-write ${other}`);
  });

  it("a row of threads that is wider than the tile's", () => {
    const line = lineOf("t[threadIdx.y][threadIdx.x] = x[k");
    expect(found("tile", [1, 1], [18, 2], array(1), array(64), 16)).toContain(`racecheck write-after-write ${line}`);
  });

  it("one array for two parameters", () => {
    const line = lineOf("y[i] = x[i + 1];");
    expect(found("shift", [4, 1], [64, 1], array(256), array(257), 256)).toEqual([]);
    const both = array(257);
    expect(found("shift", [4, 1], [64, 1], both, both, 256)).toEqual([
      expect.stringMatching(new RegExp(`^racecheck (write-after-read|read-after-write) ${line}$`)),
    ]);
  });

  it("an input of which the end was never written", () => {
    const line = lineOf("if (i < n && x[i] > 3)");
    const [y, x] = [array(256), array(256, 200)];
    expect(found("copy", [4, 1], [64, 1], y, x, 200)).toEqual([]);
    expect(found("copy", [4, 1], [64, 1], y, x, 256)).toEqual([`initcheck uninitialized ${line}`]);
    device.write(x + 800, new Uint8Array(224));
    expect(found("copy", [4, 1], [64, 1], y, x, 256)).toEqual([]);
  });
});

describe("kernels of one name", () => {
  /** Runs `use` on a device of its own; `likely` says of the last launch whether the kernel's copy ran. */
  function watched(use: (device: Device, likely: () => boolean, checks: Checks) => void): void {
    const checks = new Checks(createCheckers(["memcheck", "initcheck", "racecheck"]));
    const launching = vi.spyOn(checks, "launching");
    const device = openNodeDevice({ workers: 1, library, observer: checks });
    use(device, () => launching.mock.results.at(-1)?.value !== null, checks);
    device.close();
  }

  /** @returns the first of 256 numbers that were 0. */
  function launch(device: Device, module: GpuModule, kernel: string): number {
    const x = device.allocate(1024);
    device.write(x, new Uint8Array(1024));
    const { fault } = device.launchBlocking(
      module.kernel(kernel),
      { grid: dim3(4), block: dim3(64), sharedBytes: 0 },
      new Uint8Array(Int32Array.of(x, 256).buffer),
    );
    expect(fault).toBeNull();
    const result = new Float32Array(1);
    device.read(x, new Uint8Array(result.buffer));
    device.free(x);
    return result[0] as number;
  }

  it("the same program loaded twice, and once more behind a reset", () =>
    watched((device, likely) => {
      const [first, second] = [device.loadModule(program), device.loadModule(program)];
      for (const module of [first, second, first]) {
        launch(device, module, "in_place");
        expect(likely()).toBe(true);
      }
      device.reset();
      launch(device, device.loadModule(program), "in_place");
      expect(likely()).toBe(true);
    }));

  it("one that two units define", async () => {
    const unit = async (name: string, own: string): Promise<TextProgram> =>
      (
        await compiler.compileDevice(
          {
            path: name,
            text: `
static __device__ __noinline__ float by(float x) { return ${own}; }
extern "C" __attribute__((weak)) __global__ void scale(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 3 * by(x[i]);
}
`,
          },
          {},
          null,
        )
      ).program;
    const units = [await unit("a.cu", "x + 1"), await unit("b.cu", "x + 2")];
    watched((device, likely, checks) => {
      expect(launch(device, device.loadModule(units), "scale")).toBe(3);
      expect(likely()).toBe(true);
      expect(checks.findings).toEqual([]);
    });
  });
});
