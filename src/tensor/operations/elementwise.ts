/** Operations that take one element of each operand: arithmetic, comparisons, functions of mathematics. */
import { HeddleError } from "../../base/diagnostics.ts";
import { record } from "../autograd/tape.ts";
import {
  decode,
  encode,
  isFloating,
  kindOf,
  newValues,
  promote,
  roundTo,
  type TensorDtype,
  type Values,
} from "../dtypes.ts";
import { BINARY, COMPARISONS, FLOAT_RESULTS, UNARY, type BinaryName, type UnaryName } from "./element-functions.ts";
import { broadcastShapes, expand, sumTo } from "./shapes.ts";
import { failShape, fromValues, type Tensor } from "../tensor.ts";

/** A number of the program's text: its kind counts where types combine, not its size. */
export interface Scalar {
  readonly value: number;
  readonly kind: "bool" | "int" | "float";
}
export type Operand = Tensor | Scalar;

const isScalar = (operand: Operand): operand is Scalar => "value" in operand;
const SCALAR_DTYPES = { bool: "bool", int: "int64", float: "float32" } as const;

export const float = (value: number): Scalar => ({ value, kind: "float" });

/** Scalars, and tensors of rank 0 beside others, count only where their kind is the higher one. */
export function resultDtype(operands: readonly Operand[]): TensorDtype {
  const ranked: (TensorDtype | null)[] = [null, null, null];
  for (const operand of operands) {
    const level = isScalar(operand) ? 2 : Number(operand.rank === 0);
    const dtype = isScalar(operand) ? SCALAR_DTYPES[operand.kind] : operand.dtype;
    const before = ranked[level] ?? null;
    ranked[level] = before === null ? dtype : promote(before, dtype);
  }
  let result: TensorDtype | null = null;
  for (const dtype of ranked) if (dtype !== null && (result === null || kindOf(dtype) > kindOf(result))) result = dtype;
  return result ?? "float32";
}

/** The tensor whose device the result is on. @throws HeddleError "bad-arguments" for two devices */
function placeOf(operands: readonly Operand[]): Tensor {
  const tensors = operands.filter((operand): operand is Tensor => !isScalar(operand));
  const first = tensors.find(({ rank }) => rank > 0) ?? tensors[0];
  if (first === undefined) throw new HeddleError("bad-arguments", "an operation needs a tensor");
  for (const tensor of tensors)
    if (tensor.place !== first.place && !(tensor.rank === 0 && tensor.place === null))
      throw new HeddleError(
        "bad-arguments",
        "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
      );
  return first;
}

/** The operands' elements, one for each element of the result. */
function broadcast(operands: readonly Operand[], shape: readonly number[]): (Values | number)[] {
  return operands.map((operand) => {
    if (isScalar(operand)) return operand.value;
    const values = operand.length === 1 ? operand.values() : expand(operand, shape).values();
    return operand.length === 1 ? (values[0] as number) : values;
  });
}

function shapeOf(operands: readonly Operand[]): number[] {
  let shape: number[] = [];
  for (const operand of operands) if (!isScalar(operand)) shape = broadcastShapes(shape, operand.shape);
  return shape;
}

/** Floats of 16 and 8 bits are computed in 32. */
function computed(dtype: TensorDtype, length: number): Values {
  return newValues(dtype, length);
}

export function binary(name: BinaryName, a: Operand, b: Operand): Tensor {
  const operands = [a, b];
  const own = placeOf(operands);
  const common = resultDtype(operands);
  const shape = shapeOf(operands);
  const length = shape.reduce((product, size) => product * size, 1);
  const isComparison = COMPARISONS.has(name);
  let dtype = common;
  if (isComparison) dtype = "bool";
  else if (FLOAT_RESULTS.has(name) && !isFloating(common)) dtype = "float32";
  const taken = FLOAT_RESULTS.has(name) ? dtype : common;
  const [x, y] = broadcast(operands, shape).map((values, i) => rounded(values, operands[i] as Operand, taken)) as [
    Values | number,
    Values | number,
  ];
  const values = computed(dtype, length);
  const { apply, loop } = BINARY[name];
  if (loop !== undefined && typeof x !== "number" && typeof y !== "number") loop(values, x, y);
  else if (typeof x === "number" && typeof y === "number") values.fill(apply(x, y));
  else if (typeof x === "number") for (let i = 0; i < length; i++) values[i] = apply(x, (y as Values)[i] as number);
  else if (typeof y === "number") for (let i = 0; i < length; i++) values[i] = apply(x[i] as number, y);
  else for (let i = 0; i < length; i++) values[i] = apply(x[i] as number, y[i] as number);
  const result = fromValues(values, shape, dtype, own.place);
  if (isComparison || !isFloating(dtype)) return result;
  return recordBinary(name, result, a, b);
}

