import {
  defineLadder,
  normal,
  uniform,
  type Configuration,
  type Distribution,
  type Ladder,
  type LaunchStep,
  type VersionDeclaration,
} from "heddle/ladder";

/** Elements of a query, key or value, and tokens of a page: what the kernels are written for. */
const SIZE = 128;
const PAGE = 16;
interface Size extends Readonly<Record<string, number>> {
  readonly batch: number;
  readonly heads: number;
  readonly kvHeads: number;
  /** Of the longest sequence. */
  readonly pages: number;
}
/** Tokens of a sequence: a part of the last page is empty. */
const lengthOf = ({ pages }: Pick<Size, "pages">): number => pages * PAGE - 5;
const cached = ({ batch, kvHeads, pages }: Size): number => batch * pages * PAGE * kvHeads * SIZE;
const queries = ({ batch, heads }: Size): number => batch * heads * SIZE;

/** All pages in any order: a sequence's lie wherever there was room. */
const shuffled: Distribution = (random, { batch = 0, pages = 0 }) => {
  const order = Array.from({ length: batch * pages }, (_, page) => page);
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor((i + 1) * random());
    [order[i], order[j]] = [order[j] as number, order[i] as number];
  }
  let next = 0;
  return () => order[next++ % order.length] as number;
};
const lengths: Distribution =
  (_, { pages = 0 }) =>
  () =>
    lengthOf({ pages });

/** Groups of threads take parts in turn, more of them where there are many. */
const finish = (rows: number, parts: number): LaunchStep => ({
  kernel: "finish",
  grid: rows,
  block: (parts > 16 ? 8 : 4) * SIZE,
  args: ["partial", "o", parts],
});
const split = (parameters: Readonly<Record<string, readonly number[]>>): VersionDeclaration<Size> => ({
  parameters: { GROUP: [1, 2, 4, 8], PARTS: [4, 1, 2, 8, 16, 32], ...parameters },
  allow: ({ GROUP = 0 }: Configuration, { heads, kvHeads }: Size) => GROUP === heads / kvHeads,
  launch: ({ batch, heads, kvHeads, pages }, { PARTS = 1 }): LaunchStep[] => [
    {
      kernel: "attend",
      grid: [PARTS, kvHeads, batch],
      block: 128,
      args: ["q", "k", "v", "table", "lengths", "partial", heads, kvHeads, pages, PARTS],
    },
    finish(batch * heads, PARTS),
  ],
});

/** A stage has a page of keys and of values, 16 bytes between tokens. */
const stageBytes = (heads: number): number => 2 * PAGE * (heads * SIZE * 2 + 16);
const wholePages: VersionDeclaration<Size> = {
  parameters: { GROUP: [1, 2, 4, 8], HEADS: [8, 4, 2, 1], PARTS: [8, 4, 16, 33, 66], STAGES: [2, 3, 4] },
  // All stages of a block, no more than a multiprocessor has room for.
  allow: ({ GROUP = 0, HEADS = 0, STAGES = 0 }: Configuration, { heads, kvHeads }: Size) =>
    GROUP === heads / kvHeads && kvHeads % HEADS === 0 && STAGES * stageBytes(HEADS) <= 226 * 1024,
  launch: ({ batch, heads, kvHeads, pages }, { PARTS = 1, HEADS = 1, STAGES = 1 }): LaunchStep[] => [
    {
      kernel: "attend",
      grid: [PARTS, kvHeads / HEADS, batch],
      block: 32 * (HEADS + 1),
      sharedBytes: STAGES * stageBytes(HEADS),
      args: ["q", "k", "v", "table", "lengths", "partial", heads, kvHeads, pages, PARTS],
    },
    finish(batch * heads, PARTS),
  ],
};

