/*
 * Racecheck's happens-before tracking: what orders threads besides barriers of whole blocks. That is fences, atomic
 * operations, locks and flags, barriers of some threads, and grid barriers (src/check/racecheck/ordered-kernels.ts
 * says which kernels need it).
 *
 * A *node* stands for the entries that a thread is ordered behind: entries of one block, and up to two older nodes. A
 * node does not change once a thread has taken it over, so a release and an acquire cost the same however many threads
 * they concern. Only when two accesses look like a race does the code search from a node for the entry (`reaches`). A
 * node stands only for what is older than itself, which ends most searches at once.
 *
 * A release covers what the thread's block did before its current round, what its warp did before the last __syncwarp,
 * and what the thread itself did. From then on the thread has an interval of its own. Threads of a block share these
 * numbers: the second release of one thread takes the number that the second release of another thread took.
 *
 * Blocks may take turns here, so each block has its own state (`block`, in its shared memory). One thread runs a
 * function to its end before the next thread does. Where a table is full, racecheck reports nothing more in that
 * launch.
 */
#include "prelude.h"

#define SREG(name) __nvvm_read_ptx_sreg_##name()
#define HOOK extern "C" __attribute__((device)) NOINLINE

/* The layout of the state: racecheck/race-state.ts. */
extern "C" __attribute__((device)) u32 __heddle_tool_check_race[];
extern "C" __attribute__((device)) u32 __heddle_tool_check_race_owners[];
extern "C" __attribute__((device)) u32 __heddle_tool_check_race_nodes[];
extern "C" __attribute__((device)) u32 __heddle_tool_check_race_marks[];
extern "C" __attribute__((device)) u32 __heddle_tool_check_race_places[];
enum {
  /* Words of the launch. */
  COUNTER = 0, LAUNCH = 1, SERIAL = 11, NODES = 12, EXHAUSTED = 13, GRIDS = 14, QUERY = 15,
  INTERVALS = 1 << 18, INTERVAL_SHIFT = 14, THREAD_SHIFT = 4, SEVERAL = 2 | 4 | 8,
  MOST_NODES = 1 << 17, PLACES = 1 << 14, PROBES = 64, DEEPEST = 512,
};

struct thread_state {
  u32 barriers, syncs; /* how many it has passed */
  u32 interval;        /* of its own, since its last release */
  u32 known;           /* what it is ordered behind */
  u32 seen;            /* what it has read the release of, and not acquired; */
  u32 seen_in_block;   /* of it, what a fence of block scope acquires */
  u32 fenced;          /* what a relaxed write of it releases, for all blocks; */
  u32 fenced_in_block; /* for its own */
  u32 narrow;          /* what it would be ordered behind if no scope were too narrow */
  u32 generation;      /* of the barrier that it has come to last; */
  u32 cluster_generation; /* of its cluster's */
};
struct block_state {
  u32 serial, tag;
  u32 start; /* first interval of the cluster */
  u32 round, barriers;
  u32 latest; /* interval of a thread's own */
  u32 apart;  /* threads know different things */
  u32 grids, index;
  u32 cluster; /* number of the first block of its cluster */
  u32 warp_round[32], warp_syncs[32];
  thread_state threads[1024];
};
struct node { u32 time, block, base_and_warp, warp_upto, upto, lanes, a, b; };
/* The state of an address or of a barrier. */
struct place {
  u32 key, more, serial, owner;
  /* Of an address, what a read acquires: in other blocks, in `block`; in other blocks if no scope were too narrow. */
  u32 released, released_in_block, narrow, block;
  /* Of a barrier, the threads that have come: how many; their known, fenced, fenced_in_block. */
  u32 generation, arrived, sum[3], unused;
  u32 done[2][3]; /* of its last two generations */
};

