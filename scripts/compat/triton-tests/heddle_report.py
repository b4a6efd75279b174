"""
A plugin of pytest for scripts/compat/triton-tests.mjs. It writes a line for each case: its name, what became of it,
and the error. Cases that HEDDLE_CASES does not list are left out. Triton's own helper for its tests is taken from its
checkout: our `triton` does not have it.
"""

import json
import os
import signal

import pytest
import triton

if "TRITON_INTERPRET" not in os.environ:
    triton.__path__.append(os.environ["HEDDLE_TRITON_PACKAGE"])
    # Checks of the text of Triton's own PTX are for its own back end: tests leave them out for others, as they do for
    # Triton's interpreter.
    _target = triton.runtime.driver.active.get_current_target()
    _target.backend = "heddle"
    triton.runtime.driver.active.get_current_target = lambda: _target

_LIMIT = int(os.environ.get("HEDDLE_CASE_SECONDS", "60"))
_results = open(os.environ["HEDDLE_RESULTS"], "a")


class TooSlow(BaseException):
    pass


def _stop(*_):
    raise TooSlow


def pytest_collection_modifyitems(config, items):
    if config.option.collectonly:
        return
    with open(os.environ["HEDDLE_CASES"]) as stream:
        wanted = set(stream.read().splitlines())
    items[:] = [item for item in items if item.nodeid in wanted]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(_LIMIT)
    try:
        return (yield)
    except TooSlow:
        # The answer to a call is still on its way: another process goes on.
        _write(item.nodeid, "failed", _LIMIT, f"takes more than {_LIMIT} s")
        os._exit(1)
    finally:
        signal.alarm(0)


def pytest_runtest_logreport(report):
    if report.when != "call" and report.outcome == "passed":
        return
    outcome = report.outcome
    if hasattr(report, "wasxfail"):
        outcome = "skipped"
    crash = getattr(report.longrepr, "reprcrash", None)
    text = "" if outcome == "passed" else crash.message if crash is not None else str(report.longrepr)
    _write(report.nodeid, outcome, report.duration, text)


def _write(case, outcome, seconds, text):
    line = {"case": case, "outcome": outcome, "seconds": round(seconds, 3), "text": text[:3000]}
    _results.write(json.dumps(line) + "\n")
    _results.flush()
