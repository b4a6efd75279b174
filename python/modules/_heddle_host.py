"""What our modules need of what runs them: Pyodide in a process of Heddle's, or the user's own CPython over a pipe."""

import sys

if sys.platform == "emscripten":
    from _heddle_pyodide import HostError, callback, plain, to_host, torch_binding, triton_binding
else:
    from _heddle_pipe import HostError, callback, plain, to_host, torch_binding, triton_binding

__all__ = ["HostError", "callback", "plain", "to_host", "torch_binding", "triton_binding"]


class OutOfMemoryError(RuntimeError):
    pass


ERRORS = {
    "out-of-memory": OutOfMemoryError,
    "unsupported": NotImplementedError,
}


class _Memory:
    """Counts what may have changed elements of tensors: values that Python remembers hold as long as it is the same."""

    changes = 0


memory = _Memory()


def error_of(exception):
    """The Python error of an error of Heddle's, whose text begins with its code."""
    text = str(getattr(exception, "message", exception))
    code, separator, message = text.partition("\n")
    if not separator:
        return RuntimeError(f"a bug in Heddle: {text}")
    if "out of bounds for dimension" in message:
        return IndexError(message)
    return ERRORS.get(code, RuntimeError)(message)


def array(items):
    return to_host(list(items))


def unsupported(name):
    return AttributeError(f"{name} is not supported yet by heddle")
