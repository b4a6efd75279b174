"""torch.Tensor: a handle of one of Heddle's tensors."""

from _heddle_host import torch_binding as _h

from ._bridge import array, call, memory, plain, to_host, unsupported
from ._numpy import to_numpy
from ._types import ALIASES, DTYPES, Size, device, dtype, place_name


def wrap(handle):
    tensor = Tensor.__new__(Tensor)
    tensor._handle = handle
    tensor._shape = None
    tensor._known = None
    tensor._dtype = None
    return tensor


def scalar_kind(value):
    """The letter that tells the binding what a number is; None: it is no number."""
    if isinstance(value, bool):
        return "b"
    if isinstance(value, int):
        return "i"
    if isinstance(value, float):
        return "f"
    return None


def operand(value):
    if isinstance(value, Tensor):
        return value._handle, "t"
    kind = scalar_kind(value)
    if kind is None and hasattr(value, "__float__") and not isinstance(value, str):
        return float(value), "f"
    if kind is None:
        raise TypeError(f"a tensor or a number is needed, not {type(value).__name__}")
    return value, kind


def binary(name, a, b):
    (x, p), (y, q) = operand(a), operand(b)
    return wrap(call("binary", name, x, y, p + q))


def unary(name, a):
    return wrap(call("unary", name, a._handle))


def dims_of(dim):
    if dim is None:
        return None
    return array([dim] if isinstance(dim, int) else dim)


def sizes_of(sizes):
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = sizes[0]
    return array(int(size) for size in sizes)


def index_of(key):
    """A subscript as the binding takes it."""
    items = key if isinstance(key, tuple) else (key,)
    indices = []
    for item in items:
        if item is None:
            indices.append({"kind": "new"})
        elif item is Ellipsis:
            indices.append({"kind": "rest"})
        elif isinstance(item, slice):
            step = 1 if item.step is None else int(item.step)
            bounds = [None if bound is None else int(bound) for bound in (item.start, item.stop)]
            indices.append({"kind": "slice", "start": bounds[0], "stop": bounds[1], "step": step})
        elif isinstance(item, Tensor):
            indices.append({"kind": "tensor", "tensor": item._handle})
        elif isinstance(item, (list, range)):
            from ._creation import tensor

            indices.append({"kind": "tensor", "tensor": tensor(list(item))._handle})
        elif hasattr(item, "__index__"):
            indices.append({"kind": "at", "index": item.__index__()})
        else:
            raise TypeError(f"an index is a number, a slice, a tensor or None, not {type(item).__name__}")
    return to_host(indices)


