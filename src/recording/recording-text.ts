/** What a recording says of itself, in words. */
import { counted } from "../base/counted.ts";
import { demangle } from "../base/demangle.ts";
import { formatLocation } from "../base/diagnostics.ts";
import { dim3Volume, formatDim3 } from "../base/dim3.ts";
import type { BlockRecording } from "./recording.ts";

export function titleText({ launch, stepCount, instructions }: BlockRecording): string {
  const { kernel, blockIndex, grid, block, ordinal } = launch;
  const threads = dim3Volume(block);
  return (
    `${demangle(kernel)}, block ${formatDim3(blockIndex)} of ${formatDim3(grid)}, ${counted(threads, "thread")}` +
    `${ordinal === 1 ? "" : `, launch ${ordinal}`}: ${counted(stepCount, "step")}, ` +
    `${counted(instructions, "instruction")} of warps`
  );
}

/** How the recording ends, and what it leaves out; null: the block ended, and all of it is there. */
export function endText({ end, launch }: BlockRecording): string | null {
  const others = dim3Volume(launch.grid) - 1;
  switch (end.how) {
    case "done":
      return null;
    case "fault": {
      const { fault } = end;
      const place = fault.location === null ? "" : ` at ${formatLocation(fault.location)}`;
      return `the block ends with a fault${place}: ${fault.message}`;
    }
    case "deadlock":
      return others === 0
        ? "the block ends in a deadlock: every thread waits for another"
        : "every thread of the block waits: for one another, or for other blocks, which a recording does not run";
    case "spins":
      return "the block's threads only loop and look whether memory has changed: no other thread changes it here";
    case "other-blocks":
      return "the block waits at the barrier of the grid: a recording has one block";
    case "limit":
      return end.what === "steps"
        ? "the recording is full: later steps are left out (--steps takes more)"
        : "recording took too long: later steps are left out";
  }
}
