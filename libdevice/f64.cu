/* The elementary libdevice functions of double. */
#include "elementary-f64.h"

DEVICE_FN double __nv_exp(double x) { return exp_f64(x); }
DEVICE_FN double __nv_exp2(double x) { return exp2_f64(x); }
DEVICE_FN double __nv_exp10(double x) { return exp10_f64(x); }
DEVICE_FN double __nv_expm1(double x) { return expm1_f64(x); }
DEVICE_FN double __nv_log(double x) { return log_f64(x); }
DEVICE_FN double __nv_log2(double x) { return log2_f64(x); }
DEVICE_FN double __nv_log10(double x) { return log10_f64(x); }
DEVICE_FN double __nv_log1p(double x) { return log1p_f64(x); }
DEVICE_FN double __nv_pow(double x, double y) { return pow_f64(x, y); }
DEVICE_FN double __nv_powi(double x, int n) { return pow_f64(x, (double)n); }
DEVICE_FN double __nv_sinh(double x) { return sinh_f64(x); }
DEVICE_FN double __nv_cosh(double x) { return cosh_f64(x); }
DEVICE_FN double __nv_tanh(double x) { return tanh_f64(x); }
DEVICE_FN double __nv_asinh(double x) { return asinh_f64(x); }
DEVICE_FN double __nv_acosh(double x) { return acosh_f64(x); }
DEVICE_FN double __nv_atanh(double x) { return atanh_f64(x); }

DEVICE_FN double __nv_sin(double x) { return sin_f64(x); }
DEVICE_FN double __nv_cos(double x) { return cos_f64(x); }
DEVICE_FN void __nv_sincos(double x, double* s, double* c) { sincos_f64(x, s, c); }
DEVICE_FN double __nv_tan(double x) { return tan_f64(x); }
DEVICE_FN double __nv_sinpi(double x) { return sinpi_f64(x); }
DEVICE_FN double __nv_cospi(double x) { return cospi_f64(x); }
DEVICE_FN void __nv_sincospi(double x, double* s, double* c) { *s = sinpi_f64(x); *c = cospi_f64(x); }
DEVICE_FN double __nv_asin(double x) { return asin_f64(x); }
DEVICE_FN double __nv_acos(double x) { return acos_f64(x); }
DEVICE_FN double __nv_atan(double x) { return atan_f64(x); }
DEVICE_FN double __nv_atan2(double y, double x) { return atan2_f64(y, x); }

DEVICE_FN double __nv_sqrt(double x) { return sqrt_(x); }
DEVICE_FN double __nv_rsqrt(double x) {
  /* 1/sqrt(x) with one correction step: r + r (1 - x r^2) / 2. */
  double r = 1.0 / sqrt_(x);
  double xs = x < 1e-290 ? x * 1.152921504606847e18 : x,
         rs = x < 1e-290 ? r * 9.313225746154785e-10 : r; /* 2^60, 2^-30 */
  dd p = two_prod(xs, rs), q = two_prod(p.hi, rs);
  double e = (1.0 - q.hi) - (q.lo + p.lo * rs);
  double y = r + r * (0.5 * e);
  return x > 0.0 && x < 1e290 ? y : r;
}
/* Halley's step twice, then one Newton step with the residual in double-double. */
INLINE double cbrt_f64(double a, bool inverse) {
  bool tiny = a < 2.2250738585072014e-308, big = a > 1e300;
  a = tiny ? a * 18014398509481984.0 : big ? a * 5.551115123125783e-17 : a; /* 2^54, 2^-54: whole powers of 8 */
  double t = f64_from(bits_of(a) / 3 + 0x2a9f7893782da1ceull);
  double r = t * t * t;
  t = t * ((r + 2.0 * a) / (2.0 * r + a));
  r = t * t * t;
  t = t * ((r + 2.0 * a) / (2.0 * r + a));
  dd q = two_prod(t, t), c = two_prod(q.hi, t);
  double e = ((a - c.hi) - (c.lo + q.lo * t)) / (3.0 * t * t); /* the root is t + e */
  double root = t + e;
  double y = 1.0 / t;
  dd p = two_prod(y, t);
  /* 1/(t + e) = y (1 - e y) with the rounding error of y put back */
  double inverted = y + y * (((1.0 - p.hi) - p.lo) - e * y);
  double back = tiny ? 3.814697265625e-06 : big ? 262144.0 : 1.0; /* 2^-18, 2^18 */
  return inverse ? inverted / back : root * back;
}
DEVICE_FN double __nv_cbrt(double x) {
  double a = fabs_(x), y = copysign_(cbrt_f64(a, false), x);
  y = a == 0.0 ? x : y;
  y = a == f64_inf() ? x : y;
  return is_nan(x) ? f64_nan() : y;
}
DEVICE_FN double __nv_rcbrt(double x) {
  double a = fabs_(x), y = cbrt_f64(a, true);
  y = a == 0.0 ? f64_inf() : y;
  y = a == f64_inf() ? 0.0 : y;
  return is_nan(x) ? f64_nan() : copysign_(y, x);
}
