// Part of cupti_activity.h: records of earlier versions of CUPTI. Those of today begin as they do: a program that
// knows only these may read them (CUPTI documentation, "CUPTI Activity API").
#pragma once

typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityOverheadKind overheadKind; CUpti_ActivityObjectKind objectKind;
  CUpti_ActivityObjectKindId objectId; uint64_t start, end;
} CUpti_ActivityOverhead;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityOverheadKind overheadKind; CUpti_ActivityObjectKind objectKind;
  CUpti_ActivityObjectKindId objectId; uint64_t start, end; uint32_t correlationId, reserved0;
} CUpti_ActivityOverhead2;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint64_t globalMemoryBandwidth, globalMemorySize;
  uint32_t constantMemorySize, l2CacheSize, numThreadsPerWarp, coreClockRate, numMemcpyEngines, numMultiprocessors;
  uint32_t maxIPC, maxWarpsPerMultiprocessor, maxBlocksPerMultiprocessor, maxRegistersPerBlock;
  uint32_t maxSharedMemoryPerBlock, maxThreadsPerBlock, maxBlockDimX, maxBlockDimY, maxBlockDimZ, maxGridDimX;
  uint32_t maxGridDimY, maxGridDimZ, computeCapabilityMajor, computeCapabilityMinor, id;
#ifdef CUPTILP64
  uint32_t pad;
#endif
  const char *name;
} CUpti_ActivityDevice;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint64_t globalMemoryBandwidth, globalMemorySize;
  uint32_t constantMemorySize, l2CacheSize, numThreadsPerWarp, coreClockRate, numMemcpyEngines, numMultiprocessors;
  uint32_t maxIPC, maxWarpsPerMultiprocessor, maxBlocksPerMultiprocessor, maxSharedMemoryPerMultiprocessor;
  uint32_t maxRegistersPerMultiprocessor, maxRegistersPerBlock, maxSharedMemoryPerBlock, maxThreadsPerBlock;
  uint32_t maxBlockDimX, maxBlockDimY, maxBlockDimZ, maxGridDimX, maxGridDimY, maxGridDimZ, computeCapabilityMajor;
  uint32_t computeCapabilityMinor, id, eccEnabled; CUuuid uuid;
#ifndef CUPTILP64
  uint32_t pad;
#endif
  const char *name;
} CUpti_ActivityDevice2;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint64_t globalMemoryBandwidth, globalMemorySize;
  uint32_t constantMemorySize, l2CacheSize, numThreadsPerWarp, coreClockRate, numMemcpyEngines, numMultiprocessors;
  uint32_t maxIPC, maxWarpsPerMultiprocessor, maxBlocksPerMultiprocessor, maxSharedMemoryPerMultiprocessor;
  uint32_t maxRegistersPerMultiprocessor, maxRegistersPerBlock, maxSharedMemoryPerBlock, maxThreadsPerBlock;
  uint32_t maxBlockDimX, maxBlockDimY, maxBlockDimZ, maxGridDimX, maxGridDimY, maxGridDimZ, computeCapabilityMajor;
  uint32_t computeCapabilityMinor, id, eccEnabled; CUuuid uuid;
#ifndef CUPTILP64
  uint32_t pad;
#endif
  const char *name; uint8_t isCudaVisible, reserved[7];
} CUpti_ActivityDevice3;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint64_t globalMemoryBandwidth, globalMemorySize;
  uint32_t constantMemorySize, l2CacheSize, numThreadsPerWarp, coreClockRate, numMemcpyEngines, numMultiprocessors;
  uint32_t maxIPC, maxWarpsPerMultiprocessor, maxBlocksPerMultiprocessor, maxSharedMemoryPerMultiprocessor;
  uint32_t maxRegistersPerMultiprocessor, maxRegistersPerBlock, maxSharedMemoryPerBlock, maxThreadsPerBlock;
  uint32_t maxBlockDimX, maxBlockDimY, maxBlockDimZ, maxGridDimX, maxGridDimY, maxGridDimZ, computeCapabilityMajor;
  uint32_t computeCapabilityMinor, id, eccEnabled; CUuuid uuid;
