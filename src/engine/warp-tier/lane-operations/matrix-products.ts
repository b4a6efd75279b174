/**
 * Matrix products of a warp, out of line: one function for each shape, on fragments in scratch memory.
 *
 * The meaning is libdevice/mma.cu's, to the bit: products and sums in order of k, each rounded. Lane 4 g + t: the four
 * lanes of slice g hold row g (and g + 8) of A, or column g of B, over k; of the accumulators, rows g and g + 8,
 * columns 2 t and 2 t + 1. So with B turned over once, such that a vector holds one k of the four even or odd columns,
 * every slice of the result is a sum of products with one element of A in all lanes.
 */
import type { CallInstruction } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../../wasm/module-builder.ts";
import type { FunctionRef } from "../../../wasm/types.ts";
import type { CrossLaneContext } from "./shuffles-and-votes.ts";
import { elementOf, isWide, partsOf } from "./element.ts";
import type { FloatHelpers } from "./float-helpers.ts";
import { pushMaskVector } from "../control-flow/mask-locals.ts";
import {
  factorRegisters,
  matrixShapeOf,
  type MatrixElement,
  type MatrixShape,
  type VoltaShape,
} from "../planning/matrix-shapes.ts";
import { MATRIX_SLOT, SLOT_BYTES, reloadFromSlot, spillToSlot } from "./lane-scratch.ts";
import { SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";
import { buildVoltaProduct } from "./volta-products.ts";

const at = (slot: number): number => (MATRIX_SLOT + slot) * SLOT_BYTES;
/** Where B lies turned over: vectors of 16 bytes in the order (half, j, part, odd columns). */
const TURNED = at(10);

export class MatrixProducts {
  readonly #made = new Map<string, FunctionBuilder>();
  readonly #module: ModuleBuilder;
  readonly #scratch: number;
  readonly #helpers: FloatHelpers;
  readonly #fma64: FunctionRef;
  constructor(module: ModuleBuilder, scratch: number, helpers: FloatHelpers, fma64: FunctionRef) {
    this.#module = module;
    this.#scratch = scratch;
    this.#helpers = helpers;
    this.#fma64 = fma64;
  }

  /** () → (): the operands in their order from MATRIX_SLOT on; the results replace the accumulators. */
  product(name: string, shape: MatrixShape | VoltaShape): FunctionBuilder {
    let code = this.#made.get(name);
    if (code === undefined) {
      code = this.#module.function(name, [], []);
      this.#made.set(name, code);
      if (shape.kind === "volta") buildVoltaProduct(code, this.#scratch, this.#helpers, shape);
      else if (shape.sum === "f64") this.#buildDouble(code);
      else this.#build(code, shape);
    }
    return code;
  }

  #build(code: FunctionBuilder, { a, b, sum, halves, saturates }: MatrixShape): void {
    const parts = a === "tf32" ? 1 : 2;
    const turned = (half: number, j: number, part: number, odd: number): number =>
      TURNED + 16 * (((half * 4 + j) * parts + part) * 2 + odd);
    this.#turn(code, b, halves, parts, turned);
    const place = code.local("i32"); // scratch + 16 g
    const end = code.local("i32");
    code
      .globalGet(this.#scratch)
      .localTee(place)
      .i32Const(16 * SLICES)
      .i32Add()
      .localSet(end);
    const next = code.loop();
    const sums = [0, 1, 2, 3].map((n) => this.#startSum(code, place, sum, saturates, 3 * halves, n));
    const rows = [0, 1].map((row) =>
      Array.from({ length: halves * parts }, (_, n) => {
        const local = code.local("v128");
        code.localGet(place).v128Load(at(2 * Math.floor(n / parts) + row));
        this.#takePart(code, a, n % parts);
        code.localSet(local);
        return local;
      }),
    );
    const one = code.local("v128");
    for (let half = 0; half < halves; half++) {
      for (let j = 0; j < 4; j++) {
        for (let part = 0; part < parts; part++) {
          for (const row of [0, 1]) {
            const values = rows[row]![half * parts + part]!;
            code.localGet(values).localGet(values).i32x4Shuffle(j, j, j, j).localSet(one);
            for (const odd of [0, 1]) {
              const target = sums[2 * row + odd]!;
              const pushB = (): void => {
                code.globalGet(this.#scratch).v128Load(turned(half, j, part, odd));
              };
              code.localGet(target).localGet(one);
              pushB();
              if (sum === "s32") code.i32x4DotI16x8S().i32x4Add();
              else code.f32x4Mul().f32x4Add();
              code.localSet(target);
            }
          }
        }
      }
    }
    this.#store(code, place, sum, saturates, 3 * halves, sums);
    code.localGet(place).i32Const(16).i32Add().localTee(place).localGet(end).i32Ne().brIf(next);
    code.end(next);
  }

  /** B from columns with k in the lanes to vectors over columns: for each k, the even columns and the odd ones. */
  #turn(
    code: FunctionBuilder,
    b: MatrixElement,
    halves: number,
    parts: number,
    turned: (half: number, j: number, part: number, odd: number) => number,
  ): void {
    const columns = [0, 1, 2, 3].map(() => code.local("v128"));
    const pairs = [0, 1, 2, 3].map(() => code.local("v128"));
    const [low01, high01, low23, high23] = pairs as [Local, Local, Local, Local];
    const [c0, c1, c2, c3] = columns as [Local, Local, Local, Local];
    for (let half = 0; half < halves; half++) {
      for (let part = 0; part < parts; part++) {
        for (const odd of [0, 1]) {
          columns.forEach((local, n) => {
            code.globalGet(this.#scratch).v128Load(at(2 * halves + half) + 16 * (2 * n + odd));
            this.#takePart(code, b, part);
            code.localSet(local);
          });
          code.localGet(c0).localGet(c1).i32x4Shuffle(0, 4, 1, 5).localSet(low01);
          code.localGet(c0).localGet(c1).i32x4Shuffle(2, 6, 3, 7).localSet(high01);
          code.localGet(c2).localGet(c3).i32x4Shuffle(0, 4, 1, 5).localSet(low23);
          code.localGet(c2).localGet(c3).i32x4Shuffle(2, 6, 3, 7).localSet(high23);
          for (let j = 0; j < 4; j++) {
            code
              .globalGet(this.#scratch)
              .localGet(j < 2 ? low01 : high01)
              .localGet(j < 2 ? low23 : high23);
            if (j % 2 === 0) code.i32x4Shuffle(0, 1, 4, 5);
            else code.i32x4Shuffle(2, 3, 6, 7);
            code.v128Store(turned(half, j, part, odd));
          }
        }
      }
    }
    code.free(...columns, ...pairs);
  }

  /**
   * Takes registers, leaves what is multiplied: one float of each, or two 16-bit integers. Integers lie in the order of
   * their bytes 0 and 2, then 1 and 3, in A and B alike; their sum does not depend on order.
   */
  #takePart(code: FunctionBuilder, element: MatrixElement, part: number): void {
    const and = (bits: number): FunctionBuilder => code.i32x4Const(bits, bits, bits, bits).v128And();
    switch (element) {
      case "f16":
        if (part === 0) and(0xffff);
        else code.i32Const(16).i32x4ShrU();
        code.call(this.#helpers.halfToFloat);
        return;
      case "bf16":
        if (part === 0) code.i32Const(16).i32x4Shl();
        else and(0xffff0000 | 0);
        return;
      case "s8":
        if (part === 0) code.i32Const(8).i16x8Shl();
        code.i32Const(8).i16x8ShrS();
        return;
      case "u8":
        if (part === 0) and(0x00ff00ff);
        else code.i32Const(8).i16x8ShrU();
        return;
      default:
        and(0xffffe000 | 0); // tf32
    }
  }

  /** A local with accumulator n of the slice; where the sum is clamped it is added to last. */
  #startSum(
    code: FunctionBuilder,
    place: Local,
    sum: MatrixShape["sum"],
    saturates: boolean,
    slot: number,
    n: number,
  ): Local {
    const local = code.local("v128");
    if (saturates) return (code.i32x4Const(0, 0, 0, 0).localSet(local), local);
    if (sum !== "f16")
      return (
        code
          .localGet(place)
          .v128Load(at(slot + n))
          .localSet(local),
        local
      );
    code.localGet(place).v128Load(at(slot + (n >> 1)));
    this.#takePart(code, "f16", n & 1);
    code.localSet(local);
    return local;
  }

  #store(
    code: FunctionBuilder,
    place: Local,
    sum: MatrixShape["sum"],
    saturates: boolean,
    slot: number,
    sums: readonly Local[],
  ): void {
    if (sum === "f16") {
      for (const n of [0, 1]) {
        code.localGet(place);
        code.localGet(sums[2 * n]!).call(this.#helpers.floatToHalf);
        code
          .localGet(sums[2 * n + 1]!)
          .call(this.#helpers.floatToHalf)
          .i32Const(16)
          .i32x4Shl()
          .v128Or();
        code.v128Store(at(slot + n));
      }
      return;
    }
    sums.forEach((local, n) => {
      code.localGet(place);
      if (saturates) this.#pushClamped(code, place, at(slot + n), local);
      else code.localGet(local);
      code.v128Store(at(slot + n));
    });
  }

  /** accumulator + sum, clamped: it overflowed where both have the sign that the result has not. */
  #pushClamped(code: FunctionBuilder, place: Local, offset: number, sum: Local): void {
    const start = code.local("v128");
    const total = code.local("v128");
    const most = 0x7fffffff;
    code.localGet(place).v128Load(offset).localTee(start).localGet(sum).i32x4Add().localSet(total);
    code.localGet(start).i32Const(31).i32x4ShrS().i32x4Const(most, most, most, most).v128Xor();
    code.localGet(total);
    code
      .localGet(start)
      .localGet(total)
      .v128Xor()
      .localGet(sum)
      .localGet(total)
      .v128Xor()
      .v128And()
      .i32Const(31)
      .i32x4ShrS();
    code.v128Bitselect();
    code.free(start, total);
  }

  /** 8 × 8 doubles: a lane holds one element of A and one of B, four of k; products and sums are fused. */
  #buildDouble(code: FunctionBuilder): void {
    const scratch = this.#scratch;
    const turned = (j: number, odd: number, pair: number): number => TURNED + 16 * ((j * 2 + odd) * 2 + pair);
    const lane = (column: number, j: number): number => at(1) + 8 * (4 * column + j);
    for (let j = 0; j < 4; j++) {
      for (const odd of [0, 1]) {
        for (const pair of [0, 1]) {
          const first = 4 * pair + odd;
          code.globalGet(scratch);
          code
            .globalGet(scratch)
            .v128Load64Splat(lane(first, j))
            .globalGet(scratch)
            .f64Load(lane(first + 2, j))
            .f64x2ReplaceLane(1);
          code.v128Store(turned(j, odd, pair));
        }
      }
    }
    const place = code.local("i32"); // scratch + 32 g
    const end = code.local("i32");
    code
      .globalGet(scratch)
      .localTee(place)
      .i32Const(32 * SLICES)
      .i32Add()
      .localSet(end);
    const next = code.loop();
    const one = code.local("v128");
    const sums = [0, 1, 2, 3].map((n) => {
      const local = code.local("v128");
      code
        .localGet(place)
        .v128Load(at(2 + (n >> 1)) + 16 * (n & 1))
        .localSet(local);
      return local;
    });
    for (let j = 0; j < 4; j++) {
      code
        .localGet(place)
        .v128Load64Splat(at(0) + 8 * j)
        .localSet(one);
      sums.forEach((sum, n) => this.#fuse(code, sum, one, turned(j, n >> 1, n & 1)));
    }
    sums.forEach((sum, n) =>
      code
        .localGet(place)
        .localGet(sum)
        .v128Store(at(2 + (n >> 1)) + 16 * (n & 1)),
    );
    code.localGet(place).i32Const(32).i32Add().localTee(place).localGet(end).i32Ne().brIf(next);
    code.end(next);
  }

  /** sum = one · (vector of scratch at `offset`) + sum, rounded once. */
  #fuse(code: FunctionBuilder, sum: Local, one: Local, offset: number): void {
    const scratch = this.#scratch;
    if (this.#helpers.options.relaxedFma) {
      code.localGet(one).globalGet(scratch).v128Load(offset).localGet(sum).f64x2RelaxedMadd().localSet(sum);
      return;
    }
    code.localGet(sum);
    for (const lane of [0, 1]) {
      code
        .localGet(one)
        .f64x2ExtractLane(0)
        .globalGet(scratch)
        .f64Load(offset + 8 * lane)
        .localGet(sum)
        .f64x2ExtractLane(lane)
        .call(this.#fma64)
        .f64x2ReplaceLane(lane);
    }
    code.localSet(sum);
  }
}

/**
 * Emits the call of a product; true if the instruction was one. What lanes that take no part hold of A and B counts as
 * 0.
 */
export function emitMatrixProduct(
  context: CrossLaneContext & { readonly products: MatrixProducts },
  i: CallInstruction,
  name: string,
): boolean {
  const { code, values } = context;
  const shape = matrixShapeOf(name);
  if (shape === null) return false;
  const accumulators = factorRegisters(shape);
  i.args.forEach((arg, slot) => {
    if (context.isFull || slot >= accumulators) {
      spillToSlot(code, values, context.scratch, arg, MATRIX_SLOT + slot);
      return;
    }
    const parts = partsOf(elementOf(arg.type));
    const active = code.local("i32");
    context.pushMask();
    code.localSet(active);
    for (let s = 0; s < SLICES; s++) {
      for (let p = 0; p < parts; p++) {
        code.globalGet(context.scratch);
        values.pushVector(arg, s, p);
        pushMaskVector(values, active, s);
        if (isWide(elementOf(arg.type))) {
          const mask = code.local("v128");
          code.localTee(mask).localGet(mask);
          if (p === 0) code.i32x4Shuffle(0, 0, 1, 1);
          else code.i32x4Shuffle(2, 2, 3, 3);
          code.free(mask);
        }
        code.v128And().v128Store(at(slot) + (s * parts + p) * 16);
      }
    }
    code.free(active);
  });
  code.call(context.products.product(name, shape));
  for (let n = 0; accumulators + n < i.args.length; n++) {
    const location = context.resultLocation(i, n);
    if (location?.kind === "vector")
      reloadFromSlot(code, location.locals, context.scratch, MATRIX_SLOT + accumulators + n);
  }
  return true;
}
