/**
 * What the host module registers before main(): device programs, and which host address stands for which kernel or
 * variable.
 *
 * Modules load on a device when something of theirs is first used there. Of a library's program only those parts are
 * loaded of which something is used: a user's program is loaded whole, while its host pass still runs.
 */
import { unsigned } from "../../base/unsigned.ts";
import type { GpuKernel, GpuModule, GpuSymbol } from "../../device/device.ts";
import type { DeviceProgram, TextProgram } from "../../program/device-program.ts";
import { HeddleError } from "../../base/diagnostics.ts";
import type { DeviceState } from "./device-state.ts";
import { CudaErrorCode, CudaFailure, fail } from "./errors.ts";
import { linkGroups } from "../../program/link-groups.ts";
import { ProgramParts, type ProgramPart } from "../../program/program-parts.ts";
import { kernelOverMainLambda } from "./main-lambda-mangling.ts";

export interface RegisteredFunction {
  /** Index of the device program. */
  readonly program: number;
  readonly name: string;
  /** cudaFuncSetAttribute's values by attribute number. */
  readonly attributes: Map<number, number>;
  cacheConfig: number;
}

export interface RegisteredVariable {
  readonly program: number;
  readonly name: string;
  readonly bytes: number;
}

/** Programs that are loaded at run time have indices from here on. */
const FIRST_LOADED = 1_000_000;

export class Registry {
  /** Those of the host program, then those that it loads while it runs, by index. */
  readonly #programs: TextProgram[] = [];
  readonly #loaded: Map<number, readonly DeviceProgram[]> = new Map();
  #nextLoaded = FIRST_LOADED;
  /** For each program, the programs that it is linked with, itself included. */
  #groups: readonly (readonly number[])[] = [];
  readonly #parts: Map<number, ProgramParts> = new Map();
  readonly #architectures: Map<number, number | null> = new Map();
  readonly #functions: Map<number, RegisteredFunction> = new Map();
  readonly #variables: Map<number, RegisteredVariable> = new Map();

  /** Whether the host program has registered nothing yet. */
  get isEmpty(): boolean {
    return this.#programs.length === 0;
  }

  /** Returns the index by which its functions and variables name it. */
  addProgram(program: TextProgram): number {
    return this.#programs.push(program) - 1;
  }

  /** Programs that are one module by themselves: nothing else is linked with them. */
  addModule(programs: readonly DeviceProgram[]): number {
    this.#loaded.set(this.#nextLoaded, programs);
    return this.#nextLoaded++;
  }

  removeModule(program: number, states: readonly DeviceState[]): void {
    this.#loaded.delete(program);
    for (const [address, registered] of this.#functions)
      if (registered.program === program) this.#functions.delete(address);
    for (const { modules } of states) {
      modules.get(program)?.unload();
      modules.delete(program);
    }
  }

  addFunction(hostAddress: number, program: number, name: string): void {
    this.#functions.set(unsigned(hostAddress), { program, name, attributes: new Map(), cacheConfig: 0 });
  }

  addVariable(hostAddress: number, variable: RegisteredVariable): void {
    this.#variables.set(unsigned(hostAddress), variable);
  }

  /** Registered variables by host address. */
  variables(): IterableIterator<[number, RegisteredVariable]> {
    return this.#variables.entries();
  }

  /** The kernel behind a host function pointer. Throws invalidDeviceFunction. */
  function(hostAddress: number): RegisteredFunction {
    const found = this.#functions.get(unsigned(hostAddress));
    if (found === undefined)
      throw new CudaFailure(
        CudaErrorCode.invalidDeviceFunction,
        "the function pointer is not that of a __global__ function",
      );
    return found;
  }

  hasFunction(hostAddress: number): boolean {
    return this.#functions.has(unsigned(hostAddress));
  }

  /** The compute capability, as 80, that the kernel's program was compiled for; null if its code does not say it. */
  architecture({ program }: RegisteredFunction): number | null {
    let known = this.#architectures.get(program);
    if (known === undefined) {
      const [, name] = /"target-cpu"="sm_(\d+)/.exec(this.#programs[program]?.ir ?? "") ?? [];
      this.#architectures.set(program, (known = name === undefined ? null : Number(name)));
    }
    return known;
  }

  kernel(registered: RegisteredFunction, state: DeviceState): GpuKernel {
    const module = this.#moduleWith(registered.name, registered.program, state);
    try {
      return module.kernel(registered.name);
    } catch (error) {
      if (!(error instanceof HeddleError && error.code === "unknown-kernel")) throw error;
      const name = kernelOverMainLambda(registered.name, module.kernelNames());
      if (name === null) throw new CudaFailure(CudaErrorCode.invalidDeviceFunction, error.summary);
      return module.kernel(name);
    }
  }

  /** The device variable behind the address of its host shadow. Throws invalidSymbol. */
  symbol(hostAddress: number, state: DeviceState): GpuSymbol {
    const variable = this.#variables.get(unsigned(hostAddress));
    if (variable === undefined)
      throw new CudaFailure(CudaErrorCode.invalidSymbol, "the argument is not a __device__ or __constant__ variable");
    const found = this.#moduleWith(variable.name, variable.program, state).symbol(variable.name);
    // A variable that no kernel uses is not in the device program: it still has an address and a value.
    if (found === null) return this.#shadow(unsigned(hostAddress), variable, state);
    return found;
  }

  readonly #shadows: Map<string, GpuSymbol> = new Map();
  #shadow(hostAddress: number, variable: RegisteredVariable, state: DeviceState): GpuSymbol {
    const key = `${state.ordinal}:${hostAddress}`;
    let symbol = this.#shadows.get(key);
    if (symbol === undefined) {
      symbol = { name: variable.name, pointer: state.device.allocate(variable.bytes), bytes: variable.bytes };
      state.device.fill(symbol.pointer, 0, 1, variable.bytes);
      this.#shadows.set(key, symbol);
    }
    return symbol;
  }

