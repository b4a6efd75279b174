/** The sizes of a convolution whose channels lie beside each other, and of the pooling behind it. */

import type { Tensor } from "../../tensor.ts";

export interface LayerSizes {
  readonly channels: number;
  readonly filters: number;
  readonly height: number;
  readonly width: number;
  readonly kernel: readonly [number, number];
  readonly stride: readonly [number, number];
  readonly padding: readonly [number, number];
  readonly dilation: readonly [number, number];
  /** Of the convolution's result. */
  readonly outHeight: number;
  readonly outWidth: number;
  /** Windows beside each other; [1, 1]: no pooling. */
  readonly pool: readonly [number, number];
  readonly hasRelu: boolean;
}

export function pooledSizes({ outHeight, outWidth, pool }: LayerSizes): readonly [number, number] {
  return [Math.floor(outHeight / pool[0]), Math.floor(outWidth / pool[1])];
}

export function tapsOf({ kernel }: LayerSizes): number {
  return kernel[0] * kernel[1];
}

/** Where an image's element lies: strides of [batch, channel, row, column]. */
export type ImageStrides = readonly [number, number, number, number];

export function imageStrides({ strides }: Tensor): ImageStrides {
  return strides as unknown as ImageStrides;
}

/** For the keys of kernels. */
export function formOf(sizes: LayerSizes): string {
  const { channels, filters, height, width, kernel, stride, padding, dilation, pool, hasRelu } = sizes;
  return `${channels} ${filters} ${height} ${width} ${kernel} ${stride} ${padding} ${dilation} ${pool} ${hasRelu}`;
}

/** Channels that a step of a product takes; 0: their number does not fit, and elements are gathered one by one. */
export function depthOf(channels: number): number {
  return [64, 32, 16].find((depth) => channels % depth === 0) ?? 0;
}
