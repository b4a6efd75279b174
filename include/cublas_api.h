/*
 * cuBLAS: types, enumerations and functions, after the cuBLAS documentation; the numbers are part of its binary
 * interface. Functions are imported by the host program under these names. Which ones are there is the runtime's
 * business: a call of one that is not says so by its name.
 */
#pragma once
#define CUBLAS_API_H_ // public code asks for it

#include "cuda_runtime.h"
#include "cuComplex.h"
#include "library_types.h"
#ifdef __cplusplus
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#else
typedef struct { unsigned short x; } __half;
typedef struct { unsigned short x; } __nv_bfloat16;
#endif

#ifndef CUBLASAPI
#define CUBLASAPI
#endif
#define CUBLASWINAPI
#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 4
#define CUBLAS_VER_PATCH 5
#define CUBLAS_VER_BUILD 8
#define CUBLAS_VERSION 120405

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum {
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,
  CUBLAS_OP_C = 2,
  CUBLAS_OP_HERMITAN = 2,
  CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_ALGO0 = 0,
  CUBLAS_GEMM_ALGO1 = 1,
  CUBLAS_GEMM_ALGO2 = 2,
  CUBLAS_GEMM_ALGO3 = 3,
  CUBLAS_GEMM_ALGO4 = 4,
  CUBLAS_GEMM_ALGO5 = 5,
  CUBLAS_GEMM_ALGO6 = 6,
  CUBLAS_GEMM_ALGO7 = 7,
  CUBLAS_GEMM_ALGO8 = 8,
  CUBLAS_GEMM_ALGO9 = 9,
  CUBLAS_GEMM_ALGO10 = 10,
  CUBLAS_GEMM_ALGO11 = 11,
  CUBLAS_GEMM_ALGO12 = 12,
  CUBLAS_GEMM_ALGO13 = 13,
  CUBLAS_GEMM_ALGO14 = 14,
  CUBLAS_GEMM_ALGO15 = 15,
  CUBLAS_GEMM_ALGO16 = 16,
  CUBLAS_GEMM_ALGO17 = 17,
  CUBLAS_GEMM_ALGO18 = 18,
  CUBLAS_GEMM_ALGO19 = 19,
  CUBLAS_GEMM_ALGO20 = 20,
  CUBLAS_GEMM_ALGO21 = 21,
  CUBLAS_GEMM_ALGO22 = 22,
  CUBLAS_GEMM_ALGO23 = 23,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
  CUBLAS_GEMM_ALGO1_TENSOR_OP = 101,
  CUBLAS_GEMM_ALGO2_TENSOR_OP = 102,
  CUBLAS_GEMM_ALGO3_TENSOR_OP = 103,
  CUBLAS_GEMM_ALGO4_TENSOR_OP = 104,
  CUBLAS_GEMM_ALGO5_TENSOR_OP = 105,
  CUBLAS_GEMM_ALGO6_TENSOR_OP = 106,
  CUBLAS_GEMM_ALGO7_TENSOR_OP = 107,
  CUBLAS_GEMM_ALGO8_TENSOR_OP = 108,
  CUBLAS_GEMM_ALGO9_TENSOR_OP = 109,
  CUBLAS_GEMM_ALGO10_TENSOR_OP = 110,
  CUBLAS_GEMM_ALGO11_TENSOR_OP = 111,
  CUBLAS_GEMM_ALGO12_TENSOR_OP = 112,
  CUBLAS_GEMM_ALGO13_TENSOR_OP = 113,
  CUBLAS_GEMM_ALGO14_TENSOR_OP = 114,
  CUBLAS_GEMM_ALGO15_TENSOR_OP = 115
} cublasGemmAlgo_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef cudaEmulationStrategy cublasEmulationStrategy_t;
#define CUBLAS_EMULATION_STRATEGY_DEFAULT CUDA_EMULATION_STRATEGY_DEFAULT
#define CUBLAS_EMULATION_STRATEGY_PERFORMANT CUDA_EMULATION_STRATEGY_PERFORMANT
#define CUBLAS_EMULATION_STRATEGY_EAGER CUDA_EMULATION_STRATEGY_EAGER
typedef cudaDataType cublasDataType_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73
} cublasComputeType_t;

