/**
 * Programs with 32-bit pointers on a GPU: IR → PTX (ptx/) → a module whose variables lie in the window.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import type { DeviceProperties, GpuSymbol } from "../device.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import type { GpuContext } from "./context.ts";
import { CudaModule, moduleGlobal, type RegionVariables } from "./cuda-module.ts";
import { formatVersion } from "./driver.ts";
import type { KernelFacts } from "./cuda-kernel.ts";
import type { CachedCode } from "./cached-code.ts";
import { compileProgram, kernelFacts, type ProgramCompiler } from "./compile-program.ts";
import { ptxVersion } from "./link-ptx.ts";
import { loadProgram } from "./load-program.ts";
import { CONSTANT_BYTES } from "../../ptx/address-map.ts";
import type { PtxModule, PtxRegionVariables, PtxTarget, PtxWindow } from "../../ptx/ptx-module.ts";
import type { WindowMemory } from "./window-memory.ts";

/** Increment this when the meaning of a cache entry changes. */
const FORMAT = "cuda window program 15";

export interface PtxProgramParts extends ProgramCompiler {
  readonly context: GpuContext;
  readonly memory: WindowMemory;
  readonly properties: DeviceProperties;
  readonly lineInfo: boolean;
}

/** Cached beside the machine code. */
interface ProgramFacts extends Pick<PtxModule, "variablesBytes" | "constants" | "services" | "callsDeviceRuntime"> {
  readonly kernels: readonly (readonly [name: string, facts: KernelFacts])[];
  readonly variables: readonly StoredVariable[];
}

interface StoredVariable {
  readonly name: string;
  readonly space: "global" | "constant";
  readonly address: number;
  readonly bytes: number;
  readonly initial: string | null;
}

export class PtxProgramLoader {
  /** Addresses in it would not be those of the window. */
  readonly loadsPtx = false;
  readonly #parts: PtxProgramParts;
  /** Slots of the range for __constant__ variables that are taken. */
  readonly #constantSlots = new Set<number>();

  constructor(parts: PtxProgramParts) {
    this.#parts = parts;
  }

  load(programs: readonly DeviceProgram[], onUnload: (module: CudaModule) => void): CudaModule {
    const { context, memory } = this.#parts;
    const slot = this.#freeSlot();
    const window: PtxWindow = {
      windowBase: BigInt(memory.base),
      variablesBase: memory.nextModuleBase,
      constantsBase: memory.constants.start + slot * CONSTANT_BYTES,
    };
    const target: PtxTarget = {
      computeCapability: this.#parts.properties.computeCapability,
      ptxVersion: ptxVersion(context.driver.version),
      window,
      lineInfo: this.#parts.lineInfo,
    };
    const { facts, code } = this.#compiled(programs, target);
    const variables =
      facts.variablesBytes === 0 ? null : memory.allocateModule(window.variablesBase, facts.variablesBytes);
    let handle = 0;
    try {
      if (variables !== null) this.#initialise(facts, window, variables.bytes);
      handle = loadProgram(
        context.driver,
        {
          name: programs.map(({ name }) => name).join(", "),
          ptx: code,
          callsDeviceRuntime: facts.callsDeviceRuntime,
          lineInfo: this.#parts.lineInfo,
        },
        this.#parts.store,
        this.#parts.properties.computeCapability,
      );
      const byName = new Map(
        facts.variables.map((variable): [string, GpuSymbol] => [
          variable.name,
          { name: variable.name, pointer: variable.address, bytes: variable.bytes },
        ]),
      );
      this.#constantSlots.add(slot);
      const constants = facts.constants === null ? null : moduleGlobal(context, handle, facts.constants.symbol);
      const region = (variables: PtxRegionVariables | null): RegionVariables | null =>
        variables === null
          ? null
          : { base: memory.address(variables.base.address), bytes: memory.address(variables.bytes.address), width: 4 };
      return new CudaModule({
        context,
        handle,
        kernels: new Map(facts.kernels),
        symbols: (name) => byName.get(name) ?? null,
        services: { heap: region(facts.services.heap), printf: region(facts.services.printf) },
        constants:
          constants === null
            ? null
            : { base: window.constantsBase, address: constants.address, bytes: constants.bytes },
        writable: null,
        onUnload: (gone) => {
          this.#constantSlots.delete(slot);
          if (variables !== null) memory.free(variables.start);
          onUnload(gone);
        },
      });
    } catch (error) {
      if (handle !== 0) context.driver.status("cuModuleUnload", handle);
      if (variables !== null) memory.free(variables.start);
      throw error;
    }
  }

  /** All modules are gone. */
  forget(): void {
    this.#constantSlots.clear();
  }

  #freeSlot(): number {
    const { start, end } = this.#parts.memory.constants;
    const slots = (end - start) / CONSTANT_BYTES;
    for (let slot = 0; slot < slots; slot++) if (!this.#constantSlots.has(slot)) return slot;
    throw new HeddleError(
      "out-of-memory",
      `${slots} modules are loaded, as many as have a place for their __constant__ variables`,
    );
  }

  #compiled(programs: readonly DeviceProgram[], target: PtxTarget): CachedCode<ProgramFacts> {
    return compileProgram(this.#parts, {
      programs,
      target,
      driverVersion: formatVersion(this.#parts.context.driver.version),
      format: FORMAT,
      factsOf: (ptx) => ({
        variablesBytes: ptx.variablesBytes,
        constants: ptx.constants,
        services: ptx.services,
        callsDeviceRuntime: ptx.callsDeviceRuntime,
        kernels: kernelFacts(ptx),
        variables: [...ptx.variables.values()].map(({ name, space, address, bytes, initial }) => ({
          name,
          space,
          address,
          bytes,
          initial: initial === null ? null : Buffer.from(initial).toString("base64"),
        })),
      }),
    });
  }

  #initialise(facts: ProgramFacts, window: PtxWindow, bytes: number): void {
    const image = new Uint8Array(bytes);
    for (const variable of facts.variables) {
      if (variable.space === "global" && variable.initial !== null)
        image.set(Buffer.from(variable.initial, "base64"), variable.address - window.variablesBase);
    }
    this.#parts.context.driver.call(
      "cuMemcpyHtoD_v2",
      this.#parts.memory.address(window.variablesBase),
      image,
      image.length,
    );
  }
}
