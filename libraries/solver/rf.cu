// cuSOLVER's refactorization (cuSOLVER documentation, "cuSolverRF"): the pattern of L + U is known, and values of A are
// factored into it again and again, without pivoting. One block works on a matrix, row by row. Matrices in CSC are kept
// as rows of the transposed matrix: its factors are U^T and L^T. The factors together always have L's diagonal as 1, as
// NVIDIA's do; only the extraction of both gives U the diagonal of 1, where that is asked for.
#include <cusolverRf.h>
#include <stdlib.h>
#include <string.h>
#include <algorithm>
#include <new>
#include <vector>
#include "../common/launched.h"

namespace {

typedef cusolverStatus_t Status;
constexpr int THREADS = 128;

template <class T> struct DeviceArray {
  T *first = nullptr;
  size_t count = 0;
  ~DeviceArray() { cudaFree(first); }
  bool resize(size_t wanted) {
    if (wanted == count && first) return true;
    cudaFree(first);
    first = nullptr;
    count = wanted;
    return cudaMalloc(&first, (wanted ? wanted : 1) * sizeof(T)) == cudaSuccess;
  }
  bool put(const std::vector<T> &values) {
    return resize(values.size()) &&
           cudaMemcpy(first, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice) == cudaSuccess;
  }
};
/// Sparse rows on the host.
struct Rows { std::vector<int> starts, columns; };

/// The factors of one matrix in one array: L left of the diagonal, U right of it.
struct Factors {
  int n, nnz;
  const int *starts, *columns, *diagonals;
  double *values;
  bool isUnitUpper; // the diagonal is L's, and that of U is 1
};

} // namespace

struct cusolverRfCommon {
  cusolverRfMatrixFormat_t format = CUSOLVERRF_MATRIX_FORMAT_CSR;
  cusolverRfUnitDiagonal_t diagonal = CUSOLVERRF_UNIT_DIAGONAL_STORED_L;
  cusolverRfFactorization_t factorization = CUSOLVERRF_FACTORIZATION_ALG0;
  cusolverRfTriangularSolve_t triangularSolve = CUSOLVERRF_TRIANGULAR_SOLVE_ALG1;
  cusolverRfResetValuesFastMode_t fastMode = CUSOLVERRF_RESET_VALUES_FAST_MODE_OFF;
  double zero = 0, boost = 0;
  int n = 0, nnzA = 0, batch = 0; // batch 0: no single matrix and no batch is set up
  bool isBatched = false, isAnalyzed = false, isFactored = false;
  Rows pattern;
  DeviceArray<int> starts, columns, diagonals, places, flags; // flags: of each matrix its zero pivot, and if it boosted
  DeviceArray<double> values, work;

  bool isColumns() const { return format == CUSOLVERRF_MATRIX_FORMAT_CSC; }
  bool isUnitL() const {
    return diagonal == CUSOLVERRF_UNIT_DIAGONAL_STORED_L || diagonal == CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L;
  }
  int nnz() const { return (int)pattern.columns.size(); }
  Factors factors() const {
    return {n, nnz(), starts.first, columns.first, diagonals.first, values.first, isColumns()};
  }
};

