/*
 * MTGP32 generators in kernels (Saito and Matsumoto, "Variants of Mersenne Twister Suitable for Graphic Processors",
 * 2012), for curand_kernel.h: one generator for all threads of a block, at most 256.
 */
#ifndef HEDDLE_CURAND_MTGP32_H
#define HEDDLE_CURAND_MTGP32_H

#include <cuda_runtime.h>

#define MTGPDC_MEXP 11213
#define MTGPDC_N 351
#define MTGPDC_FLOOR_2P 256
#define MTGPDC_CEIL_2P 512
#define MTGP32_TS 16
#define MTGP32_STATE_SIZE 1024
#define MTGP32_STATE_MASK 1023
#define CURAND_NUM_MTGP32_PARAMS 200

/* One generator's parameters. poly_sha1 is left empty. */
struct mtgp32_params_fast {
  int mexp, pos, sh1, sh2;
  unsigned int tbl[MTGP32_TS], tmp_tbl[MTGP32_TS], flt_tmp_tbl[MTGP32_TS], mask;
  unsigned char poly_sha1[21];
};
typedef struct mtgp32_params_fast mtgp32_params_fast_t;

/* All generators' parameters, in device memory. */
struct mtgp32_kernel_params {
  unsigned int pos_tbl[CURAND_NUM_MTGP32_PARAMS];
  unsigned int param_tbl[CURAND_NUM_MTGP32_PARAMS][MTGP32_TS];
  unsigned int temper_tbl[CURAND_NUM_MTGP32_PARAMS][MTGP32_TS];
  unsigned int single_temper_tbl[CURAND_NUM_MTGP32_PARAMS][MTGP32_TS];
  unsigned int sh1_tbl[CURAND_NUM_MTGP32_PARAMS], sh2_tbl[CURAND_NUM_MTGP32_PARAMS], mask[1];
};
typedef struct mtgp32_kernel_params mtgp32_kernel_params_t;

struct curandStateMtgp32 {
  unsigned int s[MTGP32_STATE_SIZE];
  int offset, pIdx;
  mtgp32_kernel_params_t *k;
};
typedef struct curandStateMtgp32 curandStateMtgp32, curandStateMtgp32_t;

#ifdef __CUDACC__
#define HEDDLE_MTGP static __device__ __forceinline__

namespace heddle_random {
/* Number `index` of the generator's next `count`. All threads of the block come here. */
HEDDLE_MTGP unsigned int mtgp(curandStateMtgp32_t *state, unsigned int index, unsigned int count) {
  const mtgp32_kernel_params_t *k = state->k;
  const int which = state->pIdx;
  const unsigned int at = state->offset + index, position = k->pos_tbl[which];
  unsigned int *s = state->s;
  unsigned int x = (s[at & MTGP32_STATE_MASK] & k->mask[0]) ^ s[(at + 1) & MTGP32_STATE_MASK];
  x ^= x << k->sh1_tbl[which];
  x ^= s[(at + position) & MTGP32_STATE_MASK] >> k->sh2_tbl[which];
  x ^= k->param_tbl[which][x & 15];
  unsigned int helper = s[(at + position - 1) & MTGP32_STATE_MASK];
  helper ^= helper >> 16;
  helper ^= helper >> 8;
  s[(at + MTGPDC_N) & MTGP32_STATE_MASK] = x;
  const unsigned int result = x ^ k->temper_tbl[which][helper & 15];
  __syncthreads();
  if (index == 0) state->offset = (state->offset + count) & MTGP32_STATE_MASK;
  __syncthreads();
  return result;
}
} // namespace heddle_random

HEDDLE_MTGP unsigned int curand(curandStateMtgp32_t *state) {
  return heddle_random::mtgp(state, threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z),
                             blockDim.x * blockDim.y * blockDim.z);
}
/* Threads with successive indices from 0 share the generator: `n` of them. */
HEDDLE_MTGP unsigned int curand_mtgp32_specific(curandStateMtgp32_t *state, unsigned char index, unsigned char n) {
  return heddle_random::mtgp(state, index, n);
}
#undef HEDDLE_MTGP
#endif // __CUDACC__
#endif