INLINE u32* race() { return __heddle_tool_check_race; }
INLINE node* node_at(u32 n) { return (node*)__heddle_tool_check_race_nodes + n; }
INLINE u32 linear_thread() { return SREG(tid_x) + SREG(ntid_x) * (SREG(tid_y) + SREG(ntid_y) * SREG(tid_z)); }
INLINE u32 linear_block() {
  return SREG(ctaid_x) + SREG(nctaid_x) * (SREG(ctaid_y) + SREG(nctaid_y) * SREG(ctaid_z));
}
extern "C" DEVICE u32 __heddle_cluster_window();
extern "C" DEVICE u32 __heddle_cluster_stride();
extern "C" DEVICE u32 __heddle_cluster_nctarank();
#define CLUSTER_EXTENT(axis) __heddle_cluster_nctaid_##axis()
extern "C" DEVICE u32 CLUSTER_EXTENT(x);
extern "C" DEVICE u32 CLUSTER_EXTENT(y);
extern "C" DEVICE u32 CLUSTER_EXTENT(z);
/* The number of the first block of this block's cluster. */
INLINE u32 first_of_cluster() {
  u32 x = SREG(ctaid_x), y = SREG(ctaid_y), z = SREG(ctaid_z);
  x -= x % CLUSTER_EXTENT(x), y -= y % CLUSTER_EXTENT(y), z -= z % CLUSTER_EXTENT(z);
  return x + SREG(nctaid_x) * (y + SREG(nctaid_y) * z);
}
INLINE u32 block_threads() { return SREG(ntid_x) * SREG(ntid_y) * SREG(ntid_z); }
INLINE u32 max_of(u32 a, u32 b) { return a > b ? a : b; }
INLINE void set(u32* word, u32 value) { if (*word != value) *word = value; } /* a thread that spins changes nothing */

static DEVICE NOINLINE u32 next_interval(u32 block) {
  u32 next = race()[COUNTER] + 1;
  if (next >= INTERVALS) {
    race()[EXHAUSTED] = 1;
    return (u32)(INTERVALS - 1) << INTERVAL_SHIFT;
  }
  race()[COUNTER] = next;
  __heddle_tool_check_race_owners[next] = block;
  return next << INTERVAL_SHIFT;
}

/* ------------------------------------------------------------------ nodes */
static DEVICE NOINLINE u32 new_node(u32 block, u32 base_and_warp, u32 warp_upto, u32 upto, u32 lanes, u32 a, u32 b) {
  u32 n = race()[NODES] + 1;
  if (n >= MOST_NODES) {
    race()[EXHAUSTED] = 1;
    return a;
  }
  race()[NODES] = n;
  *node_at(n) = node{race()[COUNTER] << INTERVAL_SHIFT, block, base_and_warp, warp_upto, upto, lanes, a, b};
  return n;
}
/* Whether a node was made of another not long ago: a thread that waits for flag after flag makes no new nodes. */
INLINE bool holds(u32 n, u32 other) {
  for (u32 steps = 0; n != 0 && steps < 8; steps++, n = node_at(n)->a)
    if (node_at(n)->a == other || node_at(n)->b == other) return true;
  return false;
}
static DEVICE NOINLINE u32 join(u32 a, u32 b) {
  if (a == b || b == 0) return a;
  if (a == 0 || holds(b, a)) return b;
  if (holds(a, b)) return a;
  return new_node(~0u, 0, 0, 0, 0, a, b);
}

/* Adds to what is for all blocks and to what is for one: most often the two are the same. */
INLINE void join_both(u32* wide, u32* within, u32 more_wide, u32 more_within) {
  bool same = *wide == *within && more_wide == more_within;
  u32 joined = join(*wide, more_wide);
  *within = same ? joined : join(*within, more_within);
  if (*wide != joined) *wide = joined;
}

