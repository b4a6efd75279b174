// cuBLAS and cuBLASLt (cuBLAS documentation): host functions over the kernels beside this file. Linked into programs
// that use them.
//
// What many programs call is here. Rarer functions stand in files beside it, which are linked into programs that name
// them (src/libraries/blas.ts). Matrices are column-major; every product goes through product().
#include <cublasLt.h>
#include "factors.cuh"
#include "product.h"

struct cublasLtContext : cublasContext {
  struct NvidiaMatmuls *nvidiaMatmuls = nullptr;
  ~cublasLtContext();
};

namespace {

// Products of any types (GemmEx and its batched forms).
cublasStatus_t gemm_any(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                        const void* alpha, const void* A, cudaDataType at, int lda, i64 sa, const void* const* As,
                        const void* B, cudaDataType bt, int ldb, i64 sb, const void* const* Bs, const void* beta,
                        void* C, cudaDataType ct, int ldc, i64 sc, void* const* Cs, int count,
                        cublasComputeType_t compute) {
  if (!is_live(h)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (at != bt) return CUBLAS_STATUS_NOT_SUPPORTED;
  bool halfFactors = compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC;
#define GEMM(IN, SUM, OUT, FACTOR)                                                                                   \
  return gemm<IN, SUM, OUT>(h, ta, tb, m, n, k, FACTOR(*h, alpha), A, lda, sa, As, B, ldb, sb, Bs, FACTOR(*h, beta), \
                            C, ldc, sc, Cs, count)
  if (at == CUDA_R_32F && ct == CUDA_R_32F) GEMM(float, float, float, factor<float>);
  if (at == CUDA_R_64F && ct == CUDA_R_64F) GEMM(double, double, double, factor<double>);
  if (at == CUDA_C_32F && ct == CUDA_C_32F) GEMM(c32, c32, c32, factor<c32>);
  if (at == CUDA_C_64F && ct == CUDA_C_64F) GEMM(c64, c64, c64, factor<c64>);
  if (at == CUDA_R_8I && ct == CUDA_R_32I) GEMM(signed char, int, int, factor<int>);
  if (at == CUDA_R_16F && ct == CUDA_R_16F && halfFactors) GEMM(__half, float, __half, half_factor);
  if (at == CUDA_R_16F && ct == CUDA_R_16F) GEMM(__half, float, __half, factor<float>);
  if (at == CUDA_R_16F && ct == CUDA_R_32F) GEMM(__half, float, float, factor<float>);
  if (at == CUDA_R_16BF && ct == CUDA_R_16BF) GEMM(__nv_bfloat16, float, __nv_bfloat16, factor<float>);
  if (at == CUDA_R_16BF && ct == CUDA_R_32F) GEMM(__nv_bfloat16, float, float, factor<float>);
#undef GEMM
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

// A reduction's result goes to device memory, or through scratch memory to the host.
template <class R, class Run> cublasStatus_t reduce_to(cublasHandle_t h, R *result, int n, Run run) {
  if (!is_live(h)) return CUBLAS_STATUS_NOT_INITIALIZED;
  bool onDevice = h->pointerMode == CUBLAS_POINTER_MODE_DEVICE;
  if (n <= 0) {
    if (onDevice) cudaMemsetAsync(result, 0, sizeof(R), h->stream);
    else memset(result, 0, sizeof(R));
    return CUBLAS_STATUS_SUCCESS;
  }
  R *place = onDevice ? result : (R *)h->scratch(256);
  if (!place) return CUBLAS_STATUS_ALLOC_FAILED;
  run(place);
  if (onDevice) return launched();
  // not cudaMemcpy, which does not wait for a stream that is non-blocking
  cudaMemcpyAsync(result, place, sizeof(R), cudaMemcpyDeviceToHost, h->stream);
  return waited(h->stream);
}

} // namespace

extern "C" {

// ---- helpers
cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  if (!heddle_captures::can_allocate()) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (!is_live(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  heddle_captures::wait_for_device();
  // Calls with a destroyed handle have a status: of the last ones something stays that says so.
  static cublasContext *destroyed[64];
  static unsigned count = 0;
  handle->~cublasContext();
  new (handle) cublasContext;
  handle->isDestroyed = true;
  cublasContext *&place = destroyed[count++ % 64];
  delete place;
  place = handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  VALID(version)
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value) {
  VALID(value && type >= MAJOR_VERSION && type <= PATCH_LEVEL)
  *value = type == MAJOR_VERSION ? CUBLAS_VER_MAJOR : type == MINOR_VERSION ? CUBLAS_VER_MINOR : CUBLAS_VER_PATCH;
  return CUBLAS_STATUS_SUCCESS;
}
size_t cublasGetCudartVersion(void) { return CUDART_VERSION; }
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t h, void *workspace, size_t bytes) {
  NEED_HANDLE
  VALID((uintptr_t)workspace % 256 == 0 && (workspace || bytes == 0))
  h->workspace = workspace;
  h->workspaceBytes = bytes;
  return CUBLAS_STATUS_SUCCESS;
}
/// FIRST: what NVIDIA's library looks at before the handle.
#define HEDDLE_STATE(NAME, TYPE, FIELD, FIRST)                    \
  cublasStatus_t cublasSet##NAME(cublasHandle_t h, TYPE value) {  \
    NEED_HANDLE                                                   \
    h->FIELD = value;                                             \
    return CUBLAS_STATUS_SUCCESS;                                 \
  }                                                               \
  cublasStatus_t cublasGet##NAME(cublasHandle_t h, TYPE* value) { \
    FIRST NEED_HANDLE VALID(value)                                \
    *value = h->FIELD;                                            \
    return CUBLAS_STATUS_SUCCESS;                                 \
  }
cublasStatus_t cublasSetStream_v2(cublasHandle_t h, cudaStream_t stream) {
  NEED_HANDLE
  h->stream = stream;
  return cublasSetWorkspace_v2(h, nullptr, 0);
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t h, cudaStream_t *stream) {
  NEED_HANDLE
  *stream = h->stream;
  return CUBLAS_STATUS_SUCCESS;
}
HEDDLE_STATE(PointerMode_v2, cublasPointerMode_t, pointerMode, VALID(value))
HEDDLE_STATE(AtomicsMode, cublasAtomicsMode_t, atomicsMode, )
HEDDLE_STATE(MathMode, cublasMath_t, mathMode, )
cublasStatus_t cublasLoggerConfigure(int, int, int, const char *) { return CUBLAS_STATUS_SUCCESS; }
const char *cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
#define HEDDLE_NAME(N) case N: return #N;
    HEDDLE_NAME(CUBLAS_STATUS_SUCCESS)
    HEDDLE_NAME(CUBLAS_STATUS_NOT_INITIALIZED) HEDDLE_NAME(CUBLAS_STATUS_ALLOC_FAILED)
        HEDDLE_NAME(CUBLAS_STATUS_INVALID_VALUE) HEDDLE_NAME(CUBLAS_STATUS_ARCH_MISMATCH)
            HEDDLE_NAME(CUBLAS_STATUS_MAPPING_ERROR) HEDDLE_NAME(CUBLAS_STATUS_EXECUTION_FAILED)
                HEDDLE_NAME(CUBLAS_STATUS_INTERNAL_ERROR) HEDDLE_NAME(CUBLAS_STATUS_NOT_SUPPORTED)
                    HEDDLE_NAME(CUBLAS_STATUS_LICENSE_ERROR)
#undef HEDDLE_NAME
  }
  return "unknown cuBLAS status";
}
const char *cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS: return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED: return "the library was not initialized";
    case CUBLAS_STATUS_ALLOC_FAILED: return "the resource allocation failed";
    case CUBLAS_STATUS_INVALID_VALUE: return "an unsupported value or parameter was passed to the function";
    case CUBLAS_STATUS_EXECUTION_FAILED: return "the GPU program failed to execute";
    case CUBLAS_STATUS_NOT_SUPPORTED: return "the functionality requested is not supported";
    default: return cublasGetStatusName(status);
  }
}
static cublasStatus_t copied(cudaError_t error) {
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
static cublasStatus_t copy_vector(int n, int size, const void* x, int incx, void* y, int incy, cudaMemcpyKind kind,
                                  cudaStream_t stream) {
  if (n < 0 || size <= 0 || incx <= 0 || incy <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  return copied(cudaMemcpy2DAsync(y, (size_t)incy * size, x, (size_t)incx * size, size, n, kind, stream));
}
static cublasStatus_t copy_matrix(int rows, int cols, int size, const void* A, int lda, void* B, int ldb,
                                  cudaMemcpyKind kind, cudaStream_t stream) {
  if (rows < 0 || cols < 0 || size <= 0 || lda < rows || ldb < rows) return CUBLAS_STATUS_INVALID_VALUE;
  return copied(
      cudaMemcpy2DAsync(B, (size_t)ldb * size, A, (size_t)lda * size, (size_t)rows * size, cols, kind, stream));
}
cublasStatus_t cublasSetVector(int n, int s, const void* x, int ix, void* y, int iy) {
  return copy_vector(n, s, x, ix, y, iy, cudaMemcpyHostToDevice, 0);
}
cublasStatus_t cublasGetVector(int n, int s, const void* x, int ix, void* y, int iy) {
  return copy_vector(n, s, x, ix, y, iy, cudaMemcpyDeviceToHost, 0);
}
cublasStatus_t cublasSetMatrix(int r, int c, int s, const void* A, int lda, void* B, int ldb) {
  return copy_matrix(r, c, s, A, lda, B, ldb, cudaMemcpyHostToDevice, 0);
}
cublasStatus_t cublasGetMatrix(int r, int c, int s, const void* A, int lda, void* B, int ldb) {
  return copy_matrix(r, c, s, A, lda, B, ldb, cudaMemcpyDeviceToHost, 0);
}
cublasStatus_t cublasSetVectorAsync(int n, int s, const void* x, int ix, void* y, int iy, cudaStream_t st) {
  return copy_vector(n, s, x, ix, y, iy, cudaMemcpyHostToDevice, st);
}
cublasStatus_t cublasGetVectorAsync(int n, int s, const void* x, int ix, void* y, int iy, cudaStream_t st) {
  return copy_vector(n, s, x, ix, y, iy, cudaMemcpyDeviceToHost, st);
}
cublasStatus_t cublasSetMatrixAsync(int r, int c, int s, const void* A, int lda, void* B, int ldb, cudaStream_t st) {
  return copy_matrix(r, c, s, A, lda, B, ldb, cudaMemcpyHostToDevice, st);
}
cublasStatus_t cublasGetMatrixAsync(int r, int c, int s, const void* A, int lda, void* B, int ldb, cudaStream_t st) {
  return copy_matrix(r, c, s, A, lda, B, ldb, cudaMemcpyDeviceToHost, st);
}

// ---- levels 1 to 3
#define HEDDLE_LEVEL1(P, RP, I, T, E, R)                                                                             \
  cublasStatus_t cublas##P##copy_v2(cublasHandle_t h, int n, const T* x, int incx, T* y, int incy) {                 \
    NVIDIA("cublas" #P "copy_v2", n, x, incx, y, incy)                                                               \
    NEED_HANDLE if (n <= 0) return CUBLAS_STATUS_SUCCESS;                                                            \
    copy_or_swap<E> ELEMENTWISE(n)(n, (E*)vector_start((T*)x, n, incx), incx, (E*)vector_start(y, n, incy), incy,    \
                                   false);                                                                           \
    return launched();                                                                                               \
  }                                                                                                                  \
  cublasStatus_t cublas##P##swap_v2(cublasHandle_t h, int n, T* x, int incx, T* y, int incy) {                       \
    NVIDIA("cublas" #P "swap_v2", n, x, incx, y, incy)                                                               \
    NEED_HANDLE if (n <= 0) return CUBLAS_STATUS_SUCCESS;                                                            \
    copy_or_swap<E> ELEMENTWISE(n)(n, (E*)vector_start(x, n, incx), incx, (E*)vector_start(y, n, incy), incy, true); \
    return launched();                                                                                               \
  }                                                                                                                  \
  cublasStatus_t cublas##P##scal_v2(cublasHandle_t h, int n, const T* alpha, T* x, int incx) {                       \
    NVIDIA("cublas" #P "scal_v2", n, scalar(h, alpha), x, incx)                                                      \
    NEED_HANDLE if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;                                               \
    scale<E> ELEMENTWISE(n)(n, factor<E>(*h, alpha), (E*)x, incx);                                                   \
    return launched();                                                                                               \
  }                                                                                                                  \
  cublasStatus_t cublas##P##axpy_v2(cublasHandle_t h, int n, const T* alpha, const T* x, int incx, T* y, int incy) { \
    NVIDIA("cublas" #P "axpy_v2", n, scalar(h, alpha), x, incx, y, incy)                                             \
    NEED_HANDLE if (n <= 0) return CUBLAS_STATUS_SUCCESS;                                                            \
    axpy<E> ELEMENTWISE(n)(n, factor<E>(*h, alpha), (const E*)vector_start(x, n, incx), incx,                        \
                           (E*)vector_start(y, n, incy), incy);                                                      \
    return launched();                                                                                               \
  }                                                                                                                  \
  cublasStatus_t cublas##I##amax_v2(cublasHandle_t h, int n, const T* x, int incx, int* result) {                    \
    NVIDIA("cublas" #I "amax_v2", n, x, incx, scalar(h, result))                                                     \
    return reduce_to(h, result, incx <= 0 ? 0 : n,                                                                   \
                     [=](int* to) { extreme<E><<<1, REDUCERS, 0, h->stream>>>(n, (const E*)x, incx, true, to); });   \
  }                                                                                                                  \
  cublasStatus_t cublas##I##amin_v2(cublasHandle_t h, int n, const T* x, int incx, int* result) {                    \
    NVIDIA("cublas" #I "amin_v2", n, x, incx, scalar(h, result))                                                     \
    return reduce_to(h, result, incx <= 0 ? 0 : n,                                                                   \
                     [=](int* to) { extreme<E><<<1, REDUCERS, 0, h->stream>>>(n, (const E*)x, incx, false, to); });  \
  }                                                                                                                  \
  cublasStatus_t cublas##RP##nrm2_v2(cublasHandle_t h, int n, const T* x, int incx, R* result) {                     \
    NVIDIA("cublas" #RP "nrm2_v2", n, x, incx, scalar(h, result))                                                    \
    return reduce_to(h, result, incx <= 0 ? 0 : n,                                                                   \
                     [=](R* to) { norm<E, R><<<1, REDUCERS, 0, h->stream>>>(n, (const E*)x, incx, true, to); });     \
  }                                                                                                                  \
  cublasStatus_t cublas##RP##asum_v2(cublasHandle_t h, int n, const T* x, int incx, R* result) {                     \
    NVIDIA("cublas" #RP "asum_v2", n, x, incx, scalar(h, result))                                                    \
    return reduce_to(h, result, incx <= 0 ? 0 : n,                                                                   \
                     [=](R* to) { norm<E, R><<<1, REDUCERS, 0, h->stream>>>(n, (const E*)x, incx, false, to); });    \
  }
HEDDLE_LEVEL1(S, S, Is, float, float, float)
HEDDLE_LEVEL1(D, D, Id, double, double, double)
HEDDLE_LEVEL1(C, Sc, Ic, cuComplex, c32, float)
HEDDLE_LEVEL1(Z, Dz, Iz, cuDoubleComplex, c64, double)

#define HEDDLE_DOT(NAME, T, E, CONJUGATED)                                                              \
  cublasStatus_t NAME(cublasHandle_t h, int n, const T* x, int incx, const T* y, int incy, T* result) { \
    NVIDIA(#NAME, n, x, incx, y, incy, scalar(h, result))                                               \
    return reduce_to(h, (E*)result, n, [=](E* to) {                                                     \
      dot<E><<<1, REDUCERS, 0, h->stream>>>(n, (const E*)vector_start(x, n, incx), incx,                \
                                            (const E*)vector_start(y, n, incy), incy, CONJUGATED, to);  \
    });                                                                                                 \
  }
HEDDLE_DOT(cublasSdot_v2, float, float, false)
HEDDLE_DOT(cublasDdot_v2, double, double, false)
HEDDLE_DOT(cublasCdotu_v2, cuComplex, c32, false)
HEDDLE_DOT(cublasCdotc_v2, cuComplex, c32, true)
HEDDLE_DOT(cublasZdotu_v2, cuDoubleComplex, c64, false)
HEDDLE_DOT(cublasZdotc_v2, cuDoubleComplex, c64, true)
cublasStatus_t cublasSrot_v2(cublasHandle_t h, int n, float* x, int incx, float* y, int incy, const float* c,
                             const float* s) {
  NVIDIA("cublasSrot_v2", n, x, incx, y, incy, scalar(h, c), scalar(h, s))
  NEED_HANDLE if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  rotate<float> ELEMENTWISE(n)(n, vector_start(x, n, incx), incx, vector_start(y, n, incy), incy, factor<float>(*h, c),
                               factor<float>(*h, s));
  return launched();
}
cublasStatus_t cublasDrot_v2(cublasHandle_t h, int n, double* x, int incx, double* y, int incy, const double* c,
                             const double* s) {
  NVIDIA("cublasDrot_v2", n, x, incx, y, incy, scalar(h, c), scalar(h, s))
  NEED_HANDLE if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  rotate<double> ELEMENTWISE(n)(n, vector_start(x, n, incx), incx, vector_start(y, n, incy), incy,
                                factor<double>(*h, c), factor<double>(*h, s));
  return launched();
}

#define HEDDLE_LEVEL23(P, T, E)                                                                                        \
  cublasStatus_t cublas##P##gemv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n, const T* alpha, const T* A,  \
                                    int lda, const T* x, int incx, const T* beta, T* y, int incy) {                    \
    DONE_IF_EMPTY(m, n)                                                                                                \
    NVIDIA("cublas" #P "gemv_v2", op, m, n, scalar(h, alpha), A, lda, x, incx, scalar(h, beta), y, incy)               \
    NEED_HANDLE                                                                                                        \
    VALID(is_valid(op) && m >= 0 && n >= 0 && fits(lda, m) && incx && incy)                                            \
    return gemv_strided<E, E, E>(h, op, m, n, factor<E>(*h, alpha), A, lda, 0, x, incx, 0,                             \
                                             factor<E>(*h, beta), y, incy, 0, 1);                                      \
  }                                                                                                                    \
  cublasStatus_t cublas##P##gemvStridedBatched(cublasHandle_t h, cublasOperation_t op, int m, int n, const T* alpha,   \
                                               const T* A, int lda, i64 sa, const T* x, int incx, i64 sx,              \
                                               const T* beta, T* y, int incy, i64 sy, int count) {                     \
    DONE_IF_EMPTY(m, n)                                                                                                \
    NVIDIA("cublas" #P "gemvStridedBatched", op, m, n, scalar(h, alpha), A, lda, sa, x, incx, sx, scalar(h, beta), y,  \
           incy, sy, count)                                                                                            \
    NEED_HANDLE                                                                                                        \
    VALID(is_valid(op) && m >= 0 && n >= 0 && fits(lda, m) && incx && incy && count >= 0)                              \
    return gemv_strided<E, E, E>(h, op, m, n, factor<E>(*h, alpha), A, lda, sa, x, incx, sx,                           \
                                             factor<E>(*h, beta), y, incy, sy, count);                                 \
  }                                                                                                                    \
  cublasStatus_t cublas##P##symv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* alpha, const T* A,        \
                                    int lda, const T* x, int incx, const T* beta, T* y, int incy) {                    \
    NVIDIA("cublas" #P "symv_v2", uplo, n, scalar(h, alpha), A, lda, x, incx, scalar(h, beta), y, incy)                \
    NEED_HANDLE                                                                                                        \
    VALID(is_valid(uplo) && n >= 0 && fits(lda, n) && incx && incy)                                                    \
    Operand out = column(vector_start(y, n, incy), incy);                                                              \
    Operand a = shaped(A, lda, CUBLAS_OP_N, uplo == CUBLAS_FILL_MODE_LOWER ? SYMMETRIC_LOWER : SYMMETRIC_UPPER);       \
    return product<E, E, E>(*h, n, 1, n, factor<E>(*h, alpha), a, column(vector_start(x, n, incx), incx),              \
                            factor<E>(*h, beta), out, out);                                                            \
  }                                                                                                                    \
  cublasStatus_t cublas##P##trmv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,                     \
                                    cublasDiagType_t diag, int n, const T* A, int lda, T* x, int incx) {               \
    NVIDIA("cublas" #P "trmv_v2", uplo, op, diag, n, A, lda, x, incx)                                                  \
    NEED_HANDLE                                                                                                        \
    VALID(is_valid(uplo) && is_valid(op) && is_valid(diag) && n >= 0 && fits(lda, n) && incx)                          \
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;                                                                          \
    /* the vector is input and output: the product reads a copy */                                                     \
    void* held = h->copy_place(n * sizeof(T));                                                                         \
    if (!held) return CUBLAS_STATUS_ALLOC_FAILED;                                                                      \
    E* first = (E*)vector_start(x, n, incx);                                                                           \
    copy_or_swap<E> ELEMENTWISE(n)(n, first, incx, (E*)held, 1, false);                                                \
    Operand out = column(first, incx);                                                                                 \
    return product<E, E, E>(*h, n, 1, n, constant(one<E>()), shaped(A, lda, op, triangular(uplo, diag)),               \
                            column(held, 1), constant(zero<E>()), out, out);                                           \
  }                                                                                                                    \
  cublasStatus_t cublas##P##trsv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,                     \
                                    cublasDiagType_t diag, int n, const T* A, int lda, T* x, int incx) {               \
    NVIDIA("cublas" #P "trsv_v2", uplo, op, diag, n, A, lda, x, incx)                                                  \
    NEED_HANDLE                                                                                                        \
    VALID(is_valid(uplo) && is_valid(op) && is_valid(diag) && n >= 0 && fits(lda, n) && incx)                          \
    return solve<E>(h, substitution(true, uplo, op, diag, n, 1, lda, incx, 0), constant(one<E>()),                     \
                                (const E*)A, (E*)vector_start(x, n, incx));                                            \
  }                                                                                                                    \
  cublasStatus_t cublas##P##gemm_v2(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, \
                                    const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C,     \
                                    int ldc) {                                                                         \
    NVIDIA("cublas" #P "gemm_v2", ta, tb, m, n, k, scalar(h, alpha), A, lda, B, ldb, scalar(h, beta), C, ldc)          \
    NEED_HANDLE return gemm<E, E, E>(h, ta, tb, m, n, k, factor<E>(*h, alpha), A, lda, 0, nullptr, B, ldb, 0, nullptr, \
                                     factor<E>(*h, beta), C, ldc, 0, nullptr, 1);                                      \
  }                                                                                                                    \
  cublasStatus_t cublas##P##gemmBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,    \
                                        int k, const T* alpha, const T* const As[], int lda, const T* const Bs[],      \
                                        int ldb, const T* beta, T* const Cs[], int ldc, int count) {                   \
    NEED_HANDLE return gemm<E, E, E>(h, ta, tb, m, n, k, factor<E>(*h, alpha), nullptr, lda, 0,                        \
                                     (const void* const*)As, nullptr, ldb, 0, (const void* const*)Bs,                  \
                                     factor<E>(*h, beta), nullptr, ldc, 0, (void* const*)Cs, count);                   \
  }                                                                                                                    \
  cublasStatus_t cublas##P##gemmStridedBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,    \
                                               int n, int k, const T* alpha, const T* A, int lda, i64 sa, const T* B,  \
                                               int ldb, i64 sb, const T* beta, T* C, int ldc, i64 sc, int count) {     \
    NVIDIA("cublas" #P "gemmStridedBatched", ta, tb, m, n, k, scalar(h, alpha), A, lda, sa, B, ldb, sb,                \
           scalar(h, beta), C, ldc, sc, count)                                                                         \
    NEED_HANDLE return gemm<E, E, E>(h, ta, tb, m, n, k, factor<E>(*h, alpha), A, lda, sa, nullptr, B, ldb, sb,        \
                                     nullptr, factor<E>(*h, beta), C, ldc, sc, nullptr, count);                        \
  }                                                                                                                    \
  cublasStatus_t cublas##P##symm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,      \
                                    const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C,     \
                                    int ldc) {                                                                         \
    NVIDIA("cublas" #P "symm_v2", side, uplo, m, n, scalar(h, alpha), A, lda, B, ldb, scalar(h, beta), C, ldc)         \
    NEED_HANDLE                                                                                                        \
    VALID(is_valid(side) && is_valid(uplo) && m >= 0 && n >= 0 &&                                                      \
          fits(lda, side == CUBLAS_SIDE_LEFT ? m : n) && fits(ldb, m) && fits(ldc, m))                                 \
    Operand a = shaped(A, lda, CUBLAS_OP_N,                                                                            \
                                   uplo == CUBLAS_FILL_MODE_LOWER ? SYMMETRIC_LOWER : SYMMETRIC_UPPER),                \
                        b = matrix(B, ldb, CUBLAS_OP_N), c = matrix(C, ldc, CUBLAS_OP_N);                              \
    bool left = side == CUBLAS_SIDE_LEFT;                                                                              \
    return product<E, E, E>(*h, m, n, left ? m : n, factor<E>(*h, alpha), left ? a : b, left ? b : a,                  \
                            factor<E>(*h, beta), c, c);                                                                \
  }                                                                                                                    \
  cublasStatus_t cublas##P##syrk_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k,       \
                                    const T* alpha, const T* A, int lda, const T* beta, T* C, int ldc) {               \
    NVIDIA("cublas" #P "syrk_v2", uplo, op, n, k, scalar(h, alpha), A, lda, scalar(h, beta), C, ldc)                   \
    NEED_HANDLE                                                                                                        \
    VALID(is_valid(uplo) && is_valid(op) && n >= 0 && k >= 0 && fits(lda, op == CUBLAS_OP_N ? n : k) &&                \
          fits(ldc, n))                                                                                                \
    Operand c = matrix(C, ldc, CUBLAS_OP_N);                                                                           \
    return product<E, E, E>(*h, n, n, k, factor<E>(*h, alpha), matrix(A, lda, op),                                     \
                            matrix(A, lda, op == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N), factor<E>(*h, beta), c, c,  \
                            1, uplo == CUBLAS_FILL_MODE_LOWER ? PART_LOWER : PART_UPPER);                              \
  }                                                                                                                    \
  cublasStatus_t cublas##P##syr2k_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k,      \
                                     const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C,    \
                                     int ldc) {                                                                        \
    NVIDIA("cublas" #P "syr2k_v2", uplo, op, n, k, scalar(h, alpha), A, lda, B, ldb, scalar(h, beta), C, ldc)          \
    NEED_HANDLE                                                                                                        \
    VALID(is_valid(uplo) && is_valid(op) && n >= 0 && k >= 0 && fits(lda, op == CUBLAS_OP_N ? n : k) &&                \
          fits(ldb, op == CUBLAS_OP_N ? n : k) && fits(ldc, n))                                                        \
    Operand c = matrix(C, ldc, CUBLAS_OP_N);                                                                           \
    cublasOperation_t other = op == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;                                           \
    int part = uplo == CUBLAS_FILL_MODE_LOWER ? PART_LOWER : PART_UPPER;                                               \
    cublasStatus_t status = product<E, E, E>(*h, n, n, k, factor<E>(*h, alpha), matrix(A, lda, op),                    \
                                             matrix(B, ldb, other), factor<E>(*h, beta), c, c, 1, part);               \
    if (status != CUBLAS_STATUS_SUCCESS) return status;                                                                \
    return product<E, E, E>(*h, n, n, k, factor<E>(*h, alpha), matrix(B, ldb, op), matrix(A, lda, other),              \
                            constant(one<E>()), c, c, 1, part);                                                        \
  }                                                                                                                    \
  cublasStatus_t cublas##P##trmm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,                    \
                                    cublasOperation_t op, cublasDiagType_t diag, int m, int n, const T* alpha,         \
                                    const T* A, int lda, const T* B, int ldb, T* C, int ldc) {                         \
    NVIDIA("cublas" #P "trmm_v2", side, uplo, op, diag, m, n, scalar(h, alpha), A, lda, B, ldb, C, ldc)                \
    NEED_HANDLE                                                                                                        \
    VALID(is_valid(side) && is_valid(uplo) && is_valid(op) && is_valid(diag) && m >= 0 && n >= 0 &&                    \
          fits(lda, side == CUBLAS_SIDE_LEFT ? m : n) && fits(ldb, m) && fits(ldc, m))                                 \
    if (m <= 0 || n <= 0) return CUBLAS_STATUS_SUCCESS;                                                                \
    bool left = side == CUBLAS_SIDE_LEFT;                                                                              \
    /* C may be B: the product reads a copy */                                                                         \
    void* held = h->copy_place((size_t)m * n * sizeof(T));                                                             \
    if (!held) return CUBLAS_STATUS_ALLOC_FAILED;                                                                      \
    cudaMemcpy2DAsync(held, m * sizeof(T), B, ldb * sizeof(T), m * sizeof(T), n, cudaMemcpyDeviceToDevice, h->stream); \
    Operand a = shaped(A, lda, op, triangular(uplo, diag)), b = matrix(held, m, CUBLAS_OP_N),                          \
            c = matrix(C, ldc, CUBLAS_OP_N);                                                                           \
    return product<E, E, E>(*h, m, n, left ? m : n, factor<E>(*h, alpha), left ? a : b, left ? b : a,                  \
                            constant(zero<E>()), c, c);                                                                \
  }                                                                                                                    \
  cublasStatus_t cublas##P##trsm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,                    \
                                    cublasOperation_t op, cublasDiagType_t diag, int m, int n, const T* alpha,         \
                                    const T* A, int lda, T* B, int ldb) {                                              \
    NVIDIA("cublas" #P "trsm_v2", side, uplo, op, diag, m, n, scalar(h, alpha), A, lda, B, ldb)                        \
    NEED_HANDLE                                                                                                        \
    VALID(is_valid(side) && is_valid(uplo) && is_valid(op) && is_valid(diag) && m >= 0 && n >= 0 &&                    \
          fits(lda, side == CUBLAS_SIDE_LEFT ? m : n) && fits(ldb, m))                                                 \
    return solve<E>(h, substitution(side == CUBLAS_SIDE_LEFT, uplo, op, diag, m, n, lda, 1, ldb),                      \
                                factor<E>(*h, alpha), (const E*)A, (E*)B);                                             \
  }                                                                                                                    \
  cublasStatus_t cublas##P##geam(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,           \
                                 const T* alpha, const T* A, int lda, const T* beta, const T* B, int ldb, T* C,        \
                                 int ldc) {                                                                            \
    NVIDIA("cublas" #P "geam", ta, tb, m, n, scalar(h, alpha), A, lda, scalar(h, beta), B, ldb, C, ldc)                \
    NEED_HANDLE                                                                                                        \
    VALID(is_valid(ta) && is_valid(tb) && m >= 0 && n >= 0 && fits(lda, ta == CUBLAS_OP_N ? m : n) &&                  \
          fits(ldb, tb == CUBLAS_OP_N ? m : n) && fits(ldc, m))                                                        \
    if (m <= 0 || n <= 0) return CUBLAS_STATUS_SUCCESS;                                                                \
    Operand a = matrix(A, lda, ta), b = matrix(B, ldb, tb);                                                            \
    add_matrices<E><<<dim3(blocks(m, 128), n), 128, 0, h->stream>>>(                                                   \
        m, n, factor<E>(*h, alpha), (const E*)A, a.rowStride, a.columnStride, a.conjugated, factor<E>(*h, beta),       \
        (const E*)B, b.rowStride, b.columnStride, b.conjugated, (E*)C, ldc);                                           \
    return launched();                                                                                                 \
  }                                                                                                                    \
  cublasStatus_t cublas##P##dgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n, const T* A, int lda,           \
                                 const T* x, int incx, T* C, int ldc) {                                                \
    NVIDIA("cublas" #P "dgmm", side, m, n, A, lda, x, incx, C, ldc)                                                    \
    NEED_HANDLE                                                                                                        \
    VALID(is_valid(side) && m >= 0 && n >= 0 && fits(lda, m) && fits(ldc, m))                                          \
    if (m <= 0 || n <= 0) return CUBLAS_STATUS_SUCCESS;                                                                \
    bool left = side == CUBLAS_SIDE_LEFT;                                                                              \
    scale_by_diagonal<E><<<dim3(blocks(m, 128), n), 128, 0, h->stream>>>(                                              \
        m, n, (const E*)A, lda, (const E*)vector_start(x, left ? m : n, incx), incx, left, (E*)C, ldc);                \
    return launched();                                                                                                 \
  }
HEDDLE_LEVEL23(S, float, float)
HEDDLE_LEVEL23(D, double, double)
HEDDLE_LEVEL23(C, cuComplex, c32)
HEDDLE_LEVEL23(Z, cuDoubleComplex, c64)

#define HEDDLE_RANK1(P, T)                                                                                           \
  cublasStatus_t cublas##P##ger_v2(cublasHandle_t h, int m, int n, const T* alpha, const T* x, int incx, const T* y, \
                                   int incy, T* A, int lda) {                                                        \
    NVIDIA("cublas" #P "ger_v2", m, n, scalar(h, alpha), x, incx, y, incy, A, lda)                                   \
    NEED_HANDLE                                                                                                      \
    VALID(m >= 0 && n >= 0 && incx && incy && fits(lda, m))                                                          \
    Operand a = matrix(A, lda, CUBLAS_OP_N);                                                                         \
    return product<T, T, T>(*h, m, n, 1, factor<T>(*h, alpha), column(vector_start(x, m, incx), incx),               \
                            row(vector_start(y, n, incy), incy), constant(one<T>()), a, a);                          \
  }                                                                                                                  \
  cublasStatus_t cublas##P##syr_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* alpha, const T* x,       \
                                   int incx, T* A, int lda) {                                                        \
    NVIDIA("cublas" #P "syr_v2", uplo, n, scalar(h, alpha), x, incx, A, lda)                                         \
    NEED_HANDLE                                                                                                      \
    VALID(is_valid(uplo) && n >= 0 && incx && fits(lda, n))                                                          \
    Operand a = matrix(A, lda, CUBLAS_OP_N);                                                                         \
    const T* first = vector_start(x, n, incx);                                                                       \
    return product<T, T, T>(*h, n, n, 1, factor<T>(*h, alpha), column(first, incx), row(first, incx),                \
                            constant(one<T>()), a, a, 1, uplo == CUBLAS_FILL_MODE_LOWER ? PART_LOWER : PART_UPPER);  \
  }
HEDDLE_RANK1(S, float)
HEDDLE_RANK1(D, double)

cublasStatus_t cublasHgemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                           const __half* alpha, const __half* A, int lda, const __half* B, int ldb, const __half* beta,
                           __half* C, int ldc) {
  NVIDIA("cublasHgemm", ta, tb, m, n, k, scalar(h, alpha), A, lda, B, ldb, scalar(h, beta), C, ldc)
  return gemm_any(h, ta, tb, m, n, k, alpha, A, CUDA_R_16F, lda, 0, nullptr, B, CUDA_R_16F, ldb, 0, nullptr, beta, C,
                  CUDA_R_16F, ldc, 0, nullptr, 1, CUBLAS_COMPUTE_16F);
}
cublasStatus_t cublasHgemmBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                                  const __half* alpha, const __half* const As[], int lda, const __half* const Bs[],
                                  int ldb, const __half* beta, __half* const Cs[], int ldc, int count) {
  return gemm_any(h, ta, tb, m, n, k, alpha, nullptr, CUDA_R_16F, lda, 0, (const void* const*)As, nullptr, CUDA_R_16F,
                  ldb, 0, (const void* const*)Bs, beta, nullptr, CUDA_R_16F, ldc, 0, (void* const*)Cs, count,
                  CUBLAS_COMPUTE_16F);
}
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                                         int k, const __half* alpha, const __half* A, int lda, i64 sa, const __half* B,
                                         int ldb, i64 sb, const __half* beta, __half* C, int ldc, i64 sc, int count) {
  NVIDIA("cublasHgemmStridedBatched", ta, tb, m, n, k, scalar(h, alpha), A, lda, sa, B, ldb, sb, scalar(h, beta), C,
         ldc, sc, count)
  return gemm_any(h, ta, tb, m, n, k, alpha, A, CUDA_R_16F, lda, sa, nullptr, B, CUDA_R_16F, ldb, sb, nullptr, beta, C,
                  CUDA_R_16F, ldc, sc, nullptr, count, CUBLAS_COMPUTE_16F);
}
cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                             const float* alpha, const void* A, cudaDataType at, int lda, const void* B,
                             cudaDataType bt, int ldb, const float* beta, void* C, cudaDataType ct, int ldc) {
  NVIDIA("cublasSgemmEx", ta, tb, m, n, k, scalar(h, alpha), A, at, lda, B, bt, ldb, scalar(h, beta), C, ct, ldc)
  return gemm_any(h, ta, tb, m, n, k, alpha, A, at, lda, 0, nullptr, B, bt, ldb, 0, nullptr, beta, C, ct, ldc, 0,
                  nullptr, 1, CUBLAS_COMPUTE_32F);
}
cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                            const void* alpha, const void* A, cudaDataType at, int lda, const void* B, cudaDataType bt,
                            int ldb, const void* beta, void* C, cudaDataType ct, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algo) {
  NVIDIA("cublasGemmEx", ta, tb, m, n, k, scalar(h, alpha), A, at, lda, B, bt, ldb, scalar(h, beta), C, ct, ldc,
         compute, algo)
  return gemm_any(h, ta, tb, m, n, k, alpha, A, at, lda, 0, nullptr, B, bt, ldb, 0, nullptr, beta, C, ct, ldc, 0,
                  nullptr, 1, compute);
}
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                                   const void* alpha, const void* const As[], cudaDataType at, int lda,
                                   const void* const Bs[], cudaDataType bt, int ldb, const void* beta, void* const Cs[],
                                   cudaDataType ct, int ldc, int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  return gemm_any(h, ta, tb, m, n, k, alpha, nullptr, at, lda, 0, As, nullptr, bt, ldb, 0, Bs, beta, nullptr, ct, ldc,
                  0, Cs, count, compute);
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                                          int k, const void* alpha, const void* A, cudaDataType at, int lda, i64 sa,
                                          const void* B, cudaDataType bt, int ldb, i64 sb, const void* beta, void* C,
                                          cudaDataType ct, int ldc, i64 sc, int count, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algo) {
  NVIDIA("cublasGemmStridedBatchedEx", ta, tb, m, n, k, scalar(h, alpha), A, at, lda, sa, B, bt, ldb, sb,
         scalar(h, beta), C, ct, ldc, sc, count, compute, algo)
  return gemm_any(h, ta, tb, m, n, k, alpha, A, at, lda, sa, nullptr, B, bt, ldb, sb, nullptr, beta, C, ct, ldc, sc,
                  nullptr, count, compute);
}

} // extern "C"

#include "extended.inl"
#include "factors.inl"
#include "cublas-lt.inl"
#include "settings.inl"
#include "emulation.inl"

#include "wide.h"
#include "wide-cublas.inc"
