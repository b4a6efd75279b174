// threadIdx, blockIdx, blockDim, gridDim and warpSize: they come with cuda_runtime.h.
#pragma once
#define __DEVICE_LAUNCH_PARAMETERS_H__ // public code asks for it
#include "cuda_runtime.h"
