/*
 * Matrix instructions that are made of those of mma.cu (PTX ISA 8.5, 9.7.14): 8 × 8 products of bytes, 4-bit integers,
 * 8-bit floats, taller products of doubles; and two that have code of their own: single bits, and Volta's products of a
 * quad pair.
 *
 * The order of k is free: integers do not depend on it, and the hardware's sums of floats have an order of their own.
 * So a register of eight 4-bit integers is two registers of bytes, and one of four 8-bit floats two of halves.
 */
#include "prelude.h"

struct __heddle_b32x2 { u32 x, y; };
struct __heddle_b32x4 { u32 x, y, z, w; };
struct __heddle_f32x4 { float x, y, z, w; };
struct __heddle_f32x8 { float r0, r1, r2, r3, r4, r5, r6, r7; };
struct __heddle_f64x2 { double x, y; };
struct __heddle_f64x4 { double x, y, z, w; };

INLINE u32 lane_id() { return __nvvm_read_ptx_sreg_laneid(); }
INLINE u32 from_lane(u32 value, u32 lane) {
  return (u32)__nvvm_shfl_sync_idx_i32(0xffffffffu, (i32)value, (i32)lane, 31);
}
INLINE u32 clamp_s32(i64 x) {
  return (u32)(i32)(x < -2147483648ll ? -2147483648ll : x > 2147483647ll ? 2147483647ll : x);
}

/* ------------------------------------------------------------------ 8 x 8 products of bytes */
/* The upper half of a product with 16 rows. */
#define SHORT_BYTES(types)                                                                                     \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k16_##types(u32, u32, u32, u32, u32, u32, u32);                   \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k16_##types##_sat(u32, u32, u32, u32, u32, u32, u32);             \
  DEVICE_FN __heddle_b32x2 __heddle_mma_m8n8k16_##types(u32 a, u32 b, u32 c0, u32 c1) {                        \
    const __heddle_b32x4 d = __heddle_mma_m16n8k16_##types(a, 0, b, c0, c1, 0, 0);                             \
    return {d.x, d.y};                                                                                         \
  }                                                                                                            \
  DEVICE_FN __heddle_b32x2 __heddle_mma_m8n8k16_##types##_sat(u32 a, u32 b, u32 c0, u32 c1) {                  \
    const __heddle_b32x4 d = __heddle_mma_m16n8k16_##types##_sat(a, 0, b, c0, c1, 0, 0);                       \
    return {d.x, d.y};                                                                                         \
  }
SHORT_BYTES(s32_s8_s8_s32)
SHORT_BYTES(s32_u8_u8_s32)
SHORT_BYTES(s32_s8_u8_s32)
SHORT_BYTES(s32_u8_s8_s32)

/* ------------------------------------------------------------------ 4-bit integers */
/* The even and the odd nibbles as bytes; signed: flipping and subtracting the sign's bit in each byte extends it. */
template <bool SIGNED> INLINE u32 widened(u32 nibbles) {
  const u32 bytes = nibbles & 0x0f0f0f0fu;
  return SIGNED ? (((bytes ^ 0x08080808u) | 0x80808080u) - 0x08080808u) ^ 0x80808080u : bytes;
}
template <bool SIGNED> INLINE u32 even(u32 r) { return widened<SIGNED>(r); }
template <bool SIGNED> INLINE u32 odd(u32 r) { return widened<SIGNED>(r >> 4); }

