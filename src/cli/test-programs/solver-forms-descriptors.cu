// Random descriptors of cuSOLVER's condensed forms, symmetric indefinite matrices and least squares, a line each
// (solver-forms-descriptors.test-helper.ts makes them). Prints the status, the info, how far the result is from what it
// should be in units of n eps |A|, and values that do not depend on signs.
#include <algorithm>
#include "solver-matrices.h"

#define GELS(NAME)                                                                                                     \
  STEP(cusolverDn##NAME##gels_bufferSize(h, m, n, c.k, da.p, da.ld, db.p, db.ld, dx.p, dx.ld, nullptr, &bytes))        \
  work(bytes);                                                                                                         \
  STEP(cusolverDn##NAME##gels(h, m, n, c.k, da.p, da.ld, db.p, db.ld, dx.p, dx.ld, work_memory, bytes, &iterations,    \
                              info))
#define ALL(NAME, ...) SAME(NAME##_bufferSize, __VA_ARGS__, &lwork)
#define WORK (T *)work(lwork * sizeof(T)), lwork

template <class T> Matrix symmetric(int n, int seed) {
  Matrix a = random<T>(n, n, seed);
  for (int j = 0; j < n; j++) for (int i = 0; i < j; i++) a[j + (size_t)i * n] = a[i + (size_t)j * n];
  return a;
}
static Matrix adjoint(const Matrix &a, int m, int n) {
  Matrix b((size_t)n * m);
  for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) b[j + (size_t)i * n] = std::conj(a[i + (size_t)j * m]);
  return b;
}
template <class R> static std::vector<double> sizes_of(const R *p, int count) {
  std::vector<R> all(count + 1);
  if (count > 0) cudaMemcpy(all.data(), p, count * sizeof(R), cudaMemcpyDeviceToHost);
  std::vector<double> sizes;
  for (int i = 0; i < count; i++) sizes.push_back(std::fabs((double)all[i]));
  return sizes;
}

