/** Tensors for differential tests: random shapes, strides and elements, and elements as nested indices. */
import * as fc from "fast-check";
import { fromValues, type Tensor } from "./tensor.ts";
import { permute } from "./operations/shapes.ts";
import { getItem } from "./operations/indexing.ts";
import type { TensorDtype } from "./dtypes.ts";

export interface Drawn {
  readonly tensor: Tensor;
  /** The element at these indices. */
  readonly at: (index: readonly number[]) => number;
}

/** Every index of a shape, row by row. */
export function indicesOf(shape: readonly number[]): number[][] {
  return shape.reduce<number[][]>(
    (all, size) => all.flatMap((index) => Array.from({ length: size }, (_, i) => [...index, i])),
    [[]],
  );
}

export const DTYPES: readonly TensorDtype[] = ["float32", "float64", "float16", "int32", "int64", "uint8", "bool"];

/** A number that the type has exactly. */
function numberOf(dtype: TensorDtype, seed: number): number {
  if (dtype === "bool") return seed % 2;
  if (dtype === "uint8") return seed % 200;
  return dtype.startsWith("float") ? (seed % 512) / 16 - 16 : (seed % 4001) - 2000;
}

/** A tensor of this shape in memory of any order, also as a part of a larger one. */
export function tensorOf(shape: readonly number[], dtypes: readonly TensorDtype[] = DTYPES): fc.Arbitrary<Drawn> {
  const order = fc.shuffledSubarray(
    shape.map((_, d) => d),
    { minLength: shape.length, maxLength: shape.length },
  );
  return fc
    .record({ dtype: fc.constantFrom(...dtypes), order, seed: fc.nat(100_000), isPart: fc.boolean() })
    .map(({ dtype, order: dims, seed, isPart }) => {
      const stored = dims.map((d) => (shape[d] as number) + (isPart ? 2 : 0));
      const length = stored.reduce((product, size) => product * size, 1);
      const values = Float64Array.from({ length }, (_, i) => numberOf(dtype, Math.imul(i + seed, 7919) >>> 3));
      const whole = fromValues(values, stored, dtype, null);
      const part = isPart
        ? getItem(
            whole,
            stored.map((size) => ({ kind: "slice", start: 1, stop: size - 1, step: 1 }) as const),
          )
        : whole;
      const tensor = permute(
        part,
        shape.map((_, d) => dims.indexOf(d)),
      );
      const at = (index: readonly number[]): number => {
        const own = dims.map((d) => (index[d] as number) + (isPart ? 1 : 0));
        return values[own.reduce((place, i, d) => place * (stored[d] as number) + i, 0)] as number;
      };
      return { tensor, at };
    });
}

export const shapes: fc.Arbitrary<number[]> = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 4 });

/** A shape, and another one that broadcasts with it. */
export const shapePairs: fc.Arbitrary<[number[], number[]]> = shapes.chain((shape) =>
  fc
    .record({ ones: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }), cut: fc.nat(shape.length) })
    .map(({ ones, cut }) => [shape, shape.map((size, d) => (ones[d] === true ? 1 : size)).slice(cut)]),
);
