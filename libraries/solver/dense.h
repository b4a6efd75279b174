// What the units of cuSOLVER's dense part share: handles, live objects, checks of arguments, handed-over calls.
#pragma once
#include <cusolverDn.h>
#include <new>
#include <vector>
#include "../common/captures.h"
#include "../common/launched.h"
#include "../common/nvidia.h"
#include "block.cuh"

struct cusolverDnContext {
  cudaStream_t stream = 0, appliedStream = 0;
  cusolverDeterministicMode_t mode = CUSOLVER_DETERMINISTIC_RESULTS, appliedMode = CUSOLVER_DETERMINISTIC_RESULTS;
  cusolverMathMode_t math = CUSOLVER_DEFAULT_MATH, appliedMath = CUSOLVER_DEFAULT_MATH;
  cudaEmulationStrategy_t strategy = CUDA_EMULATION_STRATEGY_DEFAULT, appliedStrategy = CUDA_EMULATION_STRATEGY_DEFAULT;
  bool mayHaveNvidia = true, hasNvidia = false;

  template <class... Values> int library(const char *name, Values... values) {
    int status = heddle_nvidia::call_nvidia(this, "cusolver", stream, name, values...);
    mayHaveNvidia = status != heddle_nvidia::NEVER;
    hasNvidia = hasNvidia || status >= 0;
    return status;
  }
  template <class Mode> int apply(const char *name, Mode wanted, Mode &applied) {
    if (applied == wanted) return 0;
    int status = library(name, heddle_nvidia::OwnHandle{}, (int)wanted);
    if (status == 0) applied = wanted;
    return status;
  }
  /// The status of NVIDIA's function, or a negative number if ours must do the work.
  template <class... Values> int nvidia(const char *name, Values... values) {
    if (!mayHaveNvidia) return heddle_nvidia::NEVER;
    int status = 0;
    if (appliedStream != stream) {
      status = library("cusolverDnSetStream", heddle_nvidia::OwnHandle{}, heddle_nvidia::OfStream{stream});
      if (status == 0) appliedStream = stream;
    }
    if (status == 0) status = apply("cusolverDnSetDeterministicMode", mode, appliedMode);
    if (status == 0) status = apply("cusolverDnSetMathMode", math, appliedMath);
    if (status == 0) status = apply("cusolverDnSetEmulationStrategy", strategy, appliedStrategy);
    return status == 0 ? library(name, heddle_nvidia::OwnHandle{}, values...) : status;
  }
  /// NVIDIA's own parameters, for the functions that take no null pointer for them.
  unsigned long long vendorParams = 0;
  unsigned long long params() {
    if (mayHaveNvidia && !vendorParams) library("cusolverDnCreateParams", heddle_nvidia::Host{&vendorParams});
    return vendorParams;
  }
  /// For results that the host waits for.
  void *small = nullptr;
  ~cusolverDnContext() {
    if (vendorParams) library("cusolverDnDestroyParams", vendorParams);
    if (hasNvidia) library("cusolverDnDestroy", heddle_nvidia::OwnHandle{});
    if (small) cudaFree(small);
  }
};
struct cusolverDnParams { cusolverAlgMode_t modes[3] = {CUSOLVER_ALG_0, CUSOLVER_ALG_0, CUSOLVER_ALG_0}; };

struct cusolverDnIRSParams {
  cusolverIRSRefinement_t solver = CUSOLVER_IRS_REFINE_NOT_SET;
  int main = 0, lowest = 0;
  double tolerance = 0, inner = 0;
  int mostIterations = 50, mostInner = 50;
  bool hasFallback = true;
};
struct cusolverDnIRSInfos {
  int iterations = 0, outer = 0, most = 50;
  bool hasHistory = false;
  double history[2] = {};
};

