"""Steps of a driver: one that fails is named, and the others go on."""

import os
import time
import traceback


def step(function):
    """Runs the function at once."""
    if time.time() > float(os.environ.get("CAPTURE_END") or "inf"):
        return function
    try:
        function()
    except Exception:
        print(f"step {function.__name__}:")
        traceback.print_exc()
    return function
