/** Modules that hold other modules: one after the other, by number, or by name. */
import { HeddleError } from "../../base/diagnostics.ts";
import { describeValue } from "../../base/options.ts";
import type { Tensor } from "../tensor.ts";
import { fusedLayers } from "./fused-layers.ts";
import { Module, type TensorModule } from "./module.ts";
import { Parameter } from "./parameter.ts";

function requireModule(what: string, value: unknown): void {
  if (!(value instanceof Module))
    throw new HeddleError("bad-arguments", `${what} holds modules, not ${describeValue(value)}`);
}

abstract class Numbered<M extends Module> extends Module implements Iterable<M> {
  /** Not a field that is searched: the numbers are the names. */
  readonly #modules: M[] = [];

  get length(): number {
    return this.#modules.length;
  }

  /** Negative numbers count from the end. @throws HeddleError "bad-arguments" */
  at(index: number): M {
    const module = this.#modules.at(index);
    if (module === undefined)
      throw new HeddleError("bad-arguments", `index ${index} is out of range: there are ${this.length} modules`);
    return module;
  }

  append(module: M): this {
    requireModule(this.constructor.name, module);
    this.#modules.push(module);
    return this;
  }

  [Symbol.iterator](): Iterator<M> {
    return this.#modules[Symbol.iterator]();
  }

  override members(): Iterable<readonly [string, unknown]> {
    return this.#modules.map((module, i) => [String(i), module] as const);
  }

  override setMember(name: string, value: unknown): void {
    this.#modules[Number(name)] = value as M;
  }
}

/** Modules one after the other: each takes what the one before returns. */
export class Sequential extends Numbered<TensorModule> {
  constructor(...modules: readonly TensorModule[]) {
    super();
    for (const module of modules) this.append(module);
  }

  /** Layers that are one operation together are computed as one: see fused-layers.ts. */
  override forward(input: Tensor): Tensor {
    let result = input;
    for (let i = 0; i < this.length;) {
      const fused = fusedLayers(this, i, result);
      result = fused?.result ?? this.at(i).forward(result);
      i += fused?.count ?? 1;
    }
    return result;
  }
}

/** Modules by number, which its owner calls. */
export class ModuleList<M extends Module = TensorModule> extends Numbered<M> {
  constructor(modules: Iterable<M> = []) {
    super();
    for (const module of modules) this.append(module);
  }

  override forward(): never {
    throw new HeddleError("bad-arguments", "a ModuleList has no forward: call the modules in it");
  }
}

/** Modules by name, which its owner calls. */
export class ModuleDict<M extends Module = TensorModule> extends Module {
  readonly #modules = new Map<string, M>();

  constructor(modules: Readonly<Record<string, M>> = {}) {
    super();
    for (const [name, module] of Object.entries(modules)) this.set(name, module);
  }

  get(name: string): M | undefined {
    return this.#modules.get(name);
  }

  set(name: string, module: M): this {
    requireModule("a ModuleDict", module);
    this.#modules.set(name, module);
    return this;
  }

  keys(): Iterable<string> {
    return this.#modules.keys();
  }

  override members(): Iterable<readonly [string, unknown]> {
    return this.#modules;
  }

  override setMember(name: string, value: unknown): void {
    this.#modules.set(name, value as M);
  }

  override forward(): never {
    throw new HeddleError("bad-arguments", "a ModuleDict has no forward: call the modules in it");
  }
}

/** Parameters by number. */
export class ParameterList extends Module {
  readonly #parameters: Parameter[];

  constructor(parameters: Iterable<Tensor> = []) {
    super();
    this.#parameters = [...parameters].map((data) => (data instanceof Parameter ? data : new Parameter(data)));
  }

  get length(): number {
    return this.#parameters.length;
  }

  at(index: number): Parameter | undefined {
    return this.#parameters.at(index);
  }

  override members(): Iterable<readonly [string, unknown]> {
    return this.#parameters.map((parameter, i) => [String(i), parameter] as const);
  }

  override setMember(name: string, value: unknown): void {
    this.#parameters[Number(name)] = value as Parameter;
  }

  override forward(): never {
    throw new HeddleError("bad-arguments", "a ParameterList has no forward: use the parameters in it");
  }
}
