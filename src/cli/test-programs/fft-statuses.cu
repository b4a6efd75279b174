// What cuFFT's calls return for wrong arguments, and plans by their parts.
#include <cufft.h>
#include <cufftXt.h>
#include <cstdio>
#include <vector>

static int wrong = 0;
#define EXPECT(STATUS, CALL)                                                             \
  do {                                                                                   \
    int is = (int)(CALL);                                                                \
    if (is != (int)(STATUS)) {                                                           \
      printf("line %d: %s is %d, and not %s\n", __LINE__, #CALL, is, #STATUS);           \
      wrong++;                                                                           \
    }                                                                                    \
  } while (0)
/// Where NVIDIA's library does not do what its documentation says.
#define EITHER(DOCUMENTED, THEIRS, CALL)                                                 \
  do {                                                                                   \
    int is = (int)(CALL);                                                                \
    if (is != (int)(DOCUMENTED) && is != (int)(THEIRS)) {                                \
      printf("line %d: %s is %d, not %s\n", __LINE__, #CALL, is, #DOCUMENTED);           \
      wrong++;                                                                           \
    }                                                                                    \
  } while (0)

int main() {
  cufftHandle plan = 0;
  size_t bytes = 0;
  cufftComplex *data;
  cudaMalloc(&data, 1 << 20);
  cudaMemset(data, 0, 1 << 20);

  EXPECT(CUFFT_INVALID_SIZE, cufftPlan1d(&plan, 0, CUFFT_C2C, 1));
  EXPECT(CUFFT_INVALID_SIZE, cufftPlan1d(&plan, -4, CUFFT_C2C, 1));
  // Documented is CUFFT_INVALID_SIZE. NVIDIA's library (13.0) finds such lengths in one dimension only.
  EITHER(CUFFT_INVALID_SIZE, CUFFT_INTERNAL_ERROR, cufftPlan2d(&plan, 8, 0, CUFFT_R2C));
  EXPECT(CUFFT_INVALID_SIZE, cufftPlan1d(&plan, 8, CUFFT_C2C, 0));
  EXPECT(CUFFT_INVALID_TYPE, cufftPlan1d(&plan, 8, (cufftType)1, 1));
  int n[] = {8, 8, 8, 8};
  EXPECT(CUFFT_INVALID_VALUE, cufftPlanMany(&plan, 4, n, nullptr, 1, 1, nullptr, 1, 1, CUFFT_C2C, 1));
  EXPECT(CUFFT_INVALID_PLAN, cufftExecC2C(1234, data, data, CUFFT_FORWARD));
  EXPECT(CUFFT_INVALID_PLAN, cufftDestroy(1234));
  EXPECT(CUFFT_INVALID_PLAN, cufftSetStream(1234, 0));
  EXPECT(CUFFT_INVALID_PLAN, cufftGetSize(1234, &bytes));

  EXPECT(CUFFT_SUCCESS, cufftPlan1d(&plan, 64, CUFFT_C2C, 2));
  EXPECT(CUFFT_INVALID_VALUE, cufftExecC2C(plan, data, data, 0));
  EXPECT(CUFFT_SUCCESS, cufftXtExec(plan, data, data, CUFFT_INVERSE));
  // An error from before the call, at which the program has not looked, is not the call's.
  EXPECT(cudaErrorInvalidDevice, cudaSetDevice(99));
  EXPECT(CUFFT_SUCCESS, cufftExecC2C(plan, data, data, CUFFT_FORWARD));
  EXPECT(cudaErrorInvalidDevice, cudaGetLastError());
  EXPECT(CUFFT_SUCCESS, cufftDestroy(plan));
  EXPECT(CUFFT_INVALID_PLAN, cufftDestroy(plan));

  // A work area of the program's own.
  EXPECT(CUFFT_SUCCESS, cufftCreate(&plan));
  EXPECT(CUFFT_INVALID_PLAN, cufftExecC2C(plan, data, data, CUFFT_FORWARD));
  EXPECT(CUFFT_INVALID_PLAN, cufftGetSize(plan, &bytes));
  EXPECT(CUFFT_SUCCESS, cufftSetAutoAllocation(plan, 0));
  EXPECT(CUFFT_SUCCESS, cufftMakePlan1d(plan, 4096, CUFFT_C2C, 3, &bytes));
  size_t again = 0;
  EXPECT(CUFFT_SUCCESS, cufftGetSize(plan, &again));
  EXPECT(bytes, again);
  EXPECT(CUFFT_INVALID_PLAN, cufftMakePlan1d(plan, 4096, CUFFT_C2C, 3, &bytes));
  std::vector<cufftComplex> h(3 * 4096), back(3 * 4096);
  for (size_t i = 0; i < h.size(); i++) h[i] = {(float)(i % 17), (float)(i % 5)};
  cudaMemcpy(data, h.data(), h.size() * 8, cudaMemcpyHostToDevice);
  void *area;
  cudaMalloc(&area, bytes > 0 ? bytes : 1);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  EXPECT(CUFFT_SUCCESS, cufftSetWorkArea(plan, area));
  EXPECT(CUFFT_SUCCESS, cufftSetStream(plan, stream));
  EXPECT(CUFFT_SUCCESS, cufftExecC2C(plan, data, data, CUFFT_FORWARD));
  EXPECT(CUFFT_SUCCESS, cufftExecC2C(plan, data, data, CUFFT_INVERSE));
  cudaStreamSynchronize(stream);
  cudaMemcpy(back.data(), data, h.size() * 8, cudaMemcpyDeviceToHost);
  for (size_t i = 0; i < h.size(); i++)
    if (fabsf(back[i].x / 4096 - h[i].x) > 1e-4f || fabsf(back[i].y / 4096 - h[i].y) > 1e-4f) wrong++;
  EXPECT(CUFFT_SUCCESS, cufftDestroy(plan));

  // A work area that is there before the plan is made.
  EXPECT(CUFFT_SUCCESS, cufftCreate(&plan));
  EXPECT(CUFFT_SUCCESS, cufftSetAutoAllocation(plan, 0));
  EXPECT(CUFFT_SUCCESS, cufftSetWorkArea(plan, area));
  EXPECT(CUFFT_SUCCESS, cufftMakePlan1d(plan, 4096, CUFFT_C2C, 3, &bytes));
  EXPECT(CUFFT_SUCCESS, cufftExecC2C(plan, data, data, CUFFT_FORWARD));
  EXPECT(CUFFT_SUCCESS, cufftDestroy(plan));

  // Data behind a descriptor, and sizes of 64 bits. A list of devices has at least two; without one the data are on the
  // current device, and cufftXtExec transforms them.
  int device = 0;
  long long n64[] = {16, 20};
  cudaLibXtDesc *descriptor = nullptr;
  EXPECT(CUFFT_INVALID_VALUE, cufftXtSetGPUs(0, 0, nullptr));
  EXPECT(CUFFT_INVALID_VALUE, cufftXtMalloc(0, nullptr, CUFFT_XT_FORMAT_INPLACE));
  EXPECT(CUFFT_SUCCESS, cufftCreate(&plan));
  EXPECT(CUFFT_INVALID_VALUE, cufftXtSetGPUs(plan, 1, &device));
  EXPECT(CUFFT_INVALID_PLAN, cufftXtMalloc(plan, &descriptor, CUFFT_XT_FORMAT_INPLACE));
  EXPECT(CUFFT_SUCCESS, cufftXtMakePlanMany(plan, 2, n64, nullptr, 1, 1, CUDA_C_32F, nullptr, 1, 1, CUDA_C_32F, 1,
                                            &bytes, CUDA_C_32F));
  EXPECT(CUFFT_SUCCESS, cufftXtMalloc(plan, &descriptor, CUFFT_XT_FORMAT_INPLACE));
  if (descriptor) {
    EXPECT(CUFFT_SUCCESS, cufftXtMemcpy(plan, descriptor, h.data(), CUFFT_COPY_HOST_TO_DEVICE));
    EXPECT(CUFFT_EXEC_FAILED, cufftXtExecDescriptorC2C(plan, descriptor, descriptor, CUFFT_FORWARD));
    void *there = descriptor->descriptor->data[0];
    EXPECT(CUFFT_SUCCESS, cufftXtExec(plan, there, there, CUFFT_FORWARD));
    EXPECT(CUFFT_SUCCESS, cufftXtExec(plan, there, there, CUFFT_INVERSE));
    EXPECT(CUFFT_SUCCESS, cufftXtMemcpy(plan, back.data(), descriptor, CUFFT_COPY_DEVICE_TO_HOST));
    for (int i = 0; i < 320; i++) if (fabsf(back[i].x / 320 - h[i].x) > 1e-4f) wrong++;
    EXPECT(CUFFT_SUCCESS, cufftXtFree(descriptor));
  }
  EXPECT(CUFFT_SUCCESS, cufftDestroy(plan));

  EXPECT(CUFFT_SUCCESS, cufftEstimate3d(8, 9, 10, CUFFT_Z2Z, &bytes));
  EXPECT(CUFFT_INVALID_SIZE, cufftEstimate1d(0, CUFFT_Z2Z, 1, &bytes));
  int major = 0, version = 0;
  EXPECT(CUFFT_SUCCESS, cufftGetProperty(MAJOR_VERSION, &major));
  EXPECT(CUFFT_SUCCESS, cufftGetVersion(&version));
  EXPECT(major, version / 1000);

  // Documented is CUFFT_INVALID_VALUE. NVIDIA's library does not look at the pointers: its kernel faults, and whatever
  // is called after that fails. So this comes last.
  EXPECT(CUFFT_SUCCESS, cufftPlan1d(&plan, 64, CUFFT_C2C, 2));
  int status = cufftExecC2C(plan, nullptr, data, CUFFT_FORWARD);
  if (status != CUFFT_SUCCESS || cudaDeviceSynchronize() == cudaSuccess) EXPECT(CUFFT_INVALID_VALUE, status);
  puts(wrong == 0 ? "PASSED" : "FAILED");
}