struct cublasContext;
typedef struct cublasContext *cublasHandle_t;
typedef void (*cublasLogCallback)(const char *msg);

#ifdef __cplusplus
extern "C" {
#endif

/* Helpers */
cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
size_t cublasGetCudartVersion(void);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasLoggerConfigure(int logIsOn, int logToStdOut, int logToStdErr, const char *logFileName);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
void cublasXerbla(const char *name, int info);
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback userCallback);
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *userCallback);
/* Kept and returned: nothing is emulated (libraries/blas/emulation.inl). */
cublasStatus_t cublasGetEmulationStrategy(cublasHandle_t handle, cublasEmulationStrategy_t *strategy);
cublasStatus_t cublasSetEmulationStrategy(cublasHandle_t handle, cublasEmulationStrategy_t strategy);
cublasStatus_t cublasGetEmulationSpecialValuesSupport(cublasHandle_t handle, cudaEmulationSpecialValuesSupport *mask);
cublasStatus_t cublasSetEmulationSpecialValuesSupport(cublasHandle_t handle, cudaEmulationSpecialValuesSupport mask);
cublasStatus_t cublasGetFixedPointEmulationMantissaControl(cublasHandle_t handle,
                                                           cudaEmulationMantissaControl *control);
cublasStatus_t cublasSetFixedPointEmulationMantissaControl(cublasHandle_t handle, cudaEmulationMantissaControl control);
cublasStatus_t cublasGetFixedPointEmulationMaxMantissaBitCount(cublasHandle_t handle, int *count);
cublasStatus_t cublasSetFixedPointEmulationMaxMantissaBitCount(cublasHandle_t handle, int count);
cublasStatus_t cublasGetFixedPointEmulationMantissaBitOffset(cublasHandle_t handle, int *offset);
cublasStatus_t cublasSetFixedPointEmulationMantissaBitOffset(cublasHandle_t handle, int offset);
cublasStatus_t cublasGetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t handle, int **count);
cublasStatus_t cublasSetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t handle, int *count);
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int smCountTarget);
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int *smCountTarget);
cublasStatus_t cublasRotgEx(cublasHandle_t handle, void *a, void *b, cudaDataType abType, void *c, void *s,
                            cudaDataType csType, cudaDataType executiontype);
cublasStatus_t cublasRotmEx(cublasHandle_t handle, int n, void *x, cudaDataType xType, int incx, void *y,
                            cudaDataType yType, int incy, const void *param, cudaDataType paramType,
                            cudaDataType executiontype);
cublasStatus_t cublasRotmgEx(cublasHandle_t handle, void *d1, cudaDataType d1Type, void *d2, cudaDataType d2Type,
                             void *x1, cudaDataType x1Type, const void *y1, cudaDataType y1Type, void *param,
                             cudaDataType paramType, cudaDataType executiontype);
cublasStatus_t cublasSetVector(int n, int elemSize, const void *x, int incx, void *devicePtr, int incy);
cublasStatus_t cublasGetVector(int n, int elemSize, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb);
cublasStatus_t cublasGetMatrix(int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb);
cublasStatus_t cublasSetVectorAsync(int n, int elemSize, const void* hostPtr, int incx, void* devicePtr, int incy,
                                    cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int elemSize, const void* devicePtr, int incx, void* hostPtr, int incy,
                                    cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int elemSize, const void* A, int lda, void* B, int ldb,
                                    cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int elemSize, const void* A, int lda, void* B, int ldb,
                                    cudaStream_t stream);

/* Level 1. P: letter, T: element type, R: type of a real result */
#define __CUBLAS_LEVEL1(P, T)                                                                            \
  cublasStatus_t cublas##P##copy_v2(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy); \
  cublasStatus_t cublas##P##swap_v2(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy);       \
  cublasStatus_t cublas##P##scal_v2(cublasHandle_t handle, int n, const T* alpha, T* x, int incx);       \
  cublasStatus_t cublas##P##axpy_v2(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y, int incy);
