// Random descriptors of cuSOLVER's functions for sparse matrices: systems, least squares, eigenvalues and orders on the
// host, and refactorization (solver-sparse-descriptors.test-helper.ts makes them). Prints the status, what the function
// says of singularity, how far the result is from what it must satisfy in units of n eps, and values.
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include "solver-matrices.h"

#define SPARSE(NAME, ...) \
  PICK(cusolverSpS##NAME(__VA_ARGS__), cusolverSpD##NAME(__VA_ARGS__), cusolverSpC##NAME(__VA_ARGS__), cusolverSpZ##NAME(__VA_ARGS__))

static cusolverSpHandle_t sp;
static cusparseMatDescr_t matrix;

template <class T> struct Sparse {
  int m, n, base;
  std::vector<int> starts, columns;
  std::vector<T> values;
  /// What is not 0 of a dense matrix.
  Sparse(const Matrix &a, int m, int n, int base) : m(m), n(n), base(base) {
    for (int i = 0; i < m; i++) {
      starts.push_back((int)columns.size() + base);
      for (int j = 0; j < n; j++)
        if (a[i + (size_t)j * m] != Z(0)) {
          columns.push_back(j + base);
          values.push_back(Type<T>::of(a[i + (size_t)j * m]));
        }
    }
    starts.push_back((int)columns.size() + base);
    cusparseSetMatIndexBase(matrix, base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO);
  }
  int nnz() const { return (int)columns.size(); }
};
template <class T> Matrix sparse(int m, int n, int seed, int percent) {
  Matrix a = random<T>(m, n, seed);
  for (size_t i = 0; i < a.size(); i++) if ((int)(hash(seed + 7, i) % 100) >= percent) a[i] = 0;
  return a;
}
static std::vector<int> permutation(int n, int seed) {
  std::vector<int> p(n);
  std::iota(p.begin(), p.end(), 0);
  for (int i = n - 1; i > 0; i--) std::swap(p[i], p[hash(seed, i) % (i + 1)]);
  return p;
}
static bool is_permutation(std::vector<int> p) {
  std::sort(p.begin(), p.end());
  for (size_t i = 0; i < p.size(); i++) if (p[i] != (int)i) return false;
  return true;
}
template <class T> Matrix dense(const std::vector<T> &values) {
  Matrix m;
  for (const T &v : values) m.push_back(Type<T>::to(v));
  return m;
}
template <class T> T *on_device(const std::vector<T> &values) {
  T *p = nullptr;
  cudaMalloc(&p, values.size() * sizeof(T) + 16);
  cudaMemcpy(p, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

template <class T> void systems(const Case &c, double eps) {
  int status, n = c.n, singular = 99, reorder = c.k % 4;
  bool isCholesky = !strcmp(c.op, "chol"), isSingular = c.seed % 6 == 0;
  Matrix a = sparse<T>(n, n, c.seed, 10 + c.seed % 40), b = random<T>(n, 1, c.seed + 1);
  if (isCholesky) a = product(a, a, n, n, n, false, true);
  for (int i = 0; i < n; i++) a[i + (size_t)i * n] += isCholesky ? 1.0 : c.seed % 2 ? 2.0 : 0.0;
  // off the diagonal
  if (!isCholesky && c.seed % 2 == 0) for (int i = 0; i < n; i++) a[i + (size_t)((i + 3) % n) * n] += 3.0;
  int gone = c.seed / 6 % n;
  if (isSingular) for (int i = 0; i < n; i++) a[i + (size_t)gone * n] = a[gone + (size_t)i * n] = 0;
  if (isSingular) a[(gone + 1) % n + (size_t)((gone + 1) % n) * n] += n > 1 ? 1.0 : 0.0;
  if (norm(a) < 1e-100) a[0] = 1e-30, isSingular = true;
  Sparse<T> s(a, n, n, c.isUpper);
  a = Matrix((size_t)n * n); // as rounded
  for (int i = 0; i < n; i++) for (int at = s.starts[i] - s.base; at < s.starts[i + 1] - s.base; at++)
    a[i + (size_t)(s.columns[at] - s.base) * n] = Type<T>::to(s.values[at]);
  std::vector<T> right, x(n);
  for (const Z &z : b) right.push_back(Type<T>::of(z));
  double tol = eps * n;
#define SOLVE(NAME) SPARSE(NAME, sp, n, s.nnz(), matrix, s.values.data(), s.starts.data(), s.columns.data(), right.data(), tol, reorder, x.data(), &singular)
  if (isCholesky) { SOLVE(csrlsvcholHost) } else if (!strcmp(c.op, "lu")) { SOLVE(csrlsvluHost) } else { SOLVE(csrlsvqrHost) }
  if (isSingular) { printf("0 %d 0", singular < 0 ? -1 : reorder == 0 && isCholesky ? singular : 1); return; }
  Matrix solution = dense(x);
  printf("0 %d %.2g", singular, distance(product(a, solution, n, n, 1), b) / (norm(a) * norm(solution) + norm(b)) / (eps * n));
}
template <class T> void least_squares(const Case &c, double eps) {
  typedef typename Type<T>::R R;
  int status, m = c.m, n = c.n, rank = -1;
  if (m < n) std::swap(m, n);
  Matrix a = sparse<T>(m, n, c.seed, 30 + c.seed % 60), b = random<T>(m, 1, c.seed + 1);
  for (int j = 0; j < n; j++) a[j + (size_t)j * m] += 2.0;
  bool isLess = c.seed % 3 == 0 && n > 1;
  if (isLess) for (int i = 0; i < m; i++) a[i + (size_t)(n - 1) * m] = a[i];
  Sparse<T> s(a, m, n, c.isUpper);
  std::vector<T> right, x(n);
  std::vector<int> p(n);
  for (const Z &z : b) right.push_back(Type<T>::of(z));
  R least = 0;
  SPARSE(csrlsqvqrHost, sp, m, n, s.nnz(), matrix, s.values.data(), s.starts.data(), s.columns.data(), right.data(), (R)(eps * m * 10), &rank, x.data(), p.data(), &least)
  Matrix solution = dense(x), r = product(a, solution, m, n, 1);
  for (int i = 0; i < m; i++) r[i] -= b[i];
  double error = norm(product(a, r, n, m, 1, true)) / (norm(a) * (norm(a) * norm(solution) + norm(b)));
  error += std::fabs(norm(r) - least) / norm(b) + (is_permutation(p) ? 0 : 1e9);
  printf("0 %d %.2g %.5g", rank == n - isLess ? 0 : 1 + rank, error / (eps * m), (double)least);
}
template <class T> void eigenvalue(const Case &c, double eps) {
  int status, n = c.n;
  bool isOnDevice = !strcmp(c.op, "eigdev");
  Matrix a = hermitian<T>(n, c.seed, false);
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
    if (i != j) a[i + (size_t)j * n] *= (i + j + c.seed) % 3 ? 0.0 : 0.25;
    else a[i + (size_t)i * n] = Type<T>::to(Type<T>::of(3.0 * i + 1));
    a[i + (size_t)j * n] = Type<T>::to(Type<T>::of(a[i + (size_t)j * n]));
  }
  Sparse<T> s(a, n, n, c.isUpper);
  T mu0 = Type<T>::of(3.0 * (c.seed % n) + 1.2), mu;
  std::vector<T> x0, x(n);
  for (const Z &z : random<T>(n, 1, c.seed + 1)) x0.push_back(Type<T>::of(z + 1.5));
  double tol = eps * 20 * norm(a);
  if (isOnDevice) {
    T *values = on_device(s.values), *start = on_device(x0), *result = on_device(x), *number = on_device(x);
    int *starts = on_device(s.starts), *columns = on_device(s.columns);
    SPARSE(csreigvsi, sp, n, s.nnz(), matrix, values, starts, columns, mu0, start, 100, tol, number, result)
    cudaMemcpy(&mu, number, sizeof mu, cudaMemcpyDeviceToHost);
    cudaMemcpy(x.data(), result, n * sizeof(T), cudaMemcpyDeviceToHost);
    for (void *p : {(void *)values, (void *)start, (void *)result, (void *)number, (void *)starts, (void *)columns}) cudaFree(p);
  } else { SPARSE(csreigvsiHost, sp, n, s.nnz(), matrix, s.values.data(), s.starts.data(), s.columns.data(), mu0, x0.data(), 100, tol, &mu, x.data()) }
  Matrix vector = dense(x), image = product(a, vector, n, n, 1);
  for (int i = 0; i < n; i++) image[i] -= Type<T>::to(mu) * vector[i];
  printf("0 0 %.2g %.5g", norm(image) / (norm(a) * norm(vector)) / (eps * 20), Type<T>::to(mu).real());
}
template <class T> void enclosed(const Case &c) {
  typedef std::conditional_t<sizeof(typename Type<T>::R) == 4, cuComplex, cuDoubleComplex> C;
  int status, n = c.n, found = -1, want = 0;
  Matrix a = sparse<T>(n, n, c.seed, 30), b((size_t)n * n);
  std::vector<int> p = permutation(n, c.seed);
  bool isReal = Type<T>::t == Type<T>::r;
  for (int i = 0; i < n; i++) { // a triangle has its eigenvalues on the diagonal
    for (int j = 0; j < i; j++) a[i + (size_t)j * n] = 0;
    for (int j = i + 1; j < n; j++) a[i + (size_t)j * n] *= 0.1;
    a[i + (size_t)i * n] = isReal ? Z(i + 0.5) : Z(i + 0.5, (int)(hash(c.seed, i) % 9) - 4 + 0.5);
  }
  double left = (int)(hash(c.seed, 91) % n), right = left + 1 + hash(c.seed, 92) % n, low = isReal ? -1 : -2, high = isReal ? 1 : 3;
  for (int i = 0; i < n; i++) {
    Z z = a[i + (size_t)i * n];
    want += z.real() > left && z.real() < right && z.imag() > low && z.imag() < high;
    for (int j = 0; j < n; j++) b[p[i] + (size_t)p[j] * n] = a[i + (size_t)j * n];
  }
  Sparse<T> s(b, n, n, c.isUpper);
  C from, to;
  from.x = left, from.y = low, to.x = right, to.y = high;
  SPARSE(csreigsHost, sp, n, s.nnz(), matrix, s.values.data(), s.starts.data(), s.columns.data(), from, to, &found)
  printf("0 %d 0 %d", found - want, found);
}
template <class T> void zero_free(const Case &c) {
  int status, n = c.n, count = -1;
  Matrix a = sparse<T>(n, n, c.seed, 8);
  std::vector<int> q = permutation(n, c.seed), p(n);
  for (int i = 0; i < n; i++) a[i + (size_t)q[i] * n] += 3.0;
  bool isLess = c.seed % 4 == 0 && n > 1;
  if (isLess) for (int j = 0; j < n; j++) a[(c.seed % n) + (size_t)j * n] = 0;
  Sparse<T> s(a, n, n, c.isUpper);
  SPARSE(csrzfdHost, sp, n, s.nnz(), matrix, s.values.data(), s.starts.data(), s.columns.data(), p.data(), &count)
  int diagonal = 0;
  for (int i = 0; i < n; i++) diagonal += is_permutation(p) && a[p[i] + (size_t)i * n] != Z(0);
  printf("0 %d %d", count - n, diagonal == count ? 0 : 1000);
}
static void orders(const Case &c) {
  int status = 0, n = c.n * (c.seed % 5 == 0 ? 9 : 1);
  Matrix a = sparse<double>(n, n, c.seed, 4);
  if (c.seed % 3 == 0) { // a path, backwards and shuffled
    std::vector<int> p = permutation(n, c.seed);
    a = Matrix((size_t)n * n);
    for (int i = 0; i + 1 < n; i++) a[p[i] + (size_t)p[i + 1] * n] = 1;
  }
  a[0] = 1;
  Sparse<double> s(a, n, n, c.isUpper);
  std::vector<int> p(n);
#define ORDER(NAME, ...) status = cusolverSpXcsr##NAME##Host(sp, n, s.nnz(), matrix, s.starts.data(), s.columns.data(), __VA_ARGS__)
  if (c.k % 4 == 0) ORDER(symrcm, p.data());
  if (c.k % 4 == 1) ORDER(symmdq, p.data());
  if (c.k % 4 == 2) ORDER(symamd, p.data());
  if (c.k % 4 == 3) ORDER(metisnd, nullptr, p.data());
  int width = 0;
  std::vector<int> place(n);
  if (is_permutation(p)) for (int i = 0; i < n; i++) place[p[i]] = i;
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (a[i + (size_t)j * n] != Z(0)) width = std::max(width, std::abs(place[i] - place[j]));
  bool isRight = is_permutation(p) && !(c.k % 4 == 0 && c.seed % 3 == 0 && width > 1); // a path has bandwidth 1
  printf("%d 0 %d", status, isRight ? 0 : 1000);
}
static void permute(const Case &c) {
  int status, m = c.m, n = c.n;
  Matrix a = sparse<double>(m, n, c.seed, 40), b = a;
  a[0] = b[0] = 1;
  Sparse<double> s(a, m, n, c.isUpper);
  std::vector<int> p = permutation(m, c.seed), q = permutation(n, c.seed + 1), map(s.nnz());
  std::iota(map.begin(), map.end(), 0);
  size_t bytes = 0;
  STEP(cusolverSpXcsrperm_bufferSizeHost(sp, m, n, s.nnz(), matrix, s.starts.data(), s.columns.data(), p.data(), q.data(), &bytes))
  std::vector<char> buffer(bytes);
  STEP(cusolverSpXcsrpermHost(sp, m, n, s.nnz(), matrix, s.starts.data(), s.columns.data(), p.data(), q.data(), map.data(), buffer.data()))
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) b[i + (size_t)j * m] = a[p[i] + (size_t)q[j] * m];
  Sparse<double> want(b, m, n, c.isUpper);
  std::vector<double> values(s.nnz());
  for (int i = 0; i < s.nnz(); i++) values[i] = s.values[map[i]];
  printf("0 0 %d", want.starts == s.starts && want.columns == s.columns && want.values == values ? 0 : 1000);
}
static void symmetry(const Case &c) {
  int status, n = c.n, found = -1;
  Matrix a = sparse<double>(n, n, c.seed, 20);
  a[0] = 1;
  if (c.seed % 2) for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) a[i + (size_t)j * n] = a[j + (size_t)i * n] != Z(0) ? 2 : 0;
  bool want = true;
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) want = want && (a[i + (size_t)j * n] != Z(0)) == (a[j + (size_t)i * n] != Z(0));
  Sparse<double> s(a, n, n, c.isUpper);
  STEP(cusolverSpXcsrissymHost(sp, n, s.nnz(), matrix, s.starts.data(), s.starts.data() + 1, s.columns.data(), &found))
  printf("0 %d 0 %d", found - want, found);
}

