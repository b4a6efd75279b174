/*
 * Racecheck's hooks (src/check/racecheck): functions that its code calls where a block begins and where threads have
 * waited for one another.
 *
 * Time is counted in *intervals*: every block gets a new number at its start and behind each barrier, every warp
 * behind each __syncwarp. The numbers run on over all blocks, because blocks run one after the other. The first thread
 * that goes on behind a barrier begins the interval: each thread counts the barriers that it has passed.
 * src/check/racecheck/race-state.ts says what an entry of a word means.
 */
#include "prelude.h"

#define SREG(name) __nvvm_read_ptx_sreg_##name()

/* The layout of the state: racecheck/race-state.ts. */
extern "C" __attribute__((device)) u32 __heddle_tool_check_race[];
extern "C" __attribute__((device)) u32 __heddle_tool_check_race_owners[];
/*
 * Pieces of work on streams, in their order: the first interval, and in bit 0 whether nothing orders the work with the
 * one that runs.
 */
extern "C" __attribute__((device)) u32 __heddle_tool_check_race_works[];
enum {
  COUNTER, LAUNCH, BLOCK, ROUND, TAG, BARRIERS, CLAIM, RANGES, PLANE_W, PLANE_R, PLANE_S,
  WORKS = 16, WORK_START, WINDOWS, WINDOW_BYTES,
  WARP_ROUND = 32, WARP_SYNCS = 64, THREAD_BARRIERS = 96, THREAD_SYNCS = 1120, RANGE = 2144,
  INTERVALS = 1 << 18, INTERVAL_SHIFT = 14, THREAD_SHIFT = 4,
};

INLINE u32 linear_thread() { return SREG(tid_x) + SREG(ntid_x) * (SREG(tid_y) + SREG(ntid_y) * SREG(tid_z)); }
INLINE u32 linear_block() {
  return SREG(ctaid_x) + SREG(nctaid_x) * (SREG(ctaid_y) + SREG(nctaid_y) * SREG(ctaid_z));
}

/* All numbers are used up: forgets every access, and starts again. What other blocks did before is lost. */
INLINE void forget(u32* race) {
  race[CLAIM] = 1;
  if (__atomic_exchange_n(&race[CLAIM], 0u, __ATOMIC_RELAXED) != 0) {
    for (u32 i = 0; i < race[RANGES]; i++) {
      u32 start = race[RANGE + 2 * i], bytes = race[RANGE + 2 * i + 1];
      __builtin_memset((void*)(start + race[PLANE_W]), 0, bytes);
      __builtin_memset((void*)(start + race[PLANE_R]), 0, bytes);
    }
  }
  race[LAUNCH] = 1u << INTERVAL_SHIFT;
  race[BLOCK] = 2u << INTERVAL_SHIFT;
}

INLINE u32 next_interval(u32* race) {
  u32 next = race[COUNTER] + 1;
  if (next >= INTERVALS) {
    forget(race);
    next = 2;
  }
  race[COUNTER] = next;
  __heddle_tool_check_race_owners[next] = race[TAG] - 1;
  return next << INTERVAL_SHIFT;
}

/* A thread begins. */
DEVICE_FN void __heddle_tool_check_race_enter() {
  u32* race = __heddle_tool_check_race;
  u32 thread = linear_thread(), tag = linear_block() + 1;
  if (race[TAG] != tag) {
    race[TAG] = tag;
    race[BARRIERS] = 0;
    u32 interval = next_interval(race);
    race[BLOCK] = interval;
    race[ROUND] = interval;
  }
  race[WARP_ROUND + thread / 32] = 0;
  race[WARP_SYNCS + thread / 32] = 0;
  race[THREAD_BARRIERS + thread] = 0;
  race[THREAD_SYNCS + thread] = 0;
}

/* A thread has passed a barrier of its whole block. */
DEVICE_FN void __heddle_tool_check_race_barrier() {
  u32* race = __heddle_tool_check_race;
  u32* passed = &race[THREAD_BARRIERS + linear_thread()];
  u32 count = *passed + 1;
  *passed = count;
  if (count > race[BARRIERS]) {
    race[BARRIERS] = count;
    race[ROUND] = next_interval(race);
  }
}

