// The checks of arguments, the machine's own NVML, and what the emulated device answers by itself.
#include "answers.h"
#include <stdlib.h>

using heddle_nvidia::Host;

namespace heddle_nvml {

int initialized = 0;

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

namespace {

const char owner = 0;
template <class... Values> int machine(const char *name, Values... values) {
  return heddle_nvidia::call_nvidia(&owner, "nvidia-ml", nullptr, name, values...);
}
/// The machine's device of this number, if it has the name of CUDA's, and CUDA shows all devices in their order.
int handle_by_index(int index, unsigned long long *found) {
  char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE] = "";
  cudaDeviceProp properties;
  const bool isSame = !getenv("CUDA_VISIBLE_DEVICES") &&
                      machine("nvmlDeviceGetHandleByIndex_v2", index, Host{found}) == NVML_SUCCESS &&
                      machine("nvmlDeviceGetName", *found, Host{name}, (int)sizeof name) == NVML_SUCCESS &&
                      cudaGetDeviceProperties(&properties, index) == cudaSuccess && !strcmp(name, properties.name);
  return isSame ? NVML_SUCCESS : NVML_ERROR_NOT_FOUND;
}
/// The machine's handle of a device; 0: it has none.
unsigned long long machine_handle(nvmlDevice_t device) {
  static unsigned long long handles[64];
  static bool isAsked[64];
  const int index = index_of(device);
  if (!has_machine() || index < 0 || index >= 64) return 0;
  if (!isAsked[index]) {
    isAsked[index] = true;
    char id[NVML_DEVICE_UUID_V2_BUFFER_SIZE];
    unsigned long long found = 0;
    // In a virtual machine the bus may have another number for NVML than for CUDA; each GPU has one UUID.
    int status = -1;
    if (nvmlDeviceGetUUID(device, id, sizeof id) == NVML_SUCCESS)
      status = machine("nvmlDeviceGetHandleByUUID", Host{id}, Host{&found});
    if (status != NVML_SUCCESS && cudaDeviceGetPCIBusId(id, sizeof id, index) == cudaSuccess)
      status = machine("nvmlDeviceGetHandleByPciBusId_v2", Host{id}, Host{&found});
    // Nor may it know the UUID. Then both count alike, unless the names say otherwise.
    if (status != NVML_SUCCESS) status = handle_by_index(index, &found);
    if (status == NVML_SUCCESS) handles[index] = found;
  }
  return handles[index];
}
void *address_of(const Argument &one) { return (void *)(size_t)one.value; }
unsigned version_at(const Argument &one) {
  unsigned version;
  memcpy(&version, address_of(one), sizeof version);
  return version;
}
nvmlReturn_t check_address(Answer kind, const Argument &one, bool *hasCount) {
  const Type &type = *one.type;
  // Arrays may be null, but not their number.
  const bool isCount = type.isCount && !*hasCount;
  *hasCount |= isCount;
  const bool mayBeNull = !isCount && (kind == Answer::LIST || kind == Answer::NONE);
  if (!one.value) return mayBeNull ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
  if (!type.version) return NVML_SUCCESS;
  const unsigned version = version_at(one);
  const bool isRight = version == type.version || (type.otherVersion && version == type.otherVersion);
  return isRight ? NVML_SUCCESS : NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
}
bool is_right(const Argument &one) {
  if (one.type->kind == Kind::DEVICE) return one.value && one.value <= (unsigned long long)device_count();
  if (one.type->kind == Kind::HANDLE) return one.value && (has_machine() || is_made(address_of(one)));
  return !one.type->limit || (unsigned)one.value < one.type->limit;
}
/// Results are zero; a struct keeps its version.
void set_to_zero(const Argument &one) {
  if (one.type->kind != Kind::ADDRESS) return;
  const unsigned kept = one.type->version ? (unsigned)sizeof(unsigned) : 0;
  memset((char *)address_of(one) + kept, 0, one.type->size - kept);
}

} // namespace

bool has_machine() {
  static const bool isReady = !__heddle_is_emulated() && machine("nvmlInit_v2") == NVML_SUCCESS;
  return isReady;
}
nvmlDevice_t device_of_machine(unsigned long long handle) {
  for (int i = 0; i < device_count(); i++)
    if (machine_handle(handle_of(i)) == handle) return handle_of(i);
  return nullptr;
}

nvmlReturn_t check(Answer kind, const Argument *arguments, int count) {
  if (!initialized) return NVML_ERROR_UNINITIALIZED;
  if (kind == Answer::VGPU && !arguments[0].value) return NVML_ERROR_INVALID_ARGUMENT;
  bool hasCount = false;
  for (int i = 0; i < count; i++) {
    if (arguments[i].type->kind == Kind::ADDRESS) {
      if (nvmlReturn_t wrong = check_address(kind, arguments[i], &hasCount)) return wrong;
    } else if (!is_right(arguments[i])) return NVML_ERROR_INVALID_ARGUMENT;
  }
  return NVML_SUCCESS;
}

int hand_over(const char *name, const Argument *arguments, int count) {
  for (int i = 0; i < count; i++)
    if (!arguments[i].type->isHanded) return -1;
  if (!has_machine()) return -1;
  heddle_nvidia::Arguments given;
  for (int i = 0; i < count; i++) {
    const Argument &one = arguments[i];
    switch (one.type->kind) {
      case Kind::DEVICE: {
        const unsigned long long handle = machine_handle((nvmlDevice_t)address_of(one));
        if (!handle) return -1; // NVIDIA's library looks into it
        given.put(handle);
        break;
      }
      case Kind::ADDRESS: given.put(Host{address_of(one)}); break;
      case Kind::NUMBER: given.put((int)one.value); break;
      default: given.put(one.value);
    }
  }
  return __heddle_library_call(&owner, "nvidia-ml", name, given.kinds, given.values, nullptr);
}

Asked ask(Answer kind, const char *name, const Argument *arguments, int count) {
  if (nvmlReturn_t wrong = check(kind, arguments, count)) return {true, wrong};
  const int status = hand_over(name, arguments, count);
  if (status >= 0) return {true, (nvmlReturn_t)status};
  if (!__heddle_is_emulated()) return {true, NVML_ERROR_NOT_SUPPORTED};
  return {false, NVML_SUCCESS};
}

nvmlReturn_t answer(Answer kind, const char *name, const Argument *arguments, int count) {
  if (Asked done = ask(kind, name, arguments, count)) return done;
  switch (kind) {
    case Answer::ZERO:
      for (int i = 0; i < count; i++) set_to_zero(arguments[i]);
      return NVML_SUCCESS;
    case Answer::NONE:
      for (int i = 0; i < count; i++)
        if (arguments[i].type->isCount) return set_to_zero(arguments[i]), NVML_SUCCESS;
      return NVML_ERROR_UNKNOWN;
    case Answer::ROOT: return NVML_ERROR_NO_PERMISSION;
    case Answer::VGPU: return NVML_ERROR_NOT_FOUND;
    case Answer::INVALID: return NVML_ERROR_INVALID_ARGUMENT;
    default: return NVML_ERROR_NOT_SUPPORTED;
  }
}

nvmlReturn_t put(const char *text, char *to, unsigned length) {
  if (strlen(text) + 1 > length) return NVML_ERROR_INSUFFICIENT_SIZE;
  strcpy(to, text);
  return NVML_SUCCESS;
}

} // namespace heddle_nvml
