/*
 * Products of a warp whose A is sparse (mma.sp, PTX ISA 8.5, 9.7.14.6): the stored half of A and the metadata become
 * the registers of a dense A, and products of mma.cu and mma-forms.cu do the rest.
 *
 * Dense register 2 j + h of lane 4 g + t belongs to row g + 8 h. What it needs lies in lane 2 (j & 1) + t / 2 of the
 * four, register 2 (j / 2) + h; `first` is the first of the four lanes whose metadata counts.
 */
#include "sparse-chunks.h"

struct __heddle_b32x2 { u32 x, y; };
struct __heddle_b32x4 { u32 x, y, z, w; };
struct __heddle_f32x4 { float x, y, z, w; };

INLINE u32 lane_id() { return __nvvm_read_ptx_sreg_laneid(); }
INLINE u32 from_lane(u32 value, u32 lane) {
  return (u32)__nvvm_shfl_sync_idx_i32(0xffffffffu, (i32)value, (i32)lane, 31);
}

/* The `COUNT` registers of the dense A. */
template <class E, int COUNT> INLINE void expand(u32 *dense, const u32 *a, u32 e, u32 first) {
  const u32 lane = lane_id(), quad = lane & ~3u, t = lane & 3u;
#pragma unroll
  for (u32 r = 0; r < COUNT; ++r) {
    const u32 j = r >> 1, h = r & 1u, from = 2 * (j & 1u) + t / 2;
    const u32 word = from_lane(e, quad + first + (E::BOTH_ROWS ? j >> 1 : 2 * (j >> 1) + h));
    const u32 nibble = word >> (E::BOTH_ROWS ? 4 * from + 16 * h : 16 * (j & 1u) + 4 * t) & 15u;
    dense[r] = E::placed(from_lane(a[2 * (j >> 1) + h], quad + from), nibble, t & 1u);
  }
}

INLINE u32 pack_half(float low, float high) {
  return __builtin_bit_cast(u16, (_Float16)low) | (u32)__builtin_bit_cast(u16, (_Float16)high) << 16;
}
INLINE float low_half(u32 r) { return (float)__builtin_bit_cast(_Float16, (u16)r); }
INLINE u32 clamp_s32(i64 x) {
  return (u32)(i32)(x < -2147483648ll ? -2147483648ll : x > 2147483647ll ? 2147483647ll : x);
}

/* ------------------------------------------------------------------ sums of floats */
/* `short_k` is the depth of the dense product, and of the sparse one that stores two registers of A. */
#define FLOAT_SUMS(E, short_k, long_k, a, b)                                                                           \
  DEVICE_FN __heddle_f32x4 __heddle_mma_m16n8k##short_k##_f32_##a##_##b##_f32(u32, u32, u32, u32, u32, u32, float,     \
                                                                              float, float, float);                    \
  DEVICE_FN __heddle_f32x4 __heddle_mma_m16n8k##short_k##_f32_##a##_##b##_f32_sp(                                      \
      u32 a0, u32 a1, u32 b0, u32 b1, float c0, float c1, float c2, float c3, u32 e, u32 selector) {                   \
    const u32 stored[] = {a0, a1};                                                                                     \
    u32 d[4];                                                                                                          \
    expand<E, 4>(d, stored, e, E::BOTH_ROWS ? selector : 2 * selector);                                                \
    return __heddle_mma_m16n8k##short_k##_f32_##a##_##b##_f32(d[0], d[1], d[2], d[3], b0, b1, c0, c1, c2, c3);         \
  }                                                                                                                    \
  DEVICE_FN __heddle_f32x4 __heddle_mma_m16n8k##long_k##_f32_##a##_##b##_f32_sp(                                       \
      u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1, u32 b2, u32 b3, float c0, float c1, float c2, float c3, u32 e,   \
      u32 selector) {                                                                                                  \
    const u32 stored[] = {a0, a1, a2, a3};                                                                             \
    u32 d[8];                                                                                                          \
    expand<E, 8>(d, stored, e, E::BOTH_ROWS ? 2 * selector : 0);                                                       \
    const __heddle_f32x4 c =                                                                                           \
        __heddle_mma_m16n8k##short_k##_f32_##a##_##b##_f32(d[0], d[1], d[2], d[3], b0, b1, c0, c1, c2, c3);            \
    return __heddle_mma_m16n8k##short_k##_f32_##a##_##b##_f32(d[4], d[5], d[6], d[7], b2, b3, c.x, c.y, c.z, c.w);     \
  }
FLOAT_SUMS(SparseHalves, 16, 32, f16, f16)
FLOAT_SUMS(SparseHalves, 16, 32, bf16, bf16)
FLOAT_SUMS(SparseWords, 8, 16, tf32, tf32)
FLOAT_SUMS(SparseBytes, 32, 64, e4m3, e4m3)
FLOAT_SUMS(SparseBytes, 32, 64, e4m3, e5m2)
FLOAT_SUMS(SparseBytes, 32, 64, e5m2, e4m3)
FLOAT_SUMS(SparseBytes, 32, 64, e5m2, e5m2)

