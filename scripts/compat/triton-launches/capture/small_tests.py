"""A plugin of pytest: a few cases of each test, the shorter ones first, none longer than a time limit."""

import os
import signal
import sys
import time

import pytest

CASES = int(os.environ.get("CAPTURE_CASES", "2"))
SECONDS = int(os.environ.get("CAPTURE_CASE_SECONDS", "20"))
END = float(os.environ.get("CAPTURE_END", "0"))


class OutOfTime(BaseException):
    pass


def _without_own_cache():
    """FlagGems launches what it has compiled once by itself; here each launch goes the way of the first."""
    module = sys.modules.get("flag_gems.utils.libentry")
    if module is not None:
        module.LibEntry.run = lambda self, *args, **kwargs: (self.fn.run(*args, **kwargs), {})


def pytest_collection_modifyitems(items):
    _without_own_cache()
    groups = {}
    for item in items:
        groups.setdefault(item.nodeid.split("[")[0], []).append(item)
    chosen = []
    for turn in range(CASES):
        for group in groups.values():
            # The first, the one in the middle, and so on: parameters often stand in the order of their sizes.
            order = [0, len(group) // 2, len(group) - 1, len(group) // 4]
            places = list(dict.fromkeys(order))
            if turn < len(places):
                chosen.append(group[places[turn]])
    items[:] = list(dict.fromkeys(chosen))


@pytest.fixture
def device():
    """For tests that Triton's own configuration of pytest once gave the device."""
    return "cuda"


def _alarm(*_):
    raise OutOfTime()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    if END and time.time() > END:
        pytest.skip("no time left")
    signal.signal(signal.SIGALRM, _alarm)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)


def pytest_runtest_logreport(report):
    log = os.environ.get("CAPTURE_LOG")
    if log and (report.when == "call" or report.failed):
        with open(log, "a") as file:
            text = str(report.longrepr)[-300:] if report.failed else ""
            file.write(f"{report.outcome} {report.nodeid} {text!r}\n")