__CUBLAS_LEVEL1(S, float)
__CUBLAS_LEVEL1(D, double)
__CUBLAS_LEVEL1(C, cuComplex)
__CUBLAS_LEVEL1(Z, cuDoubleComplex)
#undef __CUBLAS_LEVEL1
#define __CUBLAS_REDUCTION(P, RP, I, T, R)                                                                          \
  cublasStatus_t cublas##I##amax_v2(cublasHandle_t handle, int n, const T *x, int incx, int *result);                \
  cublasStatus_t cublas##I##amin_v2(cublasHandle_t handle, int n, const T *x, int incx, int *result);                \
  cublasStatus_t cublas##RP##nrm2_v2(cublasHandle_t handle, int n, const T *x, int incx, R *result);                 \
  cublasStatus_t cublas##RP##asum_v2(cublasHandle_t handle, int n, const T *x, int incx, R *result);
__CUBLAS_REDUCTION(S, S, Is, float, float)
__CUBLAS_REDUCTION(D, D, Id, double, double)
__CUBLAS_REDUCTION(C, Sc, Ic, cuComplex, float)
__CUBLAS_REDUCTION(Z, Dz, Iz, cuDoubleComplex, double)
#undef __CUBLAS_REDUCTION
cublasStatus_t cublasSdot_v2(cublasHandle_t handle, int n, const float* x, int incx, const float* y, int incy,
                             float* result);
cublasStatus_t cublasDdot_v2(cublasHandle_t handle, int n, const double* x, int incx, const double* y, int incy,
                             double* result);
cublasStatus_t cublasCdotu_v2(cublasHandle_t handle, int n, const cuComplex* x, int incx, const cuComplex* y, int incy,
                              cuComplex* result);
cublasStatus_t cublasCdotc_v2(cublasHandle_t handle, int n, const cuComplex* x, int incx, const cuComplex* y, int incy,
                              cuComplex* result);
cublasStatus_t cublasZdotu_v2(cublasHandle_t handle, int n, const cuDoubleComplex* x, int incx,
                              const cuDoubleComplex* y, int incy, cuDoubleComplex* result);
cublasStatus_t cublasZdotc_v2(cublasHandle_t handle, int n, const cuDoubleComplex* x, int incx,
                              const cuDoubleComplex* y, int incy, cuDoubleComplex* result);
cublasStatus_t cublasSrot_v2(cublasHandle_t handle, int n, float* x, int incx, float* y, int incy, const float* c,
                             const float* s);
cublasStatus_t cublasDrot_v2(cublasHandle_t handle, int n, double* x, int incx, double* y, int incy, const double* c,
                             const double* s);

