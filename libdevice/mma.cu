/*
 * Matrix instructions of a warp, done with shuffles: what inline PTX's mma.sync, ldmatrix, stmatrix and movmatrix
 * become, and what nvcuda::wmma in include/mma.h is made of.
 *
 * Fragments lie as PTX ISA 8.5, 9.7.13.4 says. Lane = 4 g + t: an accumulator of 16 x 8 holds rows g and g + 8, columns
 * 2 t and 2 t + 1; a lane's registers of A belong to rows g and g + 8, those of B to column g; register `half` of a row
 * covers the k of that half, t-th chunk. Each lane gathers the two rows and two columns it needs from the eight lanes
 * that hold them.
 *
 * Products of 16-bit and tf32 elements are exact in float; sums are rounded to float in order of k. The hardware sums
 * in another order and rounds in its own way: results agree to the usual error of a dot product, not to the bit.
 */
#include "prelude.h"

struct __heddle_b32x2 { u32 x, y; };
struct __heddle_b32x4 { u32 x, y, z, w; };
struct __heddle_f32x4 { float x, y, z, w; };
struct __heddle_f64x2 { double x, y; };

INLINE u32 lane_id() { return __nvvm_read_ptx_sreg_laneid(); }
INLINE u32 from_lane(u32 value, u32 lane) {
  return (u32)__nvvm_shfl_sync_idx_i32(0xffffffffu, (i32)value, (i32)lane, 31);
}
INLINE double from_lane(double value, u32 lane) {
  const u64 bits = bits_of(value);
  return f64_from((u64)from_lane((u32)(bits >> 32), lane) << 32 | from_lane((u32)bits, lane));
}

/* One register of A and of B: how many products it holds, and how they are summed. */
struct F16 {
  using Sum = float;
  INLINE float low(u32 r) { return (float)__builtin_bit_cast(_Float16, (u16)r); }
  INLINE float high(u32 r) { return (float)__builtin_bit_cast(_Float16, (u16)(r >> 16)); }
  INLINE float dot(float sum, u32 a, u32 b) { return (sum + low(a) * low(b)) + high(a) * high(b); }
};
struct Bf16 {
  using Sum = float;
  INLINE float dot(float sum, u32 a, u32 b) {
    return (sum + f32_from(a << 16) * f32_from(b << 16)) + f32_from(a & 0xffff0000u) * f32_from(b & 0xffff0000u);
  }
};
/* The hardware reads 10 bits of fraction and ignores the rest. */
struct Tf32 {
  using Sum = float;
  INLINE float dot(float sum, u32 a, u32 b) { return sum + f32_from(a & 0xffffe000u) * f32_from(b & 0xffffe000u); }
};
template <bool SIGNED_A, bool SIGNED_B> struct Int8 {
  using Sum = i32;
  template <bool SIGNED>
  INLINE i32 part(u32 r, int i) {
    return SIGNED ? (i32)(signed char)(r >> (8 * i)) : (i32)(u8)(r >> (8 * i));
  }
  INLINE i32 dot(i32 sum, u32 a, u32 b) {
    u32 s = (u32)sum; /* wraps around */
#pragma unroll
    for (int i = 0; i < 4; ++i) s += (u32)(part<SIGNED_A>(a, i) * part<SIGNED_B>(b, i));
    return (i32)s;
  }
};
/* The same, clamped to the range of 32 bits at the end. */
template <bool SIGNED_A, bool SIGNED_B> struct Int8Saturating {
  using Sum = i64;
  INLINE i64 dot(i64 sum, u32 a, u32 b) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      sum += Int8<SIGNED_A, SIGNED_B>::template part<SIGNED_A>(a, i) *
             Int8<SIGNED_A, SIGNED_B>::template part<SIGNED_B>(b, i);
    return sum;
  }
};

/* The loops over the four lanes stay loops: kernels hold dozens of these products, all inlined. d = a b + c for 16 x 8
 * results: `HALVES` registers along k in each row of A and column of B. a: (row 0, half 0), (row 1, half 0), (row 0,
 * half 1) … */
template <class E, int HALVES> INLINE void multiply(typename E::Sum d[4], const u32 *a, const u32 *b) {
  const u32 lane = lane_id(), row = lane & ~3u, column = (lane & 3u) * 8;
#pragma nounroll
  for (u32 i = 0; i < 4 * HALVES; ++i) { /* in order of k */
    const u32 j = i & 3u;
    const bool second = HALVES == 2 && i >= 4;
    const u32 a0 = from_lane(second ? a[2] : a[0], row + j), a1 = from_lane(second ? a[3] : a[1], row + j);
    const u32 own = second ? b[1] : b[0], b0 = from_lane(own, column + j), b1 = from_lane(own, column + 4 + j);
    d[0] = E::dot(d[0], a0, b0);
    d[1] = E::dot(d[1], a0, b1);
    d[2] = E::dot(d[2], a1, b0);
    d[3] = E::dot(d[3], a1, b1);
  }
}

