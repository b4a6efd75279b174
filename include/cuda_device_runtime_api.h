// Launches, device information and memory from device code (dynamic parallelism) are not available: see cuda_runtime.h.
#pragma once
#include "cuda_runtime.h"
