/** What the declarations of ladders with Hopper's instructions share. */
import type { Configuration, LaunchArgument } from "heddle/ladder";

export const divideUp = (a: number, b: number): number => Math.ceil(a / b);
/** Multiply-adds that a reference may take as a whole; beyond it, it is asked element by element. */
export const WHOLE: number = 2 ** 27;
/** What a block of an H100 has, without the barriers. */
export const HOPPER_BYTES: number = 226 * 1024;

/** A map of boxes whose rows are swizzled: they have 128 bytes. */
export const swizzled = (tensorMap: string, shape: readonly number[], box: readonly number[]): LaunchArgument => ({
  tensorMap,
  shape,
  box,
  swizzle: 128,
});
/** Tiles of each stage, of steps of 128 bytes along K, and what aligns them. */
export const tileBytes = ({ TILE_M = 0, TILE_N = 0, STAGES = 0 }: Configuration): number =>
  1024 + STAGES * 128 * (TILE_M + TILE_N);
/** The same of common/persistent.cuh, with what its two warpgroups write; so many of them share a tile. */
export const persistentBytes = (configuration: Configuration, warpgroups: number): number => {
  const { ROWS = 0, OUT_N = 0 } = configuration;
  return tileBytes({ ...configuration, TILE_M: warpgroups * ROWS }) + 2 * OUT_N * 128;
};
