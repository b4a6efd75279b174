/**
 * Kernels of tensor operations on one device: generated as Triton's text, compiled at their first use on the calling
 * thread, and launched without waiting where the device has a queue.
 */
import { bug, HeddleError } from "../../base/diagnostics.ts";
import type { Device, GpuKernel, StreamId } from "../../device/device.ts";
import { openModule } from "../../frontend/triton/evaluate/module.ts";
import { SourceText } from "../../frontend/triton/syntax/source-text.ts";
import { DeviceArray } from "../../library/device-array.ts";
import { faultError } from "../../library/fault-error.ts";
import type { Gpu } from "../../library/gpu.ts";
import { isRecording, record } from "../../library/recording.ts";
import { float, typedArray, type TritonArgument } from "../../library/triton-arguments.ts";
import { TritonProgram } from "../../library/triton.ts";
import { PLAIN } from "../../library/triton-surroundings.ts";
import type { LaunchConfig } from "../../machine/launch.ts";
import { TensorKernel, type NotedLaunch } from "./tensor-kernel.ts";
import type { ContentCache } from "../../store/store.ts";
import type { TensorDtype } from "../dtypes.ts";
import type { Place } from "../storage.ts";

/** A parameter of a generated kernel, and what the compiler may take for granted of it. */
export type KernelParameter =
  | { readonly kind: "pointer"; readonly dtype: TensorDtype; readonly isAligned: boolean }
  /** @param isDivisible by 16 */
  | { readonly kind: "i32" | "i64"; readonly isDivisible: boolean }
  | { readonly kind: "fp32" | "fp64"; readonly isDivisible?: undefined };

export interface KernelText {
  /** The name of the function in `text`. */
  readonly name: string;
  readonly text: string;
  /** In the order of the function's parameters. */
  readonly params: readonly KernelParameter[];
  readonly numWarps: number;
  /** Of pipelines in loops; default: the compiler's own. */
  readonly numStages?: number;
}

const TRITON_NAMES: Partial<Record<TensorDtype, string>> = {
  bool: "int1",
  float8_e4m3fn: "float8e4nv",
  float8_e5m2: "float8e5",
};

/** The name of a type in `triton.language`. */
export function tritonName(dtype: TensorDtype): string {
  return TRITON_NAMES[dtype] ?? dtype;
}

const IMPORTS = `import triton
import triton.language as tl
from triton.language.extra import libdevice
`;

/** The kernel with a wait for the launches before it at its beginning. */
function waiting(text: string, name: string, ahead: "end" | "begin"): string {
  const body = text.indexOf(":\n", text.indexOf(`def ${name}(`)) + 2;
  const wait = `    tl.extra.cuda.gdc_wait()\n${ahead === "end" ? "" : "    tl.extra.cuda.gdc_launch_dependents()\n"}`;
  return text.slice(0, body) + wait + text.slice(body);
}

/** The branches of a graph while it is recorded. */
export interface Branches {
  /** Launches belong to a branch now. */
  isInside: boolean;
  run(work: () => void): void;
}

/** What runs the operations of tensors on a device. */
export class TensorDevice {
  readonly gpu: Gpu;
  readonly raw: Device;
  /** The stream of all operations. */
  stream: StreamId = 0;
  /** Below so many elements, the host is done before a kernel would be. */
  leastElements: number;
  /** Launches that are recorded instead of made, on a device without a queue. */
  #recorded: (() => void)[] | null = null;
  /** What kernels launch while somebody asks for it. */
  noted: NotedLaunch[] | null = null;
  /**
   * Kernels wait for those before them themselves (griddepcontrol). In a graph one is then launched while the one
   * before it ends ("end"), or as soon as all blocks of that have begun ("begin"). On an H200 a step of 27 launches
   * took 72 µs with "end", 79 with "no" and 91 with "begin": blocks that wait take the place of those that work.
   */
  ahead: "no" | "end" | "begin" = "no";
  readonly #cache: ContentCache | null;
  readonly #kernels = new Map<string, TensorKernel>();
  /** Of kernels with several texts, the one to launch, by its key. */
  readonly chosen: Map<string, TensorKernel> = new Map();
  /** Work that is put beside what follows in a graph that is recorded now; null: there is no such graph. */
  branches: Branches | null = null;
  /** What operations launched before, by the index of their plans. */
  readonly plans: unknown[] = [];

  constructor(gpu: Gpu, cache: ContentCache | null) {
    this.gpu = gpu;
    this.raw = gpu.raw;
    this.leastElements = gpu.raw.kind === "emulated" ? 1 << 15 : 0;
    this.#cache = cache;
    if (gpu.raw.kind === "cuda" && gpu.raw.properties.computeCapability.major >= 9) this.ahead = "end";
  }

