// Calls of cuBLAS and cuBLASLt while a stream is captured.
#pragma once
#include <cublasLt.h>
#include <cublas_v2.h>
#include "capture-cases.h"

struct Blas : Memory {
  static constexpr const char *LIBRARY = "cublas";
  static constexpr int N = 16;
  static std::string name_of(int status) { return cublasGetStatusName((cublasStatus_t)status); }
  cublasHandle_t h = nullptr, made = nullptr;
  float *a, *b, *c, *x, *y, *result, *factors;
  float **list;
  int *pivots, *info, *index;
  void *work;
  float one = 1, zero = 0, number = 0, host[N * N] = {};
  int position = 0, version = 0;

  explicit Blas(cudaStream_t stream) : Memory(stream) {
    a = of(matrix_of<float>(N)), b = of(matrix_of<float>(N)), c = of(matrix_of<float>(N));
    x = of(std::vector<float>(N, 2)), y = of(std::vector<float>(N, 3));
    result = of(std::vector<float>(4)), factors = of(std::vector<float>{1, 0});
    list = of(std::vector<float *>{a, b});
    pivots = of(std::vector<int>(4 * N)), info = of(std::vector<int>(4)), index = of(std::vector<int>(1));
    work = bytes(WORK);
    NEED(cublasCreate(&h));
    NEED(cublasSetStream(h, stream));
  }
  ~Blas() {
    if (h) cublasDestroy(h);
    if (made) cublasDestroy(made);
  }
  static constexpr size_t WORK = 4 << 20;
  int gemm(const float *alpha, const float *beta) {
    return cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, alpha, a, N, b, N, beta, c, N);
  }
};

static void blas_cases() {
  using S = Blas;
  const int N = S::N;
  auto on_device = [](S &s) { NEED(cublasSetPointerMode(s.h, CUBLAS_POINTER_MODE_DEVICE)); };
  auto on_default = [](S &s) { NEED(cublasSetStream(s.h, nullptr)); };
  first<S>("Sgemm, first call", [](S &s) { return s.gemm(&s.one, &s.zero); });
  again<S>("Sgemm", [](S &s) { return s.gemm(&s.one, &s.zero); });
  captured<S>("Sgemm, factors on the device", [](S &s) { return s.gemm(s.factors, s.factors + 1); }, on_device);
  captured<S>("Sgemm, on the default stream", [](S &s) { return s.gemm(&s.one, &s.zero); }, on_default);
  again<S>("Saxpy", [](S &s) { return (int)cublasSaxpy(s.h, N, &s.one, s.x, 1, s.y, 1); });
  again<S>("Strsm", [](S &s) {
    return (int)cublasStrsm(s.h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, N, N,
                            &s.one, s.a, N, s.c, N);
  });
  again<S>("SgemmBatched", [](S &s) {
    return (int)cublasSgemmBatched(s.h, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &s.one, s.list, N, s.list, N, &s.zero,
                                   s.list + 1, N, 1);
  });
  again<S>("SgetrfBatched", [](S &s) { return (int)cublasSgetrfBatched(s.h, N, s.list, N, s.pivots, s.info, 2); });
  again<S>("SgelsBatched", [](S &s) {
    return (int)cublasSgelsBatched(s.h, CUBLAS_OP_N, N, N, 1, s.list, N, s.list + 1, N, &s.position, s.info, 1);
  });
  again<S>("Snrm2, result on the host", [](S &s) { return (int)cublasSnrm2(s.h, N, s.x, 1, &s.number); });
  captured<S>("Snrm2, result on the device", [](S &s) { return (int)cublasSnrm2(s.h, N, s.x, 1, s.result); },
              on_device);
  again<S>("Sdot, result on the host", [](S &s) { return (int)cublasSdot(s.h, N, s.x, 1, s.y, 1, &s.number); });
  again<S>("Isamax, result on the host", [](S &s) { return (int)cublasIsamax(s.h, N, s.x, 1, &s.position); });
  captured<S>("Isamax, result on the device", [](S &s) { return (int)cublasIsamax(s.h, N, s.x, 1, s.index); },
              on_device);
  first<S>("Srotg, numbers of the host",
           [](S &s) { return (int)cublasSrotg(s.h, s.host, s.host + 1, s.host + 2, s.host + 3); });
  captured<S>("SetStream, to the captured one", [](S &s) { return (int)cublasSetStream(s.h, s.stream); }, on_default);
  first<S>("SetStream, to another one", [](S &s) { return (int)cublasSetStream(s.h, s.other); });
  captured<S>("SetStream and Sgemm", [](S &s) {
    int status = cublasSetStream(s.h, s.stream);
    return status != 0 ? status : s.gemm(&s.one, &s.zero);
  }, on_default);
  first<S>("SetWorkspace", [](S &s) { return (int)cublasSetWorkspace(s.h, s.work, S::WORK); });
  first<S>("SetWorkspace and Sgemm", [](S &s) {
    int status = cublasSetWorkspace(s.h, s.work, S::WORK);
    return status != 0 ? status : s.gemm(&s.one, &s.zero);
  });
  first<S>("SetMathMode", [](S &s) { return (int)cublasSetMathMode(s.h, CUBLAS_DEFAULT_MATH); });
  first<S>("GetVersion", [](S &s) { return (int)cublasGetVersion(s.h, &s.version); });
  first<S>("SetMatrix", [](S &s) { return (int)cublasSetMatrix(N, N, sizeof(float), s.host, N, s.a, N); });
  first<S>("GetVector", [](S &s) { return (int)cublasGetVector(N, sizeof(float), s.x, 1, s.host, 1); });
  first<S>("SetVectorAsync",
           [](S &s) { return (int)cublasSetVectorAsync(N, sizeof(float), s.host, 1, s.x, 1, s.stream); });
  first<S>("GetVectorAsync",
           [](S &s) { return (int)cublasGetVectorAsync(N, sizeof(float), s.x, 1, s.host, 1, s.stream); });
  first<S>("Create", [](S &s) { return (int)cublasCreate(&s.made); });
  first<S>("Destroy", [](S &s) {
    int status = cublasDestroy(s.h);
    s.h = nullptr;
    return status;
  });
  captured<S>("Destroy, after a call", [](S &s) {
    int status = cublasDestroy(s.h);
    s.h = nullptr;
    return status;
  }, [](S &s) { NEED(s.gemm(&s.one, &s.zero)); });
}

