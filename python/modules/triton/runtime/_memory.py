"""
The arguments of a launch as Heddle takes them. Heddle's own tensors lie on its device; arrays of NumPy and tensors of
an installed torch lie in this process: their memory goes over before the launch, and comes back after it.
"""

import ctypes
import sys

import torch

from _heddle_host import torch_binding

from .. import language as tl


class _Region:
    """Memory of this process, and its copy on the device."""

    def __init__(self, address, size):
        self.address = address
        self.size = size
        self._view = (ctypes.c_char * size).from_address(address) if size else b""
        self.before = bytes(self._view)
        self.copy = torch_binding.fromBytes(self.before, [size], "uint8", "cuda")

    def bring_back(self):
        after = torch_binding.bytes(self.copy)
        if bytes(after) != self.before:
            ctypes.memmove(self.address, bytes(after), self.size)

    def __del__(self):
        copy = getattr(self, "copy", None)
        if copy is not None:
            torch_binding.release(copy)


def _numpy_region(array):
    """The memory that an array is a view of: its address and size."""
    base = array
    numpy = sys.modules["numpy"]
    while isinstance(base.base, numpy.ndarray):
        base = base.base
    bounds = getattr(numpy, "byte_bounds", None)
    if bounds is None:
        from numpy.lib.array_utils import byte_bounds as bounds
    low, high = bounds(base)
    return low, high - low


def _is_numpy(value):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


class Memory:
    def __init__(self):
        self._regions = {}

    def argument(self, value, is_mock=False):
        """A list of the kind and the value."""
        from .jit import JITCallable, TensorWrapper, type_canonicalisation_dict

        if isinstance(value, TensorWrapper):
            return self._pointer(value.base, value.dtype.python_name)
        if isinstance(value, torch.Tensor) or _is_numpy(value):
            return self._pointer(value, None)
        if is_mock and type(value).__name__ == "dtype":
            return ["type", f"*{type_canonicalisation_dict[_dtype_name(value)]}"]
        if isinstance(value, tl.constexpr):
            return self.argument(value.value)
        if value is None:
            return ["none"]
        if isinstance(value, (bool, int, float, str)):
            kind = next(kind for kind in (bool, int, float, str) if isinstance(value, kind))
            return [kind.__name__, kind(value)]
        if type(value).__name__ == "dtype":
            return ["dtype", _dtype_name(value)]
        if isinstance(value, JITCallable):
            return ["function", value.opened(), value.__name__]
        if isinstance(value, (tuple, list)):
            return ["tuple", [self.argument(item) for item in value]]
        if hasattr(value, "block_shape"):
            parts = (value.shape, value.strides, value.block_shape)
            return ["descriptor", self.argument(value.base), *([int(size) for size in part] for part in parts)]
        if hasattr(value, "__index__"):
            return ["int", value.__index__()]
        if hasattr(value, "__float__"):
            return ["float", float(value)]
        raise TypeError(f"a kernel takes no {type(value).__name__}")

    def _pointer(self, value, dtype):
        handle = getattr(value, "_handle", None)
        if handle is not None:
            return ["tensor", handle] if dtype is None else ["typed", handle, dtype]
        if _is_numpy(value):
            address, (begin, size), length = value.ctypes.data, _numpy_region(value), value.size
            own = {"bool": "int1"}.get(value.dtype.name, value.dtype.name)
        else:
            if value.device.type != "cpu":
                raise ValueError(f"Pointer argument is on {value.device}: Heddle takes tensors of the CPU")
            storage = value.untyped_storage()
            address, begin, size, length = value.data_ptr(), storage.data_ptr(), storage.nbytes(), value.numel()
            own = tl.of_torch(value.dtype).python_name
        region = self._regions.get(begin)
        if region is None or region.size < size:
            region = self._regions[begin] = _Region(begin, size)
        return ["memory", region.copy, address - begin, length, dtype or own]

    def bring_back(self):
        for region in self._regions.values():
            region.bring_back()


def _dtype_name(value):
    return value.python_name if isinstance(value, tl.dtype) else tl.of_torch(value).python_name