  /** The kernel of a key; `make` is called the first time. */
  kernel(key: string, make: () => KernelText): TensorKernel {
    let kernel = this.#kernels.get(key);
    if (kernel === undefined) this.#kernels.set(key, (kernel = this.#compile(make())));
    return kernel;
  }

  #compile({ name, text, params, numWarps, numStages }: KernelText): TensorKernel {
    const source = `${IMPORTS}\n\n${this.ahead === "no" ? text : waiting(text, name, this.ahead)}`;
    const module = openModule(new SourceText(`heddle/tensor/${name}.py`, source));
    const program = new TritonProgram(this.gpu, module, { ...PLAIN, cache: this.#cache });
    const kernel = program.kernel(name);
    const names = kernel.parameterNames;
    if (names.length !== params.length) bug(`the kernel ${name} has ${names.length} parameters, not ${params.length}`);
    const args = params.map((param) => this.#exampleOf(param));
    const options = numStages === undefined ? { numWarps } : { numWarps, numStages };
    const { kernel: compiled, sharedBytes } = kernel.compileBlocking(options, args, new Set(names));
    return new TensorKernel(this, compiled.info, numWarps * 32, sharedBytes);
  }

  /** An argument of which only what the compiler may know counts. */
  #exampleOf(param: KernelParameter): TritonArgument {
    if (param.kind === "pointer") {
      const array = DeviceArray.at(this.raw, "uint8", 1, param.isAligned ? 256 : 8);
      return typedArray(array, tritonName(param.dtype));
    }
    if (param.kind === "fp32" || param.kind === "fp64") return float(0.5);
    const value = param.isDivisible === true ? 16 : 7;
    return param.kind === "i64" ? BigInt(value) + (1n << 40n) : value;
  }

  launch(info: GpuKernel, usual: LaunchConfig, params: Uint8Array): void {
    const { raw, stream } = this;
    // What waits for another stream's work waits for all of it.
    const config = this.branches?.isInside === true ? { ...usual, waitsItself: false } : usual;
    const { queue } = raw;
    if (queue !== null) {
      if (!isRecording()) queue.launch(info, config, params, stream);
      else
        record(raw, { kernel: info, config: { ...config, stream } }, () => queue.launch(info, config, params, stream));
      return;
    }
    if (this.#recorded !== null) {
      const own = params.slice();
      this.#recorded.push(() => this.#launchBlocking(info, config, own));
    } else this.#launchBlocking(info, config, params);
  }

  /** What the host does in the order of the launches, on a device without a queue. */
  launchHost(work: () => void): void {
    if (this.#recorded === null) work();
    else this.#recorded.push(work);
  }

  /** The launches of `work` as a function that makes them; `work` itself makes none. The device has no queue. */
  recordLaunches(work: () => void): () => void {
    const launches: (() => void)[] = [];
    const least = this.leastElements;
    this.#recorded = launches;
    this.leastElements = 0;
    try {
      work();
    } finally {
      this.#recorded = null;
      this.leastElements = least;
    }
    return () => {
      for (const launch of launches) launch();
    };
  }

  #launchBlocking(info: GpuKernel, config: LaunchConfig, params: Uint8Array): void {
    const { raw } = this;
    const { fault, output } = record(raw, { kernel: info, config }, () => raw.launchBlocking(info, config, params));
    if (output !== "") this.gpu.onPrint(output);
    if (fault !== null) throw faultError(fault, raw, []);
  }
}

const devices = new WeakMap<Device, TensorDevice>();

/** From now on operations of tensors on this device are kernels. Without effect if it is known already. */
export function openTensorDevice(gpu: Gpu, cache: ContentCache | null): TensorDevice {
  if (gpu.isClosed) throw new HeddleError("bad-arguments", "the device was closed");
  let known = devices.get(gpu.raw);
  if (known === undefined) devices.set(gpu.raw, (known = new TensorDevice(gpu, cache)));
  return known;
}

/** Null: the host computes for this place, because it is the host, or because its device has no kernels. */
export function tensorDeviceOf(place: Place): TensorDevice | null {
  return place === null ? null : (devices.get(place) ?? null);
}

/** The device, if so many elements are worth a kernel. */
export function kernelsFor(place: Place, elements: number): TensorDevice | null {
  const device = tensorDeviceOf(place);
  return device === null || elements < device.leastElements || elements === 0 ? null : device;
}
