from .errors import CompilationError, OutOfResources, TritonError  # noqa: F401
