"""triton.language: names for kernels, which Heddle compiles from their source. Python itself only meets the names."""

from _heddle_host import plain, triton_binding as _h


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


SHORT = {
    "float16": "fp16",
    "bfloat16": "bf16",
    "float32": "fp32",
    "float64": "fp64",
    "float8e5": "fp8e5",
    "float8e5b16": "fp8e5b16",
    "float8e4b8": "fp8e4b8",
    "float8e4b15": "fp8e4b15",
    "float8e4nv": "fp8e4nv",
}
_BIAS = {
    "fp8e4nv": 7,
    "fp8e4b8": 8,
    "fp8e4b15": 15,
    "fp8e5": 15,
    "fp8e5b16": 16,
    "fp16": 15,
    "bf16": 127,
    "fp32": 127,
    "fp64": 1023,
}
_MANTISSA = {
    "fp8e4nv": 3,
    "fp8e4b8": 3,
    "fp8e4b15": 3,
    "fp8e5": 2,
    "fp8e5b16": 2,
    "fp16": 10,
    "bf16": 7,
    "fp32": 23,
    "fp64": 52,
}
_LONG = {short: long for long, short in SHORT.items()}


class dtype:
    SINT_TYPES = ["int8", "int16", "int32", "int64"]
    UINT_TYPES = ["int1", "uint8", "uint16", "uint32", "uint64"]
    STANDARD_FP_TYPES = ["fp16", "bf16", "fp32", "fp64"]
    FP_TYPES = ["fp8e4b15", "fp8e4nv", "fp8e4b8", "fp8e5", "fp8e5b16", *STANDARD_FP_TYPES]

    def __init__(self, name):
        python_name = self.python_name = _LONG.get(name, name)
        self.name = SHORT.get(python_name, python_name)
        digits = "".join(character for character in python_name if character.isdigit())
        self.primitive_bitwidth = 8 if python_name.startswith("float8") else int(digits or 0)
        self.itemsize = max(1, self.primitive_bitwidth // 8)

    def is_floating(self):
        return "float" in self.python_name

    def is_fp8(self):
        return self.python_name.startswith("float8")

    def is_int(self):
        return "int" in self.python_name

    def is_bf16(self):
        return self.python_name == "bfloat16"

    def is_int_signed(self):
        return self.python_name.startswith("int")

    def is_int_unsigned(self):
        return self.python_name.startswith("uint")

    def is_standard_floating(self):
        return self.python_name in ("float16", "bfloat16", "float32", "float64")

    @property
    def scalar(self):
        return self

    @property
    def fp_mantissa_width(self):
        return _MANTISSA[self.name]

    @property
    def exponent_bias(self):
        return _BIAS[self.name]

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"triton.language.{self.python_name}"

    def __eq__(self, other):
        return isinstance(other, dtype) and other.python_name == self.python_name

    def __hash__(self):
        return hash(self.python_name)


_TORCH = {"bool": "int1", "float8_e5m2": "float8e5", "float8_e4m3fn": "float8e4nv"}
DTYPES = {name: dtype(name) for name in plain(_h.dtypeNames())}
globals().update(DTYPES)
# Types of Triton's that kernels here refuse: programs name them to choose among others.
for _name in ("float8e4b8", "float8e5b16"):
    globals()[_name] = dtype(_name)
void = dtype("void")


class pointer_type(dtype):
    """A pointer to elements of a type."""

    def __init__(self, element_ty, address_space=1, const=False):
        self.element_ty = element_ty
        self.python_name = f"*{element_ty.python_name}"
        self.name = f"pointer<{element_ty.name}>"
        self.primitive_bitwidth = 64
        self.itemsize = 8


class PropagateNan:
    NONE = ""
    ALL = "all"


def str_to_ty(name, _=None):
    """The type of a word as in signatures: `*fp32`, `i32`."""
    if name.startswith("*"):
        return pointer_type(str_to_ty(name[1:].removeprefix("k")))
    return _WORDS[name]


_WORDS = {
    **{value.name: value for value in DTYPES.values()},
    **{f"i{bits}": DTYPES[f"int{bits}"] for bits in (1, 8, 16, 32, 64)},
    **{f"u{bits}": DTYPES[f"uint{bits}"] for bits in (8, 16, 32, 64)},
}


def of_torch(value):
    name = str(value).removeprefix("torch.")
    return DTYPES[_TORCH.get(name, name)]


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


class const:
    """Annotates a pointer to memory that a kernel only reads."""


class tensor:
    """The type of values in kernels, for annotations."""


_NAMES = frozenset(plain(_h.languageNames()))


def __getattr__(name):
    if name in _NAMES:
        return globals().setdefault(name, _Function(name))
    raise AttributeError(f"triton.language.{name} is not supported yet by heddle")


def cdiv(x, div):
    return (x + div - 1) // div


def next_power_of_2(n):
    return 1 << (n - 1).bit_length()


from . import core, extra, math, random, standard  # noqa: E402
