// cuBLAS, level 3 beyond what cublas.cu has: Hermitian products, rank-k updates of two operands, products by three
// multiplications, batches of vectors and triangles, and groups of products.
#include "product.h"

namespace {

template <class T> __global__ void make_diagonal_real(int n, T *c, int ldc) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i + (i64)i * ldc] = Number<T>::of(real_part(c[i + (i64)i * ldc]), 0);
}

/// Numbers of CUDA_C_8I.
struct c8 { signed char x, y; };

int part_of(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER ? PART_LOWER : PART_UPPER; }
bool is_rank(cublasFillMode_t uplo, cublasOperation_t op, int n, int k, int lda, int ldc, cublasOperation_t other) {
  int rows = op == CUBLAS_OP_N ? n : k;
  return (uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER) && (op == CUBLAS_OP_N || op == other) &&
         n >= 0 && k >= 0 && lda >= (rows > 1 ? rows : 1) && ldc >= (n > 1 ? n : 1);
}

/// C = alpha op(A) op(B)' + beta C in one triangle, where ' transposes, or with isHermitian conjugates too.
template <class In, class E, class Out>
cublasStatus_t rank_product(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k,
                            Factor<E> alpha, const void *A, int lda, const void *B, int ldb, Factor<E> beta, void *C,
                            int ldc, bool isHermitian) {
  cublasOperation_t turned = isHermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
  bool isPlain = op == CUBLAS_OP_N;
  Operand c = matrix(C, ldc, CUBLAS_OP_N);
  return product<In, E, Out>(*h, n, n, k, alpha, matrix(A, lda, isPlain ? CUBLAS_OP_N : turned),
                             matrix(B, ldb, isPlain ? turned : CUBLAS_OP_N), beta, c, c, 1, part_of(uplo));
}
template <class Out> cublasStatus_t real_diagonal(cublasHandle_t h, int n, void *C, int ldc) {
  if (n > 0) make_diagonal_real<Out><<<blocks(n, 128), 128, 0, h->stream>>>(n, (Out *)C, ldc);
  return launched();
}

} // namespace

namespace heddle_numbers {
template <> struct Convert<c32, c8> {
  static __host__ __device__ c32 of(c8 a) { return {(float)a.x, (float)a.y}; }
};
} // namespace heddle_numbers

#define INVALID_UNLESS(...) \
  if (!(__VA_ARGS__)) return CUBLAS_STATUS_INVALID_VALUE;

