"""Of PyTorch's interface what python/rival_adapter.py uses, over plain lists.

For tests of the adapter's protocol, where there is no PyTorch. It computes nothing by itself.
"""
import array
import contextlib
import os
import sys
import types

__version__ = "0.0-stand-in"


class Late(types.ModuleType):
    """Imports something else when it is asked for anything, as PyTorch's lazy modules do."""

    def __getattr__(self, name):
        sys.modules.setdefault("late_part", types.ModuleType("late_part"))
        raise AttributeError(name)


sys.modules["late"] = Late("late")


class dtype:
    def __init__(self, code, is_floating_point):
        self.code, self.is_floating_point = code, is_floating_point


uint8, int32, float32 = dtype("B", False), dtype("i", False), dtype("f", True)


class Tensor:
    def __init__(self, values, dtype, contiguous=True):
        self.values, self.dtype, self.contiguous_ = values, dtype, contiguous

    def numel(self):
        return len(self.values)

    def element_size(self):
        return self.values.itemsize

    def data_ptr(self):
        return self.values.buffer_info()[0]

    def is_contiguous(self):
        return self.contiguous_

    def contiguous(self):
        return self

    def cpu(self):
        return self

    def to(self, device):
        return self

    def view(self, how):
        return self if how == -1 else Tensor(array.array(how.code, self.values.tobytes()), how)

    def fill_(self, value):
        for i in range(len(self.values)):
            self.values[i] = value

    def copy_(self, other):
        self.values[:] = other.values

    def __getitem__(self, part):
        return Tensor(self.values[part], self.dtype)


def tensor(values, dtype=float32):
    return Tensor(array.array(dtype.code, values), dtype)


def frombuffer(content, dtype):
    return Tensor(array.array(dtype.code, bytes(content)), dtype)


def empty(length, dtype, device):
    return tensor([0] * length, dtype)


def empty_like(other):
    return Tensor(array.array(other.dtype.code, other.values), other.dtype)


def no_grad():
    return contextlib.nullcontext()


def compile(function, dynamic=None):
    def compiled(**arguments):
        compiled.calls += 1
        with open(os.environ["STAND_IN_LOG"], "a") as log:
            log.write(f"{dynamic} {compiled.calls} {len(arguments['x'].values)}\n")
        return function(**arguments)
    compiled.calls = 0
    return compiled


class compiler:
    @staticmethod
    def reset():
        pass


class cuda:
    @staticmethod
    def is_available():
        return False
