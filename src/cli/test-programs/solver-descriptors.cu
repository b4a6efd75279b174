// Random descriptors of cuSOLVER, a line each (solver-descriptors.test-helper.ts makes them). Prints the status, the
// info, how far the result is from what it should be in units of n eps |A|, and values that do not depend on signs.
#include <algorithm>
#include "solver-matrices.h"

template <class T> void run(const Case &c) {
  typedef typename Type<T>::R R;
  int status, lwork = 0, m = c.m, n = c.n, least = m < n ? m : n;
  double eps = sizeof(R) == 4 ? 1.2e-7 : 2.2e-16;
  cublasFillMode_t uplo = c.isUpper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  int *info, *pivots, found = 0;
  R *w;
  cudaMalloc(&info, 64);
  cudaMalloc(&pivots, 8 * (n + m));
  cudaMalloc(&w, sizeof(R) * (n + m));
  auto done = [&](double error, const Matrix &a, int values, std::vector<double> more = {}) {
    cudaMemcpy(&found, info, sizeof found, cudaMemcpyDeviceToHost);
    std::vector<R> all(values + 1);
    if (values) cudaMemcpy(all.data(), w, values * sizeof(R), cudaMemcpyDeviceToHost);
    printf("0 %d %.2g", found, error / (eps * norm(a) * (m > n ? m : n)));
    for (int i = 0; i < values; i++) printf(" %.5g", (double)all[i]);
    for (double v : more) printf(" %.5g", v);
  };
  auto is = [&](const char *name) { return !strcmp(c.op, name); };
  if (is("getrf") || is("gesv")) {
    Matrix a = random<T>(n, n, c.seed), b = random<T>(n, c.k, c.seed + 1);
    Device<T> da(n, n, n + c.ld), db(n, c.k, n + c.ld);
    da.put(a);
    db.put(b);
    cublasOperation_t op = is("gesv") ? CUBLAS_OP_N : (cublasOperation_t)(c.seed % 3);
    if (is("getrf")) {
      SAME(getrf_bufferSize, h, n, n, da.p, da.ld, &lwork)
      SAME(getrf, h, n, n, da.p, da.ld, (T *)work(lwork * sizeof(T)), pivots, info)
      SAME(getrs, h, op, n, c.k, da.p, da.ld, pivots, db.p, db.ld, info)
    } else {
      Device<T> dx(n, c.k, n);
      size_t bytes = 0;
      int iterations = 0;
      PICK(cusolverDnSSgesv_bufferSize(h, n, c.k, da.p, da.ld, pivots, db.p, db.ld, dx.p, dx.ld, nullptr, &bytes),
           cusolverDnDDgesv_bufferSize(h, n, c.k, da.p, da.ld, pivots, db.p, db.ld, dx.p, dx.ld, nullptr, &bytes),
           cusolverDnCCgesv_bufferSize(h, n, c.k, da.p, da.ld, pivots, db.p, db.ld, dx.p, dx.ld, nullptr, &bytes),
           cusolverDnZZgesv_bufferSize(h, n, c.k, da.p, da.ld, pivots, db.p, db.ld, dx.p, dx.ld, nullptr, &bytes))
      work(bytes);
      PICK(cusolverDnSSgesv(h, n, c.k, da.p, da.ld, pivots, db.p, db.ld, dx.p, dx.ld, work_memory, bytes, &iterations, info),
           cusolverDnDDgesv(h, n, c.k, da.p, da.ld, pivots, db.p, db.ld, dx.p, dx.ld, work_memory, bytes, &iterations, info),
           cusolverDnCCgesv(h, n, c.k, da.p, da.ld, pivots, db.p, db.ld, dx.p, dx.ld, work_memory, bytes, &iterations, info),
           cusolverDnZZgesv(h, n, c.k, da.p, da.ld, pivots, db.p, db.ld, dx.p, dx.ld, work_memory, bytes, &iterations, info))
      db.put(dx.get());
    }
    Matrix x = db.get(), full = a;
    if (op != CUBLAS_OP_N)
      for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) {
        Z v = a[j + (size_t)i * n];
        full[i + (size_t)j * n] = op == CUBLAS_OP_C ? std::conj(v) : v;
      }
    done(distance(product(full, x, n, n, c.k), b) / (1 + norm(x)), a, 0);
  } else if (is("potrf") || is("potri")) {
    Matrix a = hermitian<T>(n, c.seed, true), b = random<T>(n, c.k, c.seed + 1);
    Device<T> da(n, n, n + c.ld), db(n, c.k, n + c.ld);
    da.put(a);
    db.put(b);
    SAME(potrf_bufferSize, h, uplo, n, da.p, da.ld, &lwork)
    SAME(potrf, h, uplo, n, da.p, da.ld, (T *)work(lwork * sizeof(T)), lwork, info)
    if (is("potrf")) {
      SAME(potrs, h, uplo, n, c.k, da.p, da.ld, db.p, db.ld, info)
      Matrix x = db.get();
      done(distance(product(a, x, n, n, c.k), b) / (1 + norm(x)), a, 0);
    } else {
      SAME(potri_bufferSize, h, uplo, n, da.p, da.ld, &lwork)
      SAME(potri, h, uplo, n, da.p, da.ld, (T *)work(lwork * sizeof(T)), lwork, info)
      Matrix x = da.get();
      for (int j = 0; j < n; j++) for (int i = 0; i < j; i++) {
        if (c.isUpper) x[j + (size_t)i * n] = std::conj(x[i + (size_t)j * n]);
        else x[i + (size_t)j * n] = std::conj(x[j + (size_t)i * n]);
      }
      done(distance(product(a, x, n, n, n), unit(n)) / norm(x), a, 0);
    }
  } else if (is("geqrf") || is("ormqr")) {
    if (m < n) m = n;
    Matrix a = random<T>(m, n, c.seed);
    Device<T> da(m, n, m + c.ld), tau(n, 1, n);
    da.put(a);
    SAME(geqrf_bufferSize, h, m, n, da.p, da.ld, &lwork)
    SAME(geqrf, h, m, n, da.p, da.ld, tau.p, (T *)work(lwork * sizeof(T)), lwork, info)
    Matrix f = da.get(), r((size_t)n * n);
    for (int j = 0; j < n; j++) for (int i = 0; i <= j; i++) r[i + (size_t)j * n] = f[i + (size_t)j * m];
    std::vector<double> diagonal;
    for (int i = 0; i < n; i++) diagonal.push_back(std::abs(r[i + (size_t)i * n]));
    if (is("geqrf")) {
      NAMED(orgqr_bufferSize, ungqr_bufferSize, h, m, n, n, da.p, da.ld, tau.p, &lwork)
      NAMED(orgqr, ungqr, h, m, n, n, da.p, da.ld, tau.p, (T *)work(lwork * sizeof(T)), lwork, info)
      Matrix q = da.get();
      done(distance(product(q, r, m, n, n), a) + norm(a) * orthogonality(q, m, n), a, 0, diagonal);
    } else { // Q^H A = R, or (A^H) Q from the right
      bool isLeft = c.seed % 2;
      Device<T> dc(isLeft ? m : n, isLeft ? n : m, (isLeft ? m : n) + c.ld);
      Matrix adjoint((size_t)n * m);
      for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) adjoint[j + (size_t)i * n] = std::conj(a[i + (size_t)j * m]);
      dc.put(isLeft ? a : adjoint);
      cublasSideMode_t side = isLeft ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
      cublasOperation_t op = !isLeft ? CUBLAS_OP_N : Type<T>::t == Type<T>::r ? CUBLAS_OP_T : CUBLAS_OP_C;
      NAMED(ormqr_bufferSize, unmqr_bufferSize, h, side, op, dc.rows, dc.cols, n, da.p, da.ld, tau.p, dc.p, dc.ld, &lwork)
      NAMED(ormqr, unmqr, h, side, op, dc.rows, dc.cols, n, da.p, da.ld, tau.p, dc.p, dc.ld, (T *)work(lwork * sizeof(T)), lwork, info)
      Matrix x = dc.get(), want((size_t)m * n);
      for (int j = 0; j < n; j++) for (int i = 0; i <= j; i++) {
        if (isLeft) want[i + (size_t)j * m] = r[i + (size_t)j * n];
        else want[j + (size_t)i * n] = std::conj(r[i + (size_t)j * n]);
      }
      done(distance(x, want), a, 0, diagonal);
    }
  } else if (is("syevd") || is("syevj") || is("sygvd") || is("sygvj") || is("syevdx")) {
    bool isGeneral = is("sygvd") || is("sygvj");
    cusolverEigType_t type = (cusolverEigType_t)(1 + c.seed % 3);
    Matrix a = hermitian<T>(n, c.seed, false), b = hermitian<T>(n, c.seed + 1, true);
    Device<T> da(n, n, n + c.ld), db(n, n, n + c.ld);
    da.put(a);
    db.put(b);
    auto V = CUSOLVER_EIG_MODE_VECTOR;
    syevjInfo_t jacobi;
    cusolverDnCreateSyevjInfo(&jacobi);
    int first = 0, count = n;
    if (is("syevd")) {
      NAMED(syevd_bufferSize, heevd_bufferSize, h, V, uplo, n, da.p, da.ld, w, &lwork)
      NAMED(syevd, heevd, h, V, uplo, n, da.p, da.ld, w, (T *)work(lwork * sizeof(T)), lwork, info)
    } else if (is("syevdx")) {
      int il = 1 + c.seed % n, iu = il + (c.seed / 7) % (n - il + 1), most = 0;
      NAMED(syevdx_bufferSize, heevdx_bufferSize, h, V, CUSOLVER_EIG_RANGE_I, uplo, n, da.p, da.ld, 0, 0, il, iu, &most, w, &lwork)
      NAMED(syevdx, heevdx, h, V, CUSOLVER_EIG_RANGE_I, uplo, n, da.p, da.ld, 0, 0, il, iu, &most, w, (T *)work(lwork * sizeof(T)), lwork, info)
      first = il - 1;
      count = most;
    } else if (is("syevj")) {
      NAMED(syevj_bufferSize, heevj_bufferSize, h, V, uplo, n, da.p, da.ld, w, &lwork, jacobi)
      NAMED(syevj, heevj, h, V, uplo, n, da.p, da.ld, w, (T *)work(lwork * sizeof(T)), lwork, info, jacobi)
    } else if (is("sygvd")) {
      NAMED(sygvd_bufferSize, hegvd_bufferSize, h, type, V, uplo, n, da.p, da.ld, db.p, db.ld, w, &lwork)
      NAMED(sygvd, hegvd, h, type, V, uplo, n, da.p, da.ld, db.p, db.ld, w, (T *)work(lwork * sizeof(T)), lwork, info)
    } else {
      NAMED(sygvj_bufferSize, hegvj_bufferSize, h, type, V, uplo, n, da.p, da.ld, db.p, db.ld, w, &lwork, jacobi)
      NAMED(sygvj, hegvj, h, type, V, uplo, n, da.p, da.ld, db.p, db.ld, w, (T *)work(lwork * sizeof(T)), lwork, info, jacobi)
    }
    cusolverDnDestroySyevjInfo(jacobi);
    Matrix x = da.get();
    x.resize((size_t)n * count);
    std::vector<R> values(n);
    cudaMemcpy(values.data(), w, n * sizeof(R), cudaMemcpyDeviceToHost);
    // A x = w B x, A B x = w x, B A x = w x
    Matrix left, right = x;
    if (!isGeneral) left = product(a, x, n, n, count);
    else if (type == CUSOLVER_EIG_TYPE_1) { left = product(a, x, n, n, count); right = product(b, x, n, n, count); }
    else if (type == CUSOLVER_EIG_TYPE_2) left = product(a, product(b, x, n, n, count), n, n, count);
    else left = product(b, product(a, x, n, n, count), n, n, count);
    for (int j = 0; j < count; j++) for (int i = 0; i < n; i++) right[i + (size_t)j * n] *= (double)values[j];
    double error = distance(left, right) / (isGeneral ? norm(b) * norm(x) : 1);
    if (!isGeneral) error += norm(a) * orthogonality(x, n, count);
    (void)first;
    done(error, a, count);
  } else { // gesvd, gesvdj, gesvdp: A = U S V^H
    if (is("gesvd") && m < n) { int t = m; m = n; n = t; }
    least = m < n ? m : n;
    bool isEcon = c.seed % 2;
    int left = isEcon ? least : m, right = isEcon && !is("gesvd") ? least : n;
    if (is("gesvd")) right = n;
    Matrix a = random<T>(m, n, c.seed);
    if (c.seed % 5 == 0) // of lower rank
      for (int j = 1; j < n; j++) for (int i = 0; i < m; i++) if (j % 2) a[i + (size_t)j * m] = a[i + (size_t)(j - 1) * m];
    Device<T> da(m, n, m + c.ld), du(m, left, m + c.ld), dv(n, right, n + c.ld);
    da.put(a);
    double sigma = 0; // of what size a matrix the function has added to A
    if (is("gesvd")) {
      SAME(gesvd_bufferSize, h, m, n, &lwork)
      SAME(gesvd, h, isEcon ? 'S' : 'A', 'A', m, n, da.p, da.ld, w, du.p, du.ld, dv.p, dv.ld, (T *)work(lwork * sizeof(T)), lwork, nullptr, info)
    } else if (is("gesvdj")) {
      gesvdjInfo_t jacobi;
      cusolverDnCreateGesvdjInfo(&jacobi);
      SAME(gesvdj_bufferSize, h, CUSOLVER_EIG_MODE_VECTOR, isEcon, m, n, da.p, da.ld, w, du.p, du.ld, dv.p, dv.ld, &lwork, jacobi)
      SAME(gesvdj, h, CUSOLVER_EIG_MODE_VECTOR, isEcon, m, n, da.p, da.ld, w, du.p, du.ld, dv.p, dv.ld, (T *)work(lwork * sizeof(T)), lwork, info, jacobi)
      cusolverDnDestroyGesvdjInfo(jacobi);
    } else {
      size_t onDevice = 0, onHost = 0;
      auto t = Type<T>::t, r = Type<T>::r;
      STEP(cusolverDnXgesvdp_bufferSize(h, nullptr, CUSOLVER_EIG_MODE_VECTOR, isEcon, m, n, t, da.p, da.ld, r, w, t, du.p, du.ld, t, dv.p, dv.ld, t, &onDevice, &onHost))
      std::vector<char> room(onHost + 16);
      work(onDevice);
      STEP(cusolverDnXgesvdp(h, nullptr, CUSOLVER_EIG_MODE_VECTOR, isEcon, m, n, t, da.p, da.ld, r, w, t, du.p, du.ld, t, dv.p, dv.ld, t, work_memory, onDevice, room.data(), onHost, info, &sigma))
    }
    Matrix u = du.get(), v = dv.get();
    if (is("gesvd")) { // V^H
      Matrix t = v;
      for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) v[i + (size_t)j * n] = std::conj(t[j + (size_t)i * n]);
    }
    std::vector<R> s(least);
    cudaMemcpy(s.data(), w, least * sizeof(R), cudaMemcpyDeviceToHost);
    Matrix us((size_t)m * least), vs((size_t)n * least);
    bool isSorted = true;
    for (int j = 0; j < least; j++) {
      for (int i = 0; i < m; i++) us[i + (size_t)j * m] = u[i + (size_t)j * m] * (double)s[j];
      for (int i = 0; i < n; i++) vs[i + (size_t)j * n] = v[i + (size_t)j * n];
      if (j > 0 && s[j] > s[j - 1]) isSorted = false;
    }
    // gesvdp works on a matrix near A where A has small singular values. The values are A's but for the distance.
    double far = distance(product(us, vs, m, least, n, false, true), a) - sigma * std::sqrt((double)least);
    double error = std::max(far, 0.0) + norm(a) * (orthogonality(u, m, left) + orthogonality(v, n, right));
    bool isSmall = sigma <= std::sqrt(eps) * norm(a);
    done(isSorted && isSmall ? error : 1e9, a, is("gesvdp") ? 0 : least);
  }
  cudaFree(info);
  cudaFree(pivots);
  cudaFree(w);
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
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  }
  cusolverDnDestroy(h);
  return 0;
}
