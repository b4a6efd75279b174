// Functions for any type, with sizes of 64 bits: part of cusolver.cu.

namespace {

i64 eigen_bytes(i64 n, cudaDataType type) { return eigen_elements<c64>(n) * bytes_of(type); }
i64 svd_bytes(i64 m, i64 n, cudaDataType type) { return svd_elements<c64>(m, n) * bytes_of(type); }

} // namespace

extern "C" {

Status cusolverDnXpotrf_bufferSize(HEDDLE_XPOTRF, const void *A, int64_t lda, cudaDataType computeType,
                                   HEDDLE_CUSOLVER_SIZES) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(is_fill(uplo) && is_matrix(n, n, lda) && is_known(dataTypeA) && computeType == dataTypeA);
  HEDDLE_SIZES(16, "cusolverDnXpotrf_bufferSize", NO_PARAMS, (int)uplo, (long long)n, (int)dataTypeA, A, (long long)lda,
               (int)computeType)
}
Status cusolverDnXpotrf(HEDDLE_XPOTRF, void *A, int64_t lda, cudaDataType computeType, HEDDLE_CUSOLVER_WORK) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(is_fill(uplo) && is_matrix(n, n, lda) && is_known(dataTypeA) && computeType == dataTypeA && info &&
               (n == 0 || A));
  HEDDLE_HANDED("cusolverDnXpotrf", NO_PARAMS, (int)uplo, (long long)n, (int)dataTypeA, HEDDLE_P(A), (long long)lda,
                (int)computeType, HEDDLE_WORK_VALUES)
  return with_type(dataTypeA, [&](auto t) {
    typedef typename decltype(t)::type T;
    potrf_kernel<T><<<1, THREADS, 0, handle->stream>>>(one_matrix<T>(A), lda, n, uplo == CUBLAS_FILL_MODE_LOWER, info);
    return launched();
  });
}
Status cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo, int64_t n,
                        int64_t nrhs, cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType dataTypeB,
                        void *B, int64_t ldb, int *info) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(is_fill(uplo) && is_matrix(n, n, lda) && is_matrix(n, nrhs, ldb) && is_known(dataTypeA) &&
               dataTypeB == dataTypeA && info && (n == 0 || (A && B)));
  HEDDLE_HANDED("cusolverDnXpotrs", NO_PARAMS, (int)uplo, (long long)n, (long long)nrhs, (int)dataTypeA, A,
                (long long)lda, (int)dataTypeB, HEDDLE_P(B), (long long)ldb, HEDDLE_P(info))
  return with_type(dataTypeA, [&](auto t) {
    typedef typename decltype(t)::type T;
    potrs_kernel<T><<<1, THREADS, 0, handle->stream>>>(one_matrix<T>((void *)A), lda, n, uplo == CUBLAS_FILL_MODE_LOWER,
                                                       one_matrix<T>(B), ldb, nrhs);
    set_info(handle->stream, info);
    return launched();
  });
}
Status cusolverDnXgetrf_bufferSize(HEDDLE_XGETRF, const void *A, int64_t lda, cudaDataType computeType,
                                   HEDDLE_CUSOLVER_SIZES) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(is_matrix(m, n, lda) && is_known(dataTypeA) && computeType == dataTypeA);
  HEDDLE_SIZES(16, "cusolverDnXgetrf_bufferSize", NO_PARAMS, (long long)m, (long long)n, (int)dataTypeA, A,
               (long long)lda, (int)computeType)
}
Status cusolverDnXgetrf(HEDDLE_XGETRF, void *A, int64_t lda, int64_t *ipiv, cudaDataType computeType,
                        HEDDLE_CUSOLVER_WORK) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(is_matrix(m, n, lda) && is_known(dataTypeA) && computeType == dataTypeA && info &&
               (m == 0 || n == 0 || A));
  HEDDLE_HANDED("cusolverDnXgetrf", NO_PARAMS, (long long)m, (long long)n, (int)dataTypeA, HEDDLE_P(A), (long long)lda,
                HEDDLE_P(ipiv), (int)computeType, HEDDLE_WORK_VALUES)
  return with_type(dataTypeA, [&](auto t) {
    typedef typename decltype(t)::type T;
    getrf_kernel<T><<<1, THREADS, 0, handle->stream>>>(one_matrix<T>(A), lda, m, n, ipiv, true, info);
    return launched();
  });
}
Status cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasOperation_t trans, int64_t n,
                        int64_t nrhs, cudaDataType dataTypeA, const void *A, int64_t lda, const int64_t *ipiv,
                        cudaDataType dataTypeB, void *B, int64_t ldb, int *info) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(is_op(trans) && is_matrix(n, n, lda) && is_matrix(n, nrhs, ldb) && is_known(dataTypeA) &&
               dataTypeB == dataTypeA && info && (n == 0 || (A && B)));
  HEDDLE_HANDED("cusolverDnXgetrs", NO_PARAMS, (int)trans, (long long)n, (long long)nrhs, (int)dataTypeA, A,
                (long long)lda, HEDDLE_P(ipiv), (int)dataTypeB, HEDDLE_P(B), (long long)ldb, HEDDLE_P(info))
  return with_type(dataTypeA, [&](auto t) {
    typedef typename decltype(t)::type T;
    getrs_kernel<T><<<1, THREADS, 0, handle->stream>>>((const T *)A, lda, n, ipiv, true, trans, (T *)B, ldb, nrhs);
    set_info(handle->stream, info);
    return launched();
  });
}
Status cusolverDnXgeqrf_bufferSize(HEDDLE_XGETRF, const void *A, int64_t lda, cudaDataType dataTypeTau, const void *tau,
                                   cudaDataType computeType, HEDDLE_CUSOLVER_SIZES) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(is_matrix(m, n, lda) && is_known(dataTypeA) && computeType == dataTypeA && dataTypeTau == dataTypeA);
  HEDDLE_SIZES(16, "cusolverDnXgeqrf_bufferSize", NO_PARAMS, (long long)m, (long long)n, (int)dataTypeA, A,
               (long long)lda, (int)dataTypeTau, tau, (int)computeType)
}
Status cusolverDnXgeqrf(HEDDLE_XGETRF, void *A, int64_t lda, cudaDataType dataTypeTau, void *tau,
                        cudaDataType computeType, HEDDLE_CUSOLVER_WORK) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(is_matrix(m, n, lda) && is_known(dataTypeA) && computeType == dataTypeA && dataTypeTau == dataTypeA &&
               info && (m == 0 || n == 0 || (A && tau)));
  HEDDLE_HANDED("cusolverDnXgeqrf", NO_PARAMS, (long long)m, (long long)n, (int)dataTypeA, HEDDLE_P(A), (long long)lda,
                (int)dataTypeTau, HEDDLE_P(tau), (int)computeType, HEDDLE_WORK_VALUES)
  return with_type(dataTypeA, [&](auto t) {
    typedef typename decltype(t)::type T;
    geqrf_kernel<T><<<1, THREADS, 0, handle->stream>>>((T *)A, lda, m, n, (T *)tau, info);
    return launched();
  });
}
Status cusolverDnXtrtri_bufferSize(HEDDLE_XTRTRI, HEDDLE_CUSOLVER_SIZES) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(is_fill(uplo) && (diag == CUBLAS_DIAG_UNIT || diag == CUBLAS_DIAG_NON_UNIT) && is_matrix(n, n, lda) &&
               is_known(dataTypeA));
  HEDDLE_SIZES(16, "cusolverDnXtrtri_bufferSize", (int)uplo, (int)diag, (long long)n, (int)dataTypeA, HEDDLE_P(A),
               (long long)lda)
}
Status cusolverDnXtrtri(HEDDLE_XTRTRI, HEDDLE_CUSOLVER_WORK) {
  HEDDLE_NEEDS(is_fill(uplo) && (diag == CUBLAS_DIAG_UNIT || diag == CUBLAS_DIAG_NON_UNIT) && is_matrix(n, n, lda) &&
               is_known(dataTypeA) && info && (n == 0 || A)); // before the handle, as NVIDIA's
  HEDDLE_LIVE;
  HEDDLE_HANDED("cusolverDnXtrtri", (int)uplo, (int)diag, (long long)n, (int)dataTypeA, HEDDLE_P(A), (long long)lda,
                HEDDLE_WORK_VALUES)
  return with_type(dataTypeA, [&](auto t) {
    typedef typename decltype(t)::type T;
    trtri_kernel<T><<<1, THREADS, 0, handle->stream>>>((T *)A, lda, n, uplo == CUBLAS_FILL_MODE_LOWER,
                                                       diag == CUBLAS_DIAG_UNIT, info);
    return launched();
  });
}
#define HEDDLE_XSYEVD_RIGHT                                                                                            \
  (is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda) && is_known(dataTypeA) && computeType == dataTypeA &&        \
   dataTypeW == real_of(dataTypeA))
