// What Clang calls for arithmetic that WebAssembly has no instructions for, in 64-bit programs: integers of 128 bits,
// `long double` (IEEE 754 binary128), complex products and quotients. Names and meanings are those of compiler-rt
// (https://github.com/llvm/llvm-project/blob/main/compiler-rt/lib/builtins/README.txt), whose code is in no package
// that can be had here. Rounds to nearest even. Checked against gcc's own by src/frontend/clang/wasm64-builtins tests.
//
// Nothing here may use an operation on 128 bits that becomes a call of these functions.
typedef unsigned long long u64;
typedef long long i64;
typedef unsigned u32;
typedef __int128 i128;
typedef unsigned __int128 u128;
typedef long double f128;

typedef struct {
  u64 lo, hi;
} Pair;

static Pair pairOf(u128 x) {
  Pair p;
  __builtin_memcpy(&p, &x, 16);
  return p;
}
static u128 wide(Pair p) {
  u128 x;
  __builtin_memcpy(&x, &p, 16);
  return x;
}
static Pair pair(u64 hi, u64 lo) {
  Pair p = {lo, hi};
  return p;
}
static int isZero(Pair a) { return (a.lo | a.hi) == 0; }
static int less(Pair a, Pair b) { return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo); }
static Pair plus(Pair a, Pair b) {
  Pair r;
  r.lo = a.lo + b.lo;
  r.hi = a.hi + b.hi + (r.lo < a.lo);
  return r;
}
static Pair minus(Pair a, Pair b) { return pair(a.hi - b.hi - (a.lo < b.lo), a.lo - b.lo); }
static Pair negated(Pair a) { return minus(pair(0, 0), a); }
static Pair left(Pair a, unsigned n) {
  if (n == 0) return a;
  if (n >= 128) return pair(0, 0);
  if (n >= 64) return pair(a.lo << (n - 64), 0);
  return pair(a.hi << n | a.lo >> (64 - n), a.lo << n);
}
static Pair right(Pair a, unsigned n) {
  if (n == 0) return a;
  if (n >= 128) return pair(0, 0);
  if (n >= 64) return pair(0, a.hi >> (n - 64));
  return pair(a.hi >> n, a.lo >> n | a.hi << (64 - n));
}
/** A shift to the right whose last bit says whether any bit was lost. */
static Pair rightSticky(Pair a, unsigned n) {
  if (n == 0) return a;
  if (n >= 128) return pair(0, !isZero(a));
  Pair r = right(a, n);
  if (!isZero(left(a, 128 - n))) r.lo |= 1;
  return r;
}
/** Leading zeros; 128 of zero. */
static unsigned zeros(Pair a) {
  if (a.hi) return (unsigned)__builtin_clzll(a.hi);
  return a.lo ? 64 + (unsigned)__builtin_clzll(a.lo) : 128;
}
static Pair product(u64 a, u64 b) {
  u64 a0 = (u32)a, a1 = a >> 32, b0 = (u32)b, b1 = b >> 32;
  // LLVM would put these products together to one of 128 bits, which is a call of this function.
  __asm__("" : "+r"(a0), "+r"(a1));
  u64 low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (u32)middle;
  return pair(a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (u32)low);
}
static Pair divided(Pair a, Pair b, Pair *rest) {
  Pair q = pair(0, 0), r = a;
  if (!less(a, b)) {
    if (a.hi == 0) {
      q.lo = a.lo / b.lo;
      r = pair(0, a.lo % b.lo);
    } else if (isZero(b)) {
      __builtin_trap();
    } else {
      unsigned n = zeros(b) - zeros(a);
      Pair d = left(b, n);
      for (;; n--) {
        q = left(q, 1);
        if (!less(r, d)) {
          r = minus(r, d);
          q.lo |= 1;
        }
        if (n == 0) break;
        d = right(d, 1);
      }
    }
  }
  if (rest) *rest = r;
  return q;
}

