/* at::parallel_for: here on one thread. */
#pragma once
#include <heddle/torch.h>

namespace at {
template <typename F> void parallel_for(int64_t begin, int64_t end, int64_t, const F &body) {
  if (begin < end) body(begin, end);
}
inline int get_num_threads() { return 1; }
inline void set_num_threads(int) {}
} // namespace at
