// The library itself and the system: what NVML has without a device.
#include "answers.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wasi/api.h>

using namespace heddle_nvml;

namespace {

/// The emulated device's driver is Heddle, with the version of CUDA that it has.
void driver_version(char *text) {
  int version = 0;
  cudaDriverGetVersion(&version);
  sprintf(text, "%d.%d", NVML_CUDA_DRIVER_VERSION_MAJOR(version), NVML_CUDA_DRIVER_VERSION_MINOR(version));
}
nvmlReturn_t own_name(char *name, unsigned length) {
  size_t count = 0, size = 0;
  if (__wasi_args_sizes_get(&count, &size) || !count) return NVML_ERROR_UNKNOWN;
  uint8_t **words = (uint8_t **)malloc(count * sizeof *words), *text = (uint8_t *)malloc(size);
  nvmlReturn_t status = NVML_ERROR_UNKNOWN;
  if (words && text && !__wasi_args_get(words, text)) status = put((const char *)words[0], name, length);
  free(words);
  free(text);
  return status;
}

} // namespace

nvmlReturn_t nvmlInit(void) { return nvmlInitWithFlags(0); }
nvmlReturn_t nvmlInit_v2(void) { return nvmlInitWithFlags(0); }
nvmlReturn_t nvmlInitWithFlags(unsigned) {
  initialized++;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlShutdown(void) {
  if (!initialized) return NVML_ERROR_UNINITIALIZED;
  initialized--;
  return NVML_SUCCESS;
}
const char *nvmlErrorString(nvmlReturn_t result) {
  static const char *const texts[] = {
    "Success", "Uninitialized", "Invalid Argument", "Not Supported", "Insufficient Permissions",
    "Already Initialized", "Not Found", "Insufficient Size", "Insufficient External Power", "Driver Not Loaded",
    "Timeout", "Interrupt Request Issue", "NVML Shared Library Not Found", "Function Not Found",
    "Corrupted infoROM", "GPU is lost", "GPU requires reset", "The operating system has blocked the request",
    "RM has detected an NVML/RM version mismatch", "In use by another client", "Insufficient Memory", "No data",
    "vGPU ECC is not supported", "Insufficient resources", "Frequency not supported", "Argument version mismatch",
    "Deprecated", "Not ready", "GPU not found", "Invalid state", "Reset type not supported",
  };
  return (size_t)result < sizeof texts / sizeof *texts ? texts[result] : "Unknown Error";
}
nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned length) {
  if (Asked done = asked(Answer::OWN, "nvmlSystemGetDriverVersion", version, length)) return done;
  char text[32];
  driver_version(text);
  return put(text, version, length);
}
nvmlReturn_t nvmlSystemGetDriverBranch(nvmlSystemDriverBranchInfo_t *info, unsigned length) {
  if (Asked done = asked(Answer::OWN, "nvmlSystemGetDriverBranch", info, length)) return done;
  return put("heddle", info->branch, length < sizeof info->branch ? length : sizeof info->branch);
}
nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned length) {
  if (!version) return NVML_ERROR_INVALID_ARGUMENT;
  return put(NVML_API_VERSION_STR ".0", version, length);
}
nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version) {
  if (!version) return NVML_ERROR_INVALID_ARGUMENT;
  return cudaDriverGetVersion(version) == cudaSuccess ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version) { return nvmlSystemGetCudaDriverVersion(version); }
/// On the emulated device, a program knows no process but itself.
nvmlReturn_t nvmlSystemGetProcessName(unsigned pid, char *name, unsigned length) {
  if (nvmlReturn_t wrong = checked(Answer::OWN, pid, name, length)) return wrong;
  if (!length) return NVML_ERROR_INVALID_ARGUMENT;
  if (pid == (unsigned)getpid()) return own_name(name, length);
  const Asked done = asked(Answer::OWN, "nvmlSystemGetProcessName", pid, name, length);
  return done ? done.status : NVML_ERROR_NOT_FOUND;
}
