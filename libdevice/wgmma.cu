/*
 * Matrix products of a warpgroup (PTX ISA 8.5, 9.7.15 "Asynchronous Warpgroup Level Matrix Multiply-Accumulate
 * Instructions"), as inline PTX calls them.
 *
 * A product is made at the instruction: each thread computes its own elements of D. Lane 4 g + t of warp w has the rows
 * 16 w + g and 16 w + g + 8, and the columns 8 j + 2 t and 8 j + 2 t + 1. A product covers 32 bytes of K;
 * with a sparse A, of which 32 bytes are stored, 64 bytes of B.
 *
 * Descriptors of matrices in shared memory (9.7.15.5.1): bits 0–13 the address, 16–29 the leading and 32–45 the stride
 * byte offset, all in units of 16 bytes; 49–51 the base offset; 62–63 the swizzle. The address has 18 bits: a block's
 * shared memory is smaller.
 *
 * Sums are float, in order of K. The hardware sums in another order and cuts bits below its own width: results agree to
 * the usual error of a dot product. Sums of floats of 8 bits are cut much earlier, and here as there: see cut_sum.
 */
#include "sparse-chunks.h"

extern "C" DEVICE u32 __heddle_shared_window();

struct Descriptor { u32 start, leading, stride, base, span; };

INLINE Descriptor read_descriptor(u64 bits) {
  const u32 window = __heddle_shared_window(), field = (u32)(bits & 0x3fff) << 4, mode = (u32)(bits >> 62);
  return {window + ((field - window) & 0x3ffffu), (u32)(bits >> 16 & 0x3fff) << 4, (u32)(bits >> 32 & 0x3fff) << 4,
          (u32)(bits >> 49 & 7), mode == 0 ? 16 : 256u >> mode};
}
/* 128, 64, 32 for the modes 1, 2, 3; without a swizzle rows have 16 bytes. */
INLINE u32 placed(const Descriptor &d, u32 address) {
  const u32 mask = d.span / 16 - 1;
  return address ^ (((address >> 7) - d.base) & mask) << 4;
}
/* Where K is contiguous: the bytes from `k` on (0–63) of a row or column. */
INLINE u32 k_major(const Descriptor &d, u32 index, u32 k) {
  const u32 at = d.start + (index & 7) * d.span + (index >> 3) * d.stride;
  if (d.span == 16) return placed(d, at + (k >> 4) * d.leading + (k & 15));
  return placed(d, at + (k >= 32 && d.span == 32 ? d.leading + k - 32 : k));
}
/* Where the rows of A or the columns of B are contiguous: 16-bit element `index` of row `k` (0–31). */
INLINE u32 mn_major(const Descriptor &d, u32 index, u32 k) {
  const u32 perSpan = d.span / 2, within = index % perSpan * 2, group = index / perSpan;
  const u32 groups = d.span == 16 ? d.stride : d.leading, eights = d.span == 16 ? d.leading : d.stride;
  return placed(d, d.start + group * groups + (k & 7) * d.span + (k >> 3) * eights + within);
}

/* The elements of 32 bits; sums in float or in integers. */
struct Half {
  enum { PER_WORD = 2 };
  using Sum = float;
  INLINE float part(u32 word, int i) { return (float)__builtin_bit_cast(_Float16, (u16)(word >> 16 * i)); }
};
struct Bfloat {
  enum { PER_WORD = 2 };
  using Sum = float;
  INLINE float part(u32 word, int i) { return f32_from(i == 0 ? word << 16 : word & 0xffff0000u); }
};
/* The hardware reads 10 bits of fraction. */
struct Tfloat {
  enum { PER_WORD = 1 };
  using Sum = float;
  INLINE float part(u32 word, int) { return f32_from(word & 0xffffe000u); }
};
struct E4m3 {
  enum { PER_WORD = 4, LEAST = (127 - 6) << 23 };
  using Sum = float;
  INLINE float part(u32 word, int i) {
    const u32 b = word >> 8 * i & 0xff, sign = (b & 0x80) << 24;
    if ((b & 0x7f) == 0x7f) return f32_nan();
    /* The exponent of a float, scaled by what the biases differ: subnormals come out right. */
    return f32_from(sign | (b & 0x7f) << 20) * f32_from((127u + 120u) << 23);
  }
};
struct E5m2 {
  enum { PER_WORD = 4, LEAST = (127 - 14) << 23 };
  using Sum = float;
  INLINE float part(u32 word, int i) { return (float)__builtin_bit_cast(_Float16, (u16)((word >> 8 * i & 0xff) << 8)); }
};
template <bool SIGNED> struct Byte {
  enum { PER_WORD = 4 };
  using Sum = i32;
  INLINE i32 part(u32 word, int i) { return SIGNED ? (i32)(signed char)(word >> 8 * i) : (i32)(u8)(word >> 8 * i); }
};

