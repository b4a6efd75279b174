"""Calls of Heddle from Pyodide: values become JavaScript's."""

import _heddle_torch as torch_binding  # noqa: F401
import _heddle_triton as triton_binding  # noqa: F401
from js import Object
from pyodide.ffi import JsException as HostError, create_proxy as callback, to_js  # noqa: F401


def to_host(value):
    return to_js(value, dict_converter=Object.fromEntries)


def plain(value):
    """Lists and records of Heddle's as Python's; objects in them stay Heddle's."""
    return value.to_py() if hasattr(value, "to_py") else value
