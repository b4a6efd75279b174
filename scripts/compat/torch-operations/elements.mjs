// Functions of elements, reductions, order: what each of PyTorch's is here.
import { F, add, camel, dims, given, keep, number, pair, session } from "./helpers.mjs";

for (const name of `neg abs exp exp2 log log2 log10 log1p expm1 sqrt rsqrt reciprocal sin cos tan asin acos atan sinh
  cosh tanh asinh acosh atanh sigmoid erf erfc erfinv lgamma digamma floor ceil trunc frac sign square sinc deg2rad
  rad2deg bitwise_not logical_not isnan isinf isfinite isposinf isneginf signbit`.split(/\s+/))
  add(name, "x", ({ x }) => x[camel(name)](), "unary");
add("round", "x", ({ x }) => x.round(), "unary");
add("logit", "x eps", ({ x, eps }) => (eps == null ? x : x.clamp({ min: eps, max: 1 - eps })).logit(), "unary");
add("positive", "x", ({ x }) => x);
const activations = `relu relu6 silu mish selu hardsigmoid hardswish softsign tanhshrink logsigmoid`.split(" ");
for (const name of activations) add(`nn.functional.${name}`, "x inplace", ({ x }) => F[name](x), "unary");
add("nn.functional.gelu", "x approximate", ({ x, approximate }) => F.gelu(x, approximate));
add("nn.functional.leaky_relu", "x negative_slope inplace", ({ x, negative_slope }) => F.leakyRelu(x, negative_slope));
add("nn.functional.elu", "x alpha inplace", ({ x, alpha }) => F.elu(x, alpha));
add("nn.functional.celu", "x alpha inplace", ({ x, alpha }) => F.celu(x, alpha));
add("nn.functional.hardshrink", "x lambd", ({ x, lambd }) => F.hardshrink(x, lambd));
add("nn.functional.softshrink", "x lambd", ({ x, lambd }) => F.softshrink(x, lambd));
add("nn.functional.softplus", "x beta threshold", ({ x, beta, threshold }) => F.softplus(x, beta, threshold));
add("nn.functional.hardtanh", "x min_val max_val inplace", ({ x, min_val, max_val }) =>
  F.hardtanh(x, min_val, max_val),
);
add("nn.functional.threshold", "x threshold value inplace", ({ x, threshold, value }) =>
  F.threshold(x, threshold, value),
);
add("nn.functional.glu", "x dim", ({ x, dim }) => F.glu(x, dim));
add("nn.functional.prelu", "x weight", ({ x, weight }) => F.prelu(x, weight));

for (const name of `mul floor_divide remainder fmod pow maximum minimum fmax fmin atan2 copysign logaddexp xlogy hypot
  eq ne lt le gt ge bitwise_and bitwise_or bitwise_xor logical_and logical_or logical_xor`.split(/\s+/))
  add(name, "x other", ({ x, other }) => number(x)[camel(name)](other), "binary");
add("bitwise_left_shift", "x other", ({ x, other }) => x.bitwiseLeftShift(other));
add("bitwise_right_shift", "x other", ({ x, other }) => x.bitwiseRightShift(other));
add("add", "x other alpha", ({ x, other, alpha }) => number(x).add(other, given({ alpha })), "binary");
add("sub", "x other alpha", ({ x, other, alpha }) => number(x).sub(other, given({ alpha })), "binary");
add("rsub", "x other alpha", ({ x, other, alpha }) => number(other).sub(x, given({ alpha })));
add("div#no_rounding_mode", "x other", ({ x, other }) => number(x).div(other), "binary");
add("true_divide", "x other", ({ x, other }) => number(x).div(other), "binary");
add("float_power", "x exponent", ({ x, exponent }) => x.floatPower(exponent));
add("heaviside", "x values", ({ x, values }) => x.heaviside(values));
add("ldexp", "x other", ({ x, other }) => x.ldexp(other));
add("clamp", "x min max", ({ x, min, max }) => x.clamp(given({ min: min ?? undefined, max: max ?? undefined })));
add("clamp_min", "x min", ({ x, min }) => x.clampMin(min));
add("clamp_max", "x max", ({ x, max }) => x.clampMax(max));
add("max#binary", "x other", ({ x, other }) => (typeof other === "number" ? x.amax(other) : x.maximum(other)));
add("min#binary", "x other", ({ x, other }) => (typeof other === "number" ? x.amin(other) : x.minimum(other)));
add("lerp", "x end weight", ({ x, end, weight }) => x.lerp(end, weight));
add("addcmul", "x a b value", ({ x, a, b, value }) => x.addcmul(a, b, given({ value })));
add("addcdiv", "x a b value", ({ x, a, b, value }) => x.addcdiv(a, b, given({ value })));
add("where", "x condition other", ({ condition, x, other }) => session.torch.where(condition, x, other));
add("masked_fill", "x mask value", ({ x, mask, value }) => x.maskedFill(mask, value));
add("nan_to_num", "x nan posinf neginf", ({ x, nan, posinf, neginf }) =>
  x.nanToNum(given({ nan: nan ?? undefined, posinf: posinf ?? undefined, neginf: neginf ?? undefined })),
);
add("isclose", "x other rtol atol equal_nan", ({ x, other, rtol, atol, equal_nan }) =>
  x.isclose(other, given({ rtol, atol, equalNan: equal_nan })),
);
add("allclose", "x other rtol atol equal_nan", ({ x, other, rtol, atol, equal_nan }) =>
  x.allclose(other, given({ rtol, atol, equalNan: equal_nan })),
);
add("equal", "x other", ({ x, other }) => x.equal(other));
add("isin", "x others assume_unique invert", ({ x, others, invert }) => x.isin(others, given({ invert })));

