/** What the ladders of attention with sequences of any lengths share. */
import type { Distribution, LaunchArgument } from "heddle/ladder";

export interface VarlenSize extends Readonly<Record<string, number>> {
  /** Of all sequences. */ readonly tokens: number;
  readonly sequences: number;
  /** No sequence has more tokens. */ readonly longest: number;
  readonly heads: number;
  /** Divides `heads`: so many neighbours share keys and values. */ readonly kvHeads: number;
  /** 1: a query sees no keys after its own. */ readonly causal: number;
}

/** Where sequences begin, and the number of tokens: lengths at random, some of them 0, none above `longest`. */
export const sequenceStarts: Distribution = (random, { tokens = 0, sequences = 1, longest = 0 }) => {
  const found = [0];
  for (let sequence = 0; sequence < sequences; sequence++) {
    const rest = tokens - (found.at(-1) as number);
    const least = Math.max(0, rest - (sequences - 1 - sequence) * longest);
    // About what the rest has on average, so that the last ones are not all empty or all full.
    const mean = rest / (sequences - sequence);
    const length = Math.min(longest, rest, Math.max(least, Math.floor(2 * mean * random())));
    found.push((found.at(-1) as number) + length);
  }
  let next = 0;
  return () => found[next++ % found.length] as number;
};

/**
 * Of an array of tokens x count x 128: in boxes of `boxRows` tokens of a head and 64 columns, rows of 128 bytes that
 * are swizzled. Coordinates are head, token, column.
 */
export const tokensMap = (
  tensorMap: string,
  { tokens }: VarlenSize,
  count: number,
  boxRows: number,
): LaunchArgument => ({
  tensorMap,
  shape: [count, tokens, 128],
  strides: [128, count * 128, 1],
  box: [1, boxRows, 64],
  swizzle: 128,
});
