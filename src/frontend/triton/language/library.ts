/**
 * Functions of `triton.language` that are made of others, in Python: compiled like the user's own helpers. Places in
 * them never reach the user; operations count for the line that calls.
 *
 * Random numbers: Philox-4x32 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011), with the keys
 * and the conversion to floats that Triton documents. Sorting: Batcher's bitonic network.
 */
export const LIBRARY_SOURCE = `
@jit
def cdiv(x, div):
    return (x + (div - 1)) // div

@jit
def sigmoid(x):
    return 1 / (1 + exp(-x))

@jit
def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    axis: constexpr = 0 if dim is None else dim
    z = x - max(x, axis, keep_dims=True)
    num = exp(z)
    den = sum(num, axis, keep_dims=True)
    return num / den

@jit
def zeros_like(input):
    return zeros(input.shape, input.dtype)

@jit
def ravel(x, can_reorder=False):
    return reshape(x, [_numel(x)])

@jit
def interleave(a, b):
    c = join(a, b)
    return reshape(c, _interleaved_shape(c))

@jit
def swizzle2d(i, j, size_i, size_j, size_g):
    ij = i * size_j + j
    size_gj = size_g * size_j
    group_id = ij // size_gj
    off_i = group_id * size_g
    size_g = minimum(size_i - off_i, size_g)
    ij = ij % size_gj
    new_i = off_i + ij % size_g
    new_j = ij // size_g
    return new_i, new_j

@jit
def _greater(value1, index1, value2, index2):
    first = (value1 > value2) | ((value1 == value2) & (index1 < index2))
    return where(first, value1, value2), where(first, index1, index2)

@jit
def _less(value1, index1, value2, index2):
    first = (value1 < value2) | ((value1 == value2) & (index1 < index2))
    return where(first, value1, value2), where(first, index1, index2)

@jit
def _max_with_index(input, axis=None, keep_dims=False):
    return reduce((input, _indices(input, axis)), axis, _greater, keep_dims=keep_dims)

@jit
def _min_with_index(input, axis=None, keep_dims=False):
    return reduce((input, _indices(input, axis)), axis, _less, keep_dims=keep_dims)

@jit
def argmax(input, axis=None, tie_break_left=True, keep_dims=False):
    value, index = max(input, axis, return_indices=True, keep_dims=keep_dims)
    return index

@jit
def argmin(input, axis=None, tie_break_left=True, keep_dims=False):
    value, index = min(input, axis, return_indices=True, keep_dims=keep_dims)
    return index

@jit
def _exchange(x, outer: constexpr, inner: constexpr):
    pairs = permute(reshape(x, [outer, 2, inner]), (0, 2, 1))
    low, high = split(pairs)
    swapped = permute(join(high, low), (0, 2, 1))
    return reshape(swapped, x.shape)

@jit
def _order_pairs(x, index, distance: constexpr, length: constexpr, total: constexpr, descending: constexpr):
    other = _exchange(x, total // (2 * distance), distance)
    upper = (index & distance) != 0
    down = ((index & length) != 0) != descending
    return where((x > other) == (upper == down), other, x)

@jit
def sort(x, dim=None, descending: constexpr = False):
    size: constexpr = _last_size(x, dim)
    total: constexpr = _numel(x)
    index = _indices(x, _last_axis(x))
    for i in static_range(1, _log2(size) + 1):
        for j in static_range(0, i):
            x = _order_pairs(x, index, 2 ** (i - 1 - j), 2 ** i if i < _log2(size) else total * 2, total, descending)
    return x

@jit
def bitonic_merge(x, dim: constexpr = None, descending: constexpr = False):
    size: constexpr = _last_size(x, dim)
    total: constexpr = _numel(x)
    index = _indices(x, _last_axis(x))
    for j in static_range(0, _log2(size)):
        x = _order_pairs(x, index, 2 ** (_log2(size) - 1 - j), total * 2, total, descending)
    return x

@jit
def flip(x, dim=None):
    stride: constexpr = _stride(x, dim)
    for i in static_range(0, _log2(_size(x, dim))):
        x = _exchange(x, _numel(x) // (2 * stride * 2 ** i), stride * 2 ** i)
    return x

@jit
def topk(x, k: constexpr, dim: constexpr = None):
    size: constexpr = _last_size(x, dim)
    ordered = sort(x, dim, descending=True)
    pieces = reshape(ordered, _topk_shape(x, k))
    first = arange(0, size // k)
    kept = where(reshape(first, [size // k, 1]) == 0, pieces, zeros_like(pieces))
    return sum(kept, _last_axis(kept) - 1)

@jit
def histogram(input, num_bins: constexpr, mask=None):
    hits = reshape(input, [_numel(input), 1]) == reshape(arange(0, num_bins), [1, num_bins])
    if mask is not None:
        hits = hits & reshape(mask, [_numel(input), 1])
    return sum(hits.to(int32), 0)

@jit
def squeeze(x, dim: constexpr):
    return reshape(x, _squeezed_shape(x, dim))

@jit
def unsqueeze(x, dim: constexpr):
    return expand_dims(x, dim)

@jit
def _from_fp8e5(x):
    return (x.to(uint8, bitcast=True).to(uint16) << 8).to(float16, bitcast=True)

@jit
def _from_fp8e4nv(x):
    bits = x.to(uint8, bitcast=True).to(uint16)
    magnitude = ((bits & 0x7f) << 7).to(float16, bitcast=True) * 256.0
    magnitude = where((bits & 0x7f) == 0x7f, full([], 0x7e00, uint16).to(float16, bitcast=True), magnitude)
    return where((bits & 0x80) != 0, -magnitude, magnitude)

@jit
def _from_fp8e4b15(x):
    bits = x.to(uint8, bitcast=True).to(uint16)
    return (((bits & 0x7f) << 7) | ((bits & 0x80) << 8)).to(float16, bitcast=True)

@jit
def _from_e2m1(x):
    bits = interleave(x & 0xf, x >> 4).to(uint16)
    magnitude = ((bits & 7) << 9).to(float16, bitcast=True) * 16384.0
    return where((bits & 8) != 0, -magnitude, magnitude)

@jit
def _to_fp8(x, fraction: constexpr, bias: constexpr, largest: constexpr, nan: constexpr):
    bits = x.to(uint32, bitcast=True)
    magnitude = minimum((bits & 0x7fffffff).to(float32, bitcast=True), largest)
    own = magnitude.to(uint32, bitcast=True)
    shift: constexpr = 23 - fraction
    least = ((own >> shift) & 1) + ((1 << (shift - 1)) - 1)
    normal = ((own + least) >> shift) - ((127 - bias) << fraction)
    step: constexpr = 2.0 ** (24 - bias - fraction)
    small = (magnitude + step).to(uint32, bitcast=True) - full([], step, float32).to(uint32, bitcast=True)
    rounded = where(magnitude < 2.0 ** (1 - bias), small, normal)
    rounded = where(x != x, nan, rounded)
    return (rounded | ((bits >> 24) & 0x80)).to(uint8)

@jit
def _to_fp8e5(x):
    return _to_fp8(x, 2, 15, 57344.0, 0x7f)

@jit
def _to_fp8e4nv(x):
    return _to_fp8(x, 3, 7, 448.0, 0x7f)

@jit
def _towards_zero(x, dtype, bits):
    rounded = x.to(dtype)
    is_larger = abs(rounded.to(x.dtype)) > abs(x)
    return (rounded.to(bits, bitcast=True) - is_larger.to(bits)).to(dtype, bitcast=True)

@jit
def _to_fp8e4b15(x):
    # As Triton's PTX for it: to fp16 towards zero, at most 1.75, then to the nearest, ties away from zero.
    bits = x.to(float16, fp_downcast_rounding="rtz").to(uint16, bitcast=True)
    magnitude = minimum(bits & 0x7fff, 0x3f00)
    return (((magnitude * 2 + 0x80) >> 8) | ((bits >> 8) & 0x80)).to(uint8)

@jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: constexpr = 10):
    for _ in static_range(n_rounds):
        a = c0
        b = c2
        c0 = umulhi(b, 3449720151) ^ c1 ^ k0
        c2 = umulhi(a, 3528531795) ^ c3 ^ k1
        c1 = b * 3449720151
        c3 = a * 3528531795
        k0 = k0 + 2654435769
        k1 = k1 + 3144134277
    return c0, c1, c2, c3

@jit
def philox(seed, c0, c1, c2, c3, n_rounds: constexpr = 10):
    wide = _tensor(seed).to(uint64)
    k0 = (wide & 0xffffffff).to(uint32)
    k1 = ((wide >> 32) & 0xffffffff).to(uint32)
    return philox_impl(_bits32(c0), _bits32(c1), _bits32(c2), _bits32(c3), k0, k1, n_rounds)

@jit
def randint4x(seed, offset, n_rounds: constexpr = 10):
    zero = offset * 0
    return philox(seed, offset, zero, zero, zero, n_rounds)

@jit
def randint(seed, offset, n_rounds: constexpr = 10):
    a, b, c, d = randint4x(seed, offset, n_rounds)
    return a

@jit
def uint_to_uniform_float(x):
    is_wide: constexpr = x.dtype.primitive_bitwidth == 64
    x = x.to(int64 if is_wide else int32, bitcast=True)
    x = where(x < 0, -x - 1, x)
    return x * (1.0842020432385337e-19 if is_wide else 4.6566127342e-10)

@jit
def rand(seed, offset, n_rounds: constexpr = 10):
    return uint_to_uniform_float(randint(seed, offset, n_rounds))

@jit
def rand4x(seed, offset, n_rounds: constexpr = 10):
    a, b, c, d = randint4x(seed, offset, n_rounds)
    return (uint_to_uniform_float(a), uint_to_uniform_float(b), uint_to_uniform_float(c), uint_to_uniform_float(d))

@jit
def pair_uniform_to_normal(u1, u2):
    u1 = maximum(1.0e-7, u1)
    angle = 6.283185307179586 * u2
    r = sqrt(-2.0 * log(u1))
    return r * cos(angle), r * sin(angle)

@jit
def randn(seed, offset, n_rounds: constexpr = 10):
    a, b, c, d = randint4x(seed, offset, n_rounds)
    first, second = pair_uniform_to_normal(uint_to_uniform_float(a), uint_to_uniform_float(b))
    return first

@jit
def randn4x(seed, offset, n_rounds: constexpr = 10):
    a, b, c, d = rand4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(a, b)
    n3, n4 = pair_uniform_to_normal(c, d)
    return n1, n2, n3, n4
`;

/** What `triton.language` offers of it. */
export const LIBRARY_NAMES: readonly string[] = (
  "topk bitonic_merge histogram squeeze unsqueeze " +
  "cdiv sigmoid softmax zeros_like ravel interleave swizzle2d argmax argmin sort flip philox philox_impl randint4x " +
  "randint rand rand4x randn randn4x uint_to_uniform_float pair_uniform_to_normal"
).split(" ");