/* A sum of 64 products has 15 bits, so that it is clamped once, with the accumulator. */
INLINE __heddle_b32x4 clamped(const __heddle_b32x4 &d, u32 c0, u32 c1, u32 c2, u32 c3) {
  return {clamp_s32((i64)(i32)d.x + (i32)c0), clamp_s32((i64)(i32)d.y + (i32)c1), clamp_s32((i64)(i32)d.z + (i32)c2),
          clamp_s32((i64)(i32)d.w + (i32)c3)};
}
#define NIBBLES(types, bytes, SA, SB)                                                                               \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k32_##bytes(u32, u32, u32, u32, u32, u32, u32, u32, u32, u32);         \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k32_##types(u32 a0, u32 a1, u32 b, u32 c0, u32 c1, u32 c2, u32 c3) {   \
    return __heddle_mma_m16n8k32_##bytes(even<SA>(a0), even<SA>(a1), odd<SA>(a0), odd<SA>(a1), even<SB>(b),         \
                                         odd<SB>(b), c0, c1, c2, c3);                                               \
  }                                                                                                                 \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k64_##types(u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1, u32 c0,    \
                                                         u32 c1, u32 c2, u32 c3) {                                  \
    const __heddle_b32x4 d = __heddle_mma_m16n8k32_##bytes(even<SA>(a0), even<SA>(a1), even<SA>(a2), even<SA>(a3),  \
                                                           even<SB>(b0), even<SB>(b1), c0, c1, c2, c3);             \
    return __heddle_mma_m16n8k32_##bytes(odd<SA>(a0), odd<SA>(a1), odd<SA>(a2), odd<SA>(a3), odd<SB>(b0),           \
                                         odd<SB>(b1), d.x, d.y, d.z, d.w);                                          \
  }                                                                                                                 \
  DEVICE_FN __heddle_b32x2 __heddle_mma_m8n8k32_##types(u32 a, u32 b, u32 c0, u32 c1) {                             \
    const __heddle_b32x4 d =                                                                                        \
        __heddle_mma_m16n8k32_##bytes(even<SA>(a), 0, odd<SA>(a), 0, even<SB>(b), odd<SB>(b), c0, c1, 0, 0);        \
    return {d.x, d.y};                                                                                              \
  }                                                                                                                 \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k32_##types##_sat(u32 a0, u32 a1, u32 b, u32 c0, u32 c1, u32 c2,       \
                                                               u32 c3) {                                            \
    return clamped(__heddle_mma_m16n8k32_##types(a0, a1, b, 0, 0, 0, 0), c0, c1, c2, c3);                          \
  }                                                                                                                 \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k64_##types##_sat(u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1,      \
                                                               u32 c0, u32 c1, u32 c2, u32 c3) {                    \
    return clamped(__heddle_mma_m16n8k64_##types(a0, a1, a2, a3, b0, b1, 0, 0, 0, 0), c0, c1, c2, c3);             \
  }                                                                                                                 \
  DEVICE_FN __heddle_b32x2 __heddle_mma_m8n8k32_##types##_sat(u32 a, u32 b, u32 c0, u32 c1) {                       \
    const __heddle_b32x2 d = __heddle_mma_m8n8k32_##types(a, b, 0, 0);                                              \
    return {clamp_s32((i64)(i32)d.x + (i32)c0), clamp_s32((i64)(i32)d.y + (i32)c1)};                                \
  }
NIBBLES(s32_s4_s4_s32, s32_s8_s8_s32, true, true)
NIBBLES(s32_u4_u4_s32, s32_u8_u8_s32, false, false)
NIBBLES(s32_s4_u4_s32, s32_s8_u8_s32, true, false)
NIBBLES(s32_u4_s4_s32, s32_u8_s8_s32, false, true)

/* ------------------------------------------------------------------ 8-bit floats */
/* Bytes 0 and 1, or 2 and 3, as halves: each 8-bit float is a half. */
struct E5m2 {
  INLINE u32 halves(u32 r, int second) {
    return second ? (r >> 8 & 0x0000ff00u) | (r & 0xff000000u) : (r << 8 & 0x0000ff00u) | (r << 16 & 0xff000000u);
  }
};
struct E4m3 {
  INLINE u32 half_of(u32 byte) {
    const u32 rest = byte & 0x7fu;
    const _Float16 scaled = __builtin_bit_cast(_Float16, (u16)(rest << 7)) * (_Float16)256.0f;
    const u32 bits = rest == 0x7fu ? 0x7fffu : __builtin_bit_cast(u16, scaled);
    return bits | (byte & 0x80u) << 8;
  }
  INLINE u32 halves(u32 r, int second) {
    const u32 pair = second ? r >> 16 : r;
    return half_of(pair & 0xffu) | half_of(pair >> 8 & 0xffu) << 16;
  }
};
DEVICE_FN __heddle_f32x4 __heddle_mma_m16n8k16_f32_f16_f16_f32(u32, u32, u32, u32, u32, u32, float, float, float,
                                                               float);
