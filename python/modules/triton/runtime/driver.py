"""triton.runtime.driver.active: what there is to know of the device."""

from _heddle_host import torch_binding as _h
import torch

# An installed torch for CPUs: its tensors are copied to the device for each launch.
_is_own = hasattr(torch, "_is_heddle")


class GPUTarget:
    def __init__(self, backend, arch, warp_size):
        self.backend, self.arch, self.warp_size = backend, arch, warp_size

    def __repr__(self):
        return f"GPUTarget(backend={self.backend!r}, arch={self.arch!r}, warp_size={self.warp_size!r})"


class _Utils:
    def get_device_properties(self, device):
        own = _h.properties
        return {
            "max_shared_mem": own.shared_memory_per_block_optin,
            "max_num_regs": own.regs_per_multiprocessor,
            "multiprocessor_count": own.multi_processor_count,
            "warpSize": own.warp_size,
            "sm_clock_rate": own.clock_rate,
            "mem_clock_rate": own.memory_clock_rate,
            "mem_bus_width": own.memory_bus_width,
            "max_threads_per_sm": own.max_threads_per_multi_processor,
        }


class _Device:
    def __init__(self):
        self.utils = _Utils()

    def get_active_torch_device(self):
        return torch.device("cuda", 0) if _is_own else torch.device("cpu")

    def get_current_target(self):
        own = _h.properties
        return GPUTarget("cuda", own.major * 10 + own.minor, own.warp_size)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device=None):
        return 0

    def get_device_capability(self, device=None):
        return _h.properties.major, _h.properties.minor

    def get_device_interface(self):
        return torch.cuda

    def get_benchmarker(self):
        from .. import testing

        return testing.do_bench

    def get_empty_cache_for_benchmark(self):
        return None

    def clear_cache(self, cache):
        pass


class _Driver:
    active = _Device()
    default = active


driver = _Driver()
active = driver.active
