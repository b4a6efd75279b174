/**
 * The operations that extensions call, by their names in PyTorch: at::mm, `x.sum(…)`, torch::zeros. The arguments come
 * in the order of include/heddle/torch. A name with a final underscore writes its result into the first argument,
 * unless it has a row of its own.
 */
import { unsupported } from "../base/diagnostics.ts";
import { elementBytes, promote } from "../tensor/dtypes.ts";
import { isGradEnabled, setGradEnabled } from "../tensor/autograd/tape.ts";
import { allClose } from "../tensor/operations/compare.ts";
import * as creation from "../tensor/operations/creation.ts";
import type { BinaryName, UnaryName } from "../tensor/operations/element-functions.ts";
import { BINARY, UNARY } from "../tensor/operations/element-functions.ts";
import { binary, cast, unary, where } from "../tensor/operations/elementwise.ts";
import { gather, getItem, setItem, type Index } from "../tensor/operations/indexing.ts";
import { matmul } from "../tensor/operations/matmul.ts";
import * as reductions from "../tensor/operations/reductions.ts";
import { expandAs } from "../tensor/operations/broadcasting.ts";
import * as shapes from "../tensor/operations/shapes.ts";
import { formatTensor } from "../tensor/format.ts";
import { empty, failShape, Tensor } from "../tensor/tensor.ts";
import type { OperationArguments } from "./operation-arguments.ts";
import { copyInto, float, scalarOf } from "./tensor-operations.ts";
import { Double, DtypeName, type Value } from "./values.ts";

/** What an operation gives: a value, or tensors that it made. */
export type OperationResult = Value | undefined;
type Operation = (given: OperationArguments) => OperationResult;

const reduced =
  (name: "sum" | "mean"): Operation =>
  (given) => {
    const own = given.tensor(0);
    const dtype = given.dtype(3);
    const typed = dtype === null || dtype === own.dtype ? own : cast(own, dtype);
    return reductions.reduce(name, typed, given.numbers(1), given.flag(2));
  };
const simplyReduced =
  (name: reductions.ReductionName): Operation =>
  (given) =>
    reductions.reduce(name, given.tensor(0), given.numbers(1), given.flag(2));
const extreme =
  (value: "amax" | "amin", index: "argmax" | "argmin"): Operation =>
  (given) => {
    const own = given.tensor(0);
    if (given.at(1) === null) return reductions.reduce(value, own, null);
    const [dims, keep] = [[given.number(1)], given.flag(2)];
    return [reductions.reduce(value, own, dims, keep), reductions.reduce(index, own, dims, keep)];
  };
/** alpha times the second operand. */
const scaled =
  (name: "add" | "sub"): Operation =>
  (given) => {
    const [own, other, alpha] = [given.tensor(0), given.operand(1), given.number(2, 1)];
    if (alpha === 1) return binary(name, own, other);
    return binary(
      name,
      own,
      other instanceof Tensor
        ? binary("mul", other, given.operand(2))
        : scalarOf(other.value * alpha, given.at(2) instanceof Double ? "float" : other.kind),
    );
  };

function clamp(given: OperationArguments): Tensor {
  let result = given.tensor(0);
  if (given.at(1) !== null) result = binary("maximum", result, given.operand(1));
  if (given.at(2) !== null) result = binary("minimum", result, given.operand(2));
  return result;
}

function narrow(own: Tensor, d: number, start: number, length: number): Tensor {
  return creation.narrow(own, shapes.dimension(own, d), start, length);
}

function slice(given: OperationArguments): Tensor {
  const own = given.tensor(0);
  const d = shapes.dimension(own, given.number(1));
  const part: Index = {
    kind: "slice",
    start: given.optionalNumber(2),
    stop: given.optionalNumber(3),
    step: given.number(4, 1),
  };
  return getItem(own, [...Array.from({ length: d }, () => WHOLE), part]);
}
const WHOLE: Index = { kind: "slice", start: null, stop: null, step: 1 };