#ifndef CUPTILP64
  uint32_t pad;
#endif
  const char *name; uint8_t isCudaVisible, isMigEnabled, reserved[6]; uint32_t gpuInstanceId, computeInstanceId;
  CUuuid migUuid;
} CUpti_ActivityDevice4;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint8_t cacheConfigRequested, cacheConfigExecuted; uint16_t registersPerThread;
  uint64_t start, end; uint32_t deviceId, contextId, streamId; int32_t gridX, gridY, gridZ, blockX, blockY, blockZ;
  int32_t staticSharedMemory, dynamicSharedMemory; uint32_t localMemoryPerThread, localMemoryTotal, correlationId;
  uint32_t runtimeCorrelationId, pad; const char *name; void *reserved0;
} CUpti_ActivityKernel;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind;
  union { uint8_t both; struct { uint8_t requested : 4, executed : 4; } config; } cacheConfig;
  uint8_t sharedMemoryConfig; uint16_t registersPerThread; uint64_t start, end, completed; uint32_t deviceId;
  uint32_t contextId, streamId; int32_t gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory;
  int32_t dynamicSharedMemory; uint32_t localMemoryPerThread, localMemoryTotal, correlationId; int64_t gridId;
  const char *name; void *reserved0;
} CUpti_ActivityKernel2;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind;
  union { uint8_t both; struct { uint8_t requested : 4, executed : 4; } config; } cacheConfig;
  uint8_t sharedMemoryConfig; uint16_t registersPerThread;
  CUpti_ActivityPartitionedGlobalCacheConfig partitionedGlobalCacheRequested, partitionedGlobalCacheExecuted;
  uint64_t start, end, completed; uint32_t deviceId, contextId, streamId; int32_t gridX, gridY, gridZ, blockX, blockY;
  int32_t blockZ, staticSharedMemory, dynamicSharedMemory; uint32_t localMemoryPerThread, localMemoryTotal;
  uint32_t correlationId; int64_t gridId; const char *name; void *reserved0;
} CUpti_ActivityKernel3;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind;
  union { uint8_t both; struct { uint8_t requested : 4, executed : 4; } config; } cacheConfig;
  uint8_t sharedMemoryConfig; uint16_t registersPerThread;
  CUpti_ActivityPartitionedGlobalCacheConfig partitionedGlobalCacheRequested, partitionedGlobalCacheExecuted;
  uint64_t start, end, completed; uint32_t deviceId, contextId, streamId; int32_t gridX, gridY, gridZ, blockX, blockY;
  int32_t blockZ, staticSharedMemory, dynamicSharedMemory; uint32_t localMemoryPerThread, localMemoryTotal;
  uint32_t correlationId; int64_t gridId; const char *name; void *reserved0; uint64_t queued, submitted;
  uint8_t launchType, isSharedMemoryCarveoutRequested, sharedMemoryCarveoutRequested, padding;
  uint32_t sharedMemoryExecuted;
} CUpti_ActivityKernel4;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind;
  union { uint8_t both; struct { uint8_t requested : 4, executed : 4; } config; } cacheConfig;
  uint8_t sharedMemoryConfig; uint16_t registersPerThread;
  CUpti_ActivityPartitionedGlobalCacheConfig partitionedGlobalCacheRequested, partitionedGlobalCacheExecuted;
  uint64_t start, end, completed; uint32_t deviceId, contextId, streamId; int32_t gridX, gridY, gridZ, blockX, blockY;
  int32_t blockZ, staticSharedMemory, dynamicSharedMemory; uint32_t localMemoryPerThread, localMemoryTotal;
  uint32_t correlationId; int64_t gridId; const char *name; void *reserved0; uint64_t queued, submitted;
  uint8_t launchType, isSharedMemoryCarveoutRequested, sharedMemoryCarveoutRequested, padding;
  uint32_t sharedMemoryExecuted; uint64_t graphNodeId; CUpti_FuncShmemLimitConfig shmemLimitConfig; uint32_t graphId;
} CUpti_ActivityKernel5;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind;
  union { uint8_t both; struct { uint8_t requested : 4, executed : 4; } config; } cacheConfig;
  uint8_t sharedMemoryConfig; uint16_t registersPerThread;
  CUpti_ActivityPartitionedGlobalCacheConfig partitionedGlobalCacheRequested, partitionedGlobalCacheExecuted;
  uint64_t start, end, completed; uint32_t deviceId, contextId, streamId; int32_t gridX, gridY, gridZ, blockX, blockY;
  int32_t blockZ, staticSharedMemory, dynamicSharedMemory; uint32_t localMemoryPerThread, localMemoryTotal;
  uint32_t correlationId; int64_t gridId; const char *name; void *reserved0; uint64_t queued, submitted;
  uint8_t launchType, isSharedMemoryCarveoutRequested, sharedMemoryCarveoutRequested, padding;
  uint32_t sharedMemoryExecuted; uint64_t graphNodeId; CUpti_FuncShmemLimitConfig shmemLimitConfig; uint32_t graphId;
  CUaccessPolicyWindow *pAccessPolicyWindow;
} CUpti_ActivityKernel6;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind;
  union { uint8_t both; struct { uint8_t requested : 4, executed : 4; } config; } cacheConfig;
  uint8_t sharedMemoryConfig; uint16_t registersPerThread;
  CUpti_ActivityPartitionedGlobalCacheConfig partitionedGlobalCacheRequested, partitionedGlobalCacheExecuted;
  uint64_t start, end, completed; uint32_t deviceId, contextId, streamId; int32_t gridX, gridY, gridZ, blockX, blockY;
  int32_t blockZ, staticSharedMemory, dynamicSharedMemory; uint32_t localMemoryPerThread, localMemoryTotal;
  uint32_t correlationId; int64_t gridId; const char *name; void *reserved0; uint64_t queued, submitted;
  uint8_t launchType, isSharedMemoryCarveoutRequested, sharedMemoryCarveoutRequested, padding;
  uint32_t sharedMemoryExecuted; uint64_t graphNodeId; CUpti_FuncShmemLimitConfig shmemLimitConfig; uint32_t graphId;
  CUaccessPolicyWindow *pAccessPolicyWindow; uint32_t channelID; CUpti_ChannelType channelType;
} CUpti_ActivityKernel7;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind;
  union { uint8_t both; struct { uint8_t requested : 4, executed : 4; } config; } cacheConfig;
  uint8_t sharedMemoryConfig; uint16_t registersPerThread;
  CUpti_ActivityPartitionedGlobalCacheConfig partitionedGlobalCacheRequested, partitionedGlobalCacheExecuted;
  uint64_t start, end, completed; uint32_t deviceId, contextId, streamId; int32_t gridX, gridY, gridZ, blockX, blockY;
  int32_t blockZ, staticSharedMemory, dynamicSharedMemory; uint32_t localMemoryPerThread, localMemoryTotal;
  uint32_t correlationId; int64_t gridId; const char *name; void *reserved0; uint64_t queued, submitted;
  uint8_t launchType, isSharedMemoryCarveoutRequested, sharedMemoryCarveoutRequested, padding;
  uint32_t sharedMemoryExecuted; uint64_t graphNodeId; CUpti_FuncShmemLimitConfig shmemLimitConfig; uint32_t graphId;
  CUaccessPolicyWindow *pAccessPolicyWindow; uint32_t channelID; CUpti_ChannelType channelType; uint32_t clusterX;
  uint32_t clusterY, clusterZ, clusterSchedulingPolicy; uint64_t localMemoryTotal_v2;
} CUpti_ActivityKernel8;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind;
  union { uint8_t both; struct { uint8_t requested : 4, executed : 4; } config; } cacheConfig;
  uint8_t sharedMemoryConfig; uint16_t registersPerThread;
  CUpti_ActivityPartitionedGlobalCacheConfig partitionedGlobalCacheRequested, partitionedGlobalCacheExecuted;
  uint64_t start, end, completed; uint32_t deviceId, contextId, streamId; int32_t gridX, gridY, gridZ, blockX, blockY;
  int32_t blockZ, staticSharedMemory, dynamicSharedMemory; uint32_t localMemoryPerThread, localMemoryTotal;
  uint32_t correlationId; int64_t gridId; const char *name; void *reserved0; uint64_t queued, submitted;
  uint8_t launchType, isSharedMemoryCarveoutRequested, sharedMemoryCarveoutRequested, padding;
  uint32_t sharedMemoryExecuted; uint64_t graphNodeId; CUpti_FuncShmemLimitConfig shmemLimitConfig; uint32_t graphId;
  CUaccessPolicyWindow *pAccessPolicyWindow; uint32_t channelID; CUpti_ChannelType channelType; uint32_t clusterX;
  uint32_t clusterY, clusterZ, clusterSchedulingPolicy; uint64_t localMemoryTotal_v2;
  uint32_t maxPotentialClusterSize, maxActiveClusters;
} CUpti_ActivityKernel9;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint8_t copyKind, srcKind, dstKind, flags; uint64_t bytes, start, end; uint32_t deviceId;
  uint32_t contextId, streamId, correlationId, runtimeCorrelationId;
