// Solutions of linear systems by iterative refinement: part of cusolver.cu. NVIDIA's library factors in a lower
// precision and refines; here the factors have the precision of the solution, so that there is nothing to refine.

namespace {

/// The factors take the place of A, as they may. A first, so that X may be where B is.
template <class T>
Status solve_system(cusolverDnHandle_t h, i64 n, i64 nrhs, T *A, i64 lda, int *pivots, const T *B, i64 ldb, T *X,
                    i64 ldx, int *info) {
  if (n == 0 || nrhs == 0) {
    set_info(h->stream, info);
    return launched();
  }
  getrf_kernel<T><<<1, THREADS, 0, h->stream>>>(one_matrix<T>(A), lda, n, n, pivots, false, info);
  if (X != B) copy_matrix<T><<<64, 128, 0, h->stream>>>(B, ldb, X, ldx, n, nrhs);
  getrs_kernel<T><<<1, THREADS, 0, h->stream>>>(A, lda, n, pivots, false, 0, X, ldx, nrhs);
  return launched();
}
} // namespace

extern "C" {

#define HEDDLE_CUSOLVER_GESV(NAME, T)                                                                                  \
  Status cusolverDn##NAME##gesv_bufferSize(cusolverDnHandle_t handle, int n, int nrhs, T *dA, int ldda, int *dipiv,    \
                                           T *dB, int lddb, T *dX, int lddx, void *work, size_t *bytes) {              \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_matrix(n, n, ldda) && is_matrix(n, nrhs, lddb) && is_matrix(n, nrhs, lddx) && bytes);              \
    *bytes = 16;                                                                                                       \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  Status cusolverDn##NAME##gesv(cusolverDnHandle_t handle, int n, int nrhs, T *dA, int ldda, int *dipiv, T *dB,        \
                                int lddb, T *dX, int lddx, void *work, size_t bytes, int *iter, int *info) {           \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_matrix(n, n, ldda) && is_matrix(n, nrhs, lddb) && is_matrix(n, nrhs, lddx) && iter && info &&      \
                 (n == 0 || (dA && dipiv && dB && dX)));                                                               \
    HEDDLE_WAITS;                                                                                                      \
    *iter = 0;                                                                                                         \
    return solve_system<E>(handle, n, nrhs, (E *)dA, ldda, dipiv, (const E *)dB, lddb, (E *)dX, lddx, info);           \
  }
HEDDLE_CUSOLVER_GESVS
#undef HEDDLE_CUSOLVER_GESV

Status cusolverDnIRSParamsCreate(cusolverDnIRSParams_t *params) { return make_object(params); }
Status cusolverDnIRSParamsDestroy(cusolverDnIRSParams_t params) {
  return destroy_object(params, CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
}
#define HEDDLE_SET(NAME, PARAMETER, CONDITION, WRONG, WHAT)                                                            \
  Status cusolverDnIRSParams##NAME(cusolverDnIRSParams_t params, PARAMETER value) {                                    \
    if (!is_live(params)) return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;                                           \
    if (!(CONDITION)) return WRONG;                                                                                    \
    WHAT;                                                                                                              \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }
HEDDLE_SET(SetRefinementSolver, cusolverIRSRefinement_t,
           value > CUSOLVER_IRS_REFINE_NOT_SET && value <= CUSOLVER_IRS_REFINE_GMRES_NOPCOND,
           CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE, params->solver = value)
HEDDLE_SET(SetSolverMainPrecision, cusolverPrecType_t, is_precision(value), CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC,
           params->main = value)
HEDDLE_SET(SetSolverLowestPrecision, cusolverPrecType_t, is_precision(value), CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC,
           params->lowest = value)
HEDDLE_SET(SetTol, double, true, CUSOLVER_STATUS_IRS_PARAMS_INVALID, params->tolerance = value)
HEDDLE_SET(SetTolInner, double, true, CUSOLVER_STATUS_IRS_PARAMS_INVALID, params->inner = value)
HEDDLE_SET(SetMaxIters, cusolver_int_t, value >= 0, CUSOLVER_STATUS_IRS_PARAMS_INVALID_MAXITER,
           params->mostIterations = value)
HEDDLE_SET(SetMaxItersInner, cusolver_int_t, value >= 0, CUSOLVER_STATUS_IRS_PARAMS_INVALID_MAXITER,
           params->mostInner = value)
