// cuBLASXt in tiles of 8 beside cuBLAS on whole matrices, with matrices in host memory. Prints "all right".
#include <cublasXt.h>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

static int bad;
static cublasHandle_t h;
static cublasXtHandle_t xt;
constexpr int LD = 30;

static double gap(float a, float b) { return std::fabs(a - b); }
static double gap(cuDoubleComplex a, cuDoubleComplex b) { return std::hypot(a.x - b.x, a.y - b.y); }
static void set(float &to, double re, double) { to = (float)re; }
static void set(cuDoubleComplex &to, double re, double im) { to = {re, im}; }

template <class T> struct Data {
  std::vector<T> host = std::vector<T>(LD * LD);
  T *device;
  explicit Data(int seed) {
    for (int i = 0; i < LD * LD; i++) {
      unsigned v = (unsigned)(i + 1) * 2654435761u + seed * 40503u;
      set(host[i], (int)((v >> 16) % 13) / 4.0 - 1.5, (int)((v >> 8) % 11) / 4.0 - 1.25);
    }
    for (int i = 0; i < LD; i++) set(host[i + i * LD], 9 + i % 3, 1);
    cudaMalloc(&device, sizeof(T) * LD * LD);
    cudaMemcpy(device, host.data(), sizeof(T) * LD * LD, cudaMemcpyHostToDevice);
  }
  ~Data() { cudaFree(device); }
};
/// `whole` works on device memory, `tiled` on host memory: both change C.
template <class T, class Whole, class Tiled> static void same(const char *what, Whole whole, Tiled tiled) {
  Data<T> A(1), B(2), C(3);
  std::vector<T> want(LD * LD);
  int s1 = whole(A.device, B.device, C.device), s2 = tiled(A.host.data(), B.host.data(), C.host.data());
  cudaMemcpy(want.data(), C.device, sizeof(T) * LD * LD, cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int i = 0; i < LD * LD; i++) worst = std::fmax(worst, gap(want[i], C.host[i]));
  if (s1 || s2 || !(worst < (sizeof(T) == 4 ? 1e-3 : 1e-11))) {
    printf("%s: statuses %d and %d, difference %g\n", what, s1, s2, worst);
    bad++;
  }
}