/* A thread has passed a __syncwarp of its whole warp. */
DEVICE_FN void __heddle_tool_check_race_warp() {
  u32* race = __heddle_tool_check_race;
  u32 thread = linear_thread(), warp = thread / 32;
  u32 count = race[THREAD_SYNCS + thread] + 1;
  race[THREAD_SYNCS + thread] = count;
  if (count > race[WARP_SYNCS + warp]) {
    race[WARP_SYNCS + warp] = count;
    race[WARP_ROUND + warp] = next_interval(race);
  }
}

/* New memory from the device's heap: accesses from before it was freed do not count. */
DEVICE_FN void __heddle_tool_check_race_fresh(void* start, u32 bytes) {
  u32* race = __heddle_tool_check_race;
  if (start == nullptr) return;
  bytes = (bytes + 3) & ~3u;
  __builtin_memset((void*)((u32)(__SIZE_TYPE__)start + race[PLANE_W]), 0, bytes);
  __builtin_memset((void*)((u32)(__SIZE_TYPE__)start + race[PLANE_R]), 0, bytes);
}

/* The work that made an entry, counted from 1, if nothing orders it with the work that runs; 0: there is none. */
INLINE u32 unordered_work(const u32* race, u32 entry) {
  const u32* works = __heddle_tool_check_race_works;
  u32 interval = entry >> INTERVAL_SHIFT, first = 0, end = race[WORKS];
  if (end == 0 || interval < works[0] >> 1) return 0;
  while (end - first > 1) {
    u32 middle = (first + end) / 2;
    if (interval < works[middle] >> 1) end = middle;
    else first = middle;
  }
  return (works[first] & 1) != 0 ? first + 1 : 0;
}

/*
 * A kernel accesses memory, where work on other streams may do so at the same time (racecheck/stream-races.ts). Called
 * before the code that looks for races among the threads of the launch. Returns the work that races with the access:
 * bit 16 says that it read, bit 17 that the access was atomic. 0: none.
 */
DEVICE_FN u32 __heddle_tool_check_race_stream(u32 address, u32 bytes, u32 writes, u32 atomic) {
  u32* race = __heddle_tool_check_race;
  if (address - race[WINDOWS] < race[WINDOW_BYTES]) return 0;
  u32 found = 0, start = race[WORK_START], shift = writes != 0 ? 12 : 28;
  for (u32 at = address & ~3u; at < address + bytes; at += 4) {
    u32 end = address + bytes - at;
    u32 mask = (at < address ? 15u << (address - at) & 15u : 15u) & (end < 4 ? (1u << end) - 1 : 15u);
    u32 *by_write = (u32*)(__SIZE_TYPE__)(at + race[PLANE_W]), *by_read = (u32*)(__SIZE_TYPE__)(at + race[PLANE_R]);
    u32* sites = (u32*)(__SIZE_TYPE__)(at + race[PLANE_S]);
    u32 write = *by_write, read = *by_read, touched = *sites, reader = 0;
    if (found == 0 && write < start && (touched >> 12 & mask) != 0 && (write & atomic) == 0) {
      u32 work = unordered_work(race, write);
      found = work == 0 ? 0 : work | (write & 1) << 17;
    }
    if (found == 0 && (touched >> 28 & mask) != 0 && (read & atomic) == 0) {
      u32 work = read < start ? unordered_work(race, read) : 0;
      if (writes == 0) reader = (read & 1) == 0 && work < 1024 ? work : 0;
      else if (work != 0) found = work | 0x10000 | (read & 1) << 17;
      /* This work has read it, too: the place of the thread then holds the work that had read it before. */
      else if (read >> INTERVAL_SHIFT == start >> INTERVAL_SHIFT && (read >> THREAD_SHIFT & 1023) != 0)
        found = (read >> THREAD_SHIFT & 1023) | 0x10000;
    }
    u32* mine = writes != 0 ? by_write : by_read;
    if (*mine < start) {
      *mine = start | reader << THREAD_SHIFT | atomic;
      touched = (touched & ~(15u << shift)) | mask << shift;
    } else {
      touched |= mask << shift;
      /* Plain accesses of this work that no thread's own entry stands for. */
      if (atomic == 0 && *mine >> INTERVAL_SHIFT == start >> INTERVAL_SHIFT) *mine &= ~1u;
    }
    *sites = touched;
  }
  return found;
}
