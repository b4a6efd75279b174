/*
 * What inline PTX needs beyond one instruction of IR: mbarriers (also the ground of cuda::barrier), copies filled with
 * zeros, conversions.
 *
 * An mbarrier is 64 bits (PTX ISA 8.5, 9.7.12.15, whose layout is its own business): bit 63 the phase, bits 40–59 the
 * arrivals that a phase expects, bits 20–39 those still missing, bits 0–19 the bytes of transactions still to come
 * (modulo 2^20).
 */
#include "prelude.h"

INLINE u64 expected_of(u64 state) { return (state >> 40) & 0xfffffu; }
INLINE u64 pending_of(u64 state) { return (state >> 20) & 0xfffffu; }
INLINE u64 bytes_of(u64 state) { return state & 0xfffffu; }
INLINE u64 make_state(u64 phase, u64 expected, u64 pending, u64 bytes) {
  return phase << 63 | (expected & 0xfffffu) << 40 | (pending & 0xfffffu) << 20 | (bytes & 0xfffffu);
}
/* A phase without missing arrivals and bytes is complete: the next one begins. */
INLINE u64 settle(u64 state) {
  if (pending_of(state) != 0 || bytes_of(state) != 0) return state;
  return make_state((state >> 63) ^ 1, expected_of(state), expected_of(state), 0);
}
INLINE u64 load_state(u64 *barrier) { return __atomic_load_n(barrier, __ATOMIC_ACQUIRE); }
INLINE bool exchange(u64* barrier, u64* old, u64 desired) {
  return __atomic_compare_exchange_n(barrier, old, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

DEVICE_FN void __heddle_mbarrier_init(u64* barrier, u32 count) {
  __atomic_store_n(barrier, make_state(0, count, count, 0), __ATOMIC_RELEASE);
}
DEVICE_FN u64 __heddle_mbarrier_arrive(u64 *barrier, u32 count) {
  u64 old = load_state(barrier);
  while (!exchange(barrier, &old,
                   settle(make_state(old >> 63, expected_of(old), pending_of(old) - count, bytes_of(old))))) {}
  return old;
}
DEVICE_FN u64 __heddle_mbarrier_arrive_drop(u64 *barrier, u32 count) {
  u64 old = load_state(barrier);
  while (!exchange(barrier, &old,
                   settle(make_state(old >> 63, expected_of(old) - count, pending_of(old) - count, bytes_of(old))))) {}
  return old;
}
DEVICE_FN void __heddle_mbarrier_expect_tx(u64 *barrier, u32 bytes) {
  u64 old = load_state(barrier);
  while (!exchange(barrier, &old, make_state(old >> 63, expected_of(old), pending_of(old), bytes_of(old) + bytes))) {
  }
}
DEVICE_FN void __heddle_mbarrier_complete_tx(u64 *barrier, u32 bytes) {
  u64 old = load_state(barrier);
  while (!exchange(barrier, &old,
                   settle(make_state(old >> 63, expected_of(old), pending_of(old), bytes_of(old) - bytes)))) {}
}
/* Whether the phase that `state` was taken in is over; whether the phase of a parity is. */
DEVICE_FN u32 __heddle_mbarrier_test(u64 *barrier, u64 state) { return (load_state(barrier) ^ state) >> 63 != 0; }
DEVICE_FN u32 __heddle_mbarrier_test_parity(u64* barrier, u32 parity) {
  return load_state(barrier) >> 63 != (parity & 1);
}
DEVICE_FN u32 __heddle_mbarrier_pending_count(u64 state) { return (u32)pending_of(state); }

/* cp.async with a source size: `size` bytes are written, those past `available` are zeros and are not read. */
DEVICE_FN void __heddle_copy_zero_fill(u8 *to, const u8 *from, u32 size, u32 available) {
  for (u32 i = 0; i < size; i += 4) {
    u32 word = 0;
    if (i + 4 <= available) word = *(const u32 *)(from + i);
    else
      for (u32 j = i; j < available; ++j) word |= (u32)from[j] << (8 * (j - i));
    *(u32 *)(to + i) = word;
  }
}

/* float to half, rounded toward zero. */
DEVICE_FN u16 __heddle_float_to_half_rz(float x) {
  const _Float16 nearest = (_Float16)x;
  const u16 bits = __builtin_bit_cast(u16, nearest);
  /* One step back where rounding went away from zero; an infinite result of a finite value becomes the largest one. */
  const bool away = fabs_((float)nearest) > fabs_(x);
  return away ? (u16)(bits - 1) : bits;
}

/* cvt.rn.satfinite to e4m3 (or e5m2): a finite value beyond the largest becomes that one, NaN is 0x7f. */
static __attribute__((device)) u32 fp8_of(float x, u32 isE5m2) {
  const u32 bits = __builtin_bit_cast(u32, x), sign = (bits >> 24) & 0x80u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7f;
  const u32 mantissa = isE5m2 ? 2 : 3, bias = isE5m2 ? 15 : 7, drop = 23 - mantissa;
  if ((int)(magnitude >> 23) - 127 < 1 - (int)bias) {
    /* A multiple of the smallest value, 2^(1 - bias - mantissa). */
    const float scaled = __builtin_bit_cast(float, magnitude) * (isE5m2 ? 0x1p16f : 0x1p9f);
    return sign | (u32)__builtin_rintf(scaled);
  }
  const u32 rounded = (magnitude + ((1u << (drop - 1)) - 1) + ((magnitude >> drop) & 1u)) >> drop;
  const u32 rebased = rounded - ((127 - bias) << mantissa), largest = isE5m2 ? 0x7b : 0x7e;
  return sign | (rebased > largest ? largest : rebased);
}
DEVICE_FN u32 __heddle_fp8_pair(float high, float low, u32 isE5m2) {
  return fp8_of(high, isE5m2) << 8 | fp8_of(low, isE5m2);
}
/* The bits of a half with the value of e4m3 or e5m2; halves have all of these values. */
static __attribute__((device)) u32 half_of_fp8(u32 x, u32 isE5m2) {
  if (isE5m2) return (x & 0x7f) > 0x7c ? 0x7fff : x << 8;
  const u32 sign = (x & 0x80u) << 8, magnitude = x & 0x7fu;
  if (magnitude == 0x7f) return 0x7fff;
  if (magnitude >= 8) return sign | ((magnitude << 7) + (8u << 10));
  return sign | __builtin_bit_cast(u16, (_Float16)((float)magnitude * 0x1p-9f));
}
DEVICE_FN u32 __heddle_halves_of_fp8(u32 pair, u32 isE5m2) {
  return half_of_fp8((pair >> 8) & 0xff, isE5m2) << 16 | half_of_fp8(pair & 0xff, isE5m2);
}
