"""Calls kernels of meta-pytorch/applied-ai that no test of the repository runs, at the shapes of their benchmarks."""

import importlib.util
import os
import sys

import torch
from steps import step


def module(path):
    name = path.replace("/", "_")[:-3]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


INFERENCE = "kernels/triton/inference"


@step
def attention():
    own = module(f"{INFERENCE}/flash_attention/stay_attention.py")
    q, k, v = (torch.randn(2, 2, 128, 64, device="cuda", dtype=torch.float16) for _ in range(3))
    own.flash_fn(q, k, v)


@step
def quantise():
    own = module(f"{INFERENCE}/fp8/float8_groupwise_quant.py")
    own.float8_groupwise_quantize(torch.randn(64, 256, device="cuda", dtype=torch.bfloat16))


@step
def fp8_products():
    a = torch.randn(64, 512, device="cuda").to(torch.float8_e4m3fn)
    b = torch.randn(128, 512, device="cuda").to(torch.float8_e4m3fn).T
    module(f"{INFERENCE}/fp8/scaled_fp8_gemm.py").scaled_mm_splitk(a, b, 0.5, 2.0)
    module(f"{INFERENCE}/fp8/splitk_gemm_fp8.py").gemm_split_k(a, b)


def quantised(k, n, groups):
    b = torch.randint(-(2**31), 2**31 - 1, (k // 8, n), device="cuda", dtype=torch.int32)
    scales = torch.rand(groups, n, device="cuda", dtype=torch.float16) * 0.1
    zeros = torch.randint(-(2**31), 2**31 - 1, (groups, n // 8), device="cuda", dtype=torch.int32)
    return b, scales, zeros


@step
def gptq():
    a = torch.randn(16, 512, device="cuda", dtype=torch.float16)
    b, scales, zeros = quantised(512, 512, 4)
    module(f"{INFERENCE}/gptq/splitk_dequant_gemm.py").matmul_split_k(a, b, scales, zeros)
    for name in ("a100_qlinear", "h100_qlinear"):
        own = module(f"{INFERENCE}/gptq/{name}.py")
        getattr(own, name).apply(a, b, scales, zeros)


@step
def benchmark():
    import stubs

    stubs.install(["marlin", "auto_gptq"])
    own = module(f"{INFERENCE}/gptq/small_benchmark_cuda_graphs.py")
    a = torch.randn(16, 512, device="cuda", dtype=torch.float16)
    b, scales, zeros = quantised(512, 512, 4)
    own.matmul_split_k(a, b, scales, zeros)
    own.small_qlinear.apply(a, b, scales, zeros)


@step
def softmax():
    own = module("kernels/triton/training/fused_softmax/softmax.py")
    x = torch.randn(64, 100, device="cuda", requires_grad=True)
    y = own.triton_softmax.apply(x)
    y.backward(torch.randn_like(y))


@step
def rms_norm():
    own = module("kernels/triton/training/rms_norm/fused_rms_norm.py")
    x = torch.randn(64, 256, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    weight = torch.randn(256, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    kinds = [value for name, value in vars(own).items() if isinstance(value, type) and "Norm" in name]
    kind = next(value for value in kinds if hasattr(value, "apply"))
    y = kind.apply(x, weight, 1e-6)
    y.backward(torch.randn_like(y))


@step
def flash_backward():
    own = module(f"{INFERENCE}/torch_compile/flash_backward.py")
    q, k, v = (torch.randn(1, 2, 128, 64, device="cuda", dtype=torch.float16) for _ in range(3))
    own.attention(q, k, v, 0.125)


@step
def paged_attention():
    own = module(f"{INFERENCE}/paged_attention/attention_triton.py")
    sequences, heads, size, block, blocks = 2, 4, 64, 16, 8
    query = torch.randn(sequences, heads, size, device="cuda")
    key, value = (torch.randn(blocks, heads, size, block, device="cuda") for _ in range(2))
    table = torch.randint(0, blocks, (sequences, 4), device="cuda", dtype=torch.int32)
    lengths = torch.tensor([50, 33], device="cuda", dtype=torch.int32)
    out = torch.empty_like(query)
    own.paged_attention_triton_v1(
        out, query, key, value, 0.125, table, lengths, block, sequences, heads, 64, 4, size
    )
    own.paged_attention_triton_v2(
        out, query, key, value, 0.125, table, lengths, block, 32, sequences, heads, 64, 4, size
    )


@step
def experts():
    a = torch.randn(16, 128, device="cuda", dtype=torch.float16)
    w1 = torch.randn(4, 128, 128, device="cuda", dtype=torch.float16)
    w2 = torch.randn(4, 128, 64, device="cuda", dtype=torch.float16)
    weights = torch.rand(16, 2, device="cuda")
    chosen = torch.stack([torch.randperm(4)[:2] for _ in range(16)]).cuda().to(torch.int32)
    for name in ("v0", "v1", "v2"):
        own = module(f"{INFERENCE}/col_major_moe_gemm/{name}_moe_fused.py")
        # One expert's block of rows for each choice, as moe_align_block_size of vLLM makes them.
        order = torch.sort(chosen.flatten().long(), stable=True).indices.to(torch.int32)
        rows, owners = [], []
        for expert in range(4):
            mine = [int(i) for i in order if int(chosen.flatten()[int(i)]) == expert]
            while len(mine) % 16:
                mine.append(32)
            rows += mine
            owners += [expert] * (len(mine) // 16)
        sorted_ids = torch.tensor(rows, device="cuda", dtype=torch.int32)
        expert_ids = torch.tensor(owners, device="cuda", dtype=torch.int32)
        count = torch.tensor([len(rows)], device="cuda", dtype=torch.int32)
        out = torch.zeros(16, 2, 128, device="cuda", dtype=torch.float16)
        config = {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 32, "GROUP_SIZE_M": 2, "SPLIT_K": 2}
        if name == "v0":
            config.pop("SPLIT_K")
        own.invoke_fused_moe_kernel(a, w1, out, weights, chosen, sorted_ids, expert_ids, count, False, 2, config)
        print(w2.shape)


@step
def tutorials():
    own = module("tutorials/triton/kernels/fused_softmax.py")
    x = torch.randn(64, 100, device="cuda")
    for name in ("softmax", "triton_softmax"):
        if hasattr(own, name):
            print(getattr(own, name)(x).shape)
    module("tutorials/triton/kernels/flash_attention_fwd.py")


@step
def grouped():
    own = module("dev/triton_groupGEMM/groupgemm.py")
    x = torch.randn(128, 256, device="cuda", dtype=torch.bfloat16)
    w = torch.randn(4 * 64, 256, device="cuda", dtype=torch.bfloat16)
    own.grouped_gemm(x, w, torch.tensor([32, 16, 48, 32], device="cuda", dtype=torch.int32))
