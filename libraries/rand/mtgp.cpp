// What a program gives to MTGP32 generators in its kernels: parameters and states.
#include <curand_mtgp32_host.h>
#include <new>
#include "mtgp.h"

namespace {
constexpr mtgp32_params_fast_t parametersOf(int i) {
  const MtgpNumbers &from = MTGP_NUMBERS[i];
  mtgp32_params_fast_t to = {};
  to.mexp = MTGPDC_MEXP;
  to.pos = from.position;
  to.sh1 = from.shift1;
  to.sh2 = from.shift2;
  to.mask = MTGP_MASK;
  for (uint32_t k = 0; k < MTGP32_TS; k++) {
    to.tbl[k] = mtgpProduct(from.recursion, k);
    to.tmp_tbl[k] = mtgpProduct(from.tempering, k);
    to.flt_tmp_tbl[k] = to.tmp_tbl[k] >> 9 | 0x3f800000u;
  }
  return to;
}
template <class T> curandStatus_t copy(T *device, const T *host, size_t count) {
  return cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice) == cudaSuccess
             ? CURAND_STATUS_SUCCESS
             : CURAND_STATUS_INITIALIZATION_FAILED;
}
} // namespace

#define FIVE(i) parametersOf(i), parametersOf(i + 1), parametersOf(i + 2), parametersOf(i + 3), parametersOf(i + 4)
#define TWENTY(i) FIVE(i), FIVE(i + 5), FIVE(i + 10), FIVE(i + 15)
// Constants: programs that do not name them have no code that fills them.
mtgp32_params_fast_t mtgp32dc_params_fast_11213[CURAND_NUM_MTGP32_PARAMS] = {
    TWENTY(0),   TWENTY(20),  TWENTY(40),  TWENTY(60),  TWENTY(80),
    TWENTY(100), TWENTY(120), TWENTY(140), TWENTY(160), TWENTY(180),
};

curandStatus_t curandMakeMTGP32Constants(const mtgp32_params_fast_t params[], mtgp32_kernel_params_t *device) {
  auto *all = new (std::nothrow) mtgp32_kernel_params_t();
  if (!all) return CURAND_STATUS_ALLOCATION_FAILED;
  all->mask[0] = params[0].mask;
  for (int i = 0; i < CURAND_NUM_MTGP32_PARAMS; i++) {
    all->pos_tbl[i] = params[i].pos;
    all->sh1_tbl[i] = params[i].sh1;
    all->sh2_tbl[i] = params[i].sh2;
    memcpy(all->param_tbl[i], params[i].tbl, sizeof params[i].tbl);
    memcpy(all->temper_tbl[i], params[i].tmp_tbl, sizeof params[i].tmp_tbl);
    memcpy(all->single_temper_tbl[i], params[i].flt_tmp_tbl, sizeof params[i].flt_tmp_tbl);
  }
  curandStatus_t status = copy(device, all, 1);
  delete all;
  return status;
}
curandStatus_t curandMakeMTGP32KernelState(curandStateMtgp32_t *states, mtgp32_params_fast_t params[],
                                           mtgp32_kernel_params_t *device, int n, unsigned long long seed) {
  if (n <= 0 || n > CURAND_NUM_MTGP32_PARAMS) return CURAND_STATUS_ALLOCATION_FAILED;
  std::vector<curandStateMtgp32_t> all(n);
  for (int i = 0; i < n; i++) {
    const uint32_t rows[4] = {params[i].tbl[1], params[i].tbl[2], params[i].tbl[4], params[i].tbl[8]};
    memset(&all[i], 0, sizeof all[i]);
    mtgpSeed(all[i].s, rows, (uint32_t)(seed ^ seed >> 32) + i + 1);
    all[i].pIdx = i;
    all[i].k = device;
  }
  return copy(states, all.data(), all.size());
}
