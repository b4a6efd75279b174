import torch
import triton
import triton.language as tl


@triton.jit
def histogram_kernel(x, bins, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    values = tl.load(x + at, inside, other=0).to(tl.int32)
    tl.atomic_add(bins + tl.arange(0, 256), tl.histogram(values, 256, mask=inside))


def histogram(x, bins, n):
    counts = bins.view(torch.int32)
    counts.zero_()
    histogram_kernel[(triton.cdiv(n, 16384),)](x, counts, n, BLOCK=16384)
