"""What Heddle is told of a function: its text at its own lines, and the values of names that it takes from around."""

import ast
import builtins
import inspect
import os
import re
import textwrap
import types

import torch

from .. import language as tl

_DEF = re.compile(r"^([ \t]*)(?:async\s+)?def\s", re.MULTILINE)

# What Heddle's front end knows of other modules.
_KNOWN = set("triton torch os operator functools contextlib packaging sys platform typing math".split())


class Source:
    """The lines of a function, without its decorators."""

    def __init__(self, fn):
        self.fn = fn
        self.file = os.path.relpath(fn.__code__.co_filename)
        try:
            lines, first = inspect.getsourcelines(fn)
        except (OSError, TypeError):
            raise ValueError("@jit functions should be defined in a Python file") from None
        raw = "".join(lines)
        start = _DEF.search(raw)
        if start is None:
            raise ValueError(f"@jit takes a function that `def` makes, not {fn.__name__}")
        self.line = first + raw.count("\n", 0, start.start())
        self.indent = start.group(1)
        self.text = raw[start.start() :]

    @property
    def dedented(self):
        return textwrap.dedent(self.text)

    def replace(self, text):
        self.text, self.indent = text, ""

    def padded(self, decorator):
        """A module of the function alone: lines and columns are those of its file."""
        head = []
        if self.indent:
            head.append("if True:")
        if decorator:
            head.append(f"{self.indent}@{decorator}")
        blank = max(0, self.line - 1 - len(head))
        return "\n" * blank + "".join(f"{line}\n" for line in head) + self.text

    def values(self):
        """Names that the text uses, with what they are bound to around the function."""
        tree = ast.parse(self.dedented)
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
        around = dict(self.fn.__globals__)
        for name, cell in zip(self.fn.__code__.co_freevars, self.fn.__closure__ or ()):
            try:
                around[name] = cell.cell_contents
            except ValueError:
                pass  # not bound yet
        missing = object()
        found = []
        for name, attributes in sorted(used.items()):
            value = around.get(name, missing)
            if value is missing or name in own or value is getattr(builtins, name, missing):
                continue
            found.append([name, describe(value, attributes)])
        return found


def _chain(node):
    """`a.b.c` as its names; none where it begins with something else."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


def describe(value, attributes=()):
    """What Heddle takes: a list of the kind and the value."""
    from .jit import ConstexprFunction, JITCallable, KernelInterface

    if isinstance(value, tl.constexpr) and isinstance(value.value, types.FunctionType):
        # `@tl.constexpr`: kernels call it while they are compiled.
        return ["function", ConstexprFunction(value.value).opened(), value.value.__name__]
    if isinstance(value, tl.constexpr):
        return describe(value.value, attributes)
    if value is None:
        return ["none"]
    if isinstance(value, (bool, int, float, str)) and type(value).__module__ == "builtins":
        return [type(value).__name__, value]
    if isinstance(value, tl.dtype):
        return ["dtype", value.python_name]
    if type(value).__name__ == "dtype" and type(value).__module__.startswith("torch"):
        return ["dtype", tl.of_torch(value).python_name]
    while isinstance(value, KernelInterface) and not isinstance(value, JITCallable):
        value = value.fn
    if isinstance(value, (JITCallable, ConstexprFunction)):
        return ["function", value.opened(), value.__name__]
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list, torch.Size):
        return ["tuple", [describe(item) for item in value]]
    if isinstance(value, types.ModuleType):
        return _module(value, attributes)
    if isinstance(value, tl._Function):
        return ["attribute", "triton.language", value.__name__]
    module = getattr(value, "__module__", None) or ""
    name = getattr(value, "__name__", None)
    if name is not None and module.split(".")[0] in _KNOWN:
        path = "triton.language" if module.startswith("triton.language") else module
        return ["attribute", "triton" if path.startswith("triton.runtime") else path, name]
    if isinstance(value, types.FunctionType) and value.__name__ != "<lambda>":
        return ["function", ConstexprFunction(value, is_known=False).opened(), value.__name__]
    if type(value).__module__ == "numpy" and hasattr(value, "item") and not hasattr(value, "__setitem__"):
        return describe(value.item())
    return _namespace(value, attributes)


def _module(module, attributes):
    path = module.__name__
    if path.split(".")[0] in _KNOWN:
        return ["module", path]
    return _namespace(module, attributes)


def _namespace(value, attributes):
    """Of a user's module or class: what the function takes from it."""
    what = getattr(value, "__name__", None) or f"a {type(value).__name__}"
    entries = {}
    for first, *rest in attributes:
        if hasattr(value, first):
            entries.setdefault(first, set()).add(tuple(rest))
    described = []
    for name, inner in sorted(entries.items()):
        described.append([name, describe(getattr(value, name), {names for names in inner if names})])
    return ["namespace", what, described]
