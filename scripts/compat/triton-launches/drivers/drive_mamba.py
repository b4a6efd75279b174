"""Calls kernels of state-spaces/mamba that its tests for Triton do not run."""

import importlib.util
import os
import sys
import types

import torch
from steps import step

ROOT = os.getcwd()
for name in ("mamba_ssm", "mamba_ssm.ops", "mamba_ssm.ops.triton"):
    if name not in sys.modules:
        package = types.ModuleType(name)
        package.__path__ = [os.path.join(ROOT, *name.split("."))]
        sys.modules[name] = package


@step
def norms():
    from mamba_ssm.ops.triton.layer_norm import layer_norm_fn

    for is_rms in (False, True):
        x = torch.randn(33, 192, device="cuda", requires_grad=True)
        residual = torch.randn(33, 192, device="cuda", requires_grad=True)
        weight = torch.randn(192, device="cuda", requires_grad=True)
        bias = None if is_rms else torch.randn(192, device="cuda", requires_grad=True)
        layer_norm_fn(x, weight, bias, residual=residual, is_rms_norm=is_rms).sum().backward()


@step
def gated_norms():
    from mamba_ssm.ops.triton.layernorm_gated import layernorm_fn, rmsnorm_fn

    for dtype in (torch.float32, torch.bfloat16):
        x, z = (torch.randn(16, 128, device="cuda", dtype=dtype, requires_grad=True) for _ in range(2))
        weight = torch.randn(128, device="cuda", requires_grad=True)
        bias = torch.randn(128, device="cuda", requires_grad=True)
        layernorm_fn(x, weight, bias, z).sum().backward()
        rmsnorm_fn(x, weight, None, z, group_size=64, norm_before_gate=False).sum().backward()


@step
def state_update():
    from mamba_ssm.ops.triton.selective_state_update import selective_state_update

    for heads in (None, 4):
        batch, dim, state = 2, 64, 16
        shape = (batch, dim) if heads is None else (batch, heads, dim)
        states = torch.randn(*shape, state, device="cuda")
        x, dt, z = (torch.randn(*shape, device="cuda") for _ in range(3))
        a = -torch.rand(*shape[1:], state, device="cuda") - 1.0
        groups = (batch, state) if heads is None else (batch, 2, state)
        b, c = (torch.randn(*groups, device="cuda") for _ in range(2))
        d, bias = (torch.randn(*shape[1:], device="cuda") for _ in range(2))
        selective_state_update(states, x, dt, a, b, c, D=d, z=z, dt_bias=bias, dt_softplus=True)


@step
def chunks():
    from mamba_ssm.ops.triton.ssd_combined import mamba_chunk_scan_combined

    batch, length, heads, size, groups, state = 1, 128, 4, 64, 2, 32
    x = torch.randn(batch, length, heads, size, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    dt = torch.rand(batch, length, heads, device="cuda", requires_grad=True)
    a = (-torch.rand(heads, device="cuda")).requires_grad_()
    b, c = (
        torch.randn(batch, length, groups, state, device="cuda", dtype=torch.bfloat16, requires_grad=True)
        for _ in range(2)
    )
    d = torch.randn(heads, device="cuda", requires_grad=True)
    z = torch.randn_like(x, requires_grad=True)
    mamba_chunk_scan_combined(x, dt, a, b, c, 64, D=d, z=z, dt_softplus=True).sum().backward()
    mamba_chunk_scan_combined(x, dt, a, b, c, 64, D=d).sum().backward()


@step
def dense():
    from mamba_ssm.ops.triton import k_activations

    xy = torch.randn(2, 30, 256, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    k_activations.swiglu(xy).sum().backward()
