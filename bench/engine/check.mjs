// Compares what a kernel left in memory with what is expected of it.

/**
 * A message about the first value that is wrong, or null. Integers must be equal, but for a part of them where
 * `differing` says so; floats may differ by `absolute + relative * |expected|`.
 */
export function findMistake(name, actual, { values, absolute = 0, relative = 0, differing = 0 }) {
  if (actual.length !== values.length) return `${name} has ${actual.length} values instead of ${values.length}`;
  let first = null;
  let wrong = 0;
  for (let i = 0; i < values.length; i++) {
    // The negation also catches NaN.
    if (Math.abs(actual[i] - values[i]) <= absolute + relative * Math.abs(values[i])) continue;
    first ??= `${name}[${i}] is ${actual[i]} instead of ${values[i]}`;
    wrong++;
  }
  return wrong <= differing * values.length ? null : `${first}; ${wrong} of ${values.length} values are wrong`;
}
