// NVML's answers about two devices, compared with the runtime's; what only a board has is not supported.
#include <cuda_runtime.h>
#include <nvml.h>
#include <cstdio>
#include <cstring>

static int failures = 0;
#define EXPECT(call, wanted) expect((long long)(call), (long long)(wanted), #call)
static void expect(long long got, long long wanted, const char *call) {
  if (got != wanted) printf("%s is %lld, not %lld\n", call, got, wanted), failures++;
}

int main() {
  unsigned count = 0;
  EXPECT(nvmlDeviceGetCount(&count), NVML_ERROR_UNINITIALIZED);
  EXPECT(nvmlInit(), NVML_SUCCESS);
  EXPECT(nvmlDeviceGetCount(&count), NVML_SUCCESS);
  EXPECT(count, 2);
  nvmlDevice_t device, found;
  EXPECT(nvmlDeviceGetHandleByIndex(2, &device), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT(nvmlDeviceGetHandleByUUID("GPU-none", &device), NVML_ERROR_NOT_FOUND);
  for (unsigned i = 0; i < count; i++) {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, i);
    char name[NVML_DEVICE_NAME_BUFFER_SIZE], uuid[NVML_DEVICE_UUID_BUFFER_SIZE];
    EXPECT(nvmlDeviceGetHandleByIndex(i, &device), NVML_SUCCESS);
    EXPECT(nvmlDeviceGetName(device, name, sizeof name), NVML_SUCCESS);
    EXPECT(strcmp(name, properties.name), 0);
    EXPECT(nvmlDeviceGetName(device, name, 2), NVML_ERROR_INSUFFICIENT_SIZE);
    EXPECT(nvmlDeviceGetUUID(device, uuid, sizeof uuid), NVML_SUCCESS);
    EXPECT(strlen(uuid), 40);
    EXPECT(nvmlDeviceGetHandleByUUID(uuid, &found), NVML_SUCCESS);
    EXPECT(found == device, 1);
    nvmlPciInfo_t pci;
    EXPECT(nvmlDeviceGetPciInfo(device, &pci), NVML_SUCCESS);
    EXPECT(nvmlDeviceGetHandleByPciBusId(pci.busId, &found), NVML_SUCCESS);
    EXPECT(found == device, 1);
    char id[32];
    cudaDeviceGetPCIBusId(id, sizeof id, i);
    EXPECT(nvmlDeviceGetHandleByPciBusId(id, &found), NVML_SUCCESS);
    EXPECT(found == device, 1);
    int major, minor;
    EXPECT(nvmlDeviceGetCudaComputeCapability(device, &major, &minor), NVML_SUCCESS);
    EXPECT(10 * major + minor, 10 * properties.major + properties.minor);
    nvmlMemory_t before, after;
    void *memory;
    cudaSetDevice(i);
    EXPECT(nvmlDeviceGetMemoryInfo(device, &before), NVML_SUCCESS);
    EXPECT(before.total == properties.totalGlobalMem, 1);
    cudaMalloc(&memory, 1 << 22);
    EXPECT(nvmlDeviceGetMemoryInfo(device, &after), NVML_SUCCESS);
    EXPECT(after.used - before.used, 1 << 22);
    cudaFree(memory);
    unsigned clock, value;
    EXPECT(nvmlDeviceGetMaxClockInfo(device, NVML_CLOCK_SM, &clock), NVML_SUCCESS);
    EXPECT(clock > 100 && clock < 10000, 1);
    EXPECT(nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, &value), NVML_ERROR_NOT_SUPPORTED);
    EXPECT(nvmlDeviceGetPowerUsage(device, &value), NVML_ERROR_NOT_SUPPORTED);
    EXPECT(nvmlDeviceGetPowerUsage(device, nullptr), NVML_ERROR_INVALID_ARGUMENT);
    EXPECT(nvmlDeviceSetPersistenceMode(device, NVML_FEATURE_ENABLED), NVML_ERROR_NO_PERMISSION);
    unsigned cores = 0, architecture = 0;
    EXPECT(nvmlDeviceGetNumGpuCores(device, &cores), NVML_SUCCESS);
    EXPECT(cores % properties.multiProcessorCount, 0);
    EXPECT(nvmlDeviceGetArchitecture(device, &architecture), NVML_SUCCESS);
    EXPECT(architecture, NVML_DEVICE_ARCH_AMPERE);
    nvmlDevice_t other;
    nvmlGpuP2PStatus_t peers;
    int isSame = 7;
    EXPECT(nvmlDeviceGetHandleByIndex(1 - i, &other), NVML_SUCCESS);
    EXPECT(nvmlDeviceOnSameBoard(device, other, &isSame), NVML_SUCCESS);
    EXPECT(isSame, 0);
    EXPECT(nvmlDeviceGetP2PStatus(device, other, NVML_P2P_CAPS_INDEX_READ, &peers), NVML_SUCCESS);
    EXPECT(nvmlDeviceGetHandleBySerial("none", &found), NVML_ERROR_NOT_FOUND);
  }
  EXPECT(strcmp(nvmlErrorString(NVML_ERROR_NOT_SUPPORTED), "Not Supported"), 0);
  EXPECT(nvmlShutdown(), NVML_SUCCESS);
  EXPECT(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
  printf(failures ? "FAILED\n" : "PASSED\n");
  return failures != 0;
}
