/** Numbers for people. */

/** A number with so many digits; a whole number has all of its own. */
export function shortNumber(value: number, digits: number): string {
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(digits)));
}
