/**
 * Arithmetic rounded towards zero, down or up (PTX .rz, .rm, .rp), for float and double.
 *
 * The result to nearest is at most one unit away from the directed one; the direction follows from the exact sign of
 * (exact − nearest), found in integers. Clear rather than fast: real programs use these in a few interval computations.
 */
import { decompose, fmaFloat32, fmaFloat64 } from "./float-rounding.ts";
import { float32FromBits, float32ToBits, float64FromBits, float64ToBits } from "./float-bits.ts";

/** To nearest even, towards zero, towards minus infinity, towards plus infinity. */
export type RoundingMode = "rn" | "rz" | "rm" | "rp";
export type DirectedFormat = "float" | "double";

export function addDirected(a: number, b: number, mode: RoundingMode, format: DirectedFormat): number {
  const nearest = nearestOf(a + b, format);
  if (mode === "rm" && nearest === 0 && a === -b && !(Object.is(a, 0) && Object.is(b, 0))) return -0;
  return direct(nearest, mode, format, Number.isFinite(a) && Number.isFinite(b), () =>
    signOfSum([a, 1], [b, 1], [-nearest, 1]),
  );
}

export function mulDirected(a: number, b: number, mode: RoundingMode, format: DirectedFormat): number {
  const nearest = nearestOf(a * b, format);
  return direct(nearest, mode, format, Number.isFinite(a) && Number.isFinite(b), () =>
    signOfSum([a, b], [-nearest, 1]),
  );
}

export function fmaDirected(a: number, b: number, c: number, mode: RoundingMode, format: DirectedFormat): number {
  const nearest = format === "float" ? fmaFloat32(a, b, c) : fmaFloat64(a, b, c);
  const finite = Number.isFinite(a) && Number.isFinite(b) && Number.isFinite(c);
  if (
    mode === "rm" &&
    nearest === 0 &&
    finite &&
    signOfSum([a, b], [c, 1]) === 0 &&
    !(Object.is(a * b, 0) && Object.is(c, 0))
  )
    return -0;
  return direct(nearest, mode, format, finite, () => signOfSum([a, b], [c, 1], [-nearest, 1]));
}

export function divDirected(a: number, b: number, mode: RoundingMode, format: DirectedFormat): number {
  const nearest = nearestOf(a / b, format);
  return direct(
    nearest,
    mode,
    format,
    Number.isFinite(a) && Number.isFinite(b) && b !== 0,
    () => signOfSum([a, 1], [-nearest, b]) * Math.sign(b),
  );
}

export function sqrtDirected(a: number, mode: RoundingMode, format: DirectedFormat): number {
  const nearest = nearestOf(Math.sqrt(a), format);
  return direct(nearest, mode, format, Number.isFinite(a), () => signOfSum([a, 1], [-nearest, nearest]));
}

/** A double, or an integer, to a float or double. */
export function convertDirected(
  value: number | bigint,
  mode: RoundingMode,
  format: DirectedFormat,
  nearest: number,
): number {
  if (typeof value === "number")
    return direct(nearest, mode, format, Number.isFinite(value), () => Math.sign(value - nearest));
  return direct(nearest, mode, format, true, () => {
    return signOf(value - BigInt(nearest));
  });
}

/** To an integral value in the given direction. */
export function roundIntegral(value: number, mode: RoundingMode, nearestEven: (value: number) => number): number {
  switch (mode) {
    case "rn":
      return nearestEven(value);
    case "rz":
      return Math.trunc(value);
    case "rm":
      return Math.floor(value);
    case "rp":
      return Math.ceil(value);
  }
}

function nearestOf(value: number, format: DirectedFormat): number {
  return format === "float" ? Math.fround(value) : value;
}

function direct(
  nearest: number,
  mode: RoundingMode,
  format: DirectedFormat,
  finiteOperands: boolean,
  errorSign: () => number,
): number {
  if (mode === "rn" || nearest !== nearest || !finiteOperands) return nearest;
  const error = Number.isFinite(nearest) ? errorSign() : -Math.sign(nearest);
  if (error === 0) return nearest;
  const down = mode === "rm" || (mode === "rz" && (nearest > 0 || (nearest === 0 && error > 0)));
  if (down) return error < 0 ? step(nearest, -1, format) : nearest;
  return error > 0 ? step(nearest, 1, format) : nearest;
}

/** The neighbour below (-1) or above (1). */
function step(value: number, direction: 1 | -1, format: DirectedFormat): number {
  if (value === 0) return direction * (format === "float" ? 2 ** -149 : 2 ** -1074);
  const outwards = value > 0 === direction > 0;
  if (format === "float") return float32FromBits(float32ToBits(value) + (outwards ? 1 : -1));
  return float64FromBits(float64ToBits(value) + (outwards ? 1n : -1n));
}

/** The sign of the exact sum of products of finite doubles. */
function signOfSum(...terms: readonly (readonly [number, number])[]): number {
  const exact = terms
    .filter(([a, b]) => a !== 0 && b !== 0)
    .map(([a, b]) => {
      const x = decompose(a);
      const y = decompose(b);
      return { mantissa: x.mantissa * y.mantissa, exponent: x.exponent + y.exponent };
    });
  const low = Math.min(...exact.map((term) => term.exponent));
  const sum = exact.reduce((total, term) => total + (term.mantissa << BigInt(term.exponent - low)), 0n);
  return signOf(sum);
}

function signOf(value: bigint): number {
  if (value === 0n) return 0;
  return value > 0n ? 1 : -1;
}
