import triton
import triton.language as tl


@triton.jit
def transpose_kernel(x, y, rows, columns, TILE: tl.constexpr):
    row = tl.program_id(1).to(tl.int64) * TILE + tl.arange(0, TILE)
    column = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    tile = tl.load(x + row[:, None] * columns + column[None, :], (row[:, None] < rows) & (column[None, :] < columns))
    inside = (column[:, None] < columns) & (row[None, :] < rows)
    tl.store(y + column[:, None] * rows + row[None, :], tl.trans(tile), inside)


def transpose(x, y, rows, columns):
    transpose_kernel[(triton.cdiv(columns, 64), triton.cdiv(rows, 64))](x, y, rows, columns, TILE=64)
