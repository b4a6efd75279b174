# Softmax over the rows of a matrix: one program takes a row at a time.
import triton
import triton.language as tl


@triton.jit
def softmax(out_ptr, in_ptr, row_stride, rows, columns, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    inside = column < columns
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        x = tl.load(in_ptr + row * row_stride + column, mask=inside, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(out_ptr + row * row_stride + column, e / tl.sum(e, axis=0), mask=inside)
