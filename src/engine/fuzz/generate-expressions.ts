/** Makes up expressions of the fuzzer's programs. The same random numbers give the same expressions. */
import { bitsOf, FLOAT_TYPES, INT_TYPES, isFloatTy, SLOTS } from "./program.ts";
import type { Expr, FloatTy, IntTy, Special, Ty } from "./program.ts";
import type { Random } from "./random.ts";

interface TypedVariable {
  readonly id: number;
  readonly ty: Ty;
}

/** The variables in scope. */
export interface Scope {
  readable: TypedVariable[];
  /** Those with the same value in all threads of the block. */
  uniform: TypedVariable[];
}

export class ExpressionGenerator {
  readonly #random: Random;
  readonly #scope: Scope;

  constructor(random: Random, scope: Scope) {
    this.#random = random;
    this.#scope = scope;
  }

  condition(uniform: boolean): Expr {
    if (!uniform) return this.expr("i1", 2);
    return {
      kind: "compare",
      ty: "i1",
      op: "icmp",
      predicate: this.#random.pick(["eq", "ne", "slt", "ugt"]),
      a: this.uniformExpr(2),
      b: this.uniformExpr(1),
    };
  }

  /** The same in all threads of a block. */
  uniformExpr(depth: number): Expr {
    const r = this.#random;
    if (depth === 0 || r.oneIn(3)) {
      const choices: Expr[] = [
        constant("i32", String(r.below(64) - 16)),
        special("bid"),
        special("ntid"),
        special("n"),
      ];
      const variables = this.#scope.uniform;
      if (variables.length > 0) {
        const v = r.pick(variables);
        choices.push({ kind: "var", ty: v.ty, id: v.id }, { kind: "var", ty: v.ty, id: v.id });
      }
      return r.pick(choices);
    }
    if (r.oneIn(4)) return { kind: "input", ty: "i32", index: this.uniformExpr(depth - 1) };
    return {
      kind: "binary",
      ty: "i32",
      op: r.pick(["add", "sub", "mul", "xor", "and", "lshr", "urem"]),
      a: this.uniformExpr(depth - 1),
      b: this.uniformExpr(depth - 1),
    };
  }

  /** `depth`: how deep the tree may be. */
  expr(ty: Ty, depth: number): Expr {
    const r = this.#random;
    if (depth <= 0) return this.#leaf(ty);
    const d = depth - 1;
    if (ty === "i1") {
      return r.weighted<() => Expr>([
        [
          5,
          () => {
            const of = r.pick(INT_TYPES);
            return {
              kind: "compare",
              ty: "i1",
              op: "icmp",
              predicate: r.pick(["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"]),
              a: this.expr(of, d),
              b: this.expr(of, d),
            };
          },
        ],
        [
          2,
          () => {
            const of = r.pick(FLOAT_TYPES);
            return {
              kind: "compare",
              ty: "i1",
              op: "fcmp",
              predicate: r.pick([
                "oeq",
                "ogt",
                "oge",
                "olt",
                "ole",
                "one",
                "ord",
                "ueq",
                "ugt",
                "uge",
                "ult",
                "ule",
                "une",
                "uno",
              ]),
              a: this.expr(of, d),
              b: this.expr(of, d),
            };
          },
        ],
        [
          1,
          () => ({
            kind: "binary",
            ty: "i1",
            op: r.pick(["and", "or", "xor"]),
            a: this.expr("i1", d),
            b: this.expr("i1", d),
          }),
        ],
        [1, () => ({ kind: "cast", ty: "i1", op: "trunc", a: this.expr("i32", d) })],
        // A few lanes, many lanes: the patterns of real kernels.
        [
          2,
          () => ({
            kind: "compare",
            ty: "i1",
            op: "icmp",
            predicate: r.pick(["ult", "eq", "ugt"]),
            a: special(r.pick(["tid", "lane", "warp"] as const)),
            b: constant("i32", String(r.pick([r.below(34), r.below(3)]))),
          }),
        ],
      ])();
    }
    if (r.oneIn(5)) return this.#leaf(ty);
    if (r.oneIn(8))
      return { kind: "select", ty, condition: this.expr("i1", d), a: this.expr(ty, d), b: this.expr(ty, d) };
    if (r.oneIn(4)) return this.#cast(ty, d);
    return isFloatTy(ty) ? this.#floatExpr(ty, d) : this.#intExpr(ty, d);
  }

