// Types and constants of the C library's headers: what g++ prints on 64-bit Linux, 64-bit programs print.
#include <cinttypes>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <sys/types.h>

template <class T> const char *name = "another";
template <> const char *name<signed char> = "signed char";
template <> const char *name<unsigned char> = "unsigned char";
template <> const char *name<short> = "short";
template <> const char *name<unsigned short> = "unsigned short";
template <> const char *name<int> = "int";
template <> const char *name<unsigned> = "unsigned";
template <> const char *name<long> = "long";
template <> const char *name<unsigned long> = "unsigned long";
template <> const char *name<long long> = "long long";
template <> const char *name<unsigned long long> = "unsigned long long";

#define TYPE(T) printf("%s %s %zu\n", #T, name<T>, sizeof(T));
#define VALUE(x) printf("%s %s %llx %d\n", #x, name<decltype(x)>, (unsigned long long)(x), (x) > 0);
#define FORMATS(bits)                                                                                                  \
  printf("%s %s %s %s %s %s %s\n", #bits, PRId##bits, PRIi##bits, PRIo##bits, PRIu##bits, PRIx##bits, PRIX##bits);     \
  printf("%s %s %s %s %s %s\n", #bits, SCNd##bits, SCNi##bits, SCNo##bits, SCNu##bits, SCNx##bits);
#define INTEGERS(of)                                                                                                   \
  of(8) of(16) of(32) of(64) of(LEAST8) of(LEAST16) of(LEAST32) of(LEAST64) of(FAST8) of(FAST16) of(FAST32) of(FAST64) \
      of(MAX) of(PTR)

int main() {
  TYPE(int8_t) TYPE(int16_t) TYPE(int32_t) TYPE(int64_t)
  TYPE(uint8_t) TYPE(uint16_t) TYPE(uint32_t) TYPE(uint64_t)
  TYPE(int_least8_t) TYPE(int_least16_t) TYPE(int_least32_t) TYPE(int_least64_t)
  TYPE(uint_least8_t) TYPE(uint_least16_t) TYPE(uint_least32_t) TYPE(uint_least64_t)
  TYPE(int_fast8_t) TYPE(int_fast16_t) TYPE(int_fast32_t) TYPE(int_fast64_t)
  TYPE(uint_fast8_t) TYPE(uint_fast16_t) TYPE(uint_fast32_t) TYPE(uint_fast64_t)
  TYPE(intptr_t) TYPE(uintptr_t) TYPE(intmax_t) TYPE(uintmax_t)
  TYPE(size_t) TYPE(ssize_t) TYPE(ptrdiff_t) TYPE(std::size_t) TYPE(wchar_t)
  TYPE(off_t) TYPE(time_t) TYPE(clock_t) TYPE(ino_t) TYPE(dev_t) TYPE(pid_t) TYPE(uid_t) TYPE(gid_t) TYPE(mode_t)
  TYPE(blksize_t) TYPE(blkcnt_t) TYPE(nlink_t) TYPE(suseconds_t) TYPE(quad_t) TYPE(u_quad_t)
  TYPE(u_int8_t) TYPE(u_int64_t) TYPE(u_long) TYPE(ulong) TYPE(div_t) TYPE(ldiv_t) TYPE(lldiv_t) TYPE(max_align_t)
  VALUE(CHAR_BIT) VALUE(CHAR_MIN) VALUE(CHAR_MAX) VALUE(SHRT_MIN) VALUE(SHRT_MAX) VALUE(USHRT_MAX)
  VALUE(INT_MIN) VALUE(INT_MAX) VALUE(UINT_MAX) VALUE(LONG_MIN) VALUE(LONG_MAX) VALUE(ULONG_MAX)
  VALUE(LLONG_MIN) VALUE(LLONG_MAX) VALUE(ULLONG_MAX) VALUE(SSIZE_MAX) VALUE(LONG_BIT) VALUE(WORD_BIT)
  VALUE(INT8_MIN) VALUE(INT8_MAX) VALUE(UINT8_MAX) VALUE(INT16_MIN) VALUE(INT16_MAX) VALUE(UINT16_MAX)
  VALUE(INT32_MIN) VALUE(INT32_MAX) VALUE(UINT32_MAX) VALUE(INT64_MIN) VALUE(INT64_MAX) VALUE(UINT64_MAX)
  VALUE(INT_FAST8_MIN) VALUE(INT_FAST8_MAX) VALUE(UINT_FAST8_MAX)
  VALUE(INT_FAST16_MIN) VALUE(INT_FAST16_MAX) VALUE(UINT_FAST16_MAX)
  VALUE(INT_FAST32_MIN) VALUE(INT_FAST32_MAX) VALUE(UINT_FAST32_MAX)
  VALUE(INT_FAST64_MIN) VALUE(INT_FAST64_MAX) VALUE(UINT_FAST64_MAX)
  VALUE(INTPTR_MIN) VALUE(INTPTR_MAX) VALUE(UINTPTR_MAX) VALUE(INTMAX_MIN) VALUE(INTMAX_MAX) VALUE(UINTMAX_MAX)
  VALUE(PTRDIFF_MIN) VALUE(PTRDIFF_MAX) VALUE(SIZE_MAX) VALUE(WCHAR_MIN) VALUE(WCHAR_MAX)
  VALUE(INT64_C(1)) VALUE(UINT64_C(1)) VALUE(INTMAX_C(1)) VALUE(UINTMAX_C(1))
  VALUE(std::numeric_limits<size_t>::max()) VALUE(RAND_MAX) VALUE(CLOCKS_PER_SEC)
  INTEGERS(FORMATS)
  return 0;
}
