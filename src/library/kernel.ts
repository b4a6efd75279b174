/** A kernel that can be launched. */
import { HeddleError } from "../base/diagnostics.ts";
import { fromCallSite } from "../base/call-site.ts";
import type { GpuKernel } from "../device/device.ts";
import { checkLaunchLimits, type LaunchViolation } from "../device/launch-limits.ts";
import { dim3Volume } from "../base/dim3.ts";
import type { KernelParam, LaunchConfig, LaunchOutcome } from "../machine/launch.ts";
import { argumentPacker } from "./argument-packer.ts";
import { faultError } from "./fault-error.ts";
import { demangle } from "../base/demangle.ts";
import { generationOf } from "./generation.ts";
import type { Gpu } from "./gpu.ts";
import { formatSignature, packArguments, type KernelArgument, type Signature } from "./kernel-arguments.ts";
import { parameterTypes } from "../base/kernel-signature.ts";
import { record, recordLaunch } from "./recording.ts";
import { launchConfig, type LaunchOptions } from "./launch-options.ts";

/** The outcome of a launch. */
export interface LaunchResult {
  /** Milliseconds from the call of the device to the end of the kernel. 0 if the result was reused. */
  readonly elapsedMs: number;
  /** The kernel's printf output. */
  readonly output: string;
  /** True if the result was already in memory and the kernel did not run (see the device option `reuse`). */
  readonly reused: boolean;
}

/** A kernel of a loaded program. Made by `program.kernel`. */
export class Kernel {
  /** The name as in the source: `reduce<float, 256>`. */
  readonly name: string;
  readonly device: Gpu;
  /** Static shared memory, parameter layout and more. */
  readonly info: GpuKernel;
  readonly #signature: Signature;
  /** The device's resets when the program was loaded. */
  readonly #generation: number;

  /** @internal Use `program.kernel`. */
  constructor(device: Gpu, info: GpuKernel) {
    this.device = device;
    this.info = info;
    this.name = demangle(info.name);
    this.#generation = generationOf(device.raw);
    this.#signature = { kernel: this.name, params: info.params, paramBytes: info.paramBytes, types: knownTypes(info) };
  }

