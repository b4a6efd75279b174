/*
 * Copies of the tensor memory accelerator (PTX ISA 8.5, 9.7.8.24: cp.async.bulk, cp.reduce.async.bulk and their
 * tensor forms; 5.5: tensors and their swizzles), as inline PTX calls them.
 *
 * A copy is made at the instruction, by the thread that asks for it. Its mbarrier sees the bytes at once. Asynccheck
 * (async-check.cu) calls the same functions later: when somebody waits.
 *
 * A tensor map has a form of its own here, 32 words, which src/machine/tensor-map.ts writes:
 *   0 MAGIC   1 the tensor's address   2 rank   3 bytes of an element   4 kind (below)   5 swizzle: 0, 32, 64, 128
 *   6 whether what lies outside is NaN (else zero)   7 bytes of a box in shared memory
 *   8–12 extents   13–16 strides in bytes of dimensions 1–4   17–21 box   22–26 elements from one to the next
 *   27–29 corners of the box in W, H, D: the lower one, and 16 bits up the upper one   30 whether it is of im2col mode
 * In im2col mode words 17 and 18 are channels per pixel and pixels per column.
 */
#include "prelude.h"

extern "C" DEVICE u32 __heddle_shared_window();
extern "C" DEVICE u32 __heddle_cluster_window();
extern "C" DEVICE u32 __heddle_cluster_stride();
extern "C" DEVICE u32 __heddle_cluster_nctarank();
extern "C" DEVICE void __heddle_mbarrier_complete_tx(u64 *barrier, u32 bytes);

struct TensorMap {
  u32 magic, address, rank, bytes, kind, swizzle, nan, boxBytes, extent[5], stride[4], box[5], step[5];
  u32 corners[3], isIm2col, rest;
};
static_assert(sizeof(TensorMap) == 128, "CUtensorMap has 128 bytes");
#define MAGIC 0x31504d54u /* TMP1 */

/* What reductions take the elements for. */
enum { UNSIGNED, SIGNED, HALF, BFLOAT, FLOAT, DOUBLE };
enum { ADD, MIN, MAX, INC, DEC, AND, OR, XOR };

/* `how`: IM2COL for copies in that mode, with the offsets that are added to W, H and D: of 16 bits in tensors of 3
 * dimensions, of 8 in those of 4, of 5 in those of 5, W in the lowest. */
struct Coordinates { i32 at[5]; u32 how; };
#define IM2COL 0x80000000u

/* The 16-byte chunks of a pattern of eight rows are exchanged: chunk c of row r becomes c ^ r (PTX ISA, "Swizzling
 * Modes"). The row is in the address, from bit 7 on. */
INLINE u32 swizzled(u32 address, u32 swizzle) {
  const u32 mask = swizzle == 0 ? 0 : swizzle / 16 - 1;
  return address ^ ((address >> 7) & mask) << 4;
}
INLINE void copy_bytes(u32 to, u32 from, u32 bytes) {
  u32 i = 0;
  if (((to | from) & 3) == 0)
    for (; i + 4 <= bytes; i += 4) *(u32 *)(to + i) = *(const u32 *)(from + i);
  for (; i < bytes; ++i) *(u8 *)(to + i) = *(const u8 *)(from + i);
}

/* ---------------------------------------------------------------- reductions */

