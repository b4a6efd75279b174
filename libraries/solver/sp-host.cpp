// cuSOLVER's sparse functions on the host (cuSOLVER documentation, "cuSolverSP"): systems, least squares, eigenvalues,
// orders.
#include <cuda_runtime.h>
#include "orders.h"
#include "sp.h"
#include "sparse-factors.h"

using namespace heddle_sparse;
using namespace heddle_factors;
using heddle_orders::Graph;
using heddle_orders::List;

namespace {

template <class T> struct Native { typedef T type; };
template <> struct Native<cuComplex> { typedef std::complex<float> type; };
template <> struct Native<cuDoubleComplex> { typedef std::complex<double> type; };

enum class Method { LU, QR, CHOLESKY };
List order_of(int reorder, const Graph &graph) {
  if (reorder == 1) return heddle_orders::reverse_cuthill_mckee(graph);
  if (reorder == 2) return heddle_orders::minimum_degree(graph, true);
  return heddle_orders::nested_dissection(graph);
}
/// A Hermitian matrix by its lower triangle: the upper one is ignored.
template <class T> Rows<T> mirrored(const Rows<T> &rows) {
  Rows<T> all(rows.size());
  for (size_t i = 0; i < rows.size(); i++)
    for (const Entry<T> &entry : rows[i]) {
      if (entry.first > (int)i) continue;
      all[i].push_back(entry);
      if (entry.first < (int)i) all[entry.first].push_back({(int)i, conjugate(entry.second)});
    }
  return all;
}
template <class T> struct Matrix {
  int m, nnz;
  cusparseMatDescr_t descr;
  const void *values;
  const int *starts, *columns;
  Rows<T> rows() const { return rows_of(m, (const T *)values, starts, columns, base_of(descr)); }
};
template <class T>
Status solve(const Matrix<T> &matrix, Method method, const void *given, Real<T> tolerance, int reorder, void *result,
             int *singularity) {
  int n = matrix.m;
  Rows<T> rows = matrix.rows();
  if (method == Method::CHOLESKY) rows = mirrored(rows);
  List order(n);
  for (int i = 0; i < n; i++) order[i] = i;
  if (reorder > 0) {
    order = order_of(reorder, heddle_orders::graph_of(n, matrix.starts, matrix.columns, base_of(matrix.descr)));
    rows = reordered(rows, order);
  }
  Vector<T> b(n), x;
  for (int i = 0; i < n; i++) b[i] = ((const T *)given)[order[i]];
  if (method == Method::LU) {
    LU<T> factors(rows, 0);
    *singularity = factors.singular(tolerance);
    if (*singularity < 0) x = factors.solve(b);
  } else if (method == Method::QR) {
    QR<T> factors(rows, b);
    *singularity = factors.singular(tolerance);
    if (*singularity < 0) x = factors.solve();
  } else {
    Cholesky<T> factors(rows, tolerance);
    *singularity = factors.singular;
    // NVIDIA's library sees a row without entries before it factors, and names no row
    if (std::any_of(rows.begin(), rows.end(), [](const Row<T> &row) { return row.empty(); })) *singularity = 0;
    if (*singularity < 0) x = factors.solve(b);
  }
  if (*singularity < 0) for (int i = 0; i < n; i++) ((T *)result)[order[i]] = x[i];
  return CUSOLVER_STATUS_SUCCESS;
}
template <class T>
Status solve_least_squares(const Matrix<T> &matrix, int n, const void *given, Real<T> tolerance, int *rank,
                           void *result, int *p, Real<T> *least) {
  Rows<T> rows = matrix.rows();
  Vector<T> b((const T *)given, (const T *)given + matrix.m), x;
  std::vector<int> order(n);
  *rank = least_squares(rows, n, b, tolerance, x, order);
  std::copy(order.begin(), order.end(), p);
  std::copy(x.begin(), x.end(), (T *)result);
  Vector<T> rest = times(rows, x);
  for (int i = 0; i < matrix.m; i++) rest[i] -= b[i];
  *least = length(rest);
  return CUSOLVER_STATUS_SUCCESS;
}
/// Inverse iteration at mu0, with Rayleigh quotients.
template <class T>
void nearest_eigenvalue(const Matrix<T> &matrix, T mu0, const T *x0, int most, Real<T> tolerance, T *mu, T *result) {
  int n = matrix.m;
  Rows<T> rows = matrix.rows(), shifted(n);
  Real<T> norm = 0;
  for (int i = 0; i < n; i++) {
    bool hasDiagonal = false;
    for (Entry<T> entry : rows[i]) {
      norm += std::norm(entry.second);
      if (entry.first == i) entry.second -= mu0;
      hasDiagonal = hasDiagonal || entry.first == i;
      shifted[i].push_back(entry);
    }
    if (!hasDiagonal) shifted[i].push_back({i, T(0) - mu0});
  }
  norm = std::sqrt(norm) + std::abs(mu0);
  // mu0 may be an eigenvalue: its pivot of 0 becomes what rounding would make of it
  LU<T> factors(shifted, std::numeric_limits<Real<T>>::epsilon() * norm);
  Vector<T> x(x0, x0 + n);
  T value = mu0;
  for (int turn = 0; turn < most; turn++) {
    x = factors.solve(x);
    Real<T> size = length(x);
    if (!(size > 0)) break;
    for (T &a : x) a /= size;
    Vector<T> y = times(rows, x);
    value = T(0);
    for (int i = 0; i < n; i++) value += conjugate(x[i]) * y[i];
    for (int i = 0; i < n; i++) y[i] -= value * x[i];
    if (length(y) < tolerance) break;
  }
  *mu = value;
  std::copy(x.begin(), x.end(), result);
}
template <class T> Status count_eigenvalues(const Matrix<T> &matrix, double left, double low, double right, double high,
                                            int *count) {
  typedef std::complex<double> Z;
  int n = matrix.m;
  Vector<Z> dense((size_t)n * n);
  Rows<T> rows = matrix.rows();
  for (int i = 0; i < n; i++) for (const Entry<T> &entry : rows[i]) dense[i + (size_t)entry.first * n] = entry.second;
  *count = 0;
  for (Z value : eigenvalues(n, dense))
    if (value.real() >= left && value.real() <= right && value.imag() >= low && value.imag() <= high) ++*count;
  return CUSOLVER_STATUS_SUCCESS;
}
/// Rows for columns by augmenting paths: the largest entries first. Returns how many columns got one.
template <class T> int zero_free_diagonal(const Rows<T> &rows, int *order) {
  int n = (int)rows.size(), found = 0;
  Rows<T> columns = columns_of(rows, n);
  std::vector<int> rowOf(n, -1), columnOf(n, -1), from(n), seen(n, -1);
  for (int j = 0; j < n; j++) {
    Row<T> &column = columns[j];
    column.erase(std::remove_if(column.begin(), column.end(), [](const Entry<T> &e) { return e.second == T(0); }),
                 column.end());
    std::stable_sort(column.begin(), column.end(), [&](const Entry<T> &a, const Entry<T> &b) {
      return std::abs(a.second) != std::abs(b.second) ? std::abs(a.second) > std::abs(b.second) : a.first == j;
    });
    for (const Entry<T> &entry : column)
      if (columnOf[entry.first] < 0) {
        columnOf[entry.first] = j;
        rowOf[j] = entry.first;
        break;
      }
  }
  for (int start = 0; start < n; start++) {
    if (rowOf[start] >= 0) continue;
    std::vector<int> queue{start};
    int end = -1;
    for (size_t at = 0; at < queue.size() && end < 0; at++)
      for (const Entry<T> &entry : columns[queue[at]]) {
        int row = entry.first;
        if (seen[row] == start) continue;
        seen[row] = start;
        from[row] = queue[at];
        if (columnOf[row] < 0) {
          end = row;
          break;
        }
        queue.push_back(columnOf[row]);
      }
    while (end >= 0) {
      int column = from[end], before = rowOf[column];
      rowOf[column] = end;
      columnOf[end] = column;
      end = column == start ? -1 : before;
    }
  }
  for (int j = 0, free = 0; j < n; j++) {
    if (rowOf[j] >= 0) found++;
    else {
      while (columnOf[free] >= 0) free++;
      columnOf[free] = j;
      rowOf[j] = free;
    }
    order[j] = rowOf[j];
  }
  return found;
}

#define HEDDLE_CSR (m > 0 && nnz > 0 && values && starts && columns)
#define HEDDLE_SPARSE_MATRIX                                                                                           \
  cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA

/// Copies of device memory.
template <class T> std::vector<T> copied(cudaStream_t stream, const T *from, size_t count) {
  std::vector<T> to(count);
  cudaMemcpyAsync(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost, stream);
  return to;
}
template <class T>
Status nearest_on_device(cusolverSpHandle_t handle, Matrix<T> matrix, T mu0, const T *x0, int most, Real<T> tolerance,
                         T *mu, T *x) {
  std::vector<T> values = copied(handle->stream, (const T *)matrix.values, matrix.nnz);
  std::vector<int> starts = copied(handle->stream, matrix.starts, matrix.m + 1);
  std::vector<int> columns = copied(handle->stream, matrix.columns, matrix.nnz);
  std::vector<T> start = copied(handle->stream, x0, matrix.m), result(matrix.m);
  if (cudaStreamSynchronize(handle->stream) != cudaSuccess) return CUSOLVER_STATUS_INTERNAL_ERROR;
  matrix.values = values.data();
  matrix.starts = starts.data();
  matrix.columns = columns.data();
  T value;
  nearest_eigenvalue(matrix, mu0, start.data(), most, tolerance, &value, result.data());
  cudaMemcpyAsync(mu, &value, sizeof value, cudaMemcpyHostToDevice, handle->stream);
  cudaMemcpyAsync(x, result.data(), result.size() * sizeof(T), cudaMemcpyHostToDevice, handle->stream);
  cudaError_t error = cudaStreamSynchronize(handle->stream);
  return error == cudaSuccess ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INTERNAL_ERROR;
}
Status order_into(cusolverSpHandle_t handle, int n, int nnzA, cusparseMatDescr_t descrA, const int *starts,
                  const int *columns, int *p, List (*find)(const Graph &)) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(n > 0 && nnzA > 0 && starts && columns && p);
  HEDDLE_GENERAL(descrA);
  List order = find(heddle_orders::graph_of(n, starts, columns, base_of(descrA)));
  std::copy(order.begin(), order.end(), p);
  return CUSOLVER_STATUS_SUCCESS;
}

} // namespace

