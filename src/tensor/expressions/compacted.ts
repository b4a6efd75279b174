/** Expressions that do not use all of their inputs. */
import { input, partsOf, substitute, type Expression } from "./expression.ts";

const compact = new WeakMap<Expression, Expression>();

/** The expression of its own inputs alone, numbered from 0. */
export function compacted(expression: Expression, used: readonly number[]): Expression {
  let known = compact.get(expression);
  if (known !== undefined) return known;
  const places = new Map(used.map((k, at) => [k, at]));
  const inputs = Array.from({ length: (used.at(-1) ?? -1) + 1 }, (_, k) =>
    input(places.get(k) ?? 0, isBoolInput(expression, k)),
  );
  known = substitute(expression, inputs);
  compact.set(expression, known);
  return known;
}

function isBoolInput(expression: Expression, index: number): boolean {
  return partsOf([expression]).some((part) => part.op === "input" && part.index === index && part.isBool);
}
