/** Whether a device's values are the reference's, to a tolerance. */
import type { OutputDeclaration, ReferenceValues, Shape } from "../kernel-library/ladder.ts";

export interface Mismatch {
  readonly output: string;
  readonly index: number;
  readonly value: number;
  readonly expected: number;
  readonly allowed: number;
}

export interface Comparison {
  /** Elements that were looked at. */
  readonly elements: number;
  readonly wrong: number;
  readonly first: Mismatch | null;
  /** The largest |value - reference|. */
  readonly absoluteError: number;
  /** The largest error as a part of what is allowed: at most 1 where all is right. */
  readonly usedTolerance: number;
}

export const NOTHING_COMPARED: Comparison = { elements: 0, wrong: 0, first: null, absoluteError: 0, usedTolerance: 0 };

export function compareValues<S extends Shape>(
  output: string,
  { tolerance }: OutputDeclaration<S>,
  shape: S,
  values: ArrayLike<number | bigint>,
  expected: ReferenceValues,
  offset = 0,
): Comparison {
  const resolve = (bound: number | ((shape: S) => number)): number =>
    typeof bound === "number" ? bound : bound(shape);
  const [absolute, relative] = [resolve(tolerance.absolute), resolve(tolerance.relative)];
  let [wrong, absoluteError, usedTolerance] = [0, 0, 0];
  let first: Mismatch | null = null;
  for (let i = 0; i < values.length; i++) {
    const value = Number(values[i]);
    const reference = typeof expected === "function" ? expected(offset + i) : (expected[offset + i] as number);
    // What is not finite is itself or wrong: no tolerance around infinity or NaN means anything.
    const allowed = Number.isFinite(reference) ? absolute + relative * Math.abs(reference) : 0;
    const error = Object.is(value, reference) || value === reference ? 0 : Math.abs(value - reference);
    if (!(error <= allowed)) {
      wrong++;
      first ??= { output, index: offset + i, value, expected: reference, allowed };
      absoluteError = Math.max(absoluteError, Number.isNaN(error) ? Infinity : error);
      usedTolerance = Infinity;
    } else if (error > 0) {
      absoluteError = Math.max(absoluteError, error);
      usedTolerance = Math.max(usedTolerance, error / allowed);
    }
  }
  return { elements: values.length, wrong, first, absoluteError, usedTolerance };
}

export function joinComparisons(a: Comparison, b: Comparison): Comparison {
  return {
    elements: a.elements + b.elements,
    wrong: a.wrong + b.wrong,
    first: a.first ?? b.first,
    absoluteError: Math.max(a.absoluteError, b.absoluteError),
    usedTolerance: Math.max(a.usedTolerance, b.usedTolerance),
  };
}

export function describeMismatch({ wrong, elements, first }: Comparison): string {
  if (first === null) return `${elements} elements are right`;
  const { output, index, value, expected, allowed } = first;
  return (
    `${wrong} of ${elements} elements are wrong; first ${output}[${index}] = ${value}, expected ${expected} ± ` +
    `${allowed.toPrecision(2)}`
  );
}