/* Levels 2 and 3 */
#define __CUBLAS_LEVEL23(P, T)                                                                                         \
  cublasStatus_t cublas##P##gemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha,      \
                                    const T* A, int lda, const T* x, int incx, const T* beta, T* y, int incy);         \
  cublasStatus_t cublas##P##gbmv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int kl, int ku,      \
                                    const T* alpha, const T* A, int lda, const T* x, int incx, const T* beta, T* y,    \
                                    int incy);                                                                         \
  cublasStatus_t cublas##P##symv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* A,   \
                                    int lda, const T* x, int incx, const T* beta, T* y, int incy);                     \
  cublasStatus_t cublas##P##trmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,             \
                                    cublasDiagType_t diag, int n, const T* A, int lda, T* x, int incx);                \
  cublasStatus_t cublas##P##trsv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,             \
                                    cublasDiagType_t diag, int n, const T* A, int lda, T* x, int incx);                \
  cublasStatus_t cublas##P##gemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,  \
                                    int n, int k, const T* alpha, const T* A, int lda, const T* B, int ldb,            \
                                    const T* beta, T* C, int ldc);                                                     \
  cublasStatus_t cublas##P##gemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,     \
                                        int m, int n, int k, const T* alpha, const T* const Aarray[], int lda,         \
                                        const T* const Barray[], int ldb, const T* beta, T* const Carray[], int ldc,   \
                                        int batchCount);                                                               \
  cublasStatus_t cublas##P##gemmStridedBatched(                                                                        \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T* alpha,  \
      const T* A, int lda, long long int strideA, const T* B, int ldb, long long int strideB, const T* beta, T* C,     \
      int ldc, long long int strideC, int batchCount);                                                                 \
  cublasStatus_t cublas##P##gemvStridedBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n,           \
                                               const T* alpha, const T* A, int lda, long long int strideA, const T* x, \
                                               int incx, long long int stridex, const T* beta, T* y, int incy,         \
                                               long long int stridey, int batchCount);                                 \
  cublasStatus_t cublas##P##symm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, \
                                    const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C,     \
                                    int ldc);                                                                          \
  cublasStatus_t cublas##P##syrk_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n,      \
                                    int k, const T* alpha, const T* A, int lda, const T* beta, T* C, int ldc);         \
  cublasStatus_t cublas##P##syr2k_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n,     \
                                     int k, const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta,   \
                                     T* C, int ldc);                                                                   \
  cublasStatus_t cublas##P##trmm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,               \
                                    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,      \
                                    const T* A, int lda, const T* B, int ldb, T* C, int ldc);                          \
  cublasStatus_t cublas##P##trsm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,               \
                                    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,      \
                                    const T* A, int lda, T* B, int ldb);                                               \
  cublasStatus_t cublas##P##geam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,     \
                                 int n, const T* alpha, const T* A, int lda, const T* beta, const T* B, int ldb, T* C, \
                                 int ldc);                                                                             \
  cublasStatus_t cublas##P##dgmm(cublasHandle_t handle, cublasSideMode_t mode, int m, int n, const T* A, int lda,      \
                                 const T* x, int incx, T* C, int ldc);                                                 \
  cublasStatus_t cublas##P##getrfBatched(cublasHandle_t handle, int n, T* const A[], int lda, int* P_, int* info,      \
                                         int batchSize);                                                               \
  cublasStatus_t cublas##P##getriBatched(cublasHandle_t handle, int n, const T* const A[], int lda, const int* P_,     \
                                         T* const C[], int ldc, int* info, int batchSize);                             \
  cublasStatus_t cublas##P##getrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,              \
                                         const T* const A[], int lda, const int* P_, T* const B[], int ldb, int* info, \
                                         int batchSize);                                                               \
  cublasStatus_t cublas##P##matinvBatched(cublasHandle_t handle, int n, const T* const A[], int lda, T* const Ainv[],  \
                                          int lda_inv, int* info, int batchSize);                                      \
  cublasStatus_t cublas##P##geqrfBatched(cublasHandle_t handle, int m, int n, T* const A[], int lda, T* const tau[],   \
                                         int* info, int batchSize);
__CUBLAS_LEVEL23(S, float)
__CUBLAS_LEVEL23(D, double)
__CUBLAS_LEVEL23(C, cuComplex)
__CUBLAS_LEVEL23(Z, cuDoubleComplex)
#undef __CUBLAS_LEVEL23
cublasStatus_t cublasSger_v2(cublasHandle_t handle, int m, int n, const float* alpha, const float* x, int incx,
                             const float* y, int incy, float* A, int lda);
cublasStatus_t cublasDger_v2(cublasHandle_t handle, int m, int n, const double* alpha, const double* x, int incx,
                             const double* y, int incy, double* A, int lda);
cublasStatus_t cublasSsyr_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const float* alpha, const float* x,
                             int incx, float* A, int lda);
cublasStatus_t cublasDsyr_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const double* alpha, const double* x,
                             int incx, double* A, int lda);
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                           int k, const __half* alpha, const __half* A, int lda, const __half* B, int ldb,
                           const __half* beta, __half* C, int ldc);
cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                  int n, int k, const __half* alpha, const __half* const Aarray[], int lda,
                                  const __half* const Barray[], int ldb, const __half* beta, __half* const Carray[],
                                  int ldc, int batchCount);
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int m, int n, int k, const __half* alpha, const __half* A, int lda,
                                         long long int strideA, const __half* B, int ldb, long long int strideB,
                                         const __half* beta, __half* C, int ldc, long long int strideC, int batchCount);
