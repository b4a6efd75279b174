"""The same names as triton.language."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    from ... import language

    return getattr(language, name)
