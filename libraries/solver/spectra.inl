// Eigenvalues and singular values for one type each: part of cusolver.cu. Functions with numbers of floating point
// among their arguments, and those of Jacobi's methods, are not handed over to NVIDIA's library.

namespace {
bool is_range(cusolverEigRange_t range) { return range >= CUSOLVER_EIG_RANGE_ALL && range <= CUSOLVER_EIG_RANGE_V; }
bool is_type(cusolverEigType_t type) { return type >= CUSOLVER_EIG_TYPE_1 && type <= CUSOLVER_EIG_TYPE_3; }
} // namespace

extern "C" {

#define HEDDLE_OWN_SIZE(ELEMENTS)                                                                                      \
  HEDDLE_NEEDS(lwork);                                                                                                 \
  *lwork = (int)(ELEMENTS);                                                                                            \
  return CUSOLVER_STATUS_SUCCESS;

#define HEDDLE_NAMED(P, SY, T, R)                                                                                      \
  Status cusolverDn##P##SY##evd_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,   \
                                           int n, const T *A, int lda, const R *W, int *lwork) {                       \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda));                                              \
    HEDDLE_SIZE(eigen_elements<Native<T>::type>(n), "cusolverDn" #P #SY "evd_bufferSize", (int)jobz, (int)uplo, n,     \
                HEDDLE_P(A), lda, HEDDLE_P(W))                                                                         \
  }                                                                                                                    \
  Status cusolverDn##P##SY##evd(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *A, \
                                int lda, R *W, T *work, int lwork, int *info) {                                        \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda) && info && (n == 0 || (A && W && work)) &&     \
                 lwork >= eigen_elements<E>(n) * (n > 0));                                                             \
    HEDDLE_WAITS;                                                                                                      \
    HEDDLE_HANDED("cusolverDn" #P #SY "evd", (int)jobz, (int)uplo, n, HEDDLE_P(A), lda, HEDDLE_P(W), HEDDLE_P(work),   \
                  lwork, HEDDLE_P(info))                                                                               \
    return eigen<E>(                                                                                                   \
        handle,                                                                                                        \
        eigen_job<E>(A, lda, n, W, jobz == CUSOLVER_EIG_MODE_VECTOR, uplo == CUBLAS_FILL_MODE_LOWER, work, info), 1,   \
        nullptr, nullptr);                                                                                             \
  }                                                                                                                    \
  Status cusolverDn##P##SY##evdx_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz,                         \
                                            cusolverEigRange_t range, cublasFillMode_t uplo, int n, const T *A,        \
                                            int lda, R vl, R vu, int il, int iu, int *meig, const R *W, int *lwork) {  \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_mode(jobz) && is_range(range) && is_fill(uplo) && is_matrix(n, n, lda));                           \
    HEDDLE_OWN_SIZE(eigen_elements<Native<T>::type>(n))                                                                \
  }                                                                                                                    \
  Status cusolverDn##P##SY##evdx(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cusolverEigRange_t range,          \
                                 cublasFillMode_t uplo, int n, T *A, int lda, R vl, R vu, int il, int iu, int *meig,   \
                                 R *W, T *work, int lwork, int *info) {                                                \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_mode(jobz) && is_range(range) && is_fill(uplo) && is_matrix(n, n, lda) && meig && info &&          \
                 (n == 0 || (A && W && work)) && lwork >= eigen_elements<E>(n) * (n > 0));                             \
    EigenJob<E> job =                                                                                                  \
        eigen_job<E>(A, lda, n, W, jobz == CUSOLVER_EIG_MODE_VECTOR, uplo == CUBLAS_FILL_MODE_LOWER, work, info);      \
    HEDDLE_NEEDS(set_range(job, range, vl, vu, il, iu));                                                               \
    int64_t found = 0;                                                                                                 \
    Status done = eigen<E>(handle, job, 1, nullptr, &found);                                                           \
    *meig = (int)found;                                                                                                \
    return done;                                                                                                       \
  }                                                                                                                    \
  Status cusolverDn##P##SY##gvd_bufferSize(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz, \
                                           cublasFillMode_t uplo, int n, const T *A, int lda, const T *B, int ldb,     \
                                           const R *W, int *lwork) {                                                   \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_type(itype) && is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda) && is_matrix(n, n, ldb));    \
    HEDDLE_SIZE(eigen_elements<Native<T>::type>(n), "cusolverDn" #P #SY "gvd_bufferSize", (int)itype, (int)jobz,       \
                (int)uplo, n, HEDDLE_P(A), lda, HEDDLE_P(B), ldb, HEDDLE_P(W))                                         \
  }                                                                                                                    \
  Status cusolverDn##P##SY##gvd(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,            \
                                cublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb, R *W, T *work, int lwork,  \
                                int *info) {                                                                           \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_type(itype) && is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda) && is_matrix(n, n, ldb) &&   \
                 info && (n == 0 || (A && B && W && work)) && lwork >= eigen_elements<E>(n) * (n > 0));                \
    HEDDLE_HANDED("cusolverDn" #P #SY "gvd", (int)itype, (int)jobz, (int)uplo, n, HEDDLE_P(A), lda, HEDDLE_P(B), ldb,  \
                  HEDDLE_P(W), HEDDLE_P(work), lwork, HEDDLE_P(info))                                                  \
    EigenJob<E> job =                                                                                                  \
        eigen_job<E>(A, lda, n, W, jobz == CUSOLVER_EIG_MODE_VECTOR, uplo == CUBLAS_FILL_MODE_LOWER, work, info);      \
    job.B = one_matrix<E>(B);                                                                                          \
    job.ldb = ldb;                                                                                                     \
    job.type = itype;                                                                                                  \
    return eigen<E>(handle, job, 1, nullptr, nullptr);                                                                 \
  }                                                                                                                    \
  Status cusolverDn##P##SY##gvdx_bufferSize(cusolverDnHandle_t handle, cusolverEigType_t itype,                        \
                                            cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo,   \
                                            int n, const T *A, int lda, const T *B, int ldb, R vl, R vu, int il,       \
                                            int iu, int *meig, const R *W, int *lwork) {                               \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_type(itype) && is_mode(jobz) && is_range(range) && is_fill(uplo) && is_matrix(n, n, lda) &&        \
                 is_matrix(n, n, ldb));                                                                                \
    HEDDLE_OWN_SIZE(eigen_elements<Native<T>::type>(n))                                                                \
  }                                                                                                                    \
  Status cusolverDn##P##SY##gvdx(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,           \
                                 cusolverEigRange_t range, cublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb, \
                                 R vl, R vu, int il, int iu, int *meig, R *W, T *work, int lwork, int *info) {         \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_type(itype) && is_mode(jobz) && is_range(range) && is_fill(uplo) && is_matrix(n, n, lda) &&        \
                 is_matrix(n, n, ldb) && meig && info && (n == 0 || (A && B && W && work)) &&                          \
                 lwork >= eigen_elements<E>(n) * (n > 0));                                                             \
    EigenJob<E> job =                                                                                                  \
        eigen_job<E>(A, lda, n, W, jobz == CUSOLVER_EIG_MODE_VECTOR, uplo == CUBLAS_FILL_MODE_LOWER, work, info);      \
    job.B = one_matrix<E>(B);                                                                                          \
    job.ldb = ldb;                                                                                                     \
    job.type = itype;                                                                                                  \
    HEDDLE_NEEDS(set_range(job, range, vl, vu, il, iu));                                                               \
    int64_t found = 0;                                                                                                 \
    Status done = eigen<E>(handle, job, 1, nullptr, &found);                                                           \
    *meig = (int)found;                                                                                                \
    return done;                                                                                                       \
  }                                                                                                                    \
  Status cusolverDn##P##SY##evj_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,   \
                                           int n, const T *A, int lda, const R *W, int *lwork, syevjInfo_t params) {   \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda) && is_live(params));                           \
    HEDDLE_OWN_SIZE(eigen_elements<Native<T>::type>(n))                                                                \
  }                                                                                                                    \
  Status cusolverDn##P##SY##evj(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *A, \
                                int lda, R *W, T *work, int lwork, int *info, syevjInfo_t params) {                    \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda) && is_live(params) && info &&                  \
                 (n == 0 || (A && W && work)) && lwork >= eigen_elements<E>(n) * (n > 0));                             \
    HEDDLE_WAITS;                                                                                                      \
    if (!params->prepare(1)) return CUSOLVER_STATUS_ALLOC_FAILED;                                                      \
    return eigen<E>(                                                                                                   \
        handle,                                                                                                        \
        eigen_job<E>(A, lda, n, W, jobz == CUSOLVER_EIG_MODE_VECTOR, uplo == CUBLAS_FILL_MODE_LOWER, work, info), 1,   \
        params, nullptr);                                                                                              \
  }                                                                                                                    \
  Status cusolverDn##P##SY##evjBatched_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz,                   \
                                                  cublasFillMode_t uplo, int n, const T *A, int lda, const R *W,       \
                                                  int *lwork, syevjInfo_t params, int batch) {                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda) && is_live(params) && batch >= 0);             \
    HEDDLE_OWN_SIZE(eigen_elements<Native<T>::type>(n) * batch)                                                        \
  }                                                                                                                    \
  Status cusolverDn##P##SY##evjBatched(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,       \
                                       int n, T *A, int lda, R *W, T *work, int lwork, int *info, syevjInfo_t params,  \
                                       int batch) {                                                                    \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda) && is_live(params) && info && batch >= 0 &&    \
                 (n == 0 || (A && W && work)) && lwork >= eigen_elements<E>(n) * batch * (n > 0));                     \
    if (batch == 0) return CUSOLVER_STATUS_SUCCESS;                                                                    \
    if (!params->prepare(batch)) return CUSOLVER_STATUS_ALLOC_FAILED;                                                  \
    return eigen<E>(                                                                                                   \
        handle,                                                                                                        \
        eigen_job<E>(A, lda, n, W, jobz == CUSOLVER_EIG_MODE_VECTOR, uplo == CUBLAS_FILL_MODE_LOWER, work, info),      \
        batch, params, nullptr);                                                                                       \
  }                                                                                                                    \
  Status cusolverDn##P##SY##gvj_bufferSize(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz, \
                                           cublasFillMode_t uplo, int n, const T *A, int lda, const T *B, int ldb,     \
                                           const R *W, int *lwork, syevjInfo_t params) {                               \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_type(itype) && is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda) && is_matrix(n, n, ldb) &&   \
                 is_live(params));                                                                                     \
    HEDDLE_OWN_SIZE(eigen_elements<Native<T>::type>(n))                                                                \
  }                                                                                                                    \
  Status cusolverDn##P##SY##gvj(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,            \
                                cublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb, R *W, T *work, int lwork,  \
                                int *info, syevjInfo_t params) {                                                       \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_type(itype) && is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda) && is_matrix(n, n, ldb) &&   \
                 is_live(params) && info && (n == 0 || (A && B && W && work)) &&                                       \
                 lwork >= eigen_elements<E>(n) * (n > 0));                                                             \
    if (!params->prepare(1)) return CUSOLVER_STATUS_ALLOC_FAILED;                                                      \
    EigenJob<E> job =                                                                                                  \
        eigen_job<E>(A, lda, n, W, jobz == CUSOLVER_EIG_MODE_VECTOR, uplo == CUBLAS_FILL_MODE_LOWER, work, info);      \
    job.B = one_matrix<E>(B);                                                                                          \
    job.ldb = ldb;                                                                                                     \
    job.type = itype;                                                                                                  \
    return eigen<E>(handle, job, 1, params, nullptr);                                                                  \
  }