struct BlasLt : Memory {
  static constexpr const char *LIBRARY = "cublasLt";
  static constexpr int N = 64;
  static std::string name_of(int status) { return cublasLtGetStatusName((cublasStatus_t)status); }
  cublasLtHandle_t h = nullptr, made = nullptr;
  cublasLtMatmulDesc_t product = nullptr, another = nullptr;
  cublasLtMatrixLayout_t layout = nullptr, other_layout = nullptr;
  cublasLtMatrixTransformDesc_t transform = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  cublasLtMatmulHeuristicResult_t found = {};
  float *a, *b, *c, *factors, one = 1, zero = 0;
  void *work;
  size_t size = 1 << 20;
  int count = 0;

  explicit BlasLt(cudaStream_t stream) : Memory(stream) {
    a = of(matrix_of<float>(N)), b = of(matrix_of<float>(N)), c = of(matrix_of<float>(N));
    factors = of(std::vector<float>{1, 0});
    work = bytes(size);
    NEED(cublasLtCreate(&h));
    NEED(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    NEED(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, N, N, N));
    NEED(cublasLtMatrixTransformDescCreate(&transform, CUDA_R_32F));
    NEED(cublasLtMatmulPreferenceCreate(&preference));
    NEED(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &size,
                                              sizeof size));
  }
  ~BlasLt() {
    if (preference) cublasLtMatmulPreferenceDestroy(preference);
    if (transform) cublasLtMatrixTransformDescDestroy(transform);
    if (layout) cublasLtMatrixLayoutDestroy(layout);
    if (other_layout) cublasLtMatrixLayoutDestroy(other_layout);
    if (product) cublasLtMatmulDescDestroy(product);
    if (another) cublasLtMatmulDescDestroy(another);
    if (h) cublasLtDestroy(h);
    if (made) cublasLtDestroy(made);
  }
  int search() {
    return cublasLtMatmulAlgoGetHeuristic(h, product, layout, layout, layout, layout, preference, 1, &found, &count);
  }
  int multiply(const float *alpha, const float *beta, const cublasLtMatmulAlgo_t *algorithm, cudaStream_t on) {
    return cublasLtMatmul(h, product, alpha, a, layout, b, layout, beta, c, layout, c, layout, algorithm, work, size,
                          on);
  }
};

static void blas_lt_cases() {
  using S = BlasLt;
  first<S>("Matmul, first call", [](S &s) { return s.multiply(&s.one, &s.zero, nullptr, s.stream); });
  again<S>("Matmul", [](S &s) { return s.multiply(&s.one, &s.zero, nullptr, s.stream); });
  captured<S>("Matmul, with an algorithm",
              [](S &s) { return s.multiply(&s.one, &s.zero, &s.found.algo, s.stream); },
              [](S &s) { NEED(s.search()); });
  captured<S>("Matmul, factors on the device",
              [](S &s) { return s.multiply(s.factors, s.factors + 1, nullptr, s.stream); }, [](S &s) {
    auto mode = CUBLASLT_POINTER_MODE_DEVICE;
    NEED(cublasLtMatmulDescSetAttribute(s.product, CUBLASLT_MATMUL_DESC_POINTER_MODE, &mode, sizeof mode));
  });
  again<S>("Matmul, on the default stream", [](S &s) { return s.multiply(&s.one, &s.zero, nullptr, nullptr); });
  first<S>("MatmulAlgoGetHeuristic", [](S &s) { return s.search(); });
  again<S>("MatrixTransform", [](S &s) {
    return (int)cublasLtMatrixTransform(s.h, s.transform, &s.one, s.a, s.layout, &s.zero, s.b, s.layout, s.c, s.layout,
                                        s.stream);
  });
  first<S>("MatmulDescCreate",
           [](S &s) { return (int)cublasLtMatmulDescCreate(&s.another, CUBLAS_COMPUTE_32F, CUDA_R_32F); });
  first<S>("MatmulDescSetAttribute", [](S &s) {
    auto turned = CUBLAS_OP_T;
    return (int)cublasLtMatmulDescSetAttribute(s.product, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned);
  });
  first<S>("MatrixLayoutCreate",
           [](S &s) { return (int)cublasLtMatrixLayoutCreate(&s.other_layout, CUDA_R_32F, 4, 4, 4); });
  first<S>("Create", [](S &s) { return (int)cublasLtCreate(&s.made); });
  first<S>("Destroy", [](S &s) {
    int status = cublasLtDestroy(s.h);
    s.h = nullptr;
    return status;
  });
}
