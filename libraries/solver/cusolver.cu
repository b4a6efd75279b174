// cuSOLVER's functions for dense matrices (cuSOLVER documentation): host functions over the kernels beside this file.
// Linked into programs that use them. One unit, so that the device code is one module.
#include <cusolverDn.h>
#include <string.h>
#include "dense.h"
#include "eigen.cuh"
#include "geev.cuh"
#include "svd.cuh"

using namespace heddle_solver;
using namespace heddle_nvidia;
using namespace heddle_dense;

struct JacobiInfo {
  double tolerance = 0; // 0: the machine's precision
  int mostSweeps = 100, isSorted = 1;
  int batch = 0; // of the last call
  int *sweeps = nullptr;
  double *residuals = nullptr;
  ~JacobiInfo() { release(); }
  void release() {
    if (sweeps) cudaFree(sweeps);
    if (residuals) cudaFree(residuals);
    sweeps = nullptr;
    residuals = nullptr;
  }
  bool prepare(int count) {
    if (batch == count && sweeps) return true;
    release();
    batch = count;
    return cudaMalloc(&sweeps, count * sizeof(int)) == cudaSuccess &&
           cudaMalloc(&residuals, count * sizeof(double)) == cudaSuccess;
  }
};
struct syevjInfo : JacobiInfo {};
struct gesvdjInfo : JacobiInfo {};
namespace {

/// To destroy nothing is right, as in NVIDIA's library.
template <class T> Status destroy_info(T *info) {
  return info ? destroy_object(info, CUSOLVER_STATUS_INVALID_VALUE) : CUSOLVER_STATUS_SUCCESS;
}

/// A number that a kernel found, for the host.
Status read_count(cusolverDnHandle_t h, const i64 *onDevice, int64_t *count) {
  i64 value = 0;
  cudaMemcpyAsync(&value, onDevice, sizeof value, cudaMemcpyDeviceToHost, h->stream);
  if (cudaStreamSynchronize(h->stream) != cudaSuccess) return CUSOLVER_STATUS_EXECUTION_FAILED;
  *count = value;
  return CUSOLVER_STATUS_SUCCESS;
}
i64 *small_memory(cusolverDnHandle_t h) {
  if (!h->small && cudaMalloc(&h->small, 64) != cudaSuccess) return nullptr;
  return (i64 *)h->small;
}

/// Eigenvalues of `batch` matrices side by side. work: eigen_elements(n) elements for each.
template <class T>
Status eigen(cusolverDnHandle_t h, EigenJob<T> job, int batch, const JacobiInfo *jacobi, int64_t *found) {
  if (job.n == 0) {
    if (found) *found = 0;
    for (int i = 0; i < batch; i++) set_info(h->stream, job.info + i);
    return launched();
  }
  job.isJacobi = jacobi != nullptr;
  job.isSorted = !jacobi || jacobi->isSorted;
  job.tolerance =
      jacobi && jacobi->tolerance > 0 ? (Real<T>)jacobi->tolerance : Real<T>(sizeof(Real<T>) == 4 ? 1.2e-7 : 2.3e-16);
  job.mostSweeps = jacobi ? jacobi->mostSweeps : 0;
  job.sweeps = jacobi ? jacobi->sweeps : nullptr;
  job.residuals = jacobi ? jacobi->residuals : nullptr;
  job.found = found ? small_memory(h) : nullptr;
  if (found && !job.found) return CUSOLVER_STATUS_ALLOC_FAILED;
  eigen_kernel<T><<<batch, THREADS, 0, h->stream>>>(job);
  if (found) if (Status failed = read_count(h, job.found, found)) return failed;
  return launched();
}
template <class T>
EigenJob<T> eigen_job(void *A, i64 lda, i64 n, void *w, bool hasVectors, bool isLower, void *work, int *info) {
  EigenJob<T> job{};
  job.A = one_matrix<T>(A, lda * n);
  job.lda = lda;
  job.n = n;
  job.w = (Real<T> *)w;
  job.hasVectors = hasVectors;
  job.isLower = isLower;
  job.work = (T *)work;
  job.info = info;
  return job;
}
template <class T> bool set_range(EigenJob<T> &job, cusolverEigRange_t range, Real<T> vl, Real<T> vu, i64 il, i64 iu) {
  if (range == CUSOLVER_EIG_RANGE_ALL) return true;
  job.range = range == CUSOLVER_EIG_RANGE_V ? 1 : 2;
  job.vl = vl;
  job.vu = vu;
  job.il = il;
  job.iu = iu;
  if (range == CUSOLVER_EIG_RANGE_V) return vl < vu;
  return range == CUSOLVER_EIG_RANGE_I && (job.n == 0 || (il >= 1 && iu >= il && iu <= job.n));
}
template <class T> Status svd(cusolverDnHandle_t h, SvdJob<T> job, int batch, const JacobiInfo *jacobi) {
  Real<T> least = Real<T>(sizeof(Real<T>) == 4 ? 2.4e-7 : 4.5e-16);
  job.tolerance = jacobi && jacobi->tolerance > least ? (Real<T>)jacobi->tolerance : least;
  job.mostSweeps = jacobi ? jacobi->mostSweeps : 60;
  job.isSorted = !jacobi || jacobi->isSorted;
  job.sweeps = jacobi ? jacobi->sweeps : nullptr;
  job.residuals = jacobi ? jacobi->residuals : nullptr;
  if (job.m == 0 || job.n == 0) {
    for (int i = 0; i < batch; i++) set_info(h->stream, job.info + i);
    return launched();
  }
  svd_kernel<T><<<batch, THREADS, 0, h->stream>>>(job);
  return launched();
}
template <class T> SvdJob<T> svd_job(const void *A, i64 lda, i64 m, i64 n, void *S, void *work, int *info) {
  SvdJob<T> job{};
  job.A = one_matrix<T>((void *)A, lda * n);
  job.lda = lda;
  job.m = m;
  job.n = n;
  job.S = (Real<T> *)S;
  job.rank = m < n ? m : n;
  job.work = (T *)work;
  job.info = info;
  return job;
}
template <class T>
void want(SvdJob<T> &job, void *U, i64 ldu, i64 uColumns, void *V, i64 ldv, i64 vColumns, bool isVTransposed) {
  job.U = (T *)U;
  job.ldu = ldu;
  job.uColumns = uColumns;
  job.uStride = ldu * uColumns;
  job.V = (T *)V;
  job.ldv = ldv;
  job.vColumns = vColumns;
  job.vStride = ldv * vColumns;
  job.isVTransposed = isVTransposed;
}
/// gesvd's letters: A all, S the first, O over A, N none.
template <class T>
Status gesvd(cusolverDnHandle_t h, signed char jobu, signed char jobvt, i64 m, i64 n, void *A, i64 lda, void *S,
             void *U, i64 ldu, void *VT, i64 ldvt, void *work, int *info) {
  i64 least = m < n ? m : n;
  SvdJob<T> job = svd_job<T>(A, lda, m, n, S, work, info);
  void *left = jobu == 'N' ? nullptr : jobu == 'O' ? A : U, *right = jobvt == 'N' ? nullptr : jobvt == 'O' ? A : VT;
  want(job, left, jobu == 'O' ? lda : ldu, jobu == 'A' ? m : least, right, jobvt == 'O' ? lda : ldvt,
       jobvt == 'A' ? n : least, true);
  return svd<T>(h, job, 1, nullptr);
}
bool is_letter(signed char letter) { return letter == 'A' || letter == 'S' || letter == 'O' || letter == 'N'; }
bool are_letters(signed char jobu, signed char jobvt, i64 m, i64 n, i64 ldu, i64 ldvt) {
  if (!is_letter(jobu) || !is_letter(jobvt) || (jobu == 'O' && jobvt == 'O')) return false;
  i64 least = m < n ? m : n;
  return ldu >= (jobu == 'A' || jobu == 'S' ? (m > 1 ? m : 1) : 1) &&
         ldvt >= (jobvt == 'A' ? n : jobvt == 'S' ? least : 1);
}

} // namespace

