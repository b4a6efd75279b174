/**
 * Branch conditions as lane masks, one bit for each lane of the warp.
 *
 * A divergent branch needs its condition as bits. Most conditions compare a thread's index with a bound (`i < n`), and
 * one comparison of scalars often shows that all lanes are on the same side of it. Such comparisons, and the and, or
 * and not between them and the branch, are never computed as vectors, but as bits at the branch.
 */
import type { IcmpInstruction, IrBlock, IrInstruction, IrType, IrValue } from "../../../ir/model/ir.ts";
import { operandsOf } from "../../../ir/model/operands.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import { SLICES, lanesOfRow } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { Values } from "../lane-operations/value-location.ts";

export class ConditionMasks {
  readonly #code: FunctionBuilder;
  readonly #values: Values;
  readonly #deferred: ReadonlySet<IrInstruction>;
  /** Leaves the vector of an icmp's slice, computed anew. */
  emitCompareSlice: (i: IcmpInstruction, slice: number) => void = () => undefined;

  constructor(code: FunctionBuilder, values: Values, analysis: WarpAnalysis) {
    this.#code = code;
    this.#values = values;
    this.#deferred = deferredConditions(analysis);
  }

  /** The instruction is computed where a branch needs it, and nowhere else. */
  isDeferred(i: IrInstruction): boolean {
    return this.#deferred.has(i);
  }

  /** Pushes the lanes of an i1 as bits, active or not. */
  push(value: IrValue): void {
    const code = this.#code;
    const values = this.#values;
    if (value.kind === "instruction" && this.#deferred.has(value)) {
      this.#pushDeferred(value);
      return;
    }
    const shape = values.context.shapeOf(value);
    if (shape.kind === "uniform") {
      code.i32Const(0);
      values.pushScalar(value);
      code.i32Sub();
      return;
    }
    if (shape.kind === "rowUniform") {
      for (let g = 0; g < shape.rows; g++) {
        code.i32Const(0);
        values.pushBase(value, g, shape.rows);
        code.i32Sub().i32Const(lanesOfRow(g, shape.rows)).i32And();
        if (g > 0) code.i32Or();
      }
      return;
    }
    this.#pushBitmasks((s) => values.pushVector(value, s));
  }

  #pushBitmasks(pushSlice: (s: number) => void): void {
    const code = this.#code;
    for (let s = 0; s < SLICES; s++) {
      pushSlice(s);
      code.i32x4Bitmask();
      if (s > 0)
        code
          .i32Const(4 * s)
          .i32Shl()
          .i32Or();
    }
  }

  #pushDeferred(i: IrInstruction): void {
    const code = this.#code;
    if (i.op === "icmp") {
      this.#pushCompare(i);
      return;
    }
    const connective = connectiveOf(i);
    if (connective === null) return;
    this.push(connective.a);
    if (connective.kind === "not") {
      code.i32Const(-1).i32Xor();
      return;
    }
    this.push(connective.b);
    code.op(connective.kind === "and" ? "i32And" : "i32Or");
  }

  /**
   * base + offset[lane] < bound, for all lanes at once, where the first and the last lane are on the same side and no
   * sum wraps around. Else lane by lane.
   */
  #pushCompare(i: IcmpInstruction): void {
    const code = this.#code;
    const { shapeOf } = this.#values.context;
    const form = boundForm(i, shapeOf(i.lhs), shapeOf(i.rhs))!;
    const bits = code.local("i32");
    const byLane = (): void => {
      this.#pushBitmasks((s) => this.emitCompareSlice(i, s));
      code.localSet(bits);
    };
    if (isI64(i.lhs.type)) this.#compareWide(form, bits, byLane);
    else this.#compareNarrow(form, bits, byLane);
    code.localGet(bits);
    code.free(bits);
  }

  /**
   * With d = bound − base, in 64 bits and so exactly, all lanes are below when d exceeds the greatest offset, and none
   * when it does not exceed the least and no sum wraps around.
   */
  #compareNarrow({ shifted, bound, offsets, isSigned, inclusive, isLess }: BoundForm, bits: Local, byLane: () => void) {
    const code = this.#code;
    const high = Math.max(...offsets);
    const low = Math.min(...offsets);
    const distance = code.local("i64");
    const base = code.local("i64");
    const extend = (v: IrValue): void => {
      this.#values.pushScalar(v);
      code.op(isSigned ? "i64ExtendI32S" : "i64ExtendI32U");
    };
    extend(shifted);
    code.localSet(base);
    extend(bound);
    if (inclusive) code.i64Const(1n).i64Add();
    code.localGet(base).i64Sub().localSet(distance);
    // all below
    code.i32Const(isLess ? -1 : 0).localSet(bits);
    code.localGet(distance).i64Const(BigInt(high)).i64LeS().if();
    code.i32Const(isLess ? 0 : -1).localSet(bits);
    const wraps = isSigned ? 2n ** 31n : 2n ** 32n;
    code
      .localGet(distance)
      .i64Const(BigInt(low))
      .i64GtS()
      .localGet(base)
      .i64Const(wraps - BigInt(high))
      .i64GeS()
      .i32Or();
    code.if();
    byLane();
    code.end();
    code.end();
    code.free(distance, base);
  }

  /** The last lane's value is below the base where it has wrapped around; offsets are not negative. */
  #compareWide({ shifted, bound, offsets, isSigned, inclusive, isLess }: BoundForm, bits: Local, byLane: () => void) {
    const code = this.#code;
    const [base, last] = [code.local("i64"), code.local("i64")];
    const sign = isSigned ? "S" : "U";
    const first = BigInt(Math.min(...offsets));
    this.#values.pushScalar(shifted);
    code
      .localTee(base)
      .i64Const(BigInt(Math.max(...offsets)))
      .i64Add()
      .localSet(last);
    const outside = inclusive ? (`i64Gt${sign}` as const) : (`i64Ge${sign}` as const);
    const wraps = (): void => void code.localGet(last).localGet(base).op(`i64Lt${sign}`).i32Or();
    code.i32Const(isLess ? -1 : 0).localSet(bits);
    // The last one is outside.
    code.localGet(last);
    this.#values.pushScalar(bound);
    code.op(outside);
    wraps();
    code.if();
    code.i32Const(isLess ? 0 : -1).localSet(bits);
    // The first one is not.
    code.localGet(base).i64Const(first).i64Add();
    this.#values.pushScalar(bound);
    code.op(outside).i32Eqz();
    wraps();
    code.if();
    byLane();
    code.end();
    code.end();
    code.free(base, last);
  }
}

