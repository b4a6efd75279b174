/** Statements of a function, in order; control flow at run time is control-flow.ts's. */
import { describe, toTensor } from "../language/conversions.ts";
import { binary, toCondition } from "../language/operators.ts";
import { textOf } from "../language/builtins/tools.ts";
import { NONE, isNumber, truthOf, type Scope, type Value, type TensorValue } from "../language/values.ts";
import type { Expression, FunctionDefinition, Statement } from "../syntax/ast.ts";
import { HeddleError } from "../../../base/diagnostics.ts";
import { attribute } from "./attributes.ts";
import { containsReturn } from "./assigned-names.ts";
import { returningIf, runFor, runIf, runWhile } from "./control-flow.ts";
import type { Evaluation } from "./evaluation.ts";
import { bindTarget, evaluateExpression, useUnknown } from "./expressions.ts";

/** An import in a host function. */
function hostImport(c: Evaluation, statement: Extract<Statement, { kind: `import${string}` }>, scope: Scope): void {
  for (const imported of statement.names) {
    if ("path" in imported) {
      const { path, alias } = imported;
      scope.set(
        alias ?? (path.split(".")[0] as string),
        c.importModule(alias === null ? (path.split(".")[0] as string) : path),
      );
    } else if (statement.kind === "import-from") {
      scope.set(imported.alias ?? imported.name, attribute(c, c.importModule(statement.path), imported.name));
    }
  }
}

/** `try` in a host function: what fails, or is not known, goes on in the first handler. */
function runTry(c: Evaluation, statement: Extract<Statement, { kind: "try" }>, scope: Scope): Value | null {
  const { frame, span } = c;
  let result: Value | null;
  try {
    result = runStatements(c, statement.body, scope);
  } catch (error) {
    if (!(error instanceof HeddleError)) throw error;
    c.frame = frame;
    c.span = span;
    result = runStatements(c, statement.handler, scope);
  }
  return result ?? runStatements(c, statement.otherwise, scope);
}

/** What the statements return, or null where they go on behind their end. */
export function runStatements(c: Evaluation, statements: readonly Statement[], scope: Scope): Value | null {
  for (const [i, statement] of statements.entries()) {
    c.span = statement.span;
    if (statement.kind === "return") {
      if (c.frame.loops > 0)
        return c.fail("Cannot have `return` statements inside `while` or `for` statements in triton");
      return statement.value === null ? NONE : evaluateExpression(c, statement.value, scope);
    }
    if (statement.kind === "try" && !c.isInKernel) {
      const result = runTry(c, statement, scope);
      if (result !== null) return result;
      continue;
    }
    if (statement.kind === "if") {
      const test = evaluateExpression(c, statement.test, scope);
      if (test.kind === "unknown") return useUnknown(c, test);
      const rest = statements.slice(i + 1);
      const truth = truthOf(test);
      const { then, otherwise } = statement;
      if (truth !== null) {
        const taken = truth ? then : otherwise;
        if (containsReturn(taken)) return runStatements(c, [...taken, ...rest], scope);
        runStatements(c, taken, scope);
        continue;
      }
      const condition = oneCondition(c, test);
      if (condition.value.type.shape.length > 0)
        return c.fail(`the condition of \`if\` must be a scalar, not ${describe(test)}`, [
          "tl.where chooses element by element; tl.sum or tl.max make a scalar of a block",
        ]);
      if (containsReturn(then) || containsReturn(otherwise)) {
        if (c.frame.loops > 0)
          return c.fail("Cannot have `return` statements inside `while` or `for` statements in triton");
        return returningIf(c, condition, [...then, ...rest], [...otherwise, ...rest], scope);
      }
      runIf(c, condition, then, otherwise, scope);
      continue;
    }
    runStatement(c, statement, scope);
  }
  return null;
}

export function runFunction(c: Evaluation, definition: FunctionDefinition, scope: Scope): Value {
  return runStatements(c, definition.body, scope) ?? NONE;
}