u128 __ashlti3(u128 a, int n) { return wide(left(pairOf(a), (unsigned)n & 127)); }
u128 __lshrti3(u128 a, int n) { return wide(right(pairOf(a), (unsigned)n & 127)); }
i128 __ashrti3(i128 a, int count) {
  Pair p = pairOf((u128)a);
  unsigned n = (unsigned)count & 127;
  u64 sign = (u64)((i64)p.hi >> 63);
  Pair r = right(p, n);
  if (n != 0 && sign) {
    Pair ones = left(pair(~0ull, ~0ull), 128 - n);
    r = pair(r.hi | ones.hi, r.lo | ones.lo);
  }
  return (i128)wide(r);
}
u128 __multi3(u128 x, u128 y) {
  Pair a = pairOf(x), b = pairOf(y), p = product(a.lo, b.lo);
  p.hi += a.hi * b.lo + a.lo * b.hi;
  return wide(p);
}
u128 __udivmodti4(u128 a, u128 b, u128 *rest) {
  Pair r, q = divided(pairOf(a), pairOf(b), &r);
  if (rest) *rest = wide(r);
  return wide(q);
}
u128 __udivti3(u128 a, u128 b) { return wide(divided(pairOf(a), pairOf(b), 0)); }
u128 __umodti3(u128 a, u128 b) {
  Pair r;
  divided(pairOf(a), pairOf(b), &r);
  return wide(r);
}
static Pair magnitude(Pair a) { return (i64)a.hi < 0 ? negated(a) : a; }
i128 __divmodti4(i128 x, i128 y, i128 *rest) {
  Pair a = pairOf((u128)x), b = pairOf((u128)y), r, q = divided(magnitude(a), magnitude(b), &r);
  if (rest) *rest = (i128)wide((i64)a.hi < 0 ? negated(r) : r);
  return (i128)wide((i64)(a.hi ^ b.hi) < 0 ? negated(q) : q);
}
i128 __divti3(i128 a, i128 b) { return __divmodti4(a, b, 0); }
i128 __modti3(i128 a, i128 b) {
  i128 rest;
  __divmodti4(a, b, &rest);
  return rest;
}
i128 __muloti4(i128 x, i128 y, int *overflow) {
  Pair a = magnitude(pairOf((u128)x)), b = magnitude(pairOf((u128)y));
  int isNegative = (i64)(pairOf((u128)x).hi ^ pairOf((u128)y).hi) < 0;
  Pair p = product(a.lo, b.lo), cross1 = product(a.hi, b.lo), cross2 = product(a.lo, b.hi);
  u64 hi = p.hi + cross1.lo;
  int lost = (a.hi && b.hi) || cross1.hi || cross2.hi || hi < p.hi;
  u64 sum = hi + cross2.lo;
  lost |= sum < hi;
  Pair r = pair(sum, p.lo);
  lost |= isNegative ? less(pair(1ull << 63, 0), r) : (i64)r.hi < 0;
  *overflow = lost;
  return (i128)wide(isNegative ? negated(r) : r);
}
i64 __mulodi4(i64 a, i64 b, int *overflow) {
  i128 p = (i128)wide(product((u64)(a < 0 ? -(u64)a : (u64)a), (u64)(b < 0 ? -(u64)b : (u64)b)));
  Pair r = pairOf((u128)p);
  int isNegative = (a ^ b) < 0;
  *overflow = r.hi != 0 || (isNegative ? r.lo > 1ull << 63 : (i64)r.lo < 0);
  return (i64)((u64)a * (u64)b);
}
int __clzti2(i128 a) { return (int)zeros(pairOf((u128)a)); }
int __ctzti2(i128 a) {
  Pair p = pairOf((u128)a);
  return p.lo ? __builtin_ctzll(p.lo) : 64 + __builtin_ctzll(p.hi);
}
int __popcountti2(i128 a) {
  Pair p = pairOf((u128)a);
  return __builtin_popcountll(p.lo) + __builtin_popcountll(p.hi);
}

