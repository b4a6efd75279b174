/** `torch.compile`: a function whose operations are traced once, and run as a few kernels from then on. */
import { HeddleError } from "../../base/diagnostics.ts";
import { checkOptions } from "../../base/options.ts";
import { autocastDtype, withFreshAutocast } from "../autograd/autocast.ts";
import { isGradEnabled } from "../autograd/tape.ts";
import { settings } from "../kernels/settings.ts";
import { tensorDeviceOf } from "../kernels/tensor-device.ts";
import { asOperation } from "../operation-names.ts";
import { Module } from "../nn/module.ts";
import { currentTracer } from "../follower.ts";
import { Tensors } from "../api/tensors.ts";
import type { Entry } from "./entry.ts";
import type { KernelSource } from "./launch.ts";
import type { Program } from "./program.ts";
import { cudaSource, tritonSource } from "./source.ts";
import { Session } from "./session.ts";
import { signatureOf, type Signature } from "./signature.ts";

export interface CompileOptions {
  /**
   * "reduce-overhead": the launches are captured in a graph at the second call, and are one launch from then on, as in
   * PyTorch. Pays where kernels are small. Default: "default".
   */
  readonly mode?: "default" | "reduce-overhead";
  /** A graph that breaks is an error; default false. */
  readonly fullgraph?: boolean;
  /** Nothing is said of traces on stderr; default false. */
  readonly silent?: boolean;
  /** After so many traces the function runs as it is; default 8. */
  readonly recompileLimit?: number;
  /** float16 and bfloat16 are rounded after each operation, as without `compile`; default false: where stored. */
  readonly emulatePrecisionCasts?: boolean;
  /** Plain values from around the function: it is traced again when one changes. */
  readonly guards?: () => readonly unknown[];
}

const NAMES = {
  mode: true,
  fullgraph: true,
  silent: true,
  recompileLimit: true,
  emulatePrecisionCasts: true,
  guards: true,
} as const;

/** The kernels of a compiled function. */
export interface CompiledSource {
  readonly triton: string;
  readonly cuda: string;
}

export interface Explanation {
  /** How often it was traced. */
  readonly traces: number;
  /** Kernels of all traces. */
  readonly kernels: number;
  /** Why graphs ended before the function did. */
  readonly breaks: readonly string[];
  /** Why it was traced again. */
  readonly recompiles: readonly string[];
  /** How often launches were captured in a graph. */
  readonly captures: number;
  /** Why there is no graph in the mode "reduce-overhead". */
  readonly notCaptured: readonly string[];
}

/** The function itself, with what it knows of its kernels. */
export type Compiled<Args extends readonly unknown[], Value> = ((...args: Args) => Value) & CompiledKernels;

export interface CompiledKernels {
  /** The kernels so far. */
  readonly source: CompiledSource;
  explain(): Explanation;
  /** @internal */
  readonly programs: readonly Program[];
}

export interface CompileFunctions {
  /**
   * A function with the same arguments and results, whose operations become a few kernels at the first call.
   *
   *     const step = torch.compile((x, target) => x.softmax(1).sub(target).square().mean());
   *
   * docs/tensors.md says what is fused, and what ends a graph.
   */
  compile<Args extends readonly unknown[], Value>(
    fn: (...args: Args) => Value,
    options?: CompileOptions,
  ): Compiled<Args, Value>;
  compile<M extends Module>(
    module: M,
    options?: CompileOptions,
  ): M extends { forward(...args: infer Args): infer Value } ? Compiled<Args, Value> : never;
}

declare module "../api/tensors.ts" {
  interface Tensors extends CompileFunctions {}
}

const RECOMPILES = 8;

class CompiledFunction {
  readonly programs: Program[] = [];
  readonly breaks = new Set<string>();
  readonly recompiles: string[] = [];
  traces = 0;
  readonly #torch: Tensors;
  readonly #fn: (...args: unknown[]) => unknown;
  readonly #module: Module | null;
  readonly #options: CompileOptions;
  readonly #name: string;
  readonly #entries = new Map<string, Entry[]>();
  readonly #broken = new Set<string>();
  readonly #parts = new Map<string, Program>();
  #last: readonly string[] | null = null;
  #isEager = false;
  #named = 0;

  constructor(torch: Tensors, fn: ((...args: unknown[]) => unknown) | Module, options: CompileOptions) {
    this.#torch = torch;
    this.#module = fn instanceof Module ? fn : null;
    this.#fn = fn instanceof Module ? (...args) => (fn.forward as (...own: unknown[]) => unknown)(...args) : fn;
    this.#options = options;
    const name = fn instanceof Module ? fn.constructor.name : fn.name;
    this.#name = name.replace(/\W/g, "_") || "compiled";
  }

