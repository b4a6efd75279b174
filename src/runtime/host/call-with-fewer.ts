/**
 * Calls a function that a program has cast to one of more parameters: as on other machines, it gets the first values.
 * Whether each is an integer of 64 bits only a call tells, which fails before the function begins.
 */
export function callWithFewer(
  target: (...values: (number | bigint)[]) => unknown,
  values: (number | bigint)[],
): unknown {
  const given = values.slice(0, target.length);
  for (let wide = 0; wide < 2 ** given.length; wide++) {
    try {
      return target(...given.map((value, i) => ((wide >> i) & 1 ? BigInt(value) : Number(value))));
    } catch (error) {
      if (!(error instanceof TypeError && /bigint/i.test(error.message))) throw error;
    }
  }
  return target(...given);
}
