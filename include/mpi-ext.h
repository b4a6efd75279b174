// What Open MPI adds to MPI: whether buffers may lie on the device (Open MPI, FAQ "Running CUDA-aware Open MPI").
#pragma once
#include <mpi.h>

#define MPIX_CUDA_AWARE_SUPPORT 1

#ifdef __cplusplus
extern "C" {
#endif
int MPIX_Query_cuda_support(void);
#ifdef __cplusplus
}
#endif
