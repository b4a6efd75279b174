# Kernels with one fault each, and right ones beside them, after what Triton's own sanitizers find. A launch chooses by
# its arguments; "FAULT" marks the line that is to blame.
import triton
import triton.language as tl
from .helper import row_of_two


# ---------------------------------------------------------------- outside of arrays

@triton.jit
def shifted(x, out, SHIFT: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for _ in range(2):
        value = tl.load(x + at + SHIFT)  # FAULT
        tl.store(out + at, value)


@triton.jit
def product(a, b, c, SHIFT: tl.constexpr, N: tl.constexpr, T: tl.constexpr):
    rows = T * tl.program_id(0) + tl.arange(0, T)
    columns = T * tl.program_id(1) + tl.arange(0, T)
    total = tl.zeros((T, T), tl.float32)
    for k in range(N // T):
        inner = T * k + tl.arange(0, T)
        left = tl.load(a + N * rows[:, None] + inner[None, :] + SHIFT)  # FAULT
        right = tl.load(b + N * inner[:, None] + columns[None, :])
        total += tl.dot(left, right, input_precision="ieee")
    tl.store(c + N * rows[:, None] + columns[None, :], total)


@triton.jit
def indirect(indices, x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    chosen = tl.load(indices + at)
    tl.store(out + at, tl.load(x + chosen))  # FAULT


@triton.jit
def counted(out, FIRST: tl.constexpr, COUNT: tl.constexpr):
    for i in range(COUNT):
        tl.store(out + FIRST + i, i)  # FAULT


@triton.jit
def rows_of_two(out, ROWS: tl.constexpr):
    for i in range(ROWS):
        row_of_two(out + 2 * i, i)


@triton.jit
def sorted_index(out, BLOCK: tl.constexpr, ONLY: tl.constexpr):
    at = tl.arange(0, BLOCK)
    down = tl.sort(at, 0, descending=True)
    tl.store(out + down, at, mask=at == ONLY)  # FAULT


@triton.jit
def block_line(x, out, N: tl.constexpr, BLOCK: tl.constexpr, CHECKED: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    p = tl.make_block_ptr(x, (N,), (1,), (first,), (BLOCK,), (0,))
    if CHECKED:
        value = tl.load(p, boundary_check=(0,))
    else:
        value = tl.load(p)  # FAULT
    tl.store(out + first + tl.arange(0, BLOCK), value)


@triton.jit
def block_line_store(out, N: tl.constexpr, BLOCK: tl.constexpr, CHECKED: tl.constexpr):
    p = tl.make_block_ptr(out, (N,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    value = tl.full((BLOCK,), 1.0, tl.float32)
    if CHECKED:
        tl.store(p, value, boundary_check=(0,))
    else:
        tl.store(p, value)  # FAULT


@triton.jit
def block_tiles(x, out, M: tl.constexpr, N: tl.constexpr, CHECKED: tl.constexpr):
    p = tl.make_block_ptr(x, (M, N), (N, 1), (tl.program_id(0) * 4, 0), (4, 4), (1, 0))
    total = tl.zeros((4, 4), tl.float32)
    for _ in range(0, N, 4):
        if CHECKED:
            total += tl.load(p, boundary_check=(0, 1))
        else:
            total += tl.load(p)  # FAULT
        p = tl.advance(p, (0, 4))
    tl.store(out + tl.program_id(0) * 4 + tl.arange(0, 4), tl.sum(total, 1))


@triton.jit
def strided(x, y, out, length, X_STRIDE: tl.constexpr, Y_STRIDE: tl.constexpr):
    at = tl.arange(0, 8)
    first = tl.load(x + at * X_STRIDE, mask=at < length, other=0)
    second = tl.load(y + at * Y_STRIDE, mask=at < length, other=-1)  # FAULT
    tl.store(out + at, first * 100 + second, mask=at < length)


@triton.jit
def unmasked(x, out, BLOCK: tl.constexpr):
    value = tl.load(x + tl.arange(0, BLOCK))  # FAULT
    tl.store(out, tl.sum(value))


@triton.jit
def before(x, out, SHIFT: tl.constexpr):
    tl.store(out, tl.load(x - SHIFT))  # FAULT


@triton.jit
def described(x, out, M: tl.constexpr, ROW: tl.constexpr, ROWS: tl.constexpr):
    # The descriptor says more rows than there are: within its own shape nothing protects the array.
    desc = tl.make_tensor_descriptor(x, [ROWS, 8], [8, 1], [4, 8])
    value = desc.load([ROW, 0])  # FAULT
    tl.store(out + tl.arange(0, 4), tl.sum(value, 1))


# ---------------------------------------------------------------- right, though hard to follow

@triton.jit
def hard_indices(active, packs, halves, mirrors, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    flags = tl.load(active + at)
    packed = tl.cumsum(flags, 0) - flags
    tl.store(packs + tl.where(flags == 1, packed, BLOCK - 1 - (at - packed)), at)
    tl.store(halves + ((at * 2) >> 1), at)
    tl.store(mirrors + tl.where(at % 2 == 0, at, BLOCK - at), at)


@triton.jit
def reduced(x, out, lengths, M: tl.constexpr, N: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, N)
    value, index = tl.max(tl.load(x + row * N + at), axis=0, return_indices=True)
    total = value
    for i in range(0, tl.cdiv(tl.load(lengths + row), 2)):
        total += i
    tl.store(out + row, total + index)


@triton.jit
def repeated(x, out, row_stride, column_stride, N: tl.constexpr):
    at = tl.arange(0, 8)
    row = tl.program_id(0)
    value = tl.load(x + row * row_stride + at * column_stride, mask=at < N, other=0)
    tl.store(out + row * N + at, value, mask=at < N)


# ---------------------------------------------------------------- races between programs

@triton.jit
def wait_for(flag, value, SEM: tl.constexpr, SCOPE: tl.constexpr):
    while tl.atomic_add(flag, 0, sem=SEM, scope=SCOPE) < value:
        pass


@triton.jit
def read_after_write(data, out, flag, GIVE: tl.constexpr, TAKE: tl.constexpr, SCOPE: tl.constexpr):
    if tl.program_id(0) == 0:
        tl.store(data, 1)
        tl.atomic_add(flag, 1, sem=GIVE, scope=SCOPE)  # FAULT, if the scope is too small
    else:
        wait_for(flag, 1, TAKE, SCOPE)
        tl.store(out, tl.load(data))  # FAULT


@triton.jit
def write_after_read(data, out, flag, GIVE: tl.constexpr, TAKE: tl.constexpr, SCOPE: tl.constexpr):
    if tl.program_id(0) == 0:
        tl.store(out, tl.load(data))
        tl.atomic_add(flag, 1, sem=GIVE, scope=SCOPE)
    else:
        wait_for(flag, 1, TAKE, SCOPE)
        tl.store(data, 1)  # FAULT


@triton.jit
def write_after_write(data, flag, GIVE: tl.constexpr, TAKE: tl.constexpr, SCOPE: tl.constexpr):
    if tl.program_id(0) == 0:
        tl.store(data, 1)
        tl.atomic_add(flag, 1, sem=GIVE, scope=SCOPE)
    else:
        wait_for(flag, 1, TAKE, SCOPE)
        tl.store(data, 2)  # FAULT


@triton.jit
def descriptor_store(data, out, flag, N: tl.constexpr, GIVE: tl.constexpr, TAKE: tl.constexpr):
    if tl.program_id(0) == 0:
        desc = tl.make_tensor_descriptor(data, [N, N], [N, 1], [8, 8])
        desc.store([4, 4], tl.full((8, 8), 1, tl.int32))
        tl.atomic_add(flag, 1, sem=GIVE)
    else:
        wait_for(flag, 1, TAKE, "gpu")
        tl.store(out, tl.load(data + 5 * N + 5))  # FAULT


@triton.jit
def descriptor_load(data, desc, out, flag, N: tl.constexpr, GIVE: tl.constexpr, TAKE: tl.constexpr):
    if tl.program_id(0) == 0:
        tl.store(out, tl.sum(tl.sum(desc.load([4, 4]), 0), 0))
        tl.atomic_add(flag, 1, sem=GIVE)
    else:
        wait_for(flag, 1, TAKE, "gpu")
        tl.store(data + 5 * N + 5, 1)  # FAULT


@triton.jit
def relayed(data, flags, out, SEM: tl.constexpr):
    # A third program learns of the first by way of the second.
    program = tl.program_id(0)
    if program == 0:
        tl.store(data, 1000)
        tl.atomic_xchg(flags, 1, sem="release")
    elif program == 1:
        wait_for(flags, 1, SEM, "gpu")
        tl.atomic_xchg(flags + 1, 1, sem="release")
    else:
        wait_for(flags + 1, 1, "acquire", "gpu")
        tl.store(out, tl.load(data))  # FAULT


@triton.jit
def gathered(data, counter, out, WRITERS: tl.constexpr, SEM: tl.constexpr):
    program = tl.program_id(0)
    if program == WRITERS:
        wait_for(counter, WRITERS, "acquire", "gpu")
        at = tl.arange(0, WRITERS)
        tl.store(out + at, tl.load(data + at))  # FAULT
    else:
        tl.store(data + program, 1000 + program)  # FAULT
        tl.atomic_add(counter, 1, sem=SEM)


@triton.jit
def overlapping(out, STEP: tl.constexpr, BLOCK: tl.constexpr):
    tl.store(out + tl.program_id(0) * STEP + tl.arange(0, BLOCK), tl.program_id(0))  # FAULT


@triton.jit
def in_place(x, SHIFT: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at + SHIFT) + 1)  # FAULT


@triton.jit
def histogram(x, out, ATOMIC: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bucket = tl.sum(tl.load(x + at)) % 2
    if ATOMIC:
        tl.atomic_add(out + bucket, 1)
    else:
        tl.store(out + bucket, tl.load(out + bucket) + 1)  # FAULT


# ---------------------------------------------------------------- memory that nobody has written

@triton.jit
def copied(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) * 2)  # FAULT


@triton.jit
def written(out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, 1)


@triton.jit
def reversed_copy(x, out, BLOCK: tl.constexpr):
    from_program = tl.num_programs(0) - 1 - tl.program_id(0)
    at = tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0) * BLOCK + at, tl.load(x + from_program * BLOCK + at))
