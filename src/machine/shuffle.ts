/**
 * Which lane a shuffle reads: PTX ISA 9.7.9.6, shfl.sync.
 *
 * Used by the scheduler of the thread tier, and by the warp tier for constant operands. The interpreter has a version
 * of its own (engine/interpreter/collectives.ts): it is the reference that this one is tested against.
 */
import type { ShuffleFacts } from "../ir/intrinsics/facts.ts";

export type ShuffleMode = ShuffleFacts["mode"];

const LAST_LANE = 31;
/** Where the operand c has the segment mask; its lowest bits are the clamp. */
const SEGMENT_SHIFT = 8;

/**
 * @param amount the operand b: a lane, or a distance.
 * @param control the operand c: the clamp, and the mask of the bits that a segment's lanes have in common.
 * @returns -1 where the source is out of range: the lane then reads its own value.
 */
export function shuffleSource(mode: ShuffleMode, lane: number, amount: number, control: number): number {
  const offset = amount & LAST_LANE;
  const segment = (control >>> SEGMENT_SHIFT) & LAST_LANE;
  const limit = (lane & segment) | (control & LAST_LANE & ~segment);
  switch (mode) {
    case "up":
      return lane - offset >= limit ? lane - offset : -1;
    case "down":
      return lane + offset <= limit ? lane + offset : -1;
    case "bfly":
      return (lane ^ offset) <= limit ? lane ^ offset : -1;
    case "idx": {
      const source = (lane & segment) | (offset & ~segment);
      return source <= limit ? source : -1;
    }
  }
}
