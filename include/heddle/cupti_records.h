// Part of cupti_activity.h: records as CUPTI 13 writes them (CUPTI documentation, "CUPTI Activity API").
#pragma once

typedef union {
  struct { uint32_t processId, threadId; } pt;
  struct { uint32_t deviceId, contextId, streamId; } dcs;
} CUpti_ActivityObjectKindId;
typedef struct {
  uint32_t commandBufferLength, channelID, channelType;
} CUpti_ActivityOverheadCommandBufferFullData;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityUnifiedMemoryCounterScope scope; CUpti_ActivityUnifiedMemoryCounterKind kind; uint32_t deviceId;
  uint32_t enable;
} CUpti_ActivityUnifiedMemoryCounterConfig;
typedef struct HEDDLE_CUPTI_RECORD {
  uint32_t enabled, pid;
} CUpti_ActivityAutoBoostState;
typedef struct HEDDLE_CUPTI_RECORD {
  uint32_t size; CUpti_ActivityPCSamplingPeriod samplingPeriod; uint32_t samplingPeriod2;
} CUpti_ActivityPCSamplingConfig;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind;
} CUpti_Activity;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint8_t copyKind, srcKind, dstKind, flags; uint64_t bytes, start, end; uint32_t deviceId;
  uint32_t contextId, streamId, correlationId, runtimeCorrelationId;
#ifdef CUPTILP64
  uint32_t pad;
#endif
  void *reserved0; uint64_t graphNodeId; uint32_t graphId, channelID; CUpti_ChannelType channelType;
  uint8_t isDeviceLaunched, pad2[3]; uint64_t copyCount;
} CUpti_ActivityMemcpy6;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint8_t copyKind, srcKind, dstKind, flags; uint64_t bytes, start, end; uint32_t deviceId;
  uint32_t contextId, streamId, srcDeviceId, srcContextId, dstDeviceId, dstContextId, correlationId;
#ifndef CUPTILP64
  uint32_t pad;
#endif
  void *reserved0; uint64_t graphNodeId; uint32_t graphId, channelID; CUpti_ChannelType channelType;
} CUpti_ActivityMemcpyPtoP4;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t value; uint64_t bytes, start, end; uint32_t deviceId, contextId, streamId;
  uint32_t correlationId; uint16_t flags, memoryKind;
#ifdef CUPTILP64
  uint32_t pad;
#endif
  void *reserved0; uint64_t graphNodeId; uint32_t graphId, channelID; CUpti_ChannelType channelType;
  uint8_t isDeviceLaunched, pad2[3];
} CUpti_ActivityMemset4;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityMemoryKind memoryKind; uint64_t address, bytes, start, end, allocPC, freePC;
  uint32_t processId, deviceId, contextId;
#ifdef CUPTILP64
  uint32_t pad;
#endif
  const char *name;
} CUpti_ActivityMemory;
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
  const char *source;
} CUpti_ActivityMemory4;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityMemoryPoolOperationType memoryPoolOperationType;
  CUpti_ActivityMemoryPoolType memoryPoolType; uint32_t correlationId, processId, deviceId; size_t minBytesToKeep;
#ifndef CUPTILP64
  uint32_t pad;
#endif
  uint64_t address, size, releaseThreshold, timestamp, utilizedSize; uint8_t isManagedPool, pad2[7];
} CUpti_ActivityMemoryPool3;
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
  uint32_t maxPotentialClusterSize, maxActiveClusters; uint8_t isDeviceLaunched, padding3[7];
} CUpti_ActivityKernel10;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind;
  union { uint8_t both; struct { uint8_t requested : 4, executed : 4; } config; } cacheConfig;
  uint8_t sharedMemoryConfig; uint16_t registersPerThread; uint64_t start, end; uint32_t deviceId, contextId;
  uint32_t streamId; int32_t gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory;
  uint32_t localMemoryPerThread, localMemoryTotal, correlationId; int64_t gridId, parentGridId; uint64_t queued;
  uint64_t submitted, completed; uint32_t parentBlockX, parentBlockY, parentBlockZ;
#ifdef CUPTILP64
  uint32_t pad;
#endif
  const char *name;
} CUpti_ActivityCdpKernel;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityPreemptionKind preemptionKind; uint64_t timestamp; int64_t gridId;
  uint32_t blockX, blockY, blockZ, pad;
} CUpti_ActivityPreemption;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_CallbackId cbid; uint64_t start, end; uint32_t processId, threadId, correlationId;
  uint32_t returnValue;
} CUpti_ActivityAPI;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t id, lineNumber;
#ifdef CUPTILP64
  uint32_t pad;
