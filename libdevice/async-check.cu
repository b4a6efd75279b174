/*
 * Asynccheck's hooks (src/check/asynccheck): until when an asynchronous operation may be under way.
 *
 * Here an operation is done when its instruction is. PTX promises less: a copy is there once a wait on its barrier or
 * its group has returned (PTX ISA 8.5, 9.7.8.24 and 9.7.12.15), a product once its group was waited for (9.7.15.7).
 * So each word of shared memory has a state: an operation may still write it, or still reads it, or a thread has
 * written it and no proxy fence stands between that and the asynchronous proxy (8.7, "Causality order": proxies).
 *
 * A barrier that a copy signals is held open by one byte more than the program expects, until a thread waits for just
 * that phase: a thread that waits for the wrong phase goes on at once, as it may on a GPU.
 *
 * Blocks run on one host thread, and a hook runs to its end before the next thread goes on. Where a table is full, or
 * two words meet in one entry, something is not reported; nothing is reported that is right.
 */
#include "prelude.h"

#define SREG(name) __nvvm_read_ptx_sreg_##name()
#define HOOK extern "C" __attribute__((device)) NOINLINE

extern "C" DEVICE u32 __heddle_shared_window();
extern "C" DEVICE u32 __heddle_cluster_window();
extern "C" DEVICE u32 __heddle_cluster_stride();
extern "C" DEVICE u32 __heddle_cluster_nctarank();
extern "C" DEVICE void __heddle_mbarrier_expect_tx(u64 *barrier, u32 bytes);
extern "C" DEVICE void __heddle_mbarrier_complete_tx(u64 *barrier, u32 bytes);

/* The layout: asynccheck/async-state.ts. */
extern "C" __attribute__((device)) u32 __heddle_tool_check_async[];
extern "C" __attribute__((device)) u32 __heddle_tool_check_async_words[];
extern "C" __attribute__((device)) u32 __heddle_tool_check_async_operations[];
extern "C" __attribute__((device)) u32 __heddle_tool_check_async_threads[];
extern "C" __attribute__((device)) u32 __heddle_tool_check_async_windows[];

enum {
  LAUNCH = 0, START = 1, END = 2, FREE = 3, USED = 4, SEEN = 5, CLOCK = 6,
  THREAD_LISTS = 528, BARRIER_LISTS = 1552, LISTS = 1024, WINDOWS = 1 << 18,
  WORDS = 1 << 18, OPERATIONS = 1 << 16, THREADS = 1 << 17, CLOCK_BITS = 22,
};
/* Of a word: flags, readers from bit 2 on, the swizzle that a tile has here, the site of what made the state. */
enum { DIRTY = 1, WRITING = 2, READER = 4, READERS = 0xfc, SWIZZLE = 0x300, IS_TILE = 0x400, SITE_SHIFT = 11 };
enum { COPY, STORE, PRODUCT, LOAD };
/* Answers; the site of the other operation stands from bit 4 on. */
enum { EARLY_READ = 1, OVERWRITE = 2, EARLY_WRITE = 3, NO_FENCE = 4, WRONG_SWIZZLE = 5, WRONG_PHASE = 6 };

struct shared_word { u32 tag, flags, written; };
struct operation {
  u32 next, kind, window, serial, thread, group, at, bytes, barrier, phase, site, held, columns, options;
  u64 a, b;
};
struct thread_record { u32 key, serial, fence, done, groups[3], lost; };
/* Of a block's shared memory: how many blocks have had it, and whether the last wait was for a wrong phase. */
struct window_record { u32 serial, wrong; };

INLINE u32 *state() { return __heddle_tool_check_async; }
INLINE operation *operation_at(u32 n) { return (operation *)__heddle_tool_check_async_operations + n; }
INLINE u32 linear_thread() { return SREG(tid_x) + SREG(ntid_x) * (SREG(tid_y) + SREG(ntid_y) * SREG(tid_z)); }
INLINE u32 window_number(u32 window) { return ((window - state()[START]) >> 8) % WINDOWS; }
INLINE window_record *window_at(u32 window) {
  return (window_record *)__heddle_tool_check_async_windows + window_number(window);
}
INLINE u32 serial_of(u32 window) { return window_at(window)->serial; }
/* The block whose shared memory an address is in: of this cluster. */
INLINE u32 window_of(u32 address) {
  const u32 first = __heddle_cluster_window(), stride = __heddle_cluster_stride();
  if (stride == 0 || address < first) return __heddle_shared_window();
  const u32 rank = (address - first) / stride;
  return rank < __heddle_cluster_nctarank() ? first + rank * stride : __heddle_shared_window();
}
static DEVICE NOINLINE shared_word *word_at(u32 address) {
  shared_word *w = (shared_word *)__heddle_tool_check_async_words + (address >> 2) % WORDS;
  const u32 tag = (address >> 20 & 0xfff) | serial_of(window_of(address)) << 12;
  if (w->tag != tag) *w = {tag, 0, 0};
  return w;
}
/* Each thread has one from its beginning on. Another thread may have taken its place: then nothing is known any more,
 * and everything counts as waited for. */
