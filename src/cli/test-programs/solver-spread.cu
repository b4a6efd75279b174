// Matrices over two devices (cusolverMg), sparse systems (cusolverSp): random ones, judged by what they must satisfy,
// and documented statuses. Needs --devices 2.
#include <cusolverMg.h>
#include <cusolverSp.h>
#include <cmath>
#include <cstdio>
#include <vector>

static int failures = 0;
static void check(bool isRight, const char *what) {
  if (!isRight) printf("%s\n", what), failures++;
}
static unsigned state = 5;
static double number() {
  state = state * 1664525u + 1013904223u;
  return (int)(state >> 22) / 512.0 - 1;
}
typedef std::vector<double> Matrix; // column-major

static const int N = 11, TILE = 3, ROWS = 14; // tiles of columns in turns on two devices; a row and a column of margin

struct Spread {
  std::vector<double *> parts;
  int columns;
  explicit Spread(const Matrix &whole, int rows, int columns) : columns(columns) {
    int each = (columns + TILE - 1) / TILE;
    for (int d = 0; d < 2; d++) {
      double *memory;
      cudaSetDevice(d);
      cudaMalloc(&memory, sizeof(double) * rows * TILE * ((each + 1) / 2 + 1));
      parts.push_back(memory);
    }
    for (int j = 0; j < columns; j++) cudaMemcpy(column(j, rows), &whole[j * rows], 8 * rows, cudaMemcpyDefault);
    cudaSetDevice(0);
  }
  double *column(int j, int rows) { return parts[j / TILE % 2] + (j / TILE / 2 * TILE + j % TILE) * rows; }
  Matrix get(int rows) {
    Matrix whole(rows * columns);
    for (int j = 0; j < columns; j++) cudaMemcpy(&whole[j * rows], column(j, rows), 8 * rows, cudaMemcpyDefault);
    return whole;
  }
  void **data() { return (void **)parts.data(); }
};

static cusolverMgHandle_t h;
static cudaLibMgMatrixDesc_t da, db;
static std::vector<void *> work_of(int64_t elements) {
  std::vector<void *> work(2);
  for (int d = 0; d < 2; d++) cudaSetDevice(d), cudaMalloc(&work[d], elements * 8);
  cudaSetDevice(0);
  return work;
}
/// The system A(1:, 1:) X = B(2:, 0:2), with the offsets of both.
static double residual(const Matrix &a, const Matrix &b, const Matrix &x, bool isTransposed) {
  double worst = 0;
  for (int j = 0; j < 2; j++)
    for (int i = 0; i < N; i++) {
      double sum = -b[2 + i + j * ROWS];
      for (int k = 0; k < N; k++)
        sum += (isTransposed ? a[1 + k + (1 + i) * ROWS] : a[1 + i + (1 + k) * ROWS]) * x[2 + k + j * ROWS];
      worst = std::fmax(worst, std::fabs(sum));
    }
  return worst;
}

