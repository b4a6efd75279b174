/**
 * Small functions that emitted code calls: conversions of half and bfloat16, exact fused multiply-add, wide
 * multiplication, and (atomic-updates.ts) atomic operations that WebAssembly lacks. Each is written into the module the
 * first time it is asked for.
 */
import type { FunctionBuilder } from "../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../wasm/module-builder.ts";
import type { ValueType } from "../../wasm/types.ts";
import type { MathImports } from "./environment.ts";
import type { Features } from "./features.ts";

export type HalfFormat = "half" | "bfloat";

/** CUDA's NaN in the 16-bit formats, what conversions give (base/half.ts). */
const NAN_16 = 0x7fff;

export class SupportFunctions {
  readonly #made = new Map<string, FunctionBuilder>();
  readonly #module: ModuleBuilder;
  readonly #math: MathImports;
  readonly #features: Features;

  constructor(module: ModuleBuilder, math: MathImports, features: Features) {
    this.#module = module;
    this.#math = math;
    this.#features = features;
  }

  /** The function of this name, written by `write` when it is asked for first. */
  make(
    name: string,
    params: readonly ValueType[],
    result: ValueType,
    write: (f: FunctionBuilder) => void,
  ): FunctionBuilder {
    let f = this.#made.get(name);
    if (f === undefined) {
      f = this.#module.function(name, params, [result]);
      this.#made.set(name, f);
      write(f);
    }
    return f;
  }

  /** (bits: i32) → f32 */
  widen(format: HalfFormat): FunctionBuilder {
    if (format === "bfloat")
      return this.make("bfloat.widen", ["i32"], "f32", (f) => f.localGet(0).i32Const(16).i32Shl().f32ReinterpretI32());
    return this.make("half.widen", ["i32"], "f32", (f) => {
      const magnitude = f.local("i32");
      const exponent = f.local("i32");
      f.localGet(0)
        .i32Const(0x7fff)
        .i32And()
        .i32Const(13)
        .i32Shl()
        .localTee(magnitude)
        .i32Const(0x0f80_0000)
        .i32And()
        .localSet(exponent);
      f.localGet(magnitude)
        .i32Const((127 - 15) << 23)
        .i32Add()
        .localSet(magnitude);
      f.localGet(exponent).i32Const(0x0f80_0000).i32Eq().if();
      f.localGet(magnitude)
        .i32Const((128 - 16) << 23)
        .i32Add()
        .localSet(magnitude); // infinity, NaN
      f.else().localGet(exponent).i32Eqz().if(); // zero, subnormal: renormalise by a subtraction
      f.localGet(magnitude)
        .i32Const(1 << 23)
        .i32Add()
        .f32ReinterpretI32()
        .f32Const(2 ** -14)
        .f32Sub()
        .i32ReinterpretF32()
        .localSet(magnitude);
      f.end().end();
      f.localGet(magnitude).localGet(0).i32Const(0x8000).i32And().i32Const(16).i32Shl().i32Or().f32ReinterpretI32();
    });
  }

  /** (value: f32) → bits: i32, nearest even */
  narrow(format: HalfFormat): FunctionBuilder {
    return this.make(`${format}.narrow`, ["f32"], "i32", (f) => {
      const bits = f.local("i32");
      const magnitude = f.local("i32");
      f.localGet(0).localGet(0).f32Ne().if();
      f.i32Const(NAN_16).return().end();
      f.localGet(0).i32ReinterpretF32().localSet(bits);
      if (format === "bfloat") {
        f.localGet(bits)
          .i32Const(0x7fff)
          .i32Add()
          .localGet(bits)
          .i32Const(16)
          .i32ShrU()
          .i32Const(1)
          .i32And()
          .i32Add()
          .i32Const(16)
          .i32ShrU();
        return;
      }
      const sign = (): FunctionBuilder => f.localGet(bits).i32Const(16).i32ShrU().i32Const(0x8000).i32And().i32Or();
      f.localGet(bits).i32Const(0x7fff_ffff).i32And().localSet(magnitude);
      f.localGet(magnitude).i32Const(0x477f_f000).i32GeU().if(); // 65520 and more round to infinity
      f.i32Const(0x7c00);
      sign().return().end();
      // below 2^-14: the addition of 0.5 rounds to the last place
      f.localGet(magnitude).i32Const(0x3880_0000).i32LtU().if("i32");
      f.localGet(magnitude)
        .f32ReinterpretI32()
        .f32Const(0.5)
        .f32Add()
        .i32ReinterpretF32()
        .i32Const(0x3f00_0000)
        .i32Sub();
      f.else();
      f.localGet(magnitude)
        .i32Const((15 - 127) * (1 << 23) + 0xfff)
        .i32Add();
      f.localGet(magnitude).i32Const(13).i32ShrU().i32Const(1).i32And().i32Add().i32Const(13).i32ShrU();
      f.end();
      sign();
    });
  }

