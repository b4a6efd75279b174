/* Many tensors as one, and back. */
#pragma once
#include <heddle/torch.h>

namespace torch {
namespace utils {
inline at::Tensor flatten_dense_tensors(at::TensorList tensors) {
  std::vector<at::Tensor> flat;
  for (const at::Tensor &tensor : tensors) flat.push_back(tensor.contiguous().view({-1}));
  return at::cat(flat);
}
inline std::vector<at::Tensor> unflatten_dense_tensors(const at::Tensor &flat, at::TensorList tensors) {
  std::vector<at::Tensor> parts;
  int64_t from = 0;
  for (const at::Tensor &tensor : tensors) {
    parts.push_back(flat.narrow(0, from, tensor.numel()).view(tensor.sizes()));
    from += tensor.numel();
  }
  return parts;
}
} // namespace utils
} // namespace torch
