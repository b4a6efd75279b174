"""
Triton's settings. Heddle has no compiler passes or caches of Triton's that they could steer: programs may set them and
read them back, and nothing else changes.
"""

import contextlib
import copy
import os


class _Descriptor:
    def __init__(self, key):
        self.key = key


class _Tool:
    """A program of CUDA's, as programs ask for its version. Heddle needs none."""

    path = None
    version = "12.8"


class base_knobs:
    _FIELDS = {}

    def __init__(self):
        self.reset()

    @property
    def knob_descriptors(self):
        return {name: _Descriptor(key) for name, (key, _) in self._FIELDS.items()}

    @property
    def knobs(self):
        return {name: getattr(self, name) for name in self._FIELDS}

    def copy(self):
        return copy.copy(self)

    def reset(self):
        for name, (key, default) in self._FIELDS.items():
            setattr(self, name, _of_environment(key, default))
        return self

    @contextlib.contextmanager
    def scope(self):
        before = dict(self.__dict__)
        try:
            yield
        finally:
            self.__dict__.clear()
            self.__dict__.update(before)


def _of_environment(key, default):
    text = os.environ.get(key)
    if text is None:
        return default
    if isinstance(default, bool):
        return text.lower() in ("1", "true", "on", "y", "yes")
    return text


def _knobs(name, **fields):
    return type(f"{name}_knobs", (base_knobs,), {"_FIELDS": fields})()


propagate_env = True

build = _knobs("build", cc=("CC", None))
cache = _knobs("cache", dir=("TRITON_CACHE_DIR", os.path.expanduser("~/.triton/cache")))
compilation = _knobs(
    "compilation",
    always_compile=("TRITON_ALWAYS_COMPILE", False),
    disable_line_info=("TRITON_DISABLE_LINE_INFO", False),
    front_end_debugging=("TRITON_FRONT_END_DEBUGGING", False),
)
autotuning = _knobs("autotuning", cache=("TRITON_CACHE_AUTOTUNING", False), print=("TRITON_PRINT_AUTOTUNING", False))
runtime = _knobs(
    "runtime",
    debug=("TRITON_DEBUG", False),
    interpret=("TRITON_INTERPRET", False),
    override_arch=("TRITON_OVERRIDE_ARCH", None),
)
language = _knobs(
    "language",
    default_fp_fusion=("TRITON_DEFAULT_FP_FUSION", True),
    fp32_default=("TRITON_F32_DEFAULT", None),
)
nvidia = _knobs("nvidia", mock_ptx_version=("TRITON_MOCK_PTX_VERSION", None))
nvidia.ptxas = _Tool()
amd = _knobs("amd")
