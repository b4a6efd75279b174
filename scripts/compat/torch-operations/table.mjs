// What each of PyTorch's operations is here: the names of its arguments in Python, and the call.
import { functional as F } from "../../../dist/tensor.js";

/** By the names in PyTorch's table of operations (OpInfo): [arguments, call, kind of random cases]. */
export function operationsOf(torch) {
  const table = {};
  const add = (name, parameters, call, random = null) => {
    table[name] = { parameters: parameters.split(" "), call, random };
  };
  const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
  const long = { dtype: "int64" };
  const pair = ({ values, indices }) => [values, indices];
  const keep = (keepdim) => (keepdim === undefined ? {} : { keepdim });
  const given = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const list = (value) => (Array.isArray(value) ? value : [value]);
  const dims = (dim) => dim ?? undefined;

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
  add("nn.functional.hardtanh", "x min_val max_val inplace", ({ x, min_val, max_val }) => F.hardtanh(x, min_val, max_val));
  add("nn.functional.threshold", "x threshold value inplace", ({ x, threshold, value }) => F.threshold(x, threshold, value));
  add("nn.functional.glu", "x dim", ({ x, dim }) => F.glu(x, dim));
  add("nn.functional.prelu", "x weight", ({ x, weight }) => F.prelu(x, weight));

  for (const name of `mul floor_divide remainder fmod pow maximum minimum fmax fmin atan2 copysign logaddexp xlogy hypot
    eq ne lt le gt ge bitwise_and bitwise_or bitwise_xor logical_and logical_or logical_xor`.split(/\s+/))
    add(name, "x other", ({ x, other }) => torch.number(x)[camel(name)](other), "binary");
  add("bitwise_left_shift", "x other", ({ x, other }) => x.bitwiseLeftShift(other));
  add("bitwise_right_shift", "x other", ({ x, other }) => x.bitwiseRightShift(other));
  add("add", "x other alpha", ({ x, other, alpha }) => torch.number(x).add(other, given({ alpha })), "binary");
  add("sub", "x other alpha", ({ x, other, alpha }) => torch.number(x).sub(other, given({ alpha })), "binary");
  add("rsub", "x other alpha", ({ x, other, alpha }) => torch.number(other).sub(x, given({ alpha })));
  add("div#no_rounding_mode", "x other", ({ x, other }) => torch.number(x).div(other), "binary");
  add("true_divide", "x other", ({ x, other }) => torch.number(x).div(other), "binary");
  add("float_power", "x exponent", ({ x, exponent }) => x.floatPower(exponent));
  add("heaviside", "x values", ({ x, values }) => x.heaviside(values));
  add("ldexp", "x other", ({ x, other }) => x.ldexp(other));
  add("clamp", "x min max", ({ x, min, max }) => x.clamp(given({ min: min ?? undefined, max: max ?? undefined })));
  add("clamp_min", "x min", ({ x, min }) => x.clampMin(min));
  add("clamp_max", "x max", ({ x, max }) => x.clampMax(max));
  add("max#binary", "x other", ({ x, other }) => x.maximum(other));
  add("min#binary", "x other", ({ x, other }) => x.minimum(other));
  add("lerp", "x end weight", ({ x, end, weight }) => x.lerp(end, weight));
  add("addcmul", "x a b value", ({ x, a, b, value }) => x.addcmul(a, b, given({ value })));
  add("addcdiv", "x a b value", ({ x, a, b, value }) => x.addcdiv(a, b, given({ value })));
  add("where", "condition x other", ({ condition, x, other }) =>
    x === undefined ? torch.nonzeroIndices(condition) : torch.where(condition, x, other));
  add("masked_fill", "x mask value", ({ x, mask, value }) => x.maskedFill(mask, value));
  add("nan_to_num", "x nan posinf neginf", ({ x, nan, posinf, neginf }) =>
    x.nanToNum(given({ nan: nan ?? undefined, posinf: posinf ?? undefined, neginf: neginf ?? undefined })));
  add("isclose", "x other rtol atol equal_nan", ({ x, other, rtol, atol, equal_nan }) =>
    x.isclose(other, given({ rtol, atol, equalNan: equal_nan })));
  add("allclose", "x other rtol atol equal_nan", ({ x, other, rtol, atol, equal_nan }) =>
    x.allclose(other, given({ rtol, atol, equalNan: equal_nan })));
  add("equal", "x other", ({ x, other }) => x.equal(other));
  add("isin", "x others assume_unique invert", ({ x, others, invert }) => x.isin(others, given({ invert })));

  for (const name of ["sum", "mean", "prod", "amax", "amin", "nansum", "nanmean"])
    add(name, "x dim keepdim dtype", ({ x, dim, keepdim, dtype }) =>
      x[name](dims(dim), given({ keepdim, dtype: dtype ?? undefined })), name === "prod" ? null : "reduction");
  for (const name of ["any", "all"]) add(name, "x dim keepdim", ({ x, dim, keepdim }) => x[name](dims(dim), keep(keepdim)), "reduction");
  for (const name of ["argmax", "argmin"]) add(name, "x dim keepdim", ({ x, dim, keepdim }) => x[name](dims(dim), keep(keepdim)));
  for (const [name, own] of [["max", "max"], ["min", "min"]]) {
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
      add(name + suffix, "x dim dtype", ({ x, dim, dtype }) => (dtype == null ? x : x.to(dtype))[camel(name)](dim), suffix ? null : "dim");
  add("nn.functional.softmin", "x dim dtype", ({ x, dim }) => F.softmin(x, dim));
  for (const name of ["cumsum", "cumprod"])
    add(name, "x dim dtype", ({ x, dim, dtype }) => (dtype == null ? x : x.to(dtype))[name](dim), "dim");
  add("logcumsumexp", "x dim", ({ x, dim }) => x.logcumsumexp(dim));
  for (const name of ["cummax", "cummin"]) add(name, "x dim", ({ x, dim }) => pair(x[name](dim)), "dim");
  add("diff", "x n dim prepend append", ({ x, n, dim, prepend, append }) =>
    torch.cat([...(prepend == null ? [] : [prepend]), x, ...(append == null ? [] : [append])], dim ?? -1).diff(n, dim));
  add("sort", "x dim descending stable", ({ x, dim, descending }) => pair(x.sort(typeof dim === "boolean" ? undefined : dim, given({ descending }))));
  add("argsort", "x dim descending stable", ({ x, dim, descending }) => x.argsort(dim, given({ descending })));
  add("msort", "x", ({ x }) => x.msort());
  add("topk", "x k dim largest sorted", ({ x, k, dim, largest }) => pair(x.topk(k, dim, given({ largest }))));
  add("kthvalue", "x k dim keepdim", ({ x, k, dim, keepdim }) => pair(x.kthvalue(k, dim, keep(keepdim))));
  add("mode", "x dim keepdim", ({ x, dim, keepdim }) => pair(x.mode(dim, keep(keepdim))));
  for (const name of ["median", "nanmedian"])
    add(name, "x dim keepdim", ({ x, dim, keepdim }) => (dim === undefined ? x[name]() : pair(x[name](dim, keep(keepdim)))));
  for (const name of ["quantile", "nanquantile"])
    add(name, "x q dim keepdim interpolation", ({ x, q, dim, keepdim, interpolation }) =>
      x[name](q, given({ dim: dims(dim), keepdim, interpolation })));
  add("norm", "x p dim keepdim dtype", ({ x, p, dim, keepdim, dtype }) => {
    const own = dtype == null ? x : x.to(dtype);
    return typeof p === "string" ? own.norm(p === "fro" ? 2 : Number(p), dims(dim), keep(keepdim)) : own.norm(p ?? 2, dims(dim), keep(keepdim));
  });
  add("linalg.vector_norm", "x ord dim keepdim dtype", ({ x, ord, dim, keepdim, dtype }) =>
    torch.linalg.vectorNorm(dtype == null ? x : x.to(dtype), ord, given({ dim: dims(dim), keepdim })));

  // Shapes and parts.
  add("reshape", "x shape", ({ x, shape }) => x.reshape(shape));
  add("view", "x shape", ({ x, shape }) => x.view(shape));
  add("permute", "x dims", ({ x, dims: order }) => x.permute(order), "permute");
  add("transpose", "x a b", ({ x, a, b }) => x.transpose(a, b));
  add("t", "x", ({ x }) => x.t());
  add("T", "x", ({ x }) => x.T);
  add("mT", "x", ({ x }) => x.mT);
  add("squeeze", "x dim", ({ x, dim }) => x.squeeze(dim), "unary");
  add("squeeze#multiple", "x dim", ({ x, dim }) => x.squeeze(dim));
  add("unsqueeze", "x dim", ({ x, dim }) => x.unsqueeze(dim));
  add("expand", "x shape", ({ x, shape }) => x.expand(shape));
  add("broadcast_to", "x shape", ({ x, shape }) => x.broadcastTo(shape));
  add("flatten", "x start_dim end_dim", ({ x, start_dim, end_dim }) => x.flatten(start_dim, end_dim), "unary");
  add("unflatten", "x dim sizes", ({ x, dim, sizes }) => x.unflatten(dim, sizes));
  add("narrow", "x dim start length", ({ x, dim, start, length }) => x.narrow(dim, typeof start === "number" ? start : start.item(), length));
  add("select", "x dim index", ({ x, dim, index }) => x.select(dim, index));
  add("split", "x size dim", ({ x, size, dim }) => x.split(size, dim));
  add("split#list_args", "x size dim", ({ x, size, dim }) => x.split(size, dim));
  add("split_with_sizes", "x size dim", ({ x, size, dim }) => x.split(size, dim));
  add("chunk", "x chunks dim", ({ x, chunks, dim }) => x.chunk(chunks, dim));
  add("unbind", "x dim", ({ x, dim }) => x.unbind(dim));
  add("flip", "x dims", ({ x, dims: over }) => x.flip(over));
  add("fliplr", "x", ({ x }) => x.fliplr());
  add("flipud", "x", ({ x }) => x.flipud());
  add("roll", "x shifts dims", ({ x, shifts, dims: over }) => x.roll(shifts, over));
  add("rot90", "x k dims", ({ x, k, dims: over }) => x.rot90(k, over));
  add("movedim", "x from to", ({ x, from, to }) => x.movedim(from, to));
  add("repeat", "x times", ({ x, times }) => x.repeat(times));
  add("tile", "x times", ({ x, times }) => x.tile(times));
  add("repeat_interleave", "x repeats dim", ({ x, repeats, dim }) => x.repeatInterleave(repeats, dims(dim)));
  add("clone", "x", ({ x }) => x.clone(), "unary");
  add("contiguous", "x", ({ x }) => x.contiguous(), "unary");
  add("tril", "x diagonal", ({ x, diagonal }) => x.tril(diagonal));
  add("triu", "x diagonal", ({ x, diagonal }) => x.triu(diagonal));
  add("diag", "x offset", ({ x, offset }) => x.diag(offset));
  add("diagonal", "x offset dim1 dim2", ({ x, offset, dim1, dim2 }) => x.diagonal(offset, dim1, dim2));
  add("linalg.diagonal", "x offset dim1 dim2", ({ x, offset, dim1 = -2, dim2 = -1 }) => x.diagonal(offset, dim1, dim2));
  add("diag_embed", "x offset dim1 dim2", ({ x, offset, dim1, dim2 }) => x.diagEmbed(offset, dim1, dim2));
  add("diagflat", "x offset", ({ x, offset }) => x.diagflat(offset));
  add("trace", "x", ({ x }) => x.trace());
  add("unfold", "x dim size step", ({ x, dim, size, step }) => x.unfold(dim, size, step));
  add("cat", "tensors dim", ({ tensors, dim }) => torch.cat(tensors, dim));
  add("stack", "tensors dim", ({ tensors, dim }) => torch.stack(tensors, dim));
  for (const name of ["hstack", "vstack", "dstack", "column_stack"]) add(name, "tensors", ({ tensors }) => torch[camel(name)](tensors));
  for (const n of [1, 2, 3])
    add(`atleast_${n}d`, "x *rest", ({ x, rest }) =>
      [...list(x), ...rest].map((one) => torch[`atleast${n}d`](one)));
  add("block_diag", "*rest", ({ rest }) => torch.blockDiag(...rest));
  add("meshgrid#variadic_tensors", "*rest indexing", ({ rest, indexing }) => torch.meshgrid(rest, indexing));
  add("meshgrid#list_of_tensors", "tensors indexing", ({ tensors, indexing }) => torch.meshgrid(tensors, indexing));
  add("cartesian_prod", "*rest", ({ rest }) => torch.cartesianProd(...rest));
  add("combinations", "x r with_replacement", ({ x, r, with_replacement }) => torch.combinations(x, r, with_replacement));
  add("broadcast_tensors", "*rest", ({ rest }) => torch.broadcastTensors(...rest));
  add("__getitem__", "x index", ({ x, index }) => x.index(...list(index).map((one) => (one === true || one === false ? torch.tensor(one) : one))));
  add("gather", "x dim index sparse_grad", ({ x, dim, index }) => x.gather(dim, index));
  add("index_select", "x dim index", ({ x, dim, index }) => x.indexSelect(dim, index));
  add("index_add", "x dim index source alpha", ({ x, dim, index, source, alpha }) => x.indexAdd(dim, index, source, given({ alpha })));
  add("index_copy", "x dim index source", ({ x, dim, index, source }) => x.indexCopy(dim, index, source));
  add("index_fill", "x dim index value", ({ x, dim, index, value }) => x.indexFill(dim, index, value));
  add("index_put", "x indices values accumulate", ({ x, indices, values, accumulate }) => x.indexPut(indices, values, given({ accumulate })));
  add("scatter", "x dim index src reduce", ({ x, dim, index, src, reduce }) => {
    if (reduce === undefined) return x.scatter(dim, index, src);
    const source = typeof src === "number" ? torch.fullLike(index, src, { dtype: x.dtype }) : src;
    return x.scatterReduce(dim, index, source, { add: "sum", multiply: "prod" }[reduce]);
  });
  add("scatter_add", "x dim index src", ({ x, dim, index, src }) => x.scatterAdd(dim, index, src));
  for (const how of ["sum", "prod", "mean", "amax", "amin"])
    add(`scatter_reduce#${how}`, "x dim index src reduce include_self", ({ x, dim, index, src, reduce, include_self }) =>
      x.scatterReduce(dim, index, src, reduce, given({ includeSelf: include_self })));
  add("take", "x index", ({ x, index }) => x.take(index));
  add("take_along_dim", "x index dim", ({ x, index, dim }) => x.takeAlongDim(index, dims(dim)));
  add("masked_select", "x mask", ({ x, mask }) => x.maskedSelect(mask));
  add("masked_scatter", "x mask source", ({ x, mask, source }) => x.maskedScatter(mask, source));
  add("nonzero", "x as_tuple", ({ x, as_tuple }) => (as_tuple ? torch.nonzeroIndices(x) : x.nonzero()));
  add("argwhere", "x", ({ x }) => x.argwhere());
  const unique = (name) => ({ x, sorted, return_inverse, return_counts, dim }) => {
    const { values, inverse, counts } = x[name](given({ dim: dims(dim) }));
    return [values, ...(return_inverse ? [inverse] : []), ...(return_counts ? [counts] : [])];
  };
  add("unique", "x sorted return_inverse return_counts dim", unique("unique"));
  add("unique_consecutive", "x return_inverse return_counts dim", unique("uniqueConsecutive"));
  add("bincount", "x weights minlength", ({ x, weights, minlength }) => x.bincount(given({ weights: weights ?? undefined, minlength })));
  add("histc", "x bins min max", ({ x, bins, min, max }) => x.histc(bins, min, max));
  add("searchsorted", "sorted values out_int32 right side sorter", ({ sorted, values, out_int32, right, side, sorter }) => {
    const own = sorter == null ? sorted : sorted.gather(-1, sorter);
    const found = torch.searchsorted(own, torch.number(values), { right: right === true || side === "right" });
    return out_int32 ? found.int() : found;
  });
  add("bucketize", "values boundaries out_int32 right", ({ values, boundaries, out_int32, right }) => {
    const found = torch.bucketize(torch.number(values), boundaries, given({ right }));
    return out_int32 ? found.int() : found;
  });

  // Products.
  for (const name of ["matmul", "mm", "bmm", "mv", "dot", "vdot", "inner", "outer", "ger"])
    add(name, "x other", ({ x, other }) => x[name](other));
  for (const name of ["addmm", "baddbmm", "addbmm", "addmv", "addr"])
    add(name, "x a b beta alpha", ({ x, a, b, beta, alpha }) => x[name](a, b, given({ beta, alpha })));
  add("einsum", "tensors equation", ({ tensors, equation }) => torch.einsum(equation, ...list(tensors)));
  add("tensordot", "a b dims", ({ a, b, dims: over }) => torch.tensordot(a, b, over));
  add("kron", "a b", ({ a, b }) => torch.kron(a, b));
  add("cross", "a b dim", ({ a, b, dim }) => torch.cross(a, b, dim ?? Math.max(0, a.shape.indexOf(3))));
  add("linalg.cross", "a b dim", ({ a, b, dim }) => torch.cross(a, b, dim));
  add("cdist", "a b p compute_mode", ({ a, b, p }) => torch.cdist(a, b, p));
  const trapezoid = (name) => ({ y, x, dx, dim }) => torch[name](y, given({ x, dx, dim }));
  add("trapezoid", "y x dx dim", trapezoid("trapezoid"));
  add("trapz", "y x dx dim", trapezoid("trapezoid"));
  add("cumulative_trapezoid", "y x dx dim", trapezoid("cumulativeTrapezoid"));
  add("renorm", "x p dim maxnorm", ({ x, p, dim, maxnorm }) => x.renorm(p, dim, maxnorm));
  for (const name of ["inv", "det", "slogdet"])
    add(`linalg.${name}`, "a", ({ a }) => {
      const result = torch.linalg[name](a);
      return name === "slogdet" ? [result.sign, result.logabsdet] : result;
    });
  add("linalg.solve", "a b left", ({ a, b, left }) => (left === false ? torch.linalg.solve(a.mT, b.mT).mT : torch.linalg.solve(a, b)));
  add("linalg.solve_triangular", "a b upper left unitriangular", ({ a, b, upper, left, unitriangular }) =>
    torch.linalg.solveTriangular(a, b, given({ upper, left, unitriangular })));
  add("linalg.cholesky", "a upper", ({ a, upper }) => torch.linalg.cholesky(a, given({ upper })));
  add("cholesky", "a upper", ({ a, upper }) => a.cholesky(given({ upper })));
  add("logdet", "a", ({ a }) => a.logdet());
  add("linalg.matrix_power", "a n", ({ a, n }) => torch.linalg.matrixPower(a, n));
  add("linalg.multi_dot", "tensors", ({ tensors }) => torch.linalg.multiDot(tensors));
  add("linalg.vecdot", "a b dim", ({ a, b, dim }) => torch.linalg.vecdot(a, b, dim));
  add("linalg.vander", "x N", ({ x, N }) => torch.vander(x, N ?? x.shape.at(-1), true));

  // Layers.
  for (const n of [1, 2, 3]) {
    add(`nn.functional.conv${n}d`, "x w bias stride padding dilation groups", ({ x, w, ...options }) => F[`conv${n}d`](x, w, given(options)));
    add(`nn.functional.conv_transpose${n}d`, "x w bias stride padding output_padding groups dilation",
      ({ x, w, output_padding, ...options }) => F[`convTranspose${n}d`](x, w, given({ ...options, outputPadding: output_padding })));
    add(`nn.functional.max_pool${n}d`, "x kernel_size stride padding dilation ceil_mode return_indices",
      ({ x, kernel_size, stride, padding, dilation, ceil_mode, return_indices }) => {
        const options = given({ stride: stride ?? undefined, padding, dilation, ceilMode: ceil_mode });
        return return_indices ? pair(F[`maxPool${n}dWithIndices`](x, kernel_size, options)) : F[`maxPool${n}d`](x, kernel_size, options);
      });
    add(`nn.functional.avg_pool${n}d`, "x kernel_size stride padding ceil_mode count_include_pad divisor_override",
      ({ x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override }) =>
        F[`avgPool${n}d`](x, kernel_size, given({ stride: list(stride).length === 0 ? undefined : (stride ?? undefined), padding, ceilMode: ceil_mode, countIncludePad: count_include_pad, divisorOverride: divisor_override })));
    add(`nn.functional.adaptive_avg_pool${n}d`, "x output_size", ({ x, output_size }) => F[`adaptiveAvgPool${n}d`](x, output_size));
    add(`nn.functional.adaptive_max_pool${n}d`, "x output_size return_indices", ({ x, output_size }) => F[`adaptiveMaxPool${n}d`](x, output_size));
    add(`nn.functional.max_unpool${n}d`, "x indices kernel_size stride padding output_size",
      ({ x, indices, kernel_size, stride, padding, output_size }) =>
        F[`maxUnpool${n}d`](x, indices, kernel_size, given({ stride: stride ?? undefined, padding, outputSize: output_size ?? undefined })));
  }
  add("nn.functional.linear", "x w bias", ({ x, w, bias }) => F.linear(x, w, bias ?? null));
  add("nn.functional.bilinear", "a b w bias", ({ a, b, w, bias }) => F.bilinear(a, b, w, bias ?? null));
  add("nn.functional.embedding", "indices w padding_idx max_norm norm_type scale_grad_by_freq sparse", ({ indices, w, padding_idx, max_norm, scale_grad_by_freq }) => {
    if (max_norm != null || scale_grad_by_freq) throw new Unasked("max_norm, scale_grad_by_freq");
    return F.embedding(indices, w, { paddingIdx: padding_idx ?? null });
  });
  const affine = (options) => given({ weight: options.weight ?? undefined, bias: options.bias ?? undefined, eps: options.eps, training: options.training, momentum: options.momentum });
  for (const name of ["nn.functional.batch_norm", "nn.functional.batch_norm#without_cudnn"])
    add(name, "x running_mean running_var weight bias training momentum eps", ({ x, running_mean, running_var, ...options }) =>
      F.batchNorm(x, running_mean ?? null, running_var ?? null, affine(options)));
  add("nn.functional.instance_norm", "x running_mean running_var weight bias use_input_stats momentum eps",
    ({ x, running_mean, running_var, use_input_stats, ...options }) =>
      F.instanceNorm(x, { ...affine(options), ...given({ runningMean: running_mean, runningVar: running_var, useInputStats: use_input_stats }) }));
  add("nn.functional.group_norm", "x groups weight bias eps", ({ x, groups, ...options }) => F.groupNorm(x, groups, affine(options)));
  add("nn.functional.layer_norm", "x shape weight bias eps", ({ x, shape, ...options }) => F.layerNorm(x, shape, affine(options)));
  add("nn.functional.rms_norm", "x shape weight eps", ({ x, shape, weight, eps }) => F.rmsNorm(x, shape, given({ weight, eps })));
  add("nn.functional.normalize", "x p dim eps", ({ x, p, dim, eps }) => F.normalize(x, given({ p, dim, eps })));
  for (const mode of ["constant", "reflect", "replicate", "replicate_negative", "circular"])
    add(`nn.functional.pad#${mode}`, "x padding mode value", ({ x, padding, mode: own, value }) => F.pad(x, padding, given({ mode: own, value: value ?? undefined })));
  add("constant_pad_nd", "x padding value", ({ x, padding, value }) => F.pad(x, padding, given({ value })));
  add("nn.functional.unfold", "x kernel_size dilation padding stride", ({ x, kernel_size, ...options }) => F.unfold(x, kernel_size, given(options)));
  for (const mode of ["nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area"])
    add(`nn.functional.interpolate#${mode}`, "x size scale_factor mode align_corners recompute_scale_factor antialias",
      ({ x, size, scale_factor, mode: own, align_corners, recompute_scale_factor, antialias }) => {
        if (antialias) throw new Unasked("antialias");
        return F.interpolate(x, given({ size: size ?? undefined, scaleFactor: scale_factor ?? undefined, mode: own ?? mode, alignCorners: align_corners ?? undefined, recomputeScaleFactor: recompute_scale_factor ?? undefined }));
      });
  add("nn.functional.pixel_shuffle", "x factor", ({ x, factor }) => F.pixelShuffle(x, factor));
  add("nn.functional.pixel_unshuffle", "x factor", ({ x, factor }) => F.pixelUnshuffle(x, factor));
  add("nn.functional.scaled_dot_product_attention", "q k v attn_mask dropout_p is_causal scale enable_gqa",
    ({ q, k, v, attn_mask, dropout_p, is_causal, scale, enable_gqa }) => {
      if (dropout_p) throw new Unasked("dropout");
      return F.scaledDotProductAttention(q, k, v, given({ attnMask: attn_mask, isCausal: is_causal, scale, enableGqa: enable_gqa }));
    });

  // Losses.
  const old = ({ size_average, reduce }) => {
    if (size_average != null || reduce != null) throw new Unasked("size_average, reduce");
  };
  const loss = (name, own, parameters, call) => add(`nn.functional.${name}`, parameters, (args) => {
    old(args);
    return call(F[own], args);
  });
  loss("mse_loss", "mseLoss", "x y size_average reduce reduction", (f, { x, y, reduction }) => f(x, y, given({ reduction })));
  loss("l1_loss", "l1Loss", "x y size_average reduce reduction", (f, { x, y, reduction }) => f(x, y, given({ reduction })));
  loss("smooth_l1_loss", "smoothL1Loss", "x y size_average reduce reduction beta", (f, { x, y, reduction, beta }) => f(x, y, given({ reduction, beta })));
  loss("huber_loss", "huberLoss", "x y reduction delta", (f, { x, y, reduction, delta }) => f(x, y, given({ reduction, delta })));
  loss("soft_margin_loss", "softMarginLoss", "x y size_average reduce reduction", (f, { x, y, reduction }) => f(x, y, given({ reduction })));
  loss("binary_cross_entropy", "binaryCrossEntropy", "x y weight size_average reduce reduction", (f, { x, y, weight, reduction }) => f(x, y, given({ weight, reduction })));
  loss("binary_cross_entropy_with_logits", "binaryCrossEntropyWithLogits", "x y weight size_average reduce reduction pos_weight",
    (f, { x, y, weight, reduction, pos_weight }) => f(x, y, given({ weight, reduction, posWeight: pos_weight })));
  loss("nll_loss", "nllLoss", "x y weight size_average ignore_index reduce reduction", (f, { x, y, weight, ignore_index, reduction }) => f(x, y, given({ weight, ignoreIndex: ignore_index, reduction })));
  loss("cross_entropy", "crossEntropy", "x y weight size_average ignore_index reduce reduction label_smoothing",
    (f, { x, y, weight, ignore_index, reduction, label_smoothing }) => f(x, y, given({ weight, ignoreIndex: ignore_index, reduction, labelSmoothing: label_smoothing })));
  loss("kl_div", "klDiv", "x y size_average reduce reduction log_target", (f, { x, y, reduction, log_target }) => f(x, y, given({ reduction, logTarget: log_target })));
  loss("margin_ranking_loss", "marginRankingLoss", "a b y margin size_average reduce reduction", (f, { a, b, y, margin, reduction }) => f(a, b, y, given({ margin, reduction })));
  loss("hinge_embedding_loss", "hingeEmbeddingLoss", "x y margin size_average reduce reduction", (f, { x, y, margin, reduction }) => f(x, y, given({ margin, reduction })));
  loss("cosine_embedding_loss", "cosineEmbeddingLoss", "a b y margin size_average reduce reduction", (f, { a, b, y, margin, reduction }) => f(a, b, y, given({ margin, reduction })));
  loss("triplet_margin_loss", "tripletMarginLoss", "a b c margin p eps swap size_average reduce reduction", (f, { a, b, c, margin, p, eps, swap, reduction }) => f(a, b, c, given({ margin, p, eps, swap, reduction })));
  loss("poisson_nll_loss", "poissonNllLoss", "x y log_input full size_average eps reduce reduction", (f, { x, y, log_input, full, eps, reduction }) => f(x, y, given({ logInput: log_input, full, eps, reduction })));
  loss("gaussian_nll_loss", "gaussianNllLoss", "x y v full eps reduction", (f, { x, y, v, full, eps, reduction }) => f(x, y, typeof v === "number" ? torch.fullLike(x, v) : v, given({ full, eps, reduction })));
  loss("pairwise_distance", "pairwiseDistance", "a b p eps keepdim", (f, { a, b, p, eps, keepdim }) => f(a, b, given({ p, eps, keepdim })));
  loss("cosine_similarity", "cosineSimilarity", "a b dim eps", (f, { a, b, dim, eps }) => f(a, b, given({ dim, eps })));
  void long;
  return table;
}

/** An argument that is not there: the case is not compared. */
export class Unasked extends Error {}