namespace heddle_dense {

using namespace heddle_solver;
using namespace heddle_nvidia;

typedef cusolverStatus_t Status;

inline std::vector<const void *> &live_objects() {
  static std::vector<const void *> all;
  return all;
}
inline bool is_live(const void *object) {
  for (const void *live : live_objects()) if (live == object) return true;
  return false;
}
template <class T> Status make_object(T **out) {
  if (!out) return CUSOLVER_STATUS_INVALID_VALUE;
  *out = new (std::nothrow) T;
  if (!*out) return CUSOLVER_STATUS_ALLOC_FAILED;
  live_objects().push_back(*out);
  return CUSOLVER_STATUS_SUCCESS;
}
template <class T> Status destroy_object(T *object, Status wrong) {
  std::vector<const void *> &all = live_objects();
  for (size_t i = 0; i < all.size(); i++)
    if (all[i] == object) {
      all.erase(all.begin() + i);
      delete object;
      return CUSOLVER_STATUS_SUCCESS;
    }
  return wrong;
}
#define HEDDLE_LIVE if (!is_live(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED
#define HEDDLE_NEEDS(CONDITION) if (!(CONDITION)) return CUSOLVER_STATUS_INVALID_VALUE
/// NVIDIA's library waits in such a call, which a capture refuses.
#define HEDDLE_WAITS if (!heddle_captures::can_wait(handle->stream)) return CUSOLVER_STATUS_INTERNAL_ERROR

inline Status launched() {
  return __heddle_work_error() == cudaSuccess ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_EXECUTION_FAILED;
}
inline bool is_fill(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER; }
inline bool is_op(cublasOperation_t op) { return op >= CUBLAS_OP_N && op <= CUBLAS_OP_C; }
inline bool is_mode(cusolverEigMode_t mode) {
  return mode == CUSOLVER_EIG_MODE_NOVECTOR || mode == CUSOLVER_EIG_MODE_VECTOR;
}
inline bool is_matrix(int64_t m, int64_t n, int64_t lda) { return m >= 0 && n >= 0 && lda >= (m > 1 ? m : 1); }

template <class T> struct Native;
template <> struct Native<float> { typedef float type; };
template <> struct Native<double> { typedef double type; };
template <> struct Native<cuComplex> { typedef c32 type; };
template <> struct Native<cuDoubleComplex> { typedef c64 type; };

/// The larger of our need and NVIDIA's, in elements.
inline Status elements(int status, int theirs, i64 own, int *lwork) {
  if (status > 0) return (Status)status;
  *lwork = theirs > own ? theirs : (int)own;
  return CUSOLVER_STATUS_SUCCESS;
}
template <class T> Matrices<T> one_matrix(void *first, i64 stride = 0) { return {(T *)first, nullptr, stride}; }
inline void set_info(cudaStream_t stream, int *info) { cudaMemsetAsync(info, 0, sizeof *info, stream); }

template <class T> struct Tag { typedef T type; };
/// run(Tag<T>): data, results and computation have one type.
template <class Run> Status with_type(cudaDataType type, Run run) {
  switch (type) {
    case CUDA_R_32F: return run(Tag<float>{});
    case CUDA_R_64F: return run(Tag<double>{});
    case CUDA_C_32F: return run(Tag<c32>{});
    case CUDA_C_64F: return run(Tag<c64>{});
    default: return CUSOLVER_STATUS_INVALID_VALUE;
  }
}
inline cudaDataType real_of(cudaDataType type) {
  return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}
inline i64 bytes_of(cudaDataType type) { return type == CUDA_R_32F ? 4 : type == CUDA_C_64F ? 16 : 8; }

struct Bytes { unsigned long long device = 0, host = 0; };
/// What a function needs: the larger of ours and NVIDIA's.
inline Status sizes(int status, const Bytes &theirs, i64 own, size_t *onDevice, size_t *onHost) {
  if (status > 0) return (Status)status;
  *onDevice = (i64)theirs.device > own ? (size_t)theirs.device : (size_t)own;
  *onHost = (size_t)theirs.host;
  return CUSOLVER_STATUS_SUCCESS;
}
#define HEDDLE_SIZES(OWN, ...)                                                                                         \
  HEDDLE_NEEDS(workspaceInBytesOnDevice &&workspaceInBytesOnHost);                                                     \
  Bytes theirs;                                                                                                        \
  int status = handle->nvidia(__VA_ARGS__, Host{&theirs.device}, Host{&theirs.host});                                  \
  return sizes(status, theirs, OWN, workspaceInBytesOnDevice, workspaceInBytesOnHost);
#define HEDDLE_WORK_VALUES                                                                                             \
  HEDDLE_P(bufferOnDevice), (long long)workspaceInBytesOnDevice, Host{bufferOnHost},                                   \
      (long long)workspaceInBytesOnHost, HEDDLE_P(info)
constexpr long long NO_PARAMS = 0; // NVIDIA's function chooses
inline bool is_known(cudaDataType type) { return with_type(type, [](auto) { return CUSOLVER_STATUS_SUCCESS; }) == 0; }

inline bool is_precision(int precision) { return precision >= CUSOLVER_R_8I && precision <= CUSOLVER_C_AP; }
inline Status check_params(cusolverDnIRSParams_t params) {
  if (!is_live(params)) return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
  if (params->solver == CUSOLVER_IRS_REFINE_NOT_SET) return CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE;
  bool isMain = params->main == CUSOLVER_R_32F || params->main == CUSOLVER_R_64F || params->main == CUSOLVER_C_32F ||
                params->main == CUSOLVER_C_64F;
  return isMain && is_precision(params->lowest) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC;
}

} // namespace heddle_dense

#define HEDDLE_P(POINTER) ((const void *)(POINTER))
#define HEDDLE_HANDED(...)                                                                                             \
  {                                                                                                                    \
    int status = handle->nvidia(__VA_ARGS__);                                                                          \
    if (status >= 0) return (Status)status;                                                                            \
  }
#define HEDDLE_SIZE(OWN, ...)                                                                                          \
  HEDDLE_NEEDS(lwork);                                                                                                 \
  int theirs = 0, status = handle->nvidia(__VA_ARGS__, Host{&theirs});                                                 \
  return elements(status, theirs, OWN, lwork);

