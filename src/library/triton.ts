/** Triton kernels from TypeScript: a Python file's kernels, compiled for the arguments that they are launched with. */
import { HeddleError } from "../base/diagnostics.ts";
import { fromCallSite } from "../base/call-site.ts";
import { checkOptions } from "../base/options.ts";
import { didYouMean } from "../base/suggestions.ts";
import { compileKernel, kernelParameters, type KernelParameter } from "../frontend/triton/compile-kernel.ts";
import { evaluateExpression } from "../frontend/triton/evaluate/expressions.ts";
import type { Expression } from "../frontend/triton/syntax/ast.ts";
import type { PythonModule } from "../frontend/triton/evaluate/module.ts";
import type { BlockKernel } from "../frontend/triton/blocks/model.ts";
import { lowerKernel, type LoweredKernel } from "../frontend/triton/lower/lower-kernel.ts";
import { SourceText } from "../frontend/triton/syntax/source-text.ts";
import { KernelTuner } from "./triton-autotune.ts";
import { estimateRegisters } from "../ptx/register-estimate.ts";
import { printKernel } from "../frontend/triton/blocks/print.ts";
import { printModule } from "../ir/text/print.ts";
import { registersOf, type TritonCompiledKernel } from "./triton-compiled-kernel.ts";
import type { ConfigValue, FunctionValue, Value } from "../frontend/triton/language/values.ts";
import type { ContentCache } from "../store/store.ts";
import type { ProgramRecording } from "../frontend/triton/record-program.ts";
import { recordLaunch, type LaunchTiles, type RecordOptions } from "./triton-recording.ts";
import { gridOf, type TritonLaunchOptions } from "./triton-grid.ts";
import { PLAIN, type PtxWriter, type TritonSurroundings } from "./triton-surroundings.ts";
import { cachedKernel, kernelContent, type CompiledIr } from "./triton-cache.ts";
import { loweringFor, wideIr } from "./triton-gpu-code.ts";
import type { Gpu } from "./gpu.ts";
import { Kernel, type LaunchResult } from "./kernel.ts";
import { launchKey, passedOf, type CodeOptions, type Compiled, type ReadyKernel } from "./triton-compiled.ts";
import { withLaunch } from "./triton-launch-errors.ts";
import { LaunchMemo, launchSignature } from "./triton-launch-memo.ts";
import { constantArgument } from "./triton-defaults.ts";
import { applyDecorators, type LaunchChoice } from "./triton-decorators.ts";
import {
  bindArguments,
  formatKernel,
  specialise,
  type SpecialisedArgument,
  type TritonArgument,
  type TritonKeywords,
} from "./triton-arguments.ts";

interface Preparation {
  /** The decorators apply; else they are left to the caller. */
  readonly isDecorated?: boolean;
  readonly config?: ConfigValue | null;
  /** Parameters of `do_not_specialize`. */
  readonly unspecialised?: ReadonlySet<string>;
}
const NOTHING: ReadonlySet<string> = new Set();

/** A kernel of a Python file. It is compiled at the first launch with arguments of new types or constants. */
export class TritonKernel {
  readonly name: string;
  /** @internal What a kernel gets that takes the function as a constexpr. */
  readonly function: FunctionValue;
  readonly #device: Gpu;
  readonly #module: PythonModule;
  readonly #cache: ContentCache | null;
  readonly #ptx: PtxWriter;
  readonly #tuner: KernelTuner | null = null;
  readonly #compiled = new Map<string, Promise<Compiled>>();
  /** What was compiled for callers that block. */
  readonly #ready = new Map<string, Compiled>();
  readonly #memo = new LaunchMemo();
  #params: readonly KernelParameter[] | null = null;

  /** @internal Use `loadTriton`. */
  constructor(device: Gpu, module: PythonModule, fn: FunctionValue, { cache, autotune, ptx }: TritonSurroundings) {
    this.#cache = cache;
    this.#ptx = ptx;
    const decorator = fn.decorators.find(({ name }) => name === "autotune");
    if (decorator !== undefined && autotune !== null)
      this.#tuner = new KernelTuner(fn, decorator, { module, device, cache, setting: autotune });
    this.name = fn.name;
    this.function = fn;
    this.#device = device;
    this.#module = module;
  }

