/** The model of the caches over traces by hand, and its lists against plain ones. */
import { expect, test } from "vitest";
import { modelCaches } from "./cache-model.ts";
import type { LineTrace } from "./line-trace.ts";
import { RecentLines } from "./recent-lines.ts";
import { inTurns } from "./turns.ts";

interface Touch {
  readonly line: number;
  readonly sectors?: number;
  readonly operation?: "load" | "store" | "atomic";
  readonly block?: number;
  readonly warp?: number;
  readonly isLocal?: boolean;
}

function trace(touches: readonly Touch[]): LineTrace {
  const operations = { load: 0, store: 1, atomic: 2 };
  return {
    records: touches.length,
    lines: Uint32Array.from(touches, ({ line }) => line),
    sectors: Uint8Array.from(touches, ({ sectors = 15 }) => sectors),
    operations: Uint8Array.from(touches, ({ operation = "load" }) => operations[operation]),
    blocks: Uint32Array.from(touches, ({ block = 0 }) => block),
    warps: Uint8Array.from(touches, ({ warp = 0 }) => warp),
    lineShare: 1,
    isLocal: Uint8Array.from(touches, ({ isLocal = false }) => Number(isLocal)),
    hasMultiprocessor: () => true,
  };
}

/** Two multiprocessors with an L1 of two lines each, and an L2 of seven lines that count. */
const LAUNCH = {
  multiprocessors: 2,
  residentBlocks: 2,
  sizes: { l1Bytes: 256, l2Bytes: 1280, l2Partitions: 1 },
} as const;

const counts = (touches: readonly Touch[]) => modelCaches(trace(touches), LAUNCH);

test("a sector is a hit once it was loaded, another sector of the line is not", () => {
  const found = counts([{ line: 7, sectors: 1 }, { line: 7, sectors: 3 }, { line: 7 }]);
  expect(found).toMatchObject({ l1Lookups: 7, l1Hits: 3, reads: 4, dramReads: 4, firstReads: 4 });
});

test("the line that was used the longest time ago is forgotten", () => {
  const found = counts([1, 2, 1, 3, 1, 2].map((line) => ({ line })));
  // 1 stays; 2 has gone when it is asked for again, and L2 has it.
  expect(found).toMatchObject({ l1Lookups: 24, l1Hits: 8, reads: 16, dramReads: 12, firstReads: 12 });
});

test("every multiprocessor has an L1 of its own", () => {
  expect(counts([{ line: 1 }, { line: 1, block: 1 }])).toMatchObject({ l1Hits: 0, reads: 8, dramReads: 4 });
  expect(counts([{ line: 1 }, { line: 1, block: 2 }])).toMatchObject({ l1Hits: 4, reads: 4, dramReads: 4 });
});

test("local memory is in L1 beside global memory, and a later block of the same place has the same lines", () => {
  // Blocks 0 and 4 follow one another: two multiprocessors hold two blocks each.
  const found = counts([
    { line: 1, isLocal: true, operation: "store" },
    { line: 1, isLocal: true },
    { line: 1 },
    { line: 1, isLocal: true, operation: "store", block: 4 },
    { line: 1, isLocal: true, block: 4 },
    { line: 1, isLocal: true, warp: 1, block: 4 },
  ]);
  expect(found.local).toEqual({ loads: 12, loadHits: 8, stores: 8, storeHits: 4, dramReads: 4, written: 4 });
  // The global line is none of local memory, and of different bytes only it counts.
  expect(found).toMatchObject({ l1Lookups: 24, l1Hits: 12, dramReads: 4, firstReads: 4 });
});

test("a store finds the line that a load or a store brought, and is passed on", () => {
  const found = counts([
    { line: 1, sectors: 1 },
    { line: 1, operation: "store" },
  ]);
  expect(found).toMatchObject({ l1Hits: 4, writes: 4, dramReads: 1 });
  const alone = counts([{ line: 1, operation: "store" }, { line: 1 }]);
  expect(alone).toMatchObject({ l1Hits: 4, writes: 4, reads: 0, dramReads: 0, firstReads: 0 });
});

test("an atomic is made in L2", () => {
  const found = counts([{ line: 1 }, { line: 1, operation: "atomic" }, { line: 2, operation: "atomic", sectors: 1 }]);
  expect(found).toMatchObject({ l1Lookups: 9, l1Hits: 0, writes: 5, dramReads: 5 });
});

test("what L2 has no room for is read again", () => {
  const lines = [1, 2, 3, 4, 5, 6, 7, 8, 1].map((line) => ({ line }));
  expect(counts(lines)).toMatchObject({ dramReads: 36, firstReads: 32 });
});

test("multiprocessors take turns, and so do the warps of the blocks that they hold", () => {
  const touches = [0, 1, 2, 3, 4, 5].flatMap((block) =>
    [0, 1].flatMap((warp) => [0, 1].map((n) => ({ line: 100 * block + 10 * warp + n, block, warp }))),
  );
  const made = trace(touches);
  const order = [...inTurns(made, LAUNCH)].map((record) => made.lines[record]);
  // Blocks 0, 2, 4 are the first multiprocessor's, two at a time.
  const first = [0, 10, 200, 210, 100, 110, 300, 310];
  expect(order).toEqual([...first, ...first.map((line) => line + 1), 400, 410, 500, 510, 401, 411, 501, 511]);
});

test("blocks above 2^22 and records out of order are told apart", () => {
  const touches = [2 ** 31 + 5, 3, 2 ** 23, 3, 2 ** 31 + 5].map((block, line) => ({ block, line, warp: line % 3 }));
  const order = [...inTurns(trace(touches), { multiprocessors: 1, residentBlocks: 1 })];
  expect(order).toEqual([3, 1, 2, 0, 4]);
});

test("lists of recent lines are what plain lists are", () => {
  let seed = 1;
  const random = (below: number): number => (seed = (Math.imul(seed, 48271) >>> 0) % 2147483647) % below;
  const capacities = [1, 2, 5, 100, Infinity];
  const uses = 20_000;
  const lists = new RecentLines(capacities, uses);
  const plain = capacities.map(() => new Map<number, number>());
  for (let n = 0; n < uses; n++) {
    const [cache, line, sectors] = [random(capacities.length), random(20) ** 2, random(16)];
    const own = plain[cache] as Map<number, number>;
    const was = own.get(line);
    expect(lists.use(cache, line, sectors)).toBe(was ?? -1);
    own.delete(line);
    own.set(line, (was ?? 0) | sectors);
    if (own.size > (capacities[cache] as number)) own.delete(own.keys().next().value as number);
  }
});
