/**
 * Programs with 64-bit pointers on a GPU: IR that a front end or a program made → PTX (ptx/) → a module whose variables
 * the driver places.
 */
import type { DeviceProperties, GpuSymbol } from "../device.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import type { PtxRegionVariables, PtxTarget } from "../../ptx/ptx-module.ts";
import type { GpuContext } from "./context.ts";
import type { KernelFacts } from "./cuda-kernel.ts";
import { CudaModule, moduleGlobal, type RegionVariables } from "./cuda-module.ts";
import { formatVersion } from "./driver.ts";
import type { FlatMemory } from "./flat-memory.ts";
import type { CachedCode } from "./cached-code.ts";
import { compileProgram, kernelFacts, type ProgramCompiler } from "./compile-program.ts";
import { ptxVersion } from "./link-ptx.ts";
import { loadProgram } from "./load-program.ts";
import { loadOwnPtx } from "./own-ptx.ts";

/** Increment this when the meaning of a cache entry changes. */
const FORMAT = "cuda native program 9";

export interface NativeProgramParts extends ProgramCompiler {
  readonly context: GpuContext;
  readonly memory: FlatMemory;
  readonly properties: DeviceProperties;
  readonly lineInfo: boolean;
}

interface NativeFacts {
  readonly kernels: readonly (readonly [name: string, facts: KernelFacts])[];
  /** The program's name of each variable, and its name in the PTX. */
  readonly variables: readonly (readonly [name: string, symbol: string])[];
  /** By its variables' names in the PTX. */
  readonly heap: RegionSymbols | null;
  readonly printf: RegionSymbols | null;
  readonly callsDeviceRuntime: boolean;
}

type RegionSymbols = readonly [base: string, bytes: string];

export class NativeProgramLoader {
  readonly loadsPtx = true;
  readonly #parts: NativeProgramParts;

  constructor(parts: NativeProgramParts) {
    this.#parts = parts;
  }

  load(programs: readonly DeviceProgram[], onUnload: (module: CudaModule) => void): CudaModule {
    if (programs.some(({ ptx }) => ptx !== undefined)) return loadOwnPtx(this.#parts, programs, onUnload);
    const { context, memory } = this.#parts;
    const { facts, code } = this.#compiled(programs);
    const name = programs.map((program) => program.name).join(", ");
    const handle = loadProgram(
      context.driver,
      { name, ptx: code, callsDeviceRuntime: facts.callsDeviceRuntime, lineInfo: this.#parts.lineInfo },
      this.#parts.store,
      this.#parts.properties.computeCapability,
    );
    const symbols = new Map<string, GpuSymbol>();
    for (const [variable, symbol] of facts.variables) {
      const place = moduleGlobal(context, handle, symbol);
      if (place === null) continue;
      symbols.set(variable, { name: variable, pointer: place.address, bytes: place.bytes });
      memory.adopt(place.address, place.bytes, "module");
    }
    return new CudaModule({
      context,
      handle,
      kernels: new Map(facts.kernels),
      symbols: (variable) => symbols.get(variable) ?? null,
      services: { heap: this.#region(handle, facts.heap), printf: this.#region(handle, facts.printf) },
      constants: null,
      writable: null,
      onUnload: (gone) => {
        for (const { pointer } of symbols.values()) memory.free(pointer);
        onUnload(gone);
      },
    });
  }

  #region(handle: number, symbols: RegionSymbols | null): RegionVariables | null {
    if (symbols === null) return null;
    const [base, bytes] = symbols.map((symbol) => moduleGlobal(this.#parts.context, handle, symbol)?.address);
    return base === undefined || bytes === undefined ? null : { base, bytes, width: 8 };
  }

  /** Called after the context was renewed. Nothing of the modules is stored here. */
  forget(): void {}

  #compiled(programs: readonly DeviceProgram[]): CachedCode<NativeFacts> {
    const { context, properties, lineInfo } = this.#parts;
    const target: PtxTarget = {
      computeCapability: properties.computeCapability,
      ptxVersion: ptxVersion(context.driver.version),
      window: null,
      lineInfo,
    };
    return compileProgram(this.#parts, {
      programs,
      target,
      driverVersion: formatVersion(context.driver.version),
      format: FORMAT,
      factsOf: (ptx) => ({
        kernels: kernelFacts(ptx),
        variables: [...ptx.variables.values()].map(({ name, symbol }) => [name, symbol ?? name]),
        heap: symbolsOf(ptx.services.heap),
        printf: symbolsOf(ptx.services.printf),
        callsDeviceRuntime: ptx.callsDeviceRuntime,
      }),
    });
  }
}

function symbolsOf(region: PtxRegionVariables | null): RegionSymbols | null {
  if (region === null) return null;
  const [base, bytes] = [region.base, region.bytes].map(({ name, symbol }) => symbol ?? name);
  return base === undefined || bytes === undefined ? null : [base, bytes];
}
