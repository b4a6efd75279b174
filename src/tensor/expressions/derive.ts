/** Derivatives of expressions, as expressions: of these again, there are derivatives. */
import { call, input, partsOf, type Expression } from "./expression.ts";
import { derivativeOf } from "./derivatives.ts";

/**
 * For each input that a derivative exists for: the gradient of what the expression gives, times the derivative by this
 * input. Input 0 of the result is the gradient; the inputs of `expression` follow.
 * @returns null for an input whose derivative is 0. @throws HeddleError "unsupported"
 */
export function gradientsOf(expression: Expression, inputs: number): (Expression | null)[] {
  const parts = partsOf([expression]);
  const shifted = new Map<Expression, Expression>();
  for (const part of parts) shifted.set(part, shiftedPart(part, shifted));
  const adjoints = new Map<Expression, Expression>([[expression, input(0)]]);
  const results: (Expression | null)[] = Array.from({ length: inputs }, () => null);
  const add = (a: Expression | null | undefined, b: Expression): Expression => (a == null ? b : call("add", a, b));
  for (const part of parts.toReversed()) {
    const adjoint = adjoints.get(part);
    if (adjoint === undefined || part.isBool) continue;
    if (part.op === "input") results[part.index] = add(results[part.index], adjoint);
    if (!("args" in part)) continue;
    const args = part.args.map((arg) => shifted.get(arg) as Expression);
    const own = derivativeOf(part.op)(adjoint, args, shifted.get(part) as Expression);
    for (const [i, arg] of part.args.entries()) {
      const of = own[i];
      if (of != null && !(of.op === "constant" && of.value === 0)) adjoints.set(arg, add(adjoints.get(arg), of));
    }
  }
  return results;
}

/** The part with the gradient as input 0, and all inputs after it. */
function shiftedPart(part: Expression, known: ReadonlyMap<Expression, Expression>): Expression {
  if (part.op === "input") return input(part.index + 1, part.isBool);
  return "args" in part ? call(part.op, ...part.args.map((arg) => known.get(arg) as Expression)) : part;
}
