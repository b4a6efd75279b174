"""Calls of Heddle's tensors: errors become Python's, lists become JavaScript's."""

import gc

from _heddle_host import (  # noqa: F401
    HostError,
    OutOfMemoryError,
    array,
    error_of,
    memory,
    plain,
    to_host,
    torch_binding as _h,
    unsupported,
)


CHANGING = {"assign", "fill", "setItem"}


def call(name, *args):
    if name in CHANGING:
        memory.changes += 1
    function = getattr(_h, name)
    try:
        return function(*args)
    except HostError as exception:
        error = error_of(exception)
        if not isinstance(error, OutOfMemoryError):
            raise error from None
    # Tensors in reference cycles still hold memory.
    gc.collect()
    try:
        return function(*args)
    except HostError as exception:
        raise error_of(exception) from None
