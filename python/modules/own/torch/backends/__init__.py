"""Switches of PyTorch's libraries: they can be set, and change nothing."""


class _Switches:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        inner = _Switches()
        object.__setattr__(self, name, inner)
        return inner


cuda = _Switches()
cudnn = _Switches()
