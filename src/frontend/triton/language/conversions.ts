/** From one type or shape to another: constants to scalars, casts, broadcasts, as in Triton's semantic.py. */
import { constFloat, constInt } from "../../../ir/model/build.ts";
import type { CastOperator } from "../../../ir/model/ir.ts";
import { I64 } from "../../../ir/model/types.ts";
import { isPowerOfTwo, sameShape, sizeOfShape } from "../blocks/types.ts";
import type { CompileContext } from "./context.ts";
import { FP32, FP64, INT1, INT32, INT64, UINT32, UINT64, isFloat, isInteger, typeWord, type Dtype } from "./dtypes.ts";
import { isNumber, type TensorValue, type TupleValue, type Value } from "./values.ts";

const FP32_MAX = 3.4028234663852886e38;
/** More elements than this are refused, as by Triton. */
const MAX_ELEMENTS = 1_048_576;

export function tensor(dtype: Dtype, value: TensorValue["value"]): TensorValue {
  return { kind: "tensor", dtype, value };
}

/** The type that a literal gets on its own. */
export function literalDtype(c: CompileContext, value: Value): Dtype {
  switch (value.kind) {
    case "bool":
      return INT1;
    case "int": {
      const dtype = [INT32, UINT32, INT64, UINT64].find(
        ({ kind, bits }) =>
          (kind === "int" ? BigInt.asIntN(bits, value.value) : BigInt.asUintN(bits, value.value)) === value.value,
      );
      return dtype ?? c.fail(`the integer ${value.value} does not fit in 64 bits`);
    }
    case "float":
      return Number.isFinite(value.value) && Math.abs(value.value) > FP32_MAX ? FP64 : FP32;
    default:
      return c.fail(`cannot convert ${describe(value)} to a tensor`);
  }
}

/** A number as a constant of a type. */
export function constantOf(c: CompileContext, value: Value, dtype: Dtype, shape: readonly number[] = []): TensorValue {
  if (!isNumber(value)) return c.fail(`cannot convert ${describe(value)} to a tensor`);
  const number = value.kind === "bool" ? Number(value.value) : value.value;
  const { element } = dtype;
  if (dtype.kind === "float8") return cast(c, constantOf(c, value, FP32, shape), dtype);
  if (element.kind === "float")
    return tensor(dtype, c.builder.constant(constFloat(element, Number(number)) as never, shape));
  if (element.kind === "ptr") return c.fail(`cannot convert ${describe(value)} to a pointer`);
  if (typeof number === "number" && !Number.isFinite(number))
    return c.fail(`cannot convert ${number} to ${dtype.name}`);
  const integer = typeof number === "bigint" ? number : BigInt(Math.trunc(number));
  const wrapped = dtype === INT1 ? BigInt(integer !== 0n) : integer;
  return tensor(dtype, c.builder.constant(constInt(element, wrapped) as never, shape));
}

/** A run-time value: blocks stay what they are, numbers become scalars. */
export function toTensor(c: CompileContext, value: Value): TensorValue {
  if (value.kind === "tensor") return value;
  return constantOf(c, value, literalDtype(c, value));
}

export function shapeOf({ value }: TensorValue): readonly number[] {
  return value.type.shape;
}

/** For messages: `<[128, 64], fp32>`, `int 3`, `None`. */
export function describe(value: Value): string {
  switch (value.kind) {
    case "tensor":
      return describeType(value);
    case "none":
      return "None";
    case "bool":
      return value.value ? "True" : "False";
    case "int":
    case "float":
      return `${value.value}`;
    case "string":
      return JSON.stringify(value.value);
    case "function":
    case "builtin":
      return `the function ${value.name}`;
    case "dtype":
      return value.dtype.name;
    case "module":
      return `the module ${value.path}`;
    case "unknown":
      return value.what;
    default:
      return `a ${value.kind}`;
  }
}

/** `fp32`, or `<['128', '64'], fp32>` as in Triton's messages. */
export function describeType(value: TensorValue): string {
  const shape = shapeOf(value);
  const name = value.dtype.pointee === null ? value.dtype.name : typeWord(value.dtype);
  return shape.length === 0 ? name : `<[${shape.join(", ")}], ${name}>`;
}

// ---------------------------------------------------------------- casts

