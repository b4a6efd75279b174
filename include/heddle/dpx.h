// Maxima and minima of two or three, with addition, not below zero, or with which one it was (CUDA Math API, "SIMD
// Intrinsics" and "DPX":
// __vimax3_s32 and its kin). On words, and on both halfwords of a word; for host and device.
#pragma once

#define HEDDLE_HD static inline __host__ __device__ __attribute__((always_inline))

// Names are made of the operation (max, min), the comparison that keeps the first operand, and the type (LANE, as
// SUFFIX in the names).
#define HEDDLE_DPX_WORD(OP, COMPARE, LANE, SUFFIX)                                        \
  HEDDLE_HD LANE __vi##OP##3_##SUFFIX(LANE a, LANE b, LANE c) { return OP(OP(a, b), c); } \
  HEDDLE_HD LANE __viadd##OP##_##SUFFIX(LANE a, LANE b, LANE c) {                         \
    return OP((LANE)((unsigned int)a + (unsigned int)b), c);                              \
  }                                                                                       \
  HEDDLE_HD LANE __vib##OP##_##SUFFIX(LANE a, LANE b, bool* first) {                      \
    *first = a COMPARE b;                                                                 \
    return OP(a, b);                                                                      \
  }
#define HEDDLE_DPX_WORD_RELU(OP)                                                              \
  HEDDLE_HD int __vi##OP##_s32_relu(int a, int b) { return max(OP(a, b), 0); }                \
  HEDDLE_HD int __vi##OP##3_s32_relu(int a, int b, int c) { return max(OP(OP(a, b), c), 0); } \
  HEDDLE_HD int __viadd##OP##_s32_relu(int a, int b, int c) {                                 \
    return max(OP((int)((unsigned int)a + (unsigned int)b), c), 0);                           \
  }

/// The same expression of int x, y, z for the low and for the high halves of a, b, c.
#define HEDDLE_BOTH(LANE, B, C, EXPRESSION)                                                             \
  unsigned int halves[2];                                                                               \
  for (int i = 0; i < 2; i++) {                                                                         \
    const int x = (int)(LANE)(a >> 16 * i), y = (int)(LANE)(B >> 16 * i), z = (int)(LANE)(C >> 16 * i); \
    (void)z;                                                                                            \
    halves[i] = (unsigned int)(EXPRESSION)&0xffffu;                                                     \
  }                                                                                                     \
  return halves[0] | halves[1] << 16;
#define HEDDLE_DPX_HALVES(OP, COMPARE, LANE, SUFFIX)                                                              \
  HEDDLE_HD unsigned int __vi##OP##3_##SUFFIX(unsigned int a, unsigned int b, unsigned int c){HEDDLE_BOTH(        \
      LANE, b, c, OP(OP(x, y), z))} HEDDLE_HD unsigned int __viadd##OP##_##SUFFIX(unsigned int a, unsigned int b, \
                                                                                  unsigned int c){HEDDLE_BOTH(    \
      LANE, b, c,                                                                                                 \
      OP((int)(LANE)(x + y), z))} HEDDLE_HD unsigned int __vib##OP##_##SUFFIX(unsigned int a, unsigned int b,     \
                                                                              bool* firstHigh, bool* firstLow) {  \
    *firstLow = (LANE)a COMPARE(LANE) b;                                                                          \
    *firstHigh = (LANE)(a >> 16) COMPARE(LANE)(b >> 16);                                                          \
    HEDDLE_BOTH(LANE, b, b, OP(x, y))                                                                             \
  }
#define HEDDLE_DPX_HALVES_RELU(OP)                                                                                  \
  HEDDLE_HD unsigned int __vi##OP##_s16x2_relu(unsigned int a, unsigned int b){HEDDLE_BOTH(                         \
      short, b, b, max(OP(x, y), 0))} HEDDLE_HD unsigned int __vi##OP##3_s16x2_relu(unsigned int a, unsigned int b, \
                                                                                    unsigned int c){HEDDLE_BOTH(    \
      short, b, c, max(OP(OP(x, y), z), 0))} HEDDLE_HD unsigned int __viadd##OP##_s16x2_relu(unsigned int a,        \
                                                                                             unsigned int b,        \
                                                                                             unsigned int c) {      \
    HEDDLE_BOTH(short, b, c, max(OP((int)(short)(x + y), z), 0))                                                    \
  }

#define HEDDLE_DPX(OP, COMPARE)                         \
  HEDDLE_DPX_WORD(OP, COMPARE, int, s32)                \
  HEDDLE_DPX_WORD(OP, COMPARE, unsigned int, u32)       \
  HEDDLE_DPX_WORD_RELU(OP)                              \
  HEDDLE_DPX_HALVES(OP, COMPARE, short, s16x2)          \
  HEDDLE_DPX_HALVES(OP, COMPARE, unsigned short, u16x2) \
  HEDDLE_DPX_HALVES_RELU(OP)
HEDDLE_DPX(max, >=)
HEDDLE_DPX(min, <=)

#undef HEDDLE_DPX
#undef HEDDLE_DPX_HALVES_RELU
#undef HEDDLE_DPX_HALVES
#undef HEDDLE_BOTH
#undef HEDDLE_DPX_WORD_RELU
#undef HEDDLE_DPX_WORD
#undef HEDDLE_HD
