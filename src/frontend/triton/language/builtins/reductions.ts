/** Functions along an axis, and products of matrices. */
import { newRegion } from "../../blocks/build.ts";
import type { Region } from "../../blocks/model.ts";
import { allOps } from "../../blocks/operands.ts";
import { blockType, sizeOfShape } from "../../blocks/types.ts";
import { isOfScalars } from "../../blocks/verify.ts";
import type { CompileContext } from "../context.ts";
import {
  bitcast,
  broadcastTo,
  cast,
  commonShape,
  describe,
  describeType,
  shapeOf,
  tensor,
  toTensor,
} from "../conversions.ts";
import {
  BFLOAT16,
  FP16,
  FP32,
  FP64,
  INT1,
  INT32,
  INT8,
  UINT32,
  UINT8,
  isFloat,
  isInteger,
  type Dtype,
} from "../dtypes.ts";
import { binary } from "../operators.ts";
import { builtin, type Bound } from "../signature.ts";
import { NONE, intValue, type BuiltinValue, type TensorValue, type Value } from "../values.ts";
import { extremeOf } from "./math.ts";
import { dtypeArgument } from "./shapes.ts";

/** Code for two groups of scalars, one value for each operand. */
function combineRegion(
  c: CompileContext,
  operands: readonly TensorValue[],
  combine: (a: readonly TensorValue[], b: readonly TensorValue[]) => readonly TensorValue[],
): Region {
  const types = operands.map(({ dtype }) => blockType(dtype.element));
  const region = newRegion([...types, ...types]);
  c.builder.inside(region, () => {
    const params = region.params.map((value, i) => tensor((operands[i % operands.length] as TensorValue).dtype, value));
    const results = combine(params.slice(0, operands.length), params.slice(operands.length));
    if (results.length !== operands.length)
      return c.fail(`combine_fn returns ${results.length} values for ${operands.length} operands`);
    region.yields = results.map((result, i) => cast(c, result, (operands[i] as TensorValue).dtype).value);
  });
  return region;
}

type Combine = (a: readonly TensorValue[], b: readonly TensorValue[]) => readonly TensorValue[];

function axisOf(c: CompileContext, a: Bound, rank: number): number {
  const axis = a.int("axis");
  if (axis < -rank || axis >= rank) return c.fail(`reduction axis ${axis} must be < rank ${rank} of the input`);
  return axis < 0 ? axis + rank : axis;
}

function reduce(c: CompileContext, a: Bound, operands: readonly TensorValue[], combine: Combine): TensorValue[] {
  const [first] = operands;
  const rank = shapeOf(first as TensorValue).length;
  const isWhole = !a.has("axis");
  if (rank === 0 && !isWhole) return c.fail("a scalar cannot be reduced along an axis");
  const axis = isWhole ? 0 : axisOf(c, a, rank);
  const flattened = (value: TensorValue): TensorValue => {
    const size = sizeOfShape(shapeOf(value));
    if (rank === 0) return broadcastTo(c, value, [size]);
    return { ...value, value: c.builder.reshape(value.value, [size]) };
  };
  const flat = isWhole ? operands.map(flattened) : operands;
  const region = combineRegion(c, flat, combine);
  const shape = shapeOf(flat[0] as TensorValue).toSpliced(axis, 1);
  const results = c.builder.append(
    { op: "reduce", operands: flat.map(({ value }) => value), axis, combine: region },
    flat.map(({ dtype }) => blockType(dtype.element, shape)),
  );
  return results.map((value, i) => {
    const result = tensor((operands[i] as TensorValue).dtype, value);
    if (!a.flag("keep_dims")) return result;
    if (!isWhole) return tensor(result.dtype, c.builder.expand(value, axis));
    return broadcastTo(
      c,
      result,
      Array.from({ length: rank }, () => 1),
    );
  });
}