#define ARGUMENTS T *A, T *B, T *C
#define ROUTINES(P, T_)                                                                                             \
  static void routines_##P() {                                                                                      \
    typedef T_ T;                                                                                                   \
    const int m = 19, n = 21, k = 17;                                                                               \
    T alpha, beta, none;                                                                                            \
    set(alpha, 0.5, -0.25);                                                                                         \
    set(beta, -1.5, 0.5);                                                                                           \
    set(none, 0, 0);                                                                                                \
    const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};                                        \
    for (auto ta : ops)                                                                                             \
      for (auto tb : ops)                                                                                           \
        for (int depth : {k, 0})                                                                                    \
          same<T>(                                                                                                  \
              #P "gemm",                                                                                            \
              [&](ARGUMENTS) {                                                                                      \
                return cublas##P##gemm(h, ta, tb, m, n, depth, &alpha, A, LD, B, LD, &beta, C, LD);                 \
              },                                                                                                    \
              [&](ARGUMENTS) {                                                                                      \
                return cublasXt##P##gemm(xt, ta, tb, m, n, depth, &alpha, A, LD, B, LD, &beta, C, LD);              \
              });                                                                                                   \
    for (auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {                                            \
      for (auto op : {CUBLAS_OP_N, CUBLAS_OP_T}) {                                                                  \
        same<T>(                                                                                                    \
            #P "syrk", [&](ARGUMENTS) { return cublas##P##syrk(h, fill, op, n, k, &alpha, A, LD, &none, C, LD); },  \
            [&](ARGUMENTS) { return cublasXt##P##syrk(xt, fill, op, n, k, &alpha, A, LD, &none, C, LD); });         \
        same<T>(                                                                                                    \
            #P "syrkx",                                                                                             \
            [&](ARGUMENTS) { return cublas##P##syrkx(h, fill, op, n, k, &alpha, A, LD, B, LD, &beta, C, LD); },     \
            [&](ARGUMENTS) { return cublasXt##P##syrkx(xt, fill, op, n, k, &alpha, A, LD, B, LD, &beta, C, LD); }); \
        same<T>(                                                                                                    \
            #P "syr2k",                                                                                             \
            [&](ARGUMENTS) { return cublas##P##syr2k(h, fill, op, n, k, &alpha, A, LD, B, LD, &beta, C, LD); },     \
            [&](ARGUMENTS) { return cublasXt##P##syr2k(xt, fill, op, n, k, &alpha, A, LD, B, LD, &beta, C, LD); }); \
      }                                                                                                             \
      for (auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {                                                     \
        auto whole = [&](ARGUMENTS) {                                                                               \
          return cublas##P##symm(h, side, fill, m, n, &alpha, A, LD, B, LD, &beta, C, LD);                          \
        };                                                                                                          \
        same<T>(#P "symm", whole, [&](ARGUMENTS) {                                                                  \
          return cublasXt##P##symm(xt, side, fill, m, n, &alpha, A, LD, B, LD, &beta, C, LD);                       \
        });                                                                                                         \
        same<T>(#P "spmm", whole, [&](ARGUMENTS) {                                                                  \
          std::vector<T> packed;                                                                                    \
          int order = side == CUBLAS_SIDE_LEFT ? m : n;                                                             \
          for (int j = 0; j < order; j++)                                                                           \
            for (int i = 0; i < order; i++)                                                                         \
              if (fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j) packed.push_back(A[i + j * LD]);                \
          return cublasXt##P##spmm(xt, side, fill, m, n, &alpha, packed.data(), B, LD, &beta, C, LD);               \
        });                                                                                                         \
        for (auto op : ops)                                                                                         \
          for (auto diag : {CUBLAS_DIAG_UNIT, CUBLAS_DIAG_NON_UNIT}) {                                              \
            auto product = [&](ARGUMENTS) {                                                                         \
              return cublas##P##trmm(h, side, fill, op, diag, m, n, &alpha, A, LD, C, LD, C, LD);                   \
            };                                                                                                      \
            same<T>(#P "trmm in place", product, [&](ARGUMENTS) {                                                   \
              return cublasXt##P##trmm(xt, side, fill, op, diag, m, n, &alpha, A, LD, C, LD, C, LD);                \
            });                                                                                                     \
            if (diag == CUBLAS_DIAG_UNIT) continue;                                                                 \
            same<T>(                                                                                                \
                #P "trsm",                                                                                          \
                [&](ARGUMENTS) { return cublas##P##trsm(h, side, fill, op, diag, m, n, &alpha, A, LD, C, LD); },    \
                [&](ARGUMENTS) { return cublasXt##P##trsm(xt, side, fill, op, diag, m, n, &alpha, A, LD, C, LD); }); \
          }                                                                                                         \
      }                                                                                                             \
    }                                                                                                               \
  }
ROUTINES(S, float)
ROUTINES(Z, cuDoubleComplex)

static void hermitian() {
  typedef cuDoubleComplex T;
  const int m = 19, n = 21, k = 17;
  const T alpha = {0.5, -0.25}, beta = {-1.5, 0.5};
  const double ra = 0.75, rb = -0.5;
  for (auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
    for (auto op : {CUBLAS_OP_N, CUBLAS_OP_C}) {
      same<T>("herk", [&](ARGUMENTS) { return cublasZherk(h, fill, op, n, k, &ra, A, LD, &rb, C, LD); },
              [&](ARGUMENTS) { return cublasXtZherk(xt, fill, op, n, k, &ra, A, LD, &rb, C, LD); });
      same<T>("herkx", [&](ARGUMENTS) { return cublasZherkx(h, fill, op, n, k, &alpha, A, LD, B, LD, &rb, C, LD); },
              [&](ARGUMENTS) { return cublasXtZherkx(xt, fill, op, n, k, &alpha, A, LD, B, LD, &rb, C, LD); });
      same<T>("her2k", [&](ARGUMENTS) { return cublasZher2k(h, fill, op, n, k, &alpha, A, LD, B, LD, &rb, C, LD); },
              [&](ARGUMENTS) { return cublasXtZher2k(xt, fill, op, n, k, &alpha, A, LD, B, LD, &rb, C, LD); });
    }
    for (auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT})
      same<T>("hemm",
              [&](ARGUMENTS) { return cublasZhemm(h, side, fill, m, n, &alpha, A, LD, B, LD, &beta, C, LD); },
              [&](ARGUMENTS) { return cublasXtZhemm(xt, side, fill, m, n, &alpha, A, LD, B, LD, &beta, C, LD); });
  }
}
static void expect(const char *what, int got, int want) {
  if (got != want) { printf("%s: %d, expected %d\n", what, got, want); bad++; }
}

int main() {
  cublasCreate(&h);
  expect("create", cublasXtCreate(&xt), CUBLAS_STATUS_SUCCESS);
  float one = 1, x = 2, y = 3, z = 4;
  expect("before devices are selected",
         cublasXtSgemm(xt, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &x, 1, &y, 1, &one, &z, 1),
         CUBLAS_STATUS_NOT_INITIALIZED);
  int devices[] = {0}, wrong[] = {99}, size = 0;
  expect("a device that is not there", cublasXtDeviceSelect(xt, 1, wrong), CUBLAS_STATUS_INVALID_VALUE);
  expect("select", cublasXtDeviceSelect(xt, 1, devices), CUBLAS_STATUS_SUCCESS);
  expect("tiles of 0", cublasXtSetBlockDim(xt, 0), CUBLAS_STATUS_INVALID_VALUE);
  expect("a setting of no handle", cublasXtGetBlockDim(nullptr, &size), CUBLAS_STATUS_INVALID_VALUE);
  expect("a product by no handle",
         cublasXtSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &x, 1, &y, 1, &one, &z, 1),
         CUBLAS_STATUS_NOT_INITIALIZED);
  cublasXtGetBlockDim(xt, &size);
  expect("size of a tile", size, 2048);
  cublasXtSetBlockDim(xt, 8);
  expect("a leading dimension that is too small",
         cublasXtSgemm(xt, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 1, &one, &x, 1, &y, 1, &one, &z, 2),
         CUBLAS_STATUS_INVALID_VALUE);
  routines_S();
  routines_Z();
  hermitian();
  expect("destroy", cublasXtDestroy(xt), CUBLAS_STATUS_SUCCESS);
  puts(bad ? "wrong" : "all right");
  return bad != 0;
}
