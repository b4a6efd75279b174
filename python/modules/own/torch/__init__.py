"""The part of PyTorch that Triton's scripts use, over Heddle's tensors. docs/triton.md lists it."""

import math as _math

from . import _creation, _ops, _types
from ._bridge import OutOfMemoryError, call as _call, unsupported as _unsupported
from ._tensor import Tensor
from ._types import (
    ALIASES as _ALIASES,
    DTYPES as _DTYPES,
    Size,
    device,
    dtype,
    get_default_dtype,
    set_default_device,
    set_default_dtype,
)

__version__ = "2.9.0"
_is_heddle = True
inf, nan, pi, e = _math.inf, _math.nan, _math.pi, _math.e
strided = "strided"
contiguous_format = "contiguous_format"
preserve_format = "preserve_format"

for _name, _dtype in _DTYPES.items():
    globals()[_name] = _dtype
for _name, _own in _ALIASES.items():
    globals()[_name] = _DTYPES[_own]
for _name, _function in _ops.FUNCTIONS.items():
    globals()[_name] = _function
for _name in _creation.__all__:
    if getattr(getattr(_creation, _name), "__module__", None) == "torch._creation":
        globals()[_name] = getattr(_creation, _name)


class _GradMode:
    def __init__(self, enabled):
        self._enabled = enabled

    def __enter__(self):
        self._before = _call("setGradEnabled", self._enabled)

    def __exit__(self, *_):
        _call("setGradEnabled", self._before)

    def __call__(self, function):
        import functools

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with _GradMode(self._enabled):
                return function(*args, **kwargs)

        return wrapped


def no_grad(function=None):
    mode = _GradMode(False)
    return mode if function is None else mode(function)


inference_mode = no_grad


def enable_grad():
    return _GradMode(True)


def set_grad_enabled(enabled):
    return _GradMode(enabled)


def is_grad_enabled():
    return _call("gradEnabled")


class finfo:
    _BITS = {"float32": (8, 23), "float64": (11, 52), "float16": (5, 10), "bfloat16": (8, 7)}

    def __init__(self, dtype):
        exponent, fraction = self._BITS[dtype.name]
        bias = 2 ** (exponent - 1) - 1
        self.bits = dtype.itemsize * 8
        self.eps = 2.0**-fraction
        self.max = (2 - self.eps) * 2.0**bias
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** (1 - bias)


class iinfo:
    def __init__(self, dtype):
        self.bits = dtype.itemsize * 8
        self.min = -(2 ** (self.bits - 1)) if dtype.is_signed else 0
        self.max = 2 ** (self.bits - 1) - 1 if dtype.is_signed else 2**self.bits - 1


from . import autograd, backends, cuda, nn, testing, version  # noqa: E402


def __getattr__(name):
    raise _unsupported(f"torch.{name}")
