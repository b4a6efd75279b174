// Atomic functions (CUDA C++ Programming Guide, "Atomic Functions"). All scopes act alike here: _block and _system variants are
// as strong as the device-wide ones. float16 and bfloat16 live in their own headers.
#pragma once

#define HEDDLE_D static inline __device__ __attribute__((always_inline))

HEDDLE_D int atomicAdd(int *p, int v) { return (int)__nvvm_atom_add_gen_i((int *)p, (int)v); }
HEDDLE_D int atomicAdd_block(int *p, int v) { return (int)__nvvm_atom_add_gen_i((int *)p, (int)v); }
HEDDLE_D int atomicAdd_system(int *p, int v) { return (int)__nvvm_atom_add_gen_i((int *)p, (int)v); }
HEDDLE_D unsigned int atomicAdd(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_add_gen_i((int *)p, (int)v); }
HEDDLE_D unsigned int atomicAdd_block(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_add_gen_i((int *)p, (int)v); }
HEDDLE_D unsigned int atomicAdd_system(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_add_gen_i((int *)p, (int)v); }
HEDDLE_D long atomicAdd(long *p, long v) { return (long)__nvvm_atom_add_gen_l((long *)p, (long)v); }
HEDDLE_D long atomicAdd_block(long *p, long v) { return (long)__nvvm_atom_add_gen_l((long *)p, (long)v); }
HEDDLE_D long atomicAdd_system(long *p, long v) { return (long)__nvvm_atom_add_gen_l((long *)p, (long)v); }
HEDDLE_D unsigned long atomicAdd(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_add_gen_l((long *)p, (long)v); }
HEDDLE_D unsigned long atomicAdd_block(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_add_gen_l((long *)p, (long)v); }
HEDDLE_D unsigned long atomicAdd_system(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_add_gen_l((long *)p, (long)v); }
HEDDLE_D long long atomicAdd(long long *p, long long v) { return (long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)v); }
HEDDLE_D long long atomicAdd_block(long long *p, long long v) { return (long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)v); }
HEDDLE_D long long atomicAdd_system(long long *p, long long v) { return (long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)v); }
HEDDLE_D unsigned long long atomicAdd(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)v); }
HEDDLE_D unsigned long long atomicAdd_block(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)v); }
HEDDLE_D unsigned long long atomicAdd_system(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)v); }
HEDDLE_D float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
HEDDLE_D float atomicAdd_block(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
HEDDLE_D float atomicAdd_system(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
HEDDLE_D double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
HEDDLE_D double atomicAdd_block(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
HEDDLE_D double atomicAdd_system(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
HEDDLE_D int atomicSub(int *p, int v) { return (int)__nvvm_atom_add_gen_i((int *)p, (int)((unsigned int)0 - (unsigned int)v)); }
HEDDLE_D int atomicSub_block(int *p, int v) { return (int)__nvvm_atom_add_gen_i((int *)p, (int)((unsigned int)0 - (unsigned int)v)); }
HEDDLE_D int atomicSub_system(int *p, int v) { return (int)__nvvm_atom_add_gen_i((int *)p, (int)((unsigned int)0 - (unsigned int)v)); }
HEDDLE_D unsigned int atomicSub(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_add_gen_i((int *)p, (int)((unsigned int)0 - (unsigned int)v)); }
HEDDLE_D unsigned int atomicSub_block(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_add_gen_i((int *)p, (int)((unsigned int)0 - (unsigned int)v)); }
HEDDLE_D unsigned int atomicSub_system(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_add_gen_i((int *)p, (int)((unsigned int)0 - (unsigned int)v)); }
HEDDLE_D long atomicSub(long *p, long v) { return (long)__nvvm_atom_add_gen_l((long *)p, (long)((unsigned long)0 - (unsigned long)v)); }
HEDDLE_D long atomicSub_block(long *p, long v) { return (long)__nvvm_atom_add_gen_l((long *)p, (long)((unsigned long)0 - (unsigned long)v)); }
HEDDLE_D long atomicSub_system(long *p, long v) { return (long)__nvvm_atom_add_gen_l((long *)p, (long)((unsigned long)0 - (unsigned long)v)); }
HEDDLE_D unsigned long atomicSub(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_add_gen_l((long *)p, (long)((unsigned long)0 - (unsigned long)v)); }
HEDDLE_D unsigned long atomicSub_block(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_add_gen_l((long *)p, (long)((unsigned long)0 - (unsigned long)v)); }
HEDDLE_D unsigned long atomicSub_system(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_add_gen_l((long *)p, (long)((unsigned long)0 - (unsigned long)v)); }
HEDDLE_D long long atomicSub(long long *p, long long v) { return (long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)((unsigned long long)0 - (unsigned long long)v)); }
HEDDLE_D long long atomicSub_block(long long *p, long long v) { return (long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)((unsigned long long)0 - (unsigned long long)v)); }
HEDDLE_D long long atomicSub_system(long long *p, long long v) { return (long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)((unsigned long long)0 - (unsigned long long)v)); }
HEDDLE_D unsigned long long atomicSub(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)((unsigned long long)0 - (unsigned long long)v)); }
HEDDLE_D unsigned long long atomicSub_block(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)((unsigned long long)0 - (unsigned long long)v)); }
HEDDLE_D unsigned long long atomicSub_system(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)((unsigned long long)0 - (unsigned long long)v)); }
HEDDLE_D int atomicExch(int *p, int v) { return (int)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
HEDDLE_D int atomicExch_block(int *p, int v) { return (int)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
HEDDLE_D int atomicExch_system(int *p, int v) { return (int)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
HEDDLE_D unsigned int atomicExch(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
HEDDLE_D unsigned int atomicExch_block(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
HEDDLE_D unsigned int atomicExch_system(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
HEDDLE_D long atomicExch(long *p, long v) { return (long)__nvvm_atom_xchg_gen_l((long *)p, (long)v); }
HEDDLE_D long atomicExch_block(long *p, long v) { return (long)__nvvm_atom_xchg_gen_l((long *)p, (long)v); }
HEDDLE_D long atomicExch_system(long *p, long v) { return (long)__nvvm_atom_xchg_gen_l((long *)p, (long)v); }
HEDDLE_D unsigned long atomicExch(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_xchg_gen_l((long *)p, (long)v); }
HEDDLE_D unsigned long atomicExch_block(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_xchg_gen_l((long *)p, (long)v); }
HEDDLE_D unsigned long atomicExch_system(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_xchg_gen_l((long *)p, (long)v); }
HEDDLE_D long long atomicExch(long long *p, long long v) { return (long long)__nvvm_atom_xchg_gen_ll((long long *)p, (long long)v); }
HEDDLE_D long long atomicExch_block(long long *p, long long v) { return (long long)__nvvm_atom_xchg_gen_ll((long long *)p, (long long)v); }
HEDDLE_D long long atomicExch_system(long long *p, long long v) { return (long long)__nvvm_atom_xchg_gen_ll((long long *)p, (long long)v); }
HEDDLE_D unsigned long long atomicExch(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_xchg_gen_ll((long long *)p, (long long)v); }
HEDDLE_D unsigned long long atomicExch_block(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_xchg_gen_ll((long long *)p, (long long)v); }
HEDDLE_D unsigned long long atomicExch_system(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_xchg_gen_ll((long long *)p, (long long)v); }
HEDDLE_D float atomicExch(float *p, float v) { return __int_as_float(__nvvm_atom_xchg_gen_i((int *)p, __float_as_int(v))); }
HEDDLE_D float atomicExch_block(float *p, float v) { return __int_as_float(__nvvm_atom_xchg_gen_i((int *)p, __float_as_int(v))); }
HEDDLE_D float atomicExch_system(float *p, float v) { return __int_as_float(__nvvm_atom_xchg_gen_i((int *)p, __float_as_int(v))); }
HEDDLE_D double atomicExch(double *p, double v) { return __longlong_as_double(__nvvm_atom_xchg_gen_ll((long long *)p, __double_as_longlong(v))); }
HEDDLE_D double atomicExch_block(double *p, double v) { return __longlong_as_double(__nvvm_atom_xchg_gen_ll((long long *)p, __double_as_longlong(v))); }
HEDDLE_D double atomicExch_system(double *p, double v) { return __longlong_as_double(__nvvm_atom_xchg_gen_ll((long long *)p, __double_as_longlong(v))); }
HEDDLE_D int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
HEDDLE_D int atomicMin_block(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
HEDDLE_D int atomicMin_system(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
HEDDLE_D unsigned int atomicMin(unsigned int *p, unsigned int v) { return __nvvm_atom_min_gen_ui(p, v); }
HEDDLE_D unsigned int atomicMin_block(unsigned int *p, unsigned int v) { return __nvvm_atom_min_gen_ui(p, v); }
HEDDLE_D unsigned int atomicMin_system(unsigned int *p, unsigned int v) { return __nvvm_atom_min_gen_ui(p, v); }
HEDDLE_D long atomicMin(long *p, long v) { return __nvvm_atom_min_gen_l(p, v); }
HEDDLE_D long atomicMin_block(long *p, long v) { return __nvvm_atom_min_gen_l(p, v); }
HEDDLE_D long atomicMin_system(long *p, long v) { return __nvvm_atom_min_gen_l(p, v); }
HEDDLE_D unsigned long atomicMin(unsigned long *p, unsigned long v) { return __nvvm_atom_min_gen_ul(p, v); }
HEDDLE_D unsigned long atomicMin_block(unsigned long *p, unsigned long v) { return __nvvm_atom_min_gen_ul(p, v); }
HEDDLE_D unsigned long atomicMin_system(unsigned long *p, unsigned long v) { return __nvvm_atom_min_gen_ul(p, v); }
HEDDLE_D long long atomicMin(long long *p, long long v) { return __nvvm_atom_min_gen_ll(p, v); }
HEDDLE_D long long atomicMin_block(long long *p, long long v) { return __nvvm_atom_min_gen_ll(p, v); }
HEDDLE_D long long atomicMin_system(long long *p, long long v) { return __nvvm_atom_min_gen_ll(p, v); }
HEDDLE_D unsigned long long atomicMin(unsigned long long *p, unsigned long long v) { return __nvvm_atom_min_gen_ull(p, v); }
HEDDLE_D unsigned long long atomicMin_block(unsigned long long *p, unsigned long long v) { return __nvvm_atom_min_gen_ull(p, v); }
HEDDLE_D unsigned long long atomicMin_system(unsigned long long *p, unsigned long long v) { return __nvvm_atom_min_gen_ull(p, v); }
HEDDLE_D int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
HEDDLE_D int atomicMax_block(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
HEDDLE_D int atomicMax_system(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
HEDDLE_D unsigned int atomicMax(unsigned int *p, unsigned int v) { return __nvvm_atom_max_gen_ui(p, v); }
HEDDLE_D unsigned int atomicMax_block(unsigned int *p, unsigned int v) { return __nvvm_atom_max_gen_ui(p, v); }
HEDDLE_D unsigned int atomicMax_system(unsigned int *p, unsigned int v) { return __nvvm_atom_max_gen_ui(p, v); }
HEDDLE_D long atomicMax(long *p, long v) { return __nvvm_atom_max_gen_l(p, v); }
HEDDLE_D long atomicMax_block(long *p, long v) { return __nvvm_atom_max_gen_l(p, v); }
HEDDLE_D long atomicMax_system(long *p, long v) { return __nvvm_atom_max_gen_l(p, v); }
HEDDLE_D unsigned long atomicMax(unsigned long *p, unsigned long v) { return __nvvm_atom_max_gen_ul(p, v); }
HEDDLE_D unsigned long atomicMax_block(unsigned long *p, unsigned long v) { return __nvvm_atom_max_gen_ul(p, v); }
HEDDLE_D unsigned long atomicMax_system(unsigned long *p, unsigned long v) { return __nvvm_atom_max_gen_ul(p, v); }
HEDDLE_D long long atomicMax(long long *p, long long v) { return __nvvm_atom_max_gen_ll(p, v); }
HEDDLE_D long long atomicMax_block(long long *p, long long v) { return __nvvm_atom_max_gen_ll(p, v); }
HEDDLE_D long long atomicMax_system(long long *p, long long v) { return __nvvm_atom_max_gen_ll(p, v); }
HEDDLE_D unsigned long long atomicMax(unsigned long long *p, unsigned long long v) { return __nvvm_atom_max_gen_ull(p, v); }
HEDDLE_D unsigned long long atomicMax_block(unsigned long long *p, unsigned long long v) { return __nvvm_atom_max_gen_ull(p, v); }
HEDDLE_D unsigned long long atomicMax_system(unsigned long long *p, unsigned long long v) { return __nvvm_atom_max_gen_ull(p, v); }
HEDDLE_D int atomicAnd(int *p, int v) { return (int)__nvvm_atom_and_gen_i((int *)p, (int)v); }
HEDDLE_D int atomicAnd_block(int *p, int v) { return (int)__nvvm_atom_and_gen_i((int *)p, (int)v); }
HEDDLE_D int atomicAnd_system(int *p, int v) { return (int)__nvvm_atom_and_gen_i((int *)p, (int)v); }
HEDDLE_D unsigned int atomicAnd(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_and_gen_i((int *)p, (int)v); }
HEDDLE_D unsigned int atomicAnd_block(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_and_gen_i((int *)p, (int)v); }
HEDDLE_D unsigned int atomicAnd_system(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_and_gen_i((int *)p, (int)v); }
HEDDLE_D long atomicAnd(long *p, long v) { return (long)__nvvm_atom_and_gen_l((long *)p, (long)v); }
HEDDLE_D long atomicAnd_block(long *p, long v) { return (long)__nvvm_atom_and_gen_l((long *)p, (long)v); }
HEDDLE_D long atomicAnd_system(long *p, long v) { return (long)__nvvm_atom_and_gen_l((long *)p, (long)v); }
HEDDLE_D unsigned long atomicAnd(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_and_gen_l((long *)p, (long)v); }
HEDDLE_D unsigned long atomicAnd_block(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_and_gen_l((long *)p, (long)v); }
HEDDLE_D unsigned long atomicAnd_system(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_and_gen_l((long *)p, (long)v); }
HEDDLE_D long long atomicAnd(long long *p, long long v) { return (long long)__nvvm_atom_and_gen_ll((long long *)p, (long long)v); }
HEDDLE_D long long atomicAnd_block(long long *p, long long v) { return (long long)__nvvm_atom_and_gen_ll((long long *)p, (long long)v); }
HEDDLE_D long long atomicAnd_system(long long *p, long long v) { return (long long)__nvvm_atom_and_gen_ll((long long *)p, (long long)v); }
HEDDLE_D unsigned long long atomicAnd(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_and_gen_ll((long long *)p, (long long)v); }
HEDDLE_D unsigned long long atomicAnd_block(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_and_gen_ll((long long *)p, (long long)v); }
HEDDLE_D unsigned long long atomicAnd_system(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_and_gen_ll((long long *)p, (long long)v); }
HEDDLE_D int atomicOr(int *p, int v) { return (int)__nvvm_atom_or_gen_i((int *)p, (int)v); }
HEDDLE_D int atomicOr_block(int *p, int v) { return (int)__nvvm_atom_or_gen_i((int *)p, (int)v); }
HEDDLE_D int atomicOr_system(int *p, int v) { return (int)__nvvm_atom_or_gen_i((int *)p, (int)v); }
HEDDLE_D unsigned int atomicOr(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_or_gen_i((int *)p, (int)v); }
HEDDLE_D unsigned int atomicOr_block(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_or_gen_i((int *)p, (int)v); }
HEDDLE_D unsigned int atomicOr_system(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_or_gen_i((int *)p, (int)v); }
HEDDLE_D long atomicOr(long *p, long v) { return (long)__nvvm_atom_or_gen_l((long *)p, (long)v); }
HEDDLE_D long atomicOr_block(long *p, long v) { return (long)__nvvm_atom_or_gen_l((long *)p, (long)v); }
HEDDLE_D long atomicOr_system(long *p, long v) { return (long)__nvvm_atom_or_gen_l((long *)p, (long)v); }
HEDDLE_D unsigned long atomicOr(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_or_gen_l((long *)p, (long)v); }
HEDDLE_D unsigned long atomicOr_block(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_or_gen_l((long *)p, (long)v); }
HEDDLE_D unsigned long atomicOr_system(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_or_gen_l((long *)p, (long)v); }
HEDDLE_D long long atomicOr(long long *p, long long v) { return (long long)__nvvm_atom_or_gen_ll((long long *)p, (long long)v); }
HEDDLE_D long long atomicOr_block(long long *p, long long v) { return (long long)__nvvm_atom_or_gen_ll((long long *)p, (long long)v); }
HEDDLE_D long long atomicOr_system(long long *p, long long v) { return (long long)__nvvm_atom_or_gen_ll((long long *)p, (long long)v); }
HEDDLE_D unsigned long long atomicOr(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_or_gen_ll((long long *)p, (long long)v); }
HEDDLE_D unsigned long long atomicOr_block(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_or_gen_ll((long long *)p, (long long)v); }
HEDDLE_D unsigned long long atomicOr_system(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_or_gen_ll((long long *)p, (long long)v); }
HEDDLE_D int atomicXor(int *p, int v) { return (int)__nvvm_atom_xor_gen_i((int *)p, (int)v); }
HEDDLE_D int atomicXor_block(int *p, int v) { return (int)__nvvm_atom_xor_gen_i((int *)p, (int)v); }
HEDDLE_D int atomicXor_system(int *p, int v) { return (int)__nvvm_atom_xor_gen_i((int *)p, (int)v); }
HEDDLE_D unsigned int atomicXor(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_xor_gen_i((int *)p, (int)v); }
HEDDLE_D unsigned int atomicXor_block(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_xor_gen_i((int *)p, (int)v); }
HEDDLE_D unsigned int atomicXor_system(unsigned int *p, unsigned int v) { return (unsigned int)__nvvm_atom_xor_gen_i((int *)p, (int)v); }
HEDDLE_D long atomicXor(long *p, long v) { return (long)__nvvm_atom_xor_gen_l((long *)p, (long)v); }
HEDDLE_D long atomicXor_block(long *p, long v) { return (long)__nvvm_atom_xor_gen_l((long *)p, (long)v); }
HEDDLE_D long atomicXor_system(long *p, long v) { return (long)__nvvm_atom_xor_gen_l((long *)p, (long)v); }
HEDDLE_D unsigned long atomicXor(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_xor_gen_l((long *)p, (long)v); }
HEDDLE_D unsigned long atomicXor_block(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_xor_gen_l((long *)p, (long)v); }
HEDDLE_D unsigned long atomicXor_system(unsigned long *p, unsigned long v) { return (unsigned long)__nvvm_atom_xor_gen_l((long *)p, (long)v); }
HEDDLE_D long long atomicXor(long long *p, long long v) { return (long long)__nvvm_atom_xor_gen_ll((long long *)p, (long long)v); }
HEDDLE_D long long atomicXor_block(long long *p, long long v) { return (long long)__nvvm_atom_xor_gen_ll((long long *)p, (long long)v); }
HEDDLE_D long long atomicXor_system(long long *p, long long v) { return (long long)__nvvm_atom_xor_gen_ll((long long *)p, (long long)v); }
HEDDLE_D unsigned long long atomicXor(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_xor_gen_ll((long long *)p, (long long)v); }
HEDDLE_D unsigned long long atomicXor_block(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_xor_gen_ll((long long *)p, (long long)v); }
HEDDLE_D unsigned long long atomicXor_system(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_xor_gen_ll((long long *)p, (long long)v); }
HEDDLE_D unsigned int atomicInc(unsigned int *p, unsigned int v) { return __nvvm_atom_inc_gen_ui(p, v); }
HEDDLE_D unsigned int atomicInc_block(unsigned int *p, unsigned int v) { return __nvvm_atom_inc_gen_ui(p, v); }
HEDDLE_D unsigned int atomicInc_system(unsigned int *p, unsigned int v) { return __nvvm_atom_inc_gen_ui(p, v); }
HEDDLE_D unsigned int atomicDec(unsigned int *p, unsigned int v) { return __nvvm_atom_dec_gen_ui(p, v); }
HEDDLE_D unsigned int atomicDec_block(unsigned int *p, unsigned int v) { return __nvvm_atom_dec_gen_ui(p, v); }
HEDDLE_D unsigned int atomicDec_system(unsigned int *p, unsigned int v) { return __nvvm_atom_dec_gen_ui(p, v); }
HEDDLE_D int atomicCAS(int *p, int compare, int v) { return (int)__nvvm_atom_cas_gen_i((int *)p, (int)compare, (int)v); }
HEDDLE_D int atomicCAS_block(int *p, int compare, int v) { return (int)__nvvm_atom_cas_gen_i((int *)p, (int)compare, (int)v); }
HEDDLE_D int atomicCAS_system(int *p, int compare, int v) { return (int)__nvvm_atom_cas_gen_i((int *)p, (int)compare, (int)v); }
HEDDLE_D unsigned int atomicCAS(unsigned int *p, unsigned int compare, unsigned int v) { return (unsigned int)__nvvm_atom_cas_gen_i((int *)p, (int)compare, (int)v); }
HEDDLE_D unsigned int atomicCAS_block(unsigned int *p, unsigned int compare, unsigned int v) { return (unsigned int)__nvvm_atom_cas_gen_i((int *)p, (int)compare, (int)v); }
HEDDLE_D unsigned int atomicCAS_system(unsigned int *p, unsigned int compare, unsigned int v) { return (unsigned int)__nvvm_atom_cas_gen_i((int *)p, (int)compare, (int)v); }
HEDDLE_D long atomicCAS(long *p, long compare, long v) { return (long)__nvvm_atom_cas_gen_l((long *)p, (long)compare, (long)v); }
HEDDLE_D long atomicCAS_block(long *p, long compare, long v) { return (long)__nvvm_atom_cas_gen_l((long *)p, (long)compare, (long)v); }
HEDDLE_D long atomicCAS_system(long *p, long compare, long v) { return (long)__nvvm_atom_cas_gen_l((long *)p, (long)compare, (long)v); }
HEDDLE_D unsigned long atomicCAS(unsigned long *p, unsigned long compare, unsigned long v) { return (unsigned long)__nvvm_atom_cas_gen_l((long *)p, (long)compare, (long)v); }
HEDDLE_D unsigned long atomicCAS_block(unsigned long *p, unsigned long compare, unsigned long v) { return (unsigned long)__nvvm_atom_cas_gen_l((long *)p, (long)compare, (long)v); }
HEDDLE_D unsigned long atomicCAS_system(unsigned long *p, unsigned long compare, unsigned long v) { return (unsigned long)__nvvm_atom_cas_gen_l((long *)p, (long)compare, (long)v); }
HEDDLE_D long long atomicCAS(long long *p, long long compare, long long v) { return (long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)compare, (long long)v); }
HEDDLE_D long long atomicCAS_block(long long *p, long long compare, long long v) { return (long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)compare, (long long)v); }
HEDDLE_D long long atomicCAS_system(long long *p, long long compare, long long v) { return (long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)compare, (long long)v); }
HEDDLE_D unsigned long long atomicCAS(unsigned long long *p, unsigned long long compare, unsigned long long v) { return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)compare, (long long)v); }
HEDDLE_D unsigned long long atomicCAS_block(unsigned long long *p, unsigned long long compare, unsigned long long v) { return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)compare, (long long)v); }
HEDDLE_D unsigned long long atomicCAS_system(unsigned long long *p, unsigned long long compare, unsigned long long v) { return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)compare, (long long)v); }
HEDDLE_D unsigned short atomicCAS(unsigned short *p, unsigned short compare, unsigned short v) { return __nvvm_atom_cas_gen_us(p, compare, v); }
HEDDLE_D unsigned short atomicCAS_block(unsigned short *p, unsigned short compare, unsigned short v) { return __nvvm_atom_cas_gen_us(p, compare, v); }
HEDDLE_D unsigned short atomicCAS_system(unsigned short *p, unsigned short compare, unsigned short v) { return __nvvm_atom_cas_gen_us(p, compare, v); }
HEDDLE_D float atomicCAS(float *p, float compare, float v) { return __int_as_float(__nvvm_atom_cas_gen_i((int *)p, __float_as_int(compare), __float_as_int(v))); }
HEDDLE_D float atomicCAS_block(float *p, float compare, float v) { return __int_as_float(__nvvm_atom_cas_gen_i((int *)p, __float_as_int(compare), __float_as_int(v))); }
HEDDLE_D float atomicCAS_system(float *p, float compare, float v) { return __int_as_float(__nvvm_atom_cas_gen_i((int *)p, __float_as_int(compare), __float_as_int(v))); }
HEDDLE_D double atomicCAS(double *p, double compare, double v) { return __longlong_as_double(__nvvm_atom_cas_gen_ll((long long *)p, __double_as_longlong(compare), __double_as_longlong(v))); }
HEDDLE_D double atomicCAS_block(double *p, double compare, double v) { return __longlong_as_double(__nvvm_atom_cas_gen_ll((long long *)p, __double_as_longlong(compare), __double_as_longlong(v))); }
HEDDLE_D double atomicCAS_system(double *p, double compare, double v) { return __longlong_as_double(__nvvm_atom_cas_gen_ll((long long *)p, __double_as_longlong(compare), __double_as_longlong(v))); }

// Two and four floats: each component is atomic, the vector is not (as the guide says).
HEDDLE_D float2 atomicAdd(float2 *p, float2 v) { return make_float2(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)); }
HEDDLE_D float4 atomicAdd(float4 *p, float4 v) { return make_float4(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y), atomicAdd(&p->z, v.z), atomicAdd(&p->w, v.w)); }

#undef HEDDLE_D
