/** Mistakes of users: each is a sentence that says what is wrong and what was meant, and names the line that called. */
import { readFileSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { check } from "../check.ts";
import { compile, HeddleError, load, openBlas, openDevice, openKernels, type GpuProgram } from "../index.ts";
import type { Dtype } from "../base/dtypes.ts";
import type { Device } from "../device/device.ts";
import type { KernelParam } from "../machine/launch.ts";
import { DeviceArray } from "./device-array.ts";
import { packArguments } from "./kernel-arguments.ts";
import { kernelTemplates } from "./kernel-names.ts";

const SOURCE = `
template <typename T, int N> __global__ void scaleAll(T* x) { if (threadIdx.x < N) x[threadIdx.x] *= (T)2; }
namespace math { __global__ void saxpy(int n, float* x) { x[n] = 1; } }
__global__ void twice(int* x) {}
__global__ void twice(float* x) {}
`;

/** What a JavaScript program may write, whatever the types say. */
const anything = (value: unknown): never => value as never;

async function errorOf(work: () => unknown): Promise<HeddleError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof HeddleError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("arguments", () => {
  let program: GpuProgram;
  beforeAll(async () => {
    program = await compile(SOURCE);
  });

  it.each<[string, (p: GpuProgram) => unknown, RegExp]>([
    [
      "a text for a device",
      () => compile(SOURCE, { device: anything("cuda") }),
      /^the device of compile is one .* returned, not the string "cuda"\n.*openDevice\({ device: "cuda" }\)/,
    ],
    ["a promise for a device", () => compile(SOURCE, { device: anything(openDevice()) }), /not a Promise\n.*await/],
    [
      "a misspelt option of compile",
      () => compile(SOURCE, anything({ defnes: [] })),
      /"defnes"; did you mean "defines"\?/,
    ],
    [
      "nvcc's name of an option",
      () => load("k.cu", anything({ std: "c++20" })),
      /load has no option "std"; did you mean "standard"\?/,
    ],
    [
      "an object for a list",
      () => compile(SOURCE, { defines: anything({ N: 3 }) }),
      /defines of compile is a list of texts/,
    ],
    ["a path that is none", () => load(anything(undefined)), /load takes the path of a CUDA source, not undefined/],
    [
      "a source that is none",
      () => compile(anything(new Uint8Array(3))),
      /compile takes the text .* not an? Uint8Array/,
    ],
    ["an unknown device", () => openDevice({ device: anything("gpu") }), /emulated, cuda or auto, not "gpu"/],
    ["a misspelt option of openDevice", () => openDevice(anything({ worker: 2 })), /did you mean "workers"\?/],
    [
      "a text for a number",
      () => openDevice({ workers: anything("4") }),
      /workers of openDevice must be .* not the string "4"/,
    ],
    [
      "no block",
      async (p) => (await p.kernel("saxpy")).launch(anything({ grid: 1 }), 1, null),
      /needs a block: the threads/,
    ],
    [
      "no grid",
      async (p) => (await p.kernel("saxpy")).configure(anything({ block: 1 })),
      /needs a grid: the number of blocks/,
    ],
    [
      "no options",
      async (p) => (await p.kernel("saxpy")).launch(anything(1)),
      /takes its options as an object, not the number 1/,
    ],
    [
      "CUDA's name of an option",
      async (p) => (await p.kernel("saxpy")).launch(anything({ gridDim: 1, block: 1 }), 1, null),
      /a launch of math::saxpy has no option "gridDim"; did you mean "grid"\?/,
    ],
    [
      "a text for extents",
      async (p) => (await p.kernel("saxpy")).launch({ grid: anything("4"), block: 1 }, 1, null),
      /grid in a launch of math::saxpy is a number, \[x, y, z\] or \{ x, y, z \}, not the string "4"/,
    ],
    [
      "a text for a length",
      (p) => p.device.array(anything("100"), "float32"),
      /not the string "100"\n.*array\(100, "float32"\)/,
    ],
    ["C's name of a type", (p) => p.device.array(4, anything("float")), /no dtype "float"; did you mean "float32"\?/],
    ["another library's", (p) => p.device.array(4, anything("i64")), /no dtype "i64"; did you mean "int64"\?/],
    ["a misspelt dtype", (p) => p.device.array(4, anything("flaot16")), /did you mean "float16"\?/],
    [
      "texts in an array",
      (p) => p.device.array(anything([1, "2"]), "float32"),
      /element 1 of the array is the string "2"/,
    ],
    [
      "fractions in an int64 array",
      (p) => p.device.array([1.5], "int64"),
      /an array of int64 has whole numbers, not 1.5/,
    ],
    ["a misspelt option of a stream", (p) => p.device.stream(anything({ prioriti: 1 })), /did you mean "priority"\?/],
    [
      "a misspelt option of matmul",
      async () => (await openBlas()).matmul(anything({ transA: true })),
      /matmul has no option "transA"\n/,
    ],
    [
      "a device that is none",
      () => openBlas(anything("cuda")),
      /the device of openBlas is one that openDevice returned/,
    ],
    ["openKernels without a device", () => openKernels(anything({})), /the device of openKernels/],
    [
      "a misspelt option of openKernels",
      (p) => openKernels(p.device, anything({ foler: "x" })),
      /did you mean "folder"\?/,
    ],
    ["a misspelt option of check", () => check(() => {}, anything({ tool: ["memcheck"] })), /did you mean "tools"\?/],
    [
      "a misspelt checker",
      () => check(() => {}, { tools: [anything("memchek")] }),
      /no checker "memchek"; did you mean "memcheck"/,
    ],
    ["check without a function", () => check(anything(undefined)), /check takes a function of a device, not undefined/],
    ["a misspelt kernel", (p) => p.kernel("saxpi"), /^there is no kernel saxpi; did you mean "math::saxpy"\?/],
    [
      "a template without arguments",
      (p) => p.kernel("scaleAll"),
      /^scaleAll is a template: .* such as scaleAll<float, 256>\n[^]*template <typename T, int N> scaleAll/,
    ],
    [
      "a misspelt template",
      (p) => p.kernel("scaelAll<float, 2>"),
      /^there is no kernel scaelAll<float, 2>; did you mean "scaleAll"/,
    ],
    ["a name of two", (p) => p.kernel("twice"), /ambiguous\n.*twice\(int\*\), twice\(float\*\)/],
  ])("%s", async (_, work, message) => {
    const error = await errorOf(() => work(program));
    expect(error.message).toMatch(message);
    expect(error.stack).toContain(import.meta.filename);
  });

  it("overloads are named by their parameters", async () => {
    expect(program.kernelNames().toSorted()).toEqual(["math::saxpy", "twice(float*)", "twice(int*)"]);
    expect((await program.kernel("twice( float* )")).signature).toBe("twice(float* x)");
  });

  it("templates of a source are found, with an example of an instance", () => {
    const source = `
      // template <typename A> __global__ void comment(A* a);
      template <typename T = double, bool fast = (1 < 2), template <class> class P, unsigned B>
      __global__ __launch_bounds__(256) void reduce(T* x) { }
      template <> __global__ void reduce<int>(int* x) { }
      template <bool last> __global__ void __launch_bounds__((WARPS + 1) * 32, 1) __cluster_dims__(2, 1, 1)
          scan(int* x) { }
      template <class T> struct Box { T t; };
      template <class T> __device__ T helper(T t) { return t; }
      __global__ void plain(int* x) { }`;
    expect(kernelTemplates(source)).toEqual([
      {
        name: "reduce",
        parameters: "typename T = double, bool fast = (1 < 2), template <class> class P, unsigned B",
        example: "reduce<double, (1 < 2), P, 256>",
      },
      { name: "scan", parameters: "bool last", example: "scan<true>" },
    ]);
  });
});

describe("faults", () => {
  const wild = "__global__ void wild(float* p, int i) { p[i] = 1; }\n__global__ void fine(float* p) { p[0] = 2; }";
  const devices: { close(): void }[] = [];
  afterEach(() => devices.splice(0).forEach((device) => device.close()));

  it("the message has line, thread, allocation and what to do; the stack begins at the launch", async () => {
    const device = await openDevice({ workers: 1 });
    devices.push(device);
    const kernel = await (await compile(wild, { device, path: "wild.cu" })).kernel("wild");
    const launch = kernel.launch({ grid: 1, block: 1 }, device.array(4, "float32"), 10_000_000); // the launch
    // Not awaited where it is launched: the engine's own stack would not have the line.
    const error = await errorOf(() => launch.then(() => undefined));
    expect(error.summary).toBe("kernel wild failed: an illegal memory access was encountered");
    expect(error.message).toMatch(
      /at .*wild\.cu:1:\d+, in wild\n.*thread \(0, 0, 0\)[^]*write of 4 bytes[^]*nearest[^]*device\.reset\(\)/,
    );
    const line = readFileSync(import.meta.filename, "utf8")
      .split("\n")
      .findIndex((text) => text.endsWith("// the launch"));
    expect(
      error.stack?.split("\n").find((text) => text.includes("file:///") || text.includes(import.meta.filename)),
    ).toContain(`${import.meta.filename}:${line + 1}:`);
  });

  it("a test that faults does not break the next: compile without a device replaces the default one", async () => {
    const first = await compile(wild);
    await errorOf(async () =>
      (await first.kernel("wild")).launch({ grid: 1, block: 1 }, first.device.array(4, "float32"), 10_000_000),
    );
    const second = await compile(wild);
    expect(second.device).not.toBe(first.device);
    using x = second.device.array(1, "float32");
    await (await second.kernel("fine")).launch({ grid: 1, block: 1 }, x);
    expect([...(await x.read())]).toEqual([2]);
    expect((await compile(wild)).device).toBe(second.device);
    second.device.close();
    devices.push((await compile(wild)).device);
    expect(devices[0]).not.toBe(second.device);
  });

  it("what was made before a reset says so", async () => {
    const device = await openDevice({ workers: 1 });
    devices.push(device);
    const kernel = await (await compile(wild, { device })).kernel("fine");
    const x = device.array(4, "float32");
    const step = kernel.configure({ grid: 1, block: 1 });
    device.reset();
    const message = /^the kernel fine was compiled before device\.reset\(\)\n.*compile the program again/;
    expect((await errorOf(() => kernel.launch({ grid: 1, block: 1 }, x))).message).toMatch(message);
    expect((await errorOf(() => kernel.configure({ grid: 1, block: 1 }))).message).toMatch(message);
    expect((await errorOf(() => step(x))).message).toMatch(/freed by device\.reset\(\)|compiled before/);
    expect((await errorOf(() => x.read())).message).toMatch(/^the array was freed by device\.reset\(\)\n/);
    const again = await (await compile(wild, { device })).kernel("fine");
    const y = device.array(4, "float32");
    expect((await errorOf(() => again.launch({ grid: 1, block: 1 }, x))).message).toMatch(/freed by device\.reset\(\)/);
    x.free();
    await again.launch({ grid: 1, block: 1 }, y);
    expect((await y.read())[0]).toBe(2);
  });

  it("a launch with a limit of its own ends with the line of the loop", async () => {
    const device = await openDevice({ device: "emulated" });
    devices.push(device);
    const program = await compile(
      `__global__ void forever(volatile int* x) {
         while (x[0] == 0) x[1] = x[1] + 1;
       }`,
      { device },
    );
    const kernel = await program.kernel("forever");
    const x = device.array([0, 0], "int32");
    const error = await errorOf(() => kernel.launch({ grid: 1, block: 32, timeoutMs: 200 }, x));
    expect([error.code, error.message]).toEqual(["timeout", expect.stringMatching(/200 ms[^]*kernel\.cu:2/)]);
    expect((await errorOf(() => kernel.launch({ grid: 1, block: 1, timeoutMs: 0 }, x))).message).toMatch(
      "timeoutMs in a launch of forever is a number of milliseconds above 0, not the number 0",
    );
  });

  it("names in messages are those of the source", async () => {
    const device = await openDevice({ workers: 1 });
    devices.push(device);
    const program = await compile(`template <typename T> __global__ void wild(T* p) { p[1 << 28] = 1; }`, { device });
    const kernel = await program.kernel("wild<float>");
    const messages: string[] = [];
    for (let i = 0; i < 2; i++)
      messages.push((await errorOf(() => kernel.launch({ grid: 1, block: 1 }, device.array(4, "float32")))).message);
    expect(messages[1]).toMatch(
      /^the device has stopped after a fault in wild<float> and must be reset\n.*device\.reset\(\)/,
    );
    expect(messages.join("\n")).not.toContain("_Z");
    expect(new HeddleError("io-error", "_Z5twicePi", { notes: ["see _ZN4math5saxpyEi"] }).message).toBe(
      "twice\n  see math::saxpy",
    );
  });
});

it.each([
  [32, "int64", /must be an array of int32, not of int64: long has 32 bits here; device.array\(…, "long"\)/],
  [64, "int32", /must be an array of int64, not of int32: long has 64 bits here/],
] as const)("with pointers of %i bits an array of %s is no array of long", (irPointerBits, dtype, message) => {
  const device = { irPointerBits } as Device;
  const param = { kind: "pointer", name: "x", offset: 0, size: irPointerBits / 8 } as KernelParam;
  const signature = { kernel: "k", params: [param], paramBytes: param.size, types: ["long*"] };
  const array = (type: Dtype): DeviceArray => DeviceArray.at(device, type, 4, 4096);
  expect(() => packArguments(signature, [array(dtype)], device)).toThrow(message);
  const right = irPointerBits === 64 ? "int64" : "int32";
  expect(packArguments(signature, [array(right)], device)).toHaveLength(param.size);
});
