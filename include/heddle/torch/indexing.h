/* torch::indexing: what stands between the brackets of `x.index({Slice(), 0, "..."})`. */
#pragma once

#include "tensor.h"

namespace at {
namespace indexing {

struct EllipsisIndexType {};
inline constexpr EllipsisIndexType Ellipsis{};
inline constexpr std::nullopt_t None = std::nullopt;

struct Slice {
  std::optional<int64_t> start, stop, step;
  Slice(std::optional<int64_t> start = {}, std::optional<int64_t> stop = {}, std::optional<int64_t> step = {})
      : start(start), stop(stop), step(step) {}
};

struct TensorIndex {
  __heddle::torch::Argument argument;
  /* Keeps an index tensor alive. */
  Tensor tensor;
  TensorIndex(std::nullopt_t) {}
  TensorIndex(EllipsisIndexType) : argument("...") {}
  TensorIndex(const char *text) : argument(text) {}
  TensorIndex(bool value) : argument(value) {}
  template <typename T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  TensorIndex(T value) : argument((int64_t)value) {}
  TensorIndex(const Slice &slice)
      : argument(std::vector<__heddle::torch::Value>{__heddle::torch::Argument(slice.start).value,
                                                      __heddle::torch::Argument(slice.stop).value,
                                                      __heddle::torch::Argument(slice.step).value}) {}
  TensorIndex(const Tensor &index) : argument(index), tensor(index) {}
};

} // namespace indexing
} // namespace at
