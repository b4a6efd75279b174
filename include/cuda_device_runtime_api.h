// The CUDA device runtime: what kernels that launch kernels may call ("CUDA Dynamic Parallelism" in the CUDA C++
// Programming Guide). Its code is libdevice/launches.cu.
#pragma once
#include "cuda_runtime.h"