/// P A Q^T = L U, with U's diagonal 1 or L's.
static void factor(const Matrix &a, int n, const std::vector<int> &p, const std::vector<int> &q, bool isUnitU, Matrix &l, Matrix &u) {
  Matrix f((size_t)n * n);
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) f[i + (size_t)j * n] = a[p[i] + (size_t)q[j] * n];
  for (int k = 0; k < n; k++) for (int i = k + 1; i < n; i++) {
    if (f[i + (size_t)k * n] == Z(0)) continue;
    f[i + (size_t)k * n] /= f[k + (size_t)k * n];
    for (int j = k + 1; j < n; j++) f[i + (size_t)j * n] -= f[i + (size_t)k * n] * f[k + (size_t)j * n];
  }
  l = unit(n);
  u = Matrix((size_t)n * n);
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) (j < i ? l : u)[i + (size_t)j * n] = f[i + (size_t)j * n];
  if (!isUnitU) return;
  for (int k = 0; k < n; k++) {
    Z d = u[k + (size_t)k * n];
    for (int i = 0; i < n; i++) { l[i + (size_t)k * n] *= d; u[k + (size_t)i * n] /= d; }
  }
}
static Matrix transposed(const Matrix &a, int n) {
  Matrix b((size_t)n * n);
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[j + (size_t)i * n] = a[i + (size_t)j * n];
  return b;
}
static Matrix with_other_values(Matrix a, int n, int seed) {
  for (size_t i = 0; i < a.size(); i++) if (a[i] != Z(0)) a[i] += 0.2 * number(seed, (uint32_t)i) + (i % (n + 1) == 0 ? 0.5 : 0);
  return a;
}
struct Problem {
  int n;
  Matrix a, l, u;
  std::vector<int> p, q;
  bool isColumns, isUnitU, isStored;
  Sparse<double> sa, sl, su;
  Matrix kept(const Matrix &m) const { return isColumns ? transposed(m, n) : m; }
  static Matrix made(const Case &c) {
    Matrix a = sparse<double>(c.n, c.n, c.seed, 20);
    // The other entries are quarters: with such a diagonal no entry of a factor where A has one becomes exactly zero.
    for (int i = 0; i < c.n; i++) a[i + (size_t)i * c.n] = 8.1 + c.n / 4.0;
    return a;
  }
  explicit Problem(const Case &c)
      : n(c.n), a(made(c)), p(permutation(n, c.seed)), q(p), isColumns(c.isUpper), isUnitU(c.k % 2), isStored(c.ld % 2),
        sa(kept(a), n, n, 0), sl(sa), su(sa) {
    factor(a, n, p, q, isUnitU, l, u);
    Matrix sl_ = l, su_ = u;
    if (!isStored) for (int i = 0; i < n; i++) (isUnitU ? su_ : sl_)[i + (size_t)i * n] = 0;
    sl = Sparse<double>(kept(sl_), n, n, 0);
    su = Sparse<double>(kept(su_), n, n, 0);
  }
  cusolverRfUnitDiagonal_t diagonal() const {
    if (isStored) return isUnitU ? CUSOLVERRF_UNIT_DIAGONAL_STORED_U : CUSOLVERRF_UNIT_DIAGONAL_STORED_L;
    return isUnitU ? CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U : CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L;
  }
};
#define FACTORS(N) N.sl.nnz(), N.sl.starts.data(), N.sl.columns.data(), N.sl.values.data(), N.su.nnz(), N.su.starts.data(), N.su.columns.data(), N.su.values.data(), N.p.data(), N.q.data()

