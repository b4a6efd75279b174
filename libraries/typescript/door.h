// What TypeScript calls of a library (src/gpu-libraries): functions that take numbers and addresses, wait for their
// kernels, and return null or what went wrong.
#pragma once
#include <cuda_runtime.h>

/// Numbers are as wide as addresses, in 32-bit and in 64-bit programs: the caller need not know which is which.
typedef long number;
#define HEDDLE_DOOR(NAME) extern "C" __attribute__((export_name(#NAME))) const char *NAME

extern "C" {
void __wasm_call_ctors(void);
__attribute__((export_name("__heddle_door_start"))) void __heddle_door_start(void) { __wasm_call_ctors(); }
}
// A host module has a main.
int main() { return 0; }

namespace heddle_door {

/// The end of a function: waits for its kernels.
inline const char *finished() {
  cudaError_t error = cudaDeviceSynchronize();
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

} // namespace heddle_door
