/*
 * Elementary functions of double: exponentials, logarithms, powers, trigonometry, hyperbolics and their inverses.
 *
 * The methods are those of the float versions with longer polynomials. Where one double does not carry enough bits
 * (pow, log2, log10) the logarithm is kept as a double-double: log m = 2s + s^3 (2/3 + s^2 Q(s^2)), s = (m - 1)/(m +
 * 1), with s, s^2 and the leading terms as double-doubles, |relative error| < 2^-64.
 */
#pragma once
#include "prelude.h"

constexpr double LN2_HI = 0.6931471803691238, LN2_LO = 1.9082149292705877e-10; /* the first has 33 bits */
constexpr double ROUND_MAGIC = 6755399441055744.0;                             /* 1.5 * 2^52 */

/* e^r - 1 - r for |r| <= 0.3476 */
INLINE double exp_tail_f64(double r) {
  return (r * r) * poly(r, 0.5, 0.1666666666666669, 0.04166666666666686, 0.008333333333311672, 0.0013888888888745202,
                        0.00019841269909192535, 2.480158765798971e-05, 2.7557222552223784e-06, 2.7556951532842433e-07,
                        2.5116160904710342e-08, 2.102355155775446e-09);
}
struct exp_parts_f64 { double r; i32 k; };
INLINE exp_parts_f64 exp_reduce_f64(double x) {
  double t = x * 1.4426950408889634 + ROUND_MAGIC, k = t - ROUND_MAGIC;
  return {(x - k * LN2_HI) - k * LN2_LO, (i32)(u32)bits_of(t)};
}
INLINE double exp_f64(double x) {
  exp_parts_f64 p = exp_reduce_f64(clamp_keep_nan(x, -746.0, 710.0));
  return scale_f64(1.0 + (p.r + exp_tail_f64(p.r)), p.k);
}
/* e^(hi + lo) with |lo| small against 1 */
INLINE double exp_dd_f64(double hi, double lo) {
  hi = clamp_keep_nan(hi, -746.0, 710.0);
  exp_parts_f64 p = exp_reduce_f64(hi);
  double r = p.r, t = exp_tail_f64(r);
  return scale_f64(1.0 + (r + (t + lo * (1.0 + (r + t)))), p.k);
}
INLINE double exp2_f64(double x) {
  x = clamp_keep_nan(x, -1076.0, 1025.0);
  double t = x + ROUND_MAGIC, f = x - (t - ROUND_MAGIC);
  /* f ln2 to more than a double: the rounding error of the product goes in at the end. */
  dd r = two_prod(f, 0.6931471805599453);
  double lo = r.lo + f * 2.3190468138462996e-17;
  return scale_f64(1.0 + (r.hi + (exp_tail_f64(r.hi) + lo)), (i32)(u32)bits_of(t));
}
INLINE double exp10_f64(double x) {
  x = clamp_keep_nan(x, -325.0, 310.0);
  double t = x * 3.321928094887362 + ROUND_MAGIC, k = t - ROUND_MAGIC;
  /* log10(2) = 0.30102999560767785 (34 bits) + 5.63e-11 */
  double f = (x - k * 0.30102999560767785) - k * 5.630334806675098e-11;
  dd r = two_prod(f, 2.302585092994046);
  double lo = r.lo + f * -2.1707562233822494e-16;
  return scale_f64(1.0 + (r.hi + (exp_tail_f64(r.hi) + lo)), (i32)(u32)bits_of(t));
}
INLINE double expm1_f64(double x) {
  double c = clamp_keep_nan(x, -40.0, 710.0);
  exp_parts_f64 p = exp_reduce_f64(c);
  double t = exp_tail_f64(p.r);
  double s = p.k == 1024 ? 8.98846567431158e307 : pow2_f64(p.k);  /* 2^1023 stands in for 2^1024 */
  dd one = two_sum(s == 8.98846567431158e307 ? s : s - 1.0, s * p.r);
  double y = one.hi + (one.lo + s * t);
  /* k = 1024: 2^1024 e^r - 1 = 2 (2^1023 e^r) */
  y = p.k == 1024 ? 2.0 * (s + s * (p.r + t)) : y;
  return fabs_(x) < 1e-16 ? x : y;
}