/* The same, for sums that do not wrap around: clamped in the end. */
template <bool SIGNED> struct WideByte {
  enum { PER_WORD = 4 };
  using Sum = i64;
  INLINE i64 part(u32 word, int i) { return Byte<SIGNED>::part(word, i); }
};

INLINE float add_product(float sum, float a, float b) { return sum + a * b; }
INLINE i32 add_product(i32 sum, i32 a, i32 b) { return (i32)((u32)sum + (u32)(a * b)); }

INLINE i64 add_product(i64 sum, i64 a, i64 b) { return sum + a * b; }

/* Floats of 8 bits. A product has the exponent that the factors' exponents add up to, subnormals the least of their
 * type. The hardware cuts products and the old sum towards zero at 2^-13 of the power of the largest exponent, adds
 * them exactly, and cuts a float's fraction to 13 bits. */
template <class E> struct IsCut { enum { YES = 0 }; };
template <> struct IsCut<E4m3> { enum { YES = 1 }; };
template <> struct IsCut<E5m2> { enum { YES = 1 }; };
enum : u32 { CUT_BITS = 13, NOT_FINITE = 0x7f800000, LEAST_PRODUCT = (127 - 28) << 23, CUT_FRACTION = 0x3ff };

/* The bits of 2^exponent; 0 of zero, NOT_FINITE of infinities and NaN. */
INLINE u32 power_of(float x, u32 least) {
  const u32 power = bits_of(x) & NOT_FINITE;
  return x == 0 ? 0 : power < least ? least : power;
}
template <class E, int K> INLINE void powers_of(float out[K], const float x[K]) {
  for (int k = 0; k < K; ++k) out[k] = f32_from(power_of(x[k], E::LEAST));
}
template <int K>
INLINE float cut_sum(float old, const float a[K], const float powersA[K], const float b[K], const float powersB[K],
                     bool isHalf) {
  u32 most = power_of(old, isHalf ? E5m2::LEAST : 0);
  for (int k = 0; k < K; ++k) {
    const u32 power = bits_of(powersA[k] * powersB[k]) & 0x7fffffffu;
    most = power > most ? power : most;
  }
  if (most >= NOT_FINITE) {
    float sum = old;
    for (int k = 0; k < K; ++k) sum += a[k] * b[k];
    return sum != sum ? f32_nan() : sum;
  }
  float sum = old + 0.0f; /* where all products are zero */
  if (most >= LEAST_PRODUCT) {
    const float scale = f32_from(((2 * 127 + CUT_BITS) << 23) - most);
    i32 units = (i32)(old * scale);
    for (int k = 0; k < K; ++k) units += (i32)(a[k] * b[k] * scale);
    sum = (float)units * f32_from(most - (CUT_BITS << 23));
  }
  return isHalf ? sum : f32_from(bits_of(sum) & ~CUT_FRACTION);
}

/* The options of an instruction. A sparse A is the functions' own; the bit is for checkers. */
enum { KEEP = 1, NEGATE_A = 2, NEGATE_B = 4, TRANSPOSE_A = 8, TRANSPOSE_B = 16, SPARSE_A = 32 };

/* Words of K: in order, of a row or column. */
template <u32 WORDS>
INLINE void load_line(u32 words[WORDS], const Descriptor &d, u32 index, bool transposed) {
  if (!transposed) {
    for (u32 i = 0; i < WORDS; ++i) words[i] = *(const u32 *)k_major(d, index, 4 * i);
    return;
  }
  for (u32 i = 0; i < WORDS; ++i)
    words[i] = *(const u16 *)mn_major(d, index, 2 * i) | (u32) * (const u16 *)mn_major(d, index, 2 * i + 1) << 16;
}

INLINE u32 from_quad(u32 value, u32 lane) {
  return (u32)__nvvm_shfl_sync_idx_i32(0xffffffffu, (i32)value, (i32)lane, 31);
}
/* A's row from the registers of the four lanes that hold it: register 2 h + (row ≥ 8) has word t of half h. */
INLINE void gather_line(u32 words[8], const u32 *registers, u32 upper, u32 lane) {
  for (u32 half = 0; half < 2; ++half)
    for (u32 t = 0; t < 4; ++t) words[4 * half + t] = from_quad(registers[2 * half + upper], (lane & ~3u) + t);
}

