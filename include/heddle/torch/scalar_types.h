/*
 * Element types of tensors: c10::ScalarType, Half, BFloat16. From PyTorch's C++ API reference ("Tensor Creation API",
 * c10/core/ScalarType.h's public names). The runtime names element types by the same numbers.
 */
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace c10 {

/* A float of 16 bits whose arithmetic is that of float, rounded after each operation. */
#define HEDDLE_FLOAT16(NAME, CUDA_TYPE)                                                                                \
  struct alignas(2) NAME {                                                                                             \
    unsigned short x;                                                                                                  \
    struct from_bits_t {};                                                                                             \
    static constexpr __host__ __device__ from_bits_t from_bits() { return from_bits_t(); }                             \
    NAME() = default;                                                                                                  \
    constexpr __host__ __device__ NAME(unsigned short bits, from_bits_t) : x(bits) {}                                  \
    inline __host__ __device__ NAME(float value) : x(CUDA_TYPE(value).__x) {}                                          \
    inline __host__ __device__ NAME(const CUDA_TYPE &value) : x(value.__x) {}                                          \
    inline __host__ __device__ operator float() const { return (float)CUDA_TYPE::__bits(x); }                          \
    inline __host__ __device__ operator CUDA_TYPE() const { return CUDA_TYPE::__bits(x); }                             \
  };                                                                                                                   \
  HEDDLE_FLOAT16_OPERATOR(NAME, +)                                                                                     \
  HEDDLE_FLOAT16_OPERATOR(NAME, -)                                                                                     \
  HEDDLE_FLOAT16_OPERATOR(NAME, *)                                                                                     \
  HEDDLE_FLOAT16_OPERATOR(NAME, /)                                                                                     \
  HEDDLE_FLOAT16_COMPARISON(NAME, ==)                                                                                  \
  HEDDLE_FLOAT16_COMPARISON(NAME, !=)                                                                                  \
  HEDDLE_FLOAT16_COMPARISON(NAME, <)                                                                                   \
  HEDDLE_FLOAT16_COMPARISON(NAME, <=)                                                                                  \
  HEDDLE_FLOAT16_COMPARISON(NAME, >)                                                                                   \
  HEDDLE_FLOAT16_COMPARISON(NAME, >=)                                                                                  \
  inline __host__ __device__ NAME operator-(const NAME &a) { return NAME(-(float)a); }

/* Without them, those of CUDA's own type would fit as well as built-in ones. */
#define HEDDLE_FLOAT16_COMPARISON(NAME, OPERATOR)                                                                      \
  inline __host__ __device__ bool operator OPERATOR(const NAME &a, const NAME &b) {                                    \
    return (float)a OPERATOR(float) b;                                                                                 \
  }                                                                                                                    \
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>                                            \
  inline __host__ __device__ bool operator OPERATOR(const NAME &a, T b) { return (float)a OPERATOR b; }                \
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>                                            \
  inline __host__ __device__ bool operator OPERATOR(T a, const NAME &b) { return a OPERATOR(float) b; }

#define HEDDLE_FLOAT16_OPERATOR(NAME, OPERATOR)                                                                        \
  inline __host__ __device__ NAME operator OPERATOR(const NAME &a, const NAME &b) {                                    \
    return NAME((float)a OPERATOR(float) b);                                                                           \
  }                                                                                                                    \
  inline __host__ __device__ NAME &operator OPERATOR##=(NAME &a, const NAME &b) {                                      \
    a = NAME((float)a OPERATOR(float) b);                                                                              \
    return a;                                                                                                          \
  }                                                                                                                    \
  inline __host__ __device__ float operator OPERATOR(NAME a, float b) { return (float)a OPERATOR b; }                  \
  inline __host__ __device__ float operator OPERATOR(float a, NAME b) { return a OPERATOR(float) b; }                  \
  inline __host__ __device__ float &operator OPERATOR##=(float &a, const NAME &b) {                                    \
    return a = a OPERATOR(float) b;                                                                                    \
  }                                                                                                                    \
  inline __host__ __device__ double operator OPERATOR(NAME a, double b) { return (double)(float)a OPERATOR b; }        \
  inline __host__ __device__ double operator OPERATOR(double a, NAME b) { return a OPERATOR(double)(float) b; }        \
  inline __host__ __device__ NAME operator OPERATOR(NAME a, int b) { return a OPERATOR NAME((float)b); }               \
  inline __host__ __device__ NAME operator OPERATOR(int a, NAME b) { return NAME((float)a) OPERATOR b; }               \
  inline __host__ __device__ NAME operator OPERATOR(NAME a, int64_t b) { return a OPERATOR NAME((float)b); }           \
  inline __host__ __device__ NAME operator OPERATOR(int64_t a, NAME b) { return NAME((float)a) OPERATOR b; }

