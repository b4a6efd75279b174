/**
 * Bounds checks hoisted out of loops, as analysis/loop-checks.ts has planned them. In front of a loop it computes one
 * flag for each group of accesses: 1 if every address of every iteration and lane is legal and aligned.
 *
 * An induction variable moves over a distance (64 bits, never negative) from its first value to its last. An address
 * then moves over slope × distance bytes. The range of all lanes and of all constants of the group must lie in legal
 * memory. All of it is computed in 64 bits, so that no wrap is missed. Nothing here can fault: with a flag of 0 the
 * accesses make their own tests.
 */
import type { IrInstruction } from "../../../ir/model/ir.ts";
import { USER_BASE } from "../../../machine/memory-map.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { AccessLimits } from "../../emit/environment.ts";
import type { BoundedInduction, CheckedGroup } from "../planning/loop-checks.ts";
import type { AffineTerm } from "../../../analysis/loops/affine-forms.ts";
import { LANES, SLICES, ZERO_OFFSETS, offsetsOf } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { Values } from "../lane-operations/value-location.ts";

/** Distances of up to 2^31 are tested: times a 32-bit slope they stay far inside 64 bits. */
const MAX_DISTANCE = 2n ** 31n;

interface Distance {
  /** i64: how far the variable moves until the last iteration. */
  readonly whole: Local;
  /** i64: the same for iterations that have passed a test of the variable itself. */
  readonly tested: Local;
  /** i32: 1 if the distances are right. */
  readonly isKnown: Local;
}

export class LoopCheckEmitter {
  readonly #code: FunctionBuilder;
  readonly #values: Values;
  readonly #limits: AccessLimits;
  readonly #plan: ReadonlyMap<number, readonly CheckedGroup[]>;
  readonly #flags = new Map<IrInstruction, Local>();

  constructor(
    code: FunctionBuilder,
    values: Values,
    limits: AccessLimits,
    plan: ReadonlyMap<number, readonly CheckedGroup[]>,
  ) {
    this.#code = code;
    this.#values = values;
    this.#limits = limits;
    this.#plan = plan;
  }

  /** The local that is 1 where the access needs no test, or null. */
  flagOf(i: IrInstruction): Local | null {
    return this.#flags.get(i) ?? null;
  }

  /** At the end of a block: the tests for the loop behind it. */
  emitBefore(block: number): void {
    const distances = new Map<BoundedInduction, Distance>();
    for (const group of this.#plan.get(block) ?? []) {
      let distance: Distance | null = null;
      if (group.bounded !== null) {
        distance = distances.get(group.bounded) ?? this.#emitDistance(group.bounded);
        distances.set(group.bounded, distance);
      }
      const flag = this.#code.freshLocal("i32");
      this.#emitGroup(group, distance, flag);
      for (const i of group.accesses) this.#flags.set(i, flag);
    }
    for (const d of distances.values()) this.#code.free(d.whole, d.tested, d.isKnown);
  }

  // ---------------------------------------------------------------- distances

