#include <cublas_v2.h>
#include <cublasLt.h>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cmath>
#include <complex>
// Products, sums and epilogues by cuBLAS and cuBLASLt, checked by loops on the host: by NVIDIA's libraries on a GPU that has them.
static int bad;
static void check(const char *what, double got, double want) { if (fabs(got - want) > 1e-3 * (1 + fabs(want))) { printf("%s: %g, expected %g\n", what, got, want); bad++; } }

static double part(double v, int) { return v; }
static double part(std::complex<double> v, int i) { return i ? v.imag() : v.real(); }
static std::complex<double> conj_of(std::complex<double> v) { return std::conj(v); }
static double conj_of(double v) { return v; }
template <class S> double to_double(S v) { return (double)v; }
template <> double to_double(__half v) { return __half2float(v); }
template <> double to_double(__nv_bfloat16 v) { return __bfloat162float(v); }

/** Level 1 of any types, X stored in device memory and W wide, against loops; increments of both signs. */
template <class X, class W, class Factor>
void any_type(cublasHandle_t h, const char *name, cudaDataType type, cudaDataType factor, Factor value) {
  const int n = 700;
  // cuBLAS reads and writes numbers of 16 bytes by aligned instructions, as cuDoubleComplex is aligned: with an alpha
  // that is aligned to 8 it ends the process.
  alignas(16) const Factor alpha = value;
  for (int inc : {1, 2, -3}) {
    const int step = inc < 0 ? -inc : inc;
    std::vector<X> x(n * step), y(n * 2);
    std::vector<W> wx(n), wy(n);
    for (int i = 0; i < n * step; i++) x[i] = X((float)(i % 9 - 4));
    for (int i = 0; i < n * 2; i++) y[i] = X((float)(i % 5 - 1));
    auto wide = [](X v) { if constexpr (std::is_same_v<W, double>) return to_double(v); else return W(v); };
    for (int i = 0; i < n; i++) { wx[i] = wide(x[(inc < 0 ? n - 1 - i : i) * step]); wy[i] = wide(y[2 * i]); }
    X *X_, *Y_; cudaMalloc(&X_, x.size() * sizeof(X)); cudaMalloc(&Y_, y.size() * sizeof(X));
    cudaMemcpy(X_, x.data(), x.size() * sizeof(X), cudaMemcpyHostToDevice);
    cudaMemcpy(Y_, y.data(), y.size() * sizeof(X), cudaMemcpyHostToDevice);
    const cudaDataType execution = factor;
    alignas(16) X result; W dot = 0, dotc = 0; double square = 0;
    for (int i = 0; i < n; i++) { dot += wx[i] * wy[i]; dotc += conj_of(wx[i]) * wy[i]; square += std::norm(wx[i]); }
    auto compare = [&](const char *what, X got, W want) {
      if constexpr (sizeof(X) == 2) want = wide(X((float)part(want, 0)));
      for (int i = 0; i < 2; i++) check((std::string(what) + name).c_str(), part(wide(got), i), part(want, i));
    };
    auto succeed = [&](const char *what, cublasStatus_t s) { if (s) { printf("%s%s: status %d\n", what, name, s); bad++; } };
    succeed("DotEx", cublasDotEx(h, n, X_, type, inc, Y_, type, 2, &result, type, execution));
    compare("DotEx ", result, dot);
    succeed("DotcEx", cublasDotcEx(h, n, X_, type, inc, Y_, type, 2, &result, type, execution));
    compare("DotcEx ", result, dotc);
    if (inc > 0) {
      if constexpr (std::is_same_v<W, double>) {
        alignas(16) X root;
        succeed("Nrm2Ex", cublasNrm2Ex(h, n, X_, type, inc, &root, type, execution));
        compare("Nrm2Ex ", root, std::sqrt(square));
      }
    }
    succeed("AxpyEx", cublasAxpyEx(h, n, &alpha, factor, X_, type, inc, Y_, type, 2, execution));
    cudaMemcpy(y.data(), Y_, y.size() * sizeof(X), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) compare("AxpyEx ", y[2 * i], W(alpha) * wx[i] + wy[i]);
    if (inc > 0) {
      succeed("ScalEx", cublasScalEx(h, n, &alpha, factor, X_, type, inc, execution));
      cudaMemcpy(x.data(), X_, x.size() * sizeof(X), cudaMemcpyDeviceToHost);
      for (int i = 0; i < n; i++) compare("ScalEx ", x[i * inc], W(alpha) * wx[i]);
    }
    cudaFree(X_); cudaFree(Y_);
  }
}

