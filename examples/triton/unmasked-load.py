# Sums of rows, wrong: the last elements of each tile lie behind the row's end. `Find faults` names the line.
import torch
import triton
import triton.language as tl


@triton.jit
def row_sums(out_ptr, in_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x = tl.load(in_ptr + row * columns + tl.arange(0, BLOCK))
    tl.store(out_ptr + row, tl.sum(x, axis=0))


x = torch.ones(8, 100, device="cuda")
out = torch.empty(8, device="cuda")
row_sums[(8,)](out, x, 100, BLOCK=128)
print("each row has 100 ones; the kernel says:", out)