Status cusolverDnXsyevd_bufferSize(HEDDLE_XSYEVD, const void *A, int64_t lda, cudaDataType dataTypeW, const void *W,
                                   cudaDataType computeType, HEDDLE_CUSOLVER_SIZES) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(HEDDLE_XSYEVD_RIGHT);
  HEDDLE_SIZES(eigen_bytes(n, dataTypeA), "cusolverDnXsyevd_bufferSize", NO_PARAMS, (int)jobz, (int)uplo, (long long)n,
               (int)dataTypeA, A, (long long)lda, (int)dataTypeW, W, (int)computeType)
}
Status cusolverDnXsyevd(HEDDLE_XSYEVD, void *A, int64_t lda, cudaDataType dataTypeW, void *W, cudaDataType computeType,
                        HEDDLE_CUSOLVER_WORK) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(HEDDLE_XSYEVD_RIGHT && info && (n == 0 || (A && W && bufferOnDevice)));
  HEDDLE_WAITS;
  if (n > 0 && (i64)workspaceInBytesOnDevice < eigen_bytes(n, dataTypeA)) return CUSOLVER_STATUS_INVALID_VALUE;
  HEDDLE_HANDED("cusolverDnXsyevd", NO_PARAMS, (int)jobz, (int)uplo, (long long)n, (int)dataTypeA, HEDDLE_P(A),
                (long long)lda, (int)dataTypeW, HEDDLE_P(W), (int)computeType, HEDDLE_WORK_VALUES)
  return with_type(dataTypeA, [&](auto t) {
    typedef typename decltype(t)::type T;
    return eigen<T>(handle,
                    eigen_job<T>(A, lda, n, W, jobz == CUSOLVER_EIG_MODE_VECTOR, uplo == CUBLAS_FILL_MODE_LOWER,
                                 bufferOnDevice, info),
                    1, nullptr, nullptr);
  });
}
Status cusolverDnXsyevBatched_bufferSize(HEDDLE_XSYEVD, const void *A, int64_t lda, cudaDataType dataTypeW,
                                         const void *W, cudaDataType computeType, HEDDLE_CUSOLVER_SIZES,
                                         int64_t batchSize) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(HEDDLE_XSYEVD_RIGHT && batchSize >= 0 && workspaceInBytesOnDevice && workspaceInBytesOnHost);
  Bytes theirs;
  int status = handle->nvidia("cusolverDnXsyevBatched_bufferSize", NO_PARAMS, (int)jobz, (int)uplo, (long long)n,
                              (int)dataTypeA, A, (long long)lda, (int)dataTypeW, W, (int)computeType,
                              Host{&theirs.device}, Host{&theirs.host}, (long long)batchSize);
  return sizes(status, theirs, eigen_bytes(n, dataTypeA) * batchSize, workspaceInBytesOnDevice, workspaceInBytesOnHost);
}
Status cusolverDnXsyevBatched(HEDDLE_XSYEVD, void *A, int64_t lda, cudaDataType dataTypeW, void *W,
                              cudaDataType computeType, HEDDLE_CUSOLVER_WORK, int64_t batchSize) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(HEDDLE_XSYEVD_RIGHT && info && batchSize >= 0 &&
               (n == 0 || batchSize == 0 || (A && W && bufferOnDevice)));
  if (n > 0 && (i64)workspaceInBytesOnDevice < eigen_bytes(n, dataTypeA) * batchSize)
    return CUSOLVER_STATUS_INVALID_VALUE;
  if (batchSize == 0) return CUSOLVER_STATUS_SUCCESS;
  HEDDLE_HANDED("cusolverDnXsyevBatched", NO_PARAMS, (int)jobz, (int)uplo, (long long)n, (int)dataTypeA, HEDDLE_P(A),
                (long long)lda, (int)dataTypeW, HEDDLE_P(W), (int)computeType, HEDDLE_WORK_VALUES, (long long)batchSize)
  return with_type(dataTypeA, [&](auto t) {
    typedef typename decltype(t)::type T;
    return eigen<T>(handle,
                    eigen_job<T>(A, lda, n, W, jobz == CUSOLVER_EIG_MODE_VECTOR, uplo == CUBLAS_FILL_MODE_LOWER,
                                 bufferOnDevice, info),
                    (int)batchSize, nullptr, nullptr);
  });
}
Status cusolverDnXsyevdx_bufferSize(HEDDLE_XSYEVDX, const void *A, int64_t lda, void *vl, void *vu, int64_t il,
                                    int64_t iu, int64_t *h_meig, cudaDataType dataTypeW, const void *W,
                                    cudaDataType computeType, HEDDLE_CUSOLVER_SIZES) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(HEDDLE_XSYEVD_RIGHT && is_range(range));
  HEDDLE_SIZES(eigen_bytes(n, dataTypeA), "cusolverDnXsyevdx_bufferSize", NO_PARAMS, (int)jobz, (int)range, (int)uplo,
               (long long)n, (int)dataTypeA, A, (long long)lda, Host{vl}, Host{vu}, (long long)il, (long long)iu,
               Host{h_meig}, (int)dataTypeW, W, (int)computeType)
}
Status cusolverDnXsyevdx(HEDDLE_XSYEVDX, void *A, int64_t lda, void *vl, void *vu, int64_t il, int64_t iu,
                         int64_t *meig, cudaDataType dataTypeW, void *W, cudaDataType computeType,
                         HEDDLE_CUSOLVER_WORK) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(HEDDLE_XSYEVD_RIGHT && is_range(range) && meig && info && (n == 0 || (A && W && bufferOnDevice)) &&
               (range != CUSOLVER_EIG_RANGE_V || (vl && vu)));
  if (n > 0 && (i64)workspaceInBytesOnDevice < eigen_bytes(n, dataTypeA)) return CUSOLVER_STATUS_INVALID_VALUE;
  HEDDLE_HANDED("cusolverDnXsyevdx", NO_PARAMS, (int)jobz, (int)range, (int)uplo, (long long)n, (int)dataTypeA,
                HEDDLE_P(A), (long long)lda, Host{vl}, Host{vu}, (long long)il, (long long)iu, Host{meig},
                (int)dataTypeW, HEDDLE_P(W), (int)computeType, HEDDLE_WORK_VALUES)
  return with_type(dataTypeA, [&](auto t) {
    typedef typename decltype(t)::type T;
    EigenJob<T> job = eigen_job<T>(A, lda, n, W, jobz == CUSOLVER_EIG_MODE_VECTOR, uplo == CUBLAS_FILL_MODE_LOWER,
                                   bufferOnDevice, info);
    bool isValue = range == CUSOLVER_EIG_RANGE_V;
    Real<T> low = isValue ? *(const Real<T> *)vl : 0, high = isValue ? *(const Real<T> *)vu : 0;
    HEDDLE_NEEDS(set_range(job, range, low, high, il, iu));
    return eigen<T>(handle, job, 1, nullptr, meig);
  });
}
/// Left vectors are not supported, as in NVIDIA's library. Eigenvalues of real matrices may be complex numbers.
#define HEDDLE_XGEEV_RIGHT                                                                                             \
  jobvl == CUSOLVER_EIG_MODE_NOVECTOR && is_mode(jobvr) && is_matrix(n, n, lda) && is_known(dataTypeA) &&              \
      (dataTypeW == dataTypeA || real_of(dataTypeW) == dataTypeA) && is_known(dataTypeW) && dataTypeVR == dataTypeA && \
      computeType == dataTypeA && ldvl >= 1 && ldvr >= (jobvr == CUSOLVER_EIG_MODE_VECTOR && n > 1 ? n : 1)
