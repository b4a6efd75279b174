# The same in Triton: a program a row adds tiles of TILE columns, and sums up the tile at the end.
import triton
import triton.language as tl


@triton.jit
def row_sums(x_ptr, sums_ptr, columns, TILE: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([TILE], dtype=tl.float32)
    for start in range(0, columns, TILE):
        column = start + tl.arange(0, TILE)
        total += tl.load(x_ptr + row * columns + column, mask=column < columns, other=0.0)
    tl.store(sums_ptr + row, tl.sum(total, axis=0))
