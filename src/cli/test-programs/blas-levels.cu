// The rarer functions of cuBLAS, in all types, against loops on the host. Prints "all right" or what is wrong.
#include <cublas_v2.h>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

static int bad;
using Wide = std::complex<double>;
static cublasHandle_t h;

template <class T> struct Type;
#define TYPE(NAME, P, R, IS_COMPLEX)                 \
  template <> struct Type<NAME> {                    \
    typedef R Real;                                  \
    static constexpr bool isComplex = IS_COMPLEX;    \
    static constexpr const char *name = #P;          \
  };
TYPE(float, S, float, false)
TYPE(double, D, double, false)
TYPE(cuComplex, C, float, true)
TYPE(cuDoubleComplex, Z, double, true)
static Wide wide(float v) { return v; }
static Wide wide(double v) { return v; }
static Wide wide(cuComplex v) { return {v.x, v.y}; }
static Wide wide(cuDoubleComplex v) { return {v.x, v.y}; }
static void store(float &to, Wide v) { to = (float)v.real(); }
static void store(double &to, Wide v) { to = v.real(); }
static void store(cuComplex &to, Wide v) { to = {(float)v.real(), (float)v.imag()}; }
static void store(cuDoubleComplex &to, Wide v) { to = {v.real(), v.imag()}; }

/// Host and device memory side by side.
template <class T> struct Array {
  std::vector<T> host;
  T *device = nullptr;
  explicit Array(size_t n, int seed = 1) : host(n) {
    for (size_t i = 0; i < n; i++) {
      unsigned v = (unsigned)(i + 1) * 2654435761u + seed * 40503u;
      store(host[i], {(double)(int)((v >> 16) % 13) / 4 - 1.5, (double)(int)((v >> 8) % 11) / 4 - 1.25});
    }
    cudaMalloc(&device, n * sizeof(T));
    up();
  }
  Array(const Array &) = delete;
  ~Array() { cudaFree(device); }
  void up() { cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice); }
  std::vector<T> down() const {
    std::vector<T> to(host.size());
    cudaMemcpy(to.data(), device, to.size() * sizeof(T), cudaMemcpyDeviceToHost);
    return to;
  }
};

template <class T> static void compare(const std::string &what, const std::vector<T> &got, const std::vector<Wide> &want) {
  double bound = sizeof(typename Type<T>::Real) == 4 ? 2e-4 : 1e-10;
  for (size_t i = 0; i < got.size(); i++) {
    if (std::abs(wide(got[i]) - want[i]) <= bound * (1 + std::abs(want[i]))) continue;
    Wide g = wide(got[i]);
    printf("%s%s: element %d is %g%+gi, expected %g%+gi\n", Type<T>::name, what.c_str(), (int)i, g.real(), g.imag(),
           want[i].real(), want[i].imag());
    bad++;
    return;
  }
}
template <class T> static std::vector<Wide> widened(const Array<T> &a) {
  std::vector<Wide> to;
  for (T v : a.host) to.push_back(wide(v));
  return to;
}
static void expect(const char *what, cublasStatus_t status, cublasStatus_t wanted = CUBLAS_STATUS_SUCCESS) {
  if (status != wanted) { printf("%s: status %d, expected %d\n", what, status, wanted); bad++; }
}