extern "C" {

// ---- Hermitian matrices
#define HEDDLE_HERMITIAN(P, T, E, R)                                                                                   \
  cublasStatus_t cublas##P##hemm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,      \
                                    const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C,     \
                                    int ldc) {                                                                         \
    NVIDIA("cublas" #P "hemm_v2", side, uplo, m, n, scalar(h, alpha), A, lda, B, ldb, scalar(h, beta), C, ldc)         \
    bool left = side == CUBLAS_SIDE_LEFT;                                                                              \
    INVALID_UNLESS(is_valid(side) && is_valid(uplo) && m >= 0 && n >= 0 && fits(lda, left ? m : n) && fits(ldb, m) &&  \
                   fits(ldc, m))                                                                                       \
    Operand a = shaped(A, lda, CUBLAS_OP_N,                                                                            \
                       uplo == CUBLAS_FILL_MODE_LOWER ? HERMITIAN_LOWER : HERMITIAN_UPPER),                            \
            b = matrix(B, ldb, CUBLAS_OP_N), c = matrix(C, ldc, CUBLAS_OP_N);                                          \
    return product<E, E, E>(*h, m, n, left ? m : n, factor<E>(*h, alpha), left ? a : b, left ? b : a,                  \
                            factor<E>(*h, beta), c, c);                                                                \
  }                                                                                                                    \
  cublasStatus_t cublas##P##herk_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k,       \
                                    const R* alpha, const T* A, int lda, const R* beta, T* C, int ldc) {               \
    NVIDIA("cublas" #P "herk_v2", uplo, op, n, k, scalar(h, alpha), A, lda, scalar(h, beta), C, ldc)                   \
    INVALID_UNLESS(is_rank(uplo, op, n, k, lda, ldc, CUBLAS_OP_C))                                                     \
    cublasStatus_t status = rank_product<E, E, E>(h, uplo, op, n, k, real_factor<E>(*h, 0, alpha), A, lda, A, lda,     \
                                                  real_factor<E>(*h, 1, beta), C, ldc, true);                          \
    return status == CUBLAS_STATUS_SUCCESS ? real_diagonal<E>(h, n, C, ldc) : status;                                  \
  }                                                                                                                    \
  cublasStatus_t cublas##P##her2k_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k,      \
                                     const T* alpha, const T* A, int lda, const T* B, int ldb, const R* beta, T* C,    \
                                     int ldc) {                                                                        \
    NVIDIA("cublas" #P "her2k_v2", uplo, op, n, k, scalar(h, alpha), A, lda, B, ldb, scalar(h, beta), C, ldc)          \
    INVALID_UNLESS(is_rank(uplo, op, n, k, lda, ldc, CUBLAS_OP_C) && is_rank(uplo, op, n, k, ldb, ldc, CUBLAS_OP_C))   \
    cublasStatus_t status = rank_product<E, E, E>(h, uplo, op, n, k, factor<E>(*h, alpha), A, lda, B, ldb,             \
                                                  real_factor<E>(*h, 1, beta), C, ldc, true);                          \
    if (status != CUBLAS_STATUS_SUCCESS) return status;                                                                \
    status = rank_product<E, E, E>(h, uplo, op, n, k, made_factor<E>(*h, 2, alpha, false, true), B, ldb, A, lda,       \
                                   constant(one<E>()), C, ldc, true);                                                  \
    return status == CUBLAS_STATUS_SUCCESS ? real_diagonal<E>(h, n, C, ldc) : status;                                  \
  }                                                                                                                    \
  cublasStatus_t cublas##P##herkx(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k,         \
                                  const T* alpha, const T* A, int lda, const T* B, int ldb, const R* beta, T* C,       \
                                  int ldc) {                                                                           \
    NVIDIA("cublas" #P "herkx", uplo, op, n, k, scalar(h, alpha), A, lda, B, ldb, scalar(h, beta), C, ldc)             \
    INVALID_UNLESS(is_rank(uplo, op, n, k, lda, ldc, CUBLAS_OP_C) && is_rank(uplo, op, n, k, ldb, ldc, CUBLAS_OP_C))   \
    cublasStatus_t status = rank_product<E, E, E>(h, uplo, op, n, k, factor<E>(*h, alpha), A, lda, B, ldb,             \
                                                  real_factor<E>(*h, 1, beta), C, ldc, true);                          \
    return status == CUBLAS_STATUS_SUCCESS ? real_diagonal<E>(h, n, C, ldc) : status;                                  \
  }                                                                                                                    \
  cublasStatus_t cublas##P##gemm3m(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,  \
                                   const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C,      \
                                   int ldc) {                                                                          \
    return cublas##P##gemm_v2(h, ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);                                \
  }
HEDDLE_HERMITIAN(C, cuComplex, c32, float)
HEDDLE_HERMITIAN(Z, cuDoubleComplex, c64, double)
cublasStatus_t cublasCgemm3mBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                                    const cuComplex *alpha, const cuComplex *const As[], int lda,
                                    const cuComplex *const Bs[], int ldb, const cuComplex *beta, cuComplex *const Cs[],
                                    int ldc, int count) {
  return cublasCgemmBatched(h, ta, tb, m, n, k, alpha, As, lda, Bs, ldb, beta, Cs, ldc, count);
}
cublasStatus_t cublasCgemm3mStridedBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                                           int k, const cuComplex *alpha, const cuComplex *A, int lda, i64 sa,
                                           const cuComplex *B, int ldb, i64 sb, const cuComplex *beta, cuComplex *C,
                                           int ldc, i64 sc, int count) {
  return cublasCgemmStridedBatched(h, ta, tb, m, n, k, alpha, A, lda, sa, B, ldb, sb, beta, C, ldc, sc, count);
}

