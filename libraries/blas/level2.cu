// cuBLAS, level 2 beyond gemv, symv, trmv and trsv: band and packed storage, Hermitian matrices, updates of rank 1
// and 2.
#include "handle.h"
#include "stored.cuh"
#include "vector.cuh"

using namespace heddle_blas;

namespace {

bool is_lower(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER; }
bool is_fill(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER; }
bool is_operation(cublasOperation_t op) { return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C; }
bool is_diagonal(cublasDiagType_t diag) { return diag == CUBLAS_DIAG_UNIT || diag == CUBLAS_DIAG_NON_UNIT; }

/// A triangle, or a symmetric or Hermitian matrix of which a triangle is stored. k: diagonals beside the main one.
template <class T>
Stored<T> triangle(const void *A, Storage storage, Kind kind, int n, int k, int ld, cublasFillMode_t uplo,
                   cublasOperation_t op = CUBLAS_OP_N) {
  bool lower = is_lower(uplo);
  return {(const T *)A, storage, kind, n, n, lower ? k : 0, lower ? 0 : k, ld, lower, op != CUBLAS_OP_N,
          op == CUBLAS_OP_C};
}
Kind triangle_kind(cublasDiagType_t diag) { return diag == CUBLAS_DIAG_UNIT ? KIND_UNIT : KIND_TRIANGULAR; }

template <class T>
cublasStatus_t times_vector(cublasHandle_t h, const Stored<T> &a, Factor<T> alpha, const void *x, int incx,
                            Factor<T> beta, void *y, int incy) {
  int depth = a.isTransposed ? a.rows : a.columns;
  if (a.rows == 0 || a.columns == 0) return CUBLAS_STATUS_SUCCESS;
  stored_product<T><<<blocks(a.units(), 128), 128, 0, h->stream>>>(
      a, alpha, vector_start((const T *)x, depth, incx), incx, beta, vector_start((T *)y, a.units(), incy), incy);
  return launched();
}
/// x = op(A) x: the product reads a copy.
template <class T> cublasStatus_t times_itself(cublasHandle_t h, const Stored<T> &a, void *x, int incx) {
  int n = a.rows;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  T *held = (T *)h->copy_place(n * sizeof(T)), *first = vector_start((T *)x, n, incx);
  if (!held) return CUBLAS_STATUS_ALLOC_FAILED;
  copy_or_swap<T><<<blocks(n, 256), 256, 0, h->stream>>>(n, first, incx, held, 1, false);
  return times_vector<T>(h, a, constant(one<T>()), held, 1, constant(zero<T>()), x, incx);
}
template <class T> cublasStatus_t solve_stored(cublasHandle_t h, const Stored<T> &a, void *x, int incx) {
  if (a.rows == 0) return CUBLAS_STATUS_SUCCESS;
  stored_solve<T><<<1, 128, 0, h->stream>>>(a, vector_start((T *)x, a.rows, incx), incx);
  return launched();
}
template <class T>
cublasStatus_t update(cublasHandle_t h, const Update &how, Factor<T> alpha, const void *x, int incx, const void *y,
                      int incy, void *A) {
  if (how.rows == 0 || how.columns == 0) return CUBLAS_STATUS_SUCCESS;
  int parts = how.columns < 65535 ? how.columns : 65535;
  rank_update<T><<<dim3(blocks(how.rows, 128), parts), 128, 0, h->stream>>>(
      how, alpha, vector_start((const T *)x, how.rows, incx), incx, vector_start((const T *)y, how.columns, incy), incy,
      (T *)A);
  return launched();
}

} // namespace

#define INVALID_IF(...) \
  if (__VA_ARGS__) return CUBLAS_STATUS_INVALID_VALUE;

