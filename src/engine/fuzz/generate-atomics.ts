/** Makes up atomic operations of the fuzzer's programs. */
import { ACC_CELLS, ACC_OPERATIONS, isFloatTy, SLOTS, type Expr, type Statement } from "./program.ts";
import { constant, type ExpressionGenerator } from "./generate-expressions.ts";
import type { Random } from "./random.ts";

/** An atomic operation on a cell that all threads of the launch share. */
export function atomic(r: Random, expressions: ExpressionGenerator): Statement {
  const cell = r.below(ACC_OPERATIONS.length);
  const { op, ty } = ACC_OPERATIONS[cell] as (typeof ACC_OPERATIONS)[number];
  let value: Expr = expressions.expr(ty, 2);
  if (op === "fadd") {
    const small: Expr = {
      kind: "binary",
      ty: "i32",
      op: "and",
      a: expressions.expr("i32", 2),
      b: constant("i32", ty === "half" || ty === "bfloat" ? "1" : "15"),
    };
    value = { kind: "cast", ty, op: "uitofp", a: small };
  } else if (op.endsWith("_wrap")) value = constant("i32", "100");
  else if (isFloatTy(ty)) value = { kind: "number", ty, a: value };
  return {
    kind: "atomic",
    cell,
    index: {
      kind: "binary",
      ty: "i32",
      op: "and",
      a: expressions.expr("i32", 1),
      b: constant("i32", String(ACC_CELLS - 1)),
    },
    value,
  };
}

/** An atomic operation on a slot of the thread's own. */
export function atomicOwn(r: Random, expressions: ExpressionGenerator, id: number): Statement {
  const op = r.pick([
    "add",
    "sub",
    "and",
    "nand",
    "or",
    "xor",
    "max",
    "min",
    "umax",
    "umin",
    "xchg",
    "uinc_wrap",
    "udec_wrap",
    "cmpxchg",
  ]);
  return {
    kind: "atomic-own",
    id,
    op,
    slot: r.below(SLOTS),
    value: expressions.expr("i32", 2),
    expected: op === "cmpxchg" ? expressions.expr("i32", 2) : null,
  };
}