const ladder: Ladder = defineLadder({
  summary:
    "paged decode attention: one query of 128 bfloat16 for each head and sequence, keys and values in pages of 16 " +
    "tokens that a table names; heads / kvHeads queries share keys",
  inputs: {
    q: { dtype: "bfloat16", length: queries, values: normal(0, 1), seed: 1 },
    k: { dtype: "bfloat16", length: cached, values: uniform(-1.7, 1.7), seed: 2 },
    v: { dtype: "bfloat16", length: cached, values: uniform(-1, 1), seed: 3 },
    table: { dtype: "int32", length: ({ batch, pages }: Size) => batch * pages, values: shuffled, seed: 4 },
    lengths: { dtype: "int32", length: ({ batch }: Size) => batch, values: lengths, seed: 5 },
  },
  outputs: {
    o: {
      dtype: "bfloat16",
      length: queries,
      tolerance: {
        absolute: 2 ** -11,
        relative: 2 ** -8,
        reason: "the result is rounded to 8 bits; the hardware's power of 2 is off by 2^-22, sums are float",
      },
    },
  },
  scratch: {
    partial: {
      dtype: "float32",
      length: ({ batch, heads }: Size, { PARTS = 1 }: Configuration) => batch * heads * PARTS * (SIZE + 2),
    },
  },
  reference: ({ q, k, v, table, lengths }, { heads, kvHeads, pages }: Size) => {
    const known = new Map<number, Float64Array>();
    const row = (index: number): Float64Array => {
      const sequence = Math.floor(index / heads);
      const kv = Math.floor((index % heads) / (heads / kvHeads));
      const at = (key: number): number =>
        (((table[sequence * pages + Math.floor(key / PAGE)] as number) * PAGE + (key % PAGE)) * kvHeads + kv) * SIZE;
      const scores = Float64Array.from({ length: lengths[sequence] as number }, (_, key) => {
        const from = at(key);
        let sum = 0;
        for (let d = 0; d < SIZE; d++) sum += (q[index * SIZE + d] as number) * (k[from + d] as number);
        return sum / Math.sqrt(SIZE);
      });
      const most = scores.reduce((a, b) => Math.max(a, b));
      const weights = scores.map((score) => Math.exp(score - most));
      const total = weights.reduce((a, b) => a + b);
      const out = new Float64Array(SIZE);
      weights.forEach((weight, key) => {
        const from = at(key);
        for (let d = 0; d < SIZE; d++) out[d] = (out[d] as number) + (weight / total) * (v[from + d] as number);
      });
      return out;
    };
    // Rows are computed when they are first asked for.
    return {
      o: (index) => {
        const at = Math.floor(index / SIZE);
        let found = known.get(at);
        if (found === undefined) known.set(at, (found = row(at)));
        return found[index % SIZE] as number;
      },
    };
  },
  work: (shape) => ({
    bytes: 2 * 2 * shape.batch * lengthOf(shape) * shape.kvHeads * SIZE + 4 * queries(shape),
    operations: 4 * queries(shape) * lengthOf(shape),
  }),
  shapes: {
    check: [
      { batch: 1, heads: 1, kvHeads: 1, pages: 1 },
      { batch: 2, heads: 4, kvHeads: 2, pages: 7 },
      { batch: 3, heads: 8, kvHeads: 2, pages: 20 },
    ],
    time: {
      emulated: [{ batch: 2, heads: 8, kvHeads: 2, pages: 64 }],
      // Llama 3 8B: 4096 tokens of 16 sequences, and 32768 of two.
      cuda: [
        { batch: 16, heads: 32, kvHeads: 8, pages: 256 },
        { batch: 2, heads: 32, kvHeads: 8, pages: 2048 },
      ],
    },
  },
  versions: {
    "1-naive": {
      // So many tokens a block has room for.
      allow: (_: Configuration, shape: Size) => 4 * shape.pages * PAGE <= 128 * 1024,
      launch: ({ batch, heads, kvHeads, pages }) => [
        {
          kernel: "attend",
          grid: [heads, batch],
          block: SIZE,
          sharedBytes: 4 * pages * PAGE,
          args: ["q", "k", "v", "table", "lengths", "o", heads, kvHeads, pages],
        },
      ],
    },
    "2-split": split({}),
    "3-ahead": split({}),
    "4-whole-pages": wholePages,
  },
  rivals: { "PyTorch, gathered": { python: "rivals.py", function: "gathered" } },
});
export default ladder;
