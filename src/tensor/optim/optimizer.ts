/** What all optimisers have in common: groups of parameters with options, and state for each parameter. */
import { HeddleError } from "../../base/diagnostics.ts";
import { describeValue } from "../../base/options.ts";
import { withoutTape } from "../autograd/tape.ts";
import { asOperation } from "../operation-names.ts";
import { full } from "../operations/creation.ts";
import { Tensor } from "../tensor.ts";
import { applyUpdate, type Row, type Update } from "./update.ts";

/** A group: its parameters, and options that are its own. */
export type ParameterGroup<Options> = Partial<Options> & { readonly params: readonly Tensor[] };

/** A group in use: its options can be changed between steps, as schedules do. */
export type Group<Options> = { -readonly [Name in keyof Options]: Options[Name] } & { readonly params: Tensor[] };

/** Of one parameter. */
export interface ParameterState {
  step: number;
  readonly tensors: Record<string, Tensor>;
}

/** What an optimiser has learned: parameters are numbered in the order of the groups. */
export interface OptimizerState {
  readonly state: Readonly<Record<string, Readonly<Record<string, Tensor | number>>>>;
  readonly paramGroups: readonly Readonly<Record<string, unknown>>[];
}

/** What a parameter's step needs beside the options. */
export interface Step {
  readonly update: Update;
  readonly numbers: readonly number[];
  /** Names of tensors of state, in the order of the update's inputs behind the parameter and its gradient. */
  readonly state: readonly string[];
}

export abstract class Optimizer<Options extends { lr: number }> {
  readonly paramGroups: Group<Options>[] = [];
  readonly defaults: Options;
  readonly #states = new Map<Tensor, ParameterState>();

  constructor(params: Iterable<Tensor> | readonly ParameterGroup<Options>[], defaults: Options) {
    this.defaults = defaults;
    const given = [...(params as Iterable<Tensor | ParameterGroup<Options>>)];
    if (given.length === 0) throw new HeddleError("bad-arguments", "optimizer got an empty parameter list");
    if (given.every((one) => one instanceof Tensor)) this.addParamGroup({ params: given } as never);
    else for (const group of given) this.addParamGroup(group as ParameterGroup<Options>);
  }

  /** @throws HeddleError "bad-arguments" for options out of range */
  protected abstract check(options: Options): void;
  /** What the next step of a parameter does. Parameters with the same answer are stepped together. */
  protected abstract stepOf(group: Group<Options>, state: ParameterState): Step;
  /** What a tensor of state is at the beginning; default 0. */
  protected initialState(_name: string, _group: Group<Options>): number {
    return 0;
  }

  addParamGroup(group: ParameterGroup<Options>): void {
    const params = [...(group.params ?? [])];
    for (const param of params) {
      if (!(param instanceof Tensor))
        throw new HeddleError(
          "bad-arguments",
          `optimizer can only optimize Tensors, but one is ${describeValue(param)}`,
        );
      if (!param.isLeaf) throw new HeddleError("bad-arguments", "can't optimize a non-leaf Tensor");
      if (this.paramGroups.some((other) => other.params.includes(param)))
        throw new HeddleError("bad-arguments", "some parameters appear in more than one parameter group");
    }
    const options = { ...this.defaults, ...group, params };
    this.check(options);
    this.paramGroups.push(options as unknown as Group<Options>);
  }

  /** Forgets all gradients. */
  zeroGrad(): void {
    for (const { params } of this.paramGroups) for (const param of params) param.setGradient(null);
  }

  /** One step along the gradients. Parameters without a gradient stay as they are. */
  step(): void {
    asOperation(`${this.constructor.name}.step`, [], () =>
      withoutTape(() => {
        for (const group of this.paramGroups) this.#stepGroup(group);
      }),
    );
  }

