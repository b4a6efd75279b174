/**
 * How the emulated device divides the linear memory (a refinement of machine/memory-map.ts).
 *
 *   ENGINE_BASE … + 8 KiB      control words (control-words.ts)
 *   …………………… CODE_BASE         the coordinator's: launches on their way to workers, mailboxes, lists of loops
 *   CODE_BASE … SCRATCH_BASE   the coordinator's, too: code on its way to workers
 *   SCRATCH_BASE … USER_BASE   thread contexts (scratch.ts)
 *   USER_BASE … windows        with a tool: its own allocations, then its shadow memory, in planes as large as the rest
 *   windows … heap             shared and local windows of resident blocks, and further thread contexts (scratch.ts)
 *   heap … end                 module data and what programs allocate: to 4 GiB, in a wide memory to where it is asked
 *                              for. All that lies below the heap lies below 4 GiB
 *
 * Windows lie below the heap so that the end of the memory in use is the end of the program's own data: an access past
 * the last allocation is then a fault and not a hit on some block's shared memory.
 */
import { alignUp } from "../../base/align.ts";
import { ENGINE_BASE, MAX_PAGES, PAGE_BYTES, USER_BASE } from "../../machine/memory-map.ts";

const MIB = 1024 * 1024;

export const CONTROL_BASE: number = ENGINE_BASE;
export const CONTROL_BYTES = 8192;
export const COORDINATOR_BASE: number = CONTROL_BASE + CONTROL_BYTES;
/** Code lies above: what is small and lives long lies below, so that it does not divide the room for code. */
export const CODE_BASE: number = 2 * MIB;
export const SCRATCH_BASE: number = 32 * MIB;
/** Room for windows: more where more threads run blocks. */
function windowBytes(threads: number): number {
  return Math.min(1024, Math.max(256, 32 * threads)) * MIB;
}
/** The last page is the tail slack of a full memory. */
export const HEAP_END: number = MAX_PAGES * PAGE_BYTES - PAGE_BYTES;

/** Room for what a tool allocates for itself: the table of allocations is the largest of it. */
const TOOL_BYTES: number = 384 * MIB;

export interface Regions {
  readonly tools: number;
  readonly shadows: number;
  readonly windows: number;
  readonly heap: number;
  readonly end: number;
  readonly planeBytes: number;
}

/** The size of each plane, and of the memory that they are for, which ends with all memory. */
export function planeBytesFor(shadows: number, planes: number): number {
  return Math.floor((HEAP_END - shadows) / (1 + planes) / PAGE_BYTES) * PAGE_BYTES;
}

/**
 * @param shadowPlanes bytes of shadow memory for each byte of windows and heap; null: no tool watches
 * @param heapBytes of a wide memory, which no tool watches; null: a memory of 4 GiB
 */
export function regionsFor(threads: number, shadowPlanes: number | null, heapBytes: number | null = null): Regions {
  if (heapBytes !== null) {
    const heap = USER_BASE + windowBytes(threads);
    const end = heap + alignUp(heapBytes, PAGE_BYTES);
    return { tools: USER_BASE, shadows: USER_BASE, windows: USER_BASE, heap, end, planeBytes: 0 };
  }
  const shadows = USER_BASE + (shadowPlanes === null ? 0 : TOOL_BYTES);
  const planeBytes = planeBytesFor(shadows, shadowPlanes ?? 0);
  const windows = HEAP_END - planeBytes;
  return { tools: USER_BASE, shadows, windows, heap: windows + windowBytes(threads), end: HEAP_END, planeBytes };
}
