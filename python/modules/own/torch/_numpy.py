"""Tensors from NumPy's arrays and back: bytes go over as they are."""

import sys

from ._bridge import call

# NumPy has no type for these: their values are float32 there, or bytes.
_NAMES = {"bool": "bool_"}


def is_numpy(data):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(data, (numpy.ndarray, numpy.generic))


def bytes_of(data):
    """The bytes, the shape and the type of an array."""
    import numpy

    from ._types import DTYPES

    data = numpy.asarray(data)
    name = data.dtype.name

    if name not in DTYPES:
        raise TypeError(
            f"can't convert np.ndarray of type {data.dtype}. The only supported types are: {', '.join(DTYPES)}."
        )
    return numpy.ascontiguousarray(data).tobytes(), list(data.shape), name


def order_of(data):
    """The dimensions from the outermost to the innermost as they lie in memory; None: row by row, or with gaps."""
    import numpy

    order = sorted(range(data.ndim), key=lambda dim: -abs(data.strides[dim]))
    is_dense = data.transpose(order).flags.c_contiguous
    return None if not is_dense or numpy.asarray(data).flags.c_contiguous else order


def to_numpy(tensor):
    try:
        import numpy
    except ModuleNotFoundError:
        raise RuntimeError("Tensor.numpy needs NumPy, which is not installed; use tolist()") from None
    name = tensor.dtype.name
    found = getattr(numpy, _NAMES.get(name, name), None)
    if found is None:
        raise TypeError(f"Got unsupported ScalarType {name.capitalize()}")
    return numpy.frombuffer(bytearray(call("bytes", tensor._handle)), dtype=found).reshape(tensor.shape)
