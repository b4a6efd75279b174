/* See heddle/torch.h; and the handle of cuBLAS. */
#pragma once
#include <cublas_v2.h>
#include <heddle/torch.h>

namespace at {
namespace cuda {
inline cublasHandle_t getCurrentCUDABlasHandle() {
  static cublasHandle_t handle = nullptr;
  if (!handle) TORCH_CHECK(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "cuBLAS gives no handle");
  return handle;
}
} // namespace cuda
} // namespace at
#define TORCH_CUDABLAS_CHECK(expression)                                                                               \
  do {                                                                                                                 \
    int heddleStatus = (int)(expression);                                                                              \
    TORCH_CHECK(heddleStatus == 0, "CUDA error: cuBLAS status ", heddleStatus, " when calling `" #expression "`");     \
  } while (false)
