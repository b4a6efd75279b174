/** Adds the code of a tool to the functions of a module. */
import { Uniformity } from "../analysis/divergence/block-uniformity.ts";
import type { IrFunction, IrModule } from "../ir/model/ir.ts";
import { FunctionWalk } from "./function-walk.ts";
import type { Instrumenter, ModuleFacts, Site } from "./instrumenter.ts";
import { reportFunction } from "./instrumentation-runtime.ts";
import { addSpeculativeKernels, type SpeculativeKernel } from "./speculative-kernels.ts";
import type { ToolNamespace } from "./tool-namespace.ts";

export interface InstrumentedModule {
  /** By their index. */
  readonly sites: Site[];
  /** Kernels that have a copy for launches of which something is known. */
  readonly speculative: SpeculativeKernel[];
}

/**
 * Adds the instrumenters' code to the functions in `own`: to functions that kernels call first, to kernels last.
 *
 * Needs: a linked module whose functions are valid. Afterwards: they are, and do what they did.
 *
 * @param records short name of the variable that holds the records of the sites.
 */
export function instrumentModule(
  module: IrModule,
  own: Iterable<IrFunction>,
  instrumenters: readonly Instrumenter[],
  names: ToolNamespace,
  records: string,
): InstrumentedModule {
  const sites: Site[] = [];
  // When several units define a function, one definition is the module's.
  const defined = new Set([...own].filter((fn) => fn.blocks.length > 0 && module.functions.get(fn.name) === fn));
  for (const instrumenter of instrumenters) instrumenter.prepare?.(module, defined);
  const speculative = instrumenters.some(({ usesSpeculation = false }) => usesSpeculation)
    ? addSpeculativeKernels(module, defined, names)
    : new Map<IrFunction, SpeculativeKernel>();
  const functions = [
    ...[...defined].filter(({ isKernel }) => !isKernel),
    ...[...defined].filter(({ isKernel }) => isKernel),
    ...speculative.keys(),
  ];
  const facts = new LazyFacts(module);
  for (const instrumenter of instrumenters) instrumenter.beginModule?.(module, new Set(functions), facts);
  const target = {
    module,
    names,
    records: names.variable(module, records),
    report: reportFunction(module, names),
    sites,
  };
  for (const fn of functions) new FunctionWalk(target, fn, speculative.get(fn) ?? null).run(instrumenters);
  return { sites, speculative: [...speculative.values()] };
}

class LazyFacts implements ModuleFacts {
  readonly #module: IrModule;
  #uniformity: Uniformity | null = null;

  constructor(module: IrModule) {
    this.#module = module;
  }

  get uniformity(): Uniformity {
    return (this.#uniformity ??= new Uniformity(this.#module));
  }
}
