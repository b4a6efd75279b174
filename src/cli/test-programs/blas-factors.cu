// Factors of small matrices in batches, against what they are the factors of, in all four types.
#include <complex>
#include <cublas_v2.h>
#include <stdio.h>
#include <vector>

static unsigned state = 1;
static double number() {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) / 16777216.0 - 0.5;
}

template <class T> struct Api;
#define API(T, ELEMENT, P)                                                                                           \
  template <> struct Api<T> {                                                                                        \
    typedef ELEMENT E;                                                                                               \
    static constexpr auto getrf = cublas##P##getrfBatched;                                                           \
    static constexpr auto getri = cublas##P##getriBatched;                                                           \
    static constexpr auto getrs = cublas##P##getrsBatched;                                                           \
    static constexpr auto matinv = cublas##P##matinvBatched;                                                         \
    static constexpr auto geqrf = cublas##P##geqrfBatched;                                                           \
  };
API(float, float, S)
API(double, double, D)
API(std::complex<float>, cuComplex, C)
API(std::complex<double>, cuDoubleComplex, Z)

template <class T> T random_of(T) { return (T)number(); }
template <class R> std::complex<R> random_of(std::complex<R>) { return {(R)number(), (R)number()}; }
template <class T> T conjugate(T a) { return a; }
template <class R> std::complex<R> conjugate(std::complex<R> a) { return std::conj(a); }

// Matrices of a batch on the device, and their addresses.
template <class T> struct Batch {
  T *data;
  typename Api<T>::E **addresses;
  Batch(const std::vector<T> &all, int count, size_t each) {
    cudaMalloc(&data, (all.size() + 1) * sizeof(T));
    cudaMemcpy(data, all.data(), all.size() * sizeof(T), cudaMemcpyHostToDevice);
    std::vector<T *> list;
    for (int i = 0; i < count; i++) list.push_back(data + i * each);
    cudaMalloc(&addresses, count * sizeof(T *));
    cudaMemcpy(addresses, list.data(), count * sizeof(T *), cudaMemcpyHostToDevice);
  }
  std::vector<T> back(size_t n) const {
    std::vector<T> out(n);
    cudaMemcpy(out.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost);
    return out;
  }
};

static int failures = 0;
static void close(const char *what, const char *type, int n, double error, double limit) {
  if (error <= limit) return;
  failures++;
  printf("%s %s n = %d: error %g\n", what, type, n, error);
}
static void expect(const char *what, bool holds) {
  if (holds) return;
  failures++;
  printf("%s does not hold\n", what);
}

