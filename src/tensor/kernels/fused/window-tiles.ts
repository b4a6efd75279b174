/** How the windows of a pooling are dealt out to the programs of a kernel, and the statements that say so. */
import type { ImageStrides } from "./block-sizes.ts";
import { sideOf } from "./fused-kernel.ts";

/** The place of a window whose greatest element is not above 0: ReLU lets no gradient through. */
export const NONE = 255;
const ELEMENTS = 2048;
const MOST_CHANNELS = 64;

/** How windows are dealt out: a program takes `positions` windows of one image at a time, and some channels. */
export interface Tiling {
  readonly positions: number;
  readonly channels: number;
  readonly ofImage: number;
  readonly ofChannels: number;
}

export function tilingOf(filters: number, windows: number): Tiling {
  const channels = sideOf(filters, MOST_CHANNELS);
  let positions = 16;
  while (positions < windows && positions < ELEMENTS / channels) positions *= 2;
  return {
    positions,
    channels,
    ofImage: Math.ceil(windows / positions),
    ofChannels: Math.ceil(filters / channels),
  };
}

/**
 * `n`, `qh`, `qw`: the image and the window of each row of the tile; `c`: the channels; `inside`.
 * @param block an expression: which tile of all images
 */
export function windowText({ positions, ofImage }: Tiling, height: number, width: number, block: string): string[] {
  return [
    `n = (${block}) // ${ofImage}`,
    `q = ((${block}) % ${ofImage}) * ${positions} + tl.arange(0, ${positions})`,
    `inside = (q < ${height * width}) & (n < batch)`,
    `qh = q // ${width}`,
    `qw = q % ${width}`,
  ];
}

export function channelText({ channels, ofChannels }: Pick<Tiling, "channels" | "ofChannels">): string[] {
  return [
    "program = tl.program_id(0)",
    `c = (program % ${ofChannels}) * ${channels} + tl.arange(0, ${channels})`,
    `program = program // ${ofChannels}`,
  ];
}

/** A row of numbers by channel. */
export const ofChannels = (name: string, filters: number, as: string = name): string =>
  `${as} = tl.load(${name} + c, mask=c < ${filters}, other=0.0)[None, :]`;

export const isTurned = (strides: ImageStrides): boolean => strides[1] !== 1;

/** Stores `best` of the windows `n`, `qh`, `qw` that are `inside`. @param channel the name of the channels' numbers */
export function storeBestText(strides: ImageStrides, filters: number, channel: string): string {
  const [ofBatch, ofChannel, ofRow, ofColumn] = strides;
  const place = `n * ${ofBatch} + qh * ${ofRow} + qw * ${ofColumn}`;
  return isTurned(strides)
    ? `tl.store(out + (${place})[None, :] + (${channel} * ${ofChannel})[:, None], tl.trans(best).to(tl.bfloat16), ` +
        `mask=inside[None, :] & (${channel} < ${filters})[:, None])`
    : `tl.store(out + (${place})[:, None] + ${channel}[None, :], best.to(tl.bfloat16), ` +
        `mask=inside[:, None] & (${channel} < ${filters})[None, :])`;
}

/** Statements that load `g`, the gradient of the windows, in the order in which it lies in memory. */
export function gradientText(strides: ImageStrides, filters: number, inside = "inside"): string[] {
  const [ofBatch, ofChannel, ofRow, ofColumn] = strides;
  const place = `n * ${ofBatch} + qh * ${ofRow} + qw * ${ofColumn}`;
  if (!isTurned(strides))
    return [
      `g = tl.load(gradient + (${place})[:, None] + c[None, :], ` +
        `mask=${inside}[:, None] & (c < ${filters})[None, :], other=0.0).to(tl.float32)`,
    ];
  return [
    `g = tl.trans(tl.load(gradient + (${place})[None, :] + (c * ${ofChannel})[:, None], ` +
      `mask=${inside}[None, :] & (c < ${filters})[:, None], other=0.0)).to(tl.float32)`,
  ];
}
