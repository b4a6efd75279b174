/**
 * Gradients of gradients of a compiled function. The program of the gradients is no operation on the tape: where its
 * results shall have gradients, the function runs once more, operation by operation, and is differentiated as it is.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import { autocastDtype, withAutocast } from "../autograd/autocast.ts";
import { gradients } from "../autograd/backward.ts";
import { withTape } from "../autograd/tape.ts";
import { full } from "../operations/creation.ts";
import { binary } from "../operations/elementwise.ts";
import type { Generators } from "../operations/random.ts";
import type { Storage } from "../storage.ts";
import type { Tensor } from "../tensor.ts";
import type { RandomState } from "./program.ts";
import { tensorsIn } from "./signature.ts";

/** A call of the function that can be made again, and gives the same. */
export interface Repeat {
  /** Calls the function with the same arguments; null: a second call would do more than compute. */
  readonly call: (() => unknown) | null;
  readonly generators: Generators;
  readonly random: RandomState;
  /** What the function reads: arguments, parameters, what it takes from around it. */
  readonly storages: readonly Storage[];
}

/**
 * @param inputs tensors whose gradients are asked for
 * @param results which tensors of the function's value have gradients
 * @returns a function from the gradients of the results to those of the inputs, which are on the tape
 */
export function repeatable(
  { call, generators, random, storages }: Repeat,
  inputs: readonly Tensor[],
  results: readonly number[],
): (given: readonly (Tensor | null)[]) => (Tensor | null)[] {
  const versions = storages.map(({ version }) => version);
  const autocast = autocastDtype();
  return (given) => {
    if (call === null)
      throw new HeddleError("unsupported", "gradients of gradients of a compiled function that changes tensors", {
        notes: ["call the function itself, without compile, where createGraph: true is needed"],
      });
    if (storages.some(({ version }, i) => version !== versions[i]))
      throw new HeddleError(
        "bad-arguments",
        "one of the variables needed for gradient computation has been modified by an inplace operation: a compiled " +
          "function runs again for gradients of gradients, and a tensor that it reads has changed since",
      );
    const again = (): (Tensor | null)[] => {
      const made = tensorsIn(withTape(true, call));
      const roots = results.map((i) => made[i] as Tensor);
      const tangents = roots.map(({ shape, dtype, place }, i) => given[i] ?? full(shape, 0, dtype, place));
      const asked = roots.flatMap((root, i) => (root.requiresGradient ? [i] : []));
      return gradients(
        asked.map((i) => roots[i] as Tensor),
        asked.map((i) => tangents[i] as Tensor),
        inputs,
        (a, b) => binary("add", a, b),
        { createGraph: true, retainGraph: true },
      );
    };
    const { twister } = generators.snapshot();
    return withAutocast(autocast, () => generators.from({ ...random, twister }, again));
  };
}
