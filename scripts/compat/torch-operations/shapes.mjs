// Shapes, parts and products: what each of PyTorch's is here.
import { Unasked, add, camel, dims, given, list, long, number, session } from "./helpers.mjs";

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
add("narrow", "x dim start length", ({ x, dim, start, length }) => x.narrow(dim, start, length));
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
add("cat", "tensors dim", ({ tensors, dim }) => session.torch.cat(tensors, dim));
add("stack", "tensors dim", ({ tensors, dim }) => session.torch.stack(tensors, dim));
for (const name of ["hstack", "vstack", "dstack", "column_stack"])
  add(name, "tensors", ({ tensors }) => session.torch[camel(name)](tensors));
for (const n of [1, 2, 3])
  add(`atleast_${n}d`, "x *rest", ({ x, rest }) =>
    [...list(x), ...rest].map((one) => session.torch[`atleast${n}d`](one)),
  );
add("block_diag", "*rest", ({ rest }) => session.torch.blockDiag(...rest));
add("meshgrid#variadic_tensors", "*rest indexing", ({ rest, indexing }) => session.torch.meshgrid(rest, indexing));
add("meshgrid#list_of_tensors", "tensors indexing", ({ tensors, indexing }) =>
  session.torch.meshgrid(tensors, indexing),
);
add("cartesian_prod", "*rest", ({ rest }) => session.torch.cartesianProd(...rest));
add("combinations", "x r with_replacement", ({ x, r, with_replacement }) =>
  session.torch.combinations(x, r, with_replacement),
);
add("broadcast_tensors", "*rest", ({ rest }) => session.torch.broadcastTensors(...rest));
add("__getitem__", "x index", ({ x, index }) => {
  const each = (one) => {
    if (typeof one === "boolean" || (Array.isArray(one) && !one.isSlice))
      return session.torch.tensor(one, typeof one === "boolean" ? {} : long);
    return one;
  };
  return x.index(...(index?.isTuple ? index : [index]).map(each));
});
add("gather", "x dim index sparse_grad", ({ x, dim, index }) => x.gather(dim, index));
add("index_select", "x dim index", ({ x, dim, index }) => x.indexSelect(dim, index));
add("index_add", "x dim index source alpha", ({ x, dim, index, source, alpha }) =>
  x.indexAdd(dim, index, source, given({ alpha })),
);
add("index_copy", "x dim index source", ({ x, dim, index, source }) => x.indexCopy(dim, index, source));
add("index_fill", "x dim index value", ({ x, dim, index, value }) => {
  if (typeof value === "object") throw new Unasked("a tensor as the value");
  return x.indexFill(dim, index, value);
});
add("index_put", "x indices values accumulate", ({ x, indices, values, accumulate }) =>
  x.indexPut(indices, values, given({ accumulate })),
);
add("scatter", "x dim index src reduce", ({ x, dim, index, src, reduce }) => {
  if (reduce === undefined) return x.scatter(dim, index, src);
  const source = typeof src === "number" ? session.torch.fullLike(index, src, { dtype: x.dtype }) : src;
  return x.scatterReduce(dim, index, source, { add: "sum", multiply: "prod" }[reduce]);
});
add("scatter_add", "x dim index src", ({ x, dim, index, src }) => x.scatterAdd(dim, index, src));
for (const how of ["sum", "prod", "mean", "amax", "amin"])
  add(`scatter_reduce#${how}`, "x dim index src reduce include_self", ({ x, dim, index, src, reduce, include_self }) =>
    x.scatterReduce(dim, index, src, reduce, given({ includeSelf: include_self })),
  );
add("take", "x index", ({ x, index }) => x.take(index));
add("take_along_dim", "x index dim", ({ x, index, dim }) => x.takeAlongDim(index, dims(dim)));
add("masked_select", "x mask", ({ x, mask }) => x.maskedSelect(mask));
add("masked_scatter", "x mask source", ({ x, mask, source }) => x.maskedScatter(mask, source));
add("nonzero", "x as_tuple", ({ x, as_tuple }) => (as_tuple ? session.torch.nonzeroIndices(x) : x.nonzero()));
add("argwhere", "x", ({ x }) => x.argwhere());
const unique =
  (name) =>
  ({ x, return_inverse, return_counts, dim }) => {
    const { values, inverse, counts } = x[name](given({ dim: dims(dim) }));
    return [values, ...(return_inverse ? [inverse] : []), ...(return_counts ? [counts] : [])];
  };
