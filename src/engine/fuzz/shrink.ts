/**
 * Makes a failing program smaller while it still fails: leaves out statements, puts a branch or a loop's body in place
 * of the whole, puts a part of an expression or a constant in its place, and takes threads and blocks away.
 */
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";
import { isFloatTy, type DeviceFunction, type Expr, type Program, type Statement } from "./program.ts";

/** The smallest program found before `deadline` (milliseconds since the epoch). `fails` must be true of `program`. */
export function shrink(program: Program, fails: (candidate: Program) => boolean, deadline: number): Program {
  let best = program;
  for (let progress = true; progress;) {
    progress = false;
    for (const candidate of candidates(best)) {
      if (Date.now() > deadline) return best;
      if (!fails(candidate)) continue;
      best = candidate;
      progress = true;
      // What was tried before on a larger program is tried again in the next round.
      break;
    }
  }
  return best;
}

function* candidates(program: Program): Generator<Program> {
  for (const grid of [
    [1, 1],
    [2, 1],
  ] as const)
    if (program.grid[0] * program.grid[1] > grid[0]) yield { ...program, grid };
  for (const block of [
    [1, 1],
    [2, 1],
    [32, 1],
    [33, 1],
    [64, 1],
  ] as const)
    if (program.block[0] * program.block[1] > block[0]) yield { ...program, block };
  for (const body of statementLists(program.body)) yield { ...program, body };
  for (const [i, fn] of program.functions.entries())
    for (const smaller of functionCandidates(fn))
      yield { ...program, functions: program.functions.map((f, k) => (k === i ? smaller : f)) };
  for (const [i, variable] of program.variables.entries()) {
    const zero = constantOf(variable.init);
    if (variable.init.kind !== "const")
      yield { ...program, variables: program.variables.map((v, k) => (k === i ? { ...v, init: zero } : v)) };
    for (const init of expressions(variable.init))
      yield { ...program, variables: program.variables.map((v, k) => (k === i ? { ...v, init } : v)) };
  }
}

function* functionCandidates(fn: DeviceFunction): Generator<DeviceFunction> {
  for (const body of statementLists(fn.body)) yield { ...fn, body };
  for (const result of expressions(fn.result)) yield { ...fn, result };
}

/** Lists a little smaller than this one: halves first, then single statements, then smaller statements. */
function* statementLists(list: readonly Statement[]): Generator<readonly Statement[]> {
  if (list.length > 3) {
    const middle = Math.floor(list.length / 2);
    yield list.slice(0, middle);
    yield list.slice(middle);
  }
  for (let i = 0; i < list.length; i++) yield [...list.slice(0, i), ...list.slice(i + 1)];
  for (let i = 0; i < list.length; i++)
    for (const smaller of statementCandidates(list[i] as Statement))
      yield [...list.slice(0, i), ...smaller, ...list.slice(i + 1)];
}

/**
 * What may stand in a statement's place. A barrier may only be lifted out to where at least as many threads come by.
 */
function* statementCandidates(s: Statement): Generator<readonly Statement[]> {
  const one = function* <K extends string>(key: K, parts: Generator<unknown>): Generator<readonly Statement[]> {
    for (const part of parts) yield [{ ...s, [key]: part } as Statement];
  };
  switch (s.kind) {
    case "assign":
    case "store-own":
    case "atomic-own":
      yield* one("value", expressions(s.value));
      return;
    case "store-local":
    case "exchange":
      yield* one("value", expressions(s.value));
      yield* one("index", expressions(s.index));
      return;
    case "atomic":
      // The value of a float addition must stay small and whole: only the index shrinks.
      yield* one("index", insideMask(s.index));
      return;
    case "shared-atomic":
      yield* one("value", expressions(s.value));
      yield* one("index", expressions(s.index));
      yield* one("read", expressions(s.read));
      return;
    case "barrier-reduce":
      yield* one("predicate", expressions(s.predicate));
      return;
    case "break":
    case "continue":
    case "exit":
      yield* one("body", statementLists(s.body));
      // A uniform condition must stay uniform, and its parts are.
      yield* one("condition", comparisonParts(s.condition));
      return;
    case "collective":
    case "call":
      for (const [i, arg] of s.args.entries())
        for (const smaller of expressions(arg))
          yield [{ ...s, args: s.args.map((a, k) => (k === i ? smaller : a)) } as Statement];
      return;
    case "if":
      yield s.then;
      if (s.otherwise.length > 0) yield s.otherwise;
      yield* one("then", statementLists(s.then));
      yield* one("otherwise", statementLists(s.otherwise));
      yield* one("condition", comparisonParts(s.condition));
      return;
    case "loop":
      if (!mentions(s.body, s.id) && !s.body.some((inner) => inner.kind === "break" || inner.kind === "continue"))
        yield s.body;
      if (s.mask > 1) yield [{ ...s, mask: s.mask >> 1 }];
      yield* one("body", statementLists(s.body));
      return;
    case "switch":
      for (const body of [...s.cases, s.otherwise]) if (body.length > 0) yield body;
      for (let i = 0; i < s.cases.length; i++)
        for (const smaller of statementLists(s.cases[i] as readonly Statement[]))
          yield [{ ...s, cases: s.cases.map((c, k) => (k === i ? smaller : c)) }];
      yield* one("otherwise", statementLists(s.otherwise));
      return;
    case "split-barrier":
      for (const when of ["before", "after"] as const)
        for (const side of [0, 1] as const)
          for (const smaller of statementLists(s[when][side]))
            yield [{ ...s, [when]: side === 0 ? [smaller, s[when][1]] : [s[when][0], smaller] }];
      return;
  }
}