#ifdef CUPTILP64
  uint32_t pad;
#endif
  void *reserved0;
} CUpti_ActivityMemcpy;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint8_t copyKind, srcKind, dstKind, flags; uint64_t bytes, start, end; uint32_t deviceId;
  uint32_t contextId, streamId, correlationId, runtimeCorrelationId;
#ifdef CUPTILP64
  uint32_t pad;
#endif
  void *reserved0; uint64_t graphNodeId;
} CUpti_ActivityMemcpy3;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint8_t copyKind, srcKind, dstKind, flags; uint64_t bytes, start, end; uint32_t deviceId;
  uint32_t contextId, streamId, correlationId, runtimeCorrelationId;
#ifdef CUPTILP64
  uint32_t pad;
#endif
  void *reserved0; uint64_t graphNodeId; uint32_t graphId, padding;
} CUpti_ActivityMemcpy4;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint8_t copyKind, srcKind, dstKind, flags; uint64_t bytes, start, end; uint32_t deviceId;
  uint32_t contextId, streamId, srcDeviceId, srcContextId, dstDeviceId, dstContextId, correlationId;
#ifndef CUPTILP64
  uint32_t pad;
#endif
  void *reserved0;
} CUpti_ActivityMemcpyPtoP;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint8_t copyKind, srcKind, dstKind, flags; uint64_t bytes, start, end; uint32_t deviceId;
  uint32_t contextId, streamId, srcDeviceId, srcContextId, dstDeviceId, dstContextId, correlationId;
