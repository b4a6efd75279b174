"""Triton, whose kernels Heddle compiles and runs. docs/triton.md says what there is."""

from . import language
from .runtime.jit import JITFunction, KernelInterface, constexpr_function, jit, must_use_result, reinterpret
from .runtime.autotuner import Autotuner, Config, Heuristics, OutOfResources, autotune, heuristics
from .runtime._allocation import set_allocator
from . import compiler, errors, knobs, runtime, testing, tools
from .compiler import CompilationError, compile
from ._bridge import unsupported as _unsupported

__version__ = "3.6.0"
TritonError = compiler.TritonError


def cdiv(x, y):
    return (x + y - 1) // y


def next_power_of_2(n):
    return 1 << (n - 1).bit_length() if n > 0 else 0


def __getattr__(name):
    raise _unsupported(f"triton.{name}")
