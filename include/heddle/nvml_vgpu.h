// Part of nvml.h: structs about virtual GPUs, encoders, licences (NVML API Reference).
#pragma once

typedef unsigned int nvmlVgpuInstance_t;
typedef struct {
  unsigned int version, vgpuCount; nvmlVgpuInstance_t *vgpuInstances;
} nvmlActiveVgpuInstanceInfo_v1_t;
#define nvmlActiveVgpuInstanceInfo_v1 NVML_STRUCT_VERSION(ActiveVgpuInstanceInfo, 1)
typedef nvmlActiveVgpuInstanceInfo_v1_t nvmlActiveVgpuInstanceInfo_t;
typedef struct nvmlEncoderSessionInfo_st {
  unsigned int sessionId, pid; nvmlVgpuInstance_t vgpuInstance; nvmlEncoderType_t codecType;
  unsigned int hResolution, vResolution, averageFps, averageLatency;
} nvmlEncoderSessionInfo_t;
typedef struct nvmlFBCSessionInfo_st {
  unsigned int sessionId, pid; nvmlVgpuInstance_t vgpuInstance; unsigned int displayOrdinal;
  nvmlFBCSessionType_t sessionType;
  unsigned int sessionFlags, hMaxResolution, vMaxResolution, hResolution, vResolution, averageFPS, averageLatency;
} nvmlFBCSessionInfo_t;
typedef struct nvmlFBCStats_st { unsigned int sessionsCount, averageFPS, averageLatency; } nvmlFBCStats_t;
typedef struct nvmlGridLicenseExpiry_st {
  unsigned int year; unsigned short month, day, hour, min, sec; unsigned char status;
} nvmlGridLicenseExpiry_t;
typedef struct nvmlGridLicensableFeature_st {
  nvmlGridLicenseFeatureCode_t featureCode; unsigned int featureState;
  char licenseInfo[NVML_GRID_LICENSE_BUFFER_SIZE], productName[NVML_GRID_LICENSE_BUFFER_SIZE];
  unsigned int featureEnabled; nvmlGridLicenseExpiry_t licenseExpiry;
} nvmlGridLicensableFeature_t;
typedef struct nvmlGridLicensableFeatures_st {
  int isGridLicenseSupported; unsigned int licensableFeaturesCount;
  nvmlGridLicensableFeature_t gridLicensableFeatures[NVML_GRID_LICENSE_FEATURE_MAX_COUNT];
} nvmlGridLicensableFeatures_t;
typedef unsigned int nvmlVgpuTypeId_t;
typedef struct {
  unsigned int version; nvmlVgpuTypeId_t vgpuTypeId; unsigned int count, *placementIds, placementSize;
} nvmlVgpuCreatablePlacementInfo_v1_t;
#define nvmlVgpuCreatablePlacementInfo_v1 NVML_STRUCT_VERSION(VgpuCreatablePlacementInfo, 1)
typedef nvmlVgpuCreatablePlacementInfo_v1_t nvmlVgpuCreatablePlacementInfo_t;
typedef struct { unsigned int version, mode; } nvmlVgpuHeterogeneousMode_v1_t;
#define nvmlVgpuHeterogeneousMode_v1 NVML_STRUCT_VERSION(VgpuHeterogeneousMode, 1)
typedef nvmlVgpuHeterogeneousMode_v1_t nvmlVgpuHeterogeneousMode_t;
typedef struct {
  unsigned long long timeStamp; nvmlVgpuInstance_t vgpuInstance;
  nvmlValue_t smUtil, memUtil, encUtil, decUtil, jpgUtil, ofaUtil;
} nvmlVgpuInstanceUtilizationInfo_v1_t;
typedef struct {
  unsigned int version; nvmlValueType_t sampleValType; unsigned int vgpuInstanceCount;
  unsigned long long lastSeenTimeStamp; nvmlVgpuInstanceUtilizationInfo_v1_t *vgpuUtilArray;
} nvmlVgpuInstancesUtilizationInfo_v1_t;
#define nvmlVgpuInstancesUtilizationInfo_v1 NVML_STRUCT_VERSION(VgpuInstancesUtilizationInfo, 1)
typedef nvmlVgpuInstancesUtilizationInfo_v1_t nvmlVgpuInstancesUtilizationInfo_t;
typedef struct nvmlVgpuInstanceUtilizationSample_st {
  nvmlVgpuInstance_t vgpuInstance; unsigned long long timeStamp; nvmlValue_t smUtil, memUtil, encUtil, decUtil;
} nvmlVgpuInstanceUtilizationSample_t;
typedef struct nvmlVgpuLicenseExpiry_st {
  unsigned int year; unsigned short month, day, hour, min, sec; unsigned char status;
} nvmlVgpuLicenseExpiry_t;
typedef struct nvmlVgpuLicenseInfo_st {
  unsigned char isLicensed; nvmlVgpuLicenseExpiry_t licenseExpiry; unsigned int currentState;
} nvmlVgpuLicenseInfo_t;
typedef struct nvmlVgpuMetadata_st {
  unsigned int version, revision; nvmlVgpuGuestInfoState_t guestInfoState;
  char guestDriverVersion[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE],
    hostDriverVersion[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE];
  unsigned int reserved[6], vgpuVirtualizationCaps, guestVgpuVersion, opaqueDataSize; char opaqueData[4];
} nvmlVgpuMetadata_t;
typedef struct nvmlVgpuPgpuCompatibility_st {
  nvmlVgpuVmCompatibility_t vgpuVmCompatibility; nvmlVgpuPgpuCompatibilityLimitCode_t compatibilityLimitCode;
} nvmlVgpuPgpuCompatibility_t;
typedef struct nvmlVgpuVersion_st { unsigned int minVersion, maxVersion; } nvmlVgpuVersion_t;
typedef struct nvmlVgpuPgpuMetadata_st {
  unsigned int version, revision; char hostDriverVersion[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE];
  unsigned int pgpuVirtualizationCaps, reserved[5]; nvmlVgpuVersion_t hostSupportedVgpuRange;
  unsigned int opaqueDataSize; char opaqueData[4];
} nvmlVgpuPgpuMetadata_t;
typedef struct { unsigned int version, placementId; } nvmlVgpuPlacementId_v1_t;
#define nvmlVgpuPlacementId_v1 NVML_STRUCT_VERSION(VgpuPlacementId, 1)
typedef nvmlVgpuPlacementId_v1_t nvmlVgpuPlacementId_t;
typedef struct { unsigned int version, placementSize, count, *placementIds, mode; } nvmlVgpuPlacementList_v2_t;
#define nvmlVgpuPlacementList_v2 NVML_STRUCT_VERSION(VgpuPlacementList, 2)
typedef nvmlVgpuPlacementList_v2_t nvmlVgpuPlacementList_t;
typedef struct { unsigned int version, placementSize, count, *placementIds; } nvmlVgpuPlacementList_v1_t;
#define nvmlVgpuPlacementList_v1 NVML_STRUCT_VERSION(VgpuPlacementList, 1)
typedef struct {
  char processName[NVML_VGPU_NAME_BUFFER_SIZE]; unsigned long long timeStamp; nvmlVgpuInstance_t vgpuInstance;
  unsigned int pid, smUtil, memUtil, encUtil, decUtil, jpgUtil, ofaUtil;
} nvmlVgpuProcessUtilizationInfo_v1_t;
typedef struct {
  unsigned int version, vgpuProcessCount; unsigned long long lastSeenTimeStamp;
  nvmlVgpuProcessUtilizationInfo_v1_t *vgpuProcUtilArray;
} nvmlVgpuProcessesUtilizationInfo_v1_t;
#define nvmlVgpuProcessesUtilizationInfo_v1 NVML_STRUCT_VERSION(VgpuProcessesUtilizationInfo, 1)
typedef nvmlVgpuProcessesUtilizationInfo_v1_t nvmlVgpuProcessesUtilizationInfo_t;
typedef struct nvmlVgpuProcessUtilizationSample_st {
  nvmlVgpuInstance_t vgpuInstance; unsigned int pid; char processName[NVML_VGPU_NAME_BUFFER_SIZE];
  unsigned long long timeStamp; unsigned int smUtil, memUtil, encUtil, decUtil;
} nvmlVgpuProcessUtilizationSample_t;
typedef struct { unsigned int version; unsigned long long size; } nvmlVgpuRuntimeState_v1_t;
#define nvmlVgpuRuntimeState_v1 NVML_STRUCT_VERSION(VgpuRuntimeState, 1)
typedef nvmlVgpuRuntimeState_v1_t nvmlVgpuRuntimeState_t;
typedef struct nvmlVgpuSchedulerCapabilities_st {
  unsigned int supportedSchedulers[NVML_SUPPORTED_VGPU_SCHEDULER_POLICY_COUNT], maxTimeslice, minTimeslice,
    isArrModeSupported, maxFrequencyForARR, minFrequencyForARR, maxAvgFactorForARR, minAvgFactorForARR;
} nvmlVgpuSchedulerCapabilities_t;
typedef union {
  struct { unsigned int avgFactor, timeslice; } vgpuSchedDataWithARR; struct { unsigned int timeslice; }
  vgpuSchedData;
} nvmlVgpuSchedulerParams_t;
typedef struct nvmlVgpuSchedulerGetState_st {
  unsigned int schedulerPolicy, arrMode; nvmlVgpuSchedulerParams_t schedulerParams;
} nvmlVgpuSchedulerGetState_t;
typedef struct nvmlVgpuSchedulerLogEntries_st {
  unsigned long long timestamp, timeRunTotal, timeRun; unsigned int swRunlistId;
  unsigned long long targetTimeSlice, cumulativePreemptionTime;
} nvmlVgpuSchedulerLogEntry_t;
typedef struct nvmlVgpuSchedulerLog_st {
  unsigned int engineId, schedulerPolicy, arrMode; nvmlVgpuSchedulerParams_t schedulerParams;
  unsigned int entriesCount; nvmlVgpuSchedulerLogEntry_t logEntries[NVML_SCHEDULER_SW_MAX_LOG_ENTRIES];
} nvmlVgpuSchedulerLog_t;
typedef struct {
  unsigned long long timestamp, timeRunTotal, timeRun; unsigned int swRunlistId;
  unsigned long long targetTimeSlice, cumulativePreemptionTime; unsigned int weight;
} nvmlVgpuSchedulerLogEntry_v2_t;
typedef struct {
  unsigned int version, engineId, schedulerPolicy, arrMode; nvmlVgpuSchedulerParams_t schedulerParams;
  unsigned int entriesCount; nvmlVgpuSchedulerLogEntry_t logEntries[NVML_SCHEDULER_SW_MAX_LOG_ENTRIES];
} nvmlVgpuSchedulerLogInfo_v1_t;
#define nvmlVgpuSchedulerLogInfo_v1 NVML_STRUCT_VERSION(VgpuSchedulerLogInfo, 1)
typedef nvmlVgpuSchedulerLogInfo_v1_t nvmlVgpuSchedulerLogInfo_t;
typedef struct {
  unsigned int engineId, schedulerPolicy, avgFactor, timeslice, entriesCount;
  nvmlVgpuSchedulerLogEntry_v2_t logEntries[NVML_SCHEDULER_SW_MAX_LOG_ENTRIES];
} nvmlVgpuSchedulerLogInfo_v2_t;
typedef union {
  struct { unsigned int avgFactor, frequency; } vgpuSchedDataWithARR; struct { unsigned int timeslice; }
  vgpuSchedData;
} nvmlVgpuSchedulerSetParams_t;
typedef struct nvmlVgpuSchedulerSetState_st {
  unsigned int schedulerPolicy, enableARRMode; nvmlVgpuSchedulerSetParams_t schedulerParams;
} nvmlVgpuSchedulerSetState_t;
typedef struct {
  unsigned int version, engineId, schedulerPolicy, enableARRMode; nvmlVgpuSchedulerSetParams_t schedulerParams;
} nvmlVgpuSchedulerState_v1_t;
#define nvmlVgpuSchedulerState_v1 NVML_STRUCT_VERSION(VgpuSchedulerState, 1)
typedef nvmlVgpuSchedulerState_v1_t nvmlVgpuSchedulerState_t;
typedef struct { unsigned int engineId, schedulerPolicy, avgFactor, frequency; } nvmlVgpuSchedulerState_v2_t;
typedef struct {
  unsigned int version, engineId, schedulerPolicy, arrMode; nvmlVgpuSchedulerParams_t schedulerParams;
} nvmlVgpuSchedulerStateInfo_v1_t;
#define nvmlVgpuSchedulerStateInfo_v1 NVML_STRUCT_VERSION(VgpuSchedulerStateInfo, 1)
typedef nvmlVgpuSchedulerStateInfo_v1_t nvmlVgpuSchedulerStateInfo_t;
typedef struct { unsigned int engineId, schedulerPolicy, avgFactor, timeslice; } nvmlVgpuSchedulerStateInfo_v2_t;
typedef struct { unsigned int version; unsigned long long bar1Size; } nvmlVgpuTypeBar1Info_v1_t;
#define nvmlVgpuTypeBar1Info_v1 NVML_STRUCT_VERSION(VgpuTypeBar1Info, 1)
typedef nvmlVgpuTypeBar1Info_v1_t nvmlVgpuTypeBar1Info_t;
typedef struct { unsigned int version, vgpuCount; nvmlVgpuTypeId_t *vgpuTypeIds; } nvmlVgpuTypeIdInfo_v1_t;
#define nvmlVgpuTypeIdInfo_v1 NVML_STRUCT_VERSION(VgpuTypeIdInfo, 1)
typedef nvmlVgpuTypeIdInfo_v1_t nvmlVgpuTypeIdInfo_t;
typedef struct {
  unsigned int version; nvmlVgpuTypeId_t vgpuTypeId; unsigned int maxInstancePerGI;
} nvmlVgpuTypeMaxInstance_v1_t;
#define nvmlVgpuTypeMaxInstance_v1 NVML_STRUCT_VERSION(VgpuTypeMaxInstance, 1)
typedef nvmlVgpuTypeMaxInstance_v1_t nvmlVgpuTypeMaxInstance_t;
