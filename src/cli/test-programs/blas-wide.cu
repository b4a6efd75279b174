// cuBLAS with numbers of 64 bits: the same results, indices of 64 bits on the host and on the device, groups, and
// numbers that are too large. Then settings of cuBLAS and cuBLASLt, and cublasLtMatrixTransform.
#include <cublas_v2.h>
#include <cublasLt.h>
#include <cstdio>
#include <vector>

static int failures = 0;
#define EXPECT(call, wanted) expect((double)(call), (double)(wanted), #call)
static void expect(double got, double wanted, const char *call) {
  if (got != wanted) printf("%s is %g, not %g\n", call, got, wanted), failures++;
}
template <class T> static T *on_device(const std::vector<T> &x) {
  T *p;
  cudaMalloc(&p, x.size() * sizeof(T));
  cudaMemcpy(p, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}
template <class T> static std::vector<T> back(const T *p, size_t count) {
  std::vector<T> x(count);
  cudaMemcpy(x.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost);
  return x;
}

static void transform() {
  cublasLtHandle_t lt;
  EXPECT(cublasLtCreate(&lt), 0);
  cublasLtMatrixTransformDesc_t desc;
  cublasLtMatrixLayoutOpaque_t a, c;
  EXPECT(cublasLtMatrixTransformDescCreate(&desc, CUDA_R_32F), 0);
  cublasOperation_t op = CUBLAS_OP_T, got = CUBLAS_OP_N;
  EXPECT(cublasLtMatrixTransformDescSetAttribute(desc, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &op, sizeof op), 0);
  size_t written = 0;
  EXPECT(cublasLtMatrixTransformDescGetAttribute(desc, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &got, sizeof got,
                                                 &written), 0);
  EXPECT(got, CUBLAS_OP_T);
  EXPECT(written, sizeof got);
  EXPECT(cublasLtMatrixLayoutInit(&a, CUDA_R_32F, 2, 3, 2), 0);
  EXPECT(cublasLtMatrixLayoutInit(&c, CUDA_R_64F, 3, 2, 4), 0);
  float *A = on_device<float>({1, 2, 3, 4, 5, 6}), alpha = 2;
  double *C = on_device<double>(std::vector<double>(8, -1));
  EXPECT(cublasLtMatrixTransform(lt, desc, &alpha, A, &a, nullptr, nullptr, nullptr, C, &c, 0), 0);
  const double wanted[] = {2, 6, 10, -1, 4, 8, 12, -1};
  auto result = back(C, 8);
  for (int i = 0; i < 8; i++) EXPECT(result[i], wanted[i]);
  EXPECT(cublasLtMatrixTransform(lt, desc, &alpha, A, &c, nullptr, nullptr, nullptr, C, &c, 0),
         CUBLAS_STATUS_INVALID_VALUE);
  // More matrices than a grid has rows of blocks, and counts that differ.
  const int many = 70000;
  int64_t stride = 6;
  for (auto layout : {&a, &c}) {
    EXPECT(cublasLtMatrixLayoutInit(layout, CUDA_R_32F, layout == &a ? 2 : 3, layout == &a ? 3 : 2,
                                    layout == &a ? 2 : 3), 0);
    EXPECT(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                            sizeof stride), 0);
  }
  EXPECT(cublasLtMatrixLayoutSetAttribute(&a, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &many, sizeof many), 0);
  EXPECT(cublasLtMatrixTransform(lt, desc, &alpha, A, &a, nullptr, nullptr, nullptr, C, &c, 0),
         CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(cublasLtMatrixLayoutSetAttribute(&c, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &many, sizeof many), 0);
  std::vector<float> values(6 * many);
  for (int i = 0; i < 6 * many; i++) values[i] = (float)(i % 1000);
  float *from = on_device<float>(values), *to = on_device<float>(std::vector<float>(6 * many));
  EXPECT(cublasLtMatrixTransform(lt, desc, &alpha, from, &a, nullptr, nullptr, nullptr, to, &c, 0), 0);
  auto turned = back(to, 6 * many);
  int wrong = 0;
  for (int i = 0; i < 6 * many; i++) wrong += turned[i / 6 * 6 + i % 6 % 2 * 3 + i % 6 / 2] != 2 * values[i];
  EXPECT(wrong, 0);
  int ids[4], count = 0;
  EXPECT(cublasLtMatmulAlgoGetIds(lt, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 4,
                                  ids, &count), 0);
  EXPECT(count > 0, true);
  cublasLtMatmulAlgo_t algo;
  EXPECT(cublasLtMatmulAlgoInit(lt, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F,
                                ids[0], &algo), 0);
  EXPECT(cublasLtMatrixTransformDescDestroy(desc), 0);
  EXPECT(cublasLtDestroy(lt), 0);
}

int main() {
  cublasHandle_t h;
  EXPECT(cublasCreate(&h), 0);
  float *x = on_device<float>({1, -7, 3, 4});
  int64_t index = -1, *onDevice = on_device<int64_t>({-1});
  EXPECT(cublasIsamax_64(h, 4, x, 1, &index), 0);
  EXPECT(index, 2);
  EXPECT(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE), 0);
  EXPECT(cublasIsamin_64(h, 4, x, 1, onDevice), 0);
  EXPECT(back(onDevice, 1)[0], 1);
  EXPECT(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST), 0);
  const float two = 2, zero = 0;
  EXPECT(cublasSscal_64(h, 4, &two, x, 1), 0);
  EXPECT(back(x, 4)[1], -14);
  EXPECT(cublasSscal_64(h, 1ll << 32, &two, x, 1), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT(cublasSscal_64(nullptr, 4, &two, x, 1), CUBLAS_STATUS_NOT_INITIALIZED);
  // Without rows or columns gemv looks at nothing else; so does NVIDIA's.
  EXPECT(cublasSgemv_64(nullptr, CUBLAS_OP_N, 0, 0, nullptr, x, 0, x, 0, nullptr, x, 0), CUBLAS_STATUS_SUCCESS);
  EXPECT(cublasSgemv(nullptr, CUBLAS_OP_N, 1, 1, &two, x, 1, x, 1, &two, x, 1), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT(cublasSgemv(h, CUBLAS_OP_N, -1, 0, &two, x, 1, x, 1, &two, x, 1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(cublasGetPointerMode(nullptr, nullptr), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(cublasGetMathMode(nullptr, nullptr), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT(cublasLtLoggerOpenFile(nullptr), CUBLAS_STATUS_SUCCESS);
  float *y = on_device<float>({0, 0, 0, 0});
  EXPECT(cublasSgemm_64(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &two, x, 2, x, 2, &zero, y, 2), 0);
  auto product = back(y, 4); // 2 [2 6; -14 8]²
  EXPECT(product[0], 2 * (2 * 2 - 6 * 14));
  EXPECT(product[3], 2 * (-14 * 6 + 8 * 8));
  float **xs = on_device<float *>({x}), **ys = on_device<float *>({y});
  const cublasOperation_t none[] = {CUBLAS_OP_N};
  const int64_t sizes[] = {2}, one[] = {1};
  EXPECT(cublasSgemmGroupedBatched_64(h, none, none, sizes, sizes, sizes, &two, xs, sizes, xs, sizes, &zero, ys, sizes,
                                      1, one), 0);
  EXPECT(back(y, 4)[0], 2 * (2 * 2 - 6 * 14));
  float a = 3, b = 4, c, s;
  EXPECT(cublasRotgEx(h, &a, &b, CUDA_R_32F, &c, &s, CUDA_R_32F, CUDA_R_32F), 0);
  EXPECT(a, 5);
  int target = -1;
  EXPECT(cublasSetSmCountTarget(h, 12), 0);
  EXPECT(cublasGetSmCountTarget(h, &target), 0);
  EXPECT(target, 12);
  EXPECT(cublasSetSmCountTarget(h, -1), CUBLAS_STATUS_INVALID_VALUE);
  cublasComputeType_t compute;
  EXPECT(cublasMigrateComputeType(h, CUDA_R_64F, &compute), 0);
  EXPECT(compute, CUBLAS_COMPUTE_64F);
  EXPECT(cublasDestroy(h), 0);
  transform();
  printf(failures ? "FAILED\n" : "PASSED\n");
  return failures != 0;
}
