// Calls of cuSPARSE while a stream is captured.
#pragma once
#include <cusparse.h>
#include "capture-cases.h"

struct Sparse : Memory {
  static constexpr const char *LIBRARY = "cusparse";
  static constexpr int N = 16;
  static constexpr auto PLAIN = CUSPARSE_OPERATION_NON_TRANSPOSE;
  static constexpr auto REAL = CUDA_R_32F;
  static std::string name_of(int status) { return cusparseGetErrorName((cusparseStatus_t)status); }
  cusparseHandle_t h = nullptr, made = nullptr;
  cusparseSpMatDescr_t a = nullptr, made_matrix = nullptr, compressed = nullptr, square = nullptr;
  cusparseDnVecDescr_t in = nullptr, out = nullptr, made_vector = nullptr;
  cusparseDnMatDescr_t b = nullptr, c = nullptr;
  cusparseSpVecDescr_t few = nullptr;
  cusparseMatDescr_t plain = nullptr;
  cusparseSpSVDescr_t solution = nullptr;
  cusparseSpGEMMDescr_t square_steps = nullptr;
  int *starts, *columns, *new_starts, *new_columns;
  float *values, *x, *y, *zeros, *result, *factors;
  void *work, *more_work, *taken = nullptr;
  size_t size = 0;
  float one = 1, zero = 0, number = 0;
  int total = 0, version = 0;
  static constexpr size_t WORK = 4 << 20;

  explicit Sparse(cudaStream_t stream) : Memory(stream) {
    std::vector<int> places;
    for (int i = 0; i <= N; i++) places.push_back(i);
    starts = of(places), columns = of(places), new_starts = of(places), new_columns = of(places);
    values = of(std::vector<float>(N, 2)), x = of(matrix_of<float>(N)), y = of(matrix_of<float>(N));
    zeros = of(std::vector<float>(N)), result = of(std::vector<float>(1)), factors = of(std::vector<float>{1, 0});
    work = bytes(WORK), more_work = bytes(WORK);
    NEED(cusparseCreate(&h));
    NEED(cusparseSetStream(h, stream));
    NEED(create(&a, starts, columns, values, N));
    NEED(create(&compressed, new_starts, nullptr, nullptr, 0));
    NEED(create(&square, new_starts, nullptr, nullptr, 0));
    NEED(cusparseCreateDnVec(&in, N, x, REAL));
    NEED(cusparseCreateDnVec(&out, N, y, REAL));
    NEED(cusparseCreateDnMat(&b, N, N, N, x, REAL, CUSPARSE_ORDER_COL));
    NEED(cusparseCreateDnMat(&c, N, N, N, y, REAL, CUSPARSE_ORDER_COL));
    NEED(cusparseCreateSpVec(&few, N, N, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, REAL));
    NEED(cusparseCreateMatDescr(&plain));
    NEED(cusparseSpSV_createDescr(&solution));
    NEED(cusparseSpGEMM_createDescr(&square_steps));
  }
  ~Sparse() {
    if (square_steps) cusparseSpGEMM_destroyDescr(square_steps);
    if (solution) cusparseSpSV_destroyDescr(solution);
    if (plain) cusparseDestroyMatDescr(plain);
    if (few) cusparseDestroySpVec(few);
    for (auto matrix : {b, c}) if (matrix) cusparseDestroyDnMat(matrix);
    for (auto vector : {in, out, made_vector}) if (vector) cusparseDestroyDnVec(vector);
    for (auto matrix : {a, made_matrix, compressed, square}) if (matrix) cusparseDestroySpMat(matrix);
    for (auto handle : {h, made}) if (handle) cusparseDestroy(handle);
  }
  int create(cusparseSpMatDescr_t *matrix, int *rows, int *places, float *numbers, int count) {
    return cusparseCreateCsr(matrix, N, N, count, rows, places, numbers, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_BASE_ZERO, REAL);
  }
  int multiply(const float *alpha, const float *beta) {
    return cusparseSpMV(h, PLAIN, alpha, a, in, beta, out, REAL, CUSPARSE_SPMV_ALG_DEFAULT, work);
  }
  int multiply_dense() {
    return cusparseSpMM(h, PLAIN, PLAIN, &one, a, b, &zero, c, REAL, CUSPARSE_SPMM_ALG_DEFAULT, work);
  }
  /// With the size asked for, as the documentation has it.
  int product_size() {
    return cusparseSpMV_bufferSize(h, PLAIN, &one, a, in, &zero, out, REAL, CUSPARSE_SPMV_ALG_DEFAULT, &size);
  }
  int analyse_solution() {
    return cusparseSpSV_analysis(h, PLAIN, &one, a, in, out, REAL, CUSPARSE_SPSV_ALG_DEFAULT, solution, work);
  }
  int solution_size() {
    return cusparseSpSV_bufferSize(h, PLAIN, &one, a, in, out, REAL, CUSPARSE_SPSV_ALG_DEFAULT, solution, &size);
  }
  int solve() {
    return cusparseSpSV_solve(h, PLAIN, &one, a, in, out, REAL, CUSPARSE_SPSV_ALG_DEFAULT, solution);
  }
  int compress_size() {
    return cusparseDenseToSparse_bufferSize(h, b, compressed, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &size);
  }
  int compress_analysis() {
    return cusparseDenseToSparse_analysis(h, b, compressed, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, work);
  }
  int square_estimate(void *memory) {
    return cusparseSpGEMM_workEstimation(h, PLAIN, PLAIN, &one, a, a, &zero, square, REAL, CUSPARSE_SPGEMM_DEFAULT,
                                         square_steps, &size, memory);
  }
  int square_compute(void *memory) {
    return cusparseSpGEMM_compute(h, PLAIN, PLAIN, &one, a, a, &zero, square, REAL, CUSPARSE_SPGEMM_DEFAULT,
                                  square_steps, &size, memory);
  }
  int vector_product(float *to) { return cusparseSpVV(h, PLAIN, few, in, to, REAL, work); }
  int sum_size(int *count) {
    return cusparseXcsrgeam2Nnz(h, N, N, plain, N, starts, columns, plain, N, starts, columns, plain, new_starts,
                                count, work);
  }
};