cublasStatus_t cublasUint8gemmBias(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                   cublasOperation_t transc, int m, int n, int k, const unsigned char* A, int A_bias,
                                   int lda, const unsigned char* B, int B_bias, int ldb, unsigned char* C, int C_bias,
                                   int ldc, int C_mult, int C_shift);
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                             int k, const float* alpha, const void* A, cudaDataType Atype, int lda, const void* B,
                             cudaDataType Btype, int ldb, const float* beta, void* C, cudaDataType Ctype, int ldc);
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                            int k, const void* alpha, const void* A, cudaDataType Atype, int lda, const void* B,
                            cudaDataType Btype, int ldb, const void* beta, void* C, cudaDataType Ctype, int ldc,
                            cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                   int n, int k, const void* alpha, const void* const Aarray[], cudaDataType Atype,
                                   int lda, const void* const Barray[], cudaDataType Btype, int ldb, const void* beta,
                                   void* const Carray[], cudaDataType Ctype, int ldc, int batchCount,
                                   cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                          int m, int n, int k, const void* alpha, const void* A, cudaDataType Atype,
                                          int lda, long long int strideA, const void* B, cudaDataType Btype, int ldb,
                                          long long int strideB, const void* beta, void* C, cudaDataType Ctype, int ldc,
                                          long long int strideC, int batchCount, cublasComputeType_t computeType,
                                          cublasGemmAlgo_t algo);
cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void* alpha, cudaDataType alphaType, const void* x,
                            cudaDataType xType, int incx, void* y, cudaDataType yType, int incy,
                            cudaDataType executiontype);
cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void* alpha, cudaDataType alphaType, void* x,
                            cudaDataType xType, int incx, cudaDataType executionType);
cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void* x, cudaDataType xType, int incx, const void* y,
                           cudaDataType yType, int incy, void* result, cudaDataType resultType,
                           cudaDataType executionType);
cublasStatus_t cublasDotcEx(cublasHandle_t handle, int n, const void* x, cudaDataType xType, int incx, const void* y,
                            cudaDataType yType, int incy, void* result, cudaDataType resultType,
                            cudaDataType executionType);
cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void* x, cudaDataType xType, int incx, void* result,
                            cudaDataType resultType, cudaDataType executionType);

/* Band and packed storage, Hermitian matrices, rotations, and batches of other kinds. R: the real type of T */
#define __CUBLAS_ALL_TYPES(P, T)                                                                                      \
  cublasStatus_t cublas##P##tbmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,            \
      cublasDiagType_t diag, int n, int k, const T* A, int lda, T* x, int incx);                                      \
  cublasStatus_t cublas##P##tbsv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,            \
      cublasDiagType_t diag, int n, int k, const T* A, int lda, T* x, int incx);                                      \
  cublasStatus_t cublas##P##tpmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,            \
      cublasDiagType_t diag, int n, const T* AP, T* x, int incx);                                                     \
  cublasStatus_t cublas##P##tpsv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,            \
      cublasDiagType_t diag, int n, const T* AP, T* x, int incx);                                                     \
  cublasStatus_t cublas##P##tpttr(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* AP, T* A, int lda);   \
  cublasStatus_t cublas##P##trttp(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* A, int lda, T* AP);   \
  cublasStatus_t cublas##P##syr2_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x,  \
      int incx, const T* y, int incy, T* A, int lda);                                                                 \
  cublasStatus_t cublas##P##syrkx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n,       \
      int k, const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc);                 \
  cublasStatus_t cublas##P##gemvBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha, \
      const T* const Aarray[], int lda, const T* const xarray[], int incx, const T* beta, T* const yarray[],          \
      int incy, int batchCount);                                                                                      \
  cublasStatus_t cublas##P##trsmBatched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,          \
      cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha, const T* const A[], int lda,      \
      T* const B[], int ldb, int batchCount);                                                                         \
  cublasStatus_t cublas##P##gelsBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int nrhs,       \
      T* const Aarray[], int lda, T* const Carray[], int ldc, int* info, int* devInfoArray, int batchSize);