namespace {

std::vector<const void *> &live_objects() {
  static std::vector<const void *> all;
  return all;
}
bool is_live(const void *object) {
  return object && std::find(live_objects().begin(), live_objects().end(), object) != live_objects().end();
}

/// Puts the values of A where they belong in the factors. A block for each matrix.
__global__ void __launch_bounds__(THREADS)
    reset_kernel(Factors f, int nnzA, const int *places, const double *values, double *const *addresses) {
  double *own = f.values + (size_t)blockIdx.x * f.nnz;
  const double *a = addresses ? addresses[blockIdx.x] : values;
  for (int i = threadIdx.x; i < f.nnz; i += THREADS) own[i] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < nnzA; i += THREADS) atomicAdd(own + places[i], a[i]);
}
__device__ int find(const int *columns, int from, int to, int wanted) {
  while (from < to) {
    int middle = (from + to) / 2;
    if (columns[middle] < wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}
/// flags: of each matrix the first row whose pivot is 0, or -1, and whether a pivot was boosted.
__global__ void __launch_bounds__(THREADS) refactor_kernel(Factors f, double zero, double boost, int *flags) {
  double *own = f.values + (size_t)blockIdx.x * f.nnz;
  int bad = -1;
  bool isBoosted = false;
  for (int i = 0; i < f.n; i++) {
    int begin = f.starts[i], end = f.starts[i + 1];
    for (int at = begin; f.columns[at] < i; at++) {
      int k = f.columns[at];
      double factor = f.isUnitUpper ? own[at] : own[at] / own[f.diagonals[k]];
      __syncthreads();
      if (threadIdx.x == 0) own[at] = factor;
      for (int from = f.diagonals[k] + 1 + threadIdx.x; from < f.starts[k + 1]; from += THREADS) {
        int to = find(f.columns, at + 1, end, f.columns[from]);
        if (to < end && f.columns[to] == f.columns[from]) own[to] -= factor * own[from];
      }
      __syncthreads();
    }
    int middle = f.diagonals[i];
    double pivot = own[middle];
    __syncthreads();
    if (boost > 0 && fabs(pivot) <= zero) {
      isBoosted = true;
      pivot = boost;
      if (threadIdx.x == 0) own[middle] = pivot;
    }
    if (pivot == 0 && bad < 0) bad = i;
    if (f.isUnitUpper)
      for (int at = middle + 1 + threadIdx.x; at < end; at += THREADS) own[at] /= pivot;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    flags[2 * blockIdx.x] = bad;
    flags[2 * blockIdx.x + 1] = isBoosted;
  }
}
__device__ double block_sum(double own) {
  __shared__ double sums[THREADS / 32];
  for (int step = 16; step > 0; step /= 2) own += __shfl_xor_sync(~0u, own, step);
  __syncthreads();
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = own;
  __syncthreads();
  double sum = 0;
  for (int i = 0; i < THREADS / 32; i++) sum += sums[i];
  return sum;
}
/// Solves for x, n numbers. isTransposed: with U^T and L^T.
__device__ void solve_factors(const Factors &f, const double *own, double *x, bool isTransposed) {
  for (int step = 0; step < f.n; step++) {
    int i = step, middle = f.diagonals[i];
    bool hasDiagonal = isTransposed ? !f.isUnitUpper : f.isUnitUpper;
    if (isTransposed) {
      double value = hasDiagonal ? x[i] / own[middle] : x[i];
      __syncthreads();
      if (threadIdx.x == 0) x[i] = value;
      for (int at = middle + 1 + threadIdx.x; at < f.starts[i + 1]; at += THREADS) x[f.columns[at]] -= own[at] * value;
    } else {
      double part = 0;
      for (int at = f.starts[i] + threadIdx.x; at < middle; at += THREADS) part += own[at] * x[f.columns[at]];
      double sum = x[i] - block_sum(part);
      if (threadIdx.x == 0) x[i] = hasDiagonal ? sum / own[middle] : sum;
    }
    __syncthreads();
  }
  for (int i = f.n - 1; i >= 0; i--) {
    int middle = f.diagonals[i];
    bool hasDiagonal = isTransposed ? f.isUnitUpper : !f.isUnitUpper;
    if (isTransposed) {
      double value = hasDiagonal ? x[i] / own[middle] : x[i];
      __syncthreads();
      if (threadIdx.x == 0) x[i] = value;
      for (int at = f.starts[i] + threadIdx.x; at < middle; at += THREADS) x[f.columns[at]] -= own[at] * value;
    } else {
      double part = 0;
      for (int at = middle + 1 + threadIdx.x; at < f.starts[i + 1]; at += THREADS) part += own[at] * x[f.columns[at]];
      double sum = x[i] - block_sum(part);
      if (threadIdx.x == 0) x[i] = hasDiagonal ? sum / own[middle] : sum;
    }
    __syncthreads();
  }
}
/// A block for each of the right-hand sides of each matrix.
__global__ void __launch_bounds__(THREADS)
    solve_kernel(Factors f, const int *P, const int *Q, int nrhs, double *work, double *XF, double *const *addresses,
                 int ld, bool isTransposed) {
  int matrix = blockIdx.x / nrhs, side = blockIdx.x % nrhs;
  double *x = work + (size_t)blockIdx.x * f.n;
  double *xf = (addresses ? addresses[matrix] : XF) + (size_t)side * ld;
  for (int i = threadIdx.x; i < f.n; i += THREADS) x[i] = xf[P[i]];
  __syncthreads();
  solve_factors(f, f.values + (size_t)matrix * f.nnz, x, isTransposed);
  for (int i = threadIdx.x; i < f.n; i += THREADS) xf[Q[i]] = x[i];
}

/// What the host gives to be set up.
struct Given {
  int n, nnzA;
  const int *startsA, *columnsA;
  int nnzL;
  const int *startsL, *columnsL;
  int nnzU;
  const int *startsU, *columnsU;
  const int *P, *Q;
};
bool is_permutation(const int *order, int n, std::vector<int> &inverse) {
  inverse.assign(n, -1);
  for (int i = 0; i < n; i++) {
    if (order[i] < 0 || order[i] >= n || inverse[order[i]] >= 0) return false;
    inverse[order[i]] = i;
  }
  return true;
}
/// The pattern of L + U with its diagonal, and the place in it of every entry of A.
bool join(cusolverRfHandle_t h, const Given &given, std::vector<int> &diagonals, std::vector<int> &places) {
  int n = given.n;
  std::vector<int> placeP, placeQ;
  if (!is_permutation(given.P, n, placeP) || !is_permutation(given.Q, n, placeQ)) return false;
  std::vector<std::vector<int>> rows(n);
  auto add = [&](const int *starts, const int *columns, int nnz) {
    for (int i = 0; i < n; i++)
      for (int at = starts[i]; at < starts[i + 1]; at++) {
        if (at < 0 || at >= nnz || columns[at] < 0 || columns[at] >= n) return false;
        rows[i].push_back(columns[at]);
      }
    return true;
  };
  if (!add(given.startsL, given.columnsL, given.nnzL) || !add(given.startsU, given.columnsU, given.nnzU)) return false;
  h->pattern = {{0}, {}};
  diagonals.clear();
  for (int i = 0; i < n; i++) {
    std::vector<int> &row = rows[i];
    row.push_back(i);
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    diagonals.push_back(h->nnz() + (int)(std::lower_bound(row.begin(), row.end(), i) - row.begin()));
    h->pattern.columns.insert(h->pattern.columns.end(), row.begin(), row.end());
    h->pattern.starts.push_back(h->nnz());
  }
  // columns of A are the rows of what is kept, if A is in CSC
  const std::vector<int> &rowOf = h->isColumns() ? placeQ : placeP, &columnOf = h->isColumns() ? placeP : placeQ;
  places.assign(given.nnzA, 0);
  for (int i = 0; i < n; i++)
    for (int at = given.startsA[i]; at < given.startsA[i + 1]; at++) {
      if (at < 0 || at >= given.nnzA || given.columnsA[at] < 0 || given.columnsA[at] >= n) return false;
      int row = rowOf[i], column = columnOf[given.columnsA[at]];
      auto begin = h->pattern.columns.begin() + h->pattern.starts[row];
      auto end = h->pattern.columns.begin() + h->pattern.starts[row + 1];
      auto found = std::lower_bound(begin, end, column);
      if (found == end || *found != column) return false;
      places[at] = (int)(found - h->pattern.columns.begin());
    }
  return true;
}
Status launched() {
  return __heddle_work_error() == cudaSuccess ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_EXECUTION_FAILED;
}
Status set_up(cusolverRfHandle_t h, const Given &given, int batch, bool isBatched, const double *const *values) {
  h->batch = 0;
  h->isAnalyzed = h->isFactored = false;
  std::vector<int> diagonals, places;
  if (!join(h, given, diagonals, places)) return CUSOLVER_STATUS_INVALID_VALUE;
  size_t nnz = h->pattern.columns.size();
  if (!h->starts.put(h->pattern.starts) || !h->columns.put(h->pattern.columns) || !h->diagonals.put(diagonals) ||
      !h->places.put(places) || !h->flags.resize(2 * (size_t)batch) || !h->values.resize(nnz * batch))
    return CUSOLVER_STATUS_ALLOC_FAILED;
  std::vector<double> all(nnz * batch);
  for (int b = 0; b < batch; b++) for (int i = 0; i < given.nnzA; i++) all[b * nnz + places[i]] += values[b][i];
  if (!h->values.put(all)) return CUSOLVER_STATUS_ALLOC_FAILED;
  h->n = given.n;
  h->nnzA = given.nnzA;
  h->batch = batch;
  h->isBatched = isBatched;
  return CUSOLVER_STATUS_SUCCESS;
}
/// Its flags, when the factors are there.
Status refactor(cusolverRfHandle_t h, std::vector<int> &flags) {
  refactor_kernel<<<h->batch, THREADS>>>(h->factors(), h->zero, h->boost, h->flags.first);
  flags.resize(2 * (size_t)h->batch);
  cudaError_t error =
      cudaMemcpy(flags.data(), h->flags.first, flags.size() * sizeof(int), cudaMemcpyDeviceToHost);
  h->isFactored = error == cudaSuccess;
  return error == cudaSuccess ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_EXECUTION_FAILED;
}
Status solve(cusolverRfHandle_t h, const int *P, const int *Q, int nrhs, double *XF, double *const *addresses, int ld) {
  if (!h->work.resize((size_t)h->n * nrhs * h->batch)) return CUSOLVER_STATUS_ALLOC_FAILED;
  solve_kernel<<<(unsigned)h->batch * nrhs, THREADS>>>(h->factors(), P, Q, nrhs, h->work.first, XF, addresses, ld,
                                                       h->isColumns());
  return launched();
}
template <class T> T *copied(const T *values, size_t count) {
  T *to = (T *)malloc((count ? count : 1) * sizeof(T));
  if (to) memcpy(to, values, count * sizeof(T));
  return to;
}
template <class T> std::vector<T> from_device(const T *values, size_t count) {
  std::vector<T> to(count);
  cudaMemcpy(to.data(), values, count * sizeof(T), cudaMemcpyDeviceToHost);
  return to;
}
/// One factor: of every row what is left or right of the diagonal, and a diagonal that is not assumed. `pivots`: what
/// goes from U's rows to L's columns, 1 where L's diagonal is 1.
struct Part {
  std::vector<int> starts{0}, columns;
  std::vector<double> values;
  Part(const Rows &pattern, const std::vector<double> &all, const std::vector<double> &pivots, bool isLower,
       bool isLeft, bool isUnit, bool isStored) {
    for (int i = 0; i + 1 < (int)pattern.starts.size(); i++) {
      for (int at = pattern.starts[i]; at < pattern.starts[i + 1]; at++) {
        int column = pattern.columns[at];
        if (column == i ? isUnit && !isStored : (column < i) != isLeft) continue;
        double pivot = pivots[std::min(i, column)];
        columns.push_back(column);
        if (column == i) values.push_back(isUnit ? 1 : all[at]);
        else values.push_back(isLower ? all[at] * pivot : all[at] / pivot);
      }
      starts.push_back((int)columns.size());
    }
  }
  bool give(int *nnz, int **rows, int **cols, double **vals) const {
    *nnz = (int)columns.size();
    *rows = copied(starts.data(), starts.size());
    *cols = copied(columns.data(), columns.size());
    *vals = copied(values.data(), values.size());
    return *rows && *cols && *vals;
  }
};

#define HEDDLE_LIVE if (!is_live(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED
#define HEDDLE_NEEDS(CONDITION) if (!(CONDITION)) return CUSOLVER_STATUS_INVALID_VALUE
/// What a call needs that came before it.
#define HEDDLE_AFTER(CONDITION) if (!(CONDITION)) return CUSOLVER_STATUS_NOT_INITIALIZED

} // namespace

extern "C" {

Status cusolverRfCreate(cusolverRfHandle_t *handle) {
  HEDDLE_NEEDS(handle);
  *handle = new (std::nothrow) cusolverRfCommon;
  if (!*handle) return CUSOLVER_STATUS_ALLOC_FAILED;
  live_objects().push_back(*handle);
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverRfDestroy(cusolverRfHandle_t handle) {
  HEDDLE_LIVE;
  live_objects().erase(std::find(live_objects().begin(), live_objects().end(), handle));
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
#define HEDDLE_PAIR(NAME, A, B, FIELD_A, FIELD_B, RIGHT)                                                               \
  Status cusolverRfSet##NAME(cusolverRfHandle_t handle, A a, B b) {                                                    \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(RIGHT);                                                                                               \
    handle->FIELD_A = a;                                                                                               \
    handle->FIELD_B = b;                                                                                               \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  Status cusolverRfGet##NAME(cusolverRfHandle_t handle, A *a, B *b) {                                                  \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(a && b);                                                                                              \
    *a = handle->FIELD_A;                                                                                              \
    *b = handle->FIELD_B;                                                                                              \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }
HEDDLE_PAIR(MatrixFormat, cusolverRfMatrixFormat_t, cusolverRfUnitDiagonal_t, format, diagonal,
            (unsigned)a <= CUSOLVERRF_MATRIX_FORMAT_CSC && (unsigned)b <= CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U)
HEDDLE_PAIR(NumericProperties, double, double, zero, boost, true)
HEDDLE_PAIR(Algs, cusolverRfFactorization_t, cusolverRfTriangularSolve_t, factorization, triangularSolve,
            (unsigned)a <= CUSOLVERRF_FACTORIZATION_ALG2 && (unsigned)b <= CUSOLVERRF_TRIANGULAR_SOLVE_ALG3 &&
                /* NVIDIA's library takes 0, too, and refuses its first solve after the other factorizations */
                (a == CUSOLVERRF_FACTORIZATION_ALG0 || b > CUSOLVERRF_TRIANGULAR_SOLVE_ALG1))
#undef HEDDLE_PAIR
Status cusolverRfGetResetValuesFastMode(cusolverRfHandle_t handle, cusolverRfResetValuesFastMode_t *fastMode) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(fastMode);
  *fastMode = handle->fastMode;
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverRfSetResetValuesFastMode(cusolverRfHandle_t handle, cusolverRfResetValuesFastMode_t fastMode) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS((unsigned)fastMode <= CUSOLVERRF_RESET_VALUES_FAST_MODE_ON);
  handle->fastMode = fastMode;
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverRfGetNumericBoostReport(cusolverRfHandle_t handle, cusolverRfNumericBoostReport_t *report) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(report);
  *report = CUSOLVERRF_NUMERIC_BOOST_NOT_USED;
  if (!handle->isFactored) return CUSOLVER_STATUS_SUCCESS;
  std::vector<int> flags = from_device(handle->flags.first, 2 * (size_t)handle->batch);
  for (int i = 0; i < handle->batch; i++) if (flags[2 * i + 1]) *report = CUSOLVERRF_NUMERIC_BOOST_USED;
  return CUSOLVER_STATUS_SUCCESS;
}

#define HEDDLE_SETUP_NEEDS                                                                                             \
  HEDDLE_LIVE;                                                                                                         \
  HEDDLE_NEEDS(n > 0 && nnzA > 0 && nnzL >= 0 && nnzU >= 0 && startsA && columnsA && valuesA && startsL &&             \
               (nnzL == 0 || columnsL) && startsU && (nnzU == 0 || columnsU) && P && Q)
#define HEDDLE_SETUP_FACTORS                                                                                           \
  int nnzL, int *startsL, int *columnsL, double *valuesL, int nnzU, int *startsU, int *columnsU, double *valuesU,      \
      int *P, int *Q, cusolverRfHandle_t handle
Status cusolverRfSetupHost(int n, int nnzA, int *startsA, int *columnsA, double *valuesA, HEDDLE_SETUP_FACTORS) {
  HEDDLE_SETUP_NEEDS;
  const double *values[] = {valuesA};
  return set_up(handle, {n, nnzA, startsA, columnsA, nnzL, startsL, columnsL, nnzU, startsU, columnsU, P, Q}, 1, false,
                values);
}
Status cusolverRfSetupDevice(int n, int nnzA, int *startsA, int *columnsA, double *valuesA, HEDDLE_SETUP_FACTORS) {
  HEDDLE_SETUP_NEEDS;
  std::vector<int> sA = from_device(startsA, n + 1), cA = from_device(columnsA, nnzA);
  std::vector<int> sL = from_device(startsL, n + 1), cL = from_device(columnsL, nnzL);
  std::vector<int> sU = from_device(startsU, n + 1), cU = from_device(columnsU, nnzU);
  std::vector<int> p = from_device(P, n), q = from_device(Q, n);
  std::vector<double> vA = from_device(valuesA, nnzA);
  const double *values[] = {vA.data()};
  return set_up(handle,
                {n, nnzA, sA.data(), cA.data(), nnzL, sL.data(), cL.data(), nnzU, sU.data(), cU.data(), p.data(),
                 q.data()},
                1, false, values);
}
Status cusolverRfBatchSetupHost(int batchSize, int n, int nnzA, int *startsA, int *columnsA, double *valuesA[],
                                HEDDLE_SETUP_FACTORS) {
  HEDDLE_SETUP_NEEDS;
  HEDDLE_NEEDS(batchSize > 0 && !handle->isColumns()); // a batch has rows, as in NVIDIA's library
  for (int i = 0; i < batchSize; i++) HEDDLE_NEEDS(valuesA[i]);
  return set_up(handle, {n, nnzA, startsA, columnsA, nnzL, startsL, columnsL, nnzU, startsU, columnsU, P, Q}, batchSize,
                true, valuesA);
}
Status cusolverRfResetValues(int n, int nnzA, int *csrRowPtrA, int *csrColIndA, double *csrValA, int *P, int *Q,
                             cusolverRfHandle_t handle) {
  HEDDLE_LIVE;
  HEDDLE_AFTER(handle->batch && !handle->isBatched);
  HEDDLE_NEEDS(n == handle->n && nnzA == handle->nnzA && csrRowPtrA && csrColIndA && csrValA && P && Q);
  reset_kernel<<<1, THREADS>>>(handle->factors(), nnzA, handle->places.first, csrValA, nullptr);
  handle->isFactored = false;
  return launched();
}
Status cusolverRfBatchResetValues(int batchSize, int n, int nnzA, int *csrRowPtrA, int *csrColIndA,
                                  double *csrValA_array[], int *P, int *Q, cusolverRfHandle_t handle) {
  HEDDLE_LIVE;
  HEDDLE_AFTER(handle->batch && handle->isBatched);
  HEDDLE_NEEDS(batchSize == handle->batch && n == handle->n && nnzA == handle->nnzA && csrRowPtrA && csrColIndA &&
               csrValA_array && P && Q);
  reset_kernel<<<batchSize, THREADS>>>(handle->factors(), nnzA, handle->places.first, nullptr, csrValA_array);
  handle->isFactored = false;
  return launched();
}
Status cusolverRfAnalyze(cusolverRfHandle_t handle) {
  HEDDLE_LIVE;
  HEDDLE_AFTER(handle->batch && !handle->isBatched);
  handle->isAnalyzed = true;
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverRfBatchAnalyze(cusolverRfHandle_t handle) {
  HEDDLE_LIVE;
  HEDDLE_AFTER(handle->batch && handle->isBatched);
  handle->isAnalyzed = true;
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverRfRefactor(cusolverRfHandle_t handle) {
  HEDDLE_LIVE;
  HEDDLE_AFTER(handle->isAnalyzed && !handle->isBatched);
  std::vector<int> flags;
  if (Status failed = refactor(handle, flags)) return failed;
  return flags[0] >= 0 ? CUSOLVER_STATUS_ZERO_PIVOT : CUSOLVER_STATUS_SUCCESS;
}
Status cusolverRfBatchRefactor(cusolverRfHandle_t handle) {
  HEDDLE_LIVE;
  HEDDLE_AFTER(handle->isAnalyzed && handle->isBatched);
  std::vector<int> flags;
  return refactor(handle, flags);
}
Status cusolverRfBatchZeroPivot(cusolverRfHandle_t handle, int *position) {
  HEDDLE_LIVE;
  HEDDLE_AFTER(handle->isFactored && handle->isBatched);
  HEDDLE_NEEDS(position);
  std::vector<int> flags = from_device(handle->flags.first, 2 * (size_t)handle->batch);
  Status status = CUSOLVER_STATUS_SUCCESS;
  for (int i = 0; i < handle->batch; i++) {
    position[i] = flags[2 * i];
    if (position[i] >= 0) status = CUSOLVER_STATUS_ZERO_PIVOT;
  }
  return status;
}
Status cusolverRfSolve(cusolverRfHandle_t handle, int *P, int *Q, int nrhs, double *Temp, int ldt, double *XF,
                       int ldxf) {
  HEDDLE_LIVE;
  HEDDLE_AFTER(handle->isFactored && !handle->isBatched);
  HEDDLE_NEEDS(P && Q && nrhs > 0 && Temp && ldt >= handle->n && XF && ldxf >= handle->n);
  return solve(handle, P, Q, nrhs, XF, nullptr, ldxf);
}
Status cusolverRfBatchSolve(cusolverRfHandle_t handle, int *P, int *Q, int nrhs, double *Temp, int ldt,
                            double *XF_array[], int ldxf) {
  HEDDLE_LIVE;
  HEDDLE_AFTER(handle->isFactored && handle->isBatched);
  HEDDLE_NEEDS(P && Q && nrhs > 0 && Temp && ldt >= handle->n && XF_array && ldxf >= handle->n);
  return solve(handle, P, Q, nrhs, nullptr, XF_array, ldxf);
}
Status cusolverRfAccessBundledFactorsDevice(cusolverRfHandle_t handle, int *nnzM, int **Mp, int **Mi, double **Mx) {
  HEDDLE_LIVE;
  HEDDLE_AFTER(handle->isFactored && !handle->isBatched);
  HEDDLE_NEEDS(nnzM && Mp && Mi && Mx);
  *nnzM = handle->nnz();
  *Mp = handle->starts.first;
  *Mi = handle->columns.first;
  *Mx = handle->values.first;
  return CUSOLVER_STATUS_SUCCESS;
}
/// The arrays are the caller's, who frees them.
Status cusolverRfExtractBundledFactorsHost(cusolverRfHandle_t handle, int *h_nnzM, int **h_Mp, int **h_Mi,
                                           double **h_Mx) {
  HEDDLE_LIVE;
  HEDDLE_AFTER(handle->isFactored && !handle->isBatched);
  HEDDLE_NEEDS(h_nnzM && h_Mp && h_Mi && h_Mx);
  std::vector<double> all = from_device(handle->values.first, handle->values.count);
  *h_nnzM = handle->nnz();
  *h_Mp = copied(handle->pattern.starts.data(), handle->pattern.starts.size());
  *h_Mi = copied(handle->pattern.columns.data(), handle->pattern.columns.size());
  *h_Mx = copied(all.data(), all.size());
  return *h_Mp && *h_Mi && *h_Mx ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}
Status cusolverRfExtractSplitFactorsHost(cusolverRfHandle_t handle, int *nnzL, int **startsL, int **columnsL,
                                         double **valuesL, int *nnzU, int **startsU, int **columnsU,
                                         double **valuesU) {
  HEDDLE_LIVE;
  HEDDLE_AFTER(handle->isFactored && !handle->isBatched);
  HEDDLE_NEEDS(nnzL && startsL && columnsL && valuesL && nnzU && startsU && columnsU && valuesU);
  std::vector<double> all = from_device(handle->values.first, handle->values.count);
  bool isUnitL = handle->isUnitL(), isLeft = !handle->isColumns();
  std::vector<double> pivots(handle->n, 1);
  const Rows &pattern = handle->pattern;
  for (int i = 0; i < handle->n && !isUnitL; i++)
    for (int at = pattern.starts[i]; at < pattern.starts[i + 1]; at++)
      if (pattern.columns[at] == i) pivots[i] = all[at];
  Part lower(pattern, all, pivots, true, isLeft, isUnitL, handle->diagonal == CUSOLVERRF_UNIT_DIAGONAL_STORED_L);
  Part upper(pattern, all, pivots, false, !isLeft, !isUnitL, handle->diagonal == CUSOLVERRF_UNIT_DIAGONAL_STORED_U);
  bool isDone = lower.give(nnzL, startsL, columnsL, valuesL) && upper.give(nnzU, startsU, columnsU, valuesU);
  return isDone ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}
}
