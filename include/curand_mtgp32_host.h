/* Parameters and states of MTGP32 generators in kernels, written for Heddle (libraries/rand/mtgp.cpp). */
#ifndef HEDDLE_CURAND_MTGP32_HOST_H
#define HEDDLE_CURAND_MTGP32_HOST_H

#include <curand.h>
#include <curand_mtgp32.h>

#ifdef __cplusplus
extern "C" {
#endif
/* The parameters of 200 generators. */
extern mtgp32_params_fast_t mtgp32dc_params_fast_11213[CURAND_NUM_MTGP32_PARAMS];

/* Copies all parameters to device memory. */
curandStatus_t curandMakeMTGP32Constants(const mtgp32_params_fast_t params[], mtgp32_kernel_params_t *device);
/* Writes n states, at most 200, to device memory; `device` is what the call before filled. */
curandStatus_t curandMakeMTGP32KernelState(curandStateMtgp32_t *states, mtgp32_params_fast_t params[],
                                           mtgp32_kernel_params_t *device, int n, unsigned long long seed);
#ifdef __cplusplus
}
#endif
#endif
