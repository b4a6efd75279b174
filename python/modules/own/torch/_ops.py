"""Functions of tensors. Most are methods of Tensor as well."""

import builtins
import collections

from ._bridge import array, call
from ._tensor import Tensor, binary, dims_of, operand, unary, wrap
from ._types import DTYPES


FUNCTIONS = {}


def public(function, name=None, method=True):
    name = name or function.__name__
    FUNCTIONS[name] = function
    if method:
        setattr(Tensor, name, function)
    return function


def _out(result, out):
    return result if out is None else out.copy_(result)


def _define_unary(name, own=None):
    def function(input, *, out=None):
        return _out(unary(own or name, input), out)

    function.__name__ = name
    public(function)
    setattr(Tensor, f"{name}_", lambda self: self._assign(unary(own or name, self)))


for _name in (
    "neg abs exp exp2 log log2 log10 log1p expm1 sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh tanh "
    "asinh acosh atanh sigmoid relu erf erfc erfinv lgamma digamma logit floor ceil round trunc frac sign square sinc "
    "deg2rad rad2deg bitwise_not logical_not isnan isinf isfinite isposinf isneginf signbit"
).split():
    _define_unary(_name)
_define_unary("negative", "neg")
_define_unary("absolute", "abs")


def _define_binary(name, own=None):
    def function(input, other, *, alpha=1, out=None):
        return _out(binary(own or name, input, other if alpha == 1 else other * alpha), out)

    function.__name__ = name
    public(function)
    setattr(Tensor, f"{name}_", lambda self, other: self._assign(binary(own or name, self, other)))


for _name in (
    "add sub mul floor_divide remainder fmod pow maximum minimum fmax fmin atan2 copysign hypot logaddexp xlogy eq ne "
    "lt le gt ge bitwise_and bitwise_or bitwise_xor logical_and logical_or logical_xor"
).split():
    _define_binary(_name)
_SYNONYMS = {"multiply": "mul", "subtract": "sub", "true_divide": "div", "greater": "gt", "less": "lt"}
for _name, _own in _SYNONYMS.items():
    _define_binary(_name, _own)


@public
def div(input, other, *, rounding_mode=None):
    result = binary("div" if rounding_mode != "floor" else "floor_divide", input, other)
    return result.trunc() if rounding_mode == "trunc" else result


FUNCTIONS["divide"] = div
Tensor.div_ = lambda self, other: self._assign(div(self, other))


@public
def where(condition, input, other):
    (x, p), (y, q) = operand(input), operand(other)
    return wrap(call("where", condition._handle, x, y, p + q))


Tensor.where = lambda self, condition, other: where(condition, self, other)


@public
def masked_fill(input, mask, value):
    return where(mask, value, input)


Tensor.masked_fill_ = lambda self, mask, value: self._assign(where(mask, value, self))


@public
def clamp(input, min=None, max=None):
    result = input if min is None else binary("maximum", input, min)
    return result if max is None else binary("minimum", result, max)


def _define_reduction(name):
    def function(input, dim=None, keepdim=False, *, axis=None, dtype=None, keepdims=None):
        if dtype is not None:
            input = input.to(dtype)
        dim = axis if dim is None else dim
        keep = keepdim if keepdims is None else keepdims
        return wrap(call("reduce", name, input._handle, dims_of(dim), keep))

    function.__name__ = name
    public(function)


for _name in "sum mean prod amax amin argmax argmin any all".split():
    _define_reduction(_name)

_Pair = collections.namedtuple("_Pair", ["values", "indices"])


def _extreme(name):
    def function(input, dim=None, keepdim=False, *, axis=None):
        if isinstance(dim, Tensor):
            return binary(f"{name}imum", input, dim)
        dim = axis if dim is None else dim
        values = wrap(call("reduce", f"a{name}", input._handle, dims_of(dim), keepdim))
        if dim is None:
            return values
        return _Pair(values, wrap(call("reduce", f"arg{name}", input._handle, dims_of(dim), keepdim)))

    function.__name__ = name
    return function


public(_extreme("max"))
public(_extreme("min"))


def _variance(input, dim, correction, unbiased, keepdim):
    correction = correction if unbiased is None else int(unbiased)
    return wrap(call("variance", input._handle, dims_of(dim), correction, keepdim))