function select(own: Tensor, dim: number, index: number): Tensor {
  const d = shapes.dimension(own, dim);
  const size = own.shape[d] as number;
  if (index < -size || index >= size)
    failShape(`select(): index ${index} out of range for tensor of size [${own.shape.join(", ")}] at dimension ${dim}`);
  return getItem(own, [...Array.from({ length: d }, () => WHOLE), { kind: "at", index }]);
}

function splitSizes(given: OperationArguments): readonly number[] {
  const own = given.tensor(0);
  const d = shapes.dimension(own, given.number(2));
  const size = own.shape[d] as number;
  if (Array.isArray(given.at(1))) return given.shape(1);
  const each = given.number(1);
  return Array.from({ length: Math.max(1, Math.ceil(size / each)) }, (_, i) => Math.min(each, size - i * each));
}
function split(own: Tensor, dim: number, sizes: readonly number[]): Tensor[] {
  const d = shapes.dimension(own, dim);
  let start = 0;
  return sizes.map((size) => {
    const part = narrow(own, d, start, size);
    start += size;
    return part;
  });
}
function chunk(given: OperationArguments): Tensor[] {
  const own = given.tensor(0);
  const d = shapes.dimension(own, given.number(2));
  const size = own.shape[d] as number;
  const each = Math.ceil(size / given.number(1));
  return split(
    own,
    d,
    Array.from({ length: Math.ceil(size / Math.max(1, each)) }, (_, i) => Math.min(each, size - i * each)),
  );
}

function indexOf(value: Value): Index {
  if (value === null) return { kind: "new" };
  if (value === "...") return { kind: "rest" };
  if (value instanceof Tensor) return { kind: "tensor", tensor: value };
  if (!Array.isArray(value)) return { kind: "at", index: Number(value) };
  const [start, stop, step] = (value as readonly Value[]).map((part) => (part === null ? null : Number(part)));
  return { kind: "slice", start: start ?? null, stop: stop ?? null, step: step ?? 1 };
}
const indicesOf = (value: Value): Index[] => (value as readonly Value[]).map(indexOf);

function linear(given: OperationArguments): Tensor {
  const product = matmul(given.tensor(0), shapes.transpose(given.tensor(1), -1, -2));
  const bias = given.optionalTensor(2);
  return bias === null ? product : binary("add", product, bias);
}

function elu(given: OperationArguments): Tensor {
  const own = given.tensor(0);
  const [alpha, scale, inner] = [given.number(1, 1), given.number(2, 1), given.number(3, 1)];
  const negative = binary(
    "mul",
    unary("expm1", binary("mul", binary("minimum", own, float(0)), float(inner))),
    float(alpha),
  );
  const positive = binary("maximum", own, float(0));
  const sum = binary("add", positive, negative);
  return scale === 1 ? sum : binary("mul", sum, float(scale));
}

function item(given: OperationArguments): Value {
  const own = given.tensor(0);
  if (own.length !== 1) failShape(`a Tensor with ${own.length} elements cannot be converted to Scalar`);
  const value = own.values()[0] as number;
  if (own.dtype === "bool") return value !== 0;
  return own.dtype.includes("float") ? new Double(value) : value;
}

function repeat(given: OperationArguments): Tensor {
  let own = given.tensor(0);
  const times = given.shape(1);
  while (own.rank < times.length) own = shapes.unsqueeze(own, 0);
  for (const [d, count] of times.entries())
    if (count !== 1)
      own = creation.concatenate(
        Array.from({ length: count }, () => own),
        d,
      );
  return own;
}