static DEVICE NOINLINE thread_record *record_of(u32 thread, bool isNew = false) {
  const u32 window = __heddle_shared_window();
  thread_record *r =
      (thread_record *)__heddle_tool_check_async_threads + (thread + window_number(window) * 1031) % THREADS;
  const u32 key = window + thread, serial = serial_of(window), lost = isNew ? 0 : ~0u;
  if (isNew || r->key != key || r->serial != serial) *r = {key, serial, lost, lost, {0, 0, 0}, lost};
  return r;
}
INLINE u32 answer(u32 what, u32 flags) { return what | flags >> SITE_SHIFT << 4; }
/* A read that comes too early: the block has waited for another phase of a barrier. */
INLINE u32 early(u32 flags) {
  return answer(window_at(__heddle_shared_window())->wrong != 0 ? WRONG_PHASE : EARLY_READ, flags);
}
INLINE u32 with_site(u32 flags, u32 site) { return (flags & ((1u << SITE_SHIFT) - 1)) | site << SITE_SHIFT; }

/* ---------------------------------------------------------------- words */

/* Whether the asynchronous proxy sees what a thread has written: that thread, or this one, has had a fence since. */
INLINE bool is_fenced(u32 written) {
  const u32 clock = written & ((1u << CLOCK_BITS) - 1);
  return record_of(written >> CLOCK_BITS)->fence > clock || record_of(linear_thread())->fence > clock;
}
INLINE u32 stamp(u32 thread) { return thread << CLOCK_BITS | (state()[CLOCK] & ((1u << CLOCK_BITS) - 1)); }

/* The asynchronous proxy begins to read. */
static DEVICE NOINLINE u32 begin_reading(u32 at, u32 bytes, u32 site, u32 swizzle) {
  u32 found = 0;
  for (u32 a = at & ~3u; a < at + bytes; a += 4) {
    shared_word *w = word_at(a);
    if (found == 0) {
      if (w->flags & WRITING) found = early(w->flags);
      else if (w->flags & DIRTY && !is_fenced(w->written)) found = answer(NO_FENCE, w->flags);
      else if (swizzle < 4 && w->flags & IS_TILE && (w->flags & SWIZZLE) >> 8 != swizzle)
        found = answer(WRONG_SWIZZLE, w->flags);
    }
    if ((w->flags & READERS) != READERS) w->flags += READER;
    if ((w->flags & (WRITING | DIRTY)) == 0) w->flags = with_site(w->flags, site);
  }
  return found;
}
INLINE void end_reading(u32 at, u32 bytes) {
  for (u32 a = at & ~3u; a < at + bytes; a += 4) {
    shared_word *w = word_at(a);
    if (w->flags & READERS) w->flags -= READER;
  }
}
/* Something asynchronous begins to write. `tile`: IS_TILE and its swizzle, or 0. */
static DEVICE NOINLINE u32 begin_writing(u32 at, u32 bytes, u32 site, u32 tile) {
  u32 found = 0;
  for (u32 a = at & ~3u; a < at + bytes; a += 4) {
    shared_word *w = word_at(a);
    if (found == 0 && w->flags & READERS) found = answer(EARLY_WRITE, w->flags);
    if (found == 0 && w->flags & WRITING) found = answer(OVERWRITE, w->flags);
    w->flags = with_site((w->flags & READERS) | WRITING | tile, site);
  }
  return found;
}
INLINE void end_writing(u32 at, u32 bytes, bool isGeneric, u32 thread) {
  for (u32 a = at & ~3u; a < at + bytes; a += 4) {
    shared_word *w = word_at(a);
    w->flags &= ~(u32)WRITING;
    if (!isGeneric) continue;
    w->flags |= DIRTY;
    w->written = stamp(thread);
  }
}

