/* Random permutations: elements sorted by random keys. Which permutation a seed gives is not specified, and is not that
 * of other libraries. */
#pragma once

#include "copy.h"
#include "device_vector.h"
#include "host_vector.h"
#include "sort.h"

namespace thrust {

template <typename I, typename G>
void shuffle(I first, I last, G &&random) {
  host_vector<unsigned long long> keys((size_t)(last - first));
  for (size_t i = 0; i < keys.size(); ++i) {
    const unsigned long long high = random(), low = random();
    keys[i] = high << 32 ^ low;
  }
  if constexpr (std::is_same<typename detail::system_of<I>::type, host_system_tag>::value) {
    thrust::sort_by_key(keys.begin(), keys.end(), first);
  } else {
    device_vector<unsigned long long> device_keys(keys.begin(), keys.end());
    thrust::sort_by_key(device_keys.begin(), device_keys.end(), first);
  }
}

template <typename POLICY, typename I, typename G>
void shuffle(const POLICY &, I first, I last, G &&random) { thrust::shuffle(first, last, random); }

template <typename I, typename O, typename G>
void shuffle_copy(I first, I last, O out, G &&random) { thrust::shuffle(out, thrust::copy(first, last, out), random); }

template <typename POLICY, typename I, typename O, typename G>
void shuffle_copy(const POLICY&, I first, I last, O out, G&& random) {
  thrust::shuffle_copy(first, last, out, random);
}

} // namespace thrust
