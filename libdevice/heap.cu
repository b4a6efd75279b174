/*
 * Device malloc and free, and what operator new and delete stand on. Lock-free: a warp's threads may all be in here at
 * once in any interleaving, and none waits for another.
 *
 * The loader sets __heddle_heap_base (a multiple of 16) and __heddle_heap_bytes (cudaLimitMallocHeapSize, 8 MiB unless
 * the program says otherwise) and hands over the region zeroed. Its first bytes are the books (struct heap), then pages
 * of 4 KiB, one bit each. A block of up to 1 KiB comes from a page of blocks of its size class, kept in a list with a
 * counted head (Treiber, "Systems programming: coping with parallelism", 1986); a larger one is a run of pages. A page
 * starts with a header that free reads. Pages of small blocks are not given back: as on a GPU, the heap is fixed and
 * small.
 */
#include "prelude.h"

extern "C" {
DEVICE word __heddle_heap_base = 0;
DEVICE word __heddle_heap_bytes = 0;
}

constexpr u32 PAGE = 4096, HEADER = 16, CLASSES = 20, LARGEST_SMALL = 1024;
struct page_header { u32 block_bytes; /* 0: a run */ u32 pages; u32 size_class; u32 unused; };
struct heap {
  u64 lists[CLASSES]; /* low word: first free block, high word: how often the head changed */
  u32 hint;           /* where the last search for pages ended */
  u32 unused;
  u32 used[1];        /* one bit a page, as many words as needed */
};
struct free_block { u32 next; };

/* Places in the heap have 32 bits: addresses, or, with pointers of 64 bits, distances from a page before the heap,
 * which is at the beginning of a page there. */
