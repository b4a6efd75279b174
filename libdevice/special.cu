/* Error functions, the normal distribution, gamma and Bessel functions. The rarer ones of float are the f64 ones,
 * rounded. */
#include "bessel-f64.h"
#include "erf-f32.h"
#include "erf-f64.h"
#include "gamma-f64.h"

DEVICE_FN float __nv_erff(float x) { return erf_f32(x); }
DEVICE_FN float __nv_erfcf(float x) { return erfc_f32(x); }
DEVICE_FN float __nv_erfcxf(float x) { return erfcx_f32(x); }
DEVICE_FN float __nv_erfinvf(float x) { return erfinv_f32(x); }
DEVICE_FN float __nv_erfcinvf(float x) { return erfcinv_f32(x); }
DEVICE_FN float __nv_normcdff(float x) { return normcdf_f32(x); }
DEVICE_FN float __nv_normcdfinvf(float p) { return normcdfinv_f32(p); }
DEVICE_FN double __nv_erf(double x) { return erf_f64(x); }
DEVICE_FN double __nv_erfc(double x) { return erfc_f64(x); }
DEVICE_FN double __nv_erfcx(double x) { return erfcx_f64(x); }
DEVICE_FN double __nv_erfinv(double x) { return erfinv_f64(x); }
DEVICE_FN double __nv_erfcinv(double x) { return erfcinv_f64(x); }
DEVICE_FN double __nv_normcdf(double x) { return normcdf_f64(x); }
DEVICE_FN double __nv_normcdfinv(double p) { return normcdfinv_f64(p); }

DEVICE_FN double __nv_lgamma(double x) { return lgamma_f64(x); }
DEVICE_FN float __nv_lgammaf(float x) { return (float)lgamma_f64((double)x); }
DEVICE_FN double __nv_tgamma(double x) { return tgamma_f64(x); }
DEVICE_FN float __nv_tgammaf(float x) { return (float)tgamma_f64((double)x); }

DEVICE_FN double __nv_j0(double x) { return j0_f64(x); }
DEVICE_FN float __nv_j0f(float x) { return (float)j0_f64((double)x); }
DEVICE_FN double __nv_j1(double x) { return j1_f64(x); }
DEVICE_FN float __nv_j1f(float x) { return (float)j1_f64((double)x); }
DEVICE_FN double __nv_y0(double x) { return y0_f64(x); }
DEVICE_FN float __nv_y0f(float x) { return (float)y0_f64((double)x); }
DEVICE_FN double __nv_y1(double x) { return y1_f64(x); }
DEVICE_FN float __nv_y1f(float x) { return (float)y1_f64((double)x); }
DEVICE_FN double __nv_jn(i32 n, double x) { return jn_f64(n, x); }
DEVICE_FN float __nv_jnf(i32 n, float x) { return (float)jn_f64(n, (double)x); }
DEVICE_FN double __nv_yn(i32 n, double x) { return yn_f64(n, x); }
DEVICE_FN float __nv_ynf(i32 n, float x) { return (float)yn_f64(n, (double)x); }
DEVICE_FN double __nv_cyl_bessel_i0(double x) { return i0_f64(x); }
DEVICE_FN float __nv_cyl_bessel_i0f(float x) { return (float)i0_f64((double)x); }
DEVICE_FN double __nv_cyl_bessel_i1(double x) { return i1_f64(x); }
DEVICE_FN float __nv_cyl_bessel_i1f(float x) { return (float)i1_f64((double)x); }