// Numbers of all formats as sign, exponent and a significand whose leading one is bit 127, or zero.
typedef struct {
  int negative;
  int exponent; // of bit 127
  Pair bits;    // the last bit is sticky where more were lost
  int special;  // 1 infinite, 2 not a number
} Number;

typedef struct {
  unsigned fraction; // bits stored
  int bias;
} Format;
static const Format F16 = {10, 15}, F32 = {23, 127}, F64 = {52, 1023}, F128 = {112, 16383};

static Number unpack(Pair raw, Format f) {
  unsigned exponentBits = f.fraction == 112 ? 15 : f.fraction == 52 ? 11 : f.fraction == 23 ? 8 : 5;
  Number n = {0, 0, {0, 0}, 0};
  n.negative = (int)(right(raw, f.fraction + exponentBits).lo & 1);
  int exponent = (int)(right(raw, f.fraction).lo & ((1u << exponentBits) - 1));
  Pair fraction = left(raw, 128 - f.fraction); // its first bit is bit 127
  if (exponent == (1 << exponentBits) - 1) {
    n.special = isZero(fraction) ? 1 : 2;
    n.bits = fraction;
    return n;
  }
  if (exponent == 0) {
    unsigned shift = zeros(fraction);
    n.bits = left(fraction, shift);
    n.exponent = 1 - f.bias - 1 - (int)shift;
    return n;
  }
  n.bits = right(fraction, 1);
  n.bits.hi |= 1ull << 63;
  n.exponent = exponent - f.bias;
  return n;
}

static Pair pack(Number n, Format f) {
  unsigned exponentBits = f.fraction == 112 ? 15 : f.fraction == 52 ? 11 : f.fraction == 23 ? 8 : 5;
  Pair sign = left(pair(0, (u64)n.negative), f.fraction + exponentBits);
  Pair infinite = left(pair(0, (1u << exponentBits) - 1), f.fraction);
  if (n.special == 2) {
    Pair r = right(n.bits, 128 - f.fraction), quiet = left(pair(0, 1), f.fraction - 1);
    return pair(sign.hi | infinite.hi | r.hi | quiet.hi, sign.lo | infinite.lo | r.lo | quiet.lo);
  }
  if (n.special == 1) return pair(sign.hi | infinite.hi, sign.lo | infinite.lo);
  if (isZero(n.bits)) return sign;
  int exponent = n.exponent + f.bias;
  Pair bits = n.bits;
  if (exponent <= 0) {
    bits = rightSticky(bits, exponent < -200 ? 200u : (unsigned)(1 - exponent));
    exponent = 1;
  }
  // The fraction with its leading one at bit `fraction`, and what is cut off.
  Pair kept = right(bits, 127 - f.fraction), cut = left(bits, f.fraction + 1), half = pair(1ull << 63, 0);
  if (less(half, cut) || (cut.hi == half.hi && cut.lo == half.lo && (kept.lo & 1))) kept = plus(kept, pair(0, 1));
  // A leading one counts as 1 of the exponent; one that rounding has carried further counts as 2.
  Pair r = plus(left(pair(0, (u64)(exponent - 1)), f.fraction), kept);
  if (exponent > 2 * f.bias || !less(r, infinite)) r = infinite;
  return pair(sign.hi | r.hi, sign.lo | r.lo);
}

static Number fromLongDouble(f128 x) {
  Pair p;
  __builtin_memcpy(&p, &x, 16);
  return unpack(p, F128);
}
static f128 toLongDouble(Number n) {
  Pair p = pack(n, F128);
  f128 x;
  __builtin_memcpy(&x, &p, 16);
  return x;
}
static Number fromDouble(double x) {
  u64 bits;
  __builtin_memcpy(&bits, &x, 8);
  return unpack(pair(0, bits), F64);
}
static double toDouble(Number n) {
  u64 bits = pack(n, F64).lo;
  double x;
  __builtin_memcpy(&x, &bits, 8);
  return x;
}
static Number fromFloat(float x) {
  u32 bits;
  __builtin_memcpy(&bits, &x, 4);
  return unpack(pair(0, bits), F32);
}
static float toFloat(Number n) {
  u32 bits = (u32)pack(n, F32).lo;
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}
static Number fromBits(Pair a, int negative) {
  Number n = {negative, 0, {0, 0}, 0};
  unsigned shift = zeros(a);
  n.bits = left(a, shift);
  n.exponent = 127 - (int)shift;
  return n;
}
static Number fromSigned(Pair a) { return fromBits(magnitude(a), (i64)a.hi < 0); }

