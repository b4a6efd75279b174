import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Gpu, GpuProgram } from "../index.ts";
import { compile, load, openDevice } from "../index.ts";

const SOURCE = `
struct Params { int n; float* out; };
__constant__ float gain = 2.0f;
__device__ int total;
namespace math {
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
}
template <typename T, int N> __global__ void scaleAll(T* x) { if (threadIdx.x < N) x[threadIdx.x] *= (T)2; }
template __global__ void scaleAll<float, 4>(float*);
__global__ void kinds(bool b, unsigned char c, unsigned u, long long l, double d, Params p) {
  p.out[0] = b; p.out[1] = c; p.out[2] = u; p.out[3] = l; p.out[4] = d; p.out[5] = p.n * gain;
}
__global__ void tally() { atomicAdd(&total, 1); }
__global__ void greet(int n) { if (threadIdx.x == 0) printf("n is %d\\n", n); }
__global__ void wild(float* p, int i) { p[i] = 1; }
__global__ void twice(int* x) {}
__global__ void twice(float* x) {}
`;

describe("library", () => {
  let device: Gpu;
  let program: GpuProgram;
  const printed: string[] = [];

  beforeAll(async () => {
    device = await openDevice({ gpu: "rtx3070", workers: 2, onPrint: (text) => printed.push(text) });
    program = await compile(SOURCE, { device, path: "test.cu" });
  });
  afterAll(() => device.close());

  it("runs a kernel on typed arrays", async () => {
    const saxpy = await program.kernel("saxpy");
    expect(saxpy.name).toBe("math::saxpy");
    expect(saxpy.signature).toBe("math::saxpy(int n, float a, float* x, float* y)");
    const x = device.array(Float32Array.from({ length: 1000 }, (_, i) => i));
    const y = device.array(
      [...Array(1000).keys()].map((i) => -i),
      "float32",
    );
    const result = await saxpy.launch({ grid: 4, block: 256 }, 1000, 3, x, y);
    expect(result).toMatchObject({ output: "", reused: false });
    expect([...(await y.read(10, 13))]).toEqual([20, 22, 24]);
    expect((await y.read()).length).toBe(1000);
    x.free();
    await expect(saxpy.launch({ grid: 4, block: 256 }, 1000, 3, x, y)).rejects.toThrow(
      /argument 3 \(float\* x\).*freed/,
    );
    y.free();
  });

  it("instantiates templates by name", async () => {
    const x = device.array(new Float32Array([1, 2, 3, 4]));
    await (await program.kernel("scaleAll<float, 4>")).launch({ grid: 1, block: 32 }, x);
    expect([...(await x.read())]).toEqual([2, 4, 6, 8]);
    const y = device.array(new Int32Array([1, 2, 3, 4]));
    await (await program.kernel("scaleAll<int, 3>")).launch({ grid: 1, block: 32 }, y);
    expect([...(await y.read())]).toEqual([2, 4, 6, 4]);
    await expect(program.kernel("scaleAll<nonsense, 3>")).rejects.toMatchObject({ code: "unknown-kernel" });
    const named = await compile(SOURCE, { device, kernels: ["scaleAll<double, 2>"] });
    expect((await named.kernel("scaleAll<double,2>")).signature).toBe("scaleAll<double, 2>(double* x)");
    await named.unload();
  });

  it("finds kernels by their plain, qualified and mangled names, and lists them otherwise", async () => {
    expect((await program.kernel("math::saxpy")).info).toBe((await program.kernel("saxpy")).info);
    await expect(program.kernel("saxpi")).rejects.toMatchObject({
      code: "unknown-kernel",
      notes: [expect.stringContaining("math::saxpy"), expect.anything()],
    });
    await expect(program.kernel("twice")).rejects.toThrow(/ambiguous/);
    expect((await program.kernel("_Z5twicePi")).signature).toBe("twice(int* x)");
    expect(program.kernelNames()).toContain("scaleAll<float, 4>");
  });

  it("passes arguments of every kind", async () => {
    const out = device.array(6, "float32");
    const { pointerBytes } = device.model;
    const params = new Uint8Array(2 * pointerBytes);
    new DataView(params.buffer).setInt32(0, 21, true);
    new DataView(params.buffer).setUint32(pointerBytes, out.pointer, true);
    const kinds = await program.kernel("kinds");
    await kinds.launch({ grid: 1, block: 1 }, true, 200, 4e9, 2n ** 40n, 0.5, params);
    expect([...(await out.read())]).toEqual([1, 200, 4e9, 2 ** 40, 0.5, 42]);
  });

  it.each([
    ["too few", [1000, 3], /takes 4 arguments, 2 were given/],
    [
      "a number for a pointer",
      [1, 3, 5, null],
      /argument 3 \(float\* x\) of math::saxpy must be an array on the device.*not the number 5/,
    ],
    ["a host array", [1, 3, new Uint8Array(8), null], /not a Uint8Array \(which lies in host memory\)/],
    ["a fraction", [1.5, 3, null, null], /argument 1 \(int n\) of math::saxpy must be a whole number, not 1.5/],
    ["too large", [2 ** 31, 3, null, null], /must be from -2147483648 to 2147483647, not 2147483648/],
    ["text", [1, "3" as unknown as number, null, null], /argument 2 \(float a\).* must be a number, not the string 3/],
    ["nothing", [undefined as unknown as number, 3, null, null], /not undefined/],
  ] as const)("refuses %s", async (_, args, message) => {
    await expect((await program.kernel("saxpy")).launch({ grid: 1, block: 1 }, ...args)).rejects.toThrow(message);
  });

  it("refuses arrays of another type or device", async () => {
    const saxpy = await program.kernel("saxpy");
    const ints = device.array(new Int32Array(4));
    await expect(saxpy.launch({ grid: 1, block: 1 }, 1, 1, ints, null)).rejects.toThrow(
      /must be an array of float, not of int32/,
    );
    const other = await openDevice({ workers: 1 });
    await expect(saxpy.launch({ grid: 1, block: 1 }, 1, 1, other.array(4, "float32"), null)).rejects.toThrow(
      /another device/,
    );
    other.close();
  });

  it.each([
    [{ grid: 1, block: 1025 }, /1025 threads|block.x is 1025/],
    [{ grid: [1, 70000] as const, block: 1 }, /grid.y is 70000, the limit of NVIDIA GeForce RTX 3070 is 65535/],
    [{ grid: 0, block: 1 }, /grid.x must be a whole number of at least 1, not 0/],
    [{ grid: 1, block: 1, sharedBytes: 1 << 20 }, /1048576 bytes of dynamic shared memory/],
  ])("names the limit that %j breaks", async (options, message) => {
    const error = await (await program.kernel("tally")).launch(options).then(
      () => null,
      (e: unknown) => e as { code: string; message: string },
    );
    expect(error?.code).toBe("invalid-launch");
    expect(error?.message).toMatch(message);
  });

  it("reads and writes variables", async () => {
    const total = program.variable("total", "int32");
    await total.write([40]);
    await (await program.kernel("tally")).launch({ grid: 2, block: 1 });
    expect([...(await total.read())]).toEqual([42]);
    expect(() => program.variable("nothing", "int32")).toThrow(/no __device__ or __constant__ variable/);
  });

  it("gives printed text to the result and to onPrint", async () => {
    const { output } = await (await program.kernel("greet")).launch({ grid: 1, block: 32 }, 7);
    expect(output).toBe("n is 7\n");
    expect(printed.at(-1)).toBe("n is 7\n");
  });

  it(
    "launches that are configured once run in order, check their arguments, and tell what went wrong when they " +
      "are waited for",
    async () => {
      const axpy = await program.kernel("math::saxpy");
      const [x, y] = [device.array(new Float32Array([1, 2, 3])), device.array(new Float32Array([10, 20, 30]))];
      const step = axpy.configure({ grid: 1, block: 32 });
      step(3, 1, x, y);
      step(2, 10, x, y);
      await device.synchronize();
      expect([...(await y.read())]).toEqual([21, 42, 33]);
      expect(() => step(3, 1, x)).toThrow(/takes 4 arguments, 3 were given/);
      expect(() => step(3.5, 1, x, y)).toThrow(/must be a whole number/);
      expect(() => step(3, 1, device.array(3, "int32"), y)).toThrow(/must be an array of float/);
      expect(() => axpy.configure({ grid: 1, block: 4096 })).toThrow(/block/);
      const target = new Float32Array(2);
      await y.readInto(target, 1);
      expect([...target]).toEqual([42, 33]);
      await expect(y.readInto(new Float64Array(1))).rejects.toThrow(/elements of 4 bytes/);

      const other = await openDevice({ workers: 1 });
      try {
        const wild = await (
          await compile("__global__ void wild(int* p) { p[1 << 29] = 1; }", { device: other })
        ).kernel("wild");
        wild.configure({ grid: 1, block: 1 })(null);
        await expect(other.synchronize()).rejects.toMatchObject({ code: "device-fault" });
      } finally {
        other.close();
      }
    },
  );

  it("streams, events and graphs have their meaning on a device that has no queue", async () => {
    const axpy = await program.kernel("math::saxpy");
    const [x, y] = [device.array(new Float32Array([1])), device.array(new Float32Array([0]))];
    using stream = device.stream();
    using start = device.event();
    using end = device.event();
    const step = axpy.configure({ grid: 1, block: 32, stream: stream.id });
    const graph = device.graph(stream, () => {
      for (let i = 0; i < 3; i++) step(1, 1, x, y);
    });
    await device.synchronize();
    expect([...(await y.read())]).toEqual([0]);
    start.record(stream);
    graph.launch(stream);
    graph.launch();
    end.record(stream);
    expect(await end.since(start)).toBeGreaterThanOrEqual(0);
    expect([...(await y.read())]).toEqual([6]);
    await expect(device.event().since(start)).rejects.toThrow(/was not recorded/);
    using _pinned = device.pin(new Uint8Array(64));
  });

  it("arrays convert, fill, share and check their bounds", async () => {
    const half = device.array([1, 0.5, 1 / 3], "float16");
    expect([...(await half.read())]).toEqual([1, 0.5, 0.333251953125]);
    expect(half.byteLength).toBe(6);
    await half.fill(2);
    expect([...(await half.read())]).toEqual([2, 2, 2]);
    const wide = device.array(3, "int64");
    await wide.fill(-1n);
    await wide.subarray(1, 2).write([5n]);
    expect([...(await wide.read())]).toEqual([-1n, 5n, -1n]);
    await expect(wide.write([1n, 2n], 2)).rejects.toThrow(/do not fit/);
    await expect(wide.read(2, 5)).rejects.toThrow(/not in an array of 3/);
    expect(() => device.array(1e12, "float32")).toThrow(expect.objectContaining({ code: "out-of-memory" }));
    // @ts-expect-error a dtype is needed
    expect(() => device.array(4)).toThrow(/needs a dtype/);
  });

  it("reports what a compiler finds, and files that are not there", async () => {
    await expect(compile("__global__ void k() { undeclared = 1; }", { device })).rejects.toMatchObject({
      code: "compile-error",
      notes: [expect.stringContaining("undeclared")],
    });
    await expect(load("/nowhere/k.cu", { device })).rejects.toMatchObject({ code: "file-not-found" });
  });

  it("a fault says where and by how much, and reset makes good", async () => {
    const other = await openDevice({ workers: 1 });
    const wild = await (await compile(SOURCE, { device: other, path: "test.cu" })).kernel("wild");
    const x = other.array(4, "float32");
    const error = await wild.launch({ grid: 1, block: 1 }, x, 10_000_000).then(
      () => null,
      (e: unknown) => e as { code: string; notes: string[] },
    );
    expect(error?.code).toBe("device-fault");
    expect(error?.notes.join("\n")).toMatch(
      /at (?:\.\/)?test.cu:\d+:\d+[\s\S]*39999984 bytes past the end of the nearest allocation/,
    );
    await expect(wild.launch({ grid: 1, block: 1 }, x, 0)).rejects.toThrow(/must be reset/);
    other.reset();
    const again = await (await compile(SOURCE, { device: other })).kernel("wild");
    await again.launch({ grid: 1, block: 1 }, other.array(4, "float32"), 0);
    other.close();
  });
});
