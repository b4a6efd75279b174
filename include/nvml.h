/*
 * NVML (NVIDIA Management Library), written for Heddle: names, numbers and layouts are those of NVIDIA's interface.
 * libraries/nvml answers what the CUDA runtime knows of devices. What only a board has (temperature, power, fans) the
 * machine's own NVML tells of a GPU; of an emulated device it is NVML_ERROR_NOT_SUPPORTED.
 */
#ifndef HEDDLE_NVML_H
#define HEDDLE_NVML_H
#define __nvml_nvml_h__
#define DECLDIR

#ifdef __cplusplus
extern "C" {
#endif

/* A struct with a version tells its size and the number of its layout. */
#define NVML_STRUCT_VERSION(NAME, NUMBER) ((unsigned int)(sizeof(nvml##NAME##_v##NUMBER##_t) | ((NUMBER) << 24U)))
#define NVML_DEVICE_PCI_BUS_ID_FMT "%08X:%02X:%02X.0"
#define NVML_DEVICE_PCI_BUS_ID_LEGACY_FMT "%04X:%02X:%02X.0"
#define NVML_DEVICE_PCI_BUS_ID_FMT_ARGS(INFO) (INFO)->domain, (INFO)->bus, (INFO)->device
#define NVML_CUDA_DRIVER_VERSION_MAJOR(VERSION) ((VERSION) / 1000)
#define NVML_CUDA_DRIVER_VERSION_MINOR(VERSION) ((VERSION) % 1000 / 10)
/* Masks of 255 bits are arrays of 32-bit words. */
#define HEDDLE_NVML_WORD(INDEX, MASK) (MASK).mask[(INDEX) / NVML_255_MASK_BITS_PER_ELEM]
#define HEDDLE_NVML_BIT(INDEX) (1U << (INDEX) % NVML_255_MASK_BITS_PER_ELEM)
#define NVML_255_MASK_BIT_GET(INDEX, MASK) (HEDDLE_NVML_WORD(INDEX, MASK) & HEDDLE_NVML_BIT(INDEX))
#define NVML_255_MASK_BIT_SET(INDEX, MASK) (HEDDLE_NVML_WORD(INDEX, MASK) |= HEDDLE_NVML_BIT(INDEX))
#define NVML_255_MASK_BIT_GET_PTR(INDEX, MASK) NVML_255_MASK_BIT_GET(INDEX, *(MASK))
#define NVML_255_MASK_BIT_SET_PTR(INDEX, MASK) NVML_255_MASK_BIT_SET(INDEX, *(MASK))
#define NVML_GPU_FABRIC_HEALTH_GET(MASK, FIELD) \
  ((MASK) >> NVML_GPU_FABRIC_HEALTH_MASK_SHIFT##FIELD & NVML_GPU_FABRIC_HEALTH_MASK_WIDTH##FIELD)
#define NVML_GPU_FABRIC_HEALTH_TEST(MASK, FIELD, STATE) \
  (NVML_GPU_FABRIC_HEALTH_GET(MASK, FIELD) == NVML_GPU_FABRIC_HEALTH_MASK##FIELD##STATE)
#define NVML_NVLINK_ERROR_COUNTER_BER_GET(VALUE, FIELD) \
  ((VALUE) >> NVML_NVLINK_##FIELD##_SHIFT & NVML_NVLINK_##FIELD##_WIDTH)

#include <heddle/nvml_numbers.h>
#include <heddle/nvml_fields.h>
#include <heddle/nvml_enums.h>
#include <heddle/nvml_metrics.h>
#include <heddle/nvml_board.h>
#include <heddle/nvml_parts.h>
#include <heddle/nvml_vgpu.h>

const char *nvmlErrorString(nvmlReturn_t result);
#define HEDDLE_NVML(ANSWER, NAME, ...) nvmlReturn_t NAME(__VA_ARGS__);
#include <heddle/nvml_functions.inc>
#undef HEDDLE_NVML

/* Names without a version are those of the newest function. */
#ifndef NVML_NO_UNVERSIONED_FUNC_DEFS
#define nvmlBlacklistDeviceInfo_t nvmlExcludedDeviceInfo_t
#define nvmlComputeInstanceGetInfo nvmlComputeInstanceGetInfo_v2
#define nvmlDeviceGetAttributes nvmlDeviceGetAttributes_v2
#define nvmlDeviceGetComputeRunningProcesses nvmlDeviceGetComputeRunningProcesses_v3
#define nvmlDeviceGetCount nvmlDeviceGetCount_v2
#define nvmlDeviceGetDriverModel nvmlDeviceGetDriverModel_v2
#define nvmlDeviceGetGpuInstancePossiblePlacements nvmlDeviceGetGpuInstancePossiblePlacements_v2
#define nvmlDeviceGetGraphicsRunningProcesses nvmlDeviceGetGraphicsRunningProcesses_v3
#define nvmlDeviceGetGridLicensableFeatures nvmlDeviceGetGridLicensableFeatures_v4
#define nvmlDeviceGetHandleByIndex nvmlDeviceGetHandleByIndex_v2
#define nvmlDeviceGetHandleByPciBusId nvmlDeviceGetHandleByPciBusId_v2
#define nvmlDeviceGetMPSComputeRunningProcesses nvmlDeviceGetMPSComputeRunningProcesses_v3
#define nvmlDeviceGetNvLinkRemotePciInfo nvmlDeviceGetNvLinkRemotePciInfo_v2
#define nvmlDeviceGetPciInfo nvmlDeviceGetPciInfo_v3
#define nvmlDeviceRemoveGpu nvmlDeviceRemoveGpu_v2
#define nvmlEventSetWait nvmlEventSetWait_v2
#define nvmlGetBlacklistDeviceCount nvmlGetExcludedDeviceCount
#define nvmlGetBlacklistDeviceInfoByIndex nvmlGetExcludedDeviceInfoByIndex
#define nvmlInit nvmlInit_v2
#define nvmlVgpuInstanceGetLicenseInfo nvmlVgpuInstanceGetLicenseInfo_v2
#endif

#ifdef __cplusplus
}
#endif
#endif
