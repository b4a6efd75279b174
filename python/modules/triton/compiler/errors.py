import re


class TritonError(Exception):
    """Base class of Triton's errors."""


class CompilationError(TritonError):
    """A kernel does not compile. The text names the place in the source."""


class CompileTimeAssertionFailure(CompilationError):
    """tl.static_assert"""


class UnsupportedLanguageConstruct(CompilationError):
    """Python that kernels cannot have."""


class OutOfResources(TritonError):
    """A launch needs more than a block of the device has."""


class InterpreterError(TritonError):
    """Triton's own interpreter raises it; Heddle does not."""


class PTXASError(TritonError):
    """ptxas refuses a kernel."""


class AutotunerError(TritonError):
    """No configuration of autotune works."""


_PLACE = re.compile(r"^  at (.*):(\d+):(\d+)$", re.MULTILINE)
_CALL = re.compile(r"^  called from (.*):(\d+):(\d+), as (.*)$", re.MULTILINE)


_EXCERPT = re.compile(r"^( +\d+ \| )(.*)\n +\| ( *)\^", re.MULTILINE)


def _is_call(message):
    """Whether the caret stands below a call: one of Triton's functions has raised the error."""
    found = _EXCERPT.search(message)
    return found is not None and re.match(r"[\w.]+\(", found.group(2)[len(found.group(3)) :]) is not None


def compilation_error(message, functions):
    """
    The exception of a message of Heddle's. An error in a helper is the cause of the one at its call, as in Triton.

    functions: the sources of the functions that are open, to count lines as Triton does.
    """
    kind = CompileTimeAssertionFailure if message.startswith("static assertion failed") else CompilationError
    places = [match.groups()[:3] for pattern in (_PLACE, _CALL) for match in pattern.finditer(message)]
    error = None
    for file, line, column in places:
        found = _function_at(functions, file, int(line))
        text = message if error is None and len(places) == 1 or error is not None else message.split("\n")[0]
        if found is not None:
            row, at = int(line) - found.line + 1, int(column) - 1 - len(found.indent)
            head, *rest = text.split("\n")
            text = "\n".join([f"at {row}:{at}: of {found.fn.__name__}", head, *rest])
        outer = kind(text)
        outer.__cause__, error = error, outer
        if error.__cause__ is None and kind is CompilationError and _is_call(message):
            error.__cause__ = ValueError(message.split("\n")[0])
        kind = CompilationError
    return error or kind(message)


def _function_at(functions, file, line):
    for source in functions:
        if source.file == file and source.line <= line < source.line + source.text.count("\n") + 1:
            return source
    return None
