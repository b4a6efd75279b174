// The hardware's power of 2 (PTX ISA 8.5, 9.7.3.20): within 2 units in the last place.
#pragma once

__device__ __forceinline__ float exp2Of(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
