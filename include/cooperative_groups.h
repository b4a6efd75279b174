/*
 * Cooperative groups, after "Cooperative Groups" in the CUDA C++ Programming Guide.
 *
 * Of clusters the device library tells (libdevice/cluster.cu). Grid synchronisation is the engine's intrinsic
 * __heddle_grid_sync. Copies of memcpy_async are made at the call (cooperative_groups/memcpy_async.h), so that waiting
 * for them is a group barrier.
 */
#pragma once

#include "cuda_runtime.h"
#include "heddle/words.h"

extern "C" __device__ void __heddle_grid_sync(void) __attribute__((convergent));
#define __CG_AXIS(axis)                                                                          \
  __device__ unsigned __heddle_cluster_ctaid_##axis(void), __heddle_cluster_nctaid_##axis(void); \
  __device__ unsigned __heddle_cluster_clusterid_##axis(void), __heddle_cluster_nclusterid_##axis(void);
extern "C" {
__CG_AXIS(x)
__CG_AXIS(y)
__CG_AXIS(z)
__device__ unsigned __heddle_cluster_ctarank(void);
__device__ unsigned __heddle_cluster_nctarank(void);
__device__ void __heddle_cluster_arrive(void) __attribute__((convergent));
__device__ void __heddle_cluster_wait(void) __attribute__((convergent));
__device__ const void *__heddle_cluster_map(const void *shared, unsigned rank);
__device__ unsigned __heddle_cluster_rank_of(const void *shared);
}
#undef __CG_AXIS

#define _CG_VERSION 1012
#define __CG_D __attribute__((device)) inline __attribute__((always_inline))
#define __CG_SD static __attribute__((device)) inline __attribute__((always_inline))

// Headers of NVIDIA's declare these types ahead, in this namespace.
namespace cooperative_groups {
namespace __v1 {

namespace details {

enum group_kind { kind_grid, kind_block, kind_lanes, kind_cluster };

__CG_D unsigned lane() { return __nvvm_read_ptx_sreg_laneid(); }
__CG_D unsigned lanes_below() { return (1u << lane()) - 1u; }
__CG_D unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
__CG_D unsigned block_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

/** The lane of the `rank`-th set bit of `mask`. */
__CG_D unsigned lane_of_rank(unsigned mask, unsigned rank) {
  if (mask == 0xffffffffu) return rank;
  for (unsigned i = 0; i < rank; ++i) mask &= mask - 1;
  return mask ? (unsigned)__builtin_ctz(mask) : 0;
}
/** Gathers the bits of `bits` at the set places of `mask` into the low bits. */
__CG_D unsigned pack_lanes(unsigned mask, unsigned bits) {
  if (mask == 0xffffffffu) return bits;
  unsigned result = 0;
  for (unsigned place = 0; mask; mask &= mask - 1, ++place) result |= (bits & mask & (0u - mask) ? 1u : 0u) << place;
  return result;
}

}  // namespace details

/** The base of all groups: knows its kind, and for groups of lanes its members. */
class thread_group {
 protected:
  unsigned __kind;
  unsigned __mask; /* lanes of the warp */
  unsigned __size;
  __CG_D thread_group(unsigned kind, unsigned mask, unsigned size) : __kind(kind), __mask(mask), __size(size) {}
  friend __CG_D thread_group tiled_partition(const thread_group &parent, unsigned size);

