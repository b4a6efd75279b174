/** Makes up a program from a seed. Everything it makes is well defined, free of races, and ends. */
import { ACC_CELLS, ACC_OPERATIONS, bitsOf, FLOAT_TYPES, INT_TYPES, isFloatTy, SLOTS } from "./program.ts";
import type { DeviceFunction, Expr, FloatTy, IntTy, Program, Special, Statement, Ty, Variable } from "./program.ts";
import { Random } from "./random.ts";

/** Where a statement stands: whether all threads of the block come by together, and what may be used there. */
interface Place {
  readonly uniform: boolean;
  /** What may leave the body of the loop that this stands directly in. */
  readonly leaving: "break" | "continue" | null;
  readonly inKernel: boolean;
  /** How much more may be nested inside. */
  readonly depth: number;
  /** Loops around here, which bounds how much they can multiply. */
  readonly loops: number;
}

export function generateProgram(seed: number): Program {
  return new Generator(seed).program();
}

class Generator {
  readonly #random: Random;
  readonly #seed: number;
  #nextId = 0;
  /** What can be read: all variables in scope, and among them those that are the same in all threads of the block. */
  #readable: { id: number; ty: Ty }[] = [];
  #uniform: { id: number; ty: Ty }[] = [];
  /** What can be assigned. */
  #assignable: { id: number; ty: Ty }[] = [];
  #functions: DeviceFunction[] = [];
  #types: readonly Ty[] = [];
  readonly #collectives: boolean;
  readonly #barriers: boolean;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = new Random(seed);
    this.#collectives = !this.#random.oneIn(3);
    this.#barriers = !this.#random.oneIn(3);
  }

  program(): Program {
    const r = this.#random;
    this.#types = ["i32", ...[...INT_TYPES, ...FLOAT_TYPES].filter(() => !r.oneIn(3))];
    const block = r.pick([
      [1, 1],
      [17, 1],
      [32, 1],
      [32, 1],
      [33, 1],
      [48, 1],
      [64, 1],
      [8, 4],
      [16, 3],
      [96, 1],
      [128, 1],
    ] as const);
    const grid = r.pick([
      [1, 1],
      [1, 1],
      [2, 1],
      [3, 1],
      [2, 2],
    ] as const);
    for (let i = r.below(3); i > 0; i--) this.#functions.push(this.#function());
    this.#readable = [];
    this.#assignable = [];
    const variables: Variable[] = [];
    const uniform: Variable[] = [];
    for (let i = r.below(3); i > 0; i--) uniform.push(this.#variable("i32", this.#uniformExpr(2)));
    this.#uniform = uniform.map(({ id, ty }) => ({ id, ty }));
    this.#readable.push(...this.#uniform);
    for (let i = 3 + r.below(5); i > 0; i--) {
      const variable = this.#variable(r.pick(this.#types), null);
      variables.push(variable);
      this.#readable.push(variable);
      this.#assignable.push(variable);
    }
    const body = this.#statements(4 + r.below(8), { uniform: true, leaving: null, inKernel: true, depth: 3, loops: 0 });
    // What was computed must be seen.
    const seen = [...variables, ...uniform]
      .slice(0, SLOTS)
      .map((v, slot): Statement => ({ kind: "store-own", slot, value: { kind: "var", ty: v.ty, id: v.id } }));
    return {
      seed: this.#seed,
      grid,
      block,
      n: r.next() | 0,
      dynamicShared: r.oneIn(2),
      functions: this.#functions,
      variables: [...uniform, ...variables],
      body: [...body, ...seen],
    };
  }

  #function(): DeviceFunction {
    const r = this.#random;
    this.#readable = [];
    this.#uniform = [];
    this.#assignable = [];
    const params = Array.from({ length: 1 + r.below(3) }, () =>
      this.#variable(r.pick(this.#types), { kind: "const", ty: "i32", text: "0" }),
    );
    this.#readable.push(...params);
    const variables: Variable[] = [];
    for (let i = 1 + r.below(3); i > 0; i--) {
      const variable = this.#variable(r.pick(this.#types), null);
      variables.push(variable);
      this.#readable.push(variable);
      this.#assignable.push(variable);
    }
    const body = this.#statements(1 + r.below(4), {
      uniform: false,
      leaving: null,
      inKernel: false,
      depth: 2,
      loops: 1,
    });
    return { params, variables, body, result: this.#expr(r.pick(this.#types), 2) };
  }

  #variable(ty: Ty, init: Expr | null): Variable {
    const value = init ?? this.#expr(ty, 2);
    return { id: this.#nextId++, ty, init: value };
  }

  // -------------------------------------------------------------- statements

  #statements(count: number, place: Place): Statement[] {
    return Array.from({ length: count }, () => this.#statement(place));
  }

  #statement(place: Place): Statement {
    const r = this.#random;
    const nested = place.depth > 0;
    type Make = () => Statement;
    const target = r.pick(this.#assignable);
    const int32 = this.#assignable.filter((v) => v.ty === "i32");
    const choices: [number, Make][] = [
      [8, () => ({ kind: "assign", id: target.id, value: this.#expr(target.ty, 3) })],
      [1, () => ({ kind: "store-own", slot: r.below(SLOTS), value: this.#expr(r.pick(this.#types), 2) })],
      [1, () => ({ kind: "store-local", index: this.#expr("i32", 1), value: this.#expr("i32", 2) })],
      [1, () => this.#atomic()],
    ];
    if (nested) {
      choices.push([4, () => this.#if(place)], [1, () => this.#switch(place)]);
      if (place.loops < 2) choices.push([3, () => this.#loop(place)]);
    }
    const { leaving } = place;
    const onTheWay = (uniform: boolean): Statement[] =>
      nested && r.oneIn(3) ? this.#statements(1 + r.below(2), this.#branchPlace(place, uniform)) : [];
    if (leaving !== null)
      choices.push([
        1,
        () => ({ kind: leaving, condition: this.#condition(place.uniform), body: onTheWay(place.uniform) }),
      ]);
    if (place.inKernel && leaving === null && r.oneIn(3))
      choices.push([1, () => ({ kind: "exit", condition: this.#condition(false), body: onTheWay(false) })]);
    if (int32.length > 0) {
      const id = r.pick(int32).id;
      choices.push([1, () => this.#atomicOwn(id)]);
      if (this.#collectives) choices.push([3, () => this.#collective(place)]);
      if (place.uniform && this.#barriers) {
        choices.push(
          [
            2,
            () => ({
              kind: "shared-atomic",
              id,
              op: r.pick(["add", "xor", "or", "and", "max", "umin"]),
              start: r.pick([0, -1, 7]),
              value: this.#expr("i32", 2),
              index: this.#expr("i32", 1),
              read: this.#expr("i32", 1),
            }),
          ],
          [
            1,
            () => ({
              kind: "barrier-reduce",
              id,
              op: r.pick(["popc", "and", "or"] as const),
              predicate: this.#expr("i1", 2),
            }),
          ],
        );
        if (nested) choices.push([1, () => this.#splitBarrier(place)]);
      }
    }
    if (place.uniform && this.#barriers)
      choices.push([
        3,
        () => ({ kind: "exchange", id: target.id, value: this.#expr(target.ty, 2), index: this.#expr("i32", 1) }),
      ]);
    if (place.inKernel && this.#functions.length > 0) choices.push([2, () => this.#call()]);
    return r.weighted(choices)();
  }

  /**
   * Where a branch on `condition` leads: inside, threads of a block are together only if the condition is the same for
   * all.
   */
  #branchPlace(place: Place, uniform: boolean): Place {
    return { ...place, uniform: place.uniform && uniform, leaving: null, depth: place.depth - 1 };
  }

  #if(place: Place): Statement {
    const r = this.#random;
    const uniform = place.uniform && r.oneIn(3);
    const vote = !uniform && this.#collectives && r.oneIn(5);
    const condition = this.#condition(uniform);
    const inner = this.#branchPlace(place, uniform);
    return {
      kind: "if",
      condition,
      vote,
      then: this.#scoped(1 + r.below(3), inner),
      otherwise: r.oneIn(2) ? this.#scoped(1 + r.below(3), inner) : [],
    };
  }

  #switch(place: Place): Statement {
    const r = this.#random;
    const uniform = place.uniform && r.oneIn(3);
    const inner = this.#branchPlace(place, uniform);
    const value = uniform ? this.#uniformExpr(2) : this.#expr("i32", 2);
    return {
      kind: "switch",
      value,
      cases: Array.from({ length: 1 + r.below(4) }, () => this.#scoped(1 + r.below(2), inner)),
      otherwise: this.#scoped(r.below(2), inner),
    };
  }

  #loop(place: Place): Statement {
    const r = this.#random;
    const uniform = place.uniform && r.oneIn(2);
    const count = uniform ? this.#uniformExpr(2) : this.#expr("i32", 2);
    const id = this.#nextId++;
    const counter = { id, ty: "i32" as Ty };
    const mark = this.#readable.length;
    this.#readable.push(counter);
    if (uniform) this.#uniform.push(counter);
    const body = this.#statements(1 + r.below(4), {
      ...place,
      uniform,
      leaving: r.pick(["break", "continue"] as const),
      depth: place.depth - 1,
      loops: place.loops + 1,
    });
    this.#readable.length = mark;
    if (uniform) this.#uniform.pop();
    return {
      kind: "loop",
      id,
      count,
      mask: r.pick([1, 3, 3, 7]),
      rotated: r.oneIn(2),
      vote: !uniform && this.#collectives && r.oneIn(5),
      body,
    };
  }

  #splitBarrier(place: Place): Statement {
    const inner: Place = { ...this.#branchPlace(place, false), depth: 0 };
    const pair = (): [Statement[], Statement[]] => [
      this.#scoped(this.#random.below(3), inner),
      this.#scoped(this.#random.below(3), inner),
    ];
    return { kind: "split-barrier", condition: this.#condition(false), before: pair(), after: pair() };
  }

  /**
   * Variables of the uniform kind keep their value in branches that not all take; here none is ever assigned, so
   * nothing to do.
   */
  #scoped(count: number, place: Place): Statement[] {
    return this.#statements(count, place);
  }

  #atomic(): Statement {
    const r = this.#random;
    const cell = r.below(ACC_OPERATIONS.length);
    const { op, ty } = ACC_OPERATIONS[cell] as (typeof ACC_OPERATIONS)[number];
    let value: Expr = this.#expr(ty, 2);
    if (op === "fadd") {
      const small: Expr = {
        kind: "binary",
        ty: "i32",
        op: "and",
        a: this.#expr("i32", 2),
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
        a: this.#expr("i32", 1),
        b: constant("i32", String(ACC_CELLS - 1)),
      },
      value,
    };
  }

  #atomicOwn(id: number): Statement {
    const r = this.#random;
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
      value: this.#expr("i32", 2),
      expected: op === "cmpxchg" ? this.#expr("i32", 2) : null,
    };
  }

  #collective(place: Place): Statement {
    const r = this.#random;
    void place;
    const into = (ty: Ty): { id: number; ty: Ty } | undefined => {
      const found = this.#assignable.filter((v) => v.ty === ty);
      return found.length === 0 ? undefined : r.pick(found);
    };
    const i32 = into("i32") as { id: number };
    const f32 = into("float");
    const mode = r.pick(["idx", "up", "down", "bfly"]);
    // Clamp and segment as the CUDA headers make them, for widths 1 to 32.
    const width = r.pick([32, 32, 16, 8, 4]);
    const clamp = constant("i32", String(((32 - width) << 8) | (mode === "up" ? 0 : 31)));
    const offset: Expr = r.oneIn(2) ? this.#expr("i32", 1) : constant("i32", String(r.below(32)));
    const choices: [number, () => Statement][] = [
      [
        4,
        () => ({
          kind: "collective",
          id: i32.id,
          op: `shfl.sync.${mode}.i32`,
          args: [this.#expr("i32", 2), offset, clamp],
        }),
      ],
      [2, () => ({ kind: "collective", id: i32.id, op: "vote.ballot.sync", args: [this.#expr("i1", 2)] })],
      [
        1,
        () => ({
          kind: "collective",
          id: i32.id,
          op: r.pick(["vote.any.sync", "vote.all.sync", "vote.uni.sync"]),
          args: [this.#expr("i1", 2)],
        }),
      ],
      [
        1,
        () => ({
          kind: "collective",
          id: i32.id,
          op: r.pick(["match.any.sync.i32", "match.all.sync.i32p"]),
          args: [this.#expr("i32", 2)],
        }),
      ],
      [1, () => ({ kind: "collective", id: i32.id, op: "match.any.sync.i64", args: [this.#expr("i64", 2)] })],
      [
        2,
        () => ({
          kind: "collective",
          id: i32.id,
          op: `redux.sync.${r.pick(["add", "min", "max", "umin", "umax", "and", "or", "xor"])}`,
          args: [this.#expr("i32", 2)],
        }),
      ],
      [1, () => ({ kind: "collective", id: i32.id, op: "bar.warp.sync", args: [] })],
    ];
    if (f32)
      choices.push([
        3,
        () => ({
          kind: "collective",
          id: f32.id,
          op: `shfl.sync.${mode}.f32`,
          args: [this.#expr("float", 2), offset, clamp],
        }),
      ]);
    return r.weighted(choices)();
  }

  #call(): Statement {
    const r = this.#random;
    const callee = r.below(this.#functions.length);
    const fn = this.#functions[callee] as DeviceFunction;
    const fits = this.#assignable.filter((v) => v.ty === fn.result.ty);
    if (fits.length === 0) return { kind: "store-own", slot: r.below(SLOTS), value: this.#expr("i32", 2) };
    return {
      kind: "call",
      id: r.pick(fits).id,
      callee,
      indirect: r.oneIn(3),
      args: fn.params.map((param) => this.#expr(param.ty, 2)),
    };
  }

  // -------------------------------------------------------------- expressions

  #condition(uniform: boolean): Expr {
    if (!uniform) return this.#expr("i1", 2);
    return {
      kind: "compare",
      ty: "i1",
      op: "icmp",
      predicate: this.#random.pick(["eq", "ne", "slt", "ugt"]),
      a: this.#uniformExpr(2),
      b: this.#uniformExpr(1),
    };
  }

  /** The same in all threads of a block. */
  #uniformExpr(depth: number): Expr {
    const r = this.#random;
    if (depth === 0 || r.oneIn(3)) {
      const choices: Expr[] = [
        constant("i32", String(r.below(64) - 16)),
        special("bid"),
        special("ntid"),
        special("n"),
      ];
      const variables = this.#uniform;
      if (variables.length > 0) {
        const v = r.pick(variables);
        choices.push({ kind: "var", ty: v.ty, id: v.id }, { kind: "var", ty: v.ty, id: v.id });
      }
      return r.pick(choices);
    }
    if (r.oneIn(4)) return { kind: "input", ty: "i32", index: this.#uniformExpr(depth - 1) };
    return {
      kind: "binary",
      ty: "i32",
      op: r.pick(["add", "sub", "mul", "xor", "and", "lshr", "urem"]),
      a: this.#uniformExpr(depth - 1),
      b: this.#uniformExpr(depth - 1),
    };
  }

  #expr(ty: Ty, depth: number): Expr {
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
              a: this.#expr(of, d),
              b: this.#expr(of, d),
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
              a: this.#expr(of, d),
              b: this.#expr(of, d),
            };
          },
        ],
        [
          1,
          () => ({
            kind: "binary",
            ty: "i1",
            op: r.pick(["and", "or", "xor"]),
            a: this.#expr("i1", d),
            b: this.#expr("i1", d),
          }),
        ],
        [1, () => ({ kind: "cast", ty: "i1", op: "trunc", a: this.#expr("i32", d) })],
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
      return { kind: "select", ty, condition: this.#expr("i1", d), a: this.#expr(ty, d), b: this.#expr(ty, d) };
    if (r.oneIn(4)) return this.#cast(ty, d);
    return isFloatTy(ty) ? this.#floatExpr(ty, d) : this.#intExpr(ty, d);
  }

  #intExpr(ty: IntTy, d: number): Expr {
    const r = this.#random;
    const sub = (): Expr => this.#expr(ty, d);
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

  /** Integer instructions of the GPU's own. */
  #nvvm(ty: IntTy, d: number): Expr {
    const r = this.#random;
    if (ty === "i64")
      return {
        kind: "intrinsic",
        ty,
        name: r.pick(["llvm.nvvm.mulhi.ll", "llvm.nvvm.mulhi.ull"]),
        args: [this.#expr(ty, d), this.#expr(ty, d)],
      };
    if (ty !== "i32") return this.#expr(ty, d);
    const one = (): Expr => this.#expr("i32", d);
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
    const sub = (): Expr => this.#expr(ty, d);
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
        return { kind: "cast", ty, op: bitsOf(other) > bitsOf(ty) ? "fptrunc" : "fpext", a: this.#expr(other, d) };
      // Small whole numbers, so that not everything is huge.
      if (r.oneIn(2)) return { kind: "cast", ty, op: "sitofp", a: this.#expr("i8", d) };
      return { kind: "cast", ty, op: r.pick(["sitofp", "uitofp"]), a: this.#expr(r.pick(INT_TYPES), d) };
    }
    if (ty === "i1") return this.#expr(ty, d);
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
            a: this.#expr(other, d),
          };
        },
      ],
      [1, () => ({ kind: "cast", ty, op: r.pick(["zext", "sext"]), a: this.#expr("i1", d) })],
      [2, () => ({ kind: "cast", ty, op: r.pick(["fptosi", "fptoui"]), a: this.#expr(r.pick(FLOAT_TYPES), d) })],
      [
        1,
        () => {
          const same = FLOAT_TYPES.filter((f) => bitsOf(f) === bits);
          if (same.length === 0) return this.#expr(ty, d);
          const from = r.pick(same);
          return { kind: "cast", ty, op: "bitcast", a: { kind: "number", ty: from, a: this.#expr(from, d) } };
        },
      ],
    ])();
  }

  #leaf(ty: Ty): Expr {
    const r = this.#random;
    const variables = this.#readable.filter((v) => v.ty === ty);
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

function constant(ty: Ty, text: string): Expr {
  return { kind: "const", ty, text };
}

function special(name: Special): Expr {
  return { kind: "special", ty: "i32", name };
}
