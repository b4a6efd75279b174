/**
 * Softmax, norms and cross entropy of rows by one kernel each way, where a device has kernels. Gradients of gradients
 * take the formulas in operations instead: see the callers. Nothing is put on the tape here.
 */
import { isGradEnabled } from "../autograd/tape.ts";
import type { TensorDtype } from "../dtypes.ts";
import { call, input } from "../expressions/expression.ts";
import { dense } from "../kernels/dense.ts";
import { launchRows, type RowExtents, type RowOperand, type RowPass, type RowProgram } from "../kernels/rows.ts";
import { kernelsFor, type TensorDevice } from "../kernels/tensor-device.ts";
import { elementCount, empty, type Shape, type Tensor } from "../tensor.ts";
import { tracerOf } from "../tracing.ts";
import { computeTypeOf, expand } from "./copies.ts";
import { reduceElements } from "./reduce-elements.ts";

/** The device whose kernels take rows of this tensor; null: it has none, or there is nothing to gain. */
export function rowDevice(tensor: Tensor): TensorDevice | null {
  // A traced function has kernels of its own, from the formulas.
  if (tensor.length === 0 || tensor.length >= 2 ** 40 || tracerOf(tensor.place) !== null) return null;
  return kernelsFor(tensor.place, tensor.length);
}

/** The same for a backward that nobody asks gradients of. */
export function rowDeviceForBackward(gradient: Tensor): TensorDevice | null {
  return isGradEnabled() ? null : rowDevice(gradient);
}

/** Rows along one dimension. */
function along(shape: Shape, dim: number): RowExtents {
  return {
    outer: elementCount(shape.slice(0, dim)),
    columns: shape[dim] ?? 1,
    inner: elementCount(shape.slice(dim + 1)),
  };
}

/** Rows of the last dimensions. */
const behind = (shape: Shape, first: number): RowExtents => ({
  outer: elementCount(shape.slice(0, first)),
  columns: elementCount(shape.slice(first)),
  inner: 1,
});

const element = (name: string, tensor: Tensor): RowOperand => ({ name, tensor, of: "element" });
const ofRow = (name: string, tensor: Tensor): RowOperand => ({ name, tensor, of: "row" });
const ofColumn = (name: string, tensor: Tensor): RowOperand => ({ name, tensor, of: "column" });

function launch(device: TensorDevice, program: Omit<RowProgram, "numbers" | "operands"> & Given, of: RowExtents): void {
  const operands = program.operands.map((operand) => ({ ...operand, tensor: dense(operand.tensor) }));
  launchRows(device, { numbers: {}, ...program, operands }, of);
  for (const [i, { tensor }] of operands.entries()) if (tensor !== program.operands[i]?.tensor) tensor.release();
}
interface Given {
  readonly operands: readonly RowOperand[];
  readonly numbers?: Readonly<Record<string, number>>;
}

const TOP: RowPass = { reductions: [{ name: "top", combine: "max", value: "x" }] };
const TOTAL: RowPass = { reductions: [{ name: "total", combine: "sum", value: "libdevice.exp(x - top)" }] };

export function launchSoftmax(device: TensorDevice, x: Tensor, dim: number, isLog: boolean): Tensor {
  const y = empty(x.shape, x.dtype, x.place);
  const value = isLog ? "x - top - libdevice.log(total)" : "libdevice.exp(x - top) / total";
  const program = {
    name: isLog ? "log_softmax" : "softmax",
    type: computeTypeOf(x.dtype),
    operands: [element("x", x)],
    results: [element("y", y)],
    passes: [TOP, TOTAL, { stores: [{ to: "y", value }] }],
  };
  launch(device, program, along(x.shape, dim));
  return y;
}