__CUBLAS_ALL_TYPES(S, float)
__CUBLAS_ALL_TYPES(D, double)
__CUBLAS_ALL_TYPES(C, cuComplex)
__CUBLAS_ALL_TYPES(Z, cuDoubleComplex)
#undef __CUBLAS_ALL_TYPES
#define __CUBLAS_REAL(P, T)                                                                                           \
  cublasStatus_t cublas##P##sbmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, int k, const T* alpha,       \
      const T* A, int lda, const T* x, int incx, const T* beta, T* y, int incy);                                      \
  cublasStatus_t cublas##P##spmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* AP, \
      const T* x, int incx, const T* beta, T* y, int incy);                                                           \
  cublasStatus_t cublas##P##spr_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x,   \
      int incx, T* AP);                                                                                               \
  cublasStatus_t cublas##P##spr2_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x,  \
      int incx, const T* y, int incy, T* AP);                                                                         \
  cublasStatus_t cublas##P##rotg_v2(cublasHandle_t handle, T* a, T* b, T* c, T* s);                                   \
  cublasStatus_t cublas##P##rotm_v2(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, const T* param);    \
  cublasStatus_t cublas##P##rotmg_v2(cublasHandle_t handle, T* d1, T* d2, T* x1, const T* y1, T* param);              \
  cublasStatus_t cublas##P##gemmGroupedBatched(cublasHandle_t handle, const cublasOperation_t transa_array[],         \
      const cublasOperation_t transb_array[], const int m_array[], const int n_array[], const int k_array[],          \
      const T alpha_array[], const T* const Aarray[], const int lda_array[], const T* const Barray[],                 \
      const int ldb_array[], const T beta_array[], T* const Carray[], const int ldc_array[], int group_count,         \
      const int group_size[]);
__CUBLAS_REAL(S, float)
__CUBLAS_REAL(D, double)
#undef __CUBLAS_REAL
#define __CUBLAS_COMPLEX(P, T, R)                                                                                     \
  cublasStatus_t cublas##P##hbmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, int k, const T* alpha,       \
      const T* A, int lda, const T* x, int incx, const T* beta, T* y, int incy);                                      \
  cublasStatus_t cublas##P##hpmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* AP, \
      const T* x, int incx, const T* beta, T* y, int incy);                                                           \
  cublasStatus_t cublas##P##hemv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* A,  \
      int lda, const T* x, int incx, const T* beta, T* y, int incy);                                                  \
  cublasStatus_t cublas##P##geru_v2(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx,        \
      const T* y, int incy, T* A, int lda);                                                                           \
  cublasStatus_t cublas##P##gerc_v2(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx,        \
      const T* y, int incy, T* A, int lda);                                                                           \
  cublasStatus_t cublas##P##syr_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x,   \
      int incx, T* A, int lda);                                                                                       \
  cublasStatus_t cublas##P##her_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const R* alpha, const T* x,   \
      int incx, T* A, int lda);                                                                                       \
  cublasStatus_t cublas##P##hpr_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const R* alpha, const T* x,   \
      int incx, T* AP);                                                                                               \
  cublasStatus_t cublas##P##her2_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x,  \
      int incx, const T* y, int incy, T* A, int lda);                                                                 \
  cublasStatus_t cublas##P##hpr2_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x,  \
      int incx, const T* y, int incy, T* AP);                                                                         \
  cublasStatus_t cublas##P##hemm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m,       \
      int n, const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc);                 \
  cublasStatus_t cublas##P##herk_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n,     \
      int k, const R* alpha, const T* A, int lda, const R* beta, T* C, int ldc);                                      \
  cublasStatus_t cublas##P##her2k_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n,    \
      int k, const T* alpha, const T* A, int lda, const T* B, int ldb, const R* beta, T* C, int ldc);                 \
  cublasStatus_t cublas##P##herkx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n,       \
      int k, const T* alpha, const T* A, int lda, const T* B, int ldb, const R* beta, T* C, int ldc);                 \
  cublasStatus_t cublas##P##gemm3m(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,  \
      int n, int k, const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc);          \
  cublasStatus_t cublas##P##rotg_v2(cublasHandle_t handle, T* a, T* b, R* c, T* s);                                   \
  cublasStatus_t cublas##P##rot_v2(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, const R* c,          \
      const T* s);