const TABLE: Readonly<Record<string, Operation>> = {
  empty: (g) => empty(g.shape(0), g.dtype(1) ?? "float32", g.place(2)),
  zeros: (g) => creation.full(g.shape(0), 0, g.dtype(1) ?? "float32", g.place(2)),
  ones: (g) => creation.full(g.shape(0), 1, g.dtype(1) ?? "float32", g.place(2)),
  empty_like: (g) => creation.emptyLike(g.tensor(0), g.dtype(1) ?? g.tensor(0).dtype, g.place(2)),
  zeros_like: (g) => creation.fill(creation.emptyLike(g.tensor(0), g.dtype(1) ?? g.tensor(0).dtype, g.place(2)), 0),
  ones_like: (g) => creation.fill(creation.emptyLike(g.tensor(0), g.dtype(1) ?? g.tensor(0).dtype, g.place(2)), 1),
  full: (g) => creation.full(g.shape(0), g.number(1), g.dtype(2) ?? "float32", g.place(3)),
  arange: (g) => creation.arange(g.number(0), g.number(1), g.number(2, 1), g.dtype(3) ?? "int64", g.place(4)),
  linspace: (g) => creation.linspace(g.number(0), g.number(1), g.number(2), g.dtype(3) ?? "float32", g.place(4)),
  eye: (g) => creation.eye(g.number(0), g.number(1), g.dtype(2) ?? "float32", g.place(3)),

  from_blob: (g) => {
    const [shape, dtype] = [g.shape(1), g.dtype(2) ?? "float32"];
    const made = empty(shape, dtype, null);
    if (made.length > 0) made.storage.write(0, g.memory(g.number(0), made.length * elementBytes(dtype)));
    return creation.move(made, g.place(3));
  },

  view: (g) => (g.dtype(1) === null ? shapes.viewAs(g.tensor(0), g.shape(1)) : viewAsType(g)),
  reshape: (g) => shapes.reshape(g.tensor(0), g.shape(1)),
  transpose: (g) => shapes.transpose(g.tensor(0), g.number(1), g.number(2)),
  t: (g) =>
    g.tensor(0).rank < 2 ? shapes.reshape(g.tensor(0), g.tensor(0).shape) : shapes.transpose(g.tensor(0), 0, 1),
  permute: (g) => shapes.permute(g.tensor(0), g.shape(1)),
  unsqueeze: (g) => shapes.unsqueeze(g.tensor(0), g.number(1)),
  squeeze: (g) => shapes.squeeze(g.tensor(0), g.numbers(1)),
  flatten: (g) => flatten(g.tensor(0), g.number(1), g.number(2, -1)),
  expand: (g) => expandAs(g.tensor(0), expandedShape(g.tensor(0), g.shape(1))),
  repeat,
  select: (g) => select(g.tensor(0), g.number(1), g.number(2)),
  narrow: (g) => narrow(g.tensor(0), g.number(1), g.number(2), g.number(3)),
  slice,
  as_strided: (g) => g.tensor(0).asStrided(g.shape(1), g.shape(2), g.optionalNumber(3) ?? g.tensor(0).offset),
  chunk,
  split: (g) => split(g.tensor(0), g.number(2), splitSizes(g)),
  unbind: (g) =>
    Array.from({ length: g.tensor(0).shape[shapes.dimension(g.tensor(0), g.number(1))] as number }, (_, i) =>
      select(g.tensor(0), g.number(1), i),
    ),
  index: (g) => getItem(g.tensor(0), indicesOf(g.at(1))),
  index_put_: (g) => {
    setItem(g.tensor(0), indicesOf(g.at(1)), g.operand(2));
    return undefined;
  },
  contiguous: (g) => shapes.contiguous(g.tensor(0)),
  clone: (g) => shapes.clone(g.tensor(0)),
  detach: (g) => g.tensor(0).asStrided(g.tensor(0).shape, g.tensor(0).strides),
  to: (g) => {
    const own = g.tensor(0);
    const dtype = g.dtype(1) ?? own.dtype;
    const typed = dtype === own.dtype ? own : cast(own, dtype);
    return g.at(2) === null ? typed : creation.move(typed, g.place(2));
  },
  copy_: (g) => copyInto(g.tensor(0), g.tensor(1)),
  fill_: (g) => creation.fill(g.tensor(0), g.number(1)),
  requires_grad_: (g) => {
    g.tensor(0).isLeafWithGradient = g.flag(1);
    return g.tensor(0);
  },
  grad: (g) => g.tensor(0).grad,
  set_grad_enabled: (g) => setGradEnabled(g.flag(0)),
  is_grad_enabled: () => isGradEnabled(),
  promote_types: (g) => new DtypeName(promote(g.dtype(0) ?? "float32", g.dtype(1) ?? "float32")),
  item,
  str: (g) => formatTensor(g.tensor(0), g.tensor(0).place === null ? null : "cuda:0"),
  equal: (g) => allClose(g.tensor(0), g.tensor(1), { rtol: 0, atol: 0, equalNan: false }),
  allclose: (g) => allClose(g.tensor(0), g.tensor(1), { rtol: g.number(2), atol: g.number(3), equalNan: g.flag(4) }),

  add: scaled("add"),
  sub: scaled("sub"),
  rsub: (g) => binary("sub", g.operand(1), g.operand(0)),
  clamp,
  mm: (g) => matmul(g.tensor(0), g.tensor(1)),
  bmm: (g) => matmul(g.tensor(0), g.tensor(1)),
  mv: (g) => matmul(g.tensor(0), g.tensor(1)),
  dot: (g) => matmul(g.tensor(0), g.tensor(1)),
  matmul: (g) => matmul(g.tensor(0), g.tensor(1)),
  outer: (g) => binary("mul", shapes.unsqueeze(g.tensor(0), 1), shapes.unsqueeze(g.tensor(1), 0)),
  addmm: (g) =>
    binary(
      "add",
      g.number(3, 1) === 1 ? g.tensor(0) : binary("mul", g.tensor(0), g.operand(3)),
      g.number(4, 1) === 1
        ? matmul(g.tensor(1), g.tensor(2))
        : binary("mul", matmul(g.tensor(1), g.tensor(2)), g.operand(4)),
    ),
  addcmul: (g) => binary("add", g.tensor(0), binary("mul", binary("mul", g.tensor(1), g.tensor(2)), g.operand(3))),
  addcdiv: (g) => binary("add", g.tensor(0), binary("mul", binary("div", g.tensor(1), g.tensor(2)), g.operand(3))),
  lerp: (g) => binary("add", g.tensor(0), binary("mul", binary("sub", g.tensor(1), g.tensor(0)), g.operand(2))),
  linear,
  elu,
  leaky_relu: (g) =>
    binary(
      "add",
      binary("maximum", g.tensor(0), float(0)),
      binary("mul", binary("minimum", g.tensor(0), float(0)), g.operand(1)),
    ),
  gelu: (g) => (g.text(1) === "none" ? unary("gelu", g.tensor(0)) : missing("gelu with approximate='tanh'")),
  layer_norm: (g) =>
    reductions.layerNorm(g.tensor(0), g.shape(1), g.optionalTensor(2), g.optionalTensor(3), g.number(4)),

  sum: reduced("sum"),
  mean: reduced("mean"),
  prod: simplyReduced("prod"),
  all: simplyReduced("all"),
  any: simplyReduced("any"),
  amax: simplyReduced("amax"),
  amin: simplyReduced("amin"),
  argmax: simplyReduced("argmax"),
  argmin: simplyReduced("argmin"),
  max: extreme("amax", "argmax"),
  min: extreme("amin", "argmin"),
  var: (g) => reductions.variance(g.tensor(0), g.numbers(1), g.flag(2) ? 1 : 0, g.flag(3)),
  std: (g) => unary("sqrt", reductions.variance(g.tensor(0), g.numbers(1), g.flag(2) ? 1 : 0, g.flag(3))),
  norm: (g) => {
    if (g.number(1, 2) !== 2) missing("norm with p other than 2");
    const squares = reductions.reduce("sum", unary("square", g.tensor(0)), g.numbers(2), g.flag(3));
    return unary("sqrt", squares);
  },
  logsumexp: (g) => {
    const own = g.tensor(0);
    const most = reductions.reduce("amax", own, g.numbers(1), true);
    const sum = reductions.reduce("sum", unary("exp", binary("sub", own, most)), g.numbers(1), true);
    const result = binary("add", unary("log", sum), most);
    return g.flag(2) ? result : shapes.squeeze(result, g.numbers(1));
  },
  softmax: (g) => reductions.softmax(typedAs(g, 2), g.number(1)),
  log_softmax: (g) => reductions.softmax(typedAs(g, 2), g.number(1), true),
  cumsum: (g) => reductions.cumulativeSum(typedAs(g, 2), g.number(1)),
  sort: (g) => reductions.sort(g.tensor(0), g.number(1), g.flag(2)),
  topk: (g) => {
    const own = g.tensor(0);
    const d = shapes.dimension(own, g.number(2, -1));
    return reductions.sort(own, d, g.flag(3)).map((sorted) => narrow(sorted, d, 0, g.number(1)));
  },

  cat: (g) => creation.concatenate(g.tensors(0), g.number(1)),
  stack: (g) => creation.stack(g.tensors(0), g.number(1)),
  where: (g) => where(g.tensor(0), g.operand(1), g.operand(2)),
  masked_fill: (g) => where(g.tensor(1), g.operand(2), g.tensor(0)),
  masked_select: (g) => getItem(g.tensor(0), [{ kind: "tensor", tensor: g.tensor(1) }]),
  index_select: (g) => {
    const own = g.tensor(0);
    const d = shapes.dimension(own, g.number(1));
    return getItem(own, [...Array.from({ length: d }, () => WHOLE), { kind: "tensor", tensor: g.tensor(2) }]);
  },
  embedding: (g) => getItem(g.tensor(0), [{ kind: "tensor", tensor: g.tensor(1) }]),
  gather: (g) => gather(g.tensor(0), g.number(1), g.tensor(2)),
  tril: (g) => creation.triangle(g.tensor(0), g.number(1), "lower"),
  triu: (g) => creation.triangle(g.tensor(0), g.number(1), "upper"),
};