/* Whether a node reaches an entry of `thread` of `block`. */
static DEVICE NOINLINE bool reaches(u32 root, u32 interval, u32 thread, u32 block) {
  if (root == 0) return false;
  u32* stack = __heddle_tool_check_race_marks + MOST_NODES;
  u32 depth = 0, query = ++race()[QUERY];
  stack[depth++] = root;
  while (depth > 0) {
    u32 at = stack[--depth];
    if (__heddle_tool_check_race_marks[at] == query) continue;
    __heddle_tool_check_race_marks[at] = query;
    node* n = node_at(at);
    if (n->time < interval) continue;
    if (n->block == block) {
      u32 base = n->base_and_warp & ~31u, warp = n->base_and_warp & 31u;
      if (interval < base) return true;
      bool is_lane = (n->lanes >> (thread & 31) & 1) != 0;
      if (thread / 32 == warp && (interval < n->warp_upto || (interval < n->upto && is_lane))) return true;
    }
    if (depth + 2 > DEEPEST) return true;
    if (n->b != 0) stack[depth++] = n->b;
    if (n->a != 0) stack[depth++] = n->a;
  }
  return false;
}

/* ------------------------------------------------------------------ threads and blocks */
struct here { block_state* block; thread_state* thread; u32 index, warp; };
INLINE here who(void* state) {
  block_state* block = (block_state*)state;
  u32 index = linear_thread();
  return {block, &block->threads[index], index, index / 32};
}
INLINE u32 round_of_warp(const here& me) { return max_of(me.block->round, me.block->warp_round[me.warp]); }

/* The thread's next interval. */
static DEVICE NOINLINE u32 advance(const here& me) {
  u32 current = max_of(round_of_warp(me), me.thread->interval);
  if (current >= me.block->latest) me.block->latest = next_interval(me.block->index);
  me.thread->interval = me.block->latest;
  me.block->apart = 1;
  return me.block->latest;
}
/* A node for all that the thread and those before it did until now. */
static DEVICE NOINLINE u32 release(const here& me) {
  u32 warp_upto = round_of_warp(me), upto = advance(me);
  u32 lane = 1u << (me.index & 31);
  return new_node(me.block->index, me.block->round | me.warp, warp_upto, upto, lane, me.thread->known, 0);
}
INLINE void learn(const here& me, u32* word, u32 n) {
  if (n == 0 || n == *word) return;
  *word = join(*word, n);
  me.block->apart = 1;
}

/* Several nodes as one: nodes of lanes that differ in nothing else become one node. */
struct gathering { u32 sum, open, last; bool own; };
INLINE bool differ_in_lanes_only(const node* a, const node* b) {
  return a->block != ~0u && a->block == b->block && a->base_and_warp == b->base_and_warp &&
         a->warp_upto == b->warp_upto && a->upto == b->upto && a->a == b->a && a->b == b->b;
}
INLINE void gather(gathering* g, u32 n) {
  if (n == 0 || n == g->last || n == g->sum) return;
  g->last = n;
  node* x = node_at(n);
  node* o = node_at(g->open);
  if (g->open != 0 && differ_in_lanes_only(x, o)) {
    if (!g->own) {
      g->open = new_node(o->block, o->base_and_warp, o->warp_upto, o->upto, o->lanes, o->a, o->b);
      g->own = true;
      o = node_at(g->open);
    }
    o->lanes |= x->lanes;
    return;
  }
  g->sum = join(g->sum, g->open);
  g->open = n;
  g->own = false;
}
INLINE u32 gathered(const gathering& g) { return join(g.sum, g.open); }

/* Threads [first, end) have waited for one another: each knows what all know, and has fenced what one has fenced. */
static DEVICE NOINLINE void level(block_state* block, u32 first, u32 end) {
  gathering known = {}, fenced = {}, fenced_in_block = {}, narrow = {};
  bool same = true;
  for (u32 i = first; i < end; i++) {
    thread_state& t = block->threads[i];
    gather(&known, t.known);
    gather(&known, t.seen);
    gather(&fenced, t.fenced);
    same = same && t.fenced == t.fenced_in_block;
  }
  for (u32 i = first; i < end; i++) {
    thread_state& t = block->threads[i];
    if (!same) gather(&fenced_in_block, t.fenced_in_block);
    gather(&narrow, t.narrow);
  }
  u32 k = gathered(known), f = gathered(fenced), b = same ? f : gathered(fenced_in_block), n = gathered(narrow);
  for (u32 i = first; i < end; i++) {
    thread_state& t = block->threads[i];
    t.known = k;
    t.seen = t.seen_in_block = 0;
    t.fenced = f;
    t.fenced_in_block = b;
    t.narrow = n;
  }
}