/** One function of pairs, for every element type. */
function simpleReduction(
  name: string,
  prepare: (c: CompileContext, a: Bound) => TensorValue,
  combine: (c: CompileContext, a: TensorValue, b: TensorValue) => Value,
  more = "",
  last = "",
): BuiltinValue {
  return builtin(`${name}(input, axis=, ${more}keep_dims=${last})`, (a, c) => {
    const one: Combine = ([x], [y]) => [combine(c, x as TensorValue, y as TensorValue) as TensorValue];
    if (more.includes("return_indices") && a.flag("return_indices")) {
      const keywords = new Map(["axis", "keep_dims"].map((key) => [key, a.get(key)]));
      return c.call(c.libraryFunction(`_${name}_with_index`), [indexedOperand(c, a)], keywords);
    }
    return reduce(c, a, [prepare(c, a)], one)[0] as TensorValue;
  });
}

/** sum keeps 16-bit floats, and widens small integers (standard.py: _pick_sum_dtype). */
function sumOperand(c: CompileContext, a: Bound): TensorValue {
  const source = toTensor(c, a.get("input"));
  const { dtype } = source;
  if (a.has("dtype")) return cast(c, source, dtypeArgument(c, a.get("dtype")));
  if (!isInteger(dtype) || dtype.bits >= 32) return source;
  return cast(c, source, dtype.kind === "uint" || dtype === INT1 ? UINT32 : INT32);
}

/** max and min compare small types in 32 bits. */
function extremeOperand(c: CompileContext, a: Bound): TensorValue {
  const source = plain(c, a);
  if (source.dtype.bits >= 32) return source;
  return cast(c, source, isFloat(source.dtype) ? FP32 : INT32);
}

/** max and min that also return indices keep small types, but for bf16, which GPUs do not compare. */
function indexedOperand(c: CompileContext, a: Bound): TensorValue {
  const source = plain(c, a);
  return source.dtype === BFLOAT16 ? cast(c, source, FP32) : source;
}

const plain = (c: CompileContext, a: Bound): TensorValue => toTensor(c, a.get("input"));

const extremeMore = "return_indices=, return_indices_tie_break_left=, ";
const REDUCTIONS: readonly BuiltinValue[] = [
  simpleReduction("sum", sumOperand, (c, x, y) => binary(c, "+", x, y), "", ", dtype="),
  simpleReduction("max", extremeOperand, (c, x, y) => extremeOf(c, "max", x, y, false), extremeMore),
  simpleReduction("min", extremeOperand, (c, x, y) => extremeOf(c, "min", x, y, false), extremeMore),
  simpleReduction("xor_sum", plain, (c, x, y) => binary(c, "^", x, y)),
  simpleReduction("reduce_or", plain, (c, x, y) => binary(c, "|", x, y)),
];

/** What the caller's combine_fn returns, as a list. */
function userCombine(c: CompileContext, combine: Value): Combine {
  return (x, y) => {
    const result = c.call(combine, [...x, ...y]);
    const items = result.kind === "tuple" ? result.items : [result];
    return items.map((item) => toTensor(c, item));
  };
}

function operandsOf(c: CompileContext, value: Value): TensorValue[] {
  const items = value.kind === "tuple" || value.kind === "list" ? value.items : [value];
  return items.map((item) => toTensor(c, item));
}

function sameForm(input: Value, results: readonly Value[]): Value {
  return input.kind === "tuple" || input.kind === "list" ? { kind: "tuple", items: results } : (results[0] as Value);
}

const reduceFunction = builtin("reduce(input, axis, combine_fn, keep_dims=)", (a, c) => {
  const input = a.get("input");
  return sameForm(input, reduce(c, a, operandsOf(c, input), userCombine(c, a.get("combine_fn"))));
});

function scan(c: CompileContext, a: Bound, operands: readonly TensorValue[], combine: Combine): TensorValue[] {
  const shape = shapeOf(operands[0] as TensorValue);
  const axis = axisOf(c, a, shape.length);
  const results = c.builder.append(
    {
      op: "scan",
      operands: operands.map(({ value }) => value),
      axis,
      reverse: a.flag("reverse"),
      combine: combineRegion(c, operands, combine),
    },
    operands.map(({ value }) => value.type),
  );
  return results.map((value, i) => tensor((operands[i] as TensorValue).dtype, value));
}

const associativeScan = builtin("associative_scan(input, axis, combine_fn, reverse=)", (a, c) => {
  const input = a.get("input");
  return sameForm(input, scan(c, a, operandsOf(c, input), userCombine(c, a.get("combine_fn"))));
});

