/* universal_vector: elements in managed memory, which the host reads and writes as its own. */
#pragma once

#include "host_vector.h"
#include "universal_allocator.h"

namespace thrust {
template <typename T, typename ALLOCATOR = universal_allocator<T>>
using universal_vector = device_vector<T, ALLOCATOR>;
template <typename T>
using universal_host_pinned_vector = device_vector<T, universal_host_pinned_allocator<T>>;
}  // namespace thrust
