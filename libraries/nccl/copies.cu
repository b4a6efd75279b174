#include "../common/launched.h"
#include "../common/nvidia.h"
#include "../common/scratch.h"
#include "copies.h"

namespace heddle_nccl {
namespace {

__global__ void copy_bytes(const char *from, char *to, size_t bytes) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < bytes; i += (size_t)gridDim.x * blockDim.x)
    to[i] = from[i];
}
cudaError_t copy_by_kernel(void *to, const void *from, size_t bytes, cudaStream_t stream) {
  size_t wanted = (bytes + 255) / 256;
  copy_bytes<<<(unsigned)(wanted < 4096 ? wanted : 4096), 256, 0, stream>>>((const char *)from, (char *)to, bytes);
  return __heddle_work_error();
}
bool leaves_allocation(const void *buffer, size_t bytes) { return __heddle_leaves_allocation(buffer, bytes) != 0; }

/// A buffer that leaves its allocation, through memory that does not.
template <class Copy> cudaError_t through_device(size_t bytes, Copy copy) {
  void *between = nullptr;
  heddle_scratch::OutsideOfCaptures allocation;
  cudaError_t error = cudaMalloc(&between, bytes);
  if (error == cudaSuccess) error = copy(between);
  cudaFree(between);
  return error;
}

} // namespace

cudaError_t copy_on_devices(void *to, int toDevice, const void *from, int fromDevice, size_t bytes,
                            cudaStream_t stream) {
  if (to == from || bytes == 0) return cudaSuccess;
  // Emulated devices reach each other's memory.
  bool canReach = toDevice == fromDevice || __heddle_is_emulated();
  if (canReach && (leaves_allocation(to, bytes) || leaves_allocation(from, bytes)))
    return copy_by_kernel(to, from, bytes, stream);
  if (toDevice != fromDevice) return cudaMemcpyPeerAsync(to, toDevice, from, fromDevice, bytes, stream);
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t copy_to_host(void *to, const void *from, size_t bytes, cudaStream_t stream) {
  if (leaves_allocation(from, bytes))
    return through_device(bytes, [&](void *between) {
      cudaError_t error = copy_by_kernel(between, from, bytes, stream);
      return error == cudaSuccess ? copy_to_host(to, between, bytes, stream) : error;
    });
  cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream);
  return error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
}

cudaError_t copy_from_host(void *to, const void *from, size_t bytes, cudaStream_t stream) {
  if (leaves_allocation(to, bytes))
    return through_device(bytes, [&](void *between) {
      cudaError_t error = copy_from_host(between, from, bytes, stream);
      if (error == cudaSuccess) error = copy_by_kernel(to, between, bytes, stream);
      return error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
    });
  cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream);
  return error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
}

} // namespace heddle_nccl
