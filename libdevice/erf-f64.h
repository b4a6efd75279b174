/*
 * Error functions and the normal distribution of double; the methods of erf-f32.h with longer polynomials. The inverses
 * start from polynomials good to about 2^-28 and take one Halley step, written so that it works down to denormal
 * arguments: erfcx(y) - e^(y^2 + log x) in place of (erfc(y) - x) / e^(-y^2).
 */
#pragma once
#include "elementary-f64.h"

/* erf x - x on [0, 0.9] */
INLINE double erf_tail_f64(double x) {
  return x * poly(x * x, 0.1283791670955126, -0.37612638903184187, 0.11283791670980263, -0.026866170650840647,
                  0.0052239776925554, -0.0008548331684722555, 0.00012055538443689222, -1.493161721616104e-05,
                  1.6577782263614171e-06, -1.7847294493716937e-07, 2.6836898678956988e-08, -6.830857547627747e-09,
                  1.2248456712923404e-09);
}
/* a >= 0 */
static DEVICE NOINLINE double erfcx_positive_f64(double a) {
  if (a < 0.5) return exp_f64(a * a) * (1.0 - (a + erf_tail_f64(a)));
  double t = (a - 4.0) / (a + 4.0);
  t = a > 1e18 ? 1.0 : t;
  double p = poly(t, 1.2329951186255526, -0.13962111684056228, 0.015379652102607163, 0.06809705425466958,
                  -0.10103906603572396, 0.09373283499900632, -0.06633036582259602, 0.037167515528703066,
                  -0.016197733962830845, 0.00503197004611204, -0.0007577737950502975, -0.00019925703183900668,
                  0.0001506233555174982, -2.439810929549868e-05, -1.1225587908019923e-05, 5.707320449180772e-06,
                  2.9859995904622544e-07, -8.219854127156637e-07, 7.07147559587854e-08, 1.0701965293491469e-07,
                  -1.6186669476745098e-08, -1.2638513578549258e-08, 1.5401427282136412e-09, 9.84786241720337e-10);
  return (0.5 * p) / (a + 0.5);
}
static DEVICE NOINLINE double erfc_positive_f64(double a) {
  a = a > 28.0 ? 28.0 : a;
  dd s = two_prod(a, a);
  return exp_dd_f64(-s.hi, -s.lo) * erfcx_positive_f64(a);
}
static DEVICE NOINLINE double erf_f64(double x) {
  double a = fabs_(x);
  if (a < 0.9) return x + erf_tail_f64(x);
  double y = 1.0 - erfc_positive_f64(a);
  return is_nan(x) ? x : copysign_(y, x);
}
static DEVICE NOINLINE double erfc_f64(double x) {
  double a = fabs_(x);
  if (a < 0.5) return 1.0 - (x + erf_tail_f64(x));
  double y = erfc_positive_f64(a);
  return x < 0.0 ? 2.0 - y : y;
}
INLINE double erfcx_f64(double x) {
  double a = fabs_(x), y = erfcx_positive_f64(a);
  double c = a > 27.0 ? 27.0 : a;
  dd s = two_prod(c, c);
  return x < 0.0 ? 2.0 * exp_dd_f64(s.hi, s.lo) - y : y;
}
INLINE double normcdf_f64(double x) {
  double a = fabs_(x), c = a > 40.0 ? 40.0 : a;
  dd s = two_prod(c, c);
  if (a < 0.7) {
    double t = x * 0.7071067811865476;
    return 0.5 + 0.5 * (t + erf_tail_f64(t));
  }
  double tail = 0.5 * erfcx_positive_f64(c * 0.7071067811865476) * exp_dd_f64(-0.5 * s.hi, -0.5 * s.lo);
  return x > 0.0 ? 1.0 - tail : tail;
}
/* y with erfc(y) = x, 0 < x <= 1/2; log x is taken as a double-double. */
static DEVICE NOINLINE double erfc_inverse_tail_f64(double x) {
  dd l = log_dd(x);
  double w = -(l.hi + log1p_f64_finite(1.0 - x)); /* -log(x (2 - x)) */
  double s = sqrt_(w), v = w - 2.5, u = s - 3.0, q = s - 7.0, f = s - 18.0;
  double r;
  if (w < 5.0)
    r = poly(v, 1.501409353495169, 0.24664028795441495, -0.004177339159915133, -0.0012527454889260116,
             0.00021828213435221594, -4.961345795505041e-06, -3.4343043295404047e-06, 4.6575219465268057e-07,
             1.7965476678469472e-08, -8.761516713385987e-09, 3.411191444979098e-10);
  else if (w < 16.5)
    r = poly(u, 2.83297680134588, 1.0016752362465955, 0.009445310456906305, -0.00764274950316309, 0.005687624556059029,
             -0.003567197491745144, 0.0014753810321306803, -0.00011979242479575481, -0.00027791427693327794,
             0.00016036376319061908, -2.9268968706862787e-05);
  else if (w < 104.0)
    r = poly(q, 6.869019644733349, 1.0085955722141347, -0.0005126176087696077, 6.384853119345689e-06,
             6.021126493419586e-06, -1.6757254477488832e-06, 3.263520664234377e-07, -4.133551950284916e-08,
             6.536976894465306e-09, -2.480173284866961e-09, 3.697706575127459e-10);
  else
    r = poly(f, 17.92297821634159, 1.0027414233367942, -0.00010973758273850449, 4.525818643722237e-06,
             -1.8600575038696814e-07, 7.333820165447951e-09, -2.7774516940532785e-10, 1.2095485066247603e-11,
             -2.8979119313356117e-13, -3.840600389388359e-14, 2.6037763663516553e-15);
  double y = (1.0 - x) * r;
  dd e = dd_add(two_prod(y, y), l);
  double step = (exp_dd_f64(e.hi, e.lo) - erfcx_positive_f64(y)) * 0.886226925452758; /* sqrt(pi) / 2 */
  return y - step / (1.0 + y * step);
}
/* y with erf(y) = x, |x| <= 1/2 */
static DEVICE NOINLINE double erf_inverse_middle_f64(double x) {
  double w = -log1p_f64_finite(-x * x);
  double y = x * poly(w - 2.5, 1.5014094, 0.24664073, -0.0041777077, -0.0012537077, 0.0002186021, -4.3967457e-06,
                      -3.5288363e-06, 3.4372474e-07, 2.8540665e-08);
  double step = ((y - x) + erf_tail_f64(y)) * 0.886226925452758 * exp_f64(y * y);
  y = y - step / (1.0 + y * step);
  return fabs_(x) < 1e-9 ? x * 0.886226925452758 : y;
}
INLINE double erfinv_f64(double x) {
  double a = fabs_(x);
  if (a <= 0.5) return erf_inverse_middle_f64(x);
  double y = a < 1.0 ? erfc_inverse_tail_f64(1.0 - a) : f64_inf();
  return a <= 1.0 ? copysign_(y, x) : f64_nan();
}
INLINE double erfcinv_f64(double x) {
  if (x >= 0.5 && x <= 1.5) return erf_inverse_middle_f64(1.0 - x);
  double t = x > 1.0 ? 2.0 - x : x;
  double y = t > 0.0 ? erfc_inverse_tail_f64(t) : f64_inf();
  y = x > 1.0 ? -y : y;
  return t >= 0.0 ? y : f64_nan();
}
INLINE double normcdfinv_f64(double p) { return 0.0 - 1.4142135623730951 * erfcinv_f64(2.0 * p); }
