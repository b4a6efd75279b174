/** Expressions. */
import { newRegion } from "../blocks/build.ts";
import { describe, toTensor } from "../language/conversions.ts";
import { binary, compare, logical, toCondition, unary } from "../language/operators.ts";
import { textOf } from "../language/builtins/tools.ts";
import {
  NONE,
  SLICE,
  Scope,
  boolValue,
  floatValue,
  intValue,
  stringValue,
  truthOf,
  type Value,
} from "../language/values.ts";
import type { Expression } from "../syntax/ast.ts";
import { attribute, subscript } from "./attributes.ts";
import type { Evaluation } from "./evaluation.ts";
import { difference, flatten, rebuild } from "./flatten.ts";

type Of<K extends Expression["kind"]> = Extract<Expression, { kind: K }>;

export function evaluateExpression(c: Evaluation, expression: Expression, scope: Scope): Value {
  const outer = c.span;
  c.span = expression.span;
  const value = evaluate(c, expression, scope);
  c.span = outer;
  return value;
}

function evaluate(c: Evaluation, expression: Expression, scope: Scope): Value {
  const of = (part: Expression): Value => evaluateExpression(c, part, scope);
  switch (expression.kind) {
    case "name":
      return c.lookup(expression.id, scope);
    case "int":
      return intValue(expression.value);
    case "float":
      return floatValue(expression.value);
    case "string":
      return stringValue(expression.value);
    case "constant":
      return expression.value === null ? NONE : boolValue(expression.value);
    case "attribute":
      return attribute(c, of(expression.value), expression.name);
    case "subscript":
      return subscript(c, of(expression.value), indexValues(c, expression.index, scope));
    case "slice":
      return c.fail("a slice stands only between the brackets of a block");
    case "tuple":
    case "list":
      return { kind: expression.kind, items: listItems(c, expression.items, scope) };
    case "dict":
      return {
        kind: "dict",
        entries: expression.entries.map(({ key, value }) => ({ key: of(key), value: of(value) })),
      };
    case "call":
      return evaluateCall(c, expression, scope);
    case "starred":
      return c.fail("a starred expression stands only among arguments or elements");
    case "binary": {
      const left = of(expression.left);
      const right = of(expression.right);
      return unknownOf(c, left, right) ?? binary(c, expression.operator, left, right);
    }
    case "unary": {
      const operand = of(expression.operand);
      return unknownOf(c, operand) ?? unary(c, expression.operator, operand);
    }
    case "bool-op":
      return boolOperation(c, expression, scope);
    case "compare":
      return comparison(c, expression, scope);
    case "conditional":
      return conditional(c, expression, scope);
    case "lambda":
      return {
        kind: "function",
        name: "<lambda>",
        definition: expression,
        source: c.frame.source,
        globals: scope,
        isJit: false,
        decorators: [],
      };
    case "comprehension":
      return { kind: "list", items: comprehension(c, expression, scope) };
    case "f-string":
      return stringValue(expression.parts.map((part) => textOf(of(part))).join(""));
    case "unsupported":
      if (c.isInKernel) return c.unsupported(`${expression.what} in a kernel`);
      return { kind: "unknown", what: expression.what, source: c.frame.source, span: expression.span };
  }
}

/** At module level, what is made of something unknown is unknown. */
function unknownOf(c: Evaluation, ...values: readonly Value[]): Value | null {
  const unknown = values.find(({ kind }) => kind === "unknown");
  if (unknown === undefined) return null;
  if (c.isInKernel) return useUnknown(c, unknown);
  return unknown;
}

/** A value that this compiler does not know is used in a kernel. */
export function useUnknown(c: Evaluation, value: Value): never {
  if (value.kind !== "unknown") return c.fail(`${describe(value)} cannot be used here`);
  const { line } = value.span;
  return c.fail(`${value.what} is not known when the kernel is compiled`, [
    `it comes from line ${line}: ${(value.source.lines[line - 1] ?? "").trim()}`,
  ]);
}

function listItems(c: Evaluation, items: readonly Expression[], scope: Scope): Value[] {
  return items.flatMap((item) => {
    if (item.kind !== "starred") return [evaluateExpression(c, item, scope)];
    const value = evaluateExpression(c, item.value, scope);
    if (value.kind === "tuple" || value.kind === "list") return [...value.items];
    return c.fail(`only a tuple can be starred, not ${describe(value)}`);
  });
}

function indexValues(c: Evaluation, index: Expression, scope: Scope): Value[] {
  const items = index.kind === "tuple" ? index.items : [index];
  return items.map((item) => {
    if (item.kind !== "slice") return evaluateExpression(c, item, scope);
    for (const bound of [item.lower, item.upper, item.step])
      if (bound !== null && evaluateExpression(c, bound, scope).kind !== "none")
        return c.fail("unsupported tensor index: a slice with bounds", [
          "a block is indexed by `:` and `None` alone; tl.gather, tl.sum or tl.where take single elements",
        ]);
    return SLICE;
  });
}

function evaluateCall(c: Evaluation, expression: Of<"call">, scope: Scope): Value {
  const callee = evaluateExpression(c, expression.callee, scope);
  const args = listItems(c, expression.args, scope);
  const keywords = new Map<string, Value>();
  for (const { name, value } of expression.keywords) {
    const given = evaluateExpression(c, value, scope);
    if (name !== null) keywords.set(name, given);
    else if (given.kind === "dict") for (const entry of given.entries) keywords.set(textOf(entry.key), entry.value);
    else return c.fail(`only a dict can be passed by **, not ${describe(given)}`);
  }
  if (c.isInKernel) for (const value of args) if (value.kind === "unknown") return useUnknown(c, value);
  return c.call(callee, args, keywords);
}

