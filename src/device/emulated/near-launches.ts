/**
 * Launches on a device with more than 4 GiB of memory that reach nothing above 4 GiB: pointers of 32 bits will do, for
 * which all engines have code.
 */
import { MAX_PAGES, PAGE_BYTES } from "../../machine/memory-map.ts";
import type { LaunchFootprint } from "./launch-reuse.ts";
import type { DeviceMemory, HeapBlock } from "./memory.ts";

/** Vectors may be loaded a little beyond the last element. */
const NEAR_END: number = MAX_PAGES * PAGE_BYTES - PAGE_BYTES;

/** @param footprint what the launch reads and writes; null: anything */
export function isNearLaunch(memory: DeviceMemory, footprint: LaunchFootprint | null): boolean {
  if (!memory.isWide) return false;
  if (memory.top < NEAR_END) return true;
  if (footprint === null) return false;
  const isNear = (block: HeapBlock): boolean => block.start + block.bytes < NEAR_END;
  return [...footprint.read].every(isNear) && [...footprint.written].every(isNear);
}
