// What NVIDIA's open libraries of headers ask of the platform, without them.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <cstdio>

static_assert(!__nv_is_extended_device_lambda_closure_type(int));
static_assert(cudaGPUDirectRDMAWritesOrderingAllDevices == 200 && cudaMemHandleTypeFabric == 8);

template <typename T> struct IsBlock { static constexpr bool value = false; };
template <> struct IsBlock<::cooperative_groups::__v1::thread_block> { static constexpr bool value = true; };
static_assert(IsBlock<decltype(cooperative_groups::this_thread_block())>::value);

template <typename T> struct Pair { volatile T x, y; };
template <typename T> __host__ __device__ T second(const Pair<T> &pair) { return pair.y; }

__host__ __device__ int throughHeap(int value) {
  int *p = (int *)std::malloc(2 * sizeof *p);
  p[1] = value;
  value = p[1];
  std::free(p);
  return value;
}

__global__ void wide(__int128 *numbers, unsigned __int128 *bits, __half *halves, unsigned *spaces) {
  numbers[1] = numbers[0] * numbers[0] - 5;
  numbers[2] = numbers[1] / 7 + numbers[1] % 7;
  bits[0] = (((unsigned __int128)1 << (64 + threadIdx.x)) - 1) >> 3;
  Pair<__half> pair;
  pair.x = __float2half(1.5f);
  pair.y = __float2half(2.5f);
  halves[0] = second(pair);
  __shared__ int shared;
  spaces[0] = __isGridConstant(&shared) + __isGridConstant(numbers) + throughHeap(6) - 6;
}

int main() {
  __int128 *numbers;
  unsigned __int128 *bits;
  __half *halves;
  unsigned *spaces;
  cudaMallocManaged(&numbers, 3 * sizeof *numbers);
  cudaMallocManaged(&bits, sizeof *bits);
  cudaMallocManaged(&halves, sizeof *halves);
  cudaMallocManaged(&spaces, sizeof *spaces);
  const __int128 start = ((__int128)0x123456789abcdef << 1) + 7, square = start * start - 5;
  numbers[0] = start;
  *spaces = 9;
  wide<<<1, 1>>>(numbers, bits, halves, spaces);
  bool right = cudaDeviceSynchronize() == cudaSuccess;
  right = right && numbers[1] == square && numbers[2] == square / 7 + square % 7;
  right = right && bits[0] == ((((unsigned __int128)1 << 64) - 1) >> 3);
  Pair<__nv_bfloat16> pair;
  pair.y = __float2bfloat16(3.0f);
  right = right && __half2float(halves[0]) == 2.5f && __bfloat162float(second(pair)) == 3.0f && *spaces == 0;
  right = right && throughHeap(7) == 7;
  // What the code was compiled for, on whatever GPU.
  const int architectures[] = {__CUDA_ARCH_LIST__};
  cudaFuncAttributes attributes;
  right = right && cudaFuncGetAttributes(&attributes, (const void *)wide) == cudaSuccess;
  right = right && architectures[0] == 800 && attributes.ptxVersion == 80;
  puts(right ? "PASSED" : "FAILED");
  return right ? 0 : 1;
}