struct log_parts_f64 { double f; double k; };
/* x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)); x > 0 and finite, denormals too. */
INLINE log_parts_f64 log_reduce_f64(double x) {
  bool tiny = x < 2.2250738585072014e-308;
  u64 i = bits_of(tiny ? x * 18014398509481984.0 : x) - 0x3fe6a09e667f3bcdull;
  i32 k = (i32)((i64)i >> 52) - (tiny ? 54 : 0);
  return {f64_from((i & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull) - 1.0, (double)k};
}
INLINE double log_special(double x, double y) {
  y = x == f64_inf() ? x : y;
  y = x == 0.0 ? -f64_inf() : y;
  return x < 0.0 || is_nan(x) ? f64_nan() : y;
}
/* log(1 + f) - f + f^2/2, with s = f/(2 + f): s (f^2/2 + R(s^2)) */
INLINE double log1p_tail_f64(double f) {
  double s = plain_quotient(f, 2.0 + f), z = s * s;
  double r = z * poly(z, 0.6666666666666734, 0.39999999999416663, 0.28571428742026156, 0.22222198604757082,
                      0.18183562896163386, 0.1531408290773286, 0.14795660749403824);
  return s * (0.5 * f * f + r);
}
INLINE double log_f64_finite(double x) {
  log_parts_f64 p = log_reduce_f64(x);
  double half = 0.5 * p.f * p.f;
  return p.k * LN2_HI - ((half - (log1p_tail_f64(p.f) + p.k * LN2_LO)) - p.f);
}
INLINE double log_f64(double x) { return log_special(x, log_f64_finite(x)); }
/* log(1 + x); c corrects for the rounding of 1 + x. */
INLINE double log1p_f64_finite(double x) {
  double u = 1.0 + x;
  double c = x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
  log_parts_f64 p = log_reduce_f64(u);
  bool plain = p.k == 0.0;
  double f = plain ? x : p.f;
  double lo = plain ? 0.0 : c / u;
  double half = 0.5 * f * f;
  return p.k * LN2_HI - ((half - (log1p_tail_f64(f) + (p.k * LN2_LO + lo))) - f);
}
INLINE double log1p_f64(double x) {
  double y = log1p_f64_finite(x);
  y = x == f64_inf() ? x : y;
  y = x == -1.0 ? -f64_inf() : y;
  y = x < -1.0 || is_nan(x) ? f64_nan() : y;
  return x == 0.0 ? x : y;
}
/* log(1 + f) as a double-double. */
INLINE dd log1p_dd(double f) {
  dd s = plain_dd_div({f, 0.0}, two_sum(2.0, f));
  dd z = dd_mul(s, s);
  double q = z.hi * poly(z.hi, 0.3999999999999998, 0.2857142857144387, 0.2222222221777863, 0.18181818845726935,
                         0.15384558291691275, 0.13336270308930284, 0.1167565404673031, 0.11982867149656623);
  dd c = fast_two_sum(0.6666666666666666, q);
  c.lo += 3.700743415417188e-17;
  dd t = dd_mul(dd_mul(z, s), c);
  return dd_add({2.0 * s.hi, 2.0 * s.lo}, t);
}
/* log of a positive finite double as a double-double. */
INLINE dd log_dd(double x) {
  log_parts_f64 p = log_reduce_f64(x);
  dd l = log1p_dd(p.f);
  /* k times the first part of ln2 is exact; both parts have 86 bits. */
  dd k = fast_two_sum(p.k * LN2_HI, p.k * LN2_LO);
  return dd_add(k, l);
}
INLINE double log2_f64(double x) {
  dd y = dd_mul(log_dd(x), dd{1.4426950408889634, 2.0355273740931033e-17});
  return log_special(x, y.hi);
}
INLINE double log10_f64(double x) {
  dd y = dd_mul(log_dd(x), dd{0.4342944819032518, 1.098319650216765e-17});
  return log_special(x, y.hi);
}

static DEVICE NOINLINE double pow_f64(double x, double y) {
  double ax = fabs_(x);
  dd l = log_dd(ax == 0.0 || ax == f64_inf() ? 1.0 : ax);
  /* |y| beyond 2^65 overflows, underflows or gives 1 whatever it is; clamped so that the product's halves stay finite.
   */
  double yc = clamp_keep_nan(y, -3.6893488147419103e19, 3.6893488147419103e19);
  dd t = dd_mul(l, yc);
  double big = yc > 0.0 ? f64_inf() : -f64_inf();
  t.hi = ax == 0.0 ? -big : t.hi;
  t.hi = ax == f64_inf() ? big : t.hi;
  t.lo = t.hi > -746.0 && t.hi < 710.0 ? t.lo : 0.0;
  double r = exp_dd_f64(t.hi, t.lo);
  bool integral = trunc_(y) == y;
  bool odd = integral && trunc_(0.5 * y) != 0.5 * y;
  r = odd ? copysign_(r, x) : r;
  bool invalid = (x < 0.0 && ax != f64_inf() && !integral) || is_nan(x) || is_nan(y);
  /* (-1)^±inf is 1: inf counts as an even integer. */
  r = invalid ? f64_nan() : r;
  return y == 0.0 || x == 1.0 ? 1.0 : r;
}

/* ------------------------------------------------------------------ trigonometry */

struct trig_parts_f64 { double r, lo; i32 quadrant; };

/* 2/pi, 64 bits a word, after one word of integer part (which is 0). */
DEVICE_DATA u64 TWO_OVER_PI_64[20] = {0,
                                      0xa2f9836e4e441529ull,
                                      0xfc2757d1f534ddc0ull,
                                      0xdb6295993c439041ull,
                                      0xfe5163abdebbc561ull,
                                      0xb7246e3a424dd2e0ull,
                                      0x06492eea09d1921cull,
                                      0xfe1deb1cb129a73eull,
                                      0xe88235f52ebb4484ull,
                                      0xe99c7026b45f7e41ull,
                                      0x3991d639835339f4ull,
                                      0x9c845f8bbdf9283bull,
                                      0x1ff897ffde05980full,
                                      0xef2f118b5a0a6d1full,
                                      0x6d367ecf27cb09b7ull,
                                      0x4f463f669e5fea2dull,
                                      0x7527bac7ebe5f17bull,
                                      0x3d0739f78a5292eaull,
                                      0x6bfb5fb11f8d5d08ull,
                                      0x56033046fc7b6babull};

INLINE u64 mul_high_u64(u64 a, u64 b) {
  u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
  u64 mid = ah * bl + ((al * bl) >> 32), mid2 = al * bh + (u32)mid;
  return ah * bh + (mid >> 32) + (mid2 >> 32);
}
/* Payne and Hanek: |x| >= 2^16, finite. The fraction of a quadrant has 128 - 2 bits before multiplying by pi/2. */
static DEVICE NOINLINE trig_parts_f64 trig_reduce_large_f64(double x) {
  u64 b = bits_of(x) & 0x7fffffffffffffffull;
  u64 m = (b & 0x000fffffffffffffull) | 0x0010000000000000ull;
  i32 e = (i32)(b >> 52) - 1075; /* |x| = m 2^e, -36 <= e <= 971 */
  u32 skip = (u32)(e + 62), word = skip >> 6, shift = skip & 63;
  u64 w0 = TWO_OVER_PI_64[word], w1 = TWO_OVER_PI_64[word + 1], w2 = TWO_OVER_PI_64[word + 2],
      w3 = TWO_OVER_PI_64[word + 3];
  u64 a = shift ? w0 << shift | w1 >> (64 - shift) : w0;
  u64 c = shift ? w1 << shift | w2 >> (64 - shift) : w1;
  u64 d = shift ? w2 << shift | w3 >> (64 - shift) : w2;
  /* m (a, c, d) modulo 2^192, the upper 128 bits */
  u64 low = m * c, high = m * a + mul_high_u64(m, c), carry = mul_high_u64(m, d);
  low += carry;
  high += low < carry ? 1 : 0;
  i32 quadrant = (i32)(high >> 62);
  u64 fh = high << 2 | low >> 62, fl = low << 2;
  bool upper = (i64)fh < 0;
  quadrant += upper ? 1 : 0;
  /* magnitude of the signed fraction */
  u64 nh = ~fh + (fl == 0 ? 1 : 0), nl = 0 - fl;
  fh = upper ? nh : fh;
  fl = upper ? nl : fl;
  /* 128-bit fixed point to double-double: 48 + 48 + 32 bits */
  double p0 = (double)(fh >> 16) * 3.552713678800501e-15;                             /* 2^-48 */
  double p1 = (double)((fh & 0xffff) << 32 | fl >> 32) * 1.262177448353619e-29;       /* 2^-96 */
  double p2 = (double)(u32)fl * 2.938735877055719e-39;                                /* 2^-128 */
  dd f = fast_two_sum(p0, p1 + p2);
  dd r = dd_mul(f, dd{1.5707963267948966, 6.123233995736766e-17});
  bool negate = upper != sign_of(x);
  return {negate ? -r.hi : r.hi, negate ? -r.lo : r.lo, sign_of(x) ? -quadrant : quadrant};
}
INLINE trig_parts_f64 trig_reduce_f64(double x) {
  double t = x * 0.6366197723675814 + ROUND_MAGIC, k = t - ROUND_MAGIC;
  /* pi/2 in three parts, 33 + 33 bits and a double: k times the first two is exact for |k| < 2^20. */
  double u = x - k * 1.5707963267341256;
  dd v = two_sum(u, -(k * 6.077100506303966e-11));
  dd w = two_sum(v.hi, v.lo - k * 2.0222662487959506e-21);
  trig_parts_f64 p = {w.hi, w.lo, (i32)(u32)bits_of(t)};
  double a = fabs_(x);
  if (a > 1.0e6 && a < f64_inf()) p = trig_reduce_large_f64(x);
  p.r = a < f64_inf() ? p.r : f64_nan();
  return p;
}
/* sin(r + lo), |r| <= pi/4 */
INLINE double sin_poly_f64(double r, double lo) {
  double z = r * r;
  double s = poly(z, 0.008333333333322472, -0.0001984126982983567, 2.755731369730279e-06, -2.505075847613264e-08,
                  1.5896795100465114e-10);
  double v = z * r;
  return r - ((z * (0.5 * lo - v * s) - lo) - v * -0.16666666666666632);
}
INLINE double cos_poly_f64(double r, double lo) {
  double z = r * r, half = 0.5 * z, w = 1.0 - half;
  double c = z * z *
             poly(z, 0.0416666666666666, -0.0013888888888874457, 2.4801587289652875e-05, -2.755731439389499e-07,
                  2.087572811933565e-09, -1.1359865738909067e-11);
  return w + (((1.0 - w) - half) + (c - r * lo));
}
INLINE double sin_quadrant_f64(trig_parts_f64 p, i32 quadrant) {
  double y = quadrant & 1 ? cos_poly_f64(p.r, p.lo) : sin_poly_f64(p.r, p.lo);
  return quadrant & 2 ? -y : y;
}
INLINE double sin_f64(double x) {
  trig_parts_f64 p = trig_reduce_f64(x);
  return x == 0.0 ? x : sin_quadrant_f64(p, p.quadrant);
}
INLINE double cos_f64(double x) { trig_parts_f64 p = trig_reduce_f64(x); return sin_quadrant_f64(p, p.quadrant + 1); }
INLINE void sincos_f64(double x, double* s, double* c) {
  trig_parts_f64 p = trig_reduce_f64(x);
  double sine = sin_poly_f64(p.r, p.lo), cosine = cos_poly_f64(p.r, p.lo);
  double a = p.quadrant & 1 ? cosine : sine, b = p.quadrant & 1 ? sine : cosine;
  *s = x == 0.0 ? x : p.quadrant & 2 ? -a : a;
  *c = (p.quadrant + 1) & 2 ? -b : b;
}
INLINE double tan_f64(double x) {
  trig_parts_f64 p = trig_reduce_f64(x);
  double s = sin_poly_f64(p.r, p.lo), c = cos_poly_f64(p.r, p.lo);
  double t = p.quadrant & 1 ? -c / s : s / c;
  return x == 0.0 ? x : t;
}
INLINE trig_parts_f64 trig_reduce_pi_f64(double x) {
  double a = fabs_(x);
  x = a < 4503599627370496.0 ? x
                             : (x - x) + (a < 9007199254740992.0 ? rint_(0.5 * x) == 0.5 * x ? 0.0 : 1.0
                                                                 : 0.0); /* integers: even or odd */
  double k = rint_(2.0 * x);
  dd r = dd_mul(dd{3.141592653589793, 1.2246467991473532e-16}, x - 0.5 * k);
  return {r.hi, r.lo, (i32)(u32)(u64)to_i64(k)};
}
INLINE double sinpi_f64(double x) {
  trig_parts_f64 p = trig_reduce_pi_f64(x);
  double y = sin_quadrant_f64(p, p.quadrant);
  return y == 0.0 ? copysign_(0.0, x) : y;
}
INLINE double cospi_f64(double x) {
  trig_parts_f64 p = trig_reduce_pi_f64(x);
  return 0.0 + sin_quadrant_f64(p, p.quadrant + 1);
}

/* asin x - x on [0, 1/2], z = x^2 */
INLINE double asin_tail_f64(double x, double z) {
  return x * z *
         poly(z, 0.16666666666665408, 0.0750000000033715, 0.04464285682821799, 0.03038195914139217, 0.02237175794671068,
              0.017359706306815856, 0.013885220285196927, 0.012169311673833045, 0.006527538195063084,
              0.019529479930359247, -0.01622619597629052, 0.03191363114739511);
}
constexpr double HALF_PI_HI = 1.5707963267948966, HALF_PI_LO = 6.123233995736766e-17;
INLINE double asin_f64(double x) {
  double a = fabs_(x);
  bool big = a > 0.5;
  double z = big ? 0.5 - 0.5 * a : a * a;
  double s = big ? sqrt_(z) : a;
  double t = asin_tail_f64(s, z);
  /* pi/2 - 2 (s + t), where (z - h^2) / (s + h) corrects the square root s = h + … */
  double h = upper_half(s), c = (z - h * h) / (s + h);
  double large = HALF_PI_HI - (2.0 * h - ((HALF_PI_LO - 2.0 * c) - 2.0 * t));
  large = a == 1.0 ? HALF_PI_HI : large;
  return copysign_(big ? large : s + t, x);
}
INLINE double acos_f64(double x) {
  double a = fabs_(x);
  bool big = a > 0.5;
  double z = big ? 0.5 - 0.5 * a : a * a;
  double s = big ? sqrt_(z) : x;
  double t = asin_tail_f64(s, z);
  double h = upper_half(s), c = z > 0.0 ? (z - h * h) / (s + h) : 0.0;
  double small = HALF_PI_HI - (s - (HALF_PI_LO - t));
  double right = 2.0 * (h + (c + t));
  double left = 2.0 * (HALF_PI_HI - (s + (t - HALF_PI_LO)));
  return big ? (x < 0.0 ? left : right) : small;
}
/* atan t - t on [0, 1] */
INLINE double atan_tail_f64(double t) {
  double z = t * t;
  return t * z *
         poly(z, -0.3333333333333307, 0.1999999999995175, -0.14285714282588194, 0.11111111007345315,
              -0.0909090700785551, 0.07692279889541657, -0.0666640442820532, 0.058805298361706504, -0.05253526906531214,
              0.04722348802743338, -0.04219244802495998, 0.036643186774060615, -0.02990579309081781,
              0.021987137546456845, -0.01390263630399388, 0.007197926895923588, -0.0028856304181587482,
              0.0008315667489324943, -0.00015221265076921162, 1.3230148380376888e-05);
}
INLINE double atan_f64(double x) {
  double a = fabs_(x);
  bool big = a > 1.0;
  double t = big ? 1.0 / a : a, u = atan_tail_f64(t);
  return copysign_(big ? HALF_PI_HI - (t + (u - HALF_PI_LO)) : t + u, x);
}
INLINE double atan2_f64(double y, double x) {
  double ax = fabs_(x), ay = fabs_(y);
  bool steep = ay > ax;
  double low = steep ? ax : ay, high = steep ? ay : ax;
  double t = low / high;
  t = low == high ? 1.0 : t;
  t = high == 0.0 ? 0.0 : t;
  double u = atan_tail_f64(t);
  /* The angle is base + sign (t + u), base a multiple of pi/2 in two parts. */
  bool left = sign_of(x);
  double hi = steep  ? HALF_PI_HI
              : left ? 2.0 * HALF_PI_HI
                     : 0.0,
         lo = steep  ? HALF_PI_LO
              : left ? 2.0 * HALF_PI_LO
                     : 0.0;
  bool minus = steep != left;
  double a = hi + ((minus ? -t : t) + ((minus ? -u : u) + lo));
  return is_nan(x) || is_nan(y) ? f64_nan() : copysign_(a, y);
}

/* ------------------------------------------------------------------ hyperbolic functions */

INLINE double sinh_f64(double x) {
  double a = fabs_(x), z = x * x;
  double small =
      x + x * z *
              poly(z, 0.16666666666666666, 0.008333333333333573, 0.00019841269841061165, 2.7557319310085737e-06,
                   2.5052089414428978e-08, 1.6061338895975318e-10, 7.503286902589536e-13, 6.4746584113596314e-15);
  exp_parts_f64 p = exp_reduce_f64(a > 711.0 ? 711.0 : a);
  double e = 1.0 + (p.r + exp_tail_f64(p.r)), d = 1.0 + (exp_tail_f64(-p.r) - p.r);
  double big = scale_f64(e, p.k - 1) - scale_f64(d, -p.k - 1);
  big = is_nan(x) ? x : big;
  return a < 1.0 ? small : copysign_(big, x);
}
INLINE double cosh_f64(double x) {
  double a = fabs_(x);
  exp_parts_f64 p = exp_reduce_f64(a > 711.0 ? 711.0 : a);
  double e = 1.0 + (p.r + exp_tail_f64(p.r)), d = 1.0 + (exp_tail_f64(-p.r) - p.r);
  double y = scale_f64(e, p.k - 1) + scale_f64(d, -p.k - 1);
  return is_nan(x) ? f64_nan() : y;
}
INLINE double tanh_f64(double x) {
  double a = fabs_(x);
  double z = a * a;
  double small =
      a + a * z *
              poly(z, -0.3333333333333333, 0.1333333333333293, -0.05396825396794848, 0.0218694885245205,
                   -0.00886323526981028, 0.0035921243260161216, -0.001455798964128793, 0.0005897954639068468,
                   -0.00023807916111053635, 9.366090089980855e-05, -3.2567568842356514e-05, 7.222705809428067e-06);
  exp_parts_f64 p = exp_reduce_f64(a > 20.0 ? 40.0 : 2.0 * a);
  double e = (1.0 + (p.r + exp_tail_f64(p.r))) * pow2_f64(p.k);
  double y = a < 0.55 ? small : 1.0 - 2.0 / (e + 1.0);
  return is_nan(x) ? f64_nan() : copysign_(y, x);
}
INLINE double asinh_f64(double x) {
  double a = fabs_(x), z = a * a;
  bool large = a > 1e9;
  double u = a + z / (1.0 + sqrt_(1.0 + z));
  double y = log1p_f64_finite(large ? a - 1.0 : u) + (large ? 0.6931471805599453 : 0.0);
  y = a < f64_inf() ? y : a;
  return copysign_(a < 1e-8 ? a : y, x);
}
INLINE double acosh_f64(double x) {
  double t = x - 1.0;
  bool large = x > 1e9;
  double y = log1p_f64_finite(large ? t : t + sqrt_(2.0 * t + t * t)) + (large ? 0.6931471805599453 : 0.0);
  y = x == f64_inf() ? x : y;
  return x >= 1.0 ? y : f64_nan();
}
INLINE double atanh_f64(double x) {
  double a = fabs_(x);
  double y = 0.5 * log1p_f64_finite(2.0 * a / (1.0 - a));
  y = a == 1.0 ? f64_inf() : y;
  y = a <= 1.0 ? y : f64_nan();
  return copysign_(a < 1e-9 ? a : y, x);
}
