"""Functions that make tensors."""

import math

from ._bridge import array, call, plain
from ._numpy import bytes_of, is_numpy, order_of
from ._tensor import Tensor, scalar_kind, sizes_of, wrap
from ._types import DTYPES, Size, default_device, device as _device, get_default_dtype, place_name


def _finish(tensor, requires_grad):
    return tensor.requires_grad_() if requires_grad else tensor


def _sizes(sizes, size):
    return sizes_of(sizes if size is None else (size,))


def empty(*sizes, size=None, dtype=None, device=None, requires_grad=False, **_):
    handle = call("empty", _sizes(sizes, size), (dtype or get_default_dtype()).name, place_name(device))
    return _finish(wrap(handle), requires_grad)


def empty_strided(size, stride, dtype=None, device=None, **_):
    dtype = dtype or get_default_dtype()
    return wrap(call("emptyStrided", array(size), array(stride), dtype.name, place_name(device)))


def full(size, fill_value, dtype=None, device=None, requires_grad=False, **_):
    if dtype is None:
        kind = scalar_kind(fill_value)
        dtype = get_default_dtype() if kind == "f" else DTYPES["bool" if kind == "b" else "int64"]
    size = (size,) if isinstance(size, int) else size
    handle = call("full", sizes_of((tuple(size),)), float(fill_value), dtype.name, place_name(device))
    return _finish(wrap(handle), requires_grad)


def zeros(*sizes, size=None, dtype=None, device=None, requires_grad=False, **_):
    return full(plain(_sizes(sizes, size)), 0, dtype or get_default_dtype(), device, requires_grad)


def ones(*sizes, size=None, dtype=None, device=None, requires_grad=False, **_):
    return full(plain(_sizes(sizes, size)), 1, dtype or get_default_dtype(), device, requires_grad)


def _like(function):
    def like(input, *args, dtype=None, device=None, requires_grad=False, **_):
        made = function(input, *args, dtype or input.dtype, device or input.device)
        return _finish(made, requires_grad)

    return like


empty_like = _like(lambda of, dtype, device: wrap(call("emptyLike", of._handle, dtype.name, place_name(device))))
zeros_like = _like(lambda of, dtype, device: empty_like(of, dtype=dtype, device=device).zero_())
ones_like = _like(lambda of, dtype, device: empty_like(of, dtype=dtype, device=device).fill_(1))
full_like = _like(lambda of, value, dtype, device: empty_like(of, dtype=dtype, device=device).fill_(value))
rand_like = _like(lambda of, dtype, device: rand(of.shape, dtype=dtype, device=device))
randn_like = _like(lambda of, dtype, device: randn(of.shape, dtype=dtype, device=device))
randint_like = _like(
    lambda of, *bounds: randint(*bounds[:-2], of.shape, dtype=bounds[-2], device=bounds[-1]),
)


def _random(name):
    def draw(*sizes, size=None, dtype=None, device=None, requires_grad=False, generator=None, **_):
        dtype = dtype or get_default_dtype()
        return _finish(wrap(call(name, _sizes(sizes, size), dtype.name, place_name(device))), requires_grad)

    return draw


rand = _random("rand")
randn = _random("randn")


def randint(low, high=None, size=None, dtype=None, device=None, requires_grad=False, **_):
    if size is None:
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    dtype = dtype or DTYPES["int64"]
    return wrap(call("randint", low, high, sizes_of((tuple(size),)), dtype.name, place_name(device)))


def randperm(n, dtype=None, device=None, **_):
    return wrap(call("randperm", n, (dtype or DTYPES["int64"]).name, place_name(device)))


def arange(start, end=None, step=1, dtype=None, device=None, requires_grad=False, **_):
    if end is None:
        start, end = 0, start
    if dtype is None:
        floats = any(isinstance(value, float) for value in (start, end, step))
        dtype = get_default_dtype() if floats else DTYPES["int64"]
    return _finish(wrap(call("arange", start, end, step, dtype.name, place_name(device))), requires_grad)


def linspace(start, end, steps, dtype=None, device=None, **_):
    return wrap(call("linspace", start, end, steps, (dtype or get_default_dtype()).name, place_name(device)))


def eye(n, m=None, dtype=None, device=None, **_):
    return wrap(call("eye", n, n if m is None else m, (dtype or get_default_dtype()).name, place_name(device)))


def _flatten(data):
    """The numbers of nested lists, their shape and the highest kind of them."""
    if isinstance(data, Tensor):
        data = data.tolist()
    if hasattr(data, "tolist") and not isinstance(data, (list, tuple)):
        data = data.tolist()
    if isinstance(data, (list, tuple, range)):
        parts = [_flatten(item) for item in data]
        if any(shape != parts[0][1] for _, shape, _ in parts):
            raise ValueError("expected sequences of equal length")
        numbers = [number for flat, _, _ in parts for number in flat]
        inner = parts[0][1] if parts else []
        return numbers, [len(parts), *inner], max((kind for _, _, kind in parts), default="i", key="bif".index)
    kind = scalar_kind(data)
    if kind is None:
        raise TypeError(f"new(): data must be a number or a list of numbers, not {type(data).__name__}")
    return [float(data) if not isinstance(data, bool) else int(data)], [], kind


def from_numpy(data):
    """A copy: NumPy's memory is in another process than Heddle's."""
    return tensor(data)


def tensor(data, dtype=None, device=None, requires_grad=False, **_):
    if is_numpy(data):
        order = order_of(data)
        if order is None:
            made = wrap(call("fromBytes", *bytes_of(data), place_name(device)))
        else:
            # As PyTorch: the elements stay where they are in memory.
            made = wrap(call("fromBytes", *bytes_of(data.transpose(order)), place_name(device)))
            made = made.permute(*(order.index(dim) for dim in range(data.ndim)))
        return _finish(made if dtype is None else made.to(dtype), requires_grad)
    numbers, shape, kind = _flatten(data)
    if dtype is None and isinstance(data, Tensor):
        dtype = data.dtype
    if dtype is None:
        dtype = {"b": DTYPES["bool"], "i": DTYPES["int64"], "f": get_default_dtype()}[kind]
    if not numbers and kind == "i":
        dtype = dtype if dtype.name != "int64" else get_default_dtype()
    handle = call("fromNumbers", array(numbers), array(shape), dtype.name, place_name(device))
    return _finish(wrap(handle), requires_grad)


def as_tensor(data, dtype=None, device=None):
    if not isinstance(data, Tensor):
        return tensor(data, dtype=dtype, device=device)
    return data.to(dtype=dtype, device=device)


def manual_seed(seed):
    call("seed", int(seed) % 2**64)
    return None


def seed():
    manual_seed(0)
    return 0


def initial_seed():
    return int(call("initialSeed"))


def normal(mean=0.0, std=1.0, size=None, dtype=None, device=None, **_):
    return randn(size, dtype=dtype, device=device) * std + mean


__all__ = [name for name in dir() if not name.startswith("_") and name not in ("array", "call", "math", "wrap")]
