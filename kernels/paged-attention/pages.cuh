// Keys and values lie in pages of PAGE tokens: page x PAGE x kvHeads x SIZE elements. A sequence's row of the table
// names its pages in order.
#pragma once
#include <cuda_bf16.h>
#define SIZE 128
#define PAGE 16

// Where the key or value of a token begins.
__device__ __forceinline__ size_t rowOf(const int *table, int key, int kvHead, int kvHeads) {
  return (((size_t)table[key / PAGE] * PAGE + key % PAGE) * kvHeads + kvHead) * SIZE;
}