  /** (value: f32) → zero of its sign where it is subnormal */
  flushToZero(): FunctionBuilder {
    return this.make("f32.flush", ["f32"], "f32", (f) => {
      f.f32Const(0)
        .localGet(0)
        .f32Copysign()
        .localGet(0)
        .localGet(0)
        .f32Abs()
        .f32Const(2 ** -126)
        .f32Lt()
        .select();
    });
  }

  /** (value: f64) → f32 rounded to odd, so that a further rounding to 16 bits is correct; NaN stays NaN. */
  demoteOdd(): FunctionBuilder {
    return this.make("f64.demote_odd", ["f64"], "f32", (f) => {
      const single = f.local("f32");
      const back = f.local("f64");
      const bits = f.local("i32");
      f.localGet(0).f32DemoteF64().localTee(single).f64PromoteF32().localTee(back).localGet(0).f64Eq();
      f.localGet(0).localGet(0).f64Ne().i32Or().if();
      f.localGet(single).return().end();
      f.localGet(single).i32ReinterpretF32().localTee(bits).i32Const(1).i32And().if();
      f.localGet(single).return().end();
      // The even neighbour was taken: the odd one lies on the other side of the value.
      f.localGet(bits)
        .i32Const(1)
        .i32Const(-1)
        .localGet(back)
        .f64Abs()
        .localGet(0)
        .f64Abs()
        .f64Lt()
        .select()
        .i32Add()
        .f32ReinterpretI32();
    });
  }

  /** (value: f64) → bits: i32, rounded once */
  narrowDouble(format: HalfFormat): FunctionBuilder {
    const odd = this.demoteOdd();
    const narrow = this.narrow(format);
    return this.make(`${format}.narrow_double`, ["f64"], "i32", (f) => f.localGet(0).call(odd).call(narrow));
  }

