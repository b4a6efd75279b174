"""Calls flash_attn/flash_attn_triton.py, which no test of the repository runs."""

import importlib.util
import os
import sys
import types

import torch
from steps import step


def module(path):
    name = os.path.basename(path)[:-3]
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@step
def cross_entropy():
    own = module("flash_attn/ops/triton/cross_entropy.py")
    for smoothing, z in ((0.0, 0.0), (0.1, 0.01)):
        logits = torch.randn(16, 500, device="cuda", requires_grad=True)
        labels = torch.randint(0, 500, (16,), device="cuda")
        labels[2] = -100
        loss, _ = own.cross_entropy_loss(logits, labels, label_smoothing=smoothing, lse_square_scale=z)
        loss.sum().backward()


@step
def norms():
    own = module("flash_attn/ops/triton/layer_norm.py")
    for dtype in (torch.float32, torch.bfloat16):
        for is_rms in (False, True):
            x = torch.randn(33, 192, device="cuda", dtype=dtype, requires_grad=True)
            residual = torch.randn(33, 192, device="cuda", dtype=dtype, requires_grad=True)
            weight = torch.randn(192, device="cuda", requires_grad=True)
            bias = None if is_rms else torch.randn(192, device="cuda", requires_grad=True)
            own.layer_norm_fn(x, weight, bias, residual=residual, is_rms_norm=is_rms).sum().backward()


@step
def linear():
    # Triton had this module once; it only prunes configurations.
    model = types.ModuleType("triton.ops.matmul_perf_model")
    model.early_config_prune = lambda configs, *_, **__: configs[-1:]
    model.estimate_matmul_time = lambda **_: 1.0
    sys.modules["triton.ops"] = types.ModuleType("triton.ops")
    sys.modules["triton.ops.matmul_perf_model"] = model
    own = module("flash_attn/ops/triton/linear.py")
    for activation in ("id", "gelu", "gelu_approx", "squared_relu"):
        x = torch.randn(64, 128, device="cuda", dtype=torch.float16)
        weight = torch.randn(96, 128, device="cuda", dtype=torch.float16)
        bias = torch.randn(96, device="cuda", dtype=torch.float16)
        own.triton_linear_act(x, weight, bias, activation=activation, save_act_input=True)
        own.triton_dgrad_act(torch.randn(64, 96, device="cuda", dtype=torch.float16), weight.clone(), activation,
                             None if activation == "id" else torch.randn(64, 128, device="cuda", dtype=torch.float16))


@step
def rotary():
    own = module("flash_attn/ops/triton/rotary.py")
    for interleaved in (False, True):
        x = torch.randn(2, 17, 4, 64, device="cuda", dtype=torch.bfloat16)
        cos, sin = (torch.randn(17, 16, device="cuda", dtype=torch.bfloat16) for _ in range(2))
        own.apply_rotary(x, cos, sin, interleaved=interleaved)
        own.apply_rotary(x, cos, sin, interleaved=interleaved, inplace=True, conjugate=True)