 public:
  typedef enum { thread_scope_block = 1, thread_scope_device = 2 } __scope_type;
  __CG_D unsigned long long size() const { return num_threads(); }
  __CG_D unsigned long long num_threads() const {
    if (__kind == details::kind_grid)
      return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * details::block_threads();
    if (__kind == details::kind_cluster)
      return (unsigned long long)__heddle_cluster_nctarank() * details::block_threads();
    return __kind == details::kind_block ? details::block_threads() : __size;
  }
  __CG_D unsigned long long thread_rank() const {
    if (__kind == details::kind_lanes) return (unsigned)__builtin_popcount(__mask & details::lanes_below());
    const unsigned rank = details::block_rank();
    if (__kind == details::kind_block) return rank;
    if (__kind == details::kind_cluster) return __heddle_cluster_ctarank() * details::block_threads() + rank;
    return ((unsigned long long)(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) *
               details::block_threads() +
           rank;
  }
  __CG_D void sync() const {
    if (__kind == details::kind_lanes) __syncwarp(__mask);
    else if (__kind == details::kind_block) __syncthreads();
    else if (__kind == details::kind_cluster) { __heddle_cluster_arrive(); __heddle_cluster_wait(); }
    else __heddle_grid_sync();
  }
  __CG_D bool is_valid() const { return true; }
  __CG_D unsigned get_type() const { return __kind; }
};

/** All threads of the launch; sync() needs a cooperative launch. */
class grid_group : public thread_group {
 public:
  struct arrival_token {};
  __CG_D grid_group() : thread_group(details::kind_grid, 0, 0) {}
  __CG_SD void sync() { __heddle_grid_sync(); }
  __CG_SD arrival_token barrier_arrive() { return arrival_token(); }
  __CG_SD void barrier_wait(arrival_token &&) { __heddle_grid_sync(); }
  __CG_SD bool is_valid() { return true; }
  __CG_SD unsigned long long block_rank() {
    return (unsigned long long)(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  __CG_SD unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  __CG_SD unsigned long long thread_rank() { return block_rank() * details::block_threads() + details::block_rank(); }
  __CG_SD unsigned long long num_threads() { return num_blocks() * details::block_threads(); }
  __CG_SD unsigned long long size() { return num_threads(); }
  __CG_SD dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __CG_SD dim3 group_dim() { return dim_blocks(); }
  __CG_SD dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __CG_SD dim3 thread_index() {
    return dim3(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                blockIdx.z * blockDim.z + threadIdx.z);
  }
  __CG_SD dim3 dim_threads() { return dim3(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z); }
  __CG_SD dim3 cluster_index() {
    return dim3(__heddle_cluster_clusterid_x(), __heddle_cluster_clusterid_y(), __heddle_cluster_clusterid_z());
  }
  __CG_SD dim3 dim_clusters() {
    return dim3(__heddle_cluster_nclusterid_x(), __heddle_cluster_nclusterid_y(), __heddle_cluster_nclusterid_z());
  }
  __CG_SD unsigned long long cluster_rank() {
    const dim3 index = cluster_index(), clusters = dim_clusters();
    return (unsigned long long)(index.z * clusters.y + index.y) * clusters.x + index.x;
  }
  __CG_SD unsigned long long num_clusters() {
    const dim3 clusters = dim_clusters();
    return (unsigned long long)clusters.x * clusters.y * clusters.z;
  }
};

class thread_block : public thread_group {
 public:
  struct arrival_token {};
  __CG_D thread_block() : thread_group(details::kind_block, 0, 0) {}
  __CG_SD void sync() { __syncthreads(); }
  __CG_SD arrival_token barrier_arrive() { return arrival_token(); }
  __CG_SD void barrier_wait(arrival_token &&) { __syncthreads(); }
  __CG_SD unsigned thread_rank() { return details::block_rank(); }
  __CG_SD unsigned num_threads() { return details::block_threads(); }
  __CG_SD unsigned size() { return details::block_threads(); }
  __CG_SD dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __CG_SD dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __CG_SD dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __CG_SD dim3 dim_threads() { return group_dim(); }
};

/** The blocks of a thread block cluster; of the one block, where the launch asked for no cluster. */
class cluster_group : public thread_group {
 public:
  struct arrival_token {};
  __CG_D cluster_group() : thread_group(details::kind_cluster, 0, 0) {}
  __CG_SD arrival_token barrier_arrive() { __heddle_cluster_arrive(); return arrival_token(); }
  __CG_SD void barrier_wait() { __heddle_cluster_wait(); }
  __CG_SD void barrier_wait(arrival_token &&) { __heddle_cluster_wait(); }
  __CG_SD void sync() { __heddle_cluster_arrive(); __heddle_cluster_wait(); }
  __CG_SD unsigned block_rank() { return __heddle_cluster_ctarank(); }
  __CG_SD unsigned num_blocks() { return __heddle_cluster_nctarank(); }
  __CG_SD unsigned thread_rank() { return block_rank() * details::block_threads() + details::block_rank(); }
  __CG_SD unsigned num_threads() { return num_blocks() * details::block_threads(); }
  __CG_SD unsigned size() { return num_threads(); }
  __CG_SD dim3 block_index() {
    return dim3(__heddle_cluster_ctaid_x(), __heddle_cluster_ctaid_y(), __heddle_cluster_ctaid_z());
  }
  __CG_SD dim3 dim_blocks() {
    return dim3(__heddle_cluster_nctaid_x(), __heddle_cluster_nctaid_y(), __heddle_cluster_nctaid_z());
  }
  __CG_SD dim3 thread_index() {
    const dim3 block = block_index();
    return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                block.z * blockDim.z + threadIdx.z);
  }
  __CG_SD dim3 dim_threads() {
    const dim3 blocks = dim_blocks();
    return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
  }
  __CG_SD unsigned query_shared_rank(const void *address) { return __heddle_cluster_rank_of(address); }
  template <typename T>
  __CG_SD T *map_shared_rank(T *address, int rank) { return (T *)__heddle_cluster_map((const void *)address, rank); }
};

/** Any set of lanes of one warp; a member's rank counts the members with lower lanes. */
class coalesced_group : public thread_group {
 protected:
  unsigned __meta_rank, __meta_size;

