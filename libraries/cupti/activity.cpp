// The activity API: which records a program wants, the buffers that it gives, and their way back to it (CUPTI
// documentation, "CUPTI Activity API"). Full buffers go back at the end of a call of CUDA, the last one at a flush.
#include "cupti.h"
#include <stdlib.h>

namespace heddle_cupti {
namespace {

bool enabled[CUPTI_ACTIVITY_KIND_COUNT];
CUpti_BuffersCallbackRequestFunc request;
CUpti_BuffersCallbackCompleteFunc complete;
CUpti_TimestampCallbackFunc ownClock;
bool skipped[2][CUPTI_DRIVER_TRACE_CBID_SIZE];

struct Buffer {
  uint8_t *bytes;
  size_t size, used, mostRecords, records;
  Buffer *next;
};
/// The oldest first; the last one is being filled.
Buffer *oldest = nullptr, *newest = nullptr;
size_t dropped = 0;

struct External {
  uint64_t ids[64];
  int count;
};
/// Of this thread: others do not see what it pushes.
thread_local External externals[CUPTI_EXTERNAL_CORRELATION_KIND_SIZE];

const CUpti_ActivityKind WITH_RECORDS[] = {
    CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_KERNEL, CUPTI_ACTIVITY_KIND_DRIVER,
    CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_CONTEXT,
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_NAME, CUPTI_ACTIVITY_KIND_MARKER,
    CUPTI_ACTIVITY_KIND_MARKER_DATA, CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_STREAM,
    CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_MEMORY2};
/// Of what never happens here: overhead of a driver, compilation at run time by it, kernels of kernels, pools, links.
const CUpti_ActivityKind WITHOUT_RECORDS[] = {
    CUPTI_ACTIVITY_KIND_OVERHEAD, CUPTI_ACTIVITY_KIND_CDP_KERNEL, CUPTI_ACTIVITY_KIND_PREEMPTION,
    CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API, CUPTI_ACTIVITY_KIND_JIT, CUPTI_ACTIVITY_KIND_MEMORY_POOL,
    CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE, CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS, CUPTI_ACTIVITY_KIND_OPENACC_DATA,
    CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH, CUPTI_ACTIVITY_KIND_OPENACC_OTHER, CUPTI_ACTIVITY_KIND_OPENMP};

/// Records of instructions: NVIDIA's library has them on GPUs before Volta only.
const CUpti_ActivityKind OF_INSTRUCTIONS[] = {CUPTI_ACTIVITY_KIND_GLOBAL_ACCESS, CUPTI_ACTIVITY_KIND_BRANCH,
    CUPTI_ACTIVITY_KIND_INSTRUCTION_EXECUTION, CUPTI_ACTIVITY_KIND_SHARED_ACCESS};

template <size_t N> bool contains(const CUpti_ActivityKind (&kinds)[N], CUpti_ActivityKind kind) {
  for (CUpti_ActivityKind one : kinds)
    if (one == kind) return true;
  return false;
}

Buffer *newBuffer() {
  if (!request) return nullptr;
  Quiet quiet;
  uint8_t *bytes = nullptr;
  size_t size = 0, mostRecords = 0;
  request(&bytes, &size, &mostRecords);
  if (!bytes || size == 0) return nullptr;
  Buffer *buffer = (Buffer *)malloc(sizeof(Buffer));
  *buffer = {bytes, size, 0, mostRecords, 0, nullptr};
  if (newest) newest->next = buffer;
  else oldest = buffer;
  return newest = buffer;
}
bool fits(const Buffer *buffer, size_t bytes) {
  return buffer->used + bytes <= buffer->size && (buffer->mostRecords == 0 || buffer->records < buffer->mostRecords);
}
void giveBackOldest() {
  Buffer *buffer = oldest;
  oldest = buffer->next;
  if (!oldest) newest = nullptr;
  Quiet quiet;
  if (complete) complete(nullptr, 0, buffer->bytes, buffer->size, buffer->used);
  free(buffer);
}

/// The devices are recorded once there are buffers for it.
bool areDevicesDue = false;
void recordDueDevices() {
  if (!areDevicesDue || !request) return;
  areDevicesDue = false;
  recordDevices();
}

void traceWork() { __heddle_cupti_trace(wantsWork()); }
CUptiResult enable(CUpti_ActivityKind kind, bool isOn) {
  if (contains(WITH_RECORDS, kind)) {
    areDevicesDue = areDevicesDue || (isOn && !enabled[kind] && kind == CUPTI_ACTIVITY_KIND_DEVICE);
    enabled[kind] = isOn;
    traceWork();
    recordDueDevices();
    return CUPTI_SUCCESS;
  }
  if (contains(OF_INSTRUCTIONS, kind)) return CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED;
  return contains(WITHOUT_RECORDS, kind) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_KIND;
}

} // namespace

uint64_t now() {
  static const uint64_t epoch = (uint64_t)__heddle_cupti_epoch();
  if (ownClock) {
    Quiet quiet;
    return ownClock();
  }
  return epoch + (uint64_t)__heddle_cupti_time();
}
uint64_t timeOf(double sinceStart) {
  static const uint64_t epoch = (uint64_t)__heddle_cupti_epoch();
  return epoch + (uint64_t)sinceStart;
}

bool wants(CUpti_ActivityKind kind) { return enabled[kind]; }
bool wantsWork() {
  return enabled[CUPTI_ACTIVITY_KIND_KERNEL] || enabled[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] ||
         enabled[CUPTI_ACTIVITY_KIND_MEMCPY] || enabled[CUPTI_ACTIVITY_KIND_MEMCPY2] ||
         enabled[CUPTI_ACTIVITY_KIND_MEMSET];
}
/// Whether this call is in a record by itself.
bool wantsCall(const Function &function) {
  return enabled[CUPTI_ACTIVITY_KIND_RUNTIME] || enabled[CUPTI_ACTIVITY_KIND_DRIVER] ||
         enabled[CUPTI_ACTIVITY_KIND_MEMORY2] || enabled[CUPTI_ACTIVITY_KIND_SYNCHRONIZATION] ||
         enabled[CUPTI_ACTIVITY_KIND_STREAM] || enabled[CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION];
}

void put(const void *record, size_t bytes) {
  Buffer *buffer = newest;
  if (!buffer || !fits(buffer, bytes)) buffer = newBuffer();
  if (!buffer || !fits(buffer, bytes)) {
    dropped++;
    return;
  }
  memcpy(buffer->bytes + buffer->used, record, bytes);
  buffer->used += bytes;
  buffer->records++;
}

void deliver() {
  while (oldest && oldest != newest) giveBackOldest();
}

void recordCall(const Call &call, int status) {
  const bool isRuntime = call.function->domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  const CUpti_ActivityKind kind = isRuntime ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER;
  if (!enabled[kind] || skipped[isRuntime][call.function->cbid]) return;
  put(CUpti_ActivityAPI{kind, call.function->cbid, call.start, now(), processId(), threadId(), call.correlation,
                        (uint32_t)status});
}

/// One record for each kind of ids that the program has pushed.
void recordExternal(const Call &call) {
  if (!enabled[CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION]) return;
  for (int kind = 1; kind < CUPTI_EXTERNAL_CORRELATION_KIND_SIZE; kind++)
    if (const External &of = externals[kind]; of.count > 0)
      put(CUpti_ActivityExternalCorrelation{CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                            (CUpti_ExternalCorrelationKind)kind, of.ids[of.count - 1],
                                            call.correlation, 0});
}

void forgetActivities() {
  memset(enabled, 0, sizeof enabled);
  traceWork();
}

} // namespace heddle_cupti

