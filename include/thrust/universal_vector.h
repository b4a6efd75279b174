/* universal_vector: device memory and host memory are apart here, so it is a device_vector. */
#pragma once
#include "host_vector.h"
namespace thrust {
template <typename T>
using universal_vector = device_vector<T>;
}