export function launchSoftmaxBackward(
  device: TensorDevice,
  gradient: Tensor,
  y: Tensor,
  dim: number,
  isLog: boolean,
): Tensor {
  const dx = empty(y.shape, y.dtype, y.place);
  const program = {
    name: isLog ? "log_softmax_backward" : "softmax_backward",
    type: computeTypeOf(y.dtype),
    operands: [element("g", gradient), element("y", y)],
    results: [element("dx", dx)],
    passes: [
      { reductions: [{ name: "total", combine: "sum" as const, value: isLog ? "g" : "g * y" }] },
      { stores: [{ to: "dx", value: isLog ? "g - libdevice.exp(y) * total" : "y * (g - total)" }] },
    ],
  };
  launch(device, program, along(y.shape, dim));
  return dx;
}

/** What a norm of rows keeps for its gradient: of each row the mean (null for RMS norm), and 1 / deviation. */
export interface RowNorm {
  readonly result: Tensor;
  readonly mean: Tensor | null;
  readonly scale: Tensor;
}

const wideOf = (dtype: TensorDtype): TensorDtype => (dtype === "float64" ? "float64" : "float32");

/** @param first the first of the dimensions that are normalised; weight and bias have their shape */
export function launchNorm(
  device: TensorDevice,
  x: Tensor,
  first: number,
  given: { readonly weight: Tensor | null; readonly bias: Tensor | null; readonly epsilon: number },
  isCentred: boolean,
): RowNorm {
  const { weight, bias, epsilon } = given;
  const extents = behind(x.shape, first);
  const result = empty(x.shape, x.dtype, x.place);
  const ofRows = (): Tensor => empty([extents.outer], wideOf(x.dtype), x.place);
  const [mean, scale] = [isCentred ? ofRows() : null, ofRows()];
  const centred = isCentred ? "(x - mean)" : "x";
  const value = `${centred} * scale${weight === null ? "" : " * w"}${bias === null ? "" : " + b"}`;
  const program = {
    name: `${isCentred ? "layer" : "rms"}_norm${weight === null ? "" : "_w"}${bias === null ? "" : "_b"}`,
    type: computeTypeOf(x.dtype),
    operands: [
      element("x", x),
      ...(weight === null ? [] : [ofColumn("w", weight)]),
      ...(bias === null ? [] : [ofColumn("b", bias)]),
    ],
    results: [element("y", result), ...(mean === null ? [] : [ofRow("mean_r", mean)]), ofRow("scale_r", scale)],
    numbers: { epsilon },
    passes: [
      ...(isCentred
        ? [{ reductions: [{ name: "total", combine: "sum" as const, value: "x" }], after: ["mean = total / size"] }]
        : []),
      {
        reductions: [{ name: "squares", combine: "sum" as const, value: `${centred} * ${centred}` }],
        after: ["scale = libdevice.rsqrt(squares / size + epsilon)"],
      },
      { stores: [{ to: "y", value }] },
    ],
    rowStores: [...(mean === null ? [] : [{ to: "mean_r", value: "mean" }]), { to: "scale_r", value: "scale" }],
  };
  launch(device, program, extents);
  return { result, mean, scale };
}

/** The gradient of `x`. */
export function launchNormBackward(
  device: TensorDevice,
  gradient: Tensor,
  x: Tensor,
  first: number,
  weight: Tensor | null,
  { mean, scale }: Omit<RowNorm, "result">,
): Tensor {
  const dx = empty(x.shape, x.dtype, x.place);
  const isCentred = mean !== null;
  const unit = isCentred ? "unit = (x - mean) * scale" : "unit = x * scale";
  const own = weight === null ? "own = g" : "own = g * w";
  const program = {
    name: `${isCentred ? "layer" : "rms"}_norm_backward${weight === null ? "" : "_w"}`,
    type: computeTypeOf(x.dtype),
    operands: [
      element("x", x),
      element("g", gradient),
      ...(weight === null ? [] : [ofColumn("w", weight)]),
      ...(mean === null ? [] : [ofRow("mean", mean)]),
      ofRow("scale", scale),
    ],
    results: [element("dx", dx)],
    passes: [
      {
        lines: [unit, own],
        reductions: [
          { name: "along", combine: "sum" as const, value: "own * unit" },
          ...(isCentred ? [{ name: "total", combine: "sum" as const, value: "own" }] : []),
        ],
      },
      {
        lines: [unit, own],
        stores: [{ to: "dx", value: `(own - unit * (along / size)${isCentred ? " - total / size" : ""}) * scale` }],
      },
    ],
  };
  launch(device, program, behind(x.shape, first));
  return dx;
}

