import { defineLadder, uniform, type Ladder } from "heddle/ladder";

interface Size extends Readonly<Record<string, number>> {
  readonly rows: number;
  readonly columns: number;
}

// Versions in CUDA and in Triton stand in one table. A block of a Triton version has 32 threads a warp.
const ladder: Ladder = defineLadder({
  summary: "sums of rows",
  inputs: {
    x: { dtype: "float32", length: ({ rows, columns }: Size) => rows * columns, values: uniform(-1, 1), seed: 1 },
  },
  outputs: {
    sums: {
      dtype: "float32",
      length: ({ rows }: Size) => rows,
      tolerance: {
        absolute: ({ columns }) => columns * 2 ** -24,
        relative: 0,
        reason: "each of the additions of numbers up to 1 loses up to 2^-24 of its sum",
      },
    },
  },
  reference: ({ x }, { rows, columns }: Size) => {
    const sums = new Float64Array(rows);
    for (let i = 0; i < rows * columns; i++) sums[Math.floor(i / columns)]! += x[i] as number;
    return { sums };
  },
  work: ({ rows, columns }) => ({ bytes: 4 * rows * columns, operations: rows * columns }),
  shapes: {
    check: [
      { rows: 3, columns: 1 },
      { rows: 5, columns: 1000 },
    ],
    time: { emulated: [{ rows: 1024, columns: 1000 }], cuda: [{ rows: 8192, columns: 8192 }] },
  },
  versions: {
    "1-block-a-row": {
      parameters: { BLOCK: [128, 256] },
      launch: ({ rows, columns }, { BLOCK = 0 }) => [
        { kernel: "row_sums", grid: rows, block: BLOCK, args: ["x", "sums", columns] },
      ],
    },
    "2-triton": {
      parameters: { TILE: [1024, 512], WARPS: [4, 2, 8] },
      launch: ({ rows, columns }, { WARPS = 0 }) => [
        { kernel: "row_sums", grid: rows, block: 32 * WARPS, args: ["x", "sums", columns] },
      ],
    },
  },
});
export default ladder;
