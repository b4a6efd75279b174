// What the CUDA runtime knows of a device: names, addresses, memory, kinship; the program itself as its process.
#include "answers.h"
#include <stddef.h>
#include <stdio.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

using namespace heddle_nvml;

namespace {

/// Checks the arguments, and asks the CUDA runtime for the device's properties.
template <class... Values>
nvmlReturn_t look_up(nvmlDevice_t device, cudaDeviceProp *properties, Values... values) {
  if (nvmlReturn_t wrong = checked(Answer::OWN, device, values...)) return wrong;
  return cudaGetDeviceProperties(properties, index_of(device)) == cudaSuccess ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}
void uuid_text(const cudaDeviceProp &properties, char *text) {
  const unsigned char *b = (const unsigned char *)properties.uuid.bytes;
  text += sprintf(text, "GPU-");
  for (int i = 0; i < 16; i++) text += sprintf(text, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", b[i]);
}
void pci_text(const cudaDeviceProp &p, char *text) {
  sprintf(text, NVML_DEVICE_PCI_BUS_ID_FMT, p.pciDomainID, p.pciBusID, p.pciDeviceID);
}
/// The first device that `is_wanted`.
template <class Wanted> nvmlReturn_t search(nvmlDevice_t *device, Wanted is_wanted) {
  for (int i = 0; i < device_count(); i++) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) return NVML_ERROR_UNKNOWN;
    if (is_wanted(properties)) return *device = handle_of(i), NVML_SUCCESS;
  }
  return NVML_ERROR_NOT_FOUND;
}
nvmlReturn_t memory_of(nvmlDevice_t device, size_t *left, size_t *total) {
  int current = 0;
  cudaGetDevice(&current);
  cudaSetDevice(index_of(device));
  const cudaError_t error = cudaMemGetInfo(left, total);
  cudaSetDevice(current);
  return error == cudaSuccess ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}