@public
def var(input, dim=None, unbiased=None, keepdim=False, *, correction=1):
    return _variance(input, dim, correction, unbiased, keepdim)


@public
def std(input, dim=None, unbiased=None, keepdim=False, *, correction=1):
    return _variance(input, dim, correction, unbiased, keepdim).sqrt()


@public
def norm(input, p=2, dim=None, keepdim=False):
    if p not in (2, "fro"):
        raise NotImplementedError(f"torch.norm with p={p} is not supported yet by heddle")
    return (input * input).sum(dim, keepdim).sqrt()


@public
def softmax(input, dim=None, dtype=None, *, axis=None):
    input = input if dtype is None else input.to(dtype)
    return wrap(call("softmax", input._handle, axis if dim is None else dim, False))


@public
def log_softmax(input, dim=None, dtype=None, *, axis=None):
    input = input if dtype is None else input.to(dtype)
    return wrap(call("softmax", input._handle, axis if dim is None else dim, True))


@public
def logsumexp(input, dim, keepdim=False):
    most = input.amax(dim, True).detach()
    result = (input - most).exp().sum(dim, True).log() + most
    return result if keepdim else result.squeeze(dim)


@public
def cumsum(input, dim, dtype=None):
    input = input if dtype is None else input.to(dtype)
    return wrap(call("cumsum", input._handle, dim))


@public
def sort(input, dim=-1, descending=False, stable=False):
    return _Pair(*map(wrap, call("sort", input._handle, dim, descending)))


@public
def topk(input, k, dim=-1, largest=True, sorted=True):
    values, indices = sort(input, dim, largest)
    return _Pair(_front(values, k, dim), _front(indices, k, dim))


def _front(tensor, count, dim):
    key = [slice(None)] * tensor.dim()
    key[dim] = slice(0, count)
    return tensor[tuple(key)]


@public
def gather(input, dim, index):
    return wrap(call("gather", input._handle, dim, index._handle))


@public
def scatter(input, dim, index, src=None, *, value=None):
    given = value if src is None else src
    source, _ = operand(given)
    return wrap(call("scatter", input._handle, dim, index._handle, source))


@public
def scatter_add(input, dim, index, src):
    return wrap(call("scatterAdd", input._handle, dim, index._handle, src._handle))


@public
def index_select(input, dim, index):
    return wrap(call("indexSelect", input._handle, dim, index._handle))


@public
def index_add(input, dim, index, source, *, alpha=1):
    return wrap(call("indexAdd", input._handle, dim, index._handle, source._handle, alpha))


Tensor.scatter_ = lambda self, *args, **keywords: self._assign(scatter(self, *args, **keywords))
Tensor.scatter_add_ = lambda self, *args, **keywords: self._assign(scatter_add(self, *args, **keywords))
Tensor.index_add_ = lambda self, *args, **keywords: self._assign(index_add(self, *args, **keywords))


@public
def repeat_interleave(input, repeats, dim=None):
    """Element after element, `repeats` times each: one number, or one for each element."""
    from ._creation import tensor

    if dim is None:
        input, dim = input.flatten(), 0
    size = input.shape[dim]
    counts = repeats.tolist() if isinstance(repeats, Tensor) else repeats
    counts = [counts] * size if isinstance(counts, int) else counts
    if len(counts) == 1:
        counts = counts * size
    if len(counts) != size:
        raise RuntimeError("repeats must have the same size as input along dim")
    places = [i for i, count in enumerate(counts) for _ in range(count)]
    return index_select(input, dim, tensor(places, dtype=DTYPES["int64"], device=input.device))


@public
def nonzero(input, *, as_tuple=False):
    found = wrap(call("nonzero", input._handle))
    return tuple(found[:, d] for d in range(input.dim())) if as_tuple else found


@public
def cumprod(input, dim, dtype=None):
    input = input if dtype is None else input.to(dtype)
    return wrap(call("cumprod", input._handle, dim))


@public
def matmul(input, other):
    return wrap(call("matmul", input._handle, other._handle))


for _name in ("mm", "bmm", "mv", "dot"):
    public(matmul, _name)


@public
def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    return input * beta + matmul(mat1, mat2) * alpha


@public
def outer(input, other):
    return input[:, None] * other[None, :]


@public
def tril(input, diagonal=0):
    return wrap(call("triangle", input._handle, diagonal, "lower"))


