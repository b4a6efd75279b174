/**
 * `@triton.autotune`: the configuration that a launch takes. On a GPU each configuration is measured, with the
 * stopwatch of ladders, once for each key; an emulated device takes the first, unless it is asked to measure.
 *
 * What was chosen is kept by content: the kernel and what it reaches, the configurations, the device, the key.
 */
import { HeddleError } from "../base/diagnostics.ts";
import type { PythonModule } from "../frontend/triton/evaluate/module.ts";
import { reachedSource } from "../frontend/triton/evaluate/reached-source.ts";
import { describe } from "../frontend/triton/language/conversions.ts";
import {
  intValue,
  stringValue,
  type ConfigValue,
  type DecoratorValue,
  type FunctionValue,
  type Value,
} from "../frontend/triton/language/values.ts";
import { SWEEP_PLAN } from "../measure/sampling.ts";
import { isPrecise, median } from "../measure/statistics.ts";
import type { Stopwatch } from "../measure/stopwatch.ts";
import { contentKey, type ContentCache } from "../store/store.ts";
import { DeviceArray } from "./device-array.ts";
import type { Gpu } from "./gpu.ts";
import { TypedArgument, constantValue, type TritonArgument } from "./triton-arguments.ts";
import { valueText } from "./triton-cache.ts";
import { autotuneConfigs } from "./triton-decorators.ts";
import { HookArguments, callAtModuleLevel } from "./triton-hooks.ts";

/** When configurations are measured; default: "measure" on a GPU, "first" on an emulated device. */
export type AutotuneMode = "first" | "measure";

/** What autotune chose, and how. */
export interface AutotuneChoice {
  readonly kernel: string;
  /** The values of the parameters that `key` names, and the types of arrays. */
  readonly key: readonly string[];
  /** As Triton writes a configuration: "BLOCK: 1024, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: None". */
  readonly config: string;
  /** What measuring took, in seconds. 0: an earlier run has measured. */
  readonly seconds: number;
  /** Milliseconds of each configuration that was measured; Infinity: it cannot be launched. */
  readonly times: readonly { readonly config: string; readonly ms: number }[];
  readonly isKept: boolean;
}

export interface AutotuneSetting {
  readonly mode: AutotuneMode | null;
  readonly report: ((choice: AutotuneChoice) => void) | null;
  readonly stopwatch: (device: Gpu) => Promise<Stopwatch>;
}

interface Kept {
  readonly index: number;
  readonly times: readonly number[];
}

/** A configuration that cannot be launched here is none to choose. */
const REFUSALS: readonly string[] = ["invalid-launch", "out-of-memory", "unsupported", "compile-error"];

export class KernelTuner {
  readonly #fn: FunctionValue;
  readonly #decorator: DecoratorValue;
  readonly #module: PythonModule;
  readonly #device: Gpu;
  readonly #cache: ContentCache | null;
  readonly #setting: AutotuneSetting;
  readonly #chosen = new Map<string, Promise<ConfigValue>>();

  constructor(
    fn: FunctionValue,
    decorator: DecoratorValue,
    {
      module,
      device,
      cache,
      setting,
    }: {
      readonly module: PythonModule;
      readonly device: Gpu;
      readonly cache: ContentCache | null;
      readonly setting: AutotuneSetting;
    },
  ) {
    this.#fn = fn;
    this.#decorator = decorator;
    this.#module = module;
    this.#device = device;
    this.#cache = cache;
    this.#setting = setting;
  }

