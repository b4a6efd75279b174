class TritonError(Exception):
    pass


class CompilationError(TritonError):
    """A kernel does not compile. The text names the place in the source."""


class OutOfResources(TritonError):
    """A launch needs more than a block of the device has."""
