// The CUDA runtime for C and C++: included by every translation unit of a CUDA program, by name or not.
#pragma once
#define __CUDA_RUNTIME_H__ // public code asks for it

#if defined(__CUDA__)
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define __CUDACC_VER_BUILD__ 131
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
// nvcc puts a type of its own in place of an extended lambda's in host code, and has these words to find it by. Clang
// keeps the closure type: its call has the same type on both sides, and no lambda is an extended one in that sense.
#define __nv_is_extended_device_lambda_closure_type(type) false
#define __nv_is_extended_host_device_lambda_closure_type(type) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(type) false
#endif
#ifndef CUDA_VERSION
#define CUDA_VERSION 12040
#endif
#define __HEDDLE__ 1

#include "host_defines.h"
#include "vector_types.h"
#include "vector_functions.h"
#if defined(__CUDA__)
#include "heddle/device_core.h"
#endif
#include "cuda_runtime_api.h"
#ifdef __cplusplus
#include "heddle/host_math.h"
#include "heddle/runtime_templates.h"
#endif
#if defined(__CUDA__)
#include "heddle/device_runtime.h"
#include "heddle/textures.h"
#endif
#include "heddle/posix_extras.h"
