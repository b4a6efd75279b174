"""triton.language: names for kernels, which Heddle compiles from their source. Python itself only meets the names."""

import _heddle_triton as _h


class constexpr:
    def __init__(self, value):
        self.value = value.value if isinstance(value, constexpr) else value

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __index__(self):
        return self.value

    def __bool__(self):
        return bool(self.value)

    def __hash__(self):
        return hash(self.value)


def _operators():
    import operator

    def define(name, function):
        plain = lambda value: value.value if isinstance(value, constexpr) else value  # noqa: E731
        setattr(constexpr, f"__{name}__", lambda self, other: constexpr(function(self.value, plain(other))))
        setattr(constexpr, f"__r{name}__", lambda self, other: constexpr(function(plain(other), self.value)))

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "eq", "ne", "lt", "le", "gt", "ge"):
        define(name, getattr(operator, name))


_operators()


class dtype:
    def __init__(self, python_name):
        self.python_name = python_name
        self.name = SHORT.get(python_name, python_name)
        digits = "".join(character for character in python_name if character.isdigit())
        self.primitive_bitwidth = 8 if python_name.startswith("float8") else int(digits)
        self.itemsize = max(1, self.primitive_bitwidth // 8)

    def is_floating(self):
        return "float" in self.python_name

    def is_fp8(self):
        return self.python_name.startswith("float8")

    def is_int(self):
        return "int" in self.python_name

    def __repr__(self):
        return self.name

    def __eq__(self, other):
        return isinstance(other, dtype) and other.python_name == self.python_name

    def __hash__(self):
        return hash(self.python_name)


SHORT = {
    "float16": "fp16",
    "bfloat16": "bf16",
    "float32": "fp32",
    "float64": "fp64",
    "float8e5": "fp8e5",
    "float8e4nv": "fp8e4nv",
}
_TORCH = {"bool": "int1", "float8_e5m2": "float8e5", "float8_e4m3fn": "float8e4nv"}
DTYPES = {name: dtype(name) for name in _h.dtypeNames().to_py()}
globals().update(DTYPES)


def of_torch(value):
    return DTYPES[_TORCH.get(value.name, value.name)]


class _Function:
    """A function that only kernels can call."""

    def __init__(self, name):
        self.__name__ = name

    def __call__(self, *_, **__):
        raise ValueError(
            f"Did you forget to add @triton.jit ? (tl.{self.__name__} can only be called in a kernel)",
        )

    def __repr__(self):
        return f"<function tl.{self.__name__}>"


class tensor:
    """The type of values in kernels, for annotations."""


_NAMES = frozenset(_h.languageNames().to_py())


def __getattr__(name):
    if name in _NAMES:
        return globals().setdefault(name, _Function(name))
    raise AttributeError(f"triton.language.{name} is not supported yet by heddle")


def cdiv(x, div):
    return (x + div - 1) // div


def next_power_of_2(n):
    return 1 << (n - 1).bit_length()


from . import core, extra, math, standard  # noqa: E402
