/** Functions that make blocks and change their shapes. */
import { blockType, sizeOfShape } from "../../blocks/types.ts";
import type { CompileContext } from "../context.ts";
import {
  bitcast,
  broadcastPair,
  broadcastTo,
  cast,
  checkShape,
  constantOf,
  describe,
  describeType,
  shapeArgument,
  shapeOf,
  tensor,
  toTensor,
} from "../conversions.ts";
import { DTYPE_NAMES, INT32, type Dtype } from "../dtypes.ts";
import { unify } from "../operators.ts";
import { builtin, type Bound } from "../signature.ts";
import { intValue, type BuiltinValue, type TensorValue, type Value } from "../values.ts";

function programNumber(name: "program_id" | "num_programs", op: "program-id" | "program-count"): BuiltinValue {
  return builtin(`${name}(axis)`, (a, c) => {
    const axis = a.int("axis");
    if (axis !== 0 && axis !== 1 && axis !== 2) return c.fail(`${name} axis must be 0, 1, or 2 but got ${axis}`);
    return tensor(INT32, c.builder.one({ op, axis }, blockType(INT32.element)));
  });
}

const arange = builtin("arange(start, end)", (a, c) => {
  const isConstant = a.get("start").kind === "int" && a.get("end").kind === "int";
  if (!isConstant)
    return c.fail("arange's arguments must be of type tl.constexpr", [
      `they are ${describe(a.get("start"))} and ${describe(a.get("end"))}`,
    ]);
  const [start, end] = [a.int("start"), a.int("end")];
  if (end <= start) return c.fail("arange's end argument must be greater than the start argument");
  if (start < -(2 ** 31) || end > 2 ** 31) return c.fail("arange must fit in int32");
  const size = end - start;
  if (!Number.isInteger(Math.log2(size))) return c.fail("arange's range must be a power of 2", [`it is ${size}`]);
  checkShape(c, [size]);
  return tensor(INT32, c.builder.range(start, end));
});

export function dtypeArgument(c: CompileContext, value: Value): Dtype {
  return value.kind === "dtype" ? value.dtype : c.fail(`a dtype such as tl.float32 is needed, not ${describe(value)}`);
}

const full = builtin("full(shape, value, dtype)", (a, c) => {
  const shape = shapeArgument(c, a.get("shape"));
  const dtype = dtypeArgument(c, a.get("dtype"));
  const value = a.get("value");
  if (value.kind !== "tensor") return constantOf(c, value, dtype, shape);
  if (shapeOf(value).length > 0) return c.fail("only accepts size-1 tensor");
  return broadcastTo(c, cast(c, value, dtype), shape);
});

const zeros = builtin("zeros(shape, dtype)", (a, c) =>
  constantOf(c, intValue(0), dtypeArgument(c, a.get("dtype")), shapeArgument(c, a.get("shape"))),
);

const to = builtin("to(input, dtype, fp_downcast_rounding=, bitcast=)", castValue);
const castFunction = builtin("cast(input, dtype, fp_downcast_rounding=, bitcast=)", castValue);

function castValue(a: Bound, c: CompileContext): Value {
  const source = toTensor(c, a.get("input"));
  const dtype = dtypeArgument(c, a.get("dtype"));
  if (a.choice("fp_downcast_rounding", ["rtne", "rtz"]) === "rtz") return castTowardsZero(c, source, dtype);
  return a.flag("bitcast") ? bitcast(c, source, dtype) : cast(c, source, dtype);
}

function castTowardsZero(c: CompileContext, source: TensorValue, dtype: Dtype): Value {
  const isFloating = ({ kind }: Dtype): boolean => kind === "float" || kind === "float8";
  if (!isFloating(dtype) || !isFloating(source.dtype) || dtype.bits >= source.dtype.bits)
    return c.fail(
      "fp_downcast_rounding should be set only for truncating fp conversions. " +
        `Source scalar type is ${source.dtype.name} and destination type is ${dtype.name}`,
    );
  const bits = DTYPE_NAMES[`uint${dtype.bits}`] as Dtype;
  return c.call(c.libraryFunction("_towards_zero"), [source, { kind: "dtype", dtype }, { kind: "dtype", dtype: bits }]);
}

// ---------------------------------------------------------------- shapes

function reshaped(c: CompileContext, source: TensorValue, given: readonly number[]): TensorValue {
  const elements = sizeOfShape(shapeOf(source));
  const open = given.indexOf(-1);
  const rest = -sizeOfShape(given);
  const shape = checkShape(c, open < 0 ? given : given.with(open, elements / rest));
  if (sizeOfShape(shape) !== elements)
    return c.fail("reshape() cannot change total number of elements in tensor", [
      `from [${shapeOf(source).join(", ")}] to [${shape.join(", ")}]`,
    ]);
  return tensor(source.dtype, c.builder.reshape(source.value, shape));
}

/** A shape given as one tuple or as arguments of their own. */
function restShape(a: Bound, c: CompileContext): number[] {
  const [first] = a.rest;
  const items = first !== undefined && (first.kind === "tuple" || first.kind === "list") ? first.items : a.rest;
  return items.map((item) => (item.kind === "int" ? Number(item.value) : c.fail(`a shape has ${describe(item)}`)));
}