for (const name of ["sum", "mean", "prod", "amax", "amin", "nansum", "nanmean"])
  add(
    name,
    "x dim keepdim dtype",
    ({ x, dim, keepdim, dtype }) => x[name](dims(dim), given({ keepdim, dtype: dtype ?? undefined })),
    name === "prod" ? null : "reduction",
  );
for (const name of ["any", "all"])
  add(name, "x dim keepdim", ({ x, dim, keepdim }) => x[name](dims(dim), keep(keepdim)), "reduction");
for (const name of ["argmax", "argmin"])
  add(name, "x dim keepdim", ({ x, dim, keepdim }) => x[name](dims(dim), keep(keepdim)));
for (const [name, own] of [
  ["max", "max"],
  ["min", "min"],
]) {
  add(`${name}#reduction_no_dim`, "x", ({ x }) => x[own](), "unary");
  add(`${name}#reduction_with_dim`, "x dim keepdim", ({ x, dim, keepdim }) => pair(x[own](dim, keep(keepdim))), "dim");
}
for (const name of ["var", "std", "std_mean", "var_mean"]) {
  const call = ({ x, dim, correction, keepdim, unbiased }) => {
    const [over, biased] = typeof dim === "boolean" ? [undefined, dim] : [dims(dim), unbiased];
    const divisor = biased === undefined ? (correction ?? 1) : Number(biased);
    return x[camel(name)](over, given({ correction: divisor, keepdim }));
  };
  add(name, "x dim correction keepdim", call);
  add(`${name}#unbiased`, "x dim unbiased keepdim", call);
}
add("count_nonzero", "x dim", ({ x, dim }) => x.countNonzero(dims(dim)), "unary");
add("logsumexp", "x dim keepdim", ({ x, dim, keepdim }) => x.logsumexp(dim, keep(keepdim)), "dim");
add("aminmax", "x dim keepdim", ({ x, dim, keepdim }) => Object.values(x.aminmax(dims(dim), keep(keepdim))));
for (const name of ["softmax", "log_softmax"])
  for (const suffix of ["", "#with_dtype"])
    add(
      name + suffix,
      "x dim dtype",
      ({ x, dim, dtype }) => (dtype == null ? x : x.to(dtype))[camel(name)](dim),
      suffix ? null : "dim",
    );
add("nn.functional.softmin", "x dim dtype", ({ x, dim }) => F.softmin(x, dim));
for (const name of ["cumsum", "cumprod"])
  add(
    name,
    "x dim dtype",
    ({ x, dim, dtype }) => (dtype == null ? x[name](dim) : x.to(dtype)[name](dim).to(dtype)),
    "dim",
  );
add("logcumsumexp", "x dim", ({ x, dim }) => x.logcumsumexp(dim));
for (const name of ["cummax", "cummin"]) add(name, "x dim", ({ x, dim }) => pair(x[name](dim)), "dim");
add("diff", "x n dim prepend append", ({ x, n, dim, prepend, append }) =>
  n === 0
    ? x
    : session.torch
        .cat([...(prepend == null ? [] : [prepend]), x, ...(append == null ? [] : [append])], dim ?? -1)
        .diff(n, dim),
);
add("sort", "x dim descending stable", ({ x, dim, descending }) =>
  pair(x.sort(typeof dim === "boolean" ? undefined : dim, given({ descending }))),
);
add("argsort", "x dim descending stable", ({ x, dim, descending }) => x.argsort(dim, given({ descending })));
add("msort", "x", ({ x }) => x.msort());
add("topk", "x k dim largest sorted", ({ x, k, dim, largest }) => pair(x.topk(k, dim, given({ largest }))));
add("kthvalue", "x k dim keepdim", ({ x, k, dim, keepdim }) => pair(x.kthvalue(k, dim, keep(keepdim))));
add("mode", "x dim keepdim", ({ x, dim, keepdim }) => pair(x.mode(dim, keep(keepdim))));
for (const name of ["median", "nanmedian"])
  add(name, "x dim keepdim", ({ x, dim, keepdim }) =>
    dim === undefined ? x[name]() : pair(x[name](dim, keep(keepdim))),
  );
for (const name of ["quantile", "nanquantile"])
  add(name, "x q dim keepdim interpolation", ({ x, q, dim, keepdim, interpolation }) =>
    x[name](q, given({ dim: dims(dim), keepdim, interpolation })),
  );
add("norm", "x p dim keepdim dtype", ({ x, p, dim, keepdim, dtype }) => {
  const own = dtype == null ? x : x.to(dtype);
  return typeof p === "string"
    ? own.norm(p === "fro" ? 2 : Number(p), dims(dim), keep(keepdim))
    : own.norm(p ?? 2, dims(dim), keep(keepdim));
});
add("linalg.vector_norm", "x ord dim keepdim dtype", ({ x, ord, dim, keepdim, dtype }) =>
  session.torch.linalg.vectorNorm(dtype == null ? x : x.to(dtype), ord, given({ dim: dims(dim), keepdim })),
);