  /**
   * @param launcher a launch with the configuration, compiled, to be made again and again.
   * @throws what the last configuration was refused for, if all are
   */
  choose(
    given: ReadonlyMap<string, TritonArgument>,
    launcher: (config: ConfigValue) => Promise<() => void>,
  ): Promise<ConfigValue> {
    const key = this.#key(given);
    const id = JSON.stringify(key);
    let chosen = this.#chosen.get(id);
    if (chosen === undefined) {
      chosen = this.#choose(key, given, launcher);
      this.#chosen.set(id, chosen);
      chosen.catch(() => this.#chosen.delete(id));
    }
    return chosen;
  }

  /** What Python's hooks do before a launch with this configuration. */
  beforeLaunch(config: ConfigValue, given: ReadonlyMap<string, TritonArgument>): () => void {
    const hooks = [config.preHook, this.#decorator.args["pre_hook"] ?? null].filter(
      (hook): hook is Value => hook !== null && hook.kind !== "none",
    );
    if (hooks.length === 0) return () => {};
    const args = new HookArguments(this.#device, this.#module, given, config);
    return () => hooks.forEach((hook) => args.call(this.#fn, hook));
  }

  /** As Triton's: the values that `key` names, then the types of all arrays. */
  #key(given: ReadonlyMap<string, TritonArgument>): string[] {
    const names = this.#names("key");
    const values = names.map((name) => keyWord(given.get(name)));
    const arrays = [...given.values()].flatMap((value) => {
      if (value instanceof TypedArgument) return [value.dtype.name];
      return value instanceof DeviceArray ? [value.dtype] : [];
    });
    return [...values, ...arrays];
  }

  async #choose(
    key: readonly string[],
    given: ReadonlyMap<string, TritonArgument>,
    launcher: (config: ConfigValue) => Promise<() => void>,
  ): Promise<ConfigValue> {
    const configs = this.#candidates(given);
    const [first] = configs as [ConfigValue];
    const mode = this.#setting.mode ?? (this.#device.raw.kind === "emulated" ? "first" : "measure");
    if (configs.length === 1 || mode === "first") return first;
    const contentOf = this.#content(key, configs);
    const kept = contentOf === null ? null : this.#kept(contentOf, configs.length);
    const started = performance.now();
    const times = kept?.times ?? (await this.#measure(configs, given, launcher));
    const index = kept?.index ?? times.indexOf(Math.min(...times));
    if (kept === null && contentOf !== null)
      this.#cache?.store.put(contentOf, new TextEncoder().encode(JSON.stringify({ index, times: times.map(String) })));
    const best = configs[index] ?? first;
    this.#setting.report?.({
      kernel: this.#fn.name,
      key,
      config: configText(best),
      seconds: kept === null ? (performance.now() - started) / 1000 : 0,
      times: configs.map((config, i) => ({ config: configText(config), ms: times[i] ?? Infinity })),
      isKept: kept !== null,
    });
    return best;
  }

  #kept(key: string, count: number): Kept | null {
    const entry = this.#cache?.store.get(key) ?? null;
    if (entry === null) return null;
    const { index, times } = JSON.parse(new TextDecoder().decode(entry)) as { index: number; times: string[] };
    return index < count ? { index, times: times.map(Number) } : null;
  }

  /** null: it holds in this process alone. */
  #content(key: readonly string[], configs: readonly ConfigValue[]): string | null {
    if (this.#cache === null) return null;
    const reached = reachedSource(this.#module.files, [this.#fn]);
    if (reached === null) return null;
    const values = configs.flatMap(({ constants }) => constants.map(({ value }) => valueText(value, [])));
    if (values.includes(null)) return null;
    const { name, source } = this.#device.properties;
    return contentKey(this.#cache, [
      "autotune",
      this.#device.raw.kind,
      [name, source],
      this.#fn.name,
      reached.map(({ file, text }) => [file, text]),
      this.#module.options,
      configs.map(configText),
      key,
      this.#names("reset_to_zero"),
      this.#names("restore_value"),
    ]);
  }