  /** (a, b, c: f64) → a*b+c rounded to odd; for operands of at most 24 bits, whose product is exact. */
  #fmaOdd(): FunctionBuilder {
    return this.make("fma_odd", ["f64", "f64", "f64"], "f64", (f) => {
      const product = f.local("f64");
      const sum = f.local("f64");
      const virtual = f.local("f64");
      const error = f.local("f64");
      const bits = f.local("i64");
      f.localGet(0)
        .localGet(1)
        .f64Mul()
        .localTee(product)
        .localGet(2)
        .f64Add()
        .localTee(sum)
        .localGet(product)
        .f64Sub()
        .localSet(virtual);
      f.localGet(product)
        .localGet(sum)
        .localGet(virtual)
        .f64Sub()
        .f64Sub()
        .localGet(2)
        .localGet(virtual)
        .f64Sub()
        .f64Add()
        .localSet(error);
      // An error that is zero or NaN (infinities) needs no correction.
      f.localGet(error).f64Const(0).f64Lt().localGet(error).f64Const(0).f64Gt().i32Or().i32Eqz().if();
      f.localGet(sum).return().end();
      f.localGet(sum).i64ReinterpretF64().localTee(bits).i64Const(1n).i64And().i32WrapI64().if();
      f.localGet(sum).return().end();
      f.localGet(bits)
        .i64Const(1n)
        .i64Const(-1n)
        .localGet(error)
        .f64Const(0)
        .f64Gt()
        .localGet(sum)
        .f64Const(0)
        .f64Gt()
        .i32Eq()
        .select()
        .i64Add();
      f.f64ReinterpretI64();
    });
  }

  /** (a, b, c: f32) → f32; exact even where relaxed_madd is missing */
  fma32(): FunctionBuilder {
    if (this.#features.fusedMultiplyAdd) {
      return this.make("f32.fma", ["f32", "f32", "f32"], "f32", (f) =>
        f
          .localGet(0)
          .f32x4Splat()
          .localGet(1)
          .f32x4Splat()
          .localGet(2)
          .f32x4Splat()
          .f32x4RelaxedMadd()
          .f32x4ExtractLane(0),
      );
    }
    const odd = this.#fmaOdd();
    return this.make("f32.fma", ["f32", "f32", "f32"], "f32", (f) =>
      f.localGet(0).f64PromoteF32().localGet(1).f64PromoteF32().localGet(2).f64PromoteF32().call(odd).f32DemoteF64(),
    );
  }

  /** (a, b, c: f64) → f64 */
  fma64(): FunctionBuilder {
    return this.make("f64.fma", ["f64", "f64", "f64"], "f64", (f) => {
      if (this.#features.fusedMultiplyAdd)
        f.localGet(0)
          .f64x2Splat()
          .localGet(1)
          .f64x2Splat()
          .localGet(2)
          .f64x2Splat()
          .f64x2RelaxedMadd()
          .f64x2ExtractLane(0);
      else f.localGet(0).localGet(1).localGet(2).call(this.#math.fma64);
    });
  }

  /** (a, b, c: bits) → bits */
  fma16(format: HalfFormat): FunctionBuilder {
    const odd = this.#fmaOdd();
    const widen = this.widen(format);
    const narrow = this.narrowDouble(format);
    return this.make(`${format}.fma`, ["i32", "i32", "i32"], "i32", (f) => {
      for (const operand of [0, 1, 2]) f.localGet(operand).call(widen).f64PromoteF32();
      f.call(odd).call(narrow);
    });
  }

  /** (value: i64) → f64 rounded to odd: 64-bit integers on their way to 16-bit formats. */
  convertOdd(signed: boolean): FunctionBuilder {
    return this.make(signed ? "i64.to_f64_odd_s" : "i64.to_f64_odd_u", ["i64"], "f64", (f) => {
      const magnitude = f.local("i64");
      if (signed)
        f.i64Const(0n).localGet(0).i64Sub().localGet(0).localGet(0).i64Const(0n).i64LtS().select().localSet(magnitude);
      else f.localGet(0).localSet(magnitude);
      f.localGet(magnitude).i64Const(53n).i64ShrU().i64Eqz().if("f64");
      f.localGet(magnitude).f64ConvertI64U();
      f.else();
      f.localGet(magnitude)
        .i64Const(11n)
        .i64ShrU()
        .localGet(magnitude)
        .i64Const(0x7ffn)
        .i64And()
        .i64Const(0n)
        .i64Ne()
        .i64ExtendI32U()
        .i64Or();
      f.f64ConvertI64U().f64Const(2048).f64Mul();
      f.end();
      if (signed) f.f64Const(-1).f64Const(1).localGet(0).i64Const(0n).i64LtS().select().f64Mul();
    });
  }

  /** (a, b: i64) → upper 64 bits of the product */
  multiplyHigh64(signed: boolean): FunctionBuilder {
    if (signed) {
      const unsigned = this.multiplyHigh64(false);
      return this.make("i64.mulhi_s", ["i64", "i64"], "i64", (f) => {
        f.localGet(0).localGet(1).call(unsigned);
        f.localGet(0).i64Const(63n).i64ShrS().localGet(1).i64And().i64Sub();
        f.localGet(1).i64Const(63n).i64ShrS().localGet(0).i64And().i64Sub();
      });
    }
    return this.make("i64.mulhi_u", ["i64", "i64"], "i64", (f) => {
      const low = (operand: number): FunctionBuilder => f.localGet(operand).i64Const(0xffff_ffffn).i64And();
      const high = (operand: number): FunctionBuilder => f.localGet(operand).i64Const(32n).i64ShrU();
      const middle = f.local("i64");
      const cross = f.local("i64");
      low(0);
      low(1).i64Mul().i64Const(32n).i64ShrU();
      high(0);
      low(1).i64Mul().i64Add().localSet(middle);
      low(0);
      high(1).i64Mul().localGet(middle).i64Const(0xffff_ffffn).i64And().i64Add().localSet(cross);
      high(0);
      high(1).i64Mul();
      high(middle).i64Add();
      high(cross).i64Add();
    });
  }

  /** (value) → bits in reverse order */
  reverseBits(type: "i32" | "i64"): FunctionBuilder {
    return this.make(`${type}.reverse_bits`, [type], type, (f) => {
      if (type === "i64") {
        const word = this.reverseBits("i32");
        f.localGet(0).i32WrapI64().call(word).i64ExtendI32U().i64Const(32n).i64Shl();
        f.localGet(0).i64Const(32n).i64ShrU().i32WrapI64().call(word).i64ExtendI32U().i64Or();
        return;
      }
      for (const [shift, mask] of [
        [1, 0x5555_5555],
        [2, 0x3333_3333],
        [4, 0x0f0f_0f0f],
      ] as const) {
        f.localGet(0)
          .i32Const(shift)
          .i32ShrU()
          .i32Const(mask)
          .i32And()
          .localGet(0)
          .i32Const(mask)
          .i32And()
          .i32Const(shift)
          .i32Shl()
          .i32Or()
          .localSet(0);
      }
      f.localGet(0).call(this.swapBytes("i32"));
    });
  }

  swapBytes(type: "i32" | "i64"): FunctionBuilder {
    return this.make(`${type}.swap_bytes`, [type], type, (f) => {
      if (type === "i64") {
        const word = this.swapBytes("i32");
        f.localGet(0).i32WrapI64().call(word).i64ExtendI32U().i64Const(32n).i64Shl();
        f.localGet(0).i64Const(32n).i64ShrU().i32WrapI64().call(word).i64ExtendI32U().i64Or();
        return;
      }
      f.localGet(0)
        .i32Const(8)
        .i32Rotl()
        .i32Const(0x00ff_00ff)
        .i32And()
        .localGet(0)
        .i32Const(8)
        .i32Rotr()
        .i32Const(0xff00_ff00)
        .i32And()
        .i32Or();
    });
  }

  /**
   * (a, b: bits of two registers, selector) → PTX prmt.b32 in its default mode: four bytes, each with its sign spread
   * on demand
   */
  permuteBytes(): FunctionBuilder {
    return this.make("prmt", ["i32", "i32", "i32"], "i32", (f) => {
      const both = f.local("i64");
      const byte = f.local("i32");
      const result = f.local("i32");
      f.localGet(0).i64ExtendI32U().localGet(1).i64ExtendI32U().i64Const(32n).i64Shl().i64Or().localSet(both);
      for (let i = 0; i < 4; i++) {
        f.localGet(both)
          .localGet(2)
          .i32Const(4 * i)
          .i32ShrU()
          .i32Const(7)
          .i32And()
          .i32Const(3)
          .i32Shl()
          .i64ExtendI32U()
          .i64ShrU();
        f.i32WrapI64().i32Const(0xff).i32And().localSet(byte);
        f.localGet(byte).i32Extend8S().i32Const(31).i32ShrS().i32Const(0xff).i32And().localGet(byte);
        f.localGet(2)
          .i32Const(8 << (4 * i))
          .i32And()
          .select();
        f.i32Const(8 * i)
          .i32Shl()
          .localGet(result)
          .i32Or()
          .localSet(result);
      }
      f.localGet(result);
    });
  }

  /** (a, b) → the smaller or larger; a NaN loses against a number (IEEE 754-2008 minNum, PTX min); -0 < +0 */
  minMaxNumber(which: "min" | "max", type: "f32" | "f64"): FunctionBuilder {
    return this.make(`${type}.${which}_number`, [type, type], type, (f) => {
      const ne = type === "f32" ? "f32Ne" : "f64Ne";
      f.localGet(0).localGet(1);
      f.op(`${type}${which === "min" ? "Min" : "Max"}` as "f32Min");
      f.localGet(0);
      f.localGet(1).localGet(1).op(ne);
      const either = f.local("i32");
      f.localTee(either).i32Eqz().select();
      f.localGet(1).localGet(0).localGet(0).op(ne).i32Eqz().select();
      // select(a, b, c) keeps a when c: first "b is no NaN ? min : a", then "a is no NaN ? that : b".
    });
  }

  /** (value) → nearest integer, halfway cases away from zero (C's round) */
  roundAway(type: "f32" | "f64"): FunctionBuilder {
    return this.make(`${type}.round_away`, [type], type, (f) => {
      const op = (name: string): void => {
        f.op(`${type}${name}` as "f32Abs");
      };
      const constant = (value: number): void => {
        if (type === "f32") f.f32Const(value);
        else f.f64Const(value);
      };
      const whole = f.local(type);
      f.localGet(0);
      op("Trunc");
      f.localTee(whole);
      constant(1);
      constant(0);
      f.localGet(0).localGet(whole);
      op("Sub");
      op("Abs");
      constant(0.5);
      op("Ge");
      f.select();
      f.localGet(0);
      op("Copysign");
      op("Add");
      f.localGet(0);
      op("Copysign");
    });
  }
}
