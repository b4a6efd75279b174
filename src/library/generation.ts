/** How often a device was reset: what was made before the last reset is gone. */
import type { Device } from "../device/device.ts";

const resets = new WeakMap<Device, number>();

/** The number of resets of a device. */
export function generationOf(device: Device): number {
  return resets.get(device) ?? 0;
}

export function countReset(device: Device): void {
  resets.set(device, generationOf(device) + 1);
}