class Tensor:
    # NumPy's scalars leave operators to tensors.
    __array_priority__ = 1000

    def __init__(self, *_, **__):
        raise TypeError("torch.Tensor(…) is not supported yet by heddle: use torch.tensor or torch.empty")

    def __del__(self):
        handle = getattr(self, "_handle", None)
        if handle is not None:
            _h.release(handle)

    # What it is

    @property
    def dtype(self):
        if self._dtype is None:
            self._dtype = DTYPES[_h.dtype(self._handle)]
        return self._dtype

    @property
    def shape(self):
        if self._shape is None:
            self._shape = Size(plain(_h.shape(self._handle)))
        return self._shape

    @property
    def device(self):
        return device("cuda", 0) if _h.device(self._handle) == "cuda" else device("cpu")

    @property
    def is_cuda(self):
        return self.device.type == "cuda"

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.numel() * self.itemsize

    def dim(self):
        return len(self.shape)

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def stride(self, dim=None):
        strides = tuple(plain(_h.strides(self._handle)))
        return strides if dim is None else strides[dim]

    def numel(self):
        return self.shape.numel()

    nelement = numel

    def element_size(self):
        return self.dtype.itemsize

    def data_ptr(self):
        return _h.pointer(self._handle)

    def storage_offset(self):
        return _h.offset(self._handle)

    def is_contiguous(self):
        return _h.isContiguous(self._handle)

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __repr__(self):
        return call("format", self._handle)

    def __format__(self, spec):
        return format(self.item(), spec) if self.dim() == 0 else object.__format__(self, spec)

    def __hash__(self):
        return id(self)

    # Its elements

    def _number(self, value):
        if self.dtype.name == "bool":
            return bool(value)
        return float(value) if self.dtype.is_floating_point else int(value)

    def item(self):
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        if self._known is not None and self._known[0] == memory.changes:
            return self._number(self._known[1])
        return self._number(_h.item(self._handle))

    def tolist(self):
        if self.dim() == 0:
            return self.item()
        values = plain(_h.values(self._handle))
        kind = bool if self.dtype.name == "bool" else float if self.dtype.is_floating_point else int
        flat = list(map(kind, values))
        for size in reversed(self.shape[1:]):
            flat = [flat[i : i + size] for i in range(0, len(flat), size)] if size else []
        return flat

    def __bool__(self):
        if self.numel() != 1:
            raise RuntimeError(f"Boolean value of Tensor with {self.numel()} values is ambiguous")
        return bool(self.item())

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    def __index__(self):
        if self.dtype.is_floating_point:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def __iter__(self):
        if not self.shape:
            raise TypeError("iteration over a 0-d tensor")
        if self.dim() > 1 or self.requires_grad:
            return (self[i] for i in range(self.shape[0]))
        return iter(self._elements())

    def _elements(self):
        """The elements as tensors, with their values: one call in place of one for each."""
        values, before = plain(_h.values(self._handle)), memory.changes
        elements = []
        for handle, value in zip(plain(call("rows", self._handle)), values):
            element = wrap(handle)
            element._shape, element._dtype, element._known = Size(()), self.dtype, (before, value)
            elements.append(element)
        return elements

    def __contains__(self, value):
        return bool((self == value).any())

    def numpy(self, **_):
        if self.is_cuda:
            raise TypeError(
                "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory "
                "first."
            )
        return to_numpy(self)

    def __array__(self, dtype=None, copy=None):
        found = self.numpy()
        return found if dtype is None else found.astype(dtype)

    def __getitem__(self, key):
        return wrap(call("getItem", self._handle, index_of(key)))

    def __setitem__(self, key, value):
        given, kind = operand(value)
        call("setItem", self._handle, index_of(key), given, kind)

    # Types and devices

    def to(self, *args, dtype=None, device=None, **_):
        for value in args:
            if isinstance(value, Tensor):
                dtype, device = value.dtype, value.device
            elif type(value).__name__ == "dtype":
                dtype = value
            elif not isinstance(value, bool):
                device = value
        result = self if dtype is None else wrap(call("cast", self._handle, dtype.name))
        return result if device is None else wrap(call("move", result._handle, place_name(device)))

    type = to

    def cpu(self):
        return self.to("cpu")

    def cuda(self, *_, **__):
        return self.to("cuda")

    # The tape

    @property
    def requires_grad(self):
        return call("requiresGradient", self._handle)

    @requires_grad.setter
    def requires_grad(self, required):
        self.requires_grad_(required)

    def requires_grad_(self, requires_grad=True):
        if requires_grad and not self.dtype.is_floating_point:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        call("setRequiresGradient", self._handle, requires_grad)
        return self

    @property
    def is_leaf(self):
        return call("isLeaf", self._handle)

    @property
    def grad_fn(self):
        name = call("nodeName", self._handle)
        return None if name is None else f"<{name}>"

    @property
    def grad(self):
        handle = call("gradient", self._handle)
        return None if handle is None else wrap(handle)

    @grad.setter
    def grad(self, value):
        call("setGradient", self._handle, None if value is None else value._handle)

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        if inputs is not None:
            raise NotImplementedError("Tensor.backward(inputs=) is not supported yet by heddle")
        if gradient is None:
            if self.numel() != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            gradient = self.new_full(self.shape, 1)
        retains = create_graph if retain_graph is None else retain_graph
        call("backward", self._handle, gradient._handle, bool(retains), bool(create_graph))

    def detach(self):
        return wrap(call("detach", self._handle))

    @property
    def data(self):
        return self.detach()

    # Shapes

    def view(self, *shape):
        if len(shape) == 1 and isinstance(shape[0], dtype):
            return wrap(call("viewAsType", self._handle, shape[0].name))
        return wrap(call("view", self._handle, sizes_of(shape)))

    def reshape(self, *shape):
        return wrap(call("reshape", self._handle, sizes_of(shape)))

    def view_as(self, other):
        return self.view(other.shape)

    def permute(self, *dims):
        return wrap(call("permute", self._handle, sizes_of(dims)))

    def transpose(self, dim0, dim1):
        return wrap(call("transpose", self._handle, dim0, dim1))

    def t(self):
        return self if self.dim() < 2 else self.transpose(0, 1)

    @property
    def T(self):
        return self.permute(*reversed(range(self.dim())))

    @property
    def mT(self):
        return self.transpose(-2, -1)

    def expand(self, *shape):
        return wrap(call("expand", self._handle, sizes_of(shape)))

    def expand_as(self, other):
        return self.expand(other.shape)

    def squeeze(self, dim=None):
        return wrap(call("squeeze", self._handle, dims_of(dim)))

    def unsqueeze(self, dim):
        return wrap(call("unsqueeze", self._handle, dim))

    def flatten(self, start_dim=0, end_dim=-1):
        start, end = start_dim % max(1, self.dim()), end_dim % max(1, self.dim())
        return self.reshape(*self.shape[:start], -1, *self.shape[end + 1 :])

    def repeat(self, *sizes):
        from ._ops import cat

        sizes = list(plain(sizes_of(sizes)))
        result = self.reshape(*([1] * (len(sizes) - self.dim())), *self.shape)
        for dim, count in enumerate(sizes):
            result = cat([result] * count, dim)
        return result

    def contiguous(self):
        return wrap(call("contiguous", self._handle))

    def clone(self, **_):
        return wrap(call("clone", self._handle))

    # In place

    def _assign(self, value):
        if self.requires_grad and call("gradEnabled"):
            raise RuntimeError("in-place operations on tensors that require grad are not supported yet by heddle")
        call("assign", self._handle, value._handle)
        return self

    def copy_(self, source, non_blocking=False):
        return self._assign(source.to(self.device))

    def fill_(self, value):
        call("fill", self._handle, value)
        return self

    def zero_(self):
        return self.fill_(0)

    def normal_(self, mean=0.0, std=1.0):
        from ._creation import randn

        drawn = randn(self.shape, dtype=self.dtype, device=self.device)
        return self._assign(drawn if (mean, std) == (0.0, 1.0) else drawn * std + mean)

    def uniform_(self, low=0.0, high=1.0):
        from ._creation import rand

        return self._assign(rand(self.shape, dtype=self.dtype, device=self.device) * (high - low) + low)

    def new_full(self, size, value, dtype=None, device=None, **_):
        from ._creation import full

        return full(size, value, dtype=dtype or self.dtype, device=device or self.device)

    def new_empty(self, *size, dtype=None, device=None, **_):
        from ._creation import empty

        return empty(*size, dtype=dtype or self.dtype, device=device or self.device)

    def new_zeros(self, *size, dtype=None, device=None, **_):
        return self.new_empty(*size, dtype=dtype, device=device).zero_()

    def new_ones(self, *size, dtype=None, device=None, **_):
        return self.new_empty(*size, dtype=dtype, device=device).fill_(1)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise unsupported(f"torch.Tensor.{name}")


