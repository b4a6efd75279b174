/** Compiled CUDA source on a device: kernels by name, variables by name. */
import { HeddleError } from "../base/diagnostics.ts";
import type { Dtype } from "../base/dtypes.ts";
import { dtypeBytes } from "../base/dtypes.ts";
import type { GpuModule } from "../device/device.ts";
import type { DeviceCompiler } from "../program/device-compiler.ts";
import type { CompileOptions as ClangOptions, SourceFile } from "../program/compiled-program.ts";
import type { SourceReader } from "../store/source-reader.ts";
import { fromCallSite } from "../base/call-site.ts";
import { demangle } from "../base/demangle.ts";
import { describeValue } from "../base/options.ts";
import { checkDtype } from "./array-values.ts";
import { DeviceArray } from "./device-array.ts";
import type { Gpu } from "./gpu.ts";
import { Kernel } from "./kernel.ts";
import { nameWithTypes, plainName, unknownName } from "./kernel-names.ts";

/** Compiler settings, all optional. The names are nvcc's flags, spelled out. */
export interface CompileOptions extends Partial<ClangOptions> {
  /** The device that loads the program; default: one device that all such programs share. */
  readonly device?: Gpu;
  /**
   * Template kernels to instantiate now, such as `reduce<float, 256>`. Instances that `kernel` asks for later are
   * compiled then, into a module with `__device__` variables of its own.
   */
  readonly kernels?: readonly string[];
  /** The name of the source in messages; default "kernel.cu". */
  readonly path?: string;
}

export interface ProgramParts {
  readonly compiler: () => Promise<DeviceCompiler>;
  readonly includes: SourceReader | null;
  readonly source: SourceFile;
  readonly options: Partial<ClangOptions>;
  readonly device: Gpu;
}

/** A compiled program on a device. Made by `compile` and `load`. */
export class GpuProgram {
  readonly device: Gpu;
  /** The compiler's warnings, ready to print. */
  readonly warnings: string;
  readonly #parts: ProgramParts;
  readonly #main: LoadedUnit;
  /** Instances that were compiled later, by name expression without spaces. */
  readonly #later = new Map<string, Promise<LoadedUnit>>();

  /** @internal Use `compile` or `load`. */
  constructor(parts: ProgramParts, main: LoadedUnit) {
    this.device = parts.device;
    this.warnings = main.warnings;
    this.#parts = parts;
    this.#main = main;
  }

  /** Names of the compiled kernels, as in the source; those of overloads with the parameters' types. */
  kernelNames(): string[] {
    const mangled = this.#main.module.kernelNames();
    const names = mangled.map(demangle);
    return names.map((name, i) =>
      names.indexOf(name) === names.lastIndexOf(name) ? name : nameWithTypes(mangled[i] as string),
    );
  }