static void spread_matrices() {
  Matrix a(ROWS * (N + 2)), b(ROWS * 4), spd = a;
  for (double &value : a) value = number();
  for (double &value : b) value = number();
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      for (int k = 0; k < N; k++) spd[1 + i + (1 + j) * ROWS] += a[1 + k + (1 + i) * ROWS] * a[1 + k + (1 + j) * ROWS];
  for (int i = 0; i < N; i++) spd[1 + i + (1 + i) * ROWS] += 1;
  int info = -1;
  int64_t sizes[3];
  {
    Spread A(a, ROWS, N + 2), B(b, ROWS, 4);
    std::vector<int *> pivots(2);
    for (int d = 0; d < 2; d++) cudaSetDevice(d), cudaMalloc(&pivots[d], 4 * 64);
    cudaSetDevice(0);
    cusolverMgGetrf_bufferSize(h, N, N, A.data(), 2, 2, da, pivots.data(), CUDA_R_64F, &sizes[0]);
    cusolverMgGetrs_bufferSize(h, CUBLAS_OP_T, N, 2, A.data(), 2, 2, da, pivots.data(), B.data(), 3, 1, db, CUDA_R_64F,
                               &sizes[1]);
    int64_t lwork = std::max(sizes[0], sizes[1]);
    auto work = work_of(lwork);
    check(cusolverMgGetrf(h, N, N, A.data(), 2, 2, da, pivots.data(), CUDA_R_64F, work.data(), lwork, &info) == 0 &&
              info == 0, "getrf");
    check(cusolverMgGetrs(h, CUBLAS_OP_T, N, 2, A.data(), 2, 2, da, pivots.data(), B.data(), 3, 1, db, CUDA_R_64F,
                          work.data(), lwork, &info) == 0 && info == 0, "getrs");
    check(residual(a, b, B.get(ROWS), true) < 1e-12, "getrf, getrs: residual");
    Matrix margin = A.get(ROWS);
    check(margin[0] == a[0] && margin[13] == a[13] && margin[ROWS * 12] == a[ROWS * 12], "getrf: the margin");
    check(cusolverMgGetrf(h, N, N, A.data(), 2, 2, da, pivots.data(), CUDA_R_64F, work.data(), 1, &info) ==
              CUSOLVER_STATUS_INVALID_VALUE, "getrf: too little work memory");
    check(cusolverMgGetrf_bufferSize(h, N, N, A.data(), 5, 2, da, pivots.data(), CUDA_R_64F, sizes) ==
              CUSOLVER_STATUS_INVALID_VALUE, "getrf: outside of the matrix");
    check(cusolverMgGetrf_bufferSize(h, N, N, A.data(), 2, 2, da, pivots.data(), CUDA_R_32F, sizes) ==
              CUSOLVER_STATUS_INVALID_VALUE, "getrf: another type");
  }
  {
    Spread A(spd, ROWS, N + 2), B(b, ROWS, 4);
    auto lower = CUBLAS_FILL_MODE_LOWER;
    cusolverMgPotrf_bufferSize(h, lower, N, A.data(), 2, 2, da, CUDA_R_64F, &sizes[0]);
    cusolverMgPotrs_bufferSize(h, lower, N, 2, A.data(), 2, 2, da, B.data(), 3, 1, db, CUDA_R_64F, &sizes[1]);
    cusolverMgPotri_bufferSize(h, lower, N, A.data(), 2, 2, da, CUDA_R_64F, &sizes[2]);
    int64_t lwork = std::max(std::max(sizes[0], sizes[1]), sizes[2]);
    auto work = work_of(lwork);
    check(cusolverMgPotrf(h, lower, N, A.data(), 2, 2, da, CUDA_R_64F, work.data(), lwork, &info) == 0 && info == 0,
          "potrf");
    check(cusolverMgPotrs(h, lower, N, 2, A.data(), 2, 2, da, B.data(), 3, 1, db, CUDA_R_64F, work.data(), lwork,
                          &info) == 0, "potrs");
    Matrix x = B.get(ROWS);
    check(residual(spd, b, x, false) < 1e-11, "potrf, potrs: residual");
    check(cusolverMgPotri(h, lower, N, A.data(), 2, 2, da, CUDA_R_64F, work.data(), lwork, &info) == 0, "potri");
    Matrix inverse = A.get(ROWS);
    double worst = 0;
    for (int i = 0; i < N; i++) {
      double sum = -x[2 + i];
      for (int k = 0; k < N; k++) sum += inverse[1 + std::max(i, k) + (1 + std::min(i, k)) * ROWS] * b[2 + k];
      worst = std::fmax(worst, std::fabs(sum));
    }
    check(worst < 1e-12, "potri: the inverse");
    check(cusolverMgPotrf_bufferSize(h, CUBLAS_FILL_MODE_UPPER, N, A.data(), 2, 2, da, CUDA_R_64F, sizes) ==
              CUSOLVER_STATUS_INVALID_VALUE, "potrf: upper");
  }
  {
    Spread A(spd, ROWS, N + 2);
    Matrix w(N);
    cusolverMgSyevd_bufferSize(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, N, A.data(), 2, 2, da, w.data(),
                               CUDA_R_64F, CUDA_R_64F, &sizes[0]);
    auto work = work_of(sizes[0]);
    check(cusolverMgSyevd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, N, A.data(), 2, 2, da, w.data(),
                          CUDA_R_64F, CUDA_R_64F, work.data(), sizes[0], &info) == 0 && info == 0, "syevd");
    Matrix v = A.get(ROWS);
    double worst = 0;
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++) {
        double sum = -w[j] * v[1 + i + (1 + j) * ROWS];
        for (int k = 0; k < N; k++) sum += spd[1 + i + (1 + k) * ROWS] * v[1 + k + (1 + j) * ROWS];
        worst = std::fmax(worst, std::fabs(sum));
      }
    check(worst < 1e-12 * w[N - 1], "syevd: vectors");
  }
}