/// The processes of an emulated device: the program, as soon as it has memory there.
template <class Info>
nvmlReturn_t processes(const char *name, nvmlDevice_t device, unsigned *count, Info *infos, void (*complete)(Info *)) {
  if (Asked done = asked(Answer::LIST, name, device, count, infos)) return done;
  size_t left = 0, total = 0;
  if (nvmlReturn_t wrong = memory_of(device, &left, &total)) return wrong;
  const unsigned room = *count;
  *count = left < total;
  if (room < *count) return NVML_ERROR_INSUFFICIENT_SIZE;
  if (!*count) return NVML_SUCCESS;
  if (!infos) return NVML_ERROR_INVALID_ARGUMENT;
  infos->pid = (unsigned)getpid();
  infos->usedGpuMemory = total - left;
  complete(infos);
  return NVML_SUCCESS;
}
void without_parts(nvmlProcessInfo_v2_t *info) { info->gpuInstanceId = info->computeInstanceId = ~0u; }

} // namespace

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count) {
  if (nvmlReturn_t wrong = checked(Answer::OWN, count)) return wrong;
  *count = (unsigned)device_count();
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetCount(unsigned *count) { return nvmlDeviceGetCount_v2(count); }
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device) {
  if (nvmlReturn_t wrong = checked(Answer::OWN, index, device)) return wrong;
  if (index >= (unsigned)device_count()) return NVML_ERROR_INVALID_ARGUMENT;
  *device = handle_of((int)index);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t *device) {
  return nvmlDeviceGetHandleByIndex_v2(index, device);
}
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
  if (nvmlReturn_t wrong = checked(Answer::OWN, uuid, device)) return wrong;
  return search(device, [&](const cudaDeviceProp &properties) {
    char text[NVML_DEVICE_UUID_V2_BUFFER_SIZE];
    uuid_text(properties, text);
    return strcasecmp(text, uuid) == 0;
  });
}
nvmlReturn_t nvmlDeviceGetHandleByUUIDV(const nvmlUUID_t *uuid, nvmlDevice_t *device) {
  if (nvmlReturn_t wrong = checked(Answer::OWN, uuid, device)) return wrong;
  if (uuid->type == NVML_UUID_TYPE_ASCII) return nvmlDeviceGetHandleByUUID(uuid->value.str, device);
  if (uuid->type != NVML_UUID_TYPE_BINARY) return NVML_ERROR_INVALID_ARGUMENT;
  return search(device, [&](const cudaDeviceProp &properties) {
    return memcmp(properties.uuid.bytes, uuid->value.bytes, sizeof uuid->value.bytes) == 0;
  });
}
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device) {
  if (nvmlReturn_t wrong = checked(Answer::OWN, id, device)) return wrong;
  // The domain has eight digits, or four as the CUDA runtime writes it.
  const bool isShort = strchr(id, ':') == id + 4;
  return search(device, [&](const cudaDeviceProp &properties) {
    char text[NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE];
    pci_text(properties, text);
    return strcasecmp(isShort ? text + 4 : text, id) == 0;
  });
}
nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *id, nvmlDevice_t *device) {
  return nvmlDeviceGetHandleByPciBusId_v2(id, device);
}
nvmlReturn_t nvmlDeviceGetHandleBySerial(const char *serial, nvmlDevice_t *device) {
  if (nvmlReturn_t wrong = checked(Answer::OWN, serial, device)) return wrong;
  for (int i = 0; i < device_count(); i++) {
    char text[NVML_DEVICE_SERIAL_BUFFER_SIZE];
    if (nvmlDeviceGetSerial(handle_of(i), text, sizeof text) == NVML_SUCCESS && strcmp(text, serial) == 0)
      return *device = handle_of(i), NVML_SUCCESS;
  }
  return NVML_ERROR_NOT_FOUND;
}
nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *index) {
  if (nvmlReturn_t wrong = checked(Answer::OWN, device, index)) return wrong;
  *index = (unsigned)index_of(device);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned length) {
  cudaDeviceProp properties;
  nvmlReturn_t wrong = look_up(device, &properties, name);
  return wrong ? wrong : put(properties.name, name, length);
}
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned length) {
  cudaDeviceProp properties;
  if (nvmlReturn_t wrong = look_up(device, &properties, uuid)) return wrong;
  char text[NVML_DEVICE_UUID_V2_BUFFER_SIZE];
  uuid_text(properties, text);
  return put(text, uuid, length);
}
nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci) {
  cudaDeviceProp p;
  if (nvmlReturn_t wrong = look_up(device, &p, pci)) return wrong;
  memset(pci, 0, sizeof *pci);
  pci->domain = (unsigned)p.pciDomainID;
  pci->bus = (unsigned)p.pciBusID;
  pci->device = (unsigned)p.pciDeviceID;
  pci_text(p, pci->busId);
  snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, NVML_DEVICE_PCI_BUS_ID_LEGACY_FMT,
           NVML_DEVICE_PCI_BUS_ID_FMT_ARGS(pci));
  return NVML_SUCCESS;
}
/// Programs that were compiled with an older header have a shorter struct.
static nvmlReturn_t beginning_of_pci(nvmlDevice_t device, nvmlPciInfo_t *pci, size_t size) {
  if (nvmlReturn_t wrong = checked(Answer::OWN, device, pci)) return wrong;
  nvmlPciInfo_t info;
  if (nvmlReturn_t wrong = nvmlDeviceGetPciInfo_v3(device, &info)) return wrong;
  memcpy(pci, &info, size);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t *pci) {
  return beginning_of_pci(device, pci, offsetof(nvmlPciInfo_t, pciSubSystemId));
}
nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t *pci) {
  return beginning_of_pci(device, pci, offsetof(nvmlPciInfo_t, busId));
}
nvmlReturn_t nvmlDeviceGetPciInfoExt(nvmlDevice_t device, nvmlPciInfoExt_t *pci) {
  if (Asked done = asked(Answer::OWN, "nvmlDeviceGetPciInfoExt", device, pci)) return done;
  nvmlPciInfo_t info;
  if (nvmlReturn_t wrong = nvmlDeviceGetPciInfo_v3(device, &info)) return wrong;
  // Class 3, display controllers; subclass 2, those without a display (PCI Code and ID Assignment Specification).
  *pci = {pci->version, info.domain, info.bus, info.device, info.pciDeviceId, info.pciSubSystemId, 3, 2, ""};
  memcpy(pci->busId, info.busId, sizeof pci->busId);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
  size_t left = 0, total = 0;
  if (nvmlReturn_t wrong = checked(Answer::OWN, device, memory)) return wrong;
  if (nvmlReturn_t wrong = memory_of(device, &left, &total)) return wrong;
  *memory = {total, left, total - left};
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory) {
  size_t left = 0, total = 0;
  if (nvmlReturn_t wrong = checked(Answer::OWN, device, memory)) return wrong;
  if (nvmlReturn_t wrong = memory_of(device, &left, &total)) return wrong;
  *memory = {memory->version, total, 0, left, total - left};
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor) {
  cudaDeviceProp properties;
  if (nvmlReturn_t wrong = look_up(device, &properties, major, minor)) return wrong;
  *major = properties.major;
  *minor = properties.minor;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t *mode) {
  cudaDeviceProp properties;
  if (nvmlReturn_t wrong = look_up(device, &properties, mode)) return wrong;
  *mode = (nvmlComputeMode_t)properties.computeMode;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t device, unsigned *width) {
  cudaDeviceProp properties;
  if (nvmlReturn_t wrong = look_up(device, &properties, width)) return wrong;
  *width = (unsigned)properties.memoryBusWidth;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetBrand(nvmlDevice_t device, nvmlBrandType_t *type) {
  cudaDeviceProp p;
  if (nvmlReturn_t wrong = look_up(device, &p, type)) return wrong;
  // As NVML: GPUs of data centres have no brand of their own since the A100.
  *type = strstr(p.name, "GeForce RTX") ? NVML_BRAND_GEFORCE_RTX
          : strstr(p.name, "GeForce")   ? NVML_BRAND_GEFORCE
          : strstr(p.name, "RTX")       ? NVML_BRAND_NVIDIA_RTX
          : strstr(p.name, "Tesla")     ? NVML_BRAND_TESLA
                                        : NVML_BRAND_NVIDIA;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, nvmlDeviceArchitecture_t *arch) {
  cudaDeviceProp p;
  if (nvmlReturn_t wrong = look_up(device, &p, arch)) return wrong;
  const int known[] = {3, NVML_DEVICE_ARCH_KEPLER, 5, NVML_DEVICE_ARCH_MAXWELL, 6, NVML_DEVICE_ARCH_PASCAL,
                       7, p.minor >= 5 ? NVML_DEVICE_ARCH_TURING : NVML_DEVICE_ARCH_VOLTA,
                       8, p.minor == 9 ? NVML_DEVICE_ARCH_ADA : NVML_DEVICE_ARCH_AMPERE,
                       9, NVML_DEVICE_ARCH_HOPPER, 10, NVML_DEVICE_ARCH_BLACKWELL, 12, NVML_DEVICE_ARCH_BLACKWELL};
  *arch = NVML_DEVICE_ARCH_UNKNOWN;
  for (size_t i = 0; i < sizeof known / sizeof *known; i += 2)
    if (known[i] == p.major) *arch = (nvmlDeviceArchitecture_t)known[i + 1];
  return NVML_SUCCESS;
}
/// 64 a multiprocessor in 6.0, 7.x and 8.0, otherwise 128 (CUDA C++ Programming Guide, "Compute Capabilities").
nvmlReturn_t nvmlDeviceGetNumGpuCores(nvmlDevice_t device, unsigned *numCores) {
  cudaDeviceProp p;
  if (nvmlReturn_t wrong = look_up(device, &p, numCores)) return wrong;
  const bool hasFew = p.major == 7 || (p.minor == 0 && (p.major == 6 || p.major == 8));
  *numCores = (unsigned)p.multiProcessorCount * (hasFew ? 64 : 128);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetBusType(nvmlDevice_t device, nvmlBusType_t *type) {
  if (nvmlReturn_t wrong = checked(Answer::OWN, device, type)) return wrong;
  *type = NVML_BUS_TYPE_PCIE;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned *count, nvmlProcessInfo_v1_t *infos) {
  return processes<nvmlProcessInfo_v1_t>("nvmlDeviceGetComputeRunningProcesses", device, count, infos, [](auto) {});
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned *count, nvmlProcessInfo_v2_t
      *infos) {
  return processes("nvmlDeviceGetComputeRunningProcesses_v2", device, count, infos, without_parts);
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned *count, nvmlProcessInfo_t *infos) {
  return processes("nvmlDeviceGetComputeRunningProcesses_v3", device, count, infos, without_parts);
}

// Licences of the emulated device: there are none. Older structs have other features, whose number is zero.
static nvmlReturn_t without_licences(const char *name, nvmlDevice_t device, nvmlGridLicensableFeatures_t *features) {
  if (Asked done = asked(Answer::OWN, name, device, features)) return done;
  memset(features, 0, offsetof(nvmlGridLicensableFeatures_t, gridLicensableFeatures));
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetGridLicensableFeatures(nvmlDevice_t device, nvmlGridLicensableFeatures_t *features) {
  return without_licences("nvmlDeviceGetGridLicensableFeatures", device, features);
}
nvmlReturn_t nvmlDeviceGetGridLicensableFeatures_v2(nvmlDevice_t device, nvmlGridLicensableFeatures_t *features) {
  return without_licences("nvmlDeviceGetGridLicensableFeatures_v2", device, features);
}
nvmlReturn_t nvmlDeviceGetGridLicensableFeatures_v3(nvmlDevice_t device, nvmlGridLicensableFeatures_t *features) {
  return without_licences("nvmlDeviceGetGridLicensableFeatures_v3", device, features);
}
