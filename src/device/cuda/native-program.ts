/**
 * Programs with 64-bit pointers on a GPU: IR that a front end or a program made → PTX (ptx/) → a module whose variables
 * the driver places. PTX is cached on disk by everything that it depends on: IR, code generator, compute capability and
 * driver. The driver caches the machine code that it makes of it.
 */
import { createHash } from "node:crypto";
import type { SyncStore } from "../../store/disk-store-node.ts";
import type { IrModule } from "../../ir/model/ir.ts";
import type { DeviceProperties, GpuSymbol } from "../device.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import { textOf } from "../../program/program-ir.ts";
import type { PtxModule, PtxTarget } from "../../ptx/ptx-module.ts";
import type { GpuContext } from "./context.ts";
import type { KernelFacts } from "./cuda-kernel.ts";
import { CudaModule, moduleGlobal } from "./cuda-module.ts";
import { formatVersion } from "./driver.ts";
import type { FlatMemory } from "./flat-memory.ts";
import { decodeCachedCode, encodeCachedCode, type CachedCode } from "./cached-code.ts";
import { encodePtx, loadPtx, ptxVersion } from "./link-ptx.ts";

/** Increment this when the meaning of a cache entry changes. */
const FORMAT = "cuda native program 1";

export interface NativeProgramParts {
  readonly context: GpuContext;
  readonly memory: FlatMemory;
  readonly properties: DeviceProperties;
  /** A front end's programs → one linked module of IR. */
  readonly prepare: (programs: readonly DeviceProgram[]) => IrModule;
  readonly emit: (module: IrModule, target: PtxTarget) => PtxModule;
  /** Names the code generator and the device library. */
  readonly generator: string;
  /** null: nothing is cached. */
  readonly store: SyncStore | null;
  readonly lineInfo: boolean;
}

interface NativeFacts {
  readonly kernels: readonly (readonly [name: string, facts: KernelFacts])[];
  /** The program's name of each variable, and its name in the PTX. */
  readonly variables: readonly (readonly [name: string, symbol: string])[];
}

export class NativeProgramLoader {
  readonly #parts: NativeProgramParts;

  constructor(parts: NativeProgramParts) {
    this.#parts = parts;
  }

  load(programs: readonly DeviceProgram[], onUnload: (module: CudaModule) => void): CudaModule {
    const { context, memory } = this.#parts;
    const { facts, code } = this.#compiled(programs);
    const name = programs.map((program) => program.name).join(", ");
    const handle = loadPtx(context.driver, name, code, this.#parts.lineInfo);
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
      services: { heap: null, printf: null },
      constants: null,
      writable: null,
      onUnload: (gone) => {
        for (const { pointer } of symbols.values()) memory.free(pointer);
        onUnload(gone);
      },
    });
  }

  /** Called after the context was renewed. Nothing of the modules is stored here. */
  forget(): void {}

  #compiled(programs: readonly DeviceProgram[]): CachedCode<NativeFacts> {
    const { store, context, properties, lineInfo, generator } = this.#parts;
    const target: PtxTarget = {
      computeCapability: properties.computeCapability,
      ptxVersion: ptxVersion(context.driver.version),
      window: null,
      lineInfo,
    };
    const key = createHash("sha256")
      .update(
        JSON.stringify([
          FORMAT,
          generator,
          formatVersion(context.driver.version),
          target.computeCapability,
          lineInfo,
          programs.map((program) => [textOf(program), program.options]),
        ]),
      )
      .digest("hex");
    const cached = store?.get(key) ?? null;
    if (cached !== null) return decodeCachedCode(cached);
    const ptx = this.#parts.emit(this.#parts.prepare(programs), target);
    const code = encodePtx(ptx.text);
    const facts: NativeFacts = {
      kernels: [...ptx.kernels].map(([name, { params, paramBytes, usesGridSync, usesPrintf, usesHeap }]) => [
        name,
        { params, paramBytes, usesGridSync, usesPrintf, usesHeap, usesClusters: ptx.usesClusters },
      ]),
      variables: [...ptx.variables.values()].map(({ name, symbol }) => [name, symbol ?? name]),
    };
    store?.put(key, encodeCachedCode({ facts, code }));
    return { facts, code };
  }
}
