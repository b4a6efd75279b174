/** Losses: what a prediction is apart from its target. */
import { autocastDtype, preciseOperand } from "../autograd/autocast.ts";
import { GradientNode, needsTape, record, recordMany } from "../autograd/tape.ts";
import { isFloating } from "../dtypes.ts";
import { call, constant as c, input, type Expression } from "../expressions/expression.ts";
import {
  launchMeanCrossEntropy,
  launchMeanCrossEntropyGradient,
  MOST_CLASSES,
} from "../kernels/fused/cross-entropy.ts";
import { aliasOf, failShape, scoped, type Shape, type Tensor } from "../tensor.ts";
import { expandAs } from "./broadcasting.ts";
import { computeTypeOf } from "./copies.ts";
import { binary, cast, compute, unary, where } from "./elementwise.ts";
import { float, resultDtype, type Operand, int } from "./operands.ts";
import { gatherElements, scatterAdd } from "./gathering.ts";
import { reduce } from "./reductions.ts";
import { launchCrossEntropy, launchCrossEntropyBackward, rowDevice, rowDeviceForBackward } from "./row-operations.ts";
import { softmax } from "./softmax.ts";
import { indexSelect } from "./selecting.ts";
import { broadcastShapes, reshape, transpose, unsqueeze } from "./shapes.ts";

export type Reduction = "mean" | "sum" | "none";

export function reduced(loss: Tensor, reduction: Reduction): Tensor {
  if (reduction === "none") return loss;
  if (reduction !== "mean" && reduction !== "sum") failShape(`${String(reduction)} is not a valid value for reduction`);
  return reduce(reduction, loss, null);
}

const [x, y, z] = [input(0), input(1), input(2)];
const sub = (a: Expression, b: Expression): Expression => call("sub", a, b);
const mul = (a: Expression, b: Expression): Expression => call("mul", a, b);
const size = call("abs", sub(x, y));

export type ElementLoss = "mse_loss" | "l1_loss" | "smooth_l1_loss" | "huber_loss" | "soft_margin_loss";

/** The losses that are a function of one element of each operand; numbers follow the two tensors. */
const ELEMENT_LOSSES: Readonly<Record<ElementLoss, Expression>> = {
  mse_loss: mul(sub(x, y), sub(x, y)),
  l1_loss: size,
  smooth_l1_loss: call(
    "where",
    call("lt", size, z),
    call("div", mul(c(0.5), mul(size, size)), z),
    sub(size, mul(c(0.5), z)),
  ),
  huber_loss: call("where", call("le", size, z), mul(c(0.5), mul(size, size)), mul(z, sub(size, mul(c(0.5), z)))),
  soft_margin_loss: call("log1p", call("exp", call("neg", mul(x, y)))),
};

export function elementLoss(
  name: ElementLoss,
  prediction: Tensor,
  target: Tensor,
  numbers: readonly number[] = [],
): Tensor {
  broadcastShapes(prediction.shape, target.shape);
  const operands: Operand[] = [prediction, target, ...numbers.map(float)];
  const dtype = resultDtype(operands);
  if (!isFloating(dtype)) failShape(`"${name}" not implemented for '${dtype}'`);
  return compute({ name, expression: ELEMENT_LOSSES[name], type: computeTypeOf(dtype), dtype }, operands);
}

function requireSameShape(what: string, a: Tensor, b: Tensor): void {
  if (a.rank !== b.rank || a.shape.some((own, d) => own !== b.shape[d]))
    failShape(
      `${what}: Using a target size ([${b.shape.join(", ")}]) that is different to the input size ` +
        `([${a.shape.join(", ")}])` +
        " is deprecated. Please ensure they have the same size.",
    );
}

const log = (of: Expression): Expression => {
  const bounded = call("maximum", call("log", of), c(-100));
  return bounded;
};
const CROSS: Expression = call("neg", call("add", mul(y, log(x)), mul(sub(c(1), y), log(sub(c(1), x)))));

