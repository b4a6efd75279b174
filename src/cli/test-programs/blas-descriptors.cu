// Runs cuBLAS's functions on the descriptors of a file, a line each, and prints the status and all memory of the results.
// Elements are quarters that follow from the seed and the place in memory, so that sums are exact. `bad` names an
// argument that is wrong (blas-descriptors.test-helper.ts).
#include <cublas_v2.h>
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

struct Case {
  char op[20];
  int type, m, n, k, opA, opB, fill, side, diag, incx, incy, extra, seed, bad;
};
static cublasHandle_t h;

static uint32_t hashed(uint32_t seed, uint32_t at) {
  uint32_t x = seed * 2654435761u + at * 2246822519u + 374761393u;
  x = (x ^ (x >> 15)) * 2246822519u;
  x = (x ^ (x >> 13)) * 3266489917u;
  return x ^ (x >> 16);
}
static double number(uint32_t seed, uint32_t at) { return ((int)(hashed(seed, at) & 15) - 8) / 4.0; }

template <class T> struct Of;
template <> struct Of<float> {
  typedef float Real;
  static float make(double re, double) { return (float)re; }
  static void print(float v) { printf(" %.9g", v); }
};
template <> struct Of<double> {
  typedef double Real;
  static double make(double re, double) { return re; }
  static void print(double v) { printf(" %.9g", v); }
};
template <> struct Of<cuComplex> {
  typedef float Real;
  static cuComplex make(double re, double im) { return make_cuComplex((float)re, (float)im); }
  static void print(cuComplex v) { printf(" %.9g %.9g", v.x, v.y); }
};
template <> struct Of<cuDoubleComplex> {
  typedef double Real;
  static cuDoubleComplex make(double re, double im) { return make_cuDoubleComplex(re, im); }
  static void print(cuDoubleComplex v) { printf(" %.9g %.9g", v.x, v.y); }
};
template <> struct Of<int> {
  typedef int Real;
  static int make(double re, double) { return (int)(4 * re); }
  static void print(int v) { printf(" %d", v); }
};

template <class T> struct Array {
  size_t count;
  T *data = nullptr;
  Array(size_t count, int seed) : count(count) {
    std::vector<T> host(count);
    for (size_t i = 0; i < count; i++) host[i] = Of<T>::make(number(seed, (uint32_t)i), number(seed + 77, (uint32_t)i));
    put(host);
  }
  Array(const Array &) = delete;
  ~Array() { cudaFree(data); }
  void put(const std::vector<T> &host) {
    if (!data) cudaMalloc(&data, count * sizeof(T) + 16);
    cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  }
  std::vector<T> host() const {
    std::vector<T> all(count);
    cudaMemcpy(all.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost);
    return all;
  }
  void print() const {
    for (T v : host()) Of<T>::print(v);
  }
  /// A diagonal whose inverse is exact, for what is solved.
  void diagonal(int n, size_t step, size_t first, int seed) {
    std::vector<T> all = host();
    for (int i = 0; i < n && first + i * step < count; i++)
      all[first + i * step] = Of<T>::make(hashed(seed, i) % 2 ? 4 : -8, 0);
    put(all);
  }
};
/// Addresses of parts of an array, in device memory.
template <class T> struct Parts {
  T **data = nullptr;
  Parts(const Array<T> &of, size_t step, int count) {
    std::vector<T *> host;
    for (int i = 0; i < count; i++) host.push_back(of.data + i * step);
    cudaMalloc(&data, count * sizeof(T *) + 16);
    cudaMemcpy(data, host.data(), count * sizeof(T *), cudaMemcpyHostToDevice);
  }
  ~Parts() { cudaFree(data); }
};

#define PICK(S_, D_, C_, Z_)                                              \
  if constexpr (std::is_same_v<T, float>) status = S_;                    \
  else if constexpr (std::is_same_v<T, double>) status = D_;              \
  else if constexpr (std::is_same_v<T, cuComplex>) status = C_;           \
  else status = Z_;
