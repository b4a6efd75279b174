// Pairs of wrong and right calls of cuSOLVER, and of library calls in captures, for `heddle check`: as in
// library-misuse.cu.
#include <cublas_v2.h>
#include <cusolverDn.h>
#include <cusolverRf.h>
#include <cusolverSp.h>
#include "misuse-pairs.h"

struct Solver {
  cusolverDnHandle_t h;
  double *a, *b;
  int *info;
  Solver() : a((double *)zeros(256)), b((double *)zeros(4096)), info((int *)zeros(4)) { cusolverDnCreate(&h); }
  ~Solver() {
    cusolverDnDestroy(h);
    cudaFree(a), cudaFree(b), cudaFree(info);
  }
};
PAIR(factors_wrong) {
  Solver s;
  cusolverDnDsytrf(s.h, CUBLAS_FILL_MODE_LOWER, 8, s.a, 4, nullptr, s.b, 8, s.info); // ! library-argument: CUSOLVER_STATUS_INVALID_VALUE
}
PAIR(factors_right) {
  Solver s;
  cusolverDnDsytrf(s.h, CUBLAS_FILL_MODE_LOWER, 8, s.a, 8, nullptr, s.b, 8, s.info);
}
PAIR(solver_handle_wrong) {
  Solver s;
  cusolverDnDestroy(s.h);
  cusolverDnDsytrf(s.h, CUBLAS_FILL_MODE_LOWER, 8, s.a, 8, nullptr, s.b, 8, s.info); // ! library-handle: CUSOLVER_STATUS_NOT_INITIALIZED
  cusolverDnCreate(&s.h);
}
PAIR(solver_handle_right) {
  Solver s;
  cusolverDnDsytrf(s.h, CUBLAS_FILL_MODE_LOWER, 8, s.a, 8, nullptr, s.b, 8, s.info);
}
static void least_squares(size_t missing) {
  Solver s;
  cusolverDnIRSParams_t params;
  cusolverDnIRSInfos_t infos;
  size_t bytes = 0;
  int turns = 0;
  cusolverDnIRSParamsCreate(&params), cusolverDnIRSInfosCreate(&infos);
  cusolverDnIRSParamsSetRefinementSolver(params, CUSOLVER_IRS_REFINE_CLASSICAL);
  cusolverDnIRSParamsSetSolverPrecisions(params, CUSOLVER_R_64F, CUSOLVER_R_32F);
  cusolverDnIRSXgels_bufferSize(s.h, params, 8, 4, 1, &bytes);
  cusolverDnIRSXgels(s.h, params, infos, 8, 4, 1, s.a, 8, s.a + 64, 8, s.a + 96, 4, s.b, bytes - missing, &turns, s.info); // ! library-workspace: CUSOLVER_STATUS_INVALID_WORKSPACE in work_memory_wrong
  cusolverDnIRSParamsDestroy(params), cusolverDnIRSInfosDestroy(infos);
}
PAIR(work_memory_wrong) { least_squares(8); }
PAIR(work_memory_right) { least_squares(0); }
static void refinement(bool isComplete) {
  Solver s;
  cusolverDnIRSParams_t params;
  size_t bytes = 0;
  cusolverDnIRSParamsCreate(&params);
  if (isComplete) {
    cusolverDnIRSParamsSetRefinementSolver(params, CUSOLVER_IRS_REFINE_CLASSICAL);
    cusolverDnIRSParamsSetSolverPrecisions(params, CUSOLVER_R_64F, CUSOLVER_R_32F);
  }
  cusolverDnIRSXgels_bufferSize(s.h, params, 8, 4, 1, &bytes); // ! library-argument: CUSOLVER_STATUS_IRS_PARAMS_INVALID in parameters_wrong
  cusolverDnIRSParamsDestroy(params);
}
PAIR(parameters_wrong) { refinement(false); }
PAIR(parameters_right) { refinement(true); }
static void elimination(int lda) {
  Solver s;
  int lwork = 0;
  cusolverDnDgetrf_bufferSize(s.h, 8, 8, s.a, lda, &lwork); // accepts any dimensions
  cusolverDnDgetrf(s.h, 8, 8, s.a, lda, s.b, nullptr, s.info); // ! library-argument: CUSOLVER_STATUS_INVALID_VALUE in elimination_wrong
}
PAIR(elimination_wrong) { elimination(4); }
PAIR(elimination_right) { elimination(8); }
PAIR(order_wrong) {
  cusolverSpHandle_t h;
  cusparseMatDescr_t matrix;
  int starts[] = {0, 1, 2}, columns[] = {1, 0}, p[2];
  cusolverSpCreate(&h), cusparseCreateMatDescr(&matrix);
  cusolverSpDestroy(h);
  cusolverSpXcsrsymrcmHost(h, 2, 2, matrix, starts, columns, p); // ! library-handle: CUSOLVER_STATUS_NOT_INITIALIZED
  cusparseDestroyMatDescr(matrix);
}
PAIR(order_right) {
  cusolverSpHandle_t h;
  cusparseMatDescr_t matrix;
  int starts[] = {0, 1, 2}, columns[] = {1, 0}, p[2];
  cusolverSpCreate(&h), cusparseCreateMatDescr(&matrix);
  cusolverSpXcsrsymrcmHost(h, 2, 2, matrix, starts, columns, p);
  cusparseDestroyMatDescr(matrix);
  cusolverSpDestroy(h);
}
static void refactor(bool isAnalyzed) {
  cusolverRfHandle_t h;
  int starts[] = {0, 1, 2}, columns[] = {0, 1}, none[] = {0, 0, 0}, p[] = {0, 1};
  double values[] = {2, 4};
  cusolverRfCreate(&h);
  cusolverRfSetMatrixFormat(h, CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L);
  cusolverRfSetupHost(2, 2, starts, columns, values, 0, none, columns, values, 2, starts, columns, values, p, p, h);
  if (isAnalyzed) cusolverRfAnalyze(h);
  cusolverRfRefactor(h); // ! library-handle: CUSOLVER_STATUS_NOT_INITIALIZED in analysis_wrong
  cusolverRfDestroy(h);
}
PAIR(analysis_wrong) { refactor(false); }
PAIR(analysis_right) { refactor(true); }