export function binaryCrossEntropy(prediction: Tensor, target: Tensor, weight: Tensor | null): Tensor {
  requireSameShape("binary_cross_entropy", prediction, target);
  const { dtype } = prediction;
  if (prediction.values().some((value) => value < 0 || value > 1))
    failShape("all elements of input should be between 0 and 1");
  const operands = [prediction, target];
  const loss = compute(
    { name: "binary_cross_entropy", expression: CROSS, type: computeTypeOf(dtype), dtype },
    operands,
  );
  return weight === null ? loss : binary("mul", loss, weight);
}

/** log(1 + exp(-|x|)) + max(-x, 0) */
const softplusOfNegative = call(
  "add",
  call("log1p", call("exp", call("neg", call("abs", x)))),
  call("maximum", call("neg", x), c(0)),
);
const ofLogits = call("add", mul(sub(c(1), y), x), softplusOfNegative);
const ofPositive = call("add", mul(sub(c(1), y), x), mul(call("add", c(1), mul(sub(z, c(1)), y)), softplusOfNegative));
/** By the operands behind the prediction and the target, in their order. */
const LOGIT_LOSSES = {
  "": ofLogits,
  positive: ofPositive,
  weight: mul(ofLogits, z),
  positiveweight: mul(ofPositive, input(3)),
};

export function binaryCrossEntropyWithLogits(
  prediction: Tensor,
  target: Tensor,
  weight: Tensor | null,
  positive: Tensor | null,
): Tensor {
  if (prediction.rank !== target.rank || prediction.shape.some((own, d) => own !== target.shape[d]))
    failShape(
      `Target size ([${target.shape.join(", ")}]) must be the same as input size ([${prediction.shape.join(", ")}])`,
    );
  const operands = [prediction, target, positive, weight].filter((operand) => operand !== null);
  const dtype = resultDtype(operands);
  const form = `${positive === null ? "" : "positive"}${weight === null ? "" : "weight"}` as keyof typeof LOGIT_LOSSES;
  const expression = LOGIT_LOSSES[form];
  return compute({ name: "bce_with_logits", expression, type: computeTypeOf(dtype), dtype }, operands);
}

/** target · (log target - prediction), where the prediction is a logarithm. */
export function divergence(prediction: Tensor, target: Tensor, isLog: boolean): Tensor {
  if (isLog) return binary("mul", unary("exp", target), binary("sub", target, prediction));
  return binary("sub", binary("xlogy", target, target), binary("mul", target, prediction));
}

export interface ClassOptions {
  readonly weight: Tensor | null;
  readonly ignoreIndex: number;
  readonly reduction: Reduction;
}

/** Channels behind all other dimensions: [batch, classes, …] becomes [rows, classes]. */
function asRows(of: Tensor): Tensor {
  if (of.rank === 1) return unsqueeze(of, 0);
  if (of.rank === 2) return of;
  const classes = of.shape[1] as number;
  const flat = transpose(reshape(of, [of.shape[0] as number, classes, -1]), 1, 2);
  return reshape(flat, [-1, classes]);
}

function checkTarget(what: string, prediction: Tensor, target: Tensor, weight: Tensor | null): void {
  const expected = prediction.rank === 1 ? [] : prediction.shape.toSpliced(1, 1);
  if (prediction.rank === 0) failShape("input tensor should be 1D or 2D");
  if (target.rank !== expected.length || target.shape.some((own, d) => own !== expected[d]))
    failShape(
      prediction.rank <= 2 && target.rank <= 1
        ? `Expected input batch_size (${prediction.shape[0]}) to match target batch_size (${target.shape[0] ?? 1}).`
        : "size mismatch of input and target",
      [prediction.shape, target.shape],
    );
  if (target.dtype !== "int64" && target.dtype !== "uint8" && target.dtype !== "int32")
    failShape(`${what}: expected scalar type Long (int64) for the classes of the target, but found ${target.dtype}`);
  const classes = prediction.shape[prediction.rank === 1 ? 0 : 1] as number;
  if (weight !== null && (weight.rank !== 1 || weight.length !== classes))
    failShape(
      `weight tensor should be defined either for all ${classes} classes or no classes but got weight ` +
        `tensor of shape: ` +
        `[${weight.shape.join(", ")}]`,
    );
}