function reshapeFunction(name: string): BuiltinValue {
  return builtin(`${name}(input, *shape, can_reorder=)`, (a, c) =>
    reshaped(c, toTensor(c, a.get("input")), a.has("shape") ? a.integers("shape") : restShape(a, c)),
  );
}

function axisArgument(c: CompileContext, axis: number, rank: number): number {
  if (axis < -rank || axis >= rank) return c.fail(`invalid axis ${axis}. Expected ${-rank} <= axis < ${rank}`);
  return axis < 0 ? axis + rank : axis;
}

const expandDims = builtin("expand_dims(input, axis)", (a, c) => {
  let source = toTensor(c, a.get("input"));
  const rank = shapeOf(source).length + a.tuple("axis").items.length;
  const axes = a.integers("axis").map((axis) => axisArgument(c, axis, rank));
  if (new Set(axes).size < axes.length)
    return c.fail(`expand_dims received duplicate axes, normalized axes = [${axes.join(", ")}]`);
  for (const axis of axes.sort((x, y) => x - y)) source = tensor(source.dtype, c.builder.expand(source.value, axis));
  return source;
});

function transposed(c: CompileContext, source: TensorValue, order: readonly number[]): Value {
  const rank = shapeOf(source).length;
  if (order.length !== rank || order.toSorted((x, y) => x - y).some((d, i) => d !== i))
    return c.fail(`permute dims must be a permutation of 0, 1, ..., n-1, but were (${order.join(", ")})`);
  return tensor(source.dtype, c.builder.transpose(source.value, order));
}

function permuteFunction(name: "trans" | "permute"): BuiltinValue {
  return builtin(`${name}(input, *dims)`, (a, c) => {
    const source = toTensor(c, a.get("input"));
    const rank = shapeOf(source).length;
    const dims = restShape(a, c).map((dim) => axisArgument(c, dim, rank));
    if (dims.length === 0 && rank < 2) return c.fail(`tl.trans of ${describeType(source)}: it needs two dimensions`);
    // Without an order, the last two dimensions change places.
    const swapped = Array.from({ length: rank }, (_, d) => (d < rank - 2 ? d : 2 * rank - 3 - d));
    return transposed(c, source, dims.length === 0 ? swapped : dims);
  });
}

const broadcastToFunction = builtin("broadcast_to(input, *shape)", (a, c) =>
  broadcastTo(c, toTensor(c, a.get("input")), checkShape(c, restShape(a, c))),
);

const broadcastFunction = builtin("broadcast(input, other)", (a, c) => ({
  kind: "tuple",
  items: broadcastPair(c, toTensor(c, a.get("input")), toTensor(c, a.get("other"))),
}));

const join = builtin("join(a, b)", (a, c) => {
  const { a: x, b: y, dtype } = unify(c, toTensor(c, a.get("a")), toTensor(c, a.get("b")));
  return tensor(dtype, c.builder.join(x.value, y.value));
});

const split = builtin("split(a)", (a, c) => {
  const source = toTensor(c, a.get("a"));
  if (shapeOf(source).at(-1) !== 2)
    return c.fail(`split needs a block whose last dimension has 2 elements, not ${describeType(source)}`);
  const part = (index: 0 | 1): TensorValue => tensor(source.dtype, c.builder.pick(source.value, index));
  return { kind: "tuple", items: [part(0), part(1)] };
});

/** One after the other, in one dimension. */
const cat = builtin("cat(input, other, can_reorder=, dim=)", (a, c) => {
  const [x, y] = [toTensor(c, a.get("input")), toTensor(c, a.get("other"))];
  const size = shapeOf(x)[0] ?? 1;
  if (shapeOf(x).length !== 1 || shapeOf(y).length !== 1 || shapeOf(y)[0] !== size)
    return c.unsupported("tl.cat of blocks that are not one-dimensional and of one size");
  const both = c.builder.join(x.value, cast(c, y, x.dtype).value);
  return tensor(x.dtype, c.builder.reshape(c.builder.transpose(both, [1, 0]), [2 * size]));
});

/** An integer type by its width. */
const getIntDtype = builtin("get_int_dtype(bitwidth, signed)", (a, c) => {
  const bits = a.int("bitwidth");
  const found = DTYPE_NAMES[bits === 1 ? "int1" : `${a.flag("signed") ? "" : "u"}int${bits}`];
  return found === undefined ? c.fail(`Unsupported bitwidth ${bits} and signedness`) : { kind: "dtype", dtype: found };
});

export const SHAPE_FUNCTIONS: readonly BuiltinValue[] = [
  programNumber("program_id", "program-id"),
  programNumber("num_programs", "program-count"),
  arange,
  full,
  zeros,
  to,
  castFunction,
  reshapeFunction("reshape"),
  reshapeFunction("view"),
  /** The one element of a block. */
  builtin("item(input)", (a, c) => reshaped(c, toTensor(c, a.get("input")), [])),
  expandDims,
  permuteFunction("trans"),
  permuteFunction("permute"),
  broadcastToFunction,
  broadcastFunction,
  join,
  split,
  cat,
  getIntDtype,
];