__CUBLAS_COMPLEX(C, cuComplex, float)
__CUBLAS_COMPLEX(Z, cuDoubleComplex, double)
#undef __CUBLAS_COMPLEX
#define __CUBLAS_COMPLEX_BY_REAL(P, T, R)                                                                             \
  cublasStatus_t cublas##P##rot_v2(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, const R* c,          \
      const R* s);                                                                                                    \
  cublasStatus_t cublas##P##scal_v2(cublasHandle_t handle, int n, const R* alpha, T* x, int incx);
__CUBLAS_COMPLEX_BY_REAL(Cs, cuComplex, float)
__CUBLAS_COMPLEX_BY_REAL(Zd, cuDoubleComplex, double)
#undef __CUBLAS_COMPLEX_BY_REAL
#define __CUBLAS_NARROW(P, A_, Y)                                                                                     \
  cublasStatus_t cublas##P##gemvBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n,                 \
      const float* alpha, const A_* const Aarray[], int lda, const A_* const xarray[], int incx, const float* beta,   \
      Y* const yarray[], int incy, int batchCount);                                                                   \
  cublasStatus_t cublas##P##gemvStridedBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n,          \
      const float* alpha, const A_* A, int lda, long long int strideA, const A_* x, int incx, long long int stridex,  \
      const float* beta, Y* y, int incy, long long int stridey, int batchCount);
__CUBLAS_NARROW(HSH, __half, __half)
__CUBLAS_NARROW(HSS, __half, float)
__CUBLAS_NARROW(TST, __nv_bfloat16, __nv_bfloat16)
__CUBLAS_NARROW(TSS, __nv_bfloat16, float)
#undef __CUBLAS_NARROW
cublasStatus_t cublasGemmGroupedBatchedEx(cublasHandle_t handle, const cublasOperation_t transa_array[],
    const cublasOperation_t transb_array[], const int m_array[], const int n_array[], const int k_array[],
    const void* alpha_array, const void* const Aarray[], cudaDataType Atype, const int lda_array[],
    const void* const Barray[], cudaDataType Btype, const int ldb_array[], const void* beta_array,
    void* const Carray[], cudaDataType Ctype, const int ldc_array[], int group_count, const int group_size[],
    cublasComputeType_t computeType);
cublasStatus_t cublasCgemm3mBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
    int n, int k, const cuComplex* alpha, const cuComplex* const Aarray[], int lda, const cuComplex* const Barray[],
    int ldb, const cuComplex* beta, cuComplex* const Carray[], int ldc, int batchCount);
cublasStatus_t cublasCgemm3mStridedBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
    int m, int n, int k, const cuComplex* alpha, const cuComplex* A, int lda, long long int strideA,
    const cuComplex* B, int ldb, long long int strideB, const cuComplex* beta, cuComplex* C, int ldc,
    long long int strideC, int batchCount);
cublasStatus_t cublasCgemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
    int k, const cuComplex* alpha, const void* A, cudaDataType Atype, int lda, const void* B, cudaDataType Btype,
    int ldb, const cuComplex* beta, void* C, cudaDataType Ctype, int ldc);
cublasStatus_t cublasCgemm3mEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
    int n, int k, const cuComplex* alpha, const void* A, cudaDataType Atype, int lda, const void* B,
    cudaDataType Btype, int ldb, const cuComplex* beta, void* C, cudaDataType Ctype, int ldc);
cublasStatus_t cublasCsyrkEx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,
    const cuComplex* alpha, const void* A, cudaDataType Atype, int lda, const cuComplex* beta, void* C,
    cudaDataType Ctype, int ldc);
cublasStatus_t cublasCsyrk3mEx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,
    const cuComplex* alpha, const void* A, cudaDataType Atype, int lda, const cuComplex* beta, void* C,
    cudaDataType Ctype, int ldc);
cublasStatus_t cublasCherkEx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,
    const float* alpha, const void* A, cudaDataType Atype, int lda, const float* beta, void* C, cudaDataType Ctype,
    int ldc);
