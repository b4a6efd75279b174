/**
 * A copy from pinned memory of the host by a kernel that reads it there. A copy engine is as fast, but what follows it
 * waits for it some ten microseconds.
 */
import type { DevicePointer } from "../../../device/device.ts";
import type { TensorDevice } from "../tensor-device.ts";
import { launchFused } from "./fused-kernel.ts";

const WORDS = 1024;

/** @param bytes a multiple of 16 */
export function launchUpload(device: TensorDevice, from: DevicePointer, to: DevicePointer, bytes: number): void {
  const words = bytes / 4;
  const programs = Math.ceil(words / WORDS);
  const tensors = { source: { dtype: "int32", pointer: from }, target: { dtype: "int32", pointer: to } } as const;
  launchFused(device, "upload", "", programs, tensors, { words }, () => ({
    lines: [
      `at = tl.program_id(0) * ${WORDS} + tl.arange(0, ${WORDS})`,
      "tl.store(target + at, tl.load(source + at, mask=at < words, other=0), mask=at < words)",
    ],
  }));
}
