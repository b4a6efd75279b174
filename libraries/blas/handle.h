// The state behind a cublasHandle_t, and what every function begins and ends with.
#pragma once
#include <cublas_v2.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../common/captures.h"
#include "../common/launched.h"
#include "../common/numbers.cuh"
#include "../common/nvidia.h"
#include "../common/scratch.h"

using namespace heddle_numbers;
using namespace heddle_nvidia;

struct cublasState {
  cudaStream_t stream = 0;
  cublasPointerMode_t pointerMode = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t mathMode = CUBLAS_DEFAULT_MATH;
  cublasAtomicsMode_t atomicsMode = CUBLAS_ATOMICS_NOT_ALLOWED;
};
struct cublasContext : cublasState {
  // The state of NVIDIA's handle, and whether there may be one.
  cublasState applied;
  bool mayHaveNvidia = true, hasNvidia = false;

  template <class... Values> int library(const char *name, Values... values) {
    int status = call_nvidia(this, "cublas", stream, name, OwnHandle{}, values...);
    mayHaveNvidia = status != NEVER;
    hasNvidia = hasNvidia || status >= 0;
    return status;
  }
  /// The status of NVIDIA's function, or a negative number if ours must do the work.
  template <class... Values> int nvidia(const char *name, Values... values) {
    if (!mayHaveNvidia) return NEVER;
    int status = 0;
    if (applied.stream != stream) {
      status = library("cublasSetStream_v2", OfStream{stream});
      if (status == 0) applied.stream = stream;
    }
    if (status == 0 && applied.pointerMode != pointerMode) {
      status = library("cublasSetPointerMode_v2", (int)pointerMode);
      if (status == 0) applied.pointerMode = pointerMode;
    }
    if (status == 0 && applied.mathMode != mathMode) {
      status = library("cublasSetMathMode", (int)mathMode);
      if (status == 0) applied.mathMode = mathMode;
    }
    if (status == 0 && applied.atomicsMode != atomicsMode) {
      status = library("cublasSetAtomicsMode", (int)atomicsMode);
      if (status == 0) applied.atomicsMode = atomicsMode;
    }
    return status == 0 ? library(name, values...) : status;
  }
  heddle_scratch::Scratch pieces, copies, factors;
  /// cublasSetWorkspace; none after cublasSetStream.
  void *workspace = nullptr;
  size_t workspaceBytes = 0;
  void *scratch(size_t bytes) { return workspace && bytes <= workspaceBytes ? workspace : pieces(bytes, stream); }
  /// For what a function reads while its product uses `scratch`.
  void *copy_place(size_t bytes) { return copies(bytes, stream); }
  /// What cublasSetSmCountTarget asks for: blocks run on all threads of the machine here.
  int multiprocessors = 0;
  /// What emulation.inl keeps.
  struct {
    cublasEmulationStrategy_t strategy = CUBLAS_EMULATION_STRATEGY_DEFAULT;
    cudaEmulationSpecialValuesSupport specialValues = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT;
    cudaEmulationMantissaControl mantissaControl = CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC;
    int mostBits = 0, bitOffset = 0;
    int *bitCount = nullptr;
  } emulation;
  /// What is left of a handle after cublasDestroy answers calls.
  bool isDestroyed = false;
  // Device memory for factors that a function makes from a program's, 16 bytes each.
  static constexpr int FACTORS = 4;
  int lastFactor = 0;
  void *factor_place(int slot) {
    void *place = factors(16 * FACTORS, stream);
    return place ? (char *)place + 16 * slot : nullptr;
  }
  ~cublasContext() {
    if (hasNvidia) library("cublasDestroy_v2");
  }
};