  #stepGroup(group: Group<Options>): void {
    const batches = new Map<string, { readonly step: Step; readonly rows: Row[] }>();
    for (const param of group.params) {
      if (param.grad === null) continue;
      const state = this.#stateOf(param);
      state.step++;
      const step = this.stepOf(group, state);
      const key = `${step.update.name} ${step.numbers.join()} ${param.dtype} ${placeKey(param)}`;
      const batch = batches.get(key) ?? { step, rows: [] };
      batches.set(key, batch);
      batch.rows.push([param, gradientOf(param), ...step.state.map((name) => this.#tensorOf(param, group, name))]);
    }
    for (const { step, rows } of batches.values()) applyUpdate(step.update, rows, step.numbers);
  }

  #stateOf(param: Tensor): ParameterState {
    let state = this.#states.get(param);
    if (state === undefined) this.#states.set(param, (state = { step: 0, tensors: {} }));
    return state;
  }

  #tensorOf(param: Tensor, group: Group<Options>, name: string): Tensor {
    const { tensors } = this.#stateOf(param);
    // It outlives the scope of the step that made it.
    return (tensors[name] ??= full(param.shape, this.initialState(name, group), param.dtype, param.place).retain());
  }

  /** Options and state, to go on from later. Tensors share their memory with the optimiser. */
  stateDict(): OptimizerState {
    const state: Record<string, Record<string, Tensor | number>> = {};
    const paramGroups: Record<string, unknown>[] = [];
    let number = 0;
    for (const group of this.paramGroups) {
      const { params, ...options } = group;
      const numbers: number[] = [];
      for (const param of params) {
        const own = this.#states.get(param);
        if (own !== undefined) {
          const tensors = Object.entries(own.tensors).map(([name, tensor]) => [name, tensor.detach()] as const);
          state[number] = { step: own.step, ...Object.fromEntries(tensors) };
        }
        numbers.push(number++);
      }
      paramGroups.push({ ...options, params: numbers });
    }
    return { state, paramGroups };
  }

  /** @throws HeddleError "bad-arguments" if it is of other groups */
  loadStateDict({ state, paramGroups }: OptimizerState): void {
    const counts = (of: readonly { readonly params?: unknown }[]): string =>
      of.map(({ params }) => (params as readonly unknown[] | undefined)?.length ?? 0).join();
    if (paramGroups.length !== this.paramGroups.length)
      throw new HeddleError("bad-arguments", "loaded state dict has a different number of parameter groups");
    if (counts(paramGroups) !== counts(this.paramGroups))
      throw new HeddleError(
        "bad-arguments",
        "loaded state dict contains a parameter group that doesn't match the size of optimizer's group",
      );
    this.#states.clear();
    let number = 0;
    for (const [i, group] of this.paramGroups.entries()) {
      const { params: _, ...options } = paramGroups[i] as Record<string, unknown>;
      Object.assign(group, options);
      for (const param of group.params) {
        const saved = state[number++];
        if (saved === undefined) continue;
        const own = this.#stateOf(param);
        own.step = Number(saved["step"] ?? 0);
        withoutTape(() => {
          for (const [name, value] of Object.entries(saved))
            if (value instanceof Tensor) own.tensors[name] = value.to(param.device).to(param.dtype).clone().retain();
        });
      }
    }
  }

  toString(): string {
    const groups = this.paramGroups.map((group, i) => {
      const { params: _, ...options } = group;
      const lines = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
      return `Parameter Group ${i}\n${lines.map(([name, value]) => `    ${name}: ${String(value)}\n`).join("")}`;
    });
    return `${this.constructor.name} (\n${groups.join("\n")})`;
  }
}

const places = new WeakMap<object, number>();
let placeCount = 0;

function placeKey({ place }: Tensor): number {
  if (place === null) return 0;
  let key = places.get(place);
  if (key === undefined) places.set(place, (key = ++placeCount));
  return key;
}

/** In the parameter's type. */
function gradientOf(param: Tensor): Tensor {
  const grad = param.grad as Tensor;
  return grad.dtype === param.dtype ? grad : grad.to(param.dtype);
}

/** @throws HeddleError "bad-arguments" if the value is below `least` */
export function requireAtLeast(name: string, value: number, least = 0): void {
  if (!(value >= least)) throw new HeddleError("bad-arguments", `Invalid ${name} value: ${value}`);
}

export function requireBetas([first, second]: readonly [number, number]): void {
  for (const [i, beta] of [first, second].entries())
    if (!(beta >= 0 && beta < 1))
      throw new HeddleError("bad-arguments", `Invalid beta parameter at index ${i}: ${beta}`);
}