/* An access of a thread: the proxy of all that is not asynchronous. kind: 1 reads, 2 writes, 3 both. */
HOOK u32 __heddle_tool_check_async_access(u32 address, u32 bytes, u32 kind, u32 site) {
  if (address < state()[START] || address >= state()[END]) return 0;
  u32 found = 0;
  for (u32 a = address & ~3u; a < address + bytes; a += 4) {
    shared_word *w = word_at(a);
    const u32 flags = w->flags;
    if (found == 0 && flags & WRITING) found = kind == 2 ? answer(OVERWRITE, flags) : early(flags);
    if ((kind & 2) == 0) continue;
    if (found == 0 && flags & READERS) found = answer(EARLY_WRITE, flags);
    w->written = stamp(linear_thread());
    w->flags = flags & (WRITING | READERS) ? flags | DIRTY : with_site(DIRTY, site);
  }
  return found;
}

/* ---------------------------------------------------------------- products: what descriptors name */

template <class F> INLINE u32 each_chunk(u64 bits, u32 lines, bool transposed, F visit) {
  const u32 window = __heddle_shared_window(), field = (u32)(bits & 0x3fff) << 4, mode = (u32)(bits >> 62);
  const u32 start = window + ((field - window) & 0x3ffffu), leading = (u32)(bits >> 16 & 0x3fff) << 4;
  const u32 stride = (u32)(bits >> 32 & 0x3fff) << 4, base = (u32)(bits >> 49 & 7);
  const u32 span = mode == 0 ? 16 : 256u >> mode;
  /* Swizzles as tensor maps name them: 0 none, 1 of 32, 2 of 64, 3 of 128 bytes. */
  const u32 swizzle = mode == 0 ? 0 : 4 - mode;
  u32 found = 0;
  auto at = [&](u32 address) {
    const u32 f = visit(address ^ (((address >> 7) - base) & (span / 16 - 1)) << 4, swizzle);
    if (found == 0) found = f;
  };
  if (!transposed) {
    for (u32 i = 0; i < lines; ++i)
      for (u32 c = 0; c < 2; ++c)
        at(start + (i & 7) * span + (i >> 3) * stride + (span == 16 ? c * leading : 16 * c));
    return found;
  }
  const u32 perSpan = span / 2, groups = span == 16 ? stride : leading, eights = span == 16 ? leading : stride;
  for (u32 k = 0; k < 16; ++k)
    for (u32 i = 0; i < lines; i += 8)
      at(start + i / perSpan * groups + (k & 7) * span + (k >> 3) * eights + i % perSpan * 2);
  return found;
}
enum { TRANSPOSE_A = 8, TRANSPOSE_B = 16 }; /* libdevice/wgmma.cu */
template <class F> INLINE u32 each_operand(const operation *o, F visit) {
  const u32 a = o->a == 0 ? 0 : each_chunk(o->a, 64, o->options & TRANSPOSE_A, visit);
  const u32 b = each_chunk(o->b, o->columns, o->options & TRANSPOSE_B, visit);
  return a != 0 ? a : b;
}

/* ---------------------------------------------------------------- operations under way */

static DEVICE NOINLINE operation *new_operation(u32 list, u32 kind, u32 window, u32 site) {
  u32 n = state()[FREE];
  if (n != 0) state()[FREE] = operation_at(n)->next;
  else {
    n = state()[USED] + 1;
    if (n >= OPERATIONS) return nullptr;
    state()[USED] = n;
  }
  operation *o = operation_at(n);
  *o = {state()[list], kind, window, serial_of(window), linear_thread(), 0, 0, 0, 0, 0, site, 0, 0, 0, 0, 0};
  state()[list] = n;
  return o;
}
static DEVICE NOINLINE void complete(operation *o) {
  if (o->kind == PRODUCT)
    each_operand(o, [](u32 chunk, u32) {
      end_reading(chunk, 16);
      return 0u;
    });
  else if (o->kind == STORE) end_reading(o->at, o->bytes);
  else end_writing(o->at, o->bytes, o->kind == COPY, o->thread);
}
INLINE u32 thread_list(u32 thread) {
  return THREAD_LISTS + (window_number(__heddle_shared_window()) * 37 + thread) % LISTS;
}
INLINE u32 barrier_list(u32 barrier) { return BARRIER_LISTS + (barrier >> 3) % LISTS; }
/* Takes operations out of a list: those that `is` names are complete; those of blocks that have ended are forgotten. */
template <class F> INLINE void take(u32 list, F is) {
  u32 *link = &state()[list];
  while (*link != 0) {
    const u32 n = *link;
    operation *o = operation_at(n);
    const bool isStale = o->serial != serial_of(o->window);
    if (!isStale && !is(o)) {
      link = &o->next;
      continue;
    }
    *link = o->next;
    if (!isStale) complete(o);
    o->next = state()[FREE];
    state()[FREE] = n;
  }
}

