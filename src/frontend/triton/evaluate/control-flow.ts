/**
 * Control flow at run time: names that a branch or a loop binds become results of one operation. A loop carries the
 * names that it binds and that have a value before it; a name that is first bound inside ends there, as in Triton.
 */
import { newRegion } from "../blocks/build.ts";
import type { BlockValue, Region } from "../blocks/model.ts";
import { cast, describe, tensor, toTensor } from "../language/conversions.ts";
import { INT32, isInteger, promoteIntegers, type Dtype } from "../language/dtypes.ts";
import { toCondition } from "../language/operators.ts";
import { NONE, Scope, truthOf, type RangeValue, type TensorValue, type Value } from "../language/values.ts";
import type { For, Statement, While } from "../syntax/ast.ts";
import { assignedNames } from "./assigned-names.ts";
import type { Evaluation } from "./evaluation.ts";
import { bindTarget, evaluateExpression, iterate } from "./expressions.ts";
import { difference, flatten, rebuild } from "./flatten.ts";

/** The names of a branch or a loop's body: what it binds does not reach the names around it. */
function fork(scope: Scope): Scope {
  return new Scope(scope);
}

function valuesOf(tensors: readonly TensorValue[]): BlockValue[] {
  return tensors.map(({ value }) => value);
}

function typed(like: readonly TensorValue[], values: readonly BlockValue[]): TensorValue[] {
  return values.map((value, i) => tensor((like[i] as TensorValue).dtype, value));
}

// ---------------------------------------------------------------- if

export function runIf(
  c: Evaluation,
  condition: TensorValue,
  then: readonly Statement[],
  otherwise: readonly Statement[],
  scope: Scope,
): void {
  const { span } = c;
  const branches = [then, otherwise].map((statements) => {
    const inner = fork(scope);
    const region = newRegion();
    c.builder.inside(region, () => void c.run(statements, inner));
    return { inner, region };
  }) as [{ inner: Scope; region: Region }, { inner: Scope; region: Region }];
  c.span = span;
  const merged: { name: string; value: Value; tensors: TensorValue[] }[] = [];
  const names = new Set(branches.flatMap(({ inner }) => inner.names()));
  const ended: string[] = [];
  for (const name of names) {
    const [a, b] = branches.map(({ inner }) => inner.own(name) ?? outerValue(scope, name)) as [
      Value | null,
      Value | null,
    ];
    // A name of one branch alone has no value behind the `if`.
    if (a === null || b === null) {
      ended.push(name);
      continue;
    }
    const parts = branches.map(({ region }, i) => {
      let tensors: TensorValue[] = [];
      c.builder.inside(region, () => void (tensors = flatten(c, (i === 0 ? a : b) as Value)));
      return tensors;
    }) as [TensorValue[], TensorValue[]];
    let wrong: string | null = null;
    c.builder.inside(newRegion(), () => void (wrong = difference(c, a, b)));
    if (wrong !== null)
      return c.fail(`Mismatched type for ${name} between then block (${describe(a)}) and else block (${describe(b)})`);
    for (const [i, { region }] of branches.entries()) region.yields.push(...valuesOf(parts[i] as TensorValue[]));
    merged.push({ name, value: a, tensors: parts[0] });
  }
  const [first, second] = branches;
  const types = first.region.yields.map(({ type }) => type);
  const results = c.builder.append(
    { op: "if", condition: condition.value, then: first.region, otherwise: second.region },
    types,
  );
  let next = 0;
  for (const { name, value, tensors } of merged) {
    const own = results.slice(next, next + tensors.length);
    next += tensors.length;
    bindName(c, name, rebuild(value, typed(tensors, own)), scope);
  }
  for (const name of ended) scope.delete(name);
}

function outerValue(scope: Scope, name: string): Value | null {
  return scope.isLocal(name) ? scope.get(name) : null;
}

/** Branches of which at least one returns: both go to the end of the function. */
export function returningIf(
  c: Evaluation,
  condition: TensorValue,
  then: readonly Statement[],
  otherwise: readonly Statement[],
  scope: Scope,
): Value {
  const { span } = c;
  const branches = [then, otherwise].map((statements) => {
    const region = newRegion();
    let value: Value = NONE;
    c.builder.inside(region, () => {
      value = c.run(statements, fork(scope)) ?? NONE;
      region.yields = valuesOf(flatten(c, value));
    });
    return { region, value };
  }) as [{ region: Region; value: Value }, { region: Region; value: Value }];
  c.span = span;
  const [a, b] = branches;
  let wrong: string | null = null;
  let tensors: TensorValue[] = [];
  c.builder.inside(newRegion(), () => {
    wrong = difference(c, a.value, b.value);
    tensors = flatten(c, a.value);
  });
  if (wrong !== null) return c.fail(`the branches of this \`if\` return different types: ${wrong}`);
  const results = c.builder.append(
    { op: "if", condition: condition.value, then: a.region, otherwise: b.region },
    a.region.yields.map(({ type }) => type),
  );
  return rebuild(a.value, typed(tensors, results));
}

// ---------------------------------------------------------------- loops

interface Carried {
  readonly name: string;
  readonly value: Value;
  readonly tensors: readonly TensorValue[];
}

