"""Calls the functions of openai/sparse_autoencoder that launch its kernels; the repository has no tests of them."""

import torch
from sparse_autoencoder import kernels
from steps import step

A, B, N, K = 48, 96, 160, 16


def indices():
    return torch.stack([torch.randperm(N)[:K] for _ in range(A)]).cuda()


@step
def encoder():
    for dtype in (torch.float32, torch.float16):
        values = torch.randn(A, K, device="cuda", dtype=dtype)
        at = indices()
        kernels.triton_sparse_dense_matmul(at, values, torch.randn(N, B, device="cuda", dtype=dtype))
        kernels.triton_sparse_transpose_dense_matmul(at, values, torch.randn(A, B, device="cuda", dtype=dtype), N)
        dense1 = torch.randn(A, B, device="cuda", dtype=dtype)
        dense2 = torch.randn(N, B, device="cuda", dtype=dtype).T
        kernels.triton_dense_dense_sparseout_matmul(dense1, dense2, at)


@step
def sums():
    xs = torch.randn(300, 130, device="cuda", dtype=torch.float16)
    kernels.triton_sum_dim0_in_fp32(xs)
    kernels.mse(torch.randn_like(xs), xs)
    kernels.normalized_mse(torch.randn_like(xs), xs)
    x = torch.randn(100, 130, device="cuda", dtype=torch.float16)
    kernels.triton_add_mul_(x, torch.randn(130, device="cuda", dtype=torch.float16), torch.randn_like(x), 0.5)
