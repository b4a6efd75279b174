// Functions whose numbers have 64 bits call those of 32. A larger number is CUBLAS_STATUS_NOT_SUPPORTED, and one line
// says so. scripts/make-cublas-64.mjs writes the list of functions.
#pragma once
#include <stdio.h>
#include <tuple>
#include <vector>
#include "handle.h"

namespace heddle_blas_wide {

template <class Wanted, class Given> bool fits(Given) { return true; }
template <> inline bool fits<int, int64_t>(int64_t value) { return value == (int)value; }

inline cublasStatus_t too_large(const char *name) {
  fprintf(stderr, "heddle: %s: a number is larger than 2147483647, and matrices and vectors here are smaller\n", name);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

template <class... Wanted, class... Given>
cublasStatus_t call(const char *name, cublasStatus_t (*function)(Wanted...), Given... given) {
  if (!(fits<Wanted>(given) && ...)) return too_large(name);
  return function((Wanted)given...);
}

/// The numbers of groups, as the function of 32 bits reads them.
struct Narrowed {
  int64_t count;
  std::vector<std::vector<int>> held;
  bool isRight = true;
  Narrowed(int64_t count) : count(count) { held.reserve(32); }
  template <class T> T operator()(T value) { return value; }
  const int *operator()(const int64_t *values) {
    if (!values) return nullptr;
    auto &list = held.emplace_back();
    for (int64_t i = 0; i < count; i++) {
      isRight = isRight && fits<int>(values[i]);
      list.push_back((int)values[i]);
    }
    return list.data();
  }
};
template <class... Wanted, class... Given>
cublasStatus_t call_groups(const char *name, cublasStatus_t (*function)(Wanted...), int64_t groups, Given... given) {
  if (!(fits<Wanted>(given) && ...)) return too_large(name);
  Narrowed narrowed(groups);
  auto narrow = [&](auto value) { return narrowed(value); };
  auto all = std::tuple(narrow(given)...);
  if (!narrowed.isRight) return too_large(name);
  return std::apply([&](auto... values) { return function((Wanted)values...); }, all);
}

/// An index in device memory is written by its low half: the high one is zero.
template <class Call> cublasStatus_t call_for_index(cublasHandle_t h, int64_t *result, Call call) {
  if (!is_live(h)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!result) return CUBLAS_STATUS_INVALID_VALUE;
  if (h->pointerMode == CUBLAS_POINTER_MODE_DEVICE) {
    if (cudaMemsetAsync(result, 0, sizeof *result, h->stream) != cudaSuccess) return CUBLAS_STATUS_EXECUTION_FAILED;
    return call((int *)result);
  }
  int index = 0;
  cublasStatus_t status = call(&index);
  if (status == CUBLAS_STATUS_SUCCESS) *result = index;
  return status;
}

} // namespace heddle_blas_wide

// TARGET: NAME, of which there may be several.
#define HEDDLE_WIDE(NAME, TARGET, PARAMETERS, ...) \
  extern "C" cublasStatus_t NAME##_64 PARAMETERS { return heddle_blas_wide::call(#NAME "_64", TARGET, __VA_ARGS__); }
#define HEDDLE_WIDE_GROUP(NAME, TARGET, PARAMETERS, ...)                                      \
  extern "C" cublasStatus_t NAME##_64 PARAMETERS {                                            \
    return heddle_blas_wide::call_groups(#NAME "_64", TARGET, group_count, __VA_ARGS__);      \
  }
/// The list of arguments ends before the result.
#define HEDDLE_WIDE_INDEX(NAME, TARGET, PARAMETERS, ...)                                      \
  extern "C" cublasStatus_t NAME##_64 PARAMETERS {                                            \
    return heddle_blas_wide::call_for_index(handle, result, [&](int *index) {                 \
      return heddle_blas_wide::call(#NAME "_64", TARGET, __VA_ARGS__, index);                 \
    });                                                                                       \
  }