  #intExpr(ty: IntTy, d: number): Expr {
    const r = this.#random;
    const sub = (): Expr => this.expr(ty, d);
    const suffix = ty;
    const intrinsic = (name: string, ...args: Expr[]): Expr => ({
      kind: "intrinsic",
      ty,
      name: `${name}.${suffix}`,
      args,
    });
    return r.weighted<() => Expr>([
      [10, () => ({ kind: "binary", ty, op: r.pick(["add", "sub", "mul", "and", "or", "xor"]), a: sub(), b: sub() })],
      [2, () => ({ kind: "binary", ty, op: r.pick(["udiv", "sdiv", "urem", "srem"]), a: sub(), b: sub() })],
      [
        3,
        () => {
          const amount = sub();
          const masked: Expr = { kind: "binary", ty, op: "and", a: amount, b: constant(ty, String(bitsOf(ty) - 1)) };
          return { kind: "binary", ty, op: r.pick(["shl", "lshr", "ashr"]), a: sub(), b: r.oneIn(6) ? amount : masked };
        },
      ],
      [2, () => intrinsic(`llvm.${r.pick(["smin", "smax", "umin", "umax"])}`, sub(), sub())],
      [1, () => intrinsic(`llvm.${r.pick(["ctpop", "bitreverse"])}`, sub())],
      [1, () => (ty === "i8" ? intrinsic("llvm.ctpop", sub()) : intrinsic("llvm.bswap", sub()))],
      [1, () => intrinsic(`llvm.${r.pick(["ctlz", "cttz", "abs"])}`, sub(), constant("i1", "false"))],
      [1, () => intrinsic(`llvm.${r.pick(["fshl", "fshr"])}`, sub(), sub(), sub())],
      [1, () => intrinsic(`llvm.${r.pick(["sadd", "uadd", "ssub", "usub"])}.sat`, sub(), sub())],
      [
        1,
        () => ({
          kind: "intrinsic",
          ty,
          name: `llvm.${r.pick(["sadd", "uadd", "ssub", "usub", "smul", "umul"])}.with.overflow.${suffix}`,
          args: [sub(), sub()],
          part: { index: 0, structure: `{ ${ty}, i1 }` },
        }),
      ],
      [1, () => this.#nvvm(ty, d)],
      [
        1,
        () =>
          ty === "i32"
            ? { kind: "vector", ty, op: r.pick(["add", "mul", "xor"]), a: sub(), b: sub(), lane: r.below(2) }
            : sub(),
      ],
    ])();
  }