  /** The name and the parameters: `add_kernel(x_ptr, n, BLOCK_SIZE: constexpr)`. */
  get signature(): string {
    return formatKernel(this.name, this.#parameters());
  }

  /**
   * Runs the kernel and resolves when it has ended.
   *
   * @param args in the order of the parameters; keyword arguments are one object at the end:
   * `launch({ grid: [4] }, x, y, n, { BLOCK_SIZE: 256 })`.
   * @throws HeddleError "bad-arguments"; "compile-error" and "unsupported" with a caret in the Python source;
   * "device-fault" as Kernel.launch.
   */
  launch(options: TritonLaunchOptions, ...args: readonly (TritonArgument | TritonKeywords)[]): Promise<LaunchResult> {
    return fromCallSite(this.launch, async () => {
      const signature = launchSignature(this.function, this.#parameters(), options, args);
      const known = this.#memo.find(signature, args);
      if (known !== null) {
        const { kernel, threads, sharedBytes } = known.compiled;
        const grid = gridOf(this.name, options.grid, new Map());
        return kernel.run({ grid, block: threads, sharedBytes }, known.values);
      }
      const { config, before } = await this.#tuned(options, args);
      const { choice, specialised } = this.#prepare(options, args, { config });
      const compiled = await this.#compile(specialised, choice);
      const { threads, sharedBytes } = compiled;
      const values = passedOf(specialised);
      const grid = gridOf(this.name, options.grid, choice.values);
      this.#memo.keep(signature, args, values, compiled);
      before();
      return compiled.kernel.run({ grid, block: threads, sharedBytes }, values);
    });
  }

  /**
   * Runs one program of a launch step by step, and resolves to what it did: the values of its names, its loads and
   * stores, statement by statement, as plain data. The device's arrays stay as they are. Other programs do not run.
   * @throws HeddleError "bad-arguments" for a program that the grid does not have
   */
  record(
    options: TritonLaunchOptions & RecordOptions,
    ...args: readonly (TritonArgument | TritonKeywords)[]
  ): Promise<ProgramRecording> {
    return fromCallSite(this.record, async () => {
      const { program, steps, ...own } = options;
      const { blocks, passed, values } = this.tiles(own, args);
      await this.#device.synchronize();
      const grid = gridOf(this.name, options.grid, values);
      return recordLaunch(this.#device.raw, { blocks, passed }, grid, {
        ...(program === undefined ? {} : { program }),
        ...(steps === undefined ? {} : { steps }),
      });
    });
  }

  /** @internal The operations on tiles that a launch carries out, and what it passes to them. */
  tiles(
    options: TritonLaunchOptions,
    args: readonly (TritonArgument | TritonKeywords)[],
  ): LaunchTiles & Pick<LaunchChoice, "values"> {
    const { choice, specialised } = this.#prepare(options, args);
    const { blocks } = this.#lower(specialised, choice);
    return { blocks, passed: passedOf(specialised), values: choice.values };
  }

  /** @internal */
  get parameterNames(): readonly string[] {
    return this.#parameters().map(({ name }) => name);
  }

  /** @internal One launch, for measurements: compiled now, to be made again and again. */
  async prepare(options: TritonLaunchOptions, args: readonly (TritonArgument | TritonKeywords)[]): Promise<() => void> {
    const { config } = await this.#tuned(options, args);
    return this.#launcher(options, args, config);
  }

  async #launcher(
    options: TritonLaunchOptions,
    args: readonly (TritonArgument | TritonKeywords)[],
    config: ConfigValue | null,
  ): Promise<() => void> {
    const { choice, specialised } = this.#prepare(options, args, { config });
    const { kernel, threads, sharedBytes } = await this.#compile(specialised, choice);
    const values = passedOf(specialised);
    const grid = gridOf(this.name, options.grid, choice.values);
    return kernel.prepare({ grid, block: threads, sharedBytes }, values);
  }

