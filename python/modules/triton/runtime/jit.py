"""@triton.jit: a function whose source Heddle compiles when it is launched."""

import inspect
import os

import torch
from torch._tensor import Tensor

from .. import language as tl
from .._bridge import array, call

# What a launch takes beside the kernel's own arguments.
OPTIONS = {
    "num_warps",
    "num_stages",
    "num_ctas",
    "maxnreg",
    "enable_fp_fusion",
    "launch_cooperative_grid",
    "launch_pdl",
    "waves_per_eu",
    "matrix_instr_nonkdim",
    "kpack",
    "allow_flush_denorm",
    "debug",
    "sanitize_overflow",
    "ir_override",
    "warmup",
    "pre_hook",
    "device",
    "stream",
    "allowed_dot_input_precisions",
    "max_num_imprecise_acc_default",
    "extern_libs",
    "disallow_acc_multi_buffer",
}


class KernelInterface:
    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    def warmup(self, *args, grid, **kwargs):
        return self.run(*args, grid=grid, warmup=True, **kwargs)


class JITFunction(KernelInterface):
    def __init__(self, fn, do_not_specialize=None, noinline=False, **_):
        self.fn = fn
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__module__ = fn.__module__
        self.__doc__ = fn.__doc__
        self.__globals__ = fn.__globals__
        self.signature = inspect.signature(fn)
        self.params = list(self.signature.parameters.values())
        self.arg_names = [param.name for param in self.params]
        self.file = os.path.relpath(fn.__code__.co_filename)

    def __call__(self, *_, **__):
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")

    def __repr__(self):
        return f"JITFunction({self.__module__}:{self.__qualname__})"

    @property
    def src(self):
        return inspect.getsource(self.fn)

    def bind(self, args, kwargs):
        """Arguments by name, with defaults; what is no parameter must be an option of launches."""
        own = {name: value for name, value in kwargs.items() if name in self.arg_names}
        options = {name: value for name, value in kwargs.items() if name not in own}
        for name in options:
            if name not in OPTIONS:
                raise KeyError(f"Keyword argument {name} was specified but unrecognised")
        try:
            bound = self.signature.bind(*args, **own)
        except TypeError as error:
            raise TypeError(f"{self.__name__}() {error}") from None
        bound.apply_defaults()
        return dict(bound.arguments), options

    def run(self, *args, grid, warmup, **kwargs):
        bound, options = self.bind(args, kwargs)
        open_file(self)
        warps = int(options.get("num_warps") or 4)
        values = array(array([name, argument(value)]) for name, value in bound.items())
        kernel = CompiledKernel(self, call("compile", self.file, self.__name__, values, warps), warps, options)
        if not warmup:
            kernel.launch(grid(bound) if callable(grid) else grid)
        return kernel


def jit(fn=None, **options):
    """Also `jit(…)` with options, and `f = jit(f)`."""
    return JITFunction(fn, **options) if fn is not None else lambda function: JITFunction(function, **options)


def argument(value):
    """What the binding takes: a list of the kind and the value."""
    if isinstance(value, Tensor):
        return array(["tensor", value._handle])
    if value is None:
        return array(["none"])
    if isinstance(value, tl.constexpr):
        return argument(value.value)
    if isinstance(value, (bool, int, float, str)):
        kind = next(kind for kind in (bool, int, float, str) if isinstance(value, kind))
        return array([kind.__name__, kind(value)])
    if isinstance(value, tl.dtype):
        return array(["dtype", value.python_name])
    if isinstance(value, torch.dtype):
        return array(["dtype", tl.of_torch(value).python_name])
    if isinstance(value, JITFunction):
        open_file(value)
        return array(["function", value.file, value.__name__])
    if isinstance(value, (tuple, list)):
        return array(["tuple", array(argument(item) for item in value)])
    if hasattr(value, "block_shape"):
        parts = (value.shape, value.strides, value.block_shape)
        return array(["descriptor", value.base._handle, *(array(int(size) for size in part) for part in parts)])
    if hasattr(value, "__index__"):
        return array(["int", value.__index__()])
    raise TypeError(f"a kernel takes no {type(value).__name__}")


def open_file(function):
    if call("isOpen", function.file):
        return
    with open(function.fn.__code__.co_filename) as stream:
        text = stream.read()
    values = {}
    for name, value in function.__globals__.items():
        expression = expression_of(value)
        if expression is not None:
            values[name] = expression
    environment = array(array(entry) for entry in os.environ.items())
    content = {
        "text": text,
        "environment": environment,
        "globals": array(array(entry) for entry in values.items()),
    }
    call("open", function.file, _object(content))


def _object(content):
    from js import Object

    return Object.fromEntries(array(array(entry) for entry in content.items()))


def expression_of(value):
    """A constant as Python's text; None: it is no constant of the kind that kernels use."""
    if isinstance(value, tl.constexpr):
        return expression_of(value.value)
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return f'float("{value}")'
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    if isinstance(value, tuple) and value:
        items = [expression_of(item) for item in value]
        return None if None in items else f"({', '.join(items)},)"
    return None


class CompiledKernel:
    class _Metadata:
        pass

    def __init__(self, function, handle, warps, options):
        self.function = function
        self.handle = handle
        self.name = function.__name__
        self.n_spills = 0
        metadata = self.metadata = self._Metadata()
        metadata.name = function.__name__
        metadata.shared = call("sharedBytes", handle)
        metadata.num_warps = warps
        metadata.num_stages = options.get("num_stages", 3)
        metadata.num_ctas = options.get("num_ctas", 1)

    @property
    def n_regs(self):
        """The driver's count. An emulated device allocates none: there it is a thread's share of the registers."""
        registers = call("registers", self.handle)
        if registers is not None:
            return registers
        from .driver import driver

        own = driver.active.utils.get_device_properties(0)
        return own["max_num_regs"] // own["max_threads_per_sm"]

    def _init_handles(self):
        pass

    def launch(self, grid):
        grid = (grid,) if isinstance(grid, int) else grid
        call("launch", self.handle, array(int(size) for size in grid))

    def __getitem__(self, grid):
        def run(*args, **kwargs):
            self.function.run(*args, grid=grid, warmup=False, num_warps=self.metadata.num_warps, **kwargs)

        return run


