/*
 * Error functions and the normal distribution of float.
 *
 * erfc(a) = e^(-a^2) erfcx(a) with (1 + 2a) erfcx(a) a polynomial in t = (a - 2)/(a + 2), one for the whole half line
 * (Shepherd and Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x", 1981; coefficients our own). The
 * inverses are polynomials in w = -log(1 - x^2) or its square root (Giles, "Approximating the erfinv function", 2011).
 */
#pragma once
#include "exp-log-f32.h"

/* a >= 0. In f64 arithmetic: the polynomial's terms cancel at both ends of t. */
INLINE double erfcx_positive_f32(double a) {
  double t = (a - 2.0) / (a + 2.0);
  t = a > 1e10 ? 1.0 : t;
  double p = poly(t, 1.2769783903236605, -0.09276371593731662, -0.1660310499663205, 0.1640485297316892,
                  -0.05421230123950303, -0.008013844194003661, 0.008690070445676684, 0.0012058190792502118,
                  -0.0013967028410094237, -0.00034641929686648977, 0.0001611868999679087, 5.921486593896347e-05);
  return p / (1.0 + 2.0 * a);
}
/* e^-s for s given in f64, so that the rounding of a square is not magnified. */
INLINE float exp_minus_f32(double s) {
  float hi = (float)s, lo = (float)(s - (double)hi);
  float e = exp_f32(-hi);
  return e - e * lo;
}
INLINE float exp_plus_f32(double s) {
  float hi = (float)s, lo = (float)(s - (double)hi);
  float e = exp_f32(hi);
  return e < f32_inf() ? e + e * lo : e;
}
/* 2 / sqrt(pi) = 1 + 0.128…: the leading term of erf x is x + 0.128 x. */
INLINE float erf_f32(float x) {
  float a = fabs_(x), z = x * x;
  float small = x + x * poly(z, 0.12837915f, -0.37612504f, 0.11281922f, -0.026770493f, 0.004998959f, -0.00060208f);
  float c = a > 4.0f ? 4.0f : a;
  float l = poly(c, -0.00016663659f, -1.1277964f, -0.63697755f, -0.10411235f, 0.022314569f, -0.0030653325f,
                 0.00019820449f); /* log erfc */
  exp_parts p = exp_reduce_f32(l);
  float large = 1.0f - exp_poly_f32(p.r) * pow2_f32(p.k);
  large = is_nan(x) ? x : large;
  return a < 0.9f ? small : copysign_(large, x);
}
INLINE float erfc_f32(float x) {
  float a = fabs_(x), z = x * x;
  float small =
      1.0f - (x + x * poly(z, 0.12837915f, -0.37612504f, 0.11281922f, -0.026770493f, 0.004998959f, -0.00060208f));
  float c = a > 11.0f ? 11.0f : a;
  float tail = exp_minus_f32((double)c * c) * (float)erfcx_positive_f32(c);
  float large = x < 0.0f ? 2.0f - tail : tail;
  return a < 0.5f ? small : large;
}
INLINE float erfcx_f32(float x) {
  float a = fabs_(x);
  float y = (float)erfcx_positive_f32(a);
  float c = a > 10.0f ? 10.0f : a;
  float negative = 2.0f * exp_plus_f32((double)c * c) - y;
  return x < 0.0f ? negative : y;
}
/* The distribution of the standard normal: erfc(-x / sqrt 2) / 2. */
INLINE float normcdf_f32(float x) {
  float a = fabs_(x);
  float c = a > 15.0f ? 15.0f : a;
  float tail = (float)(0.5 * erfcx_positive_f32((double)c * 0.7071067811865476)) * exp_minus_f32(0.5 * ((double)c * c));
  return x > 0.0f ? 1.0f - tail : tail;
}
/* y / x where x = erf(y), w = -log(1 - x^2) */
INLINE float erfinv_ratio_f32(float w) {
  double s = sqrt_((double)w);
  bool near = w < 5.0f, middle = w < 16.5f;
  /* one polynomial whose coefficients are chosen by the interval */
  double v = near ? (double)w - 2.5 : middle ? s - 3.0 : s - 7.0;
#define PICK(a, b, c) (near ? a : middle ? b : c)
  return (float)poly(v, PICK(1.501409353495169, 2.83297680134588, 6.869019644733349),
                     PICK(0.24664028795441495, 1.0016752362465955, 1.0085955722141347),
                     PICK(-0.004177339159915133, 0.009445310456906305, -0.0005126176087696077),
                     PICK(-0.0012527454889260116, -0.00764274950316309, 6.384853119345689e-06),
                     PICK(0.00021828213435221594, 0.005687624556059029, 6.021126493419586e-06),
                     PICK(-4.961345795505041e-06, -0.003567197491745144, -1.6757254477488832e-06),
                     PICK(-3.4343043295404047e-06, 0.0014753810321306803, 3.263520664234377e-07),
                     PICK(4.6575219465268057e-07, -0.00011979242479575481, -4.133551950284916e-08),
                     PICK(1.7965476678469472e-08, -0.00027791427693327794, 6.536976894465306e-09),
                     PICK(-8.761516713385987e-09, 0.00016036376319061908, -2.480173284866961e-09),
                     PICK(3.411191444979098e-10, -2.9268968706862787e-05, 3.697706575127459e-10));
#undef PICK
}
INLINE float erfinv_f32(float x) {
  float a = fabs_(x);
  float y = x * erfinv_ratio_f32(-log_f32_finite((1.0f - a) * (1.0f + a)));
  y = a == 1.0f ? copysign_(f32_inf(), x) : y;
  return a <= 1.0f ? y : f32_nan();
}
INLINE float erfcinv_f32(float x) {
  float y = (1.0f - x) * erfinv_ratio_f32(-log_f32_finite(x * (2.0f - x)));
  y = x == 0.0f ? f32_inf() : y;
  y = x == 2.0f ? -f32_inf() : y;
  return x >= 0.0f && x <= 2.0f ? y : f32_nan();
}
INLINE float normcdfinv_f32(float p) { return 0.0f - 1.41421356f * erfcinv_f32(2.0f * p); }