/* ------------------------------------------------------------------ places */
/*
 * The state of an address or a barrier; null: there is none yet. `mine`: it belongs to this block or cluster alone, and
 * the next one in the same memory has another.
 */
static DEVICE NOINLINE place* find(u32 key, u32 more, u32 mine, bool make) {
  u32 slot = (key * 0x9e3779b1u ^ more * 0x85ebca6bu) >> 18;
  for (u32 probe = 0; probe < PROBES; probe++) {
    place* p = (place*)__heddle_tool_check_race_places + ((slot + probe) & (PLACES - 1));
    bool live = p->serial == race()[SERIAL];
    if (live && (p->key != key || p->more != more)) continue;
    if (live && p->owner == mine) return p;
    if (!make) return nullptr;
    *p = place{};
    p->key = key;
    p->more = more;
    p->serial = race()[SERIAL];
    p->owner = mine;
    return p;
  }
  race()[EXHAUSTED] = 1;
  return nullptr;
}
/* Whose memory it is: one block's, one cluster's, or all blocks' (0). */
INLINE u32 owner_of(const here& me, void* pointer) {
  u32 stride = __heddle_cluster_stride(), offset = (u32)(__SIZE_TYPE__)pointer - __heddle_cluster_window();
  bool remote = stride != 0 && offset < stride * __heddle_cluster_nctarank();
  if (remote || __nvvm_isspacep_shared(pointer)) return me.block->cluster + 1;
  return __nvvm_isspacep_local(pointer) ? me.block->index + 1 : 0;
}
INLINE place* place_of(const here& me, void* pointer, bool make) {
  return find((u32)(__SIZE_TYPE__)pointer, 0, owner_of(me, pointer), make);
}

/* ------------------------------------------------------------------ hooks */
/* The state of the block of this rank. */
INLINE block_state* in_cluster(void* state, u32 rank) {
  u32 first = __heddle_cluster_window(), stride = __heddle_cluster_stride();
  if (stride == 0) return (block_state*)state;
  return (block_state*)(__SIZE_TYPE__)(first + rank * stride + ((u32)(__SIZE_TYPE__)state - first) % stride);
}
/* The first interval of the cluster: that of the first of its blocks that has begun. */
INLINE u32 start_of_cluster(void* state, block_state* block) {
  for (u32 rank = 0, blocks = __heddle_cluster_nctarank(); rank < blocks; rank++) {
    block_state* other = in_cluster(state, rank);
    if (other != block && other->serial == block->serial && other->tag != 0 && other->cluster == block->cluster)
      return other->start;
  }
  return block->round;
}
/* A thread begins. */
HOOK void __heddle_tool_check_ordered_enter(void* state) {
  here me = who(state);
  u32 index = linear_block();
  block_state* block = me.block;
  if (block->serial != race()[SERIAL] || block->tag != index + 1) {
    block->serial = race()[SERIAL];
    block->tag = index + 1;
    block->index = index;
    block->cluster = first_of_cluster();
    block->barriers = block->latest = block->apart = block->grids = 0;
    block->round = next_interval(index);
    block->start = start_of_cluster(state, block);
    for (u32 warp = 0; warp < 32; warp++) block->warp_round[warp] = block->warp_syncs[warp] = 0;
    for (u32 i = 0; i < block_threads(); i++) block->threads[i] = thread_state{};
  }
}