function typedAs(given: OperationArguments, index: number): Tensor {
  const own = given.tensor(0);
  const dtype = given.dtype(index);
  return dtype === null || dtype === own.dtype ? own : cast(own, dtype);
}

function viewAsType(given: OperationArguments): Tensor {
  return shapes.viewAsType(given.tensor(0), given.dtype(1) ?? given.tensor(0).dtype);
}

function flatten(own: Tensor, first: number, last: number): Tensor {
  if (own.rank === 0) return shapes.reshape(own, [1]);
  const [from, to] = [shapes.dimension(own, first), shapes.dimension(own, last)];
  return shapes.reshape(own, [...own.shape.slice(0, from), -1, ...own.shape.slice(to + 1)]);
}

/** -1 keeps a size. */
function expandedShape(own: Tensor, shape: readonly number[]): number[] {
  const missingDims = shape.length - own.rank;
  return shape.map((size, d) => (size === -1 ? (own.shape[d - missingDims] ?? -1) : size));
}

function missing(name: string): never {
  throw unsupported(`at::${name}`);
}

function operationNamed(name: string): Operation | null {
  if (Object.hasOwn(TABLE, name)) return TABLE[name] as Operation;
  if (Object.hasOwn(UNARY, name)) return (given) => unary(name as UnaryName, given.tensor(0));
  if (Object.hasOwn(BINARY, name)) return (given) => binary(name as BinaryName, given.operand(0), given.operand(1));
  return null;
}

/** @throws HeddleError "unsupported" for what there is not. */
export function operation(name: string): Operation {
  const found = operationNamed(name);
  if (found !== null) return found;
  const pure = name.endsWith("_") ? operationNamed(name.slice(0, -1)) : null;
  if (pure !== null) return (given) => copyInto(given.tensor(0), pure(given) as Tensor);
  return missing(name);
}
