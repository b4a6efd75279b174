// CUPTI's records of what a program did (CUPTI documentation, "CUPTI Activity API").
#pragma once
#include <cuda.h>
#include <stdint.h>
#include "cupti_callbacks.h"
#include "cupti_result.h"

#define CUPTI_UNIFIED_MEMORY_CPU_DEVICE_ID ((uint32_t)0xFFFFFFFFU)
#define CUPTI_INVALID_CONTEXT_ID ((uint32_t)0xFFFFFFFFU)
#define CUPTI_INVALID_STREAM_ID ((uint32_t)0xFFFFFFFFU)
#define CUPTI_INVALID_CHANNEL_ID ((uint32_t)0xFFFFFFFFU)
#define CUPTI_SYNCHRONIZATION_INVALID_VALUE ((uint32_t)0xFFFFFFFFU)
#define CUPTI_SOURCE_LOCATOR_ID_UNKNOWN 0
#define CUPTI_FUNCTION_INDEX_ID_INVALID 0
#define CUPTI_CORRELATION_ID_UNKNOWN 0
#define CUPTI_GRID_ID_UNKNOWN 0LL
#define CUPTI_TIMESTAMP_UNKNOWN 0LL
#define CUPTI_AUTO_BOOST_INVALID_CLIENT_PID 0
#define CUPTI_NVLINK_INVALID_PORT -1
#define CUPTI_MAX_NVLINK_PORTS 32
#define CUPTI_MAX_GPUS 32
#define CUPTI_DECOMPRESSED_BYTES_UNKNOWN 0LL
#if __SIZEOF_POINTER__ == 8
#define CUPTILP64
#endif
#define HEDDLE_CUPTI_RECORD __attribute__((packed, aligned(8)))

#include "heddle/cupti_enums.h"
#include "heddle/cupti_records.h"
#include "heddle/cupti_former.h"

typedef void(CUPTIAPI *CUpti_BuffersCallbackRequestFunc)(uint8_t **buffer, size_t *size, size_t *maxNumRecords);
typedef void(CUPTIAPI *CUpti_BuffersCallbackCompleteFunc)(CUcontext context, uint32_t streamId, uint8_t *buffer,
                                                          size_t size, size_t validSize);
typedef uint64_t(CUPTIAPI *CUpti_TimestampCallbackFunc)(void);

#ifdef __cplusplus
extern "C" {
#endif
CUptiResult cuptiGetTimestamp(uint64_t *timestamp);
CUptiResult cuptiDeviceGetTimestamp(CUcontext context, uint64_t *timestamp);
CUptiResult cuptiGetContextId(CUcontext context, uint32_t *contextId);
CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *deviceId);
CUptiResult cuptiGetStreamId(CUcontext context, CUstream stream, uint32_t *streamId);
CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t perThreadStream, uint32_t *streamId);
CUptiResult cuptiGetGraphId(CUgraph graph, uint32_t *id);
CUptiResult cuptiGetGraphExecId(CUgraphExec graphExec, uint32_t *id);
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t *nodeId);
CUptiResult cuptiGetLastError(void);
CUptiResult cuptiGetThreadIdType(CUpti_ActivityThreadIdType *type);
CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type);
CUptiResult cuptiComputeCapabilitySupported(int major, int minor, int *support);
CUptiResult cuptiDeviceSupported(CUdevice device, int *support);
CUptiResult cuptiDeviceVirtualizationMode(CUdevice device, CUpti_DeviceVirtualizationMode *mode);
CUptiResult cuptiFinalize(void);
CUptiResult cuptiGetAutoBoostState(CUcontext context, CUpti_ActivityAutoBoostState *state);

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind);
CUptiResult cuptiActivityEnableAndDump(CUpti_ActivityKind kind);
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind);
CUptiResult cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind);
CUptiResult cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind);
CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId cbid, uint8_t enable);
CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId cbid, uint8_t enable);
CUptiResult cuptiActivityEnableLatencyTimestamps(uint8_t enable);
CUptiResult cuptiActivityEnableLaunchAttributes(uint8_t enable);
CUptiResult cuptiActivityEnableDeviceGraph(uint8_t enable);
CUptiResult cuptiActivityEnableHWTrace(uint8_t enable);
CUptiResult cuptiActivityEnableAllSyncRecords(uint8_t enable);
CUptiResult cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable);
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc funcBufferRequested,
                                           CUpti_BuffersCallbackCompleteFunc funcBufferCompleted);
CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc funcTimestamp);
CUptiResult cuptiActivityFlush(CUcontext context, uint32_t streamId, uint32_t flag);
CUptiResult cuptiActivityFlushAll(uint32_t flag);
CUptiResult cuptiActivityFlushPeriod(uint32_t time);
CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t validBufferSizeBytes, CUpti_Activity **record);
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t streamId, size_t *dropped);
CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attr, size_t *valueSize, void *value);
CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attr, size_t *valueSize, void *value);
CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id);
CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t *lastId);
CUptiResult cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig *config,
                                                       uint32_t count);
CUptiResult cuptiActivityConfigurePCSampling(CUcontext context, CUpti_ActivityPCSamplingConfig *config);
#ifdef __cplusplus
}
#endif
