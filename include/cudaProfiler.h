// cuProfilerStart and cuProfilerStop (CUDA Driver API, "Profiler Control").
#pragma once
#include "cuda.h"
