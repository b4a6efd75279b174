"""What scripts use of pytest when they are run, not tested: marks. An installed pytest comes first."""

import contextlib


class _Mark:
    """@pytest.mark.anything and @pytest.mark.anything(…) leave a function as it is."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Mark()

    def __call__(self, *args, **kwargs):
        return args[0] if len(args) == 1 and callable(args[0]) and not kwargs else _Mark()


mark = _Mark()


def param(*values, **_):
    return values


def fixture(*args, **kwargs):
    return args[0] if len(args) == 1 and callable(args[0]) else lambda function: function


class Skipped(Exception):
    pass


def skip(reason="", **_):
    raise Skipped(reason)


@contextlib.contextmanager
def raises(expected, match=None):
    import re

    try:
        yield
    except expected as error:
        if match is not None and not re.search(match, str(error)):
            raise AssertionError(f"{match!r} does not match {str(error)!r}") from error
    else:
        raise AssertionError(f"DID NOT RAISE {expected}")


def __getattr__(name):
    raise AttributeError(f"pytest.{name} is not supported yet by heddle")
