/**
 * The order in which multiprocessors make the records of a trace: all at once, the warps of the blocks that they hold
 * in turns, one record each.
 */
import type { LineTrace } from "./line-trace.ts";

export interface Residency {
  readonly multiprocessors: number;
  /** Blocks that a multiprocessor holds at once. */
  readonly residentBlocks: number;
}

interface Multiprocessor {
  /** The next one at the end. */
  readonly waiting: number[];
  readonly held: number[];
}

/** @returns the indices of all records */
export function inTurns(trace: LineTrace, { multiprocessors, residentBlocks }: Residency): Uint32Array {
  const { order, warpStarts, blockStarts, blockNumbers } = byBlock(trace);
  const all = Array.from({ length: multiprocessors }, (): Multiprocessor => ({ waiting: [], held: [] }));
  for (let block = blockNumbers.length - 1; block >= 0; block--)
    all[(blockNumbers[block] as number) % multiprocessors]?.waiting.push(block);
  const busy = all.filter(({ waiting }) => waiting.length > 0);
  for (const { waiting, held } of busy) held.push(...waiting.splice(-residentBlocks).reverse());
  const next = Uint32Array.from(warpStarts);
  const turns = new Uint32Array(trace.records);
  for (let made = 0; made < turns.length;) {
    for (const { waiting, held } of busy) {
      for (let slot = 0; slot < held.length; slot++) {
        const block = held[slot] as number;
        let isDone = true;
        for (let warp = blockStarts[block] as number; warp < (blockStarts[block + 1] as number); warp++) {
          const [at, end] = [next[warp] as number, warpStarts[warp + 1] as number];
          if (at >= end) continue;
          turns[made++] = order[at] as number;
          next[warp] = at + 1;
          if (at + 1 < end) isDone = false;
        }
        if (!isDone) continue;
        const following = waiting.pop();
        if (following === undefined) held.splice(slot--, 1);
        else held[slot] = following;
      }
    }
  }
  return turns;
}

interface ByBlock {
  /** Indices of the records, by block, then by warp, then in the order of the trace. */
  readonly order: Uint32Array;
  /** Where the records of each warp begin, and behind the last one the end. */
  readonly warpStarts: readonly number[];
  /** Where the warps of each block begin, and behind the last one the end. */
  readonly blockStarts: readonly number[];
  readonly blockNumbers: readonly number[];
}

function byBlock({ records, blocks, warps }: LineTrace): ByBlock {
  let order = new Uint32Array(records);
  for (let n = 0; n < records; n++) order[n] = n;
  order = sorted(order, warps);
  order = sorted(order, blocks);
  const warpStarts: number[] = [];
  const blockStarts: number[] = [];
  const blockNumbers: number[] = [];
  let [block, warp] = [-1, -1];
  for (let n = 0; n < records; n++) {
    const record = order[n] as number;
    const [ownBlock, ownWarp] = [blocks[record] as number, warps[record] as number];
    if (ownBlock !== block) {
      blockStarts.push(warpStarts.length);
      blockNumbers.push(ownBlock);
    }
    if (ownBlock !== block || ownWarp !== warp) warpStarts.push(n);
    [block, warp] = [ownBlock, ownWarp];
  }
  blockStarts.push(warpStarts.length);
  warpStarts.push(records);
  return { order, warpStarts, blockStarts, blockNumbers };
}

const DIGIT_BITS = 11;

/** Stable, by `keys`, digit by digit (radix sort). */
function sorted(order: Uint32Array, keys: Uint32Array | Uint8Array): Uint32Array<ArrayBuffer> {
  let most = 0;
  for (const key of keys) most |= key;
  let from = Uint32Array.from(order);
  for (let shift = 0; shift < 32 && most >>> shift !== 0; shift += DIGIT_BITS) {
    const digit = (record: number): number => ((keys[record] as number) >>> shift) & (2 ** DIGIT_BITS - 1);
    const places = new Uint32Array(2 ** DIGIT_BITS + 1);
    for (let n = 0; n < from.length; n++) {
      const place = digit(from[n] as number) + 1;
      places[place] = (places[place] as number) + 1;
    }
    for (let n = 0; n < 2 ** DIGIT_BITS; n++) places[n + 1] = (places[n + 1] as number) + (places[n] as number);
    const to = new Uint32Array(from.length);
    for (let n = 0; n < from.length; n++) {
      const record = from[n] as number;
      const place = digit(record);
      to[places[place] as number] = record;
      places[place] = (places[place] as number) + 1;
    }
    from = to;
  }
  return from;
}
