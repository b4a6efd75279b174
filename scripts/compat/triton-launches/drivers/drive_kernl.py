"""Calls kernels of ELS-RD/kernl at the shapes of its tests, which need ONNX models and PyTorch's old graphs."""

import importlib.util
import os
import sys
import types

import torch
from steps import step

sys.path.insert(0, os.path.join(os.getcwd(), "src"))
OLD = "experimental/llama-v2/kernel"
sys.path.insert(0, os.path.dirname(os.path.abspath(OLD)))


def module(path):
    name = path.replace("/", "_")[:-3]
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@step
def attention():
    from kernl.implementations.attention import attention_forward

    for causal in (False, True):
        q, k, v = (torch.randn(2, 4, 128, 64, device="cuda", dtype=torch.float16) for _ in range(3))
        attention_forward(q, k, v, torch.empty_like(q), 0.125, is_causal=causal)


@step
def skinny():
    from kernl.implementations.attention_skinny import skinny_attention_forward

    q = torch.randn(2, 4, 16, 64, device="cuda", dtype=torch.float16)
    k, v = (torch.randn(2, 4, 256, 64, device="cuda", dtype=torch.float16) for _ in range(2))
    skinny_attention_forward(q, k, v, torch.empty_like(q), 0.125)


@step
def vector():
    from kernl.implementations.attention_vec_mat import attention_vec_mat_forward

    q = torch.randn(2, 4, 1, 64, device="cuda", dtype=torch.float16)
    k, v = (torch.randn(2, 4, 128, 64, device="cuda", dtype=torch.float16) for _ in range(2))
    attention_vec_mat_forward(q, k, v, torch.empty_like(q), 0.125)


@step
def products():
    from kernl.implementations.batched_matmul import batched_matmul

    a = torch.randn(4, 64, 96, device="cuda", dtype=torch.float16)
    batched_matmul(a, torch.randn(4, 96, 64, device="cuda", dtype=torch.float16))


@step
def norms():
    from kernl.implementations import layer_norm as own

    x = torch.randn(40, 300, device="cuda", dtype=torch.float16)
    weight, bias = (torch.randn(300, device="cuda", dtype=torch.float16) for _ in range(2))
    for name in ("_layer_norm_fwd_fused_single_pass", "_layer_norm_fwd_fused_multi_pass", "layer_norm_xformers"):
        own.layer_norm(x, weight, bias, 1e-5, getattr(own, name))
    own.layer_norm(x, weight, None, 1e-5, use_rms_norm=True)


@step
def linear():
    # Triton had this module once; it only prunes configurations.
    model = types.ModuleType("triton.ops.matmul_perf_model")
    model.early_config_prune = lambda configs, *_, **__: configs[-1:]
    model.estimate_matmul_time = lambda **_: 1.0
    sys.modules["triton.ops"] = types.ModuleType("triton.ops")
    sys.modules["triton.ops.matmul_perf_model"] = model
    from kernl.implementations.linear_layer import linear_layer

    x = torch.randn(64, 128, device="cuda", dtype=torch.float16)
    weight = torch.randn(96, 128, device="cuda", dtype=torch.float16)
    bias = torch.randn(96, device="cuda", dtype=torch.float16)
    for activation in ("", "tanh", "gelu", "relu"):
        linear_layer(x, weight, bias, activation=activation)


@step
def llama():
    own = module(f"{OLD}/fused_kernel_ff.py")
    x = torch.randn(1, 16, 256, device="cuda", dtype=torch.float16)
    w1, w3 = (torch.randn(256, 256, device="cuda", dtype=torch.float16) for _ in range(2))
    own.kernel_ff(x, w1, w3, torch.randn(256, device="cuda", dtype=torch.float16))


@step
def projections():
    sys.path.insert(0, os.path.abspath(OLD))
    own = module(f"{OLD}/fused_kernel_proj_qkv.py")
    x = torch.randn(1, 16, 256, device="cuda", dtype=torch.float16)
    rms = torch.randn(256, device="cuda", dtype=torch.float16)
    own.rmsnorm_triton_wrapper(x, rms)
    own.rbe_triton_wrapper(torch.randn(1, 16, 4, 64, device="cuda", dtype=torch.float16), 3)
    weight = torch.randn(256, 256, device="cuda", dtype=torch.float16)
    own.rms_matmul_rbe_wrapper(x, weight, rms, True, 3, 4, 64)


@step
def llama_attention():
    own = module(f"{OLD}/fused_kernel_attention.py")
    q, k, v = (torch.randn(1, 4, 64, 64, device="cuda", dtype=torch.float16) for _ in range(3))
    own.triton_fa(q, k, v, 0.125, True, 0)