 public:
  __CG_D explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
      : thread_group(details::kind_lanes, mask, (unsigned)__builtin_popcount(mask)),
        __meta_rank(meta_rank),
        __meta_size(meta_size) {}
  __CG_D unsigned get_mask() const { return __mask; }
  __CG_D unsigned num_threads() const { return __size; }
  __CG_D unsigned size() const { return __size; }
  __CG_D unsigned thread_rank() const { return (unsigned)__builtin_popcount(__mask & details::lanes_below()); }
  __CG_D void sync() const { __syncwarp(__mask); }
  __CG_D unsigned meta_group_rank() const { return __meta_rank; }
  __CG_D unsigned meta_group_size() const { return __meta_size; }

  template <typename T>
  __CG_D T shfl(T value, unsigned rank) const {
    return ::__heddle::shuffle(__mask, value, details::lane_of_rank(__mask, rank % __size));
  }
  template <typename T>
  __CG_D T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return ::__heddle::shuffle(__mask, value,
                               rank < delta ? details::lane() : details::lane_of_rank(__mask, rank - delta));
  }
  template <typename T>
  __CG_D T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank() + delta;
    return ::__heddle::shuffle(__mask, value, rank >= __size ? details::lane() : details::lane_of_rank(__mask, rank));
  }
  __CG_D int any(int predicate) const { return (__ballot_sync(__mask, predicate) & __mask) != 0; }
  __CG_D int all(int predicate) const { return (__ballot_sync(__mask, predicate) & __mask) == __mask; }
  __CG_D unsigned ballot(int predicate) const { return details::pack_lanes(__mask, __ballot_sync(__mask, predicate)); }
  template <typename T>
  __CG_D unsigned match_any(T value) const { return details::pack_lanes(__mask, ::__heddle::match_any(__mask, value)); }
  template <typename T>
  __CG_D unsigned match_all(T value, int &predicate) const {
    const bool same = ::__heddle::match_any(__mask, value) == __mask;
    predicate = __ballot_sync(__mask, same) == __mask;
    return predicate ? details::pack_lanes(__mask, __mask) : 0;
  }
};

namespace details {
template <unsigned _Size>
__CG_D unsigned tile_mask() {
  if constexpr (_Size == 32) return 0xffffffffu;
  else return ((1u << _Size) - 1u) << (lane() & ~(_Size - 1u));
}
}  // namespace details

template <unsigned _Size, typename _Parent = void>
class thread_block_tile;

namespace details {
/** A tile of 2^k consecutive lanes. */
template <unsigned _Size, typename _Parent>
class lane_tile : public thread_group {
  static_assert(_Size > 0 && (_Size & (_Size - 1)) == 0, "the size of a tile is a power of two");
  unsigned __meta_rank, __meta_size;

