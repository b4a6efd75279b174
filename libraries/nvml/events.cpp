// Sets of events and samples of metrics: the emulated device has neither events nor metrics.
#include "answers.h"
#include <stdlib.h>
#include <time.h>

using namespace heddle_nvml;

namespace heddle_nvml {

/// Handles that this library makes lie in a list.
struct Made { Made *next; };
static Made *made = nullptr;

bool is_made(const void *handle) {
  for (Made *one = made; one; one = one->next)
    if (one == handle) return true;
  return false;
}
void *make_handle() {
  Made *one = (Made *)malloc(sizeof(Made));
  if (one) one->next = made, made = one;
  return one;
}
bool free_handle(const void *handle) {
  for (Made **at = &made; *at; at = &(*at)->next)
    if (*at == handle) {
      Made *one = *at;
      *at = one->next;
      free(one);
      return true;
    }
  return false;
}

} // namespace heddle_nvml

namespace {

template <class Set> bool is_set(Set set) { return has_machine() ? set != nullptr : is_made(set); }
nvmlReturn_t wait_in_vain(unsigned milliseconds) {
  const timespec time = {(time_t)(milliseconds / 1000), (long)(milliseconds % 1000) * 1000000};
  nanosleep(&time, nullptr);
  return NVML_ERROR_TIMEOUT;
}
template <class Handle> nvmlReturn_t make(Handle *handle) {
  *handle = (Handle)make_handle();
  return *handle ? NVML_SUCCESS : NVML_ERROR_MEMORY;
}

} // namespace

nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t *set) {
  if (Asked done = asked(Answer::OWN, "nvmlEventSetCreate", set)) return done;
  return make(set);
}
nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) {
  if (Asked done = asked(Answer::OWN, "nvmlEventSetFree", set)) return done;
  return free_handle(set) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}
nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types, nvmlEventSet_t set) {
  if (Asked done = asked(Answer::OWN, "nvmlDeviceRegisterEvents", device, types, set)) return done;
  if (types & ~(unsigned long long)nvmlEventTypeAll) return NVML_ERROR_INVALID_ARGUMENT;
  return types == nvmlEventTypeNone ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}
static nvmlReturn_t wait_for(const char *name, nvmlEventSet_t set, nvmlEventData_t *data, unsigned milliseconds) {
  const Asked done = asked(Answer::OWN, name, set, data, milliseconds);
  if (!done) return wait_in_vain(milliseconds);
  if (done.status == NVML_SUCCESS) data->device = device_of_machine((size_t)data->device);
  return done;
}
nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *data, unsigned milliseconds) {
  return wait_for("nvmlEventSetWait_v2", set, data, milliseconds);
}
nvmlReturn_t nvmlEventSetWait(nvmlEventSet_t set, nvmlEventData_t *data, unsigned milliseconds) {
  return wait_for("nvmlEventSetWait", set, data, milliseconds);
}
nvmlReturn_t nvmlSystemEventSetCreate(nvmlSystemEventSetCreateRequest_t *request) {
  if (Asked done = asked(Answer::OWN, "nvmlSystemEventSetCreate", request)) return done;
  return make(&request->set);
}
nvmlReturn_t nvmlSystemEventSetFree(nvmlSystemEventSetFreeRequest_t *request) {
  if (Asked done = asked(Answer::OWN, "nvmlSystemEventSetFree", request)) return done;
  return free_handle(request->set) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}
nvmlReturn_t nvmlSystemRegisterEvents(nvmlSystemRegisterEventRequest_t *request) {
  if (Asked done = asked(Answer::OWN, "nvmlSystemRegisterEvents", request)) return done;
  const unsigned long long known = nvmlSystemEventTypeGpuDriverUnbind | nvmlSystemEventTypeGpuDriverBind;
  return is_set(request->set) && !(request->eventTypes & ~known) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}
nvmlReturn_t nvmlSystemEventSetWait(nvmlSystemEventSetWaitRequest_t *request) {
  if (Asked done = asked(Answer::OWN, "nvmlSystemEventSetWait", request)) return done;
  if (!is_set(request->set) || !request->data || !request->dataSize) return NVML_ERROR_INVALID_ARGUMENT;
  request->numEvent = 0;
  return wait_in_vain(request->timeoutms);
}
nvmlReturn_t nvmlGpmSampleAlloc(nvmlGpmSample_t *sample) {
  if (Asked done = asked(Answer::OWN, "nvmlGpmSampleAlloc", sample)) return done;
  return make(sample);
}
nvmlReturn_t nvmlGpmSampleFree(nvmlGpmSample_t sample) {
  if (Asked done = asked(Answer::OWN, "nvmlGpmSampleFree", sample)) return done;
  return free_handle(sample) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}