@public
def triu(input, diagonal=0):
    return wrap(call("triangle", input._handle, diagonal, "upper"))


@public
def flip(input, dims):
    for dim in [dims] if isinstance(dims, int) else dims:
        from ._creation import arange

        size = input.shape[dim]
        key = [slice(None)] * input.dim()
        key[dim] = size - 1 - arange(size, device=input.device)
        input = input[tuple(key)]
    return input


@public
def chunk(input, chunks, dim=0):
    return split(input, -(-input.shape[dim] // chunks), dim)


@public
def split(input, size, dim=0):
    total = input.shape[dim]
    sizes = [min(size, total - at) for at in range(0, total, size)] if isinstance(size, int) else size
    parts, at = [], 0
    for length in sizes:
        key = [slice(None)] * input.dim()
        key[dim] = slice(at, at + length)
        parts.append(input[tuple(key)])
        at += length
    return tuple(parts)


@public
def unbind(input, dim=0):
    return tuple(input.transpose(0, dim)[i] for i in range(input.shape[dim]))


@public
def movedim(input, source, destination):
    order = [d for d in range(input.dim()) if d != source % input.dim()]
    order.insert(destination % input.dim(), source % input.dim())
    return input.permute(*order)


def cat(tensors, dim=0, *, axis=None):
    return wrap(call("cat", array(tensor._handle for tensor in tensors), dim if axis is None else axis))


def stack(tensors, dim=0):
    return wrap(call("stack", array(tensor._handle for tensor in tensors), dim))


public(cat, method=False)
public(cat, "concat", method=False)
public(stack, method=False)


@public
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return call("allClose", input._handle, other._handle, rtol, atol, equal_nan)


@public
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return (input - other).abs() <= atol + rtol * other.abs()


@public
def equal(input, other):
    return input.shape == other.shape and bool((input == other).all())


@public
def count_nonzero(input, dim=None):
    return (input != 0).sum(dim)


for _name in "numel reshape permute transpose squeeze unsqueeze flatten t clone detach".split():
    FUNCTIONS[_name] = getattr(Tensor, _name)


def is_tensor(value):
    return isinstance(value, Tensor)


def is_floating_point(input):
    return input.is_floating_point()


def broadcast_to(input, size):
    return input.expand(size)


for _function in (is_tensor, is_floating_point, broadcast_to):
    public(_function, method=False)
Tensor.broadcast_to = Tensor.expand
Tensor.is_same_size = lambda self, other: self.shape == other.shape


@public
def as_strided(input, size, stride, storage_offset=None):
    offset = input.storage_offset() if storage_offset is None else storage_offset
    return wrap(call("asStrided", input._handle, array(size), array(stride), offset))


@public
def reshape_as(input, other):
    return input.reshape(other.shape)


@public
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    if return_inverse or return_counts or dim is not None:
        asked = "return_inverse, return_counts or dim"
        raise NotImplementedError(f"torch.unique with {asked} is not supported yet by heddle")
    from ._creation import tensor

    values = builtins.sorted(set(input.flatten().tolist()))
    return tensor(values, dtype=input.dtype, device=input.device)


@public
def histc(input, bins=100, min=0, max=0):
    from ._creation import tensor

    values = input.flatten().tolist()
    if min == max:
        min, max = builtins.min(values), builtins.max(values)
    counts = [0] * bins
    for value in values:
        if min <= value <= max:
            place = int((value - min) / (max - min) * bins)
            counts[builtins.min(place, bins - 1)] += 1
    return tensor(counts, dtype=input.dtype, device=input.device)


@public
def cummax(input, dim=None, *, axis=None):
    dim = axis if dim is None else dim
    values, indices = [], []
    best = index = None
    for i, part in enumerate(input.unbind(dim)):
        where_new = None if best is None else (part >= best) | (part != part)
        best = part if best is None else where(where_new, part, best)
        places = part.new_full(part.shape, i, dtype=DTYPES["int64"])
        index = places if index is None else where(where_new, places, index)
        values.append(best)
        indices.append(index)
    return _Pair(FUNCTIONS["stack"](values, dim), FUNCTIONS["stack"](indices, dim))


def var_mean(input, dim=None, *, correction=1, keepdim=False):
    return input.var(dim, correction=correction, keepdim=keepdim), input.mean(dim, keepdim)


public(var_mean, method=False)