namespace {

typedef long long i64;

bool is_live(const cublasContext *h) { return h && !h->isDestroyed; }

cublasStatus_t launched() {
  return __heddle_work_error() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
/// When the work of a stream is done: what reads a result for the host.
cublasStatus_t waited(cudaStream_t stream) {
  cudaError_t error = cudaStreamSynchronize(stream);
  if (error == cudaSuccess) return launched();
  return heddle_captures::is_refusal(error) ? CUBLAS_STATUS_INTERNAL_ERROR : CUBLAS_STATUS_EXECUTION_FAILED;
}
int blocks(int n, int size) { return (n + size - 1) / size; }

// BLAS walks a vector with a negative increment from its other end.
template <class T> const T *vector_start(const T *x, int n, int inc) { return inc < 0 ? x - (i64)(n - 1) * inc : x; }
template <class T> T *vector_start(T *x, int n, int inc) { return inc < 0 ? x - (i64)(n - 1) * inc : x; }

bool is_valid(cublasOperation_t op) { return op >= CUBLAS_OP_N && op <= CUBLAS_OP_CONJG; }
bool is_valid(cublasFillMode_t fill) { return fill >= CUBLAS_FILL_MODE_LOWER && fill <= CUBLAS_FILL_MODE_FULL; }
bool is_valid(cublasSideMode_t side) { return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT; }
bool is_valid(cublasDiagType_t diag) { return diag == CUBLAS_DIAG_NON_UNIT || diag == CUBLAS_DIAG_UNIT; }
/// Whether columns of so many rows fit a leading dimension.
bool fits(int ld, int rows) { return ld >= (rows > 1 ? rows : 1); }

template <class T> Factor<T> factor(const cublasContext &h, const void *value) {
  if (h.pointerMode == CUBLAS_POINTER_MODE_DEVICE) return {zero<T>(), (const T *)value};
  return {*(const T *)value, nullptr};
}
Scalar scalar(const cublasContext* h, const void* value) {
  return {value, h->pointerMode == CUBLAS_POINTER_MODE_DEVICE};
}
template <class T> Factor<T> constant(T value) { return {value, nullptr}; }
__global__ void widen_half(const __half *from, float *to) { *to = __half2float(*from); }
/// A factor of half precision as float, the type of the sums.
Factor<float> half_factor(cublasContext &h, const void *value) {
  if (h.pointerMode != CUBLAS_POINTER_MODE_DEVICE) return {__half2float(*(const __half *)value), nullptr};
  // A product has two of them.
  h.lastFactor = (h.lastFactor + 1) % cublasContext::FACTORS;
  float *place = (float *)h.factor_place(h.lastFactor);
  widen_half<<<1, 1, 0, h.stream>>>((const __half *)value, place);
  return {0, place};
}
template <class T> __global__ void widen_factor(const void *from, bool isReal, bool isConjugated, T *to) {
  T value = isReal ? Number<T>::of(*(const typename RealOf<T>::type *)from, 0) : *(const T *)from;
  *to = isConjugated ? conjugate(value) : value;
}
/// A factor that is real in the program, or whose conjugate is needed. slot: 0 to 3, of the handle's own memory.
template <class T>
Factor<T> made_factor(cublasContext &h, int slot, const void *value, bool isReal, bool isConjugated) {
  typedef typename RealOf<T>::type R;
  if (h.pointerMode == CUBLAS_POINTER_MODE_DEVICE) {
    T *place = (T *)h.factor_place(slot);
    widen_factor<T><<<1, 1, 0, h.stream>>>(value, isReal, isConjugated, place);
    return {zero<T>(), place};
  }
  T held = isReal ? Number<T>::of(*(const R *)value, 0) : *(const T *)value;
  return {isConjugated ? conjugate(held) : held, nullptr};
}
template <class T> Factor<T> real_factor(cublasContext &h, int slot, const void *value) {
  return made_factor<T>(h, slot, value, true, false);
}

} // namespace

// ---- P: letter, T: type in the header, E: ours, R: type of a real result
// NVIDIA's function does the work where the device has it.
#define NVIDIA(NAME, ...)                       \
  if (!is_live(h)) return CUBLAS_STATUS_NOT_INITIALIZED; \
  if (int status = h->nvidia(NAME, __VA_ARGS__); status >= 0) return (cublasStatus_t)status;
#define NEED_HANDLE if (!is_live(h)) return CUBLAS_STATUS_NOT_INITIALIZED;
/// What the documentation asks of arguments.
/// As in NVIDIA's library, gemv and its batches look at nothing else if there is nothing to do, not even at the handle.
#define DONE_IF_EMPTY(M, N) \
  if ((M) >= 0 && (N) >= 0 && ((M) == 0 || (N) == 0)) return CUBLAS_STATUS_SUCCESS;
#define VALID(...) if (!(__VA_ARGS__)) return CUBLAS_STATUS_INVALID_VALUE;
#define ELEMENTWISE(N) <<<blocks(N, 256), 256, 0, h->stream>>>
