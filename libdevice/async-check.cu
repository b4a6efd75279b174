/*
 * Asynccheck's hooks (src/check/asynccheck): until when an asynchronous operation may be under way.
 *
 * PTX promises that a copy is there once a wait on its barrier or its group has returned (PTX ISA 8.5, 9.7.8.24 and
 * 9.7.12.15), and a product once its group was waited for (9.7.15.7). Until then an operation may still write a word of
 * shared memory, or still reads it: each word has a state. A thread may also have written it without a proxy fence
 * between that and the asynchronous proxy (8.7, "Causality order": proxies).
 *
 * Copies are made as late as PTX allows, so that what comes too early sees old memory every time:
 *   cp.async                    where its thread waits for its group
 *   cp.async that a barrier tracks (cp.async.mbarrier.arrive), st.async,
 *   bulk copies with a barrier  where a thread tests the barrier for just that phase, and nothing else is missing
 *   bulk copies in a group      shared memory is read where the thread waits for that (wait_group.read), global memory
 *                               written at wait_group, or at the thread's end
 * Products are made at once. Their sums are NaN for a thread that reads them before the wait, and for all that reads
 * them later if their operands were overwritten meanwhile.
 *
 * Blocks run on one host thread. A hook runs to its end before the next thread goes on, but for loops that make copies.
 * Where a table is full, a copy is made at once; where two words meet in one entry, something is not reported. Nothing
 * is reported that is right.
 */
#include "prelude.h"

#define SREG(name) __nvvm_read_ptx_sreg_##name()
#define HOOK extern "C" __attribute__((device)) NOINLINE

extern "C" DEVICE u32 __heddle_shared_window();
extern "C" DEVICE u32 __heddle_cluster_window();
extern "C" DEVICE u32 __heddle_cluster_stride();
extern "C" DEVICE u32 __heddle_cluster_nctarank();
extern "C" DEVICE u64 __heddle_mbarrier_arrive(u64 *barrier, u32 count);
extern "C" DEVICE void __heddle_mbarrier_complete_tx(u64 *barrier, u32 bytes);
extern "C" DEVICE void __heddle_copy_zero_fill(u8 *to, const u8 *from, u32 size, u32 available);
extern "C" DEVICE void __heddle_bulk_load(u32 to, u32 from, u32 bytes, u32 barrier, u32 blocks);
extern "C" DEVICE void __heddle_bulk_store(u32 to, u32 from, u32 bytes);
extern "C" DEVICE void __heddle_bulk_reduce(u32 to, u32 from, u32 bytes, u32 element, u32 operation, u32 kind);
extern "C" DEVICE void __heddle_bulk_reduce_shared(u32 to, u32 from, u32 bytes, u32 element, u32 operation, u32 kind,
                                                   u32 barrier);
extern "C" DEVICE void __heddle_bulk_allowed(u32 to, u32 from, u32 bytes, u32 blocks);
extern "C" DEVICE void __heddle_tensor_load(u32 shared, const u32 *map, i32 x, i32 y, i32 z, i32 u, i32 v, u32 how,
                                            u32 barrier, u32 blocks);
extern "C" DEVICE void __heddle_tensor_store(u32 shared, const u32 *map, i32 x, i32 y, i32 z, i32 u, i32 v, u32 how);
extern "C" DEVICE void __heddle_tensor_reduce(u32 shared, const u32 *map, i32 x, i32 y, i32 z, i32 u, i32 v,
                                              u32 how, u32 operation);
extern "C" DEVICE void __heddle_tensor_allowed(u32 what, u32 shared, const u32 *map, i32 x, i32 y, i32 z, i32 u, i32 v,
                                               u32 how, u32 operation, u32 blocks);

/* The layout: asynccheck/async-state.ts. */
extern "C" __attribute__((device)) u32 __heddle_tool_check_async[];
extern "C" __attribute__((device)) u32 __heddle_tool_check_async_words[];
extern "C" __attribute__((device)) u32 __heddle_tool_check_async_operations[];
extern "C" __attribute__((device)) u32 __heddle_tool_check_async_threads[];
extern "C" __attribute__((device)) u32 __heddle_tool_check_async_windows[];
extern "C" __attribute__((device)) u8 __heddle_tool_check_async_slots[];