#ifndef CUPTILP64
  uint32_t pad;
#endif
  void *reserved0; uint64_t graphNodeId;
} CUpti_ActivityMemcpyPtoP2;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint8_t copyKind, srcKind, dstKind, flags; uint64_t bytes, start, end; uint32_t deviceId;
  uint32_t contextId, streamId, srcDeviceId, srcContextId, dstDeviceId, dstContextId, correlationId;
#ifndef CUPTILP64
  uint32_t pad;
#endif
  void *reserved0; uint64_t graphNodeId; uint32_t graphId, padding;
} CUpti_ActivityMemcpyPtoP3;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t value; uint64_t bytes, start, end; uint32_t deviceId, contextId, streamId;
  uint32_t correlationId; uint16_t flags, memoryKind;
#ifdef CUPTILP64
  uint32_t pad;
#endif
  void *reserved0;
} CUpti_ActivityMemset;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t value; uint64_t bytes, start, end; uint32_t deviceId, contextId, streamId;
  uint32_t correlationId; uint16_t flags, memoryKind;
#ifdef CUPTILP64
  uint32_t pad;
#endif
  void *reserved0; uint64_t graphNodeId;
} CUpti_ActivityMemset2;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t value; uint64_t bytes, start, end; uint32_t deviceId, contextId, streamId;
  uint32_t correlationId; uint16_t flags, memoryKind;
