/** Warpgroups: four warps in a row that make products of matrices together (PTX ISA 8.5, 9.7.15.1). */

export const WARPGROUP_WARPS = 4;

/** The first warp of the warpgroup that has this one. */
export function firstWarpOf(warp: number): number {
  return warp - (warp % WARPGROUP_WARPS);
}