/* A thread begins; `block`: two words of the block's shared memory, undefined at first. */
HOOK void __heddle_tool_check_async_enter(u32 *block) {
  const u32 launch = state()[LAUNCH];
  const u32 number = SREG(ctaid_x) + SREG(nctaid_x) * (SREG(ctaid_y) + SREG(nctaid_y) * SREG(ctaid_z)) + 1;
  if (state()[SEEN] != launch) {
    state()[SEEN] = launch;
    state()[FREE] = state()[USED] = 0;
    for (u32 i = 0; i < 2 * LISTS; ++i) state()[THREAD_LISTS + i] = 0;
  }
  if (block[0] != launch || block[1] != number) {
    block[0] = launch;
    block[1] = number;
    window_record *own = window_at(__heddle_shared_window());
    *own = {(own->serial + 1) & 0xfffff, 0};
  }
  record_of(linear_thread(), true);
}

/* fence.proxy.async */
HOOK void __heddle_tool_check_async_fence() { record_of(linear_thread())->fence = ++state()[CLOCK]; }

/* cp.async */
HOOK u32 __heddle_tool_check_async_copy(u32 to, u32 bytes, u32 site) {
  const u32 thread = linear_thread(), list = thread_list(thread), window = __heddle_shared_window();
  const u32 group = record_of(thread)->groups[COPY], found = begin_writing(to, bytes, site, 0);
  operation *last = state()[list] == 0 ? nullptr : operation_at(state()[list]);
  if (last != nullptr && last->kind == COPY && last->thread == thread && last->window == window &&
      last->serial == serial_of(window) && last->group == group && last->at + last->bytes == to) {
    last->bytes += bytes;
    return found;
  }
  operation *o = new_operation(list, COPY, window, site);
  if (o == nullptr) {
    end_writing(to, bytes, true, thread);
    return found;
  }
  o->group = group;
  o->at = to;
  o->bytes = bytes;
  return found;
}
/* The groups of a thread: `kind` as above. */
HOOK void __heddle_tool_check_async_commit(u32 kind) { ++record_of(linear_thread())->groups[kind]; }
/* All but the latest `left` groups are complete; ~0: everything is, committed or not. */
HOOK void __heddle_tool_check_async_wait(u32 kind, u32 left) {
  const u32 thread = linear_thread(), window = __heddle_shared_window();
  thread_record *r = record_of(thread);
  const u32 committed = r->groups[kind], all = left == ~0u ? ~0u : r->lost;
  const u32 done = all != 0 ? ~0u : committed > left ? committed - left : 0;
  if (kind == PRODUCT) r->done = done;
  take(thread_list(thread), [=](const operation *o) {
    return o->kind == kind && o->thread == thread && o->window == window && o->group < done;
  });
}

/* cp.async.bulk from shared memory, and its tensor form */
HOOK u32 __heddle_tool_check_async_store(u32 from, u32 bytes, u32 site) {
  const u32 thread = linear_thread(), found = begin_reading(from, bytes, site, ~0u);
  operation *o = new_operation(thread_list(thread), STORE, __heddle_shared_window(), site);
  if (o == nullptr) {
    end_reading(from, bytes);
    return found;
  }
  o->group = record_of(thread)->groups[STORE];
  o->at = from;
  o->bytes = bytes;
  return found;
}
/* The parts of a tensor map that are needed here: libdevice/hopper.cu. */
INLINE u32 tile_bytes(const u32 *map) {
  const u32 row = map[17] * map[3], swizzle = map[5];
  return swizzle == 0 || row == 0 ? map[7] : map[7] / row * swizzle;
}
INLINE bool is_map(const u32 *map) { return map[0] == 0x31504d54u; }
HOOK u32 __heddle_tool_check_async_tile_store(u32 from, const u32 *map, u32 site) {
  return is_map(map) ? __heddle_tool_check_async_store(from, tile_bytes(map), site) : 0;
}

