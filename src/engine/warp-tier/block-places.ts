/** Where the blocks that a thread runs at a time have their memory: those of a cluster, or one. */
import { alignUp } from "../../base/align.ts";
import { SHARED_ALIGN, WARP_LANES } from "../../machine/memory-map.ts";
import type { WarpMetadata } from "./metadata.ts";

/** [start, end) */
export type Range = readonly [number, number];

export interface BlockPlace {
  readonly shared: Range;
  /** Local memory of its threads. */
  readonly local: Range;
  /** Of its warps, one behind the other. */
  readonly contexts: number;
}

export interface BlockPlaces {
  /** By rank in the cluster. */
  readonly places: readonly BlockPlace[];
  /** From the shared memory of one block of a cluster to that of the next, which lies behind it; 0 without clusters. */
  readonly stride: number;
  readonly scratch: number;
  readonly barrier: number;
  /** Room for a loop mark. */
  readonly loopWord: number;
  /** One past the last byte of shared and local memory. */
  readonly end: number;
}

/** The loop mark of a host that has none, and its alignment. */
const LOOP_WORD_BYTES = 8;

export function placeBlocks(
  m: WarpMetadata,
  blocks: number,
  sharedBytes: number,
  take: (bytes: number, align: number, kind: "user" | "engine") => number,
): BlockPlaces {
  const stride = blocks === 1 ? 0 : alignUp(Math.max(1, sharedBytes), SHARED_ALIGN);
  const shared = take((blocks - 1) * stride + sharedBytes, SHARED_ALIGN, "user");
  const localBytes = m.warps * WARP_LANES * m.localBytesPerThread;
  const local = take(blocks * localBytes, 256, "user");
  const contextBytes = m.warps * m.contextBytes;
  const contexts = m.scratchBytes + m.barrierBytes;
  const engineBytes = contexts + blocks * contextBytes;
  const engine = take(engineBytes + LOOP_WORD_BYTES, 16, "engine");
  return {
    places: Array.from({ length: blocks }, (_, rank) => ({
      shared: rangeFrom(shared + rank * stride, sharedBytes),
      local: rangeFrom(local + rank * localBytes, localBytes),
      contexts: engine + contexts + rank * contextBytes,
    })),
    stride,
    scratch: engine,
    barrier: engine + m.scratchBytes,
    loopWord: engine + ((engineBytes + 3) & ~3),
    end: Math.max(shared + (blocks - 1) * stride + sharedBytes, local + blocks * localBytes),
  };
}

const rangeFrom = (start: number, bytes: number): Range => [start, start + bytes];
