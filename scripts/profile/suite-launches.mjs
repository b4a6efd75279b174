// How the kernels of src/profile/suite and src/profile/pairs are launched: comments at the head of each file say it.

export const SUITE_N = 1024;

/** `// @KERNEL GRID BLOCK [HINT [text of the line]]`; KERNEL is flawed, repaired or good. */
export function suiteLaunches(source) {
  return [...source.matchAll(/^\/\/ @((?:flawed|repaired|good)\w*) (\S+) (\S+)(?: (\S+)(?: (.+))?)?$/gm)].map(
    ([, kernel, grid, block, hint = null, at = ""]) => ({
      kernel,
      grid: grid.split("x").map(Number),
      block: block.split("x").map(Number),
      hint,
      at,
    }),
  );
}

/** `// @size N` and `// @caches`: arrays of N × N floats, and the caches are modelled, too. */
export function pairOptions(source) {
  const size = /^\/\/ @size (\d+)$/m.exec(source);
  return { n: size === null ? SUITE_N : Number(size[1]), caches: /^\/\/ @caches$/m.test(source) };
}

/** Numbers from 0 to 1 without a pattern. */
export function suiteInput(n = SUITE_N) {
  return Float32Array.from(
    { length: n * n },
    (_, i) => ((Math.imul(i ^ (i >>> 9), 2654435761) >>> 8) & 0xffff) / 0x10000,
  );
}
