/**
 * Functions that JavaScript's Math has not, to about 1e-15 relative (a few units in the last place of a double).
 * Sources: Abramowitz and Stegun, Handbook of Mathematical Functions, chapters 6 and 7.
 */

/** 2/√π ∫₀ˣ exp(-t²) dt, by its series, or from `erfc`. */
export function erf(x: number): number {
  if (x !== x) return NaN;
  const a = Math.abs(x);
  if (a >= 2.5) return Math.sign(x) * (1 - erfcTail(a));
  let [term, sum] = [a, a];
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum) && n < 200; n++) {
    term *= (-a * a) / n;
    sum += term / (2 * n + 1);
  }
  return Math.sign(x) * sum * (2 / Math.sqrt(Math.PI));
}

/** 1 - erf(x), also where that is tiny. */
export function erfc(x: number): number {
  if (x !== x) return NaN;
  return x >= 1.5 ? erfcTail(x) : 1 - erf(x);
}

/** By a continued fraction (7.1.14), for x ≥ 1.5. */
function erfcTail(a: number): number {
  if (a > 27.3) return 0;
  let fraction = 0;
  for (let n = a < 2.5 ? 200 : 60; n > 0; n--) fraction = n / 2 / (a + fraction);
  return Math.exp(-a * a) / ((a + fraction) * Math.sqrt(Math.PI));
}

/** The x with erf(x) = y: an estimate (Giles, 2010), then Newton's method. */
export function erfinv(y: number): number {
  if (!(Math.abs(y) <= 1)) return NaN;
  if (Math.abs(y) === 1) return y * Infinity;
  const w = -Math.log((1 - y) * (1 + y));
  const series = (t: number, coefficients: readonly number[]): number => coefficients.reduce((p, k) => p * t + k, 0);
  let x =
    y *
    (w < 5
      ? series(
          w - 2.5,
          [
            2.81022636e-8, 3.43273939e-7, -3.5233877e-6, -4.39150654e-6, 0.00021858087, -0.00125372503, -0.00417768164,
            0.246640727, 1.50140941,
          ],
        )
      : series(
          Math.sqrt(w) - 3,
          [
            -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
            1.00167406, 2.83297682,
          ],
        ));
  for (let i = 0; i < 3; i++) {
    const error = y < 0.5 ? erf(x) - y : 1 - y - erfc(x);
    x -= error / ((2 / Math.sqrt(Math.PI)) * Math.exp(-x * x));
  }
  return x;
}

/** Stirling's series is good from here on. */
const LARGE = 15;
/** B₂ₖ / (2k (2k-1)) and B₂ₖ / 2k. */
const BERNOULLI = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510];

/** log |Γ(x)|. */
export function lgamma(x: number): number {
  if (x !== x) return NaN;
  if (!Number.isFinite(x)) return Infinity;
  if (x <= 0 && Number.isInteger(x)) return Infinity;
  if (x < 0) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - lgamma(1 - x);
  if (x === 1 || x === 2) return 0;
  let product = 1;
  let at = x;
  while (at < LARGE) product *= at++;
  let sum = (at - 0.5) * Math.log(at) - at + 0.5 * Math.log(2 * Math.PI);
  for (const [k, b] of BERNOULLI.entries()) sum += b / ((2 * k + 2) * (2 * k + 1) * at ** (2 * k + 1));
  return sum - Math.log(product);
}

/** The derivative of `lgamma`. */
export function digamma(x: number): number {
  if (x === 0) return Object.is(x, -0) ? Infinity : -Infinity;
  if (x < 0 && Number.isInteger(x)) return NaN;
  if (x < 0) return digamma(1 - x) - Math.PI / Math.tan(Math.PI * (x - Math.trunc(x)));
  let result = 0;
  let at = x;
  for (; at < LARGE; at++) result -= 1 / at;
  result += Math.log(at) - 0.5 / at;
  for (const [k, b] of BERNOULLI.entries()) result -= b / ((2 * k + 2) * at ** (2 * k + 2));
  return result;
}

/** The derivative of `digamma`. */
export function trigamma(x: number): number {
  if (x <= 0 && Number.isInteger(x)) return Infinity;
  if (x < 0) return (Math.PI / Math.sin(Math.PI * x)) ** 2 - trigamma(1 - x);
  let result = 0;
  let at = x;
  for (; at < LARGE; at++) result += 1 / (at * at);
  result += 1 / at + 0.5 / (at * at);
  for (const [k, b] of BERNOULLI.entries()) result += b / at ** (2 * k + 3);
  return result;
}

/** To the nearest whole number, to the even one of two. */
export function roundEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  if (rest === 0.5) return floor % 2 === 0 ? floor : floor + 1;
  if (x === floor) return x;
  return rest > 0.5 ? floor + 1 : floor;
}
