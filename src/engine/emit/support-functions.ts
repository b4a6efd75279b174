/**
 * Small functions that emitted code calls: conversions of half and bfloat16, exact fused multiply-add, wide
 * multiplication, and (atomic-updates.ts) atomic operations that WebAssembly lacks. Each is written into the module the
 * first time it is asked for.
 */
import type { FunctionBuilder } from "../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../wasm/module-builder.ts";
import type { ValueType } from "../../wasm/types.ts";
import type { MathImports } from "./math-imports.ts";
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
    write: (code: FunctionBuilder) => void,
  ): FunctionBuilder {
    let code = this.#made.get(name);
    if (code === undefined) {
      code = this.#module.function(name, params, [result]);
      this.#made.set(name, code);
      write(code);
    }
    return code;
  }

  /** (bits: i32) → f32 */
  widen(format: HalfFormat): FunctionBuilder {
    if (format === "bfloat")
      return this.make("bfloat.widen", ["i32"], "f32", (code) =>
        code.localGet(0).i32Const(16).i32Shl().f32ReinterpretI32(),
      );
    return this.make("half.widen", ["i32"], "f32", (code) => {
      const magnitude = code.local("i32");
      const exponent = code.local("i32");
      code
        .localGet(0)
        .i32Const(0x7fff)
        .i32And()
        .i32Const(13)
        .i32Shl()
        .localTee(magnitude)
        .i32Const(0x0f80_0000)
        .i32And()
        .localSet(exponent);
      code
        .localGet(magnitude)
        .i32Const((127 - 15) << 23)
        .i32Add()
        .localSet(magnitude);
      code.localGet(exponent).i32Const(0x0f80_0000).i32Eq().if();
      code
        .localGet(magnitude)
        .i32Const((128 - 16) << 23)
        .i32Add()
        .localSet(magnitude); // infinity, NaN
      code.else().localGet(exponent).i32Eqz().if(); // zero, subnormal: renormalise by a subtraction
      code
        .localGet(magnitude)
        .i32Const(1 << 23)
        .i32Add()
        .f32ReinterpretI32()
        .f32Const(2 ** -14)
        .f32Sub()
        .i32ReinterpretF32()
        .localSet(magnitude);
      code.end().end();
      code.localGet(magnitude).localGet(0).i32Const(0x8000).i32And().i32Const(16).i32Shl().i32Or().f32ReinterpretI32();
    });
  }

  /** (value: f32) → bits: i32, nearest even */
  narrow(format: HalfFormat): FunctionBuilder {
    return this.make(`${format}.narrow`, ["f32"], "i32", (code) => {
      const bits = code.local("i32");
      const magnitude = code.local("i32");
      code.localGet(0).localGet(0).f32Ne().if();
      code.i32Const(NAN_16).return().end();
      code.localGet(0).i32ReinterpretF32().localSet(bits);
      if (format === "bfloat") {
        code
          .localGet(bits)
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
      const sign = (): FunctionBuilder => code.localGet(bits).i32Const(16).i32ShrU().i32Const(0x8000).i32And().i32Or();
      code.localGet(bits).i32Const(0x7fff_ffff).i32And().localSet(magnitude);
      code.localGet(magnitude).i32Const(0x477f_f000).i32GeU().if(); // 65520 and more round to infinity
      code.i32Const(0x7c00);
      sign().return().end();
      // below 2^-14: the addition of 0.5 rounds to the last place
      code.localGet(magnitude).i32Const(0x3880_0000).i32LtU().if("i32");
      code
        .localGet(magnitude)
        .f32ReinterpretI32()
        .f32Const(0.5)
        .f32Add()
        .i32ReinterpretF32()
        .i32Const(0x3f00_0000)
        .i32Sub();
      code.else();
      code
        .localGet(magnitude)
        .i32Const((15 - 127) * (1 << 23) + 0xfff)
        .i32Add();
      code.localGet(magnitude).i32Const(13).i32ShrU().i32Const(1).i32And().i32Add().i32Const(13).i32ShrU();
      code.end();
      sign();
    });
  }

  /** (value: f32) → zero of its sign where it is subnormal */
  flushToZero(): FunctionBuilder {
    return this.make("f32.flush", ["f32"], "f32", (code) => {
      code
        .f32Const(0)
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
    return this.make("f64.demote_odd", ["f64"], "f32", (code) => {
      const single = code.local("f32");
      const back = code.local("f64");
      const bits = code.local("i32");
      code.localGet(0).f32DemoteF64().localTee(single).f64PromoteF32().localTee(back).localGet(0).f64Eq();
      code.localGet(0).localGet(0).f64Ne().i32Or().if();
      code.localGet(single).return().end();
      code.localGet(single).i32ReinterpretF32().localTee(bits).i32Const(1).i32And().if();
      code.localGet(single).return().end();
      // The even neighbour was taken: the odd one lies on the other side of the value.
      code
        .localGet(bits)
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
    return this.make(`${format}.narrow_double`, ["f64"], "i32", (code) => code.localGet(0).call(odd).call(narrow));
  }

  /** (a, b, c: f64) → a*b+c rounded to odd; for operands of at most 24 bits, whose product is exact. */
  #fmaOdd(): FunctionBuilder {
    return this.make("fma_odd", ["f64", "f64", "f64"], "f64", (code) => {
      const product = code.local("f64");
      const sum = code.local("f64");
      const virtual = code.local("f64");
      const error = code.local("f64");
      const bits = code.local("i64");
      code
        .localGet(0)
        .localGet(1)
        .f64Mul()
        .localTee(product)
        .localGet(2)
        .f64Add()
        .localTee(sum)
        .localGet(product)
        .f64Sub()
        .localSet(virtual);
      code
        .localGet(product)
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
      code.localGet(error).f64Const(0).f64Lt().localGet(error).f64Const(0).f64Gt().i32Or().i32Eqz().if();
      code.localGet(sum).return().end();
      code.localGet(sum).i64ReinterpretF64().localTee(bits).i64Const(1n).i64And().i32WrapI64().if();
      code.localGet(sum).return().end();
      code
        .localGet(bits)
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
      code.f64ReinterpretI64();
    });
  }

  /** (a, b, c: f32) → f32; exact even where relaxed_madd is missing */
  fma32(): FunctionBuilder {
    if (this.#features.fusedMultiplyAdd) {
      return this.make("f32.fma", ["f32", "f32", "f32"], "f32", (code) =>
        code
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
    return this.make("f32.fma", ["f32", "f32", "f32"], "f32", (code) =>
      code.localGet(0).f64PromoteF32().localGet(1).f64PromoteF32().localGet(2).f64PromoteF32().call(odd).f32DemoteF64(),
    );
  }

  /** (a, b, c: f64) → f64 */
  fma64(): FunctionBuilder {
    return this.make("f64.fma", ["f64", "f64", "f64"], "f64", (code) => {
      if (this.#features.fusedMultiplyAdd)
        code
          .localGet(0)
          .f64x2Splat()
          .localGet(1)
          .f64x2Splat()
          .localGet(2)
          .f64x2Splat()
          .f64x2RelaxedMadd()
          .f64x2ExtractLane(0);
      else code.localGet(0).localGet(1).localGet(2).call(this.#math.fma64);
    });
  }

  /** (a, b, c: bits) → bits */
  fma16(format: HalfFormat): FunctionBuilder {
    const odd = this.#fmaOdd();
    const widen = this.widen(format);
    const narrow = this.narrowDouble(format);
    return this.make(`${format}.fma`, ["i32", "i32", "i32"], "i32", (code) => {
      for (const operand of [0, 1, 2]) code.localGet(operand).call(widen).f64PromoteF32();
      code.call(odd).call(narrow);
    });
  }

  /** (value: i64) → f64 rounded to odd: 64-bit integers on their way to 16-bit formats. */
  convertOdd(signed: boolean): FunctionBuilder {
    return this.make(signed ? "i64.to_f64_odd_s" : "i64.to_f64_odd_u", ["i64"], "f64", (code) => {
      const magnitude = code.local("i64");
      if (signed)
        code
          .i64Const(0n)
          .localGet(0)
          .i64Sub()
          .localGet(0)
          .localGet(0)
          .i64Const(0n)
          .i64LtS()
          .select()
          .localSet(magnitude);
      else code.localGet(0).localSet(magnitude);
      code.localGet(magnitude).i64Const(53n).i64ShrU().i64Eqz().if("f64");
      code.localGet(magnitude).f64ConvertI64U();
      code.else();
      code
        .localGet(magnitude)
        .i64Const(11n)
        .i64ShrU()
        .localGet(magnitude)
        .i64Const(0x7ffn)
        .i64And()
        .i64Const(0n)
        .i64Ne()
        .i64ExtendI32U()
        .i64Or();
      code.f64ConvertI64U().f64Const(2048).f64Mul();
      code.end();
      if (signed) code.f64Const(-1).f64Const(1).localGet(0).i64Const(0n).i64LtS().select().f64Mul();
    });
  }

  /** (a, b: i64) → upper 64 bits of the product */
  multiplyHigh64(signed: boolean): FunctionBuilder {
    if (signed) {
      const unsigned = this.multiplyHigh64(false);
      return this.make("i64.mulhi_s", ["i64", "i64"], "i64", (code) => {
        code.localGet(0).localGet(1).call(unsigned);
        code.localGet(0).i64Const(63n).i64ShrS().localGet(1).i64And().i64Sub();
        code.localGet(1).i64Const(63n).i64ShrS().localGet(0).i64And().i64Sub();
      });
    }
    return this.make("i64.mulhi_u", ["i64", "i64"], "i64", (code) => {
      const low = (operand: number): FunctionBuilder => code.localGet(operand).i64Const(0xffff_ffffn).i64And();
      const high = (operand: number): FunctionBuilder => code.localGet(operand).i64Const(32n).i64ShrU();
      const middle = code.local("i64");
      const cross = code.local("i64");
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

  /** (a, b) → the smaller or larger; a NaN loses against a number (IEEE 754-2008 minNum, PTX min); -0 < +0 */
  minMaxNumber(which: "min" | "max", type: "f32" | "f64"): FunctionBuilder {
    return this.make(`${type}.${which}_number`, [type, type], type, (code) => {
      const ne = type === "f32" ? "f32Ne" : "f64Ne";
      code.localGet(0).localGet(1);
      code.op(`${type}${which === "min" ? "Min" : "Max"}` as "f32Min");
      code.localGet(0);
      code.localGet(1).localGet(1).op(ne);
      const either = code.local("i32");
      code.localTee(either).i32Eqz().select();
      code.localGet(1).localGet(0).localGet(0).op(ne).i32Eqz().select();
      // select(a, b, c) keeps a when c: first "b is no NaN ? min : a", then "a is no NaN ? that : b".
    });
  }

  /** (value) → nearest integer, halfway cases away from zero (C's round) */
  roundAway(type: "f32" | "f64"): FunctionBuilder {
    return this.make(`${type}.round_away`, [type], type, (code) => {
      const op = (name: string): void => {
        code.op(`${type}${name}` as "f32Abs");
      };
      const constant = (value: number): void => {
        if (type === "f32") code.f32Const(value);
        else code.f64Const(value);
      };
      const whole = code.local(type);
      code.localGet(0);
      op("Trunc");
      code.localTee(whole);
      constant(1);
      constant(0);
      code.localGet(0).localGet(whole);
      op("Sub");
      op("Abs");
      constant(0.5);
      op("Ge");
      code.select();
      code.localGet(0);
      op("Copysign");
      op("Add");
      code.localGet(0);
      op("Copysign");
    });
  }
}