/* ------------------------------------------------------------------ sums of halves, rounded once */
INLINE __heddle_b32x2 packed(const __heddle_f32x4 &d) { return {pack_half(d.x, d.y), pack_half(d.z, d.w)}; }
DEVICE_FN __heddle_b32x2 __heddle_mma_m16n8k32_f16_f16_f16_f16_sp(u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1,
                                                                  u32 b2, u32 b3, u32 c0, u32 c1, u32 e,
                                                                  u32 selector) {
  return packed(__heddle_mma_m16n8k32_f32_f16_f16_f32_sp(a0, a1, a2, a3, b0, b1, b2, b3, low_half(c0),
                                                         low_half(c0 >> 16), low_half(c1), low_half(c1 >> 16), e,
                                                         selector));
}
DEVICE_FN __heddle_b32x2 __heddle_mma_m16n8k16_f16_f16_f16_f16_sp(u32 a0, u32 a1, u32 b0, u32 b1, u32 c0, u32 c1,
                                                                  u32 e, u32 selector) {
  return packed(__heddle_mma_m16n8k16_f32_f16_f16_f32_sp(a0, a1, b0, b1, low_half(c0), low_half(c0 >> 16),
                                                         low_half(c1), low_half(c1 >> 16), e, selector));
}

/* ------------------------------------------------------------------ sums of integers */
/* A sum of products has at most 23 bits, so that it is clamped once, with the accumulator. */
INLINE __heddle_b32x4 clamped(const __heddle_b32x4 &d, u32 c0, u32 c1, u32 c2, u32 c3) {
  return {clamp_s32((i64)(i32)d.x + (i32)c0), clamp_s32((i64)(i32)d.y + (i32)c1), clamp_s32((i64)(i32)d.z + (i32)c2),
          clamp_s32((i64)(i32)d.w + (i32)c3)};
}
#define INTEGER_SUMS(short_k, long_k, types)                                                                           \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k##short_k##_##types(u32, u32, u32, u32, u32, u32, u32, u32, u32, u32);   \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k##short_k##_##types##_sp(u32 a0, u32 a1, u32 b0, u32 b1, u32 c0, u32 c1, \
                                                                       u32 c2, u32 c3, u32 e, u32 selector) {          \
    const u32 stored[] = {a0, a1};                                                                                     \
    u32 d[4];                                                                                                          \
    expand<SparseBytes, 4>(d, stored, e, 2 * selector);                                                                \
    return __heddle_mma_m16n8k##short_k##_##types(d[0], d[1], d[2], d[3], b0, b1, c0, c1, c2, c3);                     \
  }                                                                                                                    \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k##long_k##_##types##_sp(u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1,  \
                                                                      u32 b2, u32 b3, u32 c0, u32 c1, u32 c2, u32 c3,  \
                                                                      u32 e, u32) {                                    \
    const u32 stored[] = {a0, a1, a2, a3};                                                                             \
    u32 d[8];                                                                                                          \
    expand<SparseBytes, 8>(d, stored, e, 0);                                                                           \
    const __heddle_b32x4 c =                                                                                           \
        __heddle_mma_m16n8k##short_k##_##types(d[0], d[1], d[2], d[3], b0, b1, c0, c1, c2, c3);                        \
    return __heddle_mma_m16n8k##short_k##_##types(d[4], d[5], d[6], d[7], b2, b3, c.x, c.y, c.z, c.w);                 \
  }                                                                                                                    \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k##short_k##_##types##_sp_sat(                                            \
      u32 a0, u32 a1, u32 b0, u32 b1, u32 c0, u32 c1, u32 c2, u32 c3, u32 e, u32 selector) {                           \
    return clamped(__heddle_mma_m16n8k##short_k##_##types##_sp(a0, a1, b0, b1, 0, 0, 0, 0, e, selector), c0, c1, c2,   \
                   c3);                                                                                                \
  }                                                                                                                    \
  DEVICE_FN __heddle_b32x4 __heddle_mma_m16n8k##long_k##_##types##_sp_sat(                                             \
      u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1, u32 b2, u32 b3, u32 c0, u32 c1, u32 c2, u32 c3, u32 e,           \
      u32 selector) {                                                                                                  \
    return clamped(                                                                                                    \
        __heddle_mma_m16n8k##long_k##_##types##_sp(a0, a1, a2, a3, b0, b1, b2, b3, 0, 0, 0, 0, e, selector), c0, c1,   \
        c2, c3);                                                                                                       \
  }
INTEGER_SUMS(32, 64, s32_s8_s8_s32)
INTEGER_SUMS(32, 64, s32_s8_u8_s32)
INTEGER_SUMS(32, 64, s32_u8_s8_s32)
INTEGER_SUMS(32, 64, s32_u8_u8_s32)
INTEGER_SUMS(64, 128, s32_s4_s4_s32)
INTEGER_SUMS(64, 128, s32_s4_u4_s32)
INTEGER_SUMS(64, 128, s32_u4_s4_s32)
INTEGER_SUMS(64, 128, s32_u4_u4_s32)