#endif
  const char *fileName;
} CUpti_ActivitySourceLocator;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint32_t sourceLocatorId, correlationId, functionId, executed;
  uint64_t pcOffset, threadsExecuted, l2_transactions, theoreticalL2Transactions;
} CUpti_ActivityGlobalAccess3;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t sourceLocatorId, correlationId, functionId, pcOffset, diverged;
  uint64_t threadsExecuted; uint32_t executed, pad;
} CUpti_ActivityBranch2;
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
  CUuuid migUuid; uint32_t isNumaNode, numaId;
} CUpti_ActivityDevice5;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint32_t deviceId;
  union { CUdevice_attribute cu; CUpti_DeviceAttribute cupti; } attribute;
  union { double vDouble; uint32_t vUint32; uint64_t vUint64; int32_t vInt32; int64_t vInt64; } value;
} CUpti_ActivityDeviceAttribute;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t contextId, deviceId; uint16_t computeApiKind, nullStreamId;
  uint32_t parentContextId; uint8_t isGreenContext, padding; uint16_t numMultiprocessors;
  CUpti_ContextCigMode cigMode; uint32_t padding2;
} CUpti_ActivityContext3;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityObjectKind objectKind; CUpti_ActivityObjectKindId objectId;
#ifdef CUPTILP64
  uint32_t pad;
#endif
  const char *name;
} CUpti_ActivityName;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint64_t timestamp; uint32_t id;
  CUpti_ActivityObjectKind objectKind; CUpti_ActivityObjectKindId objectId; uint32_t pad; const char *name;
  const char *domain;
} CUpti_ActivityMarker2;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint32_t id; CUpti_MetricValueKind payloadKind;
  CUpti_MetricValue payload; uint32_t color, category, cuptiDomainId, padding;
} CUpti_ActivityMarkerData2;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityOverheadKind overheadKind; CUpti_ActivityObjectKind objectKind;
  CUpti_ActivityObjectKindId objectId; uint64_t start, end; uint32_t correlationId, reserved0; void *overheadData;
} CUpti_ActivityOverhead3;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t deviceId; uint64_t timestamp; CUpti_ActivityEnvironmentKind environmentKind;
  union {
    struct {
      uint32_t smClock, memoryClock, pcieLinkGen, pcieLinkWidth;
      CUpti_EnvironmentClocksThrottleReason clocksThrottleReasons;
    } speed;
    struct { uint32_t gpuTemperature; } temperature;
    struct { uint32_t power, powerLimit; } power;
    struct { uint32_t fanSpeed; } cooling;
  } data;
} CUpti_ActivityEnvironment;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint32_t sourceLocatorId, correlationId, functionId, pcOffset;
  uint64_t threadsExecuted, notPredOffThreadsExecuted; uint32_t executed, pad;
} CUpti_ActivityInstructionExecution;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint32_t sourceLocatorId, correlationId, functionId;
  uint32_t latencySamples, samples; CUpti_ActivityPCSamplingStallReason stallReason; uint64_t pcOffset;
} CUpti_ActivityPCSampling3;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t correlationId; uint64_t totalSamples, droppedSamples, samplingPeriodInCycles;
} CUpti_ActivityPCSamplingRecordInfo;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityUnifiedMemoryCounterKind counterKind; uint64_t value, start, end, address;
  uint32_t srcId, dstId, streamId, processId, flags, pad; uint64_t processors[5];
} CUpti_ActivityUnifiedMemoryCounter3;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t id, contextId, moduleId, functionIndex;
#ifdef CUPTILP64
  uint32_t pad;
#endif
  const char *name;
} CUpti_ActivityFunction;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t contextId, id, cubinSize;
#ifndef CUPTILP64
  uint32_t pad;
#endif
  const void *cubin;
} CUpti_ActivityModule;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint32_t sourceLocatorId, correlationId, functionId, pcOffset;
  uint64_t threadsExecuted, sharedTransactions, theoreticalSharedTransactions; uint32_t executed, pad;
} CUpti_ActivitySharedAccess;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t correlationId, contextId, streamId, eventId, pad, deviceId, pad2; void *reserved0;
  uint64_t deviceTimestamp, cudaEventSyncId;
} CUpti_ActivityCudaEvent2;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t contextId, streamId, priority; CUpti_ActivityStreamFlag flag;
  uint32_t correlationId;
} CUpti_ActivityStream;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivitySynchronizationType type; uint64_t start, end; uint32_t correlationId;
  uint32_t contextId, streamId, cudaEventId; uint64_t cudaEventSyncId; uint32_t returnValue, pad;
} CUpti_ActivitySynchronization2;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityFlag flags; uint32_t sourceLocatorId, functionId, pcOffset, pad;
} CUpti_ActivityInstructionCorrelation;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_OpenAccEventKind eventKind; CUpti_OpenAccConstructKind parentConstruct;
  uint32_t version, implicit, deviceType, deviceNumber, threadId; uint64_t async, asyncMap; uint32_t lineNo;
  uint32_t endLineNo, funcLineNo, funcEndLineNo; uint64_t start, end; uint32_t cuDeviceId, cuContextId, cuStreamId;
  uint32_t cuProcessId, cuThreadId, externalId; const char *srcFile; const char *funcName;
} CUpti_ActivityOpenAcc;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_OpenAccEventKind eventKind; CUpti_OpenAccConstructKind parentConstruct;
  uint32_t version, implicit, deviceType, deviceNumber, threadId; uint64_t async, asyncMap; uint32_t lineNo;
  uint32_t endLineNo, funcLineNo, funcEndLineNo; uint64_t start, end; uint32_t cuDeviceId, cuContextId, cuStreamId;
  uint32_t cuProcessId, cuThreadId, externalId; const char *srcFile; const char *funcName; uint64_t bytes, hostPtr;
  uint64_t devicePtr;