static int at(int i, int n, int inc) { return inc < 0 ? (n - 1 - i) * -inc : i * inc; }
static Wide turned(Wide v, cublasOperation_t op) { return op == CUBLAS_OP_C ? std::conj(v) : v; }
static size_t packed(int i, int j, int n, bool lower) {
  return lower ? i + (size_t)(2 * n - j - 1) * j / 2 : i + (size_t)j * (j + 1) / 2;
}
const cublasFillMode_t FILLS[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
const cublasOperation_t OPS[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
const int INCS[] = {1, -2};

/// A dense matrix of what is stored: element(i, j) of the stored part, the rest by symmetry or 0.
enum Form { TRIANGLE, UNIT, SYMMETRIC, HERMITIAN };
struct Dense {
  int rows, columns;
  std::vector<Wide> values;
  Wide &operator()(int i, int j) { return values[i + (size_t)j * rows]; }
  Wide operator()(int i, int j) const { return values[i + (size_t)j * rows]; }
};
template <class Element> static Dense dense(int n, int k, bool lower, Form form, Element element) {
  Dense a{n, n, std::vector<Wide>((size_t)n * n)};
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      bool stored = lower ? i >= j && i - j <= k : i <= j && j - i <= k;
      if (stored) a(i, j) = element(i, j);
      if (i == j && form == UNIT) a(i, j) = 1;
      if (i == j && form == HERMITIAN) a(i, j) = a(i, j).real();
    }
  if (form == SYMMETRIC || form == HERMITIAN)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        if (lower ? i < j : i > j) a(i, j) = form == HERMITIAN ? std::conj(a(j, i)) : a(j, i);
  return a;
}
static Wide element(const Dense &a, int i, int j, cublasOperation_t op) {
  return op == CUBLAS_OP_N ? a(i, j) : turned(a(j, i), op);
}
/// y = alpha op(A) x + beta y
template <class T>
static std::vector<Wide> times(const Dense &a, cublasOperation_t op, Wide alpha, const Array<T> &x, int incx, Wide beta,
                               const Array<T> &y, int incy) {
  int rows = op == CUBLAS_OP_N ? a.rows : a.columns, depth = op == CUBLAS_OP_N ? a.columns : a.rows;
  std::vector<Wide> result = widened(y);
  for (int i = 0; i < rows; i++) {
    Wide sum = 0;
    for (int j = 0; j < depth; j++) sum += element(a, i, j, op) * wide(x.host[at(j, depth, incx)]);
    Wide &to = result[at(i, rows, incy)];
    to = alpha * sum + beta * to;
  }
  return result;
}
/// op(A) times what a solver left must be what it was given.
template <class T>
static void solved(const std::string &what, const Dense &a, cublasOperation_t op, const Array<T> &x, int inc) {
  std::vector<T> got = x.down();
  std::vector<Wide> back = widened(x);
  std::vector<T> product = x.host;
  for (int i = 0; i < a.rows; i++) {
    Wide sum = 0;
    for (int j = 0; j < a.rows; j++) sum += element(a, i, j, op) * wide(got[at(j, a.rows, inc)]);
    store(product[at(i, a.rows, inc)], sum);
  }
  compare<T>(what, product, back);
}

// The functions of a type by one name each.
namespace by {
#define FOUR(N)                                                 \
  static auto N(float) { return cublasS##N##_v2; }              \
  static auto N(double) { return cublasD##N##_v2; }             \
  static auto N(cuComplex) { return cublasC##N##_v2; }          \
  static auto N(cuDoubleComplex) { return cublasZ##N##_v2; }
FOUR(gbmv) FOUR(tbmv) FOUR(tbsv) FOUR(tpmv) FOUR(tpsv) FOUR(syr2)
#define FOUR_PLAIN(N)                                           \
  static auto N(float) { return cublasS##N; }                   \
  static auto N(double) { return cublasD##N; }                  \
  static auto N(cuComplex) { return cublasC##N; }               \
  static auto N(cuDoubleComplex) { return cublasZ##N; }
FOUR_PLAIN(tpttr) FOUR_PLAIN(trttp) FOUR_PLAIN(syrkx) FOUR_PLAIN(trsmBatched) FOUR_PLAIN(gemvBatched) FOUR_PLAIN(gelsBatched)
#define MIXED(N, REAL, COMPLEX)                                 \
  static auto N(float) { return cublasS##REAL##_v2; }           \
  static auto N(double) { return cublasD##REAL##_v2; }          \
  static auto N(cuComplex) { return cublasC##COMPLEX##_v2; }    \
  static auto N(cuDoubleComplex) { return cublasZ##COMPLEX##_v2; }
MIXED(bandmv, sbmv, hbmv) MIXED(packedmv, spmv, hpmv) MIXED(fullmv, symv, hemv)
MIXED(rank1, syr, her) MIXED(packed1, spr, hpr) MIXED(rank2, syr2, her2) MIXED(packed2, spr2, hpr2)
MIXED(fullmm, symm, hemm) MIXED(rankk, syrk, herk) MIXED(rank2k, syr2k, her2k)
} // namespace by

template <class T> static T number(double re, double im) {
  T v;
  store(v, {re, im});
  return v;
}

template <class T> static void bands() {
  const int m = 29, n = 23, kl = 4, ku = 2, lda = kl + ku + 3;
  const T alpha = number<T>(0.5, -0.25), beta = number<T>(-1.5, 0.5);
  Array<T> A((size_t)lda * 40);
  Dense a{m, n, std::vector<Wide>(m * n)};
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      if (i - j <= kl && j - i <= ku) a(i, j) = wide(A.host[ku + i - j + (size_t)j * lda]);
  for (auto op : OPS)
    for (int inc : INCS) {
      Array<T> x(80, 2), y(80, 3);
      expect("gbmv", by::gbmv(T())(h, op, m, n, kl, ku, &alpha, A.device, lda, x.device, inc, &beta, y.device, -inc));
      compare<T>("gbmv", y.down(), times(a, op, wide(alpha), x, inc, wide(beta), y, -inc));
    }
  Array<T> AP((size_t)n * (n + 1) / 2, 4);
  for (int i = 0; i < n; i++) store(AP.host[packed(i, i, n, true)], {3.0 + i % 3, 0.5});
  const Form full = Type<T>::isComplex ? HERMITIAN : SYMMETRIC;
  for (auto fill : FILLS) {
    bool lower = fill == CUBLAS_FILL_MODE_LOWER;
    const int k = 5;
    Array<T> B((size_t)lda * n, 5), F((size_t)n * n, 6), Q((size_t)n * (n + 1) / 2, 7);
    for (int i = 0; i < n; i++) {
      store(B.host[(lower ? 0 : k) + (size_t)i * lda], {4.0 + i % 3, 0.5});
      store(Q.host[packed(i, i, n, lower)], {9.0 + i % 3, 0.5});
    }
    B.up(); Q.up();
    auto band = [&](int i, int j) { return wide(B.host[(lower ? i - j : k + i - j) + (size_t)j * lda]); };
    auto pack = [&](int i, int j) { return wide(Q.host[packed(i, j, n, lower)]); };
    auto whole = [&](int i, int j) { return wide(F.host[i + (size_t)j * n]); };
    for (int inc : INCS) {
      Array<T> x(80, 2);
      { Array<T> y(80, 3);
        expect("sbmv", by::bandmv(T())(h, fill, n, k, &alpha, B.device, lda, x.device, inc, &beta, y.device, -inc));
        compare<T>("sbmv", y.down(), times(dense(n, k, lower, full, band), CUBLAS_OP_N, wide(alpha), x, inc, wide(beta), y, -inc)); }
      { Array<T> y(80, 3);
        expect("spmv", by::packedmv(T())(h, fill, n, &alpha, Q.device, x.device, inc, &beta, y.device, -inc));
        compare<T>("spmv", y.down(), times(dense(n, n, lower, full, pack), CUBLAS_OP_N, wide(alpha), x, inc, wide(beta), y, -inc)); }
      { Array<T> y(80, 3);
        expect("hemv", by::fullmv(T())(h, fill, n, &alpha, F.device, n, x.device, inc, &beta, y.device, -inc));
        compare<T>("hemv", y.down(), times(dense(n, n, lower, full, whole), CUBLAS_OP_N, wide(alpha), x, inc, wide(beta), y, -inc)); }
      for (auto op : OPS)
        for (auto diag : {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT}) {
          Form form = diag == CUBLAS_DIAG_UNIT ? UNIT : TRIANGLE;
          Dense banded = dense(n, k, lower, form, band), packed_ = dense(n, n, lower, form, pack);
          { Array<T> v(80, 8);
            expect("tbmv", by::tbmv(T())(h, fill, op, diag, n, k, B.device, lda, v.device, inc));
            compare<T>("tbmv", v.down(), times(banded, op, 1, v, inc, 0, v, inc)); }
          { Array<T> v(80, 8);
            expect("tpmv", by::tpmv(T())(h, fill, op, diag, n, Q.device, v.device, inc));
            compare<T>("tpmv", v.down(), times(packed_, op, 1, v, inc, 0, v, inc)); }
          if (form == UNIT) continue; // it grows beyond what floats hold
          { Array<T> v(80, 8);
            expect("tbsv", by::tbsv(T())(h, fill, op, diag, n, k, B.device, lda, v.device, inc));
            solved("tbsv", banded, op, v, inc); }
          { Array<T> v(80, 8);
            expect("tpsv", by::tpsv(T())(h, fill, op, diag, n, Q.device, v.device, inc));
            solved("tpsv", packed_, op, v, inc); }
        }
    }
    Array<T> full_((size_t)n * n, 9), back((size_t)n * (n + 1) / 2, 10);
    std::vector<Wide> want = widened(full_);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        if (lower ? i >= j : i <= j) want[i + (size_t)j * n] = pack(i, j);
    expect("tpttr", by::tpttr(T())(h, fill, n, Q.device, full_.device, n));
    compare<T>("tpttr", full_.down(), want);
    expect("trttp", by::trttp(T())(h, fill, n, full_.device, n, back.device));
    compare<T>("trttp", back.down(), widened(Q));
  }
}

template <class T> static void updates() {
  typedef typename Type<T>::Real R;
  const int n = 19, lda = 21;
  const T alpha = number<T>(0.5, -0.25);
  const R real = (R)-0.75;
  const bool c = Type<T>::isComplex;
  auto conj = [&](Wide v) { return c ? std::conj(v) : v; };
  for (auto fill : FILLS) {
    bool lower = fill == CUBLAS_FILL_MODE_LOWER;
    for (int inc : INCS) {
      Array<T> x(60, 2), y(60, 3);
      auto X = [&](int i) { return wide(x.host[at(i, n, inc)]); };
      auto Y = [&](int i) { return wide(y.host[at(i, n, -inc)]); };
      Wide a = wide(alpha);
      auto grown = [&](const Array<T> &A, bool isPacked, auto value) {
        std::vector<Wide> want = widened(A);
        for (int j = 0; j < n; j++)
          for (int i = 0; i < n; i++)
            if (lower ? i >= j : i <= j) {
              Wide &to = want[isPacked ? packed(i, j, n, lower) : i + (size_t)j * lda];
              to += value(i, j);
              if (c && i == j) to = to.real();
            }
        return want;
      };
      auto one = [&](int i, int j) { return (double)real * X(i) * conj(X(j)); };
      auto two = [&](int i, int j) { return a * X(i) * conj(Y(j)) + conj(a) * Y(i) * conj(X(j)); };
      Array<T> A((size_t)lda * n, 4), B((size_t)lda * n, 4), Q((size_t)n * n, 5), W((size_t)n * n, 5);
      expect("her", by::rank1(T())(h, fill, n, &real, x.device, inc, A.device, lda));
      compare<T>("her", A.down(), grown(A, false, one));
      expect("hpr", by::packed1(T())(h, fill, n, &real, x.device, inc, Q.device));
      compare<T>("hpr", Q.down(), grown(Q, true, one));
      expect("her2", by::rank2(T())(h, fill, n, &alpha, x.device, inc, y.device, -inc, B.device, lda));
      compare<T>("her2", B.down(), grown(B, false, two));
      expect("hpr2", by::packed2(T())(h, fill, n, &alpha, x.device, inc, y.device, -inc, W.device));
      compare<T>("hpr2", W.down(), grown(W, true, two));
    }
  }
}

/// alpha op(A) op(B) + beta C for dense host matrices.
template <class T, class A, class B>
static std::vector<Wide> product(const Array<T> &C, int m, int n, int k, int ldc, Wide alpha, A a, B b, Wide beta,
                                 int part = 0, bool isReal = false) {
  std::vector<Wide> want = widened(C);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      if (part && (part > 0 ? i < j : i > j)) continue;
      Wide sum = 0;
      for (int t = 0; t < k; t++) sum += a(i, t) * b(t, j);
      Wide &to = want[i + (size_t)j * ldc];
      to = alpha * sum + beta * to;
      if (isReal && i == j) to = to.real();
    }
  return want;
}

template <class T> static void products() {
  typedef typename Type<T>::Real R;
  const bool c = Type<T>::isComplex;
  const int m = 17, n = 21, k = 9, ld = 30;
  const T alpha = number<T>(0.5, -0.25), beta = number<T>(-1.5, 0.5);
  const R ra = (R)0.75, rb = (R)-0.5;
  Array<T> A(ld * ld, 1), B(ld * ld, 2);
  auto plain = [&](const Array<T> &M) { return [&](int i, int j) { return wide(M.host[i + (size_t)j * ld]); }; };
  auto a = plain(A), b = plain(B);
  auto conj = [&](Wide v) { return c ? std::conj(v) : v; };
  for (auto fill : FILLS) {
    bool lower = fill == CUBLAS_FILL_MODE_LOWER;
    int part = lower ? 1 : -1;
    for (auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {
      int order = side == CUBLAS_SIDE_LEFT ? m : n;
      Dense s = dense(order, order, lower, c ? HERMITIAN : SYMMETRIC, a);
      Array<T> C(ld * n, 3);
      expect("hemm", by::fullmm(T())(h, side, fill, m, n, &alpha, A.device, ld, B.device, ld, &beta, C.device, ld));
      auto want = side == CUBLAS_SIDE_LEFT ? product(C, m, n, m, ld, wide(alpha), s, b, wide(beta))
                                           : product(C, m, n, n, ld, wide(alpha), b, s, wide(beta));
      compare<T>("hemm", C.down(), want);
    }
    for (auto op : {CUBLAS_OP_N, c ? CUBLAS_OP_C : CUBLAS_OP_T}) {
      bool isPlain = op == CUBLAS_OP_N;
      auto left = [&](auto &x) { return [&](int i, int t) { return isPlain ? x(i, t) : conj(x(t, i)); }; };
      auto right = [&](auto &x) { return [&](int t, int j) { return isPlain ? conj(x(j, t)) : x(t, j); }; };
      Array<T> C(ld * n, 3), D(ld * n, 4), E(ld * n, 5);
      expect("herk", by::rankk(T())(h, fill, op, n, k, &ra, A.device, ld, &rb, C.device, ld));
      compare<T>("herk", C.down(), product(C, n, n, k, ld, ra, left(a), right(a), rb, part, c));
      expect("her2k", by::rank2k(T())(h, fill, op, n, k, &alpha, A.device, ld, B.device, ld, &rb, D.device, ld));
      auto both = product(D, n, n, k, ld, wide(alpha), left(a), right(b), rb, part, c);
      for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
          if (lower ? i >= j : i <= j) {
            Wide sum = 0;
            for (int t = 0; t < k; t++) sum += left(b)(i, t) * right(a)(t, j);
            Wide &to = both[i + (size_t)j * ld];
            to += conj(wide(alpha)) * sum;
            if (c && i == j) to = to.real();
          }
      compare<T>("her2k", D.down(), both);
      if constexpr (Type<T>::isComplex) {
        auto herkx = [](auto v) { if constexpr (sizeof v == 8) return cublasCherkx; else return cublasZherkx; }(T());
        expect("herkx", herkx(h, fill, op, n, k, &alpha, A.device, ld, A.device, ld, &rb, E.device, ld));
        compare<T>("herkx", E.down(), product(E, n, n, k, ld, wide(alpha), left(a), right(a), rb, part, true));
      }
    }
    for (auto op : {CUBLAS_OP_N, CUBLAS_OP_T}) {
      bool isPlain = op == CUBLAS_OP_N;
      Array<T> C(ld * n, 3);
      expect("syrkx", by::syrkx(T())(h, fill, op, n, k, &alpha, A.device, ld, B.device, ld, &beta, C.device, ld));
      compare<T>("syrkx", C.down(), product(C, n, n, k, ld, wide(alpha), [&](int i, int t) { return isPlain ? a(i, t) : a(t, i); },
                                            [&](int t, int j) { return isPlain ? b(j, t) : b(t, j); }, wide(beta), part));
    }
  }
  if constexpr (Type<T>::isComplex) {
    auto gemm3m = [](auto v) { if constexpr (sizeof v == 8) return cublasCgemm3m; else return cublasZgemm3m; }(T());
    Array<T> C(ld * n, 3);
    expect("gemm3m", gemm3m(h, CUBLAS_OP_N, CUBLAS_OP_C, m, n, k, &alpha, A.device, ld, B.device, ld, &beta, C.device, ld));
    compare<T>("gemm3m", C.down(), product(C, m, n, k, ld, wide(alpha), a, [&](int t, int j) { return std::conj(b(j, t)); }, wide(beta)));
  }
}

/// A batch of three, by addresses.
template <class T> struct Addresses {
  T **device;
  Addresses(Array<T> &a, size_t step) {
    T *host[3] = {a.device, a.device + step, a.device + 2 * step};
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  }
  ~Addresses() { cudaFree(device); }
};

template <class T> static void batches() {
  const int m = 15, n = 11, ld = 20, step = ld * 20;
  const T alpha = number<T>(0.5, -0.25), beta = number<T>(-1.5, 0.5);
  Array<T> A(3 * step, 1);
  for (int b = 0; b < 3; b++)
    for (int i = 0; i < 20; i++) store(A.host[b * step + i + i * ld], {6.0 + i % 2, 1.0});
  A.up();
  Addresses<T> As(A, step);
  for (auto op : OPS)
    for (int inc : INCS) {
      Array<T> x(3 * 60, 2), y(3 * 60, 3);
      Addresses<T> xs(x, 60), ys(y, 60);
      expect("gemvBatched", by::gemvBatched(T())(h, op, m, n, &alpha, As.device, ld, xs.device, inc, &beta, ys.device, -inc, 3));
      std::vector<Wide> want = widened(y);
      int rows = op == CUBLAS_OP_N ? m : n, depth = op == CUBLAS_OP_N ? n : m;
      for (int b = 0; b < 3; b++)
        for (int i = 0; i < rows; i++) {
          Wide sum = 0;
          for (int j = 0; j < depth; j++)
            sum += (op == CUBLAS_OP_N ? wide(A.host[b * step + i + j * ld]) : turned(wide(A.host[b * step + j + i * ld]), op)) *
                   wide(x.host[60 * b + at(j, depth, inc)]);
          Wide &to = want[60 * b + at(i, rows, -inc)];
          to = wide(alpha) * sum + wide(beta) * to;
        }
      compare<T>("gemvBatched", y.down(), want);
    }
  for (auto fill : FILLS)
    for (auto op : OPS)
      for (auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {
        bool lower = fill == CUBLAS_FILL_MODE_LOWER, left = side == CUBLAS_SIDE_LEFT;
        Array<T> B(3 * step, 4);
        Addresses<T> Bs(B, step);
        expect("trsmBatched", by::trsmBatched(T())(h, side, fill, op, CUBLAS_DIAG_NON_UNIT, m, n, &alpha, As.device, ld, Bs.device, ld, 3));
        std::vector<T> got = B.down(), back = B.host;
        std::vector<Wide> want = widened(B);
        for (int b = 0; b < 3; b++) {
          int order = left ? m : n;
          Dense t = dense(order, order, lower, TRIANGLE, [&](int i, int j) { return wide(A.host[b * step + i + j * ld]); });
          for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
              Wide sum = 0;
              for (int q = 0; q < order; q++)
                sum += left ? element(t, i, q, op) * wide(got[b * step + q + j * ld]) : wide(got[b * step + i + q * ld]) * element(t, q, j, op);
              store(back[b * step + i + j * ld], sum);
              want[b * step + i + j * ld] *= wide(alpha);
            }
        }
        compare<T>("trsmBatched", back, want);
      }
  // Least squares: the residual is orthogonal to the columns of A.
  Array<T> W(3 * step, 1), C(3 * step, 5);
  W.host = A.host;
  W.up();
  Addresses<T> Ws(W, step), Cs(C, step);
  int info, *infos, ended[3];
  cudaMalloc(&infos, 12);
  expect("gelsBatched", by::gelsBatched(T())(h, CUBLAS_OP_N, m, n, 2, Ws.device, ld, Cs.device, ld, &info, infos, 3));
  cudaMemcpy(ended, infos, 12, cudaMemcpyDeviceToHost);
  std::vector<T> x = C.down();
  for (int b = 0; b < 3; b++)
    for (int s = 0; s < 2; s++)
      for (int j = 0; j < n; j++) {
        Wide dot = 0;
        for (int i = 0; i < m; i++) {
          Wide r = wide(C.host[b * step + i + s * ld]);
          for (int q = 0; q < n; q++) r -= wide(A.host[b * step + i + q * ld]) * wide(x[b * step + q + s * ld]);
          dot += std::conj(wide(A.host[b * step + i + j * ld])) * r;
        }
        if (std::abs(dot) > (sizeof(typename Type<T>::Real) == 4 ? 1e-3 : 1e-10) || info || ended[b]) {
          printf("%sgelsBatched: residual %g, info %d, %d\n", Type<T>::name, std::abs(dot), info, ended[b]);
          bad++;
        }
      }
  expect("gelsBatched of a wide matrix", by::gelsBatched(T())(h, CUBLAS_OP_N, 3, 5, 1, Ws.device, ld, Cs.device, ld, &info, infos, 3), CUBLAS_STATUS_NOT_SUPPORTED);
  cudaFree(infos);
}

template <class R, class Rotg, class Rotm, class Rotmg> static void rotations(const char *name, Rotg rotg, Rotm rotm, Rotmg rotmg) {
  auto near = [&](const char *what, double got, double want) {
    if (std::abs(got - want) > (sizeof(R) == 4 ? 1e-5 : 1e-12) * (1 + std::abs(want))) { printf("%s%s: %g, expected %g\n", name, what, got, want); bad++; }
  };
  for (auto [a0, b0] : {std::pair<double, double>{3, 4}, {-5, 2}, {0, 0}, {0, 7}, {1, -1}, {-2, 0}}) {
    R a = (R)a0, b = (R)b0, c, s;
    expect("rotg", rotg(h, &a, &b, &c, &s));
    near("rotg, r", c * a0 + s * b0, a);
    near("rotg, 0", c * b0 - s * a0, 0);
    near("rotg, |r|", std::abs(a), std::hypot(a0, b0));
  }
  // H (sqrt(d1) x1, sqrt(d2) y1) has a zero below.
  for (auto [d1_, d2_, x1_, y1_] : {std::array<double, 4>{2, 3, 1.5, 0.5}, {1, 4, 0.5, 3}, {1e-8, 2, 1, 1}, {1e8, 3, 2, 1}, {3, 0, 1, 1}, {-1, 1, 1, 1}, {5, 2, 0, 3}}) {
    R d1 = (R)d1_, d2 = (R)d2_, x1 = (R)x1_, y1 = (R)y1_, p[5] = {7, 0, 0, 0, 0};
    expect("rotmg", rotmg(h, &d1, &d2, &x1, &y1, p));
    double h11 = p[0] == 0 || p[0] == -2 ? 1 : p[1], h22 = p[0] == 0 || p[0] == -2 ? 1 : p[4];
    double h21 = p[0] == 1 ? -1 : p[0] == -2 ? 0 : p[2], h12 = p[0] == 1 ? 1 : p[0] == -2 ? 0 : p[3];
    if (d1_ > 0 && p[0] != -2) {
      near("rotmg, x1", h11 * x1_ + h12 * y1_, x1);
      near("rotmg, 0", (h21 * x1_ + h22 * y1_) / (1 + std::abs(h22 * y1_)), 0);
      near("rotmg, length", d1 * (double)x1 * x1, d1_ * x1_ * x1_ + d2_ * y1_ * y1_);
    } else if (d1_ < 0) near("rotmg, flag of a negative weight", p[0], -1);
    const int n = 7;
    Array<R> x(30, 1), y(30, 2);
    expect("rotm", rotm(h, n, x.device, -2, y.device, 3, p));
    std::vector<Wide> wx = widened(x), wy = widened(y);
    for (int i = 0; i < n; i++) {
      Wide &u = wx[at(i, n, -2)], &v = wy[at(i, n, 3)], kept = u;
      u = h11 * kept + h12 * v;
      v = h21 * kept + h22 * v;
    }
    compare<R>("rotm", x.down(), wx);
    compare<R>("rotm", y.down(), wy);
  }
}

template <class T, class R, class Rotg, class Rot, class RealRot, class Scal>
static void complex_rotations(Rotg rotg, Rot rot, RealRot realRot, Scal scal) {
  for (Wide a0 : {Wide{3, 1}, Wide{0, 0}, Wide{-1, 2}})
    for (Wide b0 : {Wide{0.5, -2}, Wide{0, 0}, Wide{4, 0}}) {
      T a = number<T>(a0.real(), a0.imag()), b = number<T>(b0.real(), b0.imag()), s;
      R c;
      expect("rotg", rotg(h, &a, &b, &c, &s));
      Wide r = (double)c * a0 + wide(s) * b0, zero = (double)c * b0 - std::conj(wide(s)) * a0;
      if (std::abs(r - wide(a)) > 1e-5 || std::abs(zero) > 1e-5) { printf("%srotg\n", Type<T>::name); bad++; }
    }
  const int n = 9;
  const R c = (R)0.6, sr = (R)-0.8;
  const T s = number<T>(0.48, 0.64);
  for (bool isReal : {false, true}) {
    Array<T> x(40, 1), y(40, 2);
    expect("rot", isReal ? realRot(h, n, x.device, 2, y.device, -3, &c, &sr) : rot(h, n, x.device, 2, y.device, -3, &c, &s));
    std::vector<Wide> wx = widened(x), wy = widened(y);
    Wide by = isReal ? Wide(sr) : wide(s);
    for (int i = 0; i < n; i++) {
      Wide &u = wx[at(i, n, 2)], &v = wy[at(i, n, -3)], kept = u;
      u = (double)c * kept + by * v;
      v = (double)c * v - std::conj(by) * kept;
    }
    compare<T>("rot", x.down(), wx);
    compare<T>("rot", y.down(), wy);
  }
  Array<T> x(40, 1);
  std::vector<Wide> want = widened(x);
  for (int i = 0; i < n; i++) want[at(i, n, 3)] *= (double)c;
  expect("scal by a real number", scal(h, n, &c, x.device, 3));
  compare<T>("scal", x.down(), want);
}

/// Factors in device memory, real ones too.
static void on_device() {
  const int n = 12, k = 5;
  Array<cuComplex> A(n * n, 1), C(n * n, 2), x(n, 3), y(n, 4);
  Array<float> factors(2, 1), rotation(4, 1);
  factors.host = {0.75f, -0.5f};
  factors.up();
  cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
  expect("herk", cublasCherk(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, k, factors.device, A.device, n, factors.device + 1, C.device, n));
  auto a = [&](int i, int t) { return wide(A.host[i + t * n]); };
  compare<cuComplex>("herk, factors in device memory", C.down(), product(C, n, n, k, n, 0.75, a, [&](int t, int j) { return std::conj(a(j, t)); }, -0.5, 1, true));
  std::vector<Wide> wx = widened(x);
  for (Wide &v : wx) v *= 0.75;
  expect("csscal", cublasCsscal(h, n, factors.device, x.device, 1));
  compare<cuComplex>("sscal, factor in device memory", x.down(), wx);
  rotation.host = {3, 4, 0, 0};
  rotation.up();
  float *r = rotation.device;
  expect("rotg", cublasSrotg(h, r, r + 1, r + 2, r + 3));
  compare<float>("rotg in device memory", rotation.down(), {5, 1 / 0.6, 0.6, 0.8});
  cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST);
}

static void any_types() {
  const int n = 50;
  Array<cuComplex> x(3 * n, 1), y(3 * n, 2);
  std::vector<Wide> wx = widened(x), wy = widened(y);
  double sum = 0, largest = -1;
  int place = 0, found;
  for (int i = 0; i < n; i++) {
    double size = std::abs(wx[2 * i].real()) + std::abs(wx[2 * i].imag());
    sum += size;
    if (size > largest) { largest = size; place = i + 1; }
  }
  float total;
  expect("AsumEx", cublasAsumEx(h, n, x.device, CUDA_C_32F, 2, &total, CUDA_R_32F, CUDA_R_32F));
  expect("IamaxEx", cublasIamaxEx(h, n, x.device, CUDA_C_32F, 2, &found));
  if (std::abs(total - sum) > 1e-3 || found != place) { printf("AsumEx %g, expected %g; IamaxEx %d, expected %d\n", total, sum, found, place); bad++; }
  const cuComplex c = {0.6f, 0}, s = {0.48f, 0.64f};
  expect("RotEx", cublasRotEx(h, n, x.device, CUDA_C_32F, 2, y.device, CUDA_C_32F, -3, &c, &s, CUDA_C_32F, CUDA_C_32F));
  expect("SwapEx", cublasSwapEx(h, n, x.device, CUDA_C_32F, 2, y.device, CUDA_C_32F, -3));
  for (int i = 0; i < n; i++) {
    Wide &u = wx[at(i, n, 2)], &v = wy[at(i, n, -3)], kept = u;
    u = (double)c.x * v - std::conj(wide(s)) * kept;
    v = (double)c.x * kept + wide(s) * v;
  }
  compare<cuComplex>("RotEx, SwapEx", x.down(), wx);
  compare<cuComplex>("RotEx, SwapEx", y.down(), wy);
  expect("CopyEx", cublasCopyEx(h, n, x.device, CUDA_C_32F, 2, y.device, CUDA_C_32F, -3));
  for (int i = 0; i < n; i++) wy[at(i, n, -3)] = wx[at(i, n, 2)];
  compare<cuComplex>("CopyEx", y.down(), wy);
  expect("CopyEx between types", cublasCopyEx(h, n, x.device, CUDA_C_32F, 2, y.device, CUDA_R_32F, 1), CUBLAS_STATUS_NOT_SUPPORTED);

  // Bytes: 3 x 2 complex numbers, their products with themselves.
  const signed char bytes[] = {1, 2, -3, 4, 5, -6, 7, 8, 0, 1, -2, 2};
  void *B;
  cudaMalloc(&B, sizeof bytes);
  cudaMemcpy(B, bytes, sizeof bytes, cudaMemcpyHostToDevice);
  auto b = [&](int i, int t) { return Wide(bytes[2 * (i + 3 * t)], bytes[2 * (i + 3 * t) + 1]); };
  Array<cuComplex> C(9, 3), D(9, 4);
  const float one = 1, half = 0.5f;
  expect("CherkEx", cublasCherkEx(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, 3, 2, &one, B, CUDA_C_8I, 3, &half, C.device, CUDA_C_32F, 3));
  compare<cuComplex>("herkEx", C.down(), product(C, 3, 3, 2, 3, 1, b, [&](int t, int j) { return std::conj(b(j, t)); }, 0.5, -1, true));
  const cuComplex alpha = {1, 0}, beta = {0, 1};
  expect("CgemmEx", cublasCgemmEx(h, CUBLAS_OP_N, CUBLAS_OP_T, 3, 3, 2, &alpha, B, CUDA_C_8I, 3, B, CUDA_C_8I, 3, &beta, D.device, CUDA_C_32F, 3));
  compare<cuComplex>("gemmEx", D.down(), product(D, 3, 3, 2, 3, 1, b, [&](int t, int j) { return b(j, t); }, Wide(0, 1)));
  cudaFree(B);

  // Half precision, summed as float.
  const int rows = 6, columns = 4;
  std::vector<__half> hm(rows * columns), hx(columns);
  for (size_t i = 0; i < hm.size(); i++) hm[i] = __float2half((float)(i % 5) - 2);
  for (int i = 0; i < columns; i++) hx[i] = __float2half((float)i - 1);
  __half *HM, *HX;
  float *HY, result[rows];
  cudaMalloc(&HM, hm.size() * 2);
  cudaMalloc(&HX, hx.size() * 2);
  cudaMalloc(&HY, sizeof result);
  cudaMemcpy(HM, hm.data(), hm.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(HX, hx.data(), hx.size() * 2, cudaMemcpyHostToDevice);
  const float f1 = 1, f0 = 0;
  expect("HSSgemvStridedBatched", cublasHSSgemvStridedBatched(h, CUBLAS_OP_N, rows, columns, &f1, HM, rows, 0, HX, 1, 0, &f0, HY, 1, rows, 1));
  cudaMemcpy(result, HY, sizeof result, cudaMemcpyDeviceToHost);
  for (int i = 0; i < rows; i++) {
    float want = 0;
    for (int j = 0; j < columns; j++) want += __half2float(hm[i + j * rows]) * __half2float(hx[j]);
    if (result[i] != want) { printf("HSSgemvStridedBatched: %g, expected %g\n", result[i], want); bad++; }
  }
}

static void groups() {
  const cublasOperation_t n[] = {CUBLAS_OP_N, CUBLAS_OP_N}, t[] = {CUBLAS_OP_N, CUBLAS_OP_T};
  const int ms[] = {3, 5}, ns[] = {4, 2}, ks[] = {6, 7}, lds[] = {8, 8}, sizes[] = {1, 2};
  const double alphas[] = {1, 0.5}, betas[] = {0.5, -1};
  Array<double> A(3 * 80, 1), B(3 * 80, 2), C(3 * 80, 3);
  Addresses<double> As(A, 80), Bs(B, 80), Cs(C, 80);
  expect("gemmGroupedBatched", cublasDgemmGroupedBatched(h, n, t, ms, ns, ks, alphas, As.device, lds, Bs.device, lds, betas, Cs.device, lds, 2, sizes));
  std::vector<Wide> want = widened(C);
  for (int p = 0; p < 3; p++) {
    int g = p > 0;
    for (int j = 0; j < ns[g]; j++)
      for (int i = 0; i < ms[g]; i++) {
        double sum = 0;
        for (int q = 0; q < ks[g]; q++) sum += A.host[80 * p + i + 8 * q] * B.host[80 * p + (g ? j + 8 * q : q + 8 * j)];
        Wide &to = want[80 * p + i + 8 * j];
        to = alphas[g] * sum + betas[g] * to;
      }
  }
  compare<double>("gemmGroupedBatched", C.down(), want);
}

int main() {
  cublasCreate(&h);
  bands<float>(); bands<double>(); bands<cuComplex>(); bands<cuDoubleComplex>();
  updates<float>(); updates<double>(); updates<cuComplex>(); updates<cuDoubleComplex>();
  products<float>(); products<double>(); products<cuComplex>(); products<cuDoubleComplex>();
  batches<float>(); batches<double>(); batches<cuComplex>(); batches<cuDoubleComplex>();
  rotations<float>("S", cublasSrotg, cublasSrotm, cublasSrotmg);
  rotations<double>("D", cublasDrotg, cublasDrotm, cublasDrotmg);
  complex_rotations<cuComplex, float>(cublasCrotg, cublasCrot, cublasCsrot, cublasCsscal);
  complex_rotations<cuDoubleComplex, double>(cublasZrotg, cublasZrot, cublasZdrot, cublasZdscal);
  on_device();
  any_types();
  groups();
  const float one = 1;
  expect("gbmv of a band that is wider than its array", cublasSgbmv(h, CUBLAS_OP_N, 4, 4, 1, 1, &one, nullptr, 2, nullptr, 1, &one, nullptr, 1), CUBLAS_STATUS_INVALID_VALUE);
  expect("hpmv with an increment of 0", cublasChpmv(h, CUBLAS_FILL_MODE_LOWER, 4, (const cuComplex *)&one, nullptr, nullptr, 0, nullptr, nullptr, 1), CUBLAS_STATUS_INVALID_VALUE);
  float *none = nullptr;
  const auto wrong = CUBLAS_STATUS_INVALID_VALUE;
  const auto lower = CUBLAS_FILL_MODE_LOWER;
  const auto left = CUBLAS_SIDE_LEFT;
  const auto plain = CUBLAS_OP_N;
  const auto full = CUBLAS_DIAG_NON_UNIT;
  expect("gemm without an operation", cublasSgemm(h, (cublasOperation_t)9, plain, 1, 1, 1, &one, none, 1, none, 1, &one, none, 1), wrong);
  expect("symm of columns that do not fit", cublasSsymm(h, left, lower, 4, 4, &one, none, 0, none, 4, &one, none, 4), wrong);
  expect("trmm without a side", cublasStrmm(h, (cublasSideMode_t)9, lower, plain, full, 4, 4, &one, none, 4, none, 4, none, 4), wrong);
  expect("trsm of -1 rows", cublasStrsm(h, left, lower, plain, full, -1, 4, &one, none, 4, none, 4), wrong);
  expect("syr2k of -1 columns", cublasSsyr2k(h, lower, plain, -1, 4, &one, none, 4, none, 4, &one, none, 4), wrong);
  expect("trsv of nothing", cublasStrsv(h, lower, plain, full, 0, none, 1, none, 1));
  expect("tbsv without a handle", cublasStbsv(nullptr, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 1, 0, nullptr, 1, nullptr, 1), CUBLAS_STATUS_NOT_INITIALIZED);
  cublasDestroy(h);
  puts(bad ? "wrong" : "all right");
  return bad != 0;
}