/** The negative of the logarithm of each target's probability. */
export function nllLoss(given: Tensor, target: Tensor, options: ClassOptions, what = "nll_loss"): Tensor {
  const logs = preciseOperand(given, cast);
  const { weight, ignoreIndex, reduction } = options;
  checkTarget(what, logs, target, weight);
  const [rows, classes] = [asRows(logs), reshape(cast(target, "int64"), [-1])];
  const holds = binary("ne", classes, int(ignoreIndex));
  const own = where(holds, classes, int(0));
  const picked = reshape(gatherElements(rows, 1, unsqueeze(own, 1)), [-1]);
  const weights = weight === null ? cast(holds, logs.dtype) : where(holds, indexSelect(weight, 0, own), float(0));
  const loss = where(holds, unary("neg", weight === null ? picked : binary("mul", picked, weights)), float(0));
  if (reduction === "none") return reshape(loss, target.shape);
  const sum = reduced(loss, "sum");
  return reduction === "sum" ? sum : binary("div", sum, reduced(weights, "sum"));
}

/** Softmax and negative logarithm in one; targets are classes, or the probability of each class. */
export function crossEntropy(given: Tensor, target: Tensor, options: ClassOptions, smoothing: number): Tensor {
  const { weight, reduction } = options;
  if (smoothing < 0 || smoothing > 1) failShape(`label_smoothing must be between 0.0 and 1.0. Got: ${smoothing}`);
  const whole = smoothing === 0 && reduction === "mean" ? meanCrossEntropy(given, target, options) : null;
  if (whole !== null) return whole;
  const x = preciseOperand(given, cast);
  const at = x.rank === 1 ? 0 : 1;
  if (isSame(x.shape, target.shape) && isFloating(target.dtype)) return ofProbabilities(x, target, options, smoothing);
  checkTarget("cross_entropy", x, target, weight);
  if (weight === null && smoothing === 0) {
    const losses = rowLosses(asRows(x), reshape(cast(target, "int64"), [-1]), options.ignoreIndex);
    if (losses !== null) return ofRows(losses, target, options);
  }
  const logs = softmax(x, at, true);
  const loss = nllLoss(logs, target, options, "cross_entropy");
  if (smoothing === 0) return loss;
  const classes = x.shape[at] as number;
  const rows = asRows(logs);
  const own = reshape(cast(target, "int64"), [-1]);
  const holds = binary("ne", own, { value: options.ignoreIndex, kind: "int" });
  const weighted = weight === null ? rows : binary("mul", rows, reshape(weight, [1, classes]));
  const smooth = where(holds, unary("neg", reduce("sum", weighted, [1])), float(0));
  const spread = (): Tensor => {
    if (reduction === "none") return reshape(smooth, target.shape);
    const sum = reduced(smooth, "sum");
    if (reduction === "sum") return sum;
    const safe = where(holds, own, int(0));
    const weights = weight === null ? cast(holds, x.dtype) : where(holds, indexSelect(weight, 0, safe), float(0));
    return binary("div", sum, reduced(weights, "sum"));
  };
  return binary("add", binary("mul", loss, float(1 - smoothing)), binary("mul", spread(), float(smoothing / classes)));
}

