// What versions 2 and 3 share: rows of A are sorted by group, and `ends` says where each group's rows end. A tile has
// rows of one group only. The tiles of all groups are numbered, one group after the other.
#pragma once
#include "../matmul-bf16/hopper.cuh"

// Where a tile lies; numbers only go up, so the walk never turns back.
struct Walk {
  const int *ends;
  int groups, across, group, first, count, begin, bottom;
  __device__ __forceinline__ Walk(const int *ends, int groups, int across)
      : ends(ends), groups(groups), across(across), group(-1), first(0), count(0), begin(0), bottom(0) {}
  __device__ __forceinline__ bool find(int tile) {
    while (tile >= first + count) {
      if (++group >= groups) return false;
      first += count;
      begin = bottom;
      bottom = ends[group];
      count = (bottom - begin + TILE_M - 1) / TILE_M * across;
    }
    return true;
  }
  // GROUP rows of tiles at a time, so that what runs together shares A and B in L2.
  __device__ __forceinline__ int rowOf(int tile) const {
    int at = tile - first, band = at / (GROUP * across), rest = at % (GROUP * across);
    return begin + (band * GROUP + rest % highOf(band)) * TILE_M;
  }
  __device__ __forceinline__ int columnOf(int tile) const {
    int at = tile - first, band = at / (GROUP * across), rest = at % (GROUP * across);
    return rest / highOf(band) * TILE_N;
  }
  __device__ __forceinline__ int highOf(int band) const { return min(GROUP, count / across - band * GROUP); }
};