/** Products of bytes, against the formula that NVIDIA's library follows (cuBLAS 13.0): random shapes, and corners. */
static void bytes_gemm(cublasHandle_t h) {
  unsigned seed = 7;
  auto next = [&](int n) { return seed = seed * 1664525u + 1013904223u, (int)((seed >> 8) % (unsigned)n); };
  unsigned char *A, *B, *C;
  cudaMalloc(&A, 512), cudaMalloc(&B, 512), cudaMalloc(&C, 512);
  std::vector<unsigned char> a(512), b(512), c(512);
  for (int turn = 0; turn < 60; turn++) {
    const bool ta = next(2), tb = next(2), tc = next(2);
    const int m = 1 + next(9), n = 1 + next(9), k = next(9);
    const int lda = (ta ? k : m) + 1 + next(3), ldb = (tb ? n : k) + 1 + next(3), ldc = (tc ? n : m) + next(3);
    const int biasA = next(40) - 5, biasB = next(40) - 5, biasC = next(200) - 50;
    const int factor = next(7) - 1, shift = turn % 20 == 0 ? 31 + turn % 3 : next(6);
    for (int i = 0; i < 512; i++) a[i] = next(64), b[i] = next(64);
    cudaMemcpy(A, a.data(), 512, cudaMemcpyHostToDevice), cudaMemcpy(B, b.data(), 512, cudaMemcpyHostToDevice);
    const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T};
    check("status of bytes", cublasUint8gemmBias(h, ops[ta], ops[tb], ops[tc], m, n, k, A, biasA, lda, B, biasB, ldb, C, biasC, ldc, factor, shift), 0);
    cudaMemcpy(c.data(), C, 512, cudaMemcpyDeviceToHost);
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) {
      long long sum = biasC;
      for (int p = 0; p < k; p++) sum += (long long)(a[ta ? p + i * lda : i + p * lda] - biasA) * (b[tb ? j + p * ldb : p + j * ldb] - biasB);
      const int s = shift & 31;
      const double exact = s == 31 ? 0 : floor((double)(sum * factor) / (1ll << s) + (s ? 0.5 : 0));
      check("bytes", c[tc ? j + i * ldc : i + j * ldc], fmin(255, fmax(0, exact)));
    }
  }
  const auto N = CUBLAS_OP_N;
  check("wrong operation", cublasUint8gemmBias(h, (cublasOperation_t)9, N, N, 2, 2, 2, A, 0, 2, B, 0, 2, C, 0, 2, 1, 0), CUBLAS_STATUS_INVALID_VALUE);
  check("narrow C", cublasUint8gemmBias(h, N, N, CUBLAS_OP_T, 2, 4, 2, A, 0, 2, B, 0, 2, C, 0, 2, 1, 0), CUBLAS_STATUS_INVALID_VALUE);
  check("no rows", cublasUint8gemmBias(h, N, N, N, 0, 3, 3, A, 0, 1, B, 0, 3, C, 0, 1, 1, 0), CUBLAS_STATUS_SUCCESS);
  cudaFree(A), cudaFree(B), cudaFree(C);
}