#if defined(__LP64__)
INLINE word origin() { return __heddle_heap_base - PAGE; }
INLINE u32 heap_start() { return __heddle_heap_base == 0 ? 0 : PAGE; }
#else
INLINE word origin() { return 0; }
INLINE u32 heap_start() { return __heddle_heap_base; }
#endif
template <class T> INLINE T* at(u32 place) { return (T*)(origin() + place); }
template <class T> INLINE T* pointer_to(u32 place) { return place == 0 ? nullptr : at<T>(place); }
INLINE u32 load(u32* p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
INLINE u64 load(u64* p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
template <class T> INLINE bool exchange_if(T* p, T expected, T desired) {
  return __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Where the pages are: after the books, aligned. n pages need n/32 words of bits. */
struct layout { heap* books; u32 first, pages; };
INLINE layout heap_layout() {
  u32 base = heap_start(), bytes = (u32)__heddle_heap_bytes;
  u32 books = (u32)sizeof(heap) + (bytes / PAGE / 32 + 1) * 4;
  u32 first = (base + books + PAGE - 1) & ~(PAGE - 1), end = base + bytes;
  return {at<heap>(base), first, base == 0 || end < first ? 0 : (end - first) / PAGE};
}

/* Sizes 16 … 128 by 16, then four steps to each doubling: 160, 192, 224, 256, … 1024. */
INLINE u32 size_class(u32 bytes) {
  u32 units = (bytes + 15) >> 4;
  if (units <= 8) return units - (units > 0 ? 1 : 0);
  u32 top = 31 - (u32)__builtin_clz(units - 1), quarter = ((units - 1) >> (top - 2)) & 3; /* top >= 3 */
  return 8 + (top - 3) * 4 + quarter;
}
INLINE u32 class_bytes(u32 c) {
  if (c < 8) return (c + 1) * 16;
  u32 top = (c - 8) / 4 + 3, quarter = (c - 8) & 3;
  return ((4 + quarter + 1) << (top - 2)) * 16;
}

/* Claims n pages in a row; the index of the first, or the number of pages if there is no such run. */
static DEVICE NOINLINE u32 claim_pages(layout h, u32 n) {
  u32 start = load(&h.books->hint);
  start = start < h.pages ? start : 0;
  /* Twice through the heap at most: from the hint to the end, then from the beginning. */
  for (u32 pass = 0; pass < 2; pass++) {
    u32 from = pass == 0 ? start : 0, run = from, taken = 0;
    while (run + n <= h.pages) {
      u32 page = run + taken, bit = 1u << (page & 31);
      u32* word = &h.books->used[page >> 5];
      bool free = !(load(word) & bit) && !(__atomic_fetch_or(word, bit, __ATOMIC_ACQ_REL) & bit);
      taken += free ? 1 : 0;
      if (free && taken == n) {
        __atomic_store_n(&h.books->hint, run + n, __ATOMIC_RELAXED);
        return run;
      }
      if (!free) {
        for (u32 i = run; i < page; i++)
          __atomic_fetch_and(&h.books->used[i >> 5], ~(1u << (i & 31)), __ATOMIC_ACQ_REL);
        run = page + 1;
        taken = 0;
      }
    }
    for (u32 i = run; i < run + taken; i++)
      __atomic_fetch_and(&h.books->used[i >> 5], ~(1u << (i & 31)), __ATOMIC_ACQ_REL);
  }
  return h.pages;
}
INLINE u32 pop(u64* list) {
  for (;;) {
    u64 head = load(list);
    u32 block = (u32)head;
    if (block == 0) return 0;
    u32 next = load(&at<free_block>(block)->next);
    if (exchange_if(list, head, ((head >> 32) + 1) << 32 | next)) return block;
  }
}
INLINE void push(u64* list, u32 first, u32 last) {
  for (;;) {
    u64 head = load(list);
    __atomic_store_n(&at<free_block>(last)->next, (u32)head, __ATOMIC_RELAXED);
    if (exchange_if(list, head, ((head >> 32) + 1) << 32 | first)) return;
  }
}
static DEVICE NOINLINE u32 allocate_small(layout h, u32 c) {
  u32 block = pop(&h.books->lists[c]);
  if (block) return block;
  u32 page = claim_pages(h, 1);
  if (page == h.pages) return pop(&h.books->lists[c]); /* someone may have freed one meanwhile */
  u32 address = h.first + page * PAGE, bytes = class_bytes(c), count = (PAGE - HEADER) / bytes;
  *at<page_header>(address) = {bytes, 1, c, 0};
  u32 first = address + HEADER;
  for (u32 i = 1; i + 1 < count; i++) at<free_block>(first + i * bytes)->next = first + (i + 1) * bytes;
  if (count > 1) push(&h.books->lists[c], first + bytes, first + (count - 1) * bytes);
  return first;
}

DEVICE_FN NOINLINE void* malloc(__SIZE_TYPE__ size) {
  layout h = heap_layout();
  u32 bytes = (u32)size;
  if (h.pages == 0 || size > h.pages * PAGE) return nullptr;
  if (bytes <= LARGEST_SMALL) return pointer_to<void>(allocate_small(h, size_class(bytes)));
  u32 n = (bytes + HEADER + PAGE - 1) / PAGE, page = claim_pages(h, n);
  if (page == h.pages) return nullptr;
  u32 address = h.first + page * PAGE;
  *at<page_header>(address) = {0, n, 0, 0};
  return at<void>(address + HEADER);
}
DEVICE_FN NOINLINE void free(void* pointer) {
  if (pointer == nullptr) return;
  word distance = (word)pointer - origin();
  u32 block = (u32)distance;
  layout h = heap_layout();
  if (block != distance) __builtin_trap(); /* not from this heap */
  u32 address = block & ~(PAGE - 1);
  if (block < h.first || (address - h.first) / PAGE >= h.pages) __builtin_trap(); /* not from this heap */
  page_header p = *at<page_header>(address);
  if (p.block_bytes != 0) return push(&h.books->lists[p.size_class], block, block);
  u32 first = (address - h.first) / PAGE;
  for (u32 i = first; i < first + p.pages; i++)
    __atomic_fetch_and(&h.books->used[i >> 5], ~(1u << (i & 31)), __ATOMIC_ACQ_REL);
}
