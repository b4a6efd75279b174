/**
 * What an operation computes of one element of each operand: a tree of primitives. Its derivative, its code for the
 * host and its code for devices all follow from the tree.
 */
import { bug } from "../../base/diagnostics.ts";
import { PRIMITIVES, type PrimitiveName } from "./primitives.ts";

export type Expression = InputExpression | ConstantExpression | CallExpression;

/** An element of operand `index`. Conditions stay conditions; everything else is converted to the computing type. */
export interface InputExpression {
  readonly op: "input";
  readonly index: number;
  readonly isBool: boolean;
}

export interface ConstantExpression {
  readonly op: "constant";
  readonly value: number;
  readonly isBool: false;
}

export interface CallExpression {
  readonly op: PrimitiveName;
  readonly args: readonly Expression[];
  readonly isBool: boolean;
}

export function input(index: number, isBool = false): Expression {
  return { op: "input", index, isBool };
}

export function constant(value: number): ConstantExpression {
  return { op: "constant", value, isBool: false };
}

const isConstant = (expression: Expression | undefined, value: number): boolean =>
  expression?.op === "constant" && Object.is(expression.value, value);

/** A call, or what is equal to it and simpler. */
export function call(op: PrimitiveName, ...args: readonly Expression[]): Expression {
  const [x, y] = args as [Expression, Expression?];
  switch (op) {
    case "add":
      if (isConstant(x, 0)) return y as Expression;
      if (isConstant(y, 0)) return x;
      break;
    case "sub":
      if (isConstant(y, 0)) return x;
      if (isConstant(x, 0)) return call("neg", y as Expression);
      break;
    case "mul":
      // 0 · ∞ is 0 here: such a product comes from a derivative that is 0.
      if (isConstant(x, 0) || isConstant(y, 0)) return constant(0);
      if (isConstant(x, 1)) return y as Expression;
      if (isConstant(y, 1)) return x;
      break;
    case "div":
      if (isConstant(x, 0)) return constant(0);
      if (isConstant(y, 1)) return x;
      break;
    case "neg":
      if (x.op === "constant") return constant(-x.value);
      if (x.op === "neg") return x.args[0] as Expression;
      break;
    case "pow":
      if (isConstant(y, 1)) return x;
      break;
    case "where":
      if (y === args[2]) return y as Expression;
      break;
    default:
  }
  const { isBool } = PRIMITIVES[op];
  return { op, args, isBool };
}

/** Every part before those that it is a part of. */
export function partsOf(roots: readonly Expression[]): Expression[] {
  const order: Expression[] = [];
  const seen = new Set<Expression>();
  const visit = (expression: Expression): void => {
    if (seen.has(expression)) return;
    seen.add(expression);
    if ("args" in expression) for (const arg of expression.args) visit(arg);
    order.push(expression);
  };
  for (const root of roots) visit(root);
  return order;
}

/** The expression with other expressions in the place of its inputs. */
export function substitute(expression: Expression, inputs: readonly Expression[]): Expression {
  const known = new Map<Expression, Expression>();
  for (const part of partsOf([expression])) {
    if (part.op === "input") known.set(part, inputs[part.index] ?? bug(`no operand ${part.index}`));
    else if (part.op === "constant") known.set(part, part);
    else known.set(part, call(part.op, ...part.args.map((arg) => known.get(arg) as Expression)));
  }
  return known.get(expression) as Expression;
}

/** The inputs that it depends on. */
export function inputsOf(expression: Expression): ReadonlySet<number> {
  return new Set(partsOf([expression]).flatMap((part) => (part.op === "input" ? [part.index] : [])));
}

/** The inputs that are conditions. */
export function boolInputsOf(expressions: readonly Expression[]): ReadonlySet<number> {
  return new Set(partsOf(expressions).flatMap((part) => (part.op === "input" && part.isBool ? [part.index] : [])));
}

/** Equal for expressions that compute the same: a key for caches. */
export function textOf(expression: Expression): string {
  if (expression.op === "input") return `${expression.isBool ? "b" : "x"}${expression.index}`;
  if (expression.op === "constant") return Object.is(expression.value, -0) ? "-0" : String(expression.value);
  return `${expression.op}(${expression.args.map(textOf).join(",")})`;
}
