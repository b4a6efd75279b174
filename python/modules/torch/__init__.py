"""
An installed PyTorch where there is one: kernels take its tensors of the CPU. Else Heddle's own torch, in own/torch.
HEDDLE_TORCH=own asks for Heddle's.
"""

import importlib.util
import os
import sys
from importlib.machinery import PathFinder

_OWN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "own")


def _others():
    """The path without the folder of this file."""
    if sys.platform == "emscripten" or os.environ.get("HEDDLE_TORCH") == "own":
        return []
    here = os.path.dirname(_OWN)
    return [folder for folder in sys.path if os.path.abspath(folder or ".") != here]


def _load():
    # What is loaded here takes this module's place.
    spec = PathFinder.find_spec("torch", _others()) or PathFinder.find_spec("torch", [_OWN])
    module = importlib.util.module_from_spec(spec)
    sys.modules["torch"] = module
    spec.loader.exec_module(module)


_load()