enum {
  LAUNCH = 0, START = 1, END = 2, FREE = 3, USED = 4, SEEN = 5, CLOCK = 6, FREE_SLOT = 7, USED_SLOTS = 8,
  /* Of each list its first operation, and TAILS words further its last one. REMOVED: operations taken out so far. */
  REMOVED = 9, THREAD_LISTS = 528, BARRIER_LISTS = 1552, LISTS = 1024, TAILS = 2048, WINDOWS = 1 << 18,
  WORDS = 1 << 18, OPERATIONS = 1 << 15, THREADS = 1 << 17, CLOCK_BITS = 22,
  /* Of what stores have read. A slot begins like the shared memory that was read, as swizzles ask: modulo 1024. */
  SLOT_BYTES = 65 * 1024, SLOTS = 64,
};
/* Of a word: flags, readers from bit 2 on, the swizzle that a tile has here, the site of what made the state. */
enum { DIRTY = 1, WRITING = 2, READER = 4, READERS = 0xfc, SWIZZLE = 0x300, IS_TILE = 0x400, SITE_SHIFT = 11 };
enum { COPY, STORE, PRODUCT, LOAD, ARRIVAL };
/* What is to be done. */
enum { NOTHING, FILL, BYTES, TILE, REDUCE_BYTES, REDUCE_TILE, SEND, ARRIVE };
/* Answers; the site of the other operation stands from bit 4 on. */
enum { EARLY_READ = 1, OVERWRITE = 2, EARLY_WRITE = 3, NO_FENCE = 4, WRONG_SWIZZLE = 5, WRONG_PHASE = 6, CHANGED = 7 };

struct shared_word { u32 tag, flags, written; };
/* `at`: in shared memory; `other`: where a copy reads or writes beside that, or a tensor map. `slot`: from 1 on. */
struct operation {
  u32 next, kind, window, serial, thread, group, at, bytes, barrier, phase, columns, options, what, other, slot, isRead;
  i32 words[7];
  u64 a, b;
};
struct thread_record { u32 key, serial, fence, done, groups[3], lost, spoiled, tracked; };
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
  if (isNew || r->key != key || r->serial != serial) *r = {key, serial, lost, lost, {0, 0, 0}, lost, 0, 0};
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

static DEVICE NOINLINE void spoil(u32 at, u32 bytes);
/* An access of a thread: the proxy of all that is not asynchronous. kind: 1 reads, 2 writes, 3 both. */
HOOK u32 __heddle_tool_check_async_access(u32 address, u32 bytes, u32 kind, u32 site) {
  if (address < state()[START] || address >= state()[END]) return 0;
  u32 found = 0;
  for (u32 a = address & ~3u; a < address + bytes; a += 4) {
    shared_word *w = word_at(a);
    const u32 flags = w->flags;
    if (found == 0 && flags & WRITING) found = kind == 2 ? answer(OVERWRITE, flags) : early(flags);
    if ((kind & 2) == 0) continue;
    if (found == 0 && flags & READERS) {
      found = answer(EARLY_WRITE, flags);
      spoil(address, bytes);
    }
    w->written = stamp(linear_thread());
    w->flags = flags & (WRITING | READERS) ? flags | DIRTY : with_site(DIRTY, site);
  }
  return found;
}

/* ---------------------------------------------------------------- products: what descriptors name */

/* `depth`: how often 32 bytes of K are read. */
template <class F> INLINE u32 each_chunk(u64 bits, u32 lines, bool transposed, u32 depth, F visit) {
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
      for (u32 c = 0; c < 2 * depth; ++c)
        at(start + (i & 7) * span + (i >> 3) * stride + 16 * c / span * leading + (16 * c & (span - 1)));
    return found;
  }
  const u32 perSpan = span / 2, groups = span == 16 ? stride : leading, eights = span == 16 ? leading : stride;
  for (u32 k = 0; k < 16 * depth; ++k)
    for (u32 i = 0; i < lines; i += 8)
      at(start + i / perSpan * groups + (k & 7) * span + (k >> 3) * eights + i % perSpan * 2);
  return found;
}
enum { TRANSPOSE_A = 8, TRANSPOSE_B = 16, SPARSE_A = 32 }; /* libdevice/wgmma.cu */
template <class F> INLINE u32 each_operand(const operation *o, F visit) {
  const u32 a = o->a == 0 ? 0 : each_chunk(o->a, 64, o->options & TRANSPOSE_A, 1, visit);
  const u32 b = each_chunk(o->b, o->columns, o->options & TRANSPOSE_B, o->options & SPARSE_A ? 2 : 1, visit);
  return a != 0 ? a : b;
}

