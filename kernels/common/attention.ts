/** What the ladders of attention by warpgroups share: shared memory of a block, for rows of 128 bfloat16. */
import type { Configuration } from "heddle/ladder";

const SIZE = 128;

/** Queries and outputs of each warpgroup, two buffers of keys and of values, and what aligns them. */
export const forwardBytes = ({ KEYS = 0, WARPGROUPS = 0 }: Configuration): number =>
  1024 + 2 * SIZE * (2 * 64 * WARPGROUPS + 4 * KEYS);
/** 128 keys and values, gradients of scores, STAGES tiles of 64 queries, and what aligns them. */
export const backwardBytes = ({ STAGES = 1 }: Configuration): number =>
  1024 + 2 * 128 * SIZE * 2 + 128 * 64 * 2 + STAGES * (2 * 64 * SIZE * 2 + 1024);
