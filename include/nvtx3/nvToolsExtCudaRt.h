/* Names of CUDA objects for profilers: nothing to name here. */
#pragma once
#include "nvToolsExt.h"
#define nvtxNameCudaDeviceA(device, name) ((void)(device), (void)(name))
#define nvtxNameCudaStreamA(stream, name) ((void)(stream), (void)(name))
#define nvtxNameCudaEventA(event, name) ((void)(event), (void)(name))
