/**
 * The operations that extensions call, by their names in PyTorch: at::mm, `x.sum(…)`, torch::zeros. The arguments come
 * in the order of include/heddle/torch. A name with a final underscore writes its result into the first argument,
 * unless it has a row of its own.
 */
import "../tensor/api/element-methods.ts";
import "../tensor/api/reduction-methods.ts";
import "../tensor/api/shape-methods.ts";
import "../tensor/api/tensor-methods.ts";
import { unsupported } from "../base/diagnostics.ts";
import type { IndexLike } from "../tensor/api/shape-methods.ts";
import { isGradEnabled, setGradEnabled } from "../tensor/autograd/tape.ts";
import { elementBytes, promote } from "../tensor/dtypes.ts";
import { formatTensor } from "../tensor/format.ts";
import { allClose } from "../tensor/operations/compare.ts";
import * as creation from "../tensor/operations/creation.ts";
import { BINARY, UNARY, type BinaryName, type UnaryName } from "../tensor/operations/element-functions.ts";
import { binary, cast, elementwiseInto, unary, where } from "../tensor/operations/elementwise.ts";
import { matmul } from "../tensor/operations/matmul.ts";
import { layerNorm } from "../tensor/operations/normalization.ts";
import { Generators } from "../tensor/operations/random.ts";
import * as reductions from "../tensor/operations/reductions.ts";
import { logSumExp, softmax } from "../tensor/operations/softmax.ts";
import * as shapes from "../tensor/operations/shapes.ts";
import { empty, failShape, Tensor } from "../tensor/tensor.ts";
import type { OperationArguments } from "./operation-arguments.ts";
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
  (name: "max" | "min"): Operation =>
  (given) => {
    const own = given.tensor(0);
    return given.at(1) === null ? own[name]() : both(own[name](given.number(1), { keepdim: given.flag(2) }));
  };
const generators = new Generators(0n);

function clamp(given: OperationArguments, name: "clamp" | "clamp_"): Tensor {
  const [low, high] = [given.bound(1), given.bound(2)];
  return given.tensor(0)[name]({
    ...(low === null ? {} : { min: low }),
    ...(high === null ? {} : { max: high }),
  });
}

function slice(given: OperationArguments): Tensor {
  const own = given.tensor(0);
  const d = shapes.dimension(own, given.number(1));
  const size = own.shape[d] as number;
  const bound = (value: number | null, otherwise: number): number => {
    if (value === null) return otherwise;
    return Math.min(size, Math.max(0, value < 0 ? value + size : value));
  };
  const start = bound(given.optionalNumber(2), 0);
  const stop = bound(given.optionalNumber(3), size);
  const step = given.number(4, 1);
  if (step === 1) return creation.narrow(own, d, start, Math.max(0, stop - start));
  return own.index(...Array.from({ length: d }, (): IndexLike => [null, null, 1]), [start, stop, step]);
}

function select(own: Tensor, dim: number, index: number): Tensor {
  const size = own.shape[shapes.dimension(own, dim)] as number;
  if (index < -size || index >= size)
    failShape(`select(): index ${index} out of range for tensor of size [${own.shape.join(", ")}] at dimension ${dim}`);
  return own.select(dim, index);
}

function indicesOf(value: Value): IndexLike[] {
  return (value as readonly Value[]).map((one) => {
    if (one === null || one === "..." || one instanceof Tensor) return one;
    if (!Array.isArray(one)) return Number(one);
    const [start, stop, step] = (one as readonly Value[]).map((part) => (part === null ? null : Number(part)));
    return [start ?? null, stop ?? null, step ?? 1];
  });
}

function linear(given: OperationArguments): Tensor {
  const product = matmul(given.tensor(0), shapes.transpose(given.tensor(1), -1, -2));
  const bias = given.optionalTensor(2);
  return bias === null ? product : binary("add", product, bias);
}