HEDDLE_FLOAT16(Half, __half)
HEDDLE_FLOAT16(BFloat16, __nv_bfloat16)

/* Storage only: converted through float. */
struct alignas(1) Float8_e4m3fn { uint8_t x; };
struct alignas(1) Float8_e5m2 { uint8_t x; };

/* Type, name: in the order of their numbers. */
#define AT_FORALL_HEDDLE_TYPES(_)                                                                                      \
  _(uint8_t, Byte, 0)                                                                                                  \
  _(int8_t, Char, 1)                                                                                                   \
  _(int16_t, Short, 2)                                                                                                 \
  _(int, Int, 3)                                                                                                       \
  _(int64_t, Long, 4)                                                                                                  \
  _(c10::Half, Half, 5)                                                                                                \
  _(float, Float, 6)                                                                                                   \
  _(double, Double, 7)                                                                                                 \
  _(bool, Bool, 11)                                                                                                    \
  _(c10::BFloat16, BFloat16, 15)                                                                                       \
  _(c10::Float8_e5m2, Float8_e5m2, 23)                                                                                 \
  _(c10::Float8_e4m3fn, Float8_e4m3fn, 24)                                                                             \
  _(uint16_t, UInt16, 27)                                                                                              \
  _(uint32_t, UInt32, 28)                                                                                              \
  _(uint64_t, UInt64, 29)

enum class ScalarType : int8_t {
#define HEDDLE_CASE(type, name, number) name = number,
  AT_FORALL_HEDDLE_TYPES(HEDDLE_CASE)
#undef HEDDLE_CASE
  ComplexHalf = 8,
  ComplexFloat = 9,
  ComplexDouble = 10,
  QInt8 = 12,
  QUInt8 = 13,
  QInt32 = 14,
  Undefined = 46,
};

#define HEDDLE_CASE(type, name, number) constexpr ScalarType k##name = ScalarType::name;
AT_FORALL_HEDDLE_TYPES(HEDDLE_CASE)
#undef HEDDLE_CASE
constexpr ScalarType kUInt8 = ScalarType::Byte;
constexpr ScalarType kInt8 = ScalarType::Char;
constexpr ScalarType kInt16 = ScalarType::Short;
constexpr ScalarType kInt32 = ScalarType::Int;
constexpr ScalarType kInt64 = ScalarType::Long;
constexpr ScalarType kFloat16 = ScalarType::Half;
constexpr ScalarType kFloat32 = ScalarType::Float;
constexpr ScalarType kFloat64 = ScalarType::Double;
constexpr ScalarType kF16 = ScalarType::Half;
constexpr ScalarType kF32 = ScalarType::Float;
constexpr ScalarType kF64 = ScalarType::Double;
constexpr ScalarType kI32 = ScalarType::Int;
constexpr ScalarType kI64 = ScalarType::Long;

inline const char *toString(ScalarType type) {
  switch (type) {
#define HEDDLE_CASE(ctype, name, number) \
  case ScalarType::name:                 \
    return #name;
    AT_FORALL_HEDDLE_TYPES(HEDDLE_CASE)
#undef HEDDLE_CASE
  default:
    return "Undefined";
  }
}

inline size_t elementSize(ScalarType type) {
  switch (type) {
#define HEDDLE_CASE(ctype, name, number) \
  case ScalarType::name:                 \
    return sizeof(ctype);
    AT_FORALL_HEDDLE_TYPES(HEDDLE_CASE)
#undef HEDDLE_CASE
  default:
    return 0;
  }
}

