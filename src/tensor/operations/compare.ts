/** Whether two tensors agree. */
import { expand } from "./copies.ts";
import { broadcastShapes } from "./shapes.ts";
import { requireOnePlace } from "../places.ts";
import { failShape, type Tensor } from "../tensor.ts";

export interface Tolerance {
  readonly rtol: number;
  readonly atol: number;
  readonly equalNan: boolean;
}

export interface Difference {
  /** Elements that differ by more than is allowed. */
  readonly mismatched: number;
  readonly elements: number;
  readonly greatestAbsolute: number;
  readonly absoluteAt: readonly number[];
  readonly greatestRelative: number;
  readonly relativeAt: readonly number[];
}

/** |actual - expected| ≤ atol + rtol · |expected|, for each element. */
export function differenceOf(actual: Tensor, expected: Tensor, { rtol, atol, equalNan }: Tolerance): Difference {
  const shape = broadcastShapes(actual.shape, expected.shape);
  const [x, y] = [expand(actual, shape).values(), expand(expected, shape).values()];
  let mismatched = 0;
  let [absolute, absoluteAt, relative, relativeAt] = [0, 0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    const [a, b] = [x[i] as number, y[i] as number];
    if (a === b || (equalNan && a !== a && b !== b)) continue;
    const difference = Math.abs(a - b);
    if (!(difference <= atol + rtol * Math.abs(b)) || Math.abs(b) === Infinity) mismatched++;
    if (difference > absolute || difference !== difference) [absolute, absoluteAt] = [difference, i];
    const ratio = difference / Math.abs(b);
    if (ratio > relative || ratio !== ratio) [relative, relativeAt] = [ratio, i];
  }
  const place = (at: number): number[] => {
    let rest = at;
    return shape
      .toReversed()
      .map((size) => {
        const own = rest % size;
        rest = Math.floor(rest / size);
        return own;
      })
      .reverse();
  };
  return {
    mismatched,
    elements: x.length,
    greatestAbsolute: absolute,
    absoluteAt: place(absoluteAt),
    greatestRelative: relative,
    relativeAt: place(relativeAt),
  };
}

export function allClose(actual: Tensor, expected: Tensor, tolerance: Tolerance): boolean {
  if (actual.dtype !== expected.dtype) failShape(`${actual.dtype} did not match ${expected.dtype}`);
  requireOnePlace([actual, expected]);
  return differenceOf(actual, expected, tolerance).mismatched === 0;
}
