/* The libdevice functions of float: accurate versions, and the fast ones behind __expf, __sinf and -use_fast_math. */
#include "exp-log-f32.h"
#include "trig-f32.h"

DEVICE_FN float __nv_expf(float x) { return exp_f32(x); }
DEVICE_FN float __nv_exp2f(float x) { return exp2_f32(x); }
DEVICE_FN float __nv_exp10f(float x) { return exp10_f32(x); }
DEVICE_FN float __nv_expm1f(float x) { return expm1_f32(x); }
DEVICE_FN float __nv_logf(float x) { return log_f32(x); }
DEVICE_FN float __nv_log2f(float x) { return log2_f32(x); }
DEVICE_FN float __nv_log10f(float x) { return log10_f32(x); }
DEVICE_FN float __nv_log1pf(float x) { return log1p_f32(x); }
DEVICE_FN float __nv_powf(float x, float y) { return pow_f32(x, y); }
DEVICE_FN float __nv_powif(float x, int n) { return pow_f32(x, (float)n) ; }
DEVICE_FN float __nv_sinhf(float x) { return sinh_f32(x); }
DEVICE_FN float __nv_coshf(float x) { return cosh_f32(x); }
DEVICE_FN float __nv_tanhf(float x) { return tanh_f32(x); }
DEVICE_FN float __nv_asinhf(float x) { return asinh_f32(x); }
DEVICE_FN float __nv_acoshf(float x) { return acosh_f32(x); }
DEVICE_FN float __nv_atanhf(float x) { return atanh_f32(x); }

DEVICE_FN float __nv_sinf(float x) { return sin_f32(x); }
DEVICE_FN float __nv_cosf(float x) { return cos_f32(x); }
DEVICE_FN void __nv_sincosf(float x, float* s, float* c) {
  trig_parts p = trig_reduce_f32(x);
  float sine = sin_poly_f32(p.r), cosine = cos_poly_f32(p.r);
  float a = p.quadrant & 1 ? cosine : sine, b = p.quadrant & 1 ? sine : cosine;
  *s = x == 0.0f ? x : p.quadrant & 2 ? -a : a;
  *c = (p.quadrant + 1) & 2 ? -b : b;
}
DEVICE_FN float __nv_tanf(float x) { return tan_f32(x); }
DEVICE_FN float __nv_sinpif(float x) { return sinpi_f32(x); }
DEVICE_FN float __nv_cospif(float x) { return cospi_f32(x); }
DEVICE_FN void __nv_sincospif(float x, float* s, float* c) { *s = sinpi_f32(x); *c = cospi_f32(x); }
DEVICE_FN float __nv_asinf(float x) { return asin_f32(x); }
DEVICE_FN float __nv_acosf(float x) { return acos_f32(x); }
DEVICE_FN float __nv_atanf(float x) { return atan_f32(x); }
DEVICE_FN float __nv_atan2f(float y, float x) { return atan2_f32(y, x); }

DEVICE_FN float __nv_sqrtf(float x) { return sqrt_(x); }
DEVICE_FN float __nv_rsqrtf(float x) { return 1.0f / sqrt_(x); }
/* Newton's step on a cube root of the exponent's third, in f64 arithmetic (x^(2/3) free of division). */
INLINE double cbrt_wide(double a) {
  /* 0x2a9f7893… is 2/3 of the bias with the usual correction: within 3.5 % of the root. */
  double t = f64_from(bits_of(a) / 3 + 0x2a9f7893782da1ceull);
  double r = t * t * t;
  t = t * ((r + 2.0 * a) / (2.0 * r + a));
  r = t * t * t;
  return t * ((r + 2.0 * a) / (2.0 * r + a));
}
DEVICE_FN float __nv_cbrtf(float x) {
  float a = fabs_(x);
  float y = copysign_((float)cbrt_wide(a), x);
  y = a == 0.0f ? x : y;
  y = a == f32_inf() ? x : y;
  return is_nan(x) ? f32_nan() : y;
}
DEVICE_FN float __nv_rcbrtf(float x) {
  float a = fabs_(x);
  float y = (float)(1.0 / cbrt_wide(a));
  y = a == 0.0f ? f32_inf() : y;
  y = a == f32_inf() ? 0.0f : y;
  return is_nan(x) ? f32_nan() : copysign_(y, x);
}

/* ------------------------------------------------------------------ fast versions */
/*
 * The guide's bounds for these are wide; they exist because their instructions are fewer. Special cases follow the
 * hardware where that costs nothing: results outside the range are 0 or inf, denormals are kept.
 */
DEVICE_FN float __nv_fast_expf(float x) { return exp_f32(x); }
DEVICE_FN float __nv_fast_exp10f(float x) { return exp10_f32(x); }
DEVICE_FN float __nv_fast_logf(float x) { return log_f32(x); }
DEVICE_FN float __nv_fast_log2f(float x) { return log2_f32(x); }
DEVICE_FN float __nv_fast_log10f(float x) { return log10_f32(x); }
/* exp2(y log2 x), as the guide defines it: NaN for negative x. */
DEVICE_FN float __nv_fast_powf(float x, float y) { return exp2_f32(y * log2_f32(x)); }
/* Absolute error counts: reduction in f32 with three parts of pi/2. */
INLINE trig_parts fast_reduce(float x) {
  float t = x * 0.636619772f + 12582912.0f, k = t - 12582912.0f;
  float r = ((x - k * 1.5703125f) - k * 4.837512969970703e-4f) - k * 7.54978995489188e-8f;
  return {r, (i32)bits_of(t)};
}
DEVICE_FN float __nv_fast_sinf(float x) { trig_parts p = fast_reduce(x); return sin_quadrant_f32(p.r, p.quadrant); }
DEVICE_FN float __nv_fast_cosf(float x) { trig_parts p = fast_reduce(x); return sin_quadrant_f32(p.r, p.quadrant + 1); }
DEVICE_FN void __nv_fast_sincosf(float x, float* s, float* c) {
  trig_parts p = fast_reduce(x);
  *s = sin_quadrant_f32(p.r, p.quadrant);
  *c = sin_quadrant_f32(p.r, p.quadrant + 1);
}
DEVICE_FN float __nv_fast_tanf(float x) {
  trig_parts p = fast_reduce(x);
  return sin_quadrant_f32(p.r, p.quadrant) / sin_quadrant_f32(p.r, p.quadrant + 1);
}
DEVICE_FN float __nv_fast_tanhf(float x) { return tanh_f32(x); }
DEVICE_FN float __nv_fast_fdividef(float a, float b) {
  /* For 2^126 < |b| < 2^128 the result is 0 (and inf / b is NaN), as the guide says. */
  float q = a / b;
  bool huge = fabs_(b) > 8.50705917e37f && fabs_(b) < f32_inf();
  return huge ? a * copysign_(0.0f, b) : q;
}