INLINE u32 pack_half(float low, float high) {
  return __builtin_bit_cast(u16, (_Float16)low) | (u32)__builtin_bit_cast(u16, (_Float16)high) << 16;
}
INLINE float low_half(u32 r) { return (float)__builtin_bit_cast(_Float16, (u16)r); }
DEVICE_FN __heddle_f32x4 __heddle_mma_m16n8k8_f32_f16_f16_f32(u32, u32, u32, float, float, float, float);
#define SHORT_SMALL_FLOATS(a, b, A, B)                                                                               \
  DEVICE_FN __heddle_f32x4 __heddle_mma_m16n8k16_f32_##a##_##b##_f32(u32 a0, u32 a1, u32 b0, float c0, float c1,     \
                                                                     float c2, float c3) {                           \
    __heddle_f32x4 d = {c0, c1, c2, c3};                                                                             \
    _Pragma("unroll") for (int i = 0; i < 2; ++i) d = __heddle_mma_m16n8k8_f32_f16_f16_f32(                          \
        A::halves(a0, i), A::halves(a1, i), B::halves(b0, i), d.x, d.y, d.z, d.w);                                   \
    return d;                                                                                                        \
  }                                                                                                                  \
  DEVICE_FN __heddle_b32x2 __heddle_mma_m16n8k16_f16_##a##_##b##_f16(u32 a0, u32 a1, u32 b0, u32 c0, u32 c1) {       \
    const __heddle_f32x4 d = __heddle_mma_m16n8k16_f32_##a##_##b##_f32(                                              \
        a0, a1, b0, low_half(c0), low_half(c0 >> 16), low_half(c1), low_half(c1 >> 16));                             \
    return {pack_half(d.x, d.y), pack_half(d.z, d.w)};                                                               \
  }
#define SMALL_FLOATS(a, b, A, B)                                                                                     \
  DEVICE_FN __heddle_f32x4 __heddle_mma_m16n8k32_f32_##a##_##b##_f32(u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1, \
                                                                     float c0, float c1, float c2, float c3) {       \
    __heddle_f32x4 d = {c0, c1, c2, c3};                                                                             \
    _Pragma("unroll") for (int i = 0; i < 2; ++i) d = __heddle_mma_m16n8k16_f32_f16_f16_f32(                         \
        A::halves(a0, i), A::halves(a1, i), A::halves(a2, i), A::halves(a3, i), B::halves(b0, i), B::halves(b1, i),  \
        d.x, d.y, d.z, d.w);                                                                                         \
    return d;                                                                                                        \
  }                                                                                                                  \
  DEVICE_FN __heddle_b32x2 __heddle_mma_m16n8k32_f16_##a##_##b##_f16(u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1, \
                                                                     u32 c0, u32 c1) {                               \
    const __heddle_f32x4 d =                                                                                         \
        __heddle_mma_m16n8k32_f32_##a##_##b##_f32(a0, a1, a2, a3, b0, b1, low_half(c0), low_half(c0 >> 16),          \
                                                  low_half(c1), low_half(c1 >> 16));                                 \
    return {pack_half(d.x, d.y), pack_half(d.z, d.w)};                                                               \
  }
SMALL_FLOATS(e4m3, e4m3, E4m3, E4m3)
SMALL_FLOATS(e4m3, e5m2, E4m3, E5m2)
SMALL_FLOATS(e5m2, e4m3, E5m2, E4m3)
SMALL_FLOATS(e5m2, e5m2, E5m2, E5m2)
SHORT_SMALL_FLOATS(e4m3, e4m3, E4m3, E4m3)
SHORT_SMALL_FLOATS(e4m3, e5m2, E4m3, E5m2)
SHORT_SMALL_FLOATS(e5m2, e4m3, E5m2, E4m3)
SHORT_SMALL_FLOATS(e5m2, e5m2, E5m2, E5m2)

