/** Makes up a program from a seed. Everything it makes is well defined, free of races, and ends. */
import { FLOAT_TYPES, INT_TYPES, SLOTS } from "./program.ts";
import type { DeviceFunction, Expr, Program, Statement, Ty, Variable } from "./program.ts";
import { atomic, atomicOwn } from "./generate-atomics.ts";
import { ExpressionGenerator, constant, type Scope } from "./generate-expressions.ts";
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
  readonly #scope: Scope = { readable: [], uniform: [] };
  readonly #expressions: ExpressionGenerator;
  /** What can be assigned. */
  #assignable: { id: number; ty: Ty }[] = [];
  #functions: DeviceFunction[] = [];
  #types: readonly Ty[] = [];
  readonly #collectives: boolean;
  readonly #barriers: boolean;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = new Random(seed);
    this.#expressions = new ExpressionGenerator(this.#random, this.#scope);
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
    this.#scope.readable = [];
    this.#assignable = [];
    const variables: Variable[] = [];
    const uniform: Variable[] = [];
    for (let i = r.below(3); i > 0; i--) uniform.push(this.#variable("i32", this.#expressions.uniformExpr(2)));
    this.#scope.uniform = uniform.map(({ id, ty }) => ({ id, ty }));
    this.#scope.readable.push(...this.#scope.uniform);
    for (let i = 3 + r.below(5); i > 0; i--) {
      const variable = this.#variable(r.pick(this.#types), null);
      variables.push(variable);
      this.#scope.readable.push(variable);
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
    this.#scope.readable = [];
    this.#scope.uniform = [];
    this.#assignable = [];
    const params = Array.from({ length: 1 + r.below(3) }, () =>
      this.#variable(r.pick(this.#types), { kind: "const", ty: "i32", text: "0" }),
    );
    this.#scope.readable.push(...params);
    const variables: Variable[] = [];
    for (let i = 1 + r.below(3); i > 0; i--) {
      const variable = this.#variable(r.pick(this.#types), null);
      variables.push(variable);
      this.#scope.readable.push(variable);
      this.#assignable.push(variable);
    }
    const body = this.#statements(1 + r.below(4), {
      uniform: false,
      leaving: null,
      inKernel: false,
      depth: 2,
      loops: 1,
    });
    return { params, variables, body, result: this.#expressions.expr(r.pick(this.#types), 2) };
  }

  #variable(ty: Ty, init: Expr | null): Variable {
    const value = init ?? this.#expressions.expr(ty, 2);
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
      [8, () => ({ kind: "assign", id: target.id, value: this.#expressions.expr(target.ty, 3) })],
      [1, () => ({ kind: "store-own", slot: r.below(SLOTS), value: this.#expressions.expr(r.pick(this.#types), 2) })],
      [
        1,
        () => ({
          kind: "store-local",
          index: this.#expressions.expr("i32", 1),
          value: this.#expressions.expr("i32", 2),
        }),
      ],
      [1, () => atomic(this.#random, this.#expressions)],
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
        () => ({ kind: leaving, condition: this.#expressions.condition(place.uniform), body: onTheWay(place.uniform) }),
      ]);
    if (place.inKernel && leaving === null && r.oneIn(3))
      choices.push([1, () => ({ kind: "exit", condition: this.#expressions.condition(false), body: onTheWay(false) })]);
    if (int32.length > 0) {
      const id = r.pick(int32).id;
      choices.push([1, () => atomicOwn(this.#random, this.#expressions, id)]);
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
              value: this.#expressions.expr("i32", 2),
              index: this.#expressions.expr("i32", 1),
              read: this.#expressions.expr("i32", 1),
            }),
          ],
          [
            1,
            () => ({
              kind: "barrier-reduce",
              id,
              op: r.pick(["popc", "and", "or"] as const),
              predicate: this.#expressions.expr("i1", 2),
            }),
          ],
        );
        if (nested) choices.push([1, () => this.#splitBarrier(place)]);
      }
    }
    if (place.uniform && this.#barriers)
      choices.push([
        3,
        () => ({
          kind: "exchange",
          id: target.id,
          value: this.#expressions.expr(target.ty, 2),
          index: this.#expressions.expr("i32", 1),
        }),
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
    const condition = this.#expressions.condition(uniform);
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
    const value = uniform ? this.#expressions.uniformExpr(2) : this.#expressions.expr("i32", 2);
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
    const count = uniform ? this.#expressions.uniformExpr(2) : this.#expressions.expr("i32", 2);
    const id = this.#nextId++;
    const counter = { id, ty: "i32" as Ty };
    const mark = this.#scope.readable.length;
    this.#scope.readable.push(counter);
    if (uniform) this.#scope.uniform.push(counter);
    const body = this.#statements(1 + r.below(4), {
      ...place,
      uniform,
      leaving: r.pick(["break", "continue"] as const),
      depth: place.depth - 1,
      loops: place.loops + 1,
    });
    this.#scope.readable.length = mark;
    if (uniform) this.#scope.uniform.pop();
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
    return { kind: "split-barrier", condition: this.#expressions.condition(false), before: pair(), after: pair() };
  }

  /**
   * Variables of the uniform kind keep their value in branches that not all take; here none is ever assigned, so
   * nothing to do.
   */
  #scoped(count: number, place: Place): Statement[] {
    return this.#statements(count, place);
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
    const offset: Expr = r.oneIn(2) ? this.#expressions.expr("i32", 1) : constant("i32", String(r.below(32)));
    const choices: [number, () => Statement][] = [
      [
        4,
        () => ({
          kind: "collective",
          id: i32.id,
          op: `shfl.sync.${mode}.i32`,
          args: [this.#expressions.expr("i32", 2), offset, clamp],
        }),
      ],
      [2, () => ({ kind: "collective", id: i32.id, op: "vote.ballot.sync", args: [this.#expressions.expr("i1", 2)] })],
      [
        1,
        () => ({
          kind: "collective",
          id: i32.id,
          op: r.pick(["vote.any.sync", "vote.all.sync", "vote.uni.sync"]),
          args: [this.#expressions.expr("i1", 2)],
        }),
      ],
      [
        1,
        () => ({
          kind: "collective",
          id: i32.id,
          op: r.pick(["match.any.sync.i32", "match.all.sync.i32p"]),
          args: [this.#expressions.expr("i32", 2)],
        }),
      ],
      [
        1,
        () => ({ kind: "collective", id: i32.id, op: "match.any.sync.i64", args: [this.#expressions.expr("i64", 2)] }),
      ],
      [
        2,
        () => ({
          kind: "collective",
          id: i32.id,
          op: `redux.sync.${r.pick(["add", "min", "max", "umin", "umax", "and", "or", "xor"])}`,
          args: [this.#expressions.expr("i32", 2)],
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
          args: [this.#expressions.expr("float", 2), offset, clamp],
        }),
      ]);
    return r.weighted(choices)();
  }

  #call(): Statement {
    const r = this.#random;
    const callee = r.below(this.#functions.length);
    const fn = this.#functions[callee] as DeviceFunction;
    const fits = this.#assignable.filter((v) => v.ty === fn.result.ty);
    if (fits.length === 0) return { kind: "store-own", slot: r.below(SLOTS), value: this.#expressions.expr("i32", 2) };
    return {
      kind: "call",
      id: r.pick(fits).id,
      callee,
      indirect: r.oneIn(3),
      args: fn.params.map((param) => this.#expressions.expr(param.ty, 2)),
    };
  }
}