/** A scalar beside floats of 32 bits is one, and one beside integers wraps around as they do: 255 is -1 for int8. */
function rounded(values: Values | number, operand: Operand, common: TensorDtype): Values | number {
  if (typeof values !== "number" || !isScalar(operand)) return values;
  if (isFloating(common)) return common === "float64" ? values : roundTo(values, "float32");
  if (common === "bool") return values;
  const one = newValues(common, 1);
  one[0] = values;
  return decode(encode(one, common), common)[0] as number;
}

function recordBinary(name: BinaryName, result: Tensor, a: Operand, b: Operand): Tensor {
  const tensors = [a, b].filter((operand): operand is Tensor => !isScalar(operand));
  const { derive } = BINARY[name];
  const node = `${name.charAt(0).toUpperCase()}${name.slice(1)}Backward0`;
  if (derive === undefined)
    return record(node, result, tensors, () => failShape(`the derivative of ${name} is not supported yet by heddle`));
  return record(node, result, tensors, (gradient) => {
    const parts = derive(gradient, a, b, result, binary, logOf);
    return [a, b].flatMap((operand, i) => {
      if (isScalar(operand)) return [];
      return [cast(sumTo(parts[i] as Tensor, operand.shape), operand.dtype)];
    });
  });
}

function logOf(operand: Operand): Operand {
  return isScalar(operand) ? float(Math.log(operand.value)) : unary("log", operand);
}

export function unary(name: UnaryName, a: Tensor): Tensor {
  const { apply, derive, keepsKind = false, gives } = UNARY[name];
  const dtype = gives ?? (keepsKind || isFloating(a.dtype) ? a.dtype : "float32");
  const from = a.values();
  const values = computed(dtype, from.length);
  for (let i = 0; i < from.length; i++) values[i] = apply(from[i] as number);
  const result = fromValues(values, a.shape, dtype, a.place);
  if (gives !== undefined || derive === undefined) return result;
  const node = `${name.charAt(0).toUpperCase()}${name.slice(1)}Backward0`;
  return record(node, result, [a], (gradient) => {
    const [g, x, y] = [gradient.values(), a.values(), result.values()];
    const of = computed(dtype, g.length);
    for (let i = 0; i < g.length; i++) of[i] = (g[i] as number) * derive(x[i] as number, y[i] as number);
    return [fromValues(of, a.shape, a.dtype, a.place)];
  });
}

/** Elements as another type; the tensor itself where it has this type. */
export function cast(tensor: Tensor, dtype: TensorDtype): Tensor {
  if (tensor.dtype === dtype) return tensor;
  const values = tensor.values();
  const isTruncated = isFloating(tensor.dtype) && kindOf(dtype) === 1;
  if (isTruncated) for (let i = 0; i < values.length; i++) values[i] = Math.trunc(values[i] as number);
  const result = fromValues(values, tensor.shape, dtype, tensor.place);
  if (!isFloating(dtype)) return result;
  return record("ToCopyBackward0", result, [tensor], (gradient) => [cast(gradient, tensor.dtype)]);
}

/** Elements of `a` where the condition holds, else of `b`. */
export function where(condition: Tensor, a: Operand, b: Operand): Tensor {
  const own = placeOf([condition, a, b]);
  const dtype = resultDtype([a, b]);
  const shape = shapeOf([condition, a, b]);
  const [c, x, y] = broadcast([condition, a, b], shape) as [Values | number, Values | number, Values | number];
  const at = (values: Values | number, i: number): number =>
    typeof values === "number" ? values : (values[i] as number);
  const values = newValues(
    dtype,
    shape.reduce((product, size) => product * size, 1),
  );
  for (let i = 0; i < values.length; i++) values[i] = at(c, i) === 0 ? at(y, i) : at(x, i);
  const result = fromValues(values, shape, dtype, own.place);
  const tensors = [a, b].filter((operand): operand is Tensor => !isScalar(operand));
  return record(
    "WhereBackward0",
    result,
    tensors,
    (gradient) => {
      const zero = float(0);
      const parts = [where(condition, gradient, zero), where(condition, zero, gradient)];
      return [a, b].flatMap((operand, i) =>
        isScalar(operand) ? [] : [cast(sumTo(parts[i] as Tensor, operand.shape), operand.dtype)],
      );
    },
    [condition],
  );
}
