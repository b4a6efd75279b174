/*
 * Gamma and its logarithm. Stirling's series with a fitted remainder for large arguments, reached by the recurrence;
 * for the logarithm, polynomials around its zeros 1 and 2 so that they are met with full relative accuracy; the
 * reflection formula for negative arguments (no relative accuracy near the zeros left of -2.26, as the guide allows).
 */
#pragma once
#include "elementary-f64.h"

/* lgamma(1 + t), |t| <= 0.311 */
INLINE double lgamma_near_one(double t) {
  return 0.0 + t * poly(t, -0.5772156649015329, 0.8224670334241133, -0.4006856343865411, 0.2705808084277398,
                        -0.20738555102370548, 0.16955717700257242, -0.14404989752810693, 0.12550966941905903,
                        -0.11133421109586092, 0.1000994428569761, -0.09095621299743348, 0.0833549377989064,
                        -0.0768800083073181, 0.07139880803907579, -0.06743231354242744, 0.06307820979300353,
                        -0.05226225832455879, 0.050077048963782, -0.08244506265598514, 0.07675571201525504);
}
/* lgamma(2 + t), -0.701 <= t <= 1.01 */
INLINE double lgamma_near_two(double t) {
  return 0.0 + t * poly(t, 0.42278433509846713, 0.32246703342411326, -0.06735230105319621, 0.020580808427780567,
                        -0.007385551028785901, 0.0028905103308974533, -0.001192753909095179, 0.0005096695213492716,
                        -0.00022315479008616136, 9.9457555471958e-05, -4.492601316114456e-05, 2.0506885509722456e-05,
                        -9.440451240971536e-06, 4.3764550521757995e-06, -2.036708189017892e-06, 9.501962803464794e-07,
                        -4.528178616741268e-07, 2.2178979919080618e-07, -9.89510706633599e-08, 3.6379883199012884e-08,
                        -1.9785414450668606e-08, 1.7334698844233304e-08, -9.244544972805901e-09,
                        1.9132885345992073e-09);
}
/* x >= 8: lgamma x - ((x - 1/2) log x - x + log(2 pi)/2) */
INLINE double stirling_rest(double x) {
  double r = 1.0 / x;
  return r * poly(r * r, 0.08333333333333333, -0.0027777777777549116, 0.0007936507752332871, -0.0005952325690179012,
                  0.0008409703368044864, -0.001861807925046929, 0.004454646523710178);
}
/* a > 0, finite */
static DEVICE NOINLINE double lgamma_positive(double a) {
  if (a < 0.695) {
    double l = a <= 0.305 ? lgamma_near_one(a) : lgamma_near_two(a - 1.0);
    return l - log_f64_finite(a);
  }
  if (a < 1.305) return lgamma_near_one(a - 1.0);
  if (a < 3.0) return lgamma_near_two(a - 2.0);
  if (a < 8.0) {
    double product = 1.0;
    while (a >= 3.0) { a -= 1.0; product *= a; }
    return lgamma_near_two(a - 2.0) + log_f64_finite(product);
  }
  double y = (a - 0.5) * (log_f64_finite(a) - 1.0) + (0.4189385332046727 + stirling_rest(a));
  return a > 1e17 ? a * (log_f64_finite(a) - 1.0) : y;
}
static DEVICE NOINLINE double lgamma_f64(double x) {
  double a = fabs_(x);
  if (!(a < f64_inf())) return is_nan(x) ? x : f64_inf();
  if (a == 0.0) return f64_inf();
  double y = lgamma_positive(a);
  if (x > 0.0) return y;
  if (trunc_(x) == x) return f64_inf();
  if (a < 1e-17) return y;
  return log_f64_finite(3.141592653589793 / (a * fabs_(sinpi_f64(a)))) - y;
}
static DEVICE NOINLINE double tgamma_f64(double x) {
  double a = fabs_(x);
  bool whole = trunc_(x) == x;
  if (is_nan(x) || (x < 0.0 && whole)) return f64_nan();
  if (a < 1e-17) return 1.0 / x; /* ±inf for ±0 */
  if (x > 172.0) return f64_inf();
  if (x < -186.0) return trunc_(0.5 * trunc_(x)) == 0.5 * trunc_(x) ? -0.0 : 0.0;
  double product = 1.0, steps = 0.0;
  while (a + steps < 8.0) { product *= a + steps; steps += 1.0; }
  /* (z - 1/2) log z - z + rest for z = a + steps, as a double-double; the derivative times what z lost by rounding goes
   * into rest */
  dd z = two_sum(a, steps), l = log_dd(z.hi);
  dd e = dd_add(dd_mul(l, z.hi - 0.5), -z.hi);
  e = dd_add(e, stirling_rest(z.hi) + z.lo * (l.hi - 0.5 / z.hi));
  if (x > 0.0) return exp_dd_f64(e.hi, e.lo) * (2.5066282746310007 / product);
  /* Gamma(-a) = -pi / (a sin(pi a) Gamma(a)); two half exponentials where Gamma(a) may overflow */
  double c = -3.141592653589793 / (a * sinpi_f64(a));
  double h = exp_dd_f64(-0.5 * e.hi, -0.5 * e.lo);
  return (c * (product * 0.3989422804014327) * h) * h;
}
