// Accuracy of libdevice/ on the host; see measure-libdevice.mjs, which writes cases.inc from
// libdevice/error-bounds.json.
#define HEDDLE_NATIVE
namespace device {
#include "basic.cu"
#include "f32.cu"
#include "f64.cu"
#include "parts.cu"
#include "special.cu"
} // namespace device
#include <quadmath.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

typedef __float128 quad;
typedef long double wide;

// ------------------------------------------------------------------ references
namespace ref {
#define BOTH(name, w, q)               \
  wide name(wide x) { return w; }      \
  quad name(quad x) { return q; }
#define PLAIN(name) BOTH(name, ::name##l(x), ::name##q(x))
PLAIN(sqrt) PLAIN(cbrt) PLAIN(exp) PLAIN(expm1) PLAIN(log) PLAIN(log2) PLAIN(log10) PLAIN(log1p) PLAIN(sin) PLAIN(cos)
    PLAIN(tan)
PLAIN(asin) PLAIN(acos) PLAIN(atan) PLAIN(sinh) PLAIN(cosh) PLAIN(tanh) PLAIN(asinh) PLAIN(acosh) PLAIN(atanh)
    PLAIN(erf) PLAIN(erfc)
PLAIN(trunc) PLAIN(round) PLAIN(rint) PLAIN(floor) PLAIN(ceil) PLAIN(logb)
BOTH(exp2, ::exp2l(x), ::exp2q(x))
BOTH(exp10, ::exp10l(x), ::powq(10, x))
BOTH(rsqrt, 1 / ::sqrtl(x), 1 / ::sqrtq(x))
BOTH(rcbrt, 1 / ::cbrtl(x), 1 / ::cbrtq(x))
BOTH(normcdf, ::erfcl(-x * 0.707106781186547524400844362104849039L) / 2, ::erfcq(-x / ::sqrtq(2)) / 2)
BOTH(lgamma, ::lgammaq(x), ::lgammaq(x))
BOTH(j0, ::j0q(x), ::j0q(x)) BOTH(j1, ::j1q(x), ::j1q(x)) BOTH(y0, ::y0q(x), ::y0q(x)) BOTH(y1, ::y1q(x), ::y1q(x))
quad tgamma(quad x) { return x == 0 ? 1 / x : x < 0 && ::truncq(x) == x ? NAN : ::tgammaq(x); }
wide tgamma(wide x) { return tgamma((quad)x); }
// x = quadrant / 2 + r; a zero of sine has the sign of x, one of cosine is +0
template <class T> T sinpi_quadrant(T x, int shift) {
  T k = rint(2 * x), r = x - k / 2;
  if (!(r == r)) return r;
  quad m = ::fmodq((quad)k, 4);
  int quadrant = ((int)m + shift) & 3;
  T s = sin((T)((quad)r * M_PIq)), c = cos((T)((quad)r * M_PIq));
  return quadrant == 0 ? s : quadrant == 1 ? c : quadrant == 2 ? -s : -c;
}
BOTH(sinpi, sinpi_quadrant(x, 0) == 0 ? ::copysignl(0, x) : sinpi_quadrant(x, 0),
     sinpi_quadrant(x, 0) == 0 ? ::copysignq(0, x) : sinpi_quadrant(x, 0))
BOTH(cospi, 0 + sinpi_quadrant(x, 1), 0 + sinpi_quadrant(x, 1))
quad erfcx(quad x) {
  if (x < 20) return ::expq(x * x) * ::erfcq(x);
  quad v = 1 / (2 * x * x), term = 1, sum = 1;
  for (int k = 1; k < 20; k++) sum += term *= -(2 * k - 1) * v;
  return sum / (x * ::sqrtq(M_PIq));
}
wide erfcx(wide x) { return x < 20 ? ::expl(x * x) * ::erfcl(x) : (wide)erfcx((quad)x); }
// Halley's iteration; see libdevice/erf-f64.h for the form of the tail
quad erfcinv(quad x) {
  if (!(x >= 0 && x <= 2)) return NAN;
  if (x == 0 || x == 2) return x == 0 ? INFINITY : -INFINITY;
  if (x > 1) return -erfcinv(2 - x);
  quad y = x > 0.5 ? (1 - x) * 0.886 : ::sqrtq(-::logq(x)), d = 1;
  if (x <= 0.5 && y < 0.5) y = 0.5;
  for (int i = 0; i < 60 && ::fabsq(d) > 1e-30 * ::fabsq(y); i++) {
    quad s = x > 0.5 ? (::erfq(y) - (1 - x)) * ::expq(y * y) : ::expq(y * y + ::logq(x)) - erfcx(y);
    s *= ::sqrtq(M_PIq) / 2;
    y -= d = s / (1 + y * s);
  }
  return y;
}
quad erfinv(quad x) {
  if (::fabsq(x) > 0.5 || x != x) return x != x ? x : x < 0 ? -erfcinv(1 + x) : erfcinv(1 - x);
  quad y = x * 0.886, d = 1;
  for (int i = 0; i < 60 && x != 0 && ::fabsq(d) > 1e-30 * ::fabsq(y); i++) {
    quad s = (::erfq(y) - x) * ::expq(y * y) * ::sqrtq(M_PIq) / 2;
    y -= d = s / (1 + y * s);
  }
  return y;
}
quad normcdfinv(quad x) { return -erfcinv(2 * x) * ::sqrtq(2); }
wide erfcinv(wide x) { return erfcinv((quad)x); }
wide erfinv(wide x) { return erfinv((quad)x); }
wide normcdfinv(wide x) { return normcdfinv((quad)x); }
quad bessel_i(quad x, int n) {
  quad term = n ? x / 2 : 1, sum = term;
  for (int k = 1; k < 2000 && ::fabsq(term) > ::fabsq(sum) * 1e-34; k++) sum += term *= x * x / 4 / ((quad)k * (k + n));
  return sum;
}
BOTH(cyl_bessel_i0, bessel_i(x, 0), bessel_i(x, 0))
BOTH(cyl_bessel_i1, bessel_i(x, 1), bessel_i(x, 1))
quad atan2(quad y, quad x) { return ::atan2q(y, x); }
quad pow(quad x, quad y) { return ::powq(x, y); }
quad fmod(quad x, quad y) { return ::fmodq(x, y); }
quad remainder(quad x, quad y) { return ::remainderq(x, y); }
quad fdim(quad x, quad y) { return ::fdimq(x, y); }
quad hypot(quad x, quad y) { return ::hypotq(x, y); }
quad rhypot(quad x, quad y) { return 1 / ::hypotq(x, y); }
quad norm3d(quad x, quad y, quad z) {
  return ::isinfq(x) || ::isinfq(y) || ::isinfq(z) ? (quad)INFINITY : ::sqrtq(x * x + y * y + z * z);
}
quad rnorm3d(quad x, quad y, quad z) { return 1 / norm3d(x, y, z); }
quad fma(quad x, quad y, quad z) { return ::fmaq(x, y, z); }
} // namespace ref

