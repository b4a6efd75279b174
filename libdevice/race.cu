/*
 * Racecheck's hooks (src/check/racecheck): what its code calls where a block begins and where threads have waited for one another.
 *
 * Time is counted in *intervals*: every block gets a new number at its start and behind each barrier, every warp behind each __syncwarp. The
 * numbers run on over all blocks, which are carried out one after the other. Whoever is the first behind a barrier begins the interval: each thread
 * counts the barriers that it has passed.
 */
#include "prelude.h"

#define SREG(name) __nvvm_read_ptx_sreg_##name()

/* The layout of the state: racecheck/race-state.ts. */
extern "C" __attribute__((device)) u32 __heddle_tool_race[];
extern "C" __attribute__((device)) u32 __heddle_tool_race_owners[];
/* By the number of a piece of work on a stream: 1 where nothing orders it with the one that runs. */
extern "C" __attribute__((device)) u8 __heddle_tool_race_streams[];
enum {
  COUNTER, LAUNCH, BLOCK, ROUND, TAG, BARRIERS, CLAIM, RANGES, PLANE_W, PLANE_R, PLANE_S,
  STREAM_PLANE = 16, STREAM_WORK, WINDOWS, WINDOW_BYTES,
  WARP_ROUND = 32, WARP_SYNCS = 64, THREAD_BARRIERS = 96, THREAD_SYNCS = 1120, RANGE = 2144,
  INTERVALS = 1 << 18, INTERVAL_SHIFT = 14,
};

INLINE u32 linear_thread() { return SREG(tid_x) + SREG(ntid_x) * (SREG(tid_y) + SREG(ntid_y) * SREG(tid_z)); }
INLINE u32 linear_block() { return SREG(ctaid_x) + SREG(nctaid_x) * (SREG(ctaid_y) + SREG(nctaid_y) * SREG(ctaid_z)); }

/* All numbers are used up: forgets every access, and begins again. What other blocks did before is not known any more. */
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
  __heddle_tool_race_owners[next] = race[TAG] - 1;
  return next << INTERVAL_SHIFT;
}

/* A thread begins. */
DEVICE_FN void __heddle_tool_race_enter() {
  u32* race = __heddle_tool_race;
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
DEVICE_FN void __heddle_tool_race_barrier() {
  u32* race = __heddle_tool_race;
  u32* passed = &race[THREAD_BARRIERS + linear_thread()];
  u32 count = *passed + 1;
  *passed = count;
  if (count > race[BARRIERS]) {
    race[BARRIERS] = count;
    race[ROUND] = next_interval(race);
  }
}

/* A thread has passed a __syncwarp of its whole warp. */
DEVICE_FN void __heddle_tool_race_warp() {
  u32* race = __heddle_tool_race;
  u32 thread = linear_thread(), warp = thread / 32;
  u32 count = race[THREAD_SYNCS + thread] + 1;
  race[THREAD_SYNCS + thread] = count;
  if (count > race[WARP_SYNCS + warp]) {
    race[WARP_SYNCS + warp] = count;
    race[WARP_ROUND + warp] = next_interval(race);
  }
}

/* Memory from the device's heap: what was done to it before it was freed is over. */
DEVICE_FN void __heddle_tool_race_fresh(void* start, u32 bytes) {
  u32* race = __heddle_tool_race;
  if (start == nullptr) return;
  bytes = (bytes + 3) & ~3u;
  __builtin_memset((void*)((u32)(__SIZE_TYPE__)start + race[PLANE_W]), 0, bytes);
  __builtin_memset((void*)((u32)(__SIZE_TYPE__)start + race[PLANE_R]), 0, bytes);
}

/*
 * A kernel accesses memory, where work on other streams may do so at the same time. A word's entry (racecheck/stream-races.ts) is its last write, and in
 * its upper half its last read: work 15 … 5, atomic 4, bytes 3 … 0. Returns the half that races with the access, of a read with bit 16; 0: none.
 */
DEVICE_FN u32 __heddle_tool_race_stream(u32 address, u32 bytes, u32 writes, u32 atomic) {
  u32* race = __heddle_tool_race;
  const u8* streams = __heddle_tool_race_streams;
  if (address - race[WINDOWS] < race[WINDOW_BYTES]) return 0;
  u32 found = 0, work = race[STREAM_WORK], flag = atomic << 4;
  for (u32 at = address & ~3u; at < address + bytes; at += 4) {
    u32 end = address + bytes - at, mask = (at < address ? 15u << (address - at) & 15u : 15u) & (end < 4 ? (1u << end) - 1 : 15u);
    u32* place = (u32*)(__SIZE_TYPE__)(at + race[STREAM_PLANE]);
    u32 old = *place, write = old & 0xffff, read = old >> 16;
    bool by_write = streams[write >> 5] != 0 && (write & mask) != 0 && (write & flag) == 0;
    bool by_read = writes != 0 && streams[read >> 5] != 0 && (read & mask) != 0 && (read & flag) == 0;
    found = found != 0 ? found : by_write ? write : by_read ? read | 0x10000 : 0;
    u32 before = writes != 0 ? write : read;
    u32 now = before >> 5 == work ? (before & 15) | mask | (before & flag) : mask | flag;
    now |= work << 5;
    *place = writes != 0 ? (old & 0xffff0000) | now : write | now << 16;
  }
  return found;
}
