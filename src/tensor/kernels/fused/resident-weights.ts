/**
 * Convolutions of many pixels: a program has all weights of its filters in shared memory, and copies the windows of the
 * next pixels while it multiplies those of the last ones. On an H200 the second layer of MNIST's network takes 38
 * instead of 52 µs with 200,704 pixels, and 14.6 instead of 14.0 µs with a quarter of them.
 */
import { depthOf, tapsOf, type ImageStrides, type LayerSizes } from "./block-sizes.ts";
import { forwardHead, forwardStore, forwardTurn, statisticsStore, type ForwardTile } from "./forward-text.ts";
import { indented, type FusedText } from "./fused-kernel.ts";

/** Two programs have room on a processor: an H100's has 228 KB. */
const MOST_BYTES = 112 * 1024;
const MOST_TAPS = 16;
/** Rows of a turn. */
export const RESIDENT_SIDE = 64;
/** Of a loop over pixels. */
export const RESIDENT_STAGES = 2;

export function hasResidentWeights(sizes: LayerSizes, columns: number): boolean {
  const taps = tapsOf(sizes);
  const bytes = 2 * taps * sizes.channels * (columns + RESIDENT_STAGES * RESIDENT_SIDE);
  return depthOf(sizes.channels) === sizes.channels && taps <= MOST_TAPS && bytes <= MOST_BYTES;
}

export function residentVariants(sizes: LayerSizes, strides: ImageStrides, tile: ForwardTile): FusedText[] {
  return [{ lines: residentText(sizes, strides, tile) }];
}

interface Tap {
  readonly tap: number;
  readonly row: number;
  readonly column: number;
  /** How far its pixel lies from the window's first one, in elements. */
  readonly by: number;
}

function tapList(sizes: LayerSizes, [, , ofRow, ofColumn]: ImageStrides): Tap[] {
  const { kernel, dilation } = sizes;
  return Array.from({ length: tapsOf(sizes) }, (_, tap) => {
    const [row, column] = [Math.floor(tap / kernel[1]), tap % kernel[1]];
    return { tap, row, column, by: row * dilation[0] * ofRow + column * dilation[1] * ofColumn };
  });
}

/** Loads the weights of all taps for the filters `column`. */
export function residentWeights(sizes: LayerSizes, strides: ImageStrides, columns: number): string[] {
  const { channels, filters } = sizes;
  const taps = tapList(sizes, strides);
  const rest = filters % columns === 0 ? "" : `, mask=(column < ${filters})[None, :], other=0.0`;
  return [
    `k = tl.arange(0, ${channels})`,
    ...taps.map(
      ({ tap }) =>
        `w${tap} = tl.load(weight + column[None, :] * ${taps.length * channels} + ` +
        `(${tap * channels} + k)[:, None]${rest})`,
    ),
  ];
}

/** `total` is the product of the windows that begin at (`h`, `v`) of image `n`, where `inside` holds. */
export function residentProduct(sizes: LayerSizes, strides: ImageStrides): string[] {
  const { height, width, kernel, dilation } = sizes;
  const [ofBatch, , ofRow, ofColumn] = strides;
  return [
    `base = x + n * ${ofBatch} + h * ${ofRow} + v * ${ofColumn}`,
    ...Array.from({ length: kernel[0] }, (_, i) => {
      const by = i * dilation[0];
      return `row${i} = inside & (h + ${by} >= 0) & (h + ${by} < ${height})`;
    }),
    ...Array.from({ length: kernel[1] }, (_, j) => {
      const by = j * dilation[1];
      return `column${j} = (v + ${by} >= 0) & (v + ${by} < ${width})`;
    }),
    ...tapList(sizes, strides).flatMap(({ tap, row, column, by }) => [
      `a${tap} = tl.load(base[:, None] + (${by} + k)[None, :], ` +
        `mask=(row${row} & column${column})[:, None], other=0.0)`,
      `total = tl.dot(a${tap}, w${tap}, total)`,
    ]),
  ];
}

/**
 * The statistics are sums of how far results are from the first one of their filter, and of the squares: no program has
 * so many results that this loses more than some bits. Rows of a tile that lie in one thread are summed at once.
 */
function residentText(sizes: LayerSizes, strides: ImageStrides, tile: ForwardTile): string[] {
  const { filters } = sizes;
  const { side, columns, turns } = tile;
  const shape = `(${side / 32}, 8, ${columns})`;
  const ofThread = `(${side / 32}, 4, 8, ${columns})`;
  return [
    ...forwardHead(sizes, tile),
    ...residentWeights(sizes, strides, columns),
    `shift = tl.zeros((${columns},), dtype=tl.float32)`,
    `sums = tl.zeros(${shape}, dtype=tl.float32)`,
    `powers = tl.zeros(${shape}, dtype=tl.float32)`,
    "seen = 0.0",
    `for turn in tl.range(0, ${turns}, num_stages=${RESIDENT_STAGES}):`,
    ...indented([
      ...forwardTurn(sizes, tile),
      ...residentProduct(sizes, strides),
      ...forwardStore(filters, side),
      "if turn == 0:",
      `    shift = tl.sum(tl.where((tl.arange(0, ${side}) == 0)[:, None], value, 0.0), 0)`,
      "apart = tl.where(inside[:, None], value - shift[None, :], 0.0)",
      `sums += tl.sum(tl.reshape(apart, ${ofThread}), 1)`,
      `powers += tl.sum(tl.reshape(apart * apart, ${ofThread}), 1)`,
      "seen = seen + count",
    ]),
    "most = tl.maximum(seen, 1.0)",
    "sum = tl.sum(tl.sum(sums, 0), 0)",
    "mean = shift + sum / most",
    "squares = tl.maximum(tl.sum(tl.sum(powers, 0), 0) - sum * sum / most, 0.0)",
    ...statisticsStore(filters),
  ];
}