function mentions(part: unknown, id: number): boolean {
  if (Array.isArray(part)) return part.some((inner) => mentions(inner, id));
  if (typeof part !== "object" || part === null) return false;
  const node = part as { kind?: string; id?: number };
  return (node.kind === "var" && node.id === id) || Object.values(part).some((inner) => mentions(inner, id));
}

// ---------------------------------------------------------------- expressions

function constantOf(expr: Expr): Expr {
  let text = isFloatTy(expr.ty) ? "1.0" : "1";
  if (expr.ty === "i1") text = "true";
  return { kind: "const", ty: expr.ty, text };
}

/** The operands of an expression, with the way to put another in their place. */
function parts(expr: Expr): [Expr, (part: Expr) => Expr][] {
  switch (expr.kind) {
    case "binary":
    case "compare":
    case "vector":
      return [
        [expr.a, (a) => ({ ...expr, a })],
        [expr.b, (b) => ({ ...expr, b })],
      ];
    case "select":
      return [
        [expr.a, (a) => ({ ...expr, a })],
        [expr.b, (b) => ({ ...expr, b })],
        [expr.condition, (condition) => ({ ...expr, condition })],
      ];
    case "cast":
    case "fneg":
    case "number":
      return [[expr.a, (a) => ({ ...expr, a })]];
    case "intrinsic":
      // A constant operand may have to be one (the flag of ctlz).
      return expr.args.flatMap((arg, i): [Expr, (part: Expr) => Expr][] =>
        arg.kind === "const"
          ? []
          : [[arg, (part) => ({ ...expr, args: expr.args.map((a, k) => (k === i ? part : a)) })]],
      );
    case "input":
    case "local":
      return [[expr.index, (index) => ({ ...expr, index })]];
    default:
      return [];
  }
}

/** Expressions of the same type, smaller than this one. */
function* expressions(expr: Expr): Generator<Expr> {
  if (expr.kind === "const") return;
  for (const [part] of parts(expr)) if (part.ty === expr.ty) yield part;
  if (expr.kind !== "var" && expr.kind !== "special") yield constantOf(expr);
  for (const [part, put] of parts(expr))
    for (const smaller of expressions(part)) if (!seesBits(expr) || smaller.kind === "number") yield put(smaller);
}

/** A cast that looks at a float's bits needs its operand free of NaNs. */
function seesBits(expr: Expr): boolean {
  return (
    (expr.kind === "cast" && expr.op === "bitcast") ||
    (expr.kind === "intrinsic" && intrinsicOf(expr.name)?.operation === "copysign")
  );
}

function* insideMask(expr: Expr): Generator<Expr> {
  if (expr.kind === "binary") for (const smaller of expressions(expr.a)) yield { ...expr, a: smaller };
}

/**
 * Conditions keep their form, so that what is uniform stays uniform: only operands shrink, to their own parts or
 * constants.
 */
function* comparisonParts(expr: Expr): Generator<Expr> {
  for (const [part, put] of parts(expr)) for (const smaller of expressions(part)) yield put(smaller);
}
