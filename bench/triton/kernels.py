# The Triton side of the bench.
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    y = tl.load(y_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x + y, mask=at < n)


@triton.jit
def softmax(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + at, mask=at < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * n + at, e / tl.sum(e, axis=0), mask=at < n)


@triton.jit
def layer_norm(x_ptr, weight_ptr, bias_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + row * n + at, mask=inside, other=0.0)
    mean = tl.sum(x, axis=0) / n
    centred = tl.where(inside, x - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / n + 1e-5)
    y = centred * scale * tl.load(weight_ptr + at, mask=inside) + tl.load(bias_ptr + at, mask=inside)
    tl.store(out_ptr + row * n + at, y, mask=inside)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    inner = tl.arange(0, K)
    a_at = a_ptr + rows[:, None] * k + inner[None, :]
    b_at = b_ptr + inner[:, None] * n + columns[None, :]
    total = tl.zeros((M, N), dtype=tl.float32)
    for _ in range(0, k, K):
        total = tl.dot(tl.load(a_at), tl.load(b_at), total, input_precision="ieee")
        a_at += K
        b_at += K * n
    tl.store(c_ptr + rows[:, None] * n + columns[None, :], total)


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, n, scale, ROWS: tl.constexpr, KEYS: tl.constexpr, D: tl.constexpr):
    base = tl.program_id(1) * n * D
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    keys = tl.arange(0, KEYS)
    column = tl.arange(0, D)
    at = base + rows[:, None] * D + column[None, :]
    q = tl.load(q_ptr + at) * scale
    best = tl.full((ROWS,), -float("inf"), tl.float32)
    sums = tl.zeros((ROWS,), tl.float32)
    total = tl.zeros((ROWS, D), tl.float32)
    for start in range(0, n, KEYS):
        k_at = base + (start + keys)[:, None] * D + column[None, :]
        scores = tl.dot(q, tl.trans(tl.load(k_ptr + k_at)), input_precision="ieee")
        highest = tl.maximum(best, tl.max(scores, axis=1))
        p = tl.exp(scores - highest[:, None])
        decay = tl.exp(best - highest)
        sums = sums * decay + tl.sum(p, axis=1)
        total = tl.dot(p, tl.load(v_ptr + k_at), total * decay[:, None], input_precision="ieee")
        best = highest
    tl.store(out_ptr + at, total / sums[:, None])