const mapElementwise = builtin("map_elementwise(scalar_fn, *args, pack=)", (a, c) => {
  const pack = a.has("pack") ? a.int("pack") : 1;
  if (pack < 1 || (pack & (pack - 1)) !== 0) return c.fail(`map_elementwise: pack=${pack} is no power of two`);
  if (a.rest.length === 0) return c.fail("map_elementwise needs a tensor beside the function");
  const given = a.rest.map((value) => toTensor(c, value));
  const shape = given.reduce<readonly number[]>((common, value) => commonShape(c, common, shapeOf(value)), []);
  const operands = given.map((value) => broadcastTo(c, value, shape));
  const region = newRegion(
    operands.flatMap(({ dtype }) => Array.from({ length: pack }, () => blockType(dtype.element))),
  );
  let isSingle = true;
  let results: readonly TensorValue[] = [];
  c.builder.inside(region, () => {
    const params = region.params.map((value, i) =>
      tensor((operands[Math.floor(i / pack)] as TensorValue).dtype, value),
    );
    const result = c.call(a.get("scalar_fn"), params);
    isSingle = result.kind !== "tuple";
    results = (result.kind === "tuple" ? result.items : [result]).map((item) => toTensor(c, item));
    region.yields = results.map(({ value }) => value);
  });
  if (results.length % pack !== 0) return c.fail(`the function returns ${results.length} values for pack=${pack}`);
  const wrong = [...allOps(region)].find((op) => !isOfScalars(op));
  if (wrong !== undefined || results.some((value) => shapeOf(value).length > 0))
    return c.fail("map_elementwise: the function must compute with scalars, and must not write memory");
  const dtypes = results.filter((_, i) => i % pack === 0).map(({ dtype }) => dtype);
  if (results.some(({ dtype }, i) => dtype !== dtypes[Math.floor(i / pack)]))
    return c.fail("type mismatch in unpacked results");
  const values = c.builder
    .append(
      { op: "map", operands: operands.map(({ value }) => value), pack, body: region },
      dtypes.map(({ element }) => blockType(element, shape)),
    )
    .map((value, i) => tensor(dtypes[i] as Dtype, value));
  return isSingle ? (values[0] as Value) : { kind: "tuple", items: values };
});

function scanOf(name: "cumsum" | "cumprod", operator: "+" | "*"): BuiltinValue {
  return builtin(`${name}(input, axis=, reverse=, dtype=)`, (a, c) => {
    const combine: Combine = ([x], [y]) => [binary(c, operator, x as TensorValue, y as TensorValue) as TensorValue];
    let source = toTensor(c, a.get("input"));
    if (source.dtype === BFLOAT16) source = cast(c, source, FP32);
    if (a.has("dtype")) source = cast(c, source, dtypeArgument(c, a.get("dtype")));
    else if (isInteger(source.dtype) && source.dtype.bits < 32) source = sumOperand(c, a);
    const axis = a.has("axis") ? a : withAxis(a, c);
    return scan(c, axis, [source], combine)[0] as TensorValue;
  });
}

/** axis=0 where it was left out. */
function withAxis(a: Bound, c: CompileContext): Bound {
  const values = new Map<string, Value>(["input", "reverse"].map((name) => [name, a.get(name)]));
  return new (a.constructor as new (...args: unknown[]) => Bound)(
    c,
    "cumsum",
    values.set("axis", { kind: "int", value: 0n }),
    [],
  );
}

const gather = builtin("gather(src, index, axis)", (a, c) => {
  const [source, index] = [toTensor(c, a.get("src")), toTensor(c, a.get("index"))];
  if (!isInteger(index.dtype)) return c.fail("index must be an integer tensor");
  const axis = axisOf(c, a, shapeOf(source).length);
  const fits = shapeOf(source).every((size, d) => d === axis || size === shapeOf(index)[d]);
  if (!fits || shapeOf(source).length !== shapeOf(index).length)
    return c.fail(`gather: ${describeType(index)} does not fit ${describeType(source)} beside axis ${axis}`);
  const type = blockType(source.dtype.element, shapeOf(index));
  const wide = cast(c, index, INT32);
  return tensor(source.dtype, c.builder.one({ op: "gather", source: source.value, index: wide.value, axis }, type));
});

