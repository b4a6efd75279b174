/**
 * What the 32-bit pointers of a device program mean on a GPU.
 *
 * Host programs are wasm32, so device pointers have 32 bits, too (docs/rationale.md). The driver side reserves one
 * window of 4 GiB of virtual addresses at a multiple of 4 GiB, and a 32-bit pointer is the low half of an address in
 * it: 0x0400_0100 in the program is windowBase + 0x0400_0100 on the GPU. The first 64 MiB of the window are not memory.
 * Of them
 *
 *   0 …………………… SHARED_ALIAS    null and small offsets from it
 *   SHARED_ALIAS … LOCAL_ALIAS    generic pointers to shared memory: SHARED_ALIAS + the address in .shared
 *   LOCAL_ALIAS …… CONSTANT_ALIAS generic pointers to a thread's own local memory: LOCAL_ALIAS + the address in .local
 *   CONSTANT_ALIAS GLOBAL_START   pointers to __constant__ variables: each module has a slot; a copy is
 *                                 mapped there once the host has asked for an address
 *   GLOBAL_START … GLOBAL_END     global memory: variables of modules, and what programs allocate
 *   GLOBAL_END …… 4 GiB           never mapped
 *
 * Nothing lies near the window's ends, so that an instruction may add a constant of a few megabytes to an address:
 * where the sum is in mapped memory, it did not wrap around. The GPU's own windows for shared and local memory have 16
 * MiB, hence the size of each range. Code that knows a pointer's address space pays nothing for this.
 *
 * In a thread block cluster the shared memory of each block has its number in the address from bit CLUSTER_RANK_SHIFT
 * on (mapa gives such addresses). A generic pointer to shared memory has it from bit FOLDED_RANK_SHIFT on, in modules
 * that use clusters: a block has less than 2^18 bytes, a cluster at most 16 blocks.
 */
export const SHARED_ALIAS: number = 0x0100_0000;
export const LOCAL_ALIAS: number = 0x0200_0000;
/** Where an address in the shared memory of a cluster has the block's number. */
export const CLUSTER_RANK_SHIFT = 24;
/** Where a generic pointer has it. */
export const FOLDED_RANK_SHIFT = 18;
export const CONSTANT_ALIAS: number = 0x0300_0000;
/** The first address of the window at which the driver side may map memory. */
export const GLOBAL_START: number = 0x0400_0000;
/** One past the last address at which it may. */
export const GLOBAL_END: number = 0xff00_0000;
/** The window's size and alignment in bytes. */
export const WINDOW_BYTES: bigint = 1n << 32n;
/**
 * Bytes of __constant__ variables that a module may have (CUDA programming guide, "Technical Specifications per Compute
 * Capability").
 */
export const CONSTANT_BYTES: number = 64 * 1024;
