# A product of matrices by tiles: each program computes one tile of the result, and walks along the inner dimension.
import torch
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STEP: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    k = tl.arange(0, STEP)
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for start in range(0, K, STEP):
        a_inside = (row[:, None] < M) & (start + k[None, :] < K)
        b_inside = (start + k[:, None] < K) & (column[None, :] < N)
        a = tl.load(a_ptr + row[:, None] * K + (start + k[None, :]), mask=a_inside, other=0.0)
        b = tl.load(b_ptr + (start + k[:, None]) * N + column[None, :], mask=b_inside, other=0.0)
        total += tl.dot(a, b, input_precision="ieee")
    inside = (row[:, None] < M) & (column[None, :] < N)
    tl.store(c_ptr + row[:, None] * N + column[None, :], total, mask=inside)


torch.manual_seed(0)
M, N, K = 100, 120, 80
a = torch.randn(M, K, device="cuda")
b = torch.randn(K, N, device="cuda")
c = torch.empty(M, N, device="cuda")
grid = (triton.cdiv(M, 32), triton.cdiv(N, 32))
matmul[grid](a, b, c, M, N, K, ROWS=32, COLUMNS=32, STEP=16)
print(c)
print("close to torch:", torch.allclose(c, a @ b, atol=1e-4))
