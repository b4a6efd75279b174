/** `@triton.autotune` and `@triton.heuristics`: values that a launch does not pass. */
import { bug, HeddleError } from "../base/diagnostics.ts";
import { isPowerOfTwo } from "../frontend/triton/blocks/types.ts";
import type { PythonModule } from "../frontend/triton/evaluate/module.ts";
import type { ConfigValue, DecoratorValue, FunctionValue, Value } from "../frontend/triton/language/values.ts";
import { DeviceArray } from "./device-array.ts";
import { constantValue, type TritonArgument } from "./triton-arguments.ts";

/** What a launch is compiled with. */
export interface LaunchChoice {
  /** By parameter: what was passed, and numbers that decorators have set. */
  readonly values: Map<string, TritonArgument>;
  /** What decorators have set, as Python values. */
  readonly constants: Map<string, Value>;
  readonly numWarps: number;
  readonly numStages: number;
}

const DEFAULT_WARPS = 4;
const DEFAULT_STAGES = 3;

/**
 * From the outermost decorator inwards.
 *
 * @param chosen a configuration of autotune; null: the first.
 */
export function applyDecorators(
  module: PythonModule,
  fn: FunctionValue,
  given: ReadonlyMap<string, TritonArgument>,
  options: { readonly numWarps?: number; readonly numStages?: number },
  chosen: ConfigValue | null = null,
): LaunchChoice {
  const values = new Map(given);
  const constants = new Map<string, Value>();
  let { numWarps, numStages }: { numWarps?: number | null; numStages?: number | null } = options;
  const set = (name: string, value: Value): void => {
    constants.set(name, value);
    if (value.kind === "int") values.set(name, Number(value.value));
    else if (value.kind === "bool" || value.kind === "string" || value.kind === "float") values.set(name, value.value);
    else values.delete(name);
  };
  for (const decorator of fn.decorators) {
    if (decorator.name === "autotune") {
      const config = chosen ?? (autotuneConfigs(fn, decorator)[0] as ConfigValue);
      for (const { name, value } of config.constants) {
        if (given.has(name))
          throw new HeddleError("bad-arguments", `Conflicting meta-parameters: ${name}`, {
            notes: [`@triton.autotune of ${fn.name} sets ${name}: a launch does not pass it`],
          });
        set(name, value);
      }
      numWarps ??= config.numWarps;
      numStages ??= config.numStages;
    } else if (decorator.name === "heuristics") applyHeuristics(module, fn, decorator, values, set);
  }
  return checked({ values, constants, numWarps: numWarps ?? DEFAULT_WARPS, numStages: numStages ?? DEFAULT_STAGES });
}

function checked(choice: LaunchChoice): LaunchChoice {
  const { numWarps, numStages } = choice;
  if (!isPowerOfTwo(numWarps) || numWarps > 32)
    throw new HeddleError("bad-arguments", `num_warps must be a power of two up to 32, not ${numWarps}`);
  if (!Number.isInteger(numStages) || numStages < 0)
    throw new HeddleError("bad-arguments", `num_stages must be a whole number of at least 0, not ${numStages}`);
  return choice;
}

/** At least one. */
export function autotuneConfigs(fn: FunctionValue, { args }: DecoratorValue): readonly ConfigValue[] {
  const configs = args["configs"];
  if (configs?.kind !== "list" && configs?.kind !== "tuple")
    throw new HeddleError("unsupported", `the configurations of ${fn.name} are not known without running Python`, {
      notes: [
        `@triton.autotune has configs=${configs?.kind === "unknown" ? configs.what : (configs?.kind ?? "nothing")}`,
      ],
    });
  const all = configs.items.filter((config) => config.kind === "config");
  // As Triton has it: without configurations there is one that sets nothing.
  if (configs.items.length === 0)
    return [{ kind: "config", constants: [], numWarps: null, numStages: null, preHook: null }];
  if (all.length < configs.items.length)
    throw new HeddleError(
      "bad-arguments",
      `@triton.autotune of ${fn.name} has a configuration that is no triton.Config`,
    );
  return all;
}

function applyHeuristics(
  module: PythonModule,
  fn: FunctionValue,
  { args }: DecoratorValue,
  values: ReadonlyMap<string, TritonArgument>,
  set: (name: string, value: Value) => void,
): void {
  const heuristics = args["values"];
  if (heuristics?.kind !== "dict")
    throw new HeddleError("unsupported", `the heuristics of ${fn.name} are not known without running Python`, {
      notes: heuristics?.kind === "unknown" ? [`@triton.heuristics has ${heuristics.what}`] : [],
    });
  const { evaluator } = module;
  for (const { key, value } of heuristics.entries) {
    if (key.kind !== "string") throw new HeddleError("bad-arguments", `heuristics of ${fn.name} need names`);
    const entries = [...values].map(([name, passed]) => ({
      key: { kind: "string", value: name } as const,
      value: passed instanceof DeviceArray ? evaluator.unknown(`the array ${name}`) : constantValue(passed),
    }));
    const frame = { ...evaluator.frame, source: fn.source };
    const span = fn.definition.span ?? bug("a function without a place");
    const result = evaluator.atModuleLevel(frame, span, () => evaluator.call(value, [{ kind: "dict", entries }]));
    if (result.kind === "unknown")
      throw new HeddleError("unsupported", `the heuristic for ${key.value} of ${fn.name} needs ${result.what}`);
    set(key.value, result);
  }
}
