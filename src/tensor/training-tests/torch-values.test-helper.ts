/** What PyTorch gives for the cases of torch-values.py. */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { Tensor } from "../tensor.ts";

/** Of a tensor: some elements, and the sum of all. */
export interface Some {
  readonly shape: readonly number[];
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly sum: number;
}

export interface TorchValues {
  readonly modules: Readonly<Record<string, { readonly text: string; readonly state: Readonly<Record<string, Some>> }>>;
  readonly forwards: Readonly<
    Record<
      string,
      {
        readonly shapes: readonly (readonly number[])[];
        readonly output: Some;
        readonly input: Some;
        readonly gradients: Readonly<Record<string, Some>>;
        readonly buffers: Readonly<Record<string, Some>>;
      }
    >
  >;
  readonly trajectories: Readonly<
    Record<
      string,
      {
        readonly losses: readonly number[];
        readonly weights: Readonly<Record<string, Some>>;
        readonly state: Readonly<Record<string, Some>>;
      }
    >
  >;
  readonly schedules: Readonly<
    Record<
      string,
      { readonly rates: readonly number[]; readonly momenta?: readonly number[]; readonly metrics?: readonly number[] }
    >
  >;
  readonly data: {
    readonly epochs: readonly (readonly (readonly number[])[])[];
    readonly parts: readonly (readonly number[])[];
    readonly after: readonly number[];
  };
  readonly clipping: { readonly norm: number; readonly gradients: Readonly<Record<string, Some>> };
  readonly inits: Readonly<Record<string, Some>>;
}

export const torchValues: TorchValues = JSON.parse(
  readFileSync(new URL("./torch-values.json", import.meta.url), "utf8"),
) as TorchValues;

/** @param tolerance relative to the largest element that is compared */
export function expectClose(tensor: Tensor | null | undefined, expected: Some, tolerance: number, what = ""): void {
  expect(tensor, what).toBeTruthy();
  const { shape } = tensor as Tensor;
  expect([...shape], what).toEqual(expected.shape);
  const values = [...(tensor as Tensor).values()];
  const some = [...values.slice(0, expected.first.length), ...values.slice(-2)];
  const want = [...expected.first, ...expected.last];
  const scale = Math.max(...want.map(Math.abs), 1e-3);
  for (const [i, value] of some.entries())
    expect(Math.abs(value - (want[i] as number)), `${what}[${i}]: ${value}, PyTorch ${want[i]}`).toBeLessThanOrEqual(
      tolerance * scale,
    );
  const sum = values.reduce((total, value) => total + value, 0);
  const bound = tolerance * Math.max(scale, scale * Math.sqrt(values.length));
  expect(Math.abs(sum - expected.sum), `${what}: the sum is ${sum}, PyTorch ${expected.sum}`).toBeLessThanOrEqual(
    bound,
  );
}
