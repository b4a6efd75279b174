from . import autotuner, driver as _driver, errors, jit
from .autotuner import Autotuner, Heuristics
from .driver import driver
from .jit import JITFunction, KernelInterface

__all__ = ["Autotuner", "Heuristics", "JITFunction", "KernelInterface", "autotuner", "driver", "errors", "jit"]
