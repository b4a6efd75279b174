// What the versions share: STATE numbers h for each channel, h = exp(step a) h + step b u, and y = sum(c h) + d u,
// times the gate z sigmoid(z). The step is softplus(delta + bias). (A. Gu, T. Dao, "Mamba: Linear-Time Sequence
// Modeling with Selective State Spaces", 2023.)
#pragma once
#include <cuda_bf16.h>
#define STATE 16
#define LOG2E 1.4426950408889634f

// log(1 + exp(x)); above 20 it is x.
__device__ __forceinline__ float stepOf(float x) { return x <= 20 ? log1pf(expf(x)) : x; }
__device__ __forceinline__ float gated(float y, float z) { return y * z / (1 + expf(-z)); }