  async #measure(
    configs: readonly ConfigValue[],
    given: ReadonlyMap<string, TritonArgument>,
    launcher: (config: ConfigValue) => Promise<() => void>,
  ): Promise<number[]> {
    const device = this.#device;
    const stopwatch = await this.#setting.stopwatch(device);
    const arrays = (param: string): DeviceArray[] => this.#names(param).map((name) => arrayOf(this.#fn, given, name));
    const zeroed = arrays("reset_to_zero");
    const kept = await Promise.all(arrays("restore_value").map(async (array) => ({ array, data: await array.read() })));
    const outputs = [...given.values()].flatMap((value) => {
      if (value instanceof TypedArgument) return [value.array];
      return value instanceof DeviceArray ? [value] : [];
    });
    const restore = async (): Promise<void> => {
      for (const { array, data } of kept) await array.write(data as never);
    };
    const times: number[] = [];
    let refused: unknown = null;
    for (const config of configs) {
      const hook = this.beforeLaunch(config, given);
      const before = (): void => {
        hook();
        for (const array of zeroed) fill(device, array);
        touch(device, outputs);
      };
      try {
        times.push(await timed(stopwatch, before, restore, await launcher(config)));
      } catch (error) {
        if (!(error instanceof HeddleError) || !REFUSALS.includes(error.code)) throw error;
        refused = error;
        times.push(Infinity);
      }
    }
    await restore();
    if (times.every((time) => time === Infinity)) throw refused;
    return times;
  }

  #names(param: string): string[] {
    const list = this.#decorator.args[param];
    if (list === undefined || list.kind === "none") return [];
    if (list.kind !== "list" && list.kind !== "tuple")
      throw new HeddleError(
        "unsupported",
        `${param} of ${this.#fn.name} is ${describe(list)}: a list of names is needed`,
      );
    return list.items.map((item) => {
      if (item.kind === "string") return item.value;
      throw new HeddleError("bad-arguments", `${param} of ${this.#fn.name} has ${describe(item)}: it needs names`);
    });
  }

  /** After `prune_configs_by`. */
  #candidates(given: ReadonlyMap<string, TritonArgument>): readonly ConfigValue[] {
    let configs = autotuneConfigs(this.#fn, this.#decorator);
    const prune = this.#decorator.args["prune_configs_by"];
    if (prune === undefined || prune.kind === "none") return configs;
    if (prune.kind !== "dict")
      throw new HeddleError(
        "unsupported",
        `prune_configs_by of ${this.#fn.name} is ${describe(prune)}: a dict is needed`,
      );
    const entry = (name: string): Value | null => {
      const found = prune.entries.find(({ key }) => key.kind === "string" && key.value === name)?.value ?? null;
      return found?.kind === "none" ? null : found;
    };
    const named = [...given].map(([name, value]) => ({
      key: stringValue(name),
      value: value instanceof DeviceArray ? this.#module.evaluator.unknown(`the array ${name}`) : constantValue(value),
    }));
    const early = entry("early_config_prune");
    if (early !== null) {
      const args: Value[] = [
        { kind: "list", items: configs },
        { kind: "dict", entries: named },
      ];
      const left = callAtModuleLevel(this.#module, this.#fn, early, args);
      const items = left.kind === "list" || left.kind === "tuple" ? left.items : [];
      const kept = items.filter((item) => item.kind === "config");
      if (kept.length === 0 || kept.length < items.length)
        throw new HeddleError("unsupported", `early_config_prune of ${this.#fn.name} returns ${describe(left)}`, {
          notes: ["it needs a list with at least one of the configurations"],
        });
      configs = kept;
    }
    const model = entry("perf_model");
    return model === null ? configs : this.#best(configs, model, entry("top_k"), given);
  }

  /** The configurations that a model of the user's puts first. */
  #best(
    configs: readonly ConfigValue[],
    model: Value,
    top: Value | null,
    given: ReadonlyMap<string, TritonArgument>,
  ): readonly ConfigValue[] {
    let most = configs.length;
    if (top?.kind === "int") most = Number(top.value);
    else if (top?.kind === "float") most = Math.trunc(configs.length * top.value);
    if (configs.length <= most) return configs;
    const cost = (config: ConfigValue): number => {
      const { evaluator } = this.#module;
      const named = new Map<string, Value>();
      for (const [name, value] of given)
        named.set(name, value instanceof DeviceArray ? evaluator.unknown(`the array ${name}`) : constantValue(value));
      for (const { name, value } of config.constants) named.set(name, value);
      named.set("num_warps", intValue(config.numWarps ?? 4));
      named.set("num_stages", intValue(config.numStages ?? 3));
      named.set("num_ctas", intValue(1));
      const result = callAtModuleLevel(this.#module, this.#fn, model, [], named);
      if (result.kind === "int" || result.kind === "float") return Number(result.value);
      throw new HeddleError("unsupported", `perf_model of ${this.#fn.name} returns ${describe(result)}, not a number`);
    };
    const costs = new Map(configs.map((config) => [config, cost(config)]));
    return configs.toSorted((a, b) => (costs.get(a) ?? 0) - (costs.get(b) ?? 0)).slice(0, Math.max(1, most));
  }
}

