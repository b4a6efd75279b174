/**
 * Modules: parameters, buffers and other modules in fields, and `forward`, which computes with them.
 *
 * Names of state are PyTorch's: the field `runningMean` is `running_mean` in a state dict.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import { describeValue } from "../../base/options.ts";
import type { Gpu } from "../../library/gpu.ts";
import { withoutTape } from "../autograd/tape.ts";
import { isFloating, type TensorDtype } from "../dtypes.ts";
import { currentTracer } from "../follower.ts";
import { Tensor } from "../tensor.ts";
import { addModuleHook, type BackwardHook, type ForwardHook, type ForwardPreHook, type HookHandle } from "./hooks.ts";
import { Buffer, Parameter, type BufferOptions } from "./parameter.ts";
import "../api/tensor-methods.ts";
import "../api/element-methods.ts";

/** Tensors by their names: what a module has learned. */
export type StateDict = Record<string, Tensor>;

export interface LoadOptions {
  /** Names that are missing or unexpected are an error; default true. */
  readonly strict?: boolean;
}

/** What `loadStateDict` found different, where it is not strict. */
export interface LoadResult {
  readonly missingKeys: readonly string[];
  readonly unexpectedKeys: readonly string[];
}

/** `runningMean` becomes `running_mean`. */
export function stateKey(field: string): string {
  return field.replace(
    /([a-z0-9])([A-Z])/g,
    (_, before: string, letter: string) => `${before}_${letter.toLowerCase()}`,
  );
}

const join = (prefix: string, name: string): string => (prefix === "" ? name : `${prefix}.${name}`);

/** A module with its own `forward`. */
export abstract class Module {
  #isTraining = true;

  /** Whether it is being trained: dropout and batch norms differ. Set it with `train` and `eval`. */
  get training(): boolean {
    currentTracer()?.sees(this);
    return this.#isTraining;
  }

  set training(isTraining: boolean) {
    this.#isTraining = isTraining;
  }

  abstract forward(...inputs: never[]): unknown;

  /** @internal Names and values in which parameters, buffers and modules are looked for, and how to replace one. */
  members(): Iterable<readonly [string, unknown]> {
    return Object.entries(this);
  }

  /** @internal */
  setMember(name: string, value: unknown): void {
    (this as unknown as Record<string, unknown>)[name] = value;
  }

  /** The modules in its fields. */
  *namedChildren(): Generator<readonly [string, Module]> {
    for (const [name, value] of this.members()) if (value instanceof Module) yield [stateKey(name), value];
  }

  children(): Module[] {
    return [...this.namedChildren()].map(([, child]) => child);
  }

  /** It, and all modules in it; each once. */
  *namedModules(prefix = "", seen: Set<Module> = new Set()): Generator<readonly [string, Module]> {
    if (seen.has(this)) return;
    seen.add(this);
    yield [prefix, this];
    for (const [name, child] of this.namedChildren()) yield* child.namedModules(join(prefix, name), seen);
  }

  modules(): Module[] {
    return [...this.namedModules()].map(([, module]) => module);
  }

  /** All parameters, with those of the modules in it; each once. */
  *namedParameters(prefix = ""): Generator<readonly [string, Parameter]> {
    yield* this.#named(prefix, (value): value is Parameter => value instanceof Parameter);
  }

  parameters(): Parameter[] {
    return [...this.namedParameters()].map(([, parameter]) => parameter);
  }

  *namedBuffers(prefix = ""): Generator<readonly [string, Buffer]> {
    yield* this.#named(prefix, (value): value is Buffer => value instanceof Buffer);
  }

  buffers(): Buffer[] {
    return [...this.namedBuffers()].map(([, buffer]) => buffer);
  }