// ---- two operands whose product is known to be symmetric, and batches
#define HEDDLE_ALL_TYPES(P, T, E)                                                                                      \
  cublasStatus_t cublas##P##syrkx(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k,         \
                                  const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C,       \
                                  int ldc) {                                                                           \
    NVIDIA("cublas" #P "syrkx", uplo, op, n, k, scalar(h, alpha), A, lda, B, ldb, scalar(h, beta), C, ldc)             \
    if (op == CUBLAS_OP_C && sizeof(E) == sizeof(typename RealOf<E>::type)) op = CUBLAS_OP_T; /* of real numbers */    \
    INVALID_UNLESS(is_rank(uplo, op, n, k, lda, ldc, CUBLAS_OP_T) && is_rank(uplo, op, n, k, ldb, ldc, CUBLAS_OP_T))   \
    return rank_product<E, E, E>(h, uplo, op, n, k, factor<E>(*h, alpha), A, lda, B, ldb, factor<E>(*h, beta), C, ldc, \
                                 false);                                                                               \
  }                                                                                                                    \
  cublasStatus_t cublas##P##trsmBatched(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,                \
                                        cublasOperation_t op, cublasDiagType_t diag, int m, int n, const T* alpha,     \
                                        const T* const As[], int lda, T* const Bs[], int ldb, int count) {             \
    NEED_HANDLE bool left = side == CUBLAS_SIDE_LEFT;                                                                  \
    int order = left ? m : n;                                                                                          \
    INVALID_UNLESS(is_valid(side) && is_valid(uplo) && is_valid(op) && is_valid(diag) && m >= 0 && n >= 0 &&           \
                   count >= 0 && fits(lda, order) && fits(ldb, m))                                                     \
    Substitution how = substitution(left, uplo, op, diag, m, n, lda, 1, ldb);                                          \
    for (int base = 0; base < count && how.n > 0 && how.sides > 0; base += 65535) {                                    \
      int now = count - base < 65535 ? count - base : 65535;                                                           \
      solve_triangular_batch<E><<<dim3(blocks(how.sides, 128), now), 128, 0, h->stream>>>(                             \
          how, (const E* const*)As + base, factor<E>(*h, alpha), (E* const*)Bs + base);                                \
    }                                                                                                                  \
    return launched();                                                                                                 \
  }                                                                                                                    \
  HEDDLE_GEMV_BATCHED(P, T, T, T, E, E, E)
// A: type of the matrix and x, F: of the factors, Y: of y; then ours of the elements, the sums, and y
#define HEDDLE_GEMV_BATCHED(P, A, F, Y, In, Sum, Out)                                                                  \
  cublasStatus_t cublas##P##gemvBatched(cublasHandle_t h, cublasOperation_t op, int m, int n, const F* alpha,          \
                                        const A* const As[], int lda, const A* const xs[], int incx, const F* beta,    \
                                        Y* const ys[], int incy, int count) {                                          \
    DONE_IF_EMPTY(m, n)                                                                                                \
    NEED_HANDLE int rows = op == CUBLAS_OP_N ? m : n, depth = op == CUBLAS_OP_N ? n : m;                               \
    INVALID_UNLESS(m >= 0 && n >= 0 && count >= 0 && lda >= (m > 1 ? m : 1) && incx && incy)                           \
    Operand in = column(nullptr, incx), out = column(nullptr, incy);                                                   \
    in.batch = {nullptr, (const void* const*)xs, 0, incx < 0 ? -(i64)(depth - 1) * incx : 0};                          \
    out.batch = {nullptr, (const void* const*)ys, 0, incy < 0 ? -(i64)(rows - 1) * incy : 0};                          \
    return product<In, Sum, Out>(*h, rows, 1, depth, factor<Sum>(*h, alpha),                                           \
                                 matrix(nullptr, lda, op, 0, (const void* const*)As), in, factor<Sum>(*h, beta), out,  \
                                 out, count);                                                                          \
  }
