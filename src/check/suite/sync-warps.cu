// Pairs of kernels for synccheck: operations of the lanes of a warp. Launches and marks as in memory.cu.

#include <cooperative_groups.h>

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<1, 32>>> 32: half of a warp shuffles under the mask of all, the other half is done
PAIR(half_shuffle_wrong) ARGS {
  int value = in[threadIdx.x];
  if (threadIdx.x < 16) {
    value += __shfl_xor_sync(0xffffffff, value, 8); // ! mask-mismatch
    out[threadIdx.x] = value;
  }
}
PAIR(half_shuffle_right) ARGS {
  int value = in[threadIdx.x];
  if (threadIdx.x < 16) {
    value += __shfl_xor_sync(0x0000ffff, value, 8);
    out[threadIdx.x] = value;
  }
}

// <<<1, 32>>> 32: half of a warp votes under the mask of all, the other half waits for the block
PAIR(half_vote_wrong) ARGS {
  int value = in[threadIdx.x];
  if (threadIdx.x < 16) value = __ballot_sync(0xffffffff, value & 1); // ! mask-mismatch
  __syncthreads();
  out[threadIdx.x] = value;
}
PAIR(half_vote_right) ARGS {
  int value = in[threadIdx.x];
  if (threadIdx.x < 16) value = __ballot_sync(0x0000ffff, value & 1);
  __syncthreads();
  out[threadIdx.x] = value;
}

// <<<1, 32>>> 32: the mask names the other half
PAIR(other_half_wrong) ARGS {
  int lane = threadIdx.x;
  if (lane < 16) out[lane] = __any_sync(0xffff0000, in[lane] > 3); // ! caller-not-in-mask
}
PAIR(other_half_right) ARGS {
  int lane = threadIdx.x;
  if (lane < 16) out[lane] = __any_sync(0x0000ffff, in[lane] > 3);
}

// <<<1, 32>>> 32: all lanes call with the mask of some
PAIR(mask_of_some_wrong) ARGS {
  unsigned mask = __ballot_sync(0xffffffff, in[threadIdx.x] % 3 == 0);
  out[threadIdx.x] = __all_sync(mask, in[threadIdx.x] < 40); // ! caller-not-in-mask
}
PAIR(mask_of_some_right) ARGS {
  unsigned mask = __ballot_sync(0xffffffff, in[threadIdx.x] % 3 == 0);
  if (in[threadIdx.x] % 3 == 0) out[threadIdx.x] = __all_sync(mask, in[threadIdx.x] < 40);
}

// <<<1, 32>>> 32: lanes that come together name the lanes below them
PAIR(masks_differ_wrong) ARGS {
  unsigned lane = threadIdx.x;
  unsigned mask = lane < 16 ? 0xffffffff : 0xffff0000;
  out[lane] = __ballot_sync(mask, in[lane] & 1); // ! mask-mismatch
}
PAIR(masks_differ_right) ARGS {
  unsigned lane = threadIdx.x;
  unsigned mask = lane < 16 ? 0x0000ffff : 0xffff0000;
  out[lane] = __ballot_sync(mask, in[lane] & 1);
}

// <<<1, 32>>> 32: each side of a branch names its own lanes, one of them one too many
PAIR(sides_overlap_wrong) ARGS {
  int lane = threadIdx.x, value = in[lane];
  if (lane < 16) value += __reduce_add_sync(0x0001ffff, value); // ! mask-mismatch
  else value -= __reduce_add_sync(0xffff0000, value);
  out[lane] = value;
}
PAIR(sides_overlap_right) ARGS {
  int lane = threadIdx.x, value = in[lane];
  if (lane < 16) value += __reduce_add_sync(0x0000ffff, value);
  else value -= __reduce_add_sync(0xffff0000, value);
  out[lane] = value;
}

// <<<1, 48>>> 48: a sum over a warp that has 16 threads only
PAIR(short_warp_wrong) ARGS {
  int value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffff, value, offset); // ! inactive-lane
  if (threadIdx.x % 32 == 0) out[threadIdx.x] = value;
}
PAIR(short_warp_right) ARGS {
  int value = in[threadIdx.x];
  int lanes = threadIdx.x < 32 ? 32 : 16;
  for (int offset = 16; offset > 0; offset /= 2) {
    int other = __shfl_down_sync(0xffffffff, value, offset);
    if (threadIdx.x % 32 + offset < lanes) value += other;
  }
  if (threadIdx.x % 32 == 0) out[threadIdx.x] = value;
}

// <<<1, 32>>> 32: a sum over 24 lanes as if they were a power of two
PAIR(odd_sum_wrong) ARGS {
  if (threadIdx.x >= 24) return;
  int value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0x00ffffff, value, offset); // ! inactive-lane
  if (threadIdx.x == 0) out[0] = value;
}
PAIR(odd_sum_right) ARGS {
  int value = threadIdx.x < 24 ? in[threadIdx.x] : 0;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
  if (threadIdx.x == 0) out[0] = value;
}