/** The mean by one kernel; null: it is not for that. Small floats are computed in float32 under autocast only. */
function meanCrossEntropy(x: Tensor, target: Tensor, { weight, ignoreIndex }: ClassOptions): Tensor | null {
  const isPrecise = x.dtype === "float32" || (autocastDtype() !== null && isFloating(x.dtype) && x.dtype !== "float64");
  if (weight !== null || x.rank !== 2 || !isPrecise || !x.isContiguous) return null;
  if (target.rank !== 1 || target.dtype !== "int64" || !target.isContiguous || target.place !== x.place) return null;
  checkTarget("cross_entropy", x, target, weight);
  const device = (x.shape[1] as number) > MOST_CLASSES ? null : rowDevice(x);
  if (device === null) return null;
  return scoped(() => {
    const { loss, count, gradient: made } = launchMeanCrossEntropy(device, x, target, ignoreIndex, needsTape([x]));
    // It is given away once: who gets it may change it.
    let whole = made?.retain() ?? null;
    const forget = (): void => {
      whole?.release();
      whole = null;
    };
    const backward = (gradient: Tensor): Tensor[] => {
      if (whole !== null && gradient.storage.deferred?.value === 1 && rowDeviceForBackward(x) !== null) {
        const own = aliasOf(whole);
        forget();
        return [own];
      }
      if (rowDeviceForBackward(x) !== null)
        return [launchMeanCrossEntropyGradient(device, gradient, x, target, count, ignoreIndex)];
      const each = expandAs(binary("div", gradient, count), target.shape);
      return [cast(gradientOfRows(cast(x, "float32"), target, each, ignoreIndex), x.dtype)];
    };
    if (!needsTape([x])) return loss;
    const options = { saves: [x, target, count], onRelease: forget };
    recordMany(new GradientNode("CrossEntropyBackward0", [x], ([given]) => backward(given as Tensor), options), [loss]);
    return loss;
  });
}

/** The gradient of the loss of each row, by operations that have gradients. */
function gradientOfRows(x: Tensor, classes: Tensor, gradient: Tensor, ignored: number): Tensor {
  const holds = binary("ne", classes, int(ignored));
  const own = unsqueeze(where(holds, classes, int(0)), 1);
  const factor = unsqueeze(where(holds, gradient, float(0)), 1);
  const chances = binary("mul", softmax(x, 1), factor);
  return scatterAdd(chances, 1, own, unary("neg", factor));
}

/** The loss of each row by one kernel; null: there is none for it. */
function rowLosses(x: Tensor, classes: Tensor, ignored: number): Tensor | null {
  const device = isFloating(x.dtype) && classes.place === x.place ? rowDevice(x) : null;
  if (device === null) return null;
  const { losses, logs } = launchCrossEntropy(device, x, classes, ignored);
  const backward = (gradient: Tensor): Tensor[] => {
    const backwardDevice = rowDeviceForBackward(x);
    if (backwardDevice !== null)
      return [launchCrossEntropyBackward(backwardDevice, gradient, x, classes, logs, ignored)];
    return [gradientOfRows(x, classes, gradient, ignored)];
  };
  return record("CrossEntropyBackward0", losses, [x], backward, [x, classes, logs]);
}

function ofRows(losses: Tensor, target: Tensor, { ignoreIndex, reduction }: ClassOptions): Tensor {
  if (reduction === "none") return reshape(losses, target.shape);
  const sum = reduced(losses, "sum");
  if (reduction === "sum") return sum;
  const holds = cast(binary("ne", target, int(ignoreIndex)), losses.dtype);
  return binary("div", sum, reduced(holds, "sum"));
}

const isSame = (a: Shape, b: Shape): boolean => a.length === b.length && a.every((own, d) => own === b[d]);

function ofProbabilities(x: Tensor, target: Tensor, { weight, reduction }: ClassOptions, smoothing: number): Tensor {
  const at = x.rank === 1 ? 0 : 1;
  const classes = x.shape[at] as number;
  const smooth =
    smoothing === 0 ? target : binary("add", binary("mul", target, float(1 - smoothing)), float(smoothing / classes));
  let products = binary("mul", softmax(x, at, true), smooth);
  if (weight !== null)
    products = binary(
      "mul",
      products,
      expandAs(reshape(weight, [classes, ...x.shape.slice(at + 1).map(() => 1)]), x.shape),
    );
  const loss = unary("neg", reduce("sum", products, [at]));
  if (reduction !== "mean") return reduced(loss, reduction);
  return binary("div", reduced(loss, "sum"), float(x.length / classes));
}
