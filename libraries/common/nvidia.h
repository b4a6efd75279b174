// NVIDIA's own libraries, where the device is a GPU and its user has them. A call is handed over with its arguments and
// the kind of each. Functions that take arrays of device addresses are not handed over: an address in such an array has
// 32 bits here, and NVIDIA's library reads 64.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>

extern "C" {
/// Calls a function of `library` (a name in src/libraries), whose handle belongs to `owner`. Kinds of arguments: h the
/// handle, H where the handle lies, i int, l 64 bits, w 64 bits that stand for work of the device, d double, f float,
/// p device address, a host address, v a list of addresses (Addresses), s stream. Returns the function's status, or a
/// negative number: NOT_NOW if Heddle must do this call itself, NEVER if it must do all calls. The names are literals;
/// behind the letters of `kinds`, which is aligned to 4 bytes, there are zeros up to the next multiple of 4.
int __heddle_library_call(const void* owner, const char* library, const char* name, const char* kinds,
                          const unsigned long long* values, cudaStream_t stream);
/// Begins, or ends, to record what calls of a library with groups (NCCL) put on a captured stream of the current
/// device: it becomes a node of the program's graph. 0: nothing has begun, or the capture has become invalid.
int __heddle_record_calls(cudaStream_t stream, int isBegin);
/// The GPU's own address of device memory.
unsigned long long __heddle_library_address(const void *pointer);
/// 1: no allocation holds all of `bytes` from there.
int __heddle_leaves_allocation(const void *pointer, size_t bytes);
/// 1 on the emulated device, whose threads run one after the other.
int __heddle_is_emulated(void);
}

namespace heddle_nvidia {

constexpr int NOT_NOW = -1, NEVER = -2;

struct Host { const void *address; };
/// A handle of NVIDIA's that is read when the call is made, as it may not be there before.
struct HandleAt { const unsigned long long *handle; };
struct OwnHandle {};
/// A factor or a result.
struct Scalar { const void *address; bool isOnDevice; };
/// A place where the handle lies.
struct OwnHandleAt {};
/// 64 bits that stand for work of the device.
struct Work { unsigned long long value; };
/// How many addresses; then for each of them 1, if it is the device's, or 0, and the address.
struct Addresses { const unsigned long long *list; };
struct OfStream { cudaStream_t stream; };

struct Arguments {
  static constexpr int MOST = 32;
  // Empty for calls without arguments, too (ncclGroupStart).
  alignas(4) char kinds[MOST + 4] = "";
  unsigned long long values[MOST];
  int count = 0;
  void add(char kind, unsigned long long value) {
    kinds[count] = kind;
    values[count++] = value;
    kinds[count] = 0;
  }
  void put(OwnHandle) { add('h', 0); }
  void put(int value) { add('i', (unsigned long long)(long long)value); }
  void put(double value) {
    unsigned long long bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    add('d', bits);
  }
  void put(float value) {
    unsigned bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    add('f', bits);
  }
  void put(long long value) { add('l', (unsigned long long)value); }
  void put(unsigned long long value) { add('l', value); }
  void put(const void *pointer) { add('p', (uintptr_t)pointer); }
  void put(HandleAt at) { put(*at.handle); }
  void put(Host host) { add('a', (uintptr_t)host.address); }
  void put(OwnHandleAt) { add('H', 0); }
  void put(Work work) { add('w', work.value); }
  void put(Addresses addresses) { add('v', (uintptr_t)addresses.list); }
  void put(Scalar scalar) { add(scalar.isOnDevice ? 'p' : 'a', (uintptr_t)scalar.address); }
  void put(OfStream stream) { add('s', (uintptr_t)stream.stream); }
};

template <class... Values>
int call_nvidia(const void* owner, const char* library, cudaStream_t stream, const char* name, Values... values) {
  static_assert(sizeof...(Values) <= Arguments::MOST, "too many arguments");
  Arguments arguments;
  (arguments.put(values), ...);
  // NVIDIA's library prints, too (cuBLAS names wrong arguments), and in nvcc's programs both share a buffer: what the
  // program has printed so far comes first.
  fflush(stdout);
  return __heddle_library_call(owner, library, name, arguments.kinds, arguments.values, stream);
}

} // namespace heddle_nvidia
