"""torch.cuda: the device that kernels run on, emulated or not. Its streams run one after the other."""

from _heddle_host import plain as _plain, torch_binding as _h

from .._bridge import OutOfMemoryError, call, unsupported as _unsupported
from .._types import device as _device

__all__ = ["OutOfMemoryError"]


def is_available():
    return True


def device_count():
    return 1


def current_device():
    return 0


def set_device(device):
    if _device(device).index not in (None, 0):
        raise RuntimeError("CUDA error: invalid device ordinal")


def synchronize(device=None):
    call("synchronize")


def get_device_capability(device=None):
    return _h.properties.major, _h.properties.minor


def get_device_name(device=None):
    return _h.properties.name


class _Properties:
    def __init__(self):
        for name, value in _plain(_h.properties).items():
            setattr(self, name, value)


def get_device_properties(device=None):
    return _Properties()


def empty_cache():
    pass


def mem_get_info(device=None):
    return tuple(_plain(call("memoryInfo")))


def memory_allocated(device=None):
    free, total = mem_get_info()
    return total - free


def max_memory_allocated(device=None):
    raise _unsupported("torch.cuda.max_memory_allocated")


def manual_seed(seed):
    from .._creation import manual_seed as own

    own(seed)


manual_seed_all = manual_seed


class Stream:
    cuda_stream = 0

    def __init__(self, device=None, priority=0, **_):
        self.device = _device("cuda", 0)

    def synchronize(self):
        synchronize()

    def wait_stream(self, stream):
        pass

    def wait_event(self, event):
        pass

    def record_event(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def query(self):
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


_current = Stream()


def current_stream(device=None):
    return _current


default_stream = current_stream


def set_stream(stream):
    global _current
    _current = stream


def stream(stream):
    return stream if stream is not None else Stream()


class Event:
    """A point in time: what was launched before has ended."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        self._time = None

    def record(self, stream=None):
        synchronize()
        self._time = call("now")

    def elapsed_time(self, end):
        if self._time is None or end._time is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return end._time - self._time

    def synchronize(self):
        pass

    def wait(self, stream=None):
        pass

    def query(self):
        return True


class device:
    def __init__(self, device):
        set_device(device)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def __getattr__(name):
    raise _unsupported(f"torch.cuda.{name}")
