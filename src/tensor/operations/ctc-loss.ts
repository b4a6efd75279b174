/**
 * Connectionist temporal classification (Graves et al., 2006): minus the logarithm of the probability of all paths that
 * come to the target. Computed by the host, in double precision.
 */
import { record } from "../autograd/tape.ts";
import { aliasOf, failShape, fromValues, type Tensor } from "../tensor.ts";
import { binary, cast } from "./elementwise.ts";
import { reshape, unsqueeze } from "./shapes.ts";

export interface CtcOptions {
  /** The class of no label. */
  readonly blank: number;
  /** A target that no path comes to has the loss 0, and no gradient. */
  readonly zeroInfinity: boolean;
}

/** A loss for each sequence: [batch], or one number. @param logProbs [time, batch, classes] or [time, classes] */
export function ctcLoss(
  logProbs: Tensor,
  targets: Tensor,
  inputLengths: readonly number[],
  targetLengths: readonly number[],
  { blank, zeroInfinity }: CtcOptions,
): Tensor {
  if (logProbs.rank !== 2 && logProbs.rank !== 3)
    failShape(`ctc_loss: expected log_probs of 2 or 3 dimensions, but got ${logProbs.rank}`);
  const isOne = logProbs.rank === 2;
  const own = isOne ? unsqueeze(logProbs, 1) : logProbs;
  const [time, batch, classes] = own.shape as [number, number, number];
  check(own, targets, inputLengths, targetLengths, blank);
  const values = own.values();
  const labels = targets.values();
  const losses = new Float64Array(batch);
  const gradients = new Float64Array(time * batch * classes);
  const needsGradient = logProbs.requiresGradient;
  let begin = 0;
  for (let b = 0; b < batch; b++) {
    const [steps, count] = [inputLengths[b] as number, targetLengths[b] as number];
    if (targets.rank === 2) begin = b * (targets.shape[1] as number);
    const path = Array.from({ length: 2 * count + 1 }, (_, s) =>
      s % 2 === 0 ? blank : (labels[begin + (s - 1) / 2] as number),
    );
    begin += count;
    const at = (t: number, label: number): number => values[(t * batch + b) * classes + label] as number;
    const alpha = forward(steps, path, blank, at);
    const end = alpha.subarray((steps - 1) * path.length);
    const unmoved = count === 0 ? 0 : -Infinity;
    const last = steps === 0 ? unmoved : sumOfEnds(end, path.length);
    losses[b] = -last;
    if (last === -Infinity && zeroInfinity) {
      losses[b] = 0;
      continue;
    }
    if (!needsGradient) continue;
    const reversed = forward(steps, path.toReversed(), blank, (t, label) => at(steps - 1 - t, label));
    for (let t = 0; t < steps; t++) {
      const both = new Float64Array(classes).fill(-Infinity);
      for (const [s, label] of path.entries()) {
        const behind = reversed[(steps - 1 - t) * path.length + (path.length - 1 - s)] as number;
        both[label] = logSum(both[label] as number, (alpha[t * path.length + s] as number) + behind);
      }
      for (let label = 0; label < classes; label++) {
        const log = at(t, label);
        // As PyTorch's: of the logits before a log softmax, through which it stays what it is.
        const part = Math.exp((both[label] as number) - last - log);
        gradients[(t * batch + b) * classes + label] = Math.exp(log) - part;
      }
    }
  }
  const result = fromValues(losses, [batch], logProbs.dtype, logProbs.place);
  const slope = fromValues(gradients, own.shape, "float64", logProbs.place);
  return record("CtcLossBackward0", isOne ? reshape(result, []) : result, [logProbs], (gradient) => {
    const slopes = reshape(slope, logProbs.shape);
    const own = cast(binary("mul", slopes, isOne ? gradient : reshape(gradient, [1, batch, 1])), logProbs.dtype);
    return [record("CtcLossBackwardBackward0", aliasOf(own), [logProbs, gradient], failTwice)];
  });
}

const failTwice = (): never =>
  failShape("the derivative for '_ctc_loss_backward' is not implemented: the gradient of ctcLoss has no gradient");

function logSum(a: number, b: number): number {
  const [most, least] = a > b ? [a, b] : [b, a];
  return least === -Infinity ? most : most + Math.log1p(Math.exp(least - most));
}

function sumOfEnds(end: Float64Array, length: number): number {
  return length === 1 ? (end[0] as number) : logSum(end[length - 1] as number, end[length - 2] as number);
}

/** For each step and each place of the path: the logarithm of the probability of all ways there. */
function forward(
  steps: number,
  path: readonly number[],
  blank: number,
  at: (t: number, label: number) => number,
): Float64Array {
  const alpha = new Float64Array(steps * path.length).fill(-Infinity);
  for (let t = 0; t < steps; t++)
    for (const [s, label] of path.entries()) {
      let sum = -Infinity;
      if (t === 0) sum = s < 2 ? 0 : -Infinity;
      else {
        const before = (t - 1) * path.length + s;
        sum = alpha[before] as number;
        if (s > 0) sum = logSum(sum, alpha[before - 1] as number);
        if (s > 1 && label !== blank && label !== path[s - 2]) sum = logSum(sum, alpha[before - 2] as number);
      }
      alpha[t * path.length + s] = sum + at(t, label);
    }
  return alpha;
}

function check(
  own: Tensor,
  targets: Tensor,
  inputLengths: readonly number[],
  targetLengths: readonly number[],
  blank: number,
): void {
  const [time, batch, classes] = own.shape as [number, number, number];
  if (!own.isFloatingPoint) failShape(`"ctc_loss" not implemented for '${own.dtype}'`);
  if (blank < 0 || blank >= classes) failShape("blank must be in label range");
  if (inputLengths.length !== batch) failShape("input_lengths must be of size batch_size");
  if (targetLengths.length !== batch) failShape("target_lengths must be of size batch_size");
  for (const [b, steps] of inputLengths.entries())
    if (steps < 0 || steps > time)
      failShape(
        `Expected input_lengths to have value at most ${time}, but got value ${steps} (while checking arguments for ` +
          `ctc_loss), sequence ${b}`,
      );
  if (targetLengths.some((count) => count < 0)) failShape("Expected target_lengths to have value at least 0");
  if (targets.rank === 2) {
    const most = targets.shape[1] as number;
    if (targets.shape[0] !== batch || targetLengths.some((count) => count > most))
      failShape(
        `Expected targets of shape [${batch}, at least ${Math.max(0, ...targetLengths)}], but got ` +
          `[${targets.shape.join(", ")}]`,
      );
  } else if (targets.rank !== 1 || targets.length < targetLengths.reduce((sum, count) => sum + count, 0))
    failShape(`Expected targets to be of length ${targetLengths.reduce((sum, count) => sum + count, 0)}`);
}
