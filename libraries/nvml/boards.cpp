// Clocks, fields and neighbours. The emulated device always runs at its greatest clocks, in its first performance
// state; its like lie behind one host bridge.
#include "answers.h"
#include <time.h>

using namespace heddle_nvml;

namespace {

/// In MHz; the runtime has kHz.
nvmlReturn_t clock_of(nvmlDevice_t device, nvmlClockType_t type, unsigned *clock) {
  if (type == NVML_CLOCK_VIDEO) return NVML_ERROR_NOT_SUPPORTED;
  int rate = 0;
  const cudaDeviceAttr attribute = type == NVML_CLOCK_MEM ? cudaDevAttrMemoryClockRate : cudaDevAttrClockRate;
  if (cudaDeviceGetAttribute(&rate, attribute, index_of(device)) != cudaSuccess) return NVML_ERROR_UNKNOWN;
  *clock = (unsigned)rate / 1000;
  return NVML_SUCCESS;
}
nvmlReturn_t only_clock(const char *name, nvmlDevice_t device, nvmlClockType_t type, unsigned *clock) {
  if (Asked done = asked(Answer::OWN, name, device, type, clock)) return done;
  return clock_of(device, type, clock);
}
/// A list with one number.
nvmlReturn_t list_clock(nvmlDevice_t device, nvmlClockType_t type, unsigned *count, unsigned *clocks) {
  const unsigned room = *count;
  *count = 1;
  if (!room) return NVML_ERROR_INSUFFICIENT_SIZE;
  return clocks ? clock_of(device, type, clocks) : NVML_ERROR_INVALID_ARGUMENT;
}
nvmlGpuTopologyLevel_t level_of(nvmlDevice_t one, nvmlDevice_t other) {
  return one == other ? NVML_TOPOLOGY_INTERNAL : NVML_TOPOLOGY_HOSTBRIDGE;
}
/// Lists the devices that are wanted; of a list without room, how many there are.
template <class Wanted> nvmlReturn_t list_devices(unsigned *count, nvmlDevice_t *devices, Wanted is_wanted) {
  const unsigned room = *count;
  unsigned found = 0;
  if (room && !devices) return NVML_ERROR_INVALID_ARGUMENT;
  for (int i = 0; i < device_count(); i++)
    if (is_wanted(handle_of(i))) {
      if (found < room) devices[found] = handle_of(i);
      found++;
    }
  *count = room && found > room ? room : found;
  return NVML_SUCCESS;
}
/// No field's value is known of the emulated device.
nvmlReturn_t fields(const char *name, nvmlDevice_t device, int count, nvmlFieldValue_t *values) {
  if (Asked done = asked(Answer::OWN, name, device, count, values)) return done;
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  for (int i = 0; i < count; i++) {
    values[i].timestamp = now.tv_sec * 1000000LL + now.tv_nsec / 1000;
    values[i].latencyUsec = 0;
    const bool isKnown = values[i].fieldId > 0 && values[i].fieldId < NVML_FI_MAX;
    values[i].nvmlReturn = isKnown ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_INVALID_ARGUMENT;
  }
  return NVML_SUCCESS;
}

} // namespace

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned *clock) {
  if (nvmlReturn_t wrong = checked(Answer::OWN, device, type, clock)) return wrong;
  return clock_of(device, type, clock);
}
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned *clock) {
  return only_clock("nvmlDeviceGetClockInfo", device, type, clock);
}
nvmlReturn_t nvmlDeviceGetApplicationsClock(nvmlDevice_t device, nvmlClockType_t type, unsigned *clock) {
  return only_clock("nvmlDeviceGetApplicationsClock", device, type, clock);
}
nvmlReturn_t nvmlDeviceGetDefaultApplicationsClock(nvmlDevice_t device, nvmlClockType_t type, unsigned *clock) {
  return only_clock("nvmlDeviceGetDefaultApplicationsClock", device, type, clock);
}
nvmlReturn_t nvmlDeviceGetMaxCustomerBoostClock(nvmlDevice_t device, nvmlClockType_t type, unsigned *clock) {
  return only_clock("nvmlDeviceGetMaxCustomerBoostClock", device, type, clock);
}
nvmlReturn_t nvmlDeviceGetClock(nvmlDevice_t device, nvmlClockType_t type, nvmlClockId_t id, unsigned *clock) {
  if (Asked done = asked(Answer::OWN, "nvmlDeviceGetClock", device, type, id, clock)) return done;
  return clock_of(device, type, clock);
}
nvmlReturn_t nvmlDeviceGetSupportedMemoryClocks(nvmlDevice_t device, unsigned *count, unsigned *clocks) {
  if (Asked done = asked(Answer::LIST, "nvmlDeviceGetSupportedMemoryClocks", device, count, clocks)) return done;
  return list_clock(device, NVML_CLOCK_MEM, count, clocks);
}
nvmlReturn_t nvmlDeviceGetSupportedGraphicsClocks(nvmlDevice_t device, unsigned memory, unsigned *count,
                                                  unsigned *clocks) {
  if (Asked done = asked(Answer::LIST, "nvmlDeviceGetSupportedGraphicsClocks", device, memory, count, clocks))
    return done;
  unsigned own = 0;
  if (nvmlReturn_t wrong = clock_of(device, NVML_CLOCK_MEM, &own)) return wrong;
  return memory == own ? list_clock(device, NVML_CLOCK_GRAPHICS, count, clocks) : NVML_ERROR_NOT_FOUND;
}
/// `size` in bytes; places that are left say NVML_PSTATE_UNKNOWN.
nvmlReturn_t nvmlDeviceGetSupportedPerformanceStates(nvmlDevice_t device, nvmlPstates_t *states, unsigned size) {
  if (Asked done = asked(Answer::OWN, "nvmlDeviceGetSupportedPerformanceStates", device, states, size)) return done;
  if (size < sizeof *states) return NVML_ERROR_INSUFFICIENT_SIZE;
  for (size_t i = 0; i < size / sizeof *states; i++) states[i] = i ? NVML_PSTATE_UNKNOWN : NVML_PSTATE_0;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMinMaxClockOfPState(nvmlDevice_t device, nvmlClockType_t type, nvmlPstates_t state,
                                              unsigned *least, unsigned *most) {
  if (Asked done = asked(Answer::OWN, "nvmlDeviceGetMinMaxClockOfPState", device, type, state, least, most))
    return done;
  if ((unsigned)state > NVML_PSTATE_15) return NVML_ERROR_INVALID_ARGUMENT;
  if (state != NVML_PSTATE_0) return NVML_ERROR_NOT_SUPPORTED;
  const nvmlReturn_t status = clock_of(device, type, least);
  if (status == NVML_SUCCESS) *most = *least;
  return status;
}
nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *values) {
  return fields("nvmlDeviceGetFieldValues", device, count, values);
}
nvmlReturn_t nvmlDeviceClearFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *values) {
  return fields("nvmlDeviceClearFieldValues", device, count, values);
}

nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t one, nvmlDevice_t other, nvmlGpuTopologyLevel_t *level) {
  if (Asked done = asked(Answer::OWN, "nvmlDeviceGetTopologyCommonAncestor", one, other, level)) return done;
  *level = level_of(one, other);
  return NVML_SUCCESS;
}
/// On GPUs, the machine's NVML tells the level of each pair, as its handles are not those of the program.
nvmlReturn_t nvmlDeviceGetTopologyNearestGpus(nvmlDevice_t device, nvmlGpuTopologyLevel_t level, unsigned *count,
                                              nvmlDevice_t *devices) {
  if (nvmlReturn_t wrong = checked(Answer::LIST, device, level, count, devices)) return wrong;
  return list_devices(count, devices, [&](nvmlDevice_t other) {
    nvmlGpuTopologyLevel_t own;
    return other != device && nvmlDeviceGetTopologyCommonAncestor(device, other, &own) == NVML_SUCCESS && own == level;
  });
}
/// Every processor is as near as any other.
nvmlReturn_t nvmlSystemGetTopologyGpuSet(unsigned cpu, unsigned *count, nvmlDevice_t *devices) {
  if (Asked done = asked(Answer::LIST, "nvmlSystemGetTopologyGpuSet", cpu, count, devices)) return done;
  return list_devices(count, devices, [](nvmlDevice_t) { return true; });
}
nvmlReturn_t nvmlDeviceOnSameBoard(nvmlDevice_t one, nvmlDevice_t other, int *isSame) {
  if (nvmlReturn_t wrong = checked(Answer::OWN, one, other, isSame)) return wrong;
  *isSame = one == other;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t one, nvmlDevice_t other, nvmlGpuP2PCapsIndex_t index,
                                    nvmlGpuP2PStatus_t *status) {
  if (nvmlReturn_t wrong = checked(Answer::OWN, one, other, index, status)) return wrong;
  int can = 0;
  cudaDeviceCanAccessPeer(&can, index_of(one), index_of(other));
  const bool isMemory = index == NVML_P2P_CAPS_INDEX_READ || index == NVML_P2P_CAPS_INDEX_WRITE;
  *status = can && isMemory ? NVML_P2P_STATUS_OK : NVML_P2P_STATUS_NOT_SUPPORTED;
  return NVML_SUCCESS;
}