/* ---------------------------------------------------------------- operations under way */

/* Groups complete in their order. */
INLINE void append(u32 list, u32 n) {
  u32 *first = &state()[list], *last = &state()[list + TAILS];
  *(*first == 0 ? first : &operation_at(*last)->next) = n;
  *last = n;
}
static DEVICE NOINLINE operation *new_operation(u32 list, u32 kind, u32 window) {
  u32 n = state()[FREE];
  if (n != 0) state()[FREE] = operation_at(n)->next;
  else {
    n = state()[USED] + 1;
    if (n >= OPERATIONS) return nullptr;
    state()[USED] = n;
  }
  operation *o = operation_at(n);
  *o = {0, kind, window, serial_of(window), linear_thread(), 0, 0, 0, 0, 0, 0, 0, NOTHING, 0, 0, 0, {}, 0, 0};
  append(list, n);
  return o;
}
INLINE u32 slot_at(u32 slot) { return (u32)(word)__heddle_tool_check_async_slots + (slot - 1) * SLOT_BYTES; }
INLINE void free_slot(operation *o) {
  if (o->slot == 0) return;
  *(u32 *)slot_at(o->slot) = state()[FREE_SLOT];
  state()[FREE_SLOT] = o->slot;
  o->slot = 0;
}
/* A store reads shared memory. false: there is no room for what it has read. */
static DEVICE NOINLINE bool read_source(operation *o) {
  u32 slot = state()[FREE_SLOT];
  if (o->bytes > SLOT_BYTES - 1024) return false;
  if (slot != 0) state()[FREE_SLOT] = *(const u32 *)slot_at(slot);
  else if (state()[USED_SLOTS] == SLOTS) return false;
  else slot = ++state()[USED_SLOTS];
  const u32 begin = slot_at(slot), to = begin + ((o->at - begin) & 1023);
  for (u32 i = 0; i < o->bytes; i += 4) *(u32 *)(to + i) = *(const u32 *)(o->at + i);
  o->slot = slot;
  return true;
}
/* Does what the operation is there for. Whoever calls this has seen to it that nobody does it again. */
static DEVICE NOINLINE void perform(const operation *o, u32 what) {
  const i32 *w = o->words;
  const u32 begin = o->slot == 0 ? 0 : slot_at(o->slot), from = begin == 0 ? o->at : begin + ((o->at - begin) & 1023);
  const u32 *map = (const u32 *)o->other;
  if (o->kind == COPY || o->kind == LOAD) spoil(o->at, o->bytes);
  if (what == FILL) __heddle_copy_zero_fill((u8 *)o->at, (const u8 *)o->other, o->bytes, (u32)w[0]);
  if (what == BYTES && o->kind == LOAD) __heddle_bulk_load(o->at, o->other, o->bytes, o->barrier, 0);
  if (what == BYTES && o->kind == STORE) __heddle_bulk_store(o->other, from, o->bytes);
  if (what == TILE && o->kind == LOAD)
    __heddle_tensor_load(o->at, map, w[0], w[1], w[2], w[3], w[4], (u32)w[5], o->barrier, 0);
  if (what == TILE && o->kind == STORE) __heddle_tensor_store(from, map, w[0], w[1], w[2], w[3], w[4], (u32)w[5]);
  if (what == REDUCE_BYTES && o->kind == LOAD)
    __heddle_bulk_reduce_shared(o->at, o->other, o->bytes, (u32)w[0], (u32)w[1], (u32)w[2], o->barrier);
  if (what == REDUCE_BYTES && o->kind == STORE)
    __heddle_bulk_reduce(o->other, from, o->bytes, (u32)w[0], (u32)w[1], (u32)w[2]);
  if (what == SEND) {
    for (u32 i = 0; i < o->bytes; i += 4) *(i32 *)(o->at + i) = w[i / 4];
    __heddle_mbarrier_complete_tx((u64 *)o->barrier, o->bytes);
  }
  if (what == ARRIVE) __heddle_mbarrier_arrive((u64 *)o->barrier, o->options);
  if (what == REDUCE_TILE) __heddle_tensor_reduce(from, map, w[0], w[1], w[2], w[3], w[4], (u32)w[5], (u32)w[6]);
}
/* Performs those operations of a list that `is` names, in their order. */
template <class F> INLINE void perform_all(u32 list, F is) {
  for (u32 n = state()[list]; n != 0;) {
    operation *o = operation_at(n);
    const u32 what = o->what, removed = state()[REMOVED];
    if (what != NOTHING && o->serial == serial_of(o->window) && is(o)) {
      o->what = NOTHING;
      perform(o, what);
    }
    /* Other threads may have taken operations out meanwhile: this one, too. */
    n = state()[REMOVED] == removed ? o->next : state()[list];
  }
}
static DEVICE NOINLINE void complete(operation *o) {
  if (o->kind == PRODUCT)
    each_operand(o, [](u32 chunk, u32) {
      end_reading(chunk, 16);
      return 0u;
    });
  else if (o->kind == STORE) {
    if (o->isRead == 0) end_reading(o->at, o->bytes);
    free_slot(o);
  } else if (o->kind != ARRIVAL) end_writing(o->at, o->bytes, o->kind == COPY, o->thread);
}
INLINE u32 thread_list(u32 thread) {
  return THREAD_LISTS + (window_number(__heddle_shared_window()) * 37 + thread) % LISTS;
}
INLINE u32 barrier_list(u32 barrier) { return BARRIER_LISTS + (barrier >> 3) % LISTS; }
/* Takes operations out of a list: those that `is` names are complete; those of blocks that have ended are forgotten. */
template <class F> INLINE void take(u32 list, F is) {
  u32 *link = &state()[list], last = 0;
  while (*link != 0) {
    const u32 n = *link;
    operation *o = operation_at(n);
    const bool isStale = o->serial != serial_of(o->window);
    if (!isStale && !is(o)) {
      link = &o->next;
      last = n;
      continue;
    }
    *link = o->next;
    ++state()[REMOVED];
    if (isStale) free_slot(o);
    else complete(o);
    o->next = state()[FREE];
    state()[FREE] = n;
  }
  state()[list + TAILS] = last;
}