static const Number NOT_A_NUMBER = {0, 0, {0, 1ull << 63}, 2};

static Number added(Number a, Number b) {
  if (a.special == 2) return a;
  if (b.special == 2) return b;
  if (a.special == 1) return b.special == 1 && a.negative != b.negative ? NOT_A_NUMBER : a;
  if (b.special == 1) return b;
  if (isZero(a.bits) && isZero(b.bits)) {
    a.negative &= b.negative;
    return a;
  }
  if (isZero(a.bits)) return b;
  if (isZero(b.bits)) return a;
  if (a.exponent < b.exponent || (a.exponent == b.exponent && less(a.bits, b.bits))) {
    Number t = a;
    a = b;
    b = t;
  }
  // One bit for the carry; binary128 leaves 14 below its last bit.
  unsigned distance = (unsigned)(a.exponent - b.exponent);
  Pair x = right(a.bits, 1), y = rightSticky(b.bits, distance > 200 ? 201 : distance + 1);
  Pair sum = a.negative == b.negative ? plus(x, y) : minus(x, y);
  if (isZero(sum)) {
    Number zero = {0, 0, {0, 0}, 0};
    return zero;
  }
  unsigned shift = zeros(sum);
  a.bits = left(sum, shift);
  a.exponent += 1 - (int)shift;
  return a;
}
static Number multiplied(Number a, Number b) {
  int negative = a.negative ^ b.negative;
  if (a.special == 2) return a;
  if (b.special == 2) return b;
  if (a.special || b.special) {
    if ((!a.special && isZero(a.bits)) || (!b.special && isZero(b.bits))) return NOT_A_NUMBER;
    Number infinite = {negative, 0, {0, 0}, 1};
    return infinite;
  }
  Number r = {negative, 0, {0, 0}, 0};
  if (isZero(a.bits) || isZero(b.bits)) return r;
  Pair high = product(a.bits.hi, b.bits.hi), low = product(a.bits.lo, b.bits.lo);
  Pair cross1 = product(a.bits.hi, b.bits.lo), cross2 = product(a.bits.lo, b.bits.hi);
  Pair cross = plus(cross1, cross2);
  u64 carry = less(cross, cross1);
  Pair middle = plus(cross, pair(0, low.hi));
  carry += less(middle, cross);
  Pair top = plus(high, pair(carry, middle.hi));
  u64 rest = middle.lo | low.lo;
  r.exponent = a.exponent + b.exponent + 1;
  if (!(top.hi >> 63)) {
    top = left(top, 1);
    top.lo |= middle.lo >> 63;
    rest = middle.lo << 1 | low.lo;
    r.exponent--;
  }
  if (rest) top.lo |= 1;
  r.bits = top;
  return r;
}
static Number quotient(Number a, Number b) {
  int negative = a.negative ^ b.negative;
  if (a.special == 2) return a;
  if (b.special == 2) return b;
  Number r = {negative, 0, {0, 0}, 0};
  if (a.special == 1) {
    if (b.special == 1) return NOT_A_NUMBER;
    r.special = 1;
    return r;
  }
  if (b.special == 1) return r;
  if (isZero(b.bits)) {
    if (isZero(a.bits)) return NOT_A_NUMBER;
    r.special = 1;
    return r;
  }
  if (isZero(a.bits)) return r;
  Pair x = a.bits, d = b.bits, q = pair(0, 0);
  r.exponent = a.exponent - b.exponent;
  int carried = 0;
  if (less(x, d)) {
    r.exponent--;
    carried = (int)(x.hi >> 63);
    x = left(x, 1);
  }
  for (int i = 0; i < 128; i++) {
    q = left(q, 1);
    if (carried || !less(x, d)) {
      x = minus(x, d);
      q.lo |= 1;
    }
    carried = (int)(x.hi >> 63);
    x = left(x, 1);
  }
  if (carried || !isZero(x)) q.lo |= 1;
  r.bits = q;
  return r;
}
/** -1, 0, 1, or 2 where one is not a number. */
static int compared(Number a, Number b) {
  if (a.special == 2 || b.special == 2) return 2;
  int zeroA = !a.special && isZero(a.bits), zeroB = !b.special && isZero(b.bits);
  if (zeroA && zeroB) return 0;
  int signA = zeroA ? 0 : a.negative ? -1 : 1, signB = zeroB ? 0 : b.negative ? -1 : 1;
  if (signA != signB) return signA < signB ? -1 : 1;
  if (a.special != b.special) return (a.special ? 1 : -1) * signA;
  if (a.special) return 0;
  if (a.exponent != b.exponent) return (a.exponent < b.exponent ? -1 : 1) * signA;
  if (a.bits.hi == b.bits.hi && a.bits.lo == b.bits.lo) return 0;
  return (less(a.bits, b.bits) ? -1 : 1) * signA;
}
/** Toward zero, to an integer of so many bits; the nearest one where it does not fit, 0 of what is not a number. */
static Pair truncated(Number n, unsigned bits, int isSigned) {
  if (n.special == 2 || (!n.special && (isZero(n.bits) || n.exponent < 0))) return pair(0, 0);
  Pair max = isSigned ? minus(left(pair(0, 1), bits - 1), pair(0, 1)) : right(pair(~0ull, ~0ull), 128 - bits);
  Pair min = isSigned ? negated(left(pair(0, 1), bits - 1)) : pair(0, 0);
  if (n.negative && !isSigned) return min;
  if (n.special == 1 || n.exponent >= (int)bits - isSigned) return n.negative ? min : max;
  Pair r = right(n.bits, 127 - (unsigned)n.exponent);
  return n.negative ? negated(r) : r;
}