// ---------------------------------------------------------------- dot

const DOT_TYPES: readonly Dtype[] = [FP16, BFLOAT16, FP32, FP64, INT8, UINT8];

/** The least size along K: one instruction of the tensor cores. */
function leastK({ bits }: Dtype): number {
  return bits >= 32 ? 8 : 256 / bits;
}

const DOT = "dot(input, other, acc=, input_precision=, allow_tf32=, max_num_imprecise_acc=, out_dtype=)";
export const dot: BuiltinValue = builtin(DOT, (a, c) => {
  const [x, y] = [dotOperand(c, a.get("input")), dotOperand(c, a.get("other"))];
  if (shapeOf(x).length === 3 && shapeOf(y).length === 3) return batchedDot(c, a, x, y);
  const dtype = x.dtype;
  requireImpreciseLimit(c, a, shapeOf(x).at(-1) ?? 1);
  if (dtype !== y.dtype)
    return c.fail(`Both operands must be same dtype. Got ${dtype.name} and ${y.dtype.name}`, [
      "x.to(y.dtype) converts",
    ]);
  if (!DOT_TYPES.includes(dtype)) return c.fail(`Unsupported dtype ${dtype.name} in tl.dot`);
  const [xShape, yShape] = [shapeOf(x), shapeOf(y)];
  if (xShape.length !== 2 || yShape.length !== 2)
    return c.fail(`Both inputs must be either 2D or 3D; (lhs: ${describeType(x)} vs rhs: ${describeType(y)})`);
  const [m, k] = xShape as [number, number];
  const [kOther, n] = yShape as [number, number];
  if (k !== kOther)
    return c.fail(
      `First input shape ([${m}, ${k}]) and second input shape ([${kOther}, ${n}]) are not compatible for matmul ` +
        `(second index of first shape (${k}) must be equal to first index of second shape (${kOther})`,
    );
  const least = leastK(dtype);
  if (k < least) return c.fail(`Input shapes should have M >= 1, N >= 1 and K >= ${least}, got M=${m}, N=${n}, K=${k}`);
  const result = resultDtype(c, a, dtype);
  const acc = a.has("acc") ? toTensor(c, a.get("acc")) : null;
  if (acc !== null && (acc.dtype !== result || shapeOf(acc)[0] !== m || shapeOf(acc)[1] !== n))
    return c.fail(`the accumulator of tl.dot must be <[${m}, ${n}], ${result.name}>, not ${describe(acc)}`);
  const start = acc?.value ?? c.builder.number(result.element, 0, [m, n]);
  const precision = precisionOf(c, a, dtype);
  // Small integers are multiplied in 32 bits; their sign is known here.
  const [left, right] = isInteger(dtype) ? [cast(c, x, INT32), cast(c, y, INT32)] : [x, y];
  const product = (p: TensorValue, q: TensorValue, sum: TensorValue["value"]): TensorValue["value"] =>
    c.builder.one(
      { op: "dot", operands: [p.value, q.value, sum], precision: precision === "ieee" ? "ieee" : "tf32" },
      blockType(result.element, [m, n]),
    );
  if (precision !== "tf32x3") return tensor(result, product(left, right, start));
  const [p, q] = [cutToTf32(c, left), cutToTf32(c, right)];
  const small = product(p.rest, q.cut, product(p.cut, q.rest, c.builder.number(result.element, 0, [m, n])));
  return tensor(result, c.builder.binary("fadd", start, product(p.cut, q.cut, small)));
});

/** What tensor cores take of an fp32, and the rest. */
function cutToTf32(c: CompileContext, x: TensorValue): { cut: TensorValue; rest: TensorValue } {
  const bits = binary(c, "&", bitcast(c, x, INT32), intValue(-(2 ** 13))) as TensorValue;
  const cut = bitcast(c, bits, FP32);
  return { cut, rest: binary(c, "-", x, cut) as TensorValue };
}

/** How many products of 8-bit floats tensor cores may add up with fewer bits; here all are added in full. */
function requireImpreciseLimit(c: CompileContext, a: Bound, k: number): void {
  const isSmall = [a.get("input"), a.get("other")].every((x) => x.kind === "tensor" && x.dtype.kind === "float8");
  if (!isSmall || !a.has("max_num_imprecise_acc")) return;
  const limit = a.int("max_num_imprecise_acc");
  if (limit > k) c.fail(`max_num_imprecise_acc (${limit}) must be <= K (${k})`);
}

