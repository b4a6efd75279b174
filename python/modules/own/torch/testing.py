"""torch.testing.assert_close"""

from ._bridge import call, plain
from ._tensor import Tensor

TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
}


def assert_close(
    actual,
    expected,
    *,
    rtol=None,
    atol=None,
    equal_nan=False,
    check_dtype=True,
    check_device=True,
    msg=None,
):
    if not isinstance(actual, Tensor):
        from ._creation import tensor

        actual, expected = tensor(actual), tensor(expected)
    if actual.shape != expected.shape:
        raise AssertionError(
            f"The values for attribute 'shape' do not match: {actual.shape} != {expected.shape}.",
        )
    if check_dtype and actual.dtype != expected.dtype:
        raise AssertionError(
            f"The values for attribute 'dtype' do not match: {actual.dtype} != {expected.dtype}.",
        )
    if check_device and actual.device != expected.device:
        raise AssertionError(
            f"The values for attribute 'device' do not match: {actual.device} != {expected.device}.",
        )
    pairs = [TOLERANCES.get(tensor.dtype.name, (0.0, 0.0)) for tensor in (actual, expected)]
    defaults = [max(values) for values in zip(*pairs)]
    rtol = defaults[0] if rtol is None else rtol
    atol = defaults[1] if atol is None else atol
    found = call("difference", actual._handle, expected._handle, rtol, atol, equal_nan)
    if found.mismatched == 0:
        return
    share = 100 * found.mismatched / found.elements
    lines = [
        "Tensor-likes are not close!",
        "",
        f"Mismatched elements: {found.mismatched} / {found.elements} ({share:.1f}%)",
        f"Greatest absolute difference: {found.greatestAbsolute} at index {tuple(plain(found.absoluteAt))} "
        f"(up to {atol} allowed)",
        f"Greatest relative difference: {found.greatestRelative} at index {tuple(plain(found.relativeAt))} "
        f"(up to {rtol} allowed)",
    ]
    raise AssertionError(msg if isinstance(msg, str) else "\n".join(lines))
