/** The library's functions, for a given environment. */
import { fromCallSite } from "../base/call-site.ts";
import { HeddleError } from "../base/diagnostics.ts";
import { describeValue } from "../base/options.ts";
import { Blas } from "./blas.ts";
import { BLAS_KERNELS, BLAS_SOURCE } from "./blas-kernels.ts";
import { checkCompileOptions, checkDevice, checkDeviceOptions } from "./library-options.ts";
import type { DeviceOptions, LibraryEnvironment } from "./environment.ts";
import type { Gpu } from "./gpu.ts";
import { openGpu } from "./open-gpu.ts";
import { buildGpuProgram, type CompileOptions, type GpuProgram } from "./gpu-program.ts";

/** The library: what `heddle` and `heddle/browser/library` offer. */
export interface Heddle {
  /**
   * Compiles CUDA C++ and loads it on a device.
   *
   *     const program = await compile(`__global__ void twice(float* x) { x[threadIdx.x] *= 2; }`);
   *     const twice = await program.kernel("twice");
   *     const x = program.device.array(new Float32Array([1, 2, 3]));
   *     await twice.launch({ grid: 1, block: 3 }, x);
   *     await x.read(); // Float32Array [2, 4, 6]
   *
   * @throws HeddleError "compile-error", with the compiler's report in `notes`.
   */
  compile(source: string, options?: CompileOptions): Promise<GpuProgram>;
  /** Compiles a file. @throws HeddleError "file-not-found", "compile-error". */
  load(path: string, options?: CompileOptions): Promise<GpuProgram>;
  /**
   * Opens matrix products on a device: NVIDIA's cuBLAS on a GPU, Heddle's own kernel on an emulated device.
   *
   *     const blas = await openBlas(device);
   *     await blas.matmul({ m, n, k, a, b, c }); // C = A B, row by row
   *
   * @throws HeddleError "unsupported" if the device is a GPU and cuBLAS is not found; the message lists the places.
   */
  openBlas(device?: Gpu): Promise<Blas>;
  /**
   * Opens a device: an emulated one, unless `device` asks for another.
   * @throws HeddleError "bad-arguments" for an unknown GPU, "out-of-memory", "no-device".
   */
  openDevice(options?: DeviceOptions): Promise<Gpu>;
}

export function createHeddle(environment: LibraryEnvironment): Heddle {
  let shared: Promise<Gpu> | null = null;
  const open = async (options: DeviceOptions): Promise<Gpu> => {
    checkDeviceOptions("openDevice", options);
    return openGpu(environment, options);
  };

  const openShared = (): Promise<Gpu> => {
    const opening = open({});
    // Who awaits it gets the error; the next call tries again.
    opening.catch(() => void (shared = shared === opening ? null : shared));
    return (shared = opening);
  };

  /** The device of programs that name none. After a fault or a close it is replaced, so that a test mends the next. */
  const sharedDevice = async (): Promise<Gpu> => {
    const current = shared;
    const gpu = await (current ?? openShared());
    if (!gpu.isBroken) return gpu;
    // A GPU has one context for the process; its reset says when the driver allows none any more.
    if (gpu.raw.kind !== "emulated" && !gpu.isClosed) gpu.reset();
    else if (shared === current || current === null) openShared();
    return sharedDevice();
  };

  const build = async (
    path: string,
    text: string,
    { device, kernels, path: _path, ...options }: CompileOptions,
  ): Promise<GpuProgram> => {
    const gpu = device ?? (await sharedDevice());
    return buildGpuProgram(
      { compiler: environment.compiler, includes: environment.includes, source: { path, text }, options, device: gpu },
      kernels ?? [],
    );
  };
  const heddle: Heddle = {
    openDevice: (options = {}) => fromCallSite(heddle.openDevice, () => open(options)),
    compile: (source, options = {}) =>
      fromCallSite(heddle.compile, async () => {
        if (typeof source !== "string")
          throw new HeddleError(
            "bad-arguments",
            `compile takes the text of a CUDA program, not ${describeValue(source)}; load takes a path`,
          );
        checkCompileOptions("compile", options);
        return build(options.path ?? "kernel.cu", source, options);
      }),
    openBlas: (device) =>
      fromCallSite(heddle.openBlas, async () => {
        if (device !== undefined) checkDevice("openBlas", device);
        const gpu = device ?? (await sharedDevice());
        if (gpu.raw.kind === "emulated")
          return new Blas(gpu, null, await build("blas.cu", BLAS_SOURCE, { device: gpu, kernels: BLAS_KERNELS }));
        const found = gpu.raw.library?.("cublas");
        if (found?.library == null)
          throw new HeddleError(
            "unsupported",
            `matrix products on this GPU need cuBLAS, ${found?.missing ?? "which it has not"}`,
          );
        return new Blas(gpu, found.library, null);
      }),
    load: (path, options = {}) =>
      fromCallSite(heddle.load, async () => {
        if (typeof path !== "string")
          throw new HeddleError("bad-arguments", `load takes the path of a CUDA source, not ${describeValue(path)}`);
        checkCompileOptions("load", options);
        const source = await environment.readSource(path);
        return build(options.path ?? source.path, source.text, options);
      }),
  };
  return heddle;
}