 public:
  __CG_D lane_tile(unsigned meta_rank, unsigned meta_size)
      : thread_group(details::kind_lanes, details::tile_mask<_Size>(), _Size),
        __meta_rank(meta_rank),
        __meta_size(meta_size) {}
  __CG_SD constexpr unsigned num_threads() { return _Size; }
  __CG_SD constexpr unsigned size() { return _Size; }
  __CG_SD unsigned thread_rank() { return details::lane() & (_Size - 1u); }
  __CG_SD unsigned get_mask() { return details::tile_mask<_Size>(); }
  __CG_SD void sync() { __syncwarp(get_mask()); }
  __CG_D unsigned meta_group_rank() const { return __meta_rank; }
  __CG_D unsigned meta_group_size() const { return __meta_size; }

  template <typename T>
  __CG_SD T shfl(T value, int rank) { return ::__heddle::shuffle(get_mask(), value, rank, _Size); }
  template <typename T>
  __CG_SD T shfl_up(T value, unsigned delta) { return ::__heddle::shuffle_up(get_mask(), value, delta, _Size); }
  template <typename T>
  __CG_SD T shfl_down(T value, unsigned delta) { return ::__heddle::shuffle_down(get_mask(), value, delta, _Size); }
  template <typename T>
  __CG_SD T shfl_xor(T value, unsigned bits) { return ::__heddle::shuffle_xor(get_mask(), value, bits, _Size); }
  __CG_SD int any(int predicate) { return (__ballot_sync(get_mask(), predicate) & get_mask()) != 0; }
  __CG_SD int all(int predicate) { return (__ballot_sync(get_mask(), predicate) & get_mask()) == get_mask(); }
  __CG_SD unsigned ballot(int predicate) { return __relative(__ballot_sync(get_mask(), predicate)); }
  template <typename T>
  __CG_SD unsigned match_any(T value) { return __relative(::__heddle::match_any(get_mask(), value)); }
  template <typename T>
  __CG_SD unsigned match_all(T value, int &predicate) {
    const bool same = ::__heddle::match_any(get_mask(), value) == get_mask();
    predicate = all(same);
    return predicate ? __relative(get_mask()) : 0;
  }

 private:
  __CG_SD unsigned __relative(unsigned lanes) {
    if constexpr (_Size == 32) return lanes;
    else return (lanes >> (details::lane() & ~(_Size - 1u))) & ((1u << _Size) - 1u);
  }
};

/** Shared memory through which tiles of several warps talk: one value for each thread of the block. */
template <typename T>
__CG_D T *exchange_area() {
  alignas(T) __shared__ unsigned char area[1024 * sizeof(T)];
  return (T *)area;
}

/** A tile of several whole warps: its barrier is one of the block's sixteen, its exchanges go through shared memory. */
template <unsigned _Size, typename _Parent>
class warps_tile : public thread_group {
  static_assert((_Size & (_Size - 1)) == 0 && _Size <= 1024, "the size of a tile is a power of two, at most a block");
  unsigned __meta_rank, __meta_size;
  template <typename T>
  __CG_D T __exchange(T value, unsigned from) const {
    T *area = exchange_area<T>() + __meta_rank * _Size;
    area[thread_rank()] = value;
    sync();
    const T result = area[from];
    sync();
    return result;
  }

