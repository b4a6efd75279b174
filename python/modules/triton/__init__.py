"""Triton, whose kernels Heddle compiles and runs. docs/triton.md says what there is."""

from . import language
from .runtime.jit import JITFunction, KernelInterface, jit
from .runtime.autotuner import Autotuner, Config, Heuristics, OutOfResources, autotune, heuristics
from . import compiler, runtime, testing, tools
from .compiler import CompilationError
from ._bridge import unsupported as _unsupported

__version__ = "3.6.0"
TritonError = compiler.TritonError


def cdiv(x, y):
    return (x + y - 1) // y


def next_power_of_2(n):
    return 1 << (n - 1).bit_length() if n > 0 else 0


def constexpr_function(function):
    return function


def set_allocator(allocator):
    """Memory for kernels that make tensor descriptors: Heddle's need none."""


def __getattr__(name):
    raise _unsupported(f"triton.{name}")
