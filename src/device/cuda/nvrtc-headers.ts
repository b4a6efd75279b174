/**
 * Headers of C and C++ that kernels' sources include out of habit, and that NVRTC does not have: it declares the
 * functions themselves (printf, memcpy, sqrtf, …), and there is no host part that would need the rest. Types and limits
 * are those of 64-bit Linux.
 */
const INTEGERS = `#pragma once
typedef signed char int8_t; typedef signed short int16_t; typedef signed int int32_t; typedef signed long long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int64_t intptr_t; typedef uint64_t uintptr_t; typedef int64_t intmax_t; typedef uint64_t uintmax_t;
#ifndef INT32_MAX
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT64_MAX 9223372036854775807LL
#define UINT64_MAX 18446744073709551615ULL
#define SIZE_MAX UINT64_MAX
#endif
`;

const LIMITS = `#pragma once
#ifndef INT_MAX
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#endif
`;

const FLOATS = `#pragma once
#ifndef FLT_MAX
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define DBL_MANT_DIG 53
#define FLT_DIG 6
#define DBL_DIG 15
#define FLT_EPSILON 1.1920928955078125e-07f
#define DBL_EPSILON 2.220446049250313e-16
#define FLT_MIN 1.1754943508222875e-38f
#define DBL_MIN 2.2250738585072014e-308
#define FLT_MAX 3.4028234663852886e+38f
#define DBL_MAX 1.7976931348623157e+308
#endif
`;

const MATHEMATICS = `#pragma once
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef HUGE_VALF
#define HUGE_VALF INFINITY
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
`;

const NOTHING = "#pragma once\n";

/** By the name that #include has. */
export const NVRTC_HEADERS: Readonly<Record<string, string>> = {
  "stdint.h": INTEGERS,
  cstdint: INTEGERS,
  "inttypes.h": INTEGERS,
  "limits.h": LIMITS,
  climits: LIMITS,
  "float.h": FLOATS,
  cfloat: FLOATS,
  "math.h": MATHEMATICS,
  cmath: MATHEMATICS,
  ...Object.fromEntries(
    [
      "stdio.h",
      "cstdio",
      "stdlib.h",
      "cstdlib",
      "string.h",
      "cstring",
      "stddef.h",
      "cstddef",
      "assert.h",
      "cassert",
      "stdbool.h",
    ].map((name) => [name, NOTHING]),
  ),
};

/** NVRTC has what these declare. With a toolkit's headers in place those are taken. */
export const RUNTIME_HEADERS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "device_launch_parameters.h",
    "cuda.h",
    "device_functions.h",
    "math_functions.h",
  ].map((name) => [name, NOTHING]),
);
