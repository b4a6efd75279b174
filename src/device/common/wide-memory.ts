/** When an emulated device needs a memory whose addresses have 64 bits. */

/** A memory of 4 GiB has so much for programs, however many threads there are (device/emulated/memory-regions.ts). */
const MOST_NARROW_BYTES = 2.75 * 2 ** 30;

/** @param memoryBytes what programs may allocate; null: nothing was asked for */
export function needsWideMemory(memoryBytes: number | null): boolean {
  return memoryBytes !== null && memoryBytes > MOST_NARROW_BYTES;
}
