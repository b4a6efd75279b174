// Atomic functions with memory order and scope (CUDA C++ Programming Guide, "__nv_atomic_load()" and what follows it).
#pragma once

#include "thread_scope.h"

#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST

#define HEDDLE_ATOMIC template <typename T> static inline __device__ __attribute__((always_inline))
#define HEDDLE_SCOPE int scope = __NV_THREAD_SCOPE_SYSTEM
#define HEDDLE_AT ((HEDDLE_VALUE *)__heddle_thread_scope(p, scope))

/// T without deduction, so that a literal is converted to what the pointer points to.
template <typename T> struct __heddle_atomic_value { typedef T type; };
template <typename T> struct __heddle_atomic_value<const T> { typedef T type; };
template <typename T> struct __heddle_atomic_value<volatile T> { typedef T type; };
#define HEDDLE_VALUE typename __heddle_atomic_value<T>::type

HEDDLE_ATOMIC void __nv_atomic_load(T* p, HEDDLE_VALUE* result, int order, HEDDLE_SCOPE) {
  __atomic_load(HEDDLE_AT, result, order);
}
HEDDLE_ATOMIC HEDDLE_VALUE __nv_atomic_load_n(T* p, int order, HEDDLE_SCOPE) {
  return __atomic_load_n(HEDDLE_AT, order);
}
HEDDLE_ATOMIC void __nv_atomic_store(T* p, HEDDLE_VALUE* value, int order, HEDDLE_SCOPE) {
  __atomic_store(HEDDLE_AT, value, order);
}
HEDDLE_ATOMIC void __nv_atomic_store_n(T* p, HEDDLE_VALUE value, int order, HEDDLE_SCOPE) {
  __atomic_store_n(HEDDLE_AT, value, order);
}
HEDDLE_ATOMIC void __nv_atomic_exchange(T* p, HEDDLE_VALUE* value, HEDDLE_VALUE* result, int order, HEDDLE_SCOPE) {
  __atomic_exchange(HEDDLE_AT, value, result, order);
}
HEDDLE_ATOMIC HEDDLE_VALUE __nv_atomic_exchange_n(T* p, HEDDLE_VALUE value, int order, HEDDLE_SCOPE) {
  return __atomic_exchange_n(HEDDLE_AT, value, order);
}
HEDDLE_ATOMIC bool __nv_atomic_compare_exchange(T* p, HEDDLE_VALUE* expected, HEDDLE_VALUE* desired, bool weak,
                                                int success, int failure, HEDDLE_SCOPE) {
  return __atomic_compare_exchange(HEDDLE_AT, expected, desired, weak, success, failure);
}
HEDDLE_ATOMIC bool __nv_atomic_compare_exchange_n(T* p, HEDDLE_VALUE* expected, HEDDLE_VALUE desired, bool weak,
                                                  int success, int failure, HEDDLE_SCOPE) {
  return __atomic_compare_exchange_n(HEDDLE_AT, expected, desired, weak, success, failure);
}
#define HEDDLE_FETCH(OP)                                                                                 \
  HEDDLE_ATOMIC HEDDLE_VALUE __nv_atomic_fetch_##OP(T* p, HEDDLE_VALUE value, int order, HEDDLE_SCOPE) { \
    return __atomic_fetch_##OP(HEDDLE_AT, value, order);                                                 \
  }                                                                                                      \
  HEDDLE_ATOMIC void __nv_atomic_##OP(T* p, HEDDLE_VALUE value, int order, HEDDLE_SCOPE) {               \
    (void)__atomic_fetch_##OP(HEDDLE_AT, value, order);                                                  \
  }
HEDDLE_FETCH(add)
HEDDLE_FETCH(sub)
HEDDLE_FETCH(and)
HEDDLE_FETCH(or)
HEDDLE_FETCH(xor)
HEDDLE_FETCH(min)
HEDDLE_FETCH(max)
#undef HEDDLE_FETCH
#undef HEDDLE_VALUE
#undef HEDDLE_AT
#undef HEDDLE_SCOPE
#undef HEDDLE_ATOMIC
