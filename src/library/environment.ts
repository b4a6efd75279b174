/** What the library needs of the place it runs in; `src/index.ts` gives it Node.js's. */
import type { DataModel } from "../base/data-model.ts";
import type { Device } from "../device/device.ts";
import type { DeviceCompiler } from "../program/device-compiler.ts";
import type { SourceFile } from "../program/compiled-program.ts";
import type { SourceReader } from "../store/source-reader.ts";
import type { DeviceKind } from "../device/common/device-kind.ts";
import type { RegisterSource } from "../profile/launch-facts.ts";
import type { DeviceObserver } from "../machine/observer.ts";
import type { EngineChoice } from "../device/emulated/engines.ts";

/** Options of `openDevice`. */
export interface DeviceOptions {
  /** Default: HEDDLE_DEVICE, or else "emulated". The options below `onPrint` are for emulated devices alone. */
  readonly device?: DeviceKind;
  /** Which of the machine's GPUs, from 0; default 0. */
  readonly ordinal?: number;
  /** A launch that takes longer fails. Milliseconds; default: no limit. */
  readonly timeoutMs?: number;
  /** Receives kernels' printf output; default: the console. */
  readonly onPrint?: (text: string) => void;
  /** The real GPU whose limits and properties the emulated device follows, such as "rtx4090"; default "a100". */
  readonly gpu?: string;
  /** The engine that runs kernels; default "auto", the fastest one that can run each. */
  readonly engine?: EngineChoice;
  /**
   * What programs may allocate, in bytes: at most 15.4 GiB. More than 2.75 GiB needs Node.js 24 or newer, and kernels
   * then have the model "lp64". Default: about 3.6 GiB.
   */
  readonly memoryBytes?: number;
  /** Threads that run blocks; default: one for each core. */
  readonly workers?: number;
  /**
   * "lp64": kernels have `long`, `size_t` and pointers of 64 bits, as on a GPU. "ilp32": of 32 bits. Default:
   * HEDDLE_MODEL, else "lp64" where the library of 64-bit programs is built (`heddle setup`), else "ilp32".
   */
  readonly model?: DataModel["name"];
  /** Whether a launch whose result is already in memory may be skipped; default true. */
  readonly reuse?: boolean;
}

export interface LibraryEnvironment {
  /** The front end, for devices that do not compile source themselves. */
  compiler(): Promise<DeviceCompiler>;
  /** @param observer a tool that watches the device. */
  openDevice(options: DeviceOptions, observer?: DeviceObserver): Promise<Device>;
  /** Of kernels on emulated devices, where no option says it; absent: 32 bits. */
  model?(): Promise<DataModel["name"]>;
  /** Who knows the registers of kernels, on a machine without a GPU; absent or null: nobody. */
  registers?(): Promise<RegisterSource | null>;
  /** A source file of the user's. Throws HeddleError "file-not-found". */
  readSource(path: string): Promise<SourceFile>;
  /** Finds what sources include; null where there are no files. */
  readonly includes: SourceReader | null;
}
