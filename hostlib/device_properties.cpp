// cudaGetDeviceProperties: copies the runtime's list of numbers into the structure's members (docs/host-abi.md).
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <string.h>

extern "C" int __heddle_device_properties(int device, char *name, double *values);

namespace {
template <class T> void put(T &member, const double *&value) {
  // Sizes of 4 GiB and more do not fit in a size_t of 32 bits: they saturate.
  double v = *value++;
  constexpr double largest = (T)-1 > 0 ? 4294967295.0 : 2147483647.0;
  member = v >= largest ? (T)largest : (T)v;
}
template <class T, int n> void put(T (&member)[n], const double *&value) {
  for (T &element : member) put(element, value);
}
} // namespace

extern "C" cudaError_t cudaGetDeviceProperties(cudaDeviceProp *prop, int device) {
  if (!prop) return cudaErrorInvalidValue;
  double values[96] = {};
  memset(prop, 0, sizeof *prop);
  int error = __heddle_device_properties(device, prop->name, values);
  if (error != 0) return (cudaError_t)error;
  const double *value = values;
#define HEDDLE_PROPERTY(field) put(prop->field, value);
#define HEDDLE_PROPERTY_2(field) put(prop->field, value);
#define HEDDLE_PROPERTY_3(field) put(prop->field, value);
#include <heddle/device_properties.inc>
  // A made-up but stable identity.
  for (int i = 0; i < 16; i++) prop->uuid.bytes[i] = (char)(prop->name[i % 8] * 31 + device + i);
  return cudaSuccess;
}
extern "C" cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* prop, int device) {
  return cudaGetDeviceProperties(prop, device);
}