  /**
   * Returns a kernel by its C++ name: `saxpy`, `math::saxpy`, `reduce<float, 256>`. Overloads are told apart by their
   * parameters: `scale(float*, int)`. A template instance that the source does not use is compiled now (see
   * `CompileOptions.kernels`).
   *
   * @throws HeddleError "unknown-kernel" with the existing names and templates, and the compiler's report if the
   * instance does not compile.
   */
  kernel(name: string): Promise<Kernel> {
    return fromCallSite(this.kernel, () => this.#kernel(name));
  }

  async #kernel(name: string): Promise<Kernel> {
    if (typeof name !== "string")
      throw new HeddleError("bad-arguments", `program.kernel takes a kernel's name, not ${describeValue(name)}`);
    const found = findKernel(this.#main, name);
    if (found !== null) return new Kernel(this.device, this.#main.module.kernel(found));
    if (!name.includes("<")) throw this.#unknown(name);
    const key = plainName(name);
    let unit = this.#later.get(key);
    if (unit === undefined) this.#later.set(key, (unit = compileUnit(this.#parts, [name])));
    try {
      const { module, names } = await unit;
      return new Kernel(this.device, module.kernel(names.get(name) ?? findKernel(await unit, name) ?? name));
    } catch (error) {
      this.#later.delete(key);
      if (error instanceof HeddleError && error.code === "compile-error") throw this.#unknown(name, error);
      throw error;
    }
  }

  /**
   * Returns a `__device__` or `__constant__` variable as an array of `dtype` that shares its memory.
   * @throws HeddleError "bad-arguments" if the program has no such variable. A variable that no kernel uses is removed.
   */
  variable<D extends Dtype>(name: string, dtype: D): DeviceArray<D> {
    checkDtype(dtype);
    const { module } = this.#main;
    const symbol = module.symbol(name) ?? module.symbol(`_ZL${name.length}${name}`);
    if (symbol === null)
      throw new HeddleError("bad-arguments", `the program has no __device__ or __constant__ variable "${name}"`, {
        notes: ["a variable that no kernel uses is left out of the program"],
      });
    return DeviceArray.at(this.device.raw, dtype, Math.floor(symbol.bytes / dtypeBytes(dtype)), symbol.pointer);
  }

  /** @internal See GpuModule.writableVariables. */
  async writableVariables(): Promise<readonly string[] | null> {
    const units = [this.#main, ...(await Promise.all(this.#later.values()))];
    const lists = units.map(({ module }) => module.writableVariables());
    return lists.includes(null) ? null : (lists.flat() as string[]);
  }

  /** Frees the memory of the program's variables. Its kernels can no longer be launched. */
  async unload(): Promise<void> {
    await this.device.synchronize();
    this.#main.module.unload();
    for (const unit of this.#later.values()) (await unit).module.unload();
    this.#later.clear();
  }

  #unknown(name: string, cause?: HeddleError): HeddleError {
    return unknownName(name, this.kernelNames(), this.#parts.source.text, cause);
  }
}

/** Compiles a source and loads it. */
export async function buildGpuProgram(parts: ProgramParts, kernels: readonly string[]): Promise<GpuProgram> {
  return new GpuProgram(parts, await compileUnit(parts, kernels));
}

interface LoadedUnit {
  readonly module: GpuModule;
  readonly warnings: string;
  /** Name expressions to names in the IR. */
  readonly names: ReadonlyMap<string, string>;
}

async function compileUnit(
  { compiler, includes, source, options, device }: ProgramParts,
  kernels: readonly string[],
): Promise<LoadedUnit> {
  const { sourceCompiler } = device.raw;
  if (sourceCompiler !== null) return sourceCompiler.compileSource({ ...source, options }, kernels);
  const form = device.raw.kind === "cuda" ? { ...options, nvccForm: true } : { model: device.model.name, ...options };
  const { program, names, warnings } = await (await compiler()).compileDevice(source, form, includes, kernels);
  await device.synchronize();
  return { module: device.raw.loadModule(program), names, warnings };
}

/** The name in the IR of the one kernel that `name` can mean, or null. */
function findKernel({ module, names }: LoadedUnit, name: string): string | null {
  const known = module.kernelNames();
  if (known.includes(name)) return name;
  const wanted = plainName(name);
  const expression = names.get(name) ?? [...names].find(([written]) => plainName(written) === wanted)?.[1];
  if (expression !== undefined) return expression;
  for (const named of [
    (candidate: string) => plainName(demangle(candidate)),
    (candidate: string) => plainName(nameWithTypes(candidate)),
    (candidate: string) => plainName(demangle(candidate)).split("::").at(-1),
  ]) {
    const candidates = known.filter((candidate) => named(candidate) === wanted);
    if (candidates.length === 1) return candidates[0] ?? null;
    if (candidates.length > 1)
      throw new HeddleError("unknown-kernel", `the name ${name} is ambiguous`, {
        notes: [`it may be any of ${candidates.map(nameWithTypes).join(", ")}; name it so`],
      });
  }
  return null;
}