extern "C" {

Status cusolverGetProperty(libraryPropertyType type, int *value) {
  HEDDLE_NEEDS(value && type >= 0 && type <= 2);
  *value = type == 0 ? CUSOLVER_VER_MAJOR : type == 1 ? CUSOLVER_VER_MINOR : CUSOLVER_VER_PATCH;
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverGetVersion(int *version) {
  HEDDLE_NEEDS(version);
  *version = CUSOLVER_VERSION;
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverDnCreate(cusolverDnHandle_t *handle) {
  if (handle && !heddle_captures::can_allocate()) return CUSOLVER_STATUS_INTERNAL_ERROR;
  return make_object(handle);
}
Status cusolverDnDestroy(cusolverDnHandle_t handle) {
  if (is_live(handle)) heddle_captures::wait_for_device();
  return destroy_object(handle, CUSOLVER_STATUS_NOT_INITIALIZED);
}
Status cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  HEDDLE_LIVE;
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *stream) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(stream);
  *stream = handle->stream;
  return CUSOLVER_STATUS_SUCCESS;
}
#define HEDDLE_MODE(NAME, TYPE, FIELD, RIGHT)                                                                          \
  Status cusolverDnSet##NAME(cusolverDnHandle_t handle, TYPE value) {                                                  \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(RIGHT);                                                                                               \
    handle->FIELD = value;                                                                                             \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  Status cusolverDnGet##NAME(cusolverDnHandle_t handle, TYPE *value) {                                                 \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(value);                                                                                               \
    *value = handle->FIELD;                                                                                            \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }
HEDDLE_MODE(DeterministicMode, cusolverDeterministicMode_t, mode,
            value == CUSOLVER_DETERMINISTIC_RESULTS || value == CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS)
HEDDLE_MODE(MathMode, cusolverMathMode_t, math,
            value == CUSOLVER_DEFAULT_MATH || value == CUSOLVER_FP32_EMULATED_BF16X9_MATH)
HEDDLE_MODE(EmulationStrategy, cudaEmulationStrategy_t, strategy, value >= 0 && value <= CUDA_EMULATION_STRATEGY_EAGER)
#undef HEDDLE_MODE
Status cusolverDnLoggerSetCallback(cusolverDnLoggerCallback_t) { return CUSOLVER_STATUS_SUCCESS; }
Status cusolverDnLoggerSetFile(FILE *) { return CUSOLVER_STATUS_SUCCESS; }
Status cusolverDnLoggerOpenFile(const char *path) {
  return path ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
Status cusolverDnLoggerSetLevel(int) { return CUSOLVER_STATUS_SUCCESS; }
Status cusolverDnLoggerSetMask(int) { return CUSOLVER_STATUS_SUCCESS; }
Status cusolverDnLoggerForceDisable(void) { return CUSOLVER_STATUS_SUCCESS; }
Status cusolverDnCreateParams(cusolverDnParams_t *params) { return make_object(params); }
Status cusolverDnDestroyParams(cusolverDnParams_t params) {
  return destroy_info(params);
}
Status cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function, cusolverAlgMode_t algo) {
  HEDDLE_NEEDS(is_live(params) && function >= 0 && function <= CUSOLVERDN_SYEVBATCHED && algo >= 0 &&
               algo <= CUSOLVER_ALG_2);
  params->modes[function] = algo;
  return CUSOLVER_STATUS_SUCCESS;
}

#define HEDDLE_JACOBI(NAME, Name)                                                                                      \
  Status cusolverDnCreate##Name##Info(NAME##Info_t *info) { return make_object(info); }                                \
  Status cusolverDnDestroy##Name##Info(NAME##Info_t info) {                                                            \
    return destroy_info(info);                                                                                         \
  }                                                                                                                    \
  Status cusolverDnX##NAME##SetTolerance(NAME##Info_t info, double tolerance) {                                        \
    HEDDLE_NEEDS(is_live(info));                                                                                       \
    info->tolerance = tolerance;                                                                                       \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  Status cusolverDnX##NAME##SetMaxSweeps(NAME##Info_t info, int max_sweeps) {                                          \
    HEDDLE_NEEDS(is_live(info) && max_sweeps >= 0);                                                                    \
    info->mostSweeps = max_sweeps;                                                                                     \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  Status cusolverDnX##NAME##SetSortEig(NAME##Info_t info, int sort_eig) {                                              \
    HEDDLE_NEEDS(is_live(info));                                                                                       \
    info->isSorted = sort_eig != 0;                                                                                    \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  Status cusolverDnX##NAME##GetResidual(cusolverDnHandle_t handle, NAME##Info_t info, double *residual) {              \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_live(info) && residual);                                                                           \
    if (info->batch != 1) return CUSOLVER_STATUS_NOT_SUPPORTED;                                                        \
    cudaMemcpyAsync(residual, info->residuals, sizeof(double), cudaMemcpyDeviceToHost, handle->stream);                \
    cudaStreamSynchronize(handle->stream);                                                                             \
    return launched();                                                                                                 \
  }                                                                                                                    \
  Status cusolverDnX##NAME##GetSweeps(cusolverDnHandle_t handle, NAME##Info_t info, int *sweeps) {                     \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_live(info) && sweeps);                                                                             \
    if (info->batch != 1) return CUSOLVER_STATUS_NOT_SUPPORTED;                                                        \
    cudaMemcpyAsync(sweeps, info->sweeps, sizeof(int), cudaMemcpyDeviceToHost, handle->stream);                        \
    cudaStreamSynchronize(handle->stream);                                                                             \
    return launched();                                                                                                 \
  }
HEDDLE_JACOBI(syevj, Syevj)
HEDDLE_JACOBI(gesvdj, Gesvdj)
#undef HEDDLE_JACOBI
}

#include "factors.inl"
#include "spectra.inl"
#include "refinement.inl"
#include "generic.inl"
