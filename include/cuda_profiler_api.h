// cudaProfilerStart and cudaProfilerStop (CUDA Runtime API, "Profiler Control").
#pragma once
#include "cuda_runtime_api.h"
