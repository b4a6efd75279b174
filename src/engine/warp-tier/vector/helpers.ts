/**
 * Functions that generated warp code calls: conversions and products that take too many instructions to repeat in line.
 */
import type { FunctionBuilder } from "../../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../../wasm/module-builder.ts";

export interface HelperOptions {
  /** f32x4.relaxed_madd was probed to be a true fused multiply-add. */
  readonly relaxedFma: boolean;
}

const splat = (f: FunctionBuilder, v: number): FunctionBuilder => f.i32x4Const(v, v, v, v);

/** Each helper is added to the module when it is first asked for. */
export class VectorHelpers {
  readonly #made = new Map<string, FunctionBuilder>();
  readonly #module: ModuleBuilder;
  readonly options: HelperOptions;
  constructor(module: ModuleBuilder, options: HelperOptions) {
    this.#module = module;
    this.options = options;
  }

  #helper(name: string, params: number, build: (f: FunctionBuilder) => void): FunctionBuilder {
    let f = this.#made.get(name);
    if (f === undefined) {
      f = this.#module.function(name, new Array<"v128">(params).fill("v128"), ["v128"]);
      this.#made.set(name, f);
      build(f);
    }
    return f;
  }

  /** Half bits in 32-bit lanes → float. Exact. */
  get halfToFloat(): FunctionBuilder {
    return this.#helper("half_to_float", 1, (f) => {
      const magnitude = f.local("v128");
      // (bits & 0x7fff) << 13 read as a float is the value times 2^-112; the product puts subnormals right too.
      f.localGet(0);
      splat(f, 0x7fff).v128And().localTee(magnitude);
      f.i32Const(13).i32x4Shl();
      splat(f, 0x77800000).f32x4Mul(); // 2^112
      // infinity and NaN: exponent all ones
      f.localGet(magnitude).i32Const(13).i32x4Shl();
      splat(f, 0x7f800000).v128Or();
      f.localGet(magnitude);
      splat(f, 0x7bff).i32x4GtS();
      const special = f.local("v128");
      const ordinary = f.local("v128");
      const infinite = f.local("v128");
      f.localSet(special).localSet(infinite).localSet(ordinary);
      f.localGet(infinite).localGet(ordinary).localGet(special).v128Bitselect();
      f.localGet(0);
      splat(f, 0x8000).v128And().i32Const(16).i32x4Shl().v128Or();
    });
  }

  /** Float → half bits, nearest even; NaN becomes 0x7fff. */
  get floatToHalf(): FunctionBuilder {
    return this.#helper("float_to_half", 1, (f) => {
      const magnitude = f.local("v128");
      const result = f.local("v128");
      f.localGet(0);
      splat(f, 0x7fffffff).v128And().localSet(magnitude);
      // normal: add half an ulp less one plus the last kept bit, rebias, shift
      f.localGet(magnitude);
      splat(f, 0xc8000fff | 0).i32x4Add();
      f.localGet(magnitude).i32Const(13).i32x4ShrU();
      splat(f, 1).v128And().i32x4Add();
      f.i32Const(13).i32x4ShrU().localSet(result);
      // subnormal: adding 0.5 as a float leaves the rounded half in the low bits
      f.localGet(magnitude);
      splat(f, 0x3f000000).f32x4Add();
      splat(f, 0x3f000000).i32x4Sub();
      f.localGet(result);
      f.localGet(magnitude);
      splat(f, 0x38800000).i32x4LtS().v128Bitselect().localSet(result);
      // too large
      splat(f, 0x7c00).localGet(result);
      f.localGet(magnitude);
      splat(f, 0x477ff000 - 1)
        .i32x4GtS()
        .v128Bitselect()
        .localSet(result);
      splat(f, 0x7fff).localGet(result);
      f.localGet(magnitude);
      splat(f, 0x7f800000).i32x4GtS().v128Bitselect().localSet(result);
      // sign, which a NaN does not keep
      f.localGet(result);
      f.localGet(0).i32Const(16).i32x4ShrU();
      splat(f, 0x8000).v128And();
      f.localGet(magnitude);
      splat(f, 0x7f800000).i32x4GtS().v128Andnot().v128Or();
    });
  }

  /** Float → bfloat16 bits, nearest even; NaN becomes 0x7fff. */
  get floatToBfloat(): FunctionBuilder {
    return this.#helper("float_to_bfloat", 1, (f) => {
      splat(f, 0x7fff);
      f.localGet(0);
      splat(f, 0x7fff).i32x4Add();
      f.localGet(0).i32Const(16).i32x4ShrU();
      splat(f, 1).v128And().i32x4Add().i32Const(16).i32x4ShrU();
      f.localGet(0).localGet(0).f32x4Ne().v128Bitselect();
    });
  }

  /** a·b + c rounded once, four floats. */
  get fma32(): FunctionBuilder {
    return this.#helper("fma_f32x4", 3, (f) => {
      if (this.options.relaxedFma) {
        f.localGet(0).localGet(1).localGet(2).f32x4RelaxedMadd();
        return;
      }
      const low = f.local("v128");
      const half = (high: boolean): void => {
        for (const p of [0, 1, 2]) {
          f.localGet(p);
          if (high) f.localGet(p).i32x4Shuffle(2, 3, 2, 3);
          f.f64x2PromoteLowF32x4();
        }
        f.call(this.#fmaToFloat);
      };
      half(false);
      f.localSet(low);
      half(true);
      const high = f.local("v128");
      f.localSet(high).localGet(low).localGet(high).i32x4Shuffle(0, 1, 4, 5);
    });
  }

  /**
   * Floats held as doubles: the product is exact (48 bits), the sum is rounded to odd (Boldo and Melquiond, "Emulation
   * of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008), then to float: rounded once in
   * effect.
   */
  get #fmaToFloat(): FunctionBuilder {
    return this.#helper("fma_f64x2_to_f32", 3, (f) => {
      const product = f.local("v128");
      const sum = f.local("v128");
      const error = f.local("v128");
      const t = f.local("v128");
      f.localGet(0).localGet(1).f64x2Mul().localTee(product).localGet(2).f64x2Add().localSet(sum);
      // Knuth's two-sum: error = (product − (sum − t)) + (c − t), t = sum − product
      f.localGet(sum).localGet(product).f64x2Sub().localSet(t);
      f.localGet(product).localGet(sum).localGet(t).f64x2Sub().f64x2Sub();
      f.localGet(2).localGet(t).f64x2Sub().f64x2Add().localSet(error);
      // Inexact and even: step towards the error by one unit, so that the last bit is odd.
      const zero = (): FunctionBuilder => f.i32x4Const(0, 0, 0, 0);
      const step = f.local("v128");
      // +1 on the bits grows the magnitude: right when error and sum have the same sign, else −1
      f.localGet(error).localGet(sum).v128Xor().i32Const(63).i64x2ShrS(); // −1 where signs differ, 0 where same
      f.v128Const([1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]).v128Or().localSet(step);
      f.localGet(sum);
      f.localGet(step);
      f.localGet(error);
      zero().f64x2Ne();
      f.localGet(error).localGet(error).f64x2Eq().v128And(); // not NaN (infinite sums)
      f.localGet(sum).v128Const([1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]).v128And();
      zero().i64x2Eq().v128And();
      f.v128And().i64x2Add();
      f.f32x4DemoteF64x2Zero();
    });
  }
}