#ifndef CUPTILP64
  uint32_t pad1;
#endif
  const char *varName;
} CUpti_ActivityOpenAccData;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_OpenAccEventKind eventKind; CUpti_OpenAccConstructKind parentConstruct;
  uint32_t version, implicit, deviceType, deviceNumber, threadId; uint64_t async, asyncMap; uint32_t lineNo;
  uint32_t endLineNo, funcLineNo, funcEndLineNo; uint64_t start, end; uint32_t cuDeviceId, cuContextId, cuStreamId;
  uint32_t cuProcessId, cuThreadId, externalId; const char *srcFile; const char *funcName; uint64_t numGangs;
  uint64_t numWorkers, vectorLength;
#ifndef CUPTILP64
  uint32_t pad1;
#endif
  const char *kernelName;
} CUpti_ActivityOpenAccLaunch;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_OpenAccEventKind eventKind; CUpti_OpenAccConstructKind parentConstruct;
  uint32_t version, implicit, deviceType, deviceNumber, threadId; uint64_t async, asyncMap; uint32_t lineNo;
  uint32_t endLineNo, funcLineNo, funcEndLineNo; uint64_t start, end; uint32_t cuDeviceId, cuContextId, cuStreamId;
  uint32_t cuProcessId, cuThreadId, externalId; const char *srcFile; const char *funcName;
} CUpti_ActivityOpenAccOther;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_OpenMpEventKind eventKind; uint32_t version, threadId; uint64_t start, end;
  uint32_t cuProcessId, cuThreadId;
} CUpti_ActivityOpenMp;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ExternalCorrelationKind externalKind; uint64_t externalId; uint32_t correlationId;
  uint32_t reserved;
} CUpti_ActivityExternalCorrelation;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; uint32_t nvlinkVersion; CUpti_DevType typeDev0, typeDev1;
  union { CUuuid uuidDev; struct { uint32_t index, domainId; } npu; } idDev0;
  union { CUuuid uuidDev; struct { uint32_t index, domainId; } npu; } idDev1;
  uint32_t flag, physicalNvLinkCount; int8_t portDev0[CUPTI_MAX_NVLINK_PORTS], portDev1[CUPTI_MAX_NVLINK_PORTS];
  uint64_t bandwidth; uint8_t nvswitchConnected, pad[7];
} CUpti_ActivityNvLink4;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_PcieDeviceType type;
  union { CUdevice devId; uint32_t bridgeId; } id;
  uint32_t domain; uint16_t pcieGeneration, linkRate, linkWidth, upstreamBus;
  union {
    struct { CUuuid uuidDev; CUdevice peerDev[CUPTI_MAX_GPUS]; } gpuAttr;
    struct { uint16_t secondaryBus, deviceId, vendorId, pad0; } bridgeAttr;
  } attr;
} CUpti_ActivityPcie;
typedef struct HEDDLE_CUPTI_RECORD {
  CUpti_ActivityKind kind; CUpti_ActivityJitEntryType jitEntryType; CUpti_ActivityJitOperationType jitOperationType;
  uint32_t deviceId; uint64_t start, end; uint32_t correlationId, padding; uint64_t jitOperationCorrelationId;
  uint64_t cacheSize; const char *cachePath; uint32_t processId, threadId;
} CUpti_ActivityJit2;
typedef struct {
  CUpti_ActivityKind kind; uint32_t correlationId; uint64_t start, end; uint32_t deviceId, graphId, contextId;
  uint32_t streamId; void *reserved; uint32_t endDeviceId, endContextId;
} CUpti_ActivityGraphTrace2;
typedef struct {
  CUpti_ActivityKind kind; uint32_t deviceId; uint64_t start, end; uint32_t graphId, launcherGraphId;
  uint32_t deviceLaunchMode, contextId; uint64_t streamId; void *reserved;
} CUpti_ActivityDeviceGraphTrace;
typedef struct {
  CUpti_ActivityKind kind; uint32_t deviceId, contextId, streamId, channelID; CUpti_ChannelType channelType;
  uint32_t correlationId, numberOfOperations; uint64_t sourceBytes; void *reserved0; uint64_t start, end;
} CUpti_ActivityMemDecompress;
