"""Stands in for packages that are not installed and that no kernel needs: whatever a program asks them for is there."""

import importlib.abc
import importlib.machinery
import sys
import types


class _Anything:
    """An object that takes every use."""

    def __init__(self, *_, **__):
        pass

    def __call__(self, *args, **kwargs):
        # As a decorator it leaves the function as it is.
        if len(args) == 1 and not kwargs and isinstance(args[0], (types.FunctionType, type)):
            return args[0]
        return _Anything()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything()

    def __iter__(self):
        return iter(())

    def __bool__(self):
        return False

    def __mro_entries__(self, _):
        return (object,)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def __getitem__(self, _):
        return _Anything()

    def __or__(self, _):
        return self

    def __ror__(self, _):
        return self


class _Module(types.ModuleType):
    __path__ = []
    __version__ = "0.0.0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name[:1].isupper():
            return type(name, (), {"__init__": lambda self, *_, **__: None})
        return _Anything()


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names):
        self.names = set(names)

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.names:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _Module(spec.name)

    def exec_module(self, module):
        pass


def install(names):
    """Only those that cannot be found."""
    missing = []
    for name in names:
        if name in sys.modules:
            continue
        try:
            found = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            found = None
        if found is None:
            missing.append(name)
    sys.meta_path.append(Finder(missing))
    return missing
