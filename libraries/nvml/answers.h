// How every function of NVML answers (include/heddle/nvml_functions.inc): its arguments are checked, the machine's own
// NVML is asked where the device is a GPU, and what is left is the emulated device's answer. What a parameter
// is follows from its type; the work itself is in answers.cpp.
#pragma once
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <cuda_runtime.h>
#include <nvml.h>
#include <string.h>
#include <type_traits>
#include <utility>
#include "../common/nvidia.h"

namespace heddle_nvml {

enum class Answer { BOARD, LIST, ROOT, ZERO, NONE, VGPU, INVALID, OWN };

extern int initialized;
int device_count();
/// Devices are their indices from 1 on.
inline nvmlDevice_t handle_of(int index) { return (nvmlDevice_t)(size_t)(index + 1); }
inline int index_of(nvmlDevice_t device) { return (int)(size_t)device - 1; }
/// Whether the devices are GPUs of a machine that has NVIDIA's NVML.
bool has_machine();
nvmlDevice_t device_of_machine(unsigned long long handle);
/// Whether this library made the handle (event sets, samples) and it is not freed.
bool is_made(const void *handle);
void *make_handle();
bool free_handle(const void *handle);
/// Copies a text to a place with room for `length` characters.
nvmlReturn_t put(const char *text, char *to, unsigned length);

// ---- what a parameter is, by its type

enum class Kind : char { DEVICE, HANDLE, ADDRESS, NUMBER, NUMBER_OF_64 };
struct Type {
  Kind kind;
  /// False: NVIDIA's library cannot take it from a program of this data model.
  bool isHanded;
  /// Of an enumeration: the first number that it does not have; 0: any number is passed on.
  unsigned limit;
  /// Of an address: how many bytes lie there.
  unsigned size;
  /// Of an address of a struct: the versions that it may have; 0: it has none.
  unsigned version, otherVersion;
  /// `unsigned int *`: in a function with a list, its length.
  bool isCount;
};
struct Argument {
  const Type *type;
  unsigned long long value;
};

/// N of a type `nvml…_vN_…`; 0: its name has none.
template <class T> constexpr unsigned layout_number() {
  const char *name = __PRETTY_FUNCTION__;
  for (; *name; name++)
    if (name[0] == '_' && name[1] == 'v' && name[2] >= '1' && name[2] <= '9') return (unsigned)(name[2] - '0');
  return 0;
}
/// A newer or an older layout that the function takes as well.
template <class T> inline constexpr unsigned OTHER_VERSION = 0;
template <> inline constexpr unsigned OTHER_VERSION<nvmlGpuFabricInfo_v3_t> = nvmlGpuFabricInfo_v2;
template <> inline constexpr unsigned OTHER_VERSION<nvmlPlatformInfo_v2_t> = nvmlPlatformInfo_v1;
template <> inline constexpr unsigned OTHER_VERSION<nvmlNvLinkInfo_v2_t> = nvmlNvLinkInfo_v1;
template <> inline constexpr unsigned OTHER_VERSION<nvmlVgpuPlacementList_v2_t> = nvmlVgpuPlacementList_v1;
template <> inline constexpr unsigned OTHER_VERSION<nvmlGpuInstanceProfileInfo_v2_t> = nvmlGpuInstanceProfileInfo_v3;
template <> inline constexpr unsigned OTHER_VERSION<nvmlComputeInstanceProfileInfo_v2_t> =
    nvmlComputeInstanceProfileInfo_v3;
template <class T, class = void> constexpr bool HAS_VERSION = false;
template <class T> inline constexpr bool HAS_VERSION<T, std::void_t<decltype(std::declval<T>().version)>> = true;
/// The version of a struct: its size and the number of its layout. 0: it has none, or one that is not so made.
template <class T> constexpr unsigned version_of() {
  if constexpr (HAS_VERSION<T>) return layout_number<T>() ? (unsigned)sizeof(T) | layout_number<T>() << 24 : 0;
  else return 0;
}
/// Their tags have no number.
template <> constexpr unsigned version_of<nvmlConfComputeGetKeyRotationThresholdInfo_v1_t>() {
  return nvmlConfComputeGetKeyRotationThresholdInfo_v1;
}
template <> constexpr unsigned version_of<nvmlConfComputeSetKeyRotationThresholdInfo_v1_t>() {
  return nvmlConfComputeSetKeyRotationThresholdInfo_v1;
}
template <> constexpr unsigned version_of<nvmlGpmSupport_t>() { return NVML_GPM_SUPPORT_VERSION; }
template <> constexpr unsigned version_of<nvmlGpmMetricsGet_t>() { return NVML_GPM_METRICS_GET_VERSION; }

/// The first number that an enumeration does not have; 0: any number is passed on.
template <class T> inline constexpr unsigned COUNT_OF = 0;
template <> inline constexpr unsigned COUNT_OF<nvmlEnableState_t> = 2;
template <> inline constexpr unsigned COUNT_OF<nvmlClockType_t> = NVML_CLOCK_COUNT;
template <> inline constexpr unsigned COUNT_OF<nvmlClockId_t> = NVML_CLOCK_ID_COUNT;
template <> inline constexpr unsigned COUNT_OF<nvmlComputeMode_t> = NVML_COMPUTEMODE_COUNT;
template <> inline constexpr unsigned COUNT_OF<nvmlTemperatureSensors_t> = NVML_TEMPERATURE_COUNT;
template <> inline constexpr unsigned COUNT_OF<nvmlTemperatureThresholds_t> = NVML_TEMPERATURE_THRESHOLD_COUNT;
template <> inline constexpr unsigned COUNT_OF<nvmlPcieUtilCounter_t> = NVML_PCIE_UTIL_COUNT;
template <> inline constexpr unsigned COUNT_OF<nvmlMemoryErrorType_t> = NVML_MEMORY_ERROR_TYPE_COUNT;
template <> inline constexpr unsigned COUNT_OF<nvmlEccCounterType_t> = NVML_ECC_COUNTER_TYPE_COUNT;
template <> inline constexpr unsigned COUNT_OF<nvmlRestrictedAPI_t> = NVML_RESTRICTED_API_COUNT;
template <> inline constexpr unsigned COUNT_OF<nvmlInforomObject_t> = NVML_INFOROM_COUNT;
template <> inline constexpr unsigned COUNT_OF<nvmlPageRetirementCause_t> = NVML_PAGE_RETIREMENT_CAUSE_COUNT;
template <> inline constexpr unsigned COUNT_OF<nvmlSamplingType_t> = NVML_SAMPLINGTYPE_COUNT;
template <> inline constexpr unsigned COUNT_OF<nvmlPerfPolicyType_t> = NVML_PERF_POLICY_COUNT;
template <> inline constexpr unsigned COUNT_OF<nvmlGpuP2PCapsIndex_t> = NVML_P2P_CAPS_INDEX_UNKNOWN;

/// Handles point to structs that nobody sees.
template <class T, class = void> constexpr bool IS_HANDLE = false;
template <class T> constexpr bool IS_HANDLE<T *> = false;
#define HEDDLE_NVML_HANDLE(TYPE) template <> inline constexpr bool IS_HANDLE<TYPE> = true;
HEDDLE_NVML_HANDLE(nvmlUnit_t)
HEDDLE_NVML_HANDLE(nvmlEventSet_t)
HEDDLE_NVML_HANDLE(nvmlSystemEventSet_t)
HEDDLE_NVML_HANDLE(nvmlGpuInstance_t)
HEDDLE_NVML_HANDLE(nvmlComputeInstance_t)
HEDDLE_NVML_HANDLE(nvmlGpmSample_t)
#undef HEDDLE_NVML_HANDLE

/// Structs that hold addresses of the program, of which NVIDIA's library knows nothing.
template <class T> inline constexpr bool HOLDS_ADDRESSES = false;
#define HEDDLE_NVML_ADDRESSES(NAME) template <> inline constexpr bool HOLDS_ADDRESSES<nvml##NAME##_t> = true;
HEDDLE_NVML_ADDRESSES(ProcessDetailList_v1)
HEDDLE_NVML_ADDRESSES(ProcessesUtilizationInfo_v1)
HEDDLE_NVML_ADDRESSES(EccSramUniqueUncorrectedErrorCounts_v1)
HEDDLE_NVML_ADDRESSES(VgpuPlacementList_v2)
HEDDLE_NVML_ADDRESSES(VgpuInstancesUtilizationInfo_v1)
HEDDLE_NVML_ADDRESSES(VgpuProcessesUtilizationInfo_v1)
HEDDLE_NVML_ADDRESSES(VgpuTypeIdInfo_v1)
HEDDLE_NVML_ADDRESSES(ActiveVgpuInstanceInfo_v1)
HEDDLE_NVML_ADDRESSES(VgpuCreatablePlacementInfo_v1)
HEDDLE_NVML_ADDRESSES(SystemEventSetWaitRequest_v1)
HEDDLE_NVML_ADDRESSES(GetCPER_v1)
HEDDLE_NVML_ADDRESSES(PRMCounterList_v1)
HEDDLE_NVML_ADDRESSES(GpuInstanceInfo)
HEDDLE_NVML_ADDRESSES(ComputeInstanceInfo)
HEDDLE_NVML_ADDRESSES(GpmMetricsGet)
#undef HEDDLE_NVML_ADDRESSES

/// A program of 32 bits has no room for handles and for `long`; devices have other handles here.
template <class T> constexpr bool can_be_handed() {
  if constexpr (IS_HANDLE<T>) return sizeof(void *) == 8;
  else if constexpr (std::is_pointer_v<T> && !std::is_same_v<T, nvmlDevice_t>) {
    using To = std::remove_const_t<std::remove_pointer_t<T>>;
    if (std::is_same_v<To, nvmlDevice_t> || HOLDS_ADDRESSES<To>) return false;
    return sizeof(void *) == 8 || !(IS_HANDLE<To> || std::is_same_v<To, unsigned long>);
  } else return true;
}

template <class T> constexpr Type type_of() {
  if constexpr (std::is_same_v<T, nvmlDevice_t>) return {Kind::DEVICE, true, 0, 0, 0, 0, false};
  else if constexpr (IS_HANDLE<T>) return {Kind::HANDLE, can_be_handed<T>(), 0, 0, 0, 0, false};
  else if constexpr (std::is_pointer_v<T>) {
    using To = std::remove_const_t<std::remove_pointer_t<T>>;
    return {Kind::ADDRESS, can_be_handed<T>(), 0, (unsigned)sizeof(To), version_of<To>(), OTHER_VERSION<To>,
            std::is_same_v<To, unsigned>};
  } else if constexpr (sizeof(T) == 8) return {Kind::NUMBER_OF_64, true, 0, 0, 0, 0, false};
  else if constexpr (std::is_enum_v<T>) return {Kind::NUMBER, true, COUNT_OF<T>, 0, 0, 0, false};
  else return {Kind::NUMBER, true, 0, 0, 0, 0, false};
}
template <class T> inline constexpr Type TYPE = type_of<T>();
template <class T> Argument argument(T value) {
  if constexpr (std::is_pointer_v<T>) return {&TYPE<T>, (unsigned long long)(size_t)value};
  else return {&TYPE<T>, (unsigned long long)value};
}

// ---- the parts of an answer

/// @returns what is wrong with the arguments
nvmlReturn_t check(Answer, const Argument *, int count);
/// The machine's own NVML does the call, where the device is a GPU. @returns a negative number: there is none
int hand_over(const char *name, const Argument *, int count);
/// The status of a function whose answer for the emulated device is not OWN.
nvmlReturn_t answer(Answer, const char *name, const Argument *, int count);

/// A function's status, or nothing if the emulated device answers.
struct Asked {
  bool isDone;
  nvmlReturn_t status;
  explicit operator bool() const { return isDone; }
  operator nvmlReturn_t() const { return status; }
};
Asked ask(Answer, const char *name, const Argument *, int count);

template <class... Values> nvmlReturn_t checked(Answer kind, Values... values) {
  const Argument arguments[] = {argument(values)...};
  return check(kind, arguments, sizeof...(Values));
}
template <class... Values> Asked asked(Answer kind, const char *name, Values... values) {
  const Argument arguments[] = {argument(values)...};
  return ask(kind, name, arguments, sizeof...(Values));
}

} // namespace heddle_nvml
