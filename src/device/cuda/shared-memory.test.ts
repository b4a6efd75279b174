/** Which addresses pinned memory gets where something else of the process has the first ones. */
import { expect, test } from "vitest";
import type { GpuContext } from "./context.ts";
import { HostPages } from "./host-pages.ts";
import { SharedMemory } from "./shared-memory.ts";

const BASE = 0x1e00_0000_0000;
const MIB = 2 ** 20;

test.runIf(process.platform === "linux")("the first range is taken that this process does not use", () => {
  const context = {} as GpuContext;
  const ranges = [
    [0, 8 * MIB],
    [2 * MIB, 8 * MIB],
    [4 * MIB, 8 * MIB],
  ] as const;
  const other = HostPages.reserve(BASE + MIB, 2 * MIB);
  const memory = SharedMemory.open(context, BASE, ...ranges);
  expect(memory?.place(4096, 0)).toBe(4 * MIB);
  expect(SharedMemory.open(context, BASE, ...ranges)).toBeNull();
  memory?.close();
  other?.close();
});
