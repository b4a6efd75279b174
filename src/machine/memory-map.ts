/**
 * The one linear memory of an emulated device. Every address space of CUDA is an absolute address in it: generic,
 * global, shared, constant and local pointers are the same 32-bit number, so address space casts cost nothing.
 *
 *   0 ………………… ENGINE_BASE   never valid: null and small offsets from null
 *   ENGINE_BASE … USER_BASE   the engine's own data (launch descriptors, thread contexts); kernels must not access it
 *   USER_BASE …… top          module data, heap, and the shared and local windows of the resident blocks
 *
 * An access of `n` bytes at `a` is legal for the engine when USER_BASE <= a and a + n <= top, where top is the end of
 * the memory in use at launch. What lands in a gap between allocations is for the checkers to find.
 */
export const ENGINE_BASE: number = 64 * 1024;
export const USER_BASE: number = 0x0800_0000; // 128 MiB of address space, committed only as touched
/** Bytes past `top` that are always backed by memory, so that a full vector may be loaded at the last element. */
export const TAIL_SLACK_BYTES = 4096;
export const PAGE_BYTES = 65536;
export const MAX_PAGES = 65536;
/** Of a wide memory, whose addresses have 64 bits: what engines allow (V8 13.6 and SpiderMonkey: 16 GiB). */
export const MAX_WIDE_PAGES = 262_144;
export const WARP_LANES = 32;
/** Where the shared memory of a block begins: swizzles of tensor copies and wgmma repeat after so many bytes. */
export const SHARED_ALIGN = 1024;
