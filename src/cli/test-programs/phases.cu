// Steps of a solver, each in a range of its own; work on two streams.
#include <cstdio>
#include <nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvtx3.hpp>

struct io_domain { static constexpr char const* name{"io"}; };

__global__ void scale(float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= a;
}
__global__ void add(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += x[i];
}
void step(float* x, float* y, int n, cudaStream_t a, cudaStream_t b) {
  NVTX3_FUNC_RANGE();
  scale<<<n / 256, 256, 0, a>>>(x, 0.5f, n);
  add<<<n / 256, 256, 0, b>>>(y, x, n);
}
int main() {
  const int n = 1 << 14;
  float *x, *y;
  nvtxRangePushA("setup");
  float* host = new float[n];
  for (int i = 0; i < n; i++) host[i] = i;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  {
    nvtx3::scoped_range_in<io_domain> range{"upload", nvtx3::rgb{255, 0, 0}, nvtx3::payload{n}};
    cudaMemcpy(x, host, n * sizeof(float), cudaMemcpyHostToDevice);
  }
  cudaMemset(y, 0, n * sizeof(float));
  printf("level %d\n", nvtxRangePop());
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  nvtxNameCudaStreamA(b, "adder");
  nvtxRangeId_t all = nvtxRangeStartA("all steps");
  for (int i = 0; i < 3; i++) {
    nvtxRangePushW(L"step µ");
    step(x, y, n, a, b);
    nvtxRangePop();
    nvtxMarkA("step done");
  }
  cudaDeviceSynchronize();
  nvtxRangeEnd(all);
  nvtxEventAttributes_t at = {};
  at.version = NVTX_VERSION; at.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  at.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  at.message.registered = nvtxDomainRegisterStringA(nullptr, "download");
  nvtxNameCategoryA(7, "bulk");
  at.category = 7;
  nvtxRangePushEx(&at);
  cudaMemcpyAsync(host, y, n * sizeof(float), cudaMemcpyDeviceToHost, a);
  cudaStreamSynchronize(a);
  nvtxRangePop();
  printf("%g pop %d\n", host[8], nvtxRangePop());
  nvtxRangePushA("never ended");
}
