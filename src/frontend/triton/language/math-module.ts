/** Python's module `math`, at compile time. */
import { describe } from "./conversions.ts";
import { builtin } from "./signature.ts";
import { floatValue, intValue, type BuiltinValue, type Value } from "./values.ts";

const CONSTANTS: Readonly<Record<string, number>> = {
  pi: Math.PI,
  e: Math.E,
  inf: Infinity,
  nan: NaN,
  tau: 2 * Math.PI,
};

const FUNCTIONS: Readonly<Record<string, (x: number) => number>> = {
  sqrt: Math.sqrt,
  log: Math.log,
  log2: Math.log2,
  exp: Math.exp,
  ceil: Math.ceil,
  floor: Math.floor,
};

function mathFunction(name: string, compute: (x: number) => number): BuiltinValue {
  return builtin(`${name}(x)`, (a, c) => {
    const x = a.get("x");
    if (x.kind !== "int" && x.kind !== "float") return c.fail(`math.${name} takes a number, not ${describe(x)}`);
    const result = compute(Number(x.value));
    return name === "ceil" || name === "floor" ? intValue(result) : floatValue(result);
  });
}

/** Null: it is not here. */
export function mathAttribute(name: string): Value | null {
  const constant = Object.hasOwn(CONSTANTS, name) ? CONSTANTS[name] : undefined;
  if (constant !== undefined) return floatValue(constant);
  const compute = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  return compute === undefined ? null : mathFunction(name, compute);
}
