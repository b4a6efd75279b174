// <cxxabi.h>: names in readable form, and the exception that is being handled (Itanium C++ ABI). The headers of the
// 32-bit C++ library have one.
#pragma once
#if __has_include_next(<cxxabi.h>)
#include_next <cxxabi.h>
#else
#include <stddef.h>
namespace std {
class type_info;
}
namespace __cxxabiv1 {
extern "C" {
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);
std::type_info *__cxa_current_exception_type(void);
unsigned int __cxa_uncaught_exceptions(void) noexcept;
}
} // namespace __cxxabiv1
namespace abi = __cxxabiv1;
#endif
