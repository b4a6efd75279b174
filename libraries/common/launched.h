// Whether CUDA took the work of a library's call.
#pragma once
#include <cuda_runtime.h>

/// The error of this thread's last launch, copy or fill. cudaPeekAtLastError would also name errors from before the
/// call, which the program has not looked at.
extern "C" cudaError_t __heddle_work_error(void);
