"""torch.nn: its functions. Modules are not supported."""

from . import functional
from .._bridge import unsupported as _unsupported

__all__ = ["functional"]


def __getattr__(name):
    raise _unsupported(f"torch.nn.{name}")