// ------------------------------------------------------------------ error in ulps, from the correctly rounded result's
// place
template <class R> double error(double y, R r, int digits, int least, double largest) {
  if (r != r) return y != y ? 0 : INFINITY;
  if (y != y) return INFINITY;
  quad q = r, limit = (quad)largest * (1 + ::ldexpq(1, -digits - 1));
  if (::fabsq(q) > limit)
    return std::isinf(y) && (y > 0) == (q > 0) ? 0 : std::fabs(y) == largest && !::isinfq(q) ? 1 : INFINITY;
  if (std::isinf(y)) return ::fabsq(q) > (quad)largest * (1 - ::ldexpq(1, 2 - digits)) ? 1 : INFINITY;
  int e = least;
  if (q != 0) ::frexpq(q, &e);
  if (e < least) e = least;
  return (double)(::fabsq((quad)y - q) * ::ldexpq(1, digits - e));
}
template <class R> double error(float y, R r) { return error((double)y, r, 24, -125, 3.4028234663852886e38); }
template <class R> double error(double y, R r) { return error(y, r, 53, -1021, 1.7976931348623157e308); }

// ------------------------------------------------------------------ arguments
static uint64_t state = 88172645463325252ull;
static uint64_t random64() { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }
static double unit() { return (random64() >> 11) * 0x1p-53; }
static float float_of(uint32_t bits) { float x; memcpy(&x, &bits, 4); return x; }
static double double_of(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }
static const double SPECIAL[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 0.5, -0.5, 2, -2, 3, 0x1p-149, -0x1p-149,
                                 0x1p-1074, 0x1p-126, 0x1p-1022, 3.4028234663852886e38, -3.4028234663852886e38,
                                 1.7976931348623157e308, 709.9, -745.2, 88.8, -104.1};