#ifdef CUPTILP64
  uint32_t pad;
#endif
  void *reserved0; uint64_t graphNodeId; uint32_t graphId, padding;
} CUpti_ActivityMemset3;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityMemoryOperationType memoryOperationType; CUpti_ActivityMemoryKind memoryKind;
  uint32_t correlationId; uint64_t address, bytes, timestamp, PC; uint32_t processId, deviceId, contextId, streamId;
  const char *name; uint32_t isAsync;
#ifdef CUPTILP64
  uint32_t pad1;
#endif
  struct {
    CUpti_ActivityMemoryPoolType memoryPoolType; uint32_t pad2; uint64_t address, releaseThreshold;
    union { uint64_t size, processId; } pool;
  } memoryPoolConfig;
} CUpti_ActivityMemory2;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityMemoryOperationType memoryOperationType; CUpti_ActivityMemoryKind memoryKind;
  uint32_t correlationId; uint64_t address, bytes, timestamp, PC; uint32_t processId, deviceId, contextId, streamId;
  const char *name; uint32_t isAsync;
#ifdef CUPTILP64
  uint32_t pad1;
#endif
  struct {
    CUpti_ActivityMemoryPoolType memoryPoolType; uint32_t pad2; uint64_t address, releaseThreshold;
    union { uint64_t size, processId; } pool;
    uint64_t utilizedSize;
  } memoryPoolConfig;
} CUpti_ActivityMemory3;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityMemoryPoolOperationType memoryPoolOperationType;
  CUpti_ActivityMemoryPoolType memoryPoolType; uint32_t correlationId, processId, deviceId; size_t minBytesToKeep;
#ifndef CUPTILP64
  uint32_t pad;
#endif
  uint64_t address, size, releaseThreshold, timestamp;
} CUpti_ActivityMemoryPool;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityMemoryPoolOperationType memoryPoolOperationType;
  CUpti_ActivityMemoryPoolType memoryPoolType; uint32_t correlationId, processId, deviceId; size_t minBytesToKeep;
#ifndef CUPTILP64
  uint32_t pad;
#endif
  uint64_t address, size, releaseThreshold, timestamp, utilizedSize;
} CUpti_ActivityMemoryPool2;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint64_t timestamp; uint32_t id;
  CUpti_ActivityObjectKind objectKind; CUpti_ActivityObjectKindId objectId;
#ifdef CUPTILP64
  uint32_t pad;
