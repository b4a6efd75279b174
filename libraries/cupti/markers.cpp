// Records of a program's ranges, marks and names (NVTX).
#include "cupti.h"
#include <nvtx3/nvToolsExt.h>

namespace heddle_cupti {
namespace {

bool is(const Call &call, const char *name) { return strcmp(call.function->name, name) == 0; }

unsigned lastMarker = 0;
/// Ranges that this thread's push opened and its pop closes, by domain.
struct Open {
  unsigned id;
  const void *domain;
};
thread_local Open open[256];
thread_local int openCount = 0;
struct Started {
  nvtxRangeId_t range;
  unsigned id;
};
Started started[256];

void marker(unsigned id, CUpti_ActivityFlag flags, const char *name) {
  if (!wants(CUPTI_ACTIVITY_KIND_MARKER)) return;
  CUpti_ActivityMarker2 record = {};
  record.kind = CUPTI_ACTIVITY_KIND_MARKER;
  record.flags = flags;
  record.timestamp = now();
  record.id = id;
  record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  record.objectId.pt.processId = processId();
  record.objectId.pt.threadId = threadId();
  record.name = name;
  put(record);
}

void markerData(unsigned id, const nvtxEventAttributes_t *attributes) {
  if (!wants(CUPTI_ACTIVITY_KIND_MARKER_DATA) || !attributes) return;
  CUpti_ActivityMarkerData2 record = {};
  record.kind = CUPTI_ACTIVITY_KIND_MARKER_DATA;
  record.id = id;
  record.category = attributes->category;
  if (attributes->colorType == NVTX_COLOR_ARGB) {
    record.flags = CUPTI_ACTIVITY_FLAG_MARKER_COLOR_ARGB;
    record.color = attributes->color;
  }
  put(record);
}

const char *textOf(const nvtxEventAttributes_t *attributes) {
  return attributes && attributes->messageType == NVTX_MESSAGE_TYPE_ASCII ? attributes->message.ascii : nullptr;
}

void named(const char *name, CUpti_ActivityObjectKind kind, unsigned id) {
  if (!wants(CUPTI_ACTIVITY_KIND_NAME)) return;
  CUpti_ActivityName record = {};
  record.kind = CUPTI_ACTIVITY_KIND_NAME;
  record.objectKind = kind;
  if (kind == CUPTI_ACTIVITY_OBJECT_THREAD) record.objectId.pt.processId = processId();
  if (kind == CUPTI_ACTIVITY_OBJECT_THREAD) record.objectId.pt.threadId = id;
  if (kind == CUPTI_ACTIVITY_OBJECT_DEVICE) record.objectId.dcs.deviceId = id;
  if (kind == CUPTI_ACTIVITY_OBJECT_CONTEXT) record.objectId.dcs.contextId = id;
  if (kind == CUPTI_ACTIVITY_OBJECT_STREAM) record.objectId.dcs.streamId = id;
  record.name = name;
  put(record);
}

} // namespace

void markerCall(const Call &call, const void *result) {
  const void *const *pointers = (const void *const *)call.params;
  const bool isInDomain = strncmp(call.function->name, "nvtxDomain", 10) == 0;
  const void *domain = isInDomain ? pointers[0] : nullptr;
  const bool isText = is(call, "nvtxRangePushA") || is(call, "nvtxMarkA") || is(call, "nvtxRangeStartA");
  const bool isEx = strcmp(call.function->name + strlen(call.function->name) - 2, "Ex") == 0;
  const auto *attributes = isEx ? (const nvtxEventAttributes_t *)pointers[isInDomain ? 1 : 0] : nullptr;
  const char *text = isText ? (const char *)pointers[0] : textOf(attributes);
  if (strstr(call.function->name, "RangePush")) {
    const unsigned id = ++lastMarker;
    if (openCount < 256) open[openCount++] = {id, domain};
    marker(id, CUPTI_ACTIVITY_FLAG_MARKER_START, text);
    markerData(id, attributes);
  } else if (strstr(call.function->name, "RangePop")) {
    for (int i = openCount - 1; i >= 0; i--) {
      if (open[i].domain != domain) continue;
      marker(open[i].id, CUPTI_ACTIVITY_FLAG_MARKER_END, nullptr);
      memmove(open + i, open + i + 1, (size_t)(--openCount - i) * sizeof *open);
      break;
    }
  } else if (strstr(call.function->name, "RangeStart")) {
    const unsigned id = ++lastMarker;
    started[id % 256] = {*(const nvtxRangeId_t *)result, id};
    marker(id, CUPTI_ACTIVITY_FLAG_MARKER_START, text);
    markerData(id, attributes);
  } else if (strstr(call.function->name, "RangeEnd")) {
    nvtxRangeId_t range;
    memcpy(&range, (const char *)call.params + (isInDomain ? 8 : 0), sizeof range);
    for (const Started &one : started)
      if (one.id && one.range == range) marker(one.id, CUPTI_ACTIVITY_FLAG_MARKER_END, nullptr);
  } else if (strstr(call.function->name, "Mark")) {
    const unsigned id = ++lastMarker;
    marker(id, CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS, text);
    markerData(id, attributes);
  } else if (is(call, "nvtxNameOsThreadA"))
    named((const char *)pointers[1], CUPTI_ACTIVITY_OBJECT_THREAD, *(const unsigned *)call.params);
  else if (is(call, "nvtxNameCuDeviceA") || is(call, "nvtxNameCudaDeviceA"))
    named((const char *)pointers[1], CUPTI_ACTIVITY_OBJECT_DEVICE, *(const unsigned *)call.params);
  else if (is(call, "nvtxNameCuContextA"))
    named((const char *)pointers[1], CUPTI_ACTIVITY_OBJECT_CONTEXT, *(const unsigned *)call.params);
  else if (is(call, "nvtxNameCuStreamA") || is(call, "nvtxNameCudaStreamA")) {
    uint32_t id = 0;
    cuptiGetStreamId(nullptr, (CUstream)pointers[0], &id);
    named((const char *)pointers[1], CUPTI_ACTIVITY_OBJECT_STREAM, id);
  }
  deliver();
}

} // namespace heddle_cupti
