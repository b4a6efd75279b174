// Integer intrinsics of the CUDA Math API that Clang's headers lack or write as inline assembly: funnel shifts, dot
// products, the SIMD-within-a-word functions, and the older spellings.
#pragma once

#define HEDDLE_D static inline __device__ __attribute__((always_inline))

// "Integer Intrinsics": bits of hi:lo, shifted by shift & 31, or clamped to 32.
HEDDLE_D unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift) {
  return __builtin_elementwise_fshl(hi, lo, shift & 31u);
}
HEDDLE_D unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift) {
  return shift >= 32u ? lo : __builtin_elementwise_fshl(hi, lo, shift);
}
HEDDLE_D unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift) {
  return __builtin_elementwise_fshr(hi, lo, shift & 31u);
}
HEDDLE_D unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift) {
  return shift >= 32u ? hi : __builtin_elementwise_fshr(hi, lo, shift);
}
HEDDLE_D void __brkpt() { __builtin_trap(); }

// Four products of bytes, or two of a halfword and a byte, added to c.
HEDDLE_D int __heddle_byte(int v, int i) { return (signed char)(v >> (8 * i)); }
HEDDLE_D unsigned __heddle_ubyte(unsigned v, int i) { return (unsigned char)(v >> (8 * i)); }
HEDDLE_D int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; i++) c = (int)((unsigned)c + (unsigned)(__heddle_byte(a, i) * __heddle_byte(b, i)));
  return c;
}
HEDDLE_D unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  for (int i = 0; i < 4; i++) c += __heddle_ubyte(a, i) * __heddle_ubyte(b, i);
  return c;
}
HEDDLE_D int __dp4a(char4 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
HEDDLE_D unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
HEDDLE_D int __dp2a_lo(int a, int b, int c) {
  return c + (short)a * __heddle_byte(b, 0) + (a >> 16) * __heddle_byte(b, 1);
}
HEDDLE_D int __dp2a_hi(int a, int b, int c) {
  return c + (short)a * __heddle_byte(b, 2) + (a >> 16) * __heddle_byte(b, 3);
}
HEDDLE_D unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c) {
  return c + (a & 0xffffu) * __heddle_ubyte(b, 0) + (a >> 16) * __heddle_ubyte(b, 1);
}
HEDDLE_D unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) {
  return c + (a & 0xffffu) * __heddle_ubyte(b, 2) + (a >> 16) * __heddle_ubyte(b, 3);
}
HEDDLE_D int __dp2a_lo(short2 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y; }
HEDDLE_D int __dp2a_hi(short2 a, char4 b, int c) { return c + a.x * b.z + a.y * b.w; }
HEDDLE_D unsigned int __dp2a_lo(ushort2 a, uchar4 b, unsigned int c) { return c + a.x * b.x + a.y * b.y; }
HEDDLE_D unsigned int __dp2a_hi(ushort2 a, uchar4 b, unsigned int c) { return c + a.x * b.z + a.y * b.w; }

// "SIMD Intrinsics": the same operation on each of two halfwords or four bytes.
// F(x, y) computes on wider integers; RESULT narrows it to the lane.
#define HEDDLE_LANES(NAME, BITS, LANE, WIDE, EXPRESSION)                                             \
  HEDDLE_D unsigned int NAME(unsigned int a, unsigned int b) {                                       \
    unsigned int result = 0;                                                                         \
    for (int i = 0; i < 32; i += BITS) {                                                             \
      WIDE x = (LANE)(a >> i), y = (LANE)(b >> i);                                                   \
      result |= ((unsigned int)(EXPRESSION) & ((1u << BITS) - 1u)) << i;                             \
    }                                                                                                \
    return result;                                                                                   \
  }
#define HEDDLE_LANES_1(NAME, BITS, LANE, EXPRESSION)                                                 \
  HEDDLE_D unsigned int NAME(unsigned int a) {                                                       \
    unsigned int result = 0;                                                                         \
    for (int i = 0; i < 32; i += BITS) {                                                             \
      int x = (LANE)(a >> i);                                                                        \
      result |= ((unsigned int)(EXPRESSION) & ((1u << BITS) - 1u)) << i;                             \
    }                                                                                                \
    return result;                                                                                   \
  }
#define HEDDLE_SUM(NAME, BITS, LANE)                                                                 \
  HEDDLE_D unsigned int NAME(unsigned int a, unsigned int b) {                                       \
    unsigned int result = 0;                                                                         \
    for (int i = 0; i < 32; i += BITS) {                                                             \
      int x = (LANE)(a >> i), y = (LANE)(b >> i);                                                    \
      result += (unsigned int)(x < y ? y - x : x - y);                                               \
    }                                                                                                \
    return result;                                                                                   \
  }