/* A thread has passed a barrier of its whole block. */
HOOK void __heddle_tool_check_ordered_barrier(void* state) {
  here me = who(state);
  if (++me.thread->barriers <= me.block->barriers) return;
  me.block->barriers = me.thread->barriers;
  if (me.block->apart != 0) {
    level(me.block, 0, block_threads());
    me.block->apart = 0;
  }
  me.block->round = next_interval(me.block->index);
}

/* A thread has passed a barrier of the grid: what came before is over for all. */
HOOK void __heddle_tool_check_ordered_grid(void* state) {
  here me = who(state);
  bool first = me.thread->barriers + 1 > me.block->barriers;
  if (first && ++me.block->grids > race()[GRIDS]) {
    race()[GRIDS] = me.block->grids;
    race()[LAUNCH] = next_interval(me.block->index);
  }
  __heddle_tool_check_ordered_barrier(state);
}

/* A thread has passed a __syncwarp of its whole warp. */
HOOK void __heddle_tool_check_ordered_warp(void* state) {
  here me = who(state);
  if (++me.thread->syncs <= me.block->warp_syncs[me.warp]) return;
  me.block->warp_syncs[me.warp] = me.thread->syncs;
  u32 first = 32 * me.warp, threads = block_threads(), end = first + 32 < threads ? first + 32 : threads;
  if (me.block->apart != 0) level(me.block, first, end);
  u32 current = round_of_warp(me);
  for (u32 i = first; i < end; i++) current = max_of(current, me.block->threads[i].interval);
  if (current >= me.block->latest) me.block->latest = next_interval(me.block->index);
  me.block->warp_round[me.warp] = me.block->latest;
}

enum { FENCE_ACQUIRES = 1, FENCE_RELEASES = 2, READS = 1, WRITES = 2, ACQUIRES = 4, RELEASES = 8, BLOCK_SCOPE = 16,
       NO_FENCE = 32 /* no fence and no barrier of the thread acquires what it has read */ };

HOOK void __heddle_tool_check_ordered_fence(void* state, u32 flags) {
  here me = who(state);
  thread_state* t = me.thread;
  bool narrow = (flags & BLOCK_SCOPE) != 0;
  if (flags & FENCE_ACQUIRES) {
    learn(me, &t->known, narrow ? t->seen_in_block : t->seen);
    if (narrow) learn(me, &t->narrow, t->seen);
  }
  if (flags & FENCE_RELEASES) {
    u32 n = release(me);
    t->fenced_in_block = n;
    if (!narrow) t->fenced = n;
  }
}

/* An atomic or volatile access. */
HOOK void __heddle_tool_check_ordered_atomic(void* state, void* pointer, u32 flags) {
  here me = who(state);
  thread_state* t = me.thread;
  bool narrow = (flags & BLOCK_SCOPE) != 0;
  place* p = place_of(me, pointer, false);
  if ((flags & READS) && p != nullptr) {
    bool same = p->block == me.block->index;
    u32 n = same ? p->released_in_block : narrow ? 0 : p->released;
    if (flags & ACQUIRES) learn(me, &t->known, n);
    else if (!(flags & NO_FENCE)) {
      learn(me, &t->seen, n);
      if (same) learn(me, &t->seen_in_block, n);
    }
    if (!same) learn(me, &t->narrow, narrow ? join(p->released, p->narrow) : p->narrow);
  }
  if (!(flags & WRITES)) return;
  u32 wide = narrow ? 0 : t->fenced, all = t->fenced_in_block;
  if (flags & RELEASES) {
    all = release(me);
    wide = narrow ? 0 : all;
  }
  if (p == nullptr) {
    if (all == 0) return;
    p = place_of(me, pointer, true);
    if (p == nullptr) return;
  }
  if (flags & READS) {
    u32 within = p->block == me.block->index ? p->released_in_block : p->released;
    join_both(&p->released, &within, wide, all);
    set(&p->released_in_block, within);
    if (wide != all) set(&p->narrow, join(p->narrow, all));
  } else {
    set(&p->released, wide);
    set(&p->released_in_block, all);
    set(&p->narrow, wide == all ? 0 : all);
  }
  set(&p->block, me.block->index);
}