f128 __addtf3(f128 a, f128 b) { return toLongDouble(added(fromLongDouble(a), fromLongDouble(b))); }
f128 __subtf3(f128 a, f128 b) {
  Number n = fromLongDouble(b);
  if (n.special != 2) n.negative ^= 1;
  return toLongDouble(added(fromLongDouble(a), n));
}
f128 __multf3(f128 a, f128 b) { return toLongDouble(multiplied(fromLongDouble(a), fromLongDouble(b))); }
f128 __divtf3(f128 a, f128 b) { return toLongDouble(quotient(fromLongDouble(a), fromLongDouble(b))); }

static int order(f128 a, f128 b) { return compared(fromLongDouble(a), fromLongDouble(b)); }
int __unordtf2(f128 a, f128 b) { return order(a, b) == 2; }
int __eqtf2(f128 a, f128 b) { return order(a, b) != 0; }
int __netf2(f128 a, f128 b) { return order(a, b) != 0; }
int __cmptf2(f128 a, f128 b) { return order(a, b) == 2 ? 1 : order(a, b); }
int __lttf2(f128 a, f128 b) { return __cmptf2(a, b); }
int __letf2(f128 a, f128 b) { return __cmptf2(a, b); }
int __gttf2(f128 a, f128 b) { return order(a, b) == 2 ? -1 : order(a, b); }
int __getf2(f128 a, f128 b) { return order(a, b) == 2 ? -1 : order(a, b); }

