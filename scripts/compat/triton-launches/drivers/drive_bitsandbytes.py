"""Calls the Triton back end of bitsandbytes; its tests need the compiled library."""

import importlib.util
import os
import sys
import types

import torch
from steps import step

ROOT = os.path.join(os.getcwd(), "bitsandbytes", "backends", "triton")


def module(name):
    own = f"bnb_triton.{name}"
    if own not in sys.modules:
        spec = importlib.util.spec_from_file_location(own, os.path.join(ROOT, f"{name}.py"))
        sys.modules[own] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[own])
    return sys.modules[own]


package = types.ModuleType("bnb_triton")
package.__path__ = [ROOT]
sys.modules["bnb_triton"] = package


@step
def four_bits():
    kernels = module("kernels_4bit")
    for kind in ("fp4", "nf4"):
        for dtype, size in ((torch.float32, 64), (torch.float16, 128), (torch.bfloat16, 256)):
            n = 4096
            a = torch.randn(n, device="cuda", dtype=dtype)
            blocks = -(n // -(size * 2))
            absmax = torch.empty(blocks * 2, device="cuda", dtype=dtype)
            packed = torch.empty(n // 2, 1, device="cuda", dtype=torch.uint8)
            kernels.quantize_4bit_blockwise_triton(a, size, kind, blocks, absmax, n, packed)
            out = torch.empty(n, device="cuda", dtype=dtype)
            kernels.dequantize_4bit_impl(packed, absmax.float(), size, kind, dtype, out)
            code = torch.linspace(-1, 1, 16, device="cuda")
            kernels.dequantize_4bit_impl_passing_code(packed, absmax.float(), size, code, dtype, out)


@step
def eight_bits():
    kernels = module("kernels_8bit_quant")
    code = torch.linspace(-1, 1, 256, device="cuda")
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        a = torch.randn(5000, device="cuda", dtype=dtype)
        out, absmax = kernels.quantize_blockwise_triton(a, code, 256)
        kernels.dequant_8bit_blockwise(out, absmax.float(), code, 256, dtype)


@step
def optimizers():
    kernels = module("kernels_optim")
    n = 4096
    for name in ("adam", "momentum", "rmsprop", "adagrad", "lion", "ademamix", "lamb", "lars"):
        p, g = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
        rows = 2 * n if name == "ademamix" else n
        state1, state2 = torch.zeros(rows, device="cuda"), torch.zeros(n, device="cuda")
        try:
            kernels.optimizer_update_32bit_impl(
                name, g, p, state1, state2, None, 0.0, 0.0, 0.9, 0.99, 0.999, 5.0, 1e-8, 0.01, 1, 1e-3, 1.0, False
            )
        except Exception as error:
            print(name, error)
