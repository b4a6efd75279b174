/**
 * Functions that generated warp code calls: conversions and products that take too many instructions to repeat in line.
 */
import type { FunctionBuilder } from "../../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../../wasm/module-builder.ts";
import { splatI32 } from "./element.ts";

export interface HelperOptions {
  /** f32x4.relaxed_madd was probed to be a true fused multiply-add. */
  readonly relaxedFma: boolean;
}

/** Each helper is added to the module when it is first asked for. */
export class FloatHelpers {
  readonly #made = new Map<string, FunctionBuilder>();
  readonly #module: ModuleBuilder;
  readonly options: HelperOptions;
  constructor(module: ModuleBuilder, options: HelperOptions) {
    this.#module = module;
    this.options = options;
  }

  #helper(name: string, params: number, build: (code: FunctionBuilder) => void): FunctionBuilder {
    let code = this.#made.get(name);
    if (code === undefined) {
      code = this.#module.function(name, new Array<"v128">(params).fill("v128"), ["v128"]);
      this.#made.set(name, code);
      build(code);
    }
    return code;
  }

  /** Half bits in 32-bit lanes → float. Exact. */
  get halfToFloat(): FunctionBuilder {
    return this.#helper("half_to_float", 1, (code) => {
      const magnitude = code.local("v128");
      // (bits & 0x7fff) << 13 read as a float is the value times 2^-112; the product puts subnormals right too.
      code.localGet(0);
      splatI32(code, 0x7fff).v128And().localTee(magnitude);
      code.i32Const(13).i32x4Shl();
      splatI32(code, 0x77800000).f32x4Mul(); // 2^112
      // infinity and NaN: exponent all ones
      code.localGet(magnitude).i32Const(13).i32x4Shl();
      splatI32(code, 0x7f800000).v128Or();
      code.localGet(magnitude);
      splatI32(code, 0x7bff).i32x4GtS();
      const special = code.local("v128");
      const ordinary = code.local("v128");
      const infinite = code.local("v128");
      code.localSet(special).localSet(infinite).localSet(ordinary);
      code.localGet(infinite).localGet(ordinary).localGet(special).v128Bitselect();
      code.localGet(0);
      splatI32(code, 0x8000).v128And().i32Const(16).i32x4Shl().v128Or();
    });
  }

  /** Float → half bits, nearest even; NaN becomes 0x7fff. */
  get floatToHalf(): FunctionBuilder {
    return this.#helper("float_to_half", 1, (code) => {
      const magnitude = code.local("v128");
      const result = code.local("v128");
      code.localGet(0);
      splatI32(code, 0x7fffffff).v128And().localSet(magnitude);
      // normal: add half an ulp less one plus the last kept bit, rebias, shift
      code.localGet(magnitude);
      splatI32(code, 0xc8000fff | 0).i32x4Add();
      code.localGet(magnitude).i32Const(13).i32x4ShrU();
      splatI32(code, 1).v128And().i32x4Add();
      code.i32Const(13).i32x4ShrU().localSet(result);
      // subnormal: adding 0.5 as a float leaves the rounded half in the low bits
      code.localGet(magnitude);
      splatI32(code, 0x3f000000).f32x4Add();
      splatI32(code, 0x3f000000).i32x4Sub();
      code.localGet(result);
      code.localGet(magnitude);
      splatI32(code, 0x38800000).i32x4LtS().v128Bitselect().localSet(result);
      // too large
      splatI32(code, 0x7c00).localGet(result);
      code.localGet(magnitude);
      splatI32(code, 0x477ff000 - 1)
        .i32x4GtS()
        .v128Bitselect()
        .localSet(result);
      splatI32(code, 0x7fff).localGet(result);
      code.localGet(magnitude);
      splatI32(code, 0x7f800000).i32x4GtS().v128Bitselect().localSet(result);
      // sign, which a NaN does not keep
      code.localGet(result);
      code.localGet(0).i32Const(16).i32x4ShrU();
      splatI32(code, 0x8000).v128And();
      code.localGet(magnitude);
      splatI32(code, 0x7f800000).i32x4GtS().v128Andnot().v128Or();
    });
  }

  /** Float → bfloat16 bits, nearest even; NaN becomes 0x7fff. */
  get floatToBfloat(): FunctionBuilder {
    return this.#helper("float_to_bfloat", 1, (code) => {
      splatI32(code, 0x7fff);
      code.localGet(0);
      splatI32(code, 0x7fff).i32x4Add();
      code.localGet(0).i32Const(16).i32x4ShrU();
      splatI32(code, 1).v128And().i32x4Add().i32Const(16).i32x4ShrU();
      code.localGet(0).localGet(0).f32x4Ne().v128Bitselect();
    });
  }

  /** a·b + c rounded once, four floats. */
  get fma32(): FunctionBuilder {
    return this.#helper("fma_f32x4", 3, (code) => {
      if (this.options.relaxedFma) {
        code.localGet(0).localGet(1).localGet(2).f32x4RelaxedMadd();
        return;
      }
      const low = code.local("v128");
      const half = (high: boolean): void => {
        for (const p of [0, 1, 2]) {
          code.localGet(p);
          if (high) code.localGet(p).i32x4Shuffle(2, 3, 2, 3);
          code.f64x2PromoteLowF32x4();
        }
        code.call(this.#fmaToFloat);
      };
      half(false);
      code.localSet(low);
      half(true);
      const high = code.local("v128");
      code.localSet(high).localGet(low).localGet(high).i32x4Shuffle(0, 1, 4, 5);
    });
  }

  /**
   * Floats held as doubles: the product is exact (48 bits), the sum is rounded to odd (Boldo and Melquiond, "Emulation
   * of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008), then to float: rounded once in
   * effect.
   */
  get #fmaToFloat(): FunctionBuilder {
    return this.#helper("fma_f64x2_to_f32", 3, (code) => {
      const product = code.local("v128");
      const sum = code.local("v128");
      const error = code.local("v128");
      const t = code.local("v128");
      code.localGet(0).localGet(1).f64x2Mul().localTee(product).localGet(2).f64x2Add().localSet(sum);
      // Knuth's two-sum: error = (product − (sum − t)) + (c − t), t = sum − product
      code.localGet(sum).localGet(product).f64x2Sub().localSet(t);
      code.localGet(product).localGet(sum).localGet(t).f64x2Sub().f64x2Sub();
      code.localGet(2).localGet(t).f64x2Sub().f64x2Add().localSet(error);
      // Inexact and even: step towards the error by one unit, so that the last bit is odd.
      const zero = (): FunctionBuilder => code.i32x4Const(0, 0, 0, 0);
      const step = code.local("v128");
      // +1 on the bits grows the magnitude: right when error and sum have the same sign, else −1
      code.localGet(error).localGet(sum).v128Xor().i32Const(63).i64x2ShrS(); // −1 where signs differ, 0 where same
      code.v128Const([1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]).v128Or().localSet(step);
      code.localGet(sum);
      code.localGet(step);
      code.localGet(error);
      zero().f64x2Ne();
      code.localGet(error).localGet(error).f64x2Eq().v128And(); // not NaN (infinite sums)
      code.localGet(sum).v128Const([1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]).v128And();
      zero().i64x2Eq().v128And();
      code.v128And().i64x2Add();
      code.f32x4DemoteF64x2Zero();
    });
  }
}
