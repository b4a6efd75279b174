"""Calls the Triton kernels of facebookresearch/xformers; its own package needs compiled extensions to be imported."""

import importlib
import os
import sys
import types

import torch
from steps import step

for name in ("xformers", "xformers.ops", "xformers.ops._triton", "xformers.triton"):
    package = types.ModuleType(name)
    package.__path__ = [os.path.join(os.getcwd(), *name.split("."))]
    sys.modules[name] = package
sys.modules["xformers"]._is_triton_available = lambda: True


def kernels(name):
    return importlib.import_module(f"xformers.ops._triton.{name}")


@step
def norms():
    own = kernels("rmsnorm_kernels")
    for dtype in (torch.float32, torch.bfloat16):
        for width in (64, 320, 4096):
            x = torch.randn(3, 5, width, device="cuda", dtype=dtype)
            weight = torch.rand(width, device="cuda", dtype=dtype)
            own._rms_norm_forward(x, weight, 1e-6)
            own._rms_norm_forward(x, None, 1e-6)
            own._rms_norm_add_forward(x, torch.randn_like(x), weight, 1e-6)


@step
def indices():
    add, select = kernels("k_scaled_index_add"), kernels("k_index_select_cat")
    for dtype in (torch.float32, torch.float16):
        x = torch.randn(12, 7, 48, device="cuda", dtype=dtype)
        index = torch.randperm(12, device="cuda")[:5]
        source = torch.randn(5, 7, 48, device="cuda", dtype=dtype)
        scaling = torch.randn(48, device="cuda", dtype=dtype)
        add.scaled_index_add_fwd(x.clone(), index, source, scaling, 0.5)
        add.scaled_index_add_fwd(x.clone(), index, source, None, 0.5)
        gradients = [torch.empty_like(source), torch.empty(5, 7, 48, device="cuda", dtype=dtype)]
        add.scaled_index_add_bwd(torch.randn_like(x), gradients[0], gradients[1], source, scaling, index, 0.5)
        rows = torch.randn(10, 96, device="cuda", dtype=dtype)
        chosen = torch.randperm(10, device="cuda")[:4]
        out = torch.empty(4, 96, device="cuda", dtype=dtype)
        select.index_select_cat_fwd(out, rows, chosen)
        select.index_select_cat_bwd(torch.zeros_like(rows), chosen, torch.randn_like(out))


@step
def tiled_products():
    own = kernels("tiled_matmul_kernels")
    for dtype in (torch.float16, torch.float32):
        a = [[torch.randn(m, k, device="cuda", dtype=dtype) for k in (64, 48)] for m in (96, 33)]
        b = [[torch.randn(k, n, device="cuda", dtype=dtype) for n in (80, 64)] for k in (64, 48)]
        c = [[torch.empty(m, n, device="cuda", dtype=dtype) for n in (80, 64)] for m in (96, 33)]
        own._launch_triton_matmul(a, b, c, [96, 33], [80, 64], [64, 48])


@step
def rope():
    bias = types.ModuleType("xformers.ops.fmha.attn_bias")
    bias.BlockDiagonalCausalWithOffsetPaddedKeysMask = object
    sys.modules["xformers.ops.fmha"] = types.ModuleType("xformers.ops.fmha")
    sys.modules["xformers.ops.fmha.attn_bias"] = bias
    own = importlib.import_module("xformers.ops.rope_padded")
    starts = [0, 3, 5]
    padded = [0, 16, 32]
    numbers = [
        torch.tensor(values, device="cuda", dtype=torch.int32) for values in (starts, padded, [9, 12])
    ]
    queries = types.SimpleNamespace(seqstart=numbers[0], seqstart_py=starts, max_seqlen=3)
    keys = types.SimpleNamespace(seqstart=numbers[1], seqlen=numbers[2], seqstart_py=padded, padding=16)
    mask = types.SimpleNamespace(q_seqinfo=queries, k_seqinfo=keys)
    for adjacents in (True, False):
        for kind in ("", "f64"):
            xq = torch.randn(1, 5, 4, 64, device="cuda")
            xk, xv = (torch.randn(1, 5, 2, 64, device="cuda") for _ in range(2))
            caches = [torch.zeros(1, 32, 2, 64, device="cuda") for _ in range(2)]
            own.rope_padded(xq, xk, xv, *caches, mask, adjacents=adjacents, internal_dtype=kind)
