// What calls do to contexts, streams, graphs and memory: callbacks of the domains RESOURCE and SYNCHRONIZE, and records
// of memory and waits.
#include "cupti.h"
#include <stdlib.h>

namespace heddle_cupti {
namespace {

bool is(const Call &call, const char *name) { return strcmp(call.function->name, name) == 0; }
bool begins(const Call &call, const char *name) { return strncmp(call.function->name, name, strlen(name)) == 0; }
template <class T> T parameter(const Call &call, int index) { return ((T const *)call.params)[index]; }

void tellResource(unsigned cbid, CUstream stream, void *descriptor) {
  CUpti_ResourceData data = {contextOf(currentDevice()), {stream}, descriptor};
  tell(CUPTI_CB_DOMAIN_RESOURCE, cbid, &data);
}
void tellGraph(unsigned cbid, CUpti_GraphData data) { tellResource(cbid, nullptr, &data); }

/// Memory that the program has allocated: a record of its end has its size, too.
struct Block {
  uint64_t address, bytes;
  int kind;
  Block *next;
};
Block *blocks = nullptr;

void recordMemory(const Call &call, bool isNew, int kind, uint64_t address, uint64_t bytes, bool isAsync,
                  CUstream stream) {
  CUpti_ActivityMemory4 record = {};
  record.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  record.memoryOperationType =
      isNew ? CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION : CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  record.memoryKind = (CUpti_ActivityMemoryKind)kind;
  record.correlationId = call.correlation;
  record.address = address;
  record.bytes = bytes;
  record.timestamp = now();
  record.processId = processId();
  record.deviceId = (uint32_t)currentDevice();
  record.contextId = record.deviceId + 1;
  record.streamId = CUPTI_INVALID_STREAM_ID;
  record.isAsync = isAsync;
  if (isAsync) cuptiGetStreamId(contextOf(currentDevice()), stream, &record.streamId);
  put(record);
}

struct Allocator {
  const char *name;
  int kind;
  /// Places of the size and of the stream among the parameters; -1: no stream. All parameters are pointers and sizes.
  int size, stream;
};
const Allocator allocators[] = {
    {"cudaMalloc", CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, 1, -1},
    {"cudaMallocManaged", CUPTI_ACTIVITY_MEMORY_KIND_MANAGED, 1, -1},
    {"cudaMallocHost", CUPTI_ACTIVITY_MEMORY_KIND_PINNED, 1, -1},
    {"cudaHostAlloc", CUPTI_ACTIVITY_MEMORY_KIND_PINNED, 1, -1},
    {"cudaMallocAsync", CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, 1, 2},
    {"cuMemAlloc", CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, 1, -1},
    {"cuMemAllocManaged", CUPTI_ACTIVITY_MEMORY_KIND_MANAGED, 1, -1},
    {"cuMemAllocHost", CUPTI_ACTIVITY_MEMORY_KIND_PINNED, 1, -1},
};

void noteAllocation(const Call &call) {
  for (const Allocator &one : allocators) {
    if (!is(call, one.name)) continue;
    const void *out = parameter<void *>(call, 0);
    const bool isDriver = begins(call, "cuMemAlloc") && !is(call, "cuMemAllocHost");
    const uint64_t address = isDriver ? *(const CUdeviceptr *)out : (uint64_t) * (const size_t *)out;
    const uint64_t bytes = parameter<size_t>(call, one.size);
    Block *block = (Block *)malloc(sizeof(Block));
    *block = {address, bytes, one.kind, blocks};
    blocks = block;
    recordMemory(call, true, one.kind, address, bytes, one.stream >= 0,
                 one.stream < 0 ? nullptr : parameter<CUstream>(call, one.stream));
    return;
  }
}

void noteRelease(const Call &call) {
  const bool isAsync = is(call, "cudaFreeAsync");
  const bool isDriver = is(call, "cuMemFree");
  if (!isAsync && !isDriver && !is(call, "cudaFree") && !is(call, "cudaFreeHost") && !is(call, "cuMemFreeHost")) return;
  const uint64_t address = isDriver ? *(const CUdeviceptr *)call.params : (uint64_t)parameter<size_t>(call, 0);
  for (Block **at = &blocks; *at; at = &(*at)->next) {
    if ((*at)->address != address) continue;
    Block *block = *at;
    recordMemory(call, false, block->kind, address, block->bytes, isAsync,
                 isAsync ? parameter<CUstream>(call, 1) : nullptr);
    *at = block->next;
    free(block);
    return;
  }
}

void tellSynchronized(unsigned cbid, CUstream stream) {
  const CUpti_SynchronizeData data = {contextOf(currentDevice()), stream};
  tell(CUPTI_CB_DOMAIN_SYNCHRONIZE, cbid, &data);
}

CUgraphNodeType typeOf(const Call &call) {
  if (begins(call, "cudaGraphAddKernel") || begins(call, "cuGraphAddKernel")) return CU_GRAPH_NODE_TYPE_KERNEL;
  if (begins(call, "cudaGraphAddMemcpy")) return CU_GRAPH_NODE_TYPE_MEMCPY;
  if (begins(call, "cudaGraphAddMemset")) return CU_GRAPH_NODE_TYPE_MEMSET;
  if (begins(call, "cudaGraphAddHost")) return CU_GRAPH_NODE_TYPE_HOST;
  if (begins(call, "cudaGraphAddChild")) return CU_GRAPH_NODE_TYPE_GRAPH;
  if (begins(call, "cudaGraphAddEventRecord")) return CU_GRAPH_NODE_TYPE_EVENT_RECORD;
  if (begins(call, "cudaGraphAddEventWait")) return CU_GRAPH_NODE_TYPE_WAIT_EVENT;
  if (begins(call, "cudaGraphAddMemAlloc")) return CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  if (begins(call, "cudaGraphAddMemFree")) return CU_GRAPH_NODE_TYPE_MEM_FREE;
  return CU_GRAPH_NODE_TYPE_EMPTY;
}

void graphCall(const Call &call) {
  const char *name = call.function->name;
  const size_t length = strlen(name);
  if (is(call, "cudaGraphCreate"))
    tellGraph(CUPTI_CBID_RESOURCE_GRAPH_CREATED, {*parameter<CUgraph *>(call, 0)});
  else if (is(call, "cudaGraphClone"))
    tellGraph(CUPTI_CBID_RESOURCE_GRAPH_CLONED, {*parameter<CUgraph *>(call, 0), parameter<CUgraph>(call, 1)});
  else if ((begins(call, "cudaGraphAdd") || begins(call, "cuGraphAdd")) && strstr(name, "Node"))
    tellGraph(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
              {parameter<CUgraph>(call, 1), nullptr, *parameter<CUgraphNode *>(call, 0), nullptr, typeOf(call)});
  else if (length >= 20 && begins(call, "cudaGraphInstantiate"))
    tellGraph(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, {parameter<CUgraph>(call, 1), nullptr, nullptr, nullptr,
                                                      CU_GRAPH_NODE_TYPE_EMPTY, nullptr,
                                                      *parameter<CUgraphExec *>(call, 0)});
}

/// Functions that a program may call before it uses a device.
bool usesNoContext(const char *name) {
  static const char *const without[] = {"cuInit", "cuDriver", "cuDevice", "cuGetError", "cuGetProcAddress",
      "cudaDriverGetVersion", "cudaRuntimeGetVersion", "cudaGetDevice", "cudaDeviceGetAttribute", "cudaGetError",
      "cudaGetLastError", "cudaPeekAtLastError", "cudaSetDevice", "cudaChooseDevice", "cudaGetDriverEntryPoint",
      "cudaDeviceGetPCIBusId", "cudaDeviceReset", "cudaFuncGetName", "cudaProfiler"};
  for (const char *one : without)
    if (strncmp(name, one, strlen(one)) == 0) return strncmp(name, "cuDevicePrimaryCtx", 18) != 0;
  return false;
}

bool isInitialized = false;
/// Devices whose context is in use, a bit each.
unsigned contexts = 0;

} // namespace

/// The context of a device comes into being with the first call that needs it.
void contextIsUsed(const Function &function) {
  if (!isInitialized) {
    isInitialized = true;
    tellResource(CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, nullptr, nullptr);
  }
  if (usesNoContext(function.name)) return;
  const int device = currentDevice();
  if (device >= 32 || contexts >> device & 1) return;
  contexts |= 1u << device;
  recordContext(device);
  tellResource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, nullptr, nullptr);
}