function item(given: OperationArguments): Value {
  const own = given.tensor(0);
  if (own.length !== 1) failShape(`a Tensor with ${own.length} elements cannot be converted to Scalar`);
  const value = own.values()[0] as number;
  if (own.dtype === "bool") return value !== 0;
  return own.dtype.includes("float") ? new Double(value) : value;
}

const TABLE: Readonly<Record<string, Operation>> = {
  empty: (g) => empty(g.shape(0), g.dtype(1) ?? "float32", g.place(2)),
  zeros: (g) => creation.full(g.shape(0), 0, g.dtype(1) ?? "float32", g.place(2)),
  ones: (g) => creation.full(g.shape(0), 1, g.dtype(1) ?? "float32", g.place(2)),
  empty_like: (g) => like(g),
  zeros_like: (g) => creation.fill(like(g), 0),
  ones_like: (g) => creation.fill(like(g), 1),
  full: (g) => creation.full(g.shape(0), g.number(1), g.dtype(2) ?? "float32", g.place(3)),
  arange: (g) => creation.arange(g.number(0), g.number(1), g.number(2, 1), g.dtype(3) ?? "int64", g.place(4)),
  linspace: (g) => creation.linspace(g.number(0), g.number(1), g.number(2), g.dtype(3) ?? "float32", g.place(4)),
  eye: (g) => creation.eye(g.number(0), g.number(1), g.dtype(2) ?? "float32", g.place(3)),
  rand: (g) => generators.rand(g.shape(0), g.dtype(1) ?? "float32", g.place(2)),
  randn: (g) => generators.randn(g.shape(0), g.dtype(1) ?? "float32", g.place(2)),
  from_blob: (g) => {
    const [shape, dtype] = [g.shape(1), g.dtype(2) ?? "float32"];
    const made = empty(shape, dtype, null);
    if (made.length > 0) made.storage.write(0, g.memory(g.number(0), made.length * elementBytes(dtype)));
    return creation.move(made, g.place(3));
  },

  view: (g) => (g.dtype(1) === null ? shapes.viewAs(g.tensor(0), g.shape(1)) : viewAsType(g)),
  reshape: (g) => shapes.reshape(g.tensor(0), g.shape(1)),
  transpose: (g) => shapes.transpose(g.tensor(0), g.number(1), g.number(2)),
  t: (g) => g.tensor(0).t(),
  permute: (g) => shapes.permute(g.tensor(0), g.shape(1)),
  unsqueeze: (g) => shapes.unsqueeze(g.tensor(0), g.number(1)),
  squeeze: (g) => shapes.squeeze(g.tensor(0), g.numbers(1)),
  flatten: (g) => g.tensor(0).flatten(g.number(1), g.number(2, -1)),
  expand: (g) => g.tensor(0).expand(g.shape(1)),
  repeat: (g) => g.tensor(0).repeat(g.shape(1)),
  select: (g) => select(g.tensor(0), g.number(1), g.number(2)),
  narrow: (g) => g.tensor(0).narrow(g.number(1), g.number(2), g.number(3)),
  slice,
  as_strided: (g) => g.tensor(0).asStrided(g.shape(1), g.shape(2), g.optionalNumber(3) ?? g.tensor(0).offset),
  chunk: (g) => g.tensor(0).chunk(g.number(1), g.number(2)),
  split: (g) => g.tensor(0).split(Array.isArray(g.at(1)) ? g.shape(1) : g.number(1), g.number(2)),
  unbind: (g) => g.tensor(0).unbind(g.number(1)),
  flip: (g) => g.tensor(0).flip(g.shape(1)),
  index: (g) => g.tensor(0).index(...indicesOf(g.at(1))),
  index_put_: (g) => g.tensor(0).indexPut_(indicesOf(g.at(1)), g.like(2)),
  contiguous: (g) => shapes.contiguous(g.tensor(0)),
  clone: (g) => shapes.clone(g.tensor(0)),
  detach: (g) => g.tensor(0).detach(),
  to: (g) => {
    const own = g.tensor(0);
    const dtype = g.dtype(1) ?? own.dtype;
    const typed = dtype === own.dtype ? own : cast(own, dtype);
    return g.at(2) === null ? typed : creation.move(typed, g.place(2));
  },
  copy_: (g) => g.tensor(0).copy_(g.tensor(1)),
  fill_: (g) => g.tensor(0).fill_(g.number(1)),
  requires_grad_: (g) => g.tensor(0).requiresGrad_(g.flag(1)),
  grad: (g) => g.tensor(0).grad,
  set_grad_enabled: (g) => setGradEnabled(g.flag(0)),
  is_grad_enabled: () => isGradEnabled(),
  promote_types: (g) => new DtypeName(promote(g.dtype(0) ?? "float32", g.dtype(1) ?? "float32")),
  item,
  str: (g) => formatTensor(g.tensor(0), g.tensor(0).place === null ? null : "cuda:0"),
  equal: (g) => allClose(g.tensor(0), g.tensor(1), { rtol: 0, atol: 0, equalNan: false }),
  allclose: (g) => allClose(g.tensor(0), g.tensor(1), { rtol: g.number(2), atol: g.number(3), equalNan: g.flag(4) }),

  add: (g) => (g.number(2, 1) === 1 ? binary("add", g.operand(0), g.operand(1)) : plus(g, "add", g.number(2))),
  sub: (g) => (g.number(2, 1) === 1 ? binary("sub", g.operand(0), g.operand(1)) : plus(g, "add", -g.number(2))),
  add_: (g) =>
    g.number(2, 1) === 1 ? elementwiseInto(g.tensor(0), "add", g.operand(1)) : plus(g, "add_", g.number(2)),
  sub_: (g) =>
    g.number(2, 1) === 1 ? elementwiseInto(g.tensor(0), "sub", g.operand(1)) : plus(g, "add_", -g.number(2)),
  rsub: (g) => binary("sub", g.operand(1), g.operand(0)),
  clamp: (g) => clamp(g, "clamp"),
  clamp_: (g) => clamp(g, "clamp_"),
  mm: (g) => g.tensor(0).mm(g.tensor(1)),
  bmm: (g) => g.tensor(0).bmm(g.tensor(1)),
  mv: (g) => g.tensor(0).mv(g.tensor(1)),
  dot: (g) => g.tensor(0).dot(g.tensor(1)),
  matmul: (g) => matmul(g.tensor(0), g.tensor(1)),
  outer: (g) => g.tensor(0).outer(g.tensor(1)),
  addmm: (g) =>
    binary(
      "add",
      g.number(3, 1) === 1 ? g.tensor(0) : binary("mul", g.tensor(0), g.operand(3)),
      g.number(4, 1) === 1
        ? matmul(g.tensor(1), g.tensor(2))
        : binary("mul", matmul(g.tensor(1), g.tensor(2)), g.operand(4)),
    ),
  addcmul: (g) => g.tensor(0).addcmul(g.tensor(1), g.tensor(2), { value: g.number(3, 1) }),
  addcdiv: (g) => g.tensor(0).addcdiv(g.tensor(1), g.tensor(2), { value: g.number(3, 1) }),
  lerp: (g) => g.tensor(0).lerp(g.tensor(1), g.like(2)),
  linear,
  elu: (g) => {
    if (g.number(2, 1) !== 1 || g.number(3, 1) !== 1) missing("elu with a scale");
    return g.tensor(0).elu(g.number(1, 1));
  },
  leaky_relu: (g) => g.tensor(0).leakyRelu(g.number(1)),
  gelu: (g) => unary(g.text(1) === "none" ? "gelu" : "gelu_tanh", g.tensor(0)),
  softplus: (g) => g.tensor(0).softplus(),
  layer_norm: (g) => {
    const own = { weight: g.optionalTensor(2), bias: g.optionalTensor(3), epsilon: g.number(4) };
    return layerNorm(g.tensor(0), g.shape(1), own);
  },

  sum: reduced("sum"),
  mean: reduced("mean"),
  prod: simplyReduced("prod"),
  all: simplyReduced("all"),
  any: simplyReduced("any"),
  amax: simplyReduced("amax"),
  amin: simplyReduced("amin"),
  argmax: simplyReduced("argmax"),
  argmin: simplyReduced("argmin"),
  max: extreme("max"),
  min: extreme("min"),
  var: (g) => reductions.variance(g.tensor(0), g.numbers(1), g.flag(2) ? 1 : 0, g.flag(3)),
  std: (g) => unary("sqrt", reductions.variance(g.tensor(0), g.numbers(1), g.flag(2) ? 1 : 0, g.flag(3))),
  norm: (g) => g.tensor(0).norm(g.number(1, 2), g.numbers(2) ?? undefined, { keepdim: g.flag(3) }),
  logsumexp: (g) => logSumExp(g.tensor(0), g.numbers(1), g.flag(2)),
  softmax: (g) => softmax(typedAs(g, 2), g.number(1)),
  log_softmax: (g) => softmax(typedAs(g, 2), g.number(1), true),
  cumsum: (g) => reductions.cumulativeSum(typedAs(g, 2), g.number(1)),
  sort: (g) => both(g.tensor(0).sort(g.number(1), { descending: g.flag(2) })),
  topk: (g) => both(g.tensor(0).topk(g.number(1), g.number(2, -1), { largest: g.flag(3) })),

  cat: (g) => creation.concatenate(g.tensors(0), g.number(1)),
  stack: (g) => creation.stack(g.tensors(0), g.number(1)),
  where: (g) => where(g.tensor(0), g.operand(1), g.operand(2)),
  masked_fill: (g) => g.tensor(0).maskedFill(g.tensor(1), g.like(2)),
  masked_fill_: (g) => g.tensor(0).maskedFill_(g.tensor(1), g.like(2)),
  masked_select: (g) => g.tensor(0).maskedSelect(g.tensor(1)),
  index_select: (g) => g.tensor(0).indexSelect(g.number(1), g.tensor(2)),
  embedding: (g) => g.tensor(0).index(g.tensor(1)),
  gather: (g) => g.tensor(0).gather(g.number(1), g.tensor(2)),
  scatter_add: (g) => g.tensor(0).scatterAdd(g.number(1), g.tensor(2), g.tensor(3)),
  tril: (g) => g.tensor(0).tril(g.number(1)),
  triu: (g) => g.tensor(0).triu(g.number(1)),
};