#define SAME(NAME, ...) \
  PICK(cublasS##NAME(__VA_ARGS__), cublasD##NAME(__VA_ARGS__), cublasC##NAME(__VA_ARGS__), cublasZ##NAME(__VA_ARGS__))
#define NAMED(REAL, COMPLEX, ...)                                                               \
  PICK(cublasS##REAL(__VA_ARGS__), cublasD##REAL(__VA_ARGS__), cublasC##COMPLEX(__VA_ARGS__), \
       cublasZ##COMPLEX(__VA_ARGS__))

template <class T> static void run(const Case &c) {
  typedef typename Of<T>::Real R;
  constexpr bool isComplex = !std::is_same_v<T, R>;
  constexpr size_t SIDE = 26, SQUARE = SIDE * SIDE;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  const std::string op = c.op;
  int m = c.m, n = c.n, k = c.k, incx = c.incx, incy = c.incy;
  auto opA = (cublasOperation_t)c.opA, opB = (cublasOperation_t)c.opB;
  auto fill = (cublasFillMode_t)c.fill;
  auto side = (cublasSideMode_t)c.side;
  auto diag = (cublasDiagType_t)c.diag;
  int lda = (int)SIDE, ldb = (int)SIDE - c.extra, ldc = (int)SIDE;
  switch (c.bad) {
    case 1: m = -1; break;
    case 2: n = -1; break;
    case 3: k = -1; break;
    case 4: lda = 0; break;
    case 5: ldb = 0; break;
    case 6: ldc = 0; break;
    case 7: incx = 0; break;
    case 8: incy = 0; break;
    case 9: opA = (cublasOperation_t)9; break;
    case 10: fill = (cublasFillMode_t)9; break;
    case 11: side = (cublasSideMode_t)9; break;
    case 12: diag = (cublasDiagType_t)9; break;
    case 13: opB = (cublasOperation_t)9; break;
    case 14: m = 0; break;
    case 15: n = 0; break;
    case 16: k = 0; break;
  }
  const T alpha = Of<T>::make(1 + c.seed % 2, c.seed % 4 == 3 ? 0.5 : 0), beta = Of<T>::make(c.seed % 3 == 0 ? 0 : -1, 0);
  const R ralpha = (R)(1 + c.seed % 2), rbeta = (R)(c.seed % 3 == 0 ? 0 : -1);
  const cublasHandle_t handle = c.bad == 17 ? nullptr : h;
  Array<T> A(SQUARE, c.seed), B(SQUARE, c.seed + 1), C(SQUARE, c.seed + 2), x(80, c.seed + 3), y(80, c.seed + 4);
  auto end = [&](auto &...arrays) {
    printf("%d", (int)status);
    if (status == 0) (arrays.print(), ...);
  };
  auto ending = [&](auto value) {
    printf("%d", (int)status);
    if (status == 0) Of<decltype(value)>::print(value);
  };

  // ---- level 1
  if (op == "axpy") { SAME(axpy, handle, n, &alpha, x.data, incx, y.data, incy) return end(y); }
  if (op == "copy") { SAME(copy, handle, n, x.data, incx, y.data, incy) return end(y); }
  if (op == "swap") { SAME(swap, handle, n, x.data, incx, y.data, incy) return end(x, y); }
  if (op == "scal") { SAME(scal, handle, n, &alpha, x.data, incx) return end(x); }
  if (op == "dot") {
    T result{};
    if (c.opA == 2) { NAMED(dot, dotc, handle, n, x.data, incx, y.data, incy, &result) }
    else { NAMED(dot, dotu, handle, n, x.data, incx, y.data, incy, &result) }
    return ending(result);
  }
  if (op == "nrm2" || op == "asum") {
    R result{};
    if (op == "nrm2") {
      PICK(cublasSnrm2(handle, n, (const float *)x.data, incx, (float *)&result),
           cublasDnrm2(handle, n, (const double *)x.data, incx, (double *)&result),
           cublasScnrm2(handle, n, (const cuComplex *)x.data, incx, (float *)&result),
           cublasDznrm2(handle, n, (const cuDoubleComplex *)x.data, incx, (double *)&result))
    } else {
      PICK(cublasSasum(handle, n, (const float *)x.data, incx, (float *)&result),
           cublasDasum(handle, n, (const double *)x.data, incx, (double *)&result),
           cublasScasum(handle, n, (const cuComplex *)x.data, incx, (float *)&result),
           cublasDzasum(handle, n, (const cuDoubleComplex *)x.data, incx, (double *)&result))
    }
    return ending(result);
  }
  if (op == "iamax" || op == "iamin") {
    int result = 0;
    if (op == "iamax") {
      PICK(cublasIsamax(handle, n, (const float *)x.data, incx, &result),
           cublasIdamax(handle, n, (const double *)x.data, incx, &result),
           cublasIcamax(handle, n, (const cuComplex *)x.data, incx, &result),
           cublasIzamax(handle, n, (const cuDoubleComplex *)x.data, incx, &result))
    } else {
      PICK(cublasIsamin(handle, n, (const float *)x.data, incx, &result),
           cublasIdamin(handle, n, (const double *)x.data, incx, &result),
           cublasIcamin(handle, n, (const cuComplex *)x.data, incx, &result),
           cublasIzamin(handle, n, (const cuDoubleComplex *)x.data, incx, &result))
    }
    return ending(result);
  }
  if (op == "rot") {
    const R cosine = (R)0.75;
    const T sine = Of<T>::make(-0.5, 0.25);
    SAME(rot, handle, n, x.data, incx, y.data, incy, &cosine, &sine)
    return end(x, y);
  }
  if (op == "rotEx") {
    const R cosine = (R)0.75;
    const T cosineOfType = Of<T>::make(0.75, 0), sine = Of<T>::make(-0.5, 0.25);
    cudaDataType type = std::is_same_v<T, float>       ? CUDA_R_32F
                        : std::is_same_v<T, double>    ? CUDA_R_64F
                        : std::is_same_v<T, cuComplex> ? CUDA_C_32F
                                                       : CUDA_C_64F;
    cudaDataType real = sizeof(R) == 4 ? CUDA_R_32F : CUDA_R_64F;
    if (isComplex && c.opA == 1)
      status = cublasRotEx(handle, n, x.data, type, incx, y.data, type, incy, &cosine, &cosine, real, type);
    else status = cublasRotEx(handle, n, x.data, type, incx, y.data, type, incy, &cosineOfType, &sine, type, type);
    return end(x, y);
  }
  if (op == "rotg") {
    T a = Of<T>::make(number(c.seed, 0), number(c.seed, 1)), b = Of<T>::make(number(c.seed, 2), number(c.seed, 3)), s{};
    R cosine = 0;
    SAME(rotg, handle, &a, &b, &cosine, &s)
    printf("%d", (int)status);
    Of<T>::print(a);
    if constexpr (!isComplex) Of<T>::print(b);
    Of<R>::print(cosine);
    Of<T>::print(s);
    return;
  }
  if constexpr (!isComplex) {
    if (op == "rotm") {
      const T parameters[] = {(T)(c.seed % 4 - 2), (T)0.5, (T)-0.25, (T)1.5, (T)2};
      if constexpr (sizeof(T) == 4) status = cublasSrotm(handle, n, x.data, incx, y.data, incy, parameters);
      else status = cublasDrotm(handle, n, x.data, incx, y.data, incy, parameters);
      return end(x, y);
    }
    if (op == "rotmg") {
      T d1 = (T)number(c.seed, 0), d2 = (T)number(c.seed, 1), x1 = (T)number(c.seed, 2), y1 = (T)number(c.seed, 3);
      T p[5] = {};
      if constexpr (sizeof(T) == 4) status = cublasSrotmg(handle, &d1, &d2, &x1, &y1, p);
      else status = cublasDrotmg(handle, &d1, &d2, &x1, &y1, p);
      printf("%d", (int)status);
      for (T v : {d1, d2, x1, p[0], p[1], p[2], p[3], p[4]}) Of<T>::print(v);
      return;
    }
  }

  // ---- level 2
  if (op == "gemv") { SAME(gemv, handle, opA, m, n, &alpha, A.data, lda, x.data, incx, &beta, y.data, incy) return end(y); }
  if (op == "gbmv") {
    SAME(gbmv, handle, opA, m, n, k, c.extra, &alpha, A.data, lda, x.data, incx, &beta, y.data, incy)
    return end(y);
  }
  if (op == "ger") { NAMED(ger, geru, handle, m, n, &alpha, x.data, incx, y.data, incy, A.data, lda) return end(A); }
  if (op == "gerc") { NAMED(ger, gerc, handle, m, n, &alpha, x.data, incx, y.data, incy, A.data, lda) return end(A); }
  if (op == "symv") { SAME(symv, handle, fill, n, &alpha, A.data, lda, x.data, incx, &beta, y.data, incy) return end(y); }
  if (op == "hemv") {
    NAMED(symv, hemv, handle, fill, n, &alpha, A.data, lda, x.data, incx, &beta, y.data, incy)
    return end(y);
  }
  if (op == "sbmv") {
    NAMED(sbmv, hbmv, handle, fill, n, k, &alpha, A.data, lda, x.data, incx, &beta, y.data, incy)
    return end(y);
  }
  if (op == "spmv") { NAMED(spmv, hpmv, handle, fill, n, &alpha, A.data, x.data, incx, &beta, y.data, incy) return end(y); }
  if (op == "syr") { SAME(syr, handle, fill, n, &alpha, x.data, incx, A.data, lda) return end(A); }
  if (op == "her") { NAMED(syr, her, handle, fill, n, &ralpha, x.data, incx, A.data, lda) return end(A); }
  if (op == "spr") { NAMED(spr, hpr, handle, fill, n, &ralpha, x.data, incx, A.data) return end(A); }
  if (op == "syr2") { SAME(syr2, handle, fill, n, &alpha, x.data, incx, y.data, incy, A.data, lda) return end(A); }
  if (op == "her2") { NAMED(syr2, her2, handle, fill, n, &alpha, x.data, incx, y.data, incy, A.data, lda) return end(A); }
  if (op == "spr2") { NAMED(spr2, hpr2, handle, fill, n, &alpha, x.data, incx, y.data, incy, A.data) return end(A); }
  if (op == "trmv") { SAME(trmv, handle, fill, opA, diag, n, A.data, lda, x.data, incx) return end(x); }
  if (op == "tbmv") { SAME(tbmv, handle, fill, opA, diag, n, k, A.data, lda, x.data, incx) return end(x); }
  if (op == "tpmv") { SAME(tpmv, handle, fill, opA, diag, n, A.data, x.data, incx) return end(x); }
  if (op == "trsv") {
    A.diagonal(c.n, SIDE + 1, 0, c.seed);
    SAME(trsv, handle, fill, opA, diag, n, A.data, lda, x.data, incx)
    return end(x);
  }
  if (op == "tbsv") {
    A.diagonal(c.n, SIDE, c.fill == CUBLAS_FILL_MODE_UPPER ? c.k : 0, c.seed);
    SAME(tbsv, handle, fill, opA, diag, n, k, A.data, lda, x.data, incx)
    return end(x);
  }
  if (op == "tpsv") {
    std::vector<T> all = A.host();
    for (int i = 0; i < c.n; i++) {
      size_t place = c.fill == CUBLAS_FILL_MODE_LOWER ? i + (size_t)(2 * c.n - i - 1) * i / 2 : i + (size_t)i * (i + 1) / 2;
      all[place] = Of<T>::make(hashed(c.seed, i) % 2 ? 4 : -8, 0);
    }
    A.put(all);
    SAME(tpsv, handle, fill, opA, diag, n, A.data, x.data, incx)
    return end(x);
  }

  // ---- level 3
  if (op == "gemm") {
    SAME(gemm, handle, opA, opB, m, n, k, &alpha, A.data, lda, B.data, ldb, &beta, C.data, ldc)
    return end(C);
  }
  if (op == "gemmS" || op == "gemmB") {
    const int count = 1 + c.extra;
    Array<T> As(SQUARE * 4, c.seed), Bs(SQUARE * 4, c.seed + 1), Cs(SQUARE * 4, c.seed + 2);
    if (op == "gemmS") {
      SAME(gemmStridedBatched, handle, opA, opB, m, n, k, &alpha, As.data, lda, (long long)SQUARE, Bs.data, ldb,
           (long long)(c.seed % 2 ? SQUARE : 0), &beta, Cs.data, ldc, (long long)SQUARE, count)
    } else {
      Parts<T> pa(As, SQUARE, 4), pb(Bs, SQUARE, 4), pc(Cs, SQUARE, 4);
      SAME(gemmBatched, handle, opA, opB, m, n, k, &alpha, pa.data, lda, pb.data, ldb, &beta, pc.data, ldc, count)
    }
    return end(Cs);
  }
  if (op == "symm") { SAME(symm, handle, side, fill, m, n, &alpha, A.data, lda, B.data, ldb, &beta, C.data, ldc) return end(C); }
  if (op == "hemm") {
    NAMED(symm, hemm, handle, side, fill, m, n, &alpha, A.data, lda, B.data, ldb, &beta, C.data, ldc)
    return end(C);
  }
  if (op == "syrk") { SAME(syrk, handle, fill, opA, n, k, &alpha, A.data, lda, &beta, C.data, ldc) return end(C); }
  if (op == "herk") { NAMED(syrk, herk, handle, fill, opA, n, k, &ralpha, A.data, lda, &rbeta, C.data, ldc) return end(C); }
  if (op == "syr2k") {
    SAME(syr2k, handle, fill, opA, n, k, &alpha, A.data, lda, B.data, ldb, &beta, C.data, ldc)
    return end(C);
  }
  if (op == "her2k") {
    NAMED(syr2k, her2k, handle, fill, opA, n, k, &alpha, A.data, lda, B.data, ldb, &rbeta, C.data, ldc)
    return end(C);
  }
  if (op == "syrkx") {
    SAME(syrkx, handle, fill, opA, n, k, &alpha, A.data, lda, B.data, ldb, &beta, C.data, ldc)
    return end(C);
  }
  if (op == "herkx") {
    NAMED(syrkx, herkx, handle, fill, opA, n, k, &alpha, A.data, lda, B.data, ldb, &rbeta, C.data, ldc)
    return end(C);
  }
  if (op == "trmm") {
    SAME(trmm, handle, side, fill, opA, diag, m, n, &alpha, A.data, lda, B.data, ldb, C.data, ldc)
    return end(C);
  }
  if (op == "trsm" || op == "trsmB") {
    A.diagonal((int)SIDE, SIDE + 1, 0, c.seed);
    if (op == "trsm") {
      SAME(trsm, handle, side, fill, opA, diag, m, n, &alpha, A.data, lda, B.data, ldb)
    } else {
      Parts<T> pa(A, 0, 1), pb(B, 0, 1);
      SAME(trsmBatched, handle, side, fill, opA, diag, m, n, &alpha, pa.data, lda, pb.data, ldb, 1)
    }
    return end(B);
  }
  if (op == "geam") {
    SAME(geam, handle, opA, opB, m, n, &alpha, A.data, lda, &beta, B.data, ldb, C.data, ldc)
    return end(C);
  }
  if (op == "dgmm") { SAME(dgmm, handle, side, m, n, A.data, lda, x.data, incx, C.data, ldc) return end(C); }
  if (op == "tpttr") { SAME(tpttr, handle, fill, n, A.data, C.data, ldc) return end(C); }
  if (op == "trttp") { SAME(trttp, handle, fill, n, A.data, lda, C.data) return end(C); }

  // ---- factors in batches: of matrices with strong diagonals
  if (op == "getrfB" || op == "matinvB" || op == "geqrfB") {
    const int count = 1 + c.extra;
    Array<T> As(SQUARE * 4, c.seed), Cs(SQUARE * 4, c.seed + 2), taus(SIDE * 4, c.seed + 3);
    for (int i = 0; i < 4; i++) As.diagonal(c.n, SIDE + 1, i * SQUARE, c.seed + i);
    Array<int> pivots(SIDE * 4, c.seed), infos(4, c.seed);
    Parts<T> pa(As, SQUARE, 4), pc(Cs, SQUARE, 4), pt(taus, SIDE, 4);
    if (op == "getrfB") {
      SAME(getrfBatched, handle, n, pa.data, lda, pivots.data, infos.data, count)
      return end(As, pivots);
    }
    if (op == "matinvB") {
      SAME(matinvBatched, handle, n, pa.data, lda, pc.data, ldc, infos.data, count)
      return end(Cs);
    }
    int info = 0;
    SAME(geqrfBatched, handle, m, n, pa.data, lda, pt.data, &info, count)
    printf("%d %d", (int)status, info);
    if (status == 0 && info == 0) As.print();
    return;
  }
  printf("unknown");
}

int main(int, char **arguments) {
  FILE *file = fopen(arguments[1], "r");
  if (!file) return 2;
  cublasCreate(&h);
  Case c;
  while (fscanf(file, "%19s %d %d %d %d %d %d %d %d %d %d %d %d %d %d", c.op, &c.type, &c.m, &c.n, &c.k, &c.opA, &c.opB,
                &c.fill, &c.side, &c.diag, &c.incx, &c.incy, &c.extra, &c.seed, &c.bad) == 15) {
    if (c.type == 0) run<float>(c);
    else if (c.type == 1) run<double>(c);
    else if (c.type == 2) run<cuComplex>(c);
    else run<cuDoubleComplex>(c);
    printf("\n");
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  }
  cublasDestroy(h);
  return 0;
}