export function cast(c: CompileContext, source: TensorValue, to: Dtype): TensorValue {
  const from = source.dtype;
  if (from === to) return source;
  const b = c.builder;
  const { value } = source;
  const convert = (operator: CastOperator): TensorValue => tensor(to, b.cast(operator, value, to.element));
  if (from.kind === "pointer") {
    if (to.kind === "pointer") return tensor(to, value);
    if (!isInteger(to)) return c.fail(`cannot cast ${typeWord(from)} to ${to.name}`);
    if (to === INT1) return tensor(to, b.icmp("ne", b.cast("ptrtoint", value, I64), b.number(I64, 0, shapeOf(source))));
    return convert("ptrtoint");
  }
  if (to.kind === "pointer") {
    if (from.bits !== 64) return c.fail(`cannot cast ${from.name} to a pointer: an address has 64 bits`);
    return convert("inttoptr");
  }
  if (to === INT1) {
    const zero = b.number(from.element, 0, shapeOf(source));
    return tensor(to, isFloat(from) ? b.fcmp("une", value, zero) : b.icmp("ne", value, zero));
  }
  if (from.kind === "float8") {
    const half = c.call(c.libraryFunction(`_from_${from.name}`), [source]) as TensorValue;
    return cast(c, half, to);
  }
  if (to.kind === "float8") {
    const bits = c.call(c.libraryFunction(`_to_${to.name}`), [cast(c, source, FP32)]) as TensorValue;
    return tensor(to, bits.value);
  }
  if (isFloat(from) && isFloat(to)) {
    if (from.bits === to.bits) return cast(c, cast(c, source, FP32), to);
    return convert(from.bits < to.bits ? "fpext" : "fptrunc");
  }
  if (isFloat(from)) return convert(to.kind === "uint" ? "fptoui" : "fptosi");
  const isUnsigned = from.kind === "uint" || from === INT1;
  if (isFloat(to)) return convert(isUnsigned ? "uitofp" : "sitofp");
  if (from.bits === to.bits) return tensor(to, value);
  if (from.bits > to.bits) return convert("trunc");
  return convert(isUnsigned ? "zext" : "sext");
}

export function bitcast(c: CompileContext, source: TensorValue, to: Dtype): TensorValue {
  const from = source.dtype;
  if (from === to) return source;
  if (from.kind === "pointer" || to.kind === "pointer") return cast(c, source, to);
  if (from.bits !== to.bits) return c.fail(`cannot bitcast ${from.name} to ${to.name}: they differ in size`);
  if (from.element === to.element) return tensor(to, source.value);
  return tensor(to, c.builder.cast("bitcast", source.value, to.element));
}

/** Either a literal, which takes the type, or a tensor, which is cast. */
export function valueAs(c: CompileContext, value: Value, dtype: Dtype): TensorValue {
  return value.kind === "tensor" ? cast(c, value, dtype) : constantOf(c, value, dtype);
}

// ---------------------------------------------------------------- shapes

export function checkShape(c: CompileContext, shape: readonly number[]): readonly number[] {
  for (const [i, size] of shape.entries())
    if (!isPowerOfTwo(size)) return c.fail(`Shape element ${i} must be a power of 2`, [`it is ${size}`]);
  const elements = sizeOfShape(shape);
  if (elements > MAX_ELEMENTS)
    return c.fail(`numel (${elements}) exceeds triton maximum tensor numel (${MAX_ELEMENTS})`);
  return shape;
}

/** A shape written as a tuple or list of constants. */
export function shapeArgument(c: CompileContext, value: Value): readonly number[] {
  if (value.kind === "int") return checkShape(c, [Number(value.value)]);
  if (value.kind !== "tuple" && value.kind !== "list") return c.fail(`a shape is a tuple, not ${describe(value)}`);
  return checkShape(c, integers(c, value, "Shape element"));
}

export function integers(c: CompileContext, { items }: TupleValue, what: string): number[] {
  return items.map((item, i) =>
    item.kind === "int"
      ? Number(item.value)
      : c.fail(`${what} ${i} must have type \`constexpr[int]\`, got ${describe(item)}`),
  );
}

/** The value as a block of a shape. */
export function broadcastTo(c: CompileContext, source: TensorValue, shape: readonly number[]): TensorValue {
  const own = shapeOf(source);
  if (sameShape(own, shape)) return source;
  const b = c.builder;
  if (own.length === 0) return tensor(source.dtype, b.splat(source.value, shape));
  let { value } = source;
  // NumPy's rule: dimensions that are missing are the first.
  while (value.type.shape.length < shape.length) value = b.expand(value, 0);
  const fits = value.type.shape.length === shape.length;
  const wrong = value.type.shape.findIndex((size, d) => size !== 1 && size !== shape[d]);
  if (!fits || wrong >= 0) return c.fail(`Cannot broadcast [${own.join(", ")}] to [${shape.join(", ")}]`);
  return tensor(source.dtype, sameShape(value.type.shape, shape) ? value : b.broadcast(value, shape));
}

/** The shape that both broadcast to. */
export function commonShape(c: CompileContext, a: readonly number[], b: readonly number[]): readonly number[] {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, d) => {
    const left = a[d - rank + a.length] ?? 1;
    const right = b[d - rank + b.length] ?? 1;
    if (left !== right && left !== 1 && right !== 1)
      return c.fail(`Cannot make_shape_compatible: incompatible dimensions at index ${d}: ${left} and ${right}`, [
        `the shapes are [${a.join(", ")}] and [${b.join(", ")}]`,
      ]);
    return Math.max(left, right);
  });
}

export function broadcastPair(c: CompileContext, a: TensorValue, b: TensorValue): [TensorValue, TensorValue] {
  const shape = commonShape(c, shapeOf(a), shapeOf(b));
  return [broadcastTo(c, a, shape), broadcastTo(c, b, shape)];
}
