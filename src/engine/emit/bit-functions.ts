/** Support functions on bits and bytes: reversals, and PTX prmt. */
import type { FunctionBuilder } from "../../wasm/function-builder.ts";
import type { SupportFunctions } from "./support-functions.ts";

/** (value) → bits in reverse order */
export function reverseBits(support: SupportFunctions, type: "i32" | "i64"): FunctionBuilder {
  return support.make(`${type}.reverse_bits`, [type], type, (code) => {
    if (type === "i64") {
      const word = reverseBits(support, "i32");
      code.localGet(0).i32WrapI64().call(word).i64ExtendI32U().i64Const(32n).i64Shl();
      code.localGet(0).i64Const(32n).i64ShrU().i32WrapI64().call(word).i64ExtendI32U().i64Or();
      return;
    }
    for (const [shift, mask] of [
      [1, 0x5555_5555],
      [2, 0x3333_3333],
      [4, 0x0f0f_0f0f],
    ] as const) {
      code
        .localGet(0)
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
    code.localGet(0).call(swapBytes(support, "i32"));
  });
}

export function swapBytes(support: SupportFunctions, type: "i32" | "i64"): FunctionBuilder {
  return support.make(`${type}.swap_bytes`, [type], type, (code) => {
    if (type === "i64") {
      const word = swapBytes(support, "i32");
      code.localGet(0).i32WrapI64().call(word).i64ExtendI32U().i64Const(32n).i64Shl();
      code.localGet(0).i64Const(32n).i64ShrU().i32WrapI64().call(word).i64ExtendI32U().i64Or();
      return;
    }
    code
      .localGet(0)
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
export function permuteBytes(support: SupportFunctions): FunctionBuilder {
  return support.make("prmt", ["i32", "i32", "i32"], "i32", (code) => {
    const both = code.local("i64");
    const byte = code.local("i32");
    const result = code.local("i32");
    code.localGet(0).i64ExtendI32U().localGet(1).i64ExtendI32U().i64Const(32n).i64Shl().i64Or().localSet(both);
    for (let i = 0; i < 4; i++) {
      code
        .localGet(both)
        .localGet(2)
        .i32Const(4 * i)
        .i32ShrU()
        .i32Const(7)
        .i32And()
        .i32Const(3)
        .i32Shl()
        .i64ExtendI32U()
        .i64ShrU();
      code.i32WrapI64().i32Const(0xff).i32And().localSet(byte);
      code.localGet(byte).i32Extend8S().i32Const(31).i32ShrS().i32Const(0xff).i32And().localGet(byte);
      code
        .localGet(2)
        .i32Const(8 << (4 * i))
        .i32And()
        .select();
      code
        .i32Const(8 * i)
        .i32Shl()
        .localGet(result)
        .i32Or()
        .localSet(result);
    }
    code.localGet(result);
  });
}
