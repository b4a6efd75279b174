/*
 * Warp matrix functions, nvcuda::wmma, after "Warp Matrix Functions" in the CUDA C++ Programming Guide.
 *
 * A fragment is a row of the fragments of mma.sync (PTX ISA 9.7.13.4), one after another, so that accumulators lie as
 * on sm_80: element i of lane 4 g + t belongs to row g (+ 8) and columns 2 t, 2 t + 1 (+ 8). For m8n32k16 the whole
 * product is kept transposed. Multiplication is libdevice/mma.cu's.
 */
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

extern "C" {
struct __heddle_b32x2 { unsigned x, y; };
struct __heddle_b32x4 { unsigned x, y, z, w; };
struct __heddle_f32x4 { float x, y, z, w; };
struct __heddle_f64x2 { double x, y; };
__device__ __heddle_f32x4 __heddle_mma_m16n8k16_f32_f16_f16_f32(unsigned, unsigned, unsigned, unsigned, unsigned,
                                                                unsigned, float, float, float, float)
    __attribute__((convergent));
__device__ __heddle_f32x4 __heddle_mma_m16n8k16_f32_bf16_bf16_f32(unsigned, unsigned, unsigned, unsigned, unsigned,
                                                                  unsigned, float, float, float, float)
    __attribute__((convergent));
__device__ __heddle_f32x4 __heddle_mma_m16n8k8_f32_tf32_tf32_f32(unsigned, unsigned, unsigned, unsigned, unsigned,
                                                                 unsigned, float, float, float, float)
    __attribute__((convergent));
__device__ __heddle_b32x4 __heddle_mma_m16n8k16_s32_s8_s8_s32(unsigned, unsigned, unsigned, unsigned, unsigned,
                                                              unsigned, unsigned) __attribute__((convergent));
__device__ __heddle_b32x4 __heddle_mma_m16n8k16_s32_u8_u8_s32(unsigned, unsigned, unsigned, unsigned, unsigned,
                                                              unsigned, unsigned) __attribute__((convergent));
__device__ __heddle_b32x4 __heddle_mma_m16n8k16_s32_s8_s8_s32_sat(unsigned, unsigned, unsigned, unsigned, unsigned,
                                                                  unsigned, unsigned) __attribute__((convergent));
__device__ __heddle_b32x4 __heddle_mma_m16n8k16_s32_u8_u8_s32_sat(unsigned, unsigned, unsigned, unsigned, unsigned,
                                                                  unsigned, unsigned) __attribute__((convergent));
__device__ __heddle_b32x2 __heddle_mma_m8n8k32_s32_s4_s4_s32(unsigned, unsigned, unsigned, unsigned)
    __attribute__((convergent));
__device__ __heddle_b32x2 __heddle_mma_m8n8k32_s32_u4_u4_s32(unsigned, unsigned, unsigned, unsigned)
    __attribute__((convergent));
__device__ __heddle_b32x2 __heddle_mma_m8n8k32_s32_s4_s4_s32_sat(unsigned, unsigned, unsigned, unsigned)
    __attribute__((convergent));
__device__ __heddle_b32x2 __heddle_mma_m8n8k32_s32_u4_u4_s32_sat(unsigned, unsigned, unsigned, unsigned)
    __attribute__((convergent));
__device__ __heddle_b32x2 __heddle_mma_m8n8k128_s32_b1_b1_s32_xor(unsigned, unsigned, unsigned, unsigned)
    __attribute__((convergent));
__device__ __heddle_b32x2 __heddle_mma_m8n8k128_s32_b1_b1_s32_and(unsigned, unsigned, unsigned, unsigned)
    __attribute__((convergent));
__device__ __heddle_f64x2 __heddle_mma_m8n8k4_f64_f64_f64_f64(double, double, double, double)
    __attribute__((convergent));
}

