"""Calls of Heddle's Triton: errors become Triton's."""

import _heddle_triton as _h
from pyodide.ffi import JsException, to_js
from torch._bridge import error_of, unsupported  # noqa: F401

from .compiler.errors import CompilationError, OutOfResources


def call(name, *args):
    try:
        return getattr(_h, name)(*args)
    except JsException as exception:
        text = str(getattr(exception, "message", exception))
        code, _, message = text.partition("\n")
        if code in ("compile-error", "unsupported"):
            raise CompilationError(message) from None
        if code == "invalid-launch":
            raise OutOfResources(message) from None
        if code == "bad-arguments":
            kind = TypeError if "argument" in message and "()" in message else ValueError
            raise kind(message) from None
        raise error_of(exception) from None


def array(items):
    return to_js(list(items))