  /** Integer instructions that only GPUs have. */
  #nvvm(ty: IntTy, d: number): Expr {
    const r = this.#random;
    if (ty === "i64")
      return {
        kind: "intrinsic",
        ty,
        name: r.pick(["llvm.nvvm.mulhi.ll", "llvm.nvvm.mulhi.ull"]),
        args: [this.expr(ty, d), this.expr(ty, d)],
      };
    if (ty !== "i32") return this.expr(ty, d);
    const one = (): Expr => this.expr("i32", d);
    return r.pick<() => Expr>([
      () => ({
        kind: "intrinsic",
        ty,
        name: r.pick(["llvm.nvvm.mulhi.i", "llvm.nvvm.mulhi.ui"]),
        args: [one(), one()],
      }),
      () => ({ kind: "intrinsic", ty, name: "llvm.nvvm.prmt", args: [one(), one(), one()] }),
      () => ({
        kind: "intrinsic",
        ty,
        name: r.pick(["llvm.nvvm.idp4a.s.s", "llvm.nvvm.idp4a.u.u"]),
        args: [one(), one(), one()],
      }),
    ])();
  }

  #floatExpr(ty: FloatTy, d: number): Expr {
    const r = this.#random;
    const sub = (): Expr => this.expr(ty, d);
    const suffix = { half: "f16", bfloat: "bf16", float: "f32", double: "f64" }[ty];
    const intrinsic = (name: string, ...args: Expr[]): Expr => ({
      kind: "intrinsic",
      ty,
      name: `${name}.${suffix}`,
      args,
    });
    return r.weighted<() => Expr>([
      [10, () => ({ kind: "binary", ty, op: r.pick(["fadd", "fsub", "fmul", "fmul", "fdiv"]), a: sub(), b: sub() })],
      [1, () => ({ kind: "fneg", ty, a: sub() })],
      [2, () => intrinsic("llvm.fma", sub(), sub(), sub())],
      [2, () => intrinsic(`llvm.${r.pick(["minnum", "maxnum"])}`, sub(), sub())],
      [1, () => intrinsic(`llvm.${r.pick(["floor", "ceil", "trunc", "rint"])}`, sub())],
      [1, () => intrinsic("llvm.fabs", sub())],
      [1, () => intrinsic("llvm.sqrt", { kind: "intrinsic", ty, name: `llvm.fabs.${suffix}`, args: [sub()] })],
      [1, () => intrinsic("llvm.copysign", sub(), { kind: "number", ty, a: sub() })],
      [
        1,
        () =>
          ty === "float" || ty === "half"
            ? { kind: "vector", ty, op: r.pick(["fadd", "fmul"]), a: sub(), b: sub(), lane: r.below(2) }
            : sub(),
      ],
    ])();
  }

  #cast(ty: Ty, d: number): Expr {
    const r = this.#random;
    if (isFloatTy(ty)) {
      const other = r.pick(FLOAT_TYPES.filter((f) => bitsOf(f) !== bitsOf(ty)));
      if (r.oneIn(2))
        return { kind: "cast", ty, op: bitsOf(other) > bitsOf(ty) ? "fptrunc" : "fpext", a: this.expr(other, d) };
      // Small whole numbers, so that not everything is huge.
      if (r.oneIn(2)) return { kind: "cast", ty, op: "sitofp", a: this.expr("i8", d) };
      return { kind: "cast", ty, op: r.pick(["sitofp", "uitofp"]), a: this.expr(r.pick(INT_TYPES), d) };
    }
    if (ty === "i1") return this.expr(ty, d);
    const bits = bitsOf(ty);
    return r.weighted<() => Expr>([
      [
        4,
        () => {
          const other = r.pick(INT_TYPES.filter((i) => i !== ty));
          return {
            kind: "cast",
            ty,
            op: bitsOf(other) > bits ? "trunc" : r.pick(["zext", "sext"]),
            a: this.expr(other, d),
          };
        },
      ],
      [1, () => ({ kind: "cast", ty, op: r.pick(["zext", "sext"]), a: this.expr("i1", d) })],
      [2, () => ({ kind: "cast", ty, op: r.pick(["fptosi", "fptoui"]), a: this.expr(r.pick(FLOAT_TYPES), d) })],
      [
        1,
        () => {
          const same = FLOAT_TYPES.filter((f) => bitsOf(f) === bits);
          if (same.length === 0) return this.expr(ty, d);
          const from = r.pick(same);
          return { kind: "cast", ty, op: "bitcast", a: { kind: "number", ty: from, a: this.expr(from, d) } };
        },
      ],
    ])();
  }

  #leaf(ty: Ty): Expr {
    const r = this.#random;
    const variables = this.#scope.readable.filter((v) => v.ty === ty);
    if (variables.length > 0 && !r.oneIn(3)) {
      const v = r.pick(variables);
      return { kind: "var", ty: v.ty, id: v.id };
    }
    if (ty === "i1") return constant("i1", r.pick(["true", "false"]));
    if (isFloatTy(ty))
      return r.oneIn(2) ? { kind: "input", ty, index: this.#leaf("i32") } : constant(ty, r.pick(FLOAT_CONSTANTS));
    if (ty === "i32" && r.oneIn(2))
      return special(r.pick(["tid", "lane", "warp", "gtid", "bid", "ntid", "n"] as const));
    if (ty === "i32" && r.oneIn(6)) return { kind: "local", ty, index: special("lane") };
    if (r.oneIn(6)) return { kind: "own", ty, slot: r.below(SLOTS) };
    if (r.oneIn(2)) return { kind: "input", ty, index: special(r.pick(["tid", "gtid", "lane", "bid"] as const)) };
    return constant(
      ty,
      String(
        r.pick(
          [0, 1, 2, 3, 5, 7, 16, 31, 32, 100, -1, -2, -100, 127, -128].filter(
            (v) => bitsOf(ty) > 8 || Math.abs(v) < 129,
          ),
        ),
      ),
    );
  }
}

/** Decimals that every format holds, so that they can be written for all. */
const FLOAT_CONSTANTS = ["0.0", "-0.0", "1.0", "-1.0", "0.5", "2.0", "-3.0", "0.125", "100.0", "-0.25"];

export function constant(ty: Ty, text: string): Expr {
  return { kind: "const", ty, text };
}

export function special(name: Special): Expr {
  return { kind: "special", ty: "i32", name };
}
