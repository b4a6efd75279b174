"""@triton.autotune and @triton.heuristics"""

import os
import time

from _heddle_host import torch_binding as _h

from ..compiler.errors import OutOfResources
from .jit import KernelInterface


# As Triton has it: each choice among measured configurations is printed.
PRINTS = os.environ.get("TRITON_PRINT_AUTOTUNING") == "1"
# "measure": also where the device is emulated.
MODE = os.environ.get("HEDDLE_AUTOTUNE", "")


class Config:
    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None):
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_stages = num_stages
        self.num_ctas = num_ctas
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def all_kwargs(self):
        options = ("num_warps", "num_stages", "num_ctas", "maxnreg")
        return {**self.kwargs, **{name: getattr(self, name) for name in options if getattr(self, name) is not None}}

    def __str__(self):
        return ", ".join(f"{name}: {value}" for name, value in self.all_kwargs().items())


class Autotuner(KernelInterface):
    """On a GPU each configuration is measured once for each key.

    An emulated device takes the first one that fits, unless HEDDLE_AUTOTUNE=measure.
    """

    def __init__(
        self,
        fn,
        configs,
        key,
        reset_to_zero=None,
        restore_value=None,
        pre_hook=None,
        post_hook=None,
        prune_configs_by=None,
        do_bench=None,
        **_,
    ):
        self.fn = fn
        self.configs = configs or [Config({})]
        self.keys = key
        self.reset_to_zero = list(reset_to_zero or [])
        self.restore_value = list(restore_value or [])
        self.pre_hook = pre_hook
        self.post_hook = post_hook
        self.prune = prune_configs_by or {}
        self.do_bench = do_bench
        self.cache = {}
        self.best_config = None
        self.bench_time = None
        self.configs_timings = None
        self.arg_names = fn.arg_names
        self.__name__ = fn.__name__

    @property
    def base_fn(self):
        fn = self.fn
        while not hasattr(fn, "signature"):
            fn = fn.fn
        return fn

    def named(self, args, kwargs):
        return {**dict(zip(self.arg_names, args)), **kwargs}

    def candidates(self, args, kwargs):
        configs = self.configs
        early = self.prune.get("early_config_prune")
        if early is not None:
            configs = early(configs, self.named(args, {}), **kwargs)
        model, top = self.prune.get("perf_model"), self.prune.get("top_k", len(configs))
        if model is not None and len(configs) > top:
            times = {config: model(**self.named(args, kwargs), **config.all_kwargs()) for config in configs}
            configs = sorted(configs, key=times.get)[: int(top)]
        return configs

    def run(self, *args, grid, warmup, **kwargs):
        named = self.named(args, kwargs)
        dtypes = [str(value.dtype) for value in named.values() if hasattr(value, "dtype")]
        key = (*(named.get(name) for name in self.keys), *dtypes)
        if key not in self.cache:
            began = time.perf_counter()
            self.cache[key], measured = self.choose(args, kwargs, grid)
            self.bench_time = time.perf_counter() - began
            if measured and PRINTS:
                print(
                    f"Triton autotuning for function {self.base_fn.__name__},\nwith key as {key},\n"
                    f"finished after {self.bench_time:.2f}s,\nbest config selected: {self.cache[key]};"
                )
        config = self.best_config = self.cache[key]
        self.prepare(config, named)
        return self.fn.run(*args, grid=grid, warmup=warmup, **{**kwargs, **config.all_kwargs()})

    def prepare(self, config, named):
        if config.pre_hook is not None:
            config.pre_hook({**named, **config.all_kwargs()})

    def choose(self, args, kwargs, grid):
        configs = self.candidates(args, kwargs)
        if len(configs) == 1 or (_h.isEmulated and MODE != "measure"):
            return self.first_that_fits(configs, args, kwargs, grid), False
        times = self.configs_timings = {config: self.time(config, args, kwargs, grid) for config in configs}
        return min(times, key=times.get), True

    def first_that_fits(self, configs, args, kwargs, grid):
        refused = None
        for config in configs:
            try:
                self.prepare(config, self.named(args, kwargs))
                self.fn.run(*args, grid=grid, warmup=True, **{**kwargs, **config.all_kwargs()})
                return config
            except OutOfResources as error:
                refused = error
        raise refused

    def time(self, config, args, kwargs, grid):
        from ..testing import do_bench

        named = self.named(args, kwargs)
        kept = {name: named[name].clone() for name in self.restore_value}

        def once():
            self.prepare(config, named)
            for name in self.reset_to_zero:
                named[name].zero_()
            self.fn.run(*args, grid=grid, warmup=False, **{**kwargs, **config.all_kwargs()})

        try:
            return (self.do_bench or do_bench)(once, quantiles=(0.5, 0.2, 0.8))[0]
        except OutOfResources:
            return float("inf")
        finally:
            for name, value in kept.items():
                named[name].copy_(value)


def autotune(configs, key=(), **options):
    return lambda fn: Autotuner(fn, configs, list(key), **options)


class Heuristics(KernelInterface):
    def __init__(self, fn, values):
        self.fn = fn
        self.values = values
        self.arg_names = fn.arg_names
        self.__name__ = fn.__name__

    def run(self, *args, grid, warmup, **kwargs):
        for name, heuristic in self.values.items():
            kwargs[name] = heuristic({**dict(zip(self.arg_names, args)), **kwargs})
        return self.fn.run(*args, grid=grid, warmup=warmup, **kwargs)


def heuristics(values):
    return lambda fn: Heuristics(fn, values)