  /** The variable of a loaded module that holds `address`, or null. */
  symbolAt(state: DeviceState, address: number): GpuSymbol | null {
    for (const module of this.#loaded.keys()) {
      const symbol = this.#variableAt(state.modules.get(module), address);
      if (symbol !== null) return symbol;
    }
    for (const variable of this.#variables.values()) {
      // A part that is loaded is known.
      const part = this.#parts.get(variable.program)?.with(variable.name) ?? null;
      const module =
        part === null
          ? state.modules.get(this.#groups[variable.program]?.[0] ?? -1)
          : state.parts.get(partName(variable.program, part));
      const symbol = module?.symbol(variable.name);
      if (symbol && address >= symbol.pointer && address < symbol.pointer + symbol.bytes) return symbol;
    }
    return null;
  }

  #variableAt(module: GpuModule | undefined, address: number): GpuSymbol | null {
    for (const name of module?.variableNames?.() ?? []) {
      const symbol = module?.symbol(name) ?? null;
      if (symbol !== null && address >= symbol.pointer && address < symbol.pointer + symbol.bytes) return symbol;
    }
    return null;
  }

  /** The loaded module of a program. Units that refer to one another's functions or variables (-rdc) are one module. */
  module(program: number, state: DeviceState): GpuModule {
    const loaded = this.#loaded.get(program);
    if (loaded !== undefined) {
      const known = state.modules.get(program);
      if (known !== undefined) return known;
      const made = state.device.loadModule(loaded);
      state.modules.set(program, made);
      return made;
    }
    const group = this.#group(program);
    const leader = group[0] as number;
    let module = state.modules.get(leader);
    if (module === undefined) {
      module = state.device.loadModule(group.map((index) => this.#programs[index] as TextProgram));
      state.modules.set(leader, module);
    }
    return module;
  }

  /** The programs that this one is linked with, itself included. */
  #group(program: number): readonly number[] {
    if (this.#groups.length !== this.#programs.length) this.#groups = linkGroups(this.#programs);
    return this.#groups[program] ?? fail(CudaErrorCode.noKernelImage);
  }

  /** The loaded module with this kernel or variable of a program. */
  #moduleWith(name: string, program: number, state: DeviceState): GpuModule {
    const part = this.#part(program, name);
    if (part === null) return this.module(program, state);
    const key = partName(program, part);
    let module = state.parts.get(key);
    if (module === undefined) state.parts.set(key, (module = state.device.loadModule(part.program)));
    return module;
  }

  /** The part of a program that has this kernel or variable; null: the program is loaded whole. */
  #part(program: number, symbol: string): ProgramPart | null {
    const text = this.#programs[program];
    if (text?.name.startsWith("/heddle/") !== true || this.#group(program).length > 1) return null;
    let parts = this.#parts.get(program);
    if (parts === undefined) this.#parts.set(program, (parts = new ProgramParts(text)));
    return parts.with(symbol);
  }

  /** After a reset, modules load anew. */
  forget(state: DeviceState): void {
    state.modules.clear();
    state.parts.clear();
    for (const key of this.#shadows.keys()) if (key.startsWith(`${state.ordinal}:`)) this.#shadows.delete(key);
  }
}

function partName(program: number, { index }: ProgramPart): string {
  return `${program}.${index}`;
}
