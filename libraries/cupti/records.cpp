// Records of work on devices, of devices, contexts and streams (CUPTI documentation, "CUPTI Activity API").
#include "cupti.h"
#include <pthread.h>
#include <unistd.h>

namespace heddle_cupti {
namespace {

uint32_t contextIdOf(int device) { return (uint32_t)device + 1; }

/// When and where work of the device ran: what its records share.
template <class Record> void place(Record &record, const Operation &o) {
  record.start = timeOf(o.start);
  record.end = timeOf(o.end);
  record.deviceId = (uint32_t)o.device;
  record.contextId = contextIdOf(o.device);
  record.streamId = (uint32_t)o.stream;
  record.graphNodeId = (uint64_t)o.graphNode;
  record.graphId = (uint32_t)o.graph;
  record.channelID = CUPTI_INVALID_CHANNEL_ID;
}

void recordKernel(const Operation &o) {
  const CUpti_ActivityKind kind = wants(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
                                                                                : CUPTI_ACTIVITY_KIND_KERNEL;
  if (!wants(kind)) return;
  CUpti_ActivityKernel10 record = {};
  record.kind = kind;
  record.registersPerThread = (uint16_t)o.registers;
  place(record, o);
  record.completed = record.end;
  record.gridX = o.grid[0], record.gridY = o.grid[1], record.gridZ = o.grid[2];
  record.blockX = o.block[0], record.blockY = o.block[1], record.blockZ = o.block[2];
  record.clusterX = (uint32_t)o.cluster[0], record.clusterY = (uint32_t)o.cluster[1];
  record.clusterZ = (uint32_t)o.cluster[2];
  record.staticSharedMemory = o.staticShared;
  record.dynamicSharedMemory = o.dynamicShared;
  record.sharedMemoryExecuted = (uint32_t)(o.staticShared + o.dynamicShared);
  record.localMemoryPerThread = (uint32_t)o.local;
  record.correlationId = (uint32_t)o.correlation;
  record.gridId = o.number;
  record.launchType = (uint8_t)o.value;
  Quiet quiet;
  const char *name = nullptr;
  if (cudaFuncGetName(&name, (const void *)(size_t)o.function) == cudaSuccess) record.name = name;
  put(record);
}

void recordCopy(const Operation &o) {
  if (!wants(CUPTI_ACTIVITY_KIND_MEMCPY)) return;
  CUpti_ActivityMemcpy6 record = {};
  record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  record.copyKind = (uint8_t)o.copyKind;
  record.srcKind = (uint8_t)o.fromKind;
  record.dstKind = (uint8_t)o.toKind;
  record.flags = (uint8_t)o.value;
  record.bytes = (uint64_t)o.bytes;
  place(record, o);
  record.correlationId = record.runtimeCorrelationId = (uint32_t)o.correlation;
  record.copyCount = 1;
  put(record);
}

void recordFill(const Operation &o) {
  if (!wants(CUPTI_ACTIVITY_KIND_MEMSET)) return;
  CUpti_ActivityMemset4 record = {};
  record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  record.value = (uint32_t)o.value;
  record.bytes = (uint64_t)o.bytes;
  place(record, o);
  record.correlationId = (uint32_t)o.correlation;
  record.memoryKind = (uint16_t)o.toKind;
  put(record);
}

} // namespace

/// Of those that `put` gets, by their kinds.
size_t sizeOfRecord(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY: return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMSET: return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_RUNTIME: return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_DEVICE: return sizeof(CUpti_ActivityDevice5);
    case CUPTI_ACTIVITY_KIND_CONTEXT: return sizeof(CUpti_ActivityContext3);
    case CUPTI_ACTIVITY_KIND_NAME: return sizeof(CUpti_ActivityName);
    case CUPTI_ACTIVITY_KIND_MARKER: return sizeof(CUpti_ActivityMarker2);
    case CUPTI_ACTIVITY_KIND_MARKER_DATA: return sizeof(CUpti_ActivityMarkerData2);
    case CUPTI_ACTIVITY_KIND_STREAM: return sizeof(CUpti_ActivityStream);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: return sizeof(CUpti_ActivitySynchronization2);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: return sizeof(CUpti_ActivityExternalCorrelation);
    case CUPTI_ACTIVITY_KIND_MEMORY2: return sizeof(CUpti_ActivityMemory4);
    default: return 0;
  }
}

/// Takes from the runtime what the device has done.
void collect() {
  if (!wantsWork()) return;
  Operation operation;
  while (__heddle_cupti_next(&operation))
    switch (operation.kind) {
      case KERNEL: recordKernel(operation); break;
      case COPY: recordCopy(operation); break;
      case FILL: recordFill(operation); break;
    }
}

unsigned processId() { return (unsigned)getpid(); }
/// As CUPTI has it unless the program sets another kind (CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT).
unsigned threadId() { return (unsigned)(size_t)pthread_self(); }

void recordDevices() {
  Quiet quiet;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return;
  static cudaDeviceProp properties[16];
  for (int i = 0; i < count && i < 16; i++) {
    cudaDeviceProp &p = properties[i];
    if (cudaGetDeviceProperties(&p, i) != cudaSuccess) continue;
    CUpti_ActivityDevice5 record = {};
    record.kind = CUPTI_ACTIVITY_KIND_DEVICE;
    record.flags = CUPTI_ACTIVITY_FLAG_DEVICE_CONCURRENT_KERNELS;
    record.globalMemoryBandwidth = 2ull * (unsigned)p.memoryClockRate * ((unsigned)p.memoryBusWidth / 8);
    record.globalMemorySize = p.totalGlobalMem;
    record.constantMemorySize = (uint32_t)p.totalConstMem;
    record.l2CacheSize = (uint32_t)p.l2CacheSize;
    record.numThreadsPerWarp = (uint32_t)p.warpSize;
    record.coreClockRate = (uint32_t)p.clockRate;
    record.numMemcpyEngines = (uint32_t)p.asyncEngineCount;
    record.numMultiprocessors = (uint32_t)p.multiProcessorCount;
    record.maxWarpsPerMultiprocessor = (uint32_t)(p.maxThreadsPerMultiProcessor / p.warpSize);
    record.maxBlocksPerMultiprocessor = (uint32_t)p.maxBlocksPerMultiProcessor;
    record.maxSharedMemoryPerMultiprocessor = (uint32_t)p.sharedMemPerMultiprocessor;
    record.maxRegistersPerMultiprocessor = (uint32_t)p.regsPerMultiprocessor;
    record.maxRegistersPerBlock = (uint32_t)p.regsPerBlock;
    record.maxSharedMemoryPerBlock = (uint32_t)p.sharedMemPerBlock;
    record.maxThreadsPerBlock = (uint32_t)p.maxThreadsPerBlock;
    record.maxBlockDimX = (uint32_t)p.maxThreadsDim[0];
    record.maxBlockDimY = (uint32_t)p.maxThreadsDim[1];
    record.maxBlockDimZ = (uint32_t)p.maxThreadsDim[2];
    record.maxGridDimX = (uint32_t)p.maxGridSize[0];
    record.maxGridDimY = (uint32_t)p.maxGridSize[1];
    record.maxGridDimZ = (uint32_t)p.maxGridSize[2];
    record.computeCapabilityMajor = (uint32_t)p.major;
    record.computeCapabilityMinor = (uint32_t)p.minor;
    record.id = (uint32_t)i;
    record.eccEnabled = (uint32_t)p.ECCEnabled;
    memcpy(&record.uuid, &p.uuid, sizeof record.uuid);
    record.name = p.name;
    record.isCudaVisible = 1;
    put(record);
  }
}

void recordContext(int device) {
  if (!wants(CUPTI_ACTIVITY_KIND_CONTEXT)) return;
  CUpti_ActivityContext3 record = {};
  record.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
  record.contextId = contextIdOf(device);
  record.deviceId = (uint32_t)device;
  record.computeApiKind = CUPTI_ACTIVITY_COMPUTE_API_CUDA;
  record.nullStreamId = 7; // as CUPTI counts
  put(record);
}

void recordStream(CUstream stream, unsigned flags) {
  if (!wants(CUPTI_ACTIVITY_KIND_STREAM)) return;
  Quiet quiet;
  int priority = 0;
  cudaStreamGetPriority(stream, &priority);
  CUpti_ActivityStream record = {};
  record.kind = CUPTI_ACTIVITY_KIND_STREAM;
  record.contextId = contextIdOf(currentDevice());
  cuptiGetStreamId(contextOf(currentDevice()), stream, &record.streamId);
  record.priority = (uint32_t)priority;
  record.flag = flags & cudaStreamNonBlocking ? CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING
                                              : CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT;
  put(record);
}

void recordSynchronization(CUpti_ActivitySynchronizationType type, const Call &call, CUstream stream) {
  if (!wants(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)) return;
  CUpti_ActivitySynchronization2 record = {};
  record.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  record.type = type;
  record.start = call.start;
  record.end = now();
  record.correlationId = call.correlation;
  record.contextId = contextIdOf(currentDevice());
  record.streamId = record.cudaEventId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  if (type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE)
    cuptiGetStreamId(contextOf(currentDevice()), stream, &record.streamId);
  put(record);
}

} // namespace heddle_cupti

