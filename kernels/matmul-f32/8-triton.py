# Version 4 in Triton: a program has a tile of TILE x TILE, and tl.dot multiplies tiles of DEPTH columns and rows. The
# compiler chooses the elements of a thread, and adds shared memory and barriers. The masks keep out what lies outside
# of the matrices. Without input_precision="ieee" a GPU would round the factors to tf32.
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, m, n, k, TILE: tl.constexpr, DEPTH: tl.constexpr):
    row = (tl.program_id(1) * TILE + tl.arange(0, TILE))[:, None]
    column = (tl.program_id(0) * TILE + tl.arange(0, TILE))[None, :]
    depth = tl.arange(0, DEPTH)
    total = tl.zeros((TILE, TILE), tl.float32)
    for start in range(0, k, DEPTH):
        at = start + depth
        left = tl.load(a + row * k + at[None, :], mask=(row < m) & (at[None, :] < k), other=0.0)
        right = tl.load(b + at[:, None] * n + column, mask=(at[:, None] < k) & (column < n), other=0.0)
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(c + row * n + column, total, mask=(row < m) & (column < n))