function carriedBy(c: Evaluation, statements: readonly Statement[], scope: Scope): Carried[] {
  const carried: Carried[] = [];
  for (const name of assignedNames(statements)) {
    const value = outerValue(scope, name);
    if (value !== null) carried.push({ name, value, tensors: flatten(c, value) });
  }
  return carried;
}

/** Binds the carried names to the values of a region. */
function bindCarried(c: Evaluation, carried: readonly Carried[], values: readonly BlockValue[], scope: Scope): void {
  let next = 0;
  for (const { name, value, tensors } of carried) {
    bindName(c, name, rebuild(value, typed(tensors, values.slice(next, next + tensors.length))), scope);
    next += tensors.length;
  }
}

function bindName(c: Evaluation, name: string, value: Value, scope: Scope): void {
  scope.set(name, value);
  c.noteName(name, value);
}

/** What the names have at the end of an iteration: their types must have stayed. */
function carriedValues(c: Evaluation, carried: readonly Carried[], scope: Scope): BlockValue[] {
  return carried.flatMap(({ name, value }) => {
    const now = scope.get(name) ?? NONE;
    if (difference(c, value, now) !== null)
      return c.fail(
        `Loop-carried variable ${name} has initial type ${describe(value)} ` +
          `but is re-assigned to ${describe(now)} in loop! ` +
          "Please make sure that the type stays consistent.",
      );
    return valuesOf(flatten(c, now));
  });
}

function runBody(c: Evaluation, statements: readonly Statement[], scope: Scope): void {
  const { frame } = c;
  frame.loops++;
  c.run(statements, scope);
  frame.loops--;
}

export function runFor(c: Evaluation, statement: For, scope: Scope): void {
  const { span } = statement;
  if (statement.otherwise.length > 0) return c.unsupported("`else` of a loop");
  const iterable = evaluateExpression(c, statement.iterable, scope);
  if (iterable.kind !== "range" || iterable.isStatic) {
    for (const item of iterate(c, iterable)) {
      bindTarget(c, statement.target, item, scope);
      runBody(c, statement.body, scope);
    }
    return;
  }
  const { target } = statement;
  if (target.kind !== "name") return c.fail("the variable of a range is one name");
  const { lower, upper, step } = bounds(c, iterable);
  const carried = carriedBy(c, statement.body, scope).filter(({ name }) => name !== target.id);
  const initial = carried.flatMap(({ tensors }) => valuesOf(tensors));
  const region = newRegion([lower.value.type, ...initial.map(({ type }) => type)], [target.id]);
  const inner = fork(scope);
  bindName(c, target.id, tensor(lower.dtype, region.params[0] as BlockValue), inner);
  bindCarried(c, carried, region.params.slice(1), inner);
  c.builder.inside(region, () => {
    runBody(c, statement.body, inner);
    c.span = span;
    region.yields = carriedValues(c, carried, inner);
  });
  c.span = span;
  const results = c.builder.append(
    {
      op: "for",
      lower: lower.value,
      upper: upper.value,
      step: step.value,
      initial,
      body: region,
      stages: iterable.stages,
    },
    initial.map(({ type }) => type),
  );
  bindCarried(c, carried, results, scope);
}

function bounds(c: Evaluation, range: RangeValue): Record<"lower" | "upper" | "step", TensorValue> {
  const given = [range.lower, range.upper, range.step].map((bound) => {
    const value = toTensor(c, bound);
    if (!isInteger(value.dtype) || value.value.type.shape.length > 0)
      return c.fail(`For loop bounds and step must all be ints, are ${describe(bound)}`);
    return value;
  }) as [TensorValue, TensorValue, TensorValue];
  if (range.step.kind === "int" && range.step.value === 0n) return c.fail("range() arg 3 must not be zero");
  const dtype = given.reduce<Dtype>((common, value) => promoteIntegers(common, value.dtype), INT32);
  const [lower, upper, step] = given.map((value) => cast(c, value, dtype)) as [TensorValue, TensorValue, TensorValue];
  return { lower, upper, step };
}

export function runWhile(c: Evaluation, statement: While, scope: Scope): void {
  const { span } = statement;
  if (statement.otherwise.length > 0) return c.unsupported("`else` of a loop");
  const carried = carriedBy(c, statement.body, scope);
  const initial = carried.flatMap(({ tensors }) => valuesOf(tensors));
  const types = initial.map(({ type }) => type);
  const before = newRegion(types);
  const body = newRegion(types);
  c.builder.inside(before, () => {
    const inner = fork(scope);
    bindCarried(c, carried, before.params, inner);
    const test = evaluateExpression(c, statement.test, inner);
    if (truthOf(test) === true) return c.fail("a `while` loop whose condition is always true never ends");
    const condition = toCondition(c, test);
    if (condition.value.type.shape.length > 0) return c.fail("the condition of `while` must be a scalar");
    before.yields = [condition.value, ...before.params];
  });
  c.builder.inside(body, () => {
    const inner = fork(scope);
    bindCarried(c, carried, body.params, inner);
    runBody(c, statement.body, inner);
    c.span = span;
    body.yields = carriedValues(c, carried, inner);
  });
  c.span = span;
  const results = c.builder.append({ op: "while", initial, before, body }, types);
  bindCarried(c, carried, results, scope);
}
