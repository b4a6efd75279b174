from ..compiler.errors import OutOfResources  # noqa: F401
