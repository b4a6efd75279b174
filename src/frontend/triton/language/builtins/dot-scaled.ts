/**
 * `tl.dot_scaled`: products of blocks with a scale for each group of elements (OCP Microscaling Formats 1.0).
 *
 * As Triton does where tensor cores have no such products (DecomposeScaledBlocked.cpp of Triton 3.6): the elements and
 * the scales become bf16, fp16 where one of the operands is fp16, are multiplied, and `dot` takes the results.
 */
import type { CompileContext } from "../context.ts";
import { bitcast, broadcastTo, cast, describe, describeType, shapeOf, tensor, toTensor } from "../conversions.ts";
import { BFLOAT16, FP16, FP32, FP8E4NV, FP8E5, INT32, UINT8, UINT16, UINT32, type Dtype } from "../dtypes.ts";
import { binary, compare } from "../operators.ts";
import { builtin, type Bound } from "../signature.ts";
import { intValue, type BuiltinValue, type TensorValue, type Value } from "../values.ts";
import { dot } from "./reductions.ts";

const FORMATS = ["e2m1", "e4m3", "e5m2", "bf16", "fp16"];
const BYTES: Readonly<Record<string, Dtype>> = { e4m3: FP8E4NV, e5m2: FP8E5, bf16: BFLOAT16, fp16: FP16 };

interface Operand {
  readonly name: "lhs" | "rhs";
  readonly format: string;
  readonly scale: TensorValue | null;
  /** Two elements of e2m1 in a byte are neighbours along K. */
  readonly isPackedAlongK: boolean;
  readonly value: TensorValue;
}

function operand(c: CompileContext, a: Bound, name: "lhs" | "rhs"): Operand {
  const format = a.string(`${name}_format`);
  if (!FORMATS.includes(format)) return c.fail(`NYI: ${name}_format ${format}`, [`formats: ${FORMATS.join(", ")}`]);
  const value = toTensor(c, a.get(name));
  const isPackedAlongK = a.flag(`${name}_k_pack`, true);
  if (!isPackedAlongK && format !== "e2m1")
    return c.fail("only mxfp4 inputs can be packed along a dimension different than K");
  const scale = a.has(`${name}_scale`) ? toTensor(c, a.get(`${name}_scale`)) : null;
  const expected = BYTES[format];
  const isRight = expected === undefined ? value.dtype.bits === 8 : [expected, UINT8].includes(value.dtype);
  if (!isRight || (expected?.bits ?? 8) !== value.dtype.bits)
    return c.fail(`${name} of format ${format} cannot be ${describe(value)}`);
  return { name, format, scale, isPackedAlongK, value };
}

function swapped(c: CompileContext, { dtype, value }: TensorValue): TensorValue {
  const rank = value.type.shape.length;
  const order = Array.from({ length: rank }, (_, d) => (d < rank - 2 ? d : 2 * rank - 3 - d));
  return tensor(dtype, c.builder.transpose(value, order));
}

/** The elements in the type that is multiplied, with K as the last dimension. */
function unpacked(c: CompileContext, { name, format, value, isPackedAlongK }: Operand, type: Dtype): TensorValue {
  const isKLast = name === "lhs";
  const expected = BYTES[format];
  if (expected !== undefined) {
    const own = value.dtype === expected ? value : bitcast(c, value, expected);
    const wide = expected === type ? own : cast(c, own, type);
    return isKLast ? wide : swapped(c, wide);
  }
  const bytes = value.dtype === UINT8 ? value : bitcast(c, value, UINT8);
  // The packed dimension has to be the last one.
  const isPackedLast = isKLast === isPackedAlongK;
  const elements = c.call(c.libraryFunction("_from_e2m1"), [isPackedLast ? bytes : swapped(c, bytes)]) as TensorValue;
  const wide = cast(c, elements, type);
  return isPackedAlongK ? wide : swapped(c, wide);
}

