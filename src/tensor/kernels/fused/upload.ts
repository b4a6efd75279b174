/**
 * A copy from pinned memory of the host by a kernel that reads it there. A copy engine is as fast, but what follows it
 * waits for it some ten microseconds.
 */
import type { DevicePointer } from "../../../device/device.ts";
import type { TensorDevice } from "../tensor-device.ts";
import { launchFused } from "./fused-kernel.ts";

const WORDS = 1024;
/** Beside other work, so many programs keep the bus busy, and leave the processors to that. */
const MOST_BESIDE = 64;

/** @param bytes a multiple of 16 */
export function launchUpload(device: TensorDevice, from: DevicePointer, to: DevicePointer, bytes: number): void {
  const words = bytes / 4;
  const blocks = Math.ceil(words / WORDS);
  const programs = device.branches?.isInside === true ? Math.min(blocks, MOST_BESIDE) : blocks;
  const tensors = { source: { dtype: "int32", pointer: from }, target: { dtype: "int32", pointer: to } } as const;
  const numbers = { words, programs, turns: Math.ceil(blocks / programs) };
  launchFused(device, "upload", "", programs, tensors, numbers, () => ({
    lines: [
      "for turn in range(0, turns):",
      `    at = (turn * programs + tl.program_id(0)) * ${WORDS} + tl.arange(0, ${WORDS})`,
      "    tl.store(target + at, tl.load(source + at, mask=at < words, other=0), mask=at < words)",
    ],
  }));
}
