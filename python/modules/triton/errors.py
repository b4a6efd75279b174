from .compiler.errors import TritonError  # noqa: F401
