/*
 * The profiler's counts of what the tensor memory accelerator moves (src/profile/transfers.ts): instructions, sectors
 * of global memory, and which sectors a launch touches (src/machine/line-records.ts has the maps).
 */
#include "prelude.h"

extern "C" DEVICE u32 __heddle_shared_window();
extern "C" DEVICE u32 __heddle_cluster_window();
extern "C" DEVICE u32 __heddle_cluster_stride();
extern "C" DEVICE u32 __heddle_cluster_nctarank();

#define HOOK extern "C" __attribute__((device)) NOINLINE
enum { LOAD, STORE, REDUCE };
/* Counters of a record. */
enum { INSTRUCTIONS, SECTORS, SENT };
/* Words of the traces of lines that hold where the maps are; marks of the map of writes. */
enum { READ_MAP = 4, WRITTEN_MAP = 5, WRITTEN = 1, WRITTEN_FIRST = 2, ATOMIC = 4 };
enum { SECTOR_BYTES = 32, MOST_SHARED_BYTES = 256 * 1024 };

INLINE void add(u32 record, u32 counter, u32 amount) {
  __atomic_fetch_add((u64 *)record + counter, (u64)amount, __ATOMIC_RELAXED);
}
INLINE void mark_sector(u32 lines, u32 what, u32 sector) {
  const u32 shift = 8 * (sector & 3), read = ((const u32 *)lines)[READ_MAP] + (sector & ~3u);
  const u32 written = ((const u32 *)lines)[WRITTEN_MAP] + (sector & ~3u);
  if (what != STORE) __atomic_fetch_or((u32 *)read, 1u << shift, __ATOMIC_RELAXED);
  if (what == LOAD) return;
  const u32 before = (*(const u32 *)read | *(const u32 *)written) >> shift & 1;
  const u32 marks = what == REDUCE ? WRITTEN | ATOMIC : before != 0 ? WRITTEN : WRITTEN | WRITTEN_FIRST;
  __atomic_fetch_or((u32 *)written, marks << shift, __ATOMIC_RELAXED);
}
/* @return the sectors of [at, at + bytes) */
static DEVICE NOINLINE u32 mark(u32 lines, u32 what, u32 at, u32 bytes) {
  if (bytes == 0) return 0;
  const u32 first = at / SECTOR_BYTES, last = (at + bytes - 1) / SECTOR_BYTES;
  for (u32 sector = first; sector <= last; ++sector) mark_sector(lines, what, sector);
  return last - first + 1;
}

/*
 * `sectors` that L2 sends once. Each block of a multicast (`blocks`: one bit each, or 0) receives them; Nsight Compute
 * counts these.
 */
INLINE void count(u32 record, u32 sectors, u32 blocks) {
  add(record, INSTRUCTIONS, 1);
  add(record, SECTORS, blocks == 0 ? sectors : sectors * __builtin_popcount(blocks));
  add(record, SENT, sectors);
}

/* Copies of tensors; the words of a map, and what `how` means: libdevice/hopper.cu. */
enum { ADDRESS = 1, RANK, BYTES, EXTENTS = 8, STRIDES = 12, BOX = 17, STEPS = 22, CORNERS = 27, IS_IM2COL = 30 };
struct Row { u32 address; bool isInside; };
INLINE void go_on(const u32 *map, Row &row, u32 axis, i64 place) {
  row.isInside = row.isInside && place >= 0 && place < (i64)map[EXTENTS + axis];
  row.address += (u32)place * map[STRIDES + axis];
}
static DEVICE NOINLINE Row row_of_tile(const u32 *map, const i32 *at, u32 number) {
  Row row = {map[ADDRESS], true};
  for (u32 axis = 1; axis < map[RANK]; ++axis) {
    const u32 step = map[STEPS + axis], count = (map[BOX + axis] + step - 1) / step;
    go_on(map, row, axis, (i64)at[axis] + (i64)(number % count) * step);
    number /= count;
  }
  return row;
}
/* The next pixel's row; `place` goes on. */
static DEVICE NOINLINE Row row_of_pixel(const u32 *map, i64 *place, u32 how) {
  const u32 last = map[RANK] - 1, bits = last == 2 ? 16 : last == 3 ? 8 : 5;
  Row row = {map[ADDRESS], true};
  for (u32 axis = 1; axis < last; ++axis)
    go_on(map, row, axis, place[axis] + (how >> (axis - 1) * bits & ((1u << bits) - 1)));
  go_on(map, row, last, place[last]);
  for (u32 axis = 1; axis < last; ++axis) {
    const i32 corners = (i32)map[CORNERS + axis - 1];
    place[axis] += map[STEPS + axis];
    if (place[axis] < (i64)map[EXTENTS + axis] + (corners >> 16)) return row;
    place[axis] = (short)corners;
  }
  ++place[last];
  return row;
}
HOOK void __heddle_tool_profile_tile(u32 record, u32 lines, u32 what, const u32 *map, i32 x, i32 y, i32 z, i32 u,
                                     i32 v, u32 how, u32 blocks) {
  if (map[0] != 0x31504d54u) return;
  const i32 at[5] = {x, y, z, u, v};
  i64 place[5] = {x, y, z, u, v};
  const i64 extent = map[EXTENTS], end = (i64)x + map[BOX], low = x < 0 ? 0 : x, high = end < extent ? end : extent;
  u32 rows = map[BOX + 1], sectors = 0;
  if (map[IS_IM2COL] == 0) {
    rows = 1;
    for (u32 axis = 1; axis < map[RANK]; ++axis)
      rows *= (map[BOX + axis] + map[STEPS + axis] - 1) / map[STEPS + axis];
  }
  for (u32 r = 0; r < rows && low < high; ++r) {
    const Row row = map[IS_IM2COL] == 0 ? row_of_tile(map, at, r) : row_of_pixel(map, place, how);
    if (row.isInside)
      sectors += mark(lines, what, row.address + (u32)low * map[BYTES], (u32)(high - low) * map[BYTES]);
  }
  count(record, sectors, blocks);
}
/* Plain bytes; `at`: what may be global memory, and is not between blocks of a cluster. */
HOOK void __heddle_tool_profile_bulk(u32 record, u32 lines, u32 what, u32 at, u32 bytes, u32 blocks) {
  const u32 stride = __heddle_cluster_stride();
  const u32 first = stride == 0 ? __heddle_shared_window() : __heddle_cluster_window();
  const u32 own = stride == 0 ? (u32)MOST_SHARED_BYTES : stride * __heddle_cluster_nctarank();
  count(record, at - first >= own ? mark(lines, what, at, bytes) : 0, blocks);
}