using namespace heddle_cupti;
namespace {
int deviceOf(CUcontext context) {
  int count = 0;
  Quiet quiet;
  const int device = context ? (int)(size_t)context - 1 : currentDevice();
  return cudaGetDeviceCount(&count) == cudaSuccess && device >= 0 && device < count ? device : -1;
}
} // namespace

extern "C" {

CUptiResult cuptiGetTimestamp(uint64_t *timestamp) {
  if (!timestamp) return CUPTI_ERROR_INVALID_PARAMETER;
  *timestamp = now();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiDeviceGetTimestamp(CUcontext context, uint64_t *timestamp) {
  if (deviceOf(context) < 0) return CUPTI_ERROR_INVALID_CONTEXT;
  return cuptiGetTimestamp(timestamp);
}
CUptiResult cuptiGetContextId(CUcontext context, uint32_t *contextId) {
  const int device = deviceOf(context);
  if (device < 0) return CUPTI_ERROR_INVALID_CONTEXT;
  if (!contextId) return CUPTI_ERROR_INVALID_PARAMETER;
  *contextId = contextIdOf(device);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *deviceId) {
  const int device = deviceOf(context);
  if (device < 0) return CUPTI_ERROR_INVALID_CONTEXT;
  if (!deviceId) return CUPTI_ERROR_INVALID_PARAMETER;
  *deviceId = (uint32_t)device;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t perThreadStream, uint32_t *streamId) {
  if (deviceOf(context) < 0) return CUPTI_ERROR_INVALID_CONTEXT;
  if (!streamId) return CUPTI_ERROR_INVALID_PARAMETER;
  Quiet quiet;
  unsigned flags;
  if (cudaStreamGetFlags(stream, &flags) != cudaSuccess) return CUPTI_ERROR_INVALID_STREAM;
  *streamId = __heddle_cupti_stream(!stream && perThreadStream ? cudaStreamPerThread : stream);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetStreamId(CUcontext context, CUstream stream, uint32_t *streamId) {
  return cuptiGetStreamIdEx(context, stream, 0, streamId);
}
CUptiResult cuptiGetGraphId(CUgraph graph, uint32_t *id) {
  if (!graph || !id) return CUPTI_ERROR_INVALID_PARAMETER;
  *id = (uint32_t)(size_t)graph;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetGraphExecId(CUgraphExec graphExec, uint32_t *id) {
  if (!graphExec || !id) return CUPTI_ERROR_INVALID_PARAMETER;
  *id = (uint32_t)(size_t)graphExec;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t *nodeId) {
  if (!node || !nodeId) return CUPTI_ERROR_INVALID_PARAMETER;
  *nodeId = (uint64_t)(size_t)node;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetLastError(void) { return CUPTI_SUCCESS; }
CUptiResult cuptiGetThreadIdType(CUpti_ActivityThreadIdType *type) {
  if (!type) return CUPTI_ERROR_INVALID_PARAMETER;
  *type = CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  return (unsigned)type < CUPTI_ACTIVITY_THREAD_ID_TYPE_SIZE ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
CUptiResult cuptiComputeCapabilitySupported(int major, int minor, int *support) {
  if (!support) return CUPTI_ERROR_INVALID_PARAMETER;
  *support = major >= 5 ? 2 : 0; // 2: all of it
  return minor < 0 ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
}
CUptiResult cuptiDeviceSupported(CUdevice device, int *support) {
  if (!support) return CUPTI_ERROR_INVALID_PARAMETER;
  if (deviceOf(contextOf(device)) < 0) return CUPTI_ERROR_INVALID_DEVICE;
  *support = 1;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiDeviceVirtualizationMode(CUdevice device, CUpti_DeviceVirtualizationMode *mode) {
  if (!mode) return CUPTI_ERROR_INVALID_PARAMETER;
  if (deviceOf(contextOf(device)) < 0) return CUPTI_ERROR_INVALID_DEVICE;
  *mode = CUPTI_DEVICE_VIRTUALIZATION_MODE_NONE;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetAutoBoostState(CUcontext context, CUpti_ActivityAutoBoostState *state) {
  if (deviceOf(context) < 0) return CUPTI_ERROR_INVALID_CONTEXT;
  return state ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_ERROR_INVALID_PARAMETER;
}
}
