import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"TILE_M": 128, "TILE_N": 128, "DEPTH": 16}, num_warps=8, num_stages=3),
        triton.Config({"TILE_M": 128, "TILE_N": 64, "DEPTH": 16}, num_warps=8, num_stages=3),
        triton.Config({"TILE_M": 64, "TILE_N": 64, "DEPTH": 16}, num_warps=4, num_stages=3),
    ],
    key=["m", "n", "k"],
)
@triton.jit
def matmul_kernel(a, b, c, m, n, k, TILE_M: tl.constexpr, TILE_N: tl.constexpr, DEPTH: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * TILE_M + tl.arange(0, TILE_M)
    column = tl.program_id(1).to(tl.int64) * TILE_N + tl.arange(0, TILE_N)
    inner = tl.arange(0, DEPTH)
    total = tl.zeros((TILE_M, TILE_N), tl.float32)
    for start in range(0, k, DEPTH):
        at = start + inner
        left = tl.load(a + row[:, None] * k + at[None, :], (row[:, None] < m) & (at[None, :] < k), other=0.0)
        right = tl.load(b + at[:, None] * n + column[None, :], (at[:, None] < k) & (column[None, :] < n), other=0.0)
        # No TF32: the ladder's sums are of fp32.
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(c + row[:, None] * n + column[None, :], total, (row[:, None] < m) & (column[None, :] < n))


def matmul(a, b, c, m, n, k):
    matmul_kernel[lambda tile: (triton.cdiv(m, tile["TILE_M"]), triton.cdiv(n, tile["TILE_N"]))](a, b, c, m, n, k)
