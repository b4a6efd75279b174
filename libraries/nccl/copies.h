// Copies of ranks' buffers. NCCL's kernels know no allocations: a count that is too large reads and writes what lies
// behind a buffer, as with NVIDIA's library, and `heddle check` reports the kernel. A copy by the driver would fail.
#pragma once
#include <cuda_runtime.h>

namespace heddle_nccl {

/// By the current device. @param fromDevice, toDevice where the buffers lie
cudaError_t copy_on_devices(void *to, int toDevice, const void *from, int fromDevice, size_t bytes,
                            cudaStream_t stream);
/// Between a buffer on the current device and memory of the host. They wait for the stream.
cudaError_t copy_to_host(void *to, const void *from, size_t bytes, cudaStream_t stream);
cudaError_t copy_from_host(void *to, const void *from, size_t bytes, cudaStream_t stream);

} // namespace heddle_nccl
