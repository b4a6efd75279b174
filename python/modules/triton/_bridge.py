"""Calls of Heddle's Triton: errors become Triton's."""

import weakref

from _heddle_host import HostError, array, error_of, memory, triton_binding as _h, unsupported  # noqa: F401

from .compiler.errors import OutOfResources, compilation_error

# Sources of the functions that are open: errors count their lines.
functions = weakref.WeakSet()


def call(name, *args):
    if name == "launch":
        memory.changes += 1
    try:
        return getattr(_h, name)(*args)
    except HostError as exception:
        error = _error_of(exception)
    raise error


def _error_of(exception):
    text = str(getattr(exception, "message", exception))
    code, _, message = text.partition("\n")
    if code in ("compile-error", "unsupported"):
        return compilation_error(message, functions)
    if code == "invalid-launch":
        return OutOfResources(message)
    if code == "bad-arguments" and "does not fit in 64 bits" in message:
        return OverflowError(message)
    if code == "bad-arguments":
        return (TypeError if "argument" in message and "()" in message else ValueError)(message)
    return error_of(exception)