HEDDLE_NAMED(S, sy, float, float)
HEDDLE_NAMED(D, sy, double, double)
HEDDLE_NAMED(C, he, cuComplex, float)
HEDDLE_NAMED(Z, he, cuDoubleComplex, double)
#undef HEDDLE_NAMED

#define HEDDLE_TYPED(P, T, R)                                                                                          \
  Status cusolverDn##P##gesvd_bufferSize(cusolverDnHandle_t handle, int m, int n, int *lwork) {                        \
    HEDDLE_LIVE; /* wrong dimensions are accepted, as by NVIDIA's (seen on an H200, CUDA 13.0) */                      \
    i64 own = m > 0 && n > 0 ? svd_elements<Native<T>::type>(m, n) : 1;                                                \
    HEDDLE_SIZE(own, "cusolverDn" #P "gesvd_bufferSize", m, n)                                                         \
  }                                                                                                                    \
  Status cusolverDn##P##gesvd(cusolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, int n, T *A,      \
                              int lda, R *S, T *U, int ldu, T *VT, int ldvt, T *work, int lwork, R *rwork,             \
                              int *info) {                                                                             \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(m >= n && is_matrix(m, n, lda) && are_letters(jobu, jobvt, m, n, ldu, ldvt) && info &&                \
                 (n == 0 || (A && S && work)) && lwork >= svd_elements<E>(m, n) * (n > 0));                            \
    HEDDLE_WAITS;                                                                                                      \
    HEDDLE_HANDED("cusolverDn" #P "gesvd", (int)jobu, (int)jobvt, m, n, HEDDLE_P(A), lda, HEDDLE_P(S), HEDDLE_P(U),    \
                  ldu, HEDDLE_P(VT), ldvt, HEDDLE_P(work), lwork, HEDDLE_P(rwork), HEDDLE_P(info))                     \
    return gesvd<E>(handle, jobu, jobvt, m, n, A, lda, S, U, ldu, VT, ldvt, work, info);                               \
  }                                                                                                                    \
  Status cusolverDn##P##gesvdj_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ, int m, int n,   \
                                          const T *A, int lda, const R *S, const T *U, int ldu, const T *V, int ldv,   \
                                          int *lwork, gesvdjInfo_t params) {                                           \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_mode(jobz) && is_matrix(m, n, lda) && is_live(params));                                            \
    HEDDLE_OWN_SIZE(svd_elements<Native<T>::type>(m, n))                                                               \
  }                                                                                                                    \
  Status cusolverDn##P##gesvdj(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ, int m, int n, T *A,        \
                               int lda, R *S, T *U, int ldu, T *V, int ldv, T *work, int lwork, int *info,             \
                               gesvdjInfo_t params) {                                                                  \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    bool hasVectors = jobz == CUSOLVER_EIG_MODE_VECTOR;                                                                \
    HEDDLE_NEEDS(is_mode(jobz) && is_matrix(m, n, lda) && is_live(params) && info &&                                   \
                 (!hasVectors || (ldu >= m && ldv >= n)) &&                                                            \
                 (m == 0 || n == 0 || (A && S && work && (!hasVectors || (U && V)))) &&                                \
                 lwork >= svd_elements<E>(m, n) * (m > 0 && n > 0));                                                   \
    HEDDLE_WAITS;                                                                                                      \
    if (!params->prepare(1)) return CUSOLVER_STATUS_ALLOC_FAILED;                                                      \
    int least = m < n ? m : n;                                                                                         \
    SvdJob<E> job = svd_job<E>(A, lda, m, n, S, work, info);                                                           \
    if (hasVectors) want(job, U, ldu, econ ? least : m, V, ldv, econ ? least : n, false);                              \
    return svd<E>(handle, job, 1, params);                                                                             \
  }                                                                                                                    \
  Status cusolverDn##P##gesvdjBatched_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n,      \
                                                 const T *A, int lda, const R *S, const T *U, int ldu, const T *V,     \
                                                 int ldv, int *lwork, gesvdjInfo_t params, int batch) {                \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_mode(jobz) && is_matrix(m, n, lda) && m <= 32 && n <= 32 && is_live(params) && batch >= 0);        \
    HEDDLE_OWN_SIZE(svd_elements<Native<T>::type>(m, n) * batch)                                                       \
  }                                                                                                                    \
  Status cusolverDn##P##gesvdjBatched(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n, T *A, int lda,  \
                                      R *S, T *U, int ldu, T *V, int ldv, T *work, int lwork, int *info,               \
                                      gesvdjInfo_t params, int batch) {                                                \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    bool hasVectors = jobz == CUSOLVER_EIG_MODE_VECTOR;                                                                \
    HEDDLE_NEEDS(is_mode(jobz) && is_matrix(m, n, lda) && m <= 32 && n <= 32 && is_live(params) && info &&             \
                 batch >= 0 && (!hasVectors || (ldu >= m && ldv >= n && U && V)) && A && S && work &&                  \
                 lwork >= svd_elements<E>(m, n) * batch * (m > 0 && n > 0));                                           \
    if (batch == 0) return CUSOLVER_STATUS_SUCCESS;                                                                    \
    if (!params->prepare(batch)) return CUSOLVER_STATUS_ALLOC_FAILED;                                                  \
    SvdJob<E> job = svd_job<E>(A, lda, m, n, S, work, info);                                                           \
    if (hasVectors) want(job, U, ldu, m, V, ldv, n, false);                                                            \
    return svd<E>(handle, job, batch, params);                                                                         \
  }                                                                                                                    \
  Status cusolverDn##P##gesvdaStridedBatched_bufferSize(                                                               \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank, int m, int n, const T *A, int lda,                  \
      long long int strideA, const R *S, long long int strideS, const T *U, int ldu, long long int strideU,            \
      const T *V, int ldv, long long int strideV, int *lwork, int batch) {                                             \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_mode(jobz) && is_matrix(m, n, lda) && rank >= 0 && rank <= n && rank <= m && batch >= 0);          \
    HEDDLE_OWN_SIZE(svd_elements<Native<T>::type>(m, n) * batch)                                                       \
  }                                                                                                                    \
  Status cusolverDn##P##gesvdaStridedBatched(                                                                          \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank, int m, int n, const T *A, int lda,                  \
      long long int strideA, R *S, long long int strideS, T *U, int ldu, long long int strideU, T *V, int ldv,         \
      long long int strideV, T *work, int lwork, int *info, double *h_R_nrmF, int batch) {                             \
    typedef Native<T>::type E;                                                                                         \
    bool hasVectors = jobz == CUSOLVER_EIG_MODE_VECTOR;                                                                \
    HEDDLE_NEEDS(is_mode(jobz) && is_matrix(m, n, lda) && rank >= 0 && rank <= n && rank <= m && info && batch >= 0 && \
                 (!hasVectors || (ldu >= m && ldv >= n && U && V)) && A && S && work &&                                \
                 lwork >= svd_elements<E>(m, n) * batch * (m > 0 && n > 0));                                           \
    HEDDLE_LIVE; /* after the other arguments, as NVIDIA's */                                                          \
    if (batch == 0) return CUSOLVER_STATUS_SUCCESS;                                                                    \
    SvdJob<E> job = svd_job<E>(A, lda, m, n, S, work, info);                                                           \
    job.A.stride = strideA;                                                                                            \
    job.rank = rank;                                                                                                   \
    job.sStride = strideS;                                                                                             \
    if (hasVectors) {                                                                                                  \
      want(job, U, ldu, rank, V, ldv, rank, false);                                                                    \
      job.uStride = strideU;                                                                                           \
      job.vStride = strideV;                                                                                           \
    }                                                                                                                  \
    job.rest = h_R_nrmF && hasVectors ? (double *)work : nullptr;                                                      \
    if (Status failed = svd<E>(handle, job, batch, nullptr)) return failed;                                            \
    if (!job.rest) return CUSOLVER_STATUS_SUCCESS;                                                                     \
    for (int i = 0; i < batch; i++)                                                                                    \
      cudaMemcpyAsync(h_R_nrmF + i, (E *)work + svd_elements<E>(m, n) * i, sizeof(double), cudaMemcpyDeviceToHost,     \
                      handle->stream);                                                                                 \
    cudaStreamSynchronize(handle->stream);                                                                             \
    return launched();                                                                                                 \
  }
HEDDLE_TYPED(S, float, float)
HEDDLE_TYPED(D, double, double)
HEDDLE_TYPED(C, cuComplex, float)
HEDDLE_TYPED(Z, cuDoubleComplex, double)
#undef HEDDLE_TYPED
}