inline bool isFloatingType(ScalarType type) {
  return type == kDouble || type == kFloat || type == kHalf || type == kBFloat16 || type == kFloat8_e5m2 ||
         type == kFloat8_e4m3fn;
}
inline bool isComplexType(ScalarType) { return false; }
inline bool isIntegralType(ScalarType type, bool includeBool) {
  return type == kBool ? includeBool : !isFloatingType(type) && type != ScalarType::Undefined;
}
inline bool isReducedFloatingType(ScalarType type) { return type == kHalf || type == kBFloat16; }

template <typename T> struct CppTypeToScalarType;
#define HEDDLE_CASE(type, name, number)                                                                                \
  template <> struct CppTypeToScalarType<type> {                                                                       \
    static constexpr ScalarType value = ScalarType::name;                                                              \
    constexpr operator ScalarType() const { return value; }                                                            \
  };
AT_FORALL_HEDDLE_TYPES(HEDDLE_CASE)
#undef HEDDLE_CASE
template <typename T> struct CppTypeToScalarType<const T> : CppTypeToScalarType<T> {};
#if __SIZEOF_LONG__ == 4
/* `long` as it is where int64_t is another type of the same size. */
template <> struct CppTypeToScalarType<long> { static constexpr ScalarType value = ScalarType::Int; };
template <> struct CppTypeToScalarType<unsigned long> { static constexpr ScalarType value = ScalarType::UInt32; };
#else
template <> struct CppTypeToScalarType<long long> { static constexpr ScalarType value = ScalarType::Long; };
template <> struct CppTypeToScalarType<unsigned long long> { static constexpr ScalarType value = ScalarType::UInt64; };
#endif

namespace impl {
template <ScalarType N> struct ScalarTypeToCPPType;
#define HEDDLE_CASE(ctype, name, number)                                                                               \
  template <> struct ScalarTypeToCPPType<ScalarType::name> { using type = ctype; };
AT_FORALL_HEDDLE_TYPES(HEDDLE_CASE)
#undef HEDDLE_CASE
template <ScalarType N> using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<N>::type;
} // namespace impl

} // namespace c10

/* What std::numeric_limits knows of a format with `digits` bits of mantissa and `exponent` of exponent. */
#define HEDDLE_FLOAT16_LIMITS(NAME, DIGITS, DIGITS10, MAX_DIGITS10, MIN_EXP, MAX_EXP, LOWEST, MIN, MAX, EPSILON,       \
                              INFINITE, NOT_A_NUMBER, DENORMAL)                                                        \
  template <> class std::numeric_limits<NAME> {                                                                        \
  public:                                                                                                              \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;               \
    static constexpr bool has_infinity = true, has_quiet_NaN = true, is_iec559 = true, is_bounded = true;              \
    static constexpr int digits = DIGITS, digits10 = DIGITS10, max_digits10 = MAX_DIGITS10, radix = 2;                 \
    static constexpr int min_exponent = MIN_EXP, max_exponent = MAX_EXP;                                               \
    static constexpr __host__ __device__ NAME of(unsigned short bits) { return NAME(bits, NAME::from_bits()); }        \
    static constexpr __host__ __device__ NAME lowest() { return of(LOWEST); }                                          \
    static constexpr __host__ __device__ NAME min() { return of(MIN); }                                                \
    static constexpr __host__ __device__ NAME max() { return of(MAX); }                                                \
    static constexpr __host__ __device__ NAME epsilon() { return of(EPSILON); }                                        \
    static constexpr __host__ __device__ NAME infinity() { return of(INFINITE); }                                      \
    static constexpr __host__ __device__ NAME quiet_NaN() { return of(NOT_A_NUMBER); }                                 \
    static constexpr __host__ __device__ NAME denorm_min() { return of(DENORMAL); }                                    \
  };
HEDDLE_FLOAT16_LIMITS(c10::Half, 11, 3, 5, -13, 16, 0xFBFF, 0x0400, 0x7BFF, 0x1400, 0x7C00, 0x7E00, 0x0001)
HEDDLE_FLOAT16_LIMITS(c10::BFloat16, 8, 2, 4, -125, 128, 0xFF7F, 0x0080, 0x7F7F, 0x3C00, 0x7F80, 0x7FC0, 0x0001)