template <class T> void run(const Case &c) {
  typedef typename Type<T>::R R;
  constexpr bool IS_REAL = Type<T>::t == Type<T>::r;
  int status, lwork = 0, m = c.m, n = c.n;
  double eps = sizeof(R) == 4 ? 1.2e-7 : 2.2e-16;
  cublasFillMode_t uplo = c.isUpper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  struct Memory {
    int *info, *pivots;
    R *d, *e;
    ~Memory() { cudaFree(info); cudaFree(pivots); cudaFree(d); cudaFree(e); }
  } memory;
  cudaMalloc(&memory.info, 64);
  cudaMalloc(&memory.pivots, 8 * (n + m));
  cudaMalloc(&memory.d, sizeof(R) * (n + m));
  cudaMalloc(&memory.e, sizeof(R) * (n + m));
  int *info = memory.info, *pivots = memory.pivots;
  R *d = memory.d, *e = memory.e;
  cudaMemset(info, 0, 4);
  auto done = [&](double error, const Matrix &a, std::vector<double> values) {
    int found = 0;
    cudaMemcpy(&found, info, sizeof found, cudaMemcpyDeviceToHost);
    printf("0 %d %.2g", found, error / (eps * norm(a) * (m > n ? m : n)));
    for (double v : values) printf(" %.5g", v);
  };
  auto is = [&](const char *name) { return !strcmp(c.op, name); };
  if (is("wrong")) { // statuses only
    int kind = c.seed % 9, bad = n > 1 ? n - 1 : 0;
    Device<T> da(n + 1, n + 1, n + 1), tau(n + 1, 1, n + 1), db(n + 1, n + 1, n + 1);
    auto side = CUBLAS_SIDE_LEFT;
    if (kind == 0) { SAME(gebrd_bufferSize, h, -1, n, &lwork) }
    if (kind == 1) { SAME(gebrd, h, n, n, da.p, bad, d, e, tau.p, db.p, (T *)work(64 * n * sizeof(T)), 64 * n, info) }
    if (kind == 2) { NAMED(sytrd_bufferSize, hetrd_bufferSize, h, uplo, n, da.p, bad, d, e, tau.p, &lwork) }
    if (kind == 3) { NAMED(orgtr_bufferSize, ungtr_bufferSize, h, uplo, -1, da.p, n, tau.p, &lwork) }
    if (kind == 4) { NAMED(ormtr_bufferSize, unmtr_bufferSize, h, side, uplo, CUBLAS_OP_N, n, n, da.p, bad, tau.p, db.p, n, &lwork) }
    if (kind == 5) { SAME(sytrf_bufferSize, h, n, da.p, bad, &lwork) }
    if (kind == 6) { SAME(sytri_bufferSize, h, uplo, -1, da.p, n, pivots, &lwork) }
    if (kind == 7) { NAMED(orgbr_bufferSize, ungbr_bufferSize, h, side, n, n + 1, n, da.p, n + 1, tau.p, &lwork) }
    size_t bytes = 0;
    int iterations = 0;
    if (kind == 8) {
      Device<T> dx(n + 1, 1, n + 1);
      m = n + 1;
      da.ld = bad;
      PICK(cusolverDnSSgels_bufferSize(h, m, n, 1, da.p, bad, db.p, m, dx.p, m, nullptr, &bytes),
           cusolverDnDDgels_bufferSize(h, m, n, 1, da.p, bad, db.p, m, dx.p, m, nullptr, &bytes),
           cusolverDnCCgels_bufferSize(h, m, n, 1, da.p, bad, db.p, m, dx.p, m, nullptr, &bytes),
           cusolverDnZZgels_bufferSize(h, m, n, 1, da.p, bad, db.p, m, dx.p, m, nullptr, &bytes))
    }
    (void)iterations;
    printf("0");
  } else if (is("gebrd")) { // A = Q B P^H
    if (m < n) std::swap(m, n);
    bool isWhole = c.seed % 2;
    int columns = isWhole ? m : n;
    Matrix a = random<T>(m, n, c.seed);
    Device<T> da(m, columns, m + c.ld), tauq(n, 1, n), taup(n, 1, n), dp(n, n, n + c.ld);
    Matrix padded((size_t)m * columns);
    std::copy(a.begin(), a.end(), padded.begin());
    da.put(padded);
    ALL(gebrd, h, m, n)
    SAME(gebrd, h, m, n, da.p, da.ld, d, e, tauq.p, taup.p, WORK, info)
    Matrix f = da.get(), top((size_t)n * n);
    for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) top[i + (size_t)j * n] = f[i + (size_t)j * m];
    dp.put(top);
    NAMED(orgbr_bufferSize, ungbr_bufferSize, h, CUBLAS_SIDE_LEFT, m, columns, n, da.p, da.ld, tauq.p, &lwork)
    NAMED(orgbr, ungbr, h, CUBLAS_SIDE_LEFT, m, columns, n, da.p, da.ld, tauq.p, WORK, info)
    NAMED(orgbr_bufferSize, ungbr_bufferSize, h, CUBLAS_SIDE_RIGHT, n, n, m, dp.p, dp.ld, taup.p, &lwork)
    NAMED(orgbr, ungbr, h, CUBLAS_SIDE_RIGHT, n, n, m, dp.p, dp.ld, taup.p, WORK, info)
    Matrix q = da.get(), p = dp.get(), b((size_t)columns * n);
    std::vector<R> ds(n), es(n);
    cudaMemcpy(ds.data(), d, n * sizeof(R), cudaMemcpyDeviceToHost);
    cudaMemcpy(es.data(), e, (n - 1) * sizeof(R), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
      b[i + (size_t)i * columns] = ds[i];
      if (i > 0) b[i - 1 + (size_t)i * columns] = es[i - 1];
    }
    std::vector<double> values = sizes_of(d, n), more = sizes_of(e, n - 1);
    values.insert(values.end(), more.begin(), more.end());
    done(distance(product(product(q, b, m, columns, n), p, m, n, n), a) +
             norm(a) * (orthogonality(q, m, columns) + orthogonality(p, n, n)),
         a, values);
  } else if (is("orgbr")) { // reflectors of QR, in rows and shifted
    if (m < n) std::swap(m, n);
    Matrix a = random<T>(m, n, c.seed);
    Device<T> da(m, n, m + c.ld), tau(n, 1, n), rows(n, m, n + c.ld);
    da.put(a);
    ALL(geqrf, h, m, n, da.p, da.ld)
    SAME(geqrf, h, m, n, da.p, da.ld, tau.p, WORK, info)
    rows.put(adjoint(da.get(), m, n));
    NAMED(orgqr_bufferSize, ungqr_bufferSize, h, m, n, n, da.p, da.ld, tau.p, &lwork)
    NAMED(orgqr, ungqr, h, m, n, n, da.p, da.ld, tau.p, WORK, info)
    Matrix q = da.get(), x;
    if (m > n) {
      NAMED(orgbr_bufferSize, ungbr_bufferSize, h, CUBLAS_SIDE_RIGHT, n, m, n, rows.p, rows.ld, tau.p, &lwork)
      NAMED(orgbr, ungbr, h, CUBLAS_SIDE_RIGHT, n, m, n, rows.p, rows.ld, tau.p, WORK, info)
      done(norm(a) * distance(adjoint(rows.get(), n, m), q), a, {});
    } else { // those of sytrd: the same as orgtr
      Matrix s = hermitian<T>(n, c.seed, false);
      Device<T> ds(n, n, n);
      ds.put(s);
      NAMED(sytrd_bufferSize, hetrd_bufferSize, h, CUBLAS_FILL_MODE_LOWER, n, ds.p, ds.ld, d, e, tau.p, &lwork)
      NAMED(sytrd, hetrd, h, CUBLAS_FILL_MODE_LOWER, n, ds.p, ds.ld, d, e, tau.p, WORK, info)
      Device<T> dq(n, n, n);
      dq.put(ds.get());
      NAMED(orgbr_bufferSize, ungbr_bufferSize, h, CUBLAS_SIDE_LEFT, n, n, n + 1, ds.p, ds.ld, tau.p, &lwork)
      NAMED(orgbr, ungbr, h, CUBLAS_SIDE_LEFT, n, n, n + 1, ds.p, ds.ld, tau.p, WORK, info)
      NAMED(orgtr_bufferSize, ungtr_bufferSize, h, CUBLAS_FILL_MODE_LOWER, n, dq.p, dq.ld, tau.p, &lwork)
      NAMED(orgtr, ungtr, h, CUBLAS_FILL_MODE_LOWER, n, dq.p, dq.ld, tau.p, WORK, info)
      done(norm(a) * distance(ds.get(), dq.get()), a, {});
    }
  } else if (is("sytrd") || is("ormtr")) { // A = Q T Q^H
    bool isLeft = c.seed % 2;
    if (is("sytrd")) m = n;
    int order = is("sytrd") || !isLeft ? n : m;
    Matrix a = hermitian<T>(order, c.seed, false), given = a;
    for (int j = 0; j < order; j++) for (int i = 0; i < j; i++) { // the other triangle is not read
      if (c.isUpper) given[j + (size_t)i * order] = 77;
      else given[i + (size_t)j * order] = 77;
    }
    Device<T> da(order, order, order + c.ld), tau(order, 1, order), dq(order, order, order);
    da.put(given);
    NAMED(sytrd_bufferSize, hetrd_bufferSize, h, uplo, order, da.p, da.ld, d, e, tau.p, &lwork)
    NAMED(sytrd, hetrd, h, uplo, order, da.p, da.ld, d, e, tau.p, WORK, info)
    dq.put(da.get());
    NAMED(orgtr_bufferSize, ungtr_bufferSize, h, uplo, order, dq.p, dq.ld, tau.p, &lwork)
    NAMED(orgtr, ungtr, h, uplo, order, dq.p, dq.ld, tau.p, WORK, info)
    Matrix q = dq.get();
    // Rounding grows from step to step: of floats only the first steps' numbers are printed.
    auto determined = [&](std::vector<double> all) {
      size_t most = sizeof(R) == 4 ? 8 : 40;
      if (all.size() > most && c.isUpper) all.erase(all.begin(), all.end() - most);
      else if (all.size() > most) all.resize(most);
      return all;
    };
    std::vector<double> values = determined(sizes_of(d, order)), more = determined(sizes_of(e, order - 1));
    values.insert(values.end(), more.begin(), more.end());
    if (is("sytrd")) {
      Matrix t((size_t)n * n), after = da.get();
      std::vector<R> ds(n), es(n);
      cudaMemcpy(ds.data(), d, n * sizeof(R), cudaMemcpyDeviceToHost);
      cudaMemcpy(es.data(), e, (n - 1) * sizeof(R), cudaMemcpyDeviceToHost);
      double error = norm(a) * orthogonality(q, n, n);
      for (int i = 0; i < n; i++) {
        t[i + (size_t)i * n] = ds[i];
        if (i > 0) t[i - 1 + (size_t)i * n] = t[i + (size_t)(i - 1) * n] = es[i - 1];
        for (int j = 0; j < i; j++) if (after[c.isUpper ? i + (size_t)j * n : j + (size_t)i * n] != Z(77)) error = 1e9;
      }
      done(error + distance(product(product(q, t, n, n, n), q, n, n, n, false, true), a), a, values);
    } else {
      Matrix b = random<T>(m, n, c.seed + 1);
      Device<T> dc(m, n, m + c.ld);
      dc.put(b);
      bool isPlain = c.seed / 2 % 2;
      auto side = isLeft ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
      auto op = isPlain ? CUBLAS_OP_N : IS_REAL ? CUBLAS_OP_T : CUBLAS_OP_C;
      NAMED(ormtr_bufferSize, unmtr_bufferSize, h, side, uplo, op, m, n, da.p, da.ld, tau.p, dc.p, dc.ld, &lwork)
      NAMED(ormtr, unmtr, h, side, uplo, op, m, n, da.p, da.ld, tau.p, dc.p, dc.ld, WORK, info)
      Matrix want = isLeft ? product(q, b, m, m, n, !isPlain) : product(b, q, m, n, n, false, !isPlain);
      done(distance(dc.get(), want), b, {});
    }
  } else if (is("lauum")) {
    Matrix a = random<T>(n, n, c.seed), l((size_t)n * n);
    for (int j = 0; j < n; j++) for (int i = 0; i < n; i++)
      if (c.isUpper ? i <= j : i >= j) l[i + (size_t)j * n] = a[i + (size_t)j * n];
    // LAPACK's diagonals are real for triangles from potrf
    for (int i = 0; i < n; i++) a[i + (size_t)i * n] = l[i + (size_t)i * n] = l[i + (size_t)i * n].real();
    Device<T> da(n, n, n + c.ld);
    da.put(a);
    ALL(lauum, h, uplo, n, da.p, da.ld)
    SAME(lauum, h, uplo, n, da.p, da.ld, WORK, info)
    Matrix x = da.get(), want = c.isUpper ? product(l, l, n, n, n, false, true) : product(l, l, n, n, n, true);
    for (int j = 0; j < n; j++) for (int i = 0; i < n; i++)
      if (c.isUpper ? i > j : i < j) want[i + (size_t)j * n] = a[i + (size_t)j * n];
    m = n;
    done(distance(x, want) / norm(l), a, {});
  } else if (is("sytrf") || is("sytri")) {
    bool isSingular = c.seed % 7 == 0, hasPivots = c.seed % 5 != 0;
    m = n;
    Matrix a = symmetric<T>(n, c.seed), b = random<T>(n, c.k, c.seed + 1);
    if (!hasPivots) for (int i = 0; i < n; i++) a[i + (size_t)i * n] += 2.0 * n;
    int gone = c.seed / 7 % n;
    if (isSingular) for (int i = 0; i < n; i++) a[i + (size_t)gone * n] = a[gone + (size_t)i * n] = 0;
    if (c.seed % 3 == 0 && hasPivots) for (int i = 0; i < n; i++) a[i + (size_t)i * n] = 0; // blocks of two
    Device<T> da(n, n, n + c.ld), db(n, c.k, n + c.ld);
    da.put(a);
    db.put(b);
    ALL(sytrf, h, n, da.p, da.ld)
    int *order = hasPivots ? pivots : nullptr;
    SAME(sytrf, h, uplo, n, da.p, da.ld, order, WORK, info)
    int bad = 0;
    cudaMemcpy(&bad, info, sizeof bad, cudaMemcpyDeviceToHost);
    std::vector<int> p32(n);
    if (hasPivots) cudaMemcpy(p32.data(), pivots, n * sizeof(int), cudaMemcpyDeviceToHost);
    // NVIDIA's library does not name row 1, where D has a zero
    if (hasPivots && !bad && p32[0] > 0 && da.get()[0] == Z(0)) { done(0, a, {}); return; }
    if (isSingular != (bad > 0) && !(c.seed % 3 == 0 && n % 2)) { done(1e9, a, {}); return; }
    if (bad) { done(0, a, {}); return; }
    if (is("sytri")) {
      ALL(sytri, h, uplo, n, da.p, da.ld, order)
      SAME(sytri, h, uplo, n, da.p, da.ld, order, WORK, info)
      Matrix x = da.get();
      for (int j = 0; j < n; j++) for (int i = 0; i < j; i++) {
        if (c.isUpper) x[j + (size_t)i * n] = x[i + (size_t)j * n];
        else x[i + (size_t)j * n] = x[j + (size_t)i * n];
      }
      done(distance(product(a, x, n, n, n), unit(n)) / norm(x), a, {});
      return;
    }
    std::vector<int64_t> p64;
    p64.assign(p32.begin(), p32.end());
    cudaMemcpy(pivots, p64.data(), n * sizeof(int64_t), cudaMemcpyHostToDevice);
    size_t onDevice = 0, onHost = 0;
    auto t = Type<T>::t;
    STEP(cusolverDnXsytrs_bufferSize(h, uplo, n, c.k, t, da.p, da.ld, (int64_t *)order, t, db.p, db.ld, &onDevice, &onHost))
    std::vector<char> room(onHost + 16);
    work(onDevice);
    STEP(cusolverDnXsytrs(h, uplo, n, c.k, t, da.p, da.ld, (int64_t *)order, t, db.p, db.ld, work_memory, onDevice, room.data(), onHost, info))
    Matrix x = db.get();
    std::vector<double> values;
    for (int i = 0; hasPivots && i < n; i++) values.push_back((double)p32[i]);
    done(distance(product(a, x, n, n, c.k), b) / (1 + norm(x)), a, values);
  } else if (is("larft")) { // Q = I - V T V^H
    if (m < n) std::swap(m, n);
    Matrix a = random<T>(m, n, c.seed);
    Device<T> da(m, n, m + c.ld), tau(n, 1, n), dt(n, n, n + c.ld);
    da.put(a);
    dt.put(Matrix((size_t)n * n));
    ALL(geqrf, h, m, n, da.p, da.ld)
    SAME(geqrf, h, m, n, da.p, da.ld, tau.p, WORK, info)
    Matrix v = da.get();
    for (int j = 0; j < n; j++) for (int i = 0; i <= j; i++) v[i + (size_t)j * m] = i == j;
    da.put(v);
    size_t onDevice = 0, onHost = 0;
    auto t = Type<T>::t;
    auto forward = CUBLAS_DIRECT_FORWARD;
    auto columns = CUBLAS_STOREV_COLUMNWISE;
    STEP(cusolverDnXlarft_bufferSize(h, nullptr, forward, columns, m, n, t, da.p, da.ld, t, tau.p, t, dt.p, dt.ld, t, &onDevice, &onHost))
    std::vector<char> room(onHost + 16);
    work(onDevice);
    STEP(cusolverDnXlarft(h, nullptr, forward, columns, m, n, t, da.p, da.ld, t, tau.p, t, dt.p, dt.ld, t, work_memory, onDevice, room.data(), onHost))
    Matrix f = dt.get();
    for (int j = 0; j < n; j++) for (int i = j + 1; i < n; i++) f[i + (size_t)j * n] = 0;
    NAMED(orgqr_bufferSize, ungqr_bufferSize, h, m, n, n, da.p, da.ld, tau.p, &lwork)
    NAMED(orgqr, ungqr, h, m, n, n, da.p, da.ld, tau.p, WORK, info)
    Matrix whole = product(product(v, f, m, n, n), v, m, n, m, false, true), q((size_t)m * n);
    for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) q[i + (size_t)j * m] = Z(i == j) - whole[i + (size_t)j * m];
    std::vector<double> values;
    for (const Z &x : f) values.push_back(std::abs(x));
    done(norm(a) * distance(da.get(), q), a, values);
  } else { // gels: A^H (b - A x) = 0
    if (m < n) std::swap(m, n);
    Matrix a = random<T>(m, n, c.seed), b = random<T>(m, c.k, c.seed + 1);
    Device<T> da(m, n, m + c.ld), db(m, c.k, m + c.ld), dx(n, c.k, n + c.ld);
    da.put(a);
    db.put(b);
    size_t bytes = 0;
    int iterations = 0, kind = c.seed % 4;
    if constexpr (std::is_same_v<T, float>) {
      if (kind == 0) { GELS(SS) } else if (kind == 1) { GELS(SH) } else if (kind == 2) { GELS(SB) } else { GELS(SX) }
    } else if constexpr (std::is_same_v<T, double>) {
      if (kind == 0) { GELS(DD) } else if (kind == 1) { GELS(DS) } else if (kind == 2) { GELS(DH) } else { GELS(DB) }
    } else if constexpr (std::is_same_v<T, cuComplex>) {
      if (kind == 0) { GELS(CC) } else if (kind == 1) { GELS(CK) } else if (kind == 2) { GELS(CE) } else { GELS(CY) }
    } else {
      if (kind == 0) { GELS(ZZ) } else if (kind == 1) { GELS(ZC) } else if (kind == 2) { GELS(ZK) } else { GELS(ZE) }
    }
    Matrix x = dx.get(), r = product(a, x, m, n, c.k);
    for (size_t i = 0; i < r.size(); i++) r[i] -= b[i];
    done(norm(product(a, r, n, m, c.k, true)) / (norm(a) * norm(x) + norm(b)), a, {});
  }
}

int main(int, char **arguments) {
  FILE *file = fopen(arguments[1], "r");
  cusolverDnCreate(&h);
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
  cusolverDnDestroy(h);
  return 0;
}
