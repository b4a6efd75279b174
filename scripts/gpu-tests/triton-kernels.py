"""What triton.mjs launches on the emulated device and on a GPU."""
import triton
import triton.language as tl


@triton.jit
def printing(x, N: tl.constexpr):
    n = tl.arange(0, N)
    value = tl.load(x + n)
    tl.device_print("value:", value)
    tl.device_print("hex", (n * 1000).to(tl.int64), hex=True)
    if tl.program_id(0) == 1:
        tl.device_print("from one program")


@triton.jit
def collatz(x):
    steps = 0
    while x > 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps += 1
    return steps


@triton.jit
def divided(x, y):
    if y > 2:
        x = x // y
    return x


# Which elements are in a pair is not said.
@triton.jit
def pairs(x0, x1, y0, y1):
    return divided(x0, y0), divided(x1, y1), y0 * 0.5, y1 * 0.5


@triton.jit
def mapping(out, N: tl.constexpr):
    n = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + n, tl.map_elementwise(collatz, n).to(tl.float32))
    quotient, half = tl.map_elementwise(pairs, n, n % 7, pack=2)
    tl.store(out + 1024 + n, quotient.to(tl.float32))
    tl.store(out + 2048 + n, half)


@triton.jit
def small_floats(bits, values, out, N: tl.constexpr):
    n = tl.arange(0, N)
    x = tl.load(bits + n)
    y = tl.load(values + n)
    tl.store(out + n, x.to(tl.float8e4b15, bitcast=True).to(tl.float32))
    tl.store(out + N + n, y.to(tl.float8e4b15).to(tl.float32))
    tl.store(out + 2 * N + n, y.to(tl.float16, fp_downcast_rounding="rtz").to(tl.float32))
    tl.store(out + 3 * N + n, y.to(tl.bfloat16, fp_downcast_rounding="rtz").to(tl.float32))


# Each program has several rows; copies to shared memory begin three rows ahead.
@triton.jit
def rows(out, x, w, count, columns, N: tl.constexpr, STAGES: tl.constexpr):
    n = tl.arange(0, N)
    inside = n < columns
    for row in tl.range(tl.program_id(0), count, tl.num_programs(0), num_stages=STAGES):
        a = tl.load(x + row * columns + n, mask=inside, other=-float("inf"))
        b = tl.load(w + row * columns + n, mask=inside, other=0.0)
        most = tl.max(a, axis=0)
        tl.store(out + row * columns + n, (a - most) * 2.0 + b, mask=inside)


# What a row leaves, the row after the next reads: without a hint nothing may be early.
@triton.jit
def chained(x, count, columns, N: tl.constexpr):
    n = tl.arange(0, N)
    for row in range(2, count):
        a = tl.load(x + (row - 2) * columns + n)
        tl.store(x + row * columns + n, a * 0.5 + 1.0)


@triton.jit
def merging(x, out, N: tl.constexpr):
    n = tl.arange(0, N)
    a = tl.load(x + n)
    up = tl.sort(a)
    tl.store(out + n, tl.bitonic_merge(tl.where(n < N // 2, up, tl.flip(up))))
    tl.store(out + N + n, tl.sort(a, descending=True))