template <class T> void all(cublasHandle_t h, const char *type, double epsilon) {
  typedef typename Api<T>::E E;
  const int count = 3, ldExtra = 2;
  for (int n : {1, 2, 3, 8, 17, 32, 45}) {
    const int ld = n + ldExtra;
    const double limit = 300 * n * epsilon;
    std::vector<T> A((size_t)count * ld * n);
    for (T &a : A) a = random_of(a);
    auto at = [&](const std::vector<T> &m, int b, int i, int j) { return m[((size_t)b * n + j) * ld + i]; };
    Batch<T> factors(A, count, (size_t)ld * n), inverses(A, count, (size_t)ld * n), original(A, count, (size_t)ld * n);
    int *pivots, *info;
    cudaMalloc(&pivots, count * n * sizeof(int));
    cudaMalloc(&info, count * sizeof(int));
    expect("getrf", Api<T>::getrf(h, n, factors.addresses, ld, pivots, info, count) == CUBLAS_STATUS_SUCCESS);
    std::vector<int> P(count * n), I(count);
    cudaMemcpy(P.data(), pivots, P.size() * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(I.data(), info, I.size() * 4, cudaMemcpyDeviceToHost);
    expect("info 0", I[0] == 0 && I[1] == 0 && I[2] == 0);
    const std::vector<T> LU = factors.back(A.size());
    double worst = 0;
    for (int b = 0; b < count; b++) {
      std::vector<int> order(n);
      for (int i = 0; i < n; i++) order[i] = i;
      for (int k = 0; k < n; k++) std::swap(order[k], order[P[b * n + k] - 1]);
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
          T sum = 0;
          for (int k = 0; k <= i && k <= j; k++) sum += (k == i ? T(1) : at(LU, b, i, k)) * at(LU, b, k, j);
          worst = std::max(worst, (double)std::abs(sum - at(A, b, order[i], j)));
        }
      for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) expect("|L| <= 1 of the largest", std::abs(at(LU, b, i, j)) < 1.5);
    }
    close("LU", type, n, worst, limit);

    auto distance_from_identity = [&](const std::vector<T> &C) {
      double worst = 0;
      for (int b = 0; b < count; b++)
        for (int i = 0; i < n; i++)
          for (int j = 0; j < n; j++) {
            T sum = 0;
            double scale = 1;
            for (int k = 0; k < n; k++) {
              sum += at(A, b, i, k) * at(C, b, k, j);
              scale += (double)std::abs(at(A, b, i, k)) * std::abs(at(C, b, k, j));
            }
            worst = std::max(worst, (double)std::abs(sum - (i == j ? T(1) : T(0))) / scale);
          }
      return worst;
    };
    Api<T>::getri(h, n, (const E *const *)factors.addresses, ld, pivots, inverses.addresses, ld, info, count);
    close("inverse", type, n, distance_from_identity(inverses.back(A.size())), limit);
    Batch<T> direct(A, count, (size_t)ld * n);
    const cublasStatus_t status =
        Api<T>::matinv(h, n, (const E *const *)original.addresses, ld, direct.addresses, ld, info, count);
    expect("matinv's limit", (status == CUBLAS_STATUS_SUCCESS) == (n <= 32));
    if (n <= 32) close("matinv", type, n, distance_from_identity(direct.back(A.size())), limit);

    for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
      const int sides = 2;
      std::vector<T> B((size_t)count * ld * sides);
      for (T &b : B) b = random_of(b);
      Batch<T> right(B, count, (size_t)ld * sides);
      int said = 7;
      Api<T>::getrs(h, op, n, sides, (const E *const *)factors.addresses, ld, pivots, right.addresses, ld, &said, count);
      expect("getrs' info", said == 0);
      const std::vector<T> X = right.back(B.size());
      double worst = 0;
      for (int b = 0; b < count; b++)
        for (int s = 0; s < sides; s++)
          for (int i = 0; i < n; i++) {
            T sum = 0;
            double scale = 1;
            for (int k = 0; k < n; k++) {
              const T a = op == CUBLAS_OP_N ? at(A, b, i, k) : at(A, b, k, i);
              const T x = X[((size_t)b * sides + s) * ld + k];
              sum += (op == CUBLAS_OP_C ? conjugate(a) : a) * x;
              scale += (double)std::abs(a) * std::abs(x);
            }
            worst = std::max(worst, (double)std::abs(sum - B[((size_t)b * sides + s) * ld + i]) / scale);
          }
      close(op == CUBLAS_OP_N ? "A x" : op == CUBLAS_OP_T ? "A^T x" : "A^H x", type, n, worst, limit);
    }

    // Q R, of matrices with more rows than columns: the reflectors applied to R, from the last on, give A.
    const int columns = (n + 1) / 2;
    std::vector<T> none((size_t)count * n);
    Batch<T> qr(A, count, (size_t)ld * n), taus(none, count, n);
    int said = 7;
    Api<T>::geqrf(h, n, columns, qr.addresses, ld, taus.addresses, &said, count);
    expect("geqrf's info", said == 0);
    const std::vector<T> V = qr.back(A.size()), tau = taus.back(none.size());
    worst = 0;
    for (int b = 0; b < count; b++)
      for (int j = 0; j < columns; j++) {
        std::vector<T> x(n);
        for (int i = 0; i <= j; i++) x[i] = at(V, b, i, j);
        for (int k = columns - 1; k >= 0; k--) {
          T dot = x[k];
          for (int i = k + 1; i < n; i++) dot += conjugate(at(V, b, i, k)) * x[i];
          dot *= tau[(size_t)b * n + k];
          x[k] -= dot;
          for (int i = k + 1; i < n; i++) x[i] -= at(V, b, i, k) * dot;
        }
        for (int i = 0; i < n; i++) worst = std::max(worst, (double)std::abs(x[i] - at(A, b, i, j)));
      }
    close("QR", type, n, worst, limit);
  }
}

int main() {
  cublasHandle_t h;
  cublasCreate(&h);
  all<float>(h, "float", 1.2e-7);
  all<double>(h, "double", 2.3e-16);
  all<std::complex<float>>(h, "complex float", 1.2e-7);
  all<std::complex<double>>(h, "complex double", 2.3e-16);

  // A singular matrix: the first zero on U's diagonal, and no inverse. Without pivots, rows stay where they are.
  Batch<float> singular({1, 2, 2, 4}, 1, 4), out({0, 0, 0, 0}, 1, 4), plain({1, 3, 2, 4}, 1, 4);
  int *pivots, *info, said = 0;
  cudaMalloc(&pivots, 8);
  cudaMalloc(&info, 4);
  cublasSgetrfBatched(h, 2, singular.addresses, 2, pivots, info, 1);
  cudaMemcpy(&said, info, 4, cudaMemcpyDeviceToHost);
  expect("getrf names the zero", said == 2);
  cublasSgetriBatched(h, 2, (const float *const *)singular.addresses, 2, pivots, out.addresses, 2, info, 1);
  cudaMemcpy(&said, info, 4, cudaMemcpyDeviceToHost);
  expect("getri names the zero", said == 2);
  cublasSgetrfBatched(h, 2, plain.addresses, 2, nullptr, info, 1);
  expect("no exchange", plain.back(4) == std::vector<float>({1, 3, 2, -2}));
  expect("a wrong size", cublasSgetrsBatched(h, CUBLAS_OP_N, 2, -1, (const float *const *)plain.addresses, 2, nullptr,
                                             out.addresses, 2, &said, 1) == CUBLAS_STATUS_INVALID_VALUE &&
                             said == -3);
  printf(failures ? "%d failures\n" : "all factors are right\n", failures);
  return failures != 0;
}