Status cusolverDnXgeev_bufferSize(HEDDLE_XGEEV, const void *A, int64_t lda, cudaDataType dataTypeW, const void *W,
                                  cudaDataType dataTypeVL, const void *VL, int64_t ldvl, cudaDataType dataTypeVR,
                                  const void *VR, int64_t ldvr, cudaDataType computeType, HEDDLE_CUSOLVER_SIZES) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(HEDDLE_XGEEV_RIGHT);
  HEDDLE_SIZES(geev_elements(n) * bytes_of(dataTypeA), "cusolverDnXgeev_bufferSize", NO_PARAMS, (int)jobvl, (int)jobvr,
               (long long)n, (int)dataTypeA, A, (long long)lda, (int)dataTypeW, W, (int)dataTypeVL, VL,
               (long long)ldvl, (int)dataTypeVR, VR, (long long)ldvr, (int)computeType)
}
Status cusolverDnXgeev(HEDDLE_XGEEV, void *A, int64_t lda, cudaDataType dataTypeW, void *W, cudaDataType dataTypeVL,
                       void *VL, int64_t ldvl, cudaDataType dataTypeVR, void *VR, int64_t ldvr,
                       cudaDataType computeType, HEDDLE_CUSOLVER_WORK) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(HEDDLE_XGEEV_RIGHT && info &&
               (n == 0 || (A && W && bufferOnDevice && (VR || jobvr == CUSOLVER_EIG_MODE_NOVECTOR))));
  HEDDLE_HANDED("cusolverDnXgeev", NO_PARAMS, (int)jobvl, (int)jobvr, (long long)n, (int)dataTypeA, HEDDLE_P(A),
                (long long)lda, (int)dataTypeW, HEDDLE_P(W), (int)dataTypeVL, HEDDLE_P(VL), (long long)ldvl,
                (int)dataTypeVR, HEDDLE_P(VR), (long long)ldvr, (int)computeType, HEDDLE_WORK_VALUES)
  if ((i64)workspaceInBytesOnDevice < geev_elements(n) * bytes_of(dataTypeA)) return CUSOLVER_STATUS_INVALID_WORKSPACE;
  if (n == 0) {
    set_info(handle->stream, info);
    return launched();
  }
  return with_type(dataTypeA, [&](auto t) {
    typedef typename decltype(t)::type T;
    GeevJob<T> job{};
    job.A = (const T *)A;
    job.lda = lda;
    job.n = (int)n;
    job.W = W;
    job.isWComplex = dataTypeW != dataTypeA;
    job.V = jobvr == CUSOLVER_EIG_MODE_VECTOR ? (T *)VR : nullptr;
    job.ldv = ldvr;
    job.info = info;
    geev_kernel<T><<<1, 32, 0, handle->stream>>>(job, (T *)bufferOnDevice);
    return launched();
  });
}
Status cusolverDnXgesvd_bufferSize(HEDDLE_XGESVD, const void *A, int64_t lda, cudaDataType dataTypeS, const void *S,
                                   cudaDataType dataTypeU, const void *U, int64_t ldu, cudaDataType dataTypeVT,
                                   const void *VT, int64_t ldvt, cudaDataType computeType, HEDDLE_CUSOLVER_SIZES) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(m >= n && is_matrix(m, n, lda) && is_known(dataTypeA) && computeType == dataTypeA &&
               are_letters(jobu, jobvt, m, n, ldu, ldvt));
  HEDDLE_SIZES(svd_bytes(m, n, dataTypeA), "cusolverDnXgesvd_bufferSize", NO_PARAMS, (int)jobu, (int)jobvt,
               (long long)m, (long long)n, (int)dataTypeA, A, (long long)lda, (int)dataTypeS, S, (int)dataTypeU, U,
               (long long)ldu, (int)dataTypeVT, VT, (long long)ldvt, (int)computeType)
}
Status cusolverDnXgesvd(HEDDLE_XGESVD, void *A, int64_t lda, cudaDataType dataTypeS, void *S, cudaDataType dataTypeU,
                        void *U, int64_t ldu, cudaDataType dataTypeVT, void *VT, int64_t ldvt, cudaDataType computeType,
                        HEDDLE_CUSOLVER_WORK) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(m >= n && is_matrix(m, n, lda) && is_known(dataTypeA) && computeType == dataTypeA &&
               dataTypeS == real_of(dataTypeA) && are_letters(jobu, jobvt, m, n, ldu, ldvt) && info &&
               (n == 0 || (A && S && bufferOnDevice)));
  if (n > 0 && (i64)workspaceInBytesOnDevice < svd_bytes(m, n, dataTypeA)) return CUSOLVER_STATUS_INVALID_VALUE;
  HEDDLE_HANDED("cusolverDnXgesvd", NO_PARAMS, (int)jobu, (int)jobvt, (long long)m, (long long)n, (int)dataTypeA,
                HEDDLE_P(A), (long long)lda, (int)dataTypeS, HEDDLE_P(S), (int)dataTypeU, HEDDLE_P(U), (long long)ldu,
                (int)dataTypeVT, HEDDLE_P(VT), (long long)ldvt, (int)computeType, HEDDLE_WORK_VALUES)
  return with_type(dataTypeA, [&](auto t) {
    typedef typename decltype(t)::type T;
    return gesvd<T>(handle, jobu, jobvt, m, n, A, lda, S, U, ldu, VT, ldvt, bufferOnDevice, info);
  });
}
Status cusolverDnXgesvdp_bufferSize(HEDDLE_XGESVDP, const void *A, int64_t lda, cudaDataType dataTypeS, const void *S,
                                    cudaDataType dataTypeU, const void *U, int64_t ldu, cudaDataType dataTypeV,
                                    const void *V, int64_t ldv, cudaDataType computeType, HEDDLE_CUSOLVER_SIZES) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(is_mode(jobz) && is_matrix(m, n, lda) && is_known(dataTypeA) && computeType == dataTypeA);
  HEDDLE_SIZES(svd_bytes(m, n, dataTypeA), "cusolverDnXgesvdp_bufferSize", NO_PARAMS, (int)jobz, econ, (long long)m,
               (long long)n, (int)dataTypeA, A, (long long)lda, (int)dataTypeS, S, (int)dataTypeU, U, (long long)ldu,
               (int)dataTypeV, V, (long long)ldv, (int)computeType)
}
Status cusolverDnXgesvdp(HEDDLE_XGESVDP, void *A, int64_t lda, cudaDataType dataTypeS, void *S, cudaDataType dataTypeU,
                         void *U, int64_t ldu, cudaDataType dataTypeV, void *V, int64_t ldv, cudaDataType computeType,
                         HEDDLE_CUSOLVER_WORK, double *h_err_sigma) {
  HEDDLE_LIVE;
  bool hasVectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
  HEDDLE_NEEDS(is_mode(jobz) && is_matrix(m, n, lda) && is_known(dataTypeA) && computeType == dataTypeA &&
               dataTypeS == real_of(dataTypeA) && info && h_err_sigma && (!hasVectors || (ldu >= m && ldv >= n)) &&
               (m == 0 || n == 0 || (A && S && bufferOnDevice)));
  if (m > 0 && n > 0 && (i64)workspaceInBytesOnDevice < svd_bytes(m, n, dataTypeA))
    return CUSOLVER_STATUS_INVALID_VALUE;
  HEDDLE_HANDED("cusolverDnXgesvdp", NO_PARAMS, (int)jobz, econ, (long long)m, (long long)n, (int)dataTypeA,
                HEDDLE_P(A), (long long)lda, (int)dataTypeS, HEDDLE_P(S), (int)dataTypeU, HEDDLE_P(U), (long long)ldu,
                (int)dataTypeV, HEDDLE_P(V), (long long)ldv, (int)computeType, HEDDLE_WORK_VALUES, Host{h_err_sigma})
  *h_err_sigma = 0; // nothing is perturbed
  return with_type(dataTypeA, [&](auto t) {
    typedef typename decltype(t)::type T;
    i64 least = m < n ? m : n;
    SvdJob<T> job = svd_job<T>(A, lda, m, n, S, bufferOnDevice, info);
    if (hasVectors) want(job, U, ldu, econ ? least : m, V, ldv, econ ? least : n, false);
    return svd<T>(handle, job, 1, nullptr);
  });
}
Status cusolverDnXgesvdr_bufferSize(HEDDLE_XGESVDR, const void *A, int64_t lda, cudaDataType dataTypeSrand,
                                    const void *Srand, cudaDataType dataTypeUrand, const void *Urand, int64_t ldUrand,
                                    cudaDataType dataTypeVrand, const void *Vrand, int64_t ldVrand,
                                    cudaDataType computeType, HEDDLE_CUSOLVER_SIZES) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(is_matrix(m, n, lda) && is_known(dataTypeA) && computeType == dataTypeA && k >= 0 && p >= 0 &&
               niters >= 0 && k + p <= m && k + p <= n && (jobu == 'S' || jobu == 'N') && (jobv == 'S' || jobv == 'N'));
  HEDDLE_SIZES(svd_bytes(m, n, dataTypeA), "cusolverDnXgesvdr_bufferSize", handle->params(), (int)jobu, (int)jobv,
               (long long)m, (long long)n, (long long)k, (long long)p, (long long)niters, (int)dataTypeA, A,
               (long long)lda, (int)dataTypeSrand, Srand, (int)dataTypeUrand, Urand, (long long)ldUrand,
               (int)dataTypeVrand, Vrand, (long long)ldVrand, (int)computeType)
}
/// The first k values and vectors of the whole decomposition: exact, where NVIDIA's function estimates by random
/// vectors.
Status cusolverDnXgesvdr(HEDDLE_XGESVDR, void *A, int64_t lda, cudaDataType dataTypeSrand, void *Srand,
                         cudaDataType dataTypeUrand, void *Urand, int64_t ldUrand, cudaDataType dataTypeVrand,
                         void *Vrand, int64_t ldVrand, cudaDataType computeType, HEDDLE_CUSOLVER_WORK) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(is_matrix(m, n, lda) && is_known(dataTypeA) && computeType == dataTypeA &&
               dataTypeSrand == real_of(dataTypeA) && k >= 0 && p >= 0 && niters >= 0 && k + p <= m && k + p <= n &&
               (jobu == 'S' || jobu == 'N') && (jobv == 'S' || jobv == 'N') && info &&
               (m == 0 || n == 0 || (A && Srand && bufferOnDevice)));
  if (m > 0 && n > 0 && (i64)workspaceInBytesOnDevice < svd_bytes(m, n, dataTypeA))
    return CUSOLVER_STATUS_INVALID_VALUE;
  HEDDLE_HANDED("cusolverDnXgesvdr", handle->params(), (int)jobu, (int)jobv, (long long)m, (long long)n, (long long)k,
                (long long)p, (long long)niters, (int)dataTypeA, HEDDLE_P(A), (long long)lda, (int)dataTypeSrand,
                HEDDLE_P(Srand), (int)dataTypeUrand, HEDDLE_P(Urand), (long long)ldUrand, (int)dataTypeVrand,
                HEDDLE_P(Vrand), (long long)ldVrand, (int)computeType, HEDDLE_WORK_VALUES)
  return with_type(dataTypeA, [&](auto t) {
    typedef typename decltype(t)::type T;
    SvdJob<T> job = svd_job<T>(A, lda, m, n, Srand, bufferOnDevice, info);
    job.rank = k;
    want(job, jobu == 'S' ? Urand : nullptr, ldUrand, k, jobv == 'S' ? Vrand : nullptr, ldVrand, k, false);
    return svd<T>(handle, job, 1, nullptr);
  });
}
}