extern "C" {

// ---- bands and packed triangles of all types
#define HEDDLE_STORED(P, T, E)                                                                                         \
  cublasStatus_t cublas##P##gbmv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n, int kl, int ku,              \
                                    const T* alpha, const T* A, int lda, const T* x, int incx, const T* beta, T* y,    \
                                    int incy) {                                                                        \
    NVIDIA("cublas" #P "gbmv_v2", op, m, n, kl, ku, scalar(h, alpha), A, lda, x, incx, scalar(h, beta), y, incy)       \
    INVALID_IF(!is_operation(op) || m < 0 || n < 0 || kl < 0 || ku < 0 || lda < kl + ku + 1 || !incx || !incy)         \
    Stored<E> a = {(const E*)A, STORED_BAND, KIND_GENERAL, m, n, kl, ku, lda, false, op != CUBLAS_OP_N,                \
                   op == CUBLAS_OP_C};                                                                                 \
    return times_vector(h, a, factor<E>(*h, alpha), x, incx, factor<E>(*h, beta), y, incy);                            \
  }                                                                                                                    \
  cublasStatus_t cublas##P##tbmv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,                     \
                                    cublasDiagType_t diag, int n, int k, const T* A, int lda, T* x, int incx) {        \
    NVIDIA("cublas" #P "tbmv_v2", uplo, op, diag, n, k, A, lda, x, incx)                                               \
    INVALID_IF(!is_fill(uplo) || !is_operation(op) || !is_diagonal(diag) || n < 0 || k < 0 || lda < k + 1 || !incx)    \
    return times_itself(h, triangle<E>(A, STORED_BAND, triangle_kind(diag), n, k, lda, uplo, op), x, incx);            \
  }                                                                                                                    \
  cublasStatus_t cublas##P##tbsv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,                     \
                                    cublasDiagType_t diag, int n, int k, const T* A, int lda, T* x, int incx) {        \
    NVIDIA("cublas" #P "tbsv_v2", uplo, op, diag, n, k, A, lda, x, incx)                                               \
    INVALID_IF(!is_fill(uplo) || !is_operation(op) || !is_diagonal(diag) || n < 0 || k < 0 || lda < k + 1 || !incx)    \
    return solve_stored(h, triangle<E>(A, STORED_BAND, triangle_kind(diag), n, k, lda, uplo, op), x, incx);            \
  }                                                                                                                    \
  cublasStatus_t cublas##P##tpmv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,                     \
                                    cublasDiagType_t diag, int n, const T* A, T* x, int incx) {                        \
    NVIDIA("cublas" #P "tpmv_v2", uplo, op, diag, n, A, x, incx)                                                       \
    INVALID_IF(!is_fill(uplo) || !is_operation(op) || !is_diagonal(diag) || n < 0 || !incx)                            \
    return times_itself(h, triangle<E>(A, STORED_PACKED, triangle_kind(diag), n, n, 0, uplo, op), x, incx);            \
  }                                                                                                                    \
  cublasStatus_t cublas##P##tpsv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,                     \
                                    cublasDiagType_t diag, int n, const T* A, T* x, int incx) {                        \
    NVIDIA("cublas" #P "tpsv_v2", uplo, op, diag, n, A, x, incx)                                                       \
    INVALID_IF(!is_fill(uplo) || !is_operation(op) || !is_diagonal(diag) || n < 0 || !incx)                            \
    return solve_stored(h, triangle<E>(A, STORED_PACKED, triangle_kind(diag), n, n, 0, uplo, op), x, incx);            \
  }                                                                                                                    \
  cublasStatus_t cublas##P##tpttr(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* AP, T* A, int lda) {        \
    NVIDIA("cublas" #P "tpttr", uplo, n, AP, A, lda)                                                                   \
    INVALID_IF(!is_fill(uplo) || n < 0 || lda < (n > 1 ? n : 1))                                                       \
    if (n == 0) return CUBLAS_STATUS_SUCCESS;                                                                          \
    unpack_triangle<E>                                                                                                 \
        <<<dim3(blocks(n, 128), n), 128, 0, h->stream>>>(n, is_lower(uplo), (const E*)AP, (E*)A, lda);                 \
    return launched();                                                                                                 \
  }                                                                                                                    \
  cublasStatus_t cublas##P##trttp(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* A, int lda, T* AP) {        \
    NVIDIA("cublas" #P "trttp", uplo, n, A, lda, AP)                                                                   \
    INVALID_IF(!is_fill(uplo) || n < 0 || lda < (n > 1 ? n : 1))                                                       \
    if (n == 0) return CUBLAS_STATUS_SUCCESS;                                                                          \
    pack_triangle<E>                                                                                                   \
        <<<dim3(blocks(n, 128), n), 128, 0, h->stream>>>(n, is_lower(uplo), (const E*)A, lda, (E*)AP);                 \
    return launched();                                                                                                 \
  }
HEDDLE_STORED(S, float, float)
HEDDLE_STORED(D, double, double)
HEDDLE_STORED(C, cuComplex, c32)
HEDDLE_STORED(Z, cuDoubleComplex, c64)

// ---- symmetric and Hermitian matrices times a vector. BAND, PACKED, KIND: the names' middle and what it means
#define HEDDLE_BAND_MV(NAME, T, E, KIND)                                                                               \
  cublasStatus_t NAME(cublasHandle_t h, cublasFillMode_t uplo, int n, int k, const T* alpha, const T* A, int lda,      \
                      const T* x, int incx, const T* beta, T* y, int incy) {                                           \
    NVIDIA(#NAME, uplo, n, k, scalar(h, alpha), A, lda, x, incx, scalar(h, beta), y, incy)                             \
    INVALID_IF(!is_fill(uplo) || n < 0 || k < 0 || lda < k + 1 || !incx || !incy)                                      \
    return times_vector(h, triangle<E>(A, STORED_BAND, KIND, n, k, lda, uplo), factor<E>(*h, alpha), x, incx,          \
                        factor<E>(*h, beta), y, incy);                                                                 \
  }
#define HEDDLE_PACKED_MV(NAME, T, E, KIND)                                                                             \
  cublasStatus_t NAME(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* alpha, const T* A, const T* x,          \
                      int incx, const T* beta, T* y, int incy) {                                                       \
    NVIDIA(#NAME, uplo, n, scalar(h, alpha), A, x, incx, scalar(h, beta), y, incy)                                     \
    INVALID_IF(!is_fill(uplo) || n < 0 || !incx || !incy)                                                              \
    return times_vector(h, triangle<E>(A, STORED_PACKED, KIND, n, n, 0, uplo), factor<E>(*h, alpha), x, incx,          \
                        factor<E>(*h, beta), y, incy);                                                                 \
  }
HEDDLE_BAND_MV(cublasSsbmv_v2, float, float, KIND_SYMMETRIC)
HEDDLE_BAND_MV(cublasDsbmv_v2, double, double, KIND_SYMMETRIC)
HEDDLE_BAND_MV(cublasChbmv_v2, cuComplex, c32, KIND_HERMITIAN)
HEDDLE_BAND_MV(cublasZhbmv_v2, cuDoubleComplex, c64, KIND_HERMITIAN)
HEDDLE_PACKED_MV(cublasSspmv_v2, float, float, KIND_SYMMETRIC)
HEDDLE_PACKED_MV(cublasDspmv_v2, double, double, KIND_SYMMETRIC)
HEDDLE_PACKED_MV(cublasChpmv_v2, cuComplex, c32, KIND_HERMITIAN)
HEDDLE_PACKED_MV(cublasZhpmv_v2, cuDoubleComplex, c64, KIND_HERMITIAN)
#define HEDDLE_HEMV(P, T, E)                                                                                           \
  cublasStatus_t cublas##P##hemv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* alpha, const T* A,        \
                                    int lda, const T* x, int incx, const T* beta, T* y, int incy) {                    \
    NVIDIA("cublas" #P "hemv_v2", uplo, n, scalar(h, alpha), A, lda, x, incx, scalar(h, beta), y, incy)                \
    INVALID_IF(!is_fill(uplo) || n < 0 || lda < (n > 1 ? n : 1) || !incx || !incy)                                     \
    return times_vector(h, triangle<E>(A, STORED_FULL, KIND_HERMITIAN, n, n, lda, uplo), factor<E>(*h, alpha), x,      \
                        incx, factor<E>(*h, beta), y, incy);                                                           \
  }
HEDDLE_HEMV(C, cuComplex, c32)
HEDDLE_HEMV(Z, cuDoubleComplex, c64)

// ---- updates
#define HEDDLE_GER(NAME, T, E, CONJUGATED)                                                                             \
  cublasStatus_t NAME(cublasHandle_t h, int m, int n, const T* alpha, const T* x, int incx, const T* y, int incy,      \
                      T* A, int lda) {                                                                                 \
    NVIDIA(#NAME, m, n, scalar(h, alpha), x, incx, y, incy, A, lda)                                                    \
    INVALID_IF(m < 0 || n < 0 || !incx || !incy || lda < (m > 1 ? m : 1))                                              \
    return update(h, {m, n, false, false, false, CONJUGATED, false, lda}, factor<E>(*h, alpha), x, incx, y, incy, A);  \
  }
HEDDLE_GER(cublasCgeru_v2, cuComplex, c32, false)
HEDDLE_GER(cublasCgerc_v2, cuComplex, c32, true)
HEDDLE_GER(cublasZgeru_v2, cuDoubleComplex, c64, false)
HEDDLE_GER(cublasZgerc_v2, cuDoubleComplex, c64, true)

// R: the type of alpha; FACTOR makes it an E.
#define REAL(E) real_factor<E>(*h, 0, alpha)
#define SAME(E) factor<E>(*h, alpha)
#define HEDDLE_RANK1(NAME, T, R, E, FACTOR, CONJUGATED)                                                                \
  cublasStatus_t NAME(cublasHandle_t h, cublasFillMode_t uplo, int n, const R* alpha, const T* x, int incx, T* A,      \
                      int lda) {                                                                                       \
    NVIDIA(#NAME, uplo, n, scalar(h, alpha), x, incx, A, lda)                                                          \
    INVALID_IF(!is_fill(uplo) || n < 0 || !incx || lda < (n > 1 ? n : 1))                                              \
    return update(h, {n, n, true, is_lower(uplo), false, CONJUGATED, false, lda}, FACTOR(E), x, incx, x, incx, A);     \
  }
HEDDLE_RANK1(cublasCsyr_v2, cuComplex, cuComplex, c32, SAME, false)
HEDDLE_RANK1(cublasZsyr_v2, cuDoubleComplex, cuDoubleComplex, c64, SAME, false)
HEDDLE_RANK1(cublasCher_v2, cuComplex, float, c32, REAL, true)
HEDDLE_RANK1(cublasZher_v2, cuDoubleComplex, double, c64, REAL, true)
#define HEDDLE_PACKED_RANK1(NAME, T, R, E, FACTOR, CONJUGATED)                                                         \
  cublasStatus_t NAME(cublasHandle_t h, cublasFillMode_t uplo, int n, const R* alpha, const T* x, int incx, T* A) {    \
    NVIDIA(#NAME, uplo, n, scalar(h, alpha), x, incx, A)                                                               \
    INVALID_IF(!is_fill(uplo) || n < 0 || !incx)                                                                       \
    return update(h, {n, n, true, is_lower(uplo), true, CONJUGATED, false, 0}, FACTOR(E), x, incx, x, incx, A);        \
  }
HEDDLE_PACKED_RANK1(cublasSspr_v2, float, float, float, SAME, false)
HEDDLE_PACKED_RANK1(cublasDspr_v2, double, double, double, SAME, false)
HEDDLE_PACKED_RANK1(cublasChpr_v2, cuComplex, float, c32, REAL, true)
HEDDLE_PACKED_RANK1(cublasZhpr_v2, cuDoubleComplex, double, c64, REAL, true)
#define HEDDLE_RANK2(NAME, T, E, CONJUGATED)                                                                           \
  cublasStatus_t NAME(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* alpha, const T* x, int incx,            \
                      const T* y, int incy, T* A, int lda) {                                                           \
    NVIDIA(#NAME, uplo, n, scalar(h, alpha), x, incx, y, incy, A, lda)                                                 \
    INVALID_IF(!is_fill(uplo) || n < 0 || !incx || !incy || lda < (n > 1 ? n : 1))                                     \
    return update(h, {n, n, true, is_lower(uplo), false, CONJUGATED, true, lda}, SAME(E), x, incx, y, incy, A);        \
  }
HEDDLE_RANK2(cublasSsyr2_v2, float, float, false)
HEDDLE_RANK2(cublasDsyr2_v2, double, double, false)
HEDDLE_RANK2(cublasCsyr2_v2, cuComplex, c32, false)
HEDDLE_RANK2(cublasZsyr2_v2, cuDoubleComplex, c64, false)
HEDDLE_RANK2(cublasCher2_v2, cuComplex, c32, true)
HEDDLE_RANK2(cublasZher2_v2, cuDoubleComplex, c64, true)
#define HEDDLE_PACKED_RANK2(NAME, T, E, CONJUGATED)                                                                    \
  cublasStatus_t NAME(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* alpha, const T* x, int incx,            \
                      const T* y, int incy, T* A) {                                                                    \
    NVIDIA(#NAME, uplo, n, scalar(h, alpha), x, incx, y, incy, A)                                                      \
    INVALID_IF(!is_fill(uplo) || n < 0 || !incx || !incy)                                                              \
    return update(h, {n, n, true, is_lower(uplo), true, CONJUGATED, true, 0}, SAME(E), x, incx, y, incy, A);           \
  }
HEDDLE_PACKED_RANK2(cublasSspr2_v2, float, float, false)
HEDDLE_PACKED_RANK2(cublasDspr2_v2, double, double, false)
HEDDLE_PACKED_RANK2(cublasChpr2_v2, cuComplex, c32, true)
HEDDLE_PACKED_RANK2(cublasZhpr2_v2, cuDoubleComplex, c64, true)

} // extern "C"

#include "wide.h"
#include "wide-level2.inc"
