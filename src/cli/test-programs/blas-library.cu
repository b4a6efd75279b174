#include <cublas_v2.h>
#include <cublasLt.h>
#include <cstdio>
#include <vector>
#include <cmath>
// Products, sums and epilogues by cuBLAS and cuBLASLt, checked by loops on the host: by NVIDIA's libraries on a GPU that has them.
static int bad;
static void check(const char *what, double got, double want) { if (fabs(got - want) > 1e-3 * (1 + fabs(want))) { printf("%s: %g, expected %g\n", what, got, want); bad++; } }
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