INLINE float read_small(u32 bits, u32 kind) {
  return kind == HALF ? (float)__builtin_bit_cast(_Float16, (u16)bits) : f32_from(bits << 16);
}
INLINE u16 write_small(float x, u32 kind) {
  if (kind == HALF) return __builtin_bit_cast(u16, (_Float16)x);
  const u32 bits = bits_of(x);
  if (is_nan(x)) return 0x7fff;
  return (u16)((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}
template <class T> INLINE T combined(T old, T value, u32 operation) {
  switch (operation) {
    case ADD: return old + value;
    case MIN: return value < old ? value : old;
    default: return value > old ? value : old;
  }
}
template <class T> INLINE T combined_bits(T old, T value, u32 operation) {
  switch (operation) {
    case AND: return old & value;
    case OR: return old | value;
    case XOR: return old ^ value;
    case INC: return old >= value ? 0 : old + 1;
    default: return old == 0 || old > value ? value : old - 1;
  }
}
template <class T, class S> INLINE T combined_integers(T old, T value, u32 operation, bool isSigned) {
  if (operation >= INC) return combined_bits<T>(old, value, operation);
  return isSigned ? (T)combined<S>((S)old, (S)value, operation) : combined<T>(old, value, operation);
}
INLINE u32 combined_word(u32 old, u32 value, u32 operation, u32 kind) {
  if (kind == FLOAT) return bits_of(combined<float>(f32_from(old), f32_from(value), operation));
  return combined_integers<u32, i32>(old, value, operation, kind == SIGNED);
}
INLINE u64 combined_long(u64 old, u64 value, u32 operation, u32 kind) {
  if (kind == DOUBLE) return bits_of(combined<double>(f64_from(old), f64_from(value), operation));
  return combined_integers<u64, i64>(old, value, operation, kind == SIGNED);
}
/* One element in memory takes a value, atomically. */
INLINE void reduce_element(u32 to, u32 from, u32 bytes, u32 operation, u32 kind) {
  if (bytes == 8) {
    u64 *at = (u64 *)to, old = __atomic_load_n(at, __ATOMIC_RELAXED);
    const u64 value = *(const u64 *)from;
    while (!__atomic_compare_exchange_n(at, &old, combined_long(old, value, operation, kind), false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {}
    return;
  }
  u32 *at = (u32 *)(to & ~3u), old = __atomic_load_n(at, __ATOMIC_RELAXED), desired;
  do {
    if (bytes == 4) desired = combined_word(old, *(const u32 *)from, operation, kind);
    else {
      const u32 shift = (to & 2) * 8, value = *(const u16 *)from;
      const u32 result = write_small(
          combined<float>(read_small(old >> shift & 0xffff, kind), read_small(value, kind), operation), kind);
      desired = (old & ~(0xffffu << shift)) | result << shift;
    }
  } while (!__atomic_compare_exchange_n(at, &old, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}
INLINE void reduce_bytes(u32 to, u32 from, u32 bytes, u32 element, u32 operation, u32 kind) {
  for (u32 i = 0; i < bytes; i += element) reduce_element(to + i, from + i, element, operation, kind);
}

/* ---------------------------------------------------------------- tiles */

enum { LOAD, STORE, REDUCE };

/* An H200's NaN for what is outside has these 16 bits, and wider floats repeat them. */
INLINE void fill_outside(u32 to, u32 bytes, const TensorMap *map) {
  for (u32 i = 0; i < bytes; i += 4) *(u32 *)(to + i) = map->nan == 0 ? 0 : 0x7ff77ff7u;
}

/* One row of a box: `count` elements of dimension 0 from coordinate x on; `row` is the place in global memory of
 * coordinate 0, `at` the row's place in shared memory. Chunks of 16 bytes, where the swizzle may cut. */
INLINE void move_row(const TensorMap *map, u32 what, u32 row, bool isInside, i32 x, u32 count, u32 at, u32 operation) {
  const u32 bytes = map->bytes, perChunk = 16 / bytes, swizzle = map->swizzle;
  for (u32 first = 0; first < count; first += perChunk) {
    const u32 length = count - first < perChunk ? count - first : perChunk;
    const u32 shared = swizzled(at + first * bytes, swizzle);
    const i32 from = x + (i32)first;
    /* Those of the chunk that exist: [low, high). */
    const i32 low = from < 0 ? (from + (i32)length <= 0 ? (i32)length : -from) : 0;
    const i64 left = (i64)map->extent[0] - from;
    /* A store writes all of a chunk that begins inside, as an H200 does. */
    const i32 high = !isInside || left <= 0 ? 0 : what == LOAD && left < (i64)length ? (i32)left : (i32)length;
    if (what == LOAD && (low > 0 || high < (i32)length)) fill_outside(shared, length * bytes, map);
    if (low >= high) continue;
    const u32 global = row + (u32)(from + low) * bytes, own = shared + (u32)low * bytes;
    const u32 size = (u32)(high - low) * bytes;
    if (what == LOAD) copy_bytes(own, global, size);
    else if (what == STORE) copy_bytes(global, own, size);
    else reduce_bytes(global, own, size, bytes, operation, map->kind);
  }
}

INLINE u32 steps(const TensorMap *map, u32 axis) { return (map->box[axis] + map->step[axis] - 1) / map->step[axis]; }

/* What an H200 takes for an illegal instruction, seen of tiles: rows that begin between multiples of 16 bytes, stores
 * to negative coordinates, sums of signed 64-bit integers. */
INLINE bool allowed(u32 what, const TensorMap *map, Coordinates coordinates, u32 operation) {
  if (((u32)coordinates.at[0] * map->bytes & 15) != 0) return false;
  if (what == LOAD) return true;
  /* In im2col mode the box may begin before the tensor. */
  for (u32 axis = 0; axis < map->rank; ++axis)
    if (coordinates.at[axis] < 0 && (coordinates.how == 0 || axis == 0)) return false;
  return what == STORE || operation != ADD || map->bytes != 8 || map->kind != SIGNED;
}

static DEVICE NOINLINE void check_tile(u32 what, u32 shared, const TensorMap *map, Coordinates coordinates,
                                       u32 operation) {
  /* A program may have overwritten its map. */
  const bool hasRank = map->rank >= (map->isIm2col != 0 ? 3 : 1) && map->rank <= 5;
  const bool isOfMode =
      map->magic == MAGIC && hasRank && (map->isIm2col != 0) == ((coordinates.how & IM2COL) != 0);
  if (!isOfMode || (shared & 127) != 0 || !allowed(what, map, coordinates, operation)) __builtin_trap();
}
INLINE i32 lower_corner(const TensorMap *map, u32 axis) { return (short)map->corners[axis - 1]; }
INLINE i32 upper_corner(const TensorMap *map, u32 axis) { return (i32)map->corners[axis - 1] >> 16; }
/* Im2col mode (5.5.4): pixels one after another, W first, in the box from the lower corner to as many elements from the
 * tensor's end as the upper corner says. Each pixel that is copied lies further by the offsets. */
static DEVICE NOINLINE void move_pixels(u32 what, u32 shared, const TensorMap *map, Coordinates coordinates,
                                        u32 operation) {
  const u32 channels = map->box[0], rowBytes = map->swizzle == 0 ? channels * map->bytes : map->swizzle;
  const u32 last = map->rank - 1, bits = last == 2 ? 16 : last == 3 ? 8 : 5;
  i64 place[5];
  for (u32 axis = 0; axis < 5; ++axis) place[axis] = coordinates.at[axis];
  for (u32 pixel = 0; pixel < map->box[1]; ++pixel) {
    u32 row = map->address;
    bool isInside = true;
    for (u32 axis = 1; axis <= last; ++axis) {
      const u32 packed = axis == last ? 0 : coordinates.how & ~IM2COL;
      const u32 offset = packed >> (axis - 1) * bits & ((1u << bits) - 1);
      const i64 at = place[axis] + offset;
      isInside = isInside && at >= 0 && at < (i64)map->extent[axis];
      row += (u32)at * map->stride[axis - 1];
    }
    move_row(map, what, row, isInside, coordinates.at[0], channels, shared + pixel * rowBytes, operation);
    u32 axis = 1;
    for (; axis < last; ++axis) {
      place[axis] += map->step[axis];
      if (place[axis] < (i64)map->extent[axis] + upper_corner(map, axis)) break;
      place[axis] = lower_corner(map, axis);
    }
    if (axis == last) ++place[last];
  }
}
static DEVICE NOINLINE void move_tile(u32 what, u32 shared, const TensorMap *map, Coordinates coordinates,
                                      u32 operation) {
  check_tile(what, shared, map, coordinates, operation);
  if (map->isIm2col != 0) return move_pixels(what, shared, map, coordinates, operation);
  /* A row takes the whole row of a pattern, however short it is. */
  const u32 count = map->box[0], rowBytes = map->swizzle == 0 ? count * map->bytes : map->swizzle;
  u32 n[5] = {1, 1, 1, 1, 1}, rows = 1;
  for (u32 axis = 1; axis < map->rank; ++axis) rows *= n[axis] = steps(map, axis);
  for (u32 r = 0; r < rows; ++r) {
    u32 rest = r, row = map->address;
    bool isInside = true;
    for (u32 axis = 1; axis < map->rank; ++axis) {
      const i64 at = (i64)coordinates.at[axis] + (i64)(rest % n[axis]) * map->step[axis];
      rest /= n[axis];
      isInside = isInside && at >= 0 && at < (i64)map->extent[axis];
      row += (u32)at * map->stride[axis - 1];
    }
    move_row(map, what, row, isInside, coordinates.at[0], count, shared + r * rowBytes, operation);
  }
}

/* A multicast names blocks of its own cluster only. */
INLINE void check_blocks(u32 blocks) {
  if (blocks >> __heddle_cluster_nctarank() != 0) __builtin_trap();
}

/* What ends the launch where the instruction stands, for copies that are made later. */
DEVICE_FN void __heddle_tensor_allowed(u32 what, u32 shared, const TensorMap *map, i32 x, i32 y, i32 z, i32 u, i32 v,
                                       u32 how, u32 operation, u32 blocks) {
  check_tile(what, shared, map, {{x, y, z, u, v}, how}, operation);
  check_blocks(blocks);
}

/* Into the shared memory of the blocks of a cluster in `blocks`, at the same place in each; 0: where `shared` is. */
DEVICE_FN void __heddle_tensor_load(u32 shared, const TensorMap *map, i32 x, i32 y, i32 z, i32 u, i32 v, u32 how,
                                    u32 barrier, u32 blocks) {
  const Coordinates at = {{x, y, z, u, v}, how};
  if (blocks == 0) {
    move_tile(LOAD, shared, map, at, 0);
    __heddle_mbarrier_complete_tx((u64 *)barrier, map->boxBytes);
    return;
  }
  check_blocks(blocks);
  const u32 own = __heddle_shared_window(), first = __heddle_cluster_window(), stride = __heddle_cluster_stride();
  for (u32 rank = 0; rank < 16; ++rank) {
    if ((blocks >> rank & 1) == 0) continue;
    const u32 window = first + rank * stride;
    move_tile(LOAD, shared - own + window, map, at, 0);
    __heddle_mbarrier_complete_tx((u64 *)(barrier - own + window), map->boxBytes);
  }
}
DEVICE_FN void __heddle_tensor_store(u32 shared, const TensorMap *map, i32 x, i32 y, i32 z, i32 u, i32 v, u32 how) {
  move_tile(STORE, shared, map, {{x, y, z, u, v}, how}, 0);
}
DEVICE_FN void __heddle_tensor_reduce(u32 shared, const TensorMap *map, i32 x, i32 y, i32 z, i32 u, i32 v,
                                      u32 how, u32 operation) {
  move_tile(REDUCE, shared, map, {{x, y, z, u, v}, how}, operation);
}

/* ---------------------------------------------------------------- plain bytes */

INLINE void check_bulk(u32 to, u32 from, u32 bytes) {
  if (((to | from | bytes) & 15) != 0) __builtin_trap();
}
/* To shared memory: the barrier is told. */
DEVICE_FN void __heddle_bulk_load(u32 to, u32 from, u32 bytes, u32 barrier, u32 blocks) {
  check_bulk(to, from, bytes);
  if (blocks == 0) {
    copy_bytes(to, from, bytes);
    __heddle_mbarrier_complete_tx((u64 *)barrier, bytes);
    return;
  }
  check_blocks(blocks);
  const u32 own = __heddle_shared_window(), first = __heddle_cluster_window(), stride = __heddle_cluster_stride();
  for (u32 rank = 0; rank < 16; ++rank) {
    if ((blocks >> rank & 1) == 0) continue;
    const u32 window = first + rank * stride;
    copy_bytes(to - own + window, from, bytes);
    __heddle_mbarrier_complete_tx((u64 *)(barrier - own + window), bytes);
  }
}
DEVICE_FN void __heddle_bulk_store(u32 to, u32 from, u32 bytes) {
  check_bulk(to, from, bytes);
  copy_bytes(to, from, bytes);
}
DEVICE_FN void __heddle_bulk_reduce(u32 to, u32 from, u32 bytes, u32 element, u32 operation, u32 kind) {
  check_bulk(to, from, bytes);
  reduce_bytes(to, from, bytes, element, operation, kind);
}
/* To shared memory of the cluster: the barrier is told. */
DEVICE_FN void __heddle_bulk_reduce_shared(u32 to, u32 from, u32 bytes, u32 element, u32 operation, u32 kind,
                                           u32 barrier) {
  check_bulk(to, from, bytes);
  reduce_bytes(to, from, bytes, element, operation, kind);
  __heddle_mbarrier_complete_tx((u64 *)barrier, bytes);
}
DEVICE_FN void __heddle_bulk_allowed(u32 to, u32 from, u32 bytes, u32 blocks) {
  check_bulk(to, from, bytes);
  check_blocks(blocks);
}