namespace nvcuda {
namespace wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}
/** Elements of less than a byte: A is row-major and B column-major. */
namespace experimental {
namespace precision {
struct u4 {};
struct s4 {};
struct b1 {};
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}

#define __WMMA_D __device__ inline __attribute__((always_inline))

__WMMA_D float __float_to_tf32(float value) {
  const unsigned bits = __builtin_bit_cast(unsigned, value);
  return value != value ? value : __builtin_bit_cast(float, (bits + 0x1000u) & 0xffffe000u);
}

namespace __detail {

template <typename T>
struct storage { typedef T type; };
template <>
struct storage<precision::tf32> { typedef float type; };

/** How many elements share a 32-bit register. */
template <typename T>
constexpr int packed = sizeof(typename storage<T>::type) >= 4 ? 1 : 4 / sizeof(typename storage<T>::type);

struct position { int row, column; };
__WMMA_D unsigned lane() { return __nvvm_read_ptx_sreg_laneid(); }

/** Element i of a 16 x k fragment of A: registers in the order (rows g, g + 8) x (halves of k); a register holds `p`
 * elements of k. */
template <int P>
__WMMA_D position place_a(int i) {
  const int g = (int)lane() / 4, t = (int)lane() % 4, reg = i / P;
  return {g + 8 * (reg & 1), 4 * P * (reg >> 1) + t * P + i % P};
}
/** Element i of a k x 8 fragment of B. */
template <int P>
__WMMA_D position place_b(int i) {
  const int g = (int)lane() / 4, t = (int)lane() % 4, reg = i / P;
  return {4 * P * reg + t * P + i % P, g};
}
/** Element i of a 16 x 8 accumulator. */
__WMMA_D position place_c(int i) {
  const int g = (int)lane() / 4, t = (int)lane() % 4;
  return {g + 8 * (i >> 1), 2 * t + (i & 1)};
}

/*
 * The shapes as rows of tiles: `tall` tiles of A below each other, `wide` tiles of B side by side. A tile of A has `a`
 * elements a lane, one of B `b`, an accumulator 4 for each pair. FLIP: the transposed product is computed, A and B
 * change places.
 */
template <int _Mm, int _Nn, int _Kk>
struct shape;
template <>
struct shape<16, 16, 16> { static constexpr int tall = 1, wide = 2; static constexpr bool flip = false; };
template <>
struct shape<32, 8, 16> { static constexpr int tall = 2, wide = 1; static constexpr bool flip = false; };
template <>
struct shape<8, 32, 16> { static constexpr int tall = 2, wide = 1; static constexpr bool flip = true; };
template <>
struct shape<16, 16, 8> { static constexpr int tall = 1, wide = 2; static constexpr bool flip = false; };

/** The number of elements a lane holds and where element i lies; `tile` elements make one tile. */
template <typename _Use, int _Mm, int _Nn, int _Kk, typename T>
struct geometry {
  using S = shape<_Mm, _Nn, _Kk>;
  static constexpr int P = packed<T>;
  static constexpr bool is_accumulator = __is_same(_Use, accumulator);
  /* In the product as it is computed. */
  static constexpr bool is_left = __is_same(_Use, matrix_a) != S::flip;
  static constexpr int tile = is_accumulator ? 4 : is_left ? 16 * _Kk / 32 : 8 * _Kk / 32;
  static constexpr int count = is_accumulator ? 4 * S::tall * S::wide : is_left ? tile * S::tall : tile * S::wide;
  __WMMA_D static position at(int i) {
    const int n = i / tile, inner = i % tile;
    position p;
    if (is_accumulator) {
      p = place_c(inner);
      p.row += 16 * (n / S::wide);
      p.column += 8 * (n % S::wide);
    } else if (is_left) {
      p = place_a<P>(inner);
      p.row += 16 * n;
    } else {
      p = place_b<P>(inner);
      p.column += 8 * n;
    }
    return S::flip ? position{p.column, p.row} : p;
  }
};
template <typename _Use, typename T>
struct geometry<_Use, 8, 8, 4, T> {
  static constexpr int count = __is_same(_Use, accumulator) ? 2 : 1;
  __WMMA_D static position at(int i) {
    const int g = (int)lane() / 4, t = (int)lane() % 4;
    if (__is_same(_Use, accumulator)) return {g, 2 * t + i};
    return __is_same(_Use, matrix_a) ? position{g, t} : position{t, g};
  }
};

/** `_Nn` elements from `x` as 32-bit registers. */
template <int _Nn, typename T>
struct registers {
  unsigned r[(_Nn * sizeof(T) + 3) / 4];
  __WMMA_D registers(const T *x) { __builtin_memcpy(r, x, _Nn * sizeof(T)); }
};

template <typename T>
struct multiplier;
#define __WMMA_MULTIPLY_FLOAT(T, name)                                                                       \
  template <>                                                                                                \
  struct multiplier<T> {                                                                                     \
    template <bool _Saturate, typename _Stored>                                                                \
    __WMMA_D static void multiply(float d[4], const _Stored* a, const _Stored* b, const float c[4]) {          \
      const registers<16 / sizeof(_Stored), _Stored> p(a);                                                     \
      const registers<8 / sizeof(_Stored), _Stored> q(b);                                                      \
      const __heddle_f32x4 r = name(p.r[0], p.r[1], p.r[2], p.r[3], q.r[0], q.r[1], c[0], c[1], c[2], c[3]); \
      d[0] = r.x;                                                                                            \
      d[1] = r.y;                                                                                            \
      d[2] = r.z;                                                                                            \
      d[3] = r.w;                                                                                            \
    }                                                                                                        \
  };
__WMMA_MULTIPLY_FLOAT(__half, __heddle_mma_m16n8k16_f32_f16_f16_f32)
__WMMA_MULTIPLY_FLOAT(__nv_bfloat16, __heddle_mma_m16n8k16_f32_bf16_bf16_f32)
__WMMA_MULTIPLY_FLOAT(precision::tf32, __heddle_mma_m16n8k8_f32_tf32_tf32_f32)
#undef __WMMA_MULTIPLY_FLOAT
#define __WMMA_MULTIPLY_INT(T, name)                                                                               \
  template <>                                                                                                      \
  struct multiplier<T> {                                                                                           \
    template <bool _Saturate, typename _Stored>                                                                      \
    __WMMA_D static void multiply(int d[4], const _Stored* a, const _Stored* b, const int c[4]) {                    \
      const registers<8, _Stored> p(a);                                                                             \
      const registers<4, _Stored> q(b);                                                                             \
      const __heddle_b32x4 r =                                                                                     \
          _Saturate                                                                                                 \
              ? name##_sat(p.r[0], p.r[1], q.r[0], (unsigned)c[0], (unsigned)c[1], (unsigned)c[2], (unsigned)c[3]) \
              : name(p.r[0], p.r[1], q.r[0], (unsigned)c[0], (unsigned)c[1], (unsigned)c[2], (unsigned)c[3]);      \
      d[0] = (int)r.x;                                                                                             \
      d[1] = (int)r.y;                                                                                             \
      d[2] = (int)r.z;                                                                                             \
      d[3] = (int)r.w;                                                                                             \
    }                                                                                                              \
  };
__WMMA_MULTIPLY_INT(signed char, __heddle_mma_m16n8k16_s32_s8_s8_s32)
__WMMA_MULTIPLY_INT(unsigned char, __heddle_mma_m16n8k16_s32_u8_u8_s32)
#undef __WMMA_MULTIPLY_INT

}  // namespace __detail

template <typename _Use, int _Mm, int _Nn, int _Kk, typename T, typename _Layout = void>
class fragment {
 public:
  typedef typename __detail::storage<T>::type element_type;
  typedef element_type storage_element_type;
  static constexpr int num_elements = __detail::geometry<_Use, _Mm, _Nn, _Kk, T>::count;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};

template <typename _Use, int _Mm, int _Nn, int _Kk, typename T, typename _Layout, typename V>
__WMMA_D void fill_fragment(fragment<_Use, _Mm, _Nn, _Kk, T, _Layout> &target, const V &value) {
  _Pragma("unroll") for (int i = 0; i < target.num_elements; ++i) target.x[i] =
      (typename fragment<_Use, _Mm, _Nn, _Kk, T, _Layout>::element_type)value;
}

namespace __detail {
template <typename _Use, int _Mm, int _Nn, int _Kk, typename T>
__WMMA_D unsigned offset(int i, unsigned stride, bool rows) {
  const position p = geometry<_Use, _Mm, _Nn, _Kk, T>::at(i);
  return rows ? (unsigned)p.row * stride + (unsigned)p.column : (unsigned)p.column * stride + (unsigned)p.row;
}
/**
 * Whether the elements of a register, which are neighbours along k, are neighbours in memory. Matrices are aligned to
 * 32 bytes and their strides to 16, as the guide asks for.
 */
template <typename _Use, typename T, typename _Memory, bool _Rows>
constexpr bool is_word_loaded = packed<T> > 1 && sizeof(_Memory) == sizeof(typename storage<T>::type) &&
                                __is_same(_Use, matrix_a) == _Rows;
}  // namespace __detail

template <typename _Use, int _Mm, int _Nn, int _Kk, typename T, typename _Layout, typename _Memory>
__WMMA_D void load_matrix_sync(fragment<_Use, _Mm, _Nn, _Kk, T, _Layout> &target, const _Memory *pointer,
                               unsigned stride) {
  static_assert(!__is_same(_Layout, void), "the layout of an accumulator is an argument");
  constexpr bool rows = __is_same(_Layout, row_major);
  __syncwarp();
  if constexpr (__detail::is_word_loaded<_Use, T, _Memory, rows>) {
    constexpr int P = __detail::packed<T>;
    _Pragma("unroll") for (int i = 0; i < target.num_elements; i += P) __builtin_memcpy(
        target.x + i,
        __builtin_assume_aligned(pointer + __detail::offset<_Use, _Mm, _Nn, _Kk, T>(i, stride, rows), 4), 4);
  } else {
    _Pragma("unroll") for (int i = 0; i < target.num_elements; ++i) target.x[i] =
        pointer[__detail::offset<_Use, _Mm, _Nn, _Kk, T>(i, stride, rows)];
  }
}
template <int _Mm, int _Nn, int _Kk, typename T, typename _Memory>
__WMMA_D void load_matrix_sync(fragment<accumulator, _Mm, _Nn, _Kk, T>& target, const _Memory* pointer, unsigned stride,
                               layout_t layout) {
  __syncwarp();
  _Pragma("unroll") for (int i = 0; i < target.num_elements; ++i)
    target.x[i] = pointer[__detail::offset<accumulator, _Mm, _Nn, _Kk, T>(i, stride, layout == mem_row_major)];
}
template <int _Mm, int _Nn, int _Kk, typename T, typename _Memory>
__WMMA_D void store_matrix_sync(_Memory* pointer, const fragment<accumulator, _Mm, _Nn, _Kk, T>& source,
                                unsigned stride,
                                layout_t layout) {
  _Pragma("unroll") for (int i = 0; i < source.num_elements; ++i)
    pointer[__detail::offset<accumulator, _Mm, _Nn, _Kk, T>(i, stride, layout == mem_row_major)] = source.x[i];
  __syncwarp();
}

/** d = a b + c; the sums of 16-bit elements are made in float and rounded to the accumulator's type once. */
template <int _Mm, int _Nn, int _Kk, typename T, typename _LayoutA, typename _LayoutB, typename D, typename C>
__WMMA_D void mma_sync(fragment<accumulator, _Mm, _Nn, _Kk, D>& d,
                       const fragment<matrix_a, _Mm, _Nn, _Kk, T, _LayoutA>& a,
                       const fragment<matrix_b, _Mm, _Nn, _Kk, T, _LayoutB>& b,
                       const fragment<accumulator, _Mm, _Nn, _Kk, C>& c,
                       bool saturate = false) {
  using S = __detail::shape<_Mm, _Nn, _Kk>;
  using A = __detail::geometry<matrix_a, _Mm, _Nn, _Kk, T>;
  using B = __detail::geometry<matrix_b, _Mm, _Nn, _Kk, T>;
  constexpr bool integer = __is_same(D, int);
  typedef __typeof__(__builtin_choose_expr(integer, 0, 0.0f)) SUM;
  const auto *left = S::flip ? b.x : a.x;
  const auto *right = S::flip ? a.x : b.x;
  constexpr int left_tile = S::flip ? B::tile : A::tile, right_tile = S::flip ? A::tile : B::tile;
  _Pragma("unroll") for (int m = 0; m < S::tall; ++m) {
    _Pragma("unroll") for (int n = 0; n < S::wide; ++n) {
      const int at = 4 * (m * S::wide + n);
      SUM in[4], out[4];
      _Pragma("unroll") for (int i = 0; i < 4; ++i) in[i] = (SUM)c.x[at + i];
      if (saturate && integer)
        __detail::multiplier<T>::template multiply<true>(out, left + m * left_tile, right + n * right_tile, in);
      else __detail::multiplier<T>::template multiply<false>(out, left + m * left_tile, right + n * right_tile, in);
      _Pragma("unroll") for (int i = 0; i < 4; ++i) d.x[at + i] = (D)out[i];
    }
  }
}
template <typename _LayoutA, typename _LayoutB>
__WMMA_D void mma_sync(fragment<accumulator, 8, 8, 4, double>& d,
                       const fragment<matrix_a, 8, 8, 4, double, _LayoutA>& a,
                       const fragment<matrix_b, 8, 8, 4, double, _LayoutB>& b,
                       const fragment<accumulator, 8, 8, 4, double>& c) {
  const __heddle_f64x2 r = __heddle_mma_m8n8k4_f64_f64_f64_f64(a.x[0], b.x[0], c.x[0], c.x[1]);
  d.x[0] = r.x;
  d.x[1] = r.y;
}

/** 8 x 8 results from small elements. A lane has 32 bits of row g of A and of column g of B, its t-th ones. */
namespace __detail {
template <typename T>
struct small;
#define __WMMA_SMALL(T, STORAGE, BITS)                       \
  template <>                                                \
  struct small<experimental::precision::T> {                 \
    typedef STORAGE type;                                    \
    static constexpr int bits = BITS, k = 128 / BITS;        \
  };
__WMMA_SMALL(u4, unsigned, 4)
__WMMA_SMALL(s4, int, 4)
__WMMA_SMALL(b1, unsigned, 1)
#undef __WMMA_SMALL

/** The fragments of A and B. */
template <typename T>
struct small_fragment {
  typedef T element_type;
  typedef typename small<T>::type storage_element_type;
  static constexpr int num_elements = 32 / small<T>::bits;
  static constexpr int num_storage_elements = 1;
  storage_element_type x[1];
};
/** The sums of products of `_Kk` elements. */
struct small_sums {
  typedef int element_type, storage_element_type;
  static constexpr int num_elements = 2, num_storage_elements = 2;
  int x[2];
};
template <typename T>
__WMMA_D void load_small(small_fragment<T> &target, const void *pointer, unsigned stride) {
  __syncwarp();
  const char *row = (const char *)pointer + lane() / 4 * (stride * small<T>::bits / 8);
  __builtin_memcpy(target.x, __builtin_assume_aligned(row + lane() % 4 * 4, 4), 4);
}
}  // namespace __detail

template <typename _Layout>
class fragment<matrix_a, 8, 8, 32, experimental::precision::u4, _Layout>
    : public __detail::small_fragment<experimental::precision::u4> {};
template <typename _Layout>
class fragment<matrix_a, 8, 8, 32, experimental::precision::s4, _Layout>
    : public __detail::small_fragment<experimental::precision::s4> {};
template <typename _Layout>
class fragment<matrix_a, 8, 8, 128, experimental::precision::b1, _Layout>
    : public __detail::small_fragment<experimental::precision::b1> {};
template <typename _Layout>
class fragment<matrix_b, 8, 8, 32, experimental::precision::u4, _Layout>
    : public __detail::small_fragment<experimental::precision::u4> {};
template <typename _Layout>
class fragment<matrix_b, 8, 8, 32, experimental::precision::s4, _Layout>
    : public __detail::small_fragment<experimental::precision::s4> {};
template <typename _Layout>
class fragment<matrix_b, 8, 8, 128, experimental::precision::b1, _Layout>
    : public __detail::small_fragment<experimental::precision::b1> {};
template <>
class fragment<accumulator, 8, 8, 32, int> : public __detail::small_sums {};
template <>
class fragment<accumulator, 8, 8, 128, int> : public __detail::small_sums {};

template <typename T>
__WMMA_D void load_matrix_sync(fragment<matrix_a, 8, 8, __detail::small<T>::k, T, row_major> &target,
                               const void *pointer, unsigned stride) {
  __detail::load_small<T>(target, pointer, stride);
}
template <typename T>
__WMMA_D void load_matrix_sync(fragment<matrix_b, 8, 8, __detail::small<T>::k, T, col_major> &target,
                               const void *pointer, unsigned stride) {
  __detail::load_small<T>(target, pointer, stride);
}
#define __WMMA_SMALL_SUMS(_Kk) \
  __WMMA_D void load_matrix_sync(fragment<accumulator, 8, 8, _Kk, int> &target, const int *pointer, unsigned stride, \
                                 layout_t layout) {                                                                   \
    __syncwarp();                                                                                                     \
    const unsigned row = __detail::lane() / 4, column = __detail::lane() % 4 * 2;                                     \
    for (unsigned i = 0; i < 2; ++i)                                                                                  \
      target.x[i] = pointer[layout == mem_row_major ? row * stride + column + i : (column + i) * stride + row];       \
  }                                                                                                                   \
  __WMMA_D void store_matrix_sync(int *pointer, const fragment<accumulator, 8, 8, _Kk, int> &source, unsigned stride, \
                                  layout_t layout) {                                                                  \
    const unsigned row = __detail::lane() / 4, column = __detail::lane() % 4 * 2;                                     \
    for (unsigned i = 0; i < 2; ++i)                                                                                  \
      pointer[layout == mem_row_major ? row * stride + column + i : (column + i) * stride + row] = source.x[i];       \
    __syncwarp();                                                                                                     \
  }
__WMMA_SMALL_SUMS(32)
__WMMA_SMALL_SUMS(128)
#undef __WMMA_SMALL_SUMS

#define __WMMA_NIBBLES(T)                                                                                             \
  __WMMA_D void mma_sync(fragment<accumulator, 8, 8, 32, int> &d,                                                     \
                         const fragment<matrix_a, 8, 8, 32, experimental::precision::T, row_major> &a,                \
                         const fragment<matrix_b, 8, 8, 32, experimental::precision::T, col_major> &b,                \
                         const fragment<accumulator, 8, 8, 32, int> &c, bool saturate = false) {                      \
    const unsigned left = (unsigned)a.x[0], right = (unsigned)b.x[0], c0 = (unsigned)c.x[0], c1 = (unsigned)c.x[1];   \
    const __heddle_b32x2 r = saturate ? __heddle_mma_m8n8k32_s32_##T##_##T##_s32_sat(left, right, c0, c1)             \
                                      : __heddle_mma_m8n8k32_s32_##T##_##T##_s32(left, right, c0, c1);                \
    d.x[0] = (int)r.x;                                                                                                \
    d.x[1] = (int)r.y;                                                                                                \
  }
__WMMA_NIBBLES(s4)
__WMMA_NIBBLES(u4)
#undef __WMMA_NIBBLES

/** c + the number of bits that are set in a ^ b, or in a & b. */
__WMMA_D void bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
                        const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
                        const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
                        const fragment<accumulator, 8, 8, 128, int> &c,
                        experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
                        experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
  const unsigned c0 = (unsigned)c.x[0], c1 = (unsigned)c.x[1];
  const __heddle_b32x2 r = operation == experimental::bmmaBitOpAND
                               ? __heddle_mma_m8n8k128_s32_b1_b1_s32_and(a.x[0], b.x[0], c0, c1)
                               : __heddle_mma_m8n8k128_s32_b1_b1_s32_xor(a.x[0], b.x[0], c0, c1);
  d.x[0] = (int)r.x;
  d.x[1] = (int)r.y;
}

}  // namespace wmma
}  // namespace nvcuda