static const int SPECIALS = sizeof SPECIAL / sizeof *SPECIAL;
template <class F> F argument(long i) {
  if (i < SPECIALS) return (F)SPECIAL[i];
  switch (i % 6) {
    case 0: return sizeof(F) == 4 ? (F)float_of((uint32_t)random64()) : (F)double_of(random64());
    case 1: return (F)((unit() * 2 - 1) * 40);
    case 2: return (F)((unit() * 2 - 1) * 1.5);
    case 3: return (F)std::ldexp(unit() * 2 - 1, (int)(random64() % 60) - 48);
    case 4: return (F)((int)(random64() % 65) - 32);
    default: return (F)(1 + (unit() - 0.5) * 1e-3);
  }
}

struct Worst { double error = 0; double at[3] = {}; };
static int failures = 0;
static void report(const char *name, Worst w, double bound, int args) {
  bool fine = w.error <= bound + 0.5; // the guide counts from the correctly rounded result
  if (!fine) failures++;
  printf("%-4s %-15s bound %-3g measured %-8.4g at", fine ? "ok" : "FAIL", name, bound, w.error);
  for (int i = 0; i < args; i++) printf(" %.17g", w.at[i]);
  printf("\n");
  fflush(stdout);
}
static void note(Worst &w, double e, double a, double b = 0, double c = 0) { if (e > w.error) w = {e, {a, b, c}}; }
static bool inside(double x, double low, double high) { return !(x < low || x > high) || std::isnan(x); }

