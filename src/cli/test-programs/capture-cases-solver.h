// Calls of cuSOLVER while a stream is captured.
#pragma once
#include <cusolverDn.h>
#include <cusolverSp.h>
#include "capture-cases.h"

struct Solver : Memory {
  static constexpr const char *LIBRARY = "cusolver";
  static constexpr int N = 16;
  static constexpr auto LOWER = CUBLAS_FILL_MODE_LOWER;
  static constexpr auto REAL = CUDA_R_32F;
  static std::string name_of(int status) {
    NAMED(CUSOLVER_STATUS_SUCCESS);
    NAMED(CUSOLVER_STATUS_NOT_INITIALIZED);
    NAMED(CUSOLVER_STATUS_ALLOC_FAILED);
    NAMED(CUSOLVER_STATUS_INVALID_VALUE);
    NAMED(CUSOLVER_STATUS_ARCH_MISMATCH);
    NAMED(CUSOLVER_STATUS_MAPPING_ERROR);
    NAMED(CUSOLVER_STATUS_EXECUTION_FAILED);
    NAMED(CUSOLVER_STATUS_INTERNAL_ERROR);
    NAMED(CUSOLVER_STATUS_NOT_SUPPORTED);
    NAMED(CUSOLVER_STATUS_IRS_INTERNAL_ERROR);
    return unnamed(status);
  }
  cusolverDnHandle_t h = nullptr, made = nullptr;
  cusolverSpHandle_t sparse = nullptr, made_sparse = nullptr;
  cusolverDnParams_t params = nullptr, made_params = nullptr;
  syevjInfo_t jacobi = nullptr;
  cusparseMatDescr_t plain = nullptr;
  float *a, *b, *w, *u, *v, *work, **list, *diagonal;
  double *da, *db, *dx;
  int *pivots, *info, *starts, *columns;
  int64_t *wide_pivots;
  static constexpr size_t WORK = 8 << 20;
  static constexpr int FLOATS = WORK / sizeof(float);
  int size = 0, turns = 0, singular = 0;
  size_t on_device = 0, on_host = 0;
  std::vector<char> host_work;

  explicit Solver(cudaStream_t stream) : Memory(stream) {
    a = of(matrix_of<float>(N)), b = of(matrix_of<float>(N)), u = of(matrix_of<float>(N)), v = of(matrix_of<float>(N));
    w = of(std::vector<float>(N)), diagonal = of(std::vector<float>(N, 2));
    da = of(matrix_of<double>(N)), db = of(matrix_of<double>(N)), dx = of(matrix_of<double>(N));
    list = of(std::vector<float *>{a});
    std::vector<int> places;
    for (int i = 0; i <= N; i++) places.push_back(i);
    starts = of(places), columns = of(places), info = of(std::vector<int>(4));
    pivots = of(std::vector<int>(places.begin() + 1, places.end()));
    wide_pivots = of(std::vector<int64_t>(N));
    work = (float *)bytes(WORK);
    NEED(cusolverDnCreate(&h));
    NEED(cusolverDnSetStream(h, stream));
    NEED(cusolverDnCreateParams(&params));
    NEED(cusolverDnCreateSyevjInfo(&jacobi));
    NEED(cusparseCreateMatDescr(&plain));
  }
  ~Solver() {
    if (plain) cusparseDestroyMatDescr(plain);
    if (jacobi) cusolverDnDestroySyevjInfo(jacobi);
    for (auto one : {params, made_params}) if (one) cusolverDnDestroyParams(one);
    for (auto handle : {h, made}) if (handle) cusolverDnDestroy(handle);
    for (auto handle : {sparse, made_sparse}) if (handle) cusolverSpDestroy(handle);
  }
  int getrf() { return cusolverDnSgetrf(h, N, N, a, N, work, pivots, info); }
  int getrf_size() { return cusolverDnSgetrf_bufferSize(h, N, N, a, N, &size); }
  int xgetrf() {
    return cusolverDnXgetrf(h, params, N, N, REAL, a, N, wide_pivots, REAL, work, WORK, host_work.data(),
                            host_work.size(), info);
  }
  void xgetrf_size() {
    NEED(cusolverDnXgetrf_bufferSize(h, params, N, N, REAL, a, N, REAL, &on_device, &on_host));
    host_work.resize(on_host);
  }
  int xsyevd() {
    return cusolverDnXsyevd(h, params, CUSOLVER_EIG_MODE_VECTOR, LOWER, N, REAL, a, N, REAL, w, REAL, work, WORK,
                            host_work.data(), host_work.size(), info);
  }
  void xsyevd_size() {
    NEED(cusolverDnXsyevd_bufferSize(h, params, CUSOLVER_EIG_MODE_VECTOR, LOWER, N, REAL, a, N, REAL, w, REAL,
                                     &on_device, &on_host));
    host_work.resize(on_host);
  }
  void open_sparse() { NEED(cusolverSpCreate(&sparse)), NEED(cusolverSpSetStream(sparse, stream)); }
};