using namespace heddle_cupti;
namespace {
CUptiResult attribute(CUpti_ActivityAttribute attr, size_t *valueSize, void *value, bool set) {
  static size_t sizes[CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_DEVICE_GRAPHS + 1] = {3200000, 8 << 20, 250, 65536, 250};
  static uint8_t flags[CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_DEVICE_GRAPHS + 1] = {};
  if (!valueSize || !value || (unsigned)attr > CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_DEVICE_GRAPHS)
    return CUPTI_ERROR_INVALID_PARAMETER;
  const bool isFlag = attr == CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER ||
                      attr == CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED ||
                      attr == CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER;
  void *const kept = isFlag ? (void *)&flags[attr] : (void *)&sizes[attr];
  const size_t bytes = isFlag ? sizeof *flags : sizeof *sizes;
  if (*valueSize < bytes) return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
  if (set) memcpy(kept, value, bytes);
  else memcpy(value, kept, bytes), *valueSize = bytes;
  return CUPTI_SUCCESS;
}
CUptiResult skip(int isRuntime, CUpti_CallbackId cbid, uint8_t isOn) {
  const int domain = isRuntime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API;
  if (cbid > largestId(domain)) return CUPTI_ERROR_INVALID_PARAMETER;
  enabled[isRuntime ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER] |= isOn != 0;
  skipped[isRuntime][cbid] = !isOn;
  return CUPTI_SUCCESS;
}
} // namespace