 public:
  __CG_D warps_tile(unsigned meta_rank, unsigned meta_size)
      : thread_group(details::kind_block, 0, _Size), __meta_rank(meta_rank), __meta_size(meta_size) {}
  __CG_SD constexpr unsigned num_threads() { return _Size; }
  __CG_SD constexpr unsigned size() { return _Size; }
  __CG_SD unsigned thread_rank() { return details::block_rank() & (_Size - 1u); }
  __CG_D void sync() const {
    if (__meta_size == 1) __syncthreads();
    else __nvvm_barrier_sync_cnt(1 + __meta_rank % 15, _Size);
  }
  __CG_D unsigned meta_group_rank() const { return __meta_rank; }
  __CG_D unsigned meta_group_size() const { return __meta_size; }
  template <typename T>
  __CG_D T shfl(T value, int rank) const { return __exchange(value, (unsigned)rank & (_Size - 1u)); }
  template <typename T>
  __CG_D T shfl_xor(T value, unsigned bits) const { return __exchange(value, (thread_rank() ^ bits) & (_Size - 1u)); }
  template <typename T>
  __CG_D T shfl_up(T value, unsigned delta) const {
    return __exchange(value, thread_rank() < delta ? thread_rank() : thread_rank() - delta);
  }
  template <typename T>
  __CG_D T shfl_down(T value, unsigned delta) const {
    return __exchange(value, thread_rank() + delta >= _Size ? thread_rank() : thread_rank() + delta);
  }
  __CG_D int any(int predicate) const {
    int *area = exchange_area<int>() + __meta_rank * _Size;
    const unsigned warp = thread_rank() / 32;
    const int here = __ballot_sync(0xffffffffu, predicate) != 0;
    if (thread_rank() % 32 == 0) area[warp] = here;
    sync();
    int result = 0;
    for (unsigned i = 0; i < _Size / 32; ++i) result |= area[i];
    sync();
    return result;
  }
  __CG_D int all(int predicate) const { return !any(!predicate); }
};
template <unsigned _Size, typename _Parent, bool _Small>
struct tile_of { typedef lane_tile<_Size, _Parent> type; };
template <unsigned _Size, typename _Parent>
struct tile_of<_Size, _Parent, false> { typedef warps_tile<_Size, _Parent> type; };
}  // namespace details

/** A tile of 2^k threads: lanes of one warp, or whole warps of a block. */
template <unsigned _Size, typename _Parent>
class thread_block_tile : public details::tile_of<_Size, _Parent, (_Size <= 32)>::type {
  typedef typename details::tile_of<_Size, _Parent, (_Size <= 32)>::type __base;