cublasStatus_t cublasCherk3mEx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,
    const float* alpha, const void* A, cudaDataType Atype, int lda, const float* beta, void* C, cudaDataType Ctype,
    int ldc);
cublasStatus_t cublasAsumEx(cublasHandle_t handle, int n, const void* x, cudaDataType xType, int incx, void* result,
    cudaDataType resultType, cudaDataType executiontype);
cublasStatus_t cublasIamaxEx(cublasHandle_t handle, int n, const void* x, cudaDataType xType, int incx,
    int* result);
cublasStatus_t cublasIaminEx(cublasHandle_t handle, int n, const void* x, cudaDataType xType, int incx,
    int* result);
cublasStatus_t cublasCopyEx(cublasHandle_t handle, int n, const void* x, cudaDataType xType, int incx, void* y,
    cudaDataType yType, int incy);
cublasStatus_t cublasSwapEx(cublasHandle_t handle, int n, void* x, cudaDataType xType, int incx, void* y,
    cudaDataType yType, int incy);
cublasStatus_t cublasRotEx(cublasHandle_t handle, int n, void* x, cudaDataType xType, int incx, void* y,
    cudaDataType yType, int incy, const void* c, const void* s, cudaDataType csType, cudaDataType executiontype);

/* The same with numbers of 64 bits. */
#ifndef HEDDLE_WITHOUT_CUBLAS_64
#include <stdint.h>
#include "heddle/cublas_64.inc"
#endif

#ifdef __cplusplus
}

static inline cublasStatus_t cublasMigrateComputeType(cublasHandle_t handle, cudaDataType dataType,
                                                      cublasComputeType_t *computeType) {
  cublasMath_t mode = CUBLAS_DEFAULT_MATH;
  cublasStatus_t status = cublasGetMathMode(handle, &mode);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  const bool isPedantic = (mode & 0xf) == CUBLAS_PEDANTIC_MATH;
  switch (dataType) {
    case CUDA_R_32F:
    case CUDA_C_32F: *computeType = isPedantic ? CUBLAS_COMPUTE_32F_PEDANTIC : CUBLAS_COMPUTE_32F; break;
    case CUDA_R_64F:
    case CUDA_C_64F: *computeType = isPedantic ? CUBLAS_COMPUTE_64F_PEDANTIC : CUBLAS_COMPUTE_64F; break;
    case CUDA_R_16F: *computeType = isPedantic ? CUBLAS_COMPUTE_16F_PEDANTIC : CUBLAS_COMPUTE_16F; break;
    case CUDA_R_32I: *computeType = isPedantic ? CUBLAS_COMPUTE_32I_PEDANTIC : CUBLAS_COMPUTE_32I; break;
    default: return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  return CUBLAS_STATUS_SUCCESS;
}

/* The older form, whose compute type is a data type. */
static inline cublasComputeType_t __cublasComputeTypeOf(cudaDataType type) {
  return type == CUDA_R_16F                         ? CUBLAS_COMPUTE_16F
         : type == CUDA_R_64F || type == CUDA_C_64F ? CUBLAS_COMPUTE_64F
         : type == CUDA_R_32I                       ? CUBLAS_COMPUTE_32I
                                                    : CUBLAS_COMPUTE_32F;
}
static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                          int m, int n, int k, const void* alpha, const void* A, cudaDataType Atype,
                                          int lda, const void* B, cudaDataType Btype, int ldb, const void* beta,
                                          void* C, cudaDataType Ctype, int ldc, cudaDataType computeType,
                                          cublasGemmAlgo_t algo) {
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc,
                      __cublasComputeTypeOf(computeType), algo);
}
static inline cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const void* alpha,
    const void* A, cudaDataType Atype, int lda, long long int strideA, const void* B, cudaDataType Btype, int ldb,
    long long int strideB, const void* beta, void* C, cudaDataType Ctype, int ldc, long long int strideC,
    int batchCount, cudaDataType computeType, cublasGemmAlgo_t algo) {
  return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, A, Atype, lda, strideA, B, Btype, ldb,
                                    strideB, beta, C, Ctype, ldc, strideC, batchCount,
                                    __cublasComputeTypeOf(computeType), algo);
}
#endif