int main() {
  const int m = 65, n = 33, k = 49;
  std::vector<float> a(m * k), b(k * n), c(m * n), bias(m);
  for (size_t i = 0; i < a.size(); i++) a[i] = (float)(i % 7) - 3;
  for (size_t i = 0; i < b.size(); i++) b[i] = (float)(i % 5) - 2;
  for (int i = 0; i < m; i++) bias[i] = i % 3;
  float *A, *B, *C, *BIAS, *R, *W;
  cudaMalloc(&A, a.size() * 4); cudaMalloc(&B, b.size() * 4); cudaMalloc(&C, c.size() * 4); cudaMalloc(&BIAS, m * 4); cudaMalloc(&R, 4); cudaMalloc(&W, 1 << 22);
  cudaMemcpy(A, a.data(), a.size() * 4, cudaMemcpyHostToDevice); cudaMemcpy(B, b.data(), b.size() * 4, cudaMemcpyHostToDevice); cudaMemcpy(BIAS, bias.data(), m * 4, cudaMemcpyHostToDevice);
  auto want = [&](int i, int j) { double s = 0; for (int x = 0; x < k; x++) s += (double)a[i + x * m] * b[x + j * k]; return s; };
  cublasHandle_t h; cublasCreate(&h);
  cudaStream_t s; cudaStreamCreate(&s); cublasSetStream(h, s);
  float one = 1, zero = 0, two = 2, result;
  cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &two, A, m, B, k, &zero, C, m);
  cudaMemcpyAsync(c.data(), C, c.size() * 4, cudaMemcpyDeviceToHost, s); cudaStreamSynchronize(s);
  for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) check("sgemm", c[i + j * m], 2 * want(i, j));
  cublasSdot(h, k, A, 1, B, 1, &result);
  double dot = 0; for (int i = 0; i < k; i++) dot += a[i] * b[i];
  check("sdot", result, dot);
  cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
  cublasSasum(h, k, A, 1, R);
  cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST);
  cudaStreamSynchronize(s); cudaMemcpy(&result, R, 4, cudaMemcpyDeviceToHost);
  double sum = 0; for (int i = 0; i < k; i++) sum += fabs(a[i]);
  check("sasum", result, sum);
  cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, A, CUDA_R_32F, m, B, CUDA_R_32F, k, &zero, C, CUDA_R_32F, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  cudaStreamSynchronize(s); cudaMemcpy(c.data(), C, c.size() * 4, cudaMemcpyDeviceToHost);
  for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) check("gemmEx", c[i + j * m], want(i, j));
  any_type<__half, double>(h, "half", CUDA_R_16F, CUDA_R_32F, 2.0f);
  any_type<__nv_bfloat16, double>(h, "bfloat16", CUDA_R_16BF, CUDA_R_32F, 2.0f);
  any_type<float, double>(h, "float", CUDA_R_32F, CUDA_R_32F, 1.5f);
  any_type<double, double>(h, "double", CUDA_R_64F, CUDA_R_64F, 1.5);
  any_type<std::complex<float>, std::complex<double>>(h, "complex", CUDA_C_32F, CUDA_C_32F, std::complex<float>(1, 2));
  any_type<std::complex<double>, std::complex<double>>(h, "double complex", CUDA_C_64F, CUDA_C_64F, std::complex<double>(1, 2));
  bytes_gemm(h);
  cublasDestroy(h);
  cublasLtHandle_t lt; cublasLtCreate(&lt);
  cublasLtMatmulDesc_t d; cublasLtMatmulDescCreate(&d, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtEpilogue_t e = CUBLASLT_EPILOGUE_RELU_BIAS;
  cublasLtMatmulDescSetAttribute(d, CUBLASLT_MATMUL_DESC_EPILOGUE, &e, sizeof e);
  cublasLtMatmulDescSetAttribute(d, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &BIAS, sizeof BIAS);
  cublasLtMatrixLayout_t la, lb, lc;
  cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, m, k, m); cublasLtMatrixLayoutCreate(&lb, CUDA_R_32F, k, n, k); cublasLtMatrixLayoutCreate(&lc, CUDA_R_32F, m, n, m);
  for (int turn = 0; turn < 3; turn++) {
    cudaMemset(C, 0, c.size() * 4);
    cublasStatus_t status = cublasLtMatmul(lt, d, &one, A, la, B, lb, &zero, C, lc, C, lc, nullptr, W, 1 << 22, 0);
    if (status != CUBLAS_STATUS_SUCCESS) { printf("cublasLtMatmul: %s\n", cublasLtGetStatusString(status)); bad++; }
    cudaMemcpy(c.data(), C, c.size() * 4, cudaMemcpyDeviceToHost);
    for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) check("ltMatmul", c[i + j * m], fmax(0, want(i, j) + bias[i]));
  }
  cublasLtDestroy(lt);
  printf(bad ? "%d wrong\n" : "all right\n", bad);
  return bad != 0;
}