#define HEDDLE_CLAMP(v, lo, hi) ((v) < (lo) ? (lo) : (v) > (hi) ? (hi) : (v))
#define HEDDLE_COMPARE(SUFFIX, W, BITS, LANE, OP)                                                    \
  HEDDLE_LANES(__vcmp##SUFFIX##W, BITS, LANE, int, (x OP y) ? -1 : 0)                                \
  HEDDLE_LANES(__vset##SUFFIX##W, BITS, LANE, int, (x OP y) ? 1 : 0)
#define HEDDLE_SIMD(W, BITS, S, U, SMIN, SMAX, UMAX)                                                 \
  HEDDLE_LANES(__vadd##W, BITS, U, int, x + y)                                                       \
  HEDDLE_LANES(__vsub##W, BITS, U, int, x - y)                                                       \
  HEDDLE_LANES(__vaddss##W, BITS, S, int, HEDDLE_CLAMP(x + y, SMIN, SMAX))                           \
  HEDDLE_LANES(__vsubss##W, BITS, S, int, HEDDLE_CLAMP(x - y, SMIN, SMAX))                           \
  HEDDLE_LANES(__vaddus##W, BITS, U, int, HEDDLE_CLAMP(x + y, 0, UMAX))                              \
  HEDDLE_LANES(__vsubus##W, BITS, U, int, HEDDLE_CLAMP(x - y, 0, UMAX))                              \
  HEDDLE_LANES(__vavgs##W, BITS, S, int, (x + y + (x + y >= 0)) >> 1)                                \
  HEDDLE_LANES(__vavgu##W, BITS, U, int, (x + y + 1) >> 1)                                           \
  HEDDLE_LANES(__vhaddu##W, BITS, U, int, (x + y) >> 1)                                              \
  HEDDLE_LANES(__vabsdiffs##W, BITS, S, int, x < y ? y - x : x - y)                                  \
  HEDDLE_LANES(__vabsdiffu##W, BITS, U, int, x < y ? y - x : x - y)                                  \
  HEDDLE_LANES(__vmaxs##W, BITS, S, int, x < y ? y : x)                                              \
  HEDDLE_LANES(__vmaxu##W, BITS, U, int, x < y ? y : x)                                              \
  HEDDLE_LANES(__vmins##W, BITS, S, int, x < y ? x : y)                                              \
  HEDDLE_LANES(__vminu##W, BITS, U, int, x < y ? x : y)                                              \
  HEDDLE_LANES_1(__vabs##W, BITS, S, x < 0 ? -x : x)                                                 \
  HEDDLE_LANES_1(__vabsss##W, BITS, S, HEDDLE_CLAMP(x < 0 ? -x : x, SMIN, SMAX))                     \
  HEDDLE_LANES_1(__vneg##W, BITS, S, -x)                                                             \
  HEDDLE_LANES_1(__vnegss##W, BITS, S, HEDDLE_CLAMP(-x, SMIN, SMAX))                                 \
  HEDDLE_SUM(__vsads##W, BITS, S)                                                                    \
  HEDDLE_SUM(__vsadu##W, BITS, U)                                                                    \
  HEDDLE_COMPARE(eq, W, BITS, U, ==)                                                                 \
  HEDDLE_COMPARE(ne, W, BITS, U, !=)                                                                 \
  HEDDLE_COMPARE(ges, W, BITS, S, >=)                                                                \
  HEDDLE_COMPARE(geu, W, BITS, U, >=)                                                                \
  HEDDLE_COMPARE(gts, W, BITS, S, >)                                                                 \
  HEDDLE_COMPARE(gtu, W, BITS, U, >)                                                                 \
  HEDDLE_COMPARE(les, W, BITS, S, <=)                                                                \
  HEDDLE_COMPARE(leu, W, BITS, U, <=)                                                                \
  HEDDLE_COMPARE(lts, W, BITS, S, <)                                                                 \
  HEDDLE_COMPARE(ltu, W, BITS, U, <)
HEDDLE_SIMD(2, 16, short, unsigned short, -32768, 32767, 65535)
HEDDLE_SIMD(4, 8, signed char, unsigned char, -128, 127, 255)
#undef HEDDLE_SIMD
#undef HEDDLE_COMPARE
#undef HEDDLE_CLAMP
#undef HEDDLE_SUM
#undef HEDDLE_LANES_1
#undef HEDDLE_LANES

// Votes without a mask, of the threads that are there together (CUDA C++ Programming Guide, "Warp Vote Functions";
// removed for sm_70).
HEDDLE_D int __all(int predicate) { return __all_sync(__activemask(), predicate); }
HEDDLE_D int __any(int predicate) { return __any_sync(__activemask(), predicate); }
HEDDLE_D unsigned int __ballot(int predicate) { return __ballot_sync(__activemask(), predicate); }

// Performance monitoring counters: what they count is undefined (PTX ISA, "%pm0..%pm7"); here they stand still.
HEDDLE_D unsigned int __pm0() { return 0; }
HEDDLE_D unsigned int __pm1() { return 0; }
HEDDLE_D unsigned int __pm2() { return 0; }
HEDDLE_D unsigned int __pm3() { return 0; }

// Older names.
HEDDLE_D int mulhi(int a, int b) { return __mulhi(a, b); }
HEDDLE_D unsigned int mulhi(unsigned int a, unsigned int b) { return __umulhi(a, b); }
HEDDLE_D long long mul64hi(long long a, long long b) { return __mul64hi(a, b); }
HEDDLE_D unsigned long long mul64hi(unsigned long long a, unsigned long long b) { return __umul64hi(a, b); }
HEDDLE_D int mul24(int a, int b) { return __mul24(a, b); }
HEDDLE_D unsigned int umul24(unsigned int a, unsigned int b) { return __umul24(a, b); }
HEDDLE_D float int_as_float(int a) { return __int_as_float(a); }
HEDDLE_D int float_as_int(float a) { return __float_as_int(a); }
HEDDLE_D float saturate(float a) { return __saturatef(a); }
HEDDLE_D unsigned int sad(int a, int b, unsigned int c) { return __sad(a, b, c); }
HEDDLE_D unsigned int usad(unsigned int a, unsigned int b, unsigned int c) { return __usad(a, b, c); }
HEDDLE_D int __float2int_rn_sat(float a) { return __float2int_rn(a); }

#undef HEDDLE_D
