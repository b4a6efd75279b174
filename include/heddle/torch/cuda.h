/* Streams, guards and checks: c10/cuda and ATen/cuda. */
#pragma once

#include "tensor.h"

namespace c10 {
namespace cuda {
void check(cudaError_t error, const char *file, int line);

/* The stream that the runtime's operations use, too. */
class CUDAStream {
public:
  CUDAStream(cudaStream_t stream = nullptr, DeviceIndex device = 0) : stream_(stream), device_(device) {}
  operator cudaStream_t() const { return stream_; }
  cudaStream_t stream() const { return stream_; }
  DeviceIndex device_index() const { return device_; }
  Device device() const { return Device(kCUDA, device_); }
  int64_t id() const { return (int64_t)(uintptr_t)stream_; }
  void synchronize() const { check(cudaStreamSynchronize(stream_), __FILE__, __LINE__); }
  bool query() const { return cudaStreamQuery(stream_) == cudaSuccess; }

private:
  cudaStream_t stream_;
  DeviceIndex device_;
};
inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1) { return CUDAStream(); }
inline CUDAStream getDefaultCUDAStream(DeviceIndex = -1) { return CUDAStream(); }
inline CUDAStream getStreamFromPool(bool = false, DeviceIndex = -1) { return CUDAStream(); }
inline DeviceIndex current_device() { return 0; }
inline DeviceIndex device_count() { return 1; }
inline void set_device(DeviceIndex) {}
inline void device_synchronize() { check(cudaDeviceSynchronize(), __FILE__, __LINE__); }

/* There is one device. */
class CUDAGuard {
public:
  explicit CUDAGuard(DeviceIndex) {}
  explicit CUDAGuard(Device) {}
  void set_index(DeviceIndex) {}
  void set_device(Device) {}
  Device original_device() const { return Device(kCUDA, 0); }
  Device current_device() const { return Device(kCUDA, 0); }
};
class OptionalCUDAGuard {
public:
  OptionalCUDAGuard() {}
  template <typename T> explicit OptionalCUDAGuard(const T &) {}
  void set_device(Device) {}
  void set_index(DeviceIndex) {}
};
class CUDAStreamGuard {
public:
  explicit CUDAStreamGuard(CUDAStream) {}
};
} // namespace cuda
struct DeviceGuard {
  explicit DeviceGuard(Device) {}
};
struct OptionalDeviceGuard {
  OptionalDeviceGuard() {}
  template <typename T> explicit OptionalDeviceGuard(const T &) {}
};
template <typename T> T divup(T a, T b) { return (a + b - 1) / b; }
} // namespace c10

namespace at {
inline c10::OptionalDeviceGuard device_of(const Tensor &) { return c10::OptionalDeviceGuard(); }
namespace cuda {
using namespace c10::cuda;
using c10::cuda::CUDAGuard;
using c10::cuda::CUDAStream;
cudaDeviceProp *getCurrentDeviceProperties();
inline cudaDeviceProp *getDeviceProperties(int64_t) { return getCurrentDeviceProperties(); }
inline int warp_size() { return 32; }
template <typename T> T ATenCeilDiv(T a, T b) { return (a + b - 1) / b; }
inline bool is_available() { return true; }
} // namespace cuda
template <typename T> __host__ __device__ T ceil_div(T a, T b) { return (a + b - 1) / b; }
namespace cuda {
template <typename A, typename B> __host__ __device__ auto CeilDiv(A a, B b) { return (a + b - 1) / b; }
} // namespace cuda

/* The type in which sums are computed. */
template <typename T, bool isCuda = true> struct AccumulateType { using type = T; };
template <> struct AccumulateType<c10::Half, true> { using type = float; };
template <> struct AccumulateType<c10::BFloat16, true> { using type = float; };
template <> struct AccumulateType<c10::Half, false> { using type = float; };
template <> struct AccumulateType<c10::BFloat16, false> { using type = float; };
template <> struct AccumulateType<float, false> { using type = double; };
template <bool isCuda> struct AccumulateType<int8_t, isCuda> { using type = int64_t; };
template <bool isCuda> struct AccumulateType<uint8_t, isCuda> { using type = int64_t; };
template <bool isCuda> struct AccumulateType<int16_t, isCuda> { using type = int64_t; };
template <bool isCuda> struct AccumulateType<int32_t, isCuda> { using type = int64_t; };
template <typename T, bool isCuda = true> using acc_type = typename AccumulateType<T, isCuda>::type;
template <typename T> using opmath_type = acc_type<T, true>;
template <typename T> struct OpMathType { using type = acc_type<T, true>; };
} // namespace at

#define C10_CUDA_CHECK(expression) ::c10::cuda::check((expression), __FILE__, __LINE__)
#define AT_CUDA_CHECK(expression) C10_CUDA_CHECK(expression)
#define C10_CUDA_CHECK_WARN(expression) (void)(expression)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define TORCH_DSA_KERNEL_LAUNCH(...)
#define THCudaCheck(expression) C10_CUDA_CHECK(expression)
#define CUDA_KERNEL_ASSERT(condition) assert(condition)
#define CUDA_KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#define CUDA_1D_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP(i, n)

#define C10_HOST_DEVICE __host__ __device__
#define C10_HOST __host__
#define C10_DEVICE __device__
#define C10_EXPORT
#define C10_API
#define TORCH_API
#define TORCH_CUDA_CU_API
#define C10_ALWAYS_INLINE inline __attribute__((always_inline))
#define C10_UNUSED __attribute__((unused))
#define C10_LIKELY(expression) __builtin_expect(!!(expression), 1)
#define C10_UNLIKELY(expression) __builtin_expect(!!(expression), 0)
#define C10_RESTRICT __restrict__
#define C10_WARP_SIZE 32
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