function runStatement(c: Evaluation, statement: Statement, scope: Scope): void {
  switch (statement.kind) {
    case "assign": {
      const value = runtimeValue(c, evaluateExpression(c, statement.value, scope));
      for (const target of statement.targets) bindTarget(c, target, value, scope);
      return;
    }
    case "augmented-assign": {
      const left = evaluateExpression(c, statement.target, scope);
      const right = evaluateExpression(c, statement.value, scope);
      for (const value of [left, right]) if (value.kind === "unknown") useUnknown(c, value);
      c.span = statement.span;
      bindTarget(c, statement.target, runtimeValue(c, binary(c, statement.operator, left, right)), scope);
      return;
    }
    case "annotated-assign": {
      if (statement.value === null) return;
      const value = evaluateExpression(c, statement.value, scope);
      if (!isConstexpr(c, statement.annotation, scope)) {
        bindTarget(c, statement.target, runtimeValue(c, value), scope);
        return;
      }
      // Triton takes a value at run time here, too; what needs a constant refuses it then.
      bindTarget(c, statement.target, value, scope);
      return;
    }
    case "for":
      runFor(c, statement, scope);
      return;
    case "while":
      runWhile(c, statement, scope);
      return;
    case "expression":
      // A docstring or another constant does nothing.
      if (statement.value.kind === "string") return;
      requireUse(c, statement.value, scope);
      evaluateExpression(c, statement.value, scope);
      return;
    case "pass":
      return;
    case "assert":
      assertion(c, statement, scope);
      return;
    case "function":
      if (c.isInKernel) return c.unsupported("a function inside of a kernel");
      scope.set(statement.name, c.unknown(`the inner function ${statement.name}`));
      return;
    case "import":
    case "import-from":
      if (c.isInKernel) return c.unsupported("an import inside of a kernel");
      hostImport(c, statement, scope);
      return;
    case "try":
      return c.unsupported("a `try` statement in a kernel");
    case "unsupported":
      return c.unsupported(`${statement.what} in a kernel`);
    default:
      return c.fail("this statement cannot stand here");
  }
}

function isConstexpr(c: Evaluation, annotation: Expression, scope: Scope): boolean {
  const value = evaluateExpression(c, annotation, scope);
  return value.kind === "builtin" && value.name === "constexpr";
}

/** An assigned number is a scalar at run time (a constexpr only with the annotation). */
function runtimeValue(c: Evaluation, value: Value): Value {
  if (!c.isInKernel) return value;
  if (isNumber(value)) return toTensor(c, value);
  if (value.kind === "unknown") return useUnknown(c, value);
  if (value.kind === "tuple") return { ...value, items: value.items.map((item) => runtimeValue(c, item)) };
  return value;
}

/** As device_assert; a condition that is known is decided now. */
function assertion(c: Evaluation, { test, message }: Extract<Statement, { kind: "assert" }>, scope: Scope): void {
  const condition = evaluateExpression(c, test, scope);
  const text = message === null ? "" : textOf(evaluateExpression(c, message, scope));
  const truth = truthOf(condition);
  if (truth === true) return;
  if (truth === false) return c.fail(`assertion failed${text === "" ? "" : `: ${text}`}`);
  const { value } = toCondition(c, condition);
  c.builder.append({ op: "assert", condition: value, mask: null, message: text }, []);
}

/** Helpers with triton.must_use_result do nothing but return a value. */
function requireUse(c: Evaluation, value: Expression, scope: Scope): void {
  if (value.kind !== "call" || value.callee.kind !== "name") return;
  const callee = scope.get(value.callee.id);
  if (callee?.kind !== "function" || callee.mustUse === undefined) return;
  const text = typeof callee.mustUse === "string" ? ` ${callee.mustUse}` : "";
  c.span = value.span;
  c.fail(`The result of ${callee.name} is not being used.${text}`);
}

/** A block of one element counts as that element. */
function oneCondition(c: Evaluation, test: Value): TensorValue {
  const condition = toCondition(c, test);
  const { shape } = condition.value.type;
  if (shape.length === 0 || shape.some((size) => size !== 1)) return condition;
  return { ...condition, value: c.builder.reshape(condition.value, []) };
}
