"""Lets programs that ask for a CUDA device run on the CPU: to try a capture where there is no GPU."""

import torch
from torch.overrides import TorchFunctionMode


def _on_cpu(value):
    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type == "cuda" else value
    if isinstance(value, str) and value.split(":")[0] == "cuda":
        return "cpu"
    return value


class _Mode(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if "device" in kwargs:
            value = kwargs["device"]
            kwargs["device"] = torch.device("cpu") if isinstance(value, int) else _on_cpu(value)
        name = getattr(function, "__name__", "")
        if name == "cuda":
            return args[0]
        if name in ("to", "new_tensor", "type"):
            args = tuple(_on_cpu(value) for value in args)
        if "pin_memory" in kwargs:
            kwargs["pin_memory"] = False
        return function(*args, **kwargs)


class _Event:
    def __init__(self, *_, **__):
        pass

    def record(self, *_):
        pass

    def synchronize(self):
        pass

    def wait(self, *_):
        pass

    def elapsed_time(self, _):
        return 1.0


class _Stream:
    cuda_stream = 0

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def wait_stream(self, *_):
        pass

    def synchronize(self):
        pass


class _Properties:
    name = "NVIDIA H100 80GB HBM3"
    major, minor = 9, 0
    multi_processor_count = 132
    total_memory = 80 * 2**30
    max_threads_per_multi_processor = 2048
    regs_per_multiprocessor = 65536
    warp_size = 32
    shared_memory_per_block_optin = 232448
    L2_cache_size = 50 * 2**20


def install():
    cuda = torch.cuda
    answers = {
        "is_available": True,
        "device_count": 1,
        "current_device": 0,
        "get_device_capability": (9, 0),
        "get_device_name": _Properties.name,
        "get_device_properties": _Properties(),
        "synchronize": None,
        "set_device": None,
        "empty_cache": None,
        "manual_seed": None,
        "manual_seed_all": None,
        "reset_peak_memory_stats": None,
        "max_memory_allocated": 0,
        "memory_allocated": 0,
        "mem_get_info": (70 * 2**30, 80 * 2**30),
        "is_bf16_supported": True,
        "current_stream": _Stream(),
        "stream": _Stream(),
        "init": None,
        "_lazy_init": None,
        "get_rng_state": torch.get_rng_state(),
        "set_rng_state": None,
    }
    for name, answer in answers.items():
        setattr(cuda, name, lambda *_, _answer=answer, **__: _answer)
    cuda.Event = _Event
    cuda.Stream = _Stream

    class Device(_Stream):
        pass

    cuda.device = Device
    torch.Tensor.cuda = lambda self, *_, **__: self
    torch.nn.Module.cuda = lambda self, *_, **__: self
    torch.Tensor.is_cuda = property(lambda _: True)
    mode = _Mode()
    mode.__enter__()

    import triton

    class Utils:
        @staticmethod
        def get_device_properties(_):
            return {"multiprocessor_count": 132, "max_shared_mem": 232448, "max_num_regs": 65536, "warpSize": 32}

    class Target:
        backend, arch, warp_size = "cuda", 90, 32

    class Active:
        utils = Utils()

        @staticmethod
        def get_current_target():
            return Target()

        @staticmethod
        def get_active_torch_device():
            return torch.device("cpu")

        @staticmethod
        def get_current_device():
            return 0

        @staticmethod
        def get_device_interface():
            return torch.cuda

        @staticmethod
        def get_benchmarker():
            return lambda call, **_: call() or [1.0, 1.0, 1.0]

    try:
        triton.runtime.driver.set_active(Active())
    except Exception:
        pass
    triton.testing.do_bench = lambda call, *_, **__: call() or 1.0
