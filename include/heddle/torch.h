/*
 * PyTorch's C++ API for extensions: what torch/extension.h and its relatives are here. Written from PyTorch's public
 * documentation; the operations are those of the runtime (src/tensor). docs/extensions.md
 */
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <cuda_runtime.h>

#include "torch/accessors.h"
#include "torch/bind.h"
#include "torch/cuda.h"
#include "torch/dispatch.h"
#include "torch/functions.h"
#include "torch/indexing.h"

namespace at {
namespace native {
using at::acc_type;
}
} // namespace at
namespace torch {
using namespace at;
using at::Tensor;
using Dtype = at::ScalarType;
namespace nn {
namespace functional {}
} // namespace nn
namespace cuda {
using namespace at::cuda;
inline void synchronize(int64_t = -1) { c10::cuda::device_synchronize(); }
inline int device_count() { return 1; }
} // namespace cuda
namespace autograd {
using Variable = at::Tensor;
using variable_list = std::vector<at::Tensor>;
} // namespace autograd
} // namespace torch
namespace caffe2 {
using c10::TypeMeta;
}