/** The median of as many samples as a sweep of a ladder takes. */
async function timed(
  stopwatch: Stopwatch,
  before: () => void,
  restore: () => Promise<void>,
  launch: () => void,
): Promise<number> {
  const { warmups, least, most, precision, seconds } = SWEEP_PLAN;
  const samples: number[] = [];
  const started = performance.now();
  for (let i = 0; i < warmups + most; i++) {
    await restore();
    const ms = await stopwatch.time(before, [launch]);
    if (i >= warmups) samples.push(ms);
    if (samples.length < least) continue;
    if (isPrecise(samples, precision) || performance.now() - started > 1000 * seconds) break;
  }
  return median(samples);
}

/** As Triton writes it. */
export function configText({ constants, numWarps, numStages }: ConfigValue): string {
  const own = constants.map(
    ({ name, value }) => `${name}: ${valueText(value, [])?.replace(/^\w+ /, "") ?? describe(value)}`,
  );
  return [...own, `num_warps: ${numWarps ?? 4}`, "num_ctas: 1", `num_stages: ${numStages ?? 3}`, "maxnreg: None"].join(
    ", ",
  );
}

/** As Triton prints with TRITON_PRINT_AUTOTUNING=1. */
export function autotuneText({ kernel, key, config, seconds, isKept }: AutotuneChoice): string {
  const how = isKept ? "measured in an earlier run" : `finished after ${seconds.toFixed(2)}s`;
  return [
    `Triton autotuning for function ${kernel}`,
    `with key as (${key.join(", ")})`,
    how,
    `best config selected: ${config};`,
  ].join(",\n");
}

function keyWord(value: TritonArgument | undefined): string {
  if (value === undefined || value === null) return "None";
  if (value instanceof DeviceArray || value instanceof TypedArgument) return "an array";
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}

function arrayOf(fn: FunctionValue, given: ReadonlyMap<string, TritonArgument>, name: string): DeviceArray {
  const value = given.get(name);
  if (value instanceof TypedArgument) return value.array;
  if (value instanceof DeviceArray) return value;
  throw new HeddleError(
    "bad-arguments",
    `@triton.autotune of ${fn.name} resets ${name}, which is no array of the launch`,
  );
}

function fill({ raw }: Gpu, { pointer, byteLength }: DeviceArray): void {
  if (raw.queue === null) raw.fill(pointer, 0, 1, byteLength);
  else raw.queue.fill(pointer, 0, 1, byteLength, 0);
}

/** An emulated device skips a launch whose result is in memory; after this it does not know. */
function touch({ raw }: Gpu, arrays: readonly DeviceArray[]): void {
  if (raw.queue === null)
    for (const { pointer, byteLength } of arrays) if (byteLength > 0) raw.copy(pointer, pointer, 1);
}