void beforeCall(const Call &call) {
  if (is(call, "cudaStreamDestroy") || is(call, "cuStreamDestroy"))
    tellResource(CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, parameter<CUstream>(call, 0), nullptr);
  else if (is(call, "cudaGraphDestroy"))
    tellGraph(CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING, {parameter<CUgraph>(call, 0)});
  else if (is(call, "cudaGraphExecDestroy"))
    tellGraph(CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING,
              {nullptr, nullptr, nullptr, nullptr, CU_GRAPH_NODE_TYPE_EMPTY, nullptr, parameter<CUgraphExec>(call, 0)});
  else if (is(call, "cudaDeviceReset") || is(call, "cuCtxDestroy")) {
    if (contexts) tellResource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, nullptr, nullptr);
    contexts = 0;
  }
}

void afterCall(const Call &call, bool succeeded) {
  if (!succeeded) return;
  if (begins(call, "cudaStreamCreate") || begins(call, "cuStreamCreate")) {
    const CUstream stream = *parameter<CUstream *>(call, 0);
    Quiet quiet;
    unsigned flags = 0;
    cudaStreamGetFlags(stream, &flags);
    recordStream(stream, flags);
    tellResource(CUPTI_CBID_RESOURCE_STREAM_CREATED, stream, nullptr);
  } else if (is(call, "cudaStreamSynchronize") || is(call, "cuStreamSynchronize")) {
    recordSynchronization(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, call, parameter<CUstream>(call, 0));
    tellSynchronized(CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED, parameter<CUstream>(call, 0));
  } else if (is(call, "cudaDeviceSynchronize") || is(call, "cuCtxSynchronize")) {
    recordSynchronization(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE, call, nullptr);
    tellSynchronized(CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED, nullptr);
  } else if (is(call, "cudaEventSynchronize") || is(call, "cuEventSynchronize"))
    recordSynchronization(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE, call, nullptr);
  else if (is(call, "cudaStreamWaitEvent") || is(call, "cuStreamWaitEvent"))
    recordSynchronization(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT, call, parameter<CUstream>(call, 0));
  else if (strstr(call.function->name, "Graph"))
    graphCall(call);
  if (wants(CUPTI_ACTIVITY_KIND_MEMORY2)) {
    noteAllocation(call);
    noteRelease(call);
  }
}

} // namespace heddle_cupti
