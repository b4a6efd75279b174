// Memory by handles: reservations, mappings, access, contents that move with their handle, wrong calls.
#include <cuda.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int failures = 0;
#define EXPECT(call, wanted) expect((long long)(call), (long long)(wanted), #call)
static void expect(long long got, long long wanted, const char *call) {
  if (got != wanted) printf("%s is %lld, not %lld\n", call, got, wanted), failures++;
}
__global__ void scale(int *x, int n, int by) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= by; }

typedef CUmemGenericAllocationHandle Handle;
/// An int at the start of memory, and one behind its first half.
static int ints[2];
static void move(CUdeviceptr at, size_t half, bool isRead) {
  for (int i = 0; i < 2; i++)
    EXPECT(isRead ? cuMemcpyDtoH(ints + i, at + i * half, 4) : cuMemcpyHtoD(at + i * half, ints + i, 4), 0);
}
static void mapAt(CUdeviceptr at, size_t bytes, Handle handle, const CUmemAccessDesc *access) {
  EXPECT(cuMemMap(at, bytes, 0, handle, 0), 0);
  EXPECT(cuMemSetAccess(at, bytes, access, 1), 0);
}
/// What lies behind the part that is mapped is kept.
static void mapInPart(CUdeviceptr at, size_t half, const CUmemAllocationProp *prop, const CUmemAccessDesc *access) {
  Handle handle;
  EXPECT(cuMemCreate(&handle, 2 * half, prop, 0), 0);
  mapAt(at, 2 * half, handle, access);
  ints[0] = 11, ints[1] = 22;
  move(at, half, false);
  EXPECT(cuMemUnmap(at, 2 * half), 0);
  mapAt(at, half, handle, access);
  ints[0] = 33;
  EXPECT(cuMemcpyHtoD(at, ints, 4), 0);
  EXPECT(cuMemUnmap(at, half), 0);
  mapAt(at, 2 * half, handle, access);
  move(at, half, true);
  EXPECT(ints[0], 33);
  EXPECT(ints[1], 22);
  EXPECT(cuMemUnmap(at, 2 * half), 0);
  EXPECT(cuMemRelease(handle), 0);
}
/// A descriptor holds the memory, until it is closed.
static void exportAlone(CUdeviceptr at, size_t half, const CUmemAllocationProp *prop, const CUmemAccessDesc *access) {
  const CUmemAllocationHandleType type = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  Handle handle, other;
  int first = 0, second = 0;
  EXPECT(cuMemCreate(&handle, 2 * half, prop, 0), 0);
  mapAt(at, 2 * half, handle, access);
  ints[0] = 44, ints[1] = 55;
  move(at, half, false);
  EXPECT(cuMemExportToShareableHandle(&first, handle, type, 0), 0);
  EXPECT(cuMemExportToShareableHandle(&second, handle, type, 0), 0);
  EXPECT(first != second, 1);
  EXPECT(close(first), 0);
  EXPECT(close(first), -1);
  EXPECT(errno, EBADF);
  EXPECT(cuMemRelease(handle), 0);
  EXPECT(cuMemUnmap(at, 2 * half), 0);
  EXPECT(cuMemImportFromShareableHandle(&other, (void *)(size_t)first, type), CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemImportFromShareableHandle(&other, (void *)(size_t)second, type), 0);
  EXPECT(close(second), 0);
  ints[0] = ints[1] = 0;
  mapAt(at, 2 * half, other, access);
  move(at, half, true);
  EXPECT(ints[0], 44);
  EXPECT(ints[1], 55);
  EXPECT(cuMemUnmap(at, 2 * half), 0);
  EXPECT(cuMemRelease(other), 0);
}
/// The memory of a descriptor is in use, and is free when that is closed.
static void fill(const CUmemAllocationProp *prop, size_t granularity) {
  size_t total = 0, available = 0;
  EXPECT(cuMemGetInfo(&available, &total), 0);
  const size_t most = total / granularity * granularity;
  Handle handle, other;
  int descriptor = 0;
  EXPECT(cuMemCreate(&handle, most, prop, 0), 0);
  EXPECT(cuMemExportToShareableHandle(&descriptor, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0), 0);
  EXPECT(cuMemRelease(handle), 0);
  EXPECT(cuMemCreate(&other, most, prop, 0), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT(close(descriptor), 0);
  EXPECT(cuMemCreate(&other, most, prop, 0), 0);
  EXPECT(cuMemRelease(other), 0);
}
/// A descriptor is the process's: the memory behind it outlives a reset of the device.
static void resetDevice(CUdeviceptr at, size_t bytes, const CUmemAllocationProp *prop, const CUmemAccessDesc *access) {
  const CUmemAllocationHandleType type = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  Handle handle, other;
  int descriptor = 0, got = 0;
  EXPECT(cuMemCreate(&handle, bytes, prop, 0), 0);
  mapAt(at, bytes, handle, access);
  ints[0] = 66;
  EXPECT(cuMemcpyHtoD(at, ints, 4), 0);
  EXPECT(cuMemExportToShareableHandle(&descriptor, handle, type, 0), 0);
  EXPECT(cudaDeviceReset(), 0);
  EXPECT(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemImportFromShareableHandle(&other, (void *)(size_t)descriptor, type), 0);
  EXPECT(close(descriptor), 0);
  EXPECT(cuMemAddressReserve(&at, bytes, 0, 0, 0), 0);
  mapAt(at, bytes, other, access);
  EXPECT(cuMemcpyDtoH(&got, at, 4), 0);
  EXPECT(got, 66);
  EXPECT(cuMemUnmap(at, bytes), 0);
  EXPECT(cuMemRelease(other), 0);
  EXPECT(cuMemRelease(other), CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemAddressFree(at, bytes), 0);
}

int main() {
  EXPECT(cuInit(0), 0);
  int has = 0;
  EXPECT(cuDeviceGetAttribute(&has, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0), 0);
  EXPECT(has, 1);
  CUmemAllocationProp prop = {};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  size_t g = 0;
  EXPECT(cuMemGetAllocationGranularity(&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM), 0);
  EXPECT(g, 2 << 20);
  CUdeviceptr va = 0, other = 0;
  EXPECT(cuMemAddressReserve(&va, 4 * g, 0, 0, 0), 0);
  EXPECT(cuMemAddressReserve(&other, 100, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  CUmemGenericAllocationHandle a, b;
  EXPECT(cuMemCreate(&a, g, &prop, 0), 0);
  EXPECT(cuMemCreate(&b, 2 * g, &prop, 0), 0);
  EXPECT(cuMemCreate(&b, 7, &prop, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemMap(va, g, 0, a, 0), 0);
  EXPECT(cuMemMap(va, g, 0, b, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemMap(va + 8 * g, g, 0, b, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemMap(va + g, 2 * g, 0, b, 0), 0);
  int one = 1;
  EXPECT(cuMemcpyHtoD(va, &one, 4), CUDA_ERROR_INVALID_VALUE); // no access yet
  CUmemAccessDesc access = {};
  access.location = prop.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  EXPECT(cuMemSetAccess(va, 3 * g, &access, 1), 0);
  EXPECT(cuMemSetAccess(va, 2 * g, &access, 1), CUDA_ERROR_INVALID_VALUE);
  unsigned long long flags = 0;
  EXPECT(cuMemGetAccess(&flags, &prop.location, va + g), 0);
  EXPECT(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  const int n = 3 * g / 4;
  static int h[3 * (2 << 20) / 4];
  for (int i = 0; i < n; i++) h[i] = i;
  EXPECT(cuMemcpyHtoD(va, h, sizeof h), 0); // over both handles
  scale<<<(n + 255) / 256, 256>>>((int *)va, n, 3);
  EXPECT(cudaDeviceSynchronize(), 0);
  memset(h, 0, sizeof h);
  // The memory moves to other addresses, and keeps what it holds.
  EXPECT(cuMemUnmap(va, 3 * g), 0);
  EXPECT(cuMemAddressReserve(&other, 8 * g, 0, va + 4 * g, 0), 0);
  EXPECT(cuMemMap(other, g, 0, a, 0), 0);
  EXPECT(cuMemMap(other + g, 2 * g, 0, b, 0), 0);
  EXPECT(cuMemSetAccess(other, 3 * g, &access, 1), 0);
  EXPECT(cuMemcpyDtoH(h, other, sizeof h), 0);
  int wrong = 0;
  for (int i = 0; i < n; i++) wrong += h[i] != 3 * i;
  EXPECT(wrong, 0);
  EXPECT(cuMemFree(other), CUDA_ERROR_INVALID_VALUE);
  CUmemGenericAllocationHandle again, imported;
  EXPECT(cuMemRetainAllocationHandle(&again, (void *)(size_t)(other + 5)), 0);
  EXPECT(again == a, 1);
  EXPECT(cuMemRelease(again), 0);
  int fd = 0;
  EXPECT(cuMemExportToShareableHandle(&fd, b, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0), 0);
  EXPECT(cuMemImportFromShareableHandle(&imported, (void *)(size_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR), 0);
  EXPECT(close(fd), 0);
  EXPECT(cuMemRelease(imported), 0);
  CUmemAllocationProp got = {};
  EXPECT(cuMemGetAllocationPropertiesFromHandle(&got, b), 0);
  EXPECT(memcmp(&got, &prop, sizeof got), 0);
  EXPECT(cuMemRelease(a), 0);
  EXPECT(cuMemRelease(b), 0);
  EXPECT(cuMemRelease(b), CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemAddressFree(other, 8 * g), CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemUnmap(other, 3 * g), 0);
  mapInPart(other, g, &prop, &access);
  exportAlone(other, g, &prop, &access);
  fill(&prop, g);
  EXPECT(cuMemAddressFree(other, 8 * g), 0);
  EXPECT(cuMemAddressFree(va, 4 * g), 0);
  EXPECT(cuMemAddressFree(va, 4 * g), CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemAddressReserve(&va, g, 0, 0, 0), 0);
  resetDevice(va, g, &prop, &access);
  printf(failures ? "FAILED\n" : "PASSED\n");
  return failures != 0;
}
