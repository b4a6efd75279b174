/** What the functions in Python (library.ts) need beside `triton.language`. */
import { sizeOfShape } from "../../blocks/types.ts";
import type { CompileContext } from "../context.ts";
import { broadcastTo, cast, shapeOf, tensor, toTensor } from "../conversions.ts";
import { INT32, UINT32 } from "../dtypes.ts";
import { builtin, type Bound } from "../signature.ts";
import { intValue, type BuiltinValue, type TupleValue } from "../values.ts";

/** The position along an axis, or in the whole block. */
const indices = builtin("_indices(input, axis=)", (a, c) => {
  const shape = shapeOf(toTensor(c, a.get("input")));
  const { builder } = c;
  const size = sizeOfShape(shape);
  if (!a.has("axis")) return tensor(INT32, builder.reshape(builder.range(0, size), shape));
  const axis = a.int("axis") < 0 ? a.int("axis") + shape.length : a.int("axis");
  const length = shape[axis] ?? c.fail(`reduction axis ${axis} must be < rank ${shape.length} of the input`);
  const along = shape.map((_, d) => (d === axis ? length : 1));
  return broadcastTo(c, tensor(INT32, builder.reshape(builder.range(0, length), along)), shape);
});

const shape = (a: Bound, c: CompileContext): readonly number[] => shapeOf(toTensor(c, a.get("x")));

/** Sorting works along the last dimension, as in Triton. */
const lastSize = builtin("_last_size(x, dim=)", (a, c) => {
  const own = shape(a, c);
  const dim = a.has("dim") ? a.int("dim") : -1;
  if (dim !== -1 && dim !== own.length - 1) return c.fail("only minor dimension is currently supported");
  return intValue(own.at(-1) ?? 1);
});

/** A dimension from 0 on; the last one where none is named. */
function axisOf(a: Bound, c: CompileContext, own: readonly number[]): number {
  const dim = a.has("dim") ? a.int("dim") : -1;
  const axis = dim < 0 ? dim + own.length : dim;
  if (axis < 0 || axis >= own.length) return c.fail(`invalid axis ${dim} of [${own.join(", ")}]`);
  return axis;
}

export const HELPERS: readonly BuiltinValue[] = [
  indices,
  lastSize,
  builtin("_size(x, dim=)", (a, c) => {
    const own = shape(a, c);
    return intValue(own[axisOf(a, c, own)] ?? 1);
  }),
  /** Elements from one to the next along the dimension, row by row. */
  builtin("_stride(x, dim=)", (a, c) => {
    const own = shape(a, c);
    return intValue(sizeOfShape(own.slice(axisOf(a, c, own) + 1)));
  }),
  builtin("_last_axis(x)", (a, c) => intValue(shape(a, c).length - 1)),
  builtin("_numel(x)", (a, c) => intValue(sizeOfShape(shape(a, c)))),
  builtin("_log2(x)", (a) => intValue(Math.log2(a.int("x")))),
  builtin("_tensor(x)", (a, c) => toTensor(c, a.get("x"))),
  builtin("_bits32(x)", (a, c) => cast(c, toTensor(c, a.get("x")), UINT32)),
  builtin("_topk_shape(x, k)", (a, c): TupleValue => {
    const own = shape(a, c);
    const k = a.int("k");
    const size = own.at(-1) ?? 1;
    if (k < 1 || size % k !== 0) return c.fail(`topk needs a k that is a power of two up to ${size}, not ${k}`);
    return { kind: "tuple", items: [...own.slice(0, -1), size / k, k].map(intValue) };
  }),
  builtin("_squeezed_shape(x, dim)", (a, c): TupleValue => {
    const own = shape(a, c);
    const dim = a.int("dim") < 0 ? a.int("dim") + own.length : a.int("dim");
    if (own[dim] !== 1) return c.fail(`squeeze: dimension ${dim} of [${own.join(", ")}] is not 1`);
    return { kind: "tuple", items: own.toSpliced(dim, 1).map(intValue) };
  }),
  builtin("_interleaved_shape(x)", (a, c): TupleValue => {
    const own = shape(a, c);
    return { kind: "tuple", items: [...own.slice(0, -2), (own.at(-2) ?? 1) * 2].map(intValue) };
  }),
];
