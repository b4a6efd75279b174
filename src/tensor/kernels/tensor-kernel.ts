/** Compiled kernels of a device, and launches of them. */
import type { BoundLaunch, GpuKernel } from "../../device/device.ts";
import { isRecording } from "../../library/recording.ts";
import type { LaunchConfig } from "../../machine/launch.ts";
import type { TensorDevice } from "./tensor-device.ts";

/** Parameters of a kernel in memory, as the kernel reads them. */
class Parameters {
  readonly #info: GpuKernel;
  readonly #words: Uint32Array;
  readonly #view: DataView;

  constructor(info: GpuKernel, bytes: Uint8Array<ArrayBuffer>) {
    this.#info = info;
    this.#words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** @param value whole where the parameter is: beyond 2^53, and of addresses, no bit is lost that a number has. */
  set(index: number, value: number): void {
    const { kind, offset, size } = this.#info.params[index] as GpuKernel["params"][number];
    if (kind === "f32") this.#view.setFloat32(offset, value, true);
    else if (kind === "f64") this.#view.setFloat64(offset, value, true);
    else {
      const words = this.#words;
      words[offset >> 2] = value;
      if (size === 8) words[(offset >> 2) + 1] = Math.floor(value / 2 ** 32);
    }
  }
}

/** A compiled kernel. */
export class TensorKernel {
  readonly info: GpuKernel;
  readonly #owner: TensorDevice;
  readonly #threads: number;
  readonly #sharedBytes: number;
  readonly #params: Uint8Array<ArrayBuffer>;
  readonly #written: Parameters;
  /** Of the last launch. */
  #config: LaunchConfig | null = null;

  constructor(owner: TensorDevice, info: GpuKernel, threads: number, sharedBytes: number) {
    this.#owner = owner;
    this.info = info;
    this.#threads = threads;
    this.#sharedBytes = sharedBytes;
    this.#params = paramsOf(info);
    this.#written = new Parameters(info, this.#params);
  }

  /** @param args pointers and numbers, in the order of the parameters. @throws HeddleError "device-fault" */
  launch(programs: number, args: readonly number[]): void {
    const count = this.info.params.length;
    for (let i = 0; i < count; i++) this.#written.set(i, args[i] as number);
    this.#owner.noted?.push({ kernel: this, programs, args });
    this.#owner.launch(this.info, this.configOf(programs), this.#params);
  }

  /** The same launch again and again, with arguments that may be changed one by one. */
  bind(programs: number, args: readonly number[]): KernelLaunch {
    return new KernelLaunch(this.#owner, this.info, this.configOf(programs), args);
  }

  configOf(programs: number): LaunchConfig {
    let config = this.#config;
    if (config?.grid.x !== programs)
      config = this.#config = {
        grid: { x: programs, y: 1, z: 1 },
        block: { x: this.#threads, y: 1, z: 1 },
        sharedBytes: this.#sharedBytes,
        waitsItself: this.#owner.ahead !== "no",
      };
    return config;
  }
}

const paramsOf = ({ paramBytes }: GpuKernel): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Math.max(Math.ceil(paramBytes / 8) * 8, 8));

/** A launch of a kernel whose arguments stay, but for those that are set. */
export class KernelLaunch {
  readonly #owner: TensorDevice;
  readonly #info: GpuKernel;
  readonly #config: LaunchConfig;
  readonly #params: Uint8Array<ArrayBuffer>;
  readonly #written: Parameters;
  readonly #bound: BoundLaunch | null;

  constructor(owner: TensorDevice, info: GpuKernel, config: LaunchConfig, args: readonly number[]) {
    this.#owner = owner;
    this.#info = info;
    this.#config = config;
    this.#bound = owner.raw.queue?.bindLaunch(info, config) ?? null;
    this.#params = this.#bound?.params ?? paramsOf(info);
    this.#written = new Parameters(info, this.#params);
    for (let i = 0; i < info.params.length; i++) this.#written.set(i, args[i] as number);
  }

  /** Sets the argument of this index. */
  set(index: number, value: number): void {
    this.#written.set(index, value);
  }

  /** @throws HeddleError "device-fault" */
  run(): void {
    const { stream } = this.#owner;
    if (this.#bound !== null && !isRecording() && this.#owner.branches?.isInside !== true) this.#bound.launch(stream);
    else this.#owner.launch(this.#info, this.#config, this.#params);
  }
}

/** A launch that was made. */
export interface NotedLaunch {
  readonly kernel: TensorKernel;
  readonly programs: number;
  readonly args: readonly number[];
}
