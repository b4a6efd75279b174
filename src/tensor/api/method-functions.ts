/** Functions of `torch` that PyTorch has as methods, too: `torch.exp(x)` is `x.exp()`. */
import { HeddleError } from "../../base/diagnostics.ts";
import { describeValue } from "../../base/options.ts";
import { Tensor } from "../tensor.ts";
import type { ValuesAndIndices } from "./operands.ts";
import { Tensors } from "./tensors.ts";

/** Names that PyTorch's module `torch` and its tensors share. */
// prettier-ignore
export const METHOD_FUNCTIONS = [
  "abs", "acos", "acosh", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addr", "all", "allclose", "amax",
  "amin", "aminmax", "any", "argmax", "argmin", "argsort", "argwhere", "asin", "asinh", "atan", "atan2", "atanh",
  "baddbmm", "bincount", "bitwiseAnd", "bitwiseLeftShift", "bitwiseNot", "bitwiseOr", "bitwiseRightShift",
  "bitwiseXor", "bmm", "broadcastTo", "ceil", "celu", "chunk", "clamp", "clone", "copysign", "cos", "cosh",
  "countNonzero", "cummax", "cummin", "cumprod", "cumsum", "deg2rad", "det", "diag", "diagEmbed", "diagflat",
  "diagonal", "diff", "digamma", "div", "dot", "eq", "equal", "erf", "erfc", "erfinv", "exp", "exp2", "expm1",
  "flatten", "flip", "fliplr", "flipud", "floatPower", "floor", "floorDivide", "fmax", "fmin", "fmod", "frac",
  "gather", "ge", "ger", "gt", "hardshrink", "heaviside", "histc", "hypot", "indexAdd", "indexCopy", "indexFill",
  "indexPut", "indexSelect", "inner", "inverse", "isclose", "isfinite", "isin", "isinf", "isnan", "isneginf",
  "isposinf", "kthvalue", "ldexp", "le", "lgamma", "log", "log10", "log1p", "log2", "logSoftmax", "logaddexp",
  "logcumsumexp", "logdet", "logicalAnd", "logicalNot", "logicalOr", "logicalXor", "logit", "logsumexp", "lt",
  "maskedFill", "maskedScatter", "maskedSelect", "matmul", "matrixPower", "max", "maximum", "mean", "median", "min",
  "minimum", "mm", "mode", "movedim", "msort", "mul", "mv", "nanToNum", "nanmean", "nanmedian", "nanquantile",
  "nansum", "narrow", "ne", "neg", "nonzero", "norm", "numel", "outer", "permute", "pow", "prod", "quantile",
  "rad2deg", "reciprocal", "relu", "remainder", "renorm", "repeatInterleave", "reshape", "roll", "rot90", "round",
  "rsqrt", "scatter", "scatterAdd", "scatterReduce", "select", "selu", "sigmoid", "sign", "signbit", "sin", "sinc",
  "sinh", "slogdet", "softmax", "sort", "split", "sqrt", "square", "squeeze", "std", "stdMean", "sub", "sum", "t",
  "take", "takeAlongDim", "tan", "tanh", "tile", "topk", "trace", "transpose", "tril", "triu", "trunc", "unbind",
  "unflatten", "unique", "uniqueConsecutive", "unsqueeze", "var", "varMean", "vdot", "xlogy",
] as const;

/** Of all elements, or along a dimension. */
interface Extremes {
  (input: Tensor): Tensor;
  (input: Tensor, dim: number, options?: Parameters<Tensor["max" | "median"]>[1]): ValuesAndIndices;
}
type Name = (typeof METHOD_FUNCTIONS)[number];
type ExtremeName = "max" | "min" | "median" | "nanmedian";

/** Each takes a tensor, and what the method of the same name takes: `torch.exp(x)` is `x.exp()`. */
export type MethodFunctions = { readonly [Own in ExtremeName]: Extremes } & {
  readonly [Own in Exclude<Name, ExtremeName>]: (
    input: Tensor,
    ...args: Parameters<Tensor[Own]>
  ) => ReturnType<Tensor[Own]>;
};

declare module "./tensors.ts" {
  interface Tensors extends MethodFunctions {}
}

for (const name of METHOD_FUNCTIONS) {
  const value = (input: Tensor, ...args: unknown[]): unknown => {
    if (!(input instanceof Tensor))
      throw new HeddleError("bad-arguments", `torch.${name} takes a tensor first, not ${describeValue(input)}`);
    return (input[name] as (this: Tensor, ...own: unknown[]) => unknown).apply(input, args);
  };
  Object.defineProperty(value, "name", { value: name });
  Object.defineProperty(Tensors.prototype, name, { value, configurable: true, writable: true });
}