function like(given: OperationArguments): Tensor {
  const own = given.tensor(0);
  return creation.emptyLike(own, given.dtype(1) ?? own.dtype, given.place(2));
}

function plus(given: OperationArguments, name: "add" | "add_", alpha: number): Tensor {
  return given.tensor(0)[name](given.like(1), { alpha });
}

const both = ({ values, indices }: { values: Tensor; indices: Tensor }): Tensor[] => [values, indices];

function typedAs(given: OperationArguments, index: number): Tensor {
  const own = given.tensor(0);
  const dtype = given.dtype(index);
  return dtype === null || dtype === own.dtype ? own : cast(own, dtype);
}

function viewAsType(given: OperationArguments): Tensor {
  return shapes.viewAsType(given.tensor(0), given.dtype(1) ?? given.tensor(0).dtype);
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
  const pure = name.endsWith("_") ? name.slice(0, -1) : "";
  if (Object.hasOwn(UNARY, pure)) return (given) => elementwiseInto(given.tensor(0), pure as UnaryName);
  if (Object.hasOwn(BINARY, pure))
    return (given) => elementwiseInto(given.tensor(0), pure as BinaryName, given.operand(1));
  const made = operationNamed(pure);
  return made === null ? missing(name) : (given) => given.tensor(0).copy_(made(given) as Tensor);
}