/* A thread begins; `block`: two words of the block's shared memory, undefined at first. */
HOOK void __heddle_tool_check_async_enter(u32 *block) {
  const u32 launch = state()[LAUNCH];
  const u32 number = SREG(ctaid_x) + SREG(nctaid_x) * (SREG(ctaid_y) + SREG(nctaid_y) * SREG(ctaid_z)) + 1;
  if (state()[SEEN] != launch) {
    state()[SEEN] = launch;
    state()[FREE] = state()[USED] = state()[FREE_SLOT] = state()[USED_SLOTS] = 0;
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
HOOK u32 __heddle_tool_check_async_copy(u32 to, u32 bytes, u32 site) { return begin_writing(to, bytes, site, 0); }
HOOK void __heddle_tool_check_async_late_copy(u32 to, u32 from, u32 bytes, u32 available) {
  const u32 thread = linear_thread(), list = thread_list(thread), window = __heddle_shared_window();
  const u32 group = record_of(thread)->groups[COPY];
  operation *last = state()[list] == 0 ? nullptr : operation_at(state()[list + TAILS]);
  if (last != nullptr && last->kind == COPY && last->thread == thread && last->window == window &&
      last->serial == serial_of(window) && last->group == group && last->at + last->bytes == to &&
      last->other + last->bytes == from && (u32)last->words[0] == last->bytes) {
    last->bytes += bytes;
    last->words[0] += (i32)available;
    return;
  }
  operation *o = new_operation(list, COPY, window);
  if (o == nullptr) {
    __heddle_copy_zero_fill((u8 *)to, (const u8 *)from, bytes, available);
    return end_writing(to, bytes, true, thread);
  }
  o->group = group;
  o->at = to;
  o->bytes = bytes;
  o->other = from;
  o->words[0] = (i32)available;
  o->what = FILL;
}
/* The groups of a thread: `kind` as above. */
HOOK void __heddle_tool_check_async_commit(u32 kind) { ++record_of(linear_thread())->groups[kind]; }
/* Stores have read shared memory. */
static DEVICE NOINLINE void read_sources(u32 list, u32 thread, u32 window, u32 done) {
  for (u32 n = state()[list]; n != 0; n = operation_at(n)->next) {
    operation *o = operation_at(n);
    if (o->kind != STORE || o->thread != thread || o->window != window || o->serial != serial_of(window)) continue;
    if (o->group >= done || o->isRead != 0 || !read_source(o)) continue;
    o->isRead = 1;
    end_reading(o->at, o->bytes);
  }
  /* Those that found no room. */
  auto is = [=](const operation *o) {
    return o->kind == STORE && o->thread == thread && o->window == window && o->group < done && o->isRead == 0;
  };
  perform_all(list, is);
  take(list, is);
}
/* All but the latest `left` groups are complete; ~0: everything is, committed or not. A product is one operation of the
 * warpgroup, which its first thread began: it is complete for all where it is for one. */
HOOK void __heddle_tool_check_async_wait(u32 kind, u32 left, u32 onlyReads) {
  const u32 own = linear_thread(), thread = kind == PRODUCT ? own - own % 128 : own;
  const u32 window = __heddle_shared_window(), list = thread_list(thread);
  thread_record *r = record_of(own);
  const u32 committed = r->groups[kind], all = left == ~0u ? ~0u : r->lost;
  const u32 done = all != 0 ? ~0u : committed > left ? committed - left : 0;
  if (kind == PRODUCT && done > r->done) r->done = done;
  if (onlyReads != 0) return read_sources(list, thread, window, done);
  auto is = [=](const operation *o) {
    return o->kind == kind && o->thread == thread && o->window == window && o->group < done;
  };
  perform_all(list, is);
  take(list, is);
  if (kind != COPY || r->tracked == 0) return;
  for (u32 n = 0; n < LISTS; ++n) {
    perform_all(BARRIER_LISTS + n, is);
    take(BARRIER_LISTS + n, is);
  }
}
/* A thread ends: nothing remains undone. */
HOOK void __heddle_tool_check_async_leave() {
  const u32 thread = linear_thread(), window = __heddle_shared_window(), list = thread_list(thread);
  auto is = [=](const operation *o) { return o->thread == thread && o->window == window; };
  perform_all(list, is);
  take(list, is);
}

/* The parts of a tensor map that are needed here: libdevice/hopper.cu. */
INLINE u32 tile_bytes(const u32 *map) {
  const u32 row = map[17] * map[3], swizzle = map[5];
  return swizzle == 0 || row == 0 ? map[7] : map[7] / row * swizzle;
}
INLINE bool is_map(const u32 *map) { return map[0] == 0x31504d54u; }

/* cp.async.bulk from shared memory, its reductions, and their tensor forms */
HOOK u32 __heddle_tool_check_async_store(u32 from, u32 bytes, u32 site) {
  return begin_reading(from, bytes, site, ~0u);
}
HOOK u32 __heddle_tool_check_async_tile_store(u32 from, const u32 *map, u32 site) {
  return is_map(map) ? begin_reading(from, tile_bytes(map), site, ~0u) : 0;
}
static DEVICE NOINLINE void add_store(u32 what, u32 from, u32 bytes, u32 other, i32 a, i32 b, i32 c, i32 d, i32 e,
                                      i32 f, i32 g) {
  const u32 thread = linear_thread(), window = __heddle_shared_window();
  operation *o = new_operation(thread_list(thread), STORE, window), here;
  const bool isFull = o == nullptr;
  if (isFull) {
    here = {0, STORE, window, 0, thread, 0, 0, 0, 0, 0, 0, 0, NOTHING, 0, 0, 0, {}, 0, 0};
    o = &here;
  }
  o->group = record_of(thread)->groups[STORE];
  o->at = from;
  o->bytes = bytes;
  o->other = other;
  const i32 words[7] = {a, b, c, d, e, f, g};
  for (u32 i = 0; i < 7; ++i) o->words[i] = words[i];
  o->what = what;
  if (!isFull) return;
  perform(o, what);
  end_reading(from, bytes);
}
HOOK void __heddle_tool_check_async_late_bulk_store(u32 to, u32 from, u32 bytes) {
  __heddle_bulk_allowed(to, from, bytes, 0);
  add_store(BYTES, from, bytes, to, 0, 0, 0, 0, 0, 0, 0);
}
HOOK void __heddle_tool_check_async_late_bulk_reduce(u32 to, u32 from, u32 bytes, u32 element, u32 operation,
                                                     u32 kind) {
  __heddle_bulk_allowed(to, from, bytes, 0);
  add_store(REDUCE_BYTES, from, bytes, to, (i32)element, (i32)operation, (i32)kind, 0, 0, 0, 0);
}
HOOK void __heddle_tool_check_async_late_tensor_store(u32 from, const u32 *map, i32 x, i32 y, i32 z, i32 u, i32 v,
                                                      u32 how) {
  __heddle_tensor_allowed(1, from, map, x, y, z, u, v, how, 0, 0);
  add_store(TILE, from, tile_bytes(map), (u32)(word)map, x, y, z, u, v, (i32)how, 0);
}
HOOK void __heddle_tool_check_async_late_tensor_reduce(u32 from, const u32 *map, i32 x, i32 y, i32 z, i32 u, i32 v,
                                                       u32 how, u32 operation) {
  __heddle_tensor_allowed(2, from, map, x, y, z, u, v, how, operation, 0);
  add_store(REDUCE_TILE, from, tile_bytes(map), (u32)(word)map, x, y, z, u, v, (i32)how, (i32)operation);
}

/* Copies to shared memory that a barrier counts: in each block of a multicast. */
template <class F> INLINE u32 each_block(u32 blocks, F visit) {
  if (blocks == 0) return visit(0u);
  const u32 own = __heddle_shared_window(), first = __heddle_cluster_window(), stride = __heddle_cluster_stride();
  u32 found = 0;
  for (u32 rank = 0; rank < __heddle_cluster_nctarank(); ++rank) {
    if ((blocks >> rank & 1) == 0) continue;
    const u32 f = visit(first + rank * stride - own);
    if (found == 0) found = f;
  }
  return found;
}
INLINE bool is_shared(u32 address) { return address >= state()[START] && address < state()[END]; }
HOOK u32 __heddle_tool_check_async_load(u32 to, u32 bytes, u32 barrier, u32 blocks, u32 site) {
  if (!is_shared(to)) return 0;
  return each_block(blocks, [=](u32 there) { return begin_writing(to + there, bytes, site, 0); });
}
HOOK u32 __heddle_tool_check_async_tile_load(u32 to, const u32 *map, u32 barrier, u32 blocks, u32 site) {
  if (!is_map(map)) return 0;
  const u32 swizzle = map[5] == 0 ? 0 : map[5] == 32 ? 1 : map[5] == 64 ? 2 : 3;
  return each_block(blocks, [=](u32 there) {
    return begin_writing(to + there, tile_bytes(map), site, IS_TILE | swizzle << 8);
  });
}
/* null: the table is full. */
static DEVICE NOINLINE operation *add_load(u32 what, u32 to, u32 bytes, u32 other, u32 barrier, u32 transferred) {
  operation *o = new_operation(barrier_list(barrier), LOAD, window_of(to));
  if (o == nullptr) {
    end_writing(to, bytes, false, 0);
    return nullptr;
  }
  o->at = to;
  o->bytes = bytes;
  o->other = other;
  o->barrier = barrier;
  o->options = transferred;
  o->phase = (u32)(*(u64 *)barrier >> 63);
  o->what = what;
  return o;
}
/* st.async: of 4 or 8 bytes */
HOOK void __heddle_tool_check_async_late_send(u32 to, u32 low, u32 high, u32 bytes, u32 barrier) {
  operation *o = add_load(SEND, to, bytes, 0, barrier, bytes);
  if (o != nullptr) {
    o->words[0] = (i32)low;
    o->words[1] = (i32)high;
    return;
  }
  *(u32 *)to = low;
  if (bytes == 8) *(u32 *)(to + 4) = high;
  __heddle_mbarrier_complete_tx((u64 *)barrier, bytes);
}
/* cp.async.mbarrier.arrive: the copies of the thread that are under way go to the barrier's list, and an arrival behind
 * them, unless the barrier expects one that the program makes (.noinc). */
static DEVICE NOINLINE bool add_arrival(u32 barrier, u32 count) {
  operation *o = new_operation(barrier_list(barrier), ARRIVAL, window_of(barrier));
  if (o == nullptr) return false;
  o->barrier = barrier;
  o->phase = (u32)(*(u64 *)barrier >> 63);
  o->options = count;
  o->what = ARRIVE;
  return true;
}
HOOK void __heddle_tool_check_async_track(u32 barrier, u32 isExpected) {
  const u32 thread = linear_thread(), window = __heddle_shared_window();
  u32 *link = &state()[thread_list(thread)], last = 0;
  while (*link != 0) {
    const u32 n = *link;
    operation *o = operation_at(n);
    if (o->kind != COPY || o->thread != thread || o->window != window || o->serial != serial_of(window)) {
      link = &o->next;
      last = n;
      continue;
    }
    *link = o->next;
    ++state()[REMOVED];
    o->next = 0;
    o->barrier = barrier;
    o->phase = (u32)(*(u64 *)barrier >> 63);
    append(barrier_list(barrier), n);
    record_of(thread)->tracked = 1;
  }
  state()[thread_list(thread) + TAILS] = last;
  /* One arrival more is missing until then (libdevice/ptx.cu). */
  if (isExpected == 0 && add_arrival(barrier, 1)) *(u64 *)barrier += 1ull << 20;
}
HOOK u64 __heddle_tool_check_async_late_mbarrier_arrive(u64 *barrier, u32 count) {
  const u64 before = *barrier;
  return add_arrival((u32)(word)barrier, count) ? before : __heddle_mbarrier_arrive(barrier, count);
}
HOOK void __heddle_tool_check_async_late_bulk_load(u32 to, u32 from, u32 bytes, u32 barrier, u32 blocks) {
  __heddle_bulk_allowed(to, from, bytes, blocks);
  each_block(blocks, [=](u32 there) {
    if (add_load(BYTES, to + there, bytes, from, barrier + there, bytes) == nullptr)
      __heddle_bulk_load(to + there, from, bytes, barrier + there, 0);
    return 0u;
  });
}
HOOK void __heddle_tool_check_async_late_bulk_reduce_shared(u32 to, u32 from, u32 bytes, u32 element, u32 operation,
                                                            u32 kind, u32 barrier) {
  __heddle_bulk_allowed(to, from, bytes, 0);
  struct operation *o = add_load(REDUCE_BYTES, to, bytes, from, barrier, bytes);
  if (o == nullptr) return __heddle_bulk_reduce_shared(to, from, bytes, element, operation, kind, barrier);
  o->words[0] = (i32)element;
  o->words[1] = (i32)operation;
  o->words[2] = (i32)kind;
}
HOOK void __heddle_tool_check_async_late_tensor_load(u32 to, const u32 *map, i32 x, i32 y, i32 z, i32 u, i32 v,
                                                     u32 how, u32 barrier, u32 blocks) {
  __heddle_tensor_allowed(0, to, map, x, y, z, u, v, how, 0, blocks);
  each_block(blocks, [=](u32 there) {
    operation *o = add_load(TILE, to + there, tile_bytes(map), (u32)(word)map, barrier + there, map[7]);
    if (o == nullptr) __heddle_tensor_load(to + there, map, x, y, z, u, v, how, barrier + there, 0);
    else {
      const i32 words[6] = {x, y, z, u, v, (i32)how};
      for (u32 i = 0; i < 6; ++i) o->words[i] = words[i];
    }
    return 0u;
  });
}
/* A thread is about to look whether a phase is over. If it is just that phase, and nothing but copies is missing, they
 * are made now (the barrier's bits: libdevice/ptx.cu). */
HOOK void __heddle_tool_check_async_test(u32 barrier, u32 phase) {
  const u32 list = barrier_list(barrier);
  auto is = [=](const operation *o) { return o->barrier == barrier && *(const u64 *)barrier >> 63 == (phase & 1); };
  const u64 before = *(const u64 *)barrier;
  if (before >> 63 != (phase & 1)) return;
  u32 sum = 0, arrivals = 0;
  for (u32 n = state()[list]; n != 0; n = operation_at(n)->next) {
    const operation *o = operation_at(n);
    if (o->barrier != barrier || o->what == NOTHING || o->serial != serial_of(o->window)) continue;
    if (o->kind == LOAD) sum += o->options;
    if (o->kind == ARRIVAL) arrivals += o->options;
  }
  if ((before >> 20 & 0xfffff) != arrivals) return;
  const i32 missing = (i32)((u32)before << 12) >> 12;
  if ((i32)sum < missing) return;
  perform_all(list, is);
}
HOOK void __heddle_tool_check_async_tested(u32 barrier, u32 phase, u32 isOver) {
  if (isOver == 0) return;
  bool isWrong = false;
  take(barrier_list(barrier), [&](const operation *o) {
    if (o->barrier != barrier) return false;
    if (o->phase != (phase & 1)) isWrong = true;
    return o->phase == (phase & 1) && o->what == NOTHING;
  });
  window_at(__heddle_shared_window())->wrong = isWrong;
}

/* wgmma.mma_async: the first thread of the warpgroup looks at memory for all. */
HOOK u32 __heddle_tool_check_async_product(u64 a, u32 aInRegisters, u64 b, u32 columns, u32 options, u32 site) {
  const u32 thread = linear_thread();
  if (thread % 128 != 0) return 0;
  operation *o = new_operation(thread_list(thread), PRODUCT, __heddle_shared_window());
  if (o == nullptr) return 0;
  o->group = record_of(thread)->groups[PRODUCT];
  o->a = aInRegisters ? 0 : a;
  o->b = b;
  o->columns = columns;
  o->options = options;
  return each_operand(o, [=](u32 chunk, u32 swizzle) { return begin_reading(chunk, 16, site, swizzle); });
}
/* What products under way read is overwritten: from their group on, sums are worth nothing to threads that have not
 * waited for them. */
static DEVICE NOINLINE void spoil_products(u32 at, u32 bytes) {
  const u32 window = __heddle_shared_window(), threads = SREG(ntid_x) * SREG(ntid_y) * SREG(ntid_z);
  for (u32 first = 0; first < threads; first += 128)
    for (u32 n = state()[thread_list(first)]; n != 0; n = operation_at(n)->next) {
      const operation *o = operation_at(n);
      if (o->kind != PRODUCT || o->thread != first || o->window != window || o->serial != serial_of(window)) continue;
      if (!each_operand(o, [=](u32 chunk, u32) { return (u32)(chunk < at + bytes && at < chunk + 16); })) continue;
      for (u32 t = first; t < first + 128 && t < threads; ++t) {
        thread_record *r = record_of(t);
        if (r->done <= o->group && (r->spoiled == 0 || r->spoiled > o->group + 1)) r->spoiled = o->group + 1;
      }
    }
}
static DEVICE NOINLINE void spoil(u32 at, u32 bytes) {
  if (window_of(at) != __heddle_shared_window()) return;
  for (u32 a = at & ~3u; a < at + bytes; a += 4)
    if (word_at(a)->flags & READERS) return spoil_products(at, bytes);
}
/* The group that a product which is issued now will be in, from 1 on. */
HOOK u32 __heddle_tool_check_async_group() { return record_of(linear_thread())->groups[PRODUCT] + 1; }
/* A register that a product of a group reads has another value now. From that group on, sums are worth nothing. */
HOOK u32 __heddle_tool_check_async_changed(u32 group, u32 site) {
  thread_record *r = record_of(linear_thread());
  if (group == 0 || group <= r->done) return 0;
  if (r->spoiled == 0 || r->spoiled > group) r->spoiled = group;
  return answer(CHANGED, site << SITE_SHIFT);
}
/* 0: its sums are there; 1: it may still be under way; 2: they are spoiled. */
HOOK u32 __heddle_tool_check_async_pending(u32 group) {
  const thread_record *r = record_of(linear_thread());
  if (group == 0) return 0;
  if (group > r->done) return 1;
  return r->spoiled != 0 && group >= r->spoiled ? 2 : 0;
}