#define FLOAT_RESULT2(name, E)                                                                                     \
  DEVICE_FN __heddle_f32x4 __heddle_mma_##name(u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1, float c0, float c1, \
                                               float c2, float c3) {                                               \
    const u32 a[] = {a0, a1, a2, a3}, b[] = {b0, b1};                                                              \
    float d[] = {c0, c1, c2, c3};                                                                                  \
    multiply<E, 2>(d, a, b);                                                                                       \
    return {d[0], d[1], d[2], d[3]};                                                                               \
  }
#define FLOAT_RESULT1(name, E)                                                                                   \
  DEVICE_FN __heddle_f32x4 __heddle_mma_##name(u32 a0, u32 a1, u32 b0, float c0, float c1, float c2, float c3) { \
    const u32 a[] = {a0, a1}, b[] = {b0};                                                                        \
    float d[] = {c0, c1, c2, c3};                                                                                \
    multiply<E, 1>(d, a, b);                                                                                     \
    return {d[0], d[1], d[2], d[3]};                                                                             \
  }
FLOAT_RESULT2(m16n8k16_f32_f16_f16_f32, F16)
FLOAT_RESULT2(m16n8k16_f32_bf16_bf16_f32, Bf16)
FLOAT_RESULT2(m16n8k8_f32_tf32_tf32_f32, Tf32)
FLOAT_RESULT1(m16n8k8_f32_f16_f16_f32, F16)
FLOAT_RESULT1(m16n8k8_f32_bf16_bf16_f32, Bf16)
FLOAT_RESULT1(m16n8k4_f32_tf32_tf32_f32, Tf32)

INLINE u32 pack_half(float low, float high) {
  return __builtin_bit_cast(u16, (_Float16)low) | (u32)__builtin_bit_cast(u16, (_Float16)high) << 16;
}
DEVICE_FN __heddle_b32x2 __heddle_mma_m16n8k16_f16_f16_f16_f16(u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1, u32 c0,
                                                               u32 c1) {
  const u32 a[] = {a0, a1, a2, a3}, b[] = {b0, b1};
  float d[] = {F16::low(c0), F16::high(c0), F16::low(c1), F16::high(c1)};
  multiply<F16, 2>(d, a, b);
  return {pack_half(d[0], d[1]), pack_half(d[2], d[3])};
}
DEVICE_FN __heddle_b32x2 __heddle_mma_m16n8k8_f16_f16_f16_f16(u32 a0, u32 a1, u32 b0, u32 c0, u32 c1) {
  const u32 a[] = {a0, a1}, b[] = {b0};
  float d[] = {F16::low(c0), F16::high(c0), F16::low(c1), F16::high(c1)};
  multiply<F16, 1>(d, a, b);
  return {pack_half(d[0], d[1]), pack_half(d[2], d[3])};
}

INLINE u32 clamp_s32(i64 x) {
  return (u32)(i32)(x < -2147483648ll ? -2147483648ll : x > 2147483647ll ? 2147483647ll : x);
}
#define INT_RESULT(types, SA, SB)                                                                                      \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k32_##types(u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1, u32 c0,       \
                                                         u32 c1, u32 c2, u32 c3) {                                     \
    const u32 a[] = {a0, a1, a2, a3}, b[] = {b0, b1};                                                                  \
    i32 d[] = {(i32)c0, (i32)c1, (i32)c2, (i32)c3};                                                                    \
    multiply<Int8<SA, SB>, 2>(d, a, b);                                                                                \
    return {(u32)d[0], (u32)d[1], (u32)d[2], (u32)d[3]};                                                               \
  }                                                                                                                    \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k16_##types(u32 a0, u32 a1, u32 b0, u32 c0, u32 c1, u32 c2, u32 c3) {     \
    const u32 a[] = {a0, a1}, b[] = {b0};                                                                              \
    i32 d[] = {(i32)c0, (i32)c1, (i32)c2, (i32)c3};                                                                    \
    multiply<Int8<SA, SB>, 1>(d, a, b);                                                                                \
    return {(u32)d[0], (u32)d[1], (u32)d[2], (u32)d[3]};                                                               \
  }                                                                                                                    \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k32_##types##_sat(u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1, u32 c0, \
                                                               u32 c1, u32 c2, u32 c3) {                               \
    const u32 a[] = {a0, a1, a2, a3}, b[] = {b0, b1};                                                                  \
    i64 d[] = {(i32)c0, (i32)c1, (i32)c2, (i32)c3};                                                                    \
    multiply<Int8Saturating<SA, SB>, 2>(d, a, b);                                                                      \
    return {clamp_s32(d[0]), clamp_s32(d[1]), clamp_s32(d[2]), clamp_s32(d[3])};                                       \
  }                                                                                                                    \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k16_##types##_sat(u32 a0, u32 a1, u32 b0, u32 c0, u32 c1, u32 c2,         \
                                                               u32 c3) {                                               \
    const u32 a[] = {a0, a1}, b[] = {b0};                                                                              \
    i64 d[] = {(i32)c0, (i32)c1, (i32)c2, (i32)c3};                                                                    \
    multiply<Int8Saturating<SA, SB>, 1>(d, a, b);                                                                      \
    return {clamp_s32(d[0]), clamp_s32(d[1]), clamp_s32(d[2]), clamp_s32(d[3])};                                       \
  }