extern "C" {

#define HEDDLE_SYSTEM(P, T, R, NAME, METHOD)                                                                           \
  Status cusolverSp##P##csr##NAME(HEDDLE_SPARSE_MATRIX, const T *values, const int *starts, const int *columns,        \
                                  const T *b, R tol, int reorder, T *x, int *singularity) {                            \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(HEDDLE_CSR && b && x && singularity && reorder >= 0 && reorder <= 3);                                 \
    HEDDLE_GENERAL(descrA);                                                                                            \
    return solve(Matrix<Native<T>::type>{m, nnz, descrA, values, starts, columns}, Method::METHOD, b, tol, reorder, x, \
                 singularity);                                                                                         \
  }
#define HEDDLE_SPARSE_HOST(P, T, R, C)                                                                                 \
  HEDDLE_SYSTEM(P, T, R, lsvluHost, LU)                                                                                \
  HEDDLE_SYSTEM(P, T, R, lsvqrHost, QR)                                                                                \
  HEDDLE_SYSTEM(P, T, R, lsvcholHost, CHOLESKY)                                                                        \
  Status cusolverSp##P##csrlsqvqrHost(cusolverSpHandle_t handle, int m, int n, int nnz,                                \
                                      const cusparseMatDescr_t descrA, const T *values, const int *starts,             \
                                      const int *columns, const T *b, R tol, int *rankA, T *x, int *p, R *min_norm) {  \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(HEDDLE_CSR && n > 0 && b && rankA && x && p && min_norm);                                             \
    HEDDLE_GENERAL(descrA);                                                                                            \
    return solve_least_squares(Matrix<Native<T>::type>{m, nnz, descrA, values, starts, columns}, n, b, tol, rankA, x,  \
                               p, min_norm);                                                                           \
  }                                                                                                                    \
  Status cusolverSp##P##csreigvsiHost(HEDDLE_SPARSE_MATRIX, const T *values, const int *starts, const int *columns,    \
                                      T mu0, const T *x0, int maxite, R tol, T *mu, T *x) {                            \
    typedef Native<T>::type N;                                                                                         \
    HEDDLE_NEEDS(HEDDLE_CSR && x0 && mu && x && maxite >= 0); /* before the handle, as NVIDIA's */                     \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_GENERAL(descrA);                                                                                            \
    nearest_eigenvalue(Matrix<N>{m, nnz, descrA, values, starts, columns}, *(N *)&mu0, (const N *)x0, maxite, tol,     \
                       (N *)mu, (N *)x);                                                                               \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  Status cusolverSp##P##csreigvsi(HEDDLE_SPARSE_MATRIX, const T *values, const int *starts, const int *columns, T mu0, \
                                  const T *x0, int maxite, R tol, T *mu, T *x) {                                       \
    typedef Native<T>::type N;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(HEDDLE_CSR && x0 && mu && x && maxite >= 0);                                                          \
    HEDDLE_GENERAL(descrA);                                                                                            \
    return nearest_on_device(handle, Matrix<N>{m, nnz, descrA, values, starts, columns}, *(N *)&mu0, (const N *)x0,    \
                             maxite, tol, (N *)mu, (N *)x);                                                            \
  }                                                                                                                    \
  Status cusolverSp##P##csreigsHost(HEDDLE_SPARSE_MATRIX, const T *values, const int *starts, const int *columns,      \
                                    C left_bottom, C right_upper, int *num_eigs) {                                     \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(HEDDLE_CSR && num_eigs);                                                                              \
    HEDDLE_GENERAL(descrA);                                                                                            \
    return count_eigenvalues(Matrix<Native<T>::type>{m, nnz, descrA, values, starts, columns}, left_bottom.x,          \
                             left_bottom.y, right_upper.x, right_upper.y, num_eigs);                                   \
  }                                                                                                                    \
  Status cusolverSp##P##csrzfdHost(HEDDLE_SPARSE_MATRIX, const T *values, const int *starts, const int *columns,       \
                                   int *order, int *numnz) {                                                           \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(HEDDLE_CSR && order && numnz);                                                                        \
    HEDDLE_GENERAL(descrA);                                                                                            \
    *numnz = zero_free_diagonal(Matrix<Native<T>::type>{m, nnz, descrA, values, starts, columns}.rows(), order);       \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }
