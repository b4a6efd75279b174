/** Expressions as statements of a Triton kernel. */
import { partsOf, type Expression } from "./expression.ts";
import { isFloatType, type ComputeType } from "./primitive.ts";
import { PRIMITIVES } from "./primitives.ts";

/** A helper that some primitives call: it stands in front of a kernel that needs it. */
export const TRITON_HELPERS = `@triton.jit
def _remainder(rest, y):
    return tl.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)


@triton.jit
def _whole_power(x, y):
    result = x * 0 + y * 0 + 1
    base = result * x
    left = y + x * 0
    for _ in range(0, 64):
        result = tl.where((left & 1) != 0, result * base, result)
        base = base * base
        left = left >> 1
    one = x * 0 + 1
    minus = x * 0 - 1
    inverse = tl.where(x == one, one, tl.where(x == minus, tl.where((y & 1) != 0, minus, one), x * 0)).to(result.dtype)
    return tl.where(y < 0, inverse, result)


`;

/** The helpers, where these lines of a kernel call one. */
export function helpersFor(lines: readonly string[]): string {
  return lines.some((line) => line.includes("_remainder(") || line.includes("_whole_power(")) ? TRITON_HELPERS : "";
}

/** A number of the computing type. */
export function number(value: number, type: ComputeType): string {
  if (!isFloatType(type)) return String(value);
  if (value !== value) return 'float("nan")';
  if (!Number.isFinite(value)) return value > 0 ? 'float("inf")' : '-float("inf")';
  const text = Object.is(value, -0) ? "-0" : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** Functions of two arguments, both of which have to be tiles. */
const OF_LIBDEVICE: ReadonlySet<string> = new Set(["pow", "fmod", "atan2", "copysign"]);

/** Whether a kernel can compute it. */
export function hasTritonText(expression: Expression): boolean {
  return partsOf([expression]).every((part) => !("args" in part) || PRIMITIVES[part.op].triton !== null);
}

/**
 * @param inputs the names of tiles: conditions as int1, all others of the computing type
 * @returns the statements, and the name of each expression's tile; equal parts are computed once
 */
export function tritonStatements(
  expressions: readonly Expression[],
  type: ComputeType,
  inputs: readonly string[],
): { readonly lines: readonly string[]; readonly results: readonly string[] } {
  const names = new Map<Expression, string>();
  const byText = new Map<string, string>();
  const lines: string[] = [];
  /** Where the other operands are constants, too, a number has to say its type. */
  const typed = (value: number): string => `tl.full([1], ${number(value, type)}, tl.${type})`;
  for (const part of partsOf(expressions)) {
    if (part.op === "input") names.set(part, inputs[part.index] as string);
    else if (part.op === "constant") names.set(part, number(part.value, type));
    else {
      const isAlone = part.args.every((arg) => arg.op === "constant" || arg.isBool);
      const args = part.args.map((arg) =>
        arg.op === "constant" && (isAlone || OF_LIBDEVICE.has(part.op)) ? typed(arg.value) : (names.get(arg) as string),
      );
      const text = PRIMITIVES[part.op].triton?.(args, type) ?? "";
      const known = byText.get(text);
      const name = known ?? `t${byText.size}`;
      if (known === undefined) {
        byText.set(text, name);
        lines.push(`${name} = ${text}`);
      }
      names.set(part, name);
    }
  }
  const results = expressions.map((expression) =>
    expression.op === "constant" ? typed(expression.value) : (names.get(expression) as string),
  );
  return { lines, results };
}