  /** The name and the parameters: `saxpy(int n, float a, float* x, float* y)`. */
  get signature(): string {
    return formatSignature(this.#signature);
  }

  /**
   * Runs the kernel and resolves when it has ended. Its printf output also goes to the device's `onPrint`.
   *
   * @param args numbers (bigint for 64 bits), booleans, arrays on the device (null for a null pointer), bytes of
   * structs.
   * @throws HeddleError "bad-arguments" when an argument does not fit the signature; "invalid-launch" when the grid or
   * the block is beyond a limit, which the message names; "device-fault" when the kernel does something illegal, with
   * the place, the thread and the nearest allocation in `message`, the same lines in `notes`, and the DeviceFault in
   * `cause`. The stack begins at the line that calls.
   */
  launch(options: LaunchOptions, ...args: readonly KernelArgument[]): Promise<LaunchResult> {
    return fromCallSite(this.launch, () => this.run(options, args));
  }

  /** @internal `launch`, for a caller that gives errors their stacks itself. */
  async run(options: LaunchOptions, args: readonly KernelArgument[]): Promise<LaunchResult> {
    const { raw } = this.device;
    const config = this.#checkedConfig(options);
    const params = packArguments(this.#signature, args, raw);
    this.device.watched?.submit(params, 0);
    return this.#report(
      await recordLaunch(raw, this.info, config, () => raw.launch(this.info, config, params)),
      params,
    );
  }

  /**
   * Returns a function for many launches with one configuration, which is checked now. Each call checks and packs its
   * arguments, puts the launch on its stream and returns. `gpu.synchronize()` waits for all launches, prints their
   * output, and throws the first error.
   *
   *     const step = kernel.configure({ grid: 64, block: 256 });
   *     for (let i = 0; i < 1000; i++) step(x, y, n);
   *     await gpu.synchronize();
   *
   * @throws HeddleError "invalid-launch"; a call throws "bad-arguments", and "device-fault" after a fault.
   */
  configure(options: LaunchOptions): (...args: KernelArgument[]) => void {
    const gpu = this.device;
    const { raw } = gpu;
    const config = this.#checkedConfig(options);
    const { stream } = config;
    const { queue } = raw;
    const info = this.info;
    if (queue === null) {
      const params = new Uint8Array(Math.max(info.paramBytes, 4));
      const pack = argumentPacker(this.#signature, raw, params);
      return (...args) => {
        pack(args);
        const own = params.slice();
        gpu.submit({
          stream,
          params: own,
          run: async () =>
            void this.#report(await recordLaunch(raw, info, config, () => raw.launch(info, config, own)), own),
        });
      };
    }
    const prepared = queue.prepareLaunch(info, config, stream);
    const pack = argumentPacker(this.#signature, raw, prepared.params);
    return (...args) => {
      pack(args);
      record(raw, { kernel: info, config }, prepared.launch);
    };
  }

  /**
   * @internal One launch that is checked now, for measurements: it runs on the calling thread where the device
   * has no queue, else it is put on the default stream. The function throws what `launch` would.
   */
  prepare(options: LaunchOptions, args: readonly KernelArgument[]): () => void {
    const { raw } = this.device;
    if (raw.queue !== null) {
      const run = this.configure(options);
      return () => run(...args);
    }
    const config = this.#checkedConfig(options);
    const params = packArguments(this.#signature, args, raw);
    return () => {
      this.device.watched?.submit(params, 0);
      this.#report(
        record(raw, { kernel: this.info, config }, () => raw.launchBlocking(this.info, config, params)),
        params,
      );
    };
  }

  /** @internal Why the device refuses such a launch; null: it does not. */
  refusal(options: LaunchOptions): string | null {
    const { raw } = this.device;
    const config = launchConfig(this.name, options);
    const violation = this.#violation(config);
    if (violation !== null) return violation.message;
    if (!config.cooperative) return null;
    // As the device counts them: on a GPU with registers.
    const blocks = dim3Volume(config.grid);
    const each = raw.residentBlocks(this.info, dim3Volume(config.block), config.sharedBytes);
    const resident = each * raw.properties.multiProcessorCount;
    return blocks <= resident ? null : `${raw.properties.name} holds ${resident} of ${blocks} blocks at once`;
  }

  #violation(config: LaunchConfig): LaunchViolation | null {
    const { properties } = this.device.raw;
    const sharedLimit = properties.sharedMemPerBlockOptin - this.info.staticSharedBytes;
    return checkLaunchLimits(properties, this.info, config, sharedLimit);
  }

  #checkedConfig(options: LaunchOptions): ReturnType<typeof launchConfig> {
    const { raw } = this.device;
    if (generationOf(raw) !== this.#generation)
      throw new HeddleError("bad-arguments", `the kernel ${this.name} was compiled before device.reset()`, {
        notes: ["a reset frees programs and arrays: compile the program again, and get the kernel from it"],
      });
    const config = launchConfig(this.name, options);
    const violation = this.#violation(config);
    if (violation !== null) throw new HeddleError("invalid-launch", `${this.name}: ${violation.message}`);
    return config;
  }

  #report(outcome: LaunchOutcome, params: Uint8Array): LaunchResult {
    const { fault, output, reused, elapsedMs } = outcome;
    if (output !== "" && this.device.raw.queue === null) this.device.onPrint(output);
    if (fault === null) return { elapsedMs, output, reused };
    const view = new DataView(params.buffer, params.byteOffset, params.byteLength);
    throw faultError(
      fault,
      this.device.raw,
      this.info.params.map((param) => ({ param, value: pointerIn(view, param) })),
    );
  }
}

/** The address that a parameter holds; null: it is no pointer. */
function pointerIn(view: DataView, { kind, offset, size }: KernelParam): number | null {
  if (kind !== "pointer") return null;
  return size === 8 ? Number(view.getBigUint64(offset, true)) : view.getUint32(offset, true);
}

/** Types from the mangled name, if they agree with the layout. */
function knownTypes(info: GpuKernel): readonly string[] | null {
  const types = parameterTypes(info.name);
  if (types === null || types.length !== info.params.length) return null;
  const fits = types.every((type, i) => type.endsWith("*") === (info.params[i]?.kind === "pointer"));
  return fits ? types : null;
}