/* The dense row of what is stored: lane 4 g + t has nibbles of metadata of rows g and g + 8. */
template <class E> struct SparseKind;
template <> struct SparseKind<Half> { using Chunks = SparseHalves; };
template <> struct SparseKind<Bfloat> { using Chunks = SparseHalves; };
template <> struct SparseKind<Tfloat> { using Chunks = SparseWords; };
template <> struct SparseKind<E4m3> { using Chunks = SparseBytes; };
template <> struct SparseKind<E5m2> { using Chunks = SparseBytes; };
template <bool SIGNED> struct SparseKind<Byte<SIGNED>> { using Chunks = SparseBytes; };
template <bool SIGNED> struct SparseKind<WideByte<SIGNED>> { using Chunks = SparseBytes; };
struct Dense {
  enum { WORDS = 8, IS_SPARSE = 0 };
  template <class E> INLINE void row(u32 *, u32 *, u32, u32, u32, u32) {}
};
/* `kept` has ones for the elements that are stored: B's others are not multiplied, be they infinite. */
struct Sparse {
  enum { WORDS = 16, IS_SPARSE = 1 };
  template <class E> INLINE void row(u32 words[16], u32 kept[16], u32 e, u32 selector, u32 upper, u32 lane) {
    using C = typename SparseKind<E>::Chunks;
    const u32 quad = lane & ~3u;
    u32 stored[8], notes[2];
    for (u32 i = 0; i < 8; ++i) stored[i] = words[i];
    for (u32 i = 0; i < 2; ++i) {
      const u32 note = from_quad(e, quad + (C::BOTH_ROWS ? 2 * selector + i : 2 * i + upper));
      notes[i] = C::BOTH_ROWS ? note >> 16 * upper : note;
    }
    for (u32 i = 0; i < 16; ++i) {
      const u32 chunk = C::BOTH_ROWS ? i / 2 : i, perNote = C::BOTH_ROWS ? 4 : 8;
      const u32 nibble = notes[chunk / perNote] >> 4 * (chunk % perNote) & 15u;
      words[i] = C::placed(stored[i / 2], nibble, i & 1u);
      kept[i] = C::placed(0xffffffffu, nibble, i & 1u);
    }
  }
};

template <class E, int WORDS>
INLINE void expand(typename E::Sum out[WORDS * E::PER_WORD], const u32 words[WORDS], bool negate) {
#pragma unroll
  for (int i = 0; i < WORDS; ++i)
#pragma unroll
    for (int j = 0; j < E::PER_WORD; ++j) {
      const typename E::Sum value = E::part(words[i], j);
      out[i * E::PER_WORD + j] = negate ? -value : value;
    }
}

struct FloatAccumulator {
  enum { IS_HALF = 0 };
  INLINE void load(float v[4], const u32 *d, u32 j) {
    for (u32 i = 0; i < 4; ++i) v[i] = f32_from(d[4 * j + i]);
  }
  INLINE void store(u32 *d, u32 j, const float v[4]) {
    for (u32 i = 0; i < 4; ++i) d[4 * j + i] = bits_of(v[i]);
  }
};
struct HalfAccumulator {
  enum { IS_HALF = 1 };
  INLINE void load(float v[4], const u32 *d, u32 j) {
    for (u32 i = 0; i < 4; ++i) v[i] = Half::part(d[2 * j + i / 2], (int)(i & 1));
  }
  INLINE void store(u32 *d, u32 j, const float v[4]) {
    for (u32 i = 0; i < 2; ++i)
      d[2 * j + i] = __builtin_bit_cast(u16, (_Float16)v[2 * i]) |
                     (u32)__builtin_bit_cast(u16, (_Float16)v[2 * i + 1]) << 16;
  }
};
struct IntAccumulator {
  INLINE void load(i32 v[4], const u32 *d, u32 j) {
    for (u32 i = 0; i < 4; ++i) v[i] = (i32)d[4 * j + i];
  }
  INLINE void store(u32 *d, u32 j, const i32 v[4]) {
    for (u32 i = 0; i < 4; ++i) d[4 * j + i] = (u32)v[i];
  }
};

struct ClampedAccumulator {
  INLINE void load(i64 v[4], const u32 *d, u32 j) {
    for (u32 i = 0; i < 4; ++i) v[i] = (i32)d[4 * j + i];
  }
  INLINE void store(u32 *d, u32 j, const i64 v[4]) {
    for (u32 i = 0; i < 4; ++i)
      d[4 * j + i] = (u32)(i32)(v[i] < -2147483648ll ? -2147483648ll : v[i] > 2147483647ll ? 2147483647ll : v[i]);
  }
};

