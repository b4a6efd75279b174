/** Activations, as functions: the methods of the same names, and those that no method has. */
import { binary } from "../operations/elementwise.ts";
import { float } from "../operations/operands.ts";
import { narrow } from "../operations/creation.ts";
import { dimension } from "../operations/shapes.ts";
import { failShape, type Tensor } from "../tensor.ts";
import "./element-methods.ts";
import "./reduction-methods.ts";

type Activation = (input: Tensor) => Tensor;

export const relu: Activation = (input) => input.relu();
export const relu6: Activation = (input) => input.relu6();
export const sigmoid: Activation = (input) => input.sigmoid();
export const tanh: Activation = (input) => input.tanh();
export const silu: Activation = (input) => input.silu();
export const mish: Activation = (input) => input.mish();
export const selu: Activation = (input) => input.selu();
export const hardsigmoid: Activation = (input) => input.hardsigmoid();
export const hardswish: Activation = (input) => input.hardswish();
export const softsign: Activation = (input) => input.softsign();
export const tanhshrink: Activation = (input) => input.tanhshrink();
export const logsigmoid: Activation = (input) => input.logSigmoid();

export function gelu(input: Tensor, approximate: "none" | "tanh" = "none"): Tensor {
  if (approximate !== "none" && approximate !== "tanh") failShape("approximate argument must be either none or tanh.");
  return approximate === "tanh" ? input.geluTanh() : input.gelu();
}
export function leakyRelu(input: Tensor, slope = 0.01): Tensor {
  return input.leakyRelu(slope);
}
export function elu(input: Tensor, alpha = 1): Tensor {
  return input.elu(alpha);
}
export function celu(input: Tensor, alpha = 1): Tensor {
  return input.celu(alpha);
}
export function hardshrink(input: Tensor, lambda = 0.5): Tensor {
  return input.hardshrink(lambda);
}
export function softshrink(input: Tensor, lambda = 0.5): Tensor {
  if (lambda < 0) failShape(`lambda must be greater or equal to 0, but found to be ${lambda}.`);
  return input.softshrink(lambda);
}
export function softplus(input: Tensor, beta = 1, threshold = 20): Tensor {
  return input.softplus({ beta, threshold });
}
export function hardtanh(input: Tensor, min = -1, max = 1): Tensor {
  if (min > max) failShape("min_val cannot be greater than max_val");
  return input.hardtanh(min, max);
}
export function threshold(input: Tensor, least: number, value: number): Tensor {
  return input.threshold(least, value);
}
export function softmax(input: Tensor, dim: number): Tensor {
  return input.softmax(dim);
}
export function softmin(input: Tensor, dim: number): Tensor {
  return input.neg().softmax(dim);
}
export function logSoftmax(input: Tensor, dim: number): Tensor {
  return input.logSoftmax(dim);
}

/** The first half of a dimension times the sigmoid of the second one. */
export function glu(input: Tensor, dim = -1): Tensor {
  const at = dimension(input, dim);
  const size = input.shape[at] ?? 1;
  if (input.rank === 0) failShape("glu does not support 0-dimensional tensors");
  if (size % 2 !== 0) failShape(`Halving dimension must be even, but dimension ${at} is size ${size}`);
  return binary("mul", narrow(input, at, 0, size / 2), narrow(input, at, size / 2, size / 2).sigmoid());
}

/** x where it is positive, else weight · x. @param weight one number, or one for each channel */
export function prelu(input: Tensor, weight: Tensor): Tensor {
  if (weight.rank > 1)
    failShape(`prelu: Expected \`weight\` to be a scalar or 1D tensor, but got: ndim = ${weight.rank}`);
  const channels = input.rank < 2 ? 1 : (input.shape[1] as number);
  if (weight.length !== 1 && weight.length !== channels)
    failShape(
      `Mismatch of parameter numbers and input channel size. Found parameter numbers = ${weight.length} and ` +
        `channel size = ${channels}.`,
    );
  const own =
    weight.length === 1 ? weight.reshape([]) : weight.reshape([channels, ...input.shape.slice(2).map(() => 1)]);
  return binary("leaky_relu", input, own);
}

/** Leaky ReLU with the mean of two slopes, as RReLU is outside of training. */
export function rrelu(
  input: Tensor,
  { lower = 1 / 8, upper = 1 / 3 }: { readonly lower?: number; readonly upper?: number } = {},
): Tensor {
  return binary("leaky_relu", input, float((lower + upper) / 2));
}
