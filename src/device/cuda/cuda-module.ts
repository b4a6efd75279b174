/** A module in a GPU's context: machine code, and what its kernels and variables are. */
import type { GpuModule, GpuSymbol } from "../device.ts";
import { unknownKernel } from "../common/unknown-kernel.ts";
import type { GpuContext } from "./context.ts";
import { CudaKernel, type KernelFacts } from "./cuda-kernel.ts";
import { DriverStatus } from "./driver.ts";
import type { FlatMemory } from "./flat-memory.ts";

/**
 * A pair of variables by which device code finds a region: the GPU's addresses of both, and how many bytes each has.
 */
export interface RegionVariables {
  readonly base: number;
  readonly bytes: number;
  readonly width: 4 | 8;
}

/** What the code needs of the host while it runs; null where it does not. */
export interface ModuleServices {
  readonly heap: RegionVariables | null;
  readonly printf: RegionVariables | null;
}

/** __constant__ variables that the program knows at addresses of their own: `base` there, `address` on the GPU. */
export interface ModuleConstants {
  readonly base: number;
  readonly address: number;
  readonly bytes: number;
}

export interface CudaModuleParts {
  readonly context: GpuContext;
  /** CUmodule */
  readonly handle: number;
  /** By name, mangled. */
  readonly kernels: ReadonlyMap<string, KernelFacts>;
  /** By name, mangled, with the program's pointers. */
  readonly symbols: (name: string) => GpuSymbol | null;
  /** GpuModule.writableVariables */
  readonly writable: readonly string[] | null;
  readonly services: ModuleServices;
  readonly constants: ModuleConstants | null;
  /** Gives back what the device allocated for the module. */
  readonly onUnload: (module: CudaModule) => void;
}

export class CudaModule implements GpuModule {
  readonly context: GpuContext;
  readonly handle: number;
  readonly services: ModuleServices;
  readonly constants: ModuleConstants | null;
  /** Its services have been announced to it. */
  isServed = false;
  /** A copy of `constants` lies at the program's addresses of them, for kernels that are given one. */
  hasConstantsCopy = false;
  readonly #parts: CudaModuleParts;
  readonly #kernels = new Map<string, CudaKernel>();
  #loaded = true;

  constructor(parts: CudaModuleParts) {
    this.#parts = parts;
    this.context = parts.context;
    this.handle = parts.handle;
    this.services = parts.services;
    this.constants = parts.constants;
  }

  /** It needs nothing of the host. */
  get isWithoutServices(): boolean {
    return this.services.heap === null && this.services.printf === null;
  }

  get isLoaded(): boolean {
    return this.#loaded;
  }

  kernel(name: string): CudaKernel {
    const known = this.#kernels.get(name);
    if (known !== undefined) return known;
    const facts = this.#parts.kernels.get(name);
    if (facts === undefined) throw unknownKernel(name, this.kernelNames());
    const kernel = new CudaKernel(this, name, this.context.driver.get("cuModuleGetFunction", this.handle, name), facts);
    this.#kernels.set(name, kernel);
    return kernel;
  }

  kernelNames(): string[] {
    return [...this.#parts.kernels.keys()];
  }

  symbol(name: string): GpuSymbol | null {
    return this.#parts.symbols(name);
  }

  writableVariables(): readonly string[] | null {
    return this.#parts.writable;
  }

  unload(): void {
    if (!this.#loaded) return;
    this.#loaded = false;
    this.context.makeCurrent();
    this.context.driver.status("cuModuleUnload", this.handle);
    this.#parts.onUnload(this);
  }

  /** Its context is gone, and it with it. */
  forget(): void {
    this.#loaded = false;
  }
}

/** Where a variable of a module lies and how many bytes it has, or null when there is none of that name. */
export function moduleGlobal(
  context: GpuContext,
  handle: number,
  name: string,
): { address: number; bytes: number } | null {
  const out = new BigUint64Array(2);
  const status = context.driver.status("cuModuleGetGlobal_v2", out.subarray(0, 1), out.subarray(1, 2), handle, name);
  if (status === DriverStatus.notFound) return null;
  if (status !== DriverStatus.success) throw context.driver.error("cuModuleGetGlobal_v2", status);
  return { address: Number(out[0]), bytes: Number(out[1]) };
}

/** The variables of a module that the driver placed: each is looked up when it is first asked for. */
export class PlacedVariables {
  readonly #found = new Map<string, GpuSymbol | null>();
  readonly #context: GpuContext;
  readonly #memory: FlatMemory;
  readonly #handle: number;

  constructor(context: GpuContext, memory: FlatMemory, handle: number) {
    this.#context = context;
    this.#memory = memory;
    this.#handle = handle;
  }

  symbol(name: string): GpuSymbol | null {
    let found = this.#found.get(name);
    if (found === undefined) {
      const place = moduleGlobal(this.#context, this.#handle, name);
      found = place === null ? null : { name, pointer: place.address, bytes: place.bytes };
      this.#found.set(name, found);
      if (found !== null) this.#memory.adopt(found.pointer, found.bytes, "module");
    }
    return found;
  }

  /** The module is gone. */
  forget(): void {
    for (const symbol of this.#found.values()) if (symbol !== null) this.#memory.free(symbol.pointer);
  }
}
