// What NVIDIA's libraries do in calls that Heddle's do without: handles that have memory from the start, waits. While a
// stream is captured this decides, since a capture refuses it.
#pragma once
#include <cuda_runtime.h>
#include "scratch.h"

/// 1: some stream of the program is captured.
extern "C" int __heddle_is_capturing(void);

namespace heddle_captures {

/// False: a capture refuses the memory that the call would allocate.
inline bool can_allocate() {
  if (!__heddle_is_capturing()) return true;
  void *memory;
  if (cudaMalloc(&memory, 1) != cudaSuccess) return false;
  cudaFree(memory);
  return true;
}

/// False: a capture refuses that the call frees memory.
inline bool can_free() {
  if (!__heddle_is_capturing()) return true;
  void *memory = nullptr;
  {
    heddle_scratch::OutsideOfCaptures allocation;
    if (cudaMalloc(&memory, 1) != cudaSuccess) return true;
  }
  if (cudaFree(memory) == cudaSuccess) return true;
  heddle_scratch::OutsideOfCaptures again;
  cudaFree(memory);
  return false;
}

/// False: the stream is captured, and the call would wait for it.
inline bool can_wait(cudaStream_t stream) {
  return !__heddle_is_capturing() || cudaStreamSynchronize(stream) == cudaSuccess;
}

/// The call waits for the device, and says nothing of a capture that refuses this.
inline void wait_for_device() {
  if (__heddle_is_capturing()) cudaDeviceSynchronize();
}

/// Whether the error says that a capture has refused a call.
inline bool is_refusal(cudaError_t error) {
  return error >= cudaErrorStreamCaptureUnsupported && error <= cudaErrorStreamCaptureWrongThread;
}

} // namespace heddle_captures