/* ------------------------------------------------------------------ 16 x 8 products of doubles */
/* Registers of A in the order (row g, k t), (row g + 8, k t), (row g, k t + 4) …; of B: k t, k t + 4 … */
DEVICE_FN __heddle_f64x2 __heddle_mma_m8n8k4_f64_f64_f64_f64(double, double, double, double);
template <int STEPS> INLINE __heddle_f64x4 tall_product(const double *a, const double *b, __heddle_f64x4 c) {
#pragma unroll
  for (int k = 0; k < STEPS; ++k) {
    const __heddle_f64x2 top = __heddle_mma_m8n8k4_f64_f64_f64_f64(a[2 * k], b[k], c.x, c.y);
    const __heddle_f64x2 bottom = __heddle_mma_m8n8k4_f64_f64_f64_f64(a[2 * k + 1], b[k], c.z, c.w);
    c = {top.x, top.y, bottom.x, bottom.y};
  }
  return c;
}
DEVICE_FN __heddle_f64x4 __heddle_mma_m16n8k4_f64_f64_f64_f64(double a0, double a1, double b0, double c0, double c1,
                                                              double c2, double c3) {
  const double a[] = {a0, a1}, b[] = {b0};
  return tall_product<1>(a, b, {c0, c1, c2, c3});
}
DEVICE_FN __heddle_f64x4 __heddle_mma_m16n8k8_f64_f64_f64_f64(double a0, double a1, double a2, double a3, double b0,
                                                              double b1, double c0, double c1, double c2, double c3) {
  const double a[] = {a0, a1, a2, a3}, b[] = {b0, b1};
  return tall_product<2>(a, b, {c0, c1, c2, c3});
}
DEVICE_FN __heddle_f64x4 __heddle_mma_m16n8k16_f64_f64_f64_f64(double a0, double a1, double a2, double a3, double a4,
                                                               double a5, double a6, double a7, double b0, double b1,
                                                               double b2, double b3, double c0, double c1, double c2,
                                                               double c3) {
  const double a[] = {a0, a1, a2, a3, a4, a5, a6, a7}, b[] = {b0, b1, b2, b3};
  return tall_product<4>(a, b, {c0, c1, c2, c3});
}

/* ------------------------------------------------------------------ single bits */
struct Xor { INLINE u32 dot(u32 a, u32 b) { return (u32)__builtin_popcount(a ^ b); } };
struct And { INLINE u32 dot(u32 a, u32 b) { return (u32)__builtin_popcount(a & b); } };
/* One register of A and of B along k, as in mma.cu. */
template <class E> INLINE void add_bits(u32 d[4], u32 a0, u32 a1, u32 b) {
  const u32 lane = lane_id(), row = lane & ~3u, column = (lane & 3u) * 8;
#pragma nounroll
  for (u32 j = 0; j < 4; ++j) {
    const u32 top = from_lane(a0, row + j), bottom = from_lane(a1, row + j);
    const u32 left = from_lane(b, column + j), right = from_lane(b, column + 4 + j);
    d[0] += E::dot(top, left);
    d[1] += E::dot(top, right);
    d[2] += E::dot(bottom, left);
    d[3] += E::dot(bottom, right);
  }
}
#define BITS(operation, E)                                                                                           \
  DEVICE_FN __heddle_b32x2 __heddle_mma_m8n8k128_s32_b1_b1_s32_##operation(u32 a, u32 b, u32 c0, u32 c1) {           \
    u32 d[] = {c0, c1, 0, 0};                                                                                        \
    add_bits<E>(d, a, 0, b);                                                                                         \
    return {d[0], d[1]};                                                                                             \
  }                                                                                                                  \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k128_s32_b1_b1_s32_##operation(u32 a0, u32 a1, u32 b, u32 c0, u32 c1,   \
                                                                            u32 c2, u32 c3) {                        \
    u32 d[] = {c0, c1, c2, c3};                                                                                      \
    add_bits<E>(d, a0, a1, b);                                                                                       \
    return {d[0], d[1], d[2], d[3]};                                                                                 \
  }                                                                                                                  \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k256_s32_b1_b1_s32_##operation(u32 a0, u32 a1, u32 a2, u32 a3, u32 b0,  \
                                                                            u32 b1, u32 c0, u32 c1, u32 c2,          \
                                                                            u32 c3) {                                \
    u32 d[] = {c0, c1, c2, c3};                                                                                      \
    add_bits<E>(d, a0, a1, b0);                                                                                      \
    add_bits<E>(d, a2, a3, b1);                                                                                      \
    return {d[0], d[1], d[2], d[3]};                                                                                 \
  }