def _operators():
    operators = {
        "add": "add",
        "sub": "sub",
        "mul": "mul",
        "truediv": "div",
        "floordiv": "floor_divide",
        "mod": "remainder",
        "pow": "pow",
        "and": "bitwise_and",
        "or": "bitwise_or",
        "xor": "bitwise_xor",
        "lshift": "shift_left",
        "rshift": "shift_right",
    }

    def define(python, name):
        setattr(Tensor, f"__{python}__", lambda self, other: binary(name, self, other))
        setattr(Tensor, f"__r{python}__", lambda self, other: binary(name, other, self))
        setattr(Tensor, f"__i{python}__", lambda self, other: in_place(self, binary(name, self, other)))

    def in_place(self, result):
        return result if self.requires_grad else self._assign(result)

    for python, name in operators.items():
        define(python, name)
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(Tensor, f"__{name}__", lambda self, other, name=name: binary(name, self, other))
    Tensor.__neg__ = lambda self: unary("neg", self)
    Tensor.__pos__ = lambda self: self
    Tensor.__abs__ = lambda self: unary("abs", self)
    Tensor.__invert__ = lambda self: unary("logical_not" if self.dtype.name == "bool" else "bitwise_not", self)
    Tensor.__matmul__ = lambda self, other: wrap(call("matmul", self._handle, other._handle))

    def convert(name):
        return lambda self: self.to(DTYPES[name])

    for name, target in {**ALIASES, "bool": "bool", "bfloat16": "bfloat16", "byte": "uint8", "char": "int8"}.items():
        setattr(Tensor, name, convert(target))


_operators()
