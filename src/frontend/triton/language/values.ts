/** What a Python expression is while a kernel is compiled: a constant, a block of values, or only a name. */
import type { FunctionDefinition, Lambda, Span } from "../syntax/ast.ts";
import type { SourceText } from "../syntax/source-text.ts";
import type { BlockValue } from "../blocks/model.ts";
import type { Arguments, CompileContext } from "./context.ts";
import type { Dtype } from "./dtypes.ts";

/** A block, or a scalar at run time. */
export interface TensorValue {
  readonly kind: "tensor";
  readonly dtype: Dtype;
  readonly value: BlockValue;
  /** Facts of tl.multiple_of and of arguments; 1 if nothing is known. */
  readonly divisibility?: number;
}
export interface IntValue {
  readonly kind: "int";
  readonly value: bigint;
}
export interface FloatValue {
  readonly kind: "float";
  readonly value: number;
}
export interface BoolValue {
  readonly kind: "bool";
  readonly value: boolean;
}
export interface StringValue {
  readonly kind: "string";
  readonly value: string;
}
export interface NoneValue {
  readonly kind: "none";
}
export interface TupleValue {
  readonly kind: "tuple" | "list";
  readonly items: readonly Value[];
}
export interface DictValue {
  readonly kind: "dict";
  readonly entries: readonly { readonly key: Value; readonly value: Value }[];
}
export interface SliceValue {
  readonly kind: "slice";
}
export interface DtypeValue {
  readonly kind: "dtype";
  readonly dtype: Dtype;
}
/** A function of the user's (or of our library in Python). */
export interface FunctionValue {
  readonly kind: "function";
  readonly name: string;
  readonly definition: FunctionDefinition | Lambda;
  readonly source: SourceText;
  readonly globals: Scope;
  /** Decorated with triton.jit. */
  readonly isJit: boolean;
  /** triton.must_use_result: an error where nobody uses the result, with a text of the user's. */
  readonly mustUse?: boolean | string;
  readonly decorators: readonly DecoratorValue[];
}
/** `triton.autotune(…)` and `triton.heuristics(…)`, before they are applied. */
export interface DecoratorValue {
  readonly kind: "decorator";
  readonly name: "jit" | "autotune" | "heuristics" | "other";
  readonly args: Readonly<Record<string, Value>>;
}
/** `triton.Config(…)` */
export interface ConfigValue {
  readonly kind: "config";
  readonly constants: readonly { readonly name: string; readonly value: Value }[];
  readonly numWarps: number | null;
  readonly numStages: number | null;
  readonly preHook: Value | null;
}
export interface BuiltinValue {
  readonly kind: "builtin";
  readonly name: string;
  readonly call: (context: CompileContext, args: Arguments) => Value;
}
/** `import triton.language as tl`: its attributes are looked up by path. */
export interface ModuleValue {
  readonly kind: "module";
  readonly path: string;
  /** Of a file of the user's. */
  readonly scope?: Scope;
}
/** `range(…)` and its kin. */
export interface RangeValue {
  readonly kind: "range";
  readonly lower: Value;
  readonly upper: Value;
  readonly step: Value;
  /** tl.static_range: every iteration is compiled on its own. */
  readonly isStatic: boolean;
  /** num_stages=; null: not given. */
  readonly stages: number | null;
}
/** Something at module level that this compiler does not evaluate; using it is an error that names it. */
export interface UnknownValue {
  readonly kind: "unknown";
  /** "torch.Tensor", "the class Foo". */
  readonly what: string;
  readonly source: SourceText;
  readonly span: Span;
}
export interface BlockPointerValue {
  readonly kind: "block-pointer" | "descriptor";
  readonly base: TensorValue;
  readonly shape: readonly TensorValue[];
  readonly strides: readonly TensorValue[];
  readonly offsets: readonly TensorValue[];
  readonly blockShape: readonly number[];
  /** Of a descriptor: elements outside are NaN, not 0. */
  readonly padsWithNan?: boolean;
}

export type ConstantValue = IntValue | FloatValue | BoolValue | StringValue | NoneValue;
export type Value =
  | TensorValue
  | ConstantValue
  | TupleValue
  | DictValue
  | SliceValue
  | DtypeValue
  | FunctionValue
  | DecoratorValue
  | ConfigValue
  | BuiltinValue
  | ModuleValue
  | RangeValue
  | UnknownValue
  | BlockPointerValue;

/** Names to values; a thunk is evaluated when the name is first used. */
export class Scope {
  readonly #values = new Map<string, Value | (() => Value)>();
  readonly #outer: Scope | null;
  readonly #isGlobal: boolean;

  /** @param isGlobal a module's own scope, whose names are no variables of functions. */
  constructor(outer: Scope | null = null, isGlobal = false) {
    this.#outer = outer;
    this.#isGlobal = isGlobal;
  }

  /** Bound in the function that is being evaluated. */
  isLocal(name: string): boolean {
    if (this.#isGlobal) return false;
    return this.#values.has(name) || (this.#outer?.isLocal(name) ?? false);
  }

  set(name: string, value: Value | (() => Value)): void {
    this.#values.set(name, value);
  }

  delete(name: string): void {
    this.#values.delete(name);
  }

  /** Names of this scope alone. */
  names(): string[] {
    return [...this.#values.keys()];
  }

  /** In this scope alone, if it is evaluated. */
  own(name: string): Value | null {
    const value = this.#values.get(name);
    return value === undefined || typeof value === "function" ? null : value;
  }

  get(name: string): Value | null {
    const value = this.#values.get(name);
    if (value === undefined) return this.#outer?.get(name) ?? null;
    if (typeof value !== "function") return value;
    this.#values.delete(name);
    try {
      const evaluated = value();
      this.#values.set(name, evaluated);
      return evaluated;
    } catch (error) {
      this.#values.set(name, value);
      throw error;
    }
  }

  /** What a name is bound to now, to be evaluated later; the name may be bound anew meanwhile. */
  taken(name: string): () => Value | null {
    const value = this.#values.get(name);
    return () => (typeof value === "function" ? value() : (value ?? null));
  }

  allNames(): string[] {
    return [...this.names(), ...(this.#outer?.allNames() ?? [])];
  }
}

export const NONE: NoneValue = { kind: "none" };
export const SLICE: SliceValue = { kind: "slice" };

export function intValue(value: number | bigint): IntValue {
  return { kind: "int", value: BigInt(value) };
}
export function floatValue(value: number): FloatValue {
  return { kind: "float", value };
}
export function boolValue(value: boolean): BoolValue {
  return { kind: "bool", value };
}
export function stringValue(value: string): StringValue {
  return { kind: "string", value };
}

export function isConstant(value: Value): value is ConstantValue {
  return ["int", "float", "bool", "string", "none"].includes(value.kind);
}

export function isNumber(value: Value): value is IntValue | FloatValue | BoolValue {
  return value.kind === "int" || value.kind === "float" || value.kind === "bool";
}

/** Python's truth of a value that is known; null for what is only known at run time. */
export function truthOf(value: Value): boolean | null {
  switch (value.kind) {
    case "tensor":
    case "unknown":
      return null;
    case "int":
      return value.value !== 0n;
    case "float":
      return value.value !== 0;
    case "bool":
      return value.value;
    case "string":
      return value.value !== "";
    case "none":
      return false;
    case "tuple":
    case "list":
      return value.items.length > 0;
    case "dict":
      return value.entries.length > 0;
    default:
      return true;
  }
}
