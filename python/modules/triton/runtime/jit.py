"""@triton.jit: a function whose source Heddle compiles when it is launched."""

import inspect
import os

from _heddle_host import to_host

from .. import language as tl
from .._bridge import call, functions
from ..compiler.errors import CompilationError
from ._memory import Memory
from ._source import Source

# Variables that say how kernels are compiled: programs set them on their way.
ASKED = ("TRITON_F32_DEFAULT",)

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
    "default_dot_input_precision",
    "max_num_imprecise_acc_default",
    "extern_libs",
    "disallow_acc_multi_buffer",
    "instrumentation_mode",
    "supported_fp8_dtypes",
    "deprecated_fp8_dot_operand_dtypes",
    "max_num_imprecise_acc",
}


class KernelInterface:
    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    def warmup(self, *args, grid, **kwargs):
        return self.run(*args, grid=grid, warmup=True, **kwargs)


class JITCallable:
    """A function that Heddle reads from its source."""

    decorator = "__jit__"
    must_use_result = None

    def __init__(self, fn):
        self.fn = fn
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__module__ = fn.__module__
        self.__doc__ = fn.__doc__
        self.__globals__ = fn.__globals__
        self.signature = inspect.signature(fn)
        self.params = list(self.signature.parameters.values())
        self.arg_names = [param.name for param in self.params]
        self._source = None
        self._handle = None

    @property
    def source(self):
        if self._source is None:
            self._source = Source(self.fn)
        return self._source

    @property
    def src(self):
        return self.source.dedented

    def _unsafe_update_src(self, src):
        self.source.replace(src)
        self._handle = None

    def opened(self):
        """Heddle's object for the function."""
        if self._handle is None:
            self.check()
            source = self.source
            functions.add(source)
            # Functions may name each other, and themselves.
            self._handle = call("declare")
            content = {"file": source.file, "text": source.padded(self.decorator), "values": source.values()}
            content["mustUse"] = self.must_use_result
            content["environment"] = {name: os.environ[name] for name in ASKED if name in os.environ}
            call("define", self._handle, to_host(content))
        return self._handle

    def check(self):
        pass


class ConstexprFunction(JITCallable):
    """A function of constants: Python calls it, and kernels do while they are compiled."""

    decorator = "__constexpr_function__"

    def __init__(self, fn, is_known=True):
        super().__init__(fn)
        if not is_known:
            self.decorator = ""

    def __call__(self, *args, **kwargs):
        plain = [value.value if isinstance(value, tl.constexpr) else value for value in args]
        return self.fn(*plain, **kwargs)


def constexpr_function(fn):
    return ConstexprFunction(fn)


class JITFunction(JITCallable, KernelInterface):
    def __init__(self, fn, do_not_specialize=None, noinline=None, debug=None, repr=None, launch_metadata=None, **_):
        super().__init__(fn)
        self.do_not_specialize = [
            name if isinstance(name, str) else self.arg_names[name] for name in do_not_specialize or ()
        ]
        self.debug = debug

    def check(self):
        for param in self.params:
            if param.name in self.do_not_specialize and _is_constexpr(param):
                raise CompilationError(f"{param.name} marked as constexpr and listed in do_not_specialize")

    def __call__(self, *_, **__):
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")

    def __repr__(self):
        return f"JITFunction({self.__module__}:{self.__qualname__})"

    def bind(self, args, kwargs):
        """Arguments by name, with defaults, and options: a parameter may have the name of an option, too."""
        own = {name: value for name, value in kwargs.items() if name in self.arg_names}
        options = {name: value for name, value in kwargs.items() if name not in own or name in OPTIONS}
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
        warps = int(options.get("num_warps") or 4)
        memory = Memory()
        values = [
            [param.name, memory.argument(bound[param.name], warmup and not _is_constexpr(param))]
            for param in self.params
        ]
        fixed = self.do_not_specialize
        handle = call("compile", self.opened(), self.__name__, to_host(values), warps, to_host(fixed))
        kernel = CompiledKernel(self, handle, warps, options)
        if not warmup:
            kernel.launch(grid(bound) if callable(grid) else grid)
            memory.bring_back()
        return kernel