// A capture does not wait: results for the host need one, and eigenvalues, too. Factors do not.
static void captured(bool isFactors) {
  Solver s;
  cudaStream_t stream;
  cudaGraph_t graph = nullptr;
  int found = 0;
  double *w = (double *)zeros(16);
  auto V = CUSOLVER_EIG_MODE_VECTOR;
  auto L = CUBLAS_FILL_MODE_LOWER;
  cudaStreamCreate(&stream), cusolverDnSetStream(s.h, stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  if (isFactors) cusolverDnDgetrf(s.h, 4, 4, s.a, 4, s.b, nullptr, s.info);
  else
    cusolverDnDsyevdx(s.h, V, CUSOLVER_EIG_RANGE_ALL, L, 4, s.a, 4, 0, 0, 0, 0, &found, w, s.b, 2048, s.info); // ! library-capture: cudaStreamSynchronize in capture_wrong
  if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) cudaGraphDestroy(graph);
  cudaStreamDestroy(stream), cudaFree(w);
}
PAIR(capture_wrong) { captured(false); }
PAIR(capture_right) { captured(true); }
static void product(bool isOnDevice) {
  cublasHandle_t h;
  cudaStream_t stream;
  cudaGraph_t graph = nullptr;
  float *x = zeros(16), result;
  cublasCreate(&h), cudaStreamCreate(&stream), cublasSetStream(h, stream);
  cublasSetPointerMode(h, isOnDevice ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  cublasSdot(h, 4, x, 1, x + 4, 1, isOnDevice ? x + 8 : &result); // ! library-capture: cudaStreamSynchronize in host_result_wrong
  if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) cudaGraphDestroy(graph);
  cublasDestroy(h), cudaStreamDestroy(stream), cudaFree(x);
}
PAIR(host_result_wrong) { product(false); }
PAIR(host_result_right) { product(true); }