// <<<1, 32>>> 32: the first lane is asked, and takes no part
PAIR(broadcast_wrong) ARGS {
  int lane = threadIdx.x;
  unsigned mask = 0xfffffffe;
  if (lane > 0) out[lane] = __shfl_sync(mask, in[lane], 0); // ! inactive-lane
}
PAIR(broadcast_right) ARGS {
  int lane = threadIdx.x;
  unsigned mask = 0xfffffffe;
  if (lane > 0) out[lane] = __shfl_sync(mask, in[lane], 1);
}

// <<<1, 32>>> 32: a scan in which lanes without a neighbour use what they get
PAIR(scan_wrong) ARGS {
  int lane = threadIdx.x;
  if (lane < 4) return;
  int value = in[lane];
  int left = __shfl_up_sync(0xfffffff0, value, 1); // ! inactive-lane
  out[lane] = value + left;
}
PAIR(scan_right) ARGS {
  int lane = threadIdx.x;
  if (lane < 4) return;
  int value = in[lane];
  int left = __shfl_up_sync(0xfffffff0, value, 1);
  out[lane] = lane > 4 ? value + left : value;
}

// <<<1, 16>>> 16: a sum over half a warp, of which only the first lane's matters
PAIR(half_sum_wrong) ARGS {
  int value = in[threadIdx.x];
  for (int offset = 8; offset > 0; offset /= 2)
    value += __shfl_down_sync(0x0000ffff, value, offset); // ! inactive-lane
  out[threadIdx.x] = value;
}
PAIR(half_sum_right) ARGS {
  int value = in[threadIdx.x];
  for (int offset = 8; offset > 0; offset /= 2) value += __shfl_down_sync(0x0000ffff, value, offset);
  if (threadIdx.x == 0) out[0] = value;
}

// <<<1, 32>>> 32: __syncwarp() in a branch
PAIR(syncwarp_wrong) ARGS {
  __shared__ int tile[32];
  int lane = threadIdx.x;
  if (lane < 8) {
    tile[lane] = in[lane];
    __syncwarp(); // ! mask-mismatch
    out[lane] = tile[7 - lane];
  }
}
PAIR(syncwarp_right) ARGS {
  __shared__ int tile[32];
  int lane = threadIdx.x;
  if (lane < 8) {
    tile[lane] = in[lane];
    __syncwarp(0xff);
    out[lane] = tile[7 - lane];
  }
}

// <<<1, 32>>> 32: a tile of 16 synchronised by 12 of its threads
PAIR(tile_sync_wrong) ARGS {
  auto tile = cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block());
  if (tile.thread_rank() < 12) {
    out[threadIdx.x] = in[threadIdx.x];
    tile.sync(); // ! mask-mismatch
  }
}
PAIR(tile_sync_right) ARGS {
  auto tile = cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block());
  if (tile.thread_rank() < 12) out[threadIdx.x] = in[threadIdx.x];
  tile.sync();
}

// <<<1, 32>>> 32: a tile sums in a branch
PAIR(tile_shuffle_wrong) ARGS {
  auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  int value = in[threadIdx.x];
  if (value % 8 < 6) {
    for (int i = 4; i > 0; i /= 2)
      value += tile.shfl_xor(value, i); // ! mask-mismatch
    out[threadIdx.x] = value;
  }
}
PAIR(tile_shuffle_right) ARGS {
  auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  int value = in[threadIdx.x];
  if (value % 8 >= 6) value = 0;
  for (int i = 4; i > 0; i /= 2) value += tile.shfl_xor(value, i);
  out[threadIdx.x] = value;
}

// <<<1, 32>>> 32: a group of those that are here, used after some have gone
PAIR(coalesced_wrong) ARGS {
  int lane = threadIdx.x;
  auto group = cooperative_groups::coalesced_threads();
  if (in[lane] > 20) return;
  out[lane] = group.ballot(lane & 1); // ! mask-mismatch
}
PAIR(coalesced_right) ARGS {
  int lane = threadIdx.x;
  if (in[lane] > 20) return;
  auto group = cooperative_groups::coalesced_threads();
  out[lane] = group.ballot(lane & 1);
}

// <<<1, 32>>> 32: a match among lanes of which some have gone
PAIR(match_wrong) ARGS {
  if (threadIdx.x < 5) return;
  out[threadIdx.x] = __match_any_sync(0xffffffff, in[threadIdx.x] / 4); // ! mask-mismatch
}
PAIR(match_right) ARGS {
  if (threadIdx.x < 5) return;
  out[threadIdx.x] = __match_any_sync(0xffffffe0, in[threadIdx.x] / 4);
}