#define HEDDLE_GEMV_STRIDED(P, A, F, Y, In, Sum, Out)                                                                  \
  cublasStatus_t cublas##P##gemvStridedBatched(cublasHandle_t h, cublasOperation_t op, int m, int n, const F* alpha,   \
                                               const A* a, int lda, i64 sa, const A* x, int incx, i64 sx,              \
                                               const F* beta, Y* y, int incy, i64 sy, int count) {                     \
    DONE_IF_EMPTY(m, n)                                                                                                \
    NEED_HANDLE INVALID_UNLESS(count >= 0 && lda >= (m > 1 ? m : 1))                                                   \
    return gemv_strided<In, Sum, Out>(h, op, m, n, factor<Sum>(*h, alpha), a, lda, sa, x, incx, sx,                    \
                                      factor<Sum>(*h, beta), y, incy, sy, count);                                      \
  }
HEDDLE_ALL_TYPES(S, float, float)
HEDDLE_ALL_TYPES(D, double, double)
HEDDLE_ALL_TYPES(C, cuComplex, c32)
HEDDLE_ALL_TYPES(Z, cuDoubleComplex, c64)
#define HEDDLE_NARROW(P, A, Y)                            \
  HEDDLE_GEMV_BATCHED(P, A, float, Y, A, float, Y)        \
  HEDDLE_GEMV_STRIDED(P, A, float, Y, A, float, Y)
HEDDLE_NARROW(HSH, __half, __half)
HEDDLE_NARROW(HSS, __half, float)
HEDDLE_NARROW(TST, __nv_bfloat16, __nv_bfloat16)
HEDDLE_NARROW(TSS, __nv_bfloat16, float)

// Each group has its own shape; the factors of all are on the host, or all on the device.
#define HEDDLE_GROUPED(P, T)                                                                                           \
  cublasStatus_t cublas##P##gemmGroupedBatched(                                                                        \
      cublasHandle_t h, const cublasOperation_t ta[], const cublasOperation_t tb[], const int m[], const int n[],      \
      const int k[], const T alpha[], const T* const As[], const int lda[], const T* const Bs[], const int ldb[],      \
      const T beta[], T* const Cs[], const int ldc[], int groups, const int sizes[]) {                                 \
    NEED_HANDLE INVALID_UNLESS(groups >= 0)                                                                            \
    for (int g = 0, first = 0; g < groups; first += sizes[g++])                                                        \
      if (cublasStatus_t status =                                                                                      \
              cublas##P##gemmBatched(h, ta[g], tb[g], m[g], n[g], k[g], alpha + g, As + first, lda[g], Bs + first,     \
                                     ldb[g], beta + g, Cs + first, ldc[g], sizes[g]);                                  \
          status != CUBLAS_STATUS_SUCCESS)                                                                             \
        return status;                                                                                                 \
    return CUBLAS_STATUS_SUCCESS;                                                                                      \
  }
HEDDLE_GROUPED(S, float)
HEDDLE_GROUPED(D, double)
cublasStatus_t cublasGemmGroupedBatchedEx(cublasHandle_t h, const cublasOperation_t ta[], const cublasOperation_t tb[],
                                          const int m[], const int n[], const int k[], const void *alpha,
                                          const void *const As[], cudaDataType at, const int lda[],
                                          const void *const Bs[], cudaDataType bt, const int ldb[], const void *beta,
                                          void *const Cs[], cudaDataType ct, const int ldc[], int groups,
                                          const int sizes[], cublasComputeType_t compute) {
  NEED_HANDLE INVALID_UNLESS(groups >= 0)
  int bytes = compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC ? 8 : 4;
  for (int g = 0, first = 0; g < groups; first += sizes[g++])
    if (cublasStatus_t status = cublasGemmBatchedEx(
            h, ta[g], tb[g], m[g], n[g], k[g], (const char *)alpha + g * bytes, As + first, at, lda[g], Bs + first, bt,
            ldb[g], (const char *)beta + g * bytes, Cs + first, ct, ldc[g], sizes[g], compute, CUBLAS_GEMM_DEFAULT);
        status != CUBLAS_STATUS_SUCCESS)
      return status;
  return CUBLAS_STATUS_SUCCESS;
}

