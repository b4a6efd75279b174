import triton
import triton.language as tl


@triton.jit
def gelu_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    v = tl.load(x + at, inside)
    # 0.5 (1 + tanh z) = sigmoid(2 z), with z = sqrt(2 / pi) (v + 0.044715 v^3)
    tl.store(y + at, v * tl.sigmoid(1.5957691216057308 * (v + 0.044715 * v * v * v)), inside)


def gelu(x, y, n):
    gelu_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
