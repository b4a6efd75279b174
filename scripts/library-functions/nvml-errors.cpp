// Calls every function of NVML, before nvmlInit and after it: with numbers of several sizes, without the
// addresses, with
// a wrong device, with structs of a wrong version. Each line: a function, and "situation=status" for each of them.
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <nvml.h>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>

enum Situation { NORMAL, NO_ADDRESSES, WRONG_DEVICE, WRONG_VERSION };
alignas(16) static char places[8][1 << 17];
static nvmlDevice_t device;
static Situation situation;
static unsigned number, layout;
static int place;
static bool hasAddress, hasDevice, hasVersion;

template <class T, class = void> constexpr bool IS_VERSIONED = false;
template <class T> constexpr bool IS_VERSIONED<T, std::void_t<decltype(std::declval<T>().version)>> = true;
template <class T, class = void> constexpr bool IS_COMPLETE = false;
template <class T> constexpr bool IS_COMPLETE<T, decltype((void)sizeof(T))> = true;

template <class T> T *at_a_place() {
  hasAddress = true;
  if (situation == NO_ADDRESSES) return nullptr;
  char *bytes = places[place++];
  memset(bytes, 0, sizeof places[0]);
  if constexpr (IS_VERSIONED<T>) {
    hasVersion = true;
    const unsigned version = layout ? (unsigned)sizeof(T) | layout << 24 : 1;
    memcpy(bytes, &version, sizeof version);
  }
  return (T *)bytes;
}
template <class T> T value() {
  if constexpr (std::is_same_v<T, nvmlDevice_t>)
    return hasDevice = true, situation == WRONG_DEVICE ? (nvmlDevice_t)(size_t)99 : device;
  else if constexpr (std::is_pointer_v<T>) {
    // nobody has such a handle
    if constexpr (IS_COMPLETE<std::remove_pointer_t<T>>) return
      at_a_place<std::remove_const_t<std::remove_pointer_t<T>>>();
    else return nullptr;
  } else return (T)number;
}
using Function = void (*)();
template <class... P> __attribute__((noinline)) int invoke(Function function) {
  return ((nvmlReturn_t(*)(P...))function)(value<P>()...);
}
struct Row {
  Function function;
  int (*invoke)(Function);
};
template <class... P> Row row_of(nvmlReturn_t (*function)(P...)) { return {(Function)function, invoke<P...>}; }
/// Tries the layouts of its structs until the function takes one.
static int call(const Row &row) {
  int status = 0;
  for (layout = situation == WRONG_VERSION ? 7 : 0; layout <= 7; layout++) {
    place = 0;
    status = row.invoke(row.function);
    if (!hasVersion || status != NVML_ERROR_ARGUMENT_VERSION_MISMATCH) break;
  }
  return status;
}
__attribute__((noinline)) static void print_row(const char *name, const Row &row) {
  hasAddress = hasDevice = hasVersion = false;
  if (strstr(name, "nvmlInit") == name || !strcmp(name, "nvmlShutdown")) return;
  situation = NORMAL;
  number = 0;
  printf("%s before=%d", name, call(row));
  nvmlInit_v2();
  nvmlDeviceGetHandleByIndex_v2(0, &device);
  for (unsigned one : {0u, 1u, 64u}) number = one, printf(" %u=%d", one, call(row));
  number = 0;
  if (hasAddress) situation = NO_ADDRESSES, printf(" null=%d", call(row));
  if (hasDevice) situation = WRONG_DEVICE, printf(" device=%d", call(row));
  if (hasVersion) number = 1, situation = WRONG_VERSION, printf(" version=%d", call(row));
  printf("\n");
  nvmlShutdown();
}
int main() {
#define HEDDLE_NVML(ANSWER, NAME, ...) print_row(#NAME, row_of(NAME));
#include <heddle/nvml_functions.inc>
  printf("END\n");
}