f128 __extendsftf2(float a) { return toLongDouble(fromFloat(a)); }
f128 __extenddftf2(double a) { return toLongDouble(fromDouble(a)); }
float __trunctfsf2(f128 a) { return toFloat(fromLongDouble(a)); }
double __trunctfdf2(f128 a) { return toDouble(fromLongDouble(a)); }
float __extendhfsf2(unsigned short a) { return toFloat(unpack(pair(0, a), F16)); }
double __extendhfdf2(unsigned short a) { return toDouble(unpack(pair(0, a), F16)); }
f128 __extendhftf2(unsigned short a) { return toLongDouble(unpack(pair(0, a), F16)); }
unsigned short __truncsfhf2(float a) { return (unsigned short)pack(fromFloat(a), F16).lo; }
unsigned short __truncdfhf2(double a) { return (unsigned short)pack(fromDouble(a), F16).lo; }
unsigned short __trunctfhf2(f128 a) { return (unsigned short)pack(fromLongDouble(a), F16).lo; }

int __fixtfsi(f128 a) { return (int)truncated(fromLongDouble(a), 32, 1).lo; }
i64 __fixtfdi(f128 a) { return (i64)truncated(fromLongDouble(a), 64, 1).lo; }
i128 __fixtfti(f128 a) { return (i128)wide(truncated(fromLongDouble(a), 128, 1)); }
u32 __fixunstfsi(f128 a) { return (u32)truncated(fromLongDouble(a), 32, 0).lo; }
u64 __fixunstfdi(f128 a) { return truncated(fromLongDouble(a), 64, 0).lo; }
u128 __fixunstfti(f128 a) { return wide(truncated(fromLongDouble(a), 128, 0)); }
i128 __fixdfti(double a) { return (i128)wide(truncated(fromDouble(a), 128, 1)); }
i128 __fixsfti(float a) { return (i128)wide(truncated(fromFloat(a), 128, 1)); }
u128 __fixunsdfti(double a) { return wide(truncated(fromDouble(a), 128, 0)); }
u128 __fixunssfti(float a) { return wide(truncated(fromFloat(a), 128, 0)); }

f128 __floatsitf(int a) { return toLongDouble(fromSigned(pair(a < 0 ? ~0ull : 0, (u64)(i64)a))); }
f128 __floatditf(i64 a) { return toLongDouble(fromSigned(pair(a < 0 ? ~0ull : 0, (u64)a))); }
f128 __floattitf(i128 a) { return toLongDouble(fromSigned(pairOf((u128)a))); }
f128 __floatunsitf(u32 a) { return toLongDouble(fromBits(pair(0, a), 0)); }
f128 __floatunditf(u64 a) { return toLongDouble(fromBits(pair(0, a), 0)); }
f128 __floatuntitf(u128 a) { return toLongDouble(fromBits(pairOf(a), 0)); }
double __floattidf(i128 a) { return toDouble(fromSigned(pairOf((u128)a))); }
float __floattisf(i128 a) { return toFloat(fromSigned(pairOf((u128)a))); }
double __floatuntidf(u128 a) { return toDouble(fromBits(pairOf(a), 0)); }
float __floatuntisf(u128 a) { return toFloat(fromBits(pairOf(a), 0)); }

#define POWER(name, type)                                                                                              \
  type name(type base, int exponent) {                                                                                 \
    type r = 1;                                                                                                        \
    for (u32 n = exponent < 0 ? -(u32)exponent : (u32)exponent; n != 0; n >>= 1) {                                     \
      if (n & 1) r *= base;                                                                                            \
      base *= base;                                                                                                    \
    }                                                                                                                  \
    return exponent < 0 ? 1 / r : r;                                                                                   \
  }
POWER(__powisf2, float)
POWER(__powidf2, double)
POWER(__powitf2, f128)