/// The rows that an extraction gave, beside a factor.
static double part_error(const Matrix &want, int n, int nnz, int *starts, int *columns, double *values, bool isWithout) {
  Matrix found((size_t)n * n);
  for (int i = 0; i < n; i++) for (int at = starts[i]; at < starts[i + 1]; at++) found[i + (size_t)columns[at] * n] = values[at];
  if (isWithout) for (int i = 0; i < n; i++) found[i + (size_t)i * n] += 1;
  bool isWhole = starts[n] == nnz;
  free(starts);
  free(columns);
  free(values);
  return isWhole ? distance(found, want) : 1e9;
}
static void refactorization(const Case &c) {
  int status, n = c.n, *dp, *dq, *ds, *dc;
  Problem g(c);
  double *dv, *dx, *dt;
  cusolverRfHandle_t rf;
  STEP(cusolverRfCreate(&rf))
  bool isCsr = !g.isColumns;
  STEP(cusolverRfSetMatrixFormat(rf, isCsr ? CUSOLVERRF_MATRIX_FORMAT_CSR : CUSOLVERRF_MATRIX_FORMAT_CSC, g.diagonal()))
  STEP(cusolverRfSetAlgs(rf, (cusolverRfFactorization_t)(c.seed % 3), (cusolverRfTriangularSolve_t)(1 + c.seed % 3)))
  dp = on_device(g.p), dq = on_device(g.q), ds = on_device(g.sa.starts), dc = on_device(g.sa.columns);
  std::vector<int> *lists[] = {&g.sl.starts, &g.sl.columns, &g.su.starts, &g.su.columns};
  if (c.seed % 2) {
    STEP(cusolverRfSetupHost(n, g.sa.nnz(), g.sa.starts.data(), g.sa.columns.data(), g.sa.values.data(), FACTORS(g), rf))
  } else {
    int *d[4];
    for (int i = 0; i < 4; i++) d[i] = on_device(*lists[i]);
    double *va = on_device(g.sa.values), *vl = on_device(g.sl.values), *vu = on_device(g.su.values);
    STEP(cusolverRfSetupDevice(n, g.sa.nnz(), ds, dc, va, g.sl.nnz(), d[0], d[1], vl, g.su.nnz(), d[2], d[3], vu, dp, dq, rf))
    for (int i = 0; i < 4; i++) cudaFree(d[i]);
    cudaFree(va); cudaFree(vl); cudaFree(vu);
  }
  STEP(cusolverRfAnalyze(rf))
  Matrix a = g.a;
  if (c.seed % 3) {
    a = with_other_values(g.a, n, c.seed);
    factor(a, n, g.p, g.q, g.isUnitU, g.l, g.u);
  }
  std::vector<double> values;
  for (int i = 0; i < n; i++) for (int at = g.sa.starts[i]; at < g.sa.starts[i + 1]; at++)
    values.push_back(g.kept(a)[i + (size_t)g.sa.columns[at] * n].real());
  dv = on_device(values);
  STEP(cusolverRfResetValues(n, g.sa.nnz(), ds, dc, dv, dp, dq, rf))
  STEP(cusolverRfRefactor(rf))
  Matrix b = random<double>(n, 1, c.seed + 1);
  std::vector<double> right(n);
  for (int i = 0; i < n; i++) right[i] = b[i].real();
  dx = on_device(right), dt = on_device(right);
  STEP(cusolverRfSolve(rf, dp, dq, 1, dt, n, dx, n))
  cudaMemcpy(right.data(), dx, n * sizeof(double), cudaMemcpyDeviceToHost);
  double error = distance(product(a, dense(right), n, n, 1), b) / norm(b);
  int nnzL, nnzU, nnzM, *sl, *cl, *su, *cu, *sm, *cm;
  double *vl, *vu, *vm;
  STEP(cusolverRfExtractSplitFactorsHost(rf, &nnzL, &sl, &cl, &vl, &nnzU, &su, &cu, &vu))
  error += part_error(g.kept(g.l), n, nnzL, sl, cl, vl, !g.isStored && !g.isUnitU) / norm(g.l);
  error += part_error(g.kept(g.u), n, nnzU, su, cu, vu, !g.isStored && g.isUnitU) / norm(g.u);
  STEP(cusolverRfExtractBundledFactorsHost(rf, &nnzM, &sm, &cm, &vm))
  Matrix both((size_t)n * n), unit_l, its_u; // both in one: L's diagonal is 1, whatever the split factors have
  factor(a, n, g.p, g.q, false, unit_l, its_u);
  for (size_t i = 0; i < both.size(); i++) both[i] = unit_l[i] + its_u[i] - (i % (n + 1) == 0 ? 1.0 : 0.0);
  error += part_error(g.kept(both), n, nnzM, sm, cm, vm, false) / norm(both);
  cusolverRfNumericBoostReport_t report;
  STEP(cusolverRfGetNumericBoostReport(rf, &report))
  STEP(cusolverRfDestroy(rf))
  for (void *p : {(void *)dp, (void *)dq, (void *)ds, (void *)dc, (void *)dv, (void *)dx, (void *)dt}) cudaFree(p);
  printf("0 %d %.2g", (int)report, error / (2.2e-16 * n));
}
/// Many matrices, one with a pivot of 0.
static void batches(const Case &c) {
  int status, n = c.n, batch = 1 + c.seed % 4, hasZero = c.seed % 3 == 0;
  Problem g(c);
  cusolverRfHandle_t rf;
  STEP(cusolverRfCreate(&rf))
  STEP(cusolverRfSetMatrixFormat(rf, g.isColumns ? CUSOLVERRF_MATRIX_FORMAT_CSC : CUSOLVERRF_MATRIX_FORMAT_CSR, g.diagonal()))
  std::vector<Matrix> all;
  std::vector<std::vector<double>> values(batch);
  std::vector<double *> given, addresses, solutions;
  for (int k = 0; k < batch; k++) {
    all.push_back(k == 0 ? g.a : with_other_values(g.a, n, c.seed + k));
    if (hasZero && k == batch - 1) { // its first row becomes 0
      for (int j = 0; j < n; j++) all[k][g.p[0] + (size_t)j * n] = 0;
    }
    Matrix kept = g.kept(all[k]);
    for (int i = 0; i < n; i++) for (int at = g.sa.starts[i]; at < g.sa.starts[i + 1]; at++) values[k].push_back(kept[i + (size_t)g.sa.columns[at] * n].real());
    given.push_back(g.sa.values.data());
    addresses.push_back(on_device(values[k]));
  }
  STEP(cusolverRfBatchSetupHost(batch, n, g.sa.nnz(), g.sa.starts.data(), g.sa.columns.data(), given.data(), FACTORS(g), rf))
  STEP(cusolverRfBatchAnalyze(rf))
  int *dp = on_device(g.p), *dq = on_device(g.q), *ds = on_device(g.sa.starts), *dc = on_device(g.sa.columns);
  double **da = on_device(addresses);
  STEP(cusolverRfBatchResetValues(batch, n, g.sa.nnz(), ds, dc, da, dp, dq, rf))
  STEP(cusolverRfBatchRefactor(rf))
  std::vector<int> positions(batch, 7);
  int found = cusolverRfBatchZeroPivot(rf, positions.data());
  bool isRight = found == (hasZero ? CUSOLVER_STATUS_ZERO_PIVOT : CUSOLVER_STATUS_SUCCESS);
  for (int k = 0; k < batch; k++) isRight = isRight && (positions[k] >= 0) == (hasZero && k == batch - 1);
  Matrix b = random<double>(n, 1, c.seed + 1);
  std::vector<double> right(n), work(2 * (size_t)n * batch);
  for (int i = 0; i < n; i++) right[i] = b[i].real();
  for (int k = 0; k < batch; k++) solutions.push_back(on_device(right));
  double **dx = on_device(solutions), *dt = on_device(work), error = 0;
  STEP(cusolverRfBatchSolve(rf, dp, dq, 1, dt, n, dx, n))
  for (int k = 0; k < batch - hasZero; k++) {
    cudaMemcpy(right.data(), solutions[k], n * sizeof(double), cudaMemcpyDeviceToHost);
    error = std::max(error, distance(product(all[k], dense(right), n, n, 1), b) / norm(b));
  }
  STEP(cusolverRfDestroy(rf))
  for (double *p : addresses) cudaFree(p);
  for (double *p : solutions) cudaFree(p);
  for (void *p : {(void *)dp, (void *)dq, (void *)ds, (void *)dc, (void *)da, (void *)dx, (void *)dt}) cudaFree(p);
  printf("0 %d %.2g", isRight ? 0 : 1, error / (2.2e-16 * n));
}