static void sparse_cases() {
  using S = Sparse;
  const int N = S::N;
  auto on_device = [](S &s) {
    NEED(s.product_size());
    NEED(cusparseSetPointerMode(s.h, CUSPARSE_POINTER_MODE_DEVICE));
  };
  auto on_default = [](S &s) { NEED(s.product_size()), NEED(cusparseSetStream(s.h, nullptr)); };
  captured<S>("SpMV, first call", [](S &s) { return s.multiply(&s.one, &s.zero); },
              [](S &s) { NEED(s.product_size()); });
  again<S>("SpMV", [](S &s) { return s.multiply(&s.one, &s.zero); });
  captured<S>("SpMV, factors on the device", [](S &s) { return s.multiply(s.factors, s.factors + 1); }, on_device);
  captured<S>("SpMV, on the default stream", [](S &s) { return s.multiply(&s.one, &s.zero); }, on_default);
  first<S>("SpMV_bufferSize", [](S &s) { return s.product_size(); });
  captured<S>("SpMV_preprocess", [](S &s) {
    return (int)cusparseSpMV_preprocess(s.h, S::PLAIN, &s.one, s.a, s.in, &s.zero, s.out, S::REAL,
                                        CUSPARSE_SPMV_ALG_DEFAULT, s.work);
  }, [](S &s) { NEED(s.product_size()); });
  again<S>("SpMM", [](S &s) { return s.multiply_dense(); });
  captured<S>("SpVV, result on the host", [](S &s) { return s.vector_product(&s.number); },
              [](S &s) { NEED(s.vector_product(&s.number)); });
  captured<S>("SpVV, result on the device", [](S &s) { return s.vector_product(s.result); }, on_device);
  again<S>("Scatter", [](S &s) { return (int)cusparseScatter(s.h, s.few, s.out); });
  again<S>("SparseToDense", [](S &s) {
    return (int)cusparseSparseToDense(s.h, s.a, s.c, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, s.work);
  });
  captured<S>("SpSV_analysis", [](S &s) { return s.analyse_solution(); },
              [](S &s) { NEED(s.solution_size()), NEED(s.size > S::WORK); });
  captured<S>("SpSV_solve", [](S &s) { return s.solve(); },
              [](S &s) { NEED(s.solution_size()), NEED(s.analyse_solution()); });
  captured<S>("DenseToSparse_analysis", [](S &s) { return s.compress_analysis(); },
              [](S &s) { NEED(s.compress_size()); });
  captured<S>("DenseToSparse_convert", [](S &s) {
    return (int)cusparseDenseToSparse_convert(s.h, s.b, s.compressed, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, s.work);
  }, [](S &s) {
    NEED(s.compress_size()), NEED(s.compress_analysis());
    NEED(cusparseCsrSetPointers(s.compressed, s.new_starts, s.bytes(4 * N * N), s.bytes(4 * N * N)));
  });
  first<S>("SpGEMM_workEstimation, its size", [](S &s) { return s.square_estimate(nullptr); });
  captured<S>("SpGEMM_workEstimation", [](S &s) { return s.square_estimate(s.work); },
              [](S &s) { NEED(s.square_estimate(nullptr)), NEED(s.size > S::WORK); });
  captured<S>("SpGEMM_compute", [](S &s) { return s.square_compute(s.more_work); }, [](S &s) {
    NEED(s.square_estimate(nullptr)), NEED(s.size > S::WORK), NEED(s.square_estimate(s.work));
    NEED(s.square_compute(nullptr)), NEED(s.size > S::WORK);
  });
  again<S>("Csr2cscEx2", [](S &s) {
    return (int)cusparseCsr2cscEx2(s.h, N, N, N, s.values, s.starts, s.columns, s.y, s.new_starts, s.new_columns,
                                   S::REAL, CUSPARSE_ACTION_SYMBOLIC, CUSPARSE_INDEX_BASE_ZERO,
                                   CUSPARSE_CSR2CSC_ALG_DEFAULT, s.work);
  });
  again<S>("Xcsrgeam2Nnz, total on the host", [](S &s) { return s.sum_size(&s.total); });
  again<S>("Sgtsv2", [](S &s) {
    return (int)cusparseSgtsv2(s.h, N, 1, s.zeros, s.values, s.zeros, s.y, N, s.work);
  });
  first<S>("DnVecGetValues", [](S &s) { return (int)cusparseDnVecGetValues(s.out, &s.taken); });
  first<S>("CreateCsr", [](S &s) { return s.create(&s.made_matrix, s.starts, s.columns, s.values, N); });
  first<S>("CreateDnVec", [](S &s) { return (int)cusparseCreateDnVec(&s.made_vector, N, s.x, S::REAL); });
  captured<S>("SetStream, to the captured one", [](S &s) { return (int)cusparseSetStream(s.h, s.stream); },
              on_default);
  captured<S>("SetStream and SpMV", [](S &s) {
    int status = cusparseSetStream(s.h, s.stream);
    return status != 0 ? status : s.multiply(&s.one, &s.zero);
  }, on_default);
  first<S>("GetVersion", [](S &s) { return (int)cusparseGetVersion(s.h, &s.version); });
  first<S>("Create", [](S &s) { return (int)cusparseCreate(&s.made); });
  again<S>("Destroy, after a call", [](S &s) {
    if (s.total++ == 0) return s.multiply(&s.one, &s.zero);
    int status = cusparseDestroy(s.h);
    s.h = nullptr;
    return status;
  });
}
