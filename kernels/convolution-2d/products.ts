/**
 * How the convolutions of taps.cuh and winograd.cuh are launched, and what they need: here and in ladders that do more
 * with their results.
 */
import type { Configuration, LaunchStep, Sweep } from "heddle/ladder";

interface Channels {
  readonly input: number;
  readonly output: number;
}
type Launch = Pick<LaunchStep, "grid" | "block" | "sharedBytes">;

const divideUp = (a: number, b: number): number => Math.ceil(a / b);
/** Input channels of a step. */
const DEPTH = 8;
const inputs = ({ input }: Channels): number => DEPTH * divideUp(input, DEPTH);
const outputs = ({ output }: Channels, { TILE_M = 1 }: Configuration): number => TILE_M * divideUp(output, TILE_M);

/**
 * Floats of the weights in the order in which they are copied, up to whole tiles of channels: at most 16 for a 3 x 3
 * filter.
 */
export const weightsLength = (channels: Channels, configuration: Configuration): number =>
  16 * inputs(channels) * outputs(channels, configuration);

/**
 * The kernel that puts weights into that order. @param blocks in y, for each channel of input. @param more arrays that
 * it takes beside w.
 */
const weights = (
  kernel: string,
  blocks: number,
  channels: Channels,
  configuration: Configuration,
  more: readonly string[],
): LaunchStep => {
  const padded = outputs(channels, configuration);
  return {
    kernel,
    grid: [divideUp(padded, 64), blocks * inputs(channels)],
    block: 64,
    args: ["w", ...more, "weights", channels.input, channels.output, padded],
  };
};

/** An implicit product of matrices. TILE_M: channels of output, TILE_N: pixels of a block. */
export const IMPLICIT: Required<Sweep<Readonly<Record<string, number>>>> = {
  parameters: { TILE_M: [64, 128], TILE_N: [128, 64] },
  // A thread loads inputs of one pixel.
  allow: ({ TILE_M = 0, TILE_N = 0 }) => (TILE_M * TILE_N) / 64 <= 256,
};
export const implicitLaunch = (pixels: number, output: number, { TILE_M = 1, TILE_N = 1 }: Configuration): Launch => ({
  grid: [divideUp(pixels, TILE_N), divideUp(output, TILE_M)],
  block: (TILE_M * TILE_N) / 64,
});
export const arrangeWeights = (
  channels: Channels,
  configuration: Configuration,
  more: readonly string[] = [],
): LaunchStep => weights("arrange", 9, channels, configuration, more);

/**
 * Winograd's products. A block's threads hold 16 x TILE_M x 32 sums in registers, 128 each. BLOCKS: as many as an H100
 * has multiprocessors, or twice as many; each goes on with other pixels.
 */
export const WINOGRAD: Sweep<Readonly<Record<string, number>>> = {
  parameters: { TILE_M: [64, 32], BLOCKS: [132, 264] },
};
/** @param tiles of 2 x 2 pixels. */
export const winogradLaunch = (tiles: number, output: number, { TILE_M = 1, BLOCKS = 1 }: Configuration): Launch => {
  const rows = divideUp(output, TILE_M);
  // Two stages of transformed weights and pixels, and twice the sums of 16 channels of output.
  return {
    grid: [Math.min(divideUp(tiles, 32), divideUp(BLOCKS, rows)), rows],
    block: 4 * TILE_M,
    sharedBytes: 2 * 4 * 16 * (DEPTH * (TILE_M + 32) + 16 * 32),
  };
};
export const transformWeights = (
  channels: Channels,
  configuration: Configuration,
  more: readonly string[] = [],
): LaunchStep => weights("transform", 1, channels, configuration, more);