  #emitDistance(bounded: BoundedInduction): Distance {
    const code = this.#code;
    const distance: Distance = { whole: code.local("i64"), tested: code.local("i64"), isKnown: code.local("i32") };
    if (bounded.test.stays === "ne") this.#emitUntilEqual(bounded, distance);
    else this.#emitUntilBound(bounded, distance);
    code
      .localGet(distance.isKnown)
      .localGet(distance.whole)
      .i64Const(MAX_DISTANCE)
      .i64LtU()
      .i32And()
      .localSet(distance.isKnown);
    return distance;
  }

  /** Steps that meet the bound exactly, modulo 2^32. */
  #emitUntilEqual({ induction, test, constantStep }: BoundedInduction, d: Distance): void {
    const code = this.#code;
    const values = this.#values;
    const up = constantStep! > 0;
    const size = Math.abs(constantStep!);
    values.pushScalar(up ? test.bound : induction.init);
    values.pushScalar(up ? induction.init : test.bound);
    code.i32Sub().i64ExtendI32U().localSet(d.whole);
    code.i32Const(1);
    if (size > 1) {
      code.localGet(d.whole).i64Const(BigInt(size));
      if ((size & (size - 1)) === 0) code.i64Const(1n).i64Sub().i64And(); // a division takes longer than all the rest
      else code.i64RemU();
      code.i64Eqz().i32And();
    }
    if (test.tested === "next") code.localGet(d.whole).i64Eqz().i32Eqz().i32And();
    code.localSet(d.isKnown);
    // The iteration whose next value is the bound is the last.
    if (test.tested === "next") code.localGet(d.whole).i64Const(BigInt(size)).i64Sub().localSet(d.whole);
    code.localGet(d.whole).localSet(d.tested);
  }

  /** Steps towards a bound that they may jump over, but not wrap around. */
  #emitUntilBound({ induction, test, constantStep }: BoundedInduction, d: Distance): void {
    const code = this.#code;
    const values = this.#values;
    const signed = test.stays.startsWith("s");
    const up = constantStep === null || constantStep > 0;
    const offsets = offsetsOf(values.context.shapeOf(induction.init)) ?? ZERO_OFFSETS;
    const [lowest, highest] = [Math.min(...offsets), Math.max(...offsets)];
    const [low, high, step, inner] = [code.local("i64"), code.local("i64"), code.local("i64"), d.tested];
    const widen = (): void => {
      if (signed) code.i64ExtendI32S();
      else code.i64ExtendI32U();
    };
    const pushInit = (offset: number): void => {
      values.pushScalar(induction.init);
      if (offset !== 0) code.i32Const(offset).i32Add();
      widen();
    };
    pushInit(lowest);
    code.localSet(low);
    pushInit(highest);
    code.localSet(high);
    if (constantStep !== null) code.i64Const(BigInt(Math.abs(constantStep)));
    else {
      values.pushScalar(induction.step);
      code.i64ExtendI32S();
    }
    code.localSet(step);
    // The greatest distance of a lane while the test holds.
    const strict = test.stays.endsWith("t") ? 1n : 0n;
    if (up) {
      values.pushScalar(test.bound);
      widen();
      code.localGet(low).i64Sub();
    } else {
      code.localGet(high);
      values.pushScalar(test.bound);
      widen();
      code.i64Sub();
    }
    code.i64Const(strict).i64Sub().localTee(inner);
    code.i64Const(0n).localGet(inner).i64Const(0n).i64GtS().select().localSet(inner);
    this.#pushNoLaneWraps(up, signed, { low, high, step, inner }, lowest !== highest);
    if (constantStep === null) code.localGet(step).i64Const(0n).i64GtS().i32And();
    code.localSet(d.isKnown);
    code.localGet(inner);
    if (test.tested === "phi") code.localGet(step).i64Add();
    code.localSet(d.whole);
    code.free(low, high, step);
  }

  /** Pushes whether no lane wraps around when the step is added once more. */
  #pushNoLaneWraps(
    up: boolean,
    signed: boolean,
    { low, high, step, inner }: Readonly<Record<"low" | "high" | "step" | "inner", Local>>,
    lanesDiffer: boolean,
  ): void {
    const code = this.#code;
    const greatest = signed ? 2n ** 31n - 1n : 2n ** 32n - 1n;
    const least = signed ? -(2n ** 31n) : 0n;
    code.localGet(low).localGet(high).i64LeS();
    if (up) {
      code.localGet(low).localGet(inner).i64Add().localGet(step).i64Add().i64Const(greatest).i64LeS().i32And();
      if (lanesDiffer) code.localGet(high).localGet(step).i64Add().i64Const(greatest).i64LeS().i32And();
    } else {
      code.localGet(high).localGet(inner).i64Sub().localGet(step).i64Sub().i64Const(least).i64GeS().i32And();
      if (lanesDiffer) code.localGet(low).localGet(step).i64Sub().i64Const(least).i64GeS().i32And();
    }
  }

  // ---------------------------------------------------------------- groups

  #emitGroup(group: CheckedGroup, distance: Distance | null, flag: Local): void {
    const code = this.#code;
    const values = this.#values;
    const { form, align } = group;
    const starts: readonly AffineTerm[] = form.terms.map((t) => {
      const induction =
        t.value.kind === "instruction" && t.value.op === "phi" ? group.inductions.get(t.value) : undefined;
      return induction === undefined ? t : { ...t, value: induction.init };
    });
    const rows = rowsOf(values, starts);
    const extentOfIteration = group.bytes + (rows === null ? 0 : Math.max(...rows.map((r) => r.high - r.low)));
    const bytes = code.local("i64"); // that the start may move in legal memory
    const [down, slope, start] = [code.local("i32"), code.local("i32"), code.local("i32")];
    code.globalGet(this.#limits.bytes).i64ExtendI32U().i64Const(BigInt(extentOfIteration)).i64Sub().localSet(bytes);
    if (distance === null) code.i32Const(0).localSet(down).i32Const(1).localSet(flag);
    else {
      const delta = code.local("i64");
      this.#pushTravel(group, distance, slope);
      code.localSet(delta);
      // A descending range begins at the address of the last iteration.
      code.i32Const(0).localGet(delta).i32WrapI64().localGet(delta).i64Const(0n).i64GeS().select().localSet(down);
      code
        .localGet(bytes)
        .i64Const(0n)
        .localGet(delta)
        .i64Sub()
        .localGet(delta)
        .localGet(delta)
        .i64Const(0n)
        .i64LtS()
        .select()
        .i64Sub()
        .localSet(bytes);
      code.localGet(distance.isKnown);
      if (align > 1)
        code
          .localGet(slope)
          .i32Const(align - 1)
          .i32And()
          .i32Eqz()
          .i32And();
      code.localSet(flag);
      code.free(delta);
    }
    code.localGet(flag).localGet(bytes).i64Const(0n).i64GeS().i32And().localSet(flag);
    if (rows === null) this.#emitLaneTests(starts, form.constant, align, bytes, down, flag);
    else if (rows.some((r) => !r.steps.every((o) => o % align === 0))) code.i32Const(0).localSet(flag);
    else
      rows.forEach((row, n) => {
        code.i32Const((form.constant + row.low) | 0);
        for (const t of starts) {
          values.pushBase(t.value, n, rows.length);
          this.#multiplyScalar(t);
          code.i32Add();
        }
        code.localSet(start);
        code.localGet(start).localGet(down).i32Add().i32Const(USER_BASE).i32Sub().localGet(bytes).i32WrapI64().i32LeU();
        if (align > 1)
          code
            .localGet(start)
            .i32Const(align - 1)
            .i32And()
            .i32Eqz()
            .i32And();
        code.localGet(flag).i32And().localSet(flag);
      });
    code.free(bytes, down, slope, start);
  }

  /**
   * Pushes how many bytes (i64, signed) the addresses move until the last iteration. Sets `slope` to their move in one
   * step of 1 or in one iteration.
   */
  #pushTravel(group: CheckedGroup, distance: Distance, slope: Local): void {
    const code = this.#code;
    const values = this.#values;
    const { induction, constantStep } = group.bounded!;
    const isOwn = [...group.inductions.keys()].every((p) => p === induction.phi);
    code.i32Const(0).localSet(slope);
    for (const t of group.form.terms) {
      const own = t.value.kind === "instruction" && t.value.op === "phi" ? group.inductions.get(t.value) : undefined;
      if (own === undefined) continue;
      code.localGet(slope);
      if (isOwn) code.i32Const(1);
      else {
        values.pushScalar(own.step);
        if (own.sign === -1) code.i32Const(-1).i32Mul();
      }
      this.#multiplyScalar(t);
      code.i32Add().localSet(slope);
    }
    code
      .localGet(slope)
      .i64ExtendI32S()
      .localGet(group.isAfterTest ? distance.tested : distance.whole);
    // The variable's own distance has no sign; iterations have.
    if (!isOwn) code.i64Const(BigInt(Math.log2(Math.abs(constantStep!)))).i64ShrU();
    else if (constantStep !== null && constantStep < 0) code.i64Const(-1n).i64Mul();
    code.i64Mul();
    // An iteration may take several steps of 1. Its addresses are aligned if the addresses of all iterations are.
    if (isOwn && constantStep !== null && Math.abs(constantStep) !== 1)
      code.localGet(slope).i32Const(constantStep).i32Mul().localSet(slope);
  }

  #multiplyScalar({ factor, scale }: AffineTerm): void {
    const code = this.#code;
    if (scale !== null) {
      this.#values.pushScalar(scale);
      code.i32Mul();
    }
    if (factor !== 1) code.i32Const(factor).i32Mul();
  }

  /** Starts without a common base: all 32 are tested. An inactive lane may hold any address, which makes the flag 0. */
  #emitLaneTests(
    starts: readonly AffineTerm[],
    constant: number,
    align: number,
    bytes: Local,
    down: Local,
    flag: Local,
  ): void {
    const code = this.#code;
    const values = this.#values;
    const [limit, move, address, bad] = [
      code.local("v128"),
      code.local("v128"),
      code.local("v128"),
      code.local("v128"),
    ];
    code.localGet(bytes).i32WrapI64().i32x4Splat().localSet(limit);
    code.localGet(down).i32Const(USER_BASE).i32Sub().i32x4Splat().localSet(move);
    for (let s = 0; s < SLICES; s++) {
      code.i32Const(constant).i32x4Splat();
      for (const t of starts) {
        values.pushVector(t.value, s);
        if (t.scale !== null) {
          values.pushVector(t.scale, s);
          code.i32x4Mul();
        }
        if (t.factor !== 1) code.i32Const(t.factor).i32x4Splat().i32x4Mul();
        code.i32x4Add();
      }
      code.localTee(address).localGet(move).i32x4Add().localGet(limit).i32x4GtU();
      if (align > 1)
        code
          .localGet(address)
          .i32Const(align - 1)
          .i32x4Splat()
          .v128And()
          .v128Or();
      if (s > 0) code.localGet(bad).v128Or();
      code.localSet(bad);
    }
    code.localGet(bad).v128AnyTrue().i32Eqz().localGet(flag).i32And().localSet(flag);
    code.free(limit, move, address, bad);
  }
}

