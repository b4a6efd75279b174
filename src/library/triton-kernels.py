# Kernels of the kinds that Triton's users write, for triton.test.ts.
import triton
import triton.language as tl


@triton.jit
def axpy(x_ptr, y_ptr, out_ptr, a, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside)
    y = tl.load(y_ptr + at, mask=inside)
    tl.store(out_ptr + at, a * x + y, mask=inside)


@triton.jit
def square_positive(x):
    return tl.where(x > 0, x * x, 0.0)


@triton.autotune(
    configs=[triton.Config({"M_TILE": m, "N_TILE": 32, "K_TILE": 16}, num_warps=w) for m in [32, 64] for w in [4]],
    key=["m", "n", "k"],
)
@triton.heuristics({"EVEN_K": lambda args: args["k"] % args["K_TILE"] == 0})
@triton.jit
def product(
    a_ptr, b_ptr, c_ptr, m, n, k, a_row, b_row, c_row,
    M_TILE: tl.constexpr, N_TILE: tl.constexpr, K_TILE: tl.constexpr, EVEN_K: tl.constexpr, EPILOGUE: tl.constexpr,
):
    rows = tl.program_id(0) * M_TILE + tl.arange(0, M_TILE)
    columns = tl.program_id(1) * N_TILE + tl.arange(0, N_TILE)
    inner = tl.arange(0, K_TILE)
    a_at = a_ptr + rows[:, None] * a_row + inner[None, :]
    b_at = b_ptr + inner[:, None] * b_row + columns[None, :]
    total = tl.zeros((M_TILE, N_TILE), dtype=tl.float32)
    for start in range(0, k, K_TILE):
        if EVEN_K:
            a = tl.load(a_at, mask=rows[:, None] < m, other=0.0)
            b = tl.load(b_at, mask=columns[None, :] < n, other=0.0)
        else:
            a = tl.load(a_at, mask=(rows[:, None] < m) & (inner[None, :] < k - start), other=0.0)
            b = tl.load(b_at, mask=(inner[:, None] < k - start) & (columns[None, :] < n), other=0.0)
        total += tl.dot(a, b)
        a_at += K_TILE
        b_at += K_TILE * b_row
    if EPILOGUE == "square":
        total = square_positive(total)
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(c_ptr + rows[:, None] * c_row + columns[None, :], total.to(c_ptr.dtype.element_ty), mask=inside)


@triton.jit
def normalise(x_ptr, y_ptr, weight_ptr, bias_ptr, row, n, eps, BLOCK: tl.constexpr):
    x_ptr += tl.program_id(0) * row
    y_ptr += tl.program_id(0) * row
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / n
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32)
        x = tl.where(at < n, x - mean, 0.0)
        squares += x * x
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / n + eps)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < n)
        y = (x - mean) * scale * tl.load(weight_ptr + at, mask=at < n) + tl.load(bias_ptr + at, mask=at < n)
        tl.store(y_ptr + at, y, mask=at < n)


@triton.jit
def add_under_lock(sum_ptr, lock_ptr, LOCKS: tl.constexpr, BLOCK: tl.constexpr):
    place = tl.program_id(0) % LOCKS
    lock_ptr += place
    at = sum_ptr + place * BLOCK + tl.arange(0, BLOCK)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(at, tl.load(at) + 1.0)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, n, scale, ROWS: tl.constexpr, KEYS: tl.constexpr, D: tl.constexpr):
    first = tl.program_id(0) * ROWS
    q_block = tl.make_block_ptr(q_ptr, (n, D), (D, 1), (first, 0), (ROWS, D), (1, 0))
    k_block = tl.make_block_ptr(k_ptr, (D, n), (1, D), (0, 0), (D, KEYS), (0, 1))
    v_block = tl.make_block_ptr(v_ptr, (n, D), (D, 1), (0, 0), (KEYS, D), (1, 0))
    q = tl.load(q_block)
    rows = first + tl.arange(0, ROWS)
    best = tl.full([ROWS], float("-inf"), tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    out = tl.zeros([ROWS, D], tl.float32)
    for start in range(0, first + ROWS, KEYS):
        scores = tl.dot(q, tl.load(k_block), input_precision="ieee") * scale
        keys = start + tl.arange(0, KEYS)
        scores = tl.where(rows[:, None] >= keys[None, :], scores, float("-inf"))
        new_best = tl.maximum(best, tl.max(scores, 1))
        p = tl.math.exp2(scores - new_best[:, None])
        factor = tl.math.exp2(best - new_best)
        total = total * factor + tl.sum(p, 1)
        out = out * factor[:, None]
        out = tl.dot(p, tl.load(v_block), out, input_precision="ieee")
        best = new_best
        k_block = tl.advance(k_block, (0, KEYS))
        v_block = tl.advance(v_block, (KEYS, 0))
    out_block = tl.make_block_ptr(out_ptr, (n, D), (D, 1), (first, 0), (ROWS, D), (1, 0))
    tl.store(out_block, out / total[:, None])


@triton.jit
def order_and_sums(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.sort(x))
    tl.store(out_ptr + N + at, tl.cumsum(x, 0))
    tl.store(out_ptr + 2 * N + at, tl.cumsum(x, 0, reverse=True))
    tl.store(out_ptr + 3 * N + at, tl.flip(x))
    tl.store(out_ptr + 4 * N + at, tl.gather(x, (at * 5 + 3) % N, 0))
    low, high = tl.split(tl.reshape(x, [N // 2, 2]))
    tl.store(out_ptr + 5 * N + at, tl.interleave(high, low))
    tl.store(out_ptr + 6 * N, tl.argmax(x, 0))
    tl.store(out_ptr + 6 * N + 1, tl.min(x, 0))


@triton.jit
def random_numbers(out_ptr, seed, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.randint(seed, at))