template <class T> static T *device(const std::vector<T> &values) {
  T *memory;
  cudaMalloc(&memory, values.size() * sizeof(T) + 16);
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}

static void sparse_systems() {
  const int n = 40, BATCH = 3;
  std::vector<int> starts(1, 1), columns; // from 1
  for (int i = 0; i < n; i++) {
    for (int j : {i - 7, i - 1, i, i + 1, i + 7})
      if (j >= 0 && j < n) columns.push_back(j + 1);
    starts.push_back((int)columns.size() + 1);
  }
  int nnz = (int)columns.size();
  Matrix values(nnz * BATCH), b(n * BATCH), x(n * BATCH);
  for (double &value : b) value = number();
  for (int i = 0; i < n; i++) // symmetric and definite in each
    for (int at = starts[i] - 1; at < starts[i + 1] - 1; at++)
      for (int k = 0; k < BATCH; k++) values[k * nnz + at] = columns[at] - 1 == i ? 5 + k + i % 3 : -1;
  auto worst = [&](int batch) {
    double most = 0;
    for (int k = 0; k < batch; k++)
      for (int i = 0; i < n; i++) {
        double sum = -b[k * n + i];
        for (int at = starts[i] - 1; at < starts[i + 1] - 1; at++)
          sum += values[k * nnz + at] * x[k * n + columns[at] - 1];
        most = std::fmax(most, std::fabs(sum));
      }
    return most;
  };
  int *s = device(starts), *c = device(columns), singular = 7;
  double *v = device(values), *db = device(b), *dx = device(x);
  cusolverSpHandle_t sp;
  cusparseMatDescr_t matrix;
  csrqrInfo_t qr;
  check(cusolverSpCreate(&sp) == 0 && cusolverSpCreateCsrqrInfo(&qr) == 0, "create");
  cusparseCreateMatDescr(&matrix);
  cusparseSetMatIndexBase(matrix, CUSPARSE_INDEX_BASE_ONE);
  size_t internal, bytes;
  check(cusolverSpDcsrqrBufferInfoBatched(sp, n, n, nnz, matrix, v, s, c, BATCH, qr, &internal, &bytes) ==
            CUSOLVER_STATUS_INVALID_VALUE, "before the analysis");
  check(cusolverSpXcsrqrAnalysisBatched(sp, n, n, nnz, matrix, s, c, qr) == 0, "analysis");
  check(cusolverSpDcsrqrBufferInfoBatched(sp, n, n, nnz, matrix, v, s, c, BATCH, qr, &internal, &bytes) == 0, "size");
  void *work;
  cudaMalloc(&work, bytes);
  check(cusolverSpDcsrqrsvBatched(sp, n, n, nnz, matrix, v, s, c, db, dx, BATCH, qr, work) == 0, "csrqrsvBatched");
  auto get = [&] { cudaMemcpy(x.data(), dx, x.size() * 8, cudaMemcpyDeviceToHost); };
  get();
  check(worst(BATCH) < 1e-13, "csrqrsvBatched: residual");
  cudaMemset(dx, 0, x.size() * 8);
  check(cusolverSpDcsrlsvqr(sp, n, nnz, matrix, v, s, c, db, 1e-12, 0, dx, &singular) == 0 && singular == -1, "qr");
  get();
  check(worst(1) < 1e-13, "csrlsvqr: residual");
  cudaMemset(dx, 0, x.size() * 8);
  check(cusolverSpDcsrlsvchol(sp, n, nnz, matrix, v, s, c, db, 1e-12, 1, dx, &singular) == 0 && singular == -1, "chol");
  get();
  check(worst(1) < 1e-13, "csrlsvchol: residual");
  Matrix negative = values;
  negative[starts[5] - 1 + 1] = -9; // entry (5, 5): the second after (5, 4)
  cudaMemcpy(v, negative.data(), nnz * 8, cudaMemcpyHostToDevice);
  check(cusolverSpDcsrlsvchol(sp, n, nnz, matrix, v, s, c, db, 1e-12, 0, dx, &singular) == 0 && singular == 5,
        "csrlsvchol: not definite");
  cusparseSetMatType(matrix, CUSPARSE_MATRIX_TYPE_SYMMETRIC);
  check(cusolverSpDcsrlsvqr(sp, n, nnz, matrix, v, s, c, db, 0, 0, dx, &singular) ==
            CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED, "a symmetric matrix");
  check(cusolverSpDestroyCsrqrInfo(qr) == 0 && cusolverSpDestroy(sp) == 0, "destroy");
  check(cusolverSpDestroy(sp) == CUSOLVER_STATUS_NOT_INITIALIZED, "a destroyed handle");
}