def _is_constexpr(param):
    annotation = param.annotation
    return annotation is tl.constexpr or (isinstance(annotation, str) and annotation.endswith("constexpr"))


def jit(fn=None, **options):
    """Also `jit(…)` with options, and `f = jit(f)`."""
    return JITFunction(fn, **options) if fn is not None else lambda function: JITFunction(function, **options)


def must_use_result(message=True):
    """Of a helper: a call whose result nobody uses is an error."""

    def mark(fn):
        fn.must_use_result = message if isinstance(message, str) else True
        return fn

    if isinstance(message, JITCallable):
        message, fn = True, message
        return mark(fn)
    return mark


class Metadata:
    def __init__(self, handle, name, warps, options):
        self._handle = handle
        self.name = name
        self.num_warps = warps
        self.num_stages = options.get("num_stages", 3)
        self.num_ctas = options.get("num_ctas", 1)

    @property
    def shared(self):
        return call("sharedBytes", self._handle)


class CompiledKernel:
    def __init__(self, function, handle, warps, options):
        self.function = function
        self.handle = handle
        self.name = function.__name__
        self.n_spills = 0
        self.metadata = Metadata(handle, self.name, warps, options)

    @property
    def asm(self):
        return Assembly(self.handle)

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
        call("launch", self.handle, to_host([int(size) for size in grid]))

    def __getitem__(self, grid):
        def run(*args, **kwargs):
            self.function.run(*args, grid=grid, warmup=False, num_warps=self.metadata.num_warps, **kwargs)

        return run


class Assembly(dict):
    """What the compiler makes of a kernel: `llir`, and `ptx` for the GPU."""

    def __init__(self, handle):
        self._handle = handle

    def __missing__(self, kind):
        if kind not in ("llir", "ptx"):
            raise KeyError(f"{kind}: heddle has llir and ptx")
        self[kind] = call(kind, self._handle)
        return self[kind]


class TensorWrapper:
    """A tensor whose memory kernels take as elements of another type of the same size."""

    def __init__(self, base, dtype):
        self.dtype = dtype
        self.base = base
        self.data = base.data
        self.device = base.device
        self.shape = base.shape

    def data_ptr(self):
        return self.base.data_ptr()

    def stride(self, *args):
        return self.base.stride(*args)

    def element_size(self):
        return self.base.element_size()

    def cpu(self):
        return TensorWrapper(self.base.cpu(), self.dtype)

    def copy_(self, other):
        self.base.copy_(other.base)

    def clone(self):
        return TensorWrapper(self.base.clone(), self.dtype)

    def to(self, device):
        return TensorWrapper(self.base.to(device), self.dtype)

    def new_empty(self, sizes):
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def __str__(self):
        return f"TensorWrapper[{self.dtype}]({self.base})"


def reinterpret(tensor, dtype):
    if isinstance(tensor, TensorWrapper):
        return tensor.base if dtype == tensor.base.dtype else TensorWrapper(tensor.base, dtype)
    if hasattr(tensor, "data_ptr"):
        return TensorWrapper(tensor, dtype)
    raise TypeError(f"Cannot reinterpret a {type(tensor)}.")


_SHORT = {
    "bool": "i1",
    "int1": "i1",
    "uint1": "u1",
    **{f"{sign}int{bits}": f"{letter}{bits}" for sign, letter in (("", "i"), ("u", "u")) for bits in (8, 16, 32, 64)},
    **{f"float{bits}": f"fp{bits}" for bits in (16, 32, 64)},
    "bfloat16": "bf16",
    "half": "fp16",
    "float": "fp32",
    "double": "fp64",
    "float8e4nv": "fp8e4nv",
    "float8e5": "fp8e5",
    "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2": "fp8e5",
    "void": "void",
}
type_canonicalisation_dict = {**_SHORT, **{short: short for short in _SHORT.values()}}
