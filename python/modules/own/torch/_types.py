"""dtype, device and Size, as PyTorch has them."""

from _heddle_host import plain, torch_binding as _h


class dtype:
    def __init__(self, name, itemsize, is_floating_point):
        self.name = name
        self.itemsize = itemsize
        self.is_floating_point = is_floating_point
        self.is_complex = False
        self.is_signed = name != "bool" and not name.startswith("uint")

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name


DTYPES = {name: dtype(name, size, floating) for name, size, floating in plain(_h.dtypes)}
ALIASES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
}


class device:
    def __init__(self, type, index=None):
        if isinstance(type, device):
            type, index = type.type, type.index
        if isinstance(type, int):
            type, index = "cuda", type
        kind, colon, number = type.partition(":")
        if kind not in ("cpu", "cuda", "meta"):
            raise RuntimeError(f"Expected one of cpu, cuda device type at start of device string: {type}")
        self.type = kind
        self.index = int(number) if colon else index

    def __repr__(self):
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))

    def __enter__(self):
        self._before = default_device()
        set_default_device(self)
        return self

    def __exit__(self, *_):
        set_default_device(self._before)


_default = device("cpu")
_default_dtype = DTYPES["float32"]


def default_device():
    return _default


def set_default_device(value):
    global _default
    _default = device(value) if value is not None else device("cpu")


def get_default_dtype():
    return _default_dtype


def set_default_dtype(value):
    global _default_dtype
    _default_dtype = value


class Size(tuple):
    def numel(self):
        count = 1
        for size in self:
            count *= size
        return count

    def __repr__(self):
        return f"torch.Size({list(self)})"

    def __getitem__(self, index):
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other)))


def place_name(value):
    """The binding's name of a device."""
    value = _default if value is None else device(value)
    if value.type == "meta":
        raise RuntimeError("the device meta is not supported yet by heddle")
    return value.type