  call(args: readonly unknown[]): unknown {
    return asOperation(`compiled ${this.#name}`, args, () => this.#call(args));
  }

  #call(args: readonly unknown[]): unknown {
    const device = tensorDeviceOf(this.#torch.device.raw);
    if (currentTracer() !== null || device === null || this.#isEager) return this.#fn(...args);
    const own = signatureOf(this.#module === null ? args : [...args, this.#module]);
    const facts = [...own.facts, ...this.#surroundings()];
    const signature: Signature = { ...own, facts };
    const key = facts.join("\n");
    const entry = this.#entries.get(key)?.find((known) => known.fits(signature));
    if (entry !== undefined) return entry.call(signature, () => this.#fn(...args));
    if (!this.#broken.has(key) && !this.#mayTrace(signature)) return this.#fn(...args);
    const { emulatePrecisionCasts = false, fullgraph = false, mode } = this.#options;
    const session = new Session(
      device,
      this.#torch.generators,
      {
        nameProgram: () => this.#nameProgram(),
        isRounding: emulatePrecisionCasts,
        isCaptured: mode === "reduce-overhead",
      },
      this.#parts,
    );
    const traced = withFreshAutocast(() => session.run(this.#fn, args, signature));
    this.programs.push(...traced.programs.filter((program) => !this.programs.includes(program)));
    for (const reason of traced.breaks) this.breaks.add(reason);
    if (traced.entry === null) {
      if (fullgraph)
        throw new HeddleError("unsupported", `compile(${this.#name}) has no whole graph: ${traced.breaks.join("; ")}`);
      this.#broken.add(key);
    } else this.#entries.set(key, [...(this.#entries.get(key) ?? []), traced.entry]);
    return traced.value;
  }

  /** Names of kernels differ. */
  #nameProgram(): string {
    this.#named++;
    return this.#named === 1 ? this.#name : `${this.#name}_${this.#named}`;
  }

  /** Whether the function may be traced once more; says why it has to be. */
  #mayTrace({ facts }: Signature): boolean {
    const { recompileLimit = RECOMPILES, silent = false } = this.#options;
    const before = this.#last;
    this.#last = facts;
    if (this.traces >= recompileLimit) {
      this.#isEager = true;
      this.#say(`compile(${this.#name}) reached its limit of ${recompileLimit} traces: it runs as it is from now on`);
      return false;
    }
    this.traces++;
    if (before === null) return true;
    const [fact, old] = differenceOf(facts, before);
    const reason = old === null ? fact : `${fact}; it was: ${old}`;
    this.recompiles.push(reason);
    if (!silent) this.#say(`compile(${this.#name}) traces again (${this.traces} of ${recompileLimit}): ${reason}`);
    return true;
  }

  #say(line: string): void {
    if (this.#options.silent !== true) console.error(`heddle: ${line}`);
  }

  /** What a trace depends on beside its arguments. */
  #surroundings(): string[] {
    const { tf32Products, tf32Convolutions, isDeterministic } = settings;
    const flags = [tf32Products, tf32Convolutions, isDeterministic].map(Number).join("");
    const values = this.#options.guards?.().map((value) => `the guard is ${String(value)}`) ?? [];
    return [
      `gradients are ${isGradEnabled() ? "on" : "off"}`,
      `autocast is ${autocastDtype()}`,
      `settings are ${flags}`,
      ...values,
    ];
  }
}

function differenceOf(facts: readonly string[], before: readonly string[]): [string, string | null] {
  const at = facts.findIndex((fact, i) => fact !== before[i]);
  return at < 0
    ? ["a gradient, the training of a module, or whether a tensor requires a gradient changed", null]
    : [facts[at] as string, before[at] ?? null];
}

function compile(
  this: Tensors,
  fn: ((...args: unknown[]) => unknown) | Module,
  options: CompileOptions = {},
): Compiled<readonly unknown[], unknown> {
  checkOptions<CompileOptions>("compile", options, NAMES, { example: "torch.compile(fn, { fullgraph: true })" });
  if (typeof fn !== "function" && !(fn instanceof Module))
    throw new HeddleError("bad-arguments", "compile takes a function or a module");
  if (options.mode !== undefined && !["default", "reduce-overhead"].includes(options.mode))
    throw new HeddleError("bad-arguments", `compile has no mode ${JSON.stringify(options.mode)}`, {
      notes: ['there are "default" and "reduce-overhead"'],
    });
  const own = new CompiledFunction(this, fn, options);
  const compiled = (...args: readonly unknown[]): unknown => own.call(args);
  const sources = (): KernelSource[] => own.programs.flatMap((program) => program.sources);
  Object.defineProperties(compiled, {
    source: { get: (): CompiledSource => ({ triton: tritonSource(sources()), cuda: cudaSource(sources()) }) },
    programs: { get: () => own.programs },
    explain: {
      value: (): Explanation => ({
        traces: own.traces,
        kernels: own.programs.reduce((sum, { sources: all }) => sum + all.length, 0),
        breaks: [...own.breaks],
        recompiles: own.recompiles,
        captures: own.programs.reduce((sum, { captured }) => sum + (captured?.captures ?? 0), 0),
        notCaptured: own.programs.flatMap(({ captured }) => captured?.refusal ?? []),
      }),
    },
  });
  return compiled as Compiled<readonly unknown[], unknown>;
}

Object.defineProperty(Tensors.prototype, "compile", { value: compile, configurable: true, writable: true });
