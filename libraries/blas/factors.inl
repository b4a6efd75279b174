// Factors of many small matrices at once: part of cublas.cu. NVIDIA's own functions are not called: they read arrays of
// addresses (nvidia.h).

namespace {
// LAPACK's number for the first argument that is wrong, from the left, counted without the handle.
int wrong_argument(int n, int lda, int batch, int ldaAt, int batchAt) {
  if (n < 0) return 1;
  if (lda < (n > 1 ? n : 1)) return ldaAt;
  return batch < 0 ? batchAt : 0;
}
} // namespace

extern "C" {

#define BATCHED(P, T, E)                                                                                             \
  cublasStatus_t cublas##P##getrfBatched(cublasHandle_t h, int n, T* const As[], int lda, int* pivots, int* info,      \
                                         int batch) {                                                                  \
    if (!is_live(h)) return CUBLAS_STATUS_NOT_INITIALIZED;                                                             \
    if (wrong_argument(n, lda, batch, 3, 6)) return CUBLAS_STATUS_INVALID_VALUE;                                       \
    if (batch == 0) return CUBLAS_STATUS_SUCCESS;                                                                      \
    lu_batch<E><<<batch, FACTOR_THREADS, 0, h->stream>>>(n, (E* const*)As, lda, pivots, info);                         \
    return launched();                                                                                                 \
  }                                                                                                                    \
  cublasStatus_t cublas##P##getriBatched(cublasHandle_t h, int n, const T* const As[], int lda, const int* pivots,     \
                                         T* const Cs[], int ldc, int* info, int batch) {                               \
    if (!is_live(h)) return CUBLAS_STATUS_NOT_INITIALIZED;                                                             \
    if (wrong_argument(n, lda, batch, 3, 8) || wrong_argument(n, ldc, batch, 6, 8))                                    \
      return CUBLAS_STATUS_INVALID_VALUE;                                                                              \
    if (batch == 0) return CUBLAS_STATUS_SUCCESS;                                                                      \
    invert_batch<E><<<batch, FACTOR_THREADS, 0, h->stream>>>(n, (const E* const*)As, lda, pivots, (E* const*)Cs, ldc,  \
                                                             info);                                                    \
    return launched();                                                                                                 \
  }                                                                                                                    \
  cublasStatus_t cublas##P##getrsBatched(cublasHandle_t h, cublasOperation_t op, int n, int sides,                     \
                                         const T* const As[], int lda, const int* pivots, T* const Bs[], int ldb,      \
                                         int* info, int batch) {                                                       \
    if (!is_live(h)) return CUBLAS_STATUS_NOT_INITIALIZED;                                                             \
    int wrong = wrong_argument(n, lda, batch, 5, 10);                                                                  \
    if (wrong == 1) wrong = 2;                                                                                         \
    if (sides < 0) wrong = 3;                                                                                          \
    if (!wrong && ldb < (n > 1 ? n : 1)) wrong = 8;                                                                    \
    *info = -wrong;                                                                                                    \
    if (wrong) return CUBLAS_STATUS_INVALID_VALUE;                                                                     \
    if (batch == 0 || sides == 0) return CUBLAS_STATUS_SUCCESS;                                                        \
    solve_batch<E><<<batch, FACTOR_THREADS, 0, h->stream>>>(                                                           \
        op == CUBLAS_OP_N ? 0 : op == CUBLAS_OP_T ? 1 : 2, n, sides, (const E* const*)As, lda, pivots,                 \
        (E* const*)Bs, ldb);                                                                                           \
    return launched();                                                                                                 \
  }                                                                                                                    \
  cublasStatus_t cublas##P##matinvBatched(cublasHandle_t h, int n, const T* const As[], int lda, T* const Cs[],        \
                                          int ldc, int* info, int batch) {                                             \
    if (!is_live(h)) return CUBLAS_STATUS_NOT_INITIALIZED;                                                             \
    if (wrong_argument(n, lda, batch, 3, 7) || ldc < n || n > 32) return CUBLAS_STATUS_INVALID_VALUE;                  \
    if (batch == 0) return CUBLAS_STATUS_SUCCESS;                                                                      \
    matrix_inverse_batch<E><<<batch, FACTOR_THREADS, 0, h->stream>>>(n, (const E* const*)As, lda, (E* const*)Cs, ldc,  \
                                                                     info);                                            \
    return launched();                                                                                                 \
  }                                                                                                                    \
  cublasStatus_t cublas##P##geqrfBatched(cublasHandle_t h, int m, int n, T* const As[], int lda, T* const taus[],      \
                                         int* info, int batch) {                                                       \
    if (!is_live(h)) return CUBLAS_STATUS_NOT_INITIALIZED;                                                             \
    *info = m < 0 ? -1 : n < 0 ? -2 : lda < (m > 1 ? m : 1) ? -4 : batch < 0 ? -7 : 0;                                 \
    if (*info) return CUBLAS_STATUS_INVALID_VALUE;                                                                     \
    if (batch == 0 || m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;                                                  \
    qr_batch<E><<<batch, FACTOR_THREADS, 0, h->stream>>>(m, n, (E* const*)As, lda, (E* const*)taus);                   \
    return launched();                                                                                                 \
  }                                                                                                                    \
  cublasStatus_t cublas##P##gelsBatched(cublasHandle_t h, cublasOperation_t op, int m, int n, int sides,               \
                                        T* const As[], int lda, T* const Cs[], int ldc, int* info, int* infos,         \
                                        int batch) {                                                                   \
    if (!is_live(h)) return CUBLAS_STATUS_NOT_INITIALIZED;                                                             \
    if (!info) return CUBLAS_STATUS_INVALID_VALUE;                                                                     \
    int rows = m > 1 ? m : 1;                                                                                          \
    *info = m < 0 ? -2 : n < 0 ? -3 : sides < 0 ? -4 : lda < rows ? -6 : ldc < rows ? -8 : batch < 0 ? -11 : 0;        \
    if (*info) return CUBLAS_STATUS_INVALID_VALUE;                                                                     \
    if (op != CUBLAS_OP_N || m < n) return CUBLAS_STATUS_NOT_SUPPORTED;                                                \
    if (batch == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;                                                            \
    E* taus = (E*)h->scratch((size_t)batch * n * sizeof(E));                                                           \
    if (!taus) return CUBLAS_STATUS_ALLOC_FAILED;                                                                      \
    least_squares_batch<E><<<batch, FACTOR_THREADS, 0, h->stream>>>(m, n, sides, (E* const*)As, lda, (E* const*)Cs,    \
                                                                    ldc, taus, infos);                                 \
    return launched();                                                                                                 \
  }
BATCHED(S, float, float)
BATCHED(D, double, double)
BATCHED(C, cuComplex, c32)
BATCHED(Z, cuDoubleComplex, c64)
#undef BATCHED

} // extern "C"