template <class EA, class EB, class D, class S>
INLINE void multiply(u32 *d, const u32 *registers, u64 descA, u64 descB, u32 columns, u32 options, u32 e,
                     u32 selector) {
  using Sum = typename EA::Sum;
  enum { WORDS = S::WORDS, K = WORDS * EA::PER_WORD };
  const u32 lane = __nvvm_read_ptx_sreg_laneid(), warp = __nvvm_read_ptx_sreg_warpid() & 3, g = lane / 4, t = lane & 3;
  u32 words[WORDS], kept[2][WORDS];
  Sum a[2][K], b[K];
  float powers[3][K]; /* of A's rows, and of B */
  const bool negateA = options & NEGATE_A, negateB = options & NEGATE_B;
  for (u32 upper = 0; upper < 2; ++upper) {
    if (registers != nullptr) gather_line(words, registers, upper, lane);
    else load_line<8>(words, read_descriptor(descA), 16 * warp + g + 8 * upper, options & TRANSPOSE_A);
    S::template row<EA>(words, kept[upper], e, selector, upper, lane);
    expand<EA, WORDS>(a[upper], words, negateA);
    if constexpr (IsCut<EA>::YES) powers_of<EA, K>(powers[upper], a[upper]);
  }
  const Descriptor of_b = read_descriptor(descB);
#pragma nounroll
  for (u32 j = 0; j < columns / 8; ++j) {
    Sum v[4] = {};
    if (options & KEEP) D::load(v, d, j);
    for (u32 c = 0; c < 2; ++c) {
      load_line<WORDS>(words, of_b, 8 * j + 2 * t + c, options & TRANSPOSE_B);
#pragma unroll
      for (u32 upper = 0; upper < 2; ++upper) {
        if (S::IS_SPARSE) {
          u32 multiplied[WORDS];
          for (u32 i = 0; i < WORDS; ++i) multiplied[i] = words[i] & kept[upper][i];
          expand<EB, WORDS>(b, multiplied, negateB);
        } else if (upper == 0) expand<EB, WORDS>(b, words, negateB);
        Sum &sum = v[2 * upper + c];
        if constexpr (IsCut<EA>::YES) {
          if (S::IS_SPARSE || upper == 0) powers_of<EB, K>(powers[2], b);
          sum = cut_sum<K>(sum, a[upper], powers[upper], b, powers[2], D::IS_HALF);
        } else {
#pragma unroll
          for (int k = 0; k < K; ++k) sum = add_product(sum, a[upper][k], b[k]);
        }
      }
    }
    D::store(d, j, v);
  }
}

/* With a sparse A: `e` is the metadata, and `selector` says which lanes' counts. */
#define PRODUCT(name, suffix, EA, EB, D)                                                                       \
  DEVICE_FN __attribute__((convergent)) void __heddle_wgmma_##name##suffix(u32 *d, const u32 *a, u64 descA,    \
                                                                           u64 descB, u32 n, u32 options) {    \
    multiply<EA, EB, D, Dense>(d, a, descA, descB, n, options, 0, 0);                                          \
  }                                                                                                            \
  DEVICE_FN __attribute__((convergent)) void __heddle_wgmma_##name##_sp##suffix(                               \
      u32 *d, const u32 *a, u64 descA, u64 descB, u32 n, u32 options, u32 e, u32 selector) {                   \
    multiply<EA, EB, D, Sparse>(d, a, descA, descB, n, options, e, selector);                                  \
  }
PRODUCT(f32_f16_f16, , Half, Half, FloatAccumulator)
PRODUCT(f16_f16_f16, , Half, Half, HalfAccumulator)
PRODUCT(f32_bf16_bf16, , Bfloat, Bfloat, FloatAccumulator)
PRODUCT(f32_tf32_tf32, , Tfloat, Tfloat, FloatAccumulator)
PRODUCT(f32_e4m3_e4m3, , E4m3, E4m3, FloatAccumulator)
PRODUCT(f32_e4m3_e5m2, , E4m3, E5m2, FloatAccumulator)
PRODUCT(f32_e5m2_e4m3, , E5m2, E4m3, FloatAccumulator)
PRODUCT(f32_e5m2_e5m2, , E5m2, E5m2, FloatAccumulator)
PRODUCT(f16_e4m3_e4m3, , E4m3, E4m3, HalfAccumulator)
PRODUCT(f16_e4m3_e5m2, , E4m3, E5m2, HalfAccumulator)
PRODUCT(f16_e5m2_e4m3, , E5m2, E4m3, HalfAccumulator)
PRODUCT(f16_e5m2_e5m2, , E5m2, E5m2, HalfAccumulator)
PRODUCT(s32_s8_s8, , Byte<true>, Byte<true>, IntAccumulator)
PRODUCT(s32_s8_u8, , Byte<true>, Byte<false>, IntAccumulator)
PRODUCT(s32_u8_s8, , Byte<false>, Byte<true>, IntAccumulator)
PRODUCT(s32_u8_u8, , Byte<false>, Byte<false>, IntAccumulator)
PRODUCT(s32_s8_s8, _sat, WideByte<true>, WideByte<true>, ClampedAccumulator)
PRODUCT(s32_s8_u8, _sat, WideByte<true>, WideByte<false>, ClampedAccumulator)
PRODUCT(s32_u8_s8, _sat, WideByte<false>, WideByte<true>, ClampedAccumulator)
PRODUCT(s32_u8_u8, _sat, WideByte<false>, WideByte<false>, ClampedAccumulator)
