// What cuSOLVER's condensed forms, symmetric indefinite matrices, least squares, sparse functions and refactorization
// return for wrong arguments, small work memory, and calls in the wrong order.
//
//   solver-statuses          what every library must answer
//   solver-statuses misuse   also calls that NVIDIA's library accepts, or that may end its process: destroyed handles,
//                            null pointers, no work memory, steps that are left out
//   solver-statuses trace    says the line of each call before it is made
#include <cusolverDn.h>
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static int wrong = 0;
static bool isMisuse, isTraced;
#define EXPECT(STATUS, CALL)                                                             \
  do {                                                                                   \
    if (isTraced) fprintf(stderr, "line %d\n", __LINE__);                                \
    int is = (int)(CALL);                                                                \
    if (is != (int)(STATUS)) {                                                           \
      printf("line %d: %s is %d, and not %s\n", __LINE__, #CALL, is, #STATUS);           \
      fflush(stdout);                                                                    \
      wrong++;                                                                           \
    }                                                                                    \
  } while (0)
#define MISUSE(STATUS, CALL)                                                             \
  if (isMisuse) EXPECT(STATUS, CALL)
#define OK CUSOLVER_STATUS_SUCCESS
#define INVALID CUSOLVER_STATUS_INVALID_VALUE
#define GONE CUSOLVER_STATUS_NOT_INITIALIZED
#define SMALL CUSOLVER_STATUS_INVALID_WORKSPACE
#define PARAMS CUSOLVER_STATUS_IRS_PARAMS_INVALID

static void dense() {
  cusolverDnHandle_t h, gone;
  EXPECT(OK, cusolverDnCreate(&h));
  EXPECT(OK, cusolverDnCreate(&gone));
  EXPECT(OK, cusolverDnDestroy(gone));
  double *a, *d, *e, *t, *w;
  for (double **p : {&a, &d, &e, &t, &w}) {
    cudaMalloc(p, 4096);
    cudaMemset(*p, 0, 4096);
  }
  auto grow = [&](size_t bytes) { // NVIDIA's work memory is larger than a small matrix
    cudaFree(w);
    cudaMalloc(&w, bytes + 4096);
  };
  int *info, *pivots, lwork = 0, iterations = 0;
  cudaMalloc(&info, 64);
  cudaMalloc(&pivots, 64);
  auto L = CUBLAS_FILL_MODE_LOWER;
  auto left = CUBLAS_SIDE_LEFT, right = CUBLAS_SIDE_RIGHT;
  EXPECT(OK, cusolverDnDgebrd_bufferSize(h, 5, 4, &lwork));
  MISUSE(GONE, cusolverDnDgebrd_bufferSize(gone, 5, 4, &lwork));
  // the functions for sizes accept wrong enumerators and dimensions, but for orgtr's
  EXPECT(OK, cusolverDnDgebrd_bufferSize(h, -1, 4, &lwork));
  EXPECT(OK, cusolverDnDgebrd_bufferSize(h, 5, 4, &lwork));
  EXPECT(INVALID, cusolverDnDgebrd(h, 5, 4, a, 4, d, e, t, t, w, lwork, info));
  MISUSE(GONE, cusolverDnDgebrd(gone, 5, 4, a, 5, d, e, t, t, w, lwork, info));
  EXPECT(OK, cusolverDnDorgbr_bufferSize(h, left, 4, 5, 4, a, 5, t, &lwork));
  EXPECT(OK, cusolverDnDorgbr_bufferSize(h, (cublasSideMode_t)2, 4, 4, 4, a, 4, t, &lwork));
  EXPECT(OK, cusolverDnDorgbr_bufferSize(h, right, 4, 4, 5, a, 4, t, &lwork));
  EXPECT(OK, cusolverDnDsytrd_bufferSize(h, (cublasFillMode_t)7, 4, a, 4, d, e, t, &lwork));
  EXPECT(OK, cusolverDnDsytrd_bufferSize(h, L, 4, a, 3, d, e, t, &lwork));
  EXPECT(INVALID, cusolverDnDorgtr_bufferSize(h, L, -1, a, 4, t, &lwork));
  EXPECT(INVALID, cusolverDnDsytrd(h, L, 4, a, 3, d, e, t, w, lwork, info));
  MISUSE(INVALID, cusolverDnDorgtr(h, L, 4, nullptr, 4, t, w, lwork, info));
  EXPECT(OK, cusolverDnDormtr_bufferSize(h, left, L, CUBLAS_OP_N, 4, 4, a, 3, t, d, 4, &lwork));
  EXPECT(OK, cusolverDnDormtr_bufferSize(h, left, L, CUBLAS_OP_N, 3, 5, a, 4, t, d, 3, &lwork));
  EXPECT(OK, cusolverDnDormtr_bufferSize(h, left, L, (cublasOperation_t)9, 3, 5, a, 4, t, d, 3, &lwork));
  EXPECT(INVALID, cusolverDnDlauum(h, L, -1, a, 4, w, lwork, info));
  EXPECT(OK, cusolverDnDsytrf_bufferSize(h, 4, a, 3, &lwork));
  EXPECT(OK, cusolverDnDsytri_bufferSize(h, L, -1, a, 4, pivots, &lwork));
  EXPECT(OK, cusolverDnDsytri_bufferSize(h, L, 4, a, 4, pivots, &lwork));
  MISUSE(INVALID, cusolverDnDsytri(h, L, 4, a, 4, pivots, w, 0, info)); // no work memory
  EXPECT(OK, cusolverDnDsytri(nullptr, L, 0, nullptr, 0, nullptr, nullptr, 0, nullptr)); // no rows
  // a pivot of 0 in row 1 has no name, one in row 2 has
  int zeros = 0;
  for (int n : {1, 2}) {
    EXPECT(OK, cusolverDnDsytrf_bufferSize(h, n, a, 4, &lwork));
    grow(lwork * sizeof(double));
    EXPECT(OK, cusolverDnDsytrf(h, L, n, a, 4, pivots, w, lwork, info));
    cudaMemcpy(&zeros, info, sizeof zeros, cudaMemcpyDeviceToHost);
    EXPECT(n == 1 ? 0 : 2, zeros);
  }
  size_t bytes = 0, host = 0;
  int64_t *p64 = nullptr;
  EXPECT(OK, cusolverDnXsytrs_bufferSize(h, L, 4, 1, CUDA_R_64F, a, 4, p64, CUDA_R_64F, d, 4, &bytes, &host));
  EXPECT(OK, cusolverDnXsytrs_bufferSize(h, L, 4, 1, CUDA_R_64F, a, 4, p64, CUDA_R_32F, d, 4, &bytes, &host));
  EXPECT(OK, cusolverDnXsytrs_bufferSize(h, L, 4, 1, CUDA_R_16F, a, 4, p64, CUDA_R_16F, d, 4, &bytes, &host));
  EXPECT(INVALID, cusolverDnXsytrs(nullptr, L, 0, 0, CUDA_R_32F, nullptr, 0, nullptr, CUDA_R_32F, nullptr, 0, nullptr,
                                   0, nullptr, 0, nullptr)); // before the handle
  auto forward = CUBLAS_DIRECT_FORWARD;
  auto columns = CUBLAS_STOREV_COLUMNWISE;
  auto R = CUDA_R_64F;
  EXPECT(OK, cusolverDnXlarft_bufferSize(h, nullptr, forward, columns, 5, 4, R, a, 5, R, t, R, d, 4, R, &bytes, &host));
  EXPECT(OK,
         cusolverDnXlarft_bufferSize(h, nullptr, forward, columns, 3, 4, R, a, 5, R, t, R, d, 4, R, &bytes, &host));
  EXPECT(OK, cusolverDnXlarft_bufferSize(h, nullptr, forward, CUBLAS_STOREV_ROWWISE, 5, 4, R, a, 5, R, t, R, d, 4, R,
                                         &bytes, &host));
  MISUSE(INVALID, cusolverDnXlarft(h, nullptr, forward, CUBLAS_STOREV_ROWWISE, 5, 4, R, a, 5, R, t, R, d, 4, R, w,
                                   bytes, nullptr, host));
  EXPECT(OK, cusolverDnDSgels_bufferSize(h, 5, 4, 2, a, 5, d, 5, e, 4, nullptr, &bytes));
  EXPECT(PARAMS, cusolverDnDSgels_bufferSize(h, 5, 4, 2, a, 3, d, 5, e, 4, nullptr, &bytes)); // 3 of 5 rows
  EXPECT(PARAMS, cusolverDnDSgels_bufferSize(nullptr, 0, 0, 0, nullptr, 0, nullptr, 0, nullptr, 0, nullptr, nullptr));
  EXPECT(PARAMS,
         cusolverDnDSgels(nullptr, 0, 0, 0, nullptr, 0, nullptr, 0, nullptr, 0, nullptr, 0, nullptr, nullptr));
  EXPECT(OK, cusolverDnDSgels_bufferSize(h, 5, 4, 2, a, 5, d, 5, e, 4, nullptr, &bytes));
  grow(bytes);
  EXPECT(SMALL, cusolverDnDSgels(h, 5, 4, 2, a, 5, d, 5, e, 4, w, bytes - 8, &iterations, info));
  MISUSE(GONE, cusolverDnDSgels(gone, 5, 4, 2, a, 5, d, 5, e, 4, w, bytes, &iterations, info));
  // a column of zeros: its number
  int found = 0;
  EXPECT(OK, cusolverDnDDgels_bufferSize(h, 5, 4, 2, a, 5, d, 5, e, 4, nullptr, &bytes));
  grow(bytes);
  EXPECT(OK, cusolverDnDDgels(h, 5, 4, 2, a, 5, d, 5, e, 4, w, bytes, &iterations, info));
  cudaMemcpy(&found, info, sizeof found, cudaMemcpyDeviceToHost);
  EXPECT(1, found);
  cusolverDnIRSParams_t params;
  cusolverDnIRSInfos_t infos;
  EXPECT(OK, cusolverDnIRSParamsCreate(&params));
  EXPECT(OK, cusolverDnIRSInfosCreate(&infos));
  EXPECT(CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED,
         cusolverDnIRSXgels(nullptr, nullptr, nullptr, 0, 0, 0, nullptr, 0, nullptr, 0, nullptr, 0, nullptr, 0, nullptr,
                            nullptr));
  // the function for sizes does not say what the parameters lack
  EXPECT(PARAMS, cusolverDnIRSXgels_bufferSize(h, params, 5, 4, 2, &bytes));
  EXPECT(OK, cusolverDnIRSParamsSetRefinementSolver(params, CUSOLVER_IRS_REFINE_CLASSICAL));
  EXPECT(PARAMS, cusolverDnIRSXgels_bufferSize(h, params, 5, 4, 2, &bytes));
  MISUSE(CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC,
         cusolverDnIRSXgels(h, params, infos, 5, 4, 2, a, 5, d, 5, e, 4, w, 8, &iterations, info));
  EXPECT(OK, cusolverDnIRSParamsSetSolverPrecisions(params, CUSOLVER_R_64F, CUSOLVER_R_32F));
  EXPECT(OK, cusolverDnIRSXgels_bufferSize(h, params, 5, 4, 2, &bytes));
  const double matrix[] = {1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 0}, b[] = {1, 2, 4, 8, 5};
  cudaMemcpy(a, matrix, sizeof matrix, cudaMemcpyHostToDevice);
  cudaMemcpy(d, b, sizeof b, cudaMemcpyHostToDevice);
  grow(bytes);
  EXPECT(SMALL,
         cusolverDnIRSXgels(h, params, infos, 5, 4, 2, a, 5, d, 5, e, 4, w, 8, &iterations, info));
  EXPECT(OK, cusolverDnIRSXgels(h, params, infos, 5, 4, 1, a, 5, d, 5, e, 4, w, bytes, &iterations, info));
  double x[4];
  cudaMemcpy(x, e, sizeof x, cudaMemcpyDeviceToHost);
  for (double v : x) EXPECT(1, v > 1 - 1e-12 && v < 1 + 1e-12);
  EXPECT(OK, cusolverDnIRSInfosDestroy(infos));
  MISUSE(CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED,
         cusolverDnIRSXgels(h, params, infos, 5, 4, 1, a, 5, d, 5, e, 4, w, bytes, &iterations, info));
  cusolverDnIRSParamsDestroy(params);

  cusolverMathMode_t mode;
  cudaEmulationStrategy_t strategy;
  EXPECT(OK, cusolverDnGetMathMode(h, &mode));
  EXPECT(CUSOLVER_DEFAULT_MATH, mode);
  EXPECT(OK, cusolverDnSetMathMode(h, CUSOLVER_FP32_EMULATED_BF16X9_MATH));
  EXPECT(OK, cusolverDnGetMathMode(h, &mode));
  EXPECT(CUSOLVER_FP32_EMULATED_BF16X9_MATH, mode);
  EXPECT(INVALID, cusolverDnSetMathMode(h, (cusolverMathMode_t)77));
  EXPECT(OK, cusolverDnSetEmulationStrategy(h, CUDA_EMULATION_STRATEGY_EAGER));
  EXPECT(OK, cusolverDnGetEmulationStrategy(h, &strategy));
  EXPECT(CUDA_EMULATION_STRATEGY_EAGER, strategy);
  MISUSE(INVALID, cusolverDnGetEmulationStrategy(h, nullptr));
  MISUSE(GONE, cusolverDnSetMathMode(gone, CUSOLVER_DEFAULT_MATH));
  EXPECT(OK, cusolverDnDestroy(h));
}
static void sparse() {
  cusolverSpHandle_t h;
  cusparseMatDescr_t matrix;
  EXPECT(OK, cusolverSpCreate(&h));
  cusparseCreateMatDescr(&matrix);
  int starts[] = {0, 1, 2}, columns[] = {0, 1}, singular = 0, p[2], symmetric = 0;
  double values[] = {2, 4}, b[] = {2, 4}, x[2];
  EXPECT(OK, cusolverSpDcsrlsvluHost(h, 2, 2, matrix, values, starts, columns, b, 0, 0, x, &singular));
  EXPECT(-1, singular);
  EXPECT(1, x[0] == 1 && x[1] == 1);
  EXPECT(INVALID, cusolverSpDcsrlsvluHost(h, 2, 2, matrix, values, starts, columns, b, 0, 4, x, &singular));
  EXPECT(INVALID, cusolverSpDcsrlsvluHost(h, -1, 2, matrix, values, starts, columns, b, 0, 0, x, &singular));
  MISUSE(INVALID, cusolverSpDcsrlsvqrHost(h, 2, 2, matrix, values, nullptr, columns, b, 0, 0, x, &singular));
  // a row without entries has no name for Cholesky's function: it says 0
  int gaps[] = {0, 1, 1, 2}, sides[] = {0, 2};
  double right[] = {2, 0, 4}, solution[3];
  EXPECT(OK, cusolverSpDcsrlsvcholHost(h, 3, 2, matrix, values, gaps, sides, right, 0, 0, solution, &singular));
  EXPECT(0, singular);
  EXPECT(OK, cusolverSpXcsrissymHost(h, 2, 2, matrix, starts, starts + 1, columns, &symmetric));
  // before the handle
  EXPECT(INVALID, cusolverSpXcsrissymHost(nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr, nullptr));
  EXPECT(INVALID, cusolverSpXcsrpermHost(nullptr, 0, 0, 0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                         nullptr));
  EXPECT(INVALID, cusolverSpDcsreigvsiHost(nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr, 0, nullptr, 0, 0, nullptr,
                                           nullptr));
  EXPECT(OK, cusolverSpDestroyCsrqrInfo(nullptr));
  EXPECT(1, symmetric);
  MISUSE(INVALID, cusolverSpXcsrsymrcmHost(h, 2, 2, matrix, starts, columns, nullptr));
  cusparseSetMatType(matrix, CUSPARSE_MATRIX_TYPE_SYMMETRIC);
  EXPECT(CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
         cusolverSpDcsrlsvcholHost(h, 2, 2, matrix, values, starts, columns, b, 0, 0, x, &singular));
  EXPECT(CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED, cusolverSpXcsrsymamdHost(h, 2, 2, matrix, starts, columns, p));
  EXPECT(OK, cusolverSpDestroy(h));
  MISUSE(GONE, cusolverSpXcsrsymamdHost(h, 2, 2, matrix, starts, columns, p));
  MISUSE(GONE, cusolverSpDcsrlsvluHost(h, 2, 2, matrix, values, starts, columns, b, 0, 0, x, &singular));
  cusparseDestroyMatDescr(matrix);
}
static void refactorization() {
  cusolverRfHandle_t h;
  MISUSE(INVALID, cusolverRfCreate(nullptr));
  EXPECT(OK, cusolverRfCreate(&h));
  int starts[] = {0, 1, 2}, columns[] = {0, 1}, none[] = {0, 0, 0}, p[] = {0, 1}, twice[] = {0, 0};
  double values[] = {2, 1e-9}, x[] = {2, 4}, *dx, *dt;
  cudaMalloc(&dx, 64);
  cudaMalloc(&dt, 64);
  int *dp;
  cudaMalloc(&dp, 64);
  cudaMemcpy(dp, p, sizeof p, cudaMemcpyHostToDevice);
  EXPECT(INVALID, cusolverRfSetMatrixFormat(h, (cusolverRfMatrixFormat_t)2, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L));
  EXPECT(OK, cusolverRfSetAlgs(h, CUSOLVERRF_FACTORIZATION_ALG0, (cusolverRfTriangularSolve_t)0));
  EXPECT(INVALID, cusolverRfSetAlgs(h, CUSOLVERRF_FACTORIZATION_ALG1, CUSOLVERRF_TRIANGULAR_SOLVE_ALG1));
  EXPECT(INVALID, cusolverRfSetAlgs(h, CUSOLVERRF_FACTORIZATION_ALG2, CUSOLVERRF_TRIANGULAR_SOLVE_ALG1));
  EXPECT(OK, cusolverRfSetAlgs(h, CUSOLVERRF_FACTORIZATION_ALG2, CUSOLVERRF_TRIANGULAR_SOLVE_ALG2));
  EXPECT(OK, cusolverRfSetAlgs(h, CUSOLVERRF_FACTORIZATION_ALG0, CUSOLVERRF_TRIANGULAR_SOLVE_ALG1));
  EXPECT(GONE, cusolverRfAnalyze(h));
  EXPECT(GONE, cusolverRfRefactor(h));
  EXPECT(OK, cusolverRfSetMatrixFormat(h, CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L));
#define SETUP(P, Q, VALUES) \
  cusolverRfSetupHost(2, 2, starts, columns, VALUES, 0, none, columns, values, 2, starts, columns, values, P, Q, h)
  MISUSE(INVALID, SETUP(twice, p, values)); // no permutation
  MISUSE(INVALID, SETUP(p, p, nullptr));
  EXPECT(OK, SETUP(p, p, values));
  MISUSE(GONE, cusolverRfRefactor(h)); // not analysed
  EXPECT(OK, cusolverRfAnalyze(h));
  MISUSE(GONE, cusolverRfSolve(h, dp, dp, 1, dt, 2, dx, 2)); // no factors
  EXPECT(OK, cusolverRfRefactor(h));
  EXPECT(INVALID, cusolverRfSolve(h, dp, dp, 1, dt, 1, dx, 2));
  MISUSE(GONE, cusolverRfBatchAnalyze(h));
  cusolverRfNumericBoostReport_t report;
  EXPECT(OK, cusolverRfGetNumericBoostReport(h, &report));
  EXPECT(CUSOLVERRF_NUMERIC_BOOST_NOT_USED, report);
  EXPECT(OK, cusolverRfSetNumericProperties(h, 1e-6, 0.5));
  double zero, boost;
  EXPECT(OK, cusolverRfGetNumericProperties(h, &zero, &boost));
  EXPECT(1, zero == 1e-6 && boost == 0.5);
  EXPECT(OK, cusolverRfRefactor(h)); // the pivot of 1e-9 becomes 0.5
  EXPECT(OK, cusolverRfGetNumericBoostReport(h, &report));
  EXPECT(CUSOLVERRF_NUMERIC_BOOST_USED, report);
  cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
  EXPECT(OK, cusolverRfSolve(h, dp, dp, 1, dt, 2, dx, 2));
  cudaMemcpy(x, dx, sizeof x, cudaMemcpyDeviceToHost);
  EXPECT(1, x[0] == 1 && x[1] == 8);
  values[1] = 0;
  EXPECT(OK, cusolverRfSetNumericProperties(h, 0, 0));
  EXPECT(OK, SETUP(p, p, values));
  EXPECT(OK, cusolverRfAnalyze(h));
  EXPECT(CUSOLVER_STATUS_ZERO_PIVOT, cusolverRfRefactor(h));
  // a batch has rows
  double *batch[] = {values};
  EXPECT(OK, cusolverRfSetMatrixFormat(h, CUSOLVERRF_MATRIX_FORMAT_CSC, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L));
  EXPECT(INVALID, cusolverRfBatchSetupHost(1, 2, 2, starts, columns, batch, 0, none, columns, values, 2, starts,
                                           columns, values, p, p, h));
  EXPECT(OK, cusolverRfDestroy(h));
  MISUSE(GONE, cusolverRfDestroy(h));
  MISUSE(GONE, cusolverRfAnalyze(h));
}
int main(int count, char **arguments) {
  isMisuse = count == 2 && !strcmp(arguments[1], "misuse");
  isTraced = count == 2 && !strcmp(arguments[1], "trace");
  dense();
  sparse();
  refactorization();
  if (cudaDeviceSynchronize() != cudaSuccess) wrong++;
  if (!wrong) printf("PASSED\n");
  return wrong != 0;
}
