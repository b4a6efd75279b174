/** Functions of the language: their parameters are bound as Python does, then each is a function of named values. */
import { didYouMean } from "../../../base/suggestions.ts";
import type { Arguments, CompileContext } from "./context.ts";
import { describe, integers } from "./conversions.ts";
import { NONE, truthOf, type BuiltinValue, type TupleValue, type Value } from "./values.ts";

/** Arguments by parameter; those that were left out are None. */
export class Bound {
  readonly c: CompileContext;
  readonly #values: ReadonlyMap<string, Value>;
  readonly #function: string;
  /** What `*args` takes. */
  readonly rest: readonly Value[];

  constructor(c: CompileContext, name: string, values: ReadonlyMap<string, Value>, rest: readonly Value[]) {
    this.c = c;
    this.#function = name;
    this.#values = values;
    this.rest = rest;
  }

  get(name: string): Value {
    return this.#values.get(name) ?? NONE;
  }

  has(name: string): boolean {
    return this.get(name).kind !== "none";
  }

  /** A number known at compile time. */
  int(name: string): number {
    const value = this.get(name);
    if (value.kind === "bool") return Number(value.value);
    return value.kind === "int"
      ? Number(value.value)
      : this.c.fail(`${this.#function}'s ${name} must be a constexpr integer, got ${describe(value)}`);
  }

  flag(name: string, otherwise = false): boolean {
    if (!this.has(name)) return otherwise;
    return truthOf(this.get(name)) ?? this.c.fail(`${this.#function}'s ${name} must be a constexpr, not a tensor`);
  }

  string(name: string, otherwise = ""): string {
    const value = this.get(name);
    if (value.kind === "none") return otherwise;
    return value.kind === "string"
      ? value.value
      : this.c.fail(`${this.#function}'s ${name} must be a string, got ${describe(value)}`);
  }

  /** One of the strings. */
  choice(name: string, choices: readonly string[]): string {
    const value = this.string(name);
    if (value !== "" && !choices.includes(value))
      return this.c.fail(`${this.#function}'s ${name} "${value}" is not supported`, [
        `it is one of ${choices.map((choice) => `"${choice}"`).join(", ")}`,
      ]);
    return value;
  }

  tuple(name: string): TupleValue {
    const value = this.get(name);
    if (value.kind === "none") return { kind: "tuple", items: [] };
    return value.kind === "tuple" || value.kind === "list" ? value : { kind: "tuple", items: [value] };
  }

  integers(name: string): number[] {
    return integers(this.c, this.tuple(name), `${this.#function}'s ${name}`);
  }
}

interface Parameter {
  readonly name: string;
  readonly isOptional: boolean;
  readonly isRest: boolean;
}

/**
 * @param signature as in Python, but without the values of defaults: `load(pointer, mask=)`, `print(prefix, *args)`.
 */
export function builtin(signature: string, body: (a: Bound, c: CompileContext) => Value): BuiltinValue {
  const [, name = "", list = ""] = /^(\w+)\((.*)\)$/.exec(signature) ?? [];
  const params = list
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")
    .map((word): Parameter => ({
      name: word.replace(/^\*|=$/g, ""),
      isOptional: word.endsWith("="),
      isRest: word.startsWith("*"),
    }));
  return {
    kind: "builtin",
    name,
    call: (c, args) => {
      const { values, rest } = bind(c, name, params, args);
      return body(new Bound(c, name, values, rest), c);
    },
  };
}

function bind(
  c: CompileContext,
  name: string,
  params: readonly Parameter[],
  { positional, keywords }: Arguments,
): { values: Map<string, Value>; rest: readonly Value[] } {
  const values = new Map<string, Value>();
  const restAt = params.findIndex(({ isRest }) => isRest);
  const places = restAt < 0 ? params.length : restAt;
  if (positional.length > places && restAt < 0)
    return c.fail(`${name}() takes ${params.length} positional arguments but ${positional.length} were given`);
  for (const [i, value] of positional.slice(0, places).entries()) values.set((params[i] as Parameter).name, value);
  for (const [keyword, value] of keywords) {
    if (!params.some((param) => param.name === keyword && !param.isRest)) {
      // Underscores begin what Triton passes itself.
      if (keyword.startsWith("_")) continue;
      const names = params.map((param) => param.name);
      return c.fail(`${name}() got an unexpected keyword argument '${keyword}'${didYouMean(keyword, names)}`, [
        `its parameters are ${names.join(", ")}`,
      ]);
    }
    if (values.has(keyword)) return c.fail(`${name}() got multiple values for argument '${keyword}'`);
    values.set(keyword, value);
  }
  const missing = params.find((param) => !param.isOptional && !param.isRest && !values.has(param.name));
  if (missing !== undefined) return c.fail(`${name}() missing a required argument: '${missing.name}'`);
  return { values, rest: positional.slice(places) };
}