/* ------------------------------------------------------------------ barriers of some threads */
static DEVICE NOINLINE void complete(place* p) {
  for (u32 i = 0; i < 3; i++) {
    p->done[p->generation & 1][i] = p->sum[i];
    p->sum[i] = 0;
  }
  p->arrived = 0;
  p->generation++;
}
/* Adds the thread to those that have come. No thread has taken over `sum` yet, so its nodes may change. */
static DEVICE NOINLINE void arrive(const here& me, place* p) {
  thread_state* t = me.thread;
  u32 warp_upto = round_of_warp(me), upto = advance(me);
  u32 base_and_warp = me.block->round | me.warp, lane = 1u << (me.index & 31);
  learn(me, &t->known, t->seen);
  bool added = false;
  for (u32 n = p->sum[0]; n != 0 && !added; n = node_at(n)->b) {
    node* x = node_at(n);
    if (x->base_and_warp != base_and_warp || x->warp_upto != warp_upto || x->upto != upto) continue;
    x->lanes |= lane;
    x->a = join(x->a, t->known);
    x->time = race()[COUNTER] << INTERVAL_SHIFT;
    added = true;
  }
  if (added) node_at(p->sum[0])->time = race()[COUNTER] << INTERVAL_SHIFT;
  else p->sum[0] = new_node(me.block->index, base_and_warp, warp_upto, upto, lane, t->known, p->sum[0]);
  join_both(&p->sum[1], &p->sum[2], t->fenced, t->fenced_in_block);
  p->arrived++;
}
INLINE void leave(const here& me, place* p, u32 generation) {
  u32* done = p->done[generation & 1];
  learn(me, &me.thread->known, done[0]);
  if (done[1] != 0 || done[2] != 0) join_both(&me.thread->fenced, &me.thread->fenced_in_block, done[1], done[2]);
}
enum { LANES, NAMED };
INLINE place* barrier_of(const here& me, u32 kind, u32 name) {
  u32* key = kind == LANES ? &me.block->warp_round[me.warp] : &me.block->round;
  return find((u32)(__SIZE_TYPE__)key + 1, name, me.block->index + 1, true);
}

/*
 * A thread comes to a __syncwarp of the lanes in `name`, or to the barrier with this number, of `count` threads; 0:
 * not known, or all.
 */
HOOK void __heddle_tool_check_ordered_arrive(void* state, u32 kind, u32 name, u32 count) {
  here me = who(state);
  place* p = barrier_of(me, kind, name);
  if (p == nullptr) return;
  arrive(me, p);
  me.thread->generation = p->generation;
  if (count != 0 && p->arrived >= count) complete(p);
}
/* It goes on. When the first thread goes on, all have come. */
HOOK void __heddle_tool_check_ordered_leave(void* state, u32 kind, u32 name) {
  here me = who(state);
  place* p = barrier_of(me, kind, name);
  if (p == nullptr) return;
  u32 generation = me.thread->generation;
  if (p->generation == generation) complete(p);
  leave(me, p, generation);
}

/* The barrier of a cluster. */
INLINE place* cluster_barrier_of(const here& me) {
  return find((u32)(__SIZE_TYPE__)in_cluster(me.block, 0) + 3, 0, me.block->cluster + 1, true);
}
/* A thread comes to it. `relaxed`: only what it has fenced is released. */
HOOK void __heddle_tool_check_ordered_cluster_arrive(void* state, u32 relaxed) {
  here me = who(state);
  place* p = cluster_barrier_of(me);
  if (p == nullptr) return;
  thread_state* t = me.thread;
  t->cluster_generation = p->generation;
  if (relaxed == 0) arrive(me, p);
  else if (t->fenced != 0) p->sum[0] = new_node(~0u, 0, 0, 0, 0, t->fenced, p->sum[0]);
}
/* A thread has waited there. When the first one goes on, all have come. It is a barrier of its block, too. */
HOOK void __heddle_tool_check_ordered_cluster_wait(void* state) {
  here me = who(state);
  place* p = cluster_barrier_of(me);
  if (p != nullptr) {
    u32 generation = me.thread->cluster_generation;
    if (p->generation == generation) complete(p);
    leave(me, p, generation);
  }
  __heddle_tool_check_ordered_barrier(state);
}

