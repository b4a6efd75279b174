# The first Triton kernel: each program adds 1,024 elements, and a mask keeps the last one inside of the vectors.
import torch
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside)
    y = tl.load(y_ptr + at, mask=inside)
    tl.store(out_ptr + at, x + y, mask=inside)


torch.manual_seed(0)
n = 98432
x = torch.rand(n, device="cuda")
y = torch.rand(n, device="cuda")
out = torch.empty_like(x)
grid = (triton.cdiv(n, 1024),)
add[grid](x, y, out, n, BLOCK=1024)
print(f"{grid[0]} programs added {n} elements")
print("greatest difference from torch:", (out - (x + y)).abs().max().item())
