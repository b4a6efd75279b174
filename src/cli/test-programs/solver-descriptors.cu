// Random descriptors of cuSOLVER, a line each (solver-descriptors.test-helper.ts makes them). Prints the status, the
// info, how far the result is from what it should be in units of n eps |A|, and values that do not depend on signs.
#include <cusolverDn.h>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

typedef std::complex<double> Z;
typedef std::vector<Z> Matrix; // column-major, rows known to the user
struct Case { char op[16]; int type, m, n, k, isUpper, ld, seed; };

static uint32_t hash(uint32_t seed, uint32_t at) {
  uint32_t x = seed * 2654435761u + at * 2246822519u + 374761393u;
  x = (x ^ (x >> 15)) * 2246822519u;
  x = (x ^ (x >> 13)) * 3266489917u;
  return x ^ (x >> 16);
}
static double number(uint32_t seed, uint32_t at) { return (hash(seed, at) % 2001) / 1000.0 - 1; }

template <class T> struct Type;
template <> struct Type<float> { typedef float R; static constexpr cudaDataType t = CUDA_R_32F, r = CUDA_R_32F; static float of(Z z) { return (float)z.real(); } static Z to(float v) { return v; } };
template <> struct Type<double> { typedef double R; static constexpr cudaDataType t = CUDA_R_64F, r = CUDA_R_64F; static double of(Z z) { return z.real(); } static Z to(double v) { return v; } };
template <> struct Type<cuComplex> { typedef float R; static constexpr cudaDataType t = CUDA_C_32F, r = CUDA_R_32F; static cuComplex of(Z z) { return make_cuComplex((float)z.real(), (float)z.imag()); } static Z to(cuComplex v) { return {v.x, v.y}; } };
template <> struct Type<cuDoubleComplex> { typedef double R; static constexpr cudaDataType t = CUDA_C_64F, r = CUDA_R_64F; static cuDoubleComplex of(Z z) { return make_cuDoubleComplex(z.real(), z.imag()); } static Z to(cuDoubleComplex v) { return {v.x, v.y}; } };

static cusolverDnHandle_t h;
static void *work_memory, *host_work;
static void *work(size_t bytes) { cudaFree(work_memory); cudaMalloc(&work_memory, bytes + 64); return work_memory; }

template <class T> struct Device {
  T *p = nullptr;
  int rows, cols, ld;
  Device(int rows, int cols, int ld) : rows(rows), cols(cols), ld(ld) { cudaMalloc(&p, sizeof(T) * ((size_t)ld * cols + 1)); }
  ~Device() { cudaFree(p); }
  void put(const Matrix &m) {
    std::vector<T> all((size_t)ld * cols);
    memset((void *)all.data(), 0, all.size() * sizeof(T));
    for (int j = 0; j < cols; j++) for (int i = 0; i < rows; i++) all[i + (size_t)j * ld] = Type<T>::of(m[i + (size_t)j * rows]);
    cudaMemcpy(p, all.data(), all.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  Matrix get() {
    std::vector<T> all((size_t)ld * cols);
    cudaMemcpy(all.data(), p, all.size() * sizeof(T), cudaMemcpyDeviceToHost);
    Matrix m((size_t)rows * cols);
    for (int j = 0; j < cols; j++) for (int i = 0; i < rows; i++) m[i + (size_t)j * rows] = Type<T>::to(all[i + (size_t)j * ld]);
    return m;
  }
};
static Matrix product(const Matrix &a, const Matrix &b, int m, int k, int n, bool isAdjointA = false, bool isAdjointB = false) {
  Matrix c((size_t)m * n);
  for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) {
    Z sum = 0;
    for (int p = 0; p < k; p++)
      sum += (isAdjointA ? std::conj(a[p + (size_t)i * k]) : a[i + (size_t)p * m]) * (isAdjointB ? std::conj(b[j + (size_t)p * n]) : b[p + (size_t)j * k]);
    c[i + (size_t)j * m] = sum;
  }
  return c;
}
static double distance(const Matrix &a, const Matrix &b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); i++) sum += std::norm(a[i] - b[i]);
  return std::sqrt(sum);
}
static double norm(const Matrix &a) { return distance(a, Matrix(a.size())) + 1e-300; }
static Matrix unit(int n) { Matrix e((size_t)n * n); for (int i = 0; i < n; i++) e[i + (size_t)i * n] = 1; return e; }
/// How far columns are from orthonormal.
static double orthogonality(const Matrix &q, int m, int n) { return distance(product(q, q, n, m, n, true), unit(n)); }
template <class T> Matrix random(int m, int n, int seed) {
  Matrix a((size_t)m * n);
  for (size_t i = 0; i < a.size(); i++) a[i] = Type<T>::to(Type<T>::of({number(seed, i), number(seed + 99, i)}));
  return a;
}
template <class T> Matrix hermitian(int n, int seed, bool isPositive) {
  Matrix a = random<T>(n, n, seed);
  for (int j = 0; j < n; j++) for (int i = 0; i <= j; i++) {
    if (i == j) a[i + (size_t)i * n] = a[i + (size_t)i * n].real() + (isPositive ? n + 1.0 : 0);
    else a[j + (size_t)i * n] = std::conj(a[i + (size_t)j * n]);
    a[i + (size_t)j * n] = Type<T>::to(Type<T>::of(a[i + (size_t)j * n]));
    a[j + (size_t)i * n] = std::conj(a[i + (size_t)j * n]);
  }
  return a;
}

#define STEP(CALL) if ((status = (CALL)) != CUSOLVER_STATUS_SUCCESS) { printf("%d", (int)status); return; }
#define PICK(S_, D_, C_, Z_) \
  if constexpr (std::is_same_v<T, float>) { STEP(S_) } else if constexpr (std::is_same_v<T, double>) { STEP(D_) } \
  else if constexpr (std::is_same_v<T, cuComplex>) { STEP(C_) } else { STEP(Z_) }
#define SAME(NAME, ...) \
  PICK(cusolverDnS##NAME(__VA_ARGS__), cusolverDnD##NAME(__VA_ARGS__), cusolverDnC##NAME(__VA_ARGS__), cusolverDnZ##NAME(__VA_ARGS__))
#define NAMED(REAL, COMPLEX, ...) \
  PICK(cusolverDnS##REAL(__VA_ARGS__), cusolverDnD##REAL(__VA_ARGS__), cusolverDnC##COMPLEX(__VA_ARGS__), cusolverDnZ##COMPLEX(__VA_ARGS__))

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
      double sigma = 0;
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
    double error = distance(product(us, vs, m, least, n, false, true), a) + norm(a) * (orthogonality(u, m, left) + orthogonality(v, n, right));
    done(isSorted ? error : 1e9, a, least);
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
