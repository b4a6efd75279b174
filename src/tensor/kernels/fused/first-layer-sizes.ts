/** The sizes of a first layer, and how the windows of its pooling are dealt out to programs: see first-layer.ts. */
import type { TensorDevice } from "../tensor-device.ts";
import { pooledSizes, tapsOf, type LayerSizes } from "./block-sizes.ts";
import { processors } from "./convolution.ts";
import { blocksOfProgram, sideOf, type FusedText } from "./fused-kernel.ts";

export const MOST_ELEMENTS = 64;

export function regionOf({ kernel, stride, dilation, pool }: LayerSizes): readonly [number, number] {
  const along = (d: 0 | 1): number => (pool[d] - 1) * stride[d] + (kernel[d] - 1) * dilation[d] + 1;
  return [along(0), along(1)];
}

/** Sizes of the convolution whose windows are the regions. */
export function ofRegions(sizes: LayerSizes): LayerSizes {
  return { ...sizes, kernel: regionOf(sizes), dilation: [1, 1] };
}

export const elementsOf = (sizes: LayerSizes): number => tapsOf(sizes) * sizes.channels;

/** Whether these kernels are for a layer of these sizes: each result is in a window of the pooling. */
export function isFirstLayer(sizes: LayerSizes): boolean {
  const { outHeight, outWidth, pool } = sizes;
  const isWhole = outHeight % pool[0] === 0 && outWidth % pool[1] === 0;
  return isWhole && elementsOf(sizes) < MOST_ELEMENTS && elementsOf(ofRegions(sizes)) <= MOST_ELEMENTS;
}

/** Elements of a region as it lies in memory: those behind the last one are 0. */
export const regionSide = (sizes: LayerSizes): number => sideOf(elementsOf(ofRegions(sizes)), MOST_ELEMENTS);

/** `element`: where the elements `k` of a window are in the region of the first place. */
export function elementText(sizes: LayerSizes): string[] {
  const { channels, kernel, dilation } = sizes;
  const [, width] = regionOf(sizes);
  return [
    `tap = k // ${channels}`,
    `element = (tap // ${kernel[1]} * ${dilation[0] * width} + tap % ${kernel[1]} * ${dilation[1]}) * ${channels} + ` +
      `k % ${channels}`,
  ];
}

/** For each place of a pooling, how many elements of the region lie before its window. */
export function placesOf(sizes: LayerSizes): number[] {
  const { channels, stride, pool } = sizes;
  const [, width] = regionOf(sizes);
  return Array.from({ length: pool[0] * pool[1] }, (_, place) => {
    const [row, column] = [Math.floor(place / pool[1]) * stride[0], (place % pool[1]) * stride[1]];
    return (row * width + column) * channels;
  });
}

/** The sides of the moments: an element more than a window has, which is 1. */
export const momentsSide = (sizes: LayerSizes): number => sideOf(elementsOf(sizes) + 1, MOST_ELEMENTS);

/** How the windows of all images are dealt out: a program takes `positions` of them `turns` times. */
export interface Deal {
  readonly positions: number;
  readonly channels: number;
  readonly ofChannels: number;
  readonly turns: number;
  readonly programs: number;
}

/** @param most the most channels of a program @param ofProcessor about so many programs */
export function dealOf(
  device: TensorDevice,
  sizes: LayerSizes,
  batch: number,
  most: { readonly positions: number; readonly channels: number; readonly ofProcessor: number },
): Deal {
  const [height, width] = pooledSizes(sizes);
  const { positions, ofProcessor } = most;
  const channels = sideOf(sizes.filters, most.channels);
  const blocks = Math.ceil((batch * height * width) / positions);
  const turns = blocksOfProgram(blocks, ofProcessor * processors(device));
  const programs = Math.ceil(blocks / turns);
  return { positions, channels, ofChannels: Math.ceil(sizes.filters / channels), turns, programs };
}

/** The same windows for more threads, or fewer of them at a time: which is faster depends on the sizes. */
export function variantsOf(deal: Deal, text: (deal: Deal) => string[]): FusedText[] {
  const { positions, turns } = deal;
  const lines = text(deal);
  const small = text({ ...deal, positions: positions / 2, turns: turns * 2 });
  return [{ lines }, { lines, warps: 8 }, { lines: small }];
}

/** `region`: those of the windows of a turn, [positions, side]; `k` are the elements. */
export const regionText = (sizes: LayerSizes): string =>
  `region = tl.load(regions + (q * ${regionSide(sizes)})[:, None] + k[None, :], ` +
  "mask=inside[:, None] & (k >= 0)[None, :], other=0.0)";

/** `n`, `qh`, `qw`: the windows of a turn; `kept`: where they lie in what is [batch, rows, columns, filters]. */
export function turnText(sizes: LayerSizes, { positions, turns }: Deal): string[] {
  const [height, width] = pooledSizes(sizes);
  return [
    `q = (program * ${turns} + turn) * ${positions} + tl.arange(0, ${positions})`,
    `inside = q < batch * ${height * width}`,
    `n = q // ${height * width}`,
    `qh = q % ${height * width} // ${width}`,
    `qw = q % ${width}`,
    `kept = q * ${sizes.filters}`,
    `h = qh * ${sizes.pool[0] * sizes.stride[0]} - ${sizes.padding[0]}`,
    `v = qw * ${sizes.pool[1] * sizes.stride[1]} - ${sizes.padding[1]}`,
  ];
}