// <<<1, 32>>> 32: lanes that leave a loop early are still named in it
PAIR(loop_exit_wrong) ARGS {
  int lane = threadIdx.x, total = 0;
  for (int k = 0; k <= in[lane] % 3; k++)
    total += __popc(__ballot_sync(0xffffffff, lane > k)); // ! mask-mismatch
  out[lane] = total;
}
PAIR(loop_exit_right) ARGS {
  int lane = threadIdx.x, total = 0;
  for (int k = 0; k < 3; k++) {
    int higher = __popc(__ballot_sync(0xffffffff, lane > k));
    if (k <= in[lane] % 3) total += higher;
  }
  out[lane] = total;
}

// <<<1, 32>>> 32: a queue whose leader is chosen among lanes that take no part
PAIR(aggregate_wrong) ARGS {
  int lane = threadIdx.x, value = in[lane];
  if (value & 1) {
    unsigned mask = 0xaaaaaaaa;
    int slot = 0;
    if (lane == 1) slot = atomicAdd(&out[0], __popc(mask));
    slot = __shfl_sync(mask, slot, 0); // ! inactive-lane
    out[1 + (slot + __popc(mask & ((1u << lane) - 1))) % 31] = value;
  }
}
PAIR(aggregate_right) ARGS {
  int lane = threadIdx.x, value = in[lane];
  if (value & 1) {
    unsigned mask = 0xaaaaaaaa;
    int slot = 0;
    if (lane == 1) slot = atomicAdd(&out[0], __popc(mask));
    slot = __shfl_sync(mask, slot, 1);
    out[1 + (slot + __popc(mask & ((1u << lane) - 1))) % 31] = value;
  }
}

// <<<1, 64>>> 64: a thread waits for a value that another one writes behind a barrier
PAIR(spin_wrong) ARGS {
  volatile int* flag = out;
  if (threadIdx.x == 0)
    while (flag[1] == 0) {}
  __syncthreads(); // ! deadlock
  if (threadIdx.x == 1) flag[1] = 1;
}
PAIR(spin_right) ARGS {
  volatile int* flag = out;
  if (threadIdx.x == 1) flag[1] = 1;
  if (threadIdx.x == 0)
    while (flag[1] == 0) {}
  __syncthreads();
}

// <<<1, 64>>> 64: a sum over the warp by those with something to add
PAIR(reduce_wrong) ARGS {
  int value = in[threadIdx.x];
  if (value % 2 == 0) {
    value = __reduce_add_sync(0xffffffff, value); // ! mask-mismatch
    out[threadIdx.x] = value;
  }
}
PAIR(reduce_right) ARGS {
  int value = in[threadIdx.x];
  int sum = __reduce_add_sync(0xffffffff, value % 2 == 0 ? value : 0);
  if (value % 2 == 0) out[threadIdx.x] = sum;
}

// <<<2, 32>>> 50: a guard in front of a sum over the warp
PAIR(guarded_sum_wrong) ARGS {
  int i = ROW;
  if (i >= n) return;
  int value = in[i];
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffff, value, offset); // ! mask-mismatch
  out[i] = value;
}
PAIR(guarded_sum_right) ARGS {
  int i = ROW;
  int value = i < n ? in[i] : 0;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
  if (i < n) out[i] = value;
}

// <<<1, 32>>> 32: the value of a lane in a tile of eight, by a number that lies in the next
PAIR(leader_value_wrong) ARGS {
  int lane = threadIdx.x, value = in[lane];
  if (lane < 8) out[lane] = __shfl_sync(0x000000ff, value, 8); // ! inactive-lane
}
PAIR(leader_value_right) ARGS {
  int lane = threadIdx.x, value = in[lane];
  if (lane < 8) out[lane] = __shfl_sync(0x000000ff, value, 8, 8);
}

// <<<1, 40>>> 40: the last warp is not full: its lane 31 is asked for the total
PAIR(last_lane_wrong) ARGS {
  int value = in[threadIdx.x];
  int total = __shfl_sync(0xffffffff, value, 31); // ! inactive-lane
  out[threadIdx.x] = total;
}
PAIR(last_lane_right) ARGS {
  int value = in[threadIdx.x];
  int total = __shfl_sync(0xffffffff, value, 7);
  out[threadIdx.x] = total;
}

// <<<1, 32>>> 32: an undefined value decides a branch
PAIR(undefined_branch_wrong) ARGS {
  int lane = threadIdx.x;
  if (lane >= 20) return;
  int other = __shfl_down_sync(0x000fffff, in[lane], 1); // ! inactive-lane
  if (other > 3) out[lane] = 1;
}
PAIR(undefined_branch_right) ARGS {
  int lane = threadIdx.x;
  if (lane >= 20) return;
  int other = __shfl_down_sync(0x000fffff, in[lane], 1);
  if (lane < 19 && other > 3) out[lane] = 1;
}