  /** The configuration of autotune, and what Python's hooks do before a launch with it. */
  async #tuned(
    options: TritonLaunchOptions,
    args: readonly (TritonArgument | TritonKeywords)[],
  ): Promise<{ config: ConfigValue | null; before: () => void }> {
    const tuner = this.#tuner;
    if (tuner === null) return { config: null, before: () => {} };
    const given = bindArguments(this.name, this.#parameters(), args);
    const config = await tuner.choose(given, (each) => this.#launcher(options, args, each));
    return { config, before: tuner.beforeLaunch(config, given) };
  }

  /**
   * Compiles for these arguments, and launches nothing. `grid` is not needed.
   * @throws HeddleError as `launch`
   */
  warmup(
    options: Omit<TritonLaunchOptions, "grid">,
    ...args: readonly (TritonArgument | TritonKeywords)[]
  ): Promise<TritonCompiledKernel> {
    return fromCallSite(this.warmup, async () => {
      const { choice, specialised } = this.#prepare({ ...options, grid: 1 }, args);
      const { kernel, sharedBytes } = await this.#compile(specialised, choice);
      const { blocks, lowered } = this.#lower(specialised, choice, true);
      const { info } = kernel;
      const { lowered: forGpu } = this.#lower(specialised, choice, true);
      const ptx = await this.#ptx(forGpu, this.#device.properties.computeCapability);
      const driver =
        info.registers === undefined ? null : { registers: info.registers, localBytes: info.localBytesPerThread };
      return {
        name: this.name,
        numWarps: choice.numWarps,
        sharedBytes: sharedBytes + info.staticSharedBytes,
        ...registersOf(driver, estimateRegisters(ptx, lowered.name) ?? 0),
        asm: { blocks: printKernel(blocks), llir: printModule(lowered.module), ptx },
      };
    });
  }

  /**
   * @internal Compiled on the calling thread, for a caller that may block. Its decorators are left to the caller.
   */
  compileBlocking(
    options: Omit<TritonLaunchOptions, "grid">,
    args: readonly (TritonArgument | TritonKeywords)[],
    unspecialised: ReadonlySet<string> = NOTHING,
  ): ReadyKernel {
    const { choice, specialised } = this.#prepare({ ...options, grid: 1 }, args, { isDecorated: false, unspecialised });
    const key = launchKey(specialised, choice, this.#device.followsGpu);
    let compiled = this.#ready.get(key);
    if (compiled === undefined) this.#ready.set(key, (compiled = this.#load(specialised, choice)));
    const { kernel, threads, sharedBytes } = compiled;
    const [own, gpu] = [{ block: threads, sharedBytes }, this.#device.raw];
    const values = passedOf(specialised);
    return {
      name: this.name,
      kernel,
      sharedBytes,
      record: (n, options) => {
        const { blocks } = this.#lower(specialised, choice);
        return recordLaunch(gpu, { blocks, passed: values }, gridOf(this.name, n, choice.values), options);
      },
      lowered: (isForGpu) => this.#lower(specialised, choice, isForGpu).lowered,
      launch: (n, limit) => kernel.prepare({ grid: gridOf(this.name, n, choice.values), ...own, ...limit }, values)(),
    };
  }

  /** @internal Unloads what was compiled for callers that block. */
  unloadNow(): void {
    for (const compiled of this.#ready.values()) compiled.unload();
    this.#ready.clear();
  }

  /** @internal Unloads what was compiled. */
  async unload(): Promise<void> {
    this.unloadNow();
    this.#memo.clear();
    for (const compiled of this.#compiled.values()) (await compiled).unload();
    this.#compiled.clear();
  }

  /** @internal What a launch with these arguments compiles: the tiles, and the IR, of this device or of a GPU. */
  lowered(
    options: TritonLaunchOptions,
    args: readonly (TritonArgument | TritonKeywords)[],
    isForGpu: boolean,
  ): { readonly blocks: BlockKernel; readonly lowered: LoweredKernel } {
    const { choice, specialised } = this.#prepare(options, args);
    return this.#lower(specialised, choice, isForGpu);
  }

  #lower(
    specialised: ReadonlyMap<string, SpecialisedArgument>,
    code: CodeOptions,
    isForGpu: boolean = this.#device.followsGpu,
  ): { readonly blocks: BlockKernel; readonly lowered: LoweredKernel } {
    const args = new Map([...specialised].map(([name, { specialisation }]) => [name, specialisation]));
    const blocks = compileKernel(this.#module, this.function, args, code.numWarps);
    const options = loweringFor(isForGpu, this.#device.properties, code.numStages);
    return { blocks, lowered: lowerKernel(blocks, code.numWarps, options) };
  }

  #lowerCached(specialised: ReadonlyMap<string, SpecialisedArgument>, code: CodeOptions): CompiledIr {
    const compile = (): LoweredKernel => this.#lower(specialised, code).lowered;
    const cache = this.#cache;
    const { followsGpu, properties } = this.#device;
    const options = [code.numWarps, loweringFor(followsGpu, properties, code.numStages)];
    const content = cache && kernelContent(cache, this.#module, this.function, specialised, options);
    return cache === null || content === null
      ? { lowered: compile(), content: null }
      : cachedKernel(cache, content, compile);
  }

  #parameters(): readonly KernelParameter[] {
    return (this.#params ??= kernelParameters(this.#module, this.function));
  }

  #prepare(
    options: TritonLaunchOptions,
    args: readonly (TritonArgument | TritonKeywords)[],
    { isDecorated = true, config = null, unspecialised = NOTHING }: Preparation = {},
  ): { choice: LaunchChoice; specialised: Map<string, SpecialisedArgument> } {
    checkOptions<TritonLaunchOptions>(
      `a launch of ${this.name}`,
      options,
      { grid: true, numWarps: true, numStages: true },
      {
        meant: { num_warps: "numWarps", num_stages: "numStages" },
        example: `${this.name}.launch({ grid: [4] }, x, n)`,
      },
    );
    const params = this.#parameters();
    const bound = bindArguments(this.name, params, args);
    const fn = isDecorated ? this.function : { ...this.function, decorators: [] };
    const choice = applyDecorators(this.#module, fn, bound, options, config);
    const specialised = new Map<string, SpecialisedArgument>();
    for (const param of params) {
      const value = choice.values.get(param.name);
      const constant = choice.constants.get(param.name) ?? null;
      if (value !== undefined) specialised.set(param.name, specialise(this.name, param, value, unspecialised));
      else specialised.set(param.name, constantArgument(this.#module, this.function, param, constant));
    }
    return { choice, specialised };
  }

  #compile(specialised: ReadonlyMap<string, SpecialisedArgument>, code: CodeOptions): Promise<Compiled> {
    const key = launchKey(specialised, code, this.#device.followsGpu);
    let compiled = this.#compiled.get(key);
    if (compiled === undefined) {
      const load = (): Compiled => withLaunch(this.name, specialised, () => this.#load(specialised, code));
      compiled = this.#device.synchronize().then(load);
      this.#compiled.set(key, compiled);
      // What failed is tried again: a reset of the device may have been in the way.
      compiled.catch(() => this.#compiled.delete(key));
    }
    return compiled;
  }

  #load(specialised: ReadonlyMap<string, SpecialisedArgument>, code: CodeOptions): Compiled {
    const gpu = this.#device;
    const { lowered, content } = this.#lowerCached(specialised, code);
    const loaded = gpu.raw.loadModule({
      ir: gpu.raw.irPointerBits === 64 ? wideIr(lowered.module) : lowered.module,
      name: this.#module.source.file,
      options: { fmad: true },
      ...(content === null ? {} : { content }),
    });
    return {
      kernel: new Kernel(gpu, loaded.kernel(lowered.name)),
      threads: lowered.threads,
      sharedBytes: lowered.sharedBytes,
      unload: () => loaded.unload(),
    };
  }
}

/** A Python file's kernels on a device. Made by `loadTriton`. */
export class TritonProgram {
  readonly device: Gpu;
  /** By name. A name that the file does not have throws "unknown-kernel". */
  readonly kernels: Readonly<Record<string, TritonKernel>>;
  readonly #kernels: ReadonlyMap<string, TritonKernel>;
  readonly #module: PythonModule;

  /** @internal Use `loadTriton`. */
  constructor(device: Gpu, module: PythonModule, surroundings: TritonSurroundings = PLAIN) {
    this.device = device;
    this.#module = module;
    this.#kernels = new Map(
      [...module.functions].map(([name, fn]) => [name, new TritonKernel(device, module, fn, surroundings)]),
    );
    this.kernels = new Proxy(Object.fromEntries(this.#kernels), {
      get: (_, name) => (typeof name === "string" && name !== "then" ? this.kernel(name) : undefined),
    });
  }

  /** Names of the functions with `@triton.jit`, in the order of the file. */
  kernelNames(): string[] {
    return [...this.#kernels.keys()];
  }

  /** @internal Unloads what was compiled. */
  async unload(): Promise<void> {
    await this.device.synchronize();
    for (const kernel of this.#kernels.values()) await kernel.unload();
  }

  /** @internal Of what was compiled for callers that block. */
  unloadNow(): void {
    for (const kernel of this.#kernels.values()) kernel.unloadNow();
  }

  /** @internal What a name at module level is bound to. */
  valueOf(name: string): Value | null {
    return this.#module.globals.get(name);
  }

  /** @internal An expression in the scope of the file's module level. */
  evaluate(source: SourceText, expression: Expression): Value {
    const { evaluator: c, globals } = this.#module;
    return c.atModuleLevel({ ...c.frame, source }, expression.span, () => evaluateExpression(c, expression, globals));
  }

  /** @throws HeddleError "unknown-kernel" with the names that exist. */
  kernel(name: string): TritonKernel {
    const kernel = this.#kernels.get(name);
    if (kernel !== undefined) return kernel;
    const names = this.kernelNames();
    const note = names.length === 0 ? "it has no function with @triton.jit" : `its kernels: ${names.join(", ")}`;
    const message = `the file has no kernel ${name}${didYouMean(name, names)}`;
    throw new HeddleError("unknown-kernel", message, { notes: [note] });
  }
}