#endif
  const char *name;
} CUpti_ActivityMarker;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint32_t sourceLocatorId, correlationId, pcOffset, executed;
  uint64_t threadsExecuted, l2_transactions;
} CUpti_ActivityGlobalAccess;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint32_t sourceLocatorId, correlationId, functionId, pcOffset;
  uint64_t threadsExecuted, l2_transactions, theoreticalL2Transactions; uint32_t executed, pad;
} CUpti_ActivityGlobalAccess2;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t sourceLocatorId, correlationId, pcOffset, executed, diverged;
  uint64_t threadsExecuted;
} CUpti_ActivityBranch;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint32_t sourceLocatorId, correlationId, functionId, pcOffset;
  uint32_t samples; CUpti_ActivityPCSamplingStallReason stallReason;
} CUpti_ActivityPCSampling;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint32_t sourceLocatorId, correlationId, functionId, pcOffset;
  uint32_t latencySamples, samples; CUpti_ActivityPCSamplingStallReason stallReason; uint32_t pad;
} CUpti_ActivityPCSampling2;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityUnifiedMemoryCounterKind counterKind;
  CUpti_ActivityUnifiedMemoryCounterScope scope; uint32_t deviceId; uint64_t value, timestamp; uint32_t processId;
  uint32_t pad;
} CUpti_ActivityUnifiedMemoryCounter;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityUnifiedMemoryCounterKind counterKind; uint64_t value, start, end, address;
  uint32_t srcId, dstId, streamId, processId, flags, pad;
} CUpti_ActivityUnifiedMemoryCounter2;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t nvlinkVersion; CUpti_DevType typeDev0, typeDev1;
  union { CUuuid uuidDev; struct { uint32_t index, domainId; } npu; } idDev0;
  union { CUuuid uuidDev; struct { uint32_t index, domainId; } npu; } idDev1;
  uint32_t flag, physicalNvLinkCount; int8_t portDev0[4], portDev1[4]; uint64_t bandwidth;
} CUpti_ActivityNvLink;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t nvlinkVersion; CUpti_DevType typeDev0, typeDev1;
  union { CUuuid uuidDev; struct { uint32_t index, domainId; } npu; } idDev0;
  union { CUuuid uuidDev; struct { uint32_t index, domainId; } npu; } idDev1;
  uint32_t flag, physicalNvLinkCount; int8_t portDev0[CUPTI_MAX_NVLINK_PORTS], portDev1[CUPTI_MAX_NVLINK_PORTS];
  uint64_t bandwidth;
} CUpti_ActivityNvLink2;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t nvlinkVersion; CUpti_DevType typeDev0, typeDev1;
  union { CUuuid uuidDev; struct { uint32_t index, domainId; } npu; } idDev0;
  union { CUuuid uuidDev; struct { uint32_t index, domainId; } npu; } idDev1;
  uint32_t flag, physicalNvLinkCount; int8_t portDev0[CUPTI_MAX_NVLINK_PORTS], portDev1[CUPTI_MAX_NVLINK_PORTS];
  uint64_t bandwidth; uint8_t nvswitchConnected, pad[7];
} CUpti_ActivityNvLink3;
typedef struct {
  CUpti_ActivityKind kind; uint32_t correlationId; uint64_t start, end; uint32_t deviceId, graphId, contextId;
  uint32_t streamId; void *reserved;
} CUpti_ActivityGraphTrace;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t contextId, deviceId; uint16_t computeApiKind, nullStreamId;
} CUpti_ActivityContext;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t contextId, deviceId; uint16_t computeApiKind, nullStreamId;
  uint32_t parentContextId; uint8_t isGreenContext, padding; uint16_t numMultiprocessors;
} CUpti_ActivityContext2;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityJitEntryType jitEntryType; CUpti_ActivityJitOperationType jitOperationType;
  uint32_t deviceId; uint64_t start, end; uint32_t correlationId, padding; uint64_t jitOperationCorrelationId;
  uint64_t cacheSize; const char *cachePath;
} CUpti_ActivityJit;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t correlationId, contextId, streamId, eventId, pad;
} CUpti_ActivityCudaEvent;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivitySynchronizationType type; uint64_t start, end; uint32_t correlationId;
  uint32_t contextId, streamId, cudaEventId;
} CUpti_ActivitySynchronization;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint8_t copyKind, srcKind, dstKind, flags; uint64_t bytes, start, end; uint32_t deviceId;
  uint32_t contextId, streamId, correlationId, runtimeCorrelationId;
#ifdef CUPTILP64
  uint32_t pad;
#endif
  void *reserved0; uint64_t graphNodeId; uint32_t graphId, channelID; CUpti_ChannelType channelType; uint32_t pad2;
} CUpti_ActivityMemcpy5;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint32_t id; CUpti_MetricValueKind payloadKind;
  CUpti_MetricValue payload; uint32_t color, category;
} CUpti_ActivityMarkerData;
typedef CUpti_ActivityMemcpyPtoP CUpti_ActivityMemcpy2;