function boolOperation(c: Evaluation, { operator, values }: Of<"bool-op">, scope: Scope): Value {
  let result: Value | null = null;
  let unknown: Value | null = null;
  for (const part of values) {
    const value = evaluateExpression(c, part, scope);
    if (value.kind === "unknown") {
      // What follows may decide: `unknown and False`.
      unknown ??= unknownOf(c, value) ?? value;
      continue;
    }
    if (result === null) result = value;
    else result = truthOf(result) === null ? logical(c, operator, result, value) : value;
    // The rest is not evaluated where it cannot matter.
    const truth = truthOf(result);
    if (truth !== null && truth === (operator === "or")) return result;
  }
  return unknown ?? result ?? NONE;
}

function comparison(c: Evaluation, { left, operators, rights }: Of<"compare">, scope: Scope): Value {
  let a = evaluateExpression(c, left, scope);
  let result: Value = boolValue(true);
  for (const [i, operator] of operators.entries()) {
    const b = evaluateExpression(c, rights[i] as Expression, scope);
    const isIdentity = operator === "is" || operator === "is not";
    const unknown = isIdentity ? null : unknownOf(c, a, b);
    if (unknown !== null) return unknown;
    const one = compare(c, operator, a, b);
    if (one.kind === "tensor" && operators.length > 1)
      return c.fail("simultaneous multiple comparison is not supported");
    if (truthOf(one) === false) return one;
    result = one;
    a = b;
  }
  return result;
}

function conditional(c: Evaluation, { test, then, otherwise }: Of<"conditional">, scope: Scope): Value {
  const condition = evaluateExpression(c, test, scope);
  if (condition.kind === "unknown") return unknownOf(c, condition) ?? condition;
  const truth = truthOf(condition);
  if (truth !== null) return evaluateExpression(c, truth ? then : otherwise, scope);
  const scalar = toCondition(c, condition);
  if (scalar.value.type.shape.length > 0)
    return c.fail("the condition of `if … else …` must be a scalar", ["tl.where chooses element by element"]);
  const { builder } = c;
  const regions = [newRegion(), newRegion()] as const;
  const values = [then, otherwise].map((branch, i) => {
    let value: Value = NONE;
    builder.inside(regions[i] as (typeof regions)[0], () => {
      value = evaluateExpression(c, branch, scope);
      (regions[i] as (typeof regions)[0]).yields = flatten(c, value).map((part) => part.value);
    });
    return value;
  }) as [Value, Value];
  const wrong = difference(c, values[0], values[1]);
  if (wrong !== null) return c.fail(`Ternary expression with dynamic condition has inconsistent types: ${wrong}`);
  const types = regions[0].yields.map(({ type }) => type);
  const results = c.builder.append(
    { op: "if", condition: scalar.value, then: regions[0], otherwise: regions[1] },
    types,
  );
  const parts = flatten(c, values[0]).map((part, i) => ({ ...toTensor(c, part), value: results[i] as never }));
  return rebuild(values[0], parts);
}

function comprehension(c: Evaluation, { element, generators }: Of<"comprehension">, scope: Scope): Value[] {
  const visit = (depth: number, inner: Scope): Value[] => {
    const generator = generators[depth];
    if (generator === undefined) return [evaluateExpression(c, element, inner)];
    return iterate(c, evaluateExpression(c, generator.iterable, inner)).flatMap((item) => {
      const next = new Scope(inner);
      bindTarget(c, generator.target, item, next);
      const holds = generator.conditions.every((condition) => {
        const truth = truthOf(evaluateExpression(c, condition, next));
        return truth ?? c.fail("a condition here must be known at compile time");
      });
      return holds ? visit(depth + 1, next) : [];
    });
  };
  return visit(0, scope);
}

/** What a loop over a value that is known goes through. */
export function iterate(c: Evaluation, value: Value): readonly Value[] {
  if (value.kind === "tuple" || value.kind === "list") return value.items;
  if (value.kind === "dict") return value.entries.map(({ key }) => key);
  if (value.kind === "unknown") return useUnknown(c, value);
  if (value.kind !== "range") return c.fail(`${describe(value)} is not iterable`);
  const [lower, upper, step] = [value.lower, value.upper, value.step].map((bound) =>
    bound.kind === "int" ? bound.value : c.fail(`a bound of static_range must be a constexpr, not ${describe(bound)}`),
  ) as [bigint, bigint, bigint];
  if (step === 0n) return c.fail("range() arg 3 must not be zero");
  const items: Value[] = [];
  for (let i = lower; step > 0n ? i < upper : i > upper; i += step) {
    items.push(intValue(i));
    if (items.length > 65_536) return c.fail("a loop of more than 65536 iterations cannot be expanded");
  }
  return items;
}

/** `a, b = …`: names get values as they are. */
export function bindTarget(c: Evaluation, target: Expression, value: Value, scope: Scope): void {
  if (target.kind === "name") {
    scope.set(target.id, value);
    c.noteName(target.id, value);
    return;
  }
  if (target.kind !== "tuple" && target.kind !== "list")
    return c.fail(`an assignment to ${target.kind === "subscript" ? "an element of a block" : `a ${target.kind}`}`, [
      "blocks do not change: tl.where makes a new one",
    ]);
  if (value.kind !== "tuple" && value.kind !== "list") return c.fail(`cannot unpack ${describe(value)}`);
  if (value.items.length !== target.items.length)
    return c.fail(`cannot unpack ${value.items.length} values into ${target.items.length} names`);
  for (const [i, item] of target.items.entries()) bindTarget(c, item, value.items[i] as Value, scope);
}
