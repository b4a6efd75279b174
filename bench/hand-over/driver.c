// A CUDA driver that does nothing and succeeds: with it a program runs on "a GPU" as far as its host can tell.
#include <stdint.h>
#define OK(NAME) int NAME(void) { return 0; }

int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuDeviceGetCount(int *count) { *count = 2; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
int cuDeviceGetName(char *name, int capacity, int device) {
  const char *text = "no GPU";
  for (int i = 0; i < capacity && i < 7; i++) name[i] = text[i];
  return device < 0;
}
int cuDeviceTotalMem_v2(uint64_t *bytes, int device) { *bytes = 1ull << 34; return device < 0; }
/// Numbers of CUdevice_attribute; what is not here is 1024.
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 10 ? 32 : 1024;
  return device < 0;
}
int cuDevicePrimaryCtxRetain(uint64_t *context, int device) { *context = 4096; return device < 0; }
int cuMemGetInfo_v2(uint64_t *free, uint64_t *total) { *free = *total = 1ull << 34; return 0; }
int cuMemGetAllocationGranularity(uint64_t *bytes, const void *what, unsigned how) {
  *bytes = 2 << 20;
  return what == 0 || how > 1;
}
int cuMemAddressReserve(uint64_t *address, uint64_t bytes, uint64_t align, uint64_t place, uint64_t flags) {
  static uint64_t next = 1ull << 44;
  if (place == 0) {
    if (align > 1) next = (next + align - 1) / align * align;
    place = next;
    next += bytes;
  }
  *address = place;
  return (int)flags;
}
int cuMemCreate(uint64_t *handle) { *handle = 1; return 0; }
int cuStreamCreateWithPriority(uint64_t *stream) { *stream = 4096; return 0; }
int cuStreamEndCapture(uint64_t stream, uint64_t *graph) { *graph = stream + 1; return 0; }
int cuGraphGetNodes(uint64_t graph, void *nodes, uint64_t *count) { *count = graph != 0 && nodes == 0; return 0; }
int cuGraphInstantiateWithFlags(uint64_t *executable) { static uint64_t next = 8192; *executable = next++; return 0; }
int cuEventCreate(uint64_t *event) { *event = 4096; return 0; }
int cuGetErrorName(void) { return 1; }
int cuGetErrorString(void) { return 1; }
OK(cuInit) OK(cuDevicePrimaryCtxRelease_v2) OK(cuDevicePrimaryCtxReset_v2) OK(cuCtxSetCurrent) OK(cuCtxSetLimit)
OK(cuCtxSynchronize) OK(cuMemHostRegister_v2) OK(cuMemHostUnregister) OK(cuMemcpyHtoD_v2) OK(cuMemcpyDtoH_v2)
OK(cuMemcpyDtoD_v2) OK(cuMemcpyHtoDAsync_v2) OK(cuMemcpyDtoHAsync_v2) OK(cuMemcpyDtoDAsync_v2)
OK(cuMemsetD8Async) OK(cuMemsetD16Async) OK(cuMemsetD32Async) OK(cuMemAddressFree) OK(cuMemRelease) OK(cuMemMap)
OK(cuMemUnmap) OK(cuMemSetAccess) OK(cuStreamDestroy_v2) OK(cuStreamQuery) OK(cuStreamWaitEvent)
OK(cuEventDestroy_v2) OK(cuEventRecord) OK(cuEventQuery) OK(cuGraphLaunch)
OK(cuStreamBeginCapture_v2) OK(cuGraphDestroy) OK(cuGraphExecDestroy)