 public:
  __CG_D thread_block_tile(unsigned meta_rank, unsigned meta_size) : __base(meta_rank, meta_size) {}
  template <typename _Other>
  __CG_D thread_block_tile(const thread_block_tile<_Size, _Other>& other)
      : __base(other.meta_group_rank(), other.meta_group_size()) {}
};

/** Memory for tiles of several warps. It is not needed here: they have their own. */
template <unsigned _MaxThreads = 1024>
struct block_tile_memory {
  unsigned char __unused;
};

/** The thread alone. */
typedef thread_block_tile<1, void> __single_thread_group;

__CG_D grid_group this_grid() { return grid_group(); }
__CG_D thread_block this_thread_block() { return thread_block(); }
template <unsigned _MaxThreads>
__CG_D thread_block this_thread_block(block_tile_memory<_MaxThreads> &) { return thread_block(); }
__CG_D cluster_group this_cluster() { return cluster_group(); }
__CG_D __single_thread_group this_thread() { return __single_thread_group(0, 1); }
__CG_D coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned _Size>
__CG_D thread_block_tile<_Size, thread_block> tiled_partition(const thread_block &) {
  return thread_block_tile<_Size, thread_block>(details::block_rank() / _Size,
                                               (details::block_threads() + _Size - 1) / _Size);
}
template <unsigned _Size, unsigned _Outer, typename _Parent>
__CG_D thread_block_tile<_Size, thread_block_tile<_Outer, _Parent>> tiled_partition(
    const thread_block_tile<_Outer, _Parent>&) {
  static_assert(_Size <= _Outer, "a tile is no larger than the group it divides");
  return thread_block_tile<_Size, thread_block_tile<_Outer, _Parent>>((details::lane() & (_Outer - 1u)) / _Size,
                                                                   _Outer / _Size);
}
__CG_D coalesced_group tiled_partition(const coalesced_group &parent, unsigned size) {
  unsigned rest = parent.get_mask(), mask = 0;
  const unsigned tile = parent.thread_rank() / size;
  for (unsigned rank = 0; rest; ++rank, rest &= rest - 1)
    if (rank / size == tile) mask |= rest & (0u - rest);
  return coalesced_group(mask, tile, (parent.num_threads() + size - 1) / size);
}
__CG_D thread_group tiled_partition(const thread_group &parent, unsigned size) {
  if (parent.__kind == details::kind_block) {
    const unsigned mask = size == 32 ? 0xffffffffu : ((1u << size) - 1u) << (details::lane() & ~(size - 1u));
    return thread_group(details::kind_lanes, mask, size);
  }
  return tiled_partition(coalesced_group(parent.__mask), size);
}

/** Divides a group by the value of a label. */
template <typename _Label>
__CG_D coalesced_group labeled_partition(const coalesced_group &group, _Label label) {
  return coalesced_group(::__heddle::match_any(group.get_mask(), label));
}
template <unsigned _Size, typename _Parent, typename _Label>
__CG_D coalesced_group labeled_partition(const thread_block_tile<_Size, _Parent> &group, _Label label) {
  return coalesced_group(::__heddle::match_any(group.get_mask(), label));
}
/** Divides a group by a truth value. */
__CG_D coalesced_group binary_partition(const coalesced_group &group, bool predicate) {
  const unsigned yes = __ballot_sync(group.get_mask(), predicate) & group.get_mask();
  return coalesced_group(predicate ? yes : group.get_mask() & ~yes, predicate ? 0 : 1, 2);
}
template <unsigned _Size, typename _Parent>
__CG_D coalesced_group binary_partition(const thread_block_tile<_Size, _Parent> &group, bool predicate) {
  const unsigned yes = __ballot_sync(group.get_mask(), predicate) & group.get_mask();
  return coalesced_group(predicate ? yes : group.get_mask() & ~yes, predicate ? 0 : 1, 2);
}

template <typename _Group>
__CG_D void sync(const _Group &group) { group.sync(); }
template <typename _Group>
__CG_D auto thread_rank(const _Group &group) { return group.thread_rank(); }
template <typename _Group>
__CG_D auto group_size(const _Group &group) { return group.size(); }

/** One thread of the group calls; the others go on. */
template <typename _Group, typename _Function, typename... _Args>
__CG_D void invoke_one(const _Group &group, _Function &&function, _Args &&...args) {
  if (group.thread_rank() == 0) function(static_cast<_Args &&>(args)...);
}
/** One thread of the group calls, all get the result. */
template <typename _Group, typename _Function, typename... _Args>
__CG_D auto invoke_one_broadcast(const _Group& group, _Function&& function, _Args&&... args)
    -> decltype(function(static_cast<_Args&&>(args)...)) {
  decltype(function(static_cast<_Args &&>(args)...)) result{};
  if (group.thread_rank() == 0) result = function(static_cast<_Args &&>(args)...);
  return group.shfl(result, 0);
}

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups
