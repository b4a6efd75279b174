"""What a launch of the real Triton is, in the words of Heddle's own module: functions by their text, and arguments."""

import ast
import builtins
import inspect
import os
import re
import textwrap
import types

import torch
import triton.language as tl
from triton.runtime.jit import JITFunction, KernelInterface

try:
    from triton.runtime.interpreter import InterpretedFunction
except ImportError:
    InterpretedFunction = ()
try:
    from triton.runtime.jit import ConstexprFunction
except ImportError:
    ConstexprFunction = ()

_DEF = re.compile(r"^([ \t]*)(?:async\s+)?def\s", re.MULTILINE)
_KNOWN = set("triton torch os operator functools contextlib packaging sys platform typing math".split())
_JIT = tuple(kind for kind in (JITFunction, InterpretedFunction) if kind != ())

LONG = {
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "fp64": "float64",
    "fp8e5": "float8e5",
    "fp8e4nv": "float8e4nv",
    "fp8e4b8": "float8e4b8",
    "fp8e4b15": "float8e4b15",
    "fp8e5b16": "float8e5b16",
}
OF_TORCH = {"bool": "int1", "float8_e5m2": "float8e5", "float8_e4m3fn": "float8e4nv"}


def of_torch(dtype):
    name = str(dtype).removeprefix("torch.")
    return OF_TORCH.get(name, name)


def of_triton(dtype):
    if dtype.is_ptr():
        return "*" + of_triton(dtype.element_ty)
    return LONG.get(dtype.name, dtype.name)


class Functions:
    """Functions of a launch, each once: file, text and the values of the names that it takes from around."""

    def __init__(self, root):
        self.root = root
        self.table = []
        self._known = {}

    def add(self, fn, decorator):
        plain = fn.fn if not isinstance(fn, types.FunctionType) else fn
        if id(plain) in self._known:
            return self._known[id(plain)]
        index = self._known[id(plain)] = len(self.table)
        entry = {}
        self.table.append(entry)
        lines, first = inspect.getsourcelines(plain)
        raw = "".join(lines)
        start = _DEF.search(raw)
        if start is None:
            raise ValueError(f"{plain.__name__} is not made by def")
        text = raw[start.start() :]
        # Programs may replace the text of a function.
        own = getattr(fn, "_src", None)
        if own is not None and own.strip() != textwrap.dedent(text).strip():
            text, indent = own, ""
        else:
            indent = start.group(1)
        line = first + raw.count("\n", 0, start.start())
        head = (["if True:"] if indent else []) + ([f"{indent}@{decorator}"] if decorator else [])
        blank = max(0, line - 1 - len(head))
        file = os.path.relpath(plain.__code__.co_filename, self.root)
        entry["file"] = file
        entry["text"] = "\n" * blank + "".join(f"{one}\n" for one in head) + text
        entry["values"] = self._values(plain, textwrap.dedent(text))
        return index

    def _values(self, fn, text):
        tree = ast.parse(text)
        used = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                used.setdefault(node.id, set())
            elif isinstance(node, ast.Attribute):
                names = _chain(node)
                if names:
                    used.setdefault(names[0], set()).add(tuple(names[1:]))
        own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
        own.update(node.arg for node in ast.walk(tree) if isinstance(node, ast.arg))
        around = dict(fn.__globals__)
        for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or ()):
            try:
                around[name] = cell.cell_contents
            except ValueError:
                pass
        missing = object()
        found = []
        for name, attributes in sorted(used.items()):
            value = around.get(name, missing)
            if value is missing or name in own or value is getattr(builtins, name, missing):
                continue
            found.append([name, self.describe(value, attributes)])
        return found

    def describe(self, value, attributes=()):
        if isinstance(value, tl.constexpr) and isinstance(value.value, types.FunctionType):
            return ["function", self.add(value.value, "__constexpr_function__"), value.value.__name__]
        if isinstance(value, tl.constexpr):
            return self.describe(value.value, attributes)
        if value is None:
            return ["none"]
        if isinstance(value, (bool, int, float, str)) and type(value).__module__ == "builtins":
            return [type(value).__name__, value]
        if isinstance(value, tl.dtype):
            return ["dtype", of_triton(value)]
        if type(value).__name__ == "dtype" and type(value).__module__.startswith("torch"):
            return ["dtype", of_torch(value)]
        while isinstance(value, KernelInterface) and not isinstance(value, _JIT) and hasattr(value, "fn"):
            value = value.fn
        module = getattr(value, "__module__", None) or ""
        if isinstance(value, _JIT):
            module = value.fn.__module__
        name = getattr(value, "__name__", None)
        if name is not None and _is_triton(module) and not isinstance(value, types.ModuleType):
            return ["attribute", _triton_path(module), name]
        if isinstance(value, _JIT):
            return ["function", self.add(value, "__jit__"), value.__name__]
        if isinstance(value, ConstexprFunction):
            return ["function", self.add(value, "__constexpr_function__"), value.__name__]
        if isinstance(value, (tuple, list)) and type(value) in (tuple, list, torch.Size):
            return ["tuple", [self.describe(item) for item in value]]
        if isinstance(value, types.ModuleType):
            path = value.__name__
            if path.split(".")[0] in _KNOWN:
                return ["module", _triton_path(path) if "libdevice" in path else path]
            return self._namespace(value, attributes)
        if name is not None and module.split(".")[0] in _KNOWN and not module.startswith("triton.ops"):
            return ["attribute", module, name]
        if isinstance(value, types.FunctionType) and value.__name__ != "<lambda>":
            return ["function", self.add(value, ""), value.__name__]
        if type(value).__module__ == "numpy" and hasattr(value, "item") and not hasattr(value, "__setitem__"):
            return self.describe(value.item())
        return self._namespace(value, attributes)

    def _namespace(self, value, attributes):
        what = getattr(value, "__name__", None) or f"a {type(value).__name__}"
        entries = {}
        for first, *rest in attributes:
            if hasattr(value, first):
                entries.setdefault(first, set()).add(tuple(rest))
        described = []
        for name, inner in sorted(entries.items()):
            described.append([name, self.describe(getattr(value, name), {names for names in inner if names})])
        return ["namespace", what, described]


def _is_triton(module):
    """Triton's own; its old operators are a repository of their own."""
    return module.split(".")[0] == "triton" and not module.startswith("triton.ops")


def _triton_path(module):
    if "libdevice" in module:
        return "triton.language.extra.libdevice"
    if module.startswith("triton.language.extra"):
        return module
    return "triton.language" if module.startswith("triton.language") else "triton"


def _chain(node):
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


class Arguments:
    """The arguments of a launch, and the memory that they lead to."""

    def __init__(self, functions):
        self.functions = functions
        self.storages = {}

    def of(self, value):
        if isinstance(value, tl.constexpr):
            return self.of(value.value)
        if type(value).__name__ == "TensorWrapper":
            return self._pointer(value.base, of_triton(value.dtype))
        if isinstance(value, torch.Tensor):
            return self._pointer(value, of_torch(value.dtype))
        if value is None:
            return ["none"]
        if isinstance(value, (bool, int, float, str)):
            kind = next(kind for kind in (bool, int, float, str) if isinstance(value, kind))
            return [kind.__name__, kind(value)]
        if isinstance(value, tl.dtype):
            return ["dtype", of_triton(value)]
        if type(value).__name__ == "dtype":
            return ["dtype", of_torch(value)]
        if isinstance(value, KernelInterface) or isinstance(value, _JIT):
            return self.functions.describe(value)
        if isinstance(value, (tuple, list)):
            return ["tuple", [self.of(item) for item in value]]
        if hasattr(value, "block_shape"):
            parts = (value.shape, value.strides, value.block_shape)
            return ["descriptor", self.of(value.base), *([int(size) for size in part] for part in parts)]
        if hasattr(value, "__index__"):
            return ["int", value.__index__()]
        if hasattr(value, "__float__"):
            return ["float", float(value)]
        described = self.functions.describe(value)
        if described[0] in ("attribute", "function"):
            return described
        raise TypeError(f"a kernel takes no {type(value).__name__}")

    def _pointer(self, tensor, dtype):
        storage = tensor.untyped_storage()
        key = storage.data_ptr()
        if key not in self.storages:
            self.storages[key] = (len(self.storages), storage)
        index = self.storages[key][0]
        return ["memory", index, tensor.data_ptr() - key, tensor.numel(), dtype]

    def bytes_of_all(self):
        return sum(storage.nbytes() for _, storage in self.storages.values())

    def as_tensors(self):
        result = []
        for _, storage in self.storages.values():
            tensor = torch.empty(0, dtype=torch.uint8, device=storage.device)
            tensor.set_(storage, 0, (storage.nbytes(),), (1,))
            result.append(tensor)
        return result