HEDDLE_SET(GetMaxIters, cusolver_int_t *, value, CUSOLVER_STATUS_INVALID_VALUE, *value = params->mostIterations)
#undef HEDDLE_SET
Status cusolverDnIRSParamsSetSolverPrecisions(cusolverDnIRSParams_t params, cusolverPrecType_t main,
                                              cusolverPrecType_t lowest) {
  if (Status failed = cusolverDnIRSParamsSetSolverMainPrecision(params, main)) return failed;
  return cusolverDnIRSParamsSetSolverLowestPrecision(params, lowest);
}
Status cusolverDnIRSParamsEnableFallback(cusolverDnIRSParams_t params) {
  if (!is_live(params)) return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
  params->hasFallback = true;
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverDnIRSParamsDisableFallback(cusolverDnIRSParams_t params) {
  if (!is_live(params)) return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
  params->hasFallback = false;
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverDnIRSInfosCreate(cusolverDnIRSInfos_t *infos) { return make_object(infos); }
Status cusolverDnIRSInfosDestroy(cusolverDnIRSInfos_t infos) {
  return destroy_object(infos, CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED);
}
#define HEDDLE_GET(NAME, FIELD)                                                                                        \
  Status cusolverDnIRSInfos##NAME(cusolverDnIRSInfos_t infos, cusolver_int_t *value) {                                 \
    if (!is_live(infos)) return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;                                             \
    HEDDLE_NEEDS(value);                                                                                               \
    *value = infos->FIELD;                                                                                             \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }
HEDDLE_GET(GetNiters, iterations)
HEDDLE_GET(GetOuterNiters, outer)
HEDDLE_GET(GetMaxIters, most)
#undef HEDDLE_GET
Status cusolverDnIRSInfosRequestResidual(cusolverDnIRSInfos_t infos) {
  if (!is_live(infos)) return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
  infos->hasHistory = true;
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverDnIRSInfosGetResidualHistory(cusolverDnIRSInfos_t infos, void **history) {
  if (!is_live(infos)) return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
  HEDDLE_NEEDS(history && infos->hasHistory);
  *history = infos->history;
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverDnIRSXgesv_bufferSize(cusolverDnHandle_t handle, cusolverDnIRSParams_t params, cusolver_int_t n,
                                     cusolver_int_t nrhs, size_t *bytes) {
  HEDDLE_LIVE;
  if (Status wrong = check_params(params)) return wrong;
  HEDDLE_NEEDS(n >= 0 && nrhs >= 0 && bytes);
  *bytes = ((size_t)n + 4) * sizeof(int);
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverDnIRSXgesv(cusolverDnHandle_t handle, cusolverDnIRSParams_t params, cusolverDnIRSInfos_t infos,
                          cusolver_int_t n, cusolver_int_t nrhs, void *dA, cusolver_int_t ldda, void *dB,
                          cusolver_int_t lddb, void *dX, cusolver_int_t lddx, void *work, size_t bytes,
                          cusolver_int_t *niters, cusolver_int_t *info) {
  if (Status wrong = check_params(params)) return wrong; // before the handle, as NVIDIA's
  HEDDLE_LIVE;
  if (!is_live(infos)) return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
  HEDDLE_NEEDS(is_matrix(n, n, ldda) && is_matrix(n, nrhs, lddb) && is_matrix(n, nrhs, lddx) && niters && info &&
               (n == 0 || (dA && dB && dX)));
  HEDDLE_WAITS;
  if (bytes < ((size_t)n + 4) * sizeof(int) || !work) return CUSOLVER_STATUS_INVALID_WORKSPACE;
  *niters = infos->iterations = infos->outer = 0;
  infos->most = params->mostIterations;
  int *pivots = (int *)work;
  switch (params->main) {
  case CUSOLVER_R_32F:
    return solve_system<float>(handle, n, nrhs, (float *)dA, ldda, pivots, (float *)dB, lddb, (float *)dX, lddx, info);
  case CUSOLVER_R_64F:
    return solve_system<double>(handle, n, nrhs, (double *)dA, ldda, pivots, (double *)dB, lddb, (double *)dX, lddx,
                                info);
  case CUSOLVER_C_32F:
    return solve_system<c32>(handle, n, nrhs, (c32 *)dA, ldda, pivots, (c32 *)dB, lddb, (c32 *)dX, lddx, info);
  default:
    return solve_system<c64>(handle, n, nrhs, (c64 *)dA, ldda, pivots, (c64 *)dB, lddb, (c64 *)dX, lddx, info);
  }
}
}
