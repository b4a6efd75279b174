/** Modules that a program loads while it runs: from PTX, or from what NVRTC made in this process. */
import { HeddleError } from "../../base/diagnostics.ts";
import { readPtx } from "../../frontend/ptx/read-ptx.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import { programOfLtoIr } from "../../program/lto-ir.ts";
import type { CudaContext } from "./context.ts";
import { HandleTable } from "./handles.ts";

export interface LoadedModule {
  /** Its index in the registry. */
  readonly program: number;
  /** Kernels that were asked for, by name: their handles. */
  readonly functions: Map<string, number>;
}

export interface LinkState {
  readonly programs: DeviceProgram[];
  readonly log: string[];
  /** Of the finished code, in the program's memory. */
  code: number;
  readonly options: JitOptions;
}

/** What a program asks of the compiler at load time; the rest of the options has no meaning here. */
export interface JitOptions {
  /** Addresses in the program's memory; 0: none. */
  readonly infoLog: number;
  readonly infoBytes: number;
  readonly errorLog: number;
  readonly errorBytes: number;
  /** Where the number of bytes of a log is written. */
  readonly infoSize: number;
  readonly errorSize: number;
}

/** CUresult */
export const DriverError = {
  success: 0,
  invalidValue: 1,
  invalidImage: 200,
  noBinaryForGpu: 209,
  invalidPtx: 218,
  fileNotFound: 301,
  invalidHandle: 400,
  notFound: 500,
} as const;

/** An image that is refused, with the CUresult and the reason. */
export class ImageError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const FIRST_FUNCTION = 0x4800_0010;

export class LoadedModules {
  readonly modules: HandleTable<LoadedModule> = new HandleTable(0x4000_0010, 0x10);
  readonly links: HandleTable<LinkState> = new HandleTable(0x4400_0010, 0x10);
  /** Code that was compiled or linked in this process, by the text that stands for it. */
  readonly #known: Map<string, readonly DeviceProgram[]> = new Map();
  readonly #cuda: CudaContext;
  #nextFunction = FIRST_FUNCTION;
  #images = 0;

  constructor(cuda: CudaContext) {
    this.#cuda = cuda;
  }

  static of(cuda: CudaContext): LoadedModules {
    return cuda.extension("loaded modules", () => new LoadedModules(cuda));
  }

  /** From here on this text stands for these programs: their own IR says more than it. */
  remember(text: string, programs: readonly DeviceProgram[]): void {
    this.#known.set(text, programs);
  }

  /** @throws ImageError */
  programsOf(image: Uint8Array, name: string | null): readonly DeviceProgram[] {
    const end = image.indexOf(0);
    const text = new TextDecoder().decode(end < 0 ? image : image.subarray(0, end));
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const carried = programOfLtoIr(text);
    if (carried !== null) return [carried];
    refuseBinary(image);
    this.#images++;
    const own = name ?? (this.#images === 1 ? "ptx" : `ptx ${this.#images}`);
    // The driver then says what is wrong with it, when it is loaded.
    if (this.#cuda.current.device.loadsPtx === true) return [{ ir: "", name: own, options: { fmad: true }, ptx: text }];
    try {
      return [readPtx(text, own)];
    } catch (error) {
      if (!(error instanceof HeddleError)) throw error;
      const code = error.code === "unsupported" ? DriverError.noBinaryForGpu : DriverError.invalidPtx;
      throw new ImageError(code, error.summary);
    }
  }

  /** @throws ImageError */
  load(programs: readonly DeviceProgram[]): number {
    const { registry, current } = this.#cuda;
    const program = registry.addModule(programs);
    try {
      registry.module(program, current);
    } catch (error) {
      registry.removeModule(program, this.#cuda.devices);
      if (!(error instanceof HeddleError) || error.code === "out-of-memory") throw error;
      throw new ImageError(
        statusOf(error) ?? (error.code === "link-error" ? DriverError.invalidPtx : DriverError.noBinaryForGpu),
        [error.summary, ...(error.code === "driver-error" ? error.notes : [])].join("\n"),
      );
    }
    return this.modules.add({ program, functions: new Map() });
  }

  unload(handle: number): boolean {
    const module = this.modules.get(handle);
    if (module === undefined) return false;
    this.#cuda.registry.removeModule(module.program, this.#cuda.devices);
    return this.modules.delete(handle);
  }

  /** The handle of a kernel, or null where the module has none of this name. */
  function(module: LoadedModule, name: string): number | null {
    const known = module.functions.get(name);
    if (known !== undefined) return known;
    const { registry, current } = this.#cuda;
    if (!registry.module(module.program, current).kernelNames().includes(name)) return null;
    const handle = this.#nextFunction;
    this.#nextFunction += 0x10;
    registry.addFunction(handle, module.program, name);
    module.functions.set(name, handle);
    return handle;
  }
}

/** What a GPU's driver returned. */
function statusOf(error: HeddleError): number | null {
  return "status" in error && typeof error.status === "number" ? error.status : null;
}

function refuseBinary(image: Uint8Array): void {
  const [a, b, c, d] = image;
  const is = (...bytes: readonly number[]): boolean => bytes.every((byte, i) => [a, b, c, d][i] === byte);
  if (is(0x7f, 0x45, 0x4c, 0x46))
    throw new ImageError(
      DriverError.noBinaryForGpu,
      "the image is a cubin: only a GPU runs it. PTX can be loaded here",
    );
  if (is(0x50, 0xed, 0x55, 0xba) || is(0xb1, 0x43, 0x62, 0x46))
    throw new ImageError(DriverError.noBinaryForGpu, "the image is a fat binary of nvcc. PTX can be loaded here");
}