INT_RESULT(s32_s8_s8_s32, true, true)
INT_RESULT(s32_u8_u8_s32, false, false)
INT_RESULT(s32_s8_u8_s32, true, false)
INT_RESULT(s32_u8_s8_s32, false, true)

/* 8 x 8 results: row g, columns 2 t and 2 t + 1. */
DEVICE_FN __heddle_f64x2 __heddle_mma_m8n8k4_f64_f64_f64_f64(double a, double b, double c0, double c1) {
  const u32 lane = lane_id(), row = lane & ~3u, column = (lane & 3u) * 8;
#pragma nounroll
  for (u32 j = 0; j < 4; ++j) {
    const double x = from_lane(a, row + j);
    c0 = __builtin_fma(x, from_lane(b, column + j), c0);
    c1 = __builtin_fma(x, from_lane(b, column + 4 + j), c1);
  }
  return {c0, c1};
}

#if !defined(__LP64__) /* GPUs, whose pointers have 64 bits, have these as instructions. */
/*
 * ldmatrix: lane 8 i + r names row r of matrix i; a lane gets elements 2 t and 2 t + 1 of row g, or, transposed, of
 * column g. Addresses are 32 bits.
 */
INLINE u32 load_row(u32 address, u32 matrix) {
  const u32 lane = lane_id();
  return *(const u32 *)(from_lane(address, matrix * 8 + lane / 4) + (lane & 3) * 4);
}
INLINE u32 load_column(u32 address, u32 matrix) {
  const u32 lane = lane_id(), first = matrix * 8 + (lane & 3) * 2, offset = lane / 4 * 2;
  const u32 low = *(const u16*)(from_lane(address, first) + offset),
            high = *(const u16*)(from_lane(address, first + 1) + offset);
  return low | high << 16;
}
/* These are instructions of the warp: no lane goes on before all have read, or written. */
INLINE void together() { __nvvm_bar_warp_sync(0xffffffffu); }

#define LOAD_MATRIX(suffix, load)                                                       \
  DEVICE_FN u32 __heddle_ldmatrix_x1##suffix(void* row) {                               \
    const u32 a = load((u32)row, 0);                                                    \
    together();                                                                         \
    return a;                                                                           \
  }                                                                                     \
  DEVICE_FN __heddle_b32x2 __heddle_ldmatrix_x2##suffix(void* row) {                    \
    const u32 p = (u32)row;                                                             \
    const __heddle_b32x2 a = {load(p, 0), load(p, 1)};                                  \
    together();                                                                         \
    return a;                                                                           \
  }                                                                                     \
  DEVICE_FN __heddle_b32x4 __heddle_ldmatrix_x4##suffix(void* row) {                    \
    const u32 p = (u32)row;                                                             \
    const __heddle_b32x4 a = {load(p, 0), load(p, 1), load(p, 2), load(p, 3)};          \
    together();                                                                         \
    return a;                                                                           \
  }
LOAD_MATRIX(, load_row)
LOAD_MATRIX(_trans, load_column)

INLINE void store_row(u32 address, u32 matrix, u32 value) {
  const u32 lane = lane_id();
  *(u32 *)(from_lane(address, matrix * 8 + lane / 4) + (lane & 3) * 4) = value;
}
INLINE void store_column(u32 address, u32 matrix, u32 value) {
  const u32 lane = lane_id(), first = matrix * 8 + (lane & 3) * 2, offset = lane / 4 * 2;
  const u32 low = from_lane(address, first), high = from_lane(address, first + 1);
  *(u16 *)(low + offset) = (u16)value;
  *(u16 *)(high + offset) = (u16)(value >> 16);
}
#define STORE_MATRIX(suffix, store)                                                        \
  DEVICE_FN void __heddle_stmatrix_x1##suffix(void* row, u32 a) {                          \
    store((u32)row, 0, a);                                                                 \
    together();                                                                            \
  }                                                                                        \
  DEVICE_FN void __heddle_stmatrix_x2##suffix(void* row, u32 a, u32 b) {                   \
    store((u32)row, 0, a);                                                                 \
    store((u32)row, 1, b);                                                                 \
    together();                                                                            \
  }                                                                                        \
  DEVICE_FN void __heddle_stmatrix_x4##suffix(void* row, u32 a, u32 b, u32 c, u32 d) {     \
    store((u32)row, 0, a);                                                                 \
    store((u32)row, 1, b);                                                                 \
    store((u32)row, 2, c);                                                                 \
    store((u32)row, 3, d);                                                                 \
    together();                                                                            \
  }
STORE_MATRIX(, store_row)
STORE_MATRIX(_trans, store_column)
#endif

DEVICE_FN u32 __heddle_movmatrix_trans(u32 value) {
  const u32 lane = lane_id(), g = lane / 4, t = lane & 3, shift = (g & 1) * 16;
  const u32 low = from_lane(value, 8 * t + g / 2), high = from_lane(value, 8 * t + 4 + g / 2);
  return ((low >> shift) & 0xffffu) | (high >> shift) << 16;
}