/** 8-bit floats are multiplied as halves, which have them all. */
function dotOperand(c: CompileContext, value: Value): TensorValue {
  const operand = toTensor(c, value);
  return operand.dtype.kind === "float8" ? cast(c, operand, FP16) : operand;
}

/** The blocks of a batch: from [B, M, N] to B blocks [M, N]. */
function unstack(c: CompileContext, source: TensorValue): TensorValue[] {
  const [batch, m, n] = shapeOf(source) as [number, number, number];
  if (batch === 1) return [tensor(source.dtype, c.builder.reshape(source.value, [m, n]))];
  const last = c.builder.reshape(c.builder.transpose(source.value, [1, 2, 0]), [m, n, batch / 2, 2]);
  const halves = ([0, 1] as const).map((i) =>
    unstack(c, tensor(source.dtype, c.builder.transpose(c.builder.pick(last, i), [2, 0, 1]))),
  ) as [TensorValue[], TensorValue[]];
  return halves[0].flatMap((even, i) => [even, halves[1][i] as TensorValue]);
}

function stack(c: CompileContext, parts: readonly TensorValue[]): TensorValue {
  const [first] = parts as [TensorValue];
  const [m, n] = shapeOf(first) as [number, number];
  if (parts.length === 1) return tensor(first.dtype, c.builder.reshape(first.value, [1, m, n]));
  const halves = [0, 1].map((odd) => {
    const half = stack(
      c,
      parts.filter((_, i) => i % 2 === odd),
    );
    return c.builder.transpose(half.value, [1, 2, 0]);
  }) as [TensorValue["value"], TensorValue["value"]];
  const joined = c.builder.reshape(c.builder.join(...halves), [m, n, parts.length]);
  return tensor(first.dtype, c.builder.transpose(joined, [2, 0, 1]));
}

function batchedDot(c: CompileContext, a: Bound, x: TensorValue, y: TensorValue): TensorValue {
  if (shapeOf(x)[0] !== shapeOf(y)[0])
    return c.fail(`tl.dot: the batches of ${describeType(x)} and ${describeType(y)} differ`);
  const [left, right] = [unstack(c, x), unstack(c, y)];
  const sums = a.has("acc") ? unstack(c, toTensor(c, a.get("acc"))) : [];
  const keywords = ["input_precision", "allow_tf32", "out_dtype"].map((name) => [name, a.get(name)] as const);
  const parts = left.map((part, i) => {
    const own = new Map<string, Value>([...keywords, ["acc", sums[i] ?? NONE]]);
    return c.call(dot, [part, right[i] as TensorValue], own) as TensorValue;
  });
  return stack(c, parts);
}

function resultDtype(c: CompileContext, a: Bound, dtype: Dtype): Dtype {
  if (isInteger(dtype)) return INT32;
  if (dtype === FP64) return FP64;
  if (!a.has("out_dtype")) return FP32;
  const out = dtypeArgument(c, a.get("out_dtype"));
  if (out !== FP32 && !(out === FP16 && dtype === FP16)) return c.fail(`out_dtype=${out.name} is unsupported`);
  return out;
}

function precisionOf(c: CompileContext, a: Bound, dtype: Dtype): "tf32" | "tf32x3" | "ieee" {
  if (dtype !== FP32) return "ieee";
  if (a.has("allow_tf32")) return a.flag("allow_tf32") ? "tf32" : "ieee";
  // What a call leaves open, Triton's variable of the environment says.
  const otherwise = c.environment.get("TRITON_F32_DEFAULT") ?? "";
  const precision = a.choice("input_precision", ["tf32", "tf32x3", "ieee"]) || otherwise;
  return precision === "ieee" || precision === "tf32x3" ? precision : "tf32";
}

export const REDUCTION_FUNCTIONS: readonly BuiltinValue[] = [
  ...REDUCTIONS,
  reduceFunction,
  associativeScan,
  mapElementwise,
  scanOf("cumsum", "+"),
  scanOf("cumprod", "*"),
  gather,
  dot,
];
