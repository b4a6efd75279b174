/*
 * Functions for a GPU that are made of double arithmetic: the portable ones, with products fused into sums and without
 * the general division. Their bounds hold with both (`scripts/measure-libdevice.mjs --fused`).
 */
#define HEDDLE_FUSED_DOUBLE
#include "elementary-f64.h"
#include "exp-log-f32.h"
#include "erf-f64.h"
#include "erf-f32.h"

DEVICE_FN double __heddle_gpu_exp(double x) { return exp_f64(x); }
DEVICE_FN double __heddle_gpu_exp2(double x) { return exp2_f64(x); }
DEVICE_FN double __heddle_gpu_exp10(double x) { return exp10_f64(x); }
DEVICE_FN double __heddle_gpu_expm1(double x) { return expm1_f64(x); }
DEVICE_FN double __heddle_gpu_log(double x) { return log_f64(x); }
DEVICE_FN double __heddle_gpu_log2(double x) { return log2_f64(x); }
DEVICE_FN double __heddle_gpu_log10(double x) { return log10_f64(x); }
DEVICE_FN double __heddle_gpu_log1p(double x) { return log1p_f64(x); }
DEVICE_FN double __heddle_gpu_sinh(double x) { return sinh_f64(x); }
DEVICE_FN double __heddle_gpu_cosh(double x) { return cosh_f64(x); }
DEVICE_FN double __heddle_gpu_tanh(double x) { return tanh_f64(x); }
DEVICE_FN double __heddle_gpu_asinh(double x) { return asinh_f64(x); }
DEVICE_FN double __heddle_gpu_acosh(double x) { return acosh_f64(x); }
DEVICE_FN double __heddle_gpu_atanh(double x) { return atanh_f64(x); }
DEVICE_FN double __heddle_gpu_sin(double x) { return sin_f64(x); }
DEVICE_FN double __heddle_gpu_cos(double x) { return cos_f64(x); }
DEVICE_FN double __heddle_gpu_tan(double x) { return tan_f64(x); }
DEVICE_FN double __heddle_gpu_asin(double x) { return asin_f64(x); }
DEVICE_FN double __heddle_gpu_acos(double x) { return acos_f64(x); }
DEVICE_FN double __heddle_gpu_atan(double x) { return atan_f64(x); }
DEVICE_FN double __heddle_gpu_erf(double x) { return erf_f64(x); }
DEVICE_FN double __heddle_gpu_erfc(double x) { return erfc_f64(x); }
DEVICE_FN double __heddle_gpu_pow(double x, double y) { return pow_f64(x, y); }
DEVICE_FN double __heddle_gpu_powi(double x, int n) { return pow_f64(x, (double)n); }
DEVICE_FN double __heddle_gpu_atan2(double y, double x) { return atan2_f64(y, x); }
DEVICE_FN void __heddle_gpu_sincos(double x, double* s, double* c) { sincos_f64(x, s, c); }
DEVICE_FN float __heddle_gpu_powf(float x, float y) { return pow_f32(x, y); }
DEVICE_FN float __heddle_gpu_powif(float x, int n) { return pow_f32(x, (float)n); }
