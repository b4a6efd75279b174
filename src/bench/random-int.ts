/** Numbers that no kernel can know before, on Node.js and in browsers. */

// Taken when this module loads: a ladder that replaces `crypto` does not change it.
const fillRandom: (words: Uint32Array<ArrayBuffer>) => unknown = crypto.getRandomValues.bind(crypto);

/** A whole number from 0 to `end - 1`, every one as likely as any other. `end` is at most 2^32. */
export function randomInt(end: number): number {
  const words = new Uint32Array(1);
  // Numbers above the largest multiple of `end` would make small results more likely.
  const fair = 2 ** 32 - (2 ** 32 % end);
  do fillRandom(words);
  while ((words[0] as number) >= fair);
  return (words[0] as number) % end;
}
