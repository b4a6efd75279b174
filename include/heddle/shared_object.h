// An object in shared memory that nobody constructs or destroys, as nvcc leaves it: a union runs neither for its
// members (src/frontend/clang/shared-objects.ts).
#pragma once
template <typename T>
union __heddle_shared {
  T object;
  __device__ __heddle_shared() {}
  __device__ ~__heddle_shared() {}
};
