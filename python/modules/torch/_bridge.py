"""Calls of Heddle's tensors: errors become Python's, lists become JavaScript's."""

import gc

import _heddle_torch as _h
from pyodide.ffi import JsException, to_js


class OutOfMemoryError(RuntimeError):
    pass


ERRORS = {
    "out-of-memory": OutOfMemoryError,
    "unsupported": NotImplementedError,
}


def error_of(exception):
    """The Python error of an error from JavaScript, whose text begins with its code."""
    text = exception.message if hasattr(exception, "message") else str(exception)
    code, separator, message = str(text).partition("\n")
    if not separator:
        return RuntimeError(f"a bug in Heddle: {text}")
    if "out of bounds for dimension" in message:
        return IndexError(message)
    return ERRORS.get(code, RuntimeError)(message)


def call(name, *args):
    function = getattr(_h, name)
    try:
        return function(*args)
    except JsException as exception:
        error = error_of(exception)
        if not isinstance(error, OutOfMemoryError):
            raise error from None
    # Tensors in reference cycles still hold memory.
    gc.collect()
    try:
        return function(*args)
    except JsException as exception:
        raise error_of(exception) from None


def array(items):
    return to_js(list(items))


def unsupported(name):
    return AttributeError(f"{name} is not supported yet by heddle")