// C11, annex G.5.1: infinities are kept where the formulas would give not-a-number.
#define COMPLEX(type, suffix, multiply, divide)                                                                        \
  static type boxed##suffix(type x) {                                                                                  \
    return __builtin_copysign##suffix(__builtin_isinf(x) ? (type)1 : (type)0, x);                                      \
  }                                                                                                                    \
  static type quiet##suffix(type x) { return __builtin_isnan(x) ? __builtin_copysign##suffix((type)0, x) : x; }     \
  type _Complex multiply(type a, type b, type c, type d) {                                                             \
    type ac = a * c, bd = b * d, ad = a * d, bc = b * c, re = ac - bd, im = ad + bc;                                   \
    if (__builtin_isnan(re) && __builtin_isnan(im)) {                                                                  \
      int again = 0;                                                                                                   \
      if (__builtin_isinf(a) || __builtin_isinf(b)) {                                                                  \
        a = boxed##suffix(a), b = boxed##suffix(b), c = quiet##suffix(c), d = quiet##suffix(d), again = 1;       \
      }                                                                                                                \
      if (__builtin_isinf(c) || __builtin_isinf(d)) {                                                                  \
        c = boxed##suffix(c), d = boxed##suffix(d), a = quiet##suffix(a), b = quiet##suffix(b), again = 1;       \
      }                                                                                                                \
      if (!again && (__builtin_isinf(ac) || __builtin_isinf(bd) || __builtin_isinf(ad) || __builtin_isinf(bc))) {      \
        a = quiet##suffix(a), b = quiet##suffix(b), c = quiet##suffix(c), d = quiet##suffix(d), again = 1; \
      }                                                                                                                \
      if (again) {                                                                                                     \
        re = (type)__builtin_inf() * (a * c - b * d);                                                                  \
        im = (type)__builtin_inf() * (a * d + b * c);                                                                  \
      }                                                                                                                \
    }                                                                                                                  \
    return __builtin_complex(re, im);                                                                                  \
  }                                                                                                                    \
  type _Complex divide(type a, type b, type c, type d) {                                                               \
    int scale = 0;                                                                                                     \
    type larger = __builtin_fmax##suffix(__builtin_fabs##suffix(c), __builtin_fabs##suffix(d));                        \
    type power = __builtin_logb##suffix(larger);                                                                       \
    if (__builtin_isfinite(power)) {                                                                                   \
      scale = (int)power;                                                                                              \
      c = __builtin_scalbn##suffix(c, -scale);                                                                         \
      d = __builtin_scalbn##suffix(d, -scale);                                                                         \
    }                                                                                                                  \
    type norm = c * c + d * d;                                                                                         \
    type re = __builtin_scalbn##suffix((a * c + b * d) / norm, -scale);                                                \
    type im = __builtin_scalbn##suffix((b * c - a * d) / norm, -scale);                                                \
    if (__builtin_isnan(re) && __builtin_isnan(im)) {                                                                  \
      if (norm == 0 && (!__builtin_isnan(a) || !__builtin_isnan(b))) {                                                 \
        re = __builtin_copysign##suffix((type)__builtin_inf(), c) * a;                                                 \
        im = __builtin_copysign##suffix((type)__builtin_inf(), c) * b;                                                 \
      } else if ((__builtin_isinf(a) || __builtin_isinf(b)) && __builtin_isfinite(c) && __builtin_isfinite(d)) {       \
        a = boxed##suffix(a), b = boxed##suffix(b);                                                                    \
        re = (type)__builtin_inf() * (a * c + b * d);                                                                  \
        im = (type)__builtin_inf() * (b * c - a * d);                                                                  \
      } else if (__builtin_isinf(power) && power > 0 && __builtin_isfinite(a) && __builtin_isfinite(b)) {              \
        c = boxed##suffix(c), d = boxed##suffix(d);                                                                    \
        re = 0 * (a * c + b * d);                                                                                      \
        im = 0 * (b * c - a * d);                                                                                      \
      }                                                                                                                \
    }                                                                                                                  \
    return __builtin_complex(re, im);                                                                                  \
  }
COMPLEX(float, f, __mulsc3, __divsc3)
COMPLEX(double, , __muldc3, __divdc3)
COMPLEX(long double, l, __multc3, __divtc3)