/* mbarriers (libdevice/ptx.cu): the last bit of a generation is the phase. */
INLINE place* mbarrier_of(const here& me, u64* barrier) {
  return find((u32)(__SIZE_TYPE__)barrier + 2, 0, owner_of(me, barrier), true);
}
INLINE u32 phase_of(u64* barrier) { return (u32)(*barrier >> 63); }
HOOK void __heddle_tool_check_ordered_mbarrier_init(void* state, u64* barrier) {
  here me = who(state);
  place* p = mbarrier_of(me, barrier);
  if (p == nullptr) return;
  p->generation = p->arrived = p->sum[0] = p->sum[1] = p->sum[2] = 0;
}
/* The thread has arrived; `phase`: the one that it found. */
HOOK void __heddle_tool_check_ordered_mbarrier_arrive(void* state, u64* barrier, u32 phase) {
  here me = who(state);
  place* p = mbarrier_of(me, barrier);
  if (p == nullptr) return;
  if ((p->generation & 1) != phase) complete(p);
  arrive(me, p);
  if ((p->generation & 1) != phase_of(barrier)) complete(p);
}
/* The barrier is about to be told of bytes that the thread has copied: who waits for the phase has them. */
HOOK void __heddle_tool_check_ordered_mbarrier_complete(void* state, u64* barrier) {
  here me = who(state);
  place* p = mbarrier_of(me, barrier);
  if (p == nullptr) return;
  if ((p->generation & 1) != phase_of(barrier)) complete(p);
  arrive(me, p);
}
/* The thread has asked whether a phase is over. */
HOOK void __heddle_tool_check_ordered_mbarrier_test(void* state, u64* barrier, u32 phase, u32 isOver) {
  if (isOver == 0) return;
  here me = who(state);
  place* p = mbarrier_of(me, barrier);
  if (p == nullptr) return;
  if ((p->generation & 1) == (phase & 1)) complete(p);
  leave(me, p, phase);
}

/* ------------------------------------------------------------------ the question */
enum { WRITE_RACES = 1, READ_RACES = 2, WRITE_NARROW = 4, READ_NARROW = 8 };
static DEVICE NOINLINE u32 unordered(const here& me, u32 entry, u32 races, u32 narrow) {
  if (entry == 0) return 0;
  u32 interval = entry >> INTERVAL_SHIFT << INTERVAL_SHIFT, thread = entry >> THREAD_SHIFT & 1023;
  u32 block = __heddle_tool_check_race_owners[entry >> INTERVAL_SHIFT];
  u32 known = me.thread->known;
  /* An entry names one of several threads. If the one comes before this one, or is it, the others may, too. */
  bool before = thread == me.index || interval < me.block->round ||
                (thread / 32 == me.warp && interval < round_of_warp(me));
  if (before && block == me.block->index) return known != 0 ? 0 : races;
  if (reaches(known, interval, thread, block)) return 0;
  return reaches(me.thread->narrow, interval, thread, block) ? races | narrow : races;
}
/* Which of the two entries, 0 for none, this thread is not ordered behind. */
HOOK u32 __heddle_tool_check_ordered_races(void* state, u32 write, u32 read) {
  here me = who(state);
  if (race()[EXHAUSTED] != 0) return 0;
  return unordered(me, write, WRITE_RACES, WRITE_NARROW) | unordered(me, read, READ_RACES, READ_NARROW);
}