HEDDLE_SPARSE_HOST(S, float, float, cuComplex)
HEDDLE_SPARSE_HOST(D, double, double, cuDoubleComplex)
HEDDLE_SPARSE_HOST(C, cuComplex, float, cuComplex)
HEDDLE_SPARSE_HOST(Z, cuDoubleComplex, double, cuDoubleComplex)

/// Whether the pattern is symmetric.
Status cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnzA, const cusparseMatDescr_t descrA,
                               const int *csrRowPtrA, const int *csrEndPtrA, const int *csrColIndA, int *issym) {
  HEDDLE_NEEDS(m > 0 && nnzA > 0 && csrRowPtrA && csrEndPtrA && csrColIndA && issym); // before the handle, as NVIDIA's
  HEDDLE_LIVE;
  HEDDLE_GENERAL(descrA);
  int base = base_of(descrA);
  std::vector<std::pair<int, int>> places;
  for (int i = 0; i < m; i++)
    for (int at = csrRowPtrA[i] - base; at < csrEndPtrA[i] - base; at++) places.push_back({i, csrColIndA[at] - base});
  std::sort(places.begin(), places.end());
  *issym = std::all_of(places.begin(), places.end(), [&](std::pair<int, int> place) {
    return std::binary_search(places.begin(), places.end(), std::make_pair(place.second, place.first));
  });
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverSpXcsrsymrcmHost(HEDDLE_CUSOLVER_PATTERN, int *p) {
  return order_into(handle, n, nnzA, descrA, csrRowPtrA, csrColIndA, p, heddle_orders::reverse_cuthill_mckee);
}
Status cusolverSpXcsrsymmdqHost(HEDDLE_CUSOLVER_PATTERN, int *p) {
  return order_into(handle, n, nnzA, descrA, csrRowPtrA, csrColIndA, p,
                    [](const Graph &graph) { return heddle_orders::minimum_degree(graph, false); });
}
Status cusolverSpXcsrsymamdHost(HEDDLE_CUSOLVER_PATTERN, int *p) {
  return order_into(handle, n, nnzA, descrA, csrRowPtrA, csrColIndA, p,
                    [](const Graph &graph) { return heddle_orders::minimum_degree(graph, true); });
}
/// The options are those of METIS; ours has none.
Status cusolverSpXcsrmetisndHost(HEDDLE_CUSOLVER_PATTERN, const int64_t *, int *p) {
  return order_into(handle, n, nnzA, descrA, csrRowPtrA, csrColIndA, p, heddle_orders::nested_dissection);
}
Status cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                         const cusparseMatDescr_t descrA, const int *csrRowPtrA, const int *csrColIndA,
                                         const int *p, const int *q, size_t *bufferSizeInBytes) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(m > 0 && n > 0 && nnzA > 0 && csrRowPtrA && csrColIndA && p && q && bufferSizeInBytes);
  HEDDLE_GENERAL(descrA);
  *bufferSizeInBytes = sizeof(int) * ((size_t)m + 1 + n + 2 * (size_t)nnzA);
  return CUSOLVER_STATUS_SUCCESS;
}
/// A becomes A(p, q), its columns sorted; map goes the same way.
Status cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,
                              int *csrRowPtrA, int *csrColIndA, const int *p, const int *q, int *map, void *pBuffer) {
  // before the handle, as NVIDIA's
  HEDDLE_NEEDS(m > 0 && n > 0 && nnzA > 0 && csrRowPtrA && csrColIndA && p && q && map && pBuffer);
  HEDDLE_LIVE;
  HEDDLE_GENERAL(descrA);
  int base = base_of(descrA), *starts = (int *)pBuffer, *place = starts + m + 1, *columns = place + n,
      *from = columns + nnzA;
  std::copy(csrRowPtrA, csrRowPtrA + m + 1, starts);
  std::copy(csrColIndA, csrColIndA + nnzA, columns);
  std::copy(map, map + nnzA, from);
  for (int j = 0; j < n; j++) place[q[j]] = j;
  int to = 0;
  std::vector<std::pair<int, int>> row;
  for (int i = 0; i < m; i++) {
    row.clear();
    for (int at = starts[p[i]] - base; at < starts[p[i] + 1] - base; at++)
      row.push_back({place[columns[at] - base], from[at]});
    std::stable_sort(row.begin(), row.end(),
                     [](std::pair<int, int> a, std::pair<int, int> b) { return a.first < b.first; });
    csrRowPtrA[i] = to + base;
    for (std::pair<int, int> entry : row) {
      csrColIndA[to] = entry.first + base;
      map[to++] = entry.second;
    }
  }
  csrRowPtrA[m] = to + base;
  return CUSOLVER_STATUS_SUCCESS;
}
}
