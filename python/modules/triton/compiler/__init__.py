from .compiler import ASTSource, compile
from .errors import CompilationError, CompileTimeAssertionFailure, OutOfResources, TritonError

__all__ = [
    "ASTSource",
    "CompilationError",
    "CompileTimeAssertionFailure",
    "OutOfResources",
    "TritonError",
    "compile",
]
