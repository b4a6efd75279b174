// Part of nvml.h: handles, and structs about a device and its board (NVML API Reference).
#pragma once

typedef struct nvmlComputeInstance_st *nvmlComputeInstance_t;
typedef struct nvmlDevice_st *nvmlDevice_t;
typedef struct nvmlEventSet_st *nvmlEventSet_t;
typedef struct nvmlGpmSample_st *nvmlGpmSample_t;
typedef struct nvmlGpuInstance_st *nvmlGpuInstance_t;
typedef struct nvmlSystemEventSet_st *nvmlSystemEventSet_t;
typedef struct nvmlUnit_st *nvmlUnit_t;
typedef unsigned long long nvmlCPERCursorHandle_t;
typedef struct nvmlAccountingStats_st {
  unsigned int gpuUtilization, memoryUtilization; unsigned long long maxMemoryUsage, time, startTime;
  unsigned int isRunning, reserved[5];
} nvmlAccountingStats_t;
typedef struct {
  unsigned int pid, isRunning, gpuUtilization, memoryUtilization; unsigned long long maxMemoryUsage;
  unsigned int sampleCount; unsigned long long sumGpuUtil, sumFbUtil, time, startTime;
} nvmlAccountingStats_v2_t;
typedef unsigned int nvmlAffinityScope_t;
typedef struct nvmlBAR1Memory_st { unsigned long long bar1Total, bar1Free, bar1Used; } nvmlBAR1Memory_t;
typedef struct { unsigned int timeRun; } nvmlBBXTimeData_v1_t;
typedef struct nvmlBridgeChipInfo_st { nvmlBridgeChipType_t type; unsigned int fwVersion; } nvmlBridgeChipInfo_t;
typedef struct nvmlBridgeChipHierarchy_st {
  unsigned char bridgeCount; nvmlBridgeChipInfo_t bridgeChipInfo[NVML_MAX_PHYSICAL_BRIDGE];
} nvmlBridgeChipHierarchy_t;
typedef unsigned int nvmlBusType_t;
typedef struct { unsigned int isC2cEnabled; } nvmlC2cModeInfo_v1_t;
#define nvmlC2cModeInfo_v1 NVML_STRUCT_VERSION(C2cModeInfo, 1)
typedef struct nvmlClkMonFaultInfo_struct { unsigned int clkApiDomain, clkDomainFaultMask; } nvmlClkMonFaultInfo_t;
typedef struct nvmlClkMonStatus_status {
  unsigned int bGlobalStatus, clkMonListSize; nvmlClkMonFaultInfo_t clkMonList[MAX_CLK_DOMAINS];
} nvmlClkMonStatus_t;
typedef struct {
  unsigned int version; nvmlClockType_t type; nvmlPstates_t pstate;
  int clockOffsetMHz, minClockOffsetMHz, maxClockOffsetMHz;
} nvmlClockOffset_v1_t;
#define nvmlClockOffset_v1 NVML_STRUCT_VERSION(ClockOffset, 1)
typedef nvmlClockOffset_v1_t nvmlClockOffset_t;
typedef struct {
  unsigned int version, index; nvmlCoolerControl_t signalType; nvmlCoolerTarget_t target;
} nvmlCoolerInfo_v1_t;
#define nvmlCoolerInfo_v1 NVML_STRUCT_VERSION(CoolerInfo, 1)
typedef nvmlCoolerInfo_v1_t nvmlCoolerInfo_t;
typedef struct {
  unsigned int cperTypeMask; char uuid[NVML_DEVICE_UUID_BUFFER_SIZE]; nvmlCPERCursorHandle_t handle;
} nvmlCPERCursor_v1_t;
typedef struct { unsigned int version, value; } nvmlDeviceAddressingMode_v1_t;
#define nvmlDeviceAddressingMode_v1 NVML_STRUCT_VERSION(DeviceAddressingMode, 1)
typedef nvmlDeviceAddressingMode_v1_t nvmlDeviceAddressingMode_t;
typedef unsigned int nvmlDeviceArchitecture_t;
typedef struct nvmlDeviceAttributes_st {
  unsigned int multiprocessorCount, sharedCopyEngineCount, sharedDecoderCount, sharedEncoderCount, sharedJpegCount,
    sharedOfaCount, gpuInstanceSliceCount, computeInstanceSliceCount;
  unsigned long long memorySizeMB;
} nvmlDeviceAttributes_t;
typedef struct { unsigned int version, capMask; } nvmlDeviceCapabilities_v1_t;
#define nvmlDeviceCapabilities_v1 NVML_STRUCT_VERSION(DeviceCapabilities, 1)
typedef nvmlDeviceCapabilities_v1_t nvmlDeviceCapabilities_t;
typedef struct { unsigned int version; char str[NVML_PERF_MODES_BUFFER_SIZE]; } nvmlDeviceCurrentClockFreqs_v1_t;
#define nvmlDeviceCurrentClockFreqs_v1 NVML_STRUCT_VERSION(DeviceCurrentClockFreqs, 1)
typedef nvmlDeviceCurrentClockFreqs_v1_t nvmlDeviceCurrentClockFreqs_t;
typedef struct { unsigned int version; char str[NVML_PERF_MODES_BUFFER_SIZE]; } nvmlDevicePerfModes_v1_t;
#define nvmlDevicePerfModes_v1 NVML_STRUCT_VERSION(DevicePerfModes, 1)
typedef nvmlDevicePerfModes_v1_t nvmlDevicePerfModes_t;
typedef struct { unsigned int currentMode, mode, supportedPowerMizerModes; } nvmlDevicePowerMizerModes_v1_t;
typedef struct { unsigned int version; nvmlEnableState_t encryptionState; } nvmlDramEncryptionInfo_v1_t;
#define nvmlDramEncryptionInfo_v1 NVML_STRUCT_VERSION(DramEncryptionInfo, 1)
typedef nvmlDramEncryptionInfo_v1_t nvmlDramEncryptionInfo_t;
typedef struct nvmlEccErrorCounts_st {
  unsigned long long l1Cache, l2Cache, deviceMemory, registerFile;
} nvmlEccErrorCounts_t;
typedef struct {
  unsigned int version;
  unsigned long long aggregateUncParity, aggregateUncSecDed, aggregateCor, volatileUncParity, volatileUncSecDed,
    volatileCor, aggregateUncBucketL2, aggregateUncBucketSm, aggregateUncBucketPcie, aggregateUncBucketMcu,
    aggregateUncBucketOther;
  unsigned int bThresholdExceeded;
} nvmlEccSramErrorStatus_v1_t;
#define nvmlEccSramErrorStatus_v1 NVML_STRUCT_VERSION(EccSramErrorStatus, 1)
typedef nvmlEccSramErrorStatus_v1_t nvmlEccSramErrorStatus_t;
typedef struct {
  unsigned int unit, location, sublocation, extlocation, address, isParity, count;
} nvmlEccSramUniqueUncorrectedErrorEntry_v1_t;
typedef struct {
  unsigned int version, entryCount; nvmlEccSramUniqueUncorrectedErrorEntry_v1_t *entries;
} nvmlEccSramUniqueUncorrectedErrorCounts_v1_t;
#define nvmlEccSramUniqueUncorrectedErrorCounts_v1 NVML_STRUCT_VERSION(EccSramUniqueUncorrectedErrorCounts, 1)
typedef nvmlEccSramUniqueUncorrectedErrorCounts_v1_t nvmlEccSramUniqueUncorrectedErrorCounts_t;
typedef struct nvmlEventData_st {
  nvmlDevice_t device; unsigned long long eventType, eventData; unsigned int gpuInstanceId, computeInstanceId;
} nvmlEventData_t;
typedef struct nvmlPciInfo_st {
  char busIdLegacy[NVML_DEVICE_PCI_BUS_ID_BUFFER_V2_SIZE];
  unsigned int domain, bus, device, pciDeviceId, pciSubSystemId; char busId[NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE];
} nvmlPciInfo_t;
typedef struct nvmlExcludedDeviceInfo_st {
  nvmlPciInfo_t pciInfo; char uuid[NVML_DEVICE_UUID_BUFFER_SIZE];
} nvmlExcludedDeviceInfo_t;
typedef unsigned int nvmlFanControlPolicy_t;
typedef struct { unsigned int version, fan, speed; } nvmlFanSpeedInfo_v1_t;
#define nvmlFanSpeedInfo_v1 NVML_STRUCT_VERSION(FanSpeedInfo, 1)
typedef nvmlFanSpeedInfo_v1_t nvmlFanSpeedInfo_t;
typedef union nvmlValue_st {
  double dVal; int siVal; unsigned int uiVal; unsigned long ulVal; unsigned long long ullVal;
  signed long long sllVal; unsigned short usVal;
} nvmlValue_t;
typedef struct nvmlFieldValue_st {
  unsigned int fieldId, scopeId; long long timestamp, latencyUsec; nvmlValueType_t valueType;
  nvmlReturn_t nvmlReturn; nvmlValue_t value;
} nvmlFieldValue_t;
typedef struct { nvmlCPERCursor_v1_t cursor; unsigned char *buffer; unsigned int bufferSize; } nvmlGetCPER_v1_t;
typedef struct nvmlGpuDynamicPstatesInfo_st {
  unsigned int flags; struct { unsigned int bIsPresent, percentage, incThreshold, decThreshold; }
  utilization[NVML_MAX_GPU_UTILIZATIONS];
} nvmlGpuDynamicPstatesInfo_t;
typedef unsigned char nvmlGpuFabricState_t;
typedef struct {
  unsigned char clusterUuid[NVML_GPU_FABRIC_UUID_LEN]; nvmlReturn_t status; unsigned int cliqueId;
  nvmlGpuFabricState_t state;
} nvmlGpuFabricInfo_t;
typedef struct {
  unsigned int version; unsigned char clusterUuid[NVML_GPU_FABRIC_UUID_LEN]; nvmlReturn_t status;
  unsigned int cliqueId; nvmlGpuFabricState_t state; unsigned int healthMask;
} nvmlGpuFabricInfo_v2_t;
#define nvmlGpuFabricInfo_v2 NVML_STRUCT_VERSION(GpuFabricInfo, 2)
typedef struct {
  unsigned int version; unsigned char clusterUuid[NVML_GPU_FABRIC_UUID_LEN]; nvmlReturn_t status;
  unsigned int cliqueId; nvmlGpuFabricState_t state; unsigned int healthMask; unsigned char healthSummary;
} nvmlGpuFabricInfo_v3_t;
#define nvmlGpuFabricInfo_v3 NVML_STRUCT_VERSION(GpuFabricInfo, 3)
typedef nvmlGpuFabricInfo_v3_t nvmlGpuFabricInfoV_t;
typedef struct {
  unsigned int count; struct { nvmlThermalController_t controller; int defaultMinTemp, defaultMaxTemp, currentTemp;
  nvmlThermalTarget_t target; } sensor[NVML_MAX_THERMAL_SENSORS_PER_GPU];
} nvmlGpuThermalSettings_t;
typedef struct { char value[NVML_DEVICE_HOSTNAME_BUFFER_SIZE]; } nvmlHostname_v1_t;
typedef struct nvmlHwbcEntry_st { unsigned int hwbcId; char firmwareVersion[32]; } nvmlHwbcEntry_t;
typedef struct nvmlLedState_st { char cause[256]; nvmlLedColor_t color; } nvmlLedState_t;
typedef struct { unsigned int version; int marginTemperature; } nvmlMarginTemperature_v1_t;
#define nvmlMarginTemperature_v1 NVML_STRUCT_VERSION(MarginTemperature, 1)
typedef nvmlMarginTemperature_v1_t nvmlMarginTemperature_t;
typedef struct { unsigned int mask[NVML_255_MASK_NUM_ELEMS]; } nvmlMask255_t;
typedef struct nvmlMemory_st { unsigned long long total, free, used; } nvmlMemory_t;
typedef struct nvmlMemory_v2_st {
  unsigned int version; unsigned long long total, reserved, free, used;
} nvmlMemory_v2_t;
#define nvmlMemory_v2 NVML_STRUCT_VERSION(Memory, 2)
typedef struct {
  unsigned int version, domain, bus, device, pciDeviceId, pciSubSystemId, baseClass, subClass;
  char busId[NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE];
} nvmlPciInfoExt_v1_t;
#define nvmlPciInfoExt_v1 NVML_STRUCT_VERSION(PciInfoExt, 1)
typedef nvmlPciInfoExt_v1_t nvmlPciInfoExt_t;
typedef struct { unsigned int version; unsigned long long value; } nvmlPdi_v1_t;
#define nvmlPdi_v1 NVML_STRUCT_VERSION(Pdi, 1)
typedef nvmlPdi_v1_t nvmlPdi_t;
typedef struct {
  unsigned int version;
  unsigned char ibGuid[16], chassisSerialNumber[16], slotNumber, trayIndex, hostId, peerType, moduleId;
} nvmlPlatformInfo_v2_t;
#define nvmlPlatformInfo_v2 NVML_STRUCT_VERSION(PlatformInfo, 2)
typedef nvmlPlatformInfo_v2_t nvmlPlatformInfo_t;
typedef struct {
  unsigned int version;
  unsigned char ibGuid[16], rackGuid[16], chassisPhysicalSlotNumber, computeSlotIndex, nodeIndex, peerType, moduleId;
} nvmlPlatformInfo_v1_t;
#define nvmlPlatformInfo_v1 NVML_STRUCT_VERSION(PlatformInfo, 1)
typedef unsigned char nvmlPowerScopeType_t;
typedef struct { unsigned int version, profileId, paramId; double value; } nvmlPowerSmoothingProfile_v1_t;
#define nvmlPowerSmoothingProfile_v1 NVML_STRUCT_VERSION(PowerSmoothingProfile, 1)
typedef nvmlPowerSmoothingProfile_v1_t nvmlPowerSmoothingProfile_t;
typedef struct { unsigned int version; nvmlEnableState_t state; } nvmlPowerSmoothingState_v1_t;
#define nvmlPowerSmoothingState_v1 NVML_STRUCT_VERSION(PowerSmoothingState, 1)
typedef nvmlPowerSmoothingState_v1_t nvmlPowerSmoothingState_t;
typedef unsigned int nvmlPowerSource_t;
typedef struct {
  unsigned int version; nvmlPowerScopeType_t powerScope; unsigned int powerValueMw;
} nvmlPowerValue_v2_t;
#define nvmlPowerValue_v2 NVML_STRUCT_VERSION(PowerValue, 2)
typedef struct { unsigned int localPort; } nvmlPRMCounterInput_v1_t;
typedef struct { nvmlReturn_t status; nvmlValueType_t outputType; nvmlValue_t outputValue; } nvmlPRMCounterValue_v1_t;
typedef struct {
  unsigned int counterId; nvmlPRMCounterInput_v1_t inData; nvmlPRMCounterValue_v1_t counterValue;
} nvmlPRMCounter_v1_t;
typedef struct { unsigned int numCounters; nvmlPRMCounter_v1_t *counters; } nvmlPRMCounterList_v1_t;
typedef struct {
  unsigned dataSize, status; union { unsigned char inData[NVML_PRM_DATA_MAX_SIZE], outData[NVML_PRM_DATA_MAX_SIZE];
  };
} nvmlPRMTLV_v1_t;
typedef struct {
  unsigned int pid; unsigned long long usedGpuMemory; unsigned int gpuInstanceId, computeInstanceId;
  unsigned long long usedGpuCcProtectedMemory;
} nvmlProcessDetail_v1_t;
typedef struct {
  unsigned int version, mode, numProcArrayEntries; nvmlProcessDetail_v1_t *procArray;
} nvmlProcessDetailList_v1_t;
#define nvmlProcessDetailList_v1 NVML_STRUCT_VERSION(ProcessDetailList, 1)
typedef nvmlProcessDetailList_v1_t nvmlProcessDetailList_t;
typedef struct {
  unsigned long long timeStamp; unsigned int pid, smUtil, memUtil, encUtil, decUtil, jpgUtil, ofaUtil;
} nvmlProcessUtilizationInfo_v1_t;
typedef struct {
  unsigned int version, processSamplesCount; unsigned long long lastSeenTimeStamp;
  nvmlProcessUtilizationInfo_v1_t *procUtilArray;
} nvmlProcessesUtilizationInfo_v1_t;
#define nvmlProcessesUtilizationInfo_v1 NVML_STRUCT_VERSION(ProcessesUtilizationInfo, 1)
typedef nvmlProcessesUtilizationInfo_v1_t nvmlProcessesUtilizationInfo_t;
typedef struct nvmlProcessInfo_v1_st { unsigned int pid; unsigned long long usedGpuMemory; } nvmlProcessInfo_v1_t;
typedef struct nvmlProcessInfo_v2_st {
  unsigned int pid; unsigned long long usedGpuMemory; unsigned int gpuInstanceId, computeInstanceId;
} nvmlProcessInfo_v2_t, nvmlProcessInfo_t;
typedef struct nvmlProcessUtilizationSample_st {
  unsigned int pid; unsigned long long timeStamp; unsigned int smUtil, memUtil, encUtil, decUtil;
} nvmlProcessUtilizationSample_t;
typedef struct nvmlPSUInfo_st { char state[256]; unsigned int current, voltage, power; } nvmlPSUInfo_t;
typedef struct nvmlRemappedRowsInfo_v2_t {
  unsigned int corrActiveRemaps, corrInactiveRemaps, uncActiveRemaps, uncInactiveRemaps, bPending, bFailureOccurred;
} nvmlRemappedRowsInfo_v2_t;
typedef struct { unsigned int version, bChannelRepairPending, bTpcRepairPending; } nvmlRepairStatus_v1_t;
#define nvmlRepairStatus_v1 NVML_STRUCT_VERSION(RepairStatus, 1)
typedef nvmlRepairStatus_v1_t nvmlRepairStatus_t;
typedef struct nvmlRowRemapperHistogramValues_st {
  unsigned int max, high, partial, low, none;
} nvmlRowRemapperHistogramValues_t;
typedef struct { unsigned int version; unsigned long long pollMask; } nvmlRusdSettings_v1_t;
#define nvmlRusdSettings_v1 NVML_STRUCT_VERSION(RusdSettings, 1)
typedef struct nvmlSample_st { unsigned long long timeStamp; nvmlValue_t sampleValue; } nvmlSample_t;
typedef struct {
  unsigned int version; char branch[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE];
} nvmlSystemDriverBranchInfo_v1_t;
#define nvmlSystemDriverBranchInfo_v1 NVML_STRUCT_VERSION(SystemDriverBranchInfo, 1)
typedef nvmlSystemDriverBranchInfo_v1_t nvmlSystemDriverBranchInfo_t;
typedef struct { unsigned long long eventType; unsigned int gpuId; } nvmlSystemEventData_v1_t;
typedef struct { unsigned int version; nvmlSystemEventSet_t set; } nvmlSystemEventSetCreateRequest_v1_t;
#define nvmlSystemEventSetCreateRequest_v1 NVML_STRUCT_VERSION(SystemEventSetCreateRequest, 1)
typedef nvmlSystemEventSetCreateRequest_v1_t nvmlSystemEventSetCreateRequest_t;
typedef struct { unsigned int version; nvmlSystemEventSet_t set; } nvmlSystemEventSetFreeRequest_v1_t;
#define nvmlSystemEventSetFreeRequest_v1 NVML_STRUCT_VERSION(SystemEventSetFreeRequest, 1)
typedef nvmlSystemEventSetFreeRequest_v1_t nvmlSystemEventSetFreeRequest_t;
typedef struct {
  unsigned int version, timeoutms; nvmlSystemEventSet_t set; nvmlSystemEventData_v1_t *data;
  unsigned int dataSize, numEvent;
} nvmlSystemEventSetWaitRequest_v1_t;
#define nvmlSystemEventSetWaitRequest_v1 NVML_STRUCT_VERSION(SystemEventSetWaitRequest, 1)
typedef nvmlSystemEventSetWaitRequest_v1_t nvmlSystemEventSetWaitRequest_t;
typedef struct {
  unsigned int version; unsigned long long eventTypes; nvmlSystemEventSet_t set;
} nvmlSystemRegisterEventRequest_v1_t;
#define nvmlSystemRegisterEventRequest_v1 NVML_STRUCT_VERSION(SystemRegisterEventRequest, 1)
typedef nvmlSystemRegisterEventRequest_v1_t nvmlSystemRegisterEventRequest_t;
typedef struct { unsigned int version; nvmlTemperatureSensors_t sensorType; int temperature; } nvmlTemperature_v1_t;
#define nvmlTemperature_v1 NVML_STRUCT_VERSION(Temperature, 1)
typedef nvmlTemperature_v1_t nvmlTemperature_t;
typedef struct nvmlUnitFanInfo_st { unsigned int speed; nvmlFanState_t state; } nvmlUnitFanInfo_t;
typedef struct nvmlUnitFanSpeeds_st { nvmlUnitFanInfo_t fans[24]; unsigned int count; } nvmlUnitFanSpeeds_t;
typedef struct nvmlUnitInfo_st { char name[96], id[96], serial[96], firmwareVersion[96]; } nvmlUnitInfo_t;
typedef struct { unsigned int bUnrepairableMemory; } nvmlUnrepairableMemoryStatus_v1_t;
typedef struct nvmlUtilization_st { unsigned int gpu, memory; } nvmlUtilization_t;
typedef union {
  char str[NVML_DEVICE_UUID_ASCII_LEN]; unsigned char bytes[NVML_DEVICE_UUID_BINARY_LEN];
} nvmlUUIDValue_t;
typedef struct { unsigned int version, type; nvmlUUIDValue_t value; } nvmlUUID_v1_t;
#define nvmlUUID_v1 NVML_STRUCT_VERSION(UUID, 1)
typedef nvmlUUID_v1_t nvmlUUID_t;
typedef struct nvmlViolationTime_st { unsigned long long referenceTime, violationTime; } nvmlViolationTime_t;
typedef struct {
  unsigned int version; nvmlMask255_t perfProfilesMask, requestedProfilesMask, enforcedProfilesMask;
} nvmlWorkloadPowerProfileCurrentProfiles_v1_t;
#define nvmlWorkloadPowerProfileCurrentProfiles_v1 NVML_STRUCT_VERSION(WorkloadPowerProfileCurrentProfiles, 1)
typedef nvmlWorkloadPowerProfileCurrentProfiles_v1_t nvmlWorkloadPowerProfileCurrentProfiles_t;
typedef struct {
  unsigned int version, profileId, priority; nvmlMask255_t conflictingMask;
} nvmlWorkloadPowerProfileInfo_v1_t;
#define nvmlWorkloadPowerProfileInfo_v1 NVML_STRUCT_VERSION(WorkloadPowerProfileInfo, 1)
typedef nvmlWorkloadPowerProfileInfo_v1_t nvmlWorkloadPowerProfileInfo_t;
typedef struct {
  unsigned int version; nvmlMask255_t perfProfilesMask;
  nvmlWorkloadPowerProfileInfo_t perfProfile[NVML_WORKLOAD_POWER_MAX_PROFILES];
} nvmlWorkloadPowerProfileProfilesInfo_v1_t;
#define nvmlWorkloadPowerProfileProfilesInfo_v1 NVML_STRUCT_VERSION(WorkloadPowerProfileProfilesInfo, 1)
typedef nvmlWorkloadPowerProfileProfilesInfo_v1_t nvmlWorkloadPowerProfileProfilesInfo_t;
typedef struct {
  unsigned int version; nvmlMask255_t requestedProfilesMask;
} nvmlWorkloadPowerProfileRequestedProfiles_v1_t;
#define nvmlWorkloadPowerProfileRequestedProfiles_v1 NVML_STRUCT_VERSION(WorkloadPowerProfileRequestedProfiles, 1)
typedef nvmlWorkloadPowerProfileRequestedProfiles_v1_t nvmlWorkloadPowerProfileRequestedProfiles_t;
typedef struct {
  nvmlPowerProfileOperation_t operation; nvmlMask255_t updateProfilesMask;
} nvmlWorkloadPowerProfileUpdateProfiles_v1_t;
#define nvmlWorkloadPowerProfileUpdateProfiles_v1 NVML_STRUCT_VERSION(WorkloadPowerProfileUpdateProfiles, 1)