template <class T> void run(const Case &c) {
  double eps = sizeof(typename Type<T>::R) == 4 ? 1.2e-7 : 2.2e-16;
  auto is = [&](const char *name) { return !strcmp(c.op, name); };
  if (is("lu") || is("qr") || is("chol")) systems<T>(c, eps);
  else if (is("lsq")) least_squares<T>(c, eps);
  else if (is("eig") || is("eigdev")) eigenvalue<T>(c, eps);
  else if (is("eigs")) enclosed<T>(c);
  else if (is("zfd")) zero_free<T>(c);
  else if (is("order")) orders(c);
  else if (is("perm")) permute(c);
  else if (is("issym")) symmetry(c);
  else if (is("rf")) refactorization(c);
  else batches(c);
}
int main(int, char **arguments) {
  FILE *file = fopen(arguments[1], "r");
  cusolverSpCreate(&sp);
  cusparseCreateMatDescr(&matrix);
  Case c;
  while (fscanf(file, "%15s %d %d %d %d %d %d %d", c.op, &c.type, &c.m, &c.n, &c.k, &c.isUpper, &c.ld, &c.seed) == 8) {
    if (c.type == 0) run<float>(c);
    else if (c.type == 1) run<double>(c);
    else if (c.type == 2) run<cuComplex>(c);
    else run<cuDoubleComplex>(c);
    printf("\n");
    fflush(stdout); // a library may crash in the next one
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  }
  cusparseDestroyMatDescr(matrix);
  cusolverSpDestroy(sp);
  return 0;
}
