/*
 * Half precision: __half and __half2 with the conversions, arithmetic, comparisons and functions of the CUDA Math API
 * ("Half Precision Intrinsics"). The format is IEEE 754 binary16. Everything is usable on host and device.
 */
#pragma once

#include "cuda_runtime.h"
#include "heddle/float16_rounding.h"

struct __nv_bfloat16;

#define __HF __half
#define __HF2 __half2
#define __HF_RAW __half_raw
#define __HF2_RAW __half2_raw
#define __HF_IR _Float16
#define __HF_ATOMIC_ADD_PAIR __heddle_atomic_add_f16x2
#define __HF_MANTISSA 10
#define __HF_EXPONENT 5
#define __HF_NAME half
#define __HF2_NAME half2
#define __HF_OTHER __nv_bfloat16
#include "heddle/float16_types.inc"
#include "heddle/float16_functions.inc"
#include "heddle/float16_end.inc"

#ifndef CUDA_NO_HALF
typedef __half half;
typedef __half2 half2;
#endif
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
typedef __half nv_half;
typedef __half2 nv_half2;

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