add("unique", "x sorted return_inverse return_counts dim", unique("unique"));
add("unique_consecutive", "x return_inverse return_counts dim", unique("uniqueConsecutive"));
add("bincount", "x weights minlength", ({ x, weights, minlength }) =>
  x.bincount(given({ weights: weights ?? undefined, minlength })),
);
add("histc", "x bins min max", ({ x, bins, min, max }) => x.histc(bins, min, max));
add(
  "searchsorted",
  "sorted values out_int32 right side sorter",
  ({ sorted, values, out_int32, right, side, sorter }) => {
    const own = sorter == null ? sorted : sorted.gather(-1, sorter);
    const found = session.torch.searchsorted(own, number(values), { right: right === true || side === "right" });
    return out_int32 ? found.int() : found;
  },
);
add("bucketize", "values boundaries out_int32 right", ({ values, boundaries, out_int32, right }) => {
  const found = session.torch.bucketize(number(values), boundaries, given({ right }));
  return out_int32 ? found.int() : found;
});

// Products.
for (const name of ["matmul", "mm", "bmm", "mv", "dot", "vdot", "inner", "outer", "ger"])
  add(name, "x other", ({ x, other }) => x[name](other));
for (const name of ["addmm", "baddbmm", "addbmm", "addmv", "addr"])
  add(name, "x a b beta alpha", ({ x, a, b, beta, alpha }) => x[name](a, b, given({ beta, alpha })));
add("einsum", "tensors equation", ({ tensors, equation }) => session.torch.einsum(equation, ...list(tensors)));
add("tensordot", "a b dims", ({ a, b, dims: over }) => session.torch.tensordot(a, b, over));
add("kron", "a b", ({ a, b }) => session.torch.kron(a, b));
add("cross", "a b dim", ({ a, b, dim }) => session.torch.cross(a, b, dim ?? Math.max(0, a.shape.indexOf(3))));
add("linalg.cross", "a b dim", ({ a, b, dim }) => session.torch.cross(a, b, dim));
add("cdist", "a b p compute_mode", ({ a, b, p }) => session.torch.cdist(a, b, p));
const trapezoid =
  (name) =>
  ({ y, x, dx, dim }) =>
    session.torch[name](y, given({ x, dx, dim }));
add("trapezoid", "y x dx dim", trapezoid("trapezoid"));
add("trapz", "y x dx dim", trapezoid("trapezoid"));
add("cumulative_trapezoid", "y x dx dim", trapezoid("cumulativeTrapezoid"));
add("renorm", "x p dim maxnorm", ({ x, p, dim, maxnorm }) => x.renorm(p, dim, maxnorm));
for (const name of ["inv", "det", "slogdet"])
  add(`linalg.${name}`, "a", ({ a }) => {
    const result = session.torch.linalg[name](a);
    return name === "slogdet" ? [result.sign, result.logabsdet] : result;
  });
add("linalg.solve", "a b left", ({ a, b, left }) =>
  left === false ? session.torch.linalg.solve(a.mT, b.mT).mT : session.torch.linalg.solve(a, b),
);
add("linalg.solve_triangular", "a b upper left unitriangular", ({ a, b, upper, left, unitriangular }) =>
  session.torch.linalg.solveTriangular(a, b, given({ upper, left, unitriangular })),
);
add("linalg.cholesky", "a upper", ({ a, upper }) => session.torch.linalg.cholesky(a, given({ upper })));
add("cholesky", "a upper", ({ a, upper }) => a.cholesky(given({ upper })));
add("logdet", "a", ({ a }) => a.logdet());
add("linalg.matrix_power", "a n", ({ a, n }) => session.torch.linalg.matrixPower(a, n));
add("linalg.multi_dot", "tensors", ({ tensors }) => session.torch.linalg.multiDot(tensors));
add("linalg.vecdot", "a b dim", ({ a, b, dim }) => session.torch.linalg.vecdot(a, b, dim));
add("linalg.vander", "x N", ({ x, N }) => session.torch.linalg.vander(x, given({ N })));