int main() {
  int devices[] = {0, 1}, wrong[] = {0, 5};
  cudaLibMgGrid_t grid;
  check(cusolverMgCreate(&h) == 0, "create");
  check(cusolverMgDeviceSelect(h, 2, wrong) == CUSOLVER_STATUS_INVALID_VALUE, "a device that there is not");
  check(cusolverMgDeviceSelect(h, 2, devices) == 0, "devices");
  check(cusolverMgCreateDeviceGrid(&grid, 2, 1, devices, CUDALIBMG_GRID_MAPPING_COL_MAJOR) ==
            CUSOLVER_STATUS_INVALID_VALUE, "a grid of two rows");
  check(cusolverMgCreateDeviceGrid(&grid, 1, 2, devices, CUDALIBMG_GRID_MAPPING_COL_MAJOR) == 0, "grid");
  check(cusolverMgCreateMatrixDesc(&da, ROWS, N + 2, 4, TILE, CUDA_R_64F, grid) == CUSOLVER_STATUS_INVALID_VALUE,
        "tiles of rows");
  check(cusolverMgCreateMatrixDesc(&da, ROWS, N + 2, ROWS, TILE, CUDA_R_64F, grid) == 0, "descriptor");
  check(cusolverMgCreateMatrixDesc(&db, ROWS, 4, ROWS, TILE, CUDA_R_64F, grid) == 0, "descriptor");
  spread_matrices();
  sparse_systems();
  check(cusolverMgDestroyMatrixDesc(da) == 0 && cusolverMgDestroyMatrixDesc(da) != 0, "destroyed descriptor");
  check(cusolverMgDestroyGrid(grid) == 0, "destroy");
  check(cusolverMgDestroy(h) == 0 && cusolverMgDestroy(h) == CUSOLVER_STATUS_NOT_INITIALIZED, "destroyed");
  printf(failures == 0 ? "PASSED\n" : "FAILED\n");
  return failures;
}
