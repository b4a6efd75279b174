from ..compiler.errors import AutotunerError, InterpreterError, OutOfResources, PTXASError  # noqa: F401
