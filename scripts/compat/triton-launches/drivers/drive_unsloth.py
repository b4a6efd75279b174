"""Calls the kernels of unslothai/unsloth, module by module: the package itself patches models when it is imported."""

import importlib
import os
import sys
import types

import torch
from steps import step

ROOT = os.getcwd()


def package(name, folder):
    module = types.ModuleType(name)
    module.__path__ = [folder]
    sys.modules[name] = module
    return module


class Version:
    def __init__(self, text):
        from packaging.version import Version as Own

        self.own = Own(str(text).split("+")[0])

    def __lt__(self, other):
        return self.own < other.own

    def __le__(self, other):
        return self.own <= other.own

    def __gt__(self, other):
        return self.own > other.own

    def __ge__(self, other):
        return self.own >= other.own


package("unsloth", os.path.join(ROOT, "unsloth"))
package("unsloth.kernels", os.path.join(ROOT, "unsloth", "kernels"))
device = types.ModuleType("unsloth.device_type")
device.is_hip = lambda: False
device.get_device_type = lambda: "cuda"
device.DEVICE_TYPE = device.DEVICE_TYPE_TORCH = "cuda"
device.DEVICE_COUNT = 1
device.ALLOW_PREQUANTIZED_MODELS = True
sys.modules["unsloth.device_type"] = device
native = types.ModuleType("unsloth.bnb_availability")
native.native_kernels_ready = lambda *_, **__: False
sys.modules["unsloth.bnb_availability"] = native
fast = types.ModuleType("unsloth.kernels.utils")


def calculate_settings(n):
    import triton

    size = triton.next_power_of_2(n)
    warps = 32 if size >= 32768 else 16 if size >= 8192 else 8 if size >= 2048 else 4
    return size, warps


class Nothing:
    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass


def tanh():
    from triton.language.extra import libdevice

    return libdevice.tanh


# What the modules of the kernels take from kernels/utils.py, which needs bitsandbytes to be imported.
import triton  # noqa: E402
import triton.language as tl  # noqa: E402

fast.calculate_settings = calculate_settings
fast.MAX_FUSED_SIZE = 65536
fast.triton_tanh = tanh()
fast.triton_cast = tl.cast
fast.torch_gpu_device = lambda _: Nothing()
fast.torch_device_stream = torch.cuda.current_stream
fast.is_cdna = lambda: False

sys.modules["unsloth.kernels.utils"] = fast
zoo = package("unsloth_zoo", "/nowhere")
for name, values in {
    "utils": {"Version": Version},
    "log": {"logger": __import__("logging").getLogger("unsloth")},
    "loss_utils": {
        "patch_loss_functions": lambda *_, **__: None,
        "post_patch_loss_function": lambda *_, **__: None,
    },
    "patching_utils": {"patch_layernorm": lambda *_, **__: None},
    "temporary_patches": {},
    "temporary_patches.common": {"torch_compile": lambda function=None, **_: function or (lambda f: f)},
}.items():
    module = types.ModuleType(f"unsloth_zoo.{name}")
    module.__path__ = []
    module.__dict__.update(values)
    sys.modules[f"unsloth_zoo.{name}"] = module


def kernels(name):
    return importlib.import_module(f"unsloth.kernels.{name}")


@step
def gates():
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        swiglu, geglu = kernels("swiglu"), kernels("geglu")
        e, g, d = (torch.randn(2, 9, 128, device="cuda", dtype=dtype) for _ in range(3))
        swiglu.swiglu_fg_kernel(e, g)
        flat = [x.reshape(-1, 128).clone() for x in (d, e, g)]
        swiglu.swiglu_DWf_DW_dfg_kernel(*flat)
        geglu.geglu_exact_forward_kernel(e, g)
        geglu.geglu_approx_forward_kernel(e, g)
        geglu.geglu_exact_backward_kernel(*[x.reshape(-1, 128).clone() for x in (d, e, g)])
        geglu.geglu_approx_backward_kernel(*[x.reshape(-1, 128).clone() for x in (d, e, g)])


@step
def norms():
    for dtype in (torch.float32, torch.bfloat16):
        rms, layer = kernels("rms_layernorm"), kernels("layernorm")
        x = torch.randn(2, 17, 192, device="cuda", dtype=dtype, requires_grad=True)
        weight = torch.randn(192, device="cuda", dtype=dtype)
        bias = torch.randn(192, device="cuda", dtype=dtype)
        for gemma in (False, True):
            y = rms.Fast_RMS_Layernorm.apply(x, weight, 1e-6, gemma)
            y.backward(torch.randn_like(y))
        y = layer.Fast_Layernorm.apply(x, weight, bias, 1e-5)
        y.backward(torch.randn_like(y))


@step
def rope():
    module = kernels("rope_embedding")
    for dtype in (torch.float32, torch.bfloat16):
        q = torch.randn(2, 19, 6, 64, device="cuda", dtype=dtype, requires_grad=True)
        cos, sin = (torch.randn(32, 64, device="cuda", dtype=dtype) for _ in range(2))
        y = module.Fast_RoPE_Embedding.apply(q.clone(), cos, sin)
        y.backward(torch.randn_like(y))
        q = torch.randn(2, 6, 19, 64, device="cuda", dtype=dtype, requires_grad=True)
        k = torch.randn(2, 2, 19, 64, device="cuda", dtype=dtype, requires_grad=True)
        out, other = module.Fast_RoPE_Embedding_QK.apply(q.clone(), k.clone(), cos, sin, None)
        (out.sum() + other.sum()).backward()


@step
def cross_entropy():
    module = kernels("cross_entropy_loss")
    for vocabulary in (1000, 70000):
        for softcap, scaling in ((0, 0), (30.0, 0), (0, 0.5)):
            logits = torch.randn(8, vocabulary, device="cuda", requires_grad=True)
            labels = torch.randint(0, vocabulary, (8,), device="cuda")
            labels[1] = -100
            losses = module.Fast_CrossEntropyLoss.apply(logits.clone(), labels, softcap, scaling)
            losses.sum().backward()


@step
def fp8():
    module = kernels("fp8")
    x = torch.randn(256, 384, device="cuda", dtype=torch.bfloat16)
    scales = torch.rand(2, 3, device="cuda") + 0.5
    weight = torch.randn(256, 384, device="cuda").to(torch.float8_e4m3fn)
    module.weight_dequant_block(weight, scales, 128, torch.bfloat16)
    quantised, own = module.act_quant(x)
    module.w8a8_block_fp8_matmul_triton(quantised, weight, own, scales, [128, 128], torch.bfloat16)