// ---- complex products of other types
#define HEDDLE_RANK_EX(NAME, R, MADE_ALPHA, MADE_BETA, HERMITIAN)                                                      \
  cublasStatus_t NAME(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k, const R* alpha,     \
                      const void* A, cudaDataType at, int lda, const R* beta, void* C, cudaDataType ct, int ldc) {     \
    NVIDIA(#NAME, uplo, op, n, k, scalar(h, alpha), A, at, lda, scalar(h, beta), C, ct, ldc)                           \
    INVALID_UNLESS(is_rank(uplo, op, n, k, lda, ldc, HERMITIAN ? CUBLAS_OP_C : CUBLAS_OP_T))                           \
    if (ct != CUDA_C_32F || (at != CUDA_C_32F && at != CUDA_C_8I)) return CUBLAS_STATUS_NOT_SUPPORTED;                 \
    Factor<c32> a = MADE_ALPHA, b = MADE_BETA;                                                                         \
    cublasStatus_t status =                                                                                            \
        at == CUDA_C_8I ? rank_product<c8, c32, c32>(h, uplo, op, n, k, a, A, lda, A, lda, b, C, ldc, HERMITIAN)       \
                        : rank_product<c32, c32, c32>(h, uplo, op, n, k, a, A, lda, A, lda, b, C, ldc, HERMITIAN);     \
    return status == CUBLAS_STATUS_SUCCESS && HERMITIAN ? real_diagonal<c32>(h, n, C, ldc) : status;                   \
  }
HEDDLE_RANK_EX(cublasCsyrkEx, cuComplex, factor<c32>(*h, alpha), factor<c32>(*h, beta), false)
HEDDLE_RANK_EX(cublasCsyrk3mEx, cuComplex, factor<c32>(*h, alpha), factor<c32>(*h, beta), false)
HEDDLE_RANK_EX(cublasCherkEx, float, real_factor<c32>(*h, 0, alpha), real_factor<c32>(*h, 1, beta), true)
HEDDLE_RANK_EX(cublasCherk3mEx, float, real_factor<c32>(*h, 0, alpha), real_factor<c32>(*h, 1, beta), true)

#define HEDDLE_GEMM_EX(NAME)                                                                                           \
  cublasStatus_t NAME(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,               \
                      const cuComplex* alpha, const void* A, cudaDataType at, int lda, const void* B, cudaDataType bt, \
                      int ldb, const cuComplex* beta, void* C, cudaDataType ct, int ldc) {                             \
    NVIDIA(#NAME, ta, tb, m, n, k, scalar(h, alpha), A, at, lda, B, bt, ldb, scalar(h, beta), C, ct, ldc)              \
    if (at != bt || ct != CUDA_C_32F || (at != CUDA_C_32F && at != CUDA_C_8I)) return CUBLAS_STATUS_NOT_SUPPORTED;     \
    Factor<c32> a = factor<c32>(*h, alpha), b = factor<c32>(*h, beta);                                                 \
    return at == CUDA_C_8I ? gemm<c8, c32, c32>(h, ta, tb, m, n, k, a, A, lda, 0, nullptr, B, ldb, 0, nullptr, b, C,   \
                                                ldc, 0, nullptr, 1)                                                    \
                           : gemm<c32, c32, c32>(h, ta, tb, m, n, k, a, A, lda, 0, nullptr, B, ldb, 0, nullptr, b, C,  \
                                                 ldc, 0, nullptr, 1);                                                  \
  }
HEDDLE_GEMM_EX(cublasCgemmEx)
HEDDLE_GEMM_EX(cublasCgemm3mEx)

} // extern "C"

#include "wide.h"
#include "wide-level3.inc"