// ------------------------------------------------------------------ checksums (the same arguments as in
// libdevice.test.ts)
static uint32_t mix(uint32_t h, uint32_t x) { return (h ^ x) * 16777619u; }
static uint32_t seed32(uint32_t i) {
  i = (i ^ (i >> 16)) * 0x45d9f3bu;
  i = (i ^ (i >> 16)) * 0x45d9f3bu;
  return i ^ (i >> 16);
}
constexpr uint32_t COUNT = 1024;
// A quarter of the arguments has any bits, the others lie in (-16, 16).
static float check_argument(float, uint32_t i) {
  uint32_t b = seed32(i + 1);
  return i % 4 == 0 ? float_of(b) : (float)((int32_t)b * 0x1p-27);
}
static double check_argument(double, uint32_t i) {
  uint64_t b = (uint64_t)seed32(i + 1) << 32 | seed32(i + 7777);
  return i % 4 == 0 ? double_of(b) : (double)((int64_t)b >> 11) * 0x1p-48;
}
static void add(uint32_t &h, float y) { uint32_t b; memcpy(&b, &y, 4); h = mix(h, y != y ? 0x7fffffffu : b); }
static void add(uint32_t &h, double y) {
  uint64_t b;
  memcpy(&b, &y, 8);
  if (y != y) b = 0x7fffffffffffffffull;
  h = mix(mix(h, (uint32_t)b), (uint32_t)(b >> 32));
}
template <class F, class Call> uint32_t checksum(Call call) {
  uint32_t h = 2166136261u;
  for (uint32_t i = 0; i < COUNT; i++)
    add(h, call(check_argument(F(), i), check_argument(F(), i + 5000), check_argument(F(), i + 10000)));
  return h;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "checksums") == 0) {
    const char *separator = "{\n";
#define CHECK(F, name, call) \
  printf("%s  \"%s\": %u", separator, #name, checksum<F>([](F x, F y, F z) { return call; })); separator = ",\n";
#define CASE_FLOAT_1(name, ...) CHECK(float, name, device::__nv_##name(x))
#define CASE_FLOAT_2(name, ...) CHECK(float, name, device::__nv_##name(x, y))
#define CASE_FLOAT_3(name, ...) CHECK(float, name, device::__nv_##name(x, y, z))
#define CASE_DOUBLE_1(name, ...) CHECK(double, name, device::__nv_##name(x))
#define CASE_DOUBLE_2(name, ...) CHECK(double, name, device::__nv_##name(x, y))
#define CASE_DOUBLE_3(name, ...) CHECK(double, name, device::__nv_##name(x, y, z))
#include "cases.inc"
    printf("\n}\n");
    return 0;
  }
  uint64_t stride = strtoull(argv[1], nullptr, 10);
  long samples = atol(argv[2]);
  const char *only = argv[3];
#undef CASE_FLOAT_1
#undef CASE_FLOAT_2
#undef CASE_FLOAT_3
#undef CASE_DOUBLE_1
#undef CASE_DOUBLE_2
#undef CASE_DOUBLE_3
#define CASE(name, bound, args, ...) \
  if (!*only || strcmp(only, #name) == 0) { Worst w; __VA_ARGS__; report(#name, w, bound, args); }
#define CASE_FLOAT_1(name, r, bound, low, high) CASE(name, bound, 1,                                                 \
  for (uint64_t i = 0; i < (1ull << 32); i += stride) { float x =                                                    \
                                                       float_of((uint32_t)i); if (inside(x, low, high))              \
                                                       note(w, error(device::__nv_##name(x), ref::r((wide)x)), x); } \
  for (int i = 0; i < SPECIALS; i++) { float x =                                                                     \
                                      (float)SPECIAL[i]; if (inside(x, low, high))                                   \
                                      note(w, error(device::__nv_##name(x), ref::r((wide)x)), x); })
#define CASE_DOUBLE_1(name, r, bound, low, high)                       \
  CASE(name, bound, 1, for (long i = 0; i < samples; i++) { double x = \
      argument<double>(i); if (inside(x, low, high)) note(w, error(device::__nv_##name(x), ref::r((quad)x)), x); })
#define PAIRS(F, name, r)                                                           \
  for (long i = 0; i < samples; i++) {                                              \
    F x = argument<F>(i < SPECIALS * SPECIALS ? i / SPECIALS : i);                  \
    F y = argument<F>(i < SPECIALS * SPECIALS ? i % SPECIALS : i + random64() % 6); \
    note(w, error(device::__nv_##name(x, y), ref::r((quad)x, (quad)y)), x, y);      \
  }
#define TRIPLES(F, name, r)                                                                   \
  for (long i = 0; i < samples; i++) {                                                        \
    F x = argument<F>(i);                                                                     \
    F y = argument<F>(SPECIALS + random64() % 60);                                            \
    F z = argument<F>(SPECIALS + random64() % 60);                                            \
    note(w, error(device::__nv_##name(x, y, z), ref::r((quad)x, (quad)y, (quad)z)), x, y, z); \
  }
#define CASE_FLOAT_2(name, r, bound, low, high) CASE(name, bound, 2, PAIRS(float, name, r))
#define CASE_DOUBLE_2(name, r, bound, low, high) CASE(name, bound, 2, PAIRS(double, name, r))
#define CASE_FLOAT_3(name, r, bound, low, high) CASE(name, bound, 3, TRIPLES(float, name, r))
#define CASE_DOUBLE_3(name, r, bound, low, high) CASE(name, bound, 3, TRIPLES(double, name, r))
#include "cases.inc"
  printf("%d functions miss their bound\n", failures);
  return failures != 0;
}
