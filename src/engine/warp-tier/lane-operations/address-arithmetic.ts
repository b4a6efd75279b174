/** The addresses of getelementptr with varying operands, one slice at a time. */
import { bug } from "../../../base/diagnostics.ts";
import type { GepInstruction, IrType, IrValue } from "../../../ir/model/ir.ts";
import { sizeOf, structOffsets } from "../../../ir/model/layout.ts";
import { elementOf } from "./element.ts";
import type { Values } from "./value-location.ts";

export function pushVectorGep(values: Values, i: GepInstruction, slice: number): void {
  const { code } = values;
  values.pushVector(i.base, slice);
  let constant = 0;
  let type = i.sourceType;
  i.indices.forEach((index, n) => {
    if (n > 0 && type.kind === "struct") {
      const field = index.kind === "const-int" ? Number(index.value) : bug("struct index that is no constant");
      constant += structOffsets(type)[field]!;
      type = type.elements[field]!;
      return;
    }
    if (n > 0) type = elementTypeOf(type);
    const step = sizeOf(type);
    if (index.kind === "const-int") {
      constant += Number(BigInt.asIntN(index.type.bits, index.value)) * step;
      return;
    }
    pushIndex(values, index, slice);
    if (step !== 1) multiply(values, step);
    code.i32x4Add();
  });
  if (constant !== 0) {
    values.pushIntegers(constant);
    code.i32x4Add();
  }
}

function elementTypeOf(type: IrType): IrType {
  if (type.kind !== "array" && type.kind !== "vector") bug("gep into a scalar");
  return type.element;
}

/** The low 32 bits of an index, sign-extended. */
function pushIndex(values: Values, index: IrValue, slice: number): void {
  const { code } = values;
  const element = elementOf(index.type);
  if (element === "i64") {
    values.pushVector(index, slice, 0);
    values.pushVector(index, slice, 1);
    code.i32x4Shuffle(0, 2, 4, 6);
    return;
  }
  values.pushVector(index, slice);
  if (element !== "i8" && element !== "i16") return;
  const shift = element === "i8" ? 24 : 16;
  code.i32Const(shift).i32x4Shl().i32Const(shift).i32x4ShrS();
}

function multiply(values: Values, factor: number): void {
  const { code } = values;
  if ((factor & (factor - 1)) === 0) code.i32Const(Math.log2(factor)).i32x4Shl();
  else {
    values.pushIntegers(factor);
    code.i32x4Mul();
  }
}
