// The words that CUDA C++ adds to C++ (CUDA C++ Programming Guide, "C++ Language Extensions"), for Clang.
#pragma once
#define __HOST_DEFINES_H__ // public code asks for it

#define __no_return__ __attribute__((noreturn))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__
#define __align__(n) __attribute__((aligned(n)))
#define __maxnreg__(n)
#define __thread__ __thread
#define __import__
#define __export__
#define __cdecl
#define __annotate__(a)
#define __location__(a) __attribute__((a))
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// A managed variable is a device variable whose host twin lies in a section of its own: the runtime keeps the two
// alike.
#define __managed__ __attribute__((device)) __attribute__((section("heddle_managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
// Whatever the architecture that the program is compiled for: without its clusters a kernel computes something else,
// and a device that has none says so at the launch. Clang knows the word for another maker's GPUs only
// (src/ir/passes/pass-annotations.ts).
#ifdef __CUDA_ARCH__
#define __cluster_dims__(...) __attribute__((annotate("heddle.cluster_dim", __VA_ARGS__)))
#else
#define __cluster_dims__(...)
#endif
#define __block_size__(...)
#else
#define __host__
#define __device__
#define __launch_bounds__(...)
#define __grid_constant__
#endif

#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __builtin_align__(n) __align__(n)
#define __CUDA_DEPRECATED
#define __specialization_static static
#if !defined(__restrict__)
#define __restrict__ __restrict
#endif
#ifdef __cplusplus
#define __dv(value) = value
#else
#define __dv(value)
#endif