extern "C" {

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) { return enable(kind, true); }
CUptiResult cuptiActivityEnableAndDump(CUpti_ActivityKind kind) { return enable(kind, true); }
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) { return enable(kind, false); }
CUptiResult cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind) {
  return context ? enable(kind, true) : CUPTI_ERROR_INVALID_CONTEXT;
}
CUptiResult cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind) {
  return context ? enable(kind, false) : CUPTI_ERROR_INVALID_CONTEXT;
}
CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId cbid, uint8_t isOn) { return skip(0, cbid, isOn); }
CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId cbid, uint8_t isOn) { return skip(1, cbid, isOn); }
// Without effect: the times of a launch are known anyway, and there is no other way to learn them.
CUptiResult cuptiActivityEnableLatencyTimestamps(uint8_t) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityEnableAllSyncRecords(uint8_t) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityFlushPeriod(uint32_t) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityEnableLaunchAttributes(uint8_t isOn) {
  return isOn ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableDeviceGraph(uint8_t isOn) { return isOn ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_SUCCESS; }
CUptiResult cuptiActivityEnableHWTrace(uint8_t isOn) { return isOn ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_SUCCESS; }
CUptiResult cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t isOn) {
  return isOn ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc funcBufferRequested,
                                           CUpti_BuffersCallbackCompleteFunc funcBufferCompleted) {
  if (!funcBufferRequested || !funcBufferCompleted) return CUPTI_ERROR_INVALID_PARAMETER;
  request = funcBufferRequested;
  complete = funcBufferCompleted;
  recordDueDevices();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc funcTimestamp) {
  ownClock = funcTimestamp;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(uint32_t) {
  collect();
  while (oldest) giveBackOldest();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlush(CUcontext, uint32_t, uint32_t flag) { return cuptiActivityFlushAll(flag); }
CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t validBytes, CUpti_Activity **record) {
  if (!buffer || !record) return CUPTI_ERROR_INVALID_PARAMETER;
  uint8_t *next = *record ? (uint8_t *)*record + sizeOfRecord((*record)->kind) : buffer;
  if (*record && sizeOfRecord((*record)->kind) == 0) return CUPTI_ERROR_INVALID_KIND;
  if (next >= buffer + validBytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = (CUpti_Activity *)next;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t *count) {
  if (!count) return CUPTI_ERROR_INVALID_PARAMETER;
  *count = dropped;
  dropped = 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attr, size_t *valueSize, void *value) {
  return attribute(attr, valueSize, value, false);
}
CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attr, size_t *valueSize, void *value) {
  return attribute(attr, valueSize, value, true);
}
CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id) {
  if (kind <= CUPTI_EXTERNAL_CORRELATION_KIND_INVALID || kind >= CUPTI_EXTERNAL_CORRELATION_KIND_SIZE)
    return CUPTI_ERROR_INVALID_PARAMETER;
  External &of = externals[kind];
  if (of.count == sizeof of.ids / sizeof *of.ids) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  of.ids[of.count++] = id;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t *lastId) {
  if (kind <= CUPTI_EXTERNAL_CORRELATION_KIND_INVALID || kind >= CUPTI_EXTERNAL_CORRELATION_KIND_SIZE)
    return CUPTI_ERROR_INVALID_PARAMETER;
  External &of = externals[kind];
  if (of.count == 0) return CUPTI_ERROR_QUEUE_EMPTY;
  const uint64_t id = of.ids[--of.count];
  if (lastId) *lastId = id;
  return CUPTI_SUCCESS;
}
// There is no unified memory that moves page by page, and no program counter to sample.
CUptiResult cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig *config,
                                                       uint32_t count) {
  return config && count ? CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED : CUPTI_ERROR_INVALID_PARAMETER;
}
CUptiResult cuptiActivityConfigurePCSampling(CUcontext, CUpti_ActivityPCSamplingConfig *config) {
  return config ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_ERROR_INVALID_PARAMETER;
}
}