const isI32 = (type: IrType): boolean => type.kind === "int" && type.bits === 32;
const isI64 = (type: IrType): boolean => type.kind === "int" && type.bits === 64;

interface BoundForm {
  readonly shifted: IrValue;
  readonly bound: IrValue;
  readonly offsets: readonly number[];
  readonly isSigned: boolean;
  /** The lanes below `bound` plus one are on the lower side. */
  readonly inclusive: boolean;
  /** The condition holds on the lower side. */
  readonly isLess: boolean;
}

type ShapeOf = WarpAnalysis["shapeOf"];

/** A comparison of lanes at known distances from one base with one bound. */
function boundForm(i: IcmpInstruction, lhs: ReturnType<ShapeOf>, rhs: ReturnType<ShapeOf>): BoundForm | null {
  const { type } = i.lhs;
  if ((!isI32(type) && !isI64(type)) || i.predicate === "eq" || i.predicate === "ne") return null;
  const isSwapped = lhs.kind === "uniform" && rhs.kind === "offset";
  if (!isSwapped && !(lhs.kind === "offset" && rhs.kind === "uniform")) return null;
  const shape = isSwapped ? rhs : lhs;
  if (shape.kind !== "offset" || shape.offsets.some((o) => o < 0)) return null;
  const relation = i.predicate.slice(1) as "lt" | "le" | "gt" | "ge";
  const own = isSwapped ? ({ lt: "gt", le: "ge", gt: "lt", ge: "le" } as const)[relation] : relation;
  // x < b, x <= b; x >= b is not x < b, x > b is not x <= b.
  return {
    shifted: isSwapped ? i.rhs : i.lhs,
    bound: isSwapped ? i.lhs : i.rhs,
    offsets: shape.offsets,
    isSigned: i.predicate.startsWith("s"),
    inclusive: own === "le" || own === "gt",
    isLess: own === "lt" || own === "le",
  };
}

type Connective =
  | { readonly kind: "and" | "or"; readonly a: IrValue; readonly b: IrValue }
  | { readonly kind: "not"; readonly a: IrValue };

/** and, or, not of conditions, also as the selects that `&&` and `||` become. */
function connectiveOf(i: IrInstruction): Connective | null {
  if (i.type.kind !== "int" || i.type.bits !== 1) return null;
  if (i.op === "binary" && (i.operator === "and" || i.operator === "or"))
    return { kind: i.operator, a: i.lhs, b: i.rhs };
  if (i.op === "binary" && i.operator === "xor" && i.rhs.kind === "const-int" && i.rhs.value === 1n)
    return { kind: "not", a: i.lhs };
  if (i.op === "select") {
    if (i.else.kind === "const-int" && i.else.value === 0n) return { kind: "and", a: i.condition, b: i.then };
    if (i.then.kind === "const-int" && i.then.value === 1n) return { kind: "or", a: i.condition, b: i.else };
  }
  return null;
}

/**
 * Varying comparisons with a bound, and connectives with such a part or a part that is not varying, that nobody uses
 * but branches at the end of their own block, directly or through one another.
 */
function deferredConditions(analysis: WarpAnalysis): Set<IrInstruction> {
  const { flow } = analysis;
  const users = new Map<IrInstruction, IrInstruction[]>();
  for (const block of flow.blocks) {
    for (const user of block.instructions) {
      for (const o of operandsOf(user)) if (o.kind === "instruction") users.set(o, [...(users.get(o) ?? []), user]);
    }
  }
  const deferred = new Set<IrInstruction>();
  const isCheap = (v: IrValue): boolean =>
    (v.kind === "instruction" && deferred.has(v)) || analysis.shapeOf(v).kind !== "varying";
  const goesToBranch = (i: IrInstruction, block: IrBlock): boolean =>
    (users.get(i) ?? []).every(
      (u) => u.block === block && (u.op === "condbr" || (connectiveOf(u) !== null && goesToBranch(u, block))),
    );
  for (const block of flow.blocks) {
    for (const i of block.instructions) {
      if (
        i.op === "phi" ||
        i.type.kind !== "int" ||
        i.type.bits !== 1 ||
        analysis.shapeOf(i).kind !== "varying" ||
        !goesToBranch(i, block)
      )
        continue;
      const connective = connectiveOf(i);
      const fits =
        i.op === "icmp"
          ? boundForm(i, analysis.shapeOf(i.lhs), analysis.shapeOf(i.rhs)) !== null
          : connective !== null && (isCheap(connective.a) || (connective.kind !== "not" && isCheap(connective.b)));
      if (fits) deferred.add(i);
    }
    // Every user of a deferred condition must be deferred itself, or be the branch.
    for (let changed = true; changed;) {
      changed = false;
      for (const i of deferred) {
        if (i.block !== block || users.get(i)!.every((u) => u.op === "condbr" || deferred.has(u))) continue;
        deferred.delete(i);
        changed = true;
      }
    }
  }
  return deferred;
}
