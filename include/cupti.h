// CUPTI: callbacks at calls of the CUDA API, and records of what a program did (CUPTI documentation). Events, metrics
// and samples of the program counter are not there: docs/libraries.md, "CUPTI".
#pragma once
#include <cuda.h>
#include "cupti_activity.h"
#include "cupti_callbacks.h"
#include "cupti_driver_cbid.h"
#include "cupti_nvtx_cbid.h"
#include "cupti_result.h"
#include "cupti_runtime_cbid.h"
#include "cupti_version.h"
#include "generated_cuda_meta.h"
#include "generated_cuda_runtime_api_meta.h"
