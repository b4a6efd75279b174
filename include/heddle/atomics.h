// Atomic functions (CUDA C++ Programming Guide, "Atomic Functions"). They are relaxed, and yet the compiler must move
// nothing across them: volatile and sequentially consistent here, relaxed when the compiler is done
// (src/ir/passes/pass-cuda-atomics.ts). float16 and bfloat16 live in their own headers.
#pragma once

#include "thread_scope.h"

#define HEDDLE_D static inline __device__ __attribute__((always_inline))
#define HEDDLE_AT(T, SCOPE) ((volatile T *)__heddle_thread_scope(p, __NV_THREAD_SCOPE_##SCOPE))

// The three scopes of a function; BODY(T, pointer) computes it.
#define HEDDLE_SCOPES(NAME, T, BODY)                                       \
  HEDDLE_D T NAME(T *p, T v) { BODY(T, (volatile T *)p) }                  \
  HEDDLE_D T NAME##_block(T *p, T v) { BODY(T, HEDDLE_AT(T, BLOCK)) }      \
  HEDDLE_D T NAME##_system(T *p, T v) { BODY(T, HEDDLE_AT(T, SYSTEM)) }
#define HEDDLE_INTEGERS(NAME, BODY)           \
  HEDDLE_SCOPES(NAME, int, BODY)              \
  HEDDLE_SCOPES(NAME, unsigned int, BODY)     \
  HEDDLE_SCOPES(NAME, long, BODY)             \
  HEDDLE_SCOPES(NAME, unsigned long, BODY)    \
  HEDDLE_SCOPES(NAME, long long, BODY)        \
  HEDDLE_SCOPES(NAME, unsigned long long, BODY)
#define HEDDLE_FLOATS(NAME, BODY)    \
  HEDDLE_SCOPES(NAME, float, BODY)   \
  HEDDLE_SCOPES(NAME, double, BODY)

#define HEDDLE_ADD(T, P) return __atomic_fetch_add(P, v, __ATOMIC_SEQ_CST);
#define HEDDLE_SUB(T, P) return __atomic_fetch_sub(P, v, __ATOMIC_SEQ_CST);
#define HEDDLE_MIN(T, P) return __atomic_fetch_min(P, v, __ATOMIC_SEQ_CST);
#define HEDDLE_MAX(T, P) return __atomic_fetch_max(P, v, __ATOMIC_SEQ_CST);
#define HEDDLE_AND(T, P) return __atomic_fetch_and(P, v, __ATOMIC_SEQ_CST);
#define HEDDLE_OR(T, P) return __atomic_fetch_or(P, v, __ATOMIC_SEQ_CST);
#define HEDDLE_XOR(T, P) return __atomic_fetch_xor(P, v, __ATOMIC_SEQ_CST);
#define HEDDLE_INC(T, P) return __nvvm_atom_inc_gen_ui((T *)(P), v);
#define HEDDLE_DEC(T, P) return __nvvm_atom_dec_gen_ui((T *)(P), v);
#define HEDDLE_EXCH(T, P) \
  T old;                  \
  __atomic_exchange(P, &v, &old, __ATOMIC_SEQ_CST); \
  return old;

HEDDLE_INTEGERS(atomicAdd, HEDDLE_ADD)
HEDDLE_FLOATS(atomicAdd, HEDDLE_ADD)
HEDDLE_INTEGERS(atomicSub, HEDDLE_SUB)
HEDDLE_INTEGERS(atomicExch, HEDDLE_EXCH)
HEDDLE_FLOATS(atomicExch, HEDDLE_EXCH)
HEDDLE_INTEGERS(atomicMin, HEDDLE_MIN)
HEDDLE_INTEGERS(atomicMax, HEDDLE_MAX)
HEDDLE_INTEGERS(atomicAnd, HEDDLE_AND)
HEDDLE_INTEGERS(atomicOr, HEDDLE_OR)
HEDDLE_INTEGERS(atomicXor, HEDDLE_XOR)
HEDDLE_SCOPES(atomicInc, unsigned int, HEDDLE_INC)
HEDDLE_SCOPES(atomicDec, unsigned int, HEDDLE_DEC)

// What lies at P where nothing was exchanged, and `compare` where it was: the old value in both cases.
// __atomic_compare_exchange compares bits.
#define HEDDLE_CAS_AT(NAME, T, P)                                                                                 \
  HEDDLE_D T NAME(T *p, T compare, T v) {                                                                         \
    __atomic_compare_exchange(P, &compare, &v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                        \
    return compare;                                                                                               \
  }
#define HEDDLE_CAS(T)                                        \
  HEDDLE_CAS_AT(atomicCAS, T, (volatile T *)p)               \
  HEDDLE_CAS_AT(atomicCAS_block, T, HEDDLE_AT(T, BLOCK))     \
  HEDDLE_CAS_AT(atomicCAS_system, T, HEDDLE_AT(T, SYSTEM))
HEDDLE_CAS(int)
HEDDLE_CAS(unsigned int)
HEDDLE_CAS(long)
HEDDLE_CAS(unsigned long)
HEDDLE_CAS(long long)
HEDDLE_CAS(unsigned long long)
HEDDLE_CAS(unsigned short)
HEDDLE_CAS(float)
HEDDLE_CAS(double)

// Two and four floats: each component is atomic, the vector is not (as the guide says). The builtin sees that the first
// component has the vector's alignment, which a call of atomicAdd would hide.
#define HEDDLE_PART(MEMBER) __atomic_fetch_add((volatile float *)&p->MEMBER, v.MEMBER, __ATOMIC_SEQ_CST)
HEDDLE_D float2 atomicAdd(float2 *p, float2 v) {
  float2 old;
  old.x = HEDDLE_PART(x);
  old.y = HEDDLE_PART(y);
  return old;
}
HEDDLE_D float4 atomicAdd(float4 *p, float4 v) {
  float4 old;
  old.x = HEDDLE_PART(x);
  old.y = HEDDLE_PART(y);
  old.z = HEDDLE_PART(z);
  old.w = HEDDLE_PART(w);
  return old;
}

#undef HEDDLE_PART
#undef HEDDLE_CAS
#undef HEDDLE_CAS_AT
#undef HEDDLE_EXCH
#undef HEDDLE_DEC
#undef HEDDLE_INC
#undef HEDDLE_XOR
#undef HEDDLE_OR
#undef HEDDLE_AND
#undef HEDDLE_MAX
#undef HEDDLE_MIN
#undef HEDDLE_SUB
#undef HEDDLE_ADD
#undef HEDDLE_FLOATS
#undef HEDDLE_INTEGERS
#undef HEDDLE_SCOPES
#undef HEDDLE_AT
#undef HEDDLE_D
