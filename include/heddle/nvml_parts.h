// Part of nvml.h: structs about MIG, metrics, NVLink and confidential computing (NVML API Reference).
#pragma once

typedef struct nvmlComputeInstancePlacement_st { unsigned int start, size; } nvmlComputeInstancePlacement_t;
typedef struct nvmlComputeInstanceInfo_st {
  nvmlDevice_t device; nvmlGpuInstance_t gpuInstance; unsigned int id, profileId;
  nvmlComputeInstancePlacement_t placement;
} nvmlComputeInstanceInfo_t;
typedef struct nvmlComputeInstanceProfileInfo_st {
  unsigned int id, sliceCount, instanceCount, multiprocessorCount, sharedCopyEngineCount, sharedDecoderCount,
    sharedEncoderCount, sharedJpegCount, sharedOfaCount;
} nvmlComputeInstanceProfileInfo_t;
typedef struct nvmlComputeInstanceProfileInfo_v2_st {
  unsigned int version, id, sliceCount, instanceCount, multiprocessorCount, sharedCopyEngineCount, sharedDecoderCount,
    sharedEncoderCount, sharedJpegCount, sharedOfaCount;
  char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE];
} nvmlComputeInstanceProfileInfo_v2_t;
#define nvmlComputeInstanceProfileInfo_v2 NVML_STRUCT_VERSION(ComputeInstanceProfileInfo, 2)
typedef struct nvmlComputeInstanceProfileInfo_v3_st {
  unsigned int version, id, sliceCount, instanceCount, multiprocessorCount, sharedCopyEngineCount, sharedDecoderCount,
    sharedEncoderCount, sharedJpegCount, sharedOfaCount;
  char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE]; unsigned int capabilities;
} nvmlComputeInstanceProfileInfo_v3_t;
#define nvmlComputeInstanceProfileInfo_v3 NVML_STRUCT_VERSION(ComputeInstanceProfileInfo, 3)
typedef struct nvmlConfComputeGetKeyRotationThresholdInfo_st {
  unsigned int version; unsigned long long attackerAdvantage;
} nvmlConfComputeGetKeyRotationThresholdInfo_v1_t;
#define nvmlConfComputeGetKeyRotationThresholdInfo_v1 NVML_STRUCT_VERSION(ConfComputeGetKeyRotationThresholdInfo, 1)
typedef nvmlConfComputeGetKeyRotationThresholdInfo_v1_t nvmlConfComputeGetKeyRotationThresholdInfo_t;
typedef struct nvmlConfComputeGpuAttestationReport_st {
  unsigned int isCecAttestationReportPresent, attestationReportSize, cecAttestationReportSize;
  unsigned char nonce[NVML_CC_GPU_CEC_NONCE_SIZE], attestationReport[NVML_CC_GPU_ATTESTATION_REPORT_SIZE],
    cecAttestationReport[NVML_CC_GPU_CEC_ATTESTATION_REPORT_SIZE];
} nvmlConfComputeGpuAttestationReport_t;
typedef struct nvmlConfComputeGpuCertificate_st {
  unsigned int certChainSize, attestationCertChainSize;
  unsigned char certChain[NVML_GPU_CERT_CHAIN_SIZE], attestationCertChain[NVML_GPU_ATTESTATION_CERT_CHAIN_SIZE];
} nvmlConfComputeGpuCertificate_t;
typedef struct nvmlConfComputeMemSizeInfo_st {
  unsigned long long protectedMemSizeKib, unprotectedMemSizeKib;
} nvmlConfComputeMemSizeInfo_t;
typedef struct nvmlConfComputeSetKeyRotationThresholdInfo_st {
  unsigned int version; unsigned long long maxAttackerAdvantage;
} nvmlConfComputeSetKeyRotationThresholdInfo_v1_t;
#define nvmlConfComputeSetKeyRotationThresholdInfo_v1 NVML_STRUCT_VERSION(ConfComputeSetKeyRotationThresholdInfo, 1)
typedef nvmlConfComputeSetKeyRotationThresholdInfo_v1_t nvmlConfComputeSetKeyRotationThresholdInfo_t;
typedef struct nvmlConfComputeSystemCaps_st { unsigned int cpuCaps, gpusCaps; } nvmlConfComputeSystemCaps_t;
typedef struct nvmlConfComputeSystemState_st {
  unsigned int environment, ccFeature, devToolsMode;
} nvmlConfComputeSystemState_t;
typedef struct {
  unsigned int metricId; nvmlReturn_t nvmlReturn; double value; struct { char *shortName, *longName, *unit; }
  metricInfo;
} nvmlGpmMetric_t;
typedef struct {
  unsigned int version, numMetrics; nvmlGpmSample_t sample1, sample2; nvmlGpmMetric_t metrics[NVML_GPM_METRIC_MAX];
} nvmlGpmMetricsGet_t;
typedef struct { unsigned int version, isSupportedDevice; } nvmlGpmSupport_t;
typedef struct nvmlGpuInstancePlacement_st { unsigned int start, size; } nvmlGpuInstancePlacement_t;
typedef struct nvmlGpuInstanceInfo_st {
  nvmlDevice_t device; unsigned int id, profileId; nvmlGpuInstancePlacement_t placement;
} nvmlGpuInstanceInfo_t;
typedef struct nvmlGpuInstanceProfileInfo_st {
  unsigned int id, isP2pSupported, sliceCount, instanceCount, multiprocessorCount, copyEngineCount, decoderCount,
    encoderCount, jpegCount, ofaCount;
  unsigned long long memorySizeMB;
} nvmlGpuInstanceProfileInfo_t;
typedef struct nvmlGpuInstanceProfileInfo_v2_st {
  unsigned int version, id, isP2pSupported, sliceCount, instanceCount, multiprocessorCount, copyEngineCount,
    decoderCount, encoderCount, jpegCount, ofaCount;
  unsigned long long memorySizeMB; char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE];
} nvmlGpuInstanceProfileInfo_v2_t;
#define nvmlGpuInstanceProfileInfo_v2 NVML_STRUCT_VERSION(GpuInstanceProfileInfo, 2)
typedef struct nvmlGpuInstanceProfileInfo_v3_st {
  unsigned int version, id, sliceCount, instanceCount, multiprocessorCount, copyEngineCount, decoderCount,
    encoderCount, jpegCount, ofaCount;
  unsigned long long memorySizeMB; char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE]; unsigned int capabilities;
} nvmlGpuInstanceProfileInfo_v3_t;
#define nvmlGpuInstanceProfileInfo_v3 NVML_STRUCT_VERSION(GpuInstanceProfileInfo, 3)
typedef struct { unsigned char ucodeType; unsigned int major, minor, subMinor; } nvmlNvlinkFirmwareVersion_t;
typedef struct {
  nvmlNvlinkFirmwareVersion_t firmwareVersion[NVML_NVLINK_FIRMWARE_VERSION_LENGTH]; unsigned int numValidEntries;
} nvmlNvlinkFirmwareInfo_t;
typedef struct { unsigned int version, bIsBest; unsigned char bwMode; } nvmlNvlinkGetBwMode_v1_t;
#define nvmlNvlinkGetBwMode_v1 NVML_STRUCT_VERSION(NvlinkGetBwMode, 1)
typedef nvmlNvlinkGetBwMode_v1_t nvmlNvlinkGetBwMode_t;
typedef struct { unsigned int version, isNvleEnabled; nvmlNvlinkFirmwareInfo_t firmwareInfo; } nvmlNvLinkInfo_v2_t;
#define nvmlNvLinkInfo_v2 NVML_STRUCT_VERSION(NvLinkInfo, 2)
typedef nvmlNvLinkInfo_v2_t nvmlNvLinkInfo_t;
typedef struct { unsigned int version, isNvleEnabled; } nvmlNvLinkInfo_v1_t;
#define nvmlNvLinkInfo_v1 NVML_STRUCT_VERSION(NvLinkInfo, 1)
typedef struct nvmlNvLinkPowerThres_st { unsigned int lowPwrThreshold; } nvmlNvLinkPowerThres_t;
typedef struct { unsigned int version, bSetBest; unsigned char bwMode; } nvmlNvlinkSetBwMode_v1_t;
#define nvmlNvlinkSetBwMode_v1 NVML_STRUCT_VERSION(NvlinkSetBwMode, 1)
typedef nvmlNvlinkSetBwMode_v1_t nvmlNvlinkSetBwMode_t;
typedef struct {
  unsigned int version; unsigned char bwModes[NVML_NVLINK_TOTAL_SUPPORTED_BW_MODES], totalBwModes;
} nvmlNvlinkSupportedBwModes_v1_t;
#define nvmlNvlinkSupportedBwModes_v1 NVML_STRUCT_VERSION(NvlinkSupportedBwModes, 1)
typedef nvmlNvlinkSupportedBwModes_v1_t nvmlNvlinkSupportedBwModes_t;
typedef struct nvmlNvLinkUtilizationControl_st {
  nvmlNvLinkUtilizationCountUnits_t units; nvmlNvLinkUtilizationCountPktTypes_t pktfilter;
} nvmlNvLinkUtilizationControl_t;
typedef struct {
  unsigned int version, environment, ccFeature, devToolsMode, multiGpuMode;
} nvmlSystemConfComputeSettings_v1_t;
#define nvmlSystemConfComputeSettings_v1 NVML_STRUCT_VERSION(SystemConfComputeSettings, 1)
typedef nvmlSystemConfComputeSettings_v1_t nvmlSystemConfComputeSettings_t;
