// Whether CUDA took the work of a library's call.
#pragma once
#include <cuda_runtime.h>

/// The error of this thread's last launch, copy or fill. cudaPeekAtLastError would name errors from before the call, too.
extern "C" cudaError_t __heddle_work_error(void);