  *#named<T extends Tensor>(prefix: string, isWanted: (value: unknown) => value is T): Generator<readonly [string, T]> {
    const seen = new Set<T>();
    for (const [path, module] of this.namedModules(prefix))
      for (const [name, value] of module.members()) {
        if (!isWanted(value) || seen.has(value)) continue;
        seen.add(value);
        yield [join(path, stateKey(name)), value];
      }
  }

  /** Adds a buffer as the field `name`. */
  registerBuffer(name: string, tensor: Tensor, options: BufferOptions = {}): Buffer {
    const buffer = new Buffer(tensor, options);
    this.setMember(name, buffer);
    return buffer;
  }

  /** Adds a parameter as the field `name`. */
  registerParameter(name: string, data: Tensor): Parameter {
    const parameter = data instanceof Parameter ? data : new Parameter(data);
    this.setMember(name, parameter);
    return parameter;
  }

  /** Called before `forward`, with its inputs; an array that it returns takes their place. */
  registerForwardPreHook(hook: ForwardPreHook): HookHandle {
    return addModuleHook(this, "before", hook);
  }

  /** Called behind `forward`, with its inputs and output; what it returns takes the output's place. */
  registerForwardHook(hook: ForwardHook): HookHandle {
    return addModuleHook(this, "after", hook);
  }

  /**
   * Called in `backward` with the gradients of the module's inputs and outputs; an array that it returns takes the place
   * of the former. Inputs must need gradients, themselves or by what they were computed from.
   */
  registerFullBackwardHook(hook: BackwardHook): HookHandle {
    return addModuleHook(this, "backward", hook);
  }

  /** For training, it and all modules in it. */
  train(isTraining = true): this {
    for (const module of this.modules()) module.training = isTraining;
    return this;
  }

  /** For use, not for training. */
  eval(): this {
    return this.train(false);
  }

  requiresGrad_(requires = true): this {
    for (const parameter of this.parameters()) parameter.isLeafWithGradient = requires;
    return this;
  }

  zeroGrad(): void {
    for (const parameter of this.parameters()) parameter.setGradient(null);
  }

  /** Calls `work` with each module in it, and at last with itself. */
  apply(work: (module: Module) => void): this {
    for (const child of this.children()) child.apply(work);
    work(this);
    return this;
  }

  /**
   * Moves it to a device, to the host (null), or to a type of floats. Its parameters are other objects from then on:
   * make optimisers afterwards.
   */
  to(target: TensorDtype | Gpu | null): this {
    const moved = new Map<Tensor, Tensor>();
    withoutTape(() => {
      for (const module of this.modules())
        for (const [name, value] of module.members()) {
          if (!(value instanceof Parameter || value instanceof Buffer)) continue;
          const known = moved.get(value) ?? movedTensor(value, target);
          moved.set(value, known);
          if (known !== value) module.setMember(name, known);
        }
    });
    return this;
  }

  float(): this {
    return this.to("float32");
  }

  double(): this {
    return this.to("float64");
  }

  half(): this {
    return this.to("float16");
  }

  bfloat16(): this {
    return this.to("bfloat16");
  }

  cpu(): this {
    return this.to(null);
  }

  /** Parameters and persistent buffers by name. They share their memory with the module. */
  stateDict(prefix = ""): StateDict {
    const state: StateDict = {};
    for (const [key, value] of this.#state(prefix)) state[key] = value.detach();
    return state;
  }

  /** Names of tied parameters appear as often as they have places. */
  *#state(prefix: string): Generator<readonly [string, Parameter | Buffer]> {
    for (const [name, value] of this.members())
      if (value instanceof Parameter) yield [join(prefix, stateKey(name)), value];
    for (const [name, value] of this.members())
      if (value instanceof Buffer && value.isPersistent) yield [join(prefix, stateKey(name)), value];
    for (const [name, child] of this.namedChildren()) yield* child.#state(join(prefix, name));
  }

  /**
   * Copies the elements of a state dict into the parameters and buffers of the same names.
   * @throws HeddleError "bad-arguments" with all names that are missing or unexpected, and all shapes that differ
   */
  loadStateDict(state: StateDict, { strict = true }: LoadOptions = {}): LoadResult {
    const own = new Map(this.#state(""));
    const missingKeys = [...own.keys()].filter((key) => state[key] === undefined);
    const unexpectedKeys = Object.keys(state).filter((key) => !own.has(key));
    const problems: string[] = [];
    const list = (keys: readonly string[]): string => keys.map((key) => `"${key}"`).join(", ");
    if (strict && unexpectedKeys.length > 0) problems.push(`Unexpected key(s) in state_dict: ${list(unexpectedKeys)}.`);
    if (strict && missingKeys.length > 0) problems.push(`Missing key(s) in state_dict: ${list(missingKeys)}.`);
    for (const [key, target] of own) {
      const source = state[key];
      if (source === undefined) continue;
      if (!(source instanceof Tensor)) problems.push(`"${key}" is not a tensor but ${describeValue(source)}.`);
      else if (source.shape.join() !== target.shape.join())
        problems.push(
          `size mismatch for ${key}: copying a param with shape [${source.shape.join(", ")}] from checkpoint, the ` +
            `shape in current model is [${target.shape.join(", ")}].`,
        );
    }
    if (problems.length > 0)
      throw new HeddleError(
        "bad-arguments",
        [`Error(s) in loading state_dict for ${this.constructor.name}:`, ...problems].join("\n  "),
      );
    withoutTape(() => {
      for (const [key, target] of own) {
        const source = state[key];
        if (source !== undefined) target.copy_(source.place === target.place ? source : source.to(target.device));
      }
    });
    return { missingKeys, unexpectedKeys };
  }

  /** What stands between the parentheses of `toString`. */
  extraRepr(): string {
    return "";
  }

  /** As PyTorch prints modules. */
  toString(): string {
    const children = [...this.members()].filter((entry): entry is [string, Module] => entry[1] instanceof Module);
    const { name } = this.constructor;
    if (children.length === 0) return `${name}(${this.extraRepr()})`;
    const own = this.extraRepr();
    const lines = [...(own === "" ? [] : [own]), ...children.map(([key, child]) => `(${stateKey(key)}): ${child}`)];
    return `${name}(\n${lines.map((line) => `  ${line.replaceAll("\n", "\n  ")}\n`).join("")})`;
  }
}

/** A module of one tensor, as those in a Sequential are. */
export interface TensorModule extends Module {
  forward(input: Tensor): Tensor;
}

function movedTensor(tensor: Parameter | Buffer, target: TensorDtype | Gpu | null): Tensor {
  const isType = typeof target === "string";
  if (isType && !isFloating(target)) throw new HeddleError("bad-arguments", `a module is of floats: ${target} is none`);
  if (isType && !isFloating(tensor.dtype)) return tensor;
  if (tensor instanceof Buffer && tensor.isOnHost && !isType) return tensor;
  const data = tensor.to(target);
  if (data === tensor) return tensor;
  if (tensor instanceof Buffer) return new Buffer(data, { persistent: tensor.isPersistent, onHost: tensor.isOnHost });
  const parameter = new Parameter(data, tensor.isLeafWithGradient);
  if (tensor.grad !== null) parameter.setGradient(tensor.grad.to(target));
  return parameter;
}