interface Row {
  /** Of the lanes of the row, as distances from its first lane. */
  readonly low: number;
  readonly high: number;
  /** Distances from `low`. */
  readonly steps: readonly number[];
}

/**
 * The sum's lanes as rows with a base each: all of a warp, its halves or its quarters; null where it has no such rows.
 */
function rowsOf(values: Values, terms: readonly AffineTerm[]): readonly Row[] | null {
  const shapes = terms.map((t) => values.context.shapeOf(t.value));
  const count = Math.max(1, ...shapes.map((s) => (s.kind === "rowUniform" ? s.rows : 1)));
  const sum = new Array<number>(LANES).fill(0);
  for (const [n, { factor, scale }] of terms.entries()) {
    const shape = shapes[n]!;
    if (shape.kind === "varying") return null;
    const offsets = shape.kind === "uniform" ? ZERO_OFFSETS : shape.offsets;
    for (let lane = 0; lane < LANES; lane++) {
      const own = (offsets[lane]! - offsets[lane - (lane % (LANES / count))]!) | 0;
      if (own !== 0 && scale !== null) return null;
      sum[lane] = sum[lane]! + Math.imul(own, factor);
    }
  }
  const rows = Array.from({ length: count }, (_, n): Row => {
    const lanes = sum.slice((n * LANES) / count, ((n + 1) * LANES) / count);
    const [low, high] = [Math.min(...lanes), Math.max(...lanes)];
    return { low, high, steps: lanes.map((o) => o - low) };
  });
  return rows.every((r) => r.high - r.low < 2 ** 30 && Math.abs(r.low) < 2 ** 31) ? rows : null;
}