static void solver_cases() {
  using S = Solver;
  const int N = S::N;
  const int FLOATS = S::FLOATS;
  auto on_default = [](S &s) { NEED(cusolverDnSetStream(s.h, nullptr)); };
  first<S>("Sgetrf, first call", [](S &s) { return s.getrf(); });
  again<S>("Sgetrf", [](S &s) { return s.getrf(); });
  captured<S>("Sgetrf, on the default stream", [](S &s) { return s.getrf(); }, on_default);
  first<S>("Sgetrf_bufferSize", [](S &s) { return s.getrf_size(); });
  again<S>("Sgetrs", [](S &s) {
    return (int)cusolverDnSgetrs(s.h, CUBLAS_OP_N, N, 1, s.a, N, s.pivots, s.b, N, s.info);
  });
  again<S>("Spotrf", [](S &s) { return (int)cusolverDnSpotrf(s.h, S::LOWER, N, s.a, N, s.work, FLOATS, s.info); });
  again<S>("SpotrfBatched",
           [](S &s) { return (int)cusolverDnSpotrfBatched(s.h, S::LOWER, N, s.list, N, s.info, 1); });
  again<S>("Sgeqrf",
           [](S &s) { return (int)cusolverDnSgeqrf(s.h, N, N, s.a, N, s.w, s.work, FLOATS, s.info); });
  again<S>("Ssyevd", [](S &s) {
    return (int)cusolverDnSsyevd(s.h, CUSOLVER_EIG_MODE_VECTOR, S::LOWER, N, s.a, N, s.w, s.work, FLOATS, s.info);
  });
  again<S>("Ssyevj", [](S &s) {
    return (int)cusolverDnSsyevj(s.h, CUSOLVER_EIG_MODE_VECTOR, S::LOWER, N, s.a, N, s.w, s.work, FLOATS, s.info,
                                 s.jacobi);
  });
  again<S>("SsyevjBatched", [](S &s) {
    return (int)cusolverDnSsyevjBatched(s.h, CUSOLVER_EIG_MODE_VECTOR, S::LOWER, N, s.a, N, s.w, s.work, FLOATS,
                                        s.info, s.jacobi, 1);
  });
  again<S>("Sgesvd", [](S &s) {
    return (int)cusolverDnSgesvd(s.h, 'A', 'A', N, N, s.a, N, s.w, s.u, N, s.v, N, s.work, FLOATS, nullptr, s.info);
  });
  captured<S>("Xgetrf", [](S &s) { return s.xgetrf(); }, [](S &s) { s.xgetrf_size(), NEED(s.xgetrf()); });
  captured<S>("Xsyevd", [](S &s) { return s.xsyevd(); }, [](S &s) { s.xsyevd_size(), NEED(s.xsyevd()); });
  again<S>("DSgesv, turns on the host", [](S &s) {
    return (int)cusolverDnDSgesv(s.h, N, 1, s.da, N, s.pivots, s.db, N, s.dx, N, s.work, S::WORK, &s.turns, s.info);
  });
  captured<S>("SpScsrlsvqr, singularity on the host", [](S &s) {
    return (int)cusolverSpScsrlsvqr(s.sparse, N, N, s.plain, s.diagonal, s.starts, s.columns, s.b, 0, 0, s.w,
                                    &s.singular);
  }, [](S &s) { s.open_sparse(); });
  captured<S>("SetStream, to the captured one", [](S &s) { return (int)cusolverDnSetStream(s.h, s.stream); },
              on_default);
  captured<S>("SetStream and Sgetrf", [](S &s) {
    int status = cusolverDnSetStream(s.h, s.stream);
    return status != 0 ? status : s.getrf();
  }, on_default);
  first<S>("SetStream, to another one", [](S &s) { return (int)cusolverDnSetStream(s.h, s.other); });
  first<S>("SetDeterministicMode", [](S &s) {
    return (int)cusolverDnSetDeterministicMode(s.h, CUSOLVER_DETERMINISTIC_RESULTS);
  });
  first<S>("CreateParams", [](S &s) { return (int)cusolverDnCreateParams(&s.made_params); });
  first<S>("GetVersion", [](S &s) { return (int)cusolverGetVersion(&s.size); });
  first<S>("DnCreate", [](S &s) { return (int)cusolverDnCreate(&s.made); });
  first<S>("SpCreate", [](S &s) { return (int)cusolverSpCreate(&s.made_sparse); });
  captured<S>("DnDestroy, after a call", [](S &s) {
    int status = cusolverDnDestroy(s.h);
    s.h = nullptr;
    return status;
  }, [](S &s) { NEED(s.getrf()); });
}