BITS(xor, Xor)
BITS(and, And)

/* ------------------------------------------------------------------ Volta: 8 x 8 x 4 for each quad pair */
/*
 * Lanes 4 q … 4 q + 3 and 16 + 4 q … 16 + 4 q + 3 make product q; the second four have the rows of A, and the columns
 * of B, from 4 on. A lane holds one row (row-major A) or one k (column-major); of B likewise.
 */
template <bool ROW> INLINE float volta_a(const u32 *a, u32 quad, u32 row, u32 k) {
  const u32 lane = quad + (row & 4u) * 4 + (ROW ? row & 3u : k), at = ROW ? k : row & 3u;
  const u32 low = from_lane(a[0], lane), high = from_lane(a[1], lane);
  return low_half((at & 2u ? high : low) >> 16 * (at & 1u));
}
template <bool ROW> INLINE float volta_b(const u32 *b, u32 quad, u32 k, u32 column) {
  return volta_a<!ROW>(b, quad, column, k);
}
/* Sums of floats: a lane has two rows and two pairs of columns. */
template <bool ROW_A, bool ROW_B> INLINE void volta_floats(float d[8], const u32 *a, const u32 *b) {
  const u32 lane = lane_id(), quad = lane & 12u, row = (lane & 1u) + (lane & 16u) / 4, column = lane & 2u;
#pragma nounroll
  for (u32 k = 0; k < 4; ++k) {
    float left[2], right[4];
#pragma unroll
    for (u32 i = 0; i < 2; ++i) left[i] = volta_a<ROW_A>(a, quad, row + 2 * i, k);
#pragma unroll
    for (u32 i = 0; i < 4; ++i) right[i] = volta_b<ROW_B>(b, quad, k, column + (i & 1u) + 2 * (i & 2u));
#pragma unroll
    for (u32 i = 0; i < 8; ++i) d[i] = d[i] + left[i >> 1 & 1u] * right[(i & 1u) + (i >> 1 & 2u)];
  }
}
/* Sums of halves: a lane has one row. */
template <bool ROW_A, bool ROW_B> INLINE void volta_halves(float d[8], const u32 *a, const u32 *b) {
  const u32 lane = lane_id(), quad = lane & 12u, row = (lane & 3u) + (lane & 16u) / 4;
#pragma nounroll
  for (u32 k = 0; k < 4; ++k) {
    const float left = volta_a<ROW_A>(a, quad, row, k);
#pragma unroll
    for (u32 i = 0; i < 8; ++i) d[i] = d[i] + left * volta_b<ROW_B>(b, quad, k, i);
  }
}
#define VOLTA(layouts, ROW_A, ROW_B)                                                                                 \
  DEVICE_FN __heddle_f32x8 __heddle_mma_m8n8k4_f32_f16_f16_f32_##layouts(u32 a0, u32 a1, u32 b0, u32 b1, float c0,   \
                                                                         float c1, float c2, float c3, float c4,     \
                                                                         float c5, float c6, float c7) {             \
    const u32 a[] = {a0, a1}, b[] = {b0, b1};                                                                        \
    float d[] = {c0, c1, c2, c3, c4, c5, c6, c7};                                                                    \
    volta_floats<ROW_A, ROW_B>(d, a, b);                                                                             \
    return {d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]};                                                         \
  }                                                                                                                  \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m8n8k4_f16_f16_f16_f16_##layouts(u32 a0, u32 a1, u32 b0, u32 b1, u32 c0,     \
                                                                         u32 c1, u32 c2, u32 c3) {                   \
    const u32 a[] = {a0, a1}, b[] = {b0, b1}, c[] = {c0, c1, c2, c3};                                                \
    float d[8];                                                                                                      \
    _Pragma("unroll") for (int i = 0; i < 8; ++i) d[i] = low_half(c[i / 2] >> 16 * (i % 2));                         \
    volta_halves<ROW_A, ROW_B>(d, a, b);                                                                             \
    return {pack_half(d[0], d[1]), pack_half(d[2], d[3]), pack_half(d[4], d[5]), pack_half(d[6], d[7])};             \
  }
VOLTA(row_col, true, false)
VOLTA(row_row, true, true)
VOLTA(col_col, false, false)
VOLTA(col_row, false, true)