/** The scales, a power of two in a byte each, in the type of the elements. */
function scaleFactors(c: CompileContext, scale: TensorValue, type: Dtype): TensorValue {
  if (scale.dtype === FP8E4NV) return cast(c, scale, type);
  const bytes = scale.dtype === UINT8 ? scale : bitcast(c, scale, UINT8);
  if (type === BFLOAT16) {
    const bits = binary(c, "<<", cast(c, bytes, UINT16), intValue(7)) as TensorValue;
    return bitcast(c, bits, BFLOAT16);
  }
  const bits = binary(c, "<<", cast(c, bytes, UINT32), intValue(23)) as TensorValue;
  return cast(c, bitcast(c, bits, FP32), type);
}

/** From one for each group to one for each element: [M, K / 32] becomes [M, K]. */
function repeated(c: CompileContext, groups: TensorValue, size: number): TensorValue {
  const shape = shapeOf(groups);
  const expanded = tensor(groups.dtype, c.builder.expand(groups.value, shape.length));
  const all = broadcastTo(c, expanded, [...shape, size]);
  return tensor(groups.dtype, c.builder.reshape(all.value, [...shape.slice(0, -1), (shape.at(-1) as number) * size]));
}

/** What `dot` takes of an operand, with K as the last dimension. */
function scaled(c: CompileContext, given: Operand, type: Dtype, isFast: boolean): TensorValue {
  const elements = unpacked(c, given, type);
  const { scale, name } = given;
  if (scale === null) return elements;
  if (scale.dtype !== FP8E4NV && scale.dtype.bits !== 8) return c.fail(`${name}_scale cannot be ${describe(scale)}`);
  const size = scale.dtype === FP8E4NV ? 16 : 32;
  const shape = shapeOf(elements);
  const expected = [...shape.slice(0, -1), (shape.at(-1) as number) / size];
  if (`${shapeOf(scale)}` !== `${expected}`)
    return c.fail(`${name}_scale must be a tensor of shape [${expected.join(", ")}]. Got ${describeType(scale)}`);
  const product = binary(c, "*", elements, repeated(c, scaleFactors(c, scale, type), size)) as TensorValue;
  if (isFast || scale.dtype === FP8E4NV) return product;
  // The byte 255 is no scale, but NaN.
  const byte = cast(c, scale.dtype === UINT8 ? scale : bitcast(c, scale, UINT8), INT32);
  const isNan = repeated(c, compare(c, "==", byte, intValue(255)) as TensorValue, size);
  const nan = c.builder.number(type.element, NaN, shapeOf(product));
  return tensor(type, c.builder.select(isNan.value, nan, product.value));
}

export const dotScaled: BuiltinValue = builtin(
  "dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=, fast_math=, lhs_k_pack=, rhs_k_pack=, " +
    "out_dtype=)",
  (a, c) => {
    const [lhs, rhs] = [operand(c, a, "lhs"), operand(c, a, "rhs")];
    const ranks = [shapeOf(lhs.value).length, shapeOf(rhs.value).length];
    if (ranks[0] !== ranks[1] || ![2, 3].includes(ranks[0] as number))
      return c.fail(
        `Both inputs must be either 2D or 3D; (lhs: ${describeType(lhs.value)} vs rhs: ${describeType(rhs.value)})`,
      );
    const type = lhs.format === "fp16" || rhs.format === "fp16" ? FP16 : BFLOAT16;
    const isFast = a.flag("fast_math");
    const [x, y] = [scaled(c, lhs, type, isFast), scaled(c, rhs, type, isFast)];
    if (shapeOf(x).at(-1) !== shapeOf(y).at(-1))
      return c.fail(
        `Reduction dimension should pack the same number of elements; (lhs: ${describeType(lhs.value)} vs rhs: ` +
          `${describeType(rhs.value)})`,
      );
    const keywords = new Map<string, Value>(a.has("acc") ? [["acc", a.get("acc")]] : []);
    return c.call(dot, [x, swapped(c, y)], keywords);
  },
);
