/*
 * bfloat16: __nv_bfloat16 and __nv_bfloat162 with the conversions, arithmetic, comparisons and functions of the CUDA
 * Math API
 * ("Bfloat16 Precision Intrinsics"). The format is the upper half of an IEEE 754 binary32. Everything is usable on host
 * and device.
 */
#pragma once

#include "cuda_fp16.h"

#define __HF __nv_bfloat16
#define __HF2 __nv_bfloat162
#define __HF_RAW __nv_bfloat16_raw
#define __HF2_RAW __nv_bfloat162_raw
#define __HF_IR __bf16
#define __HF_ATOMIC_ADD_PAIR __heddle_atomic_add_bf16x2
#define __HF_MANTISSA 7
#define __HF_EXPONENT 8
#define __HF_NAME bfloat16
#define __HF2_NAME bfloat162
#define __HF_OTHER __half
#include "heddle/float16_types.inc"
#include "heddle/float16_functions.inc"
#include "heddle/float16_end.inc"

__HEDDLE_HD __half::__half(const __nv_bfloat16 &value) { *this = __from(value.__to()); }
__HEDDLE_HD __nv_bfloat16::__nv_bfloat16(const __half &value) { *this = __from(value.__to()); }

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