/* Copies to shared memory: the phase of the barrier stays open. */
static DEVICE NOINLINE u32 begin_load(u32 to, u32 bytes, u32 barrier, u32 site, u32 tile) {
  const u32 found = begin_writing(to, bytes, site, tile);
  operation *o = new_operation(barrier_list(barrier), LOAD, window_of(to), site);
  if (o == nullptr) {
    end_writing(to, bytes, false, 0);
    return found;
  }
  o->at = to;
  o->bytes = bytes;
  o->barrier = barrier;
  o->phase = (u32)(*(u64 *)barrier >> 63);
  o->held = 1;
  __heddle_mbarrier_expect_tx((u64 *)barrier, 1);
  return found;
}
static DEVICE NOINLINE u32 begin_loads(u32 to, u32 bytes, u32 barrier, u32 blocks, u32 site, u32 tile) {
  if (blocks == 0) return begin_load(to, bytes, barrier, site, tile);
  const u32 own = __heddle_shared_window(), first = __heddle_cluster_window(), stride = __heddle_cluster_stride();
  u32 found = 0;
  for (u32 rank = 0; rank < __heddle_cluster_nctarank(); ++rank) {
    if ((blocks >> rank & 1) == 0) continue;
    const u32 there = first + rank * stride - own;
    const u32 f = begin_load(to + there, bytes, barrier + there, site, tile);
    if (found == 0) found = f;
  }
  return found;
}
HOOK u32 __heddle_tool_check_async_load(u32 to, u32 bytes, u32 barrier, u32 blocks, u32 site) {
  /* To global memory, or from another block's shared memory: not followed. */
  if (to < state()[START] || to >= state()[END]) return 0;
  return begin_loads(to, bytes, barrier, blocks, site, 0);
}
HOOK u32 __heddle_tool_check_async_tile_load(u32 to, const u32 *map, u32 barrier, u32 blocks, u32 site) {
  if (!is_map(map)) return 0;
  const u32 swizzle = map[5] == 0 ? 0 : map[5] == 32 ? 1 : map[5] == 64 ? 2 : 3;
  return begin_loads(to, tile_bytes(map), barrier, blocks, site, IS_TILE | swizzle << 8);
}
/* A thread is about to look whether a phase is over: copies of just that phase are there now. */
HOOK void __heddle_tool_check_async_test(u32 barrier, u32 phase) {
  if ((u32)(*(u64 *)barrier >> 63) != (phase & 1)) return;
  for (u32 n = state()[barrier_list(barrier)]; n != 0; n = operation_at(n)->next) {
    operation *o = operation_at(n);
    if (o->barrier != barrier || o->held == 0 || o->serial != serial_of(o->window)) continue;
    o->held = 0;
    __heddle_mbarrier_complete_tx((u64 *)barrier, 1);
  }
}
HOOK void __heddle_tool_check_async_tested(u32 barrier, u32 phase, u32 isOver) {
  if (isOver == 0) return;
  bool isWrong = false;
  take(barrier_list(barrier), [&](const operation *o) {
    if (o->barrier != barrier) return false;
    if (o->phase != (phase & 1)) isWrong = true;
    return o->phase == (phase & 1) && o->held == 0;
  });
  window_at(__heddle_shared_window())->wrong = isWrong;
}

/* wgmma.mma_async: the first thread of the warpgroup looks at memory for all. */
HOOK u32 __heddle_tool_check_async_product(u64 a, u32 aInRegisters, u64 b, u32 columns, u32 options, u32 site) {
  const u32 thread = linear_thread();
  if (thread % 128 != 0) return 0;
  operation *o = new_operation(thread_list(thread), PRODUCT, __heddle_shared_window(), site);
  if (o == nullptr) return 0;
  o->group = record_of(thread)->groups[PRODUCT];
  o->a = aInRegisters ? 0 : a;
  o->b = b;
  o->columns = columns;
  o->options = options;
  return each_operand(o, [=](u32 chunk, u32 swizzle) { return begin_reading(chunk, 16, site, swizzle); });
}
/* The group that a product which is issued now will be in, from 1 on; whether it may still be under way. */
HOOK u32 __heddle_tool_check_async_group() { return record_of(linear_thread())->groups[PRODUCT] + 1; }
HOOK u32 __heddle_tool_check_async_pending(u32 group) { return group > record_of(linear_thread())->done; }