const [G, X, MEAN, SCALE] = [input(0), input(1), input(2), input(3)];
const ALONG = call("mul", G, call("mul", call("sub", X, MEAN), SCALE));
const ALONG_PLAIN = call("mul", G, call("mul", X, MEAN));

/** The gradient of the weight: of one row's shape. */
export function normWeightGradient(
  gradient: Tensor,
  x: Tensor,
  first: number,
  weight: Tensor,
  { mean, scale }: Omit<RowNorm, "result">,
): Tensor {
  const spread = (of: Tensor): Tensor => {
    const kept = x.shape.map((size, d) => (d < first ? size : 1));
    const strides = kept.map((_, d) => (d < first ? elementCount(kept.slice(d + 1)) : 0));
    return expand(of.asStrided(kept, strides), x.shape);
  };
  const sums = reduceElements(
    {
      name: "norm_weight_gradient",
      combine: "sum",
      expression: mean === null ? ALONG_PLAIN : ALONG,
      type: computeTypeOf(x.dtype),
      dtype: weight.dtype,
    },
    mean === null ? [gradient, x, spread(scale)] : [gradient, x, spread(mean), spread(scale)],
    new Set(Array.from({ length: first }, (_, d) => d)),
  );
  return sums.asStrided(weight.shape, sums.strides.slice(first));
}

export interface RowLosses {
  readonly losses: Tensor;
  /** log Σ exp of each row. */
  readonly logs: Tensor;
}

/** Of rows [rows, classes] with the class of each. @param ignored a class whose rows have no loss */
export function launchCrossEntropy(device: TensorDevice, x: Tensor, target: Tensor, ignored: number): RowLosses {
  const losses = empty([x.shape[0] as number], x.dtype, x.place);
  const logs = empty([x.shape[0] as number], wideOf(x.dtype), x.place);
  const program = {
    name: `cross_entropy_${nameOf(ignored)}`,
    type: computeTypeOf(x.dtype),
    operands: [element("x", x), ofRow("target", target)],
    results: [ofRow("loss", losses), ofRow("log", logs)],
    passes: [
      TOP,
      {
        reductions: [
          { name: "total", combine: "sum" as const, value: "libdevice.exp(x - top)" },
          { name: "own", combine: "sum" as const, value: "tl.where(column == target, x, 0.0)" },
        ],
        after: ["log_all = top + libdevice.log(total)"],
      },
    ],
    rowStores: [
      { to: "loss", value: `tl.where(target == ${ignored}, 0.0, log_all - own)` },
      { to: "log", value: "log_all" },
    ],
    index: { name: "target", counts: `target != ${ignored}` },
  };
  launch(device, program, behind(x.shape, 1));
  return { losses, logs };
}

export function launchCrossEntropyBackward(
  device: TensorDevice,
  gradient: Tensor,
  x: Tensor,
  target: Tensor,
  logs: Tensor,
  ignored: number,
): Tensor {
  const dx = empty(x.shape, x.dtype, x.place);
  const program = {
    name: `cross_entropy_backward_${nameOf(ignored)}`,
    type: computeTypeOf(x.dtype),
    operands: [element("x", x), ofRow("g", gradient), ofRow("target", target), ofRow("log", logs)],
    results: [element("dx", dx)],
    passes: [
      {
        lines: ["own = tl.where(column == target, 1.0, 0.0)", `factor = tl.where(target == ${ignored}, 0.0, g)`],
        stores: [{ to: "dx", value: "(libdevice.exp(x - log) - own) * factor" }],
      },
    ],
  };
  launch(device, program, behind(x.shape, 1));
  return dx;
}

const nameOf = (ignored: number): string => String(ignored).replace("-", "minus_");
