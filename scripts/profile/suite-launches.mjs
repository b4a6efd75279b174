// How the kernels of src/profile/suite are launched: comments at the head of each file say it.

export const SUITE_N = 1024;

/** `// @KERNEL GRID BLOCK [HINT [text of the line]]`; KERNEL is flawed, repaired or good. */
export function suiteLaunches(source) {
  return [...source.matchAll(/^\/\/ @(flawed|repaired|good) (\S+) (\S+)(?: (\S+)(?: (.+))?)?$/gm)].map(
    ([, kernel, grid, block, hint = null, at = ""]) => ({
      kernel,
      grid: grid.split("x").map(Number),
      block: block.split("x").map(Number),
      hint,
      at,
    }),
  );
}

/** Numbers from 0 to 1 without a pattern. */
export function suiteInput() {
  return Float32Array.from(
    { length: SUITE_N * SUITE_N },
    (_, i) => ((Math.imul(i ^ (i >>> 9), 2654435761) >>> 8) & 0xffff) / 0x10000,
  );
}
