/* Error checks and device choice as the CUDA samples write them. Include library headers (cublas_v2.h …) first to have
 * their errors named, too. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_runtime.h"
#include "helper_string.h"

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

static inline const char *_cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
#ifdef CUBLAS_VERSION
static inline const char *_cudaGetErrorEnum(cublasStatus_t error) { return cublasGetStatusName(error); }
#endif
template <typename T>
static inline const char *_cudaGetErrorEnum(T) { return "<unknown>"; }

template <typename T>
inline void check(T result, char const *const call, const char *const file, int const line) {
  if (!result) return;
  fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, (int)result, _cudaGetErrorEnum(result),
          call);
  exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)

inline void __getLastCudaError(const char *message, const char *file, const int line) {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, (int)error,
          cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}
#define getLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__)
inline void __printLastCudaError(const char *message, const char *file, const int line) {
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess)
    fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, (int)error,
            cudaGetErrorString(error));
}
#define printLastCudaError(message) __printLastCudaError(message, __FILE__, __LINE__)

#ifndef MAX
#define MAX(a, b) (a > b ? a : b)
#endif

inline int ftoi(float value) { return value >= 0 ? (int)(value + 0.5) : (int)(value - 0.5); }

/** FP32 lanes of a multiprocessor (CUDA C++ Programming Guide, "Arithmetic Instructions", throughput of 32-bit
 * additions). */
inline int _ConvertSMVer2Cores(int major, int minor) {
  switch (major) {
    case 3: return 192;
    case 5: return 128;
    case 6: return minor == 0 ? 64 : 128;
    case 7: return 64;
    case 8: return minor == 0 ? 64 : 128;
    default: return 128;
  }
}
inline const char *_ConvertSMVer2ArchName(int major, int minor) {
  switch (major) {
    case 3: return "Kepler";
    case 5: return "Maxwell";
    case 6: return "Pascal";
    case 7: return minor >= 5 ? "Turing" : minor == 2 ? "Xavier" : "Volta";
    case 8: return minor == 9 ? "Ada" : "Ampere";
    case 9: return "Hopper";
    default: return "Graphics Device";
  }
}

inline int gpuDeviceInit(int device) {
  int count = 0;
  checkCudaErrors(cudaGetDeviceCount(&count));
  if (count == 0) {
    fprintf(stderr, "gpuDeviceInit() CUDA error: no devices supporting CUDA.\n");
    exit(EXIT_FAILURE);
  }
  if (device < 0) device = 0;
  if (device > count - 1) {
    fprintf(stderr, "gpuDeviceInit (-device=%d) is not a valid GPU device: there are %d.\n", device, count);
    return -device;
  }
  int major = 0, minor = 0;
  checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  checkCudaErrors(cudaSetDevice(device));
  printf("gpuDeviceInit() CUDA Device [%d]: \"%s\n", device, _ConvertSMVer2ArchName(major, minor));
  return device;
}
/** The device with the highest product of multiprocessors, their width and their clock. */
inline int gpuGetMaxGflopsDeviceId() {
  int count = 0, best = 0;
  double most = -1;
  checkCudaErrors(cudaGetDeviceCount(&count));
  for (int device = 0; device < count; device++) {
    int major = 0, minor = 0, processors = 0, clock = 1;
    checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    checkCudaErrors(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device);
    const double performance = (double)processors * _ConvertSMVer2Cores(major, minor) * clock;
    if (performance > most) {
      most = performance;
      best = device;
    }
  }
  return best;
}
inline int findCudaDevice(int argc, const char **argv) {
  int device = 0;
  if (checkCmdLineFlag(argc, argv, "device")) {
    device = gpuDeviceInit(getCmdLineArgumentInt(argc, argv, "device"));
    if (device < 0) exit(EXIT_FAILURE);
    return device;
  }
  device = gpuGetMaxGflopsDeviceId();
  checkCudaErrors(cudaSetDevice(device));
  int major = 0, minor = 0;
  checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, _ConvertSMVer2ArchName(major, minor), major,
         minor);
  return device;
}
inline int findIntegratedGPU() {
  fprintf(stderr, "CUDA error: No GPU with integrated memory.\n");
  exit(EXIT_FAILURE);
}
inline bool checkCudaCapabilities(int major, int minor) {
  int device = 0, hasMajor = 0, hasMinor = 0;
  checkCudaErrors(cudaGetDevice(&device));
  checkCudaErrors(cudaDeviceGetAttribute(&hasMajor, cudaDevAttrComputeCapabilityMajor, device));
  checkCudaErrors(cudaDeviceGetAttribute(&hasMinor, cudaDevAttrComputeCapabilityMinor, device));
  if (hasMajor > major || (hasMajor == major && hasMinor >= minor)) return true;
  printf("  No GPU device was found that can support CUDA compute capability %d.%d.\n", major, minor);
  return false;
}
