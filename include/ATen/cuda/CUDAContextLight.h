/* See heddle/torch.h. */
#pragma once
#include <ATen/cuda/CUDAContext.h>
