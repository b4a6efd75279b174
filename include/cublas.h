/* The name of the interface before CUDA 4 now leads to the current one; its functions without a handle (cublasInit …)
 * are not here. */
#pragma once

#include "cublas_v2.h"
