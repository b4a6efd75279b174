/* Whether indices of 32 bits reach all of a tensor. */
#pragma once
#include <heddle/torch.h>

namespace at {
namespace cuda {
namespace detail {
inline bool canUse32BitIndexMath(const TensorBase &tensor, int64_t most = 2147483647) {
  if (tensor.numel() >= most) return false;
  int64_t last = 0;
  for (int64_t d = 0; d < tensor.dim(); d++) last += (tensor.size(d) - 1) * tensor.stride(d);
  return last < most;
}
} // namespace detail
} // namespace cuda
} // namespace at
