/** The constants by which a division by a constant is a multiplication (pass-divisions.ts). */

export interface UnsignedReciprocal {
  /** null: the divisor is a power of two, and `after` is all. */
  readonly multiplier: bigint | null;
  /** How far the dividend is shifted first. */
  readonly before: number;
  /** How far the upper half of the product is shifted. */
  readonly after: number;
  /** The multiplier is 2^bits larger than it says. */
  readonly isLong: boolean;
}

/** For every x below 2^bits: x / by = (x >> before) · multiplier >> (bits + after). */
export function unsignedReciprocal(by: bigint, bits: number): UnsignedReciprocal {
  const log = (by - 1n).toString(2).length;
  if ((by & (by - 1n)) === 0n) {
    const power = by.toString(2).length - 1;
    return { multiplier: null, before: 0, after: power, isLong: false };
  }
  // An even divisor leaves fewer bits of the dividend, so that a shorter multiplier is exact enough.
  let before = 0;
  while ((by >> BigInt(before)) % 2n === 0n) before++;
  for (const shift of before === 0 ? [0] : [0, before]) {
    const odd = by >> BigInt(shift);
    for (let after = 0; after <= log; after++) {
      const scale = 1n << BigInt(bits + after);
      const multiplier = scale / odd + 1n;
      const error = multiplier * odd - scale;
      if (multiplier < 1n << BigInt(bits) && error <= 1n << BigInt(after + shift))
        return { multiplier, before: shift, after, isLong: false };
    }
  }
  const multiplier = ((1n << BigInt(bits)) * ((1n << BigInt(log)) - by)) / by + 1n;
  return { multiplier, before: 0, after: log, isLong: true };
}

export interface SignedReciprocal {
  readonly multiplier: bigint;
  readonly after: number;
  /** The multiplier is 2^bits larger than it says: the dividend is added to the product. */
  readonly isLong: boolean;
}

/**
 * For every signed x: x / by = (x · multiplier >> (bits + after)) + (1 if x is negative).
 * @param by at least 3, no power of two
 */
export function signedReciprocal(by: bigint, bits: number): SignedReciprocal {
  const half = 1n << BigInt(bits - 1);
  const largest = half - 1n - (half % by);
  let power = bits;
  while (1n << BigInt(power) <= largest * (by - ((1n << BigInt(power)) % by))) power++;
  const scale = 1n << BigInt(power);
  const multiplier = (scale + by - (scale % by)) / by;
  const isLong = multiplier >= half;
  return { multiplier: isLong ? multiplier - (1n << BigInt(bits)) : multiplier, after: power - bits, isLong };
}
